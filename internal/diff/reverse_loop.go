package diff

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Loops in reverse]
//
// The turns of a Map or Build do not depend on each other, so their derivative
// is again one loop of independent turns: each computes its part of the body
// again and reverses it, given its row of the cotangent. What a turn
// contributes leaves the loop in one of two ways (turns):
//
//   - as a column, an array with an element for each turn: the cotangents of the
//     elements that the loop runs over, and, for an array that is indexed, the
//     indices together with what belongs there;
//   - as a total, a sum over all turns: the cotangents of captured reals, and
//     of captured arrays that a turn uses as a whole.
//
// A fold whose turns only add to its state is such a loop too: the cotangent
// of the state is the same in every turn (Note [Additive loops]). Of any other
// fold the states are kept, and their cotangents computed from the last to the
// first; given both, the turns are independent again (chained).
//
// Computing a body again costs as much as running it did, once for each level
// of nesting; a loop costs at most a constant number of its own turns, and
// arrays of zeros are made only where an array of their size was made or
// handed over (reverser.home). So the derivative costs at most a constant, for a
// fixed depth of nesting, times the function.

// turns is the derivative of a loop, being made.
type turns struct {
	outer  *reverser
	r      *reverser // of the body
	index  *core.Var // of a loop over indices, up to bound
	bound  core.Atom
	params []*core.Var // of a loop over arrays
	arrays []core.Atom
	before []core.Atom // arrays of the loop that is differentiated; the others are cotangents
	state  *core.Var   // of a loop with a state
	// given binds, in a copy of the body, what the state is and the cotangent
	// that arrives.
	given func(e *emitter, c *core.Copier)

	columns, totals []output
	own             core.Atom   // the number of the turn, once it is needed
	free            []*core.Var // of the body
	stmts           []core.Stmt // of the body and its reversal, as far as the outputs need them
	after           []func()    // what to do with the outputs once they are there
}

// output is what each turn gives, and the variable outside that is bound to
// the column or the total of it.
type output struct {
	atom  core.Atom
	v     *core.Var
	start core.Atom // of a total: zero
}

// newTurns starts the derivative of a loop with the given body, which is
// copied; seed makes the cotangent of the body's result.
func (r *reverser) newTurns(l *fold, seed func(t *turns) *adjoint) *turns {
	c := core.NewCopier(nil)
	t := &turns{outer: r, bound: l.bound, arrays: slices.Clone(l.arrays), before: l.arrays, free: core.FreeVars(l.body)}
	t.given = func(_ *emitter, c *core.Copier) {
		if t.state != nil {
			c.Subst[t.state] = l.init // for its shape: Note [Additive loops]
		}
	}
	for _, p := range l.params {
		t.params = append(t.params, c.Bind(p))
	}
	if l.index != nil {
		t.index = c.Bind(l.index)
		t.own = t.index
	}
	if l.state != nil {
		t.state = c.Bind(l.state)
		r.varied.mark(t.state)
	}
	t.r = newReverser(r.e.nested(), r.varied)
	for i, p := range l.params {
		if r.varied.has[p] {
			r.varied.has[t.params[i]] = true
		}
	}
	for _, p := range t.params {
		t.r.home[p] = true
	}
	if t.state != nil {
		t.r.home[t.state] = true
	}
	body := t.r.e.forward(c.Block(l.body), r.varied)
	t.r.reverse(body, seed(t))
	return t
}

// fold is a loop: over indices below bound, or over arrays; with a state or
// without.
type fold struct {
	state  *core.Var
	init   core.Atom
	index  *core.Var
	bound  core.Atom
	params []*core.Var
	arrays []core.Atom
	body   *core.Block
}

// mapped handles ys = map.
func (r *reverser) mapped(op *core.Map, ys *core.Var, a *adjoint) {
	table := r.e.table(a, ys)
	t := r.newTurns(&fold{params: op.Params, arrays: op.Arrays, body: op.Body}, func(t *turns) *adjoint { return t.rows(table) })
	t.finish()
}

