package exact

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/interval"
)

// A family is a function of a parameter and an argument, with a primitive that is applied to it
// and the true result where that is known in closed form. Wide parameters are what
// searches get when they are nested in one another; programs cannot write them.
type family struct {
	name string
	f    func(c *ctx, p, x jet.Jet) jet.Jet
	find func(c *ctx, f function) (jet.Jet, error)
	true func(p float64) float64
}

var nowhere diag.Span

var families = []family{
	{"root of x² - p",
		func(c *ctx, p, x jet.Jet) jet.Jet { return c.Sub(c.Sqr(x), p) },
		func(c *ctx, f function) (jet.Jet, error) {
			return c.root(nowhere, c.Float(0), c.Float(3), f)
		},
		math.Sqrt},
	{"cut of p - x - x³",
		func(c *ctx, p, x jet.Jet) jet.Jet {
			return c.Sub(c.Sub(p, x), c.PowInt(x, 3))
		},
		func(c *ctx, f function) (jet.Jet, error) { return c.cutRoot(nowhere, f) },
		func(p float64) float64 { // Cardano
			s := math.Sqrt(p*p/4 + 1.0/27)
			return math.Cbrt(p/2+s) + math.Cbrt(p/2-s)
		}},
	{"first root of cos (4 p x)",
		func(c *ctx, p, x jet.Jet) jet.Jet {
			return c.Cos(c.MulInt(c.Mul(p, x), 4))
		},
		func(c *ctx, f function) (jet.Jet, error) { return c.firstRoot(nowhere, f, nil) },
		func(p float64) float64 { return math.Pi / (8 * p) }},
	{"maximum of p x - x²",
		func(c *ctx, p, x jet.Jet) jet.Jet {
			return c.Sub(c.Mul(p, x), c.Sqr(x))
		},
		func(c *ctx, f function) (jet.Jet, error) {
			return c.maxOver(nowhere, c.Float(-1), c.Float(4), f)
		},
		func(p float64) float64 { return p * p / 4 }},
	{"argmax of p x - x²",
		func(c *ctx, p, x jet.Jet) jet.Jet {
			return c.Sub(c.Mul(p, x), c.Sqr(x))
		},
		func(c *ctx, f function) (jet.Jet, error) {
			return c.argmaxOver(nowhere, c.Float(-1), c.Float(4), f)
		},
		func(p float64) float64 { return p / 2 }},
	{"maximum of (x - p)² on [0, 3], which jumps from end to end at p = 3/2",
		func(c *ctx, p, x jet.Jet) jet.Jet { return c.Sqr(c.Sub(x, p)) },
		func(c *ctx, f function) (jet.Jet, error) {
			return c.maxOver(nowhere, c.Float(0), c.Float(3), f)
		},
		func(p float64) float64 { return math.Pow(math.Max(p, 3-p), 2) }},
	{"argmax of (x - p)² on [0, 3]",
		func(c *ctx, p, x jet.Jet) jet.Jet { return c.Sqr(c.Sub(x, p)) },
		func(c *ctx, f function) (jet.Jet, error) {
			return c.argmaxOver(nowhere, c.Float(0), c.Float(3), f)
		},
		func(p float64) float64 {
			if p > 1.5 {
				return 0
			}
			return 3
		}},
	{"maximum of -(x² - p)², with two maximisers",
		func(c *ctx, p, x jet.Jet) jet.Jet {
			return c.Neg(c.Sqr(c.Sub(c.Sqr(x), p)))
		},
		func(c *ctx, f function) (jet.Jet, error) {
			return c.maxOver(nowhere, c.Float(-2), c.Float(2), f)
		},
		func(p float64) float64 { return 0 }},
	{"maximum of -|x - p|, a kink",
		func(c *ctx, p, x jet.Jet) jet.Jet { return c.Neg(c.absolute(c.Sub(x, p))) },
		func(c *ctx, f function) (jet.Jet, error) {
			return c.maxOver(nowhere, c.Float(-1), c.Float(4), f)
		},
		func(p float64) float64 { return 0 }},
	{"argmax of -|x - p|",
		func(c *ctx, p, x jet.Jet) jet.Jet { return c.Neg(c.absolute(c.Sub(x, p))) },
		func(c *ctx, f function) (jet.Jet, error) {
			return c.argmaxOver(nowhere, c.Float(-1), c.Float(4), f)
		},
		func(p float64) float64 { return p }},
	{"maximum of x (p - x) up to p / 3, an end that moves",
		func(c *ctx, p, x jet.Jet) jet.Jet { return c.Mul(x, c.Sub(p, x)) },
		nil, // below, for its bound depends on p
		func(p float64) float64 { return 2 * p * p / 9 }},
}

