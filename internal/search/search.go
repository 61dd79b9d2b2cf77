// Package search finds integrals, roots and optima of functions of a running program, on doubles:
// values, and Taylor series in the variables of the derivatives in progress.
//
// It is given a Problem, a function of one real as the evaluator can call it, and hands on what it
// Found: a number with its series, which the evaluator makes a node of its tape. It must not know
// how the evaluator represents values, nor how it takes derivatives.
//
// A search has two parts. Package solve finds numbers by looking at points (guess.go). Package
// exact encloses the value and every derivative on intervals (certify.go). Problem and Program are
// all that an evaluator implements; Searcher holds what a run keeps.
package search

import (
	"fmt"
	"math"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/stop"
)

// Problem is a search that a program meets: a primitive with its function and bounds. Some of the
// reals that these are made of are variables of derivatives in progress, which have numbers.
type Problem interface {
	Row() prim.ID     // the primitive
	Place() diag.Span // where it is in the program
	// Bounds are those of the range, as numbers: two, one or none; for a box, all of one corner and
	// then of the other.
	Bounds() []float64
	// Value is the function at a number, and Slope its derivative.
	Value(x float64) (float64, error)
	Slope(x float64) (float64, error)
	// Varying lists the values of the variables, and how many derivatives are taken of the search.
	// To find them it may build values.
	Varying(scratch exact.Builder) (at []float64, order int, d *diag.Diagnostic)
	// Build makes the function and the bounds. The variables are those that Varying found. Like
	// Varying it fails if there is not enough memory.
	Build(to exact.Builder) (fun any, bounds exact.Slots, d *diag.Diagnostic)
}

// Program is the program that runs.
type Program interface {
	Core() *core.Program
	// Define tells the constants that are known by now, but for those that are defined already.
	Define(to exact.Builder, defined map[string]bool) *diag.Diagnostic
	// Stop is asked now and then; an error ends the search.
	Stop() error
	// Watch ends what is compiled for a search.
	Watch() *stop.Watch
}

// Found is what a search came to.
type Found struct {
	Number            // of a search for a real
	Yes    bool       // of `crosses`
	Places [][]Number // of a search in a box for places, the reals of each
}

// Number is a real that a search found.
type Number struct {
	Value  float64
	Series *Series // nil if the search depends on no variable
}

// Searcher makes the searches of a run. It serves one goroutine.
type Searcher struct {
	doubles, balls *tier
	unguarded      bool
	depth          int // searches in progress
	calls          int // of functions by the heuristics of the outermost of them
	memo           memo
}

// mostCalls is how many calls of functions the heuristics of a certified search may make, those of
// searches inside it included: what they find is an estimate.
const mostCalls = 1 << 17

// Busy tells whether a search is in progress.
func (s *Searcher) Busy() bool { return s.depth > 0 }

// Work is what has been done to certify searches: calls of functions, each weighed by the
// coefficients it computes.
func (s *Searcher) Work() int64 { return s.doubles.done + s.balls.done }

// New makes the searcher of a run. Unguarded leaves values to heuristics, and takes derivatives
// however wide their enclosures are.
func New(p Program, unguarded bool) *Searcher {
	return &Searcher{
		unguarded: unguarded,
		doubles:   &tier{program: p, make: exact.Doubles, asks: doubleAsks, work: doubleWork},
		balls:     &tier{program: p, make: exact.Balls, asks: ballAsks, work: ballWork},
	}
}

// Run makes a search.
func (s *Searcher) Run(p Problem) (Found, *diag.Diagnostic) {
	s.depth++
	defer func() { s.depth-- }()
	r := &run{Searcher: s, problem: p}
	c, d := s.doubles.certifier()
	if d != nil {
		return Found{}, d
	}
	func() {
		defer stop.Catch(&d)
		r.at, r.order, d = p.Varying(c)
	}()
	if d != nil {
		return Found{}, d
	}
	if s.depth == 1 {
		s.calls = 0
	}
	switch box := p.Row().Row().Over != 0; {
	case s.unguarded && !box:
		return r.guessed()
	case s.unguarded:
		return r.box()
	case s.depth == 1:
		return r.remembered()
	}
	return r.inside()
}

// remembered is a certified search: Note [Searches made before].
func (r *run) remembered() (Found, *diag.Diagnostic) {
	var as *Describer
	if len(r.at) == 0 {
		as = describe(r.problem)
	}
	if as == nil {
		return r.certified()
	}
	r.text = string(as.text)
	key := fmt.Sprint(r.problem.Row()) + r.text
	if before, ok := r.memo.found[key]; ok {
		return before.Found, nil
	}
	found, d := r.certified()
	if d == nil {
		r.memo.put(key, as, found)
	}
	return found, d
}

// inside is a search in the function of another one that is certified. It serves an estimate of
// that one, which need not be good: so its derivatives are not sought.
func (r *run) inside() (Found, *diag.Diagnostic) {
	switch {
	case len(r.at) > 0:
		return Found{}, uncertified(nil, "a search inside of it is differentiated")
	case r.problem.Row().Row().Over != 0:
		return Found{}, uncertified(nil, "a search in a box has no estimate")
	}
	found, d := r.guessed()
	if d != nil && d.Code == diag.NoIntegral {
		d = nil
	}
	return found, d
}

// run is one search in progress.
type run struct {
	*Searcher
	problem  Problem
	at       []float64        // the values of its variables
	order    int              // of the derivatives that are taken of it
	least    float64          // of the size of what its value is made of: certified
	measured float64          // that enough was looked for
	over     *diag.Diagnostic // the limit that ended the search for that size, or nil
	// describes its function and its bounds, if it has no variables; "" if nothing does
	text string
}

// value is the function at a number, for heuristics.
func (r *run) value(x float64) (float64, error) {
	if d := r.count(); d != nil {
		return 0, d
	}
	return r.problem.Value(x)
}

// slope is the derivative of the function, for heuristics.
func (r *run) slope(x float64) (float64, error) {
	if d := r.count(); d != nil {
		return 0, d
	}
	return r.problem.Slope(x)
}

// count counts a call. Beyond mostCalls it fails, unless there is nothing but heuristics.
func (r *run) count() *diag.Diagnostic {
	if r.calls++; r.calls > mostCalls && !r.unguarded {
		return uncertified(nil, "heuristics do not find an estimate")
	}
	return nil
}

// guessed is a search by heuristics, with the middles of whatever encloses its derivatives.
func (r *run) guessed() (Found, *diag.Diagnostic) {
	if r.problem.Row() == prim.Crosses {
		yes, d := r.guessCrossing()
		return Found{Yes: yes}, d
	}
	e, d := r.guess()
	if d != nil || len(r.at) == 0 {
		return Found{Number: Number{Value: e.value}}, d
	}
	p, d := r.doubles.narrow(r, e.size)
	if d != nil && d.Code == diag.NotCertified {
		p, d = r.balls.narrow(r, e.size)
	}
	if d != nil && d.Code == diag.NotCertified {
		p, d = unknownSeries(len(r.at), d), nil
	}
	if d != nil {
		return Found{}, d
	}
	p.settle(e.value, math.Inf(1), r.size)
	p.terms[0].c = e.value
	return Found{Number: Number{e.value, p}}, nil
}