// built handles ys = build.
func (r *reverser) built(op *core.Build, ys *core.Var, a *adjoint) {
	table := r.e.table(a, ys)
	t := r.newTurns(&fold{index: op.Index, bound: op.Size, body: op.Body}, func(t *turns) *adjoint { return t.rows(table) })
	t.finish()
}

// rows is this turn's row of a table.
func (t *turns) rows(table *adjoint) *adjoint {
	return normal(rowsOf(table, func(leaf core.Atom) core.Atom {
		if x := t.outer.e.repeated(leaf); x != nil {
			return x
		}
		if t.index != nil {
			return t.r.e.index(leaf, t.index)
		}
		return t.element("b", leaf)
	}))
}

// element lets a loop over arrays run over one more.
func (t *turns) element(name string, array core.Atom) core.Atom {
	if i := slices.IndexFunc(t.arrays, func(a core.Atom) bool { return sameAtom(a, array) }); i >= 0 {
		return t.params[i]
	}
	p := core.NewVar(name, elemType(array.Type()))
	t.params, t.arrays = append(t.params, p), append(t.arrays, array)
	return p
}

// number is the number of the turn.
func (t *turns) number() core.Atom {
	if t.own == nil {
		t.own = t.element("i", t.outer.e.iota(t.outer.e.length(t.arrays[0])))
	}
	return t.own
}

// count is the number of turns.
func (t *turns) count() core.Atom {
	if t.bound != nil {
		return t.bound
	}
	return t.outer.e.length(t.arrays[0])
}

// folded handles loops with a state.
func (r *reverser) folded(let *core.Let, l *fold, a *adjoint) {
	if r.extremum(let, l, a) {
		return
	}
	a = r.e.spread(a, l.state.Ty)
	if l.bound != nil {
		l.bound = r.e.notNegative(l.bound) // no turns, but no array of that size
	}
	if !l.additive() {
		r.chained(l, r.e.value(a, let.Var), nil)
		return
	}
	a = r.settled(a, let.Var)
	t := r.newTurns(l, func(*turns) *adjoint { return a })
	t.finish()
	r.contribute(l.init, a)
}

// notNegative is n, or 0 if that is larger.
func (e *emitter) notNegative(n core.Atom) core.Atom {
	if l, ok := n.(*core.Lit); ok && l.Int >= 0 || e.primDef(n, prim.Length) != nil {
		return n
	}
	return e.intPrim(&core.Prim{Prim: prim.Max.Row(), Inst: atInt, Args: []core.Atom{n, core.IntLit(0)}})
}

// scanned handles ys = scan: the state after turn i is in ys and in all later
// states, so that the cotangent of what turn i adds is the sum of those from i
// on.
func (r *reverser) scanned(op *core.Scan, ys *core.Var, a *adjoint) {
	e := r.e
	l := &fold{state: op.Acc, init: op.Init, params: []*core.Var{op.Elem}, arrays: []core.Atom{op.Array}, body: op.Body}
	if !numeric(op.Acc.Ty) || !l.additive() {
		r.chained(l, e.zero(op.Init), e.value(a, ys))
		return
	}
	later := e.suffixSums(e.value(a, ys))
	t := r.newTurns(l, func(t *turns) *adjoint {
		return t.r.e.spread(whole(t.element("b", later)), op.Acc.Ty)
	})
	t.finish()
	// The cotangent of the first state: all of them, if there is a turn.
	if v, ok := op.Init.(*core.Var); ok && r.varied.has[v] {
		acc, b := core.NewVar("acc", op.Acc.Ty), core.NewVar("b", op.Acc.Ty)
		inner := e.nested()
		next := inner.addValues(acc, b)
		r.contribute(op.Init, whole(e.let("sum", &core.Reduce{Acc: acc, Elem: b, Init: e.zero(op.Init), Array: e.value(a, ys), Body: inner.Block(next)})))
	}
}