// absolute is |x| as programs compute it: a decision of the frame.
func (c *ctx) absolute(x jet.Jet) jet.Jet {
	switch c.side(nowhere, x, c.Zero(), false) {
	case 1:
		return x
	case -1:
		return c.Neg(x)
	}
	return c.Abs(x)
}

// TestWideParameters: the result over an interval of parameters contains the result for
// each of them, and the derivative over it every difference quotient (Lebourg).
func TestWideParameters(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 11))
	for _, fam := range families {
		known := 0
		for range 200 {
			lo := 0.6 + 2*random.Float64()
			width := math.Pow(10, -6*random.Float64()) * 0.5
			for order := range 3 {
				c := newCtx(jet.Number(jet.Double{}), effort{bits: 53, tol: jet.MagOf(1e-9), cells: 4096, calls: 1 << 20}, func(diag.Span) error { return nil })
				set, _ := interval.New(lo, lo+width)
				p := c.Const(jet.OfInterval(set))
				var tag jet.Tag
				if order > 0 {
					tag = c.open(order)
					p = c.Var(tag, order, p, c.One())
				}
				f := func(x jet.Jet) (jet.Jet, error) { return fam.f(c, p, x), c.count(diag.Span{}) }
				var y jet.Jet
				var err error
				if fam.find != nil {
					y, err = fam.find(c, f)
				} else {
					y, err = c.maxOver(nowhere, c.Float(0), c.DivInt(p, 3), f)
				}
				if err != nil {
					t.Fatalf("%s for p in %v: %v", fam.name, set, err)
				}
				if c.calls > 20_000 {
					t.Errorf("%s for p in %v: %d calls", fam.name, set, c.calls)
				}
				var at [5]float64
				for i := range at {
					at[i] = lo + width*float64(i)/4
					if v := fam.true(at[i]); !near(y.Val(), v) {
						t.Errorf("%s for p in %v at order %d: %v does not contain %v, for %v", fam.name, set, order, y.Val(), v, at[i])
					}
				}
				slope := c.Coeff(y, tag, 1)
				if order == 0 || !slope.Known() {
					continue
				}
				known++
				for i := 1; i < len(at); i++ {
					h := at[i] - at[0]
					if q := (fam.true(at[i]) - fam.true(at[0])) / h; !near(slope.Val(), q, 1e-14/h) {
						t.Errorf("%s for p in %v: %v does not contain the quotient %v", fam.name, set, slope.Val(), q)
					}
				}
				curve := c.Coeff(y, tag, 2)
				if order == 1 || !curve.Known() {
					continue
				}
				h := width / 2
				second := (fam.true(at[4]) - 2*fam.true(at[2]) + fam.true(at[0])) / (h * h) / 2
				if !near(curve.Val(), second, 1e-14/h/h) {
					t.Errorf("%s for p in %v: %v does not contain the quotient %v", fam.name, set, curve.Val(), second)
				}
			}
		}
		if known == 0 {
			t.Errorf("%s: no derivative was ever known", fam.name)
		}
	}
}

// near tells whether an interval contains a double to within rounding.
func near(set jet.Set, v float64, slack ...float64) bool {
	by := 1e-12 * (1 + math.Abs(v))
	for _, s := range slack {
		by += s
	}
	x := set.Interval
	return x.Inf() <= v+by && v-by <= x.Sup()
}
