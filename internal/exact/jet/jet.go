// Package jet is the number of exact evaluation: a truncated power series over
// sets of reals, in any number of variables. The constant coefficient encloses
// a value, the others its derivatives with respect to what is being
// differentiated, integrated over or searched along.
//
// It is given Number, the arithmetic of one precision, and hands on Algebra,
// which has the operations of the table of primitives on jets. It must not know
// programs, nor how somebody chooses between the two arguments of an undecided
// maximum: it offers both.
//
// Note [Variables]. Variables are numbered by Tags in the order in which they
// come into being: a derivative, an integral, a search opens one, evaluates, and
// closes it, and results contain no closed one (derivatives are of types
// without functions), so that tags are a stack and may be used again. A jet is
// a series in the newest of its variables whose coefficients are jets in the
// older ones. A variable that a jet does not depend on is not in it, and costs
// nothing. Each variable has a degree beyond which coefficients are dropped.
//
// Note [Coefficients]. The coefficient of t^i is the i-th derivative divided by
// i!. Each coefficient is of one of three kinds:
//
//   - known: the true coefficient exists and lies in the set;
//   - structural zero: it is 0 because the jet does not depend on the variable, or
//     because its series ended. Only such a zero annihilates what is unknown;
//   - unknown, λS's ⊥: nothing is known of it, not even that it exists.
//
// A computed zero is known, and 0 · ⊥ is ⊥: the slope of (cbrt x)^3 at 0 is 1.
// A known coefficient may be unbounded (an exponential beyond the range of
// doubles); it is a real number all the same. If the constant coefficient of a
// jet is unknown, all are.
package jet

import (
	"math/big"

	"github.com/fluxion-lang/fluxion/internal/interval"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
)

// Tag is the number of a variable. Older ones are smaller; 0 is none.
type Tag int32

// Jet is a power series; see Note [Variables]. Its zero value is not valid: an
// Algebra makes jets. A Jet is immutable and may be copied.
//
// Its constant coefficient is a Set: that of a structural zero is the number 0, that of what is
// unknown the line. The parts of the set are apart, so that a jet has four words: larger structs
// are not kept in registers, which would double what operations on doubles cost.
type Jet struct {
	interval interval.Interval // of doubles
	mark     *mark             // nil for a known set of doubles
	tail     *tail             // the coefficients in variables, nil if there are none
}

// mark is the part of a constant coefficient that is rare, or small beside the rest.
type mark struct {
	ball *ball.Ball // nil for a set of doubles
	kind kind
}

// zeroMark and unknownMark are those of sets of doubles.
var zeroMark, unknownMark = &mark{kind: zero}, &mark{kind: unknown}

// tail holds the coefficients of a jet in its newest variable.
type tail struct {
	tag Tag
	deg int32 // of the variable: higher powers are dropped
	low *tail // of the coefficient of tag^0, which is Jet{val, low, kind}
	c   []Jet // c[i-1] is the coefficient of tag^i; those beyond are structural zeros

	form *form // the jet is a form, and this its term: Note [Forms]
}

type kind uint8

const (
	known kind = iota
	zero
	unknown
)

// Val encloses the value; it is the whole line if that is unknown.
func (x Jet) Val() Set {
	if x.mark == nil {
		return Set{Interval: x.interval}
	}
	return Set{x.interval, x.mark.ball}
}

// kind is that of the constant coefficient.
func (x Jet) kind() kind {
	if x.mark == nil {
		return known
	}
	return x.mark.kind
}

// as is x with another constant coefficient.
func (x Jet) as(val Set, k kind) Jet {
	x.interval = val.Interval
	switch {
	case val.Ball != nil:
		x.mark = &mark{val.Ball, k}
	case k == zero:
		x.mark = zeroMark
	case k == unknown:
		x.mark = unknownMark
	default:
		x.mark = nil
	}
	return x
}

// Known tells whether the value is certain to exist.
func (x Jet) Known() bool { return x.kind() != unknown }

// IsZero tells whether x is a structural zero.
func (x Jet) IsZero() bool { return x.kind() == zero && x.tail == nil }

// Newest is the newest variable that x depends on, or 0.
func (x Jet) Newest() Tag {
	if x.tail == nil {
		return 0
	}
	return x.tail.tag
}

