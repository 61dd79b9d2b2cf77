package lab

import (
	"context"
	"slices"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/opt"
	"github.com/fluxion-lang/fluxion/internal/papers"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// production is the derivative that the language itself has, beside those of
// the papers: builtin.reverse f AT COTANGENT, in loop form, run by an engine.
// What loop form does not cover, the tape differentiates, on which the
// operations are counted.
func production() papers.Strategy {
	return papers.Strategy{Name: "compiled", Paper: "the language's own vjp", Run: runProduction}
}

func runProduction(ctx context.Context, p *papers.Problem) (*papers.Answer, *diag.Diagnostic) {
	y, primal, d := p.Evaluate(ctx, applied(p), p.MaxOps)
	if d != nil {
		return nil, d
	}
	_, all, d := p.Evaluate(ctx, reversed(p), p.MaxOps)
	if d != nil {
		return nil, d
	}
	r, forms, d := p.Compiled(ctx, gradientOf(p), gradientName, p.At, p.Cotangent)
	if d != nil {
		return nil, d
	}
	answer := &papers.Answer{Value: y, Gradient: r.(value.Tuple)[1],
		Ops: papers.Ops{Primal: primal, Forward: primal, Backward: all - primal}}
	if p.Explain {
		answer.Explanation = strings.Join(forms, "\n")
		if len(forms) == 0 {
			answer.Explanation = core.Print(&core.Program{Main: reversed(p).Main}) +
				"\nthe operations are put on a tape while the function runs, " +
				"and the tape is swept " +
				"backwards\n"
		}
	}
	return answer, nil
}

// Compiler returns what applies functions by the engine of the settings, or by the best one if that
// is the interpreter.
func Compiler(s driver.Settings) func(context.Context, *core.Program, string,
	...value.Value) (value.Value, []string, *diag.Diagnostic) {
	if s.Engine == "" || s.Engine == "interp" {
		s.Engine = driver.BestEngine()
	}
	return func(ctx context.Context, p *core.Program, name string,
		args ...value.Value) (value.Value, []string, *diag.Diagnostic) {
		prepared, d := opt.Prepare(p, opt.Options{Roots: []string{name}, Verify: s.Verify,
			Watch: stop.Of(ctx)})
		if d != nil {
			return nil, nil, d
		}
		options := s.Options()
		engine := options.Engine
		var ran []*loop.Program
		options.Eager = true
		options.Engine = func(p *loop.Program) (loop.Code, error) {
			code, err := engine(p)
			if err != nil {
				return nil, err
			}
			return noted{code, func() {
				if !slices.Contains(ran, p) {
					ran = append(ran, p)
				}
			}}, nil
		}
		code, d := interp.CompileWith(prepared, options)
		if d != nil {
			return nil, nil, d
		}
		v, d := code.Call(ctx, s.Limits, name, args...)
		var forms []string
		for _, p := range ran {
			forms = append(forms, loop.Print(p))
		}
		return v, forms, d
	}
}

// noted is code that calls a function when it has run to its end.
type noted struct {
	loop.Code
	ended func()
}

func (c noted) RunInto(into, args []loop.Arg, opts loop.RunOptions) error {
	err := c.Code.RunInto(into, args, opts)
	if err == nil {
		c.ended()
	}
	return err
}

// applied returns a program that applies the function to the point.
func applied(p *papers.Problem) *core.Program {
	return withMain(p, func(b *core.Builder) *core.Var {
		x := b.Embed(p.At, types.Resolve(p.Fun.Type).(*types.Fun).Param)
		return b.Emit("y", &core.Apply{Fun: p.Fun.Use(), Args: []core.Atom{x}}, p.Fun.At)
	})
}

// reversed returns a program that computes the function's value and gradient at the point.
func reversed(p *papers.Problem) *core.Program {
	fun := types.Resolve(p.Fun.Type).(*types.Fun)
	return withMain(p, func(b *core.Builder) *core.Var {
		x, w := b.Embed(p.At, fun.Param), b.Embed(p.Cotangent, fun.Result)
		return b.Emit("r", reverse(p, x, w), p.Fun.At)
	})
}

// gradientName is the function of a point and a cotangent that gradientOf adds.
const gradientName = "experiment.gradient"

// gradientOf is the program with a definition of the value and the gradient.
func gradientOf(p *papers.Problem) *core.Program {
	fun := types.Resolve(p.Fun.Type).(*types.Fun)
	x, w := core.NewVar("x", fun.Param), core.NewVar("w", fun.Result)
	var b core.Builder
	r := b.Emit("r", reverse(p, x, w), p.Fun.At)
	both := &core.Lambda{Params: []*core.Var{x, w}, Body: b.Block(r)}
	def := core.FunDef(gradientName, nil, both, p.Fun.At)
	defs := append(p.Program.Defs[:len(p.Program.Defs):len(p.Program.Defs)], def)
	return &core.Program{Datas: p.Program.Datas, Defs: defs}
}

func reverse(p *papers.Problem, x, w core.Atom) *core.Prim {
	fun := types.Resolve(p.Fun.Type).(*types.Fun)
	return &core.Prim{Prim: prim.Reverse.Row(), Inst: []types.Type{fun.Param, fun.Result},
		Args: []core.Atom{p.Fun.Use(), x, w}}
}

// withMain is a problem's program with another expression to evaluate.
func withMain(p *papers.Problem, make func(b *core.Builder) *core.Var) *core.Program {
	var b core.Builder
	r := make(&b)
	main := &core.Def{Name: "experiment.main", Type: r.Ty, Body: b.Block(r), At: p.Fun.At}
	return &core.Program{Datas: p.Program.Datas, Defs: p.Program.Defs, Main: main}
}
