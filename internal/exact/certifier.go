package exact

import (
	"context"
	"errors"
	"math"
	"math/big"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/interval"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/stop"
)

// Note [Certifier]. Evaluation on doubles has its integrals, roots and optima certified here: the
// same searches that exact evaluation makes, once, on double intervals or on balls. The function is
// a closure of the other evaluator, translated: the same core, with what it captures. Its literals
// are the doubles nearest to them and its captured reals are points, so that what is a tie on
// doubles is one here.

// Builder makes values out of those of another evaluator, which hides the kind of number.
type Builder interface {
	// RealBytes is what a real takes, roughly.
	RealBytes() int64
	// Slots is an empty value, to be filled in the order of its type: Note [Slots].
	Slots() Slots
	// Array is the array of n elements, whose slots are given one after the other.
	Array(n int, elements Slots) any
	// Data is a data value, by the position of its constructor. Hold gives it its fields.
	Data(con int) any
	Hold(data any, fields Slots)
	// Function is a closure of a function whose free variables are given: Capture says what
	// they are. Its text must be a part of the program. If the function is compiled, and the time
	// for it ends, Function panics as Poll of package stop does.
	Function(name string, at diag.Span, fun *core.Lambda, free []*core.Var) any
	Capture(fun any, values Slots)
	// Partial is a closure with its first arguments.
	Partial(fun any, given int, args Slots) any
	// Define gives a definition that is not a function its value.
	Define(name string, v Slots)
}

// Slots collects the slots of a value.
type Slots interface {
	// Real adds a real: variable k of the search, or a number if k < 0.
	Real(x float64, k int)
	// Int adds an integer or a truth value.
	Int(n int64)
	// Ref adds a string, an array, data or a function.
	Ref(x any)
}

// Certifier runs the searches of one program over one kind of number. A search begins with its
// variables; then its function and its bounds are built, and it is run. It serves one goroutine.
type Certifier interface {
	Builder
	Begin(v Variables)
	// Search runs a primitive that searches. The coefficients are nil if nothing is known. A first
	// root of the function that Crosses was given last, without variables, takes less work.
	Search(row prim.ID, at diag.Span, bounds Slots, fun any, e Effort) ([]Coefficient, Outcome)
	// Box runs a primitive that searches in a box: the coefficients of each real of each place that it
	// finds, or of the value. They are nil if nothing is known.
	Box(row prim.ID, at diag.Span, bounds Slots, fun any, e Effort) ([][][]Coefficient, Outcome)
	// Crosses tells whether a function has a first root, unless the outcome has a doubt.
	Crosses(at diag.Span, fun any, e Effort) (bool, Outcome)
	// Scale gives a lower bound of the size of what the value of an integral or of an optimum is made
	// of: of the integral of |f|, or of the largest |f|. Once it is enough there is no more work.
	Scale(row prim.ID, at diag.Span, bounds Slots, fun any, enough float64, e Effort) (float64, Outcome)
}

// Variables are the reals that a search depends on and that derivatives are taken by.
type Variables struct {
	At    []float64 // the values of all
	By    []int     // those that this run differentiates by; the others are numbers
	Order int       // of the derivatives
	All   bool      // one more derivative is taken, by each of At in turn: Note [Reverse certificates]
	Lean  []float64 // unless nil, the slopes along which all lean, in a run by one: Note [Leaning]
}

// Coefficient is one of the Taylor series of a search in the variables that it was differentiated
// by: the derivative of the orders Powers, divided by their factorials.
type Coefficient struct {
	Powers []int
	Of     []int // the variable that a further derivative is taken by, if one is
	Set    interval.Interval
	Known  bool
}

// certifier implements Certifier for a program with one kind of number.
type certifier struct {
	m         *machine
	program   *program
	filled    int // of the machine's constants
	functions map[*core.Lambda]*code
	variables []jet.Jet // of the search
	leaning   bool      // the first open variable is a direction
	reverse   bool      // the newest one is a reverse variable
}

