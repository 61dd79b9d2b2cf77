package driver

import (
	"context"
	"errors"
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
