package lab

import (
	"context"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/diff"
	"github.com/fluxion-lang/fluxion/internal/opt"
	"github.com/fluxion-lang/fluxion/internal/papers"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// production returns the derivative of the language itself: the program builtin.reverse f AT
// COTANGENT.
func production() papers.Strategy {
	return papers.Strategy{Name: "compiled", Paper: "the language's own vjp", Run: runProduction}
}

func runProduction(ctx context.Context, p *papers.Problem) (*papers.Answer, *diag.Diagnostic) {
	y, primal, d := p.Evaluate(ctx, applied(p), p.MaxOps)
	if d != nil {
		return nil, d
	}
	both := reversed(p)
	r, all, d := p.Evaluate(ctx, both, p.MaxOps)
	if d != nil {
		return nil, d
	}
	answer := &papers.Answer{Value: y, Gradient: r.(value.Tuple)[1],
		Ops: papers.Ops{Primal: primal, Forward: primal, Backward: all - primal}}
	if p.Explain {
		answer.Explanation = explainProduction(p, both)
	}
	return answer, nil
}

// explainProduction shows the derivative as a program, if the function can be differentiated as a
// whole. Other functions are recorded while they run, and then there is only the call to show.
func explainProduction(p *papers.Problem, call *core.Program) string {
	text := core.Print(&core.Program{Main: call.Main})
	whole := *p.Program
	whole.Main = nil
	for _, d := range opt.Simplify(&whole, opt.Options{Roots: []string{p.Fun.Name}}).Defs {
		if d.Name != p.Fun.Name || d.Function() == nil {
			continue
		}
		pullback, err := diff.Pullback(d.Function())
		if err != nil {
			return text + "\nthe operations are put on a tape while the function runs, and the " +
				"tape is swept backwards\n"
		}
		def := core.FunDef("pullback{"+p.Fun.Name+"}", nil, pullback, p.Fun.At)
		text += "\n" + core.Print(&core.Program{Defs: []*core.Def{def}})
	}
	return text
}

// applied returns a program that applies the function to the point.
func applied(p *papers.Problem) *core.Program {
	return withMain(p, func(b *core.Builder) *core.Var {
		x := papers.Embed(b, p.At, types.Resolve(p.Fun.Type).(*types.Fun).Param)
		return b.Emit("y", &core.Apply{Fun: p.Fun.Use(), Args: []core.Atom{x}}, p.Fun.At)
	})
}

// reversed returns a program that computes the function's value and gradient at the point.
func reversed(p *papers.Problem) *core.Program {
	fun := types.Resolve(p.Fun.Type).(*types.Fun)
	return withMain(p, func(b *core.Builder) *core.Var {
		x, w := papers.Embed(b, p.At, fun.Param), papers.Embed(b, p.Cotangent, fun.Result)
		reverse := &core.Prim{Prim: prim.Reverse.Row(), Inst: []types.Type{fun.Param, fun.Result},
			Args: []core.Atom{p.Fun.Use(), x, w}}
		return b.Emit("r", reverse, p.Fun.At)
	})
}

// withMain returns a problem's program with another main expression.
func withMain(p *papers.Problem, make func(b *core.Builder) *core.Var) *core.Program {
	var b core.Builder
	r := make(&b)
	main := &core.Def{Name: "experiment.main", Type: r.Ty, Body: b.Block(r), At: p.Fun.At}
	return &core.Program{Datas: p.Program.Datas, Defs: p.Program.Defs, Main: main}
}
