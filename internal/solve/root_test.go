package solve

import (
	"errors"
	"math"
	"testing"
)

// counted makes a Func, and counts its evaluations.
func counted(f func(float64) float64, evals *int) Func {
	if f == nil {
		return nil
	}
	return func(x float64) (float64, error) {
		*evals++
		return f(x), nil
	}
}

func away(x, y float64) uint64 {
	if x > y {
		x, y = y, x
	}
	return uint64(index(y) - index(x))
}

// rootCase has a root known to full precision; the result is within ulps
// doubles of it.
type rootCase struct {
	name  string
	f, df func(float64) float64
	a, b  float64
	want  float64
	ulps  uint64
	evals int
}

var rootCases = []rootCase{
	{"line", func(x float64) float64 { return x - 0.3 }, func(x float64) float64 { return 1 }, 0, 1, 0.3, 0, 8},
	{"line down", func(x float64) float64 { return 0.3 - x }, func(x float64) float64 { return -1 }, 0, 1, 0.3, 0, 8},
	{"lower end", func(x float64) float64 { return x }, nil, 0, 1, 0, 0, 2},
	{"upper end", func(x float64) float64 { return x - 1 }, nil, 0, 1, 1, 0, 2},
	{"one point", func(x float64) float64 { return x - 1 }, nil, 1, 1, 1, 0, 2},
	{"√2", func(x float64) float64 { return x*x - 2 }, func(x float64) float64 { return 2 * x }, 0, 2, math.Sqrt2, 1, 15},
	{"-√2", func(x float64) float64 { return x*x - 2 }, func(x float64) float64 { return 2 * x }, -2, 0, -math.Sqrt2, 1, 15},
	{"∛5", func(x float64) float64 { return x*x*x - 5 }, func(x float64) float64 { return 3 * x * x }, 0, 5, math.Cbrt(5), 1, 20},
	{"log 2", func(x float64) float64 { return math.Exp(x) - 2 }, math.Exp, 0, 1, math.Ln2, 1, 15},
	{"e", func(x float64) float64 { return math.Log(x) - 1 }, func(x float64) float64 { return 1 / x }, 1, 10, math.E, 2, 20},
	{"π", math.Sin, math.Cos, 3, 4, math.Pi, 0, 12},
	{"π/2", math.Cos, func(x float64) float64 { return -math.Sin(x) }, 0, 3, math.Pi / 2, 0, 12},
	{"Dottie", func(x float64) float64 { return math.Cos(x) - x }, func(x float64) float64 { return -math.Sin(x) - 1 }, 0, 1, 0.7390851332151607, 1, 12},
	{"Ω", func(x float64) float64 { return x*math.Exp(x) - 1 }, func(x float64) float64 { return (x + 1) * math.Exp(x) }, 0, 1, 0.5671432904097838, 1, 15},
	{"golden", func(x float64) float64 { return x*x - x - 1 }, func(x float64) float64 { return 2*x - 1 }, 1, 2, math.Phi, 1, 15},
	{"Wallis", func(x float64) float64 { return x*x*x - 2*x - 5 }, func(x float64) float64 { return 3*x*x - 2 }, 2, 3, 2.0945514815423265, 1, 15},
	{"Kepler", func(x float64) float64 { return x - 0.5*math.Sin(x) - 1 }, func(x float64) float64 { return 1 - 0.5*math.Cos(x) }, 0, 4, 1.4987011335178482, 1, 15},
	{"tan x = x", func(x float64) float64 { return math.Sin(x) - x*math.Cos(x) }, func(x float64) float64 { return x * math.Sin(x) }, 4, 5, 4.493409457909064, 1, 15},
	{"x^20 - 1", func(x float64) float64 { return math.Pow(x, 20) - 1 }, func(x float64) float64 { return 20 * math.Pow(x, 19) }, 0, 10, 1, 1, 60},
	{"1 - 1/x", func(x float64) float64 { return 1 - 1/x }, func(x float64) float64 { return 1 / (x * x) }, 1e-3, 1e3, 1, 1, 60},
	{"+∞ at an end", func(x float64) float64 { return 1/x - 3 }, nil, 0, 1, 1.0 / 3, 1, 60},
	{"-∞ at an end", func(x float64) float64 { return math.Log(x) + 1 }, nil, 0, 1, 1 / math.E, 2, 80},

	// Scales.
	{"1e-200", func(x float64) float64 { return x - 1e-200 }, func(x float64) float64 { return 1 }, -1, 1, 1e-200, 0, 12},
	{"1e200", func(x float64) float64 { return x - 1e200 }, func(x float64) float64 { return 1 }, 0, 1e300, 1e200, 1, 60},
	{"1e-180 by ∛", func(x float64) float64 { return math.Cbrt(x) - 1e-60 }, nil, -1, 1, 1e-180, 2, 120},
	{"3 in 1e300", func(x float64) float64 { return math.Atan(x - 3) }, nil, -1e300, 1e300, 3, 0, 120},
	{"values 1e-300", func(x float64) float64 { return 1e-300 * (x - 0.7) }, nil, 0, 1, 0.7, 0, 12},
	{"values 1e300", func(x float64) float64 { return 1e300 * (x*x - 0.49) }, nil, 0, 1, 0.7, 1, 20},
	{"underflow", func(x float64) float64 { return 0.04 * x }, nil, -0.5, 165, 0, 0, 120},
	{"underflow of a cube", func(x float64) float64 { return x * x * x }, nil, -0.5, 165, 0, 0, 400},
	{"smallest", func(x float64) float64 { return x - 5e-324 }, nil, -1, 1, 5e-324, 0, 120},
	{"exp(1/x)", func(x float64) float64 { return math.Exp(-1/x) - 1e-300 }, nil, 1e-9, 1, 1 / (300 * math.Ln10), 40, 100},

	// Steep and flat.
	{"steep line", func(x float64) float64 { return 1e20 * (x - 0.3) }, nil, 0, 1, 0.3, 0, 12},
	{"steep tanh", func(x float64) float64 { return math.Tanh(1e12 * (x - 0.3)) }, nil, 0, 1, 0.3, 0, 80},
	{"exp 500x", func(x float64) float64 { return math.Exp(500*x) - math.Exp(150) }, nil, 0, 1, 0.3, 8, 80},
	{"∛(x-0.3)", func(x float64) float64 { return math.Cbrt(x - 0.3) }, nil, 0, 1, 0.3, 0, 100},
	{"√|x-0.3|", func(x float64) float64 { return math.Copysign(math.Sqrt(math.Abs(x-0.3)), x-0.3) }, nil, 0, 1, 0.3, 0, 100},
	{"(x-0.3)^3", func(x float64) float64 { return math.Pow(x-0.3, 3) }, func(x float64) float64 { return 3 * math.Pow(x-0.3, 2) }, 0, 1, 0.3, 0, 130},
	{"(x-0.3)^9", func(x float64) float64 { return math.Pow(x-0.3, 9) }, func(x float64) float64 { return 9 * math.Pow(x-0.3, 8) }, 0, 1, 0.3, 0, 160},
	{"x e^(-1/x²)", func(x float64) float64 {
		if x == 0 {
			return 0
		}
		return (x - 0.25) * math.Exp(-1/(x*x))
	}, nil, 0.1, 1, 0.25, 0, 100},
	{"kink", func(x float64) float64 { return math.Max(x-0.3, 1000*(x-0.3)) }, nil, 0, 1, 0.3, 0, 80},
	{"saturating", func(x float64) float64 { return math.Erf(50 * (x - 0.3)) }, func(x float64) float64 { d := 50 * (x - 0.3); return 100 / math.Sqrt(math.Pi) * math.Exp(-d*d) }, -10, 10, 0.3, 0, 80},
	{"wrong derivative", func(x float64) float64 { return x*x - 2 }, func(x float64) float64 { return -1 }, 0, 2, math.Sqrt2, 1, 140},
	{"useless derivative", func(x float64) float64 { return x*x - 2 }, func(x float64) float64 { return math.NaN() }, 0, 2, math.Sqrt2, 1, 20},
}

