package gradbench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fluxion-lang/fluxion/internal/driver"
)

// fact is an input of an eval with its output.
type fact struct {
	Module      string          `json:"module"`
	Function    string          `json:"function"`
	Description string          `json:"description"`
	Input       json.RawMessage `json:"input"`
	Output      any             `json:"output"`
}

// TestFacts asks for every output of testdata/facts.jsonl, which facts.py computes, by the
// protocol.
func TestFacts(t *testing.T) {
	file, err := os.Open("testdata/facts.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var facts []fact
	for lines := json.NewDecoder(file); lines.More(); {
		var f fact
		if err := lines.Decode(&f); err != nil {
			t.Fatal(err)
		}
		facts = append(facts, f)
	}
	check(t, facts, 1e-9, "")
	seen := check(t, facts, 1e-9, driver.BestEngine())
	if evals := Evals(); !slices.Equal(seen, evals) {
		t.Errorf("facts are about %v, and there are programs for %v", seen, evals)
	}
}

// TestBenchmark checks the cases in the folder that GRADBENCH_DATA names: files NAME.json with a
// list "cases", judged as the benchmark does.
func TestBenchmark(t *testing.T) {
	folder := os.Getenv("GRADBENCH_DATA")
	if folder == "" {
		t.Skip("GRADBENCH_DATA names no folder")
	}
	for _, eval := range Evals() {
		text, err := os.ReadFile(filepath.Join(folder, eval+".json"))
		if err != nil {
			t.Error(err)
			continue
		}
		var file struct{ Cases []fact }
		if err := json.Unmarshal(text, &file); err != nil {
			t.Fatal(err)
		}
		check(t, file.Cases, 1e-4, driver.BestEngine())
	}
}

// check sends facts to a server with an engine and compares its answers. It gives the modules that
// there were, sorted.
func check(t *testing.T, facts []fact, tolerance float64, engine string) (modules []string) {
	t.Helper()
	var in, out bytes.Buffer
	send := func(id int, m map[string]any) {
		m["id"] = id
		line, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		in.Write(append(line, '\n'))
	}
	for k, f := range facts {
		if !slices.Contains(modules, f.Module) {
			modules = append(modules, f.Module)
			send(-1, map[string]any{"kind": "define", "module": f.Module})
		}
		var input any = f.Input
		if f.Input[0] == '{' {
			input = json.RawMessage(fmt.Sprintf(`{"min_runs": 1, "min_seconds": 0, %s`, f.Input[1:]))
		}
		send(k, map[string]any{"kind": "evaluate", "module": f.Module, "function": f.Function, "input": input})
	}
	server := &Server{Settings: driver.Settings{Engine: engine}}
	if err := server.Serve(context.Background(), &in, &out); err != nil {
		t.Fatal(err)
	}
	answered := 0
	for lines := json.NewDecoder(&out); lines.More(); {
		var a struct {
			ID      int
			Success bool
			Error   string
			Output  any
			Timings []timing
		}
		if err := lines.Decode(&a); err != nil {
			t.Fatal(err)
		}
		switch {
		case a.ID < 0 && !a.Success:
			t.Errorf("define: %s", a.Error)
		case a.ID >= 0:
			answered++
			f := facts[a.ID]
			what := fmt.Sprintf("%s.%s %s", f.Module, f.Function, f.Description)
			if !a.Success {
				t.Errorf("%s: %s", what, a.Error)
			} else if wrong := differs(a.Output, f.Output, tolerance); wrong != "" {
				t.Errorf("%s: %s", what, wrong)
			} else if n := len(a.Timings); n < 2 || a.Timings[0].Name != "prepare" || a.Timings[n-1].Name != "evaluate" {
				t.Errorf("%s: timings are %v", what, a.Timings)
			}
		}
	}
	if answered != len(facts) {
		t.Errorf("%d answers to %d messages", answered, len(facts))
	}
	slices.Sort(modules)
	return modules
}

// differs says where two values differ by the measure of the benchmark, or gives "".
func differs(got, want any, tolerance float64) string {
	switch want := want.(type) {
	case float64:
		x, ok := got.(float64)
		if !ok || !(math.Abs(x-want)/math.Max(1, math.Abs(x)+math.Abs(want)) <= tolerance) {
			return fmt.Sprintf("%v, not %v", got, want)
		}
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			return fmt.Sprintf("%v, which is not an array of %d", got, len(want))
		}
		for k := range want {
			if wrong := differs(list[k], want[k], tolerance); wrong != "" {
				return fmt.Sprintf("[%d] %s", k, wrong)
			}
		}
	case map[string]any:
		fields, ok := got.(map[string]any)
		if !ok || len(fields) != len(want) {
			return fmt.Sprintf("%v, which does not have the fields of %v", got, want)
		}
		for k := range want {
			if wrong := differs(fields[k], want[k], tolerance); wrong != "" {
				return fmt.Sprintf(".%s %s", k, wrong)
			}
		}
	default:
		if got != want {
			return fmt.Sprintf("%v, not %v", got, want)
		}
	}
	return ""
}

