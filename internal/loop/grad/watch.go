package grad

import (
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Watched errors]
//
// A program that approximates, as a solver of differential equations does, chooses its steps by
// errors that it estimates. The derivative of its formula is right only if the derivatives of these
// errors are small too: at an equilibrium all values are exact, whatever the step is. So a program
// says what its errors are by the operation Deviation, and Watch makes the function that looks at
// their tangents besides:
//
//	d = deviation e a w  becomes  d = max (deviation e a w) (deviation de a dw)
//
// where de and dw are tangents along a direction of the parameters, which is given and generic.
// The derivatives of this function, in whatever mode, are those of f with the steps that suit both.
// Both operations remain, so that a derivative around this one makes four of them, and errors are
// watched to every order that is taken. A tangent that is not finite says nothing here: the
// derivative is not finite then, which is found elsewhere.

// Watch is f, a function of p, with its errors watched along a direction of the parameters that are
// wanted. It has the parameters of f and the direction, and the results of f. If f calls functions,
// the watched ones are added to p.
func Watch(p *loop.Program, f *loop.Func, wanted []bool, rules Rules) (out *loop.Func, err error) {
	if err := wantable(f, wanted); err != nil {
		return nil, err
	}
	defer caught(f, &err)
	d := newDerivatives(p, rules)
	d.watch, d.watches = true, map[*loop.Func]bool{}
	out = d.forward(f, wanted, nil, make([]bool, len(wanted)))
	out.Name = f.Name + ".watched"
	out.Body.Yield = out.Body.Yield[:len(f.Body.Yield)]
	return out, nil
}

// Watches tells whether f, or a function that it calls, has errors to be watched.
func Watches(f *loop.Func) bool {
	if loop.Any(f.Body, isDeviation) {
		return true
	}
	for g := range reachedFrom(f) {
		if g.Body != nil && loop.Any(g.Body, isDeviation) {
			return true
		}
	}
	return false
}

func isDeviation(s loop.Stmt) bool {
	let, ok := s.(*loop.Let)
	return ok && let.Op == loop.Deviation
}

// watchesIn tells whether a statement watches an error, or calls a function that does.
func (d *derivatives) watchesIn(s loop.Stmt) bool {
	c, ok := s.(*loop.Call)
	if !ok || c.Func.Rule != nil || c.Func.Body == nil {
		return isDeviation(s)
	}
	is, known := d.watches[c.Func]
	if !known {
		is = Watches(c.Func)
		d.watches[c.Func] = is
	}
	return is
}

// watched emits an error that is watched, and tells whether the statement is one.
func (p *pusher) watched(s loop.Stmt) bool {
	if !p.d.watch || !isDeviation(s) {
		return false
	}
	let := s.(*loop.Let)
	p.primal(s)
	e, w := p.of(let.Args[0]), p.of(let.Args[2])
	if e == nil && w == nil {
		return true
	}
	own := p.env.Atom(let.Var)
	moved := p.b.Let("deviation", loop.Deviation, orZero(e), p.env.Atom(let.Args[1]), orZero(w))
	more := p.b.Let("more", loop.LtF, own, moved)
	p.env.Set(let.Var, p.b.Let("deviation", loop.SelF, more, moved, own))
	return true
}
