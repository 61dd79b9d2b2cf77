package machine

import (
	"context"
	"testing"
	"time"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/linalg"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/task"
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
		limit time.Duration
		want  diag.Code
	}{{0, diag.Interrupted}, {time.Millisecond, diag.TimeLimit}} {
		timed, done := stop.Within(context.Background(), c.limit)
		ctx, cancel := context.WithCancel(timed)
		begun, ended, later := make(chan struct{}), make(chan struct{}), make(chan *diag.Diagnostic, 1)
		go func() {
			<-begun
			if c.limit == 0 {
				cancel()
			}
		}()
		d := run(ctx, Limits{}, func(room linalg.Room) *diag.Diagnostic {
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
		done()
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
		r := recover()
		if b, ok := r.(*task.Bug); !ok || b.Value != "thrown" {
			t.Errorf("recovered %v", r)
		}
	}()
	run(context.Background(), Limits{}, func(linalg.Room) *diag.Diagnostic { panic("thrown") })
}
