package papers

import (
	"context"
	"fmt"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/opt"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Rules in the papers]
//
// The papers call a function with a rule of the program's own a primitive: A–P's op, which comes
// with op_r; Delta's primitives from ℝⁿ to ℝᵐ (Fig. 14); Curry's primitives, which "come with
// rep-function implementations". Some need the tangents of a primitive, some its pullback. A rule
// of the other form is transposed, which is a derivative inside the program: a linear function is
// its own derivative, at any point.
//
//	bf x by = snd (reverse (df x) x by)
//	df x dx = snd (reverse (bf x) (f x) dx)
//
// What the function captures is differentiated as usual. Checkpoints and enclosures do not
// concern derivatives; they become the application of their functions.

// Rules is the form of rule that a strategy takes, as a primitive.
type Rules = prim.ID

// The forms.
const (
	Tangents  Rules = prim.WithDerivative
	Pullbacks Rules = prim.WithPullback
)

// WithRules returns a strategy that also takes programs with rules of their own.
func (s Strategy) WithRules(form Rules) Strategy {
	run := s.Run
	s.Run = func(ctx context.Context, p *Problem) (*Answer, *diag.Diagnostic) {
		return run(ctx, p.ruled(stop.Of(ctx), form))
	}
	return s
}

// ruled returns the problem with all rules in one form.
func (p *Problem) ruled(w *stop.Watch, form Rules) *Problem {
	found := false
	each := func(b *core.Block, f func(*core.Let, *core.Prim)) {
		core.Walk(b, func(s core.Stmt) {
			if let, ok := s.(*core.Let); ok {
				if op, ok := let.Op.(*core.Prim); ok && core.IsRule(op) {
					f(let, op)
				}
			}
		})
	}
	for _, d := range p.Program.Defs {
		each(d.Body, func(*core.Let, *core.Prim) { found = true })
	}
	if !found {
		return p
	}
	program := &core.Program{Datas: p.Program.Datas}
	var transposed []*core.Def
	for _, d := range p.Program.Defs {
		def := *d
		def.Body = core.NewCopier(nil).Block(d.Body)
		each(def.Body, func(let *core.Let, op *core.Prim) {
			switch op.Prim.ID {
			case form:
			case Tangents, Pullbacks:
				by := transposing(&transposed, form, op.Inst)
				let.Op = &core.Apply{Fun: by.Use(), Args: op.Args}
			default:
				let.Op = core.Unruled(op)
			}
		})
		program.Defs = append(program.Defs, &def)
	}
	program.Defs = append(transposed, program.Defs...)
	q := *p
	options := opt.Options{Watch: w}
	// otherwise it is outside of the program, of which it may use anything
	if slices.Contains(p.Program.Defs, p.Fun) {
		options.Roots = []string{p.Fun.Name}
	}
	q.Program = opt.Simplify(program, options)
	for _, d := range q.Program.Defs {
		if d.Name == p.Fun.Name {
			q.Fun = d
		}
	}
	return &q
}

// transposing returns the definition that applies a function with a rule of the other form, at
// given types.
func transposing(made *[]*core.Def, form Rules, inst []types.Type) *core.Def {
	name := fmt.Sprintf("%s{%s -> %s}", form, types.Show(inst[0]), types.Show(inst[1]))
	for _, d := range *made {
		if d.Name == name {
			return d
		}
	}
	s, t := inst[0], inst[1]
	second, result := s, t // of the given rule
	if form == Tangents {
		second, result = t, s
	}
	f := core.NewVar("f", types.Funs(t, s))
	rule := core.NewVar("rule", types.Funs(result, s, second))
	x := core.NewVar("x", s)

	at, w := core.NewVar("x", s), core.NewVar("w", result)
	var inner core.Builder
	linear := inner.Emit("l", &core.Apply{Fun: rule, Args: []core.Atom{at}}, diag.Span{})
	point := core.Atom(at)
	if form == Tangents {
		point = inner.Emit("y", &core.Apply{Fun: f, Args: []core.Atom{at}}, diag.Span{})
	}
	both := inner.Emit("r", &core.Prim{Prim: prim.Reverse.Row(), Inst: []types.Type{second, result},
		Args: []core.Atom{linear, point, w}}, diag.Span{})
	transpose := inner.Emit("d", &core.Proj{Of: both, Index: 1}, diag.Span{})

	var b core.Builder
	by := b.Emit("by", &core.Lambda{Params: []*core.Var{at, w}, Body: inner.Block(transpose)},
		diag.Span{})
	y := b.Emit("y", &core.Prim{Prim: form.Row(), Inst: inst, Args: []core.Atom{f, by, x}},
		diag.Span{})
	d := core.FunDef(name, nil, &core.Lambda{Params: []*core.Var{f, rule, x}, Body: b.Block(y)},
		diag.Span{})
	*made = append(*made, d)
	return d
}
