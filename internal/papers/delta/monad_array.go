package delta

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Arrays in the monadic translation, Delta §10.2:
//
//	𝒟{index} = pure λ(v, i). pure (index (v, i))
//	𝒟{build} = pure λ(n, f). sequence (build (n, f))
//
// map is as build; reduce, scan and loop are folds, in whose state the state
// of the monad goes along.

func (t *monad) arrayOp(name string, op core.Op, at diag.Span) core.Atom {
	emit := func(op core.Op) core.Atom { return t.out.Emit(name, op, at) }
	switch op := op.(type) {
	case *core.Array:
		return emit(&core.Array{Elem: t.ty(op.Elem), Elems: t.atoms(op.Elems)})
	case *core.Index:
		return emit(&core.Index{Of: t.atom(op.Of), At: t.atom(op.At)})
	case *core.Slice:
		return emit(&core.Slice{Of: t.atom(op.Of), Lo: t.atom(op.Lo), Hi: t.atom(op.Hi)})
	case *core.Build:
		size := t.atom(op.Size)
		index, s := t.bind(op.Index), core.NewVar("s", t.effect)
		body := t.part(s, op.Body)
		return t.each(name, body, s, func(block *core.Block) core.Op {
			return &core.Build{Size: size, Index: index, Body: block}
		}, at)
	case *core.Map:
		arrays := t.atoms(op.Arrays)
		params, s := t.binds(op.Params), core.NewVar("s", t.effect)
		body := t.part(s, op.Body)
		return t.each(name, body, s, func(block *core.Block) core.Op {
			return &core.Map{Params: params, Arrays: arrays, Body: block}
		}, at)
	case *core.Reduce:
		return t.reduce(name, op, at)
	case *core.Scan:
		return t.scan(name, op, at)
	case *core.Loop:
		return t.loop(name, op, at)
	}
	panic("delta: unknown operation")
}

// each makes the array of a body's results. s is the state in which the body starts. If the body
// lets something, the elements are computations, which are run one after the other.
func (t *monad) each(name string, body *part, s *core.Var, make func(*core.Block) core.Op,
	at diag.Span) core.Atom {
	if !body.lets() {
		return t.out.Emit(name, make(body.block), at)
	}
	elem := body.block.Result.Type()
	var b core.Builder
	m := b.Emit("m", &core.Lambda{Params: []*core.Var{s}, Body: body.threaded()}, at)
	ms := t.out.Emit("ms", make(b.Block(m)), at)
	return t.open(name, sequence(t.out, elem, t.effect, ms, t.state))
}

// buildArray emits [f i for i < n], where f emits.
func (t *monad) buildArray(name string, n core.Atom, f func(core.Atom) core.Atom) core.Atom {
	i, s := core.NewVar("i", types.Int), core.NewVar("s", t.effect)
	body := t.partOf(s, func() core.Atom { return f(i) })
	return t.each(name, body, s, func(block *core.Block) core.Op {
		return &core.Build{Size: n, Index: i, Body: block}
	}, diag.Span{})
}

// carrying makes a variable for the pair of x and the state s, and the block
// that takes it apart first.
func carrying(x, s *core.Var, block *core.Block) (*core.Var, *core.Block) {
	p := core.NewVar("p", tuple(x.Ty, s.Ty))
	stmts := []core.Stmt{
		&core.Let{Var: x, Op: &core.Proj{Of: p, Index: 0}},
		&core.Let{Var: s, Op: &core.Proj{Of: p, Index: 1}},
	}
	return p, &core.Block{Stmts: append(stmts, block.Stmts...), Result: block.Result}
}

func (t *monad) reduce(name string, op *core.Reduce, at diag.Span) core.Atom {
	init, array := t.atom(op.Init), t.atom(op.Array)
	acc, elem, s := t.bind(op.Acc), t.bind(op.Elem), core.NewVar("s", t.effect)
	body := t.part(s, op.Body)
	if !body.lets() {
		return t.out.Emit(name, &core.Reduce{Acc: acc, Elem: elem, Init: init, Array: array,
			Body: body.block}, at)
	}
	p, block := carrying(acc, s, body.threaded())
	start := pair(t.out, "p", init, t.state)
	return t.open(name, t.out.Emit("p", &core.Loop{State: p, Init: start,
		Head: &core.Each{Elem: elem, Array: array}, Body: block}, at))
}

