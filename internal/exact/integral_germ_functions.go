package exact

import (
	"math/big"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/interval"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
	"github.com/fluxion-lang/fluxion/internal/interval/tier"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/rules"
)

// function is a row of the table of one argument.
func (g germs) function(row prim.ID, x *ball.Ball) *ball.Ball {
	return g.Apply1(row.Row().Interval.(tier.Fun1), x)
}

// ---- Taylor's series

// split is a germ as k + z, where k is a constant and z begins with a positive power.
func (g germs) split(h germ) (k *ball.Ball, z germ, ok bool) {
	k = g.Int(0)
	z = h
	z.least = nil
	if len(h.terms) > 0 && h.terms[0].power.isZero() && h.terms[0].logs == 0 {
		k, z.terms = h.terms[0].c, h.terms[1:]
	}
	ok = !h.lost && h.scale == nil && (z.rest == nil || z.order.sign() > 0)
	return k, z, ok && vanish(z.terms)
}

// vanish tells whether all terms tend to 0.
func vanish(terms []term) bool {
	return !slices.ContainsFunc(terms, func(t term) bool { return t.power.sign() <= 0 })
}

// compose is Σ_{i<n} at_i z^i + over z^n, for n coefficients.
func (g germs) compose(at []*ball.Ball, over *ball.Ball, z germ) germ {
	sum := germ{}
	for i := len(at) - 1; i >= 0; i-- {
		sum = g.add(g.mul(sum, z), constantGerm(at[i]))
	}
	if z.null() {
		return sum
	}
	n := int64(len(at))
	power, set, ok := g.flat(z)
	if !ok {
		return germ{lost: true}
	}
	rest := g.Multi.Mul(over, new(ball.Ball).PowInt(set, n, g.Prec))
	return g.add(sum, remainder(power.times(n), rest))
}

// analytic is a function of the table of a germ, if it is analytic on all values.
func (g germs) analytic(f tier.Fun1, h germ) (y germ, ok bool) {
	k, z, ok := g.split(h)
	if !ok {
		return y, false
	}
	at, over := g.series(f, k, germTerms-1), g.series(f, g.values(h), germTerms)
	if at == nil || over == nil {
		return y, false
	}
	return g.compose(at, over[germTerms], z), true
}

// normal writes a germ without its scale as u^power c (1 + z), where z begins with a positive power
// and 1 + z has the positive values in near.
func (g germs) normal(h germ) (power germPower, c, near *ball.Ball, z germ, ok bool) {
	if h.lost || len(h.terms) == 0 || h.terms[0].logs > 0 ||
		h.rest != nil && !h.terms[0].power.below(h.order) {
		return power, nil, nil, z, false
	}
	first := h.terms[0]
	_, set, _, _ := g.bracket(h)
	if first.c.Sign() == 0 || set.Sign() != first.c.Sign() {
		return power, nil, nil, z, false
	}
	z = germ{terms: h.terms[1:], order: h.order, rest: h.rest}
	z = g.scaled(z, g.Multi.Quo(g.Int(1), first.c), first.power.times(-1))
	return first.power, first.c, g.Multi.Quo(set, first.c), z, vanish(z.terms)
}

// power is h^y, where h is positive, or y is -1 and h is not 0, or the power exists otherwise.
func (g germs) power(h germ, y *ball.Ball) germ {
	var scale []term
	if h.scale != nil {
		scale = g.times(h.scale, term{c: y})
		h.scale = nil
	}
	least := g.leastPower(h, y)
	if least == nil {
		h.terms = g.lead(h.terms)
	}
	p, c, near, z, ok := g.normal(h)
	var r germ
	switch {
	case ok:
		// The binomial series.
		at := []*ball.Ball{g.Int(1)}
		for i := int64(1); i <= germTerms; i++ {
			next := g.Multi.Mul(at[i-1], g.Multi.Sub(y, g.Int(i-1)))
			at = append(at, g.Multi.Quo(next, g.Int(i)))
		}
		over := g.Multi.Mul(at[germTerms], g.real(near, g.Multi.Sub(y, g.Int(germTerms))))
		r = g.compose(at[:germTerms], over, z)
		r = g.mul(r, constantGerm(g.real(c, y)))
	case least != nil && y.Sign() < 0:
		r, p = remainder(grains(0), g.upToZero(least)), grains(0)
	default:
		set, flat := (*ball.Ball)(nil), false
		if p, set, flat = g.flat(h); !flat || y.Sign() < 0 && set.Sign() == 0 {
			return germ{lost: true}
		}
		r = remainder(grains(0), g.real(set, y))
	}
	r = g.mul(r, g.powerOf(exponents.Mul(y, p.whole())))
	r.scale, r.least = scale, nil
	if scale == nil && y.Sign() > 0 {
		r.least = least
	}
	return r
}

