package curry

import (
	"context"
	"fmt"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/papers"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Strategies returns the two of this paper.
func Strategies() []papers.Strategy {
	list := papers.Strategy{Name: "curry-list", Paper: "Curry Figs. 1–3, 6",
		Run: strategy("curry-list", func(m *machine) discipline { return callList{m} })}
	env := papers.Strategy{Name: "curry-env", Paper: "Curry Figs. 1, 2, 5, 6",
		Run: strategy("curry-env", func(m *machine) discipline { return environment{m} })}
	return []papers.Strategy{list.WithRules(papers.Pullbacks), env.WithRules(papers.Pullbacks)}
}

func strategy(name string, functions func(*machine) discipline) func(context.Context,
	*papers.Problem) (*papers.Answer, *diag.Diagnostic) {
	return func(ctx context.Context, p *papers.Problem) (*papers.Answer, *diag.Diagnostic) {
		m := newMachine(ctx, p.Program)
		m.discipline, m.strategy = functions(m), name
		m.maxOps, m.at, m.explaining = p.MaxOps, p.Fun.At, p.Explain
		return m.solve(p)
	}
}

// newMachine translates a program: Curry §3.1, Step 1.
func newMachine(ctx context.Context, p *core.Program) *machine {
	m := &machine{ctx: ctx, defs: map[string]*definition{}, derived: map[*prim.Prim]*derivative{}}
	for _, def := range p.Defs {
		m.define(def)
	}
	return m
}

func (m *machine) define(def *core.Def) {
	d := &definition{def: def}
	if fun := def.Function(); fun != nil {
		d.fun = translateFun(fun)
	} else {
		d.term = translateBlock(def.Body)
	}
	m.defs[def.Name] = d
}

// solve computes vjp of Curry Fig. 2: vjp f x gb = snd (f x) gb. Forward, a rep-function does
// what the function does and nothing else, so the operations of the function alone are those of
// the forward pass.
func (m *machine) solve(p *papers.Problem) (answer *papers.Answer, d *diag.Diagnostic) {
	defer func() {
		if r := recover(); r != nil {
			failed, ok := r.(failure)
			if !ok {
				panic(r)
			}
			answer, d = nil, failed.d
		}
	}()
	if d := papers.Beyond(p, m.strategy, prim.Reverse, prim.Forward, prim.Jacobian,
		papers.Pullbacks); d != nil {
		return nil, d
	}
	fun := types.Resolve(p.Fun.Type).(*types.Fun)
	from, to := fun.Param, fun.Result
	if m.defs[p.Fun.Name] == nil {
		m.define(p.Fun) // it may be outside of the program that it uses
	}
	m.constants(p)
	x := fromValue(p.At, from)
	f := comp(&Prod{Parts: []Term{&Global{p.Fun.Name}, &Proj{0, "x"}}}, &Eval{p.Fun.At})
	y, pullback := f.run(m, Product{x})
	forward := m.forward

	result := toValue(y, to)
	if !sameShape(p.Cotangent, result, to) {
		return nil, papers.NotCovered(p.Fun.At,
			"the cotangent %s does not have the shape of the value %s",
			value.Show(p.Cotangent), value.Show(result))
	}
	g := fromCotangent(p.Cotangent, to)
	m.pulling = true
	gx := m.components(pullback(g), 1)[0]
	gradient := m.toGradient(gx, x, from)
	answer = &papers.Answer{
		Value:    result,
		Gradient: gradient,
		Ops:      papers.Ops{Primal: forward, Forward: forward, Backward: m.backward},
	}
	if p.Explain {
		var out strings.Builder
		out.WriteString(m.explain(p.Fun))
		fmt.Fprintf(&out, "\nat %s the value is %s\n", value.Show(p.At), value.Show(answer.Value))
		for _, note := range m.notes {
			out.WriteString(note + "\n")
		}
		fmt.Fprintf(&out, "the pullback takes %s to %s\n", showTangent(g), showTangent(gx))
		answer.Explanation = out.String()
	}
	return answer, nil
}

// reachable lists a definition and everything that it uses.
func (m *machine) reachable(fun *core.Def) []*definition {
	seen := map[string]bool{fun.Name: true}
	found := []*definition{m.defs[fun.Name]}
	for i := 0; i < len(found); i++ {
		core.Atoms(found[i].def.Body, func(a core.Atom) {
			if g, ok := a.(*core.Global); ok && !seen[g.Name] {
				seen[g.Name] = true
				found = append(found, m.defs[g.Name])
			}
		})
	}
	return found
}

// constants evaluates the definitions that are not functions, in the order of the program, in
// which they precede their uses.
func (m *machine) constants(p *papers.Problem) {
	needed := map[*core.Def]bool{}
	for _, d := range m.reachable(p.Fun) {
		needed[d.def] = d.fun == nil
	}
	for _, def := range p.Program.Defs {
		if needed[def] {
			(&Global{def.Name}).run(m, nil)
		}
	}
}

// explain returns the combinators of a definition and of everything that it uses.
func (m *machine) explain(fun *core.Def) string {
	p := printer{watch: stop.Of(m.ctx)}
	for i, d := range m.reachable(fun) {
		if i > 0 {
			p.b.WriteString("\n")
		}
		p.definition(d)
	}
	return p.b.String()
}
