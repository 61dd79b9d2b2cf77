package trace

import (
	"context"
	"fmt"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/papers"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Strategies returns the algorithms of this package.
func Strategies() []papers.Strategy {
	trace := papers.Strategy{Name: "trace", Paper: "A–P Figs. 2–6", Run: run(false)}
	return []papers.Strategy{trace.WithRules(papers.Pullbacks)}
}

// Pruned returns the strategy trace with ReversePruned for Fig. 6: not as
// published, but within reach of larger programs.
func Pruned() papers.Strategy {
	pruned := papers.Strategy{
		Name:  "trace-pruned",
		Paper: "A–P Figs. 2–6, without what is zero in Fig. 6; not among all",
		Run:   run(true),
	}
	return pruned.WithRules(papers.Pullbacks)
}

// Trace is x:T. C: a function traced at a point.
type Trace struct {
	Var  *Var
	Body Term
	// At is the point and Value the function's value there, both with every
	// array as a value.Array.
	At, Value value.Value
}

// Evaluate runs ordinary evaluation (Figs. 2–3) of the function at the point, and returns its
// value and the number of operations.
func Evaluate(ctx context.Context, p *papers.Problem) (value.Value, int64, *diag.Diagnostic) {
	m := start(ctx, p, false)
	v, d := m.evaluate(p)
	return v, m.ops, d
}

// Symbolic runs symbolic evaluation (Figs. 4–5) of the function at the point, and returns the
// trace and the number of operations.
func Symbolic(ctx context.Context, p *papers.Problem) (*Trace, int64, *diag.Diagnostic) {
	m := start(ctx, p, false)
	t, d := m.trace(p)
	return t, m.ops, d
}

// start makes a machine for a problem.
func start(ctx context.Context, p *papers.Problem, pruned bool) *machine {
	m := newMachine(ctx, p.Program, p.MaxOps)
	m.pruned, m.depth = pruned, p.MaxDepth
	if p.Explain {
		m.notes = &derivation{}
	}
	return m
}

// evaluate computes φ | {x ↦ V} ⊢ f(x) ⇒ W.
func (m *machine) evaluate(p *papers.Problem) (v value.Value, d *diag.Diagnostic) {
	d = guard(func() {
		o, at := ordinary{m}, unpack(p.At)
		f := o.atom(p.Fun.Use(), nil).(*closure[value.Value])
		m.noteProblem(p, " ⇒ ", func() string {
			v = o.apply(f, []value.Value{at}, p.Fun.At)
			checkNesting(v, p.Fun.At)
			return valueText(v)
		})
		v = pack(v, result(p.Fun))
	})
	return v, d
}

// trace computes φ | {x ↦ V} ⊢ f(x) ⇝ C.
func (m *machine) trace(p *papers.Problem) (t *Trace, d *diag.Diagnostic) {
	d = guard(func() {
		s, at := newSymbolic(m), unpack(p.At)
		x := &Var{Name: parameter(p.Fun), Type: shape(at), moves: true}
		s.known[x] = at
		m.noteProblem(p, " ⇝ ", func() string {
			body := s.scoped(func() sym {
				return s.apply("y", s.atom(p.Fun.Use(), nil).function(),
					[]sym{{val: at, term: value0(x)}}, p.Fun.At)
			})
			t = &Trace{Var: x, Body: body.term, At: at, Value: body.val}
			return "C, the trace"
		})
	})
	return t, d
}

// noteProblem records the judgement about the function at the point.
func (m *machine) noteProblem(p *papers.Problem, arrow string, run func() string) {
	if m.notes == nil {
		run()
		return
	}
	var about environment
	about.add(parameter(p.Fun), p.At)
	line := m.notes.open(about.String() + shortName(p.Fun.Name) + "(" + parameter(p.Fun) + ")")
	m.notes.close(line, arrow+run())
}

// parameter returns the name of the function's argument.
func parameter(fun *core.Def) string {
	if lambda := fun.Function(); lambda != nil && lambda.Params[0].Name != "" {
		return lambda.Params[0].Name
	}
	return "x"
}

// RealPart returns the real part of a value, which is what traces are about.
func RealPart(v value.Value) Val {
	v = unpack(v)
	part, err := realPart(v, shape(v))
	if err != nil {
		panic("trace: " + err.Error())
	}
	return part
}

// value0 returns a variable as a value; one without reals is ∗.
func value0(x *Var) Term {
	if isUnit(x.Type) {
		return star
	}
	return x
}

func result(fun *core.Def) types.Type {
	_, t := types.Splay(fun.Type, 1)
	return t
}

// Eval runs ordinary evaluation of a trace term whose free variables have the given values, and
// returns its value and the number of operations.
func Eval(ctx context.Context, c Term, rho map[*Var]Val, maxOps int64) (v Val, ops int64,
	d *diag.Diagnostic) {
	m := newMachine(ctx, nil, maxOps)
	inner := make(map[*Var]Val, len(rho))
	for x, val := range rho {
		inner[x] = val
	}
	d = guard(func() { v = m.eval(c, inner) })
	return v, m.ops, d
}

// run returns the strategy: the function is traced at the point, the trace is
// differentiated, and the derivative is evaluated.
func run(pruned bool) func(ctx context.Context, p *papers.Problem) (*papers.Answer,
	*diag.Diagnostic) {
	return func(ctx context.Context, p *papers.Problem) (*papers.Answer, *diag.Diagnostic) {
		answer := &papers.Answer{}
		d := papers.Beyond(p, "trace", prim.Reverse, prim.Forward, prim.Jacobian, papers.Pullbacks)
		if d != nil {
			return nil, d
		}
		ordinarily, symbolically := start(ctx, p, pruned), start(ctx, p, pruned)
		if answer.Value, d = ordinarily.evaluate(p); d != nil {
			return nil, d
		}
		t, d := symbolically.trace(p)
		if d != nil {
			return nil, d
		}
		answer.Ops.Primal, answer.Ops.Forward = ordinarily.ops, symbolically.ops

		m := newMachine(ctx, p.Program, p.MaxOps)
		m.pruned = pruned
		var derivative Term
		w := &Var{Name: "w", Type: typeOf(t.Body), moves: true}
		d = guard(func() {
			rho := map[*Var]Val{t.Var: part(t.At, t.Var.Type, p.Fun.At),
				w: part(unpack(p.Cotangent), w.Type, p.Fun.At)}
			derivative = m.reverse(w, t.Var, t.Var, t.Body)
			answer.Gradient = pack(withReals(t.At, m.eval(derivative, rho)), source(p.Fun))
		})
		if d != nil {
			return nil, d
		}
		answer.Ops.Backward = m.ops
		if p.Explain {
			answer.Explanation = fmt.Sprintf("ordinary evaluation (A–P Figs. 2–3)\n%s\nsymbolic "+
				"evaluation (A–P Figs. 4–5)\n%s\n%s",
				ordinarily.notes, symbolically.notes, explain(p, t, w, derivative, pruned,
					answer.Gradient))
		}
		return answer, nil
	}
}

func source(fun *core.Def) types.Type {
	params, _ := types.Splay(fun.Type, 1)
	return params[0]
}

// part returns the realPart of a value that the problem gives.
func part(v value.Value, ty Type, at diag.Span) Val {
	part, err := realPart(v, ty)
	if err != nil {
		refuse(at, "%s", err)
	}
	return part
}

// Forward differentiates in forward mode by A–P's eq. (6), as two reverse derivatives. It returns
// the value and the tangent of the result for a tangent of the point.
//
//	v.fd_x(f) = v.rd_0(w. w.rd_x(f))
func Forward(ctx context.Context, p *papers.Problem, tangent value.Value) (v, dv value.Value,
	d *diag.Diagnostic) {
	m := start(ctx, p, true)
	t, d := m.trace(p)
	if d != nil {
		return nil, nil, d
	}
	d = guard(func() {
		w := &Var{Name: "w", Type: typeOf(t.Body), moves: true}
		u := &Var{Name: "u", Type: t.Var.Type, moves: true}
		inner := m.reverse(w, t.Var, t.Var, t.Body)
		outer := m.reverse(u, w, w, inner)
		rho := map[*Var]Val{t.Var: part(t.At, t.Var.Type, p.Fun.At), w: zeroVal(w.Type),
			u: part(unpack(tangent), u.Type, p.Fun.At)}
		v = pack(t.Value, result(p.Fun))
		dv = pack(withReals(t.Value, m.eval(outer, rho)), result(p.Fun))
	})
	return v, dv, d
}

// What an explanation shows of each term: its first lines, if it is not too
// large to be laid out.
const (
	maxLines  = 200
	maxLayout = 50_000 // nodes
)

// explain shows a trace and its derivative.
func explain(p *papers.Problem, t *Trace, w *Var, derivative Term, pruned bool,
	gradient value.Value) string {
	var b strings.Builder
	names := &printer{}
	x := names.name(t.Var)
	fmt.Fprintf(&b, "trace at %s = %s (A–P Figs. 4–5)\n", x, value.ShowAtMost(t.At, 12))
	fmt.Fprintf(&b, "%s : %s ⊢\n", x, ShowType(t.Var.Type))
	body(&b, names, t.Body)
	fmt.Fprintf(&b, ": %s\n\n", ShowType(typeOf(t.Body)))

	q := &printer{}
	x, wn := q.name(t.Var), q.name(w)
	figure := "A–P Fig. 6"
	if pruned {
		figure += ", without zeros"
	}
	fmt.Fprintf(&b, "derivative %s.R_%s(%s. trace) (%s), of %d nodes where the trace has %d\n", wn,
		x, x, figure, Size(derivative), Size(t.Body))
	fmt.Fprintf(&b, "%s : %s, %s : %s ⊢\n", x, ShowType(t.Var.Type), wn, ShowType(w.Type))
	body(&b, q, derivative)
	fmt.Fprintf(&b, ": %s\n", ShowType(t.Var.Type))
	fmt.Fprintf(&b, "which is %s where %s = %s\n", value.ShowAtMost(gradient, 12), wn,
		value.ShowAtMost(p.Cotangent, 12))
	return b.String()
}

func body(b *strings.Builder, p *printer, c Term) {
	if n := Size(c); n > maxLayout {
		fmt.Fprintf(b, "  a term of %d nodes\n", n)
		return
	}
	lines := strings.Split(p.show(c, "  "), "\n")
	more := len(lines) - maxLines
	if more > 0 {
		lines = lines[:maxLines]
	}
	b.WriteString("  " + strings.Join(lines, "\n") + "\n")
	if more > 0 {
		fmt.Fprintf(b, "  … and %d more lines\n", more)
	}
}
