package exact

import (
	"cmp"
	"math"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
	"github.com/fluxion-lang/fluxion/internal/interval/tier"
)

// Note [Germs]
//
// Problem: no finite number of evaluations over sets bounds x^(-1/2) near 0, or exp (-x²) near
// infinity, and none shows that (1 - cos x)/x² is bounded near 0.
//
// Idea: f is evaluated once more, in another number. A germ is a function of u in (0, 1],
// enclosed for all u at once as
//
//	e^E (Σ c_j u^p_j (log u)^k_j + u^q R),   E = Σ d_i u^-r_i
//
// where the c_j, the d_i and R are sets, k_j is 0, 1, 2, …, r_i > 0, and q is larger than all
// p_j. The argument is x = a ± w u next to an end a of a cell, or x = L / u towards infinity.
// This is a power series with a remainder, but for the exponents: singular factors multiply,
// divide and cancel by the arithmetic of exponents, and 1 - cos x at x = w u begins with w² u²/2.
// What oscillates is a wave besides (Note [Waves]).
//
// Sums and products are as usual. A remainder takes up what is of higher order, because u^δ is in
// [0, 1], and u^δ |log u|^k is at most (k/(e δ))^k. A sum of germs with different scales
// has the larger scale, since e^-z <= (c/(e z))^c for z, c > 0 makes the other one a power of u.
//
// A function g that is analytic on all values k + z of a germ, where z begins with a positive
// power, has Taylor's series with Lagrange's remainder, g(k + z) = Σ_{i<n} g_i(k) z^i + g_n(K) z^n.
// Here K contains all values, and the g_i are the recurrences of package jet. At a singularity
// germs rest on the functional equations
//
//	(u^p c (1 + z))^y = u^(p y) c^y (1 + z)^y
//	log (e^E u^p c (1 + z)) = E + p log u + log c + log (1 + z)
//	exp (E + t log u + z) = e^E u^t exp z
//
// if c and 1 + z have a sign, and similar ones (integral_germ_functions.go). What these cannot
// keep is lost, and whatever is computed from it as well.
//
// When is a coefficient 0? If its expression says so (package ball, Note [Expressions]), for then
// it is 0 whatever moves. Its term is dropped. A coefficient that happens to be exactly 0 keeps its
// term: c in c / x is 0 for one c only, and its neighbours tell whether there is a derivative by c.
// In 1 + 3 x - c towards infinity, at c = 1, such a term does no harm. It is not the first; the
// first one has a sign, and keeps it for the neighbours of c. Only where the first term happens to
// be 0, and a sign, a power, a logarithm or convergence depends on what the germ begins with, is it
// left out. That is right for the value, but what moves the coefficient moves the singularity: the
// germs remember it (vanished), and the derivatives are unknown.
//
// The derivatives by what is captured are germs too. That the integral of the derivative is the
// derivative of the integral needs a bound that is uniform in a neighbourhood of what is
// captured. Each rule gives one, because its conditions are open (a sign of a set, a sign of an
// exponent), or hold for all values of the symbols.

// germTerms is how many terms a germ has besides its remainder.
const germTerms = 10

// term is c u^power (log u)^logs.
type term struct {
	power germPower
	logs  int
	c     *ball.Ball
}

// germ is a function of u: Note [Germs].
type germ struct {
	scale []term    // E; nil for 0
	terms []term    // by rising powers, and falling powers of the logarithm
	order germPower // of the remainder
	rest  *ball.Ball
	least *ball.Ball // with its sign, no value is nearer to 0; nil if there is no such bound
	waves []wave     // beside the terms: Note [Waves]
	lost  bool       // nothing is known
}

// germs is arithmetic on germs. A ball without an entry is a constant set.
type germs struct {
	jet.Multi
	of       map[*ball.Ball]germ
	vanished *bool // a first term did, but not by its expression
	formal   bool  // integrals of waves may leave out what oscillates at 0: Note [Waves]
	endless  bool  // integrals may leave out what is infinite at 0: Note [Beyond]
	// series gives the coefficients of a function of the table at x, up to a degree; nil if
	// they are unknown.
	series func(f tier.Fun1, x *ball.Ball, degree int) []*ball.Ball
}