// Doubles is a certifier for a program on double intervals. While it compiles, now and in Function,
// it polls the watch.
func Doubles(p *core.Program, w *stop.Watch) Certifier {
	return newCertifier(jet.Double{}, p, w)
}

// Balls is a certifier for a program on balls of some more digits than doubles have. It polls as
// one of Doubles does.
func Balls(p *core.Program, w *stop.Watch) Certifier {
	return newCertifier(jet.NewBalls(certifierBits), p, w)
}

const certifierBits = 128

func newCertifier(n jet.Number, p *core.Program, w *stop.Watch) *certifier {
	c := &certifier{functions: map[*core.Lambda]*code{}}
	// The context has no end: an Effort says when a search ends.
	c.m, c.program = newMachine(n, newBudget(context.Background(), Limits{}), w, p.Defs, true)
	for _, g := range c.program.globals {
		if g.code != nil {
			c.functions[g.def.Function()] = g.code
		}
	}
	return c
}

// ---- values

// given is a value that is being built.
type given struct {
	c *certifier
	slots
}

func (v *given) Int(n int64) { v.i = append(v.i, n) }
func (v *given) Ref(x any)   { v.p = append(v.p, x) }
func (v *given) Real(x float64, k int) {
	if k < 0 {
		v.r = append(v.r, v.c.point(x))
	} else {
		v.r = append(v.r, v.c.variables[k])
	}
}

func (c *certifier) RealBytes() int64 { return int64(realBytes) + 2*int64(c.m.N.Bits()-doubleBits) }

func (c *certifier) Slots() Slots { return &given{c: c} }

// slotsOf is what was built.
func slotsOf(v Slots) slots { return v.(*given).slots }

func (c *certifier) Array(n int, elements Slots) any { return &array{n, slotsOf(elements)} }

func (c *certifier) Data(con int) any { return &data{con: con} }

func (c *certifier) Hold(x any, fields Slots) { x.(*data).slots = slotsOf(fields) }

func (c *certifier) Function(name string, at diag.Span, fun *core.Lambda, free []*core.Var) any {
	fn, ok := c.functions[fun]
	if !ok {
		env := map[*core.Var]place{}
		var size shape
		for _, v := range free {
			s := shapeOf(v.Ty)
			env[v] = placeFrom(captured, size, s)
			size = size.plus(s)
		}
		fn = newCode(name, at, fun)
		c.program.function(fn, fun, env)
		c.functions[fun] = fn
	}
	return &closure{code: fn}
}

// placeFrom is slots of a part that lie side by side.
func placeFrom(part int, off, s shape) (at place) {
	for k := range s.r {
		at.r = append(at.r, operand{part, off.r + k})
	}
	for k := range s.i {
		at.i = append(at.i, operand{part, off.i + k})
	}
	for k := range s.p {
		at.p = append(at.p, operand{part, off.p + k})
	}
	return at
}

func (c *certifier) Capture(fun any, values Slots) {
	fun.(*closure).slots = slotsOf(values)
}

func (c *certifier) Partial(fun any, n int, args Slots) any {
	cl := fun.(*closure)
	return &closure{code: cl.code, slots: cl.slots, given: n, args: slotsOf(args)}
}

func (c *certifier) Define(name string, v Slots) {
	slotsOf(v).copyTo(c.m.constants(c.m.values[name].at))
}

// ---- variables

