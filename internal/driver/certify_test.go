package driver

import (
	"context"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/fluxion-lang/fluxion/internal/check/checktest"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/property"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// TestCertify: the digits of random programs that are said to be certain agree with an exact run to
// 30 digits.
func TestCertify(t *testing.T) {
	w := NewWorld(nil)
	programs := checktest.Programs(libraries(t, w)...)
	compared := 0
	property.Check(t, func(t *rapid.T) {
		program := programs.Draw(t, "program")
		defer w.Forget()
		unit := loaded(t, w, program.Decls+program.Final+"\n")
		settings := Settings{Limits: interp.DefaultLimits()}
		got, d := RunCertified(context.Background(), unit, settings)
		if d != nil || len(got.Digits) == 0 {
			return
		}
		eps := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(30), nil))
		truth, d := RunExact(context.Background(), unit, settings, Exactly{Eps: eps})
		if d != nil {
			return
		}
		sets := exact.Enclosures(truth.Value)
		for k, x := range value.RealsOf(got.Value) {
			compared++
			if n := goodDigits(x, sets[k]); n < got.Digits[k] {
				t.Fatalf("%s: %v is said to have %d digits, of %s it has %d", program.Final, x, got.Digits[k], sets[k].Fluxion(), n)
			}
		}
	})
	if compared == 0 {
		t.Error("nothing was compared")
	}
}

// TestGoodDigits: digits are counted from the first one that is not 0, or behind the point.
func TestGoodDigits(t *testing.T) {
	for _, test := range []struct {
		x, lo, hi float64
		want      int
	}{
		{2, 2, 2, 17}, {1, 2, 2, 0}, {2, 1.6, 2.4, 1}, {123456, 123456.4, 123456.5, 6}, {0.00012345, 0.000123449, 0.000123451, 5},
		{1e-16, -1e-15, 1e-15, 14}, {0, 0.0001, 0.0002, 0}, {3, -1000, 1000, 0}, {-5, -5.4, -4.6, 1}, {math.NaN(), 1, 1, 0},
		{1, math.Inf(-1), 2, 0}, {9.9996, 10, 10, 5},
	} {
		e := exact.Enclosure{Lo: big.NewFloat(test.lo), Hi: big.NewFloat(test.hi)}
		if got := goodDigits(test.x, e); got != test.want {
			t.Errorf("%v in [%v, %v] has %d digits, not %d", test.x, test.lo, test.hi, got, test.want)
		}
	}
}

// TestCertifyWithBalls: what intervals of doubles do not enclose is enclosed by more digits.
func TestCertifyWithBalls(t *testing.T) {
	t.Parallel()
	for text, digits := range map[string]int{
		"integralFrom 1 (fun x => sin (x^2))":       8,
		"integral 0 1 (fun x => sin (1/x^2) / x^2)": 8,
		"integral 0 1 (fun t => t ** (-0.99))":      8,
	} {
		var list diag.List
		unit := NewWorld(nil).LoadText("in.flx", text+"\n", nil, &list)
		c, d := RunCertified(context.Background(), unit, Settings{Limits: interp.DefaultLimits()})
		if d != nil || c.Least() < digits {
			t.Errorf("%s: %d digits, %v", text, c.Least(), d)
		}
	}
}

// TestCertifyFindsErrors: a result on doubles that is wrong has no digit that is certain.
func TestCertifyFindsErrors(t *testing.T) {
	w := NewWorld(nil)
	v := value.Real(0)
	e := exact.Enclosure{Lo: big.NewFloat(0.000177), Hi: big.NewFloat(0.000178)}
	pairs, ok := certificates(value.Tuple{v, value.Int(1)}, value.Tuple{e, value.Int(1)})
	if !ok || len(pairs) != 1 || goodDigits(pairs[0].x, pairs[0].e) != 0 || !outside(pairs[0].x, pairs[0].e) {
		t.Errorf("%v, %v", pairs, ok)
	}
	if _, ok := certificates(value.Tuple{v, value.Int(1)}, value.Tuple{e, value.Int(2)}); ok {
		t.Error("another integer was not noticed")
	}
	var list diag.List
	unit := w.LoadText("in.flx", "real (floor (0.3 / 0.1))\n", nil, &list)
	c, d := RunCertified(context.Background(), unit, Settings{Limits: interp.DefaultLimits()})
	if d == nil || d.Code != diag.Uncertified || c.Enclosed == nil || c.Outside != 1 {
		t.Errorf("%v, %v", c, d)
	}
	unit = w.LoadText("in.flx", "1 / (exp 1 ^ 20 - exp 20)\n", nil, &list)
	if _, d := RunCertified(context.Background(), unit, Settings{Limits: interp.DefaultLimits()}); d == nil || d.Code != diag.Uncertified {
		t.Errorf("%v", d)
	}
}
