package delta

import (
	"context"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/papers"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Reverse returns R{e} of Delta Fig. 15, as S -> δT -> (T, δS): it also returns the value of e. e
// is a definition of a monomorphic program. The result is a program with the new definition in
// it, at the polymorphic level: opt.Mono makes it ready to run, or to be translated again.
func Reverse(p *core.Program, e *core.Def) (*core.Program, *core.Def, *diag.Diagnostic) {
	if d := firstOrder(e); d != nil {
		return nil, nil, d
	}
	t := newMonad(p, newModules())
	r := t.reverse(e, t.def(t.objective(e)), toGradient)
	return t.program(p), r, t.err
}

var deltaVars = initVars(func(b *core.Builder, id core.Atom) core.Atom {
	return construct(b, data("Delta"), "Var", id)
})

// reverse returns the wrapper:
//
//	R{e} = λ(s, dt). let (s0, dv) = initVars_S (s, 0)
//	                 let dt0 = initZeros_T dt
//	                 let u = runDelta (dv + 1) (𝒟{λ(s, dt). e s ⊙ dt} (s0, dt0))
//	                 let finalMap = eval 1 u emptyMap
//	                 lookup_S (finalMap, s0)
func (t *monad) reverse(e, of *core.Def, last stage) *core.Def {
	from, to := signature(e)
	s, dt := core.NewVar("s", from), core.NewVar("dt", to)
	var b core.Builder
	s0, dv := t.apply(&b, deltaVars, from, []core.Atom{s}, nil, core.IntLit(0))
	dt0, _ := t.apply(&b, t.initZeros(), to, []core.Atom{dt}, nil, nil)
	start := pair(&b, "state", next(&b, dv), construct(&b, data("DeltaBinds"), "Done"))
	p := call(&b, "p", of.Use(), pair(&b, "p", s0, dt0), start)
	r := proj(&b, "r", p, 0)
	y := t.primal(&b, to, proj(&b, "y", r, 0))
	dual := proj(&b, "v", r, 1)
	u := call(&b, "u", lib("runDelta").Use(), proj(&b, "u", dual, 1), proj(&b, "state", p, 1))
	out := pair(&b, "r", y, u)
	if last == toGradient {
		um := call(&b, "finalMap", lib("evalDelta").Use(), u)
		gradient, _ := t.apply(&b, lookupOp(), from, []core.Atom{s}, um, core.IntLit(0))
		out = pair(&b, "r", y, gradient)
	}
	return t.add("R{"+e.Name+"}", &core.Lambda{Params: []*core.Var{s, dt}, Body: b.Block(out)},
		e.At)
}

// runDelta runs the forward pass as translated, which hands back a Delta, and
// evaluates that over a mutable array: §7.3.
func runDelta(ctx context.Context, p *papers.Problem) (*papers.Answer, *diag.Diagnostic) {
	r := newRun(ctx, p, "delta")
	_, primal, d := r.primal()
	if d != nil {
		return nil, d
	}
	modules := modulesOf(p)
	modules.Lock()
	defer modules.Unlock()
	t := newMonad(p.Program, modules)
	t.watch = r.watch
	f := t.reverse(p.Fun, t.def(t.objective(p.Fun)), toDelta)
	if t.err != nil {
		return nil, t.err
	}
	v, forward, d := r.at(t.program(p.Program), f)
	if d != nil {
		return nil, d
	}
	both := v.(value.Tuple)
	tape := evalDelta(both[1])
	if p.MaxOps > 0 && forward+tape.ops > p.MaxOps {
		return nil, papers.OverBudget(p.Fun.At, r.name, p.MaxOps)
	}
	id := 0
	answer := &papers.Answer{Value: both[0],
		Gradient: value.MapReals(p.At, func(float64) float64 { id++; return tape.at(id) }),
		Ops:      papers.Ops{Primal: primal, Forward: forward, Backward: tape.ops},
		Cells:    tape.cells}
	if p.Explain {
		answer.Explanation = t.explain(p.Program, p.Fun, f) + "\n" + showDelta(
			both[1], variables(p))
	}
	return answer, nil
}
