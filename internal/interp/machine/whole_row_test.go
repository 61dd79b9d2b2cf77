package machine

import (
	"context"
	"testing"
	"time"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/linalg"
)

// TestLongWholes: an operation over arrays that has not ended does not keep a run from ending, and
// has memory only as long as the run does. What it gives, and its panics, are those of the run.
func TestLongWholes(t *testing.T) {
	long := []linalg.Array{linalg.Vector(make([]float64, longWhole))}
	run := func(ctx context.Context, lim Limits, eval func(linalg.Room) *diag.Diagnostic) *diag.Diagnostic {
		m := new(Machine)
		m.startBudget(ctx, lim)
		_, d := m.wholeOf(func(room linalg.Room, args []linalg.Array) (linalg.Array, *diag.Diagnostic) {
			return args[0], eval(room)
		}, long)
		return d
	}
	for _, c := range []struct {
		limits Limits
		want   diag.Code
	}{{Limits{}, diag.Interrupted}, {Limits{Timeout: time.Millisecond}, diag.TimeLimit}} {
		ctx, cancel := context.WithCancel(context.Background())
		begun, ended, later := make(chan struct{}), make(chan struct{}), make(chan *diag.Diagnostic, 1)
		go func() {
			<-begun
			if c.limits.Timeout == 0 {
				cancel()
			}
		}()
		d := run(ctx, c.limits, func(room linalg.Room) *diag.Diagnostic {
			close(begun)
			<-ended
			later <- room(1)
			return nil
		})
		if d == nil || d.Code != c.want {
			t.Errorf("a run that must end gives %v", d)
		}
		close(ended)
		if <-later == nil {
			t.Error("an operation whose run has ended takes memory")
		}
		cancel()
	}
	var granted, refused *diag.Diagnostic
	d := run(context.Background(), Limits{Memory: 1 << 20}, func(room linalg.Room) *diag.Diagnostic {
		granted, refused = room(100), room(1<<20)
		return refused
	})
	if granted != nil || refused == nil || d != refused || d.Code != diag.MemoryLimit {
		t.Errorf("memory is answered with %v and %v, the operation with %v", granted, refused, d)
	}
	defer func() {
		if r := recover(); r != "thrown" {
			t.Errorf("recovered %v", r)
		}
	}()
	run(context.Background(), Limits{}, func(linalg.Room) *diag.Diagnostic { panic("thrown") })
}
