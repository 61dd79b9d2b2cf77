package diff

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// scaled is a real adjoint multiplied by a partial derivative of the table at arguments and a
// result.
func (e *emitter) scaled(a *adjoint, rule *core.Lambda, args []core.Atom) *adjoint {
	return e.scaledBy(a, rule, rule.Body, e.arguments(rule, args))
}

// scaledBy multiplies by a block that ends the rule: by each side of the Ifs that end it, so that a
// side that is 0 leaves a structural zero.
func (e *emitter) scaledBy(
	a *adjoint, rule *core.Lambda, by *core.Block, subst map[*core.Var]core.Atom,
) *adjoint {
	c := core.NewCopier(subst)
	n := len(by.Stmts)
	if n > 0 {
		last, _ := by.Stmts[n-1].(*core.Let)
		if choice, ok := last.Op.(*core.If); ok && by.Result == core.Atom(last.Var) {
			e.copyStmts(by.Stmts[:n-1], c)
			switch cond := c.Atom(choice.Cond).(type) {
			case *core.Lit:
				if cond.Bool {
					return e.scaledBy(a, rule, choice.Then, c.Subst)
				}
				return e.scaledBy(a, rule, choice.Else, c.Subst)
			default:
				then, otherwise := e.nested(), e.nested()
				t, f := then.scaledBy(a, rule, choice.Then, c.Subst), otherwise.scaledBy(a, rule, choice.Else, c.Subst)
				if then.dear() || otherwise.dear() {
					// Back ends that compute both sides do so only if they are cheap;
					// what rules compute cannot fail.
					e.Splice(then.Block(core.UnitLit()))
					e.Splice(otherwise.Block(core.UnitLit()))
				}
				return e.chooseReal(cond, then, otherwise, t, f)
			}
		}
	}
	if isReal(by.Result, 0) {
		return nil // by the rule; the 0 of x * 0 is a slope like others
	}
	if rest, over, by, negative, ok := Quotient(rule, by); ok {
		e.copyStmts(rest, c)
		return e.multiplied(a, func(e *emitter, x core.Atom) core.Atom {
			x = e.mul(e.row(prim.Quo, atReal, x, c.Atom(over)), c.Atom(by))
			if negative {
				x = e.neg(x)
			}
			return x
		})
	}
	e.copyStmts(by.Stmts, c)
	slope := c.Atom(by.Result)
	switch {
	case isReal(slope, 1):
		return a
	case isLit(slope):
		return &adjoint{leaf: e.mul(a.leaf, slope), guard: a.guard}
	}
	return e.multiplied(a, func(e *emitter, x core.Atom) core.Atom { return e.mul(x, slope) })
}

// dearCost is the least cost of a block that is not computed in vain: about a call of a function.
const dearCost = 10

// dear tells whether the block so far has a primitive that is not cheap.
func (e *emitter) dear() bool {
	stmts := e.Block(core.UnitLit()).Stmts
	e.Add(stmts...)
	return costOf(stmts) >= dearCost
}

// multiplied is a real adjoint times a slope.
func (e *emitter) multiplied(a *adjoint, times func(*emitter, core.Atom) core.Atom) *adjoint {
	if a.guard == nil {
		return &adjoint{leaf: times(e, a.leaf)}
	}
	then := e.nested()
	product := times(then, a.leaf)
	return &adjoint{leaf: e.choose(a.guard, then, e.nested(), product, realLit(0)), guard: a.guard}
}

// chooseReal is one of two real adjoints, of which the blocks give the values.
func (e *emitter) chooseReal(cond core.Atom, then, otherwise *emitter, t, f *adjoint) *adjoint {
	if same(t, f) {
		return t
	}
	value := func(a *adjoint) core.Atom {
		if a == nil {
			return realLit(0)
		}
		return a.leaf
	}
	guard := func(a *adjoint) core.Atom {
		switch {
		case a == nil:
			return core.BoolLit(false)
		case a.guard == nil:
			return core.BoolLit(true)
		}
		return a.guard
	}
	// The guard is an If of its own: often nothing needs it.
	gt, gf := guard(t), guard(f)
	present := e.choose(cond, then.copied(&gt), otherwise.copied(&gf), gt, gf)
	chosen := &adjoint{leaf: e.choose(cond, then, otherwise, value(t), value(f)), guard: present}
	if l, ok := present.(*core.Lit); ok && l.Bool {
		chosen.guard = nil
	}
	return chosen
}

// copied is a copy of a block being built, with fresh variables; result is
// what an atom of it is in the copy.
func (e *emitter) copied(result *core.Atom) *emitter {
	stmts := e.Block(core.UnitLit()).Stmts
	e.Add(stmts...)
	other := e.nested()
	c := core.NewCopier(nil)
	for _, s := range stmts {
		let := s.(*core.Let)
		op := c.Op(let.Op)
		other.bind(c.Bind(let.Var), op)
	}
	*result = c.Atom(*result)
	return other
}

// choose is `if cond then t else f`, where the blocks make t and f.
func (e *emitter) choose(cond core.Atom, then, otherwise *emitter, t, f core.Atom) core.Atom {
	if l, ok := cond.(*core.Lit); ok {
		if l.Bool {
			return e.Splice(then.Block(t))
		}
		return e.Splice(otherwise.Block(f))
	}
	if sameAtom(t, f) {
		return t
	}
	if x, ok := t.(*core.Lit); ok && x.Ty == types.Type(types.Bool) {
		if y, ok := f.(*core.Lit); ok { // they differ
			if x.Bool && !y.Bool {
				return cond
			}
			return e.row(prim.Not, nil, cond)
		}
	}
	return e.let("t", &core.If{Cond: cond, Then: then.Block(t), Else: otherwise.Block(f)})
}

func (e *emitter) either(a, b core.Atom) core.Atom {
	if sameAtom(a, b) {
		return a
	}
	return e.choose(a, e.nested(), e.nested(), core.BoolLit(true), b)
}
