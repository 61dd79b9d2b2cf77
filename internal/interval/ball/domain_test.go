package ball

import (
	"math"
	"testing"
)

func iv(lo, hi float64) *Ball { return FromFloat64s(lo, hi) }

// TestDomains: parts outside the domain are cut off and marked; poles and edges
// give the whole line; nothing left is empty.
func TestDomains(t *testing.T) {
	inf := math.Inf(1)
	nan := math.NaN()
	for _, c := range []struct {
		name    string
		args    []*Ball
		lo, hi  float64 // NaN: empty
		partial bool
	}{
		{"sqrt", []*Ball{iv(-1, 4)}, 0, 2, true},
		{"sqrt", []*Ball{iv(-4, -1)}, nan, nan, true},
		{"sqrt", []*Ball{iv(0, 4)}, 0, 2, false},
		{"sqrt", []*Ball{FromInt64(-1)}, nan, nan, true},
		{"log", []*Ball{iv(0, 1)}, -inf, inf, true},
		{"log", []*Ball{iv(-2, -1)}, nan, nan, true},
		{"log", []*Ball{FromInt64(0)}, nan, nan, true},
		{"log1p", []*Ball{FromInt64(-1)}, nan, nan, true},
		{"log1p", []*Ball{iv(-3, 0)}, -inf, inf, true},
		{"asin", []*Ball{iv(0, 2)}, 0, math.Pi / 2, true},
		{"asin", []*Ball{iv(2, 3)}, nan, nan, true},
		{"acos", []*Ball{iv(-2, 2)}, 0, math.Pi, true},
		{"acos", []*Ball{FromInt64(1)}, 0, 0, false},
		{"acosh", []*Ball{iv(0, 1)}, 0, 0, true},
		{"acosh", []*Ball{FromInt64(-5)}, nan, nan, true},
		{"atanh", []*Ball{iv(0, 1)}, -inf, inf, true},
		{"atanh", []*Ball{FromInt64(1)}, nan, nan, true},
		{"tan", []*Ball{iv(1, 2)}, -inf, inf, true},
		{"recip", []*Ball{iv(-1, 1)}, -inf, inf, true},
		{"recip", []*Ball{FromInt64(0)}, nan, nan, true},
		{"quo", []*Ball{FromInt64(0), iv(-1, 1)}, -inf, inf, true},
		{"lgamma", []*Ball{iv(-1.5, 0.5)}, -inf, inf, true},
		{"lgamma", []*Ball{FromInt64(-3)}, nan, nan, true},
		{"lgamma", []*Ball{FromInt64(2)}, 0, 0, false},
		{"digamma", []*Ball{FromInt64(0)}, nan, nan, true},
		{"pow", []*Ball{iv(-1, 4), FromFloat64(0.5)}, 0, 2, true},
		{"pow", []*Ball{iv(0, 4), FromFloat64(0.5)}, 0, 2, false},
		{"pow", []*Ball{iv(0, 4), iv(-1, 1)}, -inf, inf, true},
		{"pow", []*Ball{FromInt64(0), FromInt64(-1)}, nan, nan, true},
		{"pow", []*Ball{FromInt64(0), FromInt64(3)}, 0, 0, false},
		{"pow", []*Ball{FromInt64(-2), FromInt64(3)}, nan, nan, true},
		{"atan2", []*Ball{FromInt64(0), FromInt64(0)}, nan, nan, true},
		{"atan2", []*Ball{iv(-1, 1), iv(-2, -1)}, -math.Pi, math.Pi, false},
		{"atan2", []*Ball{iv(0, 1), iv(0, 1)}, 0, math.Pi / 2, true},
		{"atan2", []*Ball{iv(-1, 1), iv(0, 1)}, -math.Pi / 2, math.Pi / 2, true},
		{"sin", []*Ball{iv(0, 3)}, 0, 1, false},
		{"cos", []*Ball{iv(-0.5, 0.25)}, math.Cos(0.5), 1, false},
		{"sin", []*Ball{iv(-100, 100)}, -1, 1, false},
		{"cosh", []*Ball{iv(-1, 2)}, 1, math.Cosh(2), false},
		{"sqr", []*Ball{iv(-1, 2)}, 0, 4, false},
		{"mul", []*Ball{iv(0, 2), iv(0, 2)}, 0, 4, false},
		{"sigmoid", []*Ball{new(Ball).SetWhole()}, 0, 1, false},
		{"tanh", []*Ball{new(Ball).SetWhole()}, -1, 1, false},
	} {
		var z Ball
		testFuncs[c.name](&z, c.args, 60)
		lo, hi := z.Float64s()
		near := func(a, b float64) bool {
			return a == b || math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) < 1e-6
		}
		if !near(lo, c.lo) || !near(hi, c.hi) || z.Partial() != c.partial {
			t.Errorf("%s%v = [%g, %g] partial %v, want [%g, %g] %v", c.name, c.args, lo, hi, z.Partial(), c.lo, c.hi, c.partial)
		}
		for _, bad := range []*Ball{new(Ball).SetEmpty()} {
			args := append([]*Ball{bad}, c.args[1:]...)
			if testFuncs[c.name](&z, args, 60); !z.IsEmpty() {
				t.Errorf("%s of the empty set is %v", c.name, &z)
			}
		}
	}
	// The mark is handed on.
	z := new(Ball).Sqrt(iv(-1, 4), 60)
	for name, f := range testFuncs {
		args := []*Ball{z, FromInt64(2)}[:max(arity(name), 0)]
		if len(args) > 0 {
			if w := f(new(Ball), args, 60); !w.Partial() {
				t.Errorf("%s loses the mark", name)
			}
		}
	}
}

