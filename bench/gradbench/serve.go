package gradbench

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/fluxion-lang/fluxion/bench"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// message is what the benchmark sends, a line each.
type message struct {
	ID       int64           `json:"id"`
	Kind     string          `json:"kind"`
	Module   string          `json:"module"`
	Function string          `json:"function"`
	Input    json.RawMessage `json:"input"`
}

// answer is what is sent back, a line each.
type answer struct {
	ID      int64           `json:"id"`
	Tool    string          `json:"tool,omitempty"`
	Success *bool           `json:"success,omitempty"`
	Output  json.RawMessage `json:"output,omitempty"`
	Timings []timing        `json:"timings,omitempty"`
	Error   string          `json:"error,omitempty"`
}

type timing struct {
	Name        string `json:"name"`
	Nanoseconds int64  `json:"nanoseconds"`
}

// Server answers the benchmark.
type Server struct {
	Settings driver.Settings

	modules map[string]*bench.Module
}

// Serve answers messages until the input ends.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	s.modules = map[string]*bench.Module{}
	lines := bufio.NewReaderSize(in, 1<<16)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for {
		line, err := lines.ReadBytes('\n') // of any length
		if len(line) > 0 && string(line) != "\n" {
			var m message
			if err := json.Unmarshal(line, &m); err != nil {
				return fmt.Errorf("a line is not a message: %w", err)
			}
			if err := encoder.Encode(s.answer(ctx, &m)); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (s *Server) answer(ctx context.Context, m *message) *answer {
	ctx, done := s.Settings.Within(ctx)
	defer done()
	a := &answer{ID: m.ID}
	switch m.Kind {
	case "start":
		a.Tool = "fluxion"
	case "define":
		start := time.Now()
		if list := s.define(ctx, m.Module); list != nil {
			return a.fail(list)
		}
		a.Timings = []timing{{"define", time.Since(start).Nanoseconds()}}
		a.Success = new(true)
	case "evaluate":
		if list := s.evaluate(ctx, m, a); list != nil {
			return a.fail(list)
		}
		a.Success = new(true)
	}
	return a
}

// fail sets the error of an answer. The first finding is enough.
func (a *answer) fail(list *diag.List) *answer {
	a.Success, a.Output, a.Timings = new(false), nil, nil
	d := list.Sorted()[0]
	a.Error = d.Message
	if d.Span.Known() {
		a.Error = d.Span.String() + ": " + d.Message
	}
	return a
}

// define makes a module ready.
func (s *Server) define(ctx context.Context, name string) *diag.List {
	module, list := define(ctx, name, s.Settings)
	if list == nil {
		s.modules[name] = module
	}
	return list
}

func (s *Server) evaluate(ctx context.Context, m *message, a *answer) *diag.List {
	var list diag.List
	module := s.modules[m.Module]
	if module == nil { // a message that nothing announced
		if failed := s.define(ctx, m.Module); failed != nil {
			return failed
		}
		module = s.modules[m.Module]
	}
	often, err := repetition(m.Input)
	if err != nil {
		list.Add(diag.Errorf(diag.BadData, diag.Span{}, "%v", err))
		return &list
	}
	result, d := evaluate(ctx, module, m.Function, m.Input, often)
	if d != nil {
		list.Add(d)
		return &list
	}
	a.Output = value.JSON(result.output)
	a.Timings = append(make([]timing, 0, len(result.times)+1),
		timing{"prepare", result.prepared.Nanoseconds()})
	for _, t := range result.times {
		a.Timings = append(a.Timings, timing{"evaluate", t.Nanoseconds()})
	}
	return nil
}

// longest is the most seconds that a function can be asked to run.
const longest = 1e9

// repetition returns how often an input asks to run: by default at least once and for a second.
// An input that is not an object is evaluated once.
func repetition(input json.RawMessage) (repeat, error) {
	if len(input) == 0 || input[0] != '{' {
		return repeat{runs: 1}, nil
	}
	asked := struct {
		Runs    int     `json:"min_runs"`
		Seconds float64 `json:"min_seconds"`
	}{1, 1}
	if err := json.Unmarshal(input, &asked); err != nil {
		return repeat{}, err
	}
	if asked.Runs < 0 || !(asked.Seconds >= 0 && asked.Seconds <= longest) {
		return repeat{}, fmt.Errorf("min_runs is %d and min_seconds is %g: no function is run so "+
			"often", asked.Runs, asked.Seconds)
	}
	return repeat{asked.Runs, time.Duration(asked.Seconds * float64(time.Second))}, nil
}
