package solve

import (
	"errors"
	"fmt"
	"math"
	"testing"
)

// scalar makes a vector function of one component that checks that it is
// asked only inside (a, b).
func scalar(t *testing.T, f func(float64) float64, a, b float64) Func {
	lo, hi := math.Min(a, b), math.Max(a, b)
	return func(x float64) (float64, error) {
		if x <= lo || x >= hi {
			t.Errorf("evaluated at %v, not inside (%v, %v)", x, lo, hi)
		}
		return f(x), nil
	}
}

func pow(p float64) func(float64) float64 {
	return func(x float64) float64 { return math.Pow(x, p) }
}

// integralCase has a closed form. The result must be within tolerance of it,
// relative to size (1 if 0; for integrals with cancellation, ∫|f|), and within
// the uncertainty that it claims.
type integralCase struct {
	name      string
	f         func(float64) float64
	a, b      float64 // b = +Inf: IntegrateFrom
	want      float64
	tolerance float64
	evals     int
	size      float64
}

var inf = math.Inf(1)

// A kink, a jump, a pole at no dyadic place.
const odd = 1 / math.Pi

func step(x float64) float64 {
	if x < odd {
		return 0
	}
	return 1
}

// third is zero at 1/3, so at no double.
func third(x float64) float64 { return math.FMA(3, x, -1) }