func (c *certifier) Begin(v Variables) {
	m := c.m
	m.joint = 0
	if len(v.At) > 1 { // the derivatives by several are to be those of one function
		m.joint = 1
	}
	m.Floor, m.degrees, m.ranging, m.derives = 0, m.degrees[:0], m.ranging[:0], m.derives[:0]
	c.leaning = v.Lean != nil
	var direction jet.Tag
	if c.leaning {
		direction = m.openDerivative(1)
	}
	c.variables = make([]jet.Jet, len(v.At))
	for k, x := range v.At {
		c.variables[k] = c.point(x)
		if c.leaning {
			c.variables[k] = m.Var(direction, 1, c.variables[k], c.point(v.Lean[k]))
		}
	}
	for _, k := range v.By {
		c.variables[k] = m.Var(m.openDerivative(v.Order), v.Order, c.variables[k], m.One())
	}
	if c.reverse = v.All; c.reverse {
		layer, tag := m.openForms()
		for k, x := range c.variables {
			c.variables[k] = m.Var(tag, 1, x, m.Input(layer, k))
		}
	}
}

// Note [Reverse certificates]. A search that depends on n variables would be run n times for its
// gradient, and for each pair of variables for its second derivatives. Instead its variables become
// the inputs of forms (jet's Note [Forms]): one run, and one pullback, give the derivatives by all
// of them. Those of higher order vary the gradient along the variables By, which are older than the
// reverse variable.

// point is a real without derivatives; nothing is known of one that is not finite.
func (c *certifier) point(x float64) jet.Jet {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return c.m.Unknown()
	}
	return c.m.double(x)
}

// double is a double as a constant of the program: balls know that it is rational.
func (c *ctx) double(x float64) jet.Jet {
	if c.N.Bits() == doubleBits {
		return c.Float(x)
	}
	return c.Const(c.N.Rat(new(big.Rat).SetFloat64(x)))
}

// Note [Leaning]. Where two sides of a kink are equal for every argument of a search, as those of
// max (s * t) 0 are at s = 0, first derivatives are the hull of those on both sides, which may be
// wider than Clarke's: max (min s 0) s is s. Evaluation on doubles promises an element of Clarke's
// derivative, and the derivative where there is one. So the variables lean: they are followed from
// the tie along one direction, the coefficient of the first variable, and then along its opposite.
// The side of the tie is then the sign of the difference for small steps: that of its first
// coefficient, over the whole cell. Where this is 0 in parts of the cell the derivatives of both
// sides are equal there. All derivatives of the first order are those of the functions that are
// chosen, which is the function on one side of the tie.

// leaning is the side of a tie for variables that lean, or 0.
func (c *ctx) leaning(x, y jet.Jet, jump bool) int {
	if c.lean == 0 || jump {
		return 0
	}
	diff := c.Sub(x, y)
	if !c.vanishes(diff) {
		return 0
	}
	along := c.Coeff(c.Upto(diff, 1), 1, 1)
	if !along.Known() {
		return 0
	}
	lo, hi := c.N.Ends(along.Val())
	switch {
	case lo >= 0:
		return c.lean
	case hi <= 0:
		return -c.lean
	}
	return 0
}

// leaningLength is the length of a vector that is 0 unless the variables move that lean. Let it be
// d τ along the direction τ, and e the slope by the variable σ that derivatives are taken by. Where
// τ has the sign of the side, the length is |τ| |d|, and its derivative by σ the product of
// that sign, e and d/|d|. It is not known if d may be 0.
func (c *ctx) leaningLength(xs []jet.Jet) (jet.Jet, bool) {
	if c.lean == 0 || c.Floor > 1 {
		return c.Unknown(), false
	}
	direction, variable := jet.Tag(1), jet.Tag(leaningTags)
	along, inner := make([]jet.Jet, len(xs)), c.Float(0)
	for k, x := range xs {
		if !c.vanishes(x) {
			return c.Unknown(), false
		}
		along[k] = c.withinNewer(x, func(x jet.Jet) jet.Jet {
			return c.Coeff(c.Coeff(x, variable, 0), direction, 1)
		})
		slope := c.withinNewer(x, func(x jet.Jet) jet.Jet { return c.Coeff(x, variable, 1) })
		inner = c.Add(inner, c.Mul(along[k], slope))
	}
	size, kink := c.Norm(along)
	slope := c.Quo(inner, size)
	if kink || !size.Known() || c.N.Sign(size.Val()) <= 0 || !slope.Known() {
		return c.Unknown(), false
	}
	side := c.Float(float64(c.lean))
	y := c.Add(
		c.Mul(c.Var(direction, 1, c.Float(0), c.One()), c.Mul(side, size)),
		c.Mul(c.Var(variable, 1, c.Float(0), c.One()), c.Mul(side, slope)))
	return y, true
}