// leastPower is a bound of h^y: from below if y is positive, and from above if it is negative;
// nil if there is none.
func (g germs) leastPower(h germ, y *ball.Ball) *ball.Ball {
	least := h.least
	if least == nil && !h.lost && g.sign(h) != 0 {
		if power, set, above, below := g.bracket(h); power.isZero() && (above || below) {
			if least = g.Multi.Lower(set); set.Sign() < 0 {
				least = g.Multi.Upper(set)
			}
		}
	}
	if least == nil || least.Sign() == 0 {
		return nil
	}
	return g.real(least, y)
}

// real is x^y for constants.
func (g germs) real(x, y *ball.Ball) *ball.Ball {
	switch {
	case y.Equal(ball.FromInt64(-1)):
		return g.Multi.Quo(g.Int(1), x)
	case y.Equal(ball.FromFloat64(0.5)):
		return g.Multi.Apply1(prim.Sqrt.Row().Interval.(tier.Fun1), x)
	}
	if n := int64(y.Float64()); y.Equal(ball.FromInt64(n)) {
		return new(ball.Ball).PowInt(x, n, g.Prec)
	}
	return new(ball.Ball).Pow(x, y, g.Prec)
}

// powerOf is u^(p/grain).
func (g germs) powerOf(p *ball.Ball) germ {
	if !p.IsFinite() {
		return germ{lost: true}
	}
	return germ{terms: []term{{power: germPowerOf(p), c: g.Int(1)}}}
}

// log is the logarithm of a positive germ.
func (g germs) log(h germ) germ {
	scale := germ{terms: h.scale}
	h.scale, h.terms = nil, g.lead(h.terms)
	p, c, near, z, ok := g.normal(h)
	var r germ
	if ok {
		// log (1 + z) = Σ (-1)^(i-1) z^i / i
		at := []*ball.Ball{g.Int(0)}
		for i := int64(1); i < germTerms; i++ {
			at = append(at, g.Rat(big.NewRat(2*(i%2)-1, i)))
		}
		over := g.Rat(big.NewRat(2*(germTerms%2)-1, germTerms))
		over = g.Multi.Quo(over, new(ball.Ball).PowInt(near, germTerms, g.Prec))
		r = g.add(g.compose(at, over, z), constantGerm(g.logOf(c)))
	} else {
		set, flat := (*ball.Ball)(nil), false
		if p, set, flat = g.flat(h); !flat || set.Sign() <= 0 {
			return germ{lost: true}
		}
		r = remainder(grains(0), g.logOf(set))
	}
	if !p.isZero() {
		r = g.add(r, germ{terms: []term{{logs: 1, c: p.number()}}})
	}
	return g.add(scale, r)
}

// logOf is the logarithm of a constant.
func (g germs) logOf(c *ball.Ball) *ball.Ball {
	if c.Equal(ball.FromInt64(1)) {
		return g.Int(0)
	}
	return new(ball.Ball).Log(c, g.Prec)
}

// exp is e^h.
func (g germs) exp(h germ) germ {
	if h.lost || h.scale != nil { // the exponential of an exponential
		return g.decayOf(h)
	}
	var scale, small []term
	k, t := g.Int(0), g.Int(0)
	for _, x := range h.terms {
		switch {
		case x.power.sign() > 0:
			small = append(small, x)
		case x.power.sign() < 0 && x.logs == 0:
			scale = append(scale, x)
		case x.power.isZero() && x.logs == 0:
			k = x.c
		case x.power.isZero() && x.logs == 1:
			t = x.c
		default:
			return g.decayOf(h)
		}
	}
	z := germ{terms: small, order: h.order, rest: h.rest}
	r := constantGerm(g.Int(1))
	if h.rest != nil && h.order.sign() <= 0 {
		if !h.order.isZero() {
			return g.decayOf(h)
		}
		r, z.rest = remainder(grains(0), new(ball.Ball).Exp(h.rest, g.Prec)), nil
	}
	at := []*ball.Ball{g.Int(1)}
	for i := int64(1); i <= germTerms; i++ {
		at = append(at, g.Multi.Quo(at[i-1], g.Int(i)))
	}
	over := g.Multi.Mul(at[germTerms], new(ball.Ball).Exp(g.values(z), g.Prec))
	r = g.mul(r, g.compose(at[:germTerms], over, z))
	if !k.Vanishes() {
		r = g.mul(r, constantGerm(new(ball.Ball).Exp(k, g.Prec)))
	}
	if !t.Vanishes() {
		r = g.mul(r, g.powerOf(exponents.Mul(t, exponents.Int(grain))))
	}
	r.scale = scale
	return r
}

