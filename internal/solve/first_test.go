package solve

import (
	"errors"
	"math"
	"testing"
)

func TestFirstRoot(t *testing.T) {
	for _, c := range []rootCase{
		{name: "two", f: func(x float64) float64 { return (x - 0.25) * (x - 0.75) }, df: func(x float64) float64 { return 2*x - 1 }, want: 0.25, evals: 60},
		{name: "upwards", f: func(x float64) float64 { return x - 0.3 }, df: func(x float64) float64 { return 1 }, want: 0.3, evals: 70},
		{name: "on the grid", f: func(x float64) float64 { return 0.5 - x }, df: func(x float64) float64 { return -1 }, want: 0.5, evals: 100},
		{name: "at 0", f: func(x float64) float64 { return x }, df: func(x float64) float64 { return 1 }, want: 0, evals: 2},
		{name: "at 1", f: func(x float64) float64 { return 1 - x }, df: func(x float64) float64 { return -1 }, want: 1, evals: 160},
		{name: "many", f: func(x float64) float64 { return math.Sin(100*x + 0.1) }, df: func(x float64) float64 { return 100 * math.Cos(100*x+0.1) }, want: (math.Pi - 0.1) / 100, ulps: 4, evals: 30},
		{name: "close pair", f: func(x float64) float64 { return (x - 0.3) * (x - 0.3001) }, df: func(x float64) float64 { return 2*x - 0.6001 }, want: 0.3, ulps: 2, evals: 100},
		{name: "very close pair", f: func(x float64) float64 { return (x - 0.3) * (x - 0.300001) }, df: func(x float64) float64 { return 2*x - 0.600001 }, want: 0.3, ulps: 2, evals: 100},
		{name: "narrow V", f: func(x float64) float64 { return math.Abs(x-0.3) - 1e-6 }, df: func(x float64) float64 { return math.Copysign(1, x-0.3) }, want: 0.3 - 1e-6, ulps: 1, evals: 120},
		{name: "narrow V off the grid", f: func(x float64) float64 { return 0.01 - math.Max(0.02-math.Abs(x-0.7), 0) }, df: nil, want: 0.69, ulps: 3, evals: 130},
		{name: "dips before", f: func(x float64) float64 { return 0.1 + x*math.Cos(40*x) }, df: func(x float64) float64 { return math.Cos(40*x) - 40*x*math.Sin(40*x) }, want: firstDip(), ulps: 8, evals: 60},
		{name: "three in a cell", f: func(x float64) float64 { return -(x - 0.3) * (x - 0.301) * (x - 0.3022) }, df: nil, want: 0.3, ulps: 2, evals: 100},
		{name: "near 0", f: func(x float64) float64 { return x - 1e-12 }, df: func(x float64) float64 { return 1 }, want: 1e-12, evals: 40},
		{name: "near 1", f: func(x float64) float64 { return 1 - 1e-12 - x }, df: func(x float64) float64 { return -1 }, want: 1 - 1e-12, evals: 180},
		{name: "sphere", f: func(x float64) float64 { return 4*x*x - 4*x + 0.75 }, df: func(x float64) float64 { return 8*x - 4 }, want: 0.25, ulps: 1, evals: 100},
	} {
		for _, df := range []func(float64) float64{nil, c.df} {
			evals, slopes := 0, 0
			x, err := FirstRoot(counted(c.f, &evals), counted(df, &slopes), Options{})
			if err != nil || away(x, c.want) > c.ulps {
				t.Errorf("%s: %v, %v; want %v", c.name, x, err, c.want)
			}
			if evals > c.evals || slopes > c.evals {
				t.Errorf("%s: %d and %d evaluations, at most %d expected", c.name, evals, slopes, c.evals)
			}
			if yes, err := Crosses(counted(c.f, &evals), counted(df, &slopes), Options{}); !yes || err != nil {
				t.Errorf("%s: does not cross, %v", c.name, err)
			}
		}
	}
}

// firstDip finds the first zero of 0.1 + x·cos 40x by small steps, then by
// bisection.
func firstDip() float64 {
	f := func(x float64) float64 { return 0.1 + x*math.Cos(40*x) }
	lo := 0.0
	for f(lo+1e-5) > 0 {
		lo += 1e-5
	}
	hi := lo + 1e-5
	for range 80 {
		if m := (lo + hi) / 2; f(m) > 0 {
			lo = m
		} else {
			hi = m
		}
	}
	return lo
}

