package delta

import (
	"context"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/papers"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// reverse1 returns R¹{e}, Delta Fig. 6, for general S and T. It computes the value and the
// gradient at a point whose S has n reals.
func (t *plain) reverse1(e *core.Def, n int) *core.Def {
	from, to := signature(e)
	s, dt := core.NewVar("s", from), core.NewVar("dt", to)
	var b core.Builder
	onehot := initVars(func(b *core.Builder, id core.Atom) core.Atom {
		i := b.Emit("i", intPrim(prim.Sub, id, core.IntLit(1)), diag.Span{})
		return call(b, "ds", lib("onehot").Use(), core.IntLit(int64(n)), i)
	})
	y, ds := t.pullBack(&b, e, onehot, s, dt)
	gradient, _ := t.apply(&b, fillOp, from, []core.Atom{s}, ds, core.IntLit(0))
	return t.add("R¹{"+e.Name+"}", &core.Lambda{Params: []*core.Var{s, dt},
		Body: b.Block(pair(&b, "r", y, gradient))}, e.At)
}

// pullBack applies 𝒟{e} to s, whose reals are paired with what vars makes. It returns e s and Σ
// dt_j ⊗ u_j over the reals of T, where u_j is the tangent of the j-th. The figures have one real
// in T: Fig. 6 scales what vars makes by dt instead, and Fig. 8 starts eval2 at dt, that is, at
// Scale dt u.
func (t *plain) pullBack(b *core.Builder, e *core.Def, vars *poly, s, dt *core.Var) (
	y, u core.Atom) {
	from, to := signature(e)
	s0, _ := t.apply(b, vars, from, []core.Atom{s}, nil, core.IntLit(0))
	r := call(b, "r", t.def(e).Use(), s0)
	none := t.into(b, t.zero)
	weighed := &poly{name: "weighed", in: []form{dualised, itself}, counter: t.tangent,
		leaf: func(b *core.Builder, in []core.Atom, _, sum core.Atom) (core.Atom, core.Atom) {
			terms := []term{{in[1], proj(b, "u", in[0], 1)}}
			if sum != none {
				terms = append([]term{{realLit(1), sum}}, terms...)
			}
			return nil, t.into(b, func() core.Atom { return t.combine(terms) })
		}}
	_, u = t.apply(b, weighed, to, []core.Atom{r, dt}, nil, none)
	return t.primal(b, to, r), u
}

func runReverse1(ctx context.Context, p *papers.Problem) (*papers.Answer, *diag.Diagnostic) {
	r := newRun(ctx, p, "reverse1")
	_, primal, d := r.primal()
	if d != nil {
		return nil, d
	}
	n := len(value.RealsOf(p.At))
	t := newReverse1(p.Program, n)
	t.watch = r.watch
	f := t.reverse1(p.Fun, n)
	if t.err != nil {
		return nil, t.err
	}
	v, ops, d := r.at(t.program(p.Program), f)
	if d != nil {
		return nil, d
	}
	both := v.(value.Tuple)
	answer := &papers.Answer{Value: both[0], Gradient: both[1],
		Ops: papers.Ops{Primal: primal, Forward: ops}}
	if p.Explain {
		answer.Explanation = t.explain(p.Program, p.Fun, f)
	}
	return answer, nil
}
