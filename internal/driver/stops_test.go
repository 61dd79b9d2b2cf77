package driver

import (
	"context"
	"fmt"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/opt"
	"github.com/fluxion-lang/fluxion/internal/property"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// stopper counts the steps of a run and reaches a limit at one of them: the one that the step looks
// at. Time that is up stays up; memory and depth are enough again at the next step.
type stopper struct {
	most      int64 // programs that take more steps are not run to their end
	at, steps atomic.Int64
	late      atomic.Bool
}

func (s *stopper) reached(limit diag.Code) bool {
	n := s.steps.Add(1)
	if n > s.most {
		return true
	}
	if limit == diag.TimeLimit && s.late.Load() {
		return true
	}
	if n != s.at.Load() {
		return false
	}
	if limit == diag.TimeLimit {
		s.late.Store(true)
	}
	return true
}

// stopAt begins to count again, to stop at a step; 0 stands for none.
func (s *stopper) stopAt(n int64) {
	s.at.Store(n)
	s.steps.Store(0)
	s.late.Store(false)
}

// steppable are programs that have much to enter: closures, partial and over-application,
// constants, searches within derivatives.
var steppable = map[string]string{
	"closure entered": "let rec clo (n : Int) : (Real -> Real) = fun x => if n > 5 then x else 0.5 * clo (n + 1) x + x in clo 0 1\n",
	"over-applied":    "let rec f (n : Int) : (Int -> Int -> Int) = fun a b => if n == 0 then a + b else f (n - 1) b a\nf 4 1 2\n",
	"partial":         "let add (a b c : Int) : Int = a + b + c\nlet twice f x = f (f x)\ntwice (twice (add 1 2)) 3\n",
	"constants":       "let a = 1 + b\nlet b = c * 2\nlet c = fold (fun s x => s + x) 0 [real i for i < 5]\na * a\n",
	"nested searches": "deriv (fun c => integral 0 1 (fun x => maxOver 0 1 (fun y => c * x * y - y^2))) 1\n",
	"rows":            "let m = [[real (i * j) for j < 4] for i < 4]\ngrad (fun v => sum [inner r v * inner r v for r in m]) [1, 2, 3, 4]\n",
	"sorted":          "array.sort (fun (a b : Real) => a < b) [3, 1, 2.5, -1]\n",
	"shown":           "import string\nstring.length (show [real i for i < 5000])\n",
	"recursion":       "let rec fib (n : Int) : Int = if n < 2 then n else fib (n - 1) + fib (n - 2)\nfib 9\n",
}

// differentiable finds the functions in a file of testdata/lab, with the point that a comment states.
var differentiable = regexp.MustCompile(`(?m)^-- at (.+)\n(?:-- .*\n)*let (?:rec )?(\w+)`)

// TestStopsEverywhere stops every program of testdata at each of its steps in turn: where it looks
// at the clock, where it allocates, and where it calls. Of functions it takes the gradient. The run ends with the limit that was
// reached, or as it does without one: never with a bug, nor with another value. The suite takes
// some programs and some of the steps of longer ones; RAPID_CHECKS=1000 takes all, and more
// steps.
func TestStopsEverywhere(t *testing.T) {
	t.Parallel()
	archives := map[string]*txtar.Archive{}
	for name, text := range steppable {
		archives[name] = &txtar.Archive{Files: []txtar.File{{Name: "in.flx", Data: []byte(text)}}}
	}
	paths, err := filepath.Glob("../../testdata/*/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		if folder := filepath.Base(filepath.Dir(path)); folder != "run" {
			name = folder + " " + name
		}
		archives[name] = archive
	}
	labs, err := filepath.Glob("../../testdata/lab/*.flx")
	if err != nil || len(labs) == 0 {
		t.Fatalf("no functions: %v", err)
	}
	for _, path := range labs {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range differentiable.FindAllSubmatch(text, -1) {
			in := fmt.Sprintf("%s\ngrad %s (%s)\n", text, f[2], f[1])
			archives["lab "+string(f[2])] = &txtar.Archive{Files: []txtar.File{{Name: "in.flx", Data: []byte(in)}}}
		}
	}
	every := max(1, 20/property.Rounds(1))
	for k, name := range slices.Sorted(maps.Keys(archives)) {
		archive := archives[name]
		if _, ok := steppable[name]; !ok && k%every != 0 {
			continue
		}
		if strings.HasPrefix(name, "err-memory") || name == "err-depth" || name == "err-instances-grow" {
			continue // these have no end without limits
		}
		w := NewWorld(archiveReader(archive))
		var list diag.List
		unit := w.LoadFile("in.flx", &list)
		if unit == nil || list.Failed() {
			continue
		}
		most := property.Rounds(5)
		if _, ok := steppable[name]; ok {
			most = property.Rounds(60)
		}
		for _, engine := range Engines() {
			t.Run(name+"/"+engine, func(t *testing.T) {
				stopEverywhere(t, unit, most, Settings{Engine: engine, Compile: interp.Options{Eager: true}})
			})
		}
		t.Run(name+"/exact", func(t *testing.T) { stopExactEverywhere(t, unit, most) })
	}
}

