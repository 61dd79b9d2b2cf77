package exact

import "github.com/fluxion-lang/fluxion/internal/exact/jet"

// Note [Sides]
//
// Problem: a crossing sits exactly on an end of a cell and moves with a variable of a derivative.
// In deriv (fun c => integral 0 1 (fun x => real (floor (x + c)))) 0 there are two: at x = -c,
// which is in the range for c < 0, and at x = 1 - c, which is so for c > 0. So neither case of Note
// [Crossings] holds in a neighbourhood of c = 0; but one of them holds on each side.
//
// Idea: let A be the integral with the decision forced to its side inside the cell, and r the
// crossing, a smooth function that is at the end a for c = c₀. Where r is inside of the cell,
// the integral is A + J, with
//
//	J = ∫_a^r (f_across - f_inside)
//
// which is two strips (Note [Strips]) that begin with the first power of r - a. Where it is
// outside, the integral is A. Which of the two holds next to c₀ is told by the first term of the
// difference d at the end that is not 0, α (c - c₀)^m. If m is even both sides are alike, and the
// integral is smooth: as in integral01 (fun x => if x < c^2 then 1 else 0). If m is odd, J belongs
// to one side. The sums J₋ and J₊ of these over all ends are what the integral is on either side,
// beyond the common part. As far as the terms of both are equal, they are the derivatives; in the
// example both are c, and the derivative is 1. Where the first derivatives differ they are
// Clarke's, the hull. Beyond the first difference there is no derivative.
//
// An end of the range that moves may meet a crossing too. Then the order of both and of the fixed
// point that they leave tells, on each side, how the strip between that point and the end is
// divided.
//
// With several variables, all must move d by their sum: the terms of d are those of a function of
// e₁ + … + eₙ, as they are for deriv (deriv f), whose variables are moved together. Then the half
// spaces on which the sum has a sign are the sides. Variables that are one of several (joint) have
// more sides than two, even if only one of them is open: both partial derivatives of the function
// max 0 (a + b) + min 0 (a - b) exist at 0, and it has no gradient.

// sides is what an integral has beyond its cells where the sum of the variables is negative, and
// where it is positive.
type sides [2]jet.Jet

// tie takes a decision whose crossing is exactly at an end x of a cell to its side inside the cell,
// and keeps what is beyond. It does nothing, and says so, if that is not known.
func (q *quadrature) tie(k *cell, first decision, end int, x jet.Set, diff jet.Jet, rise int) (bool, error) {
	c := q.c
	leads, ok := c.leads(diff)
	if !ok || leads[1] == 0 {
		return false, nil
	}
	r, err := equation{c: c, f: q.difference(k.forced, first.site)}.lift(x)
	if err != nil || !r.Known() {
		return false, err
	}
	inward := 1 - 2*end // the direction into the cell
	across, ok, err := q.sure(x, r, with(k.forced, first.site, -rise*inward))
	if !ok || err != nil {
		return false, err
	}
	inside, ok, err := q.sure(x, r, with(k.forced, first.site, rise*inward))
	if !ok || err != nil {
		return false, err
	}
	beyond := c.Mul(c.Float(float64(inward)), c.Sub(across, inside))
	if leads[0] == leads[1] && leads[0]*rise*inward < 0 {
		q.sum = c.Add(q.sum, beyond)
		k.tied = c.Add(k.tied, beyond)
		return true, nil
	}
	for i, lead := range leads {
		if lead*rise*inward < 0 {
			q.beyond[i] = c.Add(q.beyond[i], beyond)
			k.ties[i] = c.Add(k.ties[i], beyond)
		}
	}
	return true, nil
}

// sure is a strip (Note [Strips]), if f is defined and smooth there.
func (q *quadrature) sure(from jet.Set, to jet.Jet, forced []forced) (y jet.Jet, ok bool, err error) {
	if y, err = q.strip(from, to, forced); err != nil && !fatal(err) {
		return y, false, nil
	}
	return y, err == nil && q.c.Complete(y), err
}