// withinNewer applies f to the coefficients of x in the variables that are newer than those of a
// search that leans.
func (c *ctx) withinNewer(x jet.Jet, f func(jet.Jet) jet.Jet) jet.Jet {
	tag := x.Newest()
	if tag <= leaningTags {
		return f(x)
	}
	all := make([]jet.Jet, x.Degree(tag)+1)
	for k := range all {
		all[k] = c.withinNewer(c.Coeff(x, tag, k), f)
	}
	return c.Series(tag, x.Degree(tag), all)
}

// vanishes tells whether x is 0 unless the variables move that lean: in all newer ones, too, since
// a derivative inside of the function would tell the sides apart.
func (c *ctx) vanishes(x jet.Jet) bool {
	tag := x.Newest()
	if tag <= leaningTags {
		return x.Known() && c.N.IsPoint(x.Val()) && c.N.Mag(x.Val()).IsZero()
	}
	for k := range x.Degree(tag) + 1 {
		if !c.vanishes(c.Coeff(x, tag, k)) {
			return false
		}
	}
	return true
}

// leaningTags are the direction and the variable that derivatives are taken by.
const leaningTags = 2

// Effort bounds a search.
type Effort struct {
	Lean  int     // the side from which first derivatives at ties are taken, 1 or -1: Note [Leaning]; 0 for hulls
	Tol   float64 // the width to be reached in the value and every derivative
	Cells int
	Work  int64        // of calls of functions, each weighed by the coefficients it computes
	Stop  func() error // asked now and then; an error ends the search
	Known bool         // what a search in a box knows is wanted, whatever it comes to
}

// Outcome is what a search on doubles came to.
type Outcome struct {
	Work    int64            // that was done
	Failure *diag.Diagnostic // of the search: it has no result, whatever the effort, or was stopped
	Doubt   *diag.Diagnostic // why something is wide or unknown, if that is known
	Size    float64          // of Box: that |f| reaches at some place
	Known   *BoxSearch       // of Box, if it is wanted: Note [What is known]; or nil
}

func (c *certifier) Search(
	row prim.ID, at diag.Span, bounds Slots, fun any, e Effort,
) (list []Coefficient, o Outcome) {
	var ends [2]jet.Jet
	copy(ends[:], slotsOf(bounds).r)
	o = c.attempt(at, e, func() error {
		y, err := c.m.search(row, at, ends[0], ends[1], fun.(*closure))
		if err == nil && y.Known() {
			list = c.all([]jet.Jet{y})[0]
		}
		return err
	})
	return list, o
}

func (c *certifier) Box(
	row prim.ID, at diag.Span, bounds Slots, fun any, e Effort,
) (places [][][]Coefficient, o Outcome) {
	ends := slotsOf(bounds).p
	a, b := ends[0].(*array), ends[1].(*array)
	c.m.sizeInBox = 0
	o = c.attempt(at, e, func() error {
		found, err := c.m.searchBox(row, at, a.r, b.r, fun.(*closure))
		if err != nil {
			return err
		}
		var all []jet.Jet
		for _, place := range found {
			if !allKnown(place) {
				return nil
			}
			all = append(all, place...)
		}
		places = [][][]Coefficient{}
		lists := c.all(all)
		for _, place := range found {
			places = append(places, lists[:len(place):len(place)])
			lists = lists[len(place):]
		}
		return nil
	})
	o.Size = c.m.sizeInBox
	if e.Known && c.m.ended != nil {
		known := c.m.ended.known(false)
		o.Known = &known
	}
	c.m.ended = nil
	return places, o
}

