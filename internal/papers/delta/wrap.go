package delta

import (
	"context"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/opt"
	"github.com/fluxion-lang/fluxion/internal/papers"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// The wrappers connect a translation to clients: they make its argument,
// apply it, and take the gradient out of its result. That of each translation
// is in a file of its own.

// objective returns λ(s, dt). e s ⊙ dt of Delta Fig. 15, which also returns e s. It is a source
// definition, to be translated.
func (t *dual) objective(e *core.Def) *core.Def {
	from, to := signature(e)
	arg := core.NewVar("p", tuple(from, to))
	var b core.Builder
	s, dt := proj(&b, "s", arg, 0), proj(&b, "dt", arg, 1)
	y := b.Let("y", to, &core.Apply{Fun: e.Use(), Args: []core.Atom{s}}, e.At)
	dot := core.Atom(realLit(0))
	if types.HasReals(to) {
		_, dot = t.apply(&b, dotOp, to, []core.Atom{y, dt}, nil, dot)
	}
	d := t.add(objectiveName(e), &core.Lambda{Params: []*core.Var{arg},
		Body: b.Block(pair(&b, "r", y, dot))}, e.At)
	t.source[d.Name] = d
	return d
}

func objectiveName(e *core.Def) string { return "objective{" + e.Name + "}" }

// signature returns S and T of a definition of type S -> T.
func signature(e *core.Def) (from, to types.Type) {
	fun := types.Resolve(e.Type).(*types.Fun)
	return fun.Param, fun.Result
}

// run is one differentiation of a problem by the strategy of that name.
type run struct {
	*papers.Problem
	ctx   context.Context
	watch *stop.Watch // of ctx
	name  string
}

func newRun(ctx context.Context, p *papers.Problem, name string) *run {
	return &run{p, ctx, stop.Of(ctx), name}
}

// at evaluates a function of the program at the point and, if it has two arguments, the
// cotangent.
func (r *run) at(p *core.Program, fun *core.Def) (value.Value, int64, *diag.Diagnostic) {
	from, to := signature(r.Fun)
	var b core.Builder
	args := []core.Atom{b.Embed(r.At, from)}
	if n, _ := types.Arity(fun.Type, 2); n == 2 && fun != r.Fun {
		args = append(args, b.Embed(r.Cotangent, to))
	}
	y := b.Emit("y", &core.Apply{Fun: fun.Use(), Args: args}, r.Fun.At)
	main := &core.Def{Name: "𝒟.main", Type: y.Ty, Body: b.Block(y), At: r.Fun.At}
	mono, d := opt.Mono(&core.Program{Datas: p.Datas, Defs: p.Defs, Main: main},
		opt.Options{Watch: r.watch})
	if d != nil {
		return nil, 0, d
	}
	v, ops, d := r.Evaluate(r.ctx, mono, r.MaxOps)
	if d == nil && r.MaxOps > 0 && ops > r.MaxOps || d != nil && d.Code == diag.StrategyBudget {
		d = papers.OverBudget(r.Fun.At, r.name, r.MaxOps)
	}
	return v, ops, d
}

// stage says how far a wrapper goes.
type stage int

const (
	toValue    stage = iota // the forward pass
	toDelta                 // the forward pass, and what it hands on
	toGradient              // everything
)

// primal evaluates the function alone, if the wrappers support its type.
func (r *run) primal() (value.Value, int64, *diag.Diagnostic) {
	if d := firstOrder(r.Fun); d != nil {
		return nil, 0, d
	}
	if d := papers.Beyond(r.Problem, r.name, ruled); d != nil {
		return nil, 0, d
	}
	return r.at(r.Program, r.Fun)
}

// firstOrder refuses an S -> T with functions in S or T (§11).
func firstOrder(e *core.Def) *diag.Diagnostic {
	if from, to := signature(e); hasFun(from) || hasFun(to) {
		return papers.NotCovered(e.At, "the type of %s has functions in its argument or its result",
			e.Name)
	}
	return nil
}
