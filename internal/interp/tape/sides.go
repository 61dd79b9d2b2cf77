package tape

import (
	"math"
	"math/bits"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

// Sides are the comparisons that a function makes of what depends on its argument, and how they are
// decided: prim.Sided. The argument are the variables of the newest derivative. Kinks and roundings
// are comparisons too:
//
//   - max, min, abs and sign compare their operands, or theirs with 0;
//   - a rounding has two entries. The first is a number that names the cell, from one jump to the
//     next, twice: its difference and its sign are n + 1/2 for the integer n, whose product is
//     positive. The second is a difference that is positive in the cell and 0 at both of its ends.
type Sides struct {
	Depth  int       // of that derivative
	Outer  Levels    // the derivatives around it that are live
	Given  []float64 // the signs of the first differences; those that follow have their own
	Differ []float64 // the differences
	Taken  []float64 // their signs, as comparisons were decided
	tied   bool      // a kink was met where its difference is 0
}

// sided are the sides of what runs, if a comparison of what depends on some derivatives is one of
// them; or nil.
func (t *Tape) sided(mask Levels) *Sides {
	if s := t.Sides; s != nil && s.Depth == t.Depth && mask&Level(s.Depth) != 0 {
		return s
	}
	return nil
}

// moves tells whether what depends on some derivatives is differentiated by those around.
func (s *Sides) moves(t *Tape, mask Levels) bool { return mask&s.Outer != 0 && !t.ieee }

// given is the sign of the next difference; it is own if none is given.
func (s *Sides) given(own float64) (side float64, ok bool) {
	if n := len(s.Taken); n < len(s.Given) {
		return s.Given[n], true
	}
	return own, false
}

func (s *Sides) add(difference, side float64) {
	s.Differ, s.Taken = append(s.Differ, difference), append(s.Taken, side)
}

// less decides whether x is less than y; it is by their values if is.
func (s *Sides) less(t *Tape, x, y float64, is bool, tie func(v float64) *diag.Diagnostic) bool {
	side := 1.0
	if is {
		side = -1
	}
	side, ok := s.given(side)
	if v := t.Value(x); !ok && v == t.Value(y) && s.moves(t, t.Mask(x)|t.Mask(y)) {
		if d := tie(v); d != nil {
			t.Fail(d)
		}
	}
	s.add(t.Apply2(t.Minus, x, y), side)
	return side < 0
}

// kink evaluates a row with a kink on the side that is taken. At a tie, first derivatives of a
// solution are the same on both sides if it passes the kink, and those of one side if it stays
// there. Those of several kinks may belong to different sides.
func (s *Sides) kink(t *Tape, r *Row, x, y, vx, vy float64) (v float64, done bool) {
	tie := func(v float64) *diag.Diagnostic {
		if !s.tied && bits.OnesCount16(uint16(s.Outer)) < 2 {
			s.tied = true
			return nil
		}
		return diag.Errorf(diag.TiedKink, diag.Span{},
			"`%s` has a kink at %v, where a solution begins that is differentiated",
			r.prim.Name, v).
			WithHint("move the point off the kink, or use a smooth function such as " +
				"`softplus` or `logaddexp`")
	}
	switch r.kink {
	case prim.MaxKink, prim.MinKink:
		if s.less(t, x, y, vx < vy, tie) == (r.kink == prim.MinKink) {
			return x, true
		}
		return y, true
	case prim.AbsKink:
		if s.less(t, x, 0, vx < 0, tie) {
			return t.Apply(t.Negated, x, 0, 0), true
		}
		return x, true
	case prim.JumpKink: // sign
		tie = func(v float64) *diag.Diagnostic { return jumpTie(r.prim.Name, v) }
		if s.less(t, x, 0, vx < 0, tie) {
			return -1, true
		}
		return 1, true
	}
	return 0, false
}

// rounded is a number that is rounded as x is in the cell that is taken.
func (s *Sides) rounded(t *Tape, row *prim.Prim, x float64) float64 {
	v := t.Value(x)
	n, code := row.Float.(prim.ToInt)(v)
	if code != "" || math.Abs(v) > 1<<50 {
		return v
	}
	ends := func() (low, high float64) {
		return float64(n) - row.Early(n), float64(n+1) - row.Early(n+1)
	}
	if named, ok := s.given(0); ok {
		n = int64(math.Floor(named))
	} else if row.JumpsAt(v) && s.moves(t, t.Mask(x)) {
		t.Fail(jumpTie(row.Name, v))
	}
	if at := len(s.Taken) + 1; at < len(s.Given) && s.Given[at] < 0 { // x has left the cell
		if low, high := ends(); v > (low+high)/2 {
			n++
		} else {
			n--
		}
	}
	low, high := ends()
	s.add(float64(n)+0.5, float64(n)+0.5)
	s.add(t.Apply2(t.Product, t.Apply2(t.Minus, x, low), t.Apply2(t.Minus, high, x)), 1)
	return (low + high) / 2
}
