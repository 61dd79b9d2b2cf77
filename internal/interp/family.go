package interp

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/prim"
)

// family applies a family (Note [Families] of package prim) to the integers and the
// reals of a list; the reals may be boxed.
func (m *Machine) family(eval prim.Family, args []operand, f *windowF, i *windowI) float64 {
	var ints []int64
	var xs []float64
	for _, a := range args {
		if a.kind == kI {
			ints = append(ints, i[a.reg])
		} else {
			xs = append(xs, f[a.reg])
		}
	}
	if m.tape == nil {
		return eval(ints, xs)
	}
	return m.tape.family(eval, ints, xs)
}

func (t *tape) family(eval prim.Family, ints []int64, xs []float64) float64 {
	v := eval(ints, t.plain(xs))
	if !anyBox(xs) {
		return v
	}
	return t.addCustom(v, &familyNode{eval, ints, xs})
}

// familyNode is the application of a family on the tape. Its partial derivatives are the
// family at orders raised by one.
type familyNode struct {
	eval prim.Family
	ints []int64
	xs   []float64
}

func (c *familyNode) parents(visit func(x float64)) {
	for _, x := range c.xs {
		visit(x)
	}
}

// partial is the derivative by the k-th real, recorded if the sweep is.
func (c *familyNode) partial(s *sweep, k int) float64 {
	ints := slices.Clone(c.ints)
	ints[k]++
	if s.record {
		return s.t.family(c.eval, ints, c.xs)
	}
	return c.eval(ints, s.t.plain(c.xs))
}

func (c *familyNode) pull(s *sweep, _ handle, w float64) {
	for k, x := range c.xs {
		if isBox(x) {
			s.to(x, s.product(w, c.partial(s, k)))
		}
	}
}

func (c *familyNode) push(s *sweep, _ handle) float64 {
	sum := absent
	for k, x := range c.xs {
		if dx := s.get(x); !isAbsent(dx) {
			term := s.product(dx, c.partial(s, k))
			if isAbsent(sum) {
				sum = term
			} else {
				sum = s.sum(sum, term)
			}
		}
	}
	return sum
}
