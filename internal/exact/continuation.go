package exact

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/interval"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
	"github.com/fluxion-lang/fluxion/internal/interval/rectangle"
	"github.com/fluxion-lang/fluxion/internal/interval/tier"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

// Note [Continuations]. How fast a rule converges is told by how large the integrand is around
// its cell in the complex plane (Note [Ellipses]). So f is evaluated over one more
// number: a continuation is a pair of
//
//   - the set of the values that a quantity takes on the cell, as always; and
//   - a rectangle that contains the values of its analytic continuation on a rectangle around
//     the cell, or None if it is not proved that it has one there.
//
// The arithmetic operations and the rows of the table that have a column for rectangles act
// on both. Whatever else makes a new number of one that varies (a hull, a midpoint, a row without
// such a column) gives None. Decisions look at the values on the cell. That is right:
// where all of them are taken over the cell, or forced, f is there the composition of the
// operations that were met, and its continuation is theirs, whatever max or abs or < would be of
// complex numbers. A third entry tells the degree of a polynomial, for which Gauss's rule is
// exact.
//
// A number that is not a continuation does not depend on the argument of f. Roots, optima
// and integrals inside f build their results from such numbers, and so they must not
// be asked: they are unknown (search.go). Nor is f continued while there are forms (package jet,
// Note [Forms]), whose coefficients a bound does not have.
//
// Compiled code runs on sets only. A continuation is a name for an entry of a
// table: a ball that is known by its address, or an interval whose ends are NaNs, with the place of
// the entry in them.
//
// Rectangles are of doubles, which cannot tell the points of a narrow cell apart that is far
// from 0: for 1 - x next to 1 they are relative to a number, which arithmetic carries along.

// continuations is arithmetic on continuations over the sets of a number.
type continuations struct {
	jet.Number      // of the values on the cell
	narrow     bool // rectangles are relative to numbers
	*continued
}

// continued is the table of the continuations that exist.
type continued struct {
	entries []continuation
	names   namer
	refused bool // something was met that has no continuation on any cell
}

type continuation struct {
	on     jet.Set        // values on the cell
	base   jet.Set        // to which around is relative, if based
	based  bool           // otherwise it is relative to 0
	off    rectangle.Rect // values around the cell
	degree int            // of the polynomial that it is; transcendental if it is none
}

// transcendental is the degree of what is not known to be a polynomial.
const transcendental = math.MaxInt32

// namer gives names to entries of the table.
type namer interface {
	name(on jet.Set, entry int) jet.Set
	find(x jet.Set) (entry int, ok bool)
}

type ballNames map[*ball.Ball]int

func (n ballNames) name(on jet.Set, entry int) jet.Set {
	n[on.Ball] = entry
	return on
}

func (n ballNames) find(x jet.Set) (int, bool) {
	entry, ok := n[x.Ball]
	return entry, ok
}

// intervalNames uses the quiet NaNs from nameBits on, of which the empty set is not one.
type intervalNames struct{}

const nameBits = 0x7ffc << 48

func (intervalNames) name(_ jet.Set, entry int) jet.Set {
	nan := math.Float64frombits(nameBits | uint64(entry))
	return jet.OfInterval(interval.Interval{Lo: nan, Hi: nan})
}

func (intervalNames) find(x jet.Set) (int, bool) {
	lo := x.Interval.Lo
	if lo == lo {
		return 0, false
	}
	bits := math.Float64bits(lo)
	return int(bits &^ nameBits), bits&nameBits == nameBits
}

// newContinuations is the arithmetic over the values on the cell in the given number.
func newContinuations(n jet.Number, narrow bool) continuations {
	var names namer = intervalNames{}
	if n.Float(0).Ball != nil {
		names = ballNames{}
	}
	return continuations{n, narrow, &continued{names: names}}
}

// continues is implemented by continuations of every type.
type continues interface{ refuse() }

