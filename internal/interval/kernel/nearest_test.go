package kernel

import (
	"math"
	"testing"
)

// TestSpecialArguments pins what the rounded functions do at the ends of
// their domains, at zeros and beyond.
func TestSpecialArguments(t *testing.T) {
	negZero := math.Copysign(0, -1)
	for _, c := range []struct {
		name    string
		f       func(float64) float64
		x, want float64
	}{
		{"Exp", Exp.Nearest, inf, inf}, {"Exp", Exp.Nearest, -inf, 0}, {"Exp", Exp.Nearest, 0, 1}, {"Exp", Exp.Nearest, 710, inf}, {"Exp", Exp.Nearest, -746, 0},
		{"Exp", Exp.Nearest, 709.7, 1.6549840276802644e+308},
		{"Expm1", Expm1.Nearest, -inf, -1}, {"Expm1", Expm1.Nearest, negZero, negZero},
		{"Exp2", Exp2.Nearest, 10, 1024}, {"Exp2", Exp2.Nearest, -1074, 5e-324}, {"Exp10", Exp10.Nearest, 22, 1e22}, {"Exp10", Exp10.Nearest, -400, 0},
		{"Log", Log.Nearest, 0, -inf}, {"Log", Log.Nearest, -1, nan}, {"Log", Log.Nearest, inf, inf}, {"Log", Log.Nearest, 1, 0},
		{"Log1p", Log1p.Nearest, -1, -inf}, {"Log1p", Log1p.Nearest, -2, nan}, {"Log1p", Log1p.Nearest, negZero, negZero},
		{"Log2", Log2.Nearest, 8, 3}, {"Log2", Log2.Nearest, 5e-324, -1074}, {"Log10", Log10.Nearest, 1e15, 15},
		{"Sin", Sin, inf, nan}, {"Sin", Sin, negZero, negZero}, {"Cos", Cos, 0, 1}, {"Tan", Tan, -inf, nan},
		{"Asin", Asin.Nearest, 1, math.Pi / 2}, {"Asin", Asin.Nearest, 1.5, nan}, {"Acos", Acos.Nearest, -1, math.Pi}, {"Acos", Acos.Nearest, 1, 0},
		{"Atan", Atan.Nearest, inf, math.Pi / 2}, {"Atan", Atan.Nearest, -inf, -math.Pi / 2}, {"Atan", Atan.Nearest, 1e300, math.Pi / 2},
		{"Sinh", Sinh.Nearest, -inf, -inf}, {"Cosh", Cosh, -inf, inf}, {"Tanh", Tanh.Nearest, inf, 1}, {"Tanh", Tanh.Nearest, -50, -1},
		{"Asinh", Asinh.Nearest, -inf, -inf}, {"Acosh", Acosh.Nearest, 1, 0}, {"Acosh", Acosh.Nearest, 0.5, nan}, {"Atanh", Atanh.Nearest, -1, -inf}, {"Atanh", Atanh.Nearest, 2, nan},
		{"Cbrt", Cbrt.Nearest, -27, -3}, {"Cbrt", Cbrt.Nearest, inf, inf}, {"Cbrt", Cbrt.Nearest, negZero, negZero},
		{"Erf", Erf.Nearest, inf, 1}, {"Erf", Erf.Nearest, -7, -1}, {"Erfc", Erfc.Nearest, -inf, 2}, {"Erfc", Erfc.Nearest, 30, 0},
		{"Erfcx", Erfcx.Nearest, inf, 0}, {"Erfcx", Erfcx.Nearest, -inf, inf}, {"Erfcx", Erfcx.Nearest, -27.5, inf},
		{"Erfcx", Erfcx.Nearest, math.MaxFloat64, 3.138408733985445e-309},
		{"Lgamma", Lgamma, 0, inf}, {"Lgamma", Lgamma, -3, inf}, {"Lgamma", Lgamma, 1, 0}, {"Lgamma", Lgamma, inf, inf}, {"Lgamma", Lgamma, 3e305, inf},
		{"Digamma", Digamma, -2, nan}, {"Digamma", Digamma, inf, inf},
		{"Sigmoid", Sigmoid.Nearest, -inf, 0}, {"Sigmoid", Sigmoid.Nearest, 0, 0.5}, {"Softplus", Softplus.Nearest, -inf, 0}, {"Softplus", Softplus.Nearest, 1e10, 1e10},
	} {
		got := c.f(c.x)
		if (got != c.want || math.Signbit(got) != math.Signbit(c.want)) && !(got != got && c.want != c.want) {
			t.Errorf("%s(%v) = %v, want %v", c.name, c.x, got, c.want)
		}
		if v := c.f(nan); v == v {
			t.Errorf("%s(NaN) = %v", c.name, v)
		}
	}
	for _, c := range [][3]float64{{2, 0.5, math.Sqrt2}, {-8, 3, -512}, {-8, 0.5, nan}, {0, -1, inf}, {5, 0, 1}, {4, -2, 0.0625}, {10, 308.5, inf}, {nan, 0, 1}} {
		if got := Pow(c[0], c[1]); got != c[2] && !(got != got && c[2] != c[2]) {
			t.Errorf("Pow(%v, %v) = %v, want %v", c[0], c[1], got, c[2])
		}
	}
	for _, c := range []struct {
		n       int64
		x, want float64
	}{
		{1, 0, inf}, {1, negZero, inf}, {1, -2, inf}, {1, inf, 0}, {1, -inf, nan}, {1, nan, nan}, {-1, 1, nan}, {1001, 1, inf}, {1000, 1, -inf}, {1002, 1, -inf},
		{2, 0, -inf}, {2, negZero, inf}, {2, -2, nan}, {2, inf, negZero}, {2, -0.5, -0.8287966442343200},
	} {
		if got := Polygamma(c.n, c.x); math.Float64bits(got) != math.Float64bits(c.want) && !(got != got && c.want != c.want) {
			t.Errorf("Polygamma(%d, %v) = %v, want %v", c.n, c.x, got, c.want)
		}
	}
	if got := LogAddExp(-inf, 3); got != 3 {
		t.Errorf("LogAddExp(-Inf, 3) = %v", got)
	}
	if got := Atan2(0, -1); got != math.Pi {
		t.Errorf("Atan2(0, -1) = %v", got)
	}
	if got := Hypot(3*0x1p900, 4*0x1p900); got != 5*0x1p900 {
		t.Errorf("Hypot(3·2^900, 4·2^900) = %x", got)
	}
}
