package delta

import (
	"fmt"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/rules"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// primitive applies a primitive that gives reals: 𝒟 of it is a definition, at
// each type, of its arguments and the state.
func (t *levels) primitive(name string, p *core.Prim, args []core.Atom, at diag.Span) core.Atom {
	params, result := signatureOf(p)
	ty := types.Funs(result, params...)
	def := t.once(p.Prim.Name, ty, func(self *core.Def, args []core.Atom) core.Atom {
		if p.Prim.Pullback != nil {
			return t.overArrays(p.Prim, self, args[0], result, at)
		}
		return t.overReals(p, self, args, params, at)
	})
	return t.run(name, def.Use(), args...)
}

// split runs one of two computations: outside of all levels, or not.
func (t *levels) split(level core.Atom, outside, inside func() core.Atom) core.Atom {
	plain := t.int("plain", prim.Eq, level, core.IntLit(0))
	blocks, lets := t.branches(t.partOf(t.state, outside), t.partOf(t.state, inside))
	op := &core.If{Cond: plain, Then: blocks[0], Else: blocks[1]}
	return t.joined("r", op, lets, diag.Span{})
}

// overReals returns a primitive on numbers: Note [Derivatives inside programs].
func (t *levels) overReals(p *core.Prim, self *core.Def, args []core.Atom, params []types.Type,
	at diag.Span) core.Atom {
	each := func(f func(i int, x core.Atom) core.Atom) []core.Atom { // the real ones
		out := make([]core.Atom, len(args))
		for i, a := range args {
			out[i] = a
			if params[i] == types.Type(types.Real) {
				out[i] = f(i, a)
			}
		}
		return out
	}
	level := core.Atom(core.IntLit(0))
	each(func(_ int, x core.Atom) core.Atom {
		level = t.lib("higher", level, t.lib("levelOf", x))
		return x
	})
	return t.split(level, func() core.Atom {
		plain := each(func(_ int, x core.Atom) core.Atom { return t.value(x) })
		op := &core.Prim{Prim: p.Prim, Inst: p.Inst, Args: plain}
		return t.constant(t.out.Let("r", types.Real, op, at))
	}, func() core.Atom {
		under := each(func(_ int, x core.Atom) core.Atom { return t.lib("below", level, x) })
		r := t.run("r", self.Use(), under...)
		var terms []term
		each(func(i int, x core.Atom) core.Atom {
			partial := t.partial(p.Prim, i, append(under[:len(under):len(under)], r), at)
			if partial != nil && !isReal(partial, 0) {
				terms = append(terms, term{partial, t.lib("deltaAt", level, x)})
			}
			return x
		})
		if len(terms) == 0 {
			return r
		}
		sum := t.sum(
			func(c, u core.Atom) core.Atom { return t.delta("ScaleN", c, u) },
			func(u, v core.Atom) core.Atom { return t.delta("AddN", u, v) })
		return t.dualNumber(level, r, sum(terms))
	})
}

// partial returns a partial derivative of a primitive, one level down; a literal if
// it is one in the table.
func (t *levels) partial(row *prim.Prim, i int, args []core.Atom, at diag.Span) core.Atom {
	rule := rules.Partial(row, i)
	if rule == nil {
		t.refuse(at, "the primitive %s has no partial derivative", row.Name)
		return nil
	}
	if result := rule.Body.Result; isReal(result, 0) || isReal(result, 1) {
		return result
	}
	return t.rule(fmt.Sprintf("∂%d{%s}", i+1, row.Name), rule, args...)
}

// rule applies a rule of the table, translated.
func (t *levels) rule(name string, rule *core.Lambda, args ...core.Atom) core.Atom {
	def := t.sourceOnce(name, func() *core.Lambda { return rule })
	return t.call("c", def.Use(), args, diag.Span{})
}

// overArrays returns a primitive from ℝⁿ to ℝᵐ, as Fig. 14 has it.
func (t *levels) overArrays(row *prim.Prim, self *core.Def, xs core.Atom, result types.Type,
	at diag.Span) core.Atom {
	level := t.lib("highest", xs)
	one := result == types.Type(types.Real)
	return t.split(level, func() core.Atom {
		r := t.out.Emit("r", &core.Prim{Prim: row, Args: []core.Atom{t.lib("values", xs)}}, at)
		if one {
			return t.constant(r)
		}
		return t.lib("plains", r)
	}, func() core.Atom {
		under := t.lib("allBelow", level, xs)
		r := t.run("r", self.Use(), under)
		number := func(y, cotangent core.Atom) core.Atom {
			cs := t.rule("pullback{"+row.Name+"}", rules.RowPullback(row, 0), under, r, cotangent)
			return t.dualNumber(level, y, t.lib("innerAt", level, cs, xs))
		}
		if one {
			return number(r, t.constant(realLit(1)))
		}
		m := t.out.Emit("m", length(r), at)
		return t.buildArray("ys", m, func(i core.Atom) core.Atom {
			unit := t.lib("plains", t.lib("onehot", m, i))
			return number(t.out.Emit("y", &core.Index{Of: r, At: i}, at), unit)
		})
	})
}
