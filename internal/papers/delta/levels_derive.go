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
	if p.Prim.ID == prim.Jacobian {
		return t.call(name, t.jacobian(f).Use(), args, at)
	}
	derive := t.reverse
	if p.Prim.ID == prim.Forward {
		derive = t.forward
	}
	params, result := signatureOf(p)
	ty := types.Funs(result, params...)
	def := t.once(p.Prim.Name, ty, func(_ *core.Def, args []core.Atom) core.Atom {
		return derive(f, args[0], args[1], args[2], at)
	})
	return t.run(name, def.Use(), args...)
}

// reverse emits R{f} as in Delta Fig. 15, and returns (f x, its gradient).
func (t *levels) reverse(of *types.Fun, f, x, bt core.Atom, at diag.Span) core.Atom {
	level := t.nextLevel()
	x0, last := t.apply(t.out, t.initVars(), of.Param, []core.Atom{x}, level, core.IntLit(0))
	y, binds := t.inside(f, x0, next(t.out, last), at)
	_, u := t.apply(t.out, t.weighed(), of.Result, []core.Atom{y, bt}, level, t.delta("ZeroN"))
	um := t.translated("backward", u, binds)
	start := pair(t.out, "n", core.IntLit(0), t.state)
	dx, end := t.apply(t.out, t.lookup(), of.Param, []core.Atom{x}, um, start)
	t.state = proj(t.out, "s", end, 1)
	y, _ = t.apply(t.out, t.below(), of.Result, []core.Atom{y}, level, nil)
	return pair(t.out, "r", y, dx)
}

// forward emits the derivative of f along dx, and returns (f x, that derivative). There is one
// variable, ε; x is x + dx × ε, and the Lets are evaluated in their order with ε = 1.
func (t *levels) forward(of *types.Fun, f, x, dx core.Atom, at diag.Span) core.Atom {
	level := t.nextLevel()
	x0, _ := t.apply(t.out, t.along(), of.Param, []core.Atom{x, dx}, level, nil)
	y, binds := t.inside(f, x0, core.IntLit(2), at)
	env := pair(t.out, "e", level, t.translated("onward", binds))
	dy, state := t.apply(t.out, t.meaning(), of.Result, []core.Atom{y}, env, t.state)
	t.state = state
	y, _ = t.apply(t.out, t.below(), of.Result, []core.Atom{y}, level, nil)
	return pair(t.out, "r", y, dy)
}

// jacobian returns the translation of [snd (reverse f xs (onehot i)) for i < m].
func (t *levels) jacobian(f *types.Fun) *core.Def {
	return t.sourceOnce("jacobian", func() *core.Lambda {
		g, xs, i := core.NewVar("f", f), core.NewVar("xs", f.Param), core.NewVar("i", types.Int)
		var b, row core.Builder
		m := b.Emit("m", length(call(&b, "y", g, xs)), diag.Span{})
		r := row.Emit("r", &core.Prim{
			Prim: prim.Reverse.Row(), Inst: []types.Type{f.Param, f.Result},
			Args: []core.Atom{g, xs, call(&row, "unit", lib("onehot").Use(), m, i)},
		}, diag.Span{})
		body := row.Block(proj(&row, "dx", r, 1))
		rows := b.Emit("rows", &core.Build{Size: m, Index: i, Body: body}, diag.Span{})
		return &core.Lambda{Params: []*core.Var{g, xs}, Body: b.Block(rows)}
	})
}

// nextLevel returns the level of a derivative that is taken now.
func (t *levels) nextLevel() core.Atom { return next(t.out, t.lib("depth", t.state)) }

// inside runs f one level up, and returns its result and its Lets.
func (t *levels) inside(f, x, id core.Atom, at diag.Span) (y, binds core.Atom) {
	t.state = t.lib("enter", id, t.state)
	y = t.call("y", f, []core.Atom{x}, at)
	return y, t.open("binds", t.lib("leave", t.state))
}

// ---- the polytypic operations of Fig. 15, on numbers of a level

// op returns a polytypic operation whose leaf emits to t.out. It takes and gives
// numbers; env and counter are as in poly.
func (t *levels) op(name string, in int, op poly) *poly {
	op.name, op.in = name, []form{dualised, dualised}[:in]
	leaf := op.leaf
	op.leaf = func(b *core.Builder, in []core.Atom, env, counter core.Atom) (out, next core.Atom) {
		t.into(b, func() core.Atom {
			out, next = leaf(b, in, env, counter)
			return out
		})
		return out, next
	}
	return &op
}

// initVars makes each real a variable of the level.
func (t *levels) initVars() *poly {
	return t.op("initVars", 1, poly{out: dualised, env: types.Int, counter: types.Int,
		leaf: func(b *core.Builder, in []core.Atom, level, last core.Atom) (core.Atom, core.Atom) {
			id := next(b, last)
			return construct(b, data("Num"), "Dual", level, in[0], t.delta("VarN", id)), id
		}})
}

// along makes each real x + dx × ε.
func (t *levels) along() *poly {
	return t.op("along", 2, poly{out: dualised, env: types.Int,
		leaf: func(b *core.Builder, in []core.Atom, level, _ core.Atom) (core.Atom, core.Atom) {
			u := t.delta("ScaleN", in[1], t.delta("VarN", core.IntLit(1)))
			return construct(b, data("Num"), "Dual", level, in[0], u), nil
		}})
}

// weighed returns the sum of the deltas of a result, each times its cotangent.
func (t *levels) weighed() *poly {
	return t.op("weighed", 2, poly{env: types.Int, counter: data("DeltaN"),
		leaf: func(_ *core.Builder, in []core.Atom, level, sum core.Atom) (core.Atom, core.Atom) {
			return nil, t.delta("AddN", sum,
				t.delta("ScaleN", in[1], t.lib("deltaAt", level, in[0])))
		}})
}

// below takes a value out of the level.
func (t *levels) below() *poly {
	return t.op("below", 1, poly{out: dualised, env: types.Int,
		leaf: func(_ *core.Builder, in []core.Atom, level, _ core.Atom) (core.Atom, core.Atom) {
			return t.lib("below", level, in[0]), nil
		}})
}

// lookup replaces each real by its entry in a map. It runs in the state that goes along with the
// number of the last real.
func (t *levels) lookup() *poly {
	return t.op("lookup", 1, poly{out: dualised, env: t.ty(data("DeltaMap")),
		counter: tuple(types.Int, t.effect),
		leaf: func(b *core.Builder, _ []core.Atom, um, counter core.Atom) (core.Atom, core.Atom) {
			id := next(b, proj(b, "n", counter, 0))
			dx, after := t.within(proj(b, "s", counter, 1), func() core.Atom {
				return t.translated("lookupOrZero", id, um)
			})
			return dx, pair(b, "n", id, after)
		}})
}

// meaning replaces each real by the meaning of its delta, where the variables have the values of
// a map.
func (t *levels) meaning() *poly {
	env := tuple(types.Int, t.ty(data("DeltaMap")))
	return t.op("meaning", 1, poly{out: dualised, env: env, counter: t.effect,
		leaf: func(b *core.Builder, in []core.Atom, env, state core.Atom) (core.Atom, core.Atom) {
			return t.within(state, func() core.Atom {
				u := t.lib("deltaAt", proj(b, "l", env, 0), in[0])
				return t.translated("meaning", u, proj(b, "um", env, 1))
			})
		}})
}
