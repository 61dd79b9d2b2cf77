package diff

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// chain is the derivative of a loop whose turns depend on its state. With s_i
// the state before turn i,
//
//	c_n = last,  g_i = c_(i+1) + each_i,  c_i = the pullback of turn i, for its state, at g_i
//
// where each, unless it is nil, has the cotangents of the states after each
// turn. What turn i contributes to everything else depends on s_i and c_(i+1)
// as well.
type chain struct {
	*turns
	n      core.Atom // the number of turns
	states core.Atom // before each turn, and the last one
	last   core.Atom
	c      *core.Var // in the body: the cotangent that arrives from later turns
	before core.Atom // in the body: the cotangent of the state
}

// chained handles a loop with any state. The body is reversed once. Then the
// cotangents of the states are computed by themselves, from the last to the
// first, and what the turns contribute to the rest in loops of independent
// turns; unless both need much that is the same, as they do if there is a loop
// in the body. Then one loop computes all.
func (r *reverser) chained(l *fold, last, each core.Atom) {
	e := r.e
	n := l.bound
	if n == nil {
		n = e.length(l.arrays[0])
	}
	ch := &chain{n: n, states: e.states(l, n), last: last, c: core.NewVar("c", unsized(l.state.Ty))}
	index := l.index
	if index == nil {
		index = core.NewVar("i", types.Int)
	}
	elements := e.nested()
	for k, p := range l.params {
		elements.bind(p, &core.Index{Of: l.arrays[k], At: index})
	}
	stmts := append(elements.Block(core.UnitLit()).Stmts, l.body.Stmts...)
	body := &core.Block{Stmts: stmts, Result: l.body.Result}
	turn := &fold{state: l.state, index: index, bound: n, body: body}
	ch.turns = r.newTurns(turn, func(t *turns) *adjoint {
		return whole(t.r.e.arriving(ch.c, each, t.index))
	})
	ch.before = ch.r.e.value(ch.r.take(ch.state), ch.state)
	ch.collect(ch.before)

	outputs, emit := ch.plan()
	apart := costOf(live(ch.stmts, ch.before)) + outputs
	all := append(atomsOf(ch.columns, ch.totals), ch.before)
	together := costOf(live(ch.stmts, all...)) + 2*len(ch.columns) + len(ch.totals)
	var first core.Atom
	if apart <= together {
		first = ch.emitApart(emit)
	} else {
		first = ch.emitTogether()
	}
	for _, f := range ch.after {
		f()
	}
	r.contribute(l.init, whole(first))
}

// backwards is the number of a turn, counted from the last.
func (ch *chain) backwards(e *emitter, i core.Atom) core.Atom {
	return e.subInt(e.subInt(ch.n, core.IntLit(1)), i)
}

// at binds the state before the turn, and the cotangent that arrives there.
func (ch *chain) at(arrives func(e *emitter, c *core.Copier) core.Atom) {
	ch.given = func(e *emitter, c *core.Copier) {
		c.Subst[ch.state] = e.index(ch.states, c.Atom(ch.index))
		c.Subst[ch.c] = arrives(e, c)
	}
}

// emitApart computes the cotangents of the states and then the outputs. It
// gives the cotangent of the first state.
func (ch *chain) emitApart(outputs func()) core.Atom {
	acc := core.NewVar("c", ch.c.Ty)
	ch.at(func(*emitter, *core.Copier) core.Atom { return acc })
	e := ch.outer.e
	order, elem, body := ch.back([]core.Atom{ch.before}, (*emitter).tuple)
	scan := &core.Scan{Acc: acc, Elem: elem, Init: ch.last, Array: order, Body: body}
	later := e.prepended(ch.last, e.let("cs", scan), acc.Ty)
	ch.at(func(e *emitter, c *core.Copier) core.Atom {
		return e.index(later, ch.backwards(e, c.Atom(ch.index)))
	})
	outputs()
	return e.index(later, ch.n)
}

