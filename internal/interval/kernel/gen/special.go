package main

import "math/big"

// bernoulli returns B_0 … B_n as rationals.
func bernoulli(n int) []*big.Rat {
	b := make([]*big.Rat, n+1)
	a := make([]*big.Rat, n+1)
	for m := 0; m <= n; m++ { // Akiyama–Tanigawa
		a[m] = big.NewRat(1, int64(m+1))
		for j := m; j >= 1; j-- {
			d := new(big.Rat).Sub(a[j-1], a[j])
			a[j-1] = d.Mul(d, big.NewRat(int64(j), 1))
		}
		b[m] = new(big.Rat).Set(a[0])
	}
	if n >= 1 {
		b[1].Neg(b[1])
	}
	return b
}

func rat(r *big.Rat) *big.Float { return new(big.Float).SetPrec(prec).SetRat(r) }

// shift is how far arguments are moved right before Euler–Maclaurin or
// Stirling sums, and terms how many Bernoulli numbers these use: the error is
// near (terms/(π·e·shift))^(2·terms) < 2^-500.
const shift, terms = 120, 90

var bern = bernoulli(2 * terms)

// hurwitz returns ζ(s, x) = Σ (x+k)^-s for integer s ≥ 2.
func hurwitz(s int64, x *big.Float) *big.Float {
	sum := num(0)
	for k := int64(0); k < shift; k++ {
		sum = add(sum, powi(add(x, integer(k)), -s))
	}
	y := add(x, integer(shift))
	sum = add(sum, div(powi(y, 1-s), integer(s-1)))
	sum = add(sum, scale(powi(y, -s), -1))
	// Σ B_2j/(2j)! · s(s+1)…(s+2j-2) · y^(1-s-2j)
	f := integer(s) // rising factorial over (2j)!, B_2j left out
	f = scale(f, -1)
	for j := int64(1); j <= terms; j++ {
		sum = add(sum, mul(mul(rat(bern[2*j]), f), powi(y, 1-s-2*j)))
		f = mul(f, mul(integer(s+2*j-1), integer(s+2*j)))
		f = div(f, mul(integer(2*j+1), integer(2*j+2)))
	}
	return sum
}

func powi(x *big.Float, n int64) *big.Float {
	if n < 0 {
		return div(integer(1), powi(x, -n))
	}
	r := num(1)
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			r = mul(r, x)
		}
		x = mul(x, x)
	}
	return r
}

// lgamma returns log|Γ(x)| for x > -100 by Stirling's series after a shift.
func lgamma(x *big.Float) *big.Float {
	p := num(1)
	for k := int64(0); k < shift; k++ {
		p = mul(p, add(x, integer(k)))
	}
	y := add(x, integer(shift))
	s := sub(mul(sub(y, num(0.5)), log(y)), y)
	s = add(s, scale(log(scale(pi(prec), 1)), -1))
	for j := int64(1); j <= terms; j++ {
		s = add(s, mul(div(rat(bern[2*j]), integer(2*j*(2*j-1))), powi(y, 1-2*j)))
	}
	return sub(s, log(new(big.Float).Abs(p)))
}

// digamma returns ψ(x) for x > -100.
func digamma(x *big.Float) *big.Float {
	s := num(0)
	for k := int64(0); k < shift; k++ {
		s = sub(s, div(integer(1), add(x, integer(k))))
	}
	y := add(x, integer(shift))
	s = add(s, sub(log(y), div(num(0.5), y)))
	for j := int64(1); j <= terms; j++ {
		s = sub(s, mul(div(rat(bern[2*j]), integer(2*j)), powi(y, -2*j)))
	}
	return s
}

// polygamma returns ψ^(n)(x), n ≥ 0.
func polygamma(n int64, x *big.Float) *big.Float {
	if n == 0 {
		return digamma(x)
	}
	f := num(1)
	for k := int64(2); k <= n; k++ {
		f = mul(f, integer(k))
	}
	z := mul(f, hurwitz(n+1, x))
	if n%2 == 0 {
		z = neg(z)
	}
	return z
}