// stopEverywhere runs a unit on doubles, with stops at most so often.
func stopEverywhere(t *testing.T, unit *Unit, most int, s Settings) {
	linked, d := Link(unit)
	if d != nil {
		t.Skip(d)
	}
	program, d := opt.Prepare(linked, opt.Options{})
	if d != nil {
		t.Skip(d)
	}
	code, d := interp.CompileWith(program, s.Options())
	if d != nil {
		t.Skip(d)
	}
	stop := stopper{most: 50_000}
	limits := interp.Limits{Reached: stop.reached}
	stopSteps(t, &stop, most, func() (value.Value, *diag.Diagnostic) {
		return code.Run(context.Background(), limits)
	})
}

// stopExactEverywhere runs a unit in exact mode, to few digits.
func stopExactEverywhere(t *testing.T, unit *Unit, most int) {
	linked, d := Link(unit)
	if d != nil {
		t.Skip(d)
	}
	program, d := opt.Prepare(linked, opt.Options{Exact: true})
	if d != nil {
		t.Skip(d)
	}
	stop := stopper{most: 5_000}
	limits := exact.Limits{Depth: 100, Reached: stop.reached}
	stopSteps(t, &stop, max(3, most/4), func() (value.Value, *diag.Diagnostic) {
		v, d := exact.Run(context.Background(), program, exact.Options{Eps: big.NewRat(1, 10), Limits: limits})
		if d != nil {
			v = nil // what is known so far
		}
		return v, d
	})
}

// stopSteps runs something without stops, then with one at each of at most so many steps, and then
// without stops again.
func stopSteps(t *testing.T, stop *stopper, most int, run func() (value.Value, *diag.Diagnostic)) {
	outcome := func(at int64) (text string, code diag.Code) {
		defer func() {
			if r := recover(); r != nil {
				t.Fatalf("stopped at step %d: %v\n%s", at, r, debug.Stack())
			}
		}()
		stop.stopAt(at)
		v, d := run()
		if d != nil {
			if d.Span.File == nil {
				t.Errorf("stopped at step %d: no place: %v", at, d)
			}
			return "", d.Code
		}
		return value.Show(v), ""
	}
	outcome(0)                  // what is compiled, and made once
	want, failure := outcome(0) // as a later run does it
	// Of a run that is too long nobody knows what it would give, and which limit ends it depends on
	// what was compiled before it.
	as := func(got string, code diag.Code) bool {
		return got == want && code == failure || failure.Limit() && (code == "" || code.Limit())
	}
	steps := stop.steps.Load()
	stride := max(1, steps/int64(max(3, min(most, property.Rounds(20_000)/int(steps+1)))))
	for k := 1 + int64(len(t.Name()))%stride; k <= steps; k += stride {
		if got, code := outcome(k); !code.Limit() && !as(got, code) {
			t.Fatalf("stopped at step %d of %d: %s%s, and without a stop %s%s", k, steps, got, code,
				want, failure)
		}
	}
	if got, code := outcome(0); !as(got, code) {
		t.Errorf("after stops %s%s, before them %s%s", got, code, want, failure)
	}
}
