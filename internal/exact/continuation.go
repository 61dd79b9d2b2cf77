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
// Compiled code runs on sets of type T only. A continuation is a name for an entry of a
// table: a ball that is known by its address, or an interval whose ends are NaNs, with the place of
// the entry in them.
//
// Rectangles are of doubles, which cannot tell the points of a narrow cell apart that is far
// from 0: for 1 - x next to 1 they are relative to a number, which arithmetic carries along.

// continuations is arithmetic on continuations over sets of type T.
type continuations[T any] struct {
	jet.Number[T]      // of the values on the cell
	narrow        bool // rectangles are relative to numbers
	*continued[T]
}

// continued is the table of the continuations that exist.
type continued[T any] struct {
	entries []continuation[T]
	names   namer[T]
	refused bool // something was met that has no continuation on any cell
}

type continuation[T any] struct {
	on     T              // values on the cell
	base   T              // to which around is relative, if based
	based  bool           // otherwise it is relative to 0
	off    rectangle.Rect // values around the cell
	degree int            // of the polynomial that it is; transcendental if it is none
}

// transcendental is the degree of what is not known to be a polynomial.
const transcendental = math.MaxInt32

// namer gives names to entries of the table.
type namer[T any] interface {
	name(on T, entry int) T
	find(x T) (entry int, ok bool)
}

type ballNames map[*ball.Ball]int

func (n ballNames) name(on *ball.Ball, entry int) *ball.Ball {
	n[on] = entry
	return on
}

func (n ballNames) find(x *ball.Ball) (int, bool) {
	entry, ok := n[x]
	return entry, ok
}

// intervalNames uses the quiet NaNs from nameBits on, of which the empty set is not one.
type intervalNames struct{}

const nameBits = 0x7ffc << 48

func (intervalNames) name(_ interval.Interval, entry int) interval.Interval {
	nan := math.Float64frombits(nameBits | uint64(entry))
	return interval.Interval{Lo: nan, Hi: nan}
}

func (intervalNames) find(x interval.Interval) (int, bool) {
	if x.Lo == x.Lo {
		return 0, false
	}
	bits := math.Float64bits(x.Lo)
	return int(bits &^ nameBits), bits&nameBits == nameBits
}

// newContinuations is the arithmetic over the values on the cell in the given number.
func newContinuations[T any](n jet.Number[T], narrow bool) continuations[T] {
	names, ok := any(intervalNames{}).(namer[T])
	if !ok {
		names = any(ballNames{}).(namer[T])
	}
	return continuations[T]{n, narrow, &continued[T]{names: names}}
}

// continues is implemented by continuations of every type.
type continues interface{ refuse() }

// refuse notes that something has no continuation at all.
func (k *continued[T]) refuse() { k.refused = true }

// refuses tells whether f is being continued, and if so that it cannot be.
func (c *ctx[T]) refuses() bool {
	n, yes := any(c.N).(continues)
	if yes {
		n.refuse()
	}
	return yes
}

// make is a continuation; its values on the cell are fresh.
func (n continuations[T]) make(z continuation[T]) T {
	z.degree = min(z.degree, transcendental)
	n.entries = append(n.entries, z)
	return n.names.name(z.on, len(n.entries)-1)
}

// of is a number as a continuation.
func (n continuations[T]) of(x T) continuation[T] {
	if entry, ok := n.names.find(x); ok {
		return n.entries[entry]
	}
	if n.narrow {
		return continuation[T]{on: x, base: x, based: true, off: rectangle.Real(interval.Point(0))}
	}
	return continuation[T]{on: x, off: n.real(x)}
}

// real is a number that does not vary as a rectangle.
func (n continuations[T]) real(x T) rectangle.Rect {
	lo, hi := n.Number.Ends(x)
	return rectangle.Real(interval.Interval{Lo: lo, Hi: hi})
}

// around is the values around the cell.
func (n continuations[T]) around(z continuation[T]) rectangle.Rect {
	if z.based {
		return rectangle.Add(n.real(z.base), z.off)
	}
	return z.off
}