// decayOf is e^h without an exact scale.
func (g germs) decayOf(h germ) germ {
	if set := g.values(h); set.IsFinite() {
		return remainder(grains(0), new(ball.Ball).Exp(set, g.Prec))
	}
	return g.decay(h)
}

// ---- the rows of the table

// Apply1 is f x.
func (g germs) Apply1(f tier.Fun1, x *ball.Ball) *ball.Ball {
	if !g.moves(x) {
		return g.Multi.Apply1(f, x)
	}
	h := g.get(x)
	if h.lost {
		return x
	}
	switch row := prim.ID(f.Row); row {
	case prim.Exp:
		return g.put(g.exp(h))
	case prim.Log:
		return g.put(g.log(h))
	case prim.Sqrt:
		return g.put(g.power(h, ball.FromFloat64(0.5)))
	case prim.Cbrt:
		if g.sign(h) > 0 {
			return g.put(g.power(h, g.Rat(big.NewRat(1, 3))))
		} else if g.sign(h) < 0 {
			return g.Neg(g.Apply1(f, g.Neg(x)))
		}
	default:
		if y, ok := g.analytic(f, h); ok {
			return g.put(y)
		}
		if y := g.singular(row, x); y != nil {
			return y
		}
	}
	return g.image(f, x)
}

// image is f x by the values of x.
func (g germs) image(f tier.Fun1, x *ball.Ball) *ball.Ball {
	if set := g.set(x); set.IsFinite() {
		return g.put(remainder(grains(0), g.Multi.Apply1(f, set)))
	}
	lo, hi := g.Ends(x)
	half, _ := interval.New(lo, hi)
	r := f.Double(half)
	if r.IsEmpty() || !r.IsBounded() {
		return g.put(germ{lost: true})
	}
	return g.put(remainder(grains(0), ball.FromFloat64s(r.Inf(), r.Sup())))
}

// singular is a function at a pole or towards infinity; nil if nothing is known.
func (g germs) singular(row prim.ID, x *ball.Ball) *ball.Ball {
	switch {
	case row == prim.Sin || row == prim.Cos:
		if y, ok := g.waves(row, g.get(x)); ok {
			return g.put(y)
		}
		return nil
	case row == prim.Erfcx && g.Sign(x) > 0:
		return g.erfcx(0, x)
	}
	if by := rules.Germ(row.Row()); by != nil {
		return g.evaluate(by.Body, germEnv{by.Params[0]: x})
	}
	return nil
}

// erfcx is the n-th derivative of erfcx towards infinity, which is between one term and two of its
// expansion: (-1)^n n! / (√π x^(n+1)) (1 - θ (n+1)(n+2)/(4x²)), 0 <= θ <= 1. See Note [Scaled error
// function] of package family.
func (g germs) erfcx(n int64, x *ball.Ball) *ball.Ball {
	one := g.Int(1)
	first := g.Quo(one, g.Mul(x, new(ball.Ball).Sqrt(new(ball.Ball).Pi(g.Prec), g.Prec)))
	for k := range n {
		first = g.Mul(first, g.Quo(g.Int(-k-1), x))
	}
	theta := g.put(remainder(grains(0), g.upToZero(g.Quo(g.Int((n+1)*(n+2)), g.Int(4)))))
	return g.Mul(first, g.Sub(one, g.Quo(theta, g.Mul(x, x))))
}

// germEnv has the values of variables: germs, or truth values.
type germEnv map[*core.Var]any

// evaluate is the value of a block of the column Germ; nil if nothing is known.
func (g germs) evaluate(b *core.Block, env germEnv) *ball.Ball {
	y, _ := g.block(b, env).(*ball.Ball)
	return y
}

func (g germs) block(b *core.Block, env germEnv) any {
	for _, s := range b.Stmts {
		let := s.(*core.Let)
		var y any
		switch op := let.Op.(type) {
		case *core.If:
			side := op.Else
			if env[op.Cond.(*core.Var)].(bool) {
				side = op.Then
			}
			y = g.block(side, env)
		case *core.Prim:
			y = g.row(op, env)
		}
		if y == nil {
			return nil
		}
		env[let.Var] = y
	}
	return g.atom(b.Result, env)
}

func (g germs) atom(a core.Atom, env germEnv) any {
	switch a := a.(type) {
	case *core.Var:
		return env[a]
	case *core.Lit:
		return g.Rat(a.Real)
	}
	return nil
}