// Has tells whether x depends on a variable.
func (x Jet) Has(tag Tag) bool {
	for t := x.tail; t != nil && t.tag >= tag; t = t.low {
		if t.tag == tag {
			return true
		}
		for i := range t.c {
			if t.c[i].Has(tag) {
				return true
			}
		}
	}
	return false
}

// Algebra is arithmetic on jets. It keeps no state but what is below, so that
// operations at one Floor may be interleaved with those at another.
type Algebra struct {
	N Number

	// Floor is the oldest variable that operations keep. A search that does
	// not need the derivatives with respect to what its function captures
	// raises it above all older variables: they are then ignored, at the cost
	// of one comparison.
	Floor Tag

	// ZeroIsConstant makes the product of the constant 0 and a jet that is known a constant, too.
	// Otherwise it is a series whose coefficients are 0, for a constant may stand for
	// something that moves: a maximiser, say, whose first derivatives do not matter.
	ZeroIsConstant bool

	zero, one Set
	double    bool // N is Double: Note [Double tier]
}

// NewAlgebra is the algebra over a number type.
func NewAlgebra(n Number) *Algebra {
	return &Algebra{N: n, zero: n.Float(0), one: n.Rat(big.NewRat(1, 1)), double: isDouble(n)}
}

// Over makes the algebra compute with another number over the same sets, and gives what restores
// the present one.
func (a *Algebra) Over(n Number) (restore func()) {
	full, double := a.N, a.double
	a.N, a.double = n, isDouble(n)
	return func() { a.N, a.double = full, double }
}

// Reset changes the number type, and drops the floor: functions that were made
// with the algebra go on with the new one.
func (a *Algebra) Reset(n Number) { *a = *NewAlgebra(n) }

// ---- making jets and taking them apart

// Const is a set as a jet without variables.
func (a *Algebra) Const(x Set) Jet { return Jet{}.WithVal(x) }

// Float is the point x.
func (a *Algebra) Float(x float64) Jet { return a.Const(a.N.Float(x)) }

// Zero is the structural zero.
func (a *Algebra) Zero() Jet { return Jet{}.as(a.zero, zero) }

// One is the constant 1.
func (a *Algebra) One() Jet { return a.Const(a.one) }

// Unknown is the jet of which nothing is known.
func (a *Algebra) Unknown() Jet { return Jet{}.as(a.N.Whole(), unknown) }

// Var is x + dx tag, a variable of degree deg >= 1 that starts at x. Both x and
// dx depend on older variables only.
func (a *Algebra) Var(tag Tag, deg int, x, dx Jet) Jet {
	if !dx.IsZero() {
		x = x.as(a.N.Symbol(x.Val()), x.kind())
	}
	return a.Series(tag, deg, []Jet{x, dx})
}

// Series is the series in tag, truncated after tag^deg, with the given
// coefficients (at least one) from the constant one on; they depend on older
// variables only. The slice is kept.
func (a *Algebra) Series(tag Tag, deg int, coefficients []Jet) Jet {
	x, c := a.live(coefficients[0]), coefficients[1:]
	if len(c) > deg {
		c = c[:deg]
	}
	for len(c) > 0 && c[len(c)-1].IsZero() {
		c = c[:len(c)-1]
	}
	if len(c) == 0 || tag < a.Floor || x.kind() == unknown {
		return x
	}
	for i := range c {
		c[i] = a.live(c[i])
	}
	x.tail = &tail{tag: tag, deg: int32(deg), low: x.tail, c: c}
	return x
}

// Coeff is the coefficient of tag^i, where tag is x's newest variable or a newer one.
func (a *Algebra) Coeff(x Jet, tag Tag, i int) Jet {
	switch {
	case x.kind() == unknown:
		return x
	case x.tail == nil || x.tail.tag != tag:
		if i == 0 {
			return x
		}
		return a.Zero()
	case i == 0:
		return x.constant()
	case i <= len(x.tail.c):
		return x.tail.c[i-1]
	}
	return a.Zero()
}

// Degree is that of x as a series in tag, its newest variable or a newer one:
// all later coefficients are structural zeros.
func (x Jet) Degree(tag Tag) int {
	if x.tail == nil || x.tail.tag != tag {
		return 0
	}
	return len(x.tail.c)
}