// TestProtocol: every message has one answer of one line with its id, and errors are answers.
func TestProtocol(t *testing.T) {
	long := strings.Repeat("1, ", 50_000) + "1"
	for _, tc := range []struct{ message, answer string }{
		{`{"id": 0, "kind": "start", "eval": "lse", "config": {"n": 3}}`, `{"id":0,"tool":"fluxion"}`},
		{`{"id": 1, "kind": "define", "module": "nothing"}`, `{"id":1,"success":false,"error":"cannot read `},
		{`{"id": 2, "kind": "define", "module": "../etc/passwd"}`, `{"id":2,"success":false,"error":"cannot read `},
		{`{"id": 3, "kind": "analysis", "of": 2, "valid": true}`, `{"id":3}`},
		{`{"id": 4, "kind": "unheard-of"}`, `{"id":4}`},
		{`{"id": 5, "kind": "evaluate", "module": "hello", "function": "square", "input": 3}`, `{"id":5,"success":true,"output":9,"timings":[{"name":"prepare","nanoseconds":`},
		{`{"id": 6, "kind": "evaluate", "module": "hello", "function": "cube", "input": 3}`, "{\"id\":6,\"success\":false,\"error\":\"`gradbench/hello.flx` defines no `cube`"},
		{`{"id": 7, "kind": "evaluate", "module": "lse", "function": "primal", "input": {"x": ["a"], "min_seconds": 0}}`, `{"id":7,"success":false,"error":"input.json:`},
		{`{"id": 8, "kind": "evaluate", "module": "lse", "function": "primal", "input": {"min_seconds": 0}}`, `{"id":8,"success":false,"error":"input.json:`},
		{`{"id": 9, "kind": "evaluate", "module": "lse", "function": "primal", "input": {"x": [], "min_seconds": 0}}`, `{"id":9,"success":false,"error":"`},
		{`{"id": 10, "kind": "evaluate", "module": "lse", "function": "primal", "input": {"x": [` + long + `], "min_seconds": 0}}`, `{"id":10,"success":true,"output":11.8197`},
		{`{"id": 11, "kind": "evaluate", "module": "hello", "function": "", "input": 3}`, `{"id":11,"success":false,"error":"`},
		{`{"id": 12, "kind": "evaluate", "module": "lse", "function": "primal", "input": {"x": [1], "min_runs": -1, "min_seconds": 0}}`, `{"id":12,"success":false,"error":"min_runs is -1`},
		{`{"id": 13, "kind": "evaluate", "module": "lse", "function": "primal", "input": {"x": [1], "min_seconds": 1e300}}`, `{"id":13,"success":false,"error":"min_runs is 1 and min_seconds is 1e+300`},
	} {
		var out bytes.Buffer
		if err := (&Server{}).Serve(context.Background(), strings.NewReader(tc.message), &out); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(&out)
		lines.Scan()
		if !strings.HasPrefix(lines.Text(), tc.answer) || lines.Scan() {
			t.Errorf("%.100s\nis answered by %.300s\ninstead of %s", tc.message, lines.Text(), tc.answer)
		}
	}
}

// TestRepetition: a function runs as often and as long as its input says.
func TestRepetition(t *testing.T) {
	module, list := define(t.Context(), "hello", driver.Settings{})
	if list != nil {
		t.Fatal(list.Sorted()[0])
	}
	for _, tc := range []struct {
		input string
		want  repeat
	}{
		{`3`, repeat{runs: 1}}, {`{}`, repeat{1, time.Second}},
		{`{"min_runs": 7, "min_seconds": 0.25}`, repeat{7, time.Second / 4}},
	} {
		if got, err := repetition(json.RawMessage(tc.input)); err != nil || got != tc.want {
			t.Errorf("%s: %v, %v; not %v", tc.input, got, err, tc.want)
		}
	}
	result, d := evaluate(context.Background(), module, "square", json.RawMessage(`3`), repeat{runs: 7})
	if d != nil || len(result.times) != 7 {
		t.Errorf("%v instead of 7 runs; %v", result, d)
	}
}
