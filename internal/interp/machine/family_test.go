package machine

import (
	"context"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

// TestFamilyInterrupted: a run ends while it evaluates a derivative of a family, and before it
// evaluates the next value.
func TestFamilyInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	m := &Machine{}
	m.startBudget(ctx, Limits{})
	release := make(chan struct{})
	defer close(release)
	endless := func([]int64, []float64) float64 {
		cancel()
		<-release
		return 1
	}
	if _, d := m.familyAt(endless, []int64{1}, []float64{0.5}); d == nil || d.Code != diag.Interrupted {
		t.Errorf("a derivative that does not end gives %v", d)
	}
	called := false
	value := func([]int64, []float64) float64 {
		called = true
		return 1
	}
	if _, d := m.familyAt(value, []int64{0}, []float64{0.5}); d == nil || called {
		t.Errorf("a value after the end of the run gives %v; evaluated: %v", d, called)
	}
	m.startBudget(context.Background(), Limits{})
	for _, order := range []int64{0, 1} {
		if y, d := m.familyAt(value, []int64{order}, []float64{0.5}); y != 1 || d != nil {
			t.Errorf("a value of order %d is %g, %v", order, y, d)
		}
	}
}