// emitTogether computes them in one loop: its state has the cotangent of the
// loop's state, the outputs of the turn, and the sums of the totals so far.
func (ch *chain) emitTogether() core.Atom {
	e := ch.outer.e
	init := []core.Atom{ch.last}
	for _, o := range ch.columns {
		init = append(init, e.anyOf(o.atom.Type()))
	}
	for _, o := range ch.totals {
		init = append(init, o.start)
	}
	start := e.tuple(init)
	acc := core.NewVar("acc", start.Type())
	part := func(e *emitter, of core.Atom, k int) core.Atom {
		if len(init) == 1 {
			return of
		}
		return e.component(of, k)
	}
	ch.at(func(e *emitter, _ *core.Copier) core.Atom { return part(e, acc, 0) })
	atoms := slices.Concat([]core.Atom{ch.before}, atomsOf(ch.columns, ch.totals))
	order, elem, body := ch.back(atoms, func(e *emitter, xs []core.Atom) core.Atom {
		for k := 1 + len(ch.columns); k < len(xs); k++ {
			xs[k] = e.addValues(part(e, acc, k), xs[k])
		}
		return e.tuple(xs)
	})
	var end core.Atom
	if len(ch.columns) == 0 {
		head := &core.Each{Elem: elem, Array: order}
		end = e.let("c", &core.Loop{State: acc, Init: start, Head: head, Body: body})
	} else {
		later := e.let("cs", &core.Scan{Acc: acc, Elem: elem, Init: start, Array: order, Body: body})
		rows := e.prepended(start, later, acc.Ty)
		for k, o := range ch.columns {
			column := e.build(ch.n, func(e *emitter, i core.Atom) core.Atom {
				return part(e, e.index(rows, e.subInt(ch.n, i)), 1+k)
			})
			e.rename(column.(*core.Var), o.v)
		}
		end = e.index(rows, ch.n)
	}
	for k, o := range ch.totals {
		e.bind(o.v, &core.Proj{Of: end, Index: 1 + len(ch.columns) + k})
	}
	return part(e, end, 0)
}

// back is a loop through the turns from the last to the first, whose next
// state is made of the given atoms of the body: what it runs over, and its
// body.
func (ch *chain) back(
	atoms []core.Atom, next func(e *emitter, xs []core.Atom) core.Atom,
) (order core.Atom, elem *core.Var, body *core.Block) {
	c, body := ch.body(atoms, func(e *emitter, c *core.Copier) core.Atom {
		xs := make([]core.Atom, len(atoms))
		for k, a := range atoms {
			xs[k] = c.Atom(a)
		}
		return next(e, xs)
	})
	return ch.outer.e.build(ch.n, ch.backwards), c.Subst[ch.index].(*core.Var), body
}

// prepended is an array with one more element in front.
func (e *emitter) prepended(first, rest core.Atom, elem types.Type) core.Atom {
	one := e.let("first", &core.Array{Elem: elem, Elems: []core.Atom{first}})
	return e.row(prim.Append, []types.Type{elem}, one, rest)
}

// anyOf is some value of a type, which nothing reads.
func (e *emitter) anyOf(t types.Type) core.Atom {
	if a, ok := types.Resolve(t).(*types.Array); ok {
		return e.let("none", &core.Array{Elem: a.Elem})
	}
	ts := types.Parts(t)
	if ts == nil {
		return e.zero(core.NewVar("unused", t))
	}
	parts := make([]core.Atom, len(ts))
	for i, part := range ts {
		parts[i] = e.anyOf(part)
	}
	return e.assemble(t, parts)
}

// arriving is the cotangent of the state after turn i.
func (e *emitter) arriving(c, each, i core.Atom) core.Atom {
	if each == nil {
		return c
	}
	return e.addValues(c, e.index(each, i))
}

// states is the array of the states before each turn, and the last one.
func (e *emitter) states(l *fold, n core.Atom) core.Atom {
	c := core.NewCopier(nil)
	scan := &core.Scan{Acc: c.Bind(l.state), Init: l.init}
	if l.index != nil {
		scan.Elem, scan.Array = c.Bind(l.index), e.iota(n)
	} else {
		scan.Elem, scan.Array = c.Bind(l.params[0]), l.arrays[0]
	}
	scan.Body = c.Block(l.body)
	return e.prepended(l.init, e.let("states", scan), l.state.Ty)
}
