package tape

import (
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

// Sides are the comparisons that a function makes of what depends on its argument, and how they are
// decided: prim.Sided. The argument are the variables of the newest derivative.
type Sides struct {
	Depth  int       // of that derivative
	Outer  Levels    // the derivatives around it that are live
	Given  []float64 // the signs of the first differences; those that follow have their own
	Differ []float64 // the differences
	Taken  []float64 // their signs, as comparisons were decided
}

// follows tells whether a comparison of what depends on some derivatives is one of them.
func (s *Sides) follows(t *Tape, mask Levels) bool {
	return s.Depth == t.Depth && mask&Level(s.Depth) != 0
}

// less decides whether x is less than y; it is by their values if is.
func (s *Sides) less(t *Tape, x, y float64, is bool) bool {
	side := 1.0
	if is {
		side = -1
	}
	moves := (t.Mask(x)|t.Mask(y))&s.Outer != 0 && !t.ieee
	switch {
	case moves && len(s.Given) == 0 && t.Value(x) == t.Value(y):
		t.Fail(comparisonTie(t.Value(x)))
	case len(s.Given) > 0 && s.Given[0] == 0:
		if moves {
			t.Fail(diag.Errorf(diag.TiedComparison, diag.Span{},
				"this comparison moves in a trajectory that is differentiated, which does not follow it").
				WithHint("`ode.solve`, `ode.samples` and `ode.stiff` follow the comparisons of a right-hand side"))
		}
		return is
	}
	if n := len(s.Taken); n < len(s.Given) {
		side = s.Given[n]
	}
	s.Differ = append(s.Differ, t.Apply2(t.Minus, x, y))
	s.Taken = append(s.Taken, side)
	return side < 0
}

// rounds reports a rounding of what depends on a state that is differentiated, whose jumps are not
// followed.
func (t *Tape) rounds(row *prim.Prim, mask Levels) {
	if s := t.Sides; s != nil && s.follows(t, mask) && mask&s.Outer != 0 {
		t.Fail(diag.Errorf(diag.TiedJump, diag.Span{}, "`%s` in the right-hand side of a differential equation jumps, and its jumps "+
			"are not followed where the solution is differentiated", row.Name).
			WithHint("write `if` with a comparison for each jump, which is followed"))
	}
}
