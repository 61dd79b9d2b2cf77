package exact

import (
	"fmt"
	"math"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
)

// counted integrates over [0, 1] in doubles, and counts the evaluations of a function that is
// written over the operations of a context.
func counted(t *testing.T, tol float64, degree int, f func(c *ctx, p, x jet.Jet) jet.Jet) (y jet.Jet, calls int) {
	t.Helper()
	c := newCtx(jet.Double{}, effort{bits: 53, cells: 4096, calls: 1 << 22}, func(diag.Span) error { return nil })
	c.tol = jet.MagOf(tol)
	p := c.Float(0.6)
	if degree > 0 {
		p = c.Var(c.open(degree), degree, p, c.One())
	}
	y, err := c.integral(diag.Span{}, c.Float(0), c.Float(1), func(x jet.Jet) (jet.Jet, error) {
		calls++
		return f(c, p, x), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if !c.narrow(y, c.tol) {
		t.Errorf("the result is %v wide, not %g", c.Width(y), tol)
	}
	return y, calls
}

func relu(c *ctx, x jet.Jet) jet.Jet {
	return c.max(diag.Span{}, c.Float(0), x)
}

// TestIntegralWork: a located kink costs a fixed number of evaluations, whatever the tolerance;
// smooth integrands cost few; and a singularity costs a number that grows with
// the digits.
func TestIntegralWork(t *testing.T) {
	type num = jet.Jet
	type con = ctx
	for _, test := range []struct {
		name   string
		degree int
		f      func(c *con, p, x num) num
		most   map[float64]int
	}{
		{"a polynomial", 0, func(c *con, p, x num) num { return c.Mul(x, c.Mul(x, x)) }, map[float64]int{1e-3: 12, 1e-12: 12}},
		{"a kink", 2, func(c *con, p, x num) num { return relu(c, c.Sub(x, p)) }, map[float64]int{1e-3: 40, 1e-12: 40}},
		{"a kink and a curve", 1, func(c *con, p, x num) num { return c.Exp(relu(c, c.Sub(x, p))) }, map[float64]int{1e-3: 40, 1e-12: 60}},
		{"an entire function", 0, func(c *con, p, x num) num { return c.Exp(c.Sin(x)) }, map[float64]int{1e-3: 12, 1e-12: 40}},
		{"a square root", 0, func(c *con, p, x num) num { return c.Sqrt(x) }, map[float64]int{1e-3: 100, 1e-12: 500}},
	} {
		for tol, most := range test.most {
			if _, calls := counted(t, tol, test.degree, test.f); calls > most {
				t.Errorf("%s to %g: %d evaluations, more than %d", test.name, tol, calls, most)
			}
		}
	}
}

// TestSecondDerivativeOfKink: with c = 0.6, ∫ relu (x - c) is (1 - c)²/2.
func TestSecondDerivativeOfKink(t *testing.T) {
	y, _ := counted(t, 1e-12, 2, func(c *ctx, p, x jet.Jet) jet.Jet {
		return relu(c, c.Sub(x, p))
	})
	i := 0
	c := newCtx(jet.Double{}, effort{}, nil)
	c.Each(y, func(degree int, s jet.Set, known bool) bool {
		if want := []float64{0.08, -0.4, 0.5}[degree]; !known || math.Abs(s.Interval.Mid()-want) > 1e-12 {
			t.Errorf("the coefficient of degree %d is %v", degree, s.Interval)
		}
		i++
		return true
	})
	if i != 3 {
		t.Errorf("%d coefficients", i)
	}
}

// BenchmarkIntegral is the certified integral of a smooth function in doubles.
func BenchmarkIntegral(b *testing.B) {
	type num = jet.Jet
	for _, tol := range []float64{1e-6, 1e-8, 1e-12} {
		b.Run(fmt.Sprint(tol), func(b *testing.B) {
			c := newCtx(jet.Double{}, effort{bits: 53, cells: 4096, calls: 1 << 62}, func(diag.Span) error { return nil })
			c.tol = jet.MagOf(tol)
			f := func(x num) (num, error) { return c.Exp(c.Neg(c.Sqr(x))), nil }
			b.ReportAllocs()
			for range b.N {
				if y, err := c.integral(diag.Span{}, c.Float(0), c.Float(1), f); err != nil || !c.narrow(y, c.tol) {
					b.Fatal(err, y)
				}
			}
		})
	}
}