func TestRoots(t *testing.T) {
	for _, c := range rootCases {
		for _, df := range []func(float64) float64{nil, c.df} {
			name := c.name
			if df != nil {
				name += " with derivative"
			}
			t.Run(name, func(t *testing.T) {
				evals, slopes := 0, 0
				x, err := Root(counted(c.f, &evals), counted(df, &slopes), c.a, c.b, Options{})
				if err != nil {
					t.Fatal(err)
				}
				if away(x, c.want) > c.ulps {
					t.Errorf("%v, want %v: %d doubles off", x, c.want, away(x, c.want))
				}
				if evals > c.evals || slopes > c.evals {
					t.Errorf("%d and %d evaluations, at most %d expected", evals, slopes, c.evals)
				}
			})
		}
	}
}

// TestRootsThatFail: each way in which there is no root has its own error.
func TestRootsThatFail(t *testing.T) {
	boom := errors.New("boom")
	root := func(f func(float64) float64) error {
		evals := 0
		_, err := Root(counted(f, &evals), nil, -1, 1, Options{})
		if evals > 300 {
			t.Errorf("%d evaluations", evals)
		}
		return err
	}
	var noChange *NoSignChange
	if err := root(func(x float64) float64 { return x*x + 1 + x/2 }); !errors.As(err, &noChange) || noChange.FA != 1.5 || noChange.FB != 2.5 || noChange.X != -1 {
		t.Error(err)
	}
	for name, f := range map[string]func(float64) float64{
		"pole at 0":    func(x float64) float64 { return 1 / x },
		"pole":         func(x float64) float64 { return 1 / (x - 0.3) },
		"pole at 1/3":  func(x float64) float64 { return 1 / third(x) },
		"odd pole":     func(x float64) float64 { return math.Pow(third(x), -3) },
		"faint pole":   func(x float64) float64 { return x - 0.3 + 1e-9/third(x) },
		"tan":          func(x float64) float64 { return -math.Tan(x + 1.3) },
		"weak pole":    func(x float64) float64 { return 1 / math.Cbrt(third(x)) },
		"log pole":     func(x float64) float64 { return math.Copysign(math.Log(math.Abs(third(x)/10)), x) },
		"pole in jump": func(x float64) float64 { return math.Copysign(1/math.Abs(third(x)), third(x)) },
	} {
		var jump *Jump
		if name == "faint pole" {
			continue // below: it has a root too
		}
		if err := root(f); !errors.As(err, &jump) || !jump.Pole && name != "log pole" {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, f := range map[string]func(float64) float64{
		"sign":      func(x float64) float64 { return math.Copysign(1, x-0.3) },
		"unequal":   func(x float64) float64 { return map[bool]float64{true: -1, false: 5}[x < 0.3] },
		"sloping":   func(x float64) float64 { return x - 0.3 + math.Copysign(1, x-0.3) },
		"too steep": func(x float64) float64 { return math.Tanh(1e30 * third(x)) },
	} {
		var jump *Jump
		if err := root(f); !errors.As(err, &jump) || jump.Pole || math.Nextafter(jump.Lo, 2) != jump.Hi {
			t.Errorf("%s: %v", name, err)
		}
	}
	var flat *FlatZero
	if err := root(func(x float64) float64 { return math.Max(0, x-0.5) + math.Min(0, x+0.25) }); !errors.As(err, &flat) || flat.Lo != -0.25 || flat.Hi != 0.5 {
		t.Error(err)
	}
	if err := root(func(x float64) float64 { return math.Pow(x, 201) }); !errors.As(err, &flat) {
		t.Error(err)
	}
	var bad *BadValue
	if err := root(func(x float64) float64 { return math.Sqrt(x*x-0.01) * x }); !errors.As(err, &bad) || math.Abs(bad.X) > 0.1 || !math.IsNaN(bad.Value) {
		t.Error(err)
	}
	if _, err := Root(func(x float64) (float64, error) { return 0, boom }, nil, 0, 1, Options{}); err != boom {
		t.Error(err)
	}
	line := func(x float64) (float64, error) { return x*x*x - 0.3, nil }
	if _, err := Root(line, func(x float64) (float64, error) { return 0, boom }, 0, 1, Options{}); err != boom {
		t.Error(err)
	}
	var out *OutOfEvals
	if _, err := Root(line, nil, 0, 1, Options{MaxEvals: 5}); !errors.As(err, &out) || out.Evals != 5 || !(out.Lo <= out.X && out.X <= out.Hi && out.Lo < math.Cbrt(0.3) && math.Cbrt(0.3) < out.Hi) {
		t.Error(err)
	}
	for _, r := range [][2]float64{{1, 0}, {math.NaN(), 1}, {0, inf}} {
		if _, err := Root(line, nil, r[0], r[1], Options{}); !errors.As(err, new(*BadRange)) {
			t.Error(r, err)
		}
	}
}

func TestCut(t *testing.T) {
	for _, c := range []rootCase{
		{name: "2", f: func(x float64) float64 { return 2 - x }, want: 2, evals: 10},
		{name: "∛8", f: func(x float64) float64 { return 8 - x*x*x }, want: 2, evals: 10},
		{name: "-2", f: func(x float64) float64 { return -2 - x }, want: -2, evals: 10},
		{name: "0", f: func(x float64) float64 { return -x }, want: 0, evals: 5},
		{name: "e", f: func(x float64) float64 { return 1 - math.Log(math.Max(x, 1e-300)) }, want: math.E, ulps: 2, evals: 30},
		{name: "1e100", f: func(x float64) float64 { return 1e100 - x }, want: 1e100, evals: 80},
		{name: "-1e300", f: func(x float64) float64 { return -1e300 - x }, want: -1e300, evals: 80},
		{name: "1e-100", f: func(x float64) float64 { return 1e-100 - x }, want: 1e-100, evals: 80},
		{name: "fast", f: func(x float64) float64 { return 1 - math.Exp(x-700) }, want: 700, evals: 80},
		{name: "saturating", f: func(x float64) float64 { return math.Atan(-50 - x) }, want: -50, evals: 80},
	} {
		evals := 0
		x, err := Cut(counted(c.f, &evals), nil, Options{})
		if err != nil || away(x, c.want) > c.ulps || evals > c.evals {
			t.Errorf("%s: %v, %v; %d evaluations", c.name, x, err, evals)
		}
	}
	for _, c := range []struct {
		f           func(float64) float64
		left, right int
	}{
		{func(x float64) float64 { return x }, -1, 1},
		{func(x float64) float64 { return x - 5 }, -1, -1},
		{func(x float64) float64 { return x*x + 1 }, 1, 1},
		{func(x float64) float64 { return -x*x - 1 }, -1, -1},
		{func(x float64) float64 { return 0 }, 0, 0},
		{func(x float64) float64 { return x * x }, 1, 1},
		{func(x float64) float64 { return 0.5 - x*x }, -1, -1},
	} {
		var wrong *WrongSigns
		evals := 0
		_, err := Cut(counted(c.f, &evals), nil, Options{})
		if !errors.As(err, &wrong) || wrong.LeftSign != c.left || wrong.RightSign != c.right || evals > 40 {
			t.Errorf("%v after %d evaluations", err, evals)
		}
	}
	boom := errors.New("boom")
	if _, err := Cut(func(x float64) (float64, error) { return 0, boom }, nil, Options{}); err != boom {
		t.Error(err)
	}
	var out *OutOfEvals
	if _, err := Cut(counted(func(x float64) float64 { return 2.5 - x*x*x }, new(int)), nil, Options{MaxEvals: 4}); !errors.As(err, &out) {
		t.Error(err)
	}
}
