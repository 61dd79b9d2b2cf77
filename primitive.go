package fluxion

import (
	"github.com/fluxion-lang/fluxion/internal/bind"
)

// Primitive is a Go function of reals that programs may call by its name, with its derivatives. The
// functions must be pure, and safe for concurrent use. They may keep and change the slices that
// they are given. If one panics, the call of the program ends with an error. A program that calls
// a primitive is interpreted.
type Primitive struct {
	Name   string   // a Fluxion name that is not in use
	Params []string // the names of its arguments, one for each
	Doc    string

	Func func(x []float64) float64

	// Grad stores the partial derivatives at x in grad. Without it, differentiating the primitive
	// is an error.
	Grad func(grad, x []float64)

	// Higher is the partial derivative of the given order in each argument, for orders of two and
	// more together. Without it, second derivatives are an error.
	Higher func(orders []int, x []float64) float64

	// Interval is an interval that contains, for all points of a box, the partial derivative of the
	// given orders: the function itself if all are 0. Its precision should be that of the ends.
	// Without it, exact evaluation knows nothing of the function.
	Interval func(orders []int, x []Interval) Interval

	// Samples are points, at least one, at which the derivatives are compared with the function,
	// and enclosures with both. A primitive that does not pass is an error when the program is
	// loaded.
	Samples [][]float64
}

// Primitives lets a program call Go functions. It is an option of Parse, LoadFile and LoadFS.
func Primitives(primitives ...Primitive) Option {
	return func(s *settings) { s.primitives = append(s.primitives, primitives...) }
}

// inner returns the primitive as package bind has it.
func (p Primitive) inner() *bind.Primitive {
	out := &bind.Primitive{Name: p.Name, Params: p.Params, Doc: p.Doc, Func: p.Func, Grad: p.Grad,
		Higher: p.Higher, Samples: p.Samples}
	if p.Interval != nil {
		out.Enclose = func(orders []int, x []bind.Ends) bind.Ends {
			box := make([]Interval, len(x))
			for i, e := range x {
				box[i] = Interval(e)
			}
			return bind.Ends(p.Interval(orders, box))
		}
	}
	return out
}
