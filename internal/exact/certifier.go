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
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
)

// Note [Certifier]. Evaluation on doubles has its integrals, roots and optima certified here: the
// same searches that exact evaluation makes, once, on double intervals or on balls. The function is
// a closure of the other evaluator, translated: the same core, with what it captures. Its literals
// are the doubles nearest to them and its captured reals are points, so that what is a tie on
// doubles is one here.

// Certifier runs the searches of one program over one kind of number. It serves one goroutine.
type Certifier[T any] struct {
	m         *machine[T]
	program   *program[T]
	filled    int // of the machine's constants
	functions map[*core.Lambda]*code[T]
}

// Doubles is a certifier for a program on double intervals.
func Doubles(p *core.Program) *Certifier[interval.Interval] {
	return newCertifier(jet.Number[double](jet.Double{}), p)
}

// Balls is a certifier for a program on balls of some more digits than doubles have.
func Balls(p *core.Program) *Certifier[*ball.Ball] {
	return newCertifier(jet.Number[multi](jet.NewMulti(certifierBits)), p)
}

const certifierBits = 128

func newCertifier[T any](n jet.Number[T], p *core.Program) *Certifier[T] {
	c := &Certifier[T]{functions: map[*core.Lambda]*code[T]{}}
	c.m, c.program = machineFor(n, newBudget(context.Background(), Limits{}), p.Defs, true)
	for _, g := range c.program.globals {
		if g.code != nil {
			c.functions[g.def.Function()] = g.code
		}
	}
	return c
}

// Value collects the slots of a value in the order of its type: Note [Slots].
type Value[T any] struct{ slots slots[T] }

// Real adds a real.
func (v *Value[T]) Real(x jet.Jet[T]) { v.slots.r = append(v.slots.r, x) }

// Int adds an integer or a truth value.
func (v *Value[T]) Int(n int64) { v.slots.i = append(v.slots.i, n) }

// Ref adds a string, an array, data or a function.
func (v *Value[T]) Ref(x any) { v.slots.p = append(v.slots.p, x) }

// NewArray is the array of n elements, whose slots are given one after the other.
func NewArray[T any](n int, elements Value[T]) any { return &array[T]{n, elements.slots} }

// NewData is a data value, by the position of its constructor. Hold gives it its fields.
func (c *Certifier[T]) NewData(con int) *Data[T] { return &Data[T]{con: con} }

// Data is a data value.
type Data[T any] = data[T]

// Hold sets the fields of data.
func Hold[T any](x *Data[T], fields Value[T]) { x.slots = fields.slots }

// Closure is a function of the program.
type Closure[T any] = closure[T]

// Function is a closure of a function whose free variables are given: Capture says what they
// are. Its text must be a part of the program.
func (c *Certifier[T]) Function(name string, at diag.Span, fun *core.Lambda, free []*core.Var) *Closure[T] {
	fn, ok := c.functions[fun]
	if !ok {
		env := map[*core.Var]place{}
		var size shape
		for _, v := range free {
			s := shapeOf(v.Ty)
			env[v] = placeFrom(captured, size, s)
			size = size.plus(s)
		}
		fn = newCode[T](name, at, fun)
		c.functions[fun] = fn
		c.program.function(fn, fun, env)
	}
	return &Closure[T]{code: fn}
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

// Capture gives a closure the values of its free variables.
func Capture[T any](cl *Closure[T], values Value[T]) { cl.slots = values.slots }

// Partial is a closure with its first arguments.
func Partial[T any](cl *Closure[T], given int, args Value[T]) *Closure[T] {
	return &Closure[T]{code: cl.code, slots: cl.slots, given: given, args: args.slots}
}

// Define gives a definition that is not a function its value.
func (c *Certifier[T]) Define(name string, v Value[T]) {
	v.slots.copyTo(c.m.constants(c.m.values[name].at))
}

// Begin starts a search, with no variable open. Variables that will be are joint if the derivatives by
// several are to be those of one function.
func (c *Certifier[T]) Begin(joint bool) {
	m := c.m
	m.joint = 0
	if joint {
		m.joint = 1
	}
	m.Floor, m.degrees, m.ranging = 0, m.degrees[:0], m.ranging[:0]
}

// Point is a real without derivatives; nothing is known of one that is not finite.
func (c *Certifier[T]) Point(x float64) jet.Jet[T] {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return c.m.Unknown()
	}
	return c.m.double(x)
}

// double is a double as a constant of the program: balls know that it is rational.
func (c *ctx[T]) double(x float64) jet.Jet[T] {
	if c.N.Bits() == doubleBits {
		return c.Float(x)
	}
	return c.Const(c.N.Rat(new(big.Rat).SetFloat64(x)))
}

