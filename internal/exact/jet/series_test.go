package jet

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/fluxion-lang/fluxion/internal/property"
)

// The degrees of the two variables of the series below.
const degree1, degree2 = 3, 2

// series is a truncated power series in two variables with rational coefficients.
type series [degree1 + 1][degree2 + 1]*big.Rat

// each returns the series whose coefficients are given by a function.
func each(coefficient func(i, j int) *big.Rat) (s series) {
	for i := range s {
		for j := range s[i] {
			s[i][j] = coefficient(i, j)
		}
	}
	return s
}

func (s series) plus(t series, sign int64) series {
	return each(func(i, j int) *big.Rat {
		scaled := new(big.Rat).Mul(big.NewRat(sign, 1), t[i][j])
		return scaled.Add(scaled, s[i][j])
	})
}

func (s series) times(t series) series {
	return each(func(i, j int) *big.Rat {
		sum := new(big.Rat)
		for k := range i + 1 {
			for l := range j + 1 {
				sum.Add(sum, new(big.Rat).Mul(s[k][l], t[i-k][j-l]))
			}
		}
		return sum
	})
}

// over returns the quotient by a series that does not begin with 0.
func (s series) over(t series) (q series) {
	for i := range q {
		for j := range q[i] {
			rest := new(big.Rat).Set(s[i][j])
			for k := range i + 1 {
				for l := range j + 1 {
					if k+l > 0 {
						rest.Sub(rest, new(big.Rat).Mul(t[k][l], q[i-k][j-l]))
					}
				}
			}
			q[i][j] = rest.Quo(rest, t[0][0])
		}
	}
	return q
}

// TestSeries compares random rational functions of two variables with their series over the
// rationals: every coefficient is enclosed, and narrowly.
func TestSeries(t *testing.T) {
	type both struct {
		jet    Jet
		series series
	}
	property.Check(t, func(t *rapid.T) {
		a := doubles()
		constant := func(c int64) both {
			return both{a.Float(float64(c)), each(func(i, j int) *big.Rat {
				if i+j > 0 {
					c = 0
				}
				return big.NewRat(c, 1)
			})}
		}
		variable := func(tag Tag, degree int, at int64) both {
			b := constant(at)
			b.jet = a.Var(tag, degree, b.jet, a.One())
			if tag == 1 {
				b.series[1][0] = big.NewRat(1, 1)
			} else {
				b.series[0][1] = big.NewRat(1, 1)
			}
			return b
		}
		point := rapid.Int64Range(-3, 3)
		x := variable(1, degree1, point.Draw(t, "x"))
		y := variable(2, degree2, point.Draw(t, "y"))
		var draw func(depth int) both
		draw = func(depth int) both {
			kind := rapid.IntRange(0, 7).Draw(t, "kind")
			if depth == 0 {
				kind %= 3
			}
			switch kind {
			case 0:
				return x
			case 1:
				return y
			case 2:
				return constant(point.Draw(t, "constant"))
			case 3:
				p := draw(depth - 1)
				return both{a.PowInt(p.jet, 3), p.series.times(p.series).times(p.series)}
			}
			p, q := draw(depth-1), draw(depth-1)
			switch kind {
			case 4:
				return both{a.Add(p.jet, q.jet), p.series.plus(q.series, 1)}
			case 5:
				return both{a.Sub(p.jet, q.jet), p.series.plus(q.series, -1)}
			case 6:
				return both{a.Mul(p.jet, q.jet), p.series.times(q.series)}
			}
			if size := new(big.Rat).Abs(q.series[0][0]); size.Cmp(big.NewRat(1, 8)) < 0 {
				return p
			}
			return both{a.Quo(p.jet, q.jet), p.series.over(q.series)}
		}
		b := draw(4)
		for i := range degree1 + 1 {
			for j := range degree2 + 1 {
				c, want := a.Coeff(a.Coeff(b.jet, 2, j), 1, i), b.series[i][j]
				if c.IsZero() {
					if want.Sign() != 0 {
						t.Fatalf("the coefficient of x^%d y^%d is 0, not %s", i, j, want.RatString())
					}
					continue
				}
				v := c.Val().Interval
				if !c.Known() || !v.IsBounded() {
					t.Fatalf("the coefficient of x^%d y^%d is unknown, not %s", i, j, want.RatString())
				}
				lo, hi := new(big.Rat).SetFloat64(v.Lo), new(big.Rat).SetFloat64(v.Hi)
				if lo.Cmp(want) > 0 || hi.Cmp(want) < 0 {
					t.Fatalf("the coefficient of x^%d y^%d is in %v, not %s", i, j, v, want.RatString())
				}
			}
		}
		if v := b.jet.Val().Interval; v.Width() > 1e-12*(1+v.Mag()) {
			t.Fatalf("the value %s is only known to be in %v", b.series[0][0].RatString(), v)
		}
	})
}
