package driver

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/stop"
)

// givesUp is compiled code that gives up with an error.
type givesUp struct {
	loop.Code
	why error
}

func (g givesUp) RunInto([]loop.Arg, []loop.Arg, loop.RunOptions) error { return g.why }

// TestFirstCause: what compiled code has met is told when the interpreter, which runs the same again,
// has no time to find it.
func TestFirstCause(t *testing.T) {
	var list diag.List
	unit := NewWorld(nil).LoadText("test", "sum [sin (real i) for i < 1000000000]\n", nil, &list)
	for _, c := range []struct {
		why  error
		code diag.Code
		hint string
	}{
		{loop.ErrMemory, diag.MemoryLimit, "raise it with --memory"},
		{loop.ErrCheck, diag.TimeLimit, "compiled code gave up before that"},
	} {
		settings := Settings{Engine: BestEngine(), Limits: interp.DefaultLimits()}
		inner := settings.Options().Engine
		settings.Compile.Engine = func(p *loop.Program) (loop.Code, error) {
			code, err := inner(p)
			return givesUp{code, c.why}, err
		}
		ctx, done := stop.Within(context.Background(), 200*time.Millisecond)
		defer done()
		_, d := Run(ctx, unit, settings)
		if d == nil || d.Code != c.code || !strings.Contains(strings.Join(d.Hints, "\n"), c.hint) {
			t.Errorf("after %v: %v, %v", c.why, d, d.Hints)
		}
	}
}

// TestFirstCauseOfRules: the same holds for code that compares rules with derivatives.
func TestFirstCauseOfRules(t *testing.T) {
	var list diag.List
	unit := NewWorld(nil).LoadText("test", "let f = withDerivative (fun x => sin x) (fun x dx => cos x * dx)\n"+
		"deriv (fun c => sum [f (c * real i) for i < 1000000000]) 1\n", nil, &list)
	settings := Settings{Engine: BestEngine(), Limits: interp.DefaultLimits()}
	inner := settings.Options().Engine
	settings.Compile.Engine = func(p *loop.Program) (loop.Code, error) {
		code, err := inner(p)
		return givesUp{code, loop.ErrMemory}, err
	}
	ctx, done := stop.Within(context.Background(), 200*time.Millisecond)
	defer done()
	if _, d := Run(ctx, unit, settings); d == nil || d.Code != diag.MemoryLimit {
		t.Errorf("it ends with %v", d)
	}
}

// TestConstantsFail: a constant that fails keeps compiled code from running, and the failure is
// handed on. One at a limit is not kept.
func TestConstantsFail(t *testing.T) {
	kernel := func(text string) *Kernel {
		var list diag.List
		unit := NewWorld(nil).LoadText("test", text, nil, &list)
		if list.Failed() {
			t.Fatal(list.Sorted()[0])
		}
		k, d := unit.Kernel(context.Background(), Settings{Engine: BestEngine(), Limits: interp.DefaultLimits()}, "f")
		if d != nil {
			t.Fatal(d)
		}
		return k
	}
	wrong := kernel("let c = [1.5, 2][floor (sin 2 * 5)]\nlet f (x : Real) : Real = c * x\n")
	for range 2 {
		var d *diag.Diagnostic
		if _, err := wrong.Constants(context.Background()); !errors.As(err, &d) || d.Code != diag.IndexOutOfRange {
			t.Errorf("a constant that fails gives %v", err)
		}
	}
	large := kernel("let c = [sin (real i) for i < 100000]\nlet f (x : Real) : Real = sum [x * y for y in c]\n")
	enough := large.Limits
	large.Limits.Memory = 1 << 10
	var d *diag.Diagnostic
	if _, err := large.Constants(context.Background()); !errors.As(err, &d) || d.Code != diag.MemoryLimit {
		t.Errorf("a constant without memory gives %v", err)
	}
	large.Limits = enough
	if args, err := large.Constants(context.Background()); err != nil || len(args) == 0 {
		t.Errorf("after it there are %d constants: %v", len(args), err)
	}
}

// TestCauseEnds: what compiled code has met is told as long as the interpreter runs the part that
// was compiled, parts inside of it included that succeed, and no longer.
func TestCauseEnds(t *testing.T) {
	// No part of wait is compiled.
	const wait = "data Steps = None | Step Real Steps\nlet rec wait (n : Int) (s : Steps) : Steps =\n" +
		"  if n == 0 then s else wait (n - 1) (Step (last s + 1) None)\n" +
		"and last (s : Steps) : Real = match s with | Step x _ -> x | None -> 0\n"
	for _, c := range []struct {
		text  string
		fails int  // how many of the first parts that are compiled give up
		told  bool // whether the cause is told if the run ends in the middle
	}{
		{"sum [sin (real i) for i < 50]\n", 9, true},
		{"sum [sum [sin (real (i * j)) for j < 40] for i < 90]\n", 1, true},
		{"grad (fun v => sum [sum [sin (x * real j) for j < 40] for x in v]) [real i for i < 90]\n",
			1, true},
		{wait + "last (wait 500 (Step (sum [sin (real i) for i < 50]) None))\n", 9, false},
		{wait + "let f (n : Int) : Real = sum [sin (real i) for i < n]\n" +
			"f 50 + last (wait 500 (Step (f 60) None))\n", 9, false},
		{wait + "loop s = sum [sin (real i) for i < 50] for i < 3 do last (wait 500 (Step s None))\n",
			9, false},
	} {
		var list diag.List
		unit := NewWorld(nil).LoadText("test", c.text, nil, &list)
		if list.Failed() {
			t.Fatal(list.Sorted()[0])
		}
		settings := Settings{Engine: BestEngine(), Compile: interp.Options{Eager: true}}
		inner, made := settings.Options().Engine, 0
		settings.Compile.Engine = func(p *loop.Program) (loop.Code, error) {
			code, err := inner(p)
			if made++; made <= c.fails {
				return givesUp{code, loop.ErrMemory}, err
			}
			return code, err
		}
		run := func(at int) (steps int, d *diag.Diagnostic) {
			settings.Limits = interp.Limits{Reached: func(limit diag.Code) bool {
				if limit == diag.TimeLimit {
					steps++
				}
				return limit == diag.TimeLimit && steps >= at
			}}
			made = 0
			_, d = Run(context.Background(), unit, settings)
			return steps, d
		}
		steps, d := run(math.MaxInt)
		if d != nil {
			t.Fatal(c.text, d)
		}
		want := diag.TimeLimit
		if c.told {
			want = diag.MemoryLimit
		}
		if _, d = run(steps / 2); d == nil || d.Code != want {
			t.Errorf("%s: stopped at step %d of %d: %v, not %s", c.text, steps/2, steps, d, want)
		}
	}
}