// suffixSums gives for each element the sum of it and all later ones.
func (e *emitter) suffixSums(xs core.Atom) core.Atom {
	n := e.length(xs)
	reversed := func(of core.Atom) core.Atom {
		return e.build(n, func(e *emitter, i core.Atom) core.Atom {
			return e.index(of, e.subInt(e.subInt(n, core.IntLit(1)), i))
		})
	}
	backwards := reversed(xs)
	elem := elemType(xs.Type())
	acc, x := core.NewVar("acc", elem), core.NewVar("x", elem)
	inner := e.nested()
	next := inner.addValues(acc, x)
	return reversed(e.let("sums", &core.Scan{Acc: acc, Elem: x, Init: e.numericValue(nil, elem), Array: backwards, Body: inner.Block(next)}))
}

// extremum handles a fold by max or min: the cotangent goes to the first
// element that attains the result, or to the initial state if none exceeds it.
func (r *reverser) extremum(let *core.Let, l *fold, a *adjoint) bool {
	better, operand := l.largest()
	if operand == nil {
		return false
	}
	e := r.e
	n := l.bound
	if n == nil {
		n = e.length(l.arrays[0])
	}
	// Which turn it was: (the best so far, its turn or -1).
	pair := &types.Tuple{Elems: []types.Type{types.Real, types.Int}}
	state, i := core.NewVar("best", pair), core.NewVar("i", types.Int)
	body := e.nested()
	x := body.turn(l, i, operand)
	best := body.component(state, 0)
	then := body.nested()
	next := body.choose(body.row(better, atReal, x, best), then, body.nested(), then.tuple([]core.Atom{x, i}), state)
	start := e.tuple([]core.Atom{l.init, core.IntLit(-1)})
	found := e.let("best", &core.Loop{State: state, Init: start, Head: &core.Range{Index: i, Bound: n}, Body: body.Block(next)})
	at := e.component(found, 1)
	none := e.row(prim.Lt, atInt, at, core.IntLit(0))

	// One turn, that one, or no turn.
	size := e.choose(none, e.nested(), e.nested(), core.IntLit(0), core.IntLit(1))
	var chosen core.Builder
	c := core.NewCopier(nil)
	for k, p := range l.params {
		v := c.Bind(p)
		chosen.Bind(v, &core.Index{Of: l.arrays[k], At: at}, let.At)
	}
	if l.index != nil {
		c.Subst[l.index] = at
	}
	inner := c.Block(l.body)
	chosen.Add(inner.Stmts[:len(inner.Stmts)-1]...)
	one := chosen.Block(c.Atom(operand))
	t := r.newTurns(&fold{index: core.NewVar("k", types.Int), bound: size, body: one}, func(*turns) *adjoint { return a })
	t.finish()
	r.contribute(l.init, e.chooseReal(none, e.nested(), e.nested(), a, nil))
	return true
}

// largest recognises a body that ends in max or min of the state and an
// operand in which the state does not occur, and gives the comparison of an operand that is chosen
// with the state.
func (l *fold) largest() (better prim.ID, operand core.Atom) {
	b := l.body
	if len(b.Stmts) == 0 {
		return 0, nil
	}
	last, ok := b.Stmts[len(b.Stmts)-1].(*core.Let)
	if !ok || b.Result != core.Atom(last.Var) || last.Var.Ty != types.Type(types.Real) {
		return 0, nil
	}
	op, ok := last.Op.(*core.Prim)
	if !ok {
		return 0, nil
	}
	switch op.Prim.KinkKind {
	case prim.MaxKink:
		better = prim.Gt
	case prim.MinKink:
		better = prim.Lt
	default:
		return 0, nil
	}
	uses := 0
	core.Atoms(b, func(a core.Atom) {
		if a == core.Atom(l.state) {
			uses++
		}
	})
	for i, a := range op.Args {
		if a == core.Atom(l.state) && uses == 1 {
			return better, op.Args[1-i]
		}
	}
	return 0, nil
}

// turn appends all of the body of a loop but its last statement, for turn i,
// and gives what an atom of it is.
func (e *emitter) turn(l *fold, i core.Atom, result core.Atom) core.Atom {
	c := core.NewCopier(nil)
	for k, p := range l.params {
		c.Subst[p] = e.index(l.arrays[k], i)
	}
	if l.index != nil {
		c.Subst[l.index] = i
	}
	e.copyStmts(l.body.Stmts[:len(l.body.Stmts)-1], c)
	return c.Atom(result)
}
