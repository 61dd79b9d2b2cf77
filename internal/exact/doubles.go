package exact

import (
	"context"
	"errors"
	"math"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/interval"
)

// Note [Doubles]. Evaluation on doubles has its integrals, roots and optima certified here: the
// same searches that exact evaluation makes, once, on double intervals. The function is that of a
// closure of the other evaluator, translated: the same core, with what it captures. Its literals
// are the doubles nearest to them and its captured reals are points, so that what is a tie on
// doubles is one here.

// Doubles certifies the searches of one program. It serves one goroutine.
type Doubles struct {
	m         *machine[double]
	program   *program[double]
	filled    int // of the machine's constants
	functions map[*core.Lambda]*code[double]
}

// NewDoubles makes one for a program.
func NewDoubles(p *core.Program) *Doubles {
	d := &Doubles{functions: map[*core.Lambda]*code[double]{}}
	d.m, d.program = machineFor(jet.Number[double](jet.Double{}), newBudget(context.Background(), Limits{}), p.Defs, true)
	for _, g := range d.program.globals {
		if g.code != nil {
			d.functions[g.def.Function()] = g.code
		}
	}
	return d
}

// Real is a real of a value: a set, with derivatives in the variables that are open.
type Real = jet.Jet[double]

// Value collects the slots of a value in the order of its type: Note [Slots].
type Value struct{ slots slots[double] }

// Real adds a real.
func (v *Value) Real(x Real) { v.slots.r = append(v.slots.r, x) }

// Int adds an integer or a truth value.
func (v *Value) Int(n int64) { v.slots.i = append(v.slots.i, n) }

// Ref adds a string, an array, data or a function.
func (v *Value) Ref(x any) { v.slots.p = append(v.slots.p, x) }

// NewArray is the array of n elements, whose slots are given one after the other.
func NewArray(n int, elements Value) any { return &array[double]{n, elements.slots} }

// NewData is a data value by the position of its constructor. Its fields may be added later.
func NewData(con int) *Data { return &Data{con: con} }

// Data is a data value.
type Data = data[double]

// Hold sets the fields of data.
func Hold(x *Data, fields Value) { x.slots = fields.slots }

// Closure is a function of the program.
type Closure = closure[double]

// Function is a closure of a function whose free variables are given: Capture says what they
// are. Its text must be a part of the program.
func (d *Doubles) Function(name string, at diag.Span, fun *core.Lambda, free []*core.Var) *Closure {
	fn, ok := d.functions[fun]
	if !ok {
		env := map[*core.Var]place{}
		var size shape
		for _, v := range free {
			s := shapeOf(v.Ty)
			env[v] = placeFrom(captured, size, s)
			size = size.plus(s)
		}
		fn = newCode[double](name, at, fun)
		d.functions[fun] = fn
		d.program.function(fn, fun, env)
	}
	return &Closure{code: fn}
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
func Capture(cl *Closure, values Value) { cl.slots = values.slots }

// Partial is a closure with its first arguments.
func Partial(cl *Closure, given int, args Value) *Closure {
	return &Closure{code: cl.code, slots: cl.slots, given: given, args: args.slots}
}

// Define gives a definition that is not a function its value.
func (d *Doubles) Define(name string, v Value) {
	v.slots.copyTo(d.m.constants(d.m.values[name].at))
}

// Begin starts a search, with no variable open.
func (d *Doubles) Begin() {
	m := d.m
	m.Floor, m.degrees, m.ranging = 0, m.degrees[:0], m.ranging[:0]
}

// Point is a real without derivatives; nothing is known of one that is not finite.
func (d *Doubles) Point(x float64) Real {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return d.m.Unknown()
	}
	return d.m.Float(x)
}

// Variable is a real that varies from x on, to be differentiated up to an order.
func (d *Doubles) Variable(x float64, order int) Real {
	tag := d.m.open(order)
	return d.m.Var(tag, order, d.Point(x), d.m.One())
}

// Effort bounds a search.
type Effort struct {
	Tol   float64 // the width to be reached in the value and every derivative
	Cells int
	Calls int64
	Stop  func() error // asked now and then; an error ends the search
}

// Outcome is what a search on doubles came to.
type Outcome struct {
	Failure *diag.Diagnostic // of the search: it has no result, whatever the effort, or was stopped
	Doubt   *diag.Diagnostic // why something is wide or unknown, if that is known
	Kinked  bool             // first derivatives may be hulls of those on the sides of a kink
}

// Search runs a primitive that searches, from a to b where it has a range.
func (d *Doubles) Search(name string, at diag.Span, a, b Real, fun *Closure, e Effort) (y Real, o Outcome) {
	y = d.m.Unknown()
	o = d.attempt(at, e, func() error {
		found, err := d.m.search(name, at, a, b, fun)
		if err == nil {
			y = found
		}
		return err
	})
	return y, o
}

// Crosses tells whether a function has a first root, unless the outcome has a doubt.
func (d *Doubles) Crosses(at diag.Span, fun *Closure, e Effort) (yes bool, o Outcome) {
	o = d.attempt(at, e, func() (err error) {
		yes, err = d.m.decideCrossing(at, fun)
		return err
	})
	return yes, o
}

// attempt runs a search.
func (d *Doubles) attempt(at diag.Span, e Effort, search func() error) (o Outcome) {
	m := d.m
	for ; d.filled < len(m.fill); d.filled++ {
		m.fill[d.filled]()
	}
	tol := jet.MagOf(e.Tol)
	m.effort = effort{bits: doubleBits, tol: tol, cells: e.Cells, calls: e.Calls}
	m.tol, m.calls, m.depth, m.used = tol, 0, 0, 0
	m.touched, m.watch = false, nil
	m.frame = &frame[double]{watch: -1}
	m.cancel = func(diag.Span) error { return e.Stop() }
	err := search()
	m.stack = stack[double]{}
	o.Kinked = m.frame.kinked
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

// Enclosures are the coefficients of a real in the variables that Variable made: each with the powers of
// the variables, and the derivative of those orders divided by the factorials of the orders.
func (d *Doubles) Enclosures(x Real, each func(powers []int, c interval.Interval, known bool)) {
	powers := make([]int, len(d.m.degrees))
	var visit func(x Real, tag int)
	visit = func(x Real, tag int) {
		if tag == 0 {
			if !x.IsZero() {
				each(powers, x.Val(), x.Known())
			}
			return
		}
		for n := 0; n <= x.Degree(jet.Tag(tag)); n++ {
			powers[tag-1] = n
			visit(d.m.Coeff(x, jet.Tag(tag), n), tag-1)
		}
		powers[tag-1] = 0
	}
	visit(x, len(powers))
}
