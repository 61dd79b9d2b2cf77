package driver

import (
	"context"
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