// Value is x without any variable.
func (x Jet) Value() Jet {
	x.tail = nil
	return x
}

// Plain is x as a value of the program: a structural zero has become the number
// 0, which does not annihilate what is unknown.
func (a *Algebra) Plain(x Jet) Jet {
	if x.kind() == zero {
		x = x.WithVal(x.Val())
	}
	return x
}

// WithVal is x with another enclosure of its value, which is known.
func (x Jet) WithVal(val Set) Jet {
	x.interval, x.mark = val.Interval, nil
	if val.Ball != nil {
		x.mark = &mark{ball: val.Ball}
	}
	return x
}

// Parallel tells whether x and y are known to differ by a constant because they share their
// coefficients: the larger of them then has these coefficients too, and no kink. So it is with
// the first element of an array in the maximum of all of them.
func (x Jet) Parallel(y Jet) bool { return x.tail != nil && x.tail == y.tail }

// constant is the coefficient of tag^0 for the newest variable.
func (x Jet) constant() Jet {
	x.tail = x.tail.low
	return x
}

// live drops the variables below Floor from a jet whose newest may be one.
func (a *Algebra) live(x Jet) Jet {
	if x.tail != nil && x.tail.tag < a.Floor {
		x.tail = nil
	}
	return x
}

// Part is the sum of the terms of total degree n, with structural zeros for all
// others.
func (a *Algebra) Part(x Jet, n int) Jet {
	x = a.live(x)
	if x.kind() == unknown {
		return x
	}
	if x.tail == nil || x.term() != nil && !a.Moves(x.guide()) {
		if n == 0 {
			return x
		}
		return a.Zero()
	}
	c := make([]Jet, min(n, len(x.tail.c))+1)
	c[0] = a.Part(x.constant(), n)
	for i := 1; i < len(c); i++ {
		c[i] = a.Part(x.tail.c[i-1], n-i)
	}
	return a.Series(x.tail.tag, int(x.tail.deg), c)
}

// Each calls f with every coefficient of x that is not a structural zero: with the total
// degree of its monomial, its set and whether it is known. It stops when f
// gives false, and tells whether it never did.
func (a *Algebra) Each(x Jet, f func(degree int, c Set, known bool) bool) bool {
	return a.each(x, 0, f)
}

func (a *Algebra) each(x Jet, degree int, f func(int, Set, bool) bool) bool {
	x = a.live(x)
	if x.tail == nil {
		return x.kind() == zero || f(degree, x.Val(), x.kind() == known)
	}
	if !a.each(x.constant(), degree, f) {
		return false
	}
	for i, c := range x.tail.c {
		if !a.each(c, degree+i+1, f) {
			return false
		}
	}
	return true
}

// Width is the largest width of a coefficient; an unknown one is infinitely
// wide.
func (a *Algebra) Width(x Jet) Mag {
	if x.tail == nil && x.kind() == known { // by far the most frequent
		return a.N.Width(x.Val())
	}
	widest := Mag{}
	a.Each(x, func(_ int, c Set, known bool) bool {
		if !known {
			widest = InfMag()
			return false
		}
		widest = widest.Max(a.N.Width(c))
		return true
	})
	return widest
}

// Complete tells whether every coefficient of x is known.
func (a *Algebra) Complete(x Jet) bool {
	return a.Each(x, func(_ int, _ Set, known bool) bool { return known })
}

// Map replaces every coefficient that is not a structural zero: f gets its set and
// whether it is known, and gives the same.
func (a *Algebra) Map(x Jet, f func(c Set, known bool) (Set, bool)) Jet {
	return a.mapped(x, nil, f)
}

// scaled is x times by, where f is the multiplication of a known coefficient.
func (a *Algebra) scaled(x, by Jet, f func(c Set) Set) Jet {
	return a.mapped(x, &by, func(c Set, known bool) (Set, bool) { return f(c), known })
}

