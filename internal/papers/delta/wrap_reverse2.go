package delta

import (
	"context"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/papers"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// reverse2 returns R²{e}, Delta Fig. 8, for general S and T, at a point whose S has n reals. It
// computes the value and, depending on last, the gradient, the Delta or nothing more.
func (t *plain) reverse2(e *core.Def, n int, last stage) *core.Def {
	from, to := signature(e)
	s, dt := core.NewVar("s", from), core.NewVar("dt", to)
	var b core.Builder
	y, u := t.pullBack(&b, e, oneHotVars, s, dt)
	out := y
	switch last {
	case toDelta:
		out = pair(&b, "r", y, u)
	case toGradient:
		z := call(&b, "z", lib("zeros").Use(), core.IntLit(int64(n)))
		ds := call(&b, "ds", lib("eval2").Use(), realLit(1), u, z)
		gradient, _ := t.apply(&b, fillOp, from, []core.Atom{s}, ds, core.IntLit(0))
		out = pair(&b, "r", y, gradient)
	}
	return t.add("R²{"+e.Name+"}", &core.Lambda{Params: []*core.Var{s, dt}, Body: b.Block(out)},
		e.At)
}

var oneHotVars = initVars(func(b *core.Builder, id core.Atom) core.Atom {
	return construct(b, data("Delta2"), "OneHot", id)
})

// smallDelta bounds the operations of the backward pass up to which a Delta is shown.
const smallDelta = 2000

func runReverse2(ctx context.Context, p *papers.Problem) (*papers.Answer, *diag.Diagnostic) {
	r := newRun(ctx, p, "reverse2")
	_, primal, d := r.primal()
	if d != nil {
		return nil, d
	}
	if d := r.tree(); d != nil {
		return nil, d
	}
	t := newReverse2(p.Program)
	t.watch = r.watch
	n := len(value.RealsOf(p.At))
	first, whole, shown := t.reverse2(p.Fun, n, toValue), t.reverse2(p.Fun, n, toGradient),
		t.reverse2(p.Fun, n, toDelta)
	if t.err != nil {
		return nil, t.err
	}
	program := t.program(p.Program)
	_, forward, d := r.at(program, first)
	if d != nil {
		return nil, d
	}
	v, ops, d := r.at(program, whole)
	if d != nil {
		return nil, d
	}
	both := v.(value.Tuple)
	answer := &papers.Answer{Value: both[0], Gradient: both[1],
		Ops: papers.Ops{Primal: primal, Forward: forward, Backward: ops - forward}}
	if p.Explain {
		answer.Explanation = t.explain(p.Program, p.Fun, whole)
		if answer.Ops.Backward > smallDelta {
			answer.Explanation += "\nThe Delta is too large to show.\n"
			return answer, nil
		}
		v, _, d := r.at(program, shown)
		if d != nil {
			return nil, d
		}
		answer.Explanation += "\n" + showDelta(v.(value.Tuple)[1], variables(p))
	}
	return answer, nil
}

// tree refuses a Delta whose evaluation would exceed the bound, before it is made. Its size
// without sharing follows from the Delta with sharing, that of 𝒟←.
func (r *run) tree() *diag.Diagnostic {
	if r.MaxOps <= 0 {
		return nil
	}
	modules := modulesOf(r.Problem)
	modules.Lock()
	defer modules.Unlock()
	t := newMonad(r.Program, modules)
	t.watch = r.watch
	f := t.reverse(r.Fun, t.def(t.objective(r.Fun)), toDelta)
	if t.err != nil {
		return t.err
	}
	v, _, d := r.at(t.program(r.Program), f)
	if d == nil && treeSize(v.(value.Tuple)[1]) > float64(r.MaxOps) {
		d = papers.OverBudget(r.Fun.At, r.name, r.MaxOps)
	}
	return d
}

// treeSize counts the nodes of a Delta with all Lets expanded.
func treeSize(u value.Value) float64 {
	lets := map[value.Value]float64{}
	var size func(u value.Value) float64
	size = func(u value.Value) float64 {
		switch con := u.(value.Con); con.Name {
		case "Scale":
			return 1 + size(con.Args[1])
		case "Add":
			return 1 + size(con.Args[0]) + size(con.Args[1])
		case "Var":
			return max(1, lets[con.Args[0]])
		}
		return 1
	}
	for {
		con := u.(value.Con)
		if con.Name != "Let" {
			return size(u)
		}
		lets[con.Args[0]] = size(con.Args[1])
		u = con.Args[2]
	}
}
