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
	// maxNesting bounds how deep blocks, values and the lets of a trace may
	// nest: the evaluators recurse, and this is well within Go's stack.
	maxNesting = 50_000
	// maxNodes bounds the terms that are made, which have to lie in memory,
	// whatever the bound of operations is.
	maxNodes = 2 << 20
	// stepsPerOp bounds what is not an operation. Programs that move data about
	// take a few steps for each operation.
	stepsPerOp = 4
)

// machine is what all evaluators of one run share: the definitions, which are
// the outermost function environment φ, and the bounds.
type machine struct {
	ctx    context.Context
	defs   map[string]*core.Def
	consts map[string]value.Value // of definitions that are not functions
	pruned bool                   // see reverser
	notes  *derivation            // of what is evaluated, or nil

	ops     int64 // primitive operations executed
	steps   int64 // statements, elements and nodes of terms: a loop need not have operations
	nesting int   // of blocks
	calls   int   // active
	maxOps  int64
	depth   int // the bound of calls, if it is positive
}

func newMachine(ctx context.Context, p *core.Program, maxOps int64) *machine {
	if maxOps <= 0 {
		maxOps = math.MaxInt64 / 64
	}
	m := &machine{ctx: ctx, defs: map[string]*core.Def{}, consts: map[string]value.Value{},
		maxOps: maxOps}
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

func refuse(at diag.Span, format string, args ...any) {
	fail(papers.NotCovered(at, format, args...))
}

// guard runs f and returns the diagnostic that it stopped with.
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

// count counts n operations.
func (m *machine) count(n int64, at diag.Span) {
	if m.ops += n; m.ops > m.maxOps {
		fail(papers.OverBudget(at, "trace", m.maxOps))
	}
}

// step counts a statement, at which a run can be cancelled.
func (m *machine) step(at diag.Span) { m.work(1, at) }

// work counts n steps.
func (m *machine) work(n int, at diag.Span) {
	before := m.steps
	m.steps += int64(n)
	if before>>10 != m.steps>>10 && m.ctx.Err() != nil {
		failf(diag.Interrupted, at, "the run was interrupted")
	}
	if m.steps > stepsPerOp*m.maxOps+1<<20 {
		fail(papers.OverBudget(at, "trace", m.maxOps))
	}
}

// enter starts a block, which leave ends.
func (m *machine) enter(at diag.Span) {
	m.step(at)
	if m.nesting++; m.nesting > maxNesting {
		tooDeep(at)
	}
}

func (m *machine) leave() { m.nesting-- }

// call starts a call, which done ends.
func (m *machine) call(at diag.Span) {
	if m.calls++; m.depth > 0 && m.calls > m.depth {
		fail(diag.Errorf(diag.DepthLimit, at, "more than %d calls are active at once", m.depth).
			WithHint("raise the limit with --depth"))
	}
}

func (m *machine) done() { m.calls-- }

func tooDeep(at diag.Span) {
	fail(papers.NotCovered(at, "calls, blocks or data nest more than %d deep", maxNesting).
		WithHint("this evaluator has no tail calls; a loop takes no depth"))
}

// checkNesting refuses a value that is nested too deep for what recurses on it.
func checkNesting(v value.Value, at diag.Span) {
	for level, depth := []value.Value{v}, 0; len(level) > 0; depth++ {
		if depth > maxNesting {
			tooDeep(at)
		}
		var next []value.Value
		for _, v := range level {
			next = append(next, children(v)...)
		}
		level = next
	}
}

// env is an environment: of values and, since functions of core may be local
// and capture variables, of functions too: ρ and φ in one.
type env[V any] struct {
	vars map[*core.Var]V
	up   *env[V]
	// outer, if it is not nil, gives the variables that neither vars nor up has.
	outer func(*core.Var) V
}

func (e *env[V]) inner() *env[V] { return &env[V]{vars: map[*core.Var]V{}, up: e} }

func (e *env[V]) get(v *core.Var) V {
	for at := e; at != nil; at = at.up {
		if x, ok := at.vars[v]; ok {
			return x
		}
		if at.outer != nil {
			x := at.outer(v)
			at.vars[v] = x
			return x
		}
	}
	panic("trace: " + v.Name + " is not bound")
}

// closure is clo_φ(f(x:T):U. M). A–P forbid that M has free variables and
// conjecture that this is not needed. Functions are curried: the first given
// of the parameters are bound in env.
type closure[V any] struct {
	fun   *core.Lambda
	env   *env[V]
	given int
}

// missing returns the number of arguments that the function still takes.
func (c *closure[V]) missing() int { return len(c.fun.Params) - c.given }

// bind returns the environment in which the next parameters have those values.
func (c *closure[V]) bind(args []V) *env[V] {
	inner := c.env.inner()
	for i, a := range args {
		inner.vars[c.fun.Params[c.given+i]] = a
	}
	return inner
}

// partial returns the function of the remaining parameters.
func (c *closure[V]) partial(args []V) *closure[V] {
	return &closure[V]{fun: c.fun, env: c.bind(args), given: c.given + len(args)}
}

// literal returns the value of a literal.
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
