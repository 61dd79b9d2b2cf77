package solve

import (
	"errors"
	"math"
	"testing"
)

type maximumCase struct {
	name  string
	f, df func(float64) float64
	a, b  float64
	x     float64 // where
	value float64
	end   int
	evals int // without the derivative; with it twice as many
}

func gaussian(centre, width float64) (f, df func(float64) float64) {
	f = func(x float64) float64 { d := (x - centre) / width; return math.Exp(-d * d / 2) }
	df = func(x float64) float64 { return -(x - centre) / (width * width) * f(x) }
	return f, df
}

func maximumCases() []maximumCase {
	wide, dwide := gaussian(0.7, 0.1)
	narrow, dnarrow := gaussian(0.31, 0.004)
	sharp, dsharp := gaussian(0.6, 0.001)
	quarter := func(x float64) float64 { return x * (1 - x) }
	cases := []maximumCase{
		{"parabola", quarter, func(x float64) float64 { return 1 - 2*x }, 0, 1, 0.5, 0.25, 0, 250},
		{"parabola at 0.3", func(x float64) float64 { return 2 - (x-0.3)*(x-0.3) }, func(x float64) float64 { return -2 * (x - 0.3) }, 0, 1, 0.3, 2, 0, 250},
		{"sin", math.Sin, math.Cos, 0, 3, math.Pi / 2, 1, 0, 250},
		{"-cosh", func(x float64) float64 { return -math.Cosh(x - 1) }, func(x float64) float64 { return -math.Sinh(x - 1) }, -3, 9, 1, -1, 0, 250},
		{"x log x", func(x float64) float64 { return -x * math.Log(x) }, func(x float64) float64 { return -1 - math.Log(x) }, 1e-3, 1, 1 / math.E, 1 / math.E, 0, 250},
		{"likelihood", func(x float64) float64 { return 3*math.Log(x) + 7*math.Log(1-x) }, func(x float64) float64 { return 3/x - 7/(1-x) }, 0, 1, 0.3, 3*math.Log(0.3) + 7*math.Log(0.7), 0, 250},
		{"Γ shape", func(x float64) float64 { return x * x * math.Exp(-x) }, func(x float64) float64 { return (2*x - x*x) * math.Exp(-x) }, 0, 50, 2, 4 * math.Exp(-2), 0, 250},
		{"lower end", func(x float64) float64 { return -x }, func(x float64) float64 { return -1 }, 0, 1, 0, 0, -1, 200},
		{"upper end", math.Exp, math.Exp, -1, 2, 2, math.Exp(2), 1, 200},
		{"upper end, level", func(x float64) float64 { return x * (2 - x) }, func(x float64) float64 { return 2 - 2*x }, 0, 1, 1, 1, 1, 200},
		{"lower end, steep", func(x float64) float64 { return -math.Sqrt(x) }, func(x float64) float64 { return -0.5 / math.Sqrt(x) }, 0, 1, 0, 0, -1, 200},
		{"one point", quarter, nil, 0.5, 0.5, 0.5, 0.25, -1, 1},
		{"near the lower end", func(x float64) float64 { return 1 - (x-3e-6)*(x-3e-6) }, func(x float64) float64 { return -2 * (x - 3e-6) }, 0, 1, 3e-6, 1, 0, 300},
		{"near the upper end", func(x float64) float64 { return -(x - 0.9999) * (x - 0.9999) }, func(x float64) float64 { return -2 * (x - 0.9999) }, 0, 1, 0.9999, 0, 0, 300},
		{"wide", wide, dwide, 0, 1, 0.7, 1, 0, 250},
		{"narrow", narrow, dnarrow, 0, 1, 0.31, 1, 0, 300},
		{"sharp", sharp, dsharp, 0, 1, 0.6, 1, 0, 300},
		{"narrow on wide", func(x float64) float64 { return wide(x) + 1.5*narrow(x) }, func(x float64) float64 { return dwide(x) + 1.5*dnarrow(x) }, 0, 1, math.NaN(), math.NaN(), 0, 400},
		{"kink", func(x float64) float64 { return -math.Abs(x - odd) }, func(x float64) float64 { return math.Copysign(1, odd-x) }, 0, 1, odd, 0, 0, 350},
		{"lopsided kink", func(x float64) float64 { return math.Min(x-odd, 100*(odd-x)) }, nil, 0, 1, odd, 0, 0, 350},
		{"cusp", func(x float64) float64 { return -math.Sqrt(math.Abs(x - odd)) }, nil, 0, 1, odd, 0, 0, 350},
		{"wiggles", func(x float64) float64 { return math.Sin(50*x) + 0.1*x }, func(x float64) float64 { return 50*math.Cos(50*x) + 0.1 }, 0, 1, (4.5*math.Pi*1 + 0) / 50, math.NaN(), 0, 500},
		{"two, unequal", func(x float64) float64 { return math.Sin(x) * math.Sin(x) * (1 + x*1e-6) }, nil, 0, 6, 3 * math.Pi / 2, math.NaN(), 0, 400},
		{"quartic", func(x float64) float64 { return 1 - math.Pow(x-0.3, 4) }, func(x float64) float64 { return -4 * math.Pow(x-0.3, 3) }, 0, 1, 0.3, 1, 0, 400},
		{"-∞ outside", func(x float64) float64 { return math.Log(math.Max(0, quarter(x))) }, nil, -1, 2, 0.5, math.Log(0.25), 0, 300},
		{"-∞ almost everywhere", func(x float64) float64 {
			if math.Abs(x-0.3) > 0.01 {
				return math.Inf(-1)
			}
			return -math.Abs(x - 0.3)
		}, nil, 0, 1, 0.3, 0, 0, 350},
		{"large", func(x float64) float64 { return 1e300 * quarter(x) }, func(x float64) float64 { return 1e300 * (1 - 2*x) }, 0, 1, 0.5, 2.5e299, 0, 250},
		{"small", func(x float64) float64 { return 1e-300 * quarter(x) }, func(x float64) float64 { return 1e-300 * (1 - 2*x) }, 0, 1, 0.5, 2.5e-301, 0, 250},
		{"far", func(x float64) float64 { d := x - 1e9; return -d * d }, func(x float64) float64 { return -2 * (x - 1e9) }, 1e9 - 3, 1e9 + 4, 1e9, 0, 0, 300},
		{"wide range", func(x float64) float64 { return -math.Abs(x - 3) }, func(x float64) float64 { return math.Copysign(1, 3-x) }, -1e12, 1e12, 3, 0, 0, 400},
		{"step", func(x float64) float64 { return step(x) - x }, nil, 0, 1, odd, 1 - odd, 0, 350},
		{"penalty", func(x float64) float64 {
			if x < 0.1 {
				return -1e300
			}
			return 2 - (x-0.3)*(x-0.3)
		}, nil, 0, 1, 0.3, 2, 0, 300},
	}
	for i := range cases {
		switch c := &cases[i]; c.name {
		case "wiggles": // sin 50x + 0.1x is stationary where cos 50x = -1/500
			c.x = (14*math.Pi + math.Acos(-0.002)) / 50
			c.value = c.f(c.x)
		case "narrow on wide":
			c.x = falling(c.df, 0.309, 0.311)
			c.value = c.f(c.x)
		case "two, unequal":
			c.x = falling(func(x float64) float64 { return math.Sin(2*x)*(1+x*1e-6) + 1e-6*math.Sin(x)*math.Sin(x) }, 4, 5)
			c.value = c.f(c.x)
		}
	}
	return cases
}

