package prim_test

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/property"
)

func format(name string, n int64, x float64) string {
	text, problem := prim.Lookup(name).Text([]any{n, x})
	if problem != "" {
		return problem
	}
	return text.(string)
}

// TestDigits compares fixed and scientific with Go's own formatting, which is correctly rounded
// too.
func TestDigits(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(0, 30).Draw(t, "n")
		x := math.Float64frombits(rapid.Uint64().Draw(t, "bits"))
		if rapid.Bool().Draw(t, "short") {
			x = float64(rapid.IntRange(-4000, 4000).Draw(t, "eighths")) / 8
		}
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return
		}
		want := strconv.FormatFloat(x, 'f', int(n), 64)
		if strings.Trim(want, "-0.") == "" {
			want = strings.TrimPrefix(want, "-")
		}
		if got := format("fixed", n, x); got != want {
			t.Fatalf("fixed %d %v is %s, not %s", n, x, got, want)
		}
		mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'e', int(n), 64), "e")
		e, _ := strconv.Atoi(exponent)
		if want := fmt.Sprintf("%se%d", mantissa, e); x != 0 && format("scientific", n, x) != want {
			t.Fatalf("scientific %d %v is %s, not %s", n, x, format("scientific", n, x), want)
		}
	})
	for _, n := range []int64{-1, 1001, math.MaxInt64, math.MinInt64} {
		if got := format("fixed", n, 1); !strings.Contains(got, "digits") {
			t.Errorf("fixed %d 1 is %s", n, got)
		}
	}
}

func TestParseReal(t *testing.T) {
	for text, want := range map[string]string{
		"0": "0", "-1.5e3": "-1500", "+2.50": "5/2", "1E-2": "1/100", "007": "7",
		"": "", ".5": "", "5.": "", "1e": "", "e1": "", "0x10": "", "1_000": "", "1/2": "", " 1": "", "--1": "", "1e99999999": "",
		"inf": "", "nan": "", "1e+-2": "", "١": "",
	} {
		result, _ := prim.Lookup("parseReal").Text([]any{text})
		got := ""
		if all := result.([]*big.Rat); len(all) == 1 {
			got = all[0].RatString()
		}
		if got != want {
			t.Errorf("parseReal %q is %q, not %q", text, got, want)
		}
	}
}

func TestShifts(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		a, n := rapid.Int64().Draw(t, "a"), rapid.Int64Range(0, 100).Draw(t, "n")
		left, _ := prim.Lookup("shiftLeft").Int.(prim.Int2)(a, n)
		right, _ := prim.Lookup("shiftRight").Int.(prim.Int2)(a, n)
		up := new(big.Int).Lsh(big.NewInt(a), uint(n))
		low := new(big.Int).And(up, new(big.Int).SetUint64(math.MaxUint64))
		if int64(low.Uint64()) != left || new(big.Int).Rsh(big.NewInt(a), uint(n)).Int64() != right {
			t.Fatal(left, right)
		}
	})
	if _, code := prim.Lookup("shiftLeft").Int.(prim.Int2)(1, -1); code == "" {
		t.Error("a shift by a negative number of places")
	}
}
