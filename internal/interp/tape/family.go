package tape

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/prim"
)

// Family applies a family to integers and reals that may be boxed.
func (t *Tape) Family(eval prim.Family, ints []int64, xs []float64) float64 {
	v := t.familyAt(eval, ints, xs)
	if !AnyBox(xs) {
		return v
	}
	return t.AddCustom(v, &familyNode{eval, ints, xs})
}

// familyAt is the value of a family at numbers that may be boxed. If the run is over, it is any
// number.
func (t *Tape) familyAt(eval prim.Family, ints []int64, xs []float64) float64 {
	v, d := t.Host.Family(eval, ints, t.Plain(xs))
	if d != nil {
		t.Fail(d)
	}
	return v
}

// familyNode is the application of a family on the tape. Its partial derivatives are the
// family at orders raised by one.
type familyNode struct {
	eval prim.Family
	ints []int64
	xs   []float64
}

func (c *familyNode) Parents(visit func(x float64)) {
	for _, x := range c.xs {
		visit(x)
	}
}

// partial is the derivative by the k-th real, recorded if the sweep is.
func (c *familyNode) partial(s *Sweep, k int) float64 {
	ints := slices.Clone(c.ints)
	ints[k]++
	if s.Record {
		return s.Tape.Family(c.eval, ints, c.xs)
	}
	return s.Tape.familyAt(c.eval, ints, c.xs)
}

func (c *familyNode) Pull(s *Sweep, _ Handle, w float64) {
	for k, x := range c.xs {
		if IsBox(x) {
			s.To(x, s.Product(w, c.partial(s, k)))
		}
	}
}

func (c *familyNode) Push(s *Sweep, _ Handle) float64 {
	sum := Absent
	for k, x := range c.xs {
		if dx := s.Get(x); !IsAbsent(dx) {
			term := s.Product(dx, c.partial(s, k))
			if IsAbsent(sum) {
				sum = term
			} else {
				sum = s.Sum(sum, term)
			}
		}
	}
	return sum
}