var integralCases = []integralCase{
	// Smooth: one halving is enough.
	{name: "zero", f: func(x float64) float64 { return 0 }, a: 0, b: 1, want: 0, tolerance: 0, evals: 63},
	{name: "constant", f: func(x float64) float64 { return 3 }, a: -2, b: 5, want: 21, tolerance: 4e-16, evals: 63},
	{name: "x", f: func(x float64) float64 { return x }, a: 0, b: 1, want: 0.5, tolerance: 4e-16, evals: 63},
	{name: "x odd", f: func(x float64) float64 { return x }, a: -1, b: 1, want: 0, tolerance: 4e-16, evals: 63},
	{name: "x^2", f: pow(2), a: 0, b: 3, want: 9, tolerance: 4e-16, evals: 63},
	{name: "x^31", f: pow(31), a: 0, b: 1, want: 1.0 / 32, tolerance: 1e-15, evals: 150},
	{name: "x^100", f: pow(100), a: 0, b: 1, want: 1.0 / 101, tolerance: 1e-15, evals: 300},
	{name: "exp", f: math.Exp, a: 0, b: 1, want: math.E - 1, tolerance: 4e-16, evals: 63},
	{name: "exp reversed", f: math.Exp, a: 1, b: 0, want: 1 - math.E, tolerance: 4e-16, evals: 63},
	{name: "exp wide", f: math.Exp, a: -700, b: 700, want: math.Exp(700) - math.Exp(-700), tolerance: 1e-13, evals: 1500},
	{name: "sin", f: math.Sin, a: 0, b: math.Pi, want: 2, tolerance: 4e-16, evals: 63},
	{name: "sin over a period", f: math.Sin, a: 0, b: 2 * math.Pi, want: 0, tolerance: 1e-15, evals: 63},
	{name: "1/x", f: func(x float64) float64 { return 1 / x }, a: 1, b: 2, want: math.Ln2, tolerance: 4e-16, evals: 63},
	{name: "arctan", f: func(x float64) float64 { return 4 / (1 + x*x) }, a: 0, b: 1, want: math.Pi, tolerance: 4e-16, evals: 63},
	{name: "erf", f: func(x float64) float64 { return math.Exp(-x * x) }, a: 0, b: 1, want: math.Sqrt(math.Pi) / 2 * math.Erf(1), tolerance: 4e-16, evals: 63},
	{name: "far", f: func(x float64) float64 { return x - 1e7 }, a: 1e7, b: 1e7 + 1, want: 0.5, tolerance: 1e-9, evals: 3000},
	{name: "tiny range", f: func(x float64) float64 { return 2 }, a: 1, b: 1 + 8*epsilon, want: 16 * epsilon, tolerance: 1e-14, evals: 63},
	{name: "large", f: func(x float64) float64 { return 1e300 * x }, a: 0, b: 1, want: 5e299, tolerance: 1e-15, evals: 63, size: 5e299},
	{name: "small", f: func(x float64) float64 { return 1e-300 * x }, a: 0, b: 1, want: 5e-301, tolerance: 1e-15, evals: 63, size: 5e-301},

	// Oscillating.
	{name: "sin 100x", f: func(x float64) float64 { return math.Sin(100 * x) }, a: 0, b: 1, want: (1 - math.Cos(100)) / 100, tolerance: 2e-15, evals: 1500},
	{name: "sin 1000x", f: func(x float64) float64 { return math.Sin(1000 * x) }, a: 0, b: 1, want: (1 - math.Cos(1000)) / 1000, tolerance: 1e-14, evals: 12000},
	{name: "sin^2 300x", f: func(x float64) float64 { s := math.Sin(300 * x); return s * s }, a: 0, b: 1, want: 0.5 - math.Sin(600)/1200, tolerance: 1e-14, evals: 8000},
	{name: "exp cos", f: func(x float64) float64 { return math.Exp(x) * math.Cos(30*x) }, a: 0, b: math.Pi, want: (math.Exp(math.Pi)*math.Cos(30*math.Pi) - 1) / 901, tolerance: 2e-14, evals: 2500},
	{name: "Bessel", f: func(x float64) float64 { return math.Cos(50*math.Sin(x)-3*x) / math.Pi }, a: 0, b: math.Pi, want: math.Jn(3, 50), tolerance: 1e-14, evals: 3000},

	// Peaked.
	{name: "peak 1e-3", f: func(x float64) float64 { return 1 / (x*x + 1e-6) }, a: -1, b: 1, want: 2e3 * math.Atan(1e3), tolerance: 1e-14, evals: 1500},
	{name: "peak at the end", f: func(x float64) float64 { return 1 / (x*x + 1e-6) }, a: 0, b: 1, want: 1e3 * math.Atan(1e3), tolerance: 1e-14, evals: 1000},
	{name: "peak off centre", f: func(x float64) float64 { d := x - odd; return 1e-3 / (d*d + 1e-6) }, a: 0, b: 1, want: math.Atan((1-odd)*1e3) + math.Atan(odd*1e3), tolerance: 1e-13, evals: 2000},
	{name: "peak 1e-6", f: func(x float64) float64 { return 1e-6 / (x*x + 1e-12) }, a: -1, b: 2, want: math.Atan(2e6) + math.Atan(1e6), tolerance: 1e-13, evals: 3000},
	{name: "bump", f: func(x float64) float64 { d := (x - 0.4) / 0.02; return math.Exp(-d * d) }, a: 0, b: 1, want: 0.02 * math.Sqrt(math.Pi), tolerance: 1e-14, evals: 1500},
	{name: "logistic", f: func(x float64) float64 { return 1 / (1 + math.Exp(-200*(x-odd))) }, a: 0, b: 1, want: (math.Log1p(math.Exp(200*(1-odd))) - math.Log1p(math.Exp(-200*odd))) / 200, tolerance: 1e-13, evals: 1500},

	// Kinks and jumps.
	{name: "kink at the middle", f: func(x float64) float64 { return math.Abs(x - 0.5) }, a: 0, b: 1, want: 0.25, tolerance: 4e-16, evals: 150},
	{name: "kink", f: func(x float64) float64 { return math.Abs(x - odd) }, a: 0, b: 1, want: (odd*odd + (1-odd)*(1-odd)) / 2, tolerance: 1e-14, evals: 1500},
	{name: "kink of the slope", f: func(x float64) float64 { d := math.Max(0, x-odd); return d * d }, a: 0, b: 1, want: (1 - odd) * (1 - odd) * (1 - odd) / 3, tolerance: 1e-14, evals: 1000},
	{name: "|cos|", f: func(x float64) float64 { return math.Abs(math.Cos(x)) }, a: 0, b: 20, want: 12 + math.Sin(20-6*math.Pi), tolerance: 1e-13, evals: 8000},
	{name: "jump", f: step, a: 0, b: 1, want: 1 - odd, tolerance: 1e-13, evals: 2500},
	{name: "jump near an end", f: func(x float64) float64 { return step(x - 0.003 + odd) }, a: 0, b: 1, want: 0.997, tolerance: 1e-13, evals: 3000},
	{name: "jump in something", f: func(x float64) float64 { return math.Exp(x) * (1 + step(x)) }, a: 0, b: 1, want: math.E - 1 + math.E - math.Exp(odd), tolerance: 1e-13, evals: 2500},
	{name: "floor", f: math.Floor, a: 0, b: 8, want: 28, tolerance: 1e-13, evals: 12000},
	{name: "floor of 3x", f: func(x float64) float64 { return math.Floor(3 * x) }, a: 0, b: 1, want: 1, tolerance: 1e-13, evals: 6000},

	// Singular ends.
	{name: "sqrt", f: math.Sqrt, a: 0, b: 1, want: 2.0 / 3, tolerance: 1e-15, evals: 500},
	{name: "x^-1/2", f: pow(-0.5), a: 0, b: 1, want: 2, tolerance: 2e-15, evals: 500},
	{name: "x^-1/3", f: pow(-1.0 / 3), a: 0, b: 8, want: 6, tolerance: 2e-15, evals: 500},
	{name: "x^-0.9", f: pow(-0.9), a: 0, b: 1, want: 10, tolerance: 1e-14, evals: 500},
	{name: "x^-0.99", f: pow(-0.99), a: 0, b: 1, want: 100, tolerance: 1e-13, evals: 500},
	{name: "x^1/10", f: pow(0.1), a: 0, b: 1, want: 1 / 1.1, tolerance: 2e-15, evals: 500},
	{name: "log", f: math.Log, a: 0, b: 1, want: -1, tolerance: 2e-15, evals: 500},
	{name: "log^2", f: func(x float64) float64 { return math.Log(x) * math.Log(x) }, a: 0, b: 1, want: 2, tolerance: 2e-14, evals: 700},
	{name: "log/sqrt", f: func(x float64) float64 { return math.Log(x) / math.Sqrt(x) }, a: 0, b: 1, want: -4, tolerance: 1e-13, evals: 700},
	{name: "x log", f: func(x float64) float64 { return x * math.Log(x) }, a: 0, b: 1, want: -0.25, tolerance: 2e-15, evals: 500},
	{name: "exp/sqrt", f: func(x float64) float64 { return math.Exp(-x) / math.Sqrt(x) }, a: 0, b: 1, want: math.Sqrt(math.Pi) * math.Erf(1), tolerance: 1e-14, evals: 700},
	{name: "cos/sqrt", f: func(x float64) float64 { return math.Cos(x) / math.Sqrt(x) }, a: 0, b: 1, want: 1.8090484758005442, tolerance: 1e-14, evals: 700},
	{name: "(1-x)^-1/2", f: func(x float64) float64 { return 1 / math.Sqrt(1-x) }, a: 0, b: 1, want: 2, tolerance: 1e-13, evals: 1000},
	{name: "arcsin", f: func(x float64) float64 { return 1 / math.Sqrt(1-x*x) }, a: 0, b: 1, want: math.Pi / 2, tolerance: 3e-13, evals: 1300},
	{name: "arcsin, both ends", f: func(x float64) float64 { return 1 / math.Sqrt(1-x*x) }, a: -1, b: 1, want: math.Pi, tolerance: 3e-13, evals: 2500},
	{name: "semicircle", f: func(x float64) float64 { return math.Sqrt(1 - x*x) }, a: -1, b: 1, want: math.Pi / 2, tolerance: 1e-14, evals: 1500},
	{name: "log at 2", f: func(x float64) float64 { return math.Log(2 - x) }, a: 1, b: 2, want: -1, tolerance: 1e-13, evals: 1000},
	{name: "beta", f: func(x float64) float64 { return math.Pow(x, -0.25) * math.Pow(1-x, -0.75) }, a: 0, b: 1, want: math.Pi * math.Sqrt2, tolerance: 1e-10, evals: 6000},
	{name: "log inside", f: func(x float64) float64 { return math.Log(math.Abs(third(x))) }, a: 0, b: 1, want: (2*math.Ln2 - 3) / 3, tolerance: 1e-12, evals: 4000},
	{name: "x^-1/2 small range", f: pow(-0.5), a: 0, b: 1e-200, want: 2e-100, tolerance: 1e-14, evals: 700, size: 2e-100},

	// Singular only from afar.
	{name: "1/√(x+1e-10)", f: func(x float64) float64 { return 1 / math.Sqrt(x+1e-10) }, a: 0, b: 1, want: 2*math.Sqrt(1+1e-10) - 2e-5, tolerance: 1e-13, evals: 2000},
	{name: "1/√(x+1e-16)", f: func(x float64) float64 { return 1 / math.Sqrt(x+1e-16) }, a: 0, b: 1, want: 2 - 2e-8 + 1e-16, tolerance: 1e-13, evals: 2000},
	{name: "1/√(x+1e-24)", f: func(x float64) float64 { return 1 / math.Sqrt(x+1e-24) }, a: 0, b: 1, want: 2 - 2e-12, tolerance: 1e-13, evals: 2000},
	{name: "log(x+1e-12)", f: func(x float64) float64 { return math.Log(x + 1e-12) }, a: 0, b: 1, want: -1 + 1e-12*(1+12*math.Ln10), tolerance: 1e-13, evals: 2000},
	{name: "∞ cut off at 1e9", f: func(x float64) float64 { return math.Pow(x, -1.5) * math.Exp(-1e-9*x) }, a: 1, b: inf, want: 2*math.Exp(-1e-9) - 2*math.Sqrt(1e-9*math.Pi)*math.Erfc(math.Sqrt(1e-9)), tolerance: 1e-13, evals: 4000},

	// To infinity.
	{name: "∞ 1/x^2", f: pow(-2), a: 1, b: inf, want: 1, tolerance: 1e-15, evals: 1000},
	{name: "∞ 1/x^2 far", f: pow(-2), a: 1e6, b: inf, want: 1e-6, tolerance: 1e-14, evals: 1500, size: 1e-6},
	{name: "∞ x^-3/2", f: pow(-1.5), a: 4, b: inf, want: 1, tolerance: 1e-14, evals: 1000},
	{name: "∞ x^-1.1", f: pow(-1.1), a: 1, b: inf, want: 10, tolerance: 1e-13, evals: 1000},
	{name: "∞ log/x^2", f: func(x float64) float64 { return math.Log(x) / (x * x) }, a: 1, b: inf, want: 1, tolerance: 1e-13, evals: 1000},
	{name: "∞ arctan", f: func(x float64) float64 { return 2 / (1 + x*x) }, a: 0, b: inf, want: math.Pi, tolerance: 1e-15, evals: 1000},
	{name: "∞ exp", f: func(x float64) float64 { return math.Exp(-x) }, a: 0, b: inf, want: 1, tolerance: 1e-15, evals: 1000},
	{name: "∞ exp far", f: func(x float64) float64 { return math.Exp(-x) }, a: -50, b: inf, want: math.Exp(50), tolerance: 1e-13, evals: 2000, size: math.Exp(50)},
	{name: "∞ exp fast", f: func(x float64) float64 { return math.Exp(-1e6 * x) }, a: 0, b: inf, want: 1e-6, tolerance: 1e-13, evals: 3000, size: 1e-6},
	{name: "∞ exp slow", f: func(x float64) float64 { return math.Exp(-1e-6 * x) }, a: 0, b: inf, want: 1e6, tolerance: 1e-13, evals: 1500, size: 1e6},
	{name: "∞ Gauss", f: func(x float64) float64 { return math.Exp(-x * x) }, a: 0, b: inf, want: math.Sqrt(math.Pi) / 2, tolerance: 1e-14, evals: 1000},
	{name: "∞ Gauss at 100", f: func(x float64) float64 { return math.Exp(-(x - 100) * (x - 100) / 2) }, a: 0, b: inf, want: math.Sqrt(2 * math.Pi), tolerance: 1e-13, evals: 2000},
	{name: "∞ Γ(1/2)", f: func(x float64) float64 { return math.Exp(-x) / math.Sqrt(x) }, a: 0, b: inf, want: math.Sqrt(math.Pi), tolerance: 1e-14, evals: 1500},
	{name: "∞ Γ(11)", f: func(x float64) float64 { return math.Exp(-x) * math.Pow(x, 10) }, a: 0, b: inf, want: 3628800, tolerance: 1e-14, evals: 1500, size: 3628800},
	{name: "∞ Planck", f: func(x float64) float64 { return x * x * x / math.Expm1(x) }, a: 0, b: inf, want: math.Pow(math.Pi, 4) / 15, tolerance: 1e-14, evals: 1000},
	{name: "∞ damped", f: func(x float64) float64 { return math.Exp(-x) * math.Cos(20*x) }, a: 0, b: inf, want: 1.0 / 401, tolerance: 1e-14, evals: 5000},
	{name: "∞ damped slowly", f: func(x float64) float64 { return math.Exp(-x/10) * math.Sin(10*x) }, a: 0, b: inf, want: 10 / 100.01, tolerance: 1e-13, evals: 20000},
	{name: "∞ both ends", f: func(x float64) float64 { return 1 / (math.Sqrt(x) * (1 + x)) }, a: 0, b: inf, want: math.Pi, tolerance: 1e-14, evals: 1500},
	{name: "∞ step", f: func(x float64) float64 { return step(x) * math.Exp(-x) }, a: 0, b: inf, want: math.Exp(-odd), tolerance: 1e-13, evals: 4000},
	{name: "∞ support", f: func(x float64) float64 { return math.Max(0, 1-math.Abs(x-3)) }, a: 0, b: inf, want: 1, tolerance: 1e-13, evals: 6000},
}

