// Package gradbench is Fluxion's side of GradBench, the public benchmark of automatic
// differentiation: the programs, one for each of its evals, and a server that speaks its
// protocol. It is given a stream of messages and hands on a stream of answers.
package gradbench

import (
	"context"
	"encoding/json"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/fluxion-lang/fluxion/bench"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Evals lists the evals that there are programs for.
func Evals() []string {
	files, err := fs.Glob(bench.Programs, "gradbench/*.flx")
	if err != nil {
		panic("gradbench: " + err.Error())
	}
	var names []string
	for _, f := range files {
		// which others import
		if name := strings.TrimSuffix(path.Base(f), ".flx"); name != "solver" {
			names = append(names, name)
		}
	}
	return names
}

// define loads the program of an eval.
func define(ctx context.Context, name string, settings driver.Settings) (*bench.Module,
	*diag.List) {
	settings.Flush = true // the benchmark leaves it to the tools
	return bench.Load(ctx, "gradbench/"+name+".flx", settings)
}

// repeat says how often a function is run: until both bounds are reached.
type repeat struct {
	runs int
	time time.Duration
}

// maxTimes bounds the room that is allocated for times before measuring.
const maxTimes = 1 << 22

// measured is the result of an evaluation.
type measured struct {
	output   value.Value
	prepared time.Duration   // the time of a first run, which takes the memory that the others use
	times    []time.Duration // of the runs that count
}

// evaluate applies a function to an input until it has been repeated enough.
func evaluate(ctx context.Context, m *bench.Module, function string, input json.RawMessage,
	r repeat) (*measured, *diag.Diagnostic) {
	argument, d := m.Argument(ctx, function, input)
	if d != nil {
		return nil, d
	}
	result, first, d := m.Run(ctx, function, interp.Operand{}, argument)
	if d != nil {
		return nil, d
	}
	times := make([]time.Duration, 0, min(int(r.time/max(first, 1))+min(r.runs, maxTimes)+1,
		maxTimes))
	var total time.Duration
	for len(times) < max(r.runs, 1) || total < r.time {
		var took time.Duration
		if result, took, d = m.Run(ctx, function, result, argument); d != nil {
			return nil, d
		}
		times = append(times, took)
		total += took
	}
	output, d := m.Report(ctx, function, result)
	return &measured{output, first, times}, d
}