var _ jet.Arithmetic[*ball.Ball] = germs{}

func newGerms(bits uint, series func(f tier.Fun1, x *ball.Ball, degree int) []*ball.Ball) germs {
	return germs{
		Multi: jet.NewMulti(bits), of: map[*ball.Ball]germ{}, vanished: new(bool), series: series,
	}
}

// germinal is a number as arithmetic on germs, if it is that.
func germinal(n jet.Number) (g germs, ok bool) {
	if b, balls := n.(jet.Balls); balls {
		g, ok = b.Of.(germs)
	}
	return g, ok
}

// get is the germ that a ball stands for, without waves.
func (g germs) get(x *ball.Ball) germ { return g.plain(g.full(x)) }

// full is the germ that a ball stands for.
func (g germs) full(x *ball.Ball) germ {
	if h, ok := g.of[x]; ok {
		return h
	}
	return constantGerm(x)
}

// constantGerm is a germ that does not depend on u.
func constantGerm(x *ball.Ball) germ {
	switch {
	case x.Vanishes():
		return germ{}
	case !x.IsFinite():
		return germ{lost: true}
	}
	return germ{terms: []term{{c: x}}}
}

// put is a ball that stands for a germ.
func (g germs) put(h germ) *ball.Ball {
	for _, t := range h.terms {
		_, small := t.power.floor()
		h.lost = h.lost || !t.c.IsFinite() || !small
	}
	if h.rest != nil && !h.lost {
		_, small := h.order.floor()
		if far := grains(largestPower); !small && far.below(h.order) {
			h.order, h.rest = far, g.upToZero(h.rest)
		} else if !small {
			h.lost = true
		}
	}
	switch {
	case h.lost || h.rest != nil && !h.rest.IsFinite():
		h = germ{lost: true}
	case h.null():
		return g.Int(0)
	case h.rest == nil && h.scale == nil && h.waves == nil && len(h.terms) == 1 &&
		h.terms[0].power.isZero() && h.terms[0].logs == 0:
		return h.terms[0].c
	}
	x := new(ball.Ball).SetWhole()
	g.of[x] = h
	return x
}

// line is the germ c u^(power/grain).
func (g germs) line(c *ball.Ball, power int64) *ball.Ball {
	return g.put(germ{terms: []term{{power: grains(power), c: c}}})
}

// remainder is the germ u^order times a set.
func remainder(order germPower, set *ball.Ball) germ { return germ{order: order, rest: set} }

// null tells whether a germ is 0.
func (h germ) null() bool {
	return !h.lost && len(h.terms) == 0 && h.rest == nil && len(h.waves) == 0
}

// upToZero is [0, 1] x.
func (g germs) upToZero(x *ball.Ball) *ball.Ball { return g.Multi.Hull(x, new(ball.Ball)) }

// isNought tells whether x is exactly 0.
func isNought(x *ball.Ball) bool { return x.IsExact() && x.ContainsZero() }

// bound is a set with which u^order times it contains a term; the line if the term's power may be lower.
func (g germs) bound(t term, order germPower) *ball.Ball {
	above := t.power.minus(order)
	if !(above.least() >= 0) {
		return g.Whole()
	}
	switch {
	case t.logs > 0:
		// (-1)^k [0, (k/(e δ))^k]
		most := g.Multi.Mul(new(ball.Ball).E(g.Prec), above.number())
		most = g.Multi.Quo(g.Int(int64(t.logs)), most)
		most.PowInt(most, int64(t.logs), g.Prec)
		if t.logs%2 == 1 {
			most.Neg(most)
		}
		return g.upToZero(g.Multi.Mul(t.c, most))
	case above.isZero():
		return t.c
	}
	return g.upToZero(t.c)
}

// least is the power of a remainder that can take up a term.
func (t term) least() germPower {
	if t.logs > 0 {
		return t.power.minus(grains(slack))
	}
	return t.power
}