func (c *integralCase) run(t *testing.T, o Options) (Estimate, error) {
	f := scalar(t, c.f, c.a, c.b)
	if math.IsInf(c.b, 1) {
		return IntegrateFrom(f, c.a, o)
	}
	return Integrate(f, c.a, c.b, o)
}

func TestIntegrals(t *testing.T) {
	for _, c := range integralCases {
		t.Run(c.name, func(t *testing.T) {
			e, err := c.run(t, Options{})
			if err != nil {
				t.Fatal(err)
			}
			size := c.size
			if size == 0 {
				size = math.Max(1, math.Abs(c.want))
			}
			off := math.Abs(e.Value - c.want)
			if off > c.tolerance*size {
				t.Errorf("%v, want %v: off by %.2g", e.Value, c.want, off)
			}
			if off > e.Error+2*ulp(c.want) {
				t.Errorf("off by %.2g, but claims ± %.2g", off, e.Error)
			}
			if e.Error > 2*acceptable*math.Max(size, math.Abs(c.want)) {
				t.Errorf("uncertainty %.2g", e.Error)
			}
			if e.Evals > c.evals {
				t.Errorf("%d evaluations, at most %d expected", e.Evals, c.evals)
			}
		})
	}
}

// TestKronrod checks the tables by the degrees that the rules are exact for.
func TestKronrod(t *testing.T) {
	for degree := 0; degree <= 31; degree++ {
		k, g := 0.0, 0.0
		for i := range 11 {
			x := 1 - margin[i]
			p := math.Pow(x, float64(degree))
			if degree%2 == 0 && i < 10 {
				p *= 2
			} else if degree%2 == 1 {
				p = 0 // the rules are symmetric
			}
			k += kronrod[i] * p
			g += gauss[i] * p
		}
		want := 0.0
		if degree%2 == 0 {
			want = 2 / float64(degree+1)
		}
		if math.Abs(k-want) > 4*epsilon {
			t.Errorf("Kronrod, degree %d: %v, want %v", degree, k, want)
		}
		if degree < 20 && math.Abs(g-want) > 4*epsilon {
			t.Errorf("Gauss, degree %d: %v, want %v", degree, g, want)
		}
		if degree == 20 && math.Abs(g-want) < 1e-8 {
			t.Errorf("Gauss is not exact for degree 20: %v", g)
		}
	}
}