func TestFirstRootFails(t *testing.T) {
	for _, c := range []struct {
		name     string
		f, df    func(float64) float64
		touch    float64 // NaN: none
		crossing float64 // NaN: none
	}{
		{"none", func(x float64) float64 { return x + 1 }, func(x float64) float64 { return 1 }, math.NaN(), math.NaN()},
		{"none below", func(x float64) float64 { return -x - 1 }, func(x float64) float64 { return -1 }, math.NaN(), math.NaN()},
		{"near miss", func(x float64) float64 { return (x-0.3)*(x-0.3) + 1e-9 }, func(x float64) float64 { return 2 * (x - 0.3) }, math.NaN(), math.NaN()},
		{"V misses", func(x float64) float64 { return math.Abs(x-0.3) + 1e-6 }, func(x float64) float64 { return math.Copysign(1, x-0.3) }, math.NaN(), math.NaN()},
		{"touches", func(x float64) float64 { return (x - 0.3) * (x - 0.3) }, func(x float64) float64 { return 2 * (x - 0.3) }, 0.3, math.NaN()},
		{"touches on the grid", func(x float64) float64 { return (x - 0.5) * (x - 0.5) }, func(x float64) float64 { return 2 * (x - 0.5) }, 0.5, math.NaN()},
		{"touches, then crosses", func(x float64) float64 { return (x - 0.3) * (x - 0.3) * (0.7 - x) }, func(x float64) float64 { return (x - 0.3) * (1.7 - 3*x) }, 0.3, 0.7},
		{"touches from below", func(x float64) float64 { return -(x - 0.3) * (x - 0.3) * (0.7 - x) }, func(x float64) float64 { return -(x - 0.3) * (1.7 - 3*x) }, 0.3, 0.7},
	} {
		for _, df := range []func(float64) float64{nil, c.df} {
			evals, slopes := 0, 0
			x, err := FirstRoot(counted(c.f, &evals), counted(df, &slopes), Options{})
			yes, crossErr := Crosses(counted(c.f, new(int)), counted(df, new(int)), Options{})
			if evals > 250 || slopes > 250 {
				t.Errorf("%s: %d and %d evaluations", c.name, evals, slopes)
			}
			if math.IsNaN(c.touch) {
				var none *NoSignChange
				if !errors.As(err, &none) || none.FA != c.f(0) || none.FB != c.f(1) || yes || crossErr != nil {
					t.Errorf("%s: %v, %v; %v, %v", c.name, x, err, yes, crossErr)
				}
				continue
			}
			var touch *Touch
			if !errors.As(err, &touch) || math.Abs(touch.X-c.touch) > 1e-5 {
				t.Errorf("%s: %v, %v", c.name, x, err)
				continue
			}
			crosses := !math.IsNaN(c.crossing)
			if crosses && away(touch.Crossing, c.crossing) > 2 || !crosses && !math.IsNaN(touch.Crossing) {
				t.Errorf("%s: crosses at %v", c.name, touch.Crossing)
			}
			if yes != crosses || crosses != (crossErr == nil) {
				t.Errorf("%s: Crosses is %v, %v", c.name, yes, crossErr)
			}
		}
	}
	var jump *Jump
	sign := counted(func(x float64) float64 { return math.Copysign(1, x-0.3) }, new(int))
	if _, err := FirstRoot(sign, nil, Options{}); !errors.As(err, &jump) || jump.Hi != 0.3 {
		t.Error(err)
	}
	if yes, err := Crosses(sign, nil, Options{}); !yes || err != nil {
		t.Error(yes, err)
	}
	var flat *FlatZero
	clipped := counted(func(x float64) float64 { return math.Max(0, x-0.5) + math.Min(0, x-0.25) }, new(int))
	if _, err := FirstRoot(clipped, nil, Options{}); !errors.As(err, &flat) || flat.Lo != 0.25 || flat.Hi != 0.5 {
		t.Error(err)
	}
	ramp := counted(func(x float64) float64 { return math.Max(0, x-0.5) }, new(int))
	if _, err := FirstRoot(ramp, nil, Options{}); !errors.As(err, &flat) || flat.Lo != 0 || flat.Hi != 0.5 {
		t.Error(err)
	}
	boom := errors.New("boom")
	late := func(x float64) (float64, error) {
		if x > 0.5 {
			return 0, boom
		}
		return 1, nil
	}
	if _, err := FirstRoot(late, nil, Options{}); err != boom {
		t.Error(err)
	}
	if _, err := Crosses(late, nil, Options{}); err != boom {
		t.Error(err)
	}
	var bad *BadValue
	if _, err := FirstRoot(counted(math.Sqrt, new(int)), counted(func(x float64) float64 { return math.NaN() }, new(int)), Options{}); err != nil {
		t.Errorf("a derivative that is NaN is not used: %v", err)
	}
	if _, err := FirstRoot(counted(func(x float64) float64 { return math.Sqrt(0.5 - x) }, new(int)), nil, Options{}); !errors.As(err, &bad) || bad.X <= 0.5 {
		t.Error(err)
	}
	var out *OutOfEvals
	if _, err := FirstRoot(counted(func(x float64) float64 { return x - 0.9 }, new(int)), nil, Options{MaxEvals: 50}); !errors.As(err, &out) || out.Evals != 50 {
		t.Error(err)
	}
}