// tieEnd is tie for the strip from x to an end of the range that moves from there, if a crossing
// moves from there as well. The strip counts with a sign.
//
//	∫_x^end f = ∫_x^end f_far + ∫_x^r (f_near - f_far)	if the end is beyond the crossing r,
//	          = ∫_x^end f_near	if the crossing is beyond the end,
//	          = ∫_x^end f_far	if it moves the other way
func (q *quadrature) tieEnd(x jet.Set, end jet.Jet, forced []forced, sign float64) (bool, error) {
	c := q.c
	toEnd, ok := c.leads(c.Sub(end, c.Const(x)))
	if !ok || toEnd[1] == 0 {
		return false, nil
	}
	tag := c.open(1)
	_, seen, err := c.observe(q.f, c.Var(tag, 1, c.Const(x), c.One()), forced, -1)
	first := seen.first
	slope := c.Coeff(first.diff, tag, 1)
	c.close(tag)
	if err != nil && fatal(err) || !first.met || !slope.Known() || c.N.Sign(slope.Val()) == 0 {
		return false, fatalOnly(err)
	}
	rise := c.N.Sign(slope.Val())
	r, err := equation{c: c, f: q.difference(forced, first.site)}.lift(x)
	if err != nil || !r.Known() {
		return false, fatalOnly(err)
	}
	toCrossing, ok := c.leads(c.Sub(r, c.Const(x)))
	between, comparable := c.leads(c.Sub(end, r))
	if !ok || !comparable {
		return false, nil
	}
	var toTheEnd, toTheCrossing [2]jet.Jet // where the difference is negative, and positive
	for i, side := range []int{-1, 1} {
		taken := with(forced, first.site, side)
		if toTheEnd[i], ok, err = q.sure(x, end, taken); !ok || err != nil {
			return false, err
		}
		if toTheCrossing[i], ok, err = q.sure(x, r, taken); !ok || err != nil {
			return false, err
		}
	}
	for i, way := range toEnd {
		far := (1 + rise*way) / 2
		y := toTheEnd[far]
		switch {
		case toCrossing[i] != way:
		case between[i] == way:
			y = c.Add(y, c.Sub(toTheCrossing[1-far], toTheCrossing[far]))
		default:
			y = toTheEnd[1-far]
		}
		q.beyond[i] = c.Add(q.beyond[i], c.Mul(c.Float(sign), y))
	}
	return true, nil
}

// fatalOnly is an error that ends the run, or nil.
func fatalOnly(err error) error {
	if err != nil && fatal(err) {
		return err
	}
	return nil
}

// leads gives the signs of a difference that is 0 where the sum of the open variables is a little
// less, and a little more, than 0, provided that it is a function of that sum. They are 0 if
// no term shows them.
func (c *ctx) leads(diff jet.Jet) (leads [2]int, ok bool) {
	if c.joint > 0 || !c.N.Mag(diff.Val()).IsZero() || !c.Complete(diff) {
		return leads, false
	}
	sum, several := c.Zero(), 0
	for i, degree := range c.degrees {
		if tag := jet.Tag(i + 1); tag >= c.Floor {
			if c.ranging[i] || degree == 0 {
				return leads, false
			}
			sum = c.Add(sum, c.Var(tag, degree, c.Zero(), c.One()))
			several++
		}
	}
	power := c.One()
	for m := 1; m <= c.order(); m++ {
		power = c.Mul(power, sum)
		part := c.Part(diff, m)
		if c.Vanishes(part) {
			continue
		}
		of, in := c.someTerm(power), c.someTerm(part)
		if several > 1 && !c.Vanishes(c.Sub(c.Scale(part, of), c.Scale(power, in))) {
			return leads, false
		}
		if sign := c.N.Sign(in); leads[1] == 0 {
			if leads[0], leads[1] = sign, sign; m%2 == 1 {
				leads[0] = -sign
			}
			if sign == 0 {
				return leads, false
			}
		}
	}
	return leads, true
}

// someTerm is the first coefficient of a jet that is not 0 by its form.
func (c *ctx) someTerm(x jet.Jet) (term jet.Set) {
	c.Each(x, func(degree int, t jet.Set, _ bool) bool {
		term = t
		return degree == 0
	})
	return term
}

// settleSides adds what is beyond the cells to the sum.
func (q *quadrature) settleSides() {
	c := q.c
	below, above := q.beyond[0], q.beyond[1]
	q.beyond = sides{c.Zero(), c.Zero()}
	for m := 1; m <= c.order(); m++ {
		u, v := c.Part(below, m), c.Part(above, m)
		if c.Vanishes(c.Sub(u, v)) {
			q.sum = c.Add(q.sum, u)
			continue
		}
		c.kink(q.at)
		if m == 1 {
			q.sum, m = c.Add(q.sum, c.Hull(u, v)), 2
		}
		q.sum = c.withoutDerivatives(q.sum, m, below, above)
		return
	}
}