// TestIntegrateScales: integrands of wildly different scales, and zero.
func TestIntegrateScales(t *testing.T) {
	for _, scale := range []float64{1e150, 1, 1e-290, 0, -1e-150} {
		for i, s := range []struct {
			f    func(float64) float64
			want float64
		}{
			{math.Exp, math.E - 1},
			{pow(-0.5), 2},
			{math.Log, -1},
			{step, 1 - odd},
			{func(x float64) float64 { return math.Sin(40 * x) }, (1 - math.Cos(40)) / 40},
		} {
			f := func(x float64) (float64, error) { return scale * s.f(x), nil }
			e, err := Integrate(f, 0, 1, Options{})
			off := math.Abs(e.Value - scale*s.want)
			if err != nil || off > 2e-13*math.Abs(scale) || off > e.Error+2*ulp(e.Value) {
				t.Errorf("shape %d: %v ± %v, want %v", i, e.Value, e.Error, scale*s.want)
			}
			if e.Evals > 6000 {
				t.Errorf("shape %d: %d evaluations", i, e.Evals)
			}
		}
	}
}

// TestBumps measures what Integrate promises: a bump as wide as (b-a)/25 is
// found wherever it is, in a function that is zero elsewhere.
func TestBumps(t *testing.T) {
	const w = 1.0 / 25
	for i := range 200 {
		c := w + (1-2*w)*float64(i)/199
		f := func(x float64) (float64, error) {
			if math.Abs(x-c) >= w/2 {
				return 0, nil
			}
			d := math.Cos(math.Pi * (x - c) / w)
			return d * d, nil
		}
		e, err := Integrate(f, 0, 1, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(e.Value-w/2) > 1e-14 {
			t.Errorf("bump at %v: %v, want %v", c, e.Value, w/2)
		}
	}
}

func TestIntegralsThatFail(t *testing.T) {
	reciprocal := func(x float64) float64 { return 1 / x }
	for _, c := range []struct {
		integralCase
		reason Reason
		at     float64
	}{
		{integralCase{name: "1/x at the end", f: reciprocal, a: 0, b: 1, evals: 1500}, Singular, 0},
		{integralCase{name: "1/(1-x)", f: func(x float64) float64 { return 1 / (1 - x) }, a: 0, b: 1, evals: 4000}, Singular, 1},
		{integralCase{name: "1/x reversed", f: reciprocal, a: 1, b: 0, evals: 1500}, Singular, 0},
		{integralCase{name: "x^-1.01", f: pow(-1.01), a: 0, b: 1, evals: 1500}, Singular, 0},
		{integralCase{name: "1/x^2", f: pow(-2), a: 0, b: 1, evals: 1500}, Singular, 0},
		{integralCase{name: "1/x across", f: reciprocal, a: -1, b: 2, evals: 4000}, Singular, 0},
		{integralCase{name: "pole", f: func(x float64) float64 { return 1 / third(x) }, a: 0, b: 1, evals: 4000}, Singular, 1.0 / 3},
		{integralCase{name: "double pole", f: func(x float64) float64 { return 1 / (third(x) * third(x)) }, a: 0, b: 1, evals: 4000}, Singular, 1.0 / 3},
		{integralCase{name: "faint pole", f: func(x float64) float64 { return 1 + 1e-12/third(x) }, a: 0, b: 1, evals: 4000}, Singular, 1.0 / 3},
		{integralCase{name: "faint 1/x", f: func(x float64) float64 { return 1 + 1e-12/x }, a: 0, b: 1, evals: 3000}, Singular, 0},
		{integralCase{name: "1/(x log^2)", f: func(x float64) float64 { l := math.Log(x); return 1 / (x * l * l) }, a: 0, b: 0.5, want: 1 / math.Ln2, evals: 10000}, Singular, 0},
		{integralCase{name: "∞ 1/x", f: reciprocal, a: 1, b: inf, evals: 4000}, SlowTail, inf},
		{integralCase{name: "∞ 1", f: func(x float64) float64 { return 1 }, a: 0, b: inf, evals: 4000}, SlowTail, inf},
		{integralCase{name: "∞ x^-1/2", f: pow(-0.5), a: 1, b: inf, evals: 4000}, SlowTail, inf},
		{integralCase{name: "∞ cos", f: math.Cos, a: 0, b: inf, evals: 200000}, SlowTail, inf},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, err := c.run(t, Options{})
			var failure *NoConvergence
			if !errors.As(err, &failure) {
				t.Fatalf("%v, %v", e, err)
			}
			if failure.Reason != c.reason || math.Abs(failure.At-c.at) > 1e-9 {
				t.Errorf("%v at %v, want %v at %v", failure.Reason, failure.At, c.reason, c.at)
			}
			if failure.Best.Evals > c.evals {
				t.Errorf("%d evaluations, at most %d expected", failure.Best.Evals, c.evals)
			}
			if c.want != 0 && !(math.Abs(failure.Best.Value-c.want) <= failure.Best.Error) {
				t.Errorf("%v ± %v, but it is %v", failure.Best.Value, failure.Best.Error, c.want)
			}
		})
	}
}

