package delta

import (
	"context"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/papers"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// reverse1 is R¹{e}, Delta Fig. 6, for general S and T as in Fig. 15: it gives
// the value and the gradient at a point whose S has n reals.
func (t *plain) reverse1(e *core.Def, n int) *core.Def {
	from, to := signature(e)
	of := t.def(t.objective(e))
	s, dt := core.NewVar("s", from), core.NewVar("dt", to)
	var b core.Builder
	onehot := initVars(func(b *core.Builder, id core.Atom) core.Atom {
		i := b.Emit("i", intPrim("-", id, core.IntLit(1)), diag.Span{})
		return call(b, "ds", lib("onehot").Use(), core.IntLit(int64(n)), i)
	})
	y, ds := t.applyObjective(&b, of, onehot, s, dt, e)
	gradient, _ := t.apply(&b, fillOp, from, []core.Atom{s}, ds, core.IntLit(0))
	return t.add("R¹{"+e.Name+"}", &core.Lambda{Params: []*core.Var{s, dt}, Body: b.Block(pair(&b, "r", y, gradient))}, e.At)
}

// applyObjective applies the translated objective, and gives e s and the
// tangent of e s ⊙ dt.
func (t *plain) applyObjective(b *core.Builder, of *core.Def, vars *poly, s, dt *core.Var, e *core.Def) (y, u core.Atom) {
	from, to := signature(e)
	s0, _ := t.apply(b, vars, from, []core.Atom{s}, nil, core.IntLit(0))
	dt0, _ := t.apply(b, t.initZeros(), to, []core.Atom{dt}, nil, nil)
	r := call(b, "r", of.Use(), pair(b, "p", s0, dt0))
	y = t.primal(b, to, proj(b, "y", r, 0))
	return y, proj(b, "u", proj(b, "v", r, 1), 1)
}

func runReverse1(ctx context.Context, p *papers.Problem) (*papers.Answer, *diag.Diagnostic) {
	r := &run{Problem: p, ctx: ctx, name: "reverse1"}
	_, primal, d := r.primal()
	if d != nil {
		return nil, d
	}
	n := len(papers.Reals(p.At))
	t := newReverse1(p.Program, n)
	f := t.reverse1(p.Fun, n)
	if t.err != nil {
		return nil, t.err
	}
	v, ops, d := r.at(t.program(p.Program), f)
	if d != nil {
		return nil, d
	}
	both := v.(value.Tuple)
	answer := &papers.Answer{Value: both[0], Gradient: both[1], Ops: papers.Ops{Primal: primal, Forward: ops}}
	if p.Explain {
		answer.Explanation = t.explain(p.Program, p.Fun, f)
	}
	return answer, nil
}
