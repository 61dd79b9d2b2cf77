package machine

import (
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

// family applies a family (Note [Families] of package prim) to the integers and the
// reals of a list; the reals may be boxed.
func (m *Machine) family(eval prim.Family, args []Register, f *windowF, i *windowI) float64 {
	var ints []int64
	var xs []float64
	for _, a := range args {
		if a.Kind == layout.I {
			ints = append(ints, i[a.Reg])
		} else {
			xs = append(xs, f[a.Reg])
		}
	}
	if m.tape == nil {
		return eval(ints, xs)
	}
	return m.tape.Family(eval, ints, xs)
}
