package jet

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/prim"
)

// Rule is a row of the table as a function of jets: its value and its partial
// derivatives.
type Rule struct {
	// Base is the row on jets without variables, unknown outside its domain.
	Base func(args []Jet) Jet
	// Partial is the derivative with respect to argument i, from the arguments
	// and the result.
	Partial func(i int, args []Jet, r Jet) (Jet, error)
	// NeedsResult tells whether some partial derivative mentions the result.
	NeedsResult bool
}

// Lift extends a row to jets. With ' for differentiation by the newest variable,
// r' = Σ partial_i(args, r) args_i', where the partial derivatives are needed
// to a degree less by one than the result: if they mention r the degrees are
// gained one by one.
func (a *Algebra) Lift(rule *Rule, args []Jet) (Jet, error) {
	for i, x := range args {
		if args[i] = a.live(x); x.kind() == unknown {
			return x, nil
		}
	}
	top := newest(args)
	if top == nil {
		return rule.Base(args), nil
	}
	tag, deg := top.tag, int(top.deg)
	lower := make([]Jet, len(args))
	a.cutAll(lower, args, tag, 0)
	r0, err := a.Lift(rule, lower)
	if err != nil || r0.kind() == unknown {
		return r0, err
	}
	r, d := r0, deg
	if rule.NeedsResult {
		d = 1
	}
	for ; d <= deg; d++ {
		a.cutAll(lower, args, tag, d-1)
		r = a.cut(r, tag, d-1)
		slope := a.Zero()
		for i, x := range args {
			if x.Newest() != tag {
				continue
			}
			partial, err := rule.Partial(i, lower, r)
			if err != nil {
				return r, err
			}
			slope = a.Add(slope, a.Mul(partial, a.derivative(a.cut(x, tag, d))))
		}
		r = a.integrate(tag, d, r0, slope)
	}
	return r, nil
}

// LiftAlong extends a function of several reals with several results to jets, given its value on
// jets without variables and its tangent along others. With ' as above, r' = tangent(args, args').
func (a *Algebra) LiftAlong(
	args []Jet, value func(args []Jet) ([]Jet, error),
	tangent func(args, along []Jet) ([]Jet, error),
) ([]Jet, error) {
	args = slices.Clone(args)
	for i, x := range args {
		args[i] = a.live(x)
	}
	top := newest(args)
	if top == nil {
		return value(args)
	}
	tag, deg := top.tag, int(top.deg)
	lower, along := make([]Jet, len(args)), make([]Jet, len(args))
	a.cutAll(lower, args, tag, 0)
	r, err := a.LiftAlong(lower, value, tangent)
	if err != nil {
		return r, err
	}
	a.cutAll(lower, args, tag, deg-1)
	for i, x := range args {
		if along[i] = a.Zero(); x.Newest() == tag {
			along[i] = a.derivative(x)
		}
	}
	slopes, err := tangent(lower, along)
	if err != nil {
		return r, err
	}
	for i := range r {
		r[i] = a.integrate(tag, deg, r[i], slopes[i])
	}
	return r, nil
}

// cutAll cuts each of the args.
func (a *Algebra) cutAll(into, args []Jet, tag Tag, deg int) {
	for i, x := range args {
		into[i] = a.cut(x, tag, deg)
	}
}

// Unary is a row of one real that has a recurrence of its own, or nil.
func (a *Algebra) Unary(row prim.ID) func(Jet) Jet {
	switch row {
	case prim.Neg:
		return a.Neg
	case prim.Sqrt:
		return a.Sqrt
	case prim.Cbrt:
		return a.Cbrt
	case prim.Exp:
		return a.Exp
	case prim.Exp2:
		return a.Exp2
	case prim.Log:
		return a.Log
	case prim.Sin:
		return a.Sin
	case prim.Cos:
		return a.Cos
	case prim.Tan:
		return a.Tan
	case prim.Sinh:
		return a.Sinh
	case prim.Cosh:
		return a.Cosh
	case prim.Tanh:
		return a.Tanh
	case prim.Sigmoid:
		return a.Sigmoid
	}
	return nil
}

// Binary is a row of arithmetic on two reals, or nil.
func (a *Algebra) Binary(row prim.ID) func(x, y Jet) Jet {
	switch row {
	case prim.Add:
		return a.Add
	case prim.Sub:
		return a.Sub
	case prim.Mul:
		return a.Mul
	case prim.Quo:
		return a.Quo
	}
	return nil
}
