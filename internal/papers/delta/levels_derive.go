package delta

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// derivative applies a derivative form, one level up.
func (t *levels) derivative(name string, p *core.Prim, args []core.Atom, at diag.Span) core.Atom {
	f := types.Resolve(p.Args[0].Type()).(*types.Fun)
	params, result := signatureOf(p)
	ty := types.Funs(result, params...)
	switch p.Prim.Name {
	case "jacobian":
		return t.call(name, t.jacobian(f).Use(), args, at)
	case "forward":
		return t.run(name, t.once("forward", ty, func(_ *core.Def, args []core.Atom) core.Atom {
			return t.forward(f, args[0], args[1], args[2], at)
		}).Use(), args...)
	}
	return t.run(name, t.once("reverse", ty, func(_ *core.Def, args []core.Atom) core.Atom {
		return t.reverse(f, args[0], args[1], args[2], at)
	}).Use(), args...)
}

// reverse is R{f} as in Delta Fig. 15, and gives (f x, its gradient).
func (t *levels) reverse(of *types.Fun, f, x, bt core.Atom, at diag.Span) core.Atom {
	level := t.nextLevel()
	num, delta := data("Num"), data("DeltaN")
	vars := &poly{name: "initVars", in: []form{dualised}, out: dualised, env: types.Int, counter: types.Int,
		leaf: func(b *core.Builder, in []core.Atom, level, last core.Atom) (core.Atom, core.Atom) {
			id := next(b, last)
			return construct(b, num, "Dual", level, in[0], construct(b, delta, "VarN", id)), id
		}}
	weighed := &poly{name: "weighed", in: []form{dualised, dualised}, env: types.Int, counter: delta,
		leaf: func(b *core.Builder, in []core.Atom, level, sum core.Atom) (core.Atom, core.Atom) {
			u := call(b, "u", lib("deltaAt").Use(), level, in[0])
			return nil, construct(b, delta, "AddN", sum, construct(b, delta, "ScaleN", in[1], u))
		}}
	lookup := &poly{name: "lookup", in: []form{dualised}, out: dualised, env: t.ty(data("DeltaMap")), counter: tuple(types.Int, t.effect),
		leaf: func(b *core.Builder, in []core.Atom, um, counter core.Atom) (core.Atom, core.Atom) {
			id := next(b, proj(b, "n", counter, 0))
			dx, after := t.within(b, proj(b, "s", counter, 1), func() core.Atom {
				return t.call("dx", t.global(t.source["Δ.lookupOrZero"]).Use(), []core.Atom{id, um}, at)
			})
			return dx, pair(b, "n", id, after)
		}}
	x0, last := t.apply(t.out, vars, of.Param, []core.Atom{x}, level, core.IntLit(0))
	y, binds := t.inside(f, x0, next(t.out, last), at)
	_, u := t.apply(t.out, weighed, of.Result, []core.Atom{y, bt}, level, construct(t.out, delta, "ZeroN"))
	um := t.call("um", t.global(t.source["Δ.backward"]).Use(), []core.Atom{u, binds}, at)
	dx, counter := t.apply(t.out, lookup, of.Param, []core.Atom{x}, um, pair(t.out, "n", core.IntLit(0), t.state))
	t.state = proj(t.out, "s", counter, 1)
	return pair(t.out, "r", t.allBelow(of.Result, level, y), dx)
}

