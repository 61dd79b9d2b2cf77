package check

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// loop elaborates a loop. The condition and the body each take the state apart separately.
func (e *elaborator) loop(b *core.Builder, x *syntax.Loop, w want) core.Atom {
	init := e.expr(b, x.Init, want{})
	state := core.NewVar(patternName(x.State, "state"), e.typeOf(x.State))
	takeState := func(b *core.Builder) { e.bind(b, x.State, state) }
	op := &core.Loop{State: state, Init: init}
	if x.Clause == nil {
		op.Head = &core.While{Cond: e.block(func(b *core.Builder) core.Atom {
			takeState(b)
			return e.goesOn(b, x)
		})}
		op.Body = e.block(func(b *core.Builder) core.Atom {
			takeState(b)
			return e.expr(b, x.Body, want{})
		})
		return e.emit(b, w, e.typeOf(x), op, x.At)
	}
	of := e.expr(b, x.Clause.X, want{})
	if x.While != nil {
		return e.endsEarly(b, x, init, of, w)
	}
	v := core.NewVar(patternName(x.Clause.Pat, "i"), e.typeOf(x.Clause.Pat))
	op.Head = &core.Range{Index: v, Bound: of}
	if x.Clause.In {
		op.Head = &core.Each{Elem: v, Array: of}
	}
	op.Body = e.block(func(b *core.Builder) core.Atom {
		takeState(b)
		e.bind(b, x.Clause.Pat, v)
		return e.expr(b, x.Body, want{})
	})
	return e.emit(b, w, e.typeOf(x), op, x.At)
}

// goesOn returns the condition under which a loop continues. It negates the condition of `until`.
func (e *elaborator) goesOn(b *core.Builder, x *syntax.Loop) core.Atom {
	cond := e.expr(b, x.While, want{})
	if !x.Until {
		return cond
	}
	not := &core.Prim{Prim: prim.Not.Row(), Args: []core.Atom{cond}}
	return b.Let("t", types.Bool, not, x.While.Span())
}

// endsEarly elaborates a loop with a condition over the numbers below `of`, or over the elements
// of the array `of`. It becomes a while loop that counts its steps:
//
//	loop (s, i) = (init, 0) while i < n && c do (body, i + 1)
func (e *elaborator) endsEarly(b *core.Builder, x *syntax.Loop, init, of core.Atom,
	w want) core.Atom {
	at, ty := x.At, e.typeOf(x.State)
	bound := of
	if x.Clause.In {
		bound = e.length(b, of, 0, at)
	}
	both := core.NewVar("state", &types.Tuple{Elems: []types.Type{ty, types.Int}})
	// take binds the state and returns the number of the step.
	take := func(b *core.Builder) core.Atom {
		e.bind(b, x.State, b.Emit(patternName(x.State, "state"), &core.Proj{Of: both, Index: 0},
			at))
		return b.Emit("i", &core.Proj{Of: both, Index: 1}, at)
	}
	element := func(b *core.Builder, i core.Atom) {
		if x.Clause.In {
			i = b.Let(patternName(x.Clause.Pat, "x"), e.typeOf(x.Clause.Pat),
				&core.Index{Of: of, At: i}, at)
		}
		e.bind(b, x.Clause.Pat, i)
	}
	cond := e.block(func(b *core.Builder) core.Atom {
		i := take(b)
		inside := b.Let("t", types.Bool, intPrim(prim.Lt, i, bound), at)
		then := e.block(func(b *core.Builder) core.Atom {
			element(b, i)
			return e.goesOn(b, x)
		})
		return b.Let("t", types.Bool, &core.If{Cond: inside, Then: then,
			Else: core.Ret(core.BoolLit(false))}, at)
	})
	body := e.block(func(b *core.Builder) core.Atom {
		i := take(b)
		element(b, i)
		next := e.expr(b, x.Body, want{})
		after := b.Let("i", types.Int, intPrim(prim.Add, i, core.IntLit(1)), at)
		return b.Let("t", both.Ty, &core.Tuple{Elems: []core.Atom{next, after}}, at)
	})
	start := b.Let("t", both.Ty, &core.Tuple{Elems: []core.Atom{init, core.IntLit(0)}}, at)
	end := b.Let("t", both.Ty, &core.Loop{State: both, Init: start, Head: &core.While{Cond: cond},
		Body: body}, at)
	return e.emit(b, w, e.typeOf(x), &core.Proj{Of: end, Index: 0}, at)
}

// intPrim applies an overloaded row to two Ints.
func intPrim(row prim.ID, x, y core.Atom) core.Op {
	return &core.Prim{Prim: row.Row(), Inst: []types.Type{types.Int}, Args: []core.Atom{x, y}}
}