// falling bisects for where df falls through zero.
func falling(df func(float64) float64, lo, hi float64) float64 {
	for range 100 {
		if m := (lo + hi) / 2; df(m) > 0 {
			lo = m
		} else {
			hi = m
		}
	}
	return lo
}

func TestMaxima(t *testing.T) {
	for _, c := range maximumCases() {
		for _, df := range []func(float64) float64{nil, c.df} {
			limit, name := c.evals, c.name
			if df != nil {
				limit, name = 2*c.evals, c.name+" with derivative"
			}
			evals := 0
			o, err := Maximum(counted(c.f, &evals), counted(df, &evals), c.a, c.b, Options{})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			size := math.Max(math.Abs(c.value), math.SmallestNonzeroFloat64)
			if math.Abs(o.Value-c.value) > 1e-14*size && math.Abs(o.Value-c.value) > 1e-15 || o.End != c.end {
				t.Errorf("%s: %+v, want %v", name, o, c.value)
			}
			if off := math.Abs(o.X - c.x); off > o.XError+ulp(c.x) {
				t.Errorf("%s: at %v ± %v, want %v", name, o.X, o.XError, c.x)
			}
			precise := 1e-3 * (c.b - c.a)
			if df != nil {
				precise = 1e-14*(c.b-c.a) + 16*ulp(c.x)
			}
			if o.XError > precise {
				t.Errorf("%s: ± %v", name, o.XError)
			}
			if o.Evals != evals || evals > limit {
				t.Errorf("%s: %d evaluations, at most %d expected; it says %d", name, evals, limit, o.Evals)
			}
		}
	}
}

