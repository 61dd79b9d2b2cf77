package exact

import (
	"math"
	"reflect"

	"github.com/fluxion-lang/fluxion/internal/interval"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
	"github.com/fluxion-lang/fluxion/internal/interval/tier"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

// The functions that germs know, by what they are for doubles.
var (
	isExp   = named(interval.Exp)
	isLog   = named(interval.Log)
	isSqrt  = named(interval.Sqrt)
	isCbrt  = named(interval.Cbrt)
	isSin   = named(interval.Sin)
	isPow   = named(interval.Pow)
	isMax   = named(interval.Max)
	isMin   = named(interval.Min)
	isHypot = named(interval.Hypot)

	isPowInt = named(prim.Lookup("^").Interval.(tier.FunInt).Double)
)

// named is the identity of a function that is not a closure.
func named(f any) uintptr { return reflect.ValueOf(f).Pointer() }

// Apply1 is f x.
func (g germs) Apply1(f tier.Fun1, x *ball.Ball) *ball.Ball {
	m, moving := g.of[x]
	if !moving {
		return g.Multi.Apply1(f, x)
	}
	if m.power == lost {
		return g.lose()
	}
	power, y := g.flat(x)
	switch id := named(f.Double); {
	case id == isExp && m.log != nil:
		return g.Mul(g.powerOf(m.log.times), g.Apply1(f, m.log.rest))
	case id == isExp && power < 0:
		return g.decay(power, y)
	case id == isExp && m.base == nil && power > 0: // 1 + z e^ζ, ζ between 0 and z
		return g.make(g.Multi.Mul(y, g.Multi.Apply1(f, g.upToZero(y))), power, ball.FromInt64(1))
	case id == isSin && m.base == nil && power > 0: // z cos ζ
		return g.make(g.Multi.Mul(y, new(ball.Ball).Cos(g.upToZero(y), g.Prec)), power, nil)
	case id == isLog && m.base != nil && m.base.Equal(ball.FromInt64(1)) && m.power > 0: // z / (1 + ζ)
		return g.make(g.Multi.Quo(x, g.Multi.Add(m.base, g.upToZero(x))), m.power, nil)
	case id == isLog && power != 0 && y.Sign() > 0:
		return g.logarithm(power, y, f)
	case id == isSqrt && power != 0:
		return g.root(power, 2, g.Multi.Apply1(f, y))
	case id == isCbrt && power != 0:
		return g.root(power, 3, g.Multi.Apply1(f, y))
	case power < 0:
		lo, hi := g.Ends(x)
		half, _ := interval.New(lo, hi)
		r := f.Double(half)
		if r.IsEmpty() || !r.IsBounded() {
			return g.lose()
		}
		return ball.FromFloat64s(r.Inf(), r.Sup())
	}
	return g.make(g.Multi.Apply1(f, g.set(x)), 0, nil)
}

// root is the n-th root of a germ with the given power, from the root of its set.
func (g germs) root(power, n int64, root *ball.Ball) *ball.Ball {
	q := power / n
	if power%n != 0 {
		if power < 0 {
			q--
		}
		root = g.upToZero(root)
	}
	return g.make(root, q, nil)
}

// decay is exp of a germ with a negative power.
func (g germs) decay(power int64, y *ball.Ball) *ball.Ball {
	if y.Sign() >= 0 {
		return g.lose()
	}
	m := new(ball.Ball).Neg(y)
	m.Lower(m)
	least := m.Float64() * 0.999
	// e^-z <= (c / (e m u^p))^c, best at u = 1 for c = m; u^4 at least, and no more than
	// keeps numbers small.
	c := math.Min(math.Max(least, 4*grain/float64(-power)), 1e6)
	gain := int64(math.Ceil(c * float64(-power)))
	if gain <= 0 || math.IsNaN(c) {
		return g.lose()
	}
	exponent := g.Multi.Quo(g.Int(gain), g.Int(-power)) // the c of that gain
	e := new(ball.Ball).E(g.Prec)
	bound := g.Multi.Quo(exponent, e.Mul(e, m, g.Prec))
	bound.Pow(bound, exponent, g.Prec)
	return g.make(g.upToZero(bound), gain, nil)
}

// logarithm is log of a positive germ.
func (g germs) logarithm(power int64, y *ball.Ball, f tier.Fun1) *ball.Ball {
	e := new(ball.Ball).E(g.Prec)
	deep := g.upToZero(g.Multi.Quo(g.Int(-8), e))
	deep.Mul(deep, g.Multi.Quo(g.Int(power), g.Int(grain)), g.Prec)
	rest := g.Multi.Apply1(f, y)
	flat := g.make(g.Multi.Add(deep, g.upToZero(rest)), -grain/8, nil)
	return g.withLog(flat, g.Multi.Quo(g.Int(power), g.Int(grain)), rest)
}

// powerOf is u^t, where u is at most 1.
func (g germs) powerOf(t *ball.Ball) *ball.Ball {
	p := g.Multi.Mul(t, g.Int(grain))
	lo, _ := p.Float64s()
	if math.IsNaN(lo) || math.Abs(lo) > 1e9 {
		return g.lose()
	}
	q, y := int64(math.Floor(lo)), ball.FromInt64(1)
	if !p.Equal(g.Int(q)) {
		y = g.upToZero(y)
	}
	return g.make(y, q, nil)
}

// Apply2 is f x y.
func (g germs) Apply2(f tier.Fun2, x, y *ball.Ball) *ball.Ball {
	_, moves := g.of[x]
	_, turns := g.of[y]
	switch id := named(f.Double); {
	case !moves && !turns:
		return g.Multi.Apply2(f, x, y)
	case g.isLost(x) || g.isLost(y):
		return g.lose()
	case id == isMax || id == isMin || id == isHypot: // homogeneous
		power, xs, ys := g.align(x, y)
		return g.make(g.Multi.Apply2(f, xs, ys), power, nil)
	case id == isPow && !turns:
		return g.power(f, x, y)
	}
	xs, ys := g.set(x), g.set(y)
	if !xs.IsFinite() || !ys.IsFinite() {
		return g.lose()
	}
	return g.make(g.Multi.Apply2(f, xs, ys), 0, nil)
}

// power is x ** y for a constant y.
func (g germs) power(f tier.Fun2, x, y *ball.Ball) *ball.Ball {
	power, xs := g.flat(x)
	r := g.Multi.Apply2(f, xs, y)
	p := g.Multi.Mul(y, g.Int(power))
	lo, _ := p.Float64s()
	if math.IsNaN(lo) || math.Abs(lo) > 1e9 {
		return g.lose()
	}
	q := int64(math.Floor(lo))
	if !p.Equal(g.Int(q)) {
		r = g.upToZero(r)
	}
	return g.make(r, q, nil)
}

// ApplyInt is f x n.
func (g germs) ApplyInt(f tier.FunInt, x *ball.Ball, n int64) *ball.Ball {
	m, moving := g.of[x]
	switch {
	case !moving:
		return g.Multi.ApplyInt(f, x, n)
	case m.power == lost:
		return g.lose()
	case named(f.Double) != isPowInt:
		set := g.set(x)
		if !set.IsFinite() {
			return g.lose()
		}
		return g.make(g.Multi.ApplyInt(f, set, n), 0, nil)
	case m.base != nil && n > 0 && n <= 16: // keeps the constant
		y := x
		for range n - 1 {
			y = g.Mul(y, x)
		}
		return y
	case n < -1<<20 || n > 1<<20:
		return g.lose()
	}
	power, y := g.flat(x)
	return g.make(g.Multi.ApplyInt(f, y, n), power*n, nil)
}

// ApplyFold is f of an array.
func (g germs) ApplyFold(f tier.FunFold, xs []*ball.Ball) *ball.Ball {
	sets := make([]*ball.Ball, len(xs))
	for i, x := range xs {
		if sets[i] = g.set(x); !sets[i].IsFinite() {
			return g.lose()
		}
	}
	return g.make(g.Multi.ApplyFold(f, sets), 0, nil)
}