// TestIntegralsTooHard: what cannot be found still comes with an uncertainty
// that holds.
func TestIntegralsTooHard(t *testing.T) {
	for _, c := range []struct {
		integralCase
		budget int
	}{
		{integralCase{name: "sin 1/x", f: func(x float64) float64 { return math.Sin(1 / x) }, a: 0, b: 1, want: 0.504067061906928}, 50_000},
		{integralCase{name: "sin 1e5 x", f: func(x float64) float64 { return math.Sin(1e5 * x) }, a: 0, b: 1, want: (1 - math.Cos(1e5)) / 1e5}, 5_000},
		{integralCase{name: "∞ cos/x^2", f: func(x float64) float64 { return math.Cos(x) / (x * x) }, a: 1, b: inf, want: -0.0844109505595739}, 50_000},
		{integralCase{name: "kink, few evaluations", f: func(x float64) float64 { return math.Abs(x - odd) }, a: 0, b: 1, want: (odd*odd + (1-odd)*(1-odd)) / 2}, 100},
		{integralCase{name: "strong inside", f: func(x float64) float64 { return 1 / math.Sqrt(math.Abs(third(x))) }, a: 0, b: 1, want: (2 + 2*math.Sqrt2) / 3}, 50_000},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, err := c.run(t, Options{MaxEvals: c.budget})
			var failure *NoConvergence
			if !errors.As(err, &failure) {
				t.Fatalf("%v, %v", e, err)
			}
			if off := math.Abs(failure.Best.Value - c.want); off > failure.Best.Error {
				t.Errorf("%v ± %v, but it is %v", failure.Best.Value, failure.Best.Error, c.want)
			}
			if failure.Best.Evals > c.budget {
				t.Errorf("%d evaluations of %d", failure.Best.Evals, c.budget)
			}
		})
	}
}