// on is the values on the cell, and whether x varies.
func (n continuations[T]) on(x T) (T, bool) {
	if entry, ok := n.names.find(x); ok {
		return n.entries[entry].on, true
	}
	return x, false
}

// unary acts on the values on the cell and around it; around is nil for what has no continuation.
func (n continuations[T]) unary(x T, on func(T) T, around func(rectangle.Rect) rectangle.Rect) T {
	v, varies := n.on(x)
	y := on(v)
	if !varies {
		return y
	}
	if around == nil {
		n.refuse()
		around = rectangle.Nowhere
	}
	return n.make(continuation[T]{on: y, off: around(n.around(n.of(x))), degree: transcendental})
}

// binary is unary for two arguments.
func (n continuations[T]) binary(
	x, y T, on func(x, y T) T, around func(x, y rectangle.Rect) rectangle.Rect,
) T {
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
	return n.make(continuation[T]{on: r, off: off, degree: transcendental})
}

// linear is a sum or a difference.
func (n continuations[T]) linear(
	x, y T, on func(x, y T) T, around func(x, y rectangle.Rect) rectangle.Rect,
) T {
	v, varies := n.on(x)
	w, differs := n.on(y)
	r := on(v, w)
	if !varies && !differs {
		return r
	}
	a, b := n.of(x), n.of(y)
	z := continuation[T]{on: r, degree: max(a.degree, b.degree)}
	if a.based && b.based {
		z.base, z.based, z.off = on(a.base, b.base), true, around(a.off, b.off)
	} else {
		z.off = around(n.around(a), n.around(b))
	}
	return n.make(z)
}

// Add is x + y.
func (n continuations[T]) Add(x, y T) T { return n.linear(x, y, n.Number.Add, rectangle.Add) }

// Sub is x - y.
func (n continuations[T]) Sub(x, y T) T { return n.linear(x, y, n.Number.Sub, rectangle.Sub) }

// Neg is -x.
func (n continuations[T]) Neg(x T) T {
	if _, varies := n.on(x); !varies {
		return n.Number.Neg(x)
	}
	return n.Sub(n.Number.Float(0), x)
}

// Mul is x y.
func (n continuations[T]) Mul(x, y T) T {
	v, varies := n.on(x)
	w, differs := n.on(y)
	r := n.Number.Mul(v, w)
	if !varies && !differs {
		return r
	}
	a, b := n.of(x), n.of(y)
	z := continuation[T]{on: r, degree: a.degree + b.degree}
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
func (n continuations[T]) Quo(x, y T) T {
	if _, differs := n.on(y); !differs && n.Number.Sign(y) != 0 {
		return n.Mul(x, n.Number.Quo(n.Number.Float(1), y))
	}
	return n.binary(x, y, n.Number.Quo, rectangle.Quo)
}

// Apply1 is f x.
func (n continuations[T]) Apply1(f tier.Fun1, x T) T {
	return n.unary(x, func(x T) T { return n.Number.Apply1(f, x) }, f.Complex)
}

// Apply2 is f x y.
func (n continuations[T]) Apply2(f tier.Fun2, x, y T) T {
	return n.binary(x, y, func(x, y T) T { return n.Number.Apply2(f, x, y) }, f.Complex)
}

// ApplyFamily is f at the integers and the reals; it has no continuation.
func (n continuations[T]) ApplyFamily(f tier.FunFamily, ints []int64, xs []T) T {
	values, varies := make([]T, len(xs)), false
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
	return n.make(continuation[T]{on: y, off: off, degree: transcendental})
}

// ApplyInt is f x k. A power of a polynomial is one, and keeps what it is relative to.
func (n continuations[T]) ApplyInt(f tier.FunInt, x T, k int64) T {
	v, varies := n.on(x)
	z := n.of(x)
	on := func(x T) T { return n.Number.ApplyInt(f, x, k) }
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
		z = continuation[T]{off: f.Complex(n.around(z), k), degree: z.degree * int(min(k, 1<<16))}
	}
	z.on = on(v)
	return n.make(z)
}