// absorb puts terms into the remainder of a germ.
func (g germs) absorb(h germ, terms []term) germ {
	order := h.order
	for i, t := range terms {
		if least := t.least(); h.rest == nil && i == 0 {
			order = least
		} else {
			order = lesser(order, least)
		}
	}
	sum := new(ball.Ball)
	if h.rest != nil {
		sum = g.bound(term{power: h.order, c: h.rest}, order)
	}
	for _, t := range terms {
		sum = g.Multi.Add(sum, g.bound(t, order))
	}
	h.order, h.rest = order, sum
	return h
}

// trim is a germ with not too many terms, all of lower order than its remainder.
func (g germs) trim(h germ) germ {
	for {
		cut := 0
		for cut < len(h.terms) && cut < germTerms && (h.rest == nil || h.terms[cut].power.below(h.order)) {
			cut++
		}
		if cut == len(h.terms) {
			return h
		}
		terms := h.terms[cut:]
		h.terms = h.terms[:cut:cut]
		h = g.absorb(h, terms)
	}
}

// sum merges terms.
func (g germs) sum(xs, ys []term) []term {
	var all []term
	for len(xs) > 0 && len(ys) > 0 {
		x, y := xs[0], ys[0]
		order := 0
		if d := x.power.minus(y.power); d.isZero() {
			order = cmp.Compare(y.logs, x.logs)
		} else {
			order = cmp.Or(cmp.Compare(d.near(), 0), -1)
		}
		if order <= 0 {
			xs = xs[1:]
		}
		if order >= 0 {
			ys = ys[1:]
		}
		switch {
		case order < 0:
			all = append(all, x)
		case order > 0:
			all = append(all, y)
		default:
			if c := g.Multi.Add(x.c, y.c); !c.Vanishes() {
				all = append(all, term{x.power, x.logs, c})
			}
		}
	}
	return append(append(all, xs...), ys...)
}

// lead is a sum of terms without first ones that happen to be 0; nil if nothing is left.
func (g germs) lead(terms []term) []term {
	for len(terms) > 0 && isNought(terms[0].c) {
		terms = terms[1:]
		*g.vanished = true
	}
	if len(terms) == 0 {
		return nil
	}
	return terms
}

// times multiplies terms by a constant power of u.
func (g germs) times(xs []term, y term) []term {
	all := make([]term, 0, len(xs))
	for _, x := range xs {
		if c := g.Multi.Mul(x.c, y.c); !c.Vanishes() {
			all = append(all, term{x.power.plus(y.power), x.logs + y.logs, c})
		}
	}
	return all
}

// scaled is a germ times c u^power.
func (g germs) scaled(h germ, c *ball.Ball, power germPower) germ {
	h.terms = g.times(h.terms, term{power: power, c: c})
	if h.rest != nil {
		h.rest, h.order = g.Multi.Mul(h.rest, c), h.order.plus(power)
	}
	h.waves = g.mulWaves(h.waves, germ{terms: []term{{power: power, c: c}}})
	h.least = nil
	return h
}

// negative is -h.
func (g germs) negative(h germ) germ { return g.scaled(h, g.Int(-1), grains(0)) }

// add is x + y.
func (g germs) add(x, y germ) germ {
	switch {
	case x.lost || y.lost:
		return germ{lost: true}
	case x.null():
		return y
	case y.null():
		return x
	}
	if x.scale != nil || y.scale != nil {
		d := germ{terms: g.sum(x.scale, g.times(y.scale, term{c: g.Int(-1)}))}
		sign := 0
		if !d.null() && !isNought(d.terms[0].c) {
			sign = g.sign(d)
		}
		switch {
		case d.null():
		case sign > 0:
			y = g.mul(y, g.decay(g.negative(d)))
			y.scale = x.scale
		case sign < 0:
			x = g.mul(x, g.decay(d))
			x.scale = y.scale
		default: // neither is known to be larger, now and for all neighbours
			p, xs, ok := g.flat(g.plain(x))
			q, ys, also := g.flat(g.plain(y))
			if !ok || !also {
				return germ{lost: true}
			}
			x, y = remainder(p, xs), remainder(q, ys)
		}
	}
	z := germ{scale: x.scale, terms: g.sum(x.terms, y.terms), order: x.order, rest: x.rest}
	if y.rest != nil {
		z = g.absorb(z, []term{{power: y.order, c: y.rest}})
	}
	if z.waves = g.addWaves(x.waves, y.waves); z.waves == nil {
		z.least = g.leastOfSum(x, y)
	}
	return g.trim(z)
}

