package delta

import (
	"context"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/papers"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Forward is F{e} : S -> δS -> δT of Delta Fig. 15,
//
//	F{e} = λx. delta_T (𝒟{e} (zip_S x))
//
// for a definition e : S -> T of a monomorphic program. It gives a program
// with the new definition in it, at the polymorphic level: opt.Mono makes it
// ready to run, or to be translated again.
func Forward(p *core.Program, e *core.Def) (*core.Program, *core.Def, *diag.Diagnostic) {
	if d := firstOrder(e); d != nil {
		return nil, nil, d
	}
	t := newForward(p)
	f := t.forward(e)
	return t.program(p), f, t.err
}

func (t *plain) forward(e *core.Def) *core.Def {
	from, to := signature(e)
	de := t.def(e)
	s, ds := core.NewVar("s", from), core.NewVar("ds", from)
	var b core.Builder
	s0, _ := t.apply(&b, zipOp, from, []core.Atom{s, ds}, nil, nil)
	y := call(&b, "y", de.Use(), s0)
	dy, _ := t.apply(&b, deltaOp, to, []core.Atom{y}, nil, nil)
	return t.add("F{"+e.Name+"}", &core.Lambda{Params: []*core.Var{s, ds}, Body: b.Block(dy)}, e.At)
}

// gradient returns the Forward Plan of §3.2: F{e} once for each of the n reals of
// S, each time in the direction of that one.
func (t *plain) gradient(e *core.Def, n int) *core.Def {
	from, to := signature(e)
	f := t.forward(e)
	s, dt, i := core.NewVar("s", from), core.NewVar("dt", to), core.NewVar("i", types.Int)
	var b, each core.Builder
	ds, _ := t.apply(&each, onehotOp, from, []core.Atom{s}, i, core.IntLit(0))
	dy := call(&each, "dy", f.Use(), s, ds)
	slope := core.Atom(realLit(0))
	if types.HasReals(to) {
		_, slope = t.apply(&each, dotOp, to, []core.Atom{dy, dt}, nil, slope)
	}
	slopes := b.Emit("slopes", &core.Build{Size: core.IntLit(int64(n)), Index: i,
		Body: each.Block(slope)}, e.At)
	out, _ := t.apply(&b, fillOp, from, []core.Atom{s}, slopes, core.IntLit(0))
	return t.add("gradient{"+e.Name+"}", &core.Lambda{Params: []*core.Var{s, dt},
		Body: b.Block(out)}, e.At)
}

func runForward(ctx context.Context, p *papers.Problem) (*papers.Answer, *diag.Diagnostic) {
	r := newRun(ctx, p, "forward")
	y, primal, d := r.primal()
	if d != nil {
		return nil, d
	}
	n := len(value.RealsOf(p.At))
	if p.MaxOps > 0 && primal > p.MaxOps/int64(max(1, n)) { // n times at the least
		return nil, papers.OverBudget(p.Fun.At, r.name, p.MaxOps)
	}
	t := newForward(p.Program)
	t.watch = r.watch
	f := t.gradient(p.Fun, n)
	if t.err != nil {
		return nil, t.err
	}
	gradient, ops, d := r.at(t.program(p.Program), f)
	if d != nil {
		return nil, d
	}
	answer := &papers.Answer{Value: y, Gradient: gradient,
		Ops: papers.Ops{Primal: primal, Forward: ops}}
	if p.Explain {
		answer.Explanation = t.explain(p.Program, p.Fun, f)
	}
	return answer, nil
}