// Variable is a real that varies from x on, to be differentiated up to an order.
func (c *Certifier[T]) Variable(x float64, order int) jet.Jet[T] { return c.Vary(c.Point(x), order) }

// Vary makes a real vary along a further variable.
func (c *Certifier[T]) Vary(x jet.Jet[T], order int) jet.Jet[T] {
	return c.m.Var(c.m.open(order), order, x, c.m.One())
}

// Direction opens a first variable, along which reals lean.
func (c *Certifier[T]) Direction() { c.m.open(1) }

// Along is x as it leans with a slope along that variable.
func (c *Certifier[T]) Along(x, slope float64) jet.Jet[T] {
	return c.m.Var(1, 1, c.Point(x), c.Point(slope))
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
func (c *ctx[T]) leaning(x, y jet.Jet[T], jump bool) int {
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

// vanishes tells whether x is 0 unless the variables move that lean: in all newer ones, too, since a
// derivative inside of the function would tell the sides apart.
func (c *ctx[T]) vanishes(x jet.Jet[T]) bool {
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
	Calls int64
	Stop  func() error // asked now and then; an error ends the search
}

// Outcome is what a search on doubles came to.
type Outcome struct {
	Calls   int64            // of functions
	Failure *diag.Diagnostic // of the search: it has no result, whatever the effort, or was stopped
	Doubt   *diag.Diagnostic // why something is wide or unknown, if that is known

}

// Search runs a primitive that searches, from a to b where it has a range.
func (c *Certifier[T]) Search(name string, at diag.Span, a, b jet.Jet[T], fun *Closure[T], e Effort) (y jet.Jet[T], o Outcome) {
	y = c.m.Unknown()
	o = c.attempt(at, e, func() error {
		found, err := c.m.search(name, at, a, b, fun)
		if err == nil {
			y = found
		}
		return err
	})
	return y, o
}

// Crosses tells whether a function has a first root, unless the outcome has a doubt.
func (c *Certifier[T]) Crosses(at diag.Span, fun *Closure[T], e Effort) (yes bool, o Outcome) {
	o = c.attempt(at, e, func() (err error) {
		yes, err = c.m.decideCrossing(at, fun)
		return err
	})
	return yes, o
}

// attempt runs a search.
func (c *Certifier[T]) attempt(at diag.Span, e Effort, search func() error) (o Outcome) {
	m := c.m
	for ; c.filled < len(m.fill); c.filled++ {
		m.fill[c.filled]()
	}
	tol := jet.MagOf(e.Tol)
	m.effort = effort{bits: m.N.Bits(), tol: tol, cells: e.Cells, calls: e.Calls}
	m.tol, m.calls, m.depth, m.used, m.lean = tol, 0, 0, 0, e.Lean
	m.touched, m.watch = false, nil
	m.frame = &frame[T]{watch: -1}
	m.stop = e.Stop
	err := search()
	m.stack = stack[T]{}
	o.Calls = m.calls

	var failure *diag.Diagnostic
	switch t := m.frame.trouble; {
	case errors.As(err, &failure):
		o.Failure = failure
	case err == errUndecided:
		o.Doubt = diag.Errorf(diag.Undecided, m.frame.first.at, "which side a comparison takes is not known")
	case err != nil:
		o.Doubt = diag.Errorf(diag.EffortSpent, at, "the effort ran out")
	case t.code != "":
		o.Doubt = diag.Errorf(t.code, t.at, "%s", t.what)
	}
	return o
}

// Enclosures are the coefficients of a real in the open variables, its value first, but for those that are
// 0 by structure: each with the powers of the variables. It is the derivative of those orders divided by
// the factorials of the orders.
func (c *Certifier[T]) Enclosures(x jet.Jet[T], each func(powers []int, set interval.Interval, known bool)) {
	powers := make([]int, len(c.m.degrees))
	var visit func(x jet.Jet[T], tag int)
	visit = func(x jet.Jet[T], tag int) {
		if tag == 0 {
			if !x.IsZero() || !slices.ContainsFunc(powers, func(n int) bool { return n > 0 }) {
				lo, hi := c.m.N.Ends(x.Val())
				set, _ := interval.New(lo, hi)
				each(powers, set, x.Known())
			}
			return
		}
		for n := 0; n <= x.Degree(jet.Tag(tag)); n++ {
			powers[tag-1] = n
			visit(c.m.Coeff(x, jet.Tag(tag), n), tag-1)
		}
		powers[tag-1] = 0
	}
	visit(x, len(powers))
}
