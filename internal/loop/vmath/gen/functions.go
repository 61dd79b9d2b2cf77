package main

import (
	"bytes"

	"github.com/fluxion-lang/fluxion/internal/interval/ball"
)

// The arithmetic of balls, as expressions.

type expr = *ball.Ball

func dec(x float64) expr         { return ball.FromFloat64(x) }
func plus(x, y expr) expr        { return new(ball.Ball).Add(x, y, prec) }
func minus(x, y expr) expr       { return new(ball.Ball).Sub(x, y, prec) }
func times(x, y expr) expr       { return new(ball.Ball).Mul(x, y, prec) }
func over(x, y expr) expr        { return new(ball.Ball).Quo(x, y, prec) }
func root(x expr) expr           { return new(ball.Ball).Sqrt(x, prec) }
func power(x expr, n int64) expr { return new(ball.Ball).PowInt(x, n, prec) }

func apply(f func(z, x *ball.Ball, prec uint) *ball.Ball, x expr) expr {
	return f(new(ball.Ball), x, prec)
}

// polynomials writes the polynomials of the functions.
func polynomials(b *bytes.Buffer) {
	for _, p := range []polynomial{
		{
			// Arguments are at most log 2/2. The range is wider, so that the error is least at
			// their ends, where exp is closest to its bound.
			name: "expTail", doc: "(exp r - 1 - r - r²/2)/r³", lo: -0.351, hi: 0.351, degree: 9,
			bits: 52, cancel: true,
			f: func(r expr) expr {
				d := minus(minus(apply((*ball.Ball).Expm1, r), r), times(dec(0.5), times(r, r)))
				return over(d, power(r, 3))
			},
		},
		{
			name: "coshTail", doc: "(cosh r - 1)/r² of z = r²", lo: 0, hi: 0.12013, degree: 5,
			bits: 53,
			f: func(z expr) expr {
				return over(minus(apply((*ball.Ball).Cosh, root(z)), dec(1)), z)
			},
		},
		{
			name: "sinhTail", doc: "(sinh r - r)/r³ of z = r²", lo: 0, hi: 0.12013, degree: 5,
			bits: 53,
			f: func(z expr) expr {
				r := root(z)
				return over(minus(apply((*ball.Ball).Sinh, r), r), times(r, z))
			},
		},
		{
			name: "logTail", doc: "(2 atanh s - 2s)/s³ of z = s²", lo: 0, hi: 0.02945, degree: 6,
			bits: 48,
			f: func(z expr) expr {
				s := root(z)
				d := minus(apply((*ball.Ball).Atanh, s), s)
				return over(times(dec(2), d), times(s, z))
			},
		},
		{
			name: "sinTail", doc: "(sin r - r)/r³ of z = r²", lo: 0, hi: 0.64, degree: 6, bits: 50,
			f: func(z expr) expr {
				r := root(z)
				return over(minus(apply((*ball.Ball).Sin, r), r), times(r, z))
			},
		},
		{
			name: "cosTail", doc: "(cos r - 1 + r²/2)/r⁴ of z = r²", lo: 0, hi: 0.64, degree: 6,
			bits: 50,
			f: func(z expr) expr {
				c := plus(minus(apply((*ball.Ball).Cos, root(z)), dec(1)), times(dec(0.5), z))
				return over(c, times(z, z))
			},
		},
		{
			name: "atanTail", doc: "(atan t - t)/t³ of z = t²", lo: 0, hi: 0.17158, degree: 13,
			bits: 50,
			f: func(z expr) expr {
				t := root(z)
				return over(minus(apply((*ball.Ball).Atan, t), t), times(t, z))
			},
		},
		{
			name: "asinTail", doc: "(asin s - s)/s³ of z = s²", lo: 0, hi: 0.25, degree: 12,
			bits: 50,
			f: func(z expr) expr {
				s := root(z)
				return over(minus(apply((*ball.Ball).Asin, s), s), times(s, z))
			},
		},
		{
			name: "powTail", doc: "(2 atanh s - 2s - 2s³/3 - 2s⁵/5)/s⁷ of z = s²", lo: 0,
			hi: 0.02945, degree: 6, bits: 49,
			f: func(z expr) expr {
				s := root(z)
				d := minus(apply((*ball.Ball).Atanh, s), s)
				d = minus(d, over(power(s, 3), dec(3)))
				d = minus(d, over(power(s, 5), dec(5)))
				return over(times(dec(2), d), power(s, 7))
			},
		},
		{
			name: "cbrtStart", doc: "x^(-1/3)", lo: 1, hi: 2, degree: 5, bits: 16,
			f: func(x expr) expr { return over(dec(1), apply((*ball.Ball).Cbrt, x)) },
		},
		{
			name: "erfTail", doc: "erf x/x - 1 of z = x²", lo: 0, hi: 1, degree: 13, bits: 50,
			f: func(z expr) expr {
				x := root(z)
				return minus(over(apply((*ball.Ball).Erf, x), x), dec(1))
			},
		},
		{
			name: "erfcPoly", doc: "(1 + 2x)·exp(x²)·erfc x of t = (x - 3.75)/(x + 3.75)", lo: -1,
			hi: 0.77, degree: 22, pairs: 1, bits: 55,
			f: func(t expr) expr {
				x := over(times(dec(3.75), plus(dec(1), t)), minus(dec(1), t))
				y := times(apply((*ball.Ball).Exp, times(x, x)), apply((*ball.Ball).Erfc, x))
				return times(plus(dec(1), plus(x, x)), y)
			},
		},
		{
			name: "lgammaPoly", doc: "log Γ(2 + d)/d", lo: -0.5, hi: 0.5, degree: 20, pairs: 2,
			bits: 54,
			f:    func(d expr) expr { return over(apply((*ball.Ball).Lgamma, plus(d, dec(2))), d) },
		},
		{
			name: "stirlingTail", doc: "x·(log Γ(x) - (x - 1/2)·log x + x - log(2π)/2) of z = 1/x²",
			lo: 0, hi: 1 / 56.25, degree: 6, bits: 50,
			f: func(z expr) expr {
				x := over(dec(1), root(z))
				l := minus(times(minus(x, dec(0.5)), apply((*ball.Ball).Log, x)), x)
				c := apply((*ball.Ball).Log, times(dec(2), new(ball.Ball).Pi(prec)))
				return times(x, minus(minus(apply((*ball.Ball).Lgamma, x), l), times(dec(0.5), c)))
			},
		},
		{
			name: "digammaPoly", doc: "ψ(3/2 + d)/(3/2 + d - x₀), x₀ the positive zero of ψ",
			lo: -0.5, hi: 0.5, degree: 21, pairs: 1, bits: 54,
			f: func(d expr) expr {
				x := plus(d, dec(1.5))
				return over(apply((*ball.Ball).Digamma, x), minus(x, digammaZero))
			},
		},
		{
			name: "digammaTail", doc: "x²·(log x - 1/(2x) - ψ(x)) of z = 1/x²", lo: 0, hi: 1.0 / 49,
			degree: 7, bits: 48,
			f: func(z expr) expr {
				x := over(dec(1), root(z))
				d := minus(minus(apply((*ball.Ball).Log, x), over(dec(0.5), x)),
					apply((*ball.Ball).Digamma, x))
				return times(d, times(x, x))
			},
		},
	} {
		p.write(b)
	}
}

// digammaZero is the positive zero of ψ, by Newton's method.
var digammaZero = func() expr {
	x := dec(1.4616321449683622)
	for range 8 {
		slope := new(ball.Ball).Polygamma(1, x, prec)
		x = minus(x, over(apply((*ball.Ball).Digamma, x), slope))
		x = new(ball.Ball).Mid(x)
	}
	return x
}()
