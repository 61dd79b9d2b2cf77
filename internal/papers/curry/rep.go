package curry

import (
	"context"
	"fmt"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/papers"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

// Pullback is a linear map between tangent spaces: T[y] → T[x].
type Pullback func(g Tangent) Tangent

// rep is a rep-function from products, x ⇝ y: x → (y, T[y] → T[x]).
type rep func(x Product) (Value, Pullback)

// discipline is what distinguishes Figs. 3 and 5: the tangents of functions.
type discipline interface {
	// closed returns a function value that captures nothing.
	closed(arity int, name string, f rep) *Fun
	// curry returns what curry f gives at t: a function of s, where f is a rep-function of (t,
	// s), and the pullback T[t ⇝ s] → T[t].
	curry(c *Curry, name string, arity int, f rep, t Product) (*Fun, Pullback)
	// fix does the work of curry for functions that see one another: each f is a rep-function of
	// (t, F…, s). The pullback is that of all at once.
	fix(c *Fix, fs []rep, t Product) (Product, Pullback)
	// eval applies a function to as many arguments as it takes. The pullback returns the tangent
	// of (f, x…).
	eval(f *Fun, x Product) (Value, Pullback)
}

// machine is the state of one run.
type machine struct {
	discipline
	ctx      context.Context
	strategy string
	maxOps   int64
	at       diag.Span // of the function that is differentiated

	forward, backward int64
	pulling           bool // whether operations now count for the pullback
	depth             int
	inside            int // how many derivatives taken by the program are active
	calls             int64
	calling           diag.Span // the last call

	defs    map[string]*definition
	derived map[*prim.Prim]*derivative

	explaining bool
	notes      []string // what functions got for tangents
}

// definition is a definition of the program as a combinator.
type definition struct {
	def   *core.Def
	fun   *Curry // if it is a function
	term  Term   // if it is not
	value Value  // once it is known
}

// failure carries a failing run out of the rep-functions; solve turns it into a diagnostic.
type failure struct{ d *diag.Diagnostic }

func fail(d *diag.Diagnostic) { panic(failure{d}) }

// count counts primitive operations.
func (m *machine) count(n int64) {
	if m.pulling {
		m.backward += n
	} else {
		m.forward += n
	}
	if m.maxOps > 0 && m.forward+m.backward > m.maxOps {
		fail(papers.OverBudget(m.at, m.strategy, m.maxOps))
	}
}

// maxDepth bounds the active compositions; a call has about three. Rep-functions and pullbacks
// nest on Go's stack, and take at most some 150 words of it for one composition, so this is well
// below the half gigabyte at which Go gives up.
const maxDepth = 300_000

// nest starts a composition or its pullback, which unnest ends.
func (m *machine) nest() {
	if m.depth++; m.depth > maxDepth {
		fail(papers.NotCovered(m.calling,
			"calls nest too deeply: %d compositions are active at once", maxDepth).
			WithHint("rep-functions have no tail calls, since their pullbacks come after; a loop " +
				"takes no depth"))
	}
}

func (m *machine) unnest() { m.depth-- }

// enter counts calls and their pullbacks, elements of arrays and iterations of loops. There may
// be as many of them as operations, because otherwise a run that only moves closures around would
// never end.
func (m *machine) enter(at diag.Span) {
	m.calling = at
	if m.calls++; m.calls%1024 == 0 && m.ctx.Err() != nil {
		fail(diag.Errorf(diag.Interrupted, at, "interrupted"))
	}
	if m.maxOps > 0 && m.calls > m.maxOps {
		fail(papers.OverBudget(m.at, m.strategy, m.maxOps))
	}
}

// rep returns the rep-function of a term.
func (m *machine) rep(t Term) rep {
	return func(x Product) (Value, Pullback) { return t.run(m, x) }
}

// ---- Curry Fig. 2

func (Id) run(_ *machine, x Value) (Value, Pullback) {
	return x, func(g Tangent) Tangent { return g }
}

// run composes: (∘) f g a = let (b, pbf) = f a; (c, pbg) = g b in (c, λgc. pbf (pbg gc))
func (c *Comp) run(m *machine, x Value) (Value, Pullback) {
	pullbacks := make([]Pullback, len(c.Steps))
	m.nest()
	for i, step := range c.Steps {
		x, pullbacks[i] = step.run(m, x)
	}
	m.unnest()
	return x, func(g Tangent) Tangent {
		m.nest()
		for i := len(pullbacks) - 1; i >= 0; i-- {
			g = pullbacks[i](g)
		}
		m.unnest()
		return g
	}
}

// run projects: proj_left (a, b) = (a, λg. (g, 0))
func (p *Proj) run(_ *machine, x Value) (Value, Pullback) {
	of := x.(Product)
	return of[p.Index], func(g Tangent) Tangent { return oneHot(len(of), p.Index, g) }
}

// run makes a product: prod f g y = let (a, pbf) = f y; (b, pbg) = g y in
//
//	((a, b), λ(ga, gb). pbf ga + pbg gb)
//
// The many parts that are projections put their tangents into one product
// instead of making one each; the sum is the same.
func (p *Prod) run(m *machine, x Value) (Value, Pullback) {
	made := make(Product, len(p.Parts))
	pullbacks := make([]Pullback, len(p.Parts))
	for i, part := range p.Parts {
		switch part := part.(type) {
		case *Proj:
			made[i] = x.(Product)[part.Index]
		case *Const:
			made[i] = part.Value
		default:
			made[i], pullbacks[i] = part.run(m, x)
		}
	}
	return made, func(g Tangent) Tangent {
		gs := m.components(g, len(p.Parts))
		var sum Tangent = Zero{}
		for i, pullback := range pullbacks {
			if pullback != nil {
				sum = m.add(sum, pullback(gs[i]))
			}
		}
		return p.addProjections(m, x, sum, gs)
	}
}

func (p *Prod) addProjections(m *machine, x Value, sum Tangent, gs Tangents) Tangent {
	var all Tangents
	for i, part := range p.Parts {
		proj, ok := part.(*Proj)
		if !ok || isZero(gs[i]) {
			continue
		}
		if all == nil {
			n := len(x.(Product))
			all = append(make(Tangents, 0, n), m.components(sum, n)...)
		}
		all[proj.Index] = m.add(all[proj.Index], gs[i])
	}
	if all == nil {
		return sum
	}
	return all
}

// run ignores its input: const v y = (v, λg. 0)
func (c *Const) run(*machine, Value) (Value, Pullback) { return c.Value, discard }

// discard is the pullback of a value that does not depend on its input, or whose tangents are all
// Unit.
func discard(Tangent) Tangent { return Zero{} }

// run returns a definition, which is a constant: if it is a function, it captures nothing.
func (g *Global) run(m *machine, _ Value) (Value, Pullback) {
	d := m.defs[g.Name]
	if d.value == nil {
		if d.fun != nil {
			d.value = m.closed(len(d.fun.Params), g.Name, m.rep(d.fun.Body))
		} else {
			m.enter(d.def.At)
			d.value, _ = d.term.run(m, Product{})
		}
	}
	return d.value, discard
}

// ---- functions: the discipline decides

func (c *Curry) run(m *machine, t Value) (Value, Pullback) {
	f, pullback := m.curry(c, "λ", len(c.Params), m.rep(c.Body), t.(Product))
	return f, m.noting(c.Params, pullback)
}

// maxNotes bounds how many tangents of functions an explanation shows, and noteWidth how much of
// each.
const maxNotes, noteWidth = 12, 160

// noting returns a pullback of a function that is made on the way forward, extended to record its
// tangent for the explanation.
func (m *machine) noting(params []string, pullback Pullback) Pullback {
	if !m.explaining || m.pulling {
		return pullback
	}
	return func(g Tangent) Tangent {
		if len(m.notes) < maxNotes {
			shown := []rune(showTangent(g))
			if len(shown) > noteWidth {
				shown = append(shown[:noteWidth], '…')
			}
			m.notes = append(m.notes, fmt.Sprintf("curry[%s] has the tangent %s",
				strings.Join(params, " "), string(shown)))
		}
		return pullback(g)
	}
}

func (f *Fix) run(m *machine, t Value) (Value, Pullback) {
	fs := make([]rep, len(f.Curry))
	for i, c := range f.Curry {
		fs[i] = m.rep(c.Body)
	}
	return m.fix(f, fs, t.(Product))
}

func (e *Eval) run(m *machine, x Value) (Value, Pullback) {
	of := x.(Product)
	m.enter(e.At)
	y, pullback := e.apply(m, of[0].(*Fun), of[1:])
	return y, func(g Tangent) Tangent {
		m.enter(e.At)
		return pullback(g)
	}
}

// Note [Arity]
//
// A core function takes several arguments at once and is curried all the same.
// With too many arguments, eval is eval of the first and then eval of the rest.
// With too few, it makes a closure of the function and the arguments that are
// there: the closure that curry makes of eval, since
//
//	eval : ((f, x…), y…) ⇝ z, and so curry eval : (f, x…) ⇝ (y… ⇝ z).
//
// So each discipline differentiates a partial application as it does any
// closure.

// partial is the code of all partial applications.
var partial = &Curry{Body: &Eval{}}

func (e *Eval) apply(m *machine, f *Fun, x Product) (Value, Pullback) {
	switch {
	case len(x) < f.Arity:
		return m.curry(partial, f.Name, f.Arity-len(x), m.rep(e), concat(Product{f}, x))
	case len(x) > f.Arity:
		h, first := m.eval(f, x[:f.Arity:f.Arity])
		y, rest := e.apply(m, h.(*Fun), x[f.Arity:])
		return y, func(g Tangent) Tangent {
			gs := m.components(rest(g), 1+len(x)-f.Arity)
			return tangents(append(m.components(first(gs[0]), 1+f.Arity)[:1+f.Arity:1+f.Arity],
				gs[1:]...))
		}
	}
	return m.eval(f, x)
}