// ApplyFold is f of an array.
func (n continuations[T]) ApplyFold(f tier.FunFold, xs []T) T {
	sets, varies := make([]T, len(xs)), false
	for i, x := range xs {
		v, differs := n.on(x)
		sets[i], varies = v, varies || differs
	}
	y := n.Number.ApplyFold(f, sets)
	if varies {
		n.refuse()
		return n.make(continuation[T]{on: y, off: rectangle.None(), degree: transcendental})
	}
	return y
}

// ---- sets: what they tell is of the values on the cell

// Hull contains both.
func (n continuations[T]) Hull(x, y T) T {
	return n.binary(x, y, n.Number.Hull, rectangle.Neither)
}

// Intersect is x, of which y contains the values on the cell as well; or the other way round.
func (n continuations[T]) Intersect(x, y T) T {
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
func (n continuations[T]) IsEmpty(x T) bool { v, _ := n.on(x); return n.Number.IsEmpty(v) }

// Less tells whether x < y on the cell.
func (n continuations[T]) Less(x, y T) bool {
	v, _ := n.on(x)
	w, _ := n.on(y)
	return n.Number.Less(v, w)
}

// Ends are doubles on either side of x.
func (n continuations[T]) Ends(x T) (lo, hi float64) { v, _ := n.on(x); return n.Number.Ends(v) }

// String shows the values on the cell.
func (n continuations[T]) String(x T) string { v, _ := n.on(x); return n.Number.String(v) }

// Sign is the certain sign of x.
func (n continuations[T]) Sign(x T) int { v, _ := n.on(x); return n.Number.Sign(v) }

// IsPoint tells whether x is one real, and does not vary.
func (n continuations[T]) IsPoint(x T) bool {
	v, varies := n.on(x)
	return !varies && n.Number.IsPoint(v)
}

// Bounded tells whether x is bounded on the cell.
func (n continuations[T]) Bounded(x T) bool { v, _ := n.on(x); return n.Number.Bounded(v) }

// Within tells whether x is certainly a part of y, which does not vary.
func (n continuations[T]) Within(x, y T) bool {
	v, _ := n.on(x)
	w, varies := n.on(y)
	return !varies && n.Number.Within(v, w)
}

// Mid is a point near the middle of what does not vary.
func (n continuations[T]) Mid(x T) T { return n.unary(x, n.Number.Mid, rectangle.Nowhere) }

// Lower is the lower end of what does not vary.
func (n continuations[T]) Lower(x T) T {
	return n.unary(x, n.Number.Lower, rectangle.Nowhere)
}

// Upper is the upper end of what does not vary.
func (n continuations[T]) Upper(x T) T {
	return n.unary(x, n.Number.Upper, rectangle.Nowhere)
}

// Span contains all from x to y, which do not vary.
func (n continuations[T]) Span(x, y T) T {
	return n.binary(x, y, n.Number.Span, rectangle.Neither)
}

// Widen is x ± by, for x that does not vary.
func (n continuations[T]) Widen(x T, by jet.Mag) T {
	return n.unary(x, func(x T) T { return n.Number.Widen(x, by) }, rectangle.Nowhere)
}

// Symbol is x, which varies already if it is a continuation.
func (n continuations[T]) Symbol(x T) T {
	if _, varies := n.on(x); varies {
		return x
	}
	return n.Number.Symbol(x)
}

// Float64 is a double near the middle.
func (n continuations[T]) Float64(x T) float64 { v, _ := n.on(x); return n.Number.Float64(v) }

// Width is that on the cell.
func (n continuations[T]) Width(x T) jet.Mag { v, _ := n.on(x); return n.Number.Width(v) }

// Mag is at least every absolute value on the cell.
func (n continuations[T]) Mag(x T) jet.Mag { v, _ := n.on(x); return n.Number.Mag(v) }

// Mig is at most every absolute value on the cell.
func (n continuations[T]) Mig(x T) jet.Mag { v, _ := n.on(x); return n.Number.Mig(v) }