// forward is the derivative of f along dx, and gives (f x, that). There is one
// variable, ε, x is x + dx × ε, and what was let is evaluated in the order in
// which it was let, ε being 1.
func (t *levels) forward(of *types.Fun, f, x, dx core.Atom, at diag.Span) core.Atom {
	level := t.nextLevel()
	num, delta := data("Num"), data("DeltaN")
	along := &poly{name: "along", in: []form{dualised, dualised}, out: dualised, env: types.Int,
		leaf: func(b *core.Builder, in []core.Atom, level, _ core.Atom) (core.Atom, core.Atom) {
			u := construct(b, delta, "ScaleN", in[1], construct(b, delta, "VarN", core.IntLit(1)))
			return construct(b, num, "Dual", level, in[0], u), nil
		}}
	meaning := &poly{name: "meaning", in: []form{dualised}, out: dualised, env: tuple(types.Int, t.ty(data("DeltaMap"))), counter: t.effect,
		leaf: func(b *core.Builder, in []core.Atom, env, state core.Atom) (core.Atom, core.Atom) {
			return t.within(b, state, func() core.Atom {
				u := call(b, "u", lib("deltaAt").Use(), proj(b, "l", env, 0), in[0])
				return t.call("dy", t.global(t.source["Δ.meaning"]).Use(), []core.Atom{u, proj(b, "um", env, 1)}, at)
			})
		}}
	x0, _ := t.apply(t.out, along, of.Param, []core.Atom{x, dx}, level, nil)
	y, binds := t.inside(f, x0, core.IntLit(2), at)
	um := t.call("um", t.global(t.source["Δ.onward"]).Use(), []core.Atom{binds}, at)
	dy, state := t.apply(t.out, meaning, of.Result, []core.Atom{y}, pair(t.out, "e", level, um), t.state)
	t.state = state
	return pair(t.out, "r", t.allBelow(of.Result, level, y), dy)
}

// nextLevel is the level of a derivative that is taken now.
func (t *levels) nextLevel() core.Atom {
	return next(t.out, call(t.out, "l", lib("depth").Use(), t.state))
}

// inside runs f one level up, and gives what it gives and what it let.
func (t *levels) inside(f, x, id core.Atom, at diag.Span) (y, binds core.Atom) {
	t.state = call(t.out, "s", lib("enter").Use(), id, t.state)
	y = t.call("y", f, []core.Atom{x}, at)
	return y, t.open("binds", call(t.out, "p", lib("leave").Use(), t.state))
}

// within has f emit to b in a state, and gives the state after it.
func (t *levels) within(b *core.Builder, state core.Atom, f func() core.Atom) (out, after core.Atom) {
	outer := t.state
	defer func() { t.state = outer }()
	t.state = state
	out = t.into(b, f)
	return out, t.state
}

// allBelow is below at a type.
func (t *levels) allBelow(a types.Type, level, x core.Atom) core.Atom {
	below := &poly{name: "below", in: []form{dualised}, out: dualised, env: types.Int,
		leaf: func(b *core.Builder, in []core.Atom, level, _ core.Atom) (core.Atom, core.Atom) {
			return call(b, "x", lib("below").Use(), level, in[0]), nil
		}}
	out, _ := t.apply(t.out, below, a, []core.Atom{x}, level, nil)
	return out
}

// jacobian is the translation of [snd (reverse f xs (onehot i)) for i < m].
func (t *levels) jacobian(f *types.Fun) *core.Def {
	return t.sourceOnce("jacobian", func() *core.Lambda {
		g, xs, i := core.NewVar("f", f), core.NewVar("xs", f.Param), core.NewVar("i", types.Int)
		var b, row core.Builder
		y := b.Let("y", f.Result, &core.Apply{Fun: g, Args: []core.Atom{xs}}, diag.Span{})
		m := b.Emit("m", length(y), diag.Span{})
		unit := row.Emit("unit", &core.Apply{Fun: lib("onehot").Use(), Args: []core.Atom{m, i}}, diag.Span{})
		reverse := &core.Prim{Prim: prim.Lookup("reverse"), Inst: []types.Type{f.Param, f.Result}, Args: []core.Atom{g, xs, unit}}
		r := row.Emit("r", reverse, diag.Span{})
		rows := b.Emit("rows", &core.Build{Size: m, Index: i, Body: row.Block(proj(&row, "dx", r, 1))}, diag.Span{})
		return &core.Lambda{Params: []*core.Var{g, xs}, Body: b.Block(rows)}
	})
}