// leastOfSum bounds a sum away from 0: if both parts have the same sign, by either.
func (g germs) leastOfSum(x, y germ) *ball.Ball {
	if x.least == nil {
		x, y = y, x
	}
	if x.least != nil && x.least.Sign() == g.sign(y) {
		return x.least
	}
	return nil
}

// mul is x y.
func (g germs) mul(x, y germ) germ {
	switch {
	case x.lost || y.lost:
		return germ{lost: true}
	case x.null():
		return x
	case y.null():
		return y
	}
	waves, ok := g.product(x.waves, y.waves)
	if !ok {
		x, y = g.plain(x), g.plain(y)
	}
	z := germ{scale: g.sum(x.scale, y.scale)}
	for _, pair := range [][2]germ{{x, y}, {y, x}} {
		factor := pair[1]
		factor.scale, factor.waves = nil, nil
		z.waves = append(z.waves, g.mulWaves(pair[0].waves, factor)...)
	}
	for _, t := range y.terms {
		z.terms = g.sum(z.terms, g.times(x.terms, t))
	}
	for _, pair := range [][2]germ{{x, y}, {y, x}} {
		if rest := pair[0].rest; rest != nil && len(pair[1].terms) > 0 {
			power, set := g.flatTerms(pair[1].terms)
			z = g.absorb(z, []term{{power: pair[0].order.plus(power), c: g.Multi.Mul(rest, set)}})
		}
	}
	if x.rest != nil && y.rest != nil {
		z = g.absorb(z, []term{{power: x.order.plus(y.order), c: g.Multi.Mul(x.rest, y.rest)}})
	}
	if x.least != nil && y.least != nil {
		z.least = g.Multi.Mul(x.least, y.least)
	}
	if z = g.trim(z); ok && !waves.null() {
		waves.scale = z.scale
		z = g.add(z, waves)
	}
	return z
}

// flatTerms writes a sum of terms as u^power times a set.
func (g germs) flatTerms(terms []term) (power germPower, set *ball.Ball) {
	h := g.absorb(germ{}, terms)
	return h.order, h.rest
}

// flat writes a germ that is not null as u^power times a set; ok is false if it cannot.
func (g germs) flat(h germ) (power germPower, set *ball.Ball, ok bool) {
	if h.scale != nil && !h.lost {
		scale := g.lead(h.scale)
		if h.scale = nil; scale != nil {
			h = g.mul(h, g.decay(germ{terms: scale}))
		}
	}
	if h.lost {
		return power, nil, false
	}
	h = g.absorb(h, h.terms)
	return h.order, h.rest, true
}

// decay is exp of a germ without scale, which must tend to -infinity.
func (g germs) decay(h germ) germ {
	power, y, ok := g.flat(h)
	if !ok || power.sign() >= 0 || y.Sign() >= 0 {
		return germ{lost: true}
	}
	r := -power.near()
	m := new(ball.Ball).Neg(y)
	m.Lower(m)
	least := m.Float64() * 0.999
	// e^-z <= (c / (e m u^p))^c, best at u = 1 for c = m; u^4 at least, and no more than
	// keeps numbers small.
	c := math.Min(math.Max(least, 4*grain/r), 1e6)
	gain := int64(math.Ceil(min(c*r, largestPower)))
	if gain <= 0 || math.IsNaN(c) {
		return germ{lost: true}
	}
	exponent := g.Multi.Quo(g.Int(-gain), power.whole()) // the c of that gain
	e := new(ball.Ball).E(g.Prec)
	bound := g.Multi.Quo(exponent, e.Mul(e, m, g.Prec))
	return remainder(grains(gain), g.upToZero(new(ball.Ball).Pow(bound, exponent, g.Prec)))
}

