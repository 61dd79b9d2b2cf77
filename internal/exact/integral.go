package exact

import (
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
)

// The integrals. What they may assume and must do:
//
//   - a, b and what f captures may depend on any open variable; the result's
//     coefficients in all of them are enclosed at once (Leibniz, bounds included),
//     for every point of a, b and of what is captured, which may be wide;
//   - f may be called with any jet within the range whose variables are open;
//     each evaluation runs in a frame of its own (observe), and a kink that the
//     integral smooths does not reach the frame around it;
//   - c.tol is the width to reach in every coefficient, c.effort.cells the number of cells;
//   - the place at is that of the call in the program, for diagnostics.
//
// How: integral.go takes the ends off, integral_cells.go cuts the rest into cells until
// the sum of their errors is tolerable, integral_measure.go encloses the integral over one
// cell, where f is analytic by integral_ellipse.go, integral_locate.go finds kinks and jumps,
// integral_gauss.go has the nodes and integral_taylor.go the alternative for many digits,
// integral_improper.go and integral_germ*.go treat unbounded integrands and ranges,
// integral_cubature.go takes integrals inside one another at once.
//
// Note [Leibniz]. Everything rests on one identity: the derivatives of the integral
// over a fixed cell by what is captured are the integrals of the
// derivatives. Three things make it true on the cells where it is used.
//
//   - Where all decisions of the program are taken over the cell and each operation is
//     defined on it, they are so on a neighbourhood, for a cell is compact and
//     the conditions (strict inequalities) are open: the integrand is jointly smooth there.
//   - Where an undecided maximum is met it is jointly Lipschitz on a neighbourhood; then
//     the integral of Clarke's hulls contains Clarke's derivative of the
//     integral (Clarke, Optimization and Nonsmooth Analysis, Thm 2.7.2), and the higher
//     coefficients are unknown already.
//   - Where an undecided comparison is met, derivatives by what moves it are
//     unknown (Note [Jumps]).
//
// Ends and crossings that move are never ends of cells: the strip in which they lie
// is treated apart (Note [Strips]).

// integral is the integral of f from a to b.
func (c *ctx) integral(at diag.Span, a, b jet.Jet, f function) (jet.Jet, error) {
	number := c.frame.ranges
	c.frame.ranges++
	if y, ok, err := c.standIn(number, a, b, f); ok {
		return y, err
	}
	if c.refuses() {
		return c.Unknown(), nil
	}
	if !a.Known() || !b.Known() {
		return c.Unknown(), nil
	}
	if _, germinal := germinal(c.N); germinal || !c.N.Bounded(a.Val()) || !c.N.Bounded(b.Val()) {
		c.report(trouble{code: diag.NoIntegral, at: at, what: "this integral cannot be bounded for all ends and all that it depends on"})
		return c.Unknown(), nil
	}
	q := newQuadrature(c, at, f)
	if entry, err := q.enter(number, a, b); entry || err != nil {
		return c.Unknown(), err
	}
	switch {
	case c.N.Less(a.Val(), b.Val()):
		return q.between(a, b, nil)
	case c.N.Less(b.Val(), a.Val()):
		y, err := q.between(b, a, nil)
		return c.Neg(y), err
	}
	// The ends may be equal: both strips start at a point between them.
	from := c.N.Mid(c.N.Hull(a.Val(), b.Val()))
	right, err := q.end(from, b, nil, 1)
	if err != nil {
		return right, err
	}
	left, err := q.end(from, a, nil, -1)
	q.sum = c.Add(right, left)
	q.settleSides()
	return q.sum, err
}

// end is the strip (Note [Strips]) from a point to an end of the range, times a sign.
func (q *quadrature) end(from jet.Set, end jet.Jet, forced []forced, sign float64) (jet.Jet, error) {
	c := q.c
	y, err := q.strip(from, end, forced)
	if err == nil && !c.narrow(y, q.tol) {
		if tied, err := q.tieEnd(from, end, forced, sign); tied || err != nil {
			return c.Zero(), err
		}
	}
	return c.Mul(c.Float(sign), y), err
}

// between is the integral from a to b, all of a below all of b, with decisions forced.
func (q *quadrature) between(a, b jet.Jet, forced []forced) (jet.Jet, error) {
	c := q.c
	all := &cell{lo: c.N.Upper(a.Val()), hi: c.N.Lower(b.Val()), part: 1, forced: forced}
	left, err := q.side(all, a, 1)
	if err != nil {
		return left, err
	}
	right, err := q.side(all, b, -1)
	if err != nil {
		return right, err
	}
	y, err := q.run(all)
	return c.Add(y, c.Add(left, right)), err
}

// side is the integral between an end of the range and a cell that reaches there, up to
// the width of the end. sign tells whether the cell is to the right or to the left of it. If the
// integrand is singular at the end, the cell is shortened and the rest integrated from the end on
// (Note [Pivots]).
func (q *quadrature) side(k *cell, end jet.Jet, sign float64) (jet.Jet, error) {
	c := q.c
	at := &k.lo
	if sign < 0 {
		at = &k.hi
	}
	y, err := q.end(*at, end, k.forced, -sign)
	if _, plain := balls(c.N); err != nil || c.Complete(y) || !plain || !c.N.Less(k.lo, k.hi) || q.pivots() >= mostPivots {
		return y, err
	}
	k.w = c.N.Sub(k.hi, k.lo)
	k.size = c.N.Float64(k.w)
	p := &pivot{outer: q, at: end, sign: sign, site: -1, forced: k.forced}
	mid := q.middle(k)
	if !c.N.Less(k.lo, mid) || !c.N.Less(mid, k.hi) {
		return y, nil
	}
	near, err := p.integrate(mid, q.tol.MulFloat(0.25))
	if err == nil && near.Known() && (c.Complete(near) || !y.Known()) {
		*at = mid
		return near, nil
	}
	return y, err
}

