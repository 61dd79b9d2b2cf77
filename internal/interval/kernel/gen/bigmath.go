package main

import "math/big"

// prec is the working precision of every constant, far above the 107 bits
// that a double-double keeps.
const prec = 700

func num(x float64) *big.Float       { return new(big.Float).SetPrec(prec).SetFloat64(x) }
func ratio(a, b int64) *big.Float    { return div(integer(a), integer(b)) }
func integer(x int64) *big.Float     { return new(big.Float).SetPrec(prec).SetInt64(x) }
func add(a, b *big.Float) *big.Float { return fresh(a, b).Add(a, b) }
func sub(a, b *big.Float) *big.Float { return fresh(a, b).Sub(a, b) }
func mul(a, b *big.Float) *big.Float { return fresh(a, b).Mul(a, b) }
func div(a, b *big.Float) *big.Float { return fresh(a, b).Quo(a, b) }
func neg(a *big.Float) *big.Float    { return fresh(a, a).Neg(a) }
func sqrt(a *big.Float) *big.Float   { return fresh(a, a).Sqrt(a) }

func scale(a *big.Float, k int) *big.Float { return fresh(a, a).SetMantExp(a, k) }

// fresh returns a zero of the larger of two precisions.
func fresh(a, b *big.Float) *big.Float {
	return new(big.Float).SetPrec(max(a.Prec(), b.Prec()))
}

// negligible reports whether t no longer matters beside s.
func negligible(t, s *big.Float) bool {
	return t.Sign() == 0 || (s.Sign() != 0 && t.MantExp(nil) < s.MantExp(nil)-int(s.Prec())-8)
}

// exp sums the Taylor series after halving the argument and squares back.
func exp(x *big.Float) *big.Float {
	const halvings = 40
	k := halvings
	if e := x.MantExp(nil); e > 0 {
		k += e
	}
	r := scale(new(big.Float).SetPrec(x.Prec()+128).Set(x), -k)
	s, t := new(big.Float).SetPrec(r.Prec()).SetInt64(1), new(big.Float).SetPrec(
		r.Prec()).SetInt64(1)
	for n := int64(1); ; n++ {
		t = div(mul(t, r), integer(n))
		s = add(s, t)
		if negligible(t, s) {
			break
		}
	}
	for range k {
		s = mul(s, s)
	}
	return new(big.Float).SetPrec(x.Prec()).Set(s)
}

// log uses x = m·2^k and log m = 2·atanh((m-1)/(m+1)).
func log(x *big.Float) *big.Float {
	m := new(big.Float)
	k := x.MantExp(m)
	m.SetPrec(x.Prec() + 64)
	one := new(big.Float).SetPrec(m.Prec()).SetInt64(1)
	// Three square roots bring m within 2^-3 of 1 or nearer.
	for range 3 {
		m = sqrt(m)
	}
	s := scale(atanhSeries(div(sub(m, one), add(m, one))), 4)
	if k != 0 {
		s = add(s, mul(ln2(), new(big.Float).SetPrec(m.Prec()).SetInt64(int64(k))))
	}
	return new(big.Float).SetPrec(x.Prec()).Set(s)
}

func ln2() *big.Float {
	return scale(atanhSeries(div(new(big.Float).SetPrec(2*prec).SetInt64(1), integer(3))), 1)
}

func atanhSeries(z *big.Float) *big.Float { return oddSeries(z, 1) }

// oddSeries sums z + σz³/3 + σ²z⁵/5 + …
func oddSeries(z *big.Float, sigma int64) *big.Float {
	if z.Sign() == 0 {
		return z
	}
	z2 := mul(mul(z, z), integer(sigma))
	s, p := new(big.Float).Copy(z), new(big.Float).Copy(z)
	for n := int64(3); ; n += 2 {
		p = mul(p, z2)
		t := div(p, integer(n))
		s = add(s, t)
		if negligible(t, s) {
			return s
		}
	}
}

// atan halves its argument three times and sums the series.
func atan(x *big.Float) *big.Float {
	one := integer(1)
	for range 3 {
		x = div(x, add(one, sqrt(add(one, mul(x, x)))))
	}
	return scale(oddSeries(x, -1), 3)
}

// pi returns π with the given number of bits by Machin's formula.
func pi(bits uint) *big.Float {
	inv := func(n int64) *big.Float {
		return div(new(big.Float).SetPrec(bits+64).SetInt64(1), integer(n))
	}
	return sub(mul(integer(16), oddSeries(inv(5), -1)), mul(integer(4), oddSeries(inv(239), -1)))
}

// sinCos sums both Taylor series, for arguments of moderate size.
func sinCos(x *big.Float) (sin, cos *big.Float) {
	sin, cos = num(0), num(1)
	t := num(1)
	for n := int64(1); n < 300; n++ {
		t = div(mul(t, x), integer(n))
		switch n % 4 {
		case 0:
			cos = add(cos, t)
		case 1:
			sin = add(sin, t)
		case 2:
			cos = sub(cos, t)
		case 3:
			sin = sub(sin, t)
		}
	}
	return sin, cos
}
