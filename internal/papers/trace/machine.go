package trace

import (
	"context"
	"math"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/papers"
	"github.com/fluxion-lang/fluxion/internal/value"
)

const (
	// maxDepth bounds how deep calls may nest; the evaluators recurse.
	maxDepth = 40_000
	// maxNodes bounds the terms that are made, which have to lie in memory,
	// whatever the bound of operations is.
	maxNodes = 2 << 20
)

// machine is what all evaluators of one run share: the definitions, which are
// the outermost function environment φ, and the bound of operations.
type machine struct {
	ctx    context.Context
	defs   map[string]*core.Def
	consts map[string]value.Value // of definitions that are not functions
	pruned bool                   // see reverser

	ops    int64 // primitive operations executed
	steps  int64 // statements and trace terms evaluated: a loop need not have operations
	depth  int
	maxOps int64
}

func newMachine(ctx context.Context, p *core.Program, maxOps int64) *machine {
	if maxOps <= 0 {
		maxOps = math.MaxInt64 / 64
	}
	m := &machine{ctx: ctx, defs: map[string]*core.Def{}, consts: map[string]value.Value{}, maxOps: maxOps}
	if p != nil {
		for _, d := range p.Defs {
			m.defs[d.Name] = d
		}
	}
	return m
}

// stop ends a run; guard turns it into a diagnostic.
type stop struct{ d *diag.Diagnostic }

func fail(d *diag.Diagnostic) { panic(stop{d}) }

func failf(code diag.Code, at diag.Span, format string, args ...any) {
	fail(diag.Errorf(code, at, format, args...))
}

func refuse(at diag.Span, format string, args ...any) { fail(papers.NotCovered(at, format, args...)) }

// guard runs f and gives the diagnostic that it stopped with.
func guard(f func()) (d *diag.Diagnostic) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case stop:
			d = r.d
		default:
			panic(r)
		}
	}()
	f()
	return nil
}

// count notes n operations.
func (m *machine) count(n int64, at diag.Span) {
	if m.ops += n; m.ops > m.maxOps {
		fail(papers.OverBudget(at, "trace", m.maxOps))
	}
}

// step notes a statement, at which a run can be cancelled.
func (m *machine) step(at diag.Span) {
	m.steps++
	if m.steps&1023 == 0 && m.ctx.Err() != nil {
		failf(diag.Interrupted, at, "the run was interrupted")
	}
	if m.steps > 16*m.maxOps+1<<20 {
		fail(papers.OverBudget(at, "trace", m.maxOps))
	}
}

// call runs a function's body, one level deeper.
func (m *machine) call(at diag.Span, body func()) {
	if m.depth++; m.depth > maxDepth {
		fail(diag.Errorf(diag.DepthLimit, at, "more than %d calls are active at once", maxDepth))
	}
	body()
	m.depth--
}

// env is an environment: of values and, since functions of core may be local
// and capture variables, of functions too: ρ and φ in one.
type env[V any] struct {
	vars map[*core.Var]V
	up   *env[V]
}

func (e *env[V]) inner() *env[V] { return &env[V]{vars: map[*core.Var]V{}, up: e} }

func (e *env[V]) get(v *core.Var) V {
	for at := e; at != nil; at = at.up {
		if x, ok := at.vars[v]; ok {
			return x
		}
	}
	panic("trace: " + v.Name + " is not bound")
}

// closure is clo_φ(f(x:T):U. M), applied to the first of its arguments. A–P
// forbid that M has free variables and conjecture that this is not needed.
type closure[V any] struct {
	fun  *core.Lambda
	env  *env[V]
	args []V
}

// bind is the environment of a call with all arguments.
func (c *closure[V]) bind(args []V) *env[V] {
	inner := c.env.inner()
	for i, p := range c.fun.Params {
		inner.vars[p] = args[i]
	}
	return inner
}

// literal is the value of a literal.
func literal(l *core.Lit) value.Value {
	switch {
	case l.Real != nil && l.Ty == realCore:
		x, _ := l.Real.Float64()
		return value.Real(x)
	case l.Ty == intCore:
		return value.Int(l.Int)
	case l.Ty == boolCore:
		return value.Bool(l.Bool)
	case l.Ty == stringCore:
		return value.String(l.Str)
	}
	return value.Tuple{}
}
