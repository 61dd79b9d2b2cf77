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
			name: "expTail", doc: "(exp r - 1 - r - r²/2)/r³", lo: -0.3466, hi: 0.3466, degree: 9, bits: 52,
			f: func(r expr) expr {
				d := minus(minus(apply((*ball.Ball).Expm1, r), r), times(dec(0.5), times(r, r)))
				return over(d, power(r, 3))
			},
		},
		{
			name: "coshTail", doc: "(cosh r - 1)/r² of z = r²", lo: 0, hi: 0.12013, degree: 5, bits: 53,
			f: func(z expr) expr { return over(minus(apply((*ball.Ball).Cosh, root(z)), dec(1)), z) },
		},
		{
			name: "sinhTail", doc: "(sinh r - r)/r³ of z = r²", lo: 0, hi: 0.12013, degree: 5, bits: 53,
			f: func(z expr) expr {
				r := root(z)
				return over(minus(apply((*ball.Ball).Sinh, r), r), times(r, z))
			},
		},
		{
			name: "logTail", doc: "(2 atanh s - 2s)/s³ of z = s²", lo: 0, hi: 0.02945, degree: 6, bits: 48,
			f: func(z expr) expr {
				s := root(z)
				d := minus(apply((*ball.Ball).Atanh, s), s)
				return over(times(dec(2), d), times(s, z))
			},
		},
	} {
		p.write(b)
	}
}