func TestSteps(t *testing.T) {
	for _, c := range []struct {
		x                               *Ball
		floor, ceil, even, away, tr, sg float64 // midpoints of the hulls
	}{
		{FromFloat64(2.5), 2, 3, 2, 3, 2, 1},
		{FromFloat64(-2.5), -3, -2, -2, -3, -2, -1},
		{FromFloat64(3.5), 3, 4, 4, 4, 3, 1},
		{FromFloat64(-0.25), -1, 0, 0, 0, 0, -1},
		{FromFloat64(0), 0, 0, 0, 0, 0, 0},
		{FromInt64(7), 7, 7, 7, 7, 7, 1},
		{iv(0.5, 1.5), 0.5, 1.5, 1, 1.5, 0.5, 1},
		{iv(-0.75, 0.25), -0.5, 0.5, -0.5, -0.5, 0, 0},
	} {
		var z Ball
		for name, p := range map[string]struct{ got, want float64 }{
			"floor": {z.Floor(c.x, 60).Float64(), c.floor}, "ceil": {z.Ceil(c.x, 60).Float64(), c.ceil},
			"round": {z.Round(c.x, 60).Float64(), c.even}, "away": {z.RoundAway(c.x, 60).Float64(), c.away},
			"trunc": {z.Trunc(c.x, 60).Float64(), c.tr}, "sign": {z.Signum(c.x).Float64(), c.sg},
		} {
			if p.got != p.want {
				t.Errorf("%s of %v is %g, want %g", name, c.x, p.got, p.want)
			}
		}
	}
}

// TestExact: results that fit are exact.
func TestExact(t *testing.T) {
	three, four := FromInt64(3), FromInt64(4)
	for name, z := range map[string]*Ball{
		"3+4": new(Ball).Add(three, four, 10), "3·4": new(Ball).Mul(three, four, 10), "3/4": new(Ball).Quo(three, four, 10),
		"√4": new(Ball).Sqrt(four, 10), "∛-27": new(Ball).Cbrt(FromInt64(-27), 10), "hypot": new(Ball).Hypot(three, four, 10),
		"3^4": new(Ball).PowInt(three, 4, 10), "4^-2": new(Ball).PowInt(four, -2, 10), "log2": new(Ball).Log2(four, 10),
		"log10": new(Ball).Log10(FromInt64(100000), 10), "exp2": new(Ball).Exp2(FromInt64(-5), 10), "exp10": new(Ball).Exp10(three, 12),
		"4^1/2 by PowInt": new(Ball).Pow(four, three, 10), "fma": new(Ball).FMA(three, four, three, 10),
		"exp 0": new(Ball).Exp(FromInt64(0), 10), "log 1": new(Ball).Log(FromInt64(1), 10), "sin 0": new(Ball).Sin(FromInt64(0), 10),
		"cos 0": new(Ball).Cos(FromInt64(0), 10), "max": new(Ball).Max(three, four, 10),
	} {
		if !z.IsExact() {
			t.Errorf("%s is %v ± %v", name, z, z.rad)
		}
	}
}

// TestRange: exponents beyond the range give something larger, not garbage.
func TestRange(t *testing.T) {
	x := FromFloat64(1e300)
	for range 70 {
		x.Sqr(x, 53)
	}
	if !x.IsWhole() {
		t.Errorf("overflow gives %v", x)
	}
	x = FromFloat64(1e-300)
	for range 70 {
		x.Sqr(x, 53)
	}
	if !x.IsFinite() || !x.ContainsZero() {
		t.Errorf("underflow gives %v", x)
	}
	big := new(Ball).SetDyadic(intOne, 70)
	if z := new(Ball).Exp(big, 53); !z.IsWhole() {
		t.Error("e^(2^70)")
	}
	if z := new(Ball).Exp(big.Neg(big), 53); !z.IsFinite() || z.rad.top() > -1<<50 {
		t.Error("e^(-2^70)")
	}
}