// bracket is a germ, but for its scale, as u^power times what lies in a set, or
// above it or below it if logarithms make it unbounded.
func (g germs) bracket(h germ) (power germPower, set *ball.Ball, above, below bool) {
	power = h.order
	if len(h.terms) > 0 && (h.rest == nil || h.terms[0].power.below(power)) {
		power = h.terms[0].power
	}
	set = new(ball.Ball)
	if h.rest != nil {
		set = g.bound(term{power: h.order, c: h.rest}, power)
	}
	for _, t := range h.terms {
		if t.logs > 0 && t.power.minus(power).isZero() {
			sign := t.c.Sign()
			if t.logs%2 == 1 {
				sign = -sign
			}
			above, below = above || sign >= 0, below || sign <= 0
			continue
		}
		set = g.Multi.Add(set, g.bound(t, power))
	}
	return power, set, above, below
}

// sign is the certain sign of a germ for all u.
func (g germs) sign(h germ) int {
	switch {
	case h.lost || h.null():
		return 0
	case h.least != nil:
		return h.least.Sign()
	}
	_, set, above, below := g.bracket(h)
	switch sign := set.Sign(); {
	case sign > 0 && !below, sign < 0 && !above:
		return sign
	case len(h.terms) > 0 && isNought(h.terms[0].c):
		h.terms = h.terms[1:]
		sign = g.sign(h)
		*g.vanished = *g.vanished || sign != 0
		return sign
	}
	return 0
}

// values is the hull of a germ's values, the line if they are not bounded.
func (g germs) values(h germ) *ball.Ball {
	if h.null() {
		return new(ball.Ball)
	}
	if h.scale == nil && !h.lost {
		if power, set, above, below := g.bracket(h); !above && !below && power.sign() >= 0 {
			return g.bound(term{power: power, c: set}, grains(0))
		}
	}
	power, set, ok := g.flat(h)
	switch {
	case !ok:
		return g.Whole()
	}
	return g.bound(term{power: power, c: set}, grains(0))
}

// set is the hull of the values of what a ball stands for.
func (g germs) set(x *ball.Ball) *ball.Ball {
	if g.moves(x) {
		return g.values(g.get(x))
	}
	return x
}

// ---- arithmetic

// Add is x + y.
func (g germs) Add(x, y *ball.Ball) *ball.Ball {
	if !g.moves(x) && !g.moves(y) {
		return g.Multi.Add(x, y)
	}
	return g.put(g.add(g.full(x), g.full(y)))
}

// Sub is x - y.
func (g germs) Sub(x, y *ball.Ball) *ball.Ball { return g.Add(x, g.Neg(y)) }

// Neg is -x.
func (g germs) Neg(x *ball.Ball) *ball.Ball {
	if !g.moves(x) {
		return g.Multi.Neg(x)
	}
	h := g.full(x)
	z := g.negative(h)
	if h.least != nil {
		z.least = g.Multi.Neg(h.least)
	}
	return g.put(z)
}

// Mul is x y.
func (g germs) Mul(x, y *ball.Ball) *ball.Ball {
	if !g.moves(x) && !g.moves(y) {
		return g.Multi.Mul(x, y)
	}
	return g.put(g.mul(g.full(x), g.full(y)))
}

// Quo is x / y, where y is not 0.
func (g germs) Quo(x, y *ball.Ball) *ball.Ball {
	switch {
	case g.moves(y):
		return g.put(g.mul(g.full(x), g.power(g.get(y), g.Int(-1))))
	case !g.moves(x):
		return g.Multi.Quo(x, y)
	}
	return g.put(g.scaled(g.full(x), g.Multi.Quo(g.Int(1), y), grains(0)))
}

// moves tells whether x depends on u.
func (g germs) moves(x *ball.Ball) bool { _, ok := g.of[x]; return ok }

// Symbol is x as a function of which nothing else is said.
func (g germs) Symbol(x *ball.Ball) *ball.Ball {
	if !g.moves(x) {
		return g.Multi.Symbol(x)
	}
	h := g.get(x)
	h.terms = slices.Clone(h.terms)
	for i := range h.terms {
		h.terms[i].c = g.Multi.Symbol(h.terms[i].c)
	}
	return g.put(h)
}