func (c *certifier) Crosses(at diag.Span, fun any, e Effort) (yes bool, o Outcome) {
	o = c.attempt(at, e, func() (err error) {
		yes, err = c.m.decideCrossing(at, fun.(*closure))
		return err
	})
	return yes, o
}

// attempt runs a search.
func (c *certifier) attempt(at diag.Span, e Effort, search func() error) (o Outcome) {
	m := c.m
	for ; c.filled < len(m.fill); c.filled++ {
		m.fill[c.filled]()
	}
	tol := jet.MagOf(e.Tol)
	m.effort = effort{bits: m.N.Bits(), tol: tol, cells: e.Cells, calls: e.Work / callWeight, work: e.Work}
	m.tol, m.calls, m.work, m.polled, m.depth, m.used, m.lean = tol, 0, 0, 0, 0, 0, e.Lean
	m.touched, m.watch = false, nil
	m.frame = &frame{watch: -1}
	if m.outermost = nil; len(c.variables) == 0 {
		m.outermost = m.frame
	}
	m.stop = e.Stop
	err := search()
	m.stack.release(c.reverse)
	o.Work = m.work

	var failure *diag.Diagnostic
	switch t := m.frame.trouble; {
	case errors.As(err, &failure):
		o.Failure = failure
	case err == errUndecided && (m.frame.first.met || t.code == ""):
		o.Doubt = diag.Errorf(diag.Undecided, m.frame.first.at, "which side a comparison takes is not known")
	case err != nil && err != errUndecided:
		o.Doubt = diag.Errorf(diag.EffortSpent, at, "the effort ran out")
		o.Doubt.Hints = t.hints
	case t.code != "":
		o.Doubt = diag.Errorf(t.code, t.at, "%s", t.what)
		o.Doubt.Hints = t.hints
	}
	return o
}

// all lists the coefficients of each of some reals, and those of its derivatives by all variables.
func (c *certifier) all(ys []jet.Jet) [][]Coefficient {
	lists := make([][]Coefficient, len(ys))
	if !c.reverse {
		for i, y := range ys {
			lists[i] = c.coefficients(y)
		}
		return lists
	}
	m := c.m
	tag := jet.Tag(len(m.degrees))
	values, forms := make([]jet.Jet, len(ys)), make([]jet.Jet, len(ys))
	for i, y := range ys {
		values[i], forms[i] = m.Plain(m.Coeff(y, tag, 0)), m.Coeff(y, tag, 1)
	}
	m.close(tag)
	m.close(tag - 1)
	for i := range ys {
		lists[i] = c.coefficients(values[i])
		gradient, ok := m.Pullback(len(c.variables), forms[i:i+1], []jet.Jet{m.One()})
		for k := range c.variables {
			slope := m.Unknown()
			if ok {
				slope = gradient[k]
			}
			lists[i] = append(lists[i], c.coefficients(slope, k)...)
		}
	}
	return lists
}

// coefficients lists those of a real, its value first, without those that are 0 by structure.
func (c *certifier) coefficients(x jet.Jet, of ...int) (list []Coefficient) {
	first := 0
	if c.leaning {
		first = 1
	}
	powers := make([]int, len(c.m.degrees))
	var visit func(x jet.Jet, tag int)
	visit = func(x jet.Jet, tag int) {
		if tag == 0 {
			if len(list) == 0 || !x.IsZero() {
				lo, hi := c.m.N.Ends(x.Val())
				set, _ := interval.New(lo, hi)
				list = append(list, Coefficient{slices.Clone(powers[first:]), of, set, x.Known()})
			}
			return
		}
		for n := 0; n <= x.Degree(jet.Tag(tag)) && (n == 0 || tag > first); n++ {
			powers[tag-1] = n
			visit(c.m.Coeff(x, jet.Tag(tag), n), tag-1)
		}
		powers[tag-1] = 0
	}
	visit(x, len(powers))
	return list
}