// Note [Strips]
//
// Problem: an end of an integral may move with a variable of a derivative. Over a cell whose
// ends are fixed, derivatives of an integral are integrals of derivatives (Note [Leibniz]); the
// part next to a moving end needs another rule. In deriv (fun b => integral 0 b exp) 1 the end
// is the jet b = 1 + δ:
//
//	0                 p   1   1+δ
//	|─────────────────|───|···|
//	      cells       strip   the end moves over here
//
// The integral is that over the cells up to a fixed point p near the end, plus that over the strip
// from p to the end. In general the end is x = X + δ, where X is a set, because ends may be known
// only as enclosures, and δ is the nilpotent part that moves with the open variables. Let G(x) be
// the integral of f from p to x. At any ξ in X, with the power series f(ξ + s) = Σ f_k s^k,
//
//	G(ξ + δ) = G(ξ) + Σ_k f_k δ^(k+1) / (k+1)
//
// where G(ξ), for fixed ξ, lies in (ξ - p) f(H), and H is the hull of p and X. In the
// example, if p is 1 too, G(ξ) = 0 and the first term of the sum is e δ: the derivative is e, the
// integrand at the end.
//
// How many f_k are needed: as many as there are powers of δ that do not vanish, less one. A first
// derivative needs only the value of f. The f_k over X are jets in the open variables, because
// f may capture variables that move as well.
//
// How smooth f must be: the series needs f around ξ, not only at ξ. Some decisions inside f are
// made for sets alone: an inner integral lets a crossing touch an end of its range, and floor
// may sit on its jump. They must know that the argument moves. So s is a variable of degree at
// least 1. It does not count as an argument of an integrand that stays in its cell (Note
// [Leibniz]), unless x moves only with such arguments.
//
// If no slope of f is known, f may be defined on one side of ξ only, as √x is at 0; then f is
// evaluated on a neighbourhood of X. If X is the point p, G(ξ) is a structural zero and not a
// computed one. If x does not move at all f is not evaluated, so a fixed end may be a
// singularity.

// strip is the integral of f, with decisions forced, from a point to x.
func (q *quadrature) strip(from jet.Set, x jet.Jet, forced []forced) (jet.Jet, error) {
	c := q.c
	span := c.N.Sub(x.Val(), from)
	fixed := c.N.IsPoint(span) && c.N.Mag(span).IsZero()
	if fixed && !c.Moves(x) {
		return c.Zero(), nil
	}
	hull := x.Val()
	if !fixed {
		hull = c.N.Hull(x.Val(), from)
	}
	leaves, _ := c.drift(x)
	degree, open := 0, c.openRange
	if c.Moves(x) {
		degree = max(c.order()-1, 1)
	}
	if leaves {
		open = c.open
	}
	y, tag, err := q.expand(hull, degree, open, forced)
	if err == nil && leaves && !c.Coeff(y, tag, 1).Known() {
		around := c.N.Mag(hull).Max(jet.Exp2(0)).Mul(jet.Exp2(-int64(c.N.Bits())))
		y, tag, err = q.expand(c.N.Widen(hull, around), degree, open, forced)
	}
	if err != nil {
		return y, err
	}
	sum := c.Zero()
	if !fixed {
		across := c.Coeff(y, tag, 0)
		if !across.Known() {
			if across, err = q.relaxed(hull, forced); err != nil {
				return y, err
			}
		}
		sum = c.Scale(across, span)
	}
	if !c.Moves(x) {
		return sum, nil
	}
	moving := c.Moving(x)
	power := moving
	for k := 0; k < c.order() && !power.IsZero(); k++ {
		if !c.Coeff(y, tag, k).Known() { // the value is not touched by what moves
			return c.Add(sum, c.termsOf(c.Unknown(), c.movers(moving))), nil
		}
		sum = c.Add(sum, c.DivInt(c.Mul(c.Coeff(y, tag, k), power), k+1))
		power = c.Mul(power, moving)
	}
	return sum, nil
}

// expand is f over x as a power series of the given degree in the variable that it opens for
// that, and gives. Where a comparison is undecided it is the hull of both branches.
func (q *quadrature) expand(x jet.Set, degree int, open func(int) jet.Tag, forced []forced) (jet.Jet, jet.Tag, error) {
	c := q.c
	defer q.asking(q.tol.MulFloat(0.125))()
	arg := c.Const(x)
	tag := jet.Tag(len(c.degrees) + 1)
	if degree > 0 {
		tag = open(degree)
		defer c.close(tag)
		arg = c.Var(tag, degree, arg, c.One())
	}
	y, seen, err := c.observe(q.f, arg, forced, -1)
	if err == errUndecided {
		y, err = q.branches(arg, forced, seen.first, maxBranches)
	}
	q.learn(seen)
	return y, tag, err
}
