package fluxion

import (
	"github.com/fluxion-lang/fluxion/internal/bind"
)

// Primitive is a Go function of reals, with its derivatives, that programs may call by its name.
// Its functions must be pure and safe for concurrent use. They may keep and change the slices
// that they are given. If one panics, the call of the program ends with an error. A program that
// calls a primitive is interpreted.
type Primitive struct {
	Name   string   // a Fluxion name that nothing else has
	Params []string // the names of the arguments
	Doc    string

	Func func(x []float64) float64

	// Grad stores the partial derivatives at x in grad. Without it, differentiating the primitive
	// is an error.
	Grad func(grad, x []float64)

	// Higher returns the partial derivative of the given order in each argument. It is called for
	// orders whose sum is two or more. Without it, second derivatives are an error.
	Higher func(orders []int, x []float64) float64

	// Interval returns an interval that contains the partial derivative of the given orders at
	// every point of the box x. If all orders are 0, that is the function itself. The result
	// should have the precision of the ends of x. Without Interval, exact evaluation cannot use
	// the function.
	Interval func(orders []int, x []Interval) Interval

	// Samples are points, at least one, at which the primitive is tested when a program is
	// loaded: the derivatives are compared with differences of the function, and the enclosures
	// with both. A primitive that fails is an error.
	Samples [][]float64
}

// Primitives lets a program call Go functions. It is an option of Parse, LoadFile and LoadFS.
func Primitives(primitives ...Primitive) Option {
	return func(s *settings) { s.primitives = append(s.primitives, primitives...) }
}

// inner returns the primitive in the form that package bind takes.
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