// refuse notes that something has no continuation at all.
func (k *continued) refuse() { k.refused = true }

// refuses tells whether f is being continued, and if so that it cannot be.
func (c *ctx) refuses() bool {
	n, yes := c.N.(continues)
	if yes {
		n.refuse()
	}
	return yes
}

// make is a continuation; its values on the cell are fresh.
func (n continuations) make(z continuation) jet.Set {
	z.degree = min(z.degree, transcendental)
	n.entries = append(n.entries, z)
	return n.names.name(z.on, len(n.entries)-1)
}

// of is a number as a continuation.
func (n continuations) of(x jet.Set) continuation {
	if entry, ok := n.names.find(x); ok {
		return n.entries[entry]
	}
	if n.narrow {
		return continuation{on: x, base: x, based: true, off: rectangle.Real(interval.Point(0))}
	}
	return continuation{on: x, off: n.real(x)}
}

// real is a number that does not vary as a rectangle.
func (n continuations) real(x jet.Set) rectangle.Rect {
	lo, hi := n.Number.Ends(x)
	return rectangle.Real(interval.Interval{Lo: lo, Hi: hi})
}

// around is the values around the cell.
func (n continuations) around(z continuation) rectangle.Rect {
	if z.based {
		return rectangle.Add(n.real(z.base), z.off)
	}
	return z.off
}

// on is the values on the cell, and whether x varies.
func (n continuations) on(x jet.Set) (jet.Set, bool) {
	if entry, ok := n.names.find(x); ok {
		return n.entries[entry].on, true
	}
	return x, false
}

// unary acts on the values on the cell and around it; around is nil for what has no continuation.
func (n continuations) unary(x jet.Set, on func(jet.Set) jet.Set, around func(rectangle.Rect) rectangle.Rect) jet.Set {
	v, varies := n.on(x)
	y := on(v)
	if !varies {
		return y
	}
	if around == nil {
		n.refuse()
		around = rectangle.Nowhere
	}
	return n.make(continuation{on: y, off: around(n.around(n.of(x))), degree: transcendental})
}

// binary is unary for two arguments.
func (n continuations) binary(
	x, y jet.Set, on func(x, y jet.Set) jet.Set, around func(x, y rectangle.Rect) rectangle.Rect,
) jet.Set {
	v, varies := n.on(x)
	w, differs := n.on(y)
	r := on(v, w)
	if !varies && !differs {
		return r
	}
	if around == nil {
		n.refuse()
		around = rectangle.Neither
	}
	off := around(n.around(n.of(x)), n.around(n.of(y)))
	return n.make(continuation{on: r, off: off, degree: transcendental})
}

// linear is a sum or a difference.
func (n continuations) linear(
	x, y jet.Set, on func(x, y jet.Set) jet.Set, around func(x, y rectangle.Rect) rectangle.Rect,
) jet.Set {
	v, varies := n.on(x)
	w, differs := n.on(y)
	r := on(v, w)
	if !varies && !differs {
		return r
	}
	a, b := n.of(x), n.of(y)
	z := continuation{on: r, degree: max(a.degree, b.degree)}
	if a.based && b.based {
		z.base, z.based, z.off = on(a.base, b.base), true, around(a.off, b.off)
	} else {
		z.off = around(n.around(a), n.around(b))
	}
	return n.make(z)
}

// Add is x + y.
func (n continuations) Add(x, y jet.Set) jet.Set { return n.linear(x, y, n.Number.Add, rectangle.Add) }

// Sub is x - y.
func (n continuations) Sub(x, y jet.Set) jet.Set { return n.linear(x, y, n.Number.Sub, rectangle.Sub) }

// Neg is -x.
func (n continuations) Neg(x jet.Set) jet.Set {
	if _, varies := n.on(x); !varies {
		return n.Number.Neg(x)
	}
	return n.Sub(n.Number.Float(0), x)
}

