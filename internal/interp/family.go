package interp

import (
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

// family applies a family (Note [Families] of package prim) to the integers and the
// reals of a list; the reals may be boxed.
func (m *Machine) family(eval prim.Family, args []operand, f *windowF, i *windowI) float64 {
	var ints []int64
	var xs []float64
	for _, a := range args {
		if a.kind == layout.I {
			ints = append(ints, i[a.reg])
		} else {
			xs = append(xs, f[a.reg])
		}
	}
	if m.tape == nil {
		return eval(ints, xs)
	}
	return m.tape.Family(eval, ints, xs)
}
