package exact

import (
	"context"
	"math/big"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Options say what is asked of a run.
type Options struct {
	Eps    *big.Rat // the width of every real in the result; positive
	Limits Limits

	// Watch, if it is there, is told after each rung of the ladder what is
	// known: the enclosures so far, nil if there are none yet.
	Watch func(Progress)

	// Boxes, if it is there, is told of searches in boxes. With Patient these go on until they are
	// done, or a limit of the run is reached.
	Boxes   *BoxWatch
	Patient bool

	// Stream reaches Eps by way of wider tolerances, each the square of the one before, so
	// that Watch sees the enclosures shrink (λS §6).
	Stream bool

	Mode Mode

	// TrustRules uses the enclosures of withEnclosure without comparing them with their functions.
	// RuleCompared, if it is there, is told of each that agrees.
	TrustRules   bool
	RuleCompared func(core.Agreement)

	// Rules uses rules of `withDerivative` and `withPullback` instead of differentiating their
	// functions. Nothing proves a rule.
	Rules bool

	// Proof is set where something is concluded from derivatives of the program, as searches
	// conclude from their own: Note [Slopes that are told].
	Proof bool

	// Term, if it is there, is given the term of each reverse derivative by forms that is not
	// inside another derivative or a search, once for each result.
	Term func([]Node)

	// Inspect, if it is there, is given what `debug` shows, at the end of the run: Note [Debug].
	Inspect func(at diag.Span, label string, v value.Value)
}

// Mode says how reverse derivatives are computed.
type Mode int

const (
	Cheapest Mode = iota // forward mode for few inputs, forms for more
	Forward              // run the function for each input
	Reverse              // run it once, on forms
)

// Node is a node of the term of a derivative: By · A + B, or an input. See jet's Note [Forms].
type Node struct {
	Input   int // -1 for none
	By      Enclosure
	A, B    int       // earlier nodes; B is -1 if there is none
	Sum     bool      // A + B; By means nothing
	Kink    bool      // By is the set [0, 1] between two sides
	Adjoint Enclosure // of the node, for a cotangent 1 of the result
}

// Progress is where a run is.
type Progress struct {
	Value value.Value // nil as long as there is none
	Bits  uint        // the precision of the rung: 53 are doubles
	Rung  int
	Calls int64 // of functions by integrals, roots and optima on the rung
}

// Run evaluates a monomorphic program's Main until every real in its value is at
// most Eps wide. Where that fails it gives a diagnostic and the narrowest
// value it has, which is nil if there is none.
func Run(ctx context.Context, p *core.Program, o Options) (value.Value, *diag.Diagnostic) {
	r, d := newRunner(ctx, p, o, nil)
	if d != nil {
		return nil, d
	}
	if o.Inspect != nil {
		defer func() { r.shown.tell(o.Inspect) }()
	}
	var best value.Value
	if o.Stream {
		for eps := big.NewRat(1, 10); eps.Cmp(o.Eps) > 0; eps = new(big.Rat).Mul(eps, eps) {
			r.options.Eps = eps
			v, d := r.climb()
			if v != nil {
				best = narrower(best, v)
			}
			if d != nil && d.Code != diag.NotNarrowed {
				return best, d // what stops it at a wide tolerance stops it at a narrow one
			}
		}
		r.options.Eps = o.Eps
	}
	v, d := r.climb()
	if v == nil {
		return best, d
	}
	return narrower(best, v), d
}

// runner climbs the ladder with one program.
type runner struct {
	program *core.Program
	parts   []*part
	tree    result
	powers  [][]int // of Tower; nil for the program's value
	options Options
	machine *machine
	shown   inspections // Note [Debug]
}

// newRunner compiles a program. The diagnostic says that the context ended before it was compiled.
func newRunner(ctx context.Context, p *core.Program, o Options, powers [][]int) (r *runner, d *diag.Diagnostic) {
	defer func() {
		if d != nil {
			d.Span = p.Main.At
		}
	}()
	defer stop.Catch(&d)
	r = &runner{program: p, powers: powers, options: o}
	defs, parts, tree := takeApart(stop.Of(ctx), p, powers != nil)
	r.parts, r.tree = parts, tree
	r.machine, _ = newMachine(jet.Double{}, newBudget(ctx, o.Limits), stop.Of(ctx), defs, false)
	return r, nil
}

// numberOf is the number with which an effort computes.
func numberOf(bits uint) jet.Number {
	if bits == doubleBits {
		return jet.Double{}
	}
	return jet.NewBalls(bits)
}

// newMachine makes a machine for definitions, and gives what compiled them. It computes with a
// number until it is turned to a rung. It polls the watch, and panics when the watch does.
func newMachine(
	n jet.Number, b budget, w *stop.Watch, defs []*core.Def, rounded bool,
) (*machine, *program) {
	m := &machine{ctx: newCtx(n, effort{}, b.check), budget: b}
	m.values, m.rungs = map[string]*definition{}, map[*effort]*rung{}
	m.cancel = m.budget.check
	m.single = &code{result: shape{p: 1}, frame: shape{p: 1}}
	return m, compileProgram(m, w, defs, rounded)
}

// programNumber tells whether a number is that of the program, and not one that a search made for
// an evaluation of its own.
func programNumber(n jet.Number) bool {
	if b, ok := n.(jet.Balls); ok {
		_, plain := b.Of.(jet.Multi)
		return plain
	}
	_, double := n.(jet.Double)
	return double
}