func (t *monad) scan(name string, op *core.Scan, at diag.Span) core.Atom {
	init, array := t.atom(op.Init), t.atom(op.Array)
	acc, elem, s := t.bind(op.Acc), t.bind(op.Elem), core.NewVar("s", t.effect)
	body := t.part(s, op.Body)
	if !body.lets() {
		return t.out.Emit(name, &core.Scan{Acc: acc, Elem: elem, Init: init, Array: array,
			Body: body.block}, at)
	}
	p, block := carrying(acc, s, body.threaded())
	start := pair(t.out, "p", init, t.state)
	steps := t.out.Emit("steps", &core.Scan{Acc: p, Elem: elem, Init: start, Array: array,
		Body: block}, at)
	n := t.out.Emit("n", length(steps), at)
	empty := t.int("empty", prim.Eq, n, core.IntLit(0))
	var last core.Builder
	i := last.Emit("i", intPrim(prim.Sub, n, core.IntLit(1)), at)
	step := last.Emit("step", &core.Index{Of: steps, At: i}, at)
	final := t.out.Emit("s", &core.If{Cond: empty, Then: core.Ret(t.state),
		Else: last.Block(proj(&last, "s", step, 1))}, at)
	t.state = final
	return t.mapArray(name, steps, func(x core.Atom) core.Atom { return proj(t.out, "x", x, 0) })
}

func (t *monad) int(name string, op prim.ID, x, y core.Atom) core.Atom {
	return t.out.Emit(name, intPrim(op, x, y), diag.Span{})
}

func intPrim(op prim.ID, x, y core.Atom) *core.Prim {
	return &core.Prim{Prim: op.Row(), Inst: []types.Type{types.Int}, Args: []core.Atom{x, y}}
}

func (t *monad) loop(name string, op *core.Loop, at diag.Span) core.Atom {
	init := t.atom(op.Init)
	out := &core.Loop{}
	switch head := op.Head.(type) {
	case *core.Range:
		bound := t.atom(head.Bound)
		out.Head = &core.Range{Index: t.bind(head.Index), Bound: bound}
	case *core.Each:
		array := t.atom(head.Array)
		out.Head = &core.Each{Elem: t.bind(head.Elem), Array: array}
	}
	x, s := t.bind(op.State), core.NewVar("s", t.effect)
	var cond *part
	lets := false
	if head, ok := op.Head.(*core.While); ok {
		cond = t.part(s, head.Cond)
		lets = cond.lets()
	}
	body := t.part(s, op.Body)
	if lets = lets || body.lets(); !lets {
		if cond != nil {
			out.Head = &core.While{Cond: cond.block}
		}
		out.State, out.Init, out.Body = x, init, body.block
		return t.out.Emit(name, out, at)
	}
	p, block := carrying(x, s, body.threaded())
	if cond != nil {
		// The condition sees the pair too, by its own variables. Its Lets are dropped.
		x2, s2 := core.NewVar(x.Name, x.Ty), core.NewVar("s", s.Ty)
		subst := map[*core.Var]core.Atom{x: x2, s: s2}
		copied := core.Clone(cond.block, subst)
		stmts := []core.Stmt{
			&core.Let{Var: x2, Op: &core.Proj{Of: p, Index: 0}},
			&core.Let{Var: s2, Op: &core.Proj{Of: p, Index: 1}},
		}
		out.Head = &core.While{Cond: &core.Block{Stmts: append(stmts, copied.Stmts...),
			Result: copied.Result}}
	}
	out.State, out.Init, out.Body = p, pair(t.out, "p", init, t.state), block
	return t.open(name, t.out.Emit("p", out, at))
}