// A series is a truncated Taylor series Σ a[i]·t^i at some centre.
type series []*big.Float

// over divides two series; the divisor's constant term must not be zero.
func (a series) over(b series) series {
	q := make(series, len(a))
	for n := range a {
		s := a[n]
		for i := 1; i <= n && i < len(b); i++ {
			s = sub(s, mul(b[i], q[n-i]))
		}
		q[n] = div(s, b[0])
	}
	return q
}

// lgammaSeries is the Taylor series of log Γ at c.
func lgammaSeries(c *big.Float, n int) series {
	a := make(series, n)
	a[0] = lgamma(c)
	f := num(1)
	for i := 1; i < n; i++ {
		f = mul(f, integer(int64(i)))
		a[i] = div(polygamma(int64(i-1), c), f)
	}
	return a
}

// digammaSeries is the Taylor series of ψ at c.
func digammaSeries(c *big.Float, n int) series {
	a := make(series, n)
	f := num(1)
	for i := range n {
		if i > 0 {
			f = mul(f, integer(int64(i)))
		}
		a[i] = div(polygamma(int64(i), c), f)
	}
	return a
}

// erfcxSeries is the Taylor series of exp(x²)·erfc(x) at c, from
// W' = 2xW - 2/√π and W^(n+1) = 2x·W^(n) + 2n·W^(n-1).
func erfcxSeries(c *big.Float, n int) series {
	const bits = 2*prec + 1200 // exp(-c²) is as small as 2^-1150
	x := new(big.Float).SetPrec(bits).Set(c)
	x2 := mul(x, x)
	e := exp(x2)
	// erf(x) = 2/√π · exp(-x²) · Σ 2^n x^(2n+1)/(2n+1)!!
	s, t := new(big.Float).Copy(x), new(big.Float).Copy(x)
	for k := int64(1); ; k++ {
		t = div(mul(t, scale(x2, 1)), integer(2*k+1))
		s = add(s, t)
		if negligible(t, s) {
			break
		}
	}
	twoOverRootPi := div(integer(2), sqrt(pi(bits)))
	w := sub(e, mul(twoOverRootPi, s))
	d := []*big.Float{w, sub(scale(mul(x, w), 1), twoOverRootPi)}
	for k := 1; len(d) < n; k++ {
		d = append(d, add(scale(mul(x, d[k]), 1), mul(integer(int64(2*k)), d[k-1])))
	}
	f := new(big.Float).SetPrec(bits).SetInt64(1)
	for i := 2; i < n; i++ {
		f = mul(f, integer(int64(i)))
		d[i] = div(d[i], f)
	}
	return d
}

// digammaZero returns the positive zero of ψ by Newton's method.
func digammaZero() *big.Float {
	return digammaRoot(num(1.4616321449683623))
}

// digammaRoot returns the zero of ψ near x.
func digammaRoot(x *big.Float) *big.Float {
	for range 8 {
		x = sub(x, div(digamma(x), polygamma(1, x)))
	}
	return x
}

// lgammaRoots returns the zeros of log|Γ| on the negative axis down to -k:
// there are none right of -2.4, and then one on either side of every integer,
// about 1/k! from -k. log|Γ| is convex between poles, so Newton's method from
// a point nearer to the pole converges from that side.
func lgammaRoots(k int64) []*big.Float {
	starts := []*big.Float{num(-2.457), num(-2.748), num(-3.143)}
	for n := int64(4); n <= k; n++ {
		t := div(num(0.5), factorial(int(n)))
		starts = append(starts, sub(integer(-n), t), add(integer(-n), t))
	}
	for i, x := range starts {
		for range 14 {
			x = sub(x, div(lgamma(x), digamma(x)))
		}
		starts[i] = x
	}
	return starts
}
