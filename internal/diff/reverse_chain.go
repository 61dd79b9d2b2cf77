package diff

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// chained handles a loop with any state: last is the cotangent of its final
// state, and each, unless it is nil, an array of cotangents of the states
// after each turn. With s_i the state before turn i,
//
//	c_n = last,  g_i = c_(i+1) + each_i,  c_i = the pullback of turn i, for its state, at g_i
//
// where only g and s differ from turn to turn: given them, what turn i
// contributes to everything else is independent of the other turns.
func (r *reverser) chained(l *fold, last, each core.Atom) {
	e := r.e
	n := l.bound
	if n == nil {
		n = e.length(l.arrays[0])
	}
	states := e.states(l, n)

	// The cotangents of the states, from the last to the first.
	order := e.build(n, func(e *emitter, k core.Atom) core.Atom { return e.subInt(e.subInt(n, core.IntLit(1)), k) })
	c, i := core.NewVar("c", unsized(l.state.Ty)), core.NewVar("i", types.Int)
	back := e.nested()
	state, body := back.turnAt(l, i, states)
	varied := &activity{has: map[*core.Var]bool{}}
	varied.mark(state)
	rev := newReverser(back, varied)
	rev.reverse(back.forward(body, varied), whole(back.arriving(c, each, i)))
	next := back.value(rev.take(state), state)
	later := e.let("cs", &core.Scan{Acc: c, Elem: i, Init: last, Array: order, Body: back.Block(next)})

	// c_n, c_(n-1), …, c_0
	cotangents := e.row("append", []types.Type{c.Ty}, e.let("c", &core.Array{Elem: c.Ty, Elems: []core.Atom{last}}), later)
	r.contribute(l.init, whole(e.index(cotangents, n)))

	// What the turns contribute to the rest, as if the states were given.
	index := core.NewVar("i", types.Int)
	turn := e.nested()
	_, body = turn.turnAt(l, index, states)
	k := turn.subInt(turn.subInt(n, core.IntLit(1)), index)
	g := turn.arriving(turn.index(cotangents, k), each, index)
	inner := &core.Block{Stmts: append(turn.Block(core.UnitLit()).Stmts, body.Stmts...), Result: body.Result}
	t := r.newTurns(&fold{index: index, bound: n, body: inner}, func(t *turns) *adjoint { return whole(t.copier.Atom(g)) })
	t.finish()
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
	after := e.let("states", scan)
	first := e.let("first", &core.Array{Elem: l.state.Ty, Elems: []core.Atom{l.init}})
	return e.row("append", []types.Type{l.state.Ty}, first, after)
}

// turnAt appends the state before turn i, and the elements that it takes, and
// gives a copy of the body for them.
func (e *emitter) turnAt(l *fold, i, states core.Atom) (*core.Var, *core.Block) {
	c := core.NewCopier(nil)
	state := c.Bind(l.state)
	e.bind(state, &core.Index{Of: states, At: i})
	for k, p := range l.params {
		e.bind(c.Bind(p), &core.Index{Of: l.arrays[k], At: i})
	}
	if l.index != nil {
		c.Subst[l.index] = i
	}
	return state, c.Block(l.body)
}
