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

// gradient is the Forward Plan of §3.2: F{e} once for each of the n reals of
// S, each time in the direction of that one.
func (t *plain) gradient(e *core.Def, n int) *core.Def {
	from, to := signature(e)
	f := t.forward(e)
	s, dt, i := core.NewVar("s", from), core.NewVar("dt", to), core.NewVar("i", types.Int)
	var b, each core.Builder
	ds, _ := t.apply(&each, onehotOp, from, []core.Atom{s}, i, core.IntLit(0))
	dy := call(&each, "dy", f.Use(), s, ds)
	slope := core.Atom(realLit(0))
	if hasReal(to) {
		_, slope = t.apply(&each, dotOp, to, []core.Atom{dy, dt}, nil, slope)
	}
	slopes := b.Emit("slopes", &core.Build{Size: core.IntLit(int64(n)), Index: i, Body: each.Block(slope)}, e.At)
	out, _ := t.apply(&b, fillOp, from, []core.Atom{s}, slopes, core.IntLit(0))
	return t.add("gradient{"+e.Name+"}", &core.Lambda{Params: []*core.Var{s, dt}, Body: b.Block(out)}, e.At)
}

func runForward(ctx context.Context, p *papers.Problem) (*papers.Answer, *diag.Diagnostic) {
	r := &run{Problem: p, ctx: ctx, name: "forward"}
	y, primal, d := r.primal()
	if d != nil {
		return nil, d
	}
	t := newForward(p.Program)
	f := t.gradient(p.Fun, reals(p.At))
	if t.err != nil {
		return nil, t.err
	}
	gradient, ops, d := r.at(t.program(p.Program), f)
	if d != nil {
		return nil, d
	}
	answer := &papers.Answer{Value: y, Gradient: gradient, Ops: papers.Ops{Primal: primal, Forward: ops}}
	if p.Explain {
		answer.Explanation = t.explain(p.Program, p.Fun, f)
	}
	return answer, nil
}

func runReverse1(ctx context.Context, p *papers.Problem) (*papers.Answer, *diag.Diagnostic) {
	r := &run{Problem: p, ctx: ctx, name: "reverse1"}
	_, primal, d := r.primal()
	if d != nil {
		return nil, d
	}
	t := newReverse1(p.Program, reals(p.At))
	f := t.reverse1(p.Fun, reals(p.At))
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
