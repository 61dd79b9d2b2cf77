// Package exact evaluates programs with `Real` meaning the real number: every
// real of a result is an interval that is certain to contain it, as narrow as
// was asked. Derivatives of every order, kinks, integrals, roots and optima are
// included, as in λS.
//
// It is given monomorphic core, a tolerance and limits, and hands on values in
// which reals are enclosures, or a diagnostic that says what could not be
// enclosed, where, and what is known. It must not know how programs are read
// nor how results are shown.
//
// The parts: package jet is the number, a power series over intervals;
// compile*.go turns core into Go functions over jets; integral*.go, root*.go and
// optimum*.go hold the primitives that search; ladder.go runs a program with
// more and more effort until its result is narrow enough.
//
// Note [Soundness]. One rule holds everywhere: a function given jets whose
// coefficients contain the true ones gives a jet whose known coefficients contain
// the true ones, for every point of its arguments at once; what cannot be
// proved to exist is unknown. More effort gives narrower results and never
// different ones.
package exact

import (
	"time"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

// function is a function of the program as the primitives see it. A call
// counts as work, and fails when the budget of the rung is spent, when the run is
// cancelled, when a comparison is undecided (errUndecided), and with a
// *diag.Diagnostic where the program fails for every point of x.
type function = func(x jet.Jet) (jet.Jet, error)

// effort is one rung of the ladder: how hard an evaluation tries. Rungs are
// fixed; neither the clock nor the machine has a say.
type effort struct {
	rung  int
	bits  uint    // of the numbers: 53 are doubles
	tol   jet.Mag // the width that every real of the result should have
	cells int     // into how many pieces one call of a primitive may cut its range
	calls int64   // of functions in all: beyond it the evaluation ends with errBudget
	work  int64   // of these calls, as count weighs them; 0 for no bound

	patient bool // searches in boxes go on until they are done, or a limit of the run is reached
	preview bool // it is not one of the rungs
	finer   bool // it is the rung before, with a finer tolerance
}

// ctx is what evaluation on one rung keeps. It is used by one goroutine.
// The operations on jets are promoted from the algebra.
type ctx struct {
	*jet.Algebra
	effort effort

	// tol is the width that a primitive should reach in the value and in every
	// coefficient of its result. It should not do more once all are there, and
	// need not be ashamed if it cannot: it gives the narrowest enclosure it
	// has. A primitive that calls its function may set tol for what is inside,
	// and then restores it.
	tol jet.Mag

	degrees []int   // of the open variables; the Tag of one is its position + 1
	ranging []bool  // whether they are arguments of integrands, which never leave their cells
	derives []bool  // whether they are those of derivatives of the program
	within  jet.Tag // the first variable that was opened inside of the innermost search, 0 if there is none
	inside  jet.Tag // the same for the outermost search
	stops   bool    // the program has stopGradient: Note [Stopped gradients]
	joint   int     // how many of them are one of several that belong together, as in a gradient
	frame   *frame  // of the innermost primitive that is searching; never nil

	rules      map[ruleKey]*gaussRule // of Gauss that were needed
	thresholds thresholds             // where searches change what they do: Note [Thresholds]

	exchanges int // that are being made: Note [Exchange]

	lifts map[prim.ID]function // rows of the table of one argument, as functions of jets

	// outermost is the outer frame of a certifier's search without variables, nil for other
	// evaluations, and turn what the last of these has found out about its function.
	outermost *frame
	turn      *turn

	sizeInBox float64 // that |f| reaches at some place of the last search in a box

	// For Note [What is known].
	telling  bool      // the innermost search is in no other one
	sought   boxState  // such a search in a box in progress, nil for none
	told     time.Time // when something was told of it last
	ended    boxState  // the last one that has ended, nil for none
	boxWatch *BoxWatch // who is told, nil for nobody

	lean int // which side of ties to take: Note [Leaning]; 0 for none

	touched bool       // some row may have been at the edge of its domain: Note [Moving edges]
	watch   *edgeWatch // of the evaluation that searches for such edges, nil outside of one

	// explaining makes an evaluation find out where derivatives become unknown,
	// which costs time: it is done once, after the climb.
	explaining bool

	calls  int64 // of functions so far
	work   int64 // of these calls
	polled int64 // the work when cancel was asked last
	cancel func(at diag.Span) error
}

// ---- variables

// open makes a new variable, newer than all that exist. The caller evaluates
// with it, takes its result apart, and closes it; what it hands on must not
// contain it.
func (c *ctx) open(degree int) jet.Tag {
	c.degrees, c.ranging, c.derives = append(c.degrees, degree), append(c.ranging, false), append(c.derives, false)
	return jet.Tag(len(c.degrees))
}

// openDerivative makes a new variable for a derivative of the program.
func (c *ctx) openDerivative(degree int) jet.Tag {
	tag := c.open(degree)
	c.derives[tag-1] = true
	return tag
}

// openRange makes a new variable for the argument of an integrand.
func (c *ctx) openRange(degree int) jet.Tag {
	tag := c.open(degree)
	c.ranging[tag-1] = true
	return tag
}

// openForms makes a reverse variable and the one that its forms are in: jet's Note [Forms].
func (c *ctx) openForms() (layer, tag jet.Tag) { return c.openDerivative(0), c.openDerivative(1) }

// nested is how many derivatives, integrals and searches are open.
func (c *ctx) nested() int {
	n := 0
	for _, degree := range c.degrees {
		if degree > 0 {
			n++
		}
	}
	return n
}

// reverse tells whether a variable is a reverse variable that operations keep.
func (c *ctx) reverse(tag jet.Tag) bool {
	return tag >= c.Floor && tag > 1 && c.degrees[tag-2] == 0
}

// close ends the newest variable.
func (c *ctx) close(tag jet.Tag) {
	if int(tag) != len(c.degrees) {
		panic("exact: variables are closed in the order of their age")
	}
	c.degrees, c.ranging, c.derives = c.degrees[:tag-1], c.ranging[:tag-1], c.derives[:tag-1]
}

// ignoreOuter makes the algebra drop every variable that is open now, and gives
// the floor to restore: for searches that need values and their own slopes
// only. Variables opened later are kept.
//
//	defer c.restore(c.ignoreOuter())
func (c *ctx) ignoreOuter() (floor jet.Tag) {
	floor = c.Floor
	c.Floor = jet.Tag(len(c.degrees) + 1)
	return floor
}

func (c *ctx) restore(floor jet.Tag) { c.Floor = floor }

// order is the largest total degree of a coefficient that a result may have: the sum
// of the degrees of the open variables that are not ignored. If it is 0, values
// are all that is asked for; if it is 1, only one first derivative.
func (c *ctx) order() int {
	sum := 0
	for i, degree := range c.degrees {
		if jet.Tag(i+1) >= c.Floor {
			sum += degree
		}
	}
	return sum
}

// ---- work

// count takes one call of the function at a place from the budget.
func (c *ctx) count(at diag.Span) error {
	c.calls++
	c.work += c.weight()
	if c.work-c.polled >= workUnits {
		c.polled = c.work
		if err := c.cancel(at); err != nil {
			return err
		}
	}
	if c.calls > c.effort.calls || c.effort.work > 0 && c.work > c.effort.work {
		return errBudget
	}
	return nil
}

const (
	workUnits  = 64 * callWeight // between two questions whether to stop
	callWeight = 64
	mostWeight = 1 << 24
)

// weight is the work of a call: how many products of coefficients a product of jets takes, and
// what the call takes itself.
func (c *ctx) weight() int64 {
	products := int64(1)
	for i, degree := range c.degrees {
		if d := int64(degree); jet.Tag(i+1) >= c.Floor {
			products = min(products*(d+1)*(d+2)/2, mostWeight)
		}
	}
	return callWeight + products
}

// narrow tells whether every coefficient of x is known and at most tol wide.
func (c *ctx) narrow(x jet.Jet, tol jet.Mag) bool { return !tol.Less(c.Width(x)) }

// newCtx is the context of one evaluation. cancel is asked now and then
// whether to stop.
func newCtx(n jet.Number, effort effort, cancel func(at diag.Span) error) *ctx {
	return &ctx{
		Algebra: jet.NewAlgebra(n), effort: effort, tol: effort.tol, cancel: cancel,
		frame: &frame{watch: -1}, lifts: map[prim.ID]function{},
	}
}