func TestTies(t *testing.T) {
	bell1, dbell1 := gaussian(0.2, 0.05)
	bell2, dbell2 := gaussian(0.8, 0.05)
	for _, c := range []struct {
		name     string
		f, df    func(float64) float64
		a, b     float64
		x, other float64
		value    float64
		plateau  bool
	}{
		{"cos", math.Cos, func(x float64) float64 { return -math.Sin(x) }, 0, 2 * math.Pi, 0, 2 * math.Pi, 1, false},
		{"even", func(x float64) float64 { return x * x }, func(x float64) float64 { return 2 * x }, -1, 1, -1, 1, 1, false},
		{"sin²", func(x float64) float64 { return math.Sin(x) * math.Sin(x) }, func(x float64) float64 { return math.Sin(2 * x) }, 0, 6, math.Pi / 2, 3 * math.Pi / 2, 1, false},
		{"two bells", func(x float64) float64 { return bell1(x) + bell2(x) }, func(x float64) float64 { return dbell1(x) + dbell2(x) }, 0, 1, 0.2, 0.8, 1, false},
		{"two bells, nearly", func(x float64) float64 { return bell1(x) + bell2(x)*(1-1e-13) }, nil, 0, 1, 0.2, 0.8, 1, false},
		{"inside and end", func(x float64) float64 { return math.Cos(x) }, func(x float64) float64 { return -math.Sin(x) }, -1, 2 * math.Pi, 0, 2 * math.Pi, 1, false},
		{"constant", func(x float64) float64 { return 7 }, func(x float64) float64 { return 0 }, -1, 3, -1, 3, 7, true},
		{"zero", func(x float64) float64 { return 0 }, func(x float64) float64 { return 0 }, 0, 1, 0, 1, 0, true},
		{"-∞ everywhere", func(x float64) float64 { return math.Inf(-1) }, nil, 0, 1, 0, 1, math.Inf(-1), true},
		{"clipped", func(x float64) float64 { return math.Min(0.8, math.Sin(x)) }, func(x float64) float64 {
			if math.Sin(x) > 0.8 {
				return 0
			}
			return math.Cos(x)
		}, 0, 3, math.Asin(0.8), math.Pi - math.Asin(0.8), 0.8, true},
		{"plateau to the end", func(x float64) float64 { return math.Min(x, 0.25) }, func(x float64) float64 { return 1 - step(x-0.25+odd) }, 0, 1, 0.25, 1, 0.25, true},
		{"narrow plateau", func(x float64) float64 { return math.Min(0, 0.002-math.Abs(x-odd)) }, nil, 0, 1, odd - 0.002, odd + 0.002, 0, true},
		{"narrow plateau with derivative", func(x float64) float64 { return math.Min(0, 0.002-math.Abs(x-odd)) }, func(x float64) float64 {
			if math.Abs(x-odd) < 0.002 {
				return 0
			}
			return math.Copysign(1, odd-x)
		}, 0, 1, odd - 0.002, odd + 0.002, 0, true},
	} {
		for _, df := range []func(float64) float64{nil, c.df} {
			evals := 0
			o, err := Maximum(counted(c.f, &evals), counted(df, &evals), c.a, c.b, Options{})
			var tie *Tie
			if !errors.As(err, &tie) {
				t.Errorf("%s: %+v, %v", c.name, o, err)
				continue
			}
			x, other := math.Min(tie.X, tie.Other), math.Max(tie.X, tie.Other)
			if tie.Plateau != c.plateau || math.Abs(x-c.x) > 1e-4*(c.b-c.a) || math.Abs(other-c.other) > 1e-4*(c.b-c.a) {
				t.Errorf("%s (derivative: %v): %v; want %v and %v", c.name, df != nil, tie, c.x, c.other)
			}
			if math.Abs(tie.Value-c.value) > 1e-15 || o.Value != tie.Value {
				t.Errorf("%s: %v, %+v; want %v", c.name, tie, o, c.value)
			}
			if evals > 900 {
				t.Errorf("%s: %d evaluations", c.name, evals)
			}
		}
	}
}