// mapped is Map, where by is what f multiplies with, if that is what it does.
func (a *Algebra) mapped(x Jet, by *Jet, f func(c Set, known bool) (Set, bool)) Jet {
	x = a.live(x)
	if x.term() != nil && by != nil {
		return a.linear(x, a.mapped(x.guide(), by, f), *by)
	}
	if x.tail == nil {
		if x.kind() == zero {
			return x
		}
		val, ok := f(x.Val(), x.kind() == known)
		if !ok {
			return a.Unknown()
		}
		return a.Const(val)
	}
	c := make([]Jet, len(x.tail.c)+1)
	c[0] = a.mapped(x.constant(), by, f)
	for i, ci := range x.tail.c {
		c[i+1] = a.mapped(ci, by, f)
	}
	return a.Series(x.tail.tag, int(x.tail.deg), c)
}

// Zip combines corresponding coefficients of two jets, unless both are
// structural zeros, by f, which gets known coefficients (a structural zero
// counts as the known 0) and says whether its result is known. A coefficient that is
// unknown in either is unknown.
func (a *Algebra) Zip(x, y Jet, f func(c, d Set) (Set, bool)) Jet {
	x, y = a.live(x), a.live(y)
	if x.kind() == unknown || y.kind() == unknown {
		return a.Unknown()
	}
	tag, deg := newer(x, y)
	if tag == 0 {
		if x.kind() == zero && y.kind() == zero {
			return x
		}
		val, ok := f(x.Val(), y.Val())
		if !ok {
			return a.Unknown()
		}
		return a.Const(val)
	}
	c := make([]Jet, max(x.Degree(tag), y.Degree(tag))+1)
	for i := range c {
		c[i] = a.Zip(a.Coeff(x, tag, i), a.Coeff(y, tag, i), f)
	}
	return a.Series(tag, deg, c)
}

// newer is the newest variable of two jets, and its degree.
func newer(x, y Jet) (Tag, int) {
	t := x.tail
	if t == nil || y.tail != nil && y.tail.tag > t.tag {
		t = y.tail
	}
	if t == nil {
		return 0, 0
	}
	return t.tag, int(t.deg)
}

// Hull is the smallest jet that contains both, coefficient by coefficient.
func (a *Algebra) Hull(x, y Jet) Jet {
	x, y = a.live(x), a.live(y)
	tag, deg := newer(x, y)
	switch {
	case x.term() != nil || y.term() != nil:
		return a.hullForms(x, y, a.Const(a.unit()))
	case x.kind() == unknown || y.kind() == unknown:
		return a.Unknown()
	case tag == 0 && x.kind() == zero && y.kind() == zero:
		return x
	case tag == 0:
		return a.Const(a.N.Hull(x.Val(), y.Val()))
	}
	c := make([]Jet, max(x.Degree(tag), y.Degree(tag))+1)
	for i := range c {
		c[i] = a.Hull(a.Coeff(x, tag, i), a.Coeff(y, tag, i))
	}
	return a.Series(tag, deg, c)
}

// Intersect is what two enclosures of one jet have in common; ok is false if
// they have nothing, which says that one of them is wrong or that what they enclose does not
// exist. A coefficient that is unknown in one is the other one's.
func (a *Algebra) Intersect(x, y Jet) (z Jet, ok bool) {
	x, y = a.live(x), a.live(y)
	switch {
	case x.kind() == unknown:
		return y, true
	case y.kind() == unknown:
		return x, true
	case x.term() != nil || y.term() != nil:
		return a.intersectForms(x, y)
	}
	tag, deg := newer(x, y)
	if tag == 0 {
		if x.kind() == zero {
			return x, true
		}
		if y.kind() == zero {
			return y, true
		}
		val := a.N.Intersect(x.Val(), y.Val())
		return a.Const(val), !a.N.IsEmpty(val)
	}
	c := make([]Jet, max(x.Degree(tag), y.Degree(tag))+1)
	for i := range c {
		if c[i], ok = a.Intersect(a.Coeff(x, tag, i), a.Coeff(y, tag, i)); !ok {
			return x, false
		}
	}
	return a.Series(tag, deg, c), true
}

// Upto is x without the variables newer than tag: what x is where they are 0.
func (a *Algebra) Upto(x Jet, tag Tag) Jet {
	for x.tail != nil && x.tail.tag > tag {
		x = x.constant()
	}
	return x
}

// OnBalls tells whether the sets are balls, whatever arithmetic is on them.
func (a *Algebra) OnBalls() bool { return a.zero.Ball != nil }
