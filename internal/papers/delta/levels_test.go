package delta_test

import (
	"context"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/lab"
	"github.com/fluxion-lang/fluxion/internal/lab/paperstest"
	"github.com/fluxion-lang/fluxion/internal/papers"
	"github.com/fluxion-lang/fluxion/internal/papers/delta"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// TestInner: the translations cover programs that take derivatives, by
// expansion, and agree with one another and with the interpreter's own.
func TestInner(t *testing.T) {
	for i, test := range paperstest.Inner {
		t.Run(test.Name, func(t *testing.T) {
			p := problem(t, test.Source, test.Fn, test.At)
			if p.MaxOps = 1_000_000; i > 3 {
				p.Evaluate = plainly // verified at the first ones
			}
			y, _, d := delta.At(p, p.Program, p.Fun)
			if d != nil {
				t.Fatal(d)
			}
			want := ownGradient(t, p)
			for _, s := range delta.Strategies() {
				if i%3 > 0 && strings.HasPrefix(s.Name, "reverse") {
					continue // what matters is the same in all
				}
				answer, d := s.Run(context.Background(), p)
				if d != nil {
					if s.Name != "reverse2" || d.Code != diag.StrategyBudget {
						t.Errorf("%s: %s", s.Name, d.Message)
					}
					continue // by its nature
				}
				if !near(value.RealsOf(answer.Value), value.RealsOf(y), 1e-12) {
					t.Errorf("%s: the value is %s, want %s", s.Name, value.Show(answer.Value), value.Show(y))
				}
				if !near(value.RealsOf(answer.Gradient), want, 1e-11) {
					t.Errorf("%s: the gradient is %s, want %v", s.Name, value.Show(answer.Gradient), want)
				}
			}
		})
	}
}

// ownGradient returns the gradient by the language's own vjp.
func ownGradient(t *testing.T, p *papers.Problem) []float64 {
	t.Helper()
	for _, s := range lab.Strategies() {
		if s.Name == "compiled" {
			answer, d := s.Run(context.Background(), p)
			if d != nil {
				t.Fatal(d)
			}
			return value.RealsOf(answer.Gradient)
		}
	}
	panic("no such strategy")
}
