package main

import (
	"bytes"
	"fmt"
	"log/slog"
	"math"
	"math/big"
	"os"
	"sort"
)

// A piece is a polynomial in x-c; leading coefficients are kept in
// double-double and the rest as doubles.
const (
	piecesPerBinade = 16
	leading         = 4
	trailing        = 11
)

// pieces writes the tables of the special functions.
func pieces(b *bytes.Buffer) {
	// exp(x²)·erfc(x) on [1/2, 32).
	pieceTable(b, "erfcxPieces", "exp(x²)·erfc(x)", -1, 5, erfcxSeries)
	// log Γ on [1/2, 16), divided by (x-1)(x-2) below 3 where it has zeros.
	pieceTable(b, "lgammaPieces", "log Γ(x), below 3 over (x-1)(x-2)", -1, 4,
		func(c *big.Float, n int) series {
			s := lgammaSeries(c, n)
			if c.Cmp(num(3)) < 0 {
				u, v := sub(c, num(1)), sub(c, num(2))
				s = s.over(series{mul(u, v), add(u, v), num(1)})
			}
			return s
		})
	// ψ on [1, 16), divided by x-x0 below 2 where x0 is its zero.
	zero := digammaZero()
	pieceTable(b, "digammaPieces", "ψ(x), below 2 over x less its zero", 0, 4,
		func(c *big.Float, n int) series {
			s := digammaSeries(c, n)
			if c.Cmp(num(2)) < 0 {
				s = s.over(series{sub(c, zero), num(1)})
			}
			return s
		})
	zeros(b)
}

// zeros writes expansions of log|Γ| and ψ, over x-z, about their zeros z on
// the negative axis.
func zeros(b *bytes.Buffer) {
	var psi []*big.Float
	for k := range 24 {
		// ψ(-k-f) = 0 with f between 0 and 1/2: cot πf = -ψ(1+k+f)/π.
		f := 0.5
		if k > 0 {
			f = math.Atan(math.Pi/math.Log(float64(k)+1)) / math.Pi
		}
		psi = append(psi, digammaRoot(num(-float64(k)-f)))
	}
	zeroTable(b, "lgammaZeros", "log|Γ|", lgammaRoots(18), lgammaSeries)
	zeroTable(b, "digammaZeros", "ψ", psi, digammaSeries)
}

// zeroTable emits expansions of f(x)/(x-z), valid within 1/32 of the distance
// from z to the nearest pole.
func zeroTable(b *bytes.Buffer, name, doc string, z []*big.Float,
	taylor func(c *big.Float, n int) series) {
	fmt.Fprintf(b, "// %s holds %s over x-z about its zeros z, from right to left; see Note "+
		"[Zeros].\nvar %s = [...]zeroPiece{\n", name, doc, name)
	sort.Slice(z, func(i, j int) bool { return z[i].Cmp(z[j]) > 0 })
	for _, c := range z {
		n, _ := c.Float64()
		half := num(nearest(scale(new(big.Float).Abs(sub(c, num(math.Round(n)))), -5)))
		s := taylor(c, leading+trailing+9)[1:]
		check(name, c, half, s)
		p := split(c, 3)
		fmt.Fprintf(b, "{[3]float64{%s, %s, %s}, %s, [%d]dd{", hex(p[0]), hex(p[1]), hex(p[2]),
			hex(nearest(half)), leading)
		emitSeries(b, s)
	}
	b.WriteString("}\n\n")
}

// emitSeries writes the coefficients of a piece and closes it.
func emitSeries(b *bytes.Buffer, s series) {
	for _, a := range s[:leading] {
		fmt.Fprintf(b, "%s, ", pair(a))
	}
	fmt.Fprintf(b, "},\n[%d]float64{", trailing)
	for _, a := range s[leading : leading+trailing] {
		fmt.Fprintf(b, "%s, ", hex(nearest(a)))
	}
	b.WriteString("}},\n")
}

// pieceTable emits the pieces of a function on [2^from, 2^to) and checks what
// Note [Pieces] claims of them.
func pieceTable(b *bytes.Buffer, name, doc string, from, to int,
	taylor func(c *big.Float, n int) series) {
	fmt.Fprintf(b, "// %s holds %s on [2^%d, 2^%d); see Note [Pieces].\nvar %s = [...]piece{\n",
		name, doc, from, to, name)
	for e := from; e < to; e++ {
		for j := range piecesPerBinade {
			c := scale(ratio(int64(2*piecesPerBinade+2*j+1), 2*piecesPerBinade), e)
			half := scale(ratio(1, 2*piecesPerBinade), e)
			s := taylor(c, leading+trailing+8)
			check(name, c, half, s)
			fmt.Fprintf(b, "{%s, [%d]dd{", hex(nearest(c)), leading)
			emitSeries(b, s)
		}
	}
	b.WriteString("}\n\n")
}

// check fails unless, with m the least value the polynomial can take on the
// piece, Σ_{i≥leading} |a_i|h^i ≤ 2^-17·m, and the eight terms after the last
// kept one, doubled for those after them, stay below 2^-70·m.
func check(name string, c, half *big.Float, s series) {
	abs := func(v *big.Float) *big.Float { return new(big.Float).Abs(v) }
	m := abs(s[0])
	doubleTail, cut := num(0), num(0)
	h := num(1)
	for i, a := range s {
		t := mul(abs(a), h)
		if i > 0 && i < leading+trailing {
			m = sub(m, t)
		}
		if i >= leading {
			doubleTail = add(doubleTail, t)
		}
		if i >= leading+trailing {
			cut = add(cut, scale(t, 1))
		}
		h = mul(h, half)
	}
	if doubleTail.Cmp(scale(m, -17)) > 0 || cut.Cmp(scale(m, -70)) > 0 {
		slog.Error("piece too inaccurate", "table", name, "centre", nearest(c),
			"tail", nearest(div(doubleTail, m)), "cut", nearest(div(cut, m)))
		os.Exit(1)
	}
}