func TestMaximumErrors(t *testing.T) {
	boom := errors.New("boom")
	line := counted(func(x float64) float64 { return x }, new(int))
	for _, r := range [][2]float64{{1, 0}, {math.NaN(), 1}, {0, inf}, {-1e308, 1e308}} {
		if _, err := Maximum(line, nil, r[0], r[1], Options{}); !errors.As(err, new(*BadRange)) {
			t.Error(r, err)
		}
	}
	var bad *BadValue
	for _, f := range []func(float64) float64{
		func(x float64) float64 { return math.Sqrt(0.5 - x) },
		func(x float64) float64 { return 1 / math.Max(0, 0.5-x) },
	} {
		if _, err := Maximum(counted(f, new(int)), nil, 0, 1, Options{}); !errors.As(err, &bad) || bad.X < 0.5 {
			t.Error(err)
		}
	}
	late := func(x float64) (float64, error) {
		if x > 0.5 {
			return 0, boom
		}
		return x, nil
	}
	if _, err := Maximum(late, nil, 0, 1, Options{}); err != boom {
		t.Error(err)
	}
	if _, err := Maximum(line, late, 0, 1, Options{}); err != boom {
		t.Error(err)
	}
	for _, budget := range []int{50, 135} {
		var out *OutOfEvals
		o, err := Maximum(line, line, 0, 1, Options{MaxEvals: budget})
		if budget < 129 && (!errors.As(err, &out) || out.X != o.X || out.FX != o.X) {
			t.Error(o, err)
		}
	}
}

// TestFirstLook: slopes that explain the values halve the first look, and what
// is wider than its steps is found all the same, wherever it is.
func TestFirstLook(t *testing.T) {
	evals := 0
	cosh := func(x float64) float64 { return -math.Cosh(x - 0.3) }
	sinh := func(x float64) float64 { return -math.Sinh(x - 0.3) }
	if o, err := Maximum(counted(cosh, &evals), counted(sinh, &evals), 0, 1, Options{}); err != nil || evals > 200 {
		t.Errorf("%+v, %v after %d evaluations", o, err, evals)
	}
	for k := range 200 {
		middle := (float64(k) + 0.4) / 200
		spike := func(x float64) float64 { return math.Max(0, 1-50*math.Abs(x-middle)) }
		slope := func(x float64) float64 {
			if spike(x) == 0 {
				return 0
			}
			return math.Copysign(50, middle-x)
		}
		o, err := Maximum(counted(spike, &evals), counted(slope, &evals), 0, 1, Options{})
		if err != nil || math.Abs(o.Value-1) > 1e-13 || math.Abs(o.X-middle) > 1e-13 {
			t.Errorf("the spike at %v: %+v, %v", middle, o, err)
		}
	}
}
