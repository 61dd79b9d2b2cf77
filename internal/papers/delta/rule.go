package delta

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Rules]
//
// `withDerivative f df x` is f x, where df x dx is the tangent of that along dx. It is a primitive
// that the program defines, from ℝⁿ to ℝᵐ (Fig. 14). The figure sums partial derivatives; here they
// come as a linear function, and a linear function is its own derivative. So the tangents of the
// results, whatever tangents are, are those that 𝒟{df} makes of the tangents of the arguments:
//
//	𝒟{withDerivative f df x} = 𝒟{f} x₀ + 𝒟{df} x₀ dx
//
// where x₀ is x without its tangents, and dx is 0 with them. What f captures keeps its tangents in
// the first summand. f runs once and df once, so that the cost stays linear.

// ruled applies a function with a rule of the program's own.
func (t *dual) ruled(name string, p *core.Prim, args []core.Atom, at diag.Span) core.Atom {
	from, to := p.Inst[0], p.Inst[1]
	f, df, x := args[0], args[1], args[2]
	x0, _ := t.apply(t.out, t.initZeros(), from, []core.Atom{t.primal(t.out, from, x)}, nil, nil)
	y := t.invoke("y", f, []core.Atom{x0}, at)
	dx, _ := t.apply(t.out, tangentOp, from, []core.Atom{x}, nil, nil)
	dy := t.invoke("dy", df, []core.Atom{x0, dx}, at)
	tangent, _ := t.apply(t.out, tangentOp, to, []core.Atom{dy}, nil, nil)
	return t.plus(to, y, tangent)
}

// tangentOp keeps the tangents of numbers that become 0.
var tangentOp = &poly{name: "tangent", in: []form{dualised}, out: dualised,
	leaf: func(b *core.Builder, in []core.Atom, _, _ core.Atom) (core.Atom, core.Atom) {
		return pair(b, "x", realLit(0), proj(b, "dx", in[0], 1)), nil
	}}

// plusOp returns 𝒟{+} of corresponding reals. It takes and returns the state of the monad, if
// there is one.
func (t *dual) plusOp() *poly {
	if t.sums == nil {
		add := &core.Prim{Prim: prim.Add.Row(), Inst: []types.Type{types.Real},
			Args: make([]core.Atom, 2)}
		t.sums = &poly{name: "plus", in: []form{dualised, dualised}, out: dualised,
			counter: t.effect,
			leaf: func(b *core.Builder, in []core.Atom, _, state core.Atom) (out, after core.Atom) {
				t.into(b, func() core.Atom {
					out, after = t.inState(state, func() core.Atom {
						return t.prim("y", add, in, diag.Span{})
					})
					return out
				})
				return out, after
			}}
	}
	return t.sums
}

// ruledInside does the work of ruled for numbers of all levels: by the rule at the highest level
// of the argument, and one level down for the rest. Outside of all levels it is again a function
// with a rule.
func (t *levels) ruledInside(name string, p *core.Prim, args []core.Atom, at diag.Span) core.Atom {
	from, to := p.Inst[0], p.Inst[1]
	params, result := signatureOf(p)
	def := t.once(ruled.String(), types.Funs(result, params...),
		func(self *core.Def, args []core.Atom) core.Atom {
			f, df, x := args[0], args[1], args[2]
			_, level := t.apply(t.out, t.highest(), from, []core.Atom{x}, nil, core.IntLit(0))
			return t.split(level, func() core.Atom {
				plain := &core.Prim{Prim: p.Prim, Inst: p.Inst, Args: []core.Atom{
					t.outside(f, to, from), t.outside(df, to, from, from),
					t.primal(t.out, from, x)}}
				r, _ := t.apply(t.out, t.initZeros(), to,
					[]core.Atom{t.out.Let("r", to, plain, at)}, nil, nil)
				return r
			}, func() core.Atom {
				x0, _ := t.apply(t.out, t.below(), from, []core.Atom{x}, level, nil)
				y := t.run("y", self.Use(), f, df, x0)
				dx, _ := t.apply(t.out, t.tangentAt(), from, []core.Atom{x}, level, nil)
				dy := t.call("dy", df, []core.Atom{x0, dx}, at)
				tangent, _ := t.apply(t.out, t.tangentAt(), to, []core.Atom{dy}, level, nil)
				return t.plus(to, y, tangent)
			})
		})
	return t.run(name, def.Use(), args...)
}

// outside returns a translated function as one of plain reals.
func (t *levels) outside(f core.Atom, to types.Type, from ...types.Type) core.Atom {
	params := make([]*core.Var, len(from))
	for i, ty := range from {
		params[i] = core.NewVar("x", ty)
	}
	body := t.partOf(t.state, func() core.Atom {
		args := make([]core.Atom, len(from))
		for i, x := range params {
			args[i], _ = t.apply(t.out, t.initZeros(), from[i], []core.Atom{x}, nil, nil)
		}
		return t.primal(t.out, to, t.call("y", f, args, diag.Span{}))
	})
	return t.out.Emit("f", &core.Lambda{Params: params, Body: body.block}, diag.Span{})
}

// highest returns the highest level of the reals of a value.
func (t *levels) highest() *poly {
	return t.op("highest", 1, poly{counter: types.Int,
		leaf: func(_ *core.Builder, in []core.Atom, _, level core.Atom) (core.Atom, core.Atom) {
			return nil, t.lib("higher", level, t.lib("levelOf", in[0]))
		}})
}

// tangentAt keeps the deltas of a level of numbers that become 0.
func (t *levels) tangentAt() *poly {
	return t.op("tangent", 1, poly{out: dualised, env: types.Int,
		leaf: func(b *core.Builder, in []core.Atom, level, _ core.Atom) (core.Atom, core.Atom) {
			zero := construct(b, data("Num"), "Plain", realLit(0))
			return construct(b, data("Num"), "Dual", level, zero, t.lib("deltaAt", level, in[0])),
				nil
		}})
}