// Mul is x y.
func (n continuations) Mul(x, y jet.Set) jet.Set {
	v, varies := n.on(x)
	w, differs := n.on(y)
	r := n.Number.Mul(v, w)
	if !varies && !differs {
		return r
	}
	a, b := n.of(x), n.of(y)
	z := continuation{on: r, degree: a.degree + b.degree}
	if a.based && b.based {
		// (a + A) (b + B) = a b + (a B + b A + A B)
		z.base, z.based = n.Number.Mul(a.base, b.base), true
		z.off = rectangle.Mul(n.real(a.base), b.off)
		z.off = rectangle.Add(z.off, rectangle.Mul(n.real(b.base), a.off))
		z.off = rectangle.Add(z.off, rectangle.Mul(a.off, b.off))
	} else {
		z.off = rectangle.Mul(n.around(a), n.around(b))
	}
	return n.make(z)
}

// Quo is x / y.
func (n continuations) Quo(x, y jet.Set) jet.Set {
	if _, differs := n.on(y); !differs && n.Number.Sign(y) != 0 {
		return n.Mul(x, n.Number.Quo(n.Number.Float(1), y))
	}
	return n.binary(x, y, n.Number.Quo, rectangle.Quo)
}

// Apply1 is f x.
func (n continuations) Apply1(f tier.Fun1, x jet.Set) jet.Set {
	return n.unary(x, func(x jet.Set) jet.Set { return n.Number.Apply1(f, x) }, f.Complex)
}

// Apply2 is f x y.
func (n continuations) Apply2(f tier.Fun2, x, y jet.Set) jet.Set {
	return n.binary(x, y, func(x, y jet.Set) jet.Set { return n.Number.Apply2(f, x, y) }, f.Complex)
}

// ApplyFamily is f at the integers and the reals; it has no continuation.
func (n continuations) ApplyFamily(f tier.FunFamily, ints []int64, xs []jet.Set) jet.Set {
	values, varies := make([]jet.Set, len(xs)), false
	for k, x := range xs {
		v, differs := n.on(x)
		values[k], varies = v, varies || differs
	}
	y := n.Number.ApplyFamily(f, ints, values)
	if !varies {
		return y
	}
	n.refuse()
	off := rectangle.None()
	return n.make(continuation{on: y, off: off, degree: transcendental})
}

// ApplyInt is f x k. A power of a polynomial is one, and keeps what it is relative to.
func (n continuations) ApplyInt(f tier.FunInt, x jet.Set, k int64) jet.Set {
	v, varies := n.on(x)
	z := n.of(x)
	on := func(x jet.Set) jet.Set { return n.Number.ApplyInt(f, x, k) }
	switch {
	case f.Complex == nil:
		return n.unary(x, on, nil)
	case !varies || prim.ID(f.Row) != prim.PowInt || k <= 0 || !z.based && z.degree == transcendental:
		return n.unary(x, on, func(x rectangle.Rect) rectangle.Rect { return f.Complex(x, k) })
	case z.based && k <= 16:
		y := x
		for range k - 1 {
			y = n.Mul(y, x)
		}
		z = n.of(y)
	default:
		z = continuation{off: f.Complex(n.around(z), k), degree: z.degree * int(min(k, 1<<16))}
	}
	z.on = on(v)
	return n.make(z)
}

// ApplyFold is f of an array.
func (n continuations) ApplyFold(f tier.FunFold, xs []jet.Set) jet.Set {
	sets, varies := make([]jet.Set, len(xs)), false
	for i, x := range xs {
		v, differs := n.on(x)
		sets[i], varies = v, varies || differs
	}
	y := n.Number.ApplyFold(f, sets)
	if varies {
		n.refuse()
		return n.make(continuation{on: y, off: rectangle.None(), degree: transcendental})
	}
	return y
}

// ---- sets: what they tell is of the values on the cell