// TestNoise: a function known to some digits only gives an integral with an
// uncertainty to match, at a bounded cost.
func TestNoise(t *testing.T) {
	for _, level := range []float64{1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9} {
		state := uint64(1)
		f := func(x float64) (float64, error) {
			state = state*6364136223846793005 + 1442695040888963407
			noise := float64(int64(state)) / (1 << 63)
			return math.Exp(x) * (1 + level*noise), nil
		}
		e, err := Integrate(f, 0, 1, Options{})
		if err != nil {
			t.Errorf("noise %g: %v", level, err)
			continue
		}
		off := math.Abs(e.Value - (math.E - 1))
		if off > e.Error || off > level+4*epsilon {
			t.Errorf("noise %g: off by %g ± %g", level, off, e.Error)
		}
		if e.Evals > 8000 {
			t.Errorf("noise %g: %d evaluations", level, e.Evals)
		}
	}
}

// TestNothingButNoise: what is all roundoff has no integral.
func TestNothingButNoise(t *testing.T) {
	state := uint64(1)
	random := func(x float64) (float64, error) {
		state = state*6364136223846793005 + 1442695040888963407
		return 1e-17 * float64(int64(state)) / (1 << 63), nil
	}
	if e, err := Integrate(random, 0, 1, Options{}); !errors.As(err, new(*NoConvergence)) {
		t.Error(e, err)
	}
}