// row applies a row of the table.
func (g germs) row(op *core.Prim, env germEnv) any {
	args := make([]*ball.Ball, len(op.Args))
	for k, a := range op.Args {
		args[k] = g.atom(a, env).(*ball.Ball)
	}
	row := op.Prim
	switch row.ID {
	case prim.Add:
		return g.Add(args[0], args[1])
	case prim.Sub:
		return g.Sub(args[0], args[1])
	case prim.Neg:
		return g.Neg(args[0])
	case prim.Mul:
		return g.Mul(args[0], args[1])
	case prim.Quo:
		if !g.moves(args[1]) && args[1].Sign() == 0 {
			return nil
		}
		return g.Quo(args[0], args[1])
	}
	if row.Order != 0 {
		sign := g.Sign(g.Sub(args[0], args[1]))
		return sign != 0 && row.Order.Holds(sign)
	}
	switch f := row.Interval.(type) {
	case tier.Fun0:
		return g.Apply0(f)
	case tier.Fun1:
		return g.Apply1(f, args[0])
	}
	return nil
}

// Apply2 is f x y.
func (g germs) Apply2(f tier.Fun2, x, y *ball.Ball) *ball.Ball {
	if !g.moves(x) && !g.moves(y) {
		return g.Multi.Apply2(f, x, y)
	}
	switch row := prim.ID(f.Row); {
	case g.get(x).lost || g.get(y).lost:
		return g.put(germ{lost: true})
	case row == prim.Max || row == prim.Min || row == prim.Hypot: // homogeneous
		power, xs, ys, ok := g.align(x, y)
		if !ok {
			return g.put(germ{lost: true})
		}
		return g.put(remainder(power, g.Multi.Apply2(f, xs, ys)))
	case row == prim.Pow && !g.moves(y):
		return g.put(g.power(g.get(x), y))
	case row == prim.Pow && g.Sign(x) > 0:
		return g.function(prim.Exp, g.Mul(y, g.function(prim.Log, x)))
	}
	xs, ys := g.set(x), g.set(y)
	if !xs.IsFinite() || !ys.IsFinite() {
		return g.put(germ{lost: true})
	}
	return g.put(remainder(grains(0), g.Multi.Apply2(f, xs, ys)))
}

// ApplyFamily is f at the integers and the reals.
func (g germs) ApplyFamily(f tier.FunFamily, ints []int64, xs []*ball.Ball) *ball.Ball {
	if !slices.ContainsFunc(xs, g.moves) {
		return g.Multi.ApplyFamily(f, ints, xs)
	}
	var y *ball.Ball
	if len(xs) == 1 {
		y = g.around(f, ints, xs[0])
	}
	if row := prim.ID(f.Row); y == nil && (row == prim.BesselJ || row == prim.BesselY) {
		y = g.bessel(row, ints[0], ints[1], xs[0])
	}
	if y != nil {
		return y
	}
	sets := make([]*ball.Ball, len(xs))
	for k, x := range xs {
		if g.get(x).lost {
			return g.put(germ{lost: true})
		}
		if sets[k] = g.set(x); !sets[k].IsFinite() {
			return g.put(germ{lost: true})
		}
	}
	return g.put(remainder(grains(0), g.Multi.ApplyFamily(f, ints, sets)))
}

// ApplyInt is f x n.
func (g germs) ApplyInt(f tier.FunInt, x *ball.Ball, n int64) *ball.Ball {
	if !g.moves(x) {
		return g.Multi.ApplyInt(f, x, n)
	}
	h := g.full(x)
	switch {
	case h.lost:
		return x
	case prim.ID(f.Row) != prim.PowInt:
		set := g.set(x)
		switch {
		case set.IsFinite():
			return g.put(remainder(grains(0), g.Multi.ApplyInt(f, set, n)))
		case prim.ID(f.Row) == prim.ErfcxDerivative && g.Sign(x) > 0 && 0 <= n && n < germTerms:
			return g.erfcx(n, x)
		}
		return g.put(germ{lost: true})
	case n < -1<<20 || n > 1<<20:
		return g.put(germ{lost: true})
	case n < 0 && n != -1:
		return g.Quo(g.Int(1), g.ApplyInt(f, x, -n))
	case len(h.terms) == 0 && h.waves == nil || n == -1: // an even power of a set is not negative
		return g.put(g.power(g.get(x), g.Int(n)))
	}
	power := constantGerm(g.Int(1))
	for bit := int64(1) << 20; bit > 0; bit >>= 1 {
		if power = g.mul(power, power); n&bit != 0 {
			power = g.mul(power, h)
		}
	}
	return g.put(power)
}

// ApplyFold is f of an array.
func (g germs) ApplyFold(f tier.FunFold, xs []*ball.Ball) *ball.Ball {
	sets := make([]*ball.Ball, len(xs))
	for i, x := range xs {
		if sets[i] = g.set(x); !sets[i].IsFinite() {
			return g.put(germ{lost: true})
		}
	}
	return g.put(remainder(grains(0), g.Multi.ApplyFold(f, sets)))
}