// Hull contains both.
func (n continuations) Hull(x, y jet.Set) jet.Set {
	return n.binary(x, y, n.Number.Hull, rectangle.Neither)
}

// Intersect is x, of which y contains the values on the cell as well; or the other way round.
func (n continuations) Intersect(x, y jet.Set) jet.Set {
	v, varies := n.on(x)
	w, differs := n.on(y)
	both := n.Number.Intersect(v, w)
	if !varies && !differs {
		return both
	}
	z := n.of(x)
	if !varies {
		z = n.of(y)
	}
	z.on = both
	return n.make(z)
}

// IsEmpty tells whether x has no value on the cell.
func (n continuations) IsEmpty(x jet.Set) bool { v, _ := n.on(x); return n.Number.IsEmpty(v) }

// Less tells whether x < y on the cell.
func (n continuations) Less(x, y jet.Set) bool {
	v, _ := n.on(x)
	w, _ := n.on(y)
	return n.Number.Less(v, w)
}

// Ends are doubles on either side of x.
func (n continuations) Ends(x jet.Set) (lo, hi float64) { v, _ := n.on(x); return n.Number.Ends(v) }

// String shows the values on the cell.
func (n continuations) String(x jet.Set) string { v, _ := n.on(x); return n.Number.String(v) }

// Sign is the certain sign of x.
func (n continuations) Sign(x jet.Set) int { v, _ := n.on(x); return n.Number.Sign(v) }

// IsPoint tells whether x is one real, and does not vary.
func (n continuations) IsPoint(x jet.Set) bool {
	v, varies := n.on(x)
	return !varies && n.Number.IsPoint(v)
}

// Bounded tells whether x is bounded on the cell.
func (n continuations) Bounded(x jet.Set) bool { v, _ := n.on(x); return n.Number.Bounded(v) }

// Within tells whether x is certainly a part of y, which does not vary.
func (n continuations) Within(x, y jet.Set) bool {
	v, _ := n.on(x)
	w, varies := n.on(y)
	return !varies && n.Number.Within(v, w)
}

// Mid is a point near the middle of what does not vary.
func (n continuations) Mid(x jet.Set) jet.Set { return n.unary(x, n.Number.Mid, rectangle.Nowhere) }

// Lower is the lower end of what does not vary.
func (n continuations) Lower(x jet.Set) jet.Set {
	return n.unary(x, n.Number.Lower, rectangle.Nowhere)
}

// Upper is the upper end of what does not vary.
func (n continuations) Upper(x jet.Set) jet.Set {
	return n.unary(x, n.Number.Upper, rectangle.Nowhere)
}

// Span contains all from x to y, which do not vary.
func (n continuations) Span(x, y jet.Set) jet.Set {
	return n.binary(x, y, n.Number.Span, rectangle.Neither)
}

// Widen is x ± by, for x that does not vary.
func (n continuations) Widen(x jet.Set, by jet.Mag) jet.Set {
	return n.unary(x, func(x jet.Set) jet.Set { return n.Number.Widen(x, by) }, rectangle.Nowhere)
}

// Symbol is x, which varies already if it is a continuation.
func (n continuations) Symbol(x jet.Set) jet.Set {
	if _, varies := n.on(x); varies {
		return x
	}
	return n.Number.Symbol(x)
}

// Float64 is a double near the middle.
func (n continuations) Float64(x jet.Set) float64 { v, _ := n.on(x); return n.Number.Float64(v) }

// Width is that on the cell.
func (n continuations) Width(x jet.Set) jet.Mag { v, _ := n.on(x); return n.Number.Width(v) }

// Mag is at least every absolute value on the cell.
func (n continuations) Mag(x jet.Set) jet.Mag { v, _ := n.on(x); return n.Number.Mag(v) }

// Mig is at most every absolute value on the cell.
func (n continuations) Mig(x jet.Set) jet.Mag { v, _ := n.on(x); return n.Number.Mig(v) }