// TestGoodEnough: an integral that the evaluations do not suffice to settle is
// good if its uncertainty is acceptable.
func TestGoodEnough(t *testing.T) {
	evals := 0
	kink := func(x float64) (float64, error) { evals++; return math.Abs(x - odd), nil }
	want := (odd*odd + (1-odd)*(1-odd)) / 2
	for _, budget := range []int{200, 700} {
		e, err := Integrate(kink, 0, 1, Options{MaxEvals: budget})
		if err != nil && budget == 700 || err == nil && (e.Error > 1e-7*want || math.Abs(e.Value-want) > e.Error) {
			t.Errorf("%d evaluations: %v, %v", budget, e, err)
		}
	}
}

func TestIntegrateErrors(t *testing.T) {
	boom := errors.New("boom")
	one := func(x float64) (float64, error) { return 1, nil }
	t.Run("of the function", func(t *testing.T) {
		f := func(x float64) (float64, error) {
			if x > 0.9 {
				return 0, boom
			}
			return 1, nil
		}
		if _, err := Integrate(f, 0, 1, Options{}); err != boom {
			t.Error(err)
		}
		if _, err := IntegrateFrom(f, 0, Options{}); err != boom {
			t.Error(err)
		}
	})
	for _, bad := range []float64{math.NaN(), inf, -inf} {
		t.Run(fmt.Sprint(bad), func(t *testing.T) {
			f := func(x float64) (float64, error) {
				if x > 0.9 {
					return bad, nil
				}
				return 1, nil
			}
			var failure *BadValue
			_, err := Integrate(f, 0, 1, Options{})
			if !errors.As(err, &failure) || failure.X <= 0.9 {
				t.Error(err)
			}
			if _, err := Integrate(one, 0, bad, Options{}); !errors.As(err, new(*BadRange)) {
				t.Error(err)
			}
			if _, err := IntegrateFrom(one, bad, Options{}); !errors.As(err, new(*BadRange)) {
				t.Error(err)
			}
		})
	}
	t.Run("overflow", func(t *testing.T) {
		f := func(x float64) (float64, error) { return 1e300, nil }
		var failure *NoConvergence
		_, err := Integrate(f, 0, 1e300, Options{})
		if !errors.As(err, &failure) || failure.Reason != Overflow {
			t.Error(err)
		}
	})
	t.Run("empty", func(t *testing.T) {
		f := func(x float64) (float64, error) { return 0, boom }
		if e, err := Integrate(f, 1, 1, Options{}); err != nil || e != (Estimate{}) {
			t.Error(e, err)
		}
	})
}
