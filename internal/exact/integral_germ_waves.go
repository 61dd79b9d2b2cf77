package exact

import (
	"math/big"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/interval/ball"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

// Note [Waves]
//
// Problem: a germ encloses sin (1/x) near 0 as the set [-1, 1]. The integral from 0 to w is then
// known up to w only, and cells that follow the oscillation down to w = 1e-10 are too many.
//
// Idea: a germ has, beside its terms and its remainder, waves
//
//	C cos φ + S sin φ,   φ = d u^-r
//
// where C and S are germs without waves. sin (φ + z) is one, and so are the parts of products, by
// the addition theorem. Anything but sums and products takes them for [-1, 1] C + [-1, 1] S.
//
// A wave is integrated by parts. φ' = -r d u^(-r-1) makes 1/φ' a power of u, so that for a sum P of
// terms the quotient Q = P / φ' is one, and
//
//	∫ P sin φ du = -[Q cos φ] + ∫ Q' cos φ du
//	∫ P cos φ du =  [Q sin φ] - ∫ Q' sin φ du
//
// Each time the exponents grow by r and the coefficients shrink with 1/d, until the factorials in
// them prevail. What is left then is bounded by its absolute value, and so are remainders from the
// beginning. Q must vanish at 0. The integral from 0 to 1 is then the limit of those from ε to 1,
// uniformly in a neighbourhood of what is captured, since the sign of d is all that was used. So
// derivatives of integrals are integrals of derivatives, as in Note [Germs].
//
// The integral of a derivative need not converge: d/dp sin (p x²) grows like x². But let the integral F
// of a value f converge, for all neighbours of what is captured too. By parts, as often as it takes,
// f = ∂A/∂u + r, where A is a wave, and r and its derivatives are absolutely integrable. A vanishes
// at 0, so that F = A(1) + ∫ r and F' = A'(1) + ∫ r'. Integration by parts of f' gives the same A' and
// r', since it commutes with the derivative. Hence for derivatives (formal), and for no values, Q
// need not vanish at 0: its part at 0 is left out. The derivative of sin (p x) / x is 0 like that.

// wave is cos times the cosine of rate u^power, plus sin times its sine. The power is negative.
type wave struct {
	rate     *ball.Ball
	power    germPower
	cos, sin germ
}

// mostParts is how often a wave is integrated by parts.
const mostParts = 60

// waves is sin or cos of a germ that tends to infinity like one power of u; ok is false for others.
func (g germs) waves(row prim.ID, h germ) (y germ, ok bool) {
	if h.lost || h.scale != nil || len(h.terms) == 0 || h.terms[0].power.sign() >= 0 || h.terms[0].logs > 0 {
		return y, false
	}
	first := h.terms[0]
	rest := germ{terms: h.terms[1:], order: h.order, rest: h.rest}
	if _, _, ok := g.split(rest); !ok || first.c.Sign() == 0 {
		return y, false
	}
	x := g.put(rest)
	w := wave{rate: first.c, power: first.power}
	w.cos, w.sin = g.get(g.function(prim.Sin, x)), g.get(g.function(prim.Cos, x))
	if row == prim.Cos {
		w.cos, w.sin = w.sin, g.negative(w.cos)
	}
	return germ{waves: []wave{w}}, true
}

// plain is a germ without waves.
func (g germs) plain(h germ) germ {
	waves := h.waves
	h.waves = nil
	for _, w := range waves {
		for _, part := range []germ{w.cos, w.sin} {
			if part.null() {
				continue
			}
			power, set, ok := g.flat(part)
			if !ok {
				return germ{lost: true}
			}
			h = g.trim(g.absorb(h, []term{{power: power, c: g.Multi.Hull(set, g.Multi.Neg(set))}}))
			h.least = nil
		}
	}
	return h
}

// addWaves is the sum of waves.
func (g germs) addWaves(xs, ys []wave) []wave {
	all := slices.Clone(xs)
next:
	for _, y := range ys {
		for i, x := range all {
			if x.power.minus(y.power).isZero() && g.Multi.Sub(x.rate, y.rate).Vanishes() {
				all[i].cos, all[i].sin = g.add(x.cos, y.cos), g.add(x.sin, y.sin)
				continue next
			}
		}
		all = append(all, y)
	}
	return all
}

// mulWaves is waves times a germ without waves and scale.
func (g germs) mulWaves(xs []wave, y germ) []wave {
	var all []wave
	for _, x := range xs {
		x.cos, x.sin = g.mul(x.cos, y), g.mul(x.sin, y)
		all = append(all, x)
	}
	return all
}

// product is that of two sums of waves; ok is false if it is not a sum of waves, and of a germ
// without.
func (g germs) product(xs, ys []wave) (z germ, ok bool) {
	for _, x := range xs {
		for _, y := range ys {
			if !x.power.minus(y.power).isZero() {
				return z, false
			}
			half := constantGerm(g.Rat(big.NewRat(1, 2)))
			cc, ss := g.mul(half, g.mul(x.cos, y.cos)), g.mul(half, g.mul(x.sin, y.sin))
			sc, cs := g.mul(half, g.mul(x.sin, y.cos)), g.mul(half, g.mul(x.cos, y.sin))
			sum := wave{g.Multi.Add(x.rate, y.rate), x.power, g.add(cc, g.negative(ss)), g.add(sc, cs)}
			diff := wave{g.Multi.Sub(x.rate, y.rate), x.power, g.add(cc, ss), g.add(sc, g.negative(cs))}
			for _, w := range []wave{sum, diff} {
				switch {
				case w.rate.Vanishes():
					z = g.add(z, w.cos)
				case w.rate.Sign() == 0:
					return z, false
				default:
					z = g.add(z, germ{waves: []wave{w}})
				}
			}
		}
	}
	return z, true
}

// integrateWave is the integral of u^(weight-1) times a wave from 0 to 1, if it is known to
// converge.
func (g germs) integrateWave(w wave, weight int64) (sum *ball.Ball, ok bool) {
	sum = new(ball.Ball)
	side := func(h germ) []term { // and takes up the remainder
		if h.rest != nil {
			part, converges := g.integral(g.put(remainder(h.order, h.rest)), weight, false)
			if ok = ok && converges; ok {
				sum = g.Multi.Add(sum, g.Multi.Hull(part, g.Multi.Neg(part)))
			}
		}
		return g.times(h.terms, term{power: grains(weight - grain), c: g.Int(1)})
	}
	if ok = !w.cos.lost && !w.sin.lost; !ok {
		return nil, false
	}
	c, s := side(w.cos), side(w.sin)
	if !ok {
		return nil, false
	}
	var best *ball.Ball
	// 1/φ' is inverse u^(grain - power)
	inverse := term{power: grains(grain).minus(w.power)}
	inverse.c = g.Multi.Quo(g.Int(1), g.Multi.Mul(w.power.number(), w.rate))
	sine, cosine := new(ball.Ball).Sin(w.rate, g.Prec), new(ball.Ball).Cos(w.rate, g.Prec)
	for range mostParts {
		if left, ok := g.magnitude(c, s); ok {
			next := g.Multi.Add(sum, left)
			if best != nil && !g.Multi.Width(next).Less(g.Multi.Width(best)) {
				break
			}
			best = next
		}
		c, s = g.times(c, inverse), g.times(s, inverse)
		if !g.formal && !(vanish(c) && vanish(s)) {
			break
		}
		sum = g.Multi.Add(sum, g.Multi.Mul(atOne(g, c), sine))
		sum = g.Multi.Sub(sum, g.Multi.Mul(atOne(g, s), cosine))
		c, s = g.slope(s), g.times(g.slope(c), term{c: g.Int(-1)})
	}
	return best, best != nil && best.IsFinite()
}

// magnitude bounds the integrals from 0 to 1 of sums of terms times sines and cosines.
func (g germs) magnitude(sums ...[]term) (set *ball.Ball, ok bool) {
	set, g.endless = new(ball.Ball), false
	for _, terms := range sums {
		for _, t := range terms {
			part, ok := g.integral(g.put(germ{terms: []term{t}}), grain, false)
			if !ok {
				return nil, false
			}
			set = g.Multi.Add(set, g.Multi.Hull(part, g.Multi.Neg(part)))
		}
	}
	return set, true
}

// atOne is a sum of terms at u = 1.
func atOne(g germs, terms []term) *ball.Ball {
	sum := new(ball.Ball)
	for _, t := range terms {
		if t.logs == 0 {
			sum = g.Multi.Add(sum, t.c)
		}
	}
	return sum
}

// slope is the derivative of a sum of terms.
func (g germs) slope(terms []term) []term {
	var all []term
	for _, t := range terms {
		below := t.power.minus(grains(grain))
		if !t.power.isZero() {
			all = g.sum(all, []term{{below, t.logs, g.Multi.Mul(t.c, t.power.number())}})
		}
		if t.logs > 0 {
			all = g.sum(all, []term{{below, t.logs - 1, g.Multi.Mul(t.c, g.Int(int64(t.logs)))}})
		}
	}
	return all
}
