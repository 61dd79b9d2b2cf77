package driver

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/property"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// TestRootsOfZero: every number is a root of the polynomial 0, which is no list of roots.
func TestRootsOfZero(t *testing.T) {
	for _, p := range []string{"[]", "[0]", "[0, 0, 0]"} {
		text := "import poly\npoly.realRoots (-1) 1 " + p
		_, d := solved(t, text, 8)
		if d == nil || !strings.Contains(d.Message, "every number is a root") {
			t.Errorf("%s: %v", text, d)
		}
		_, d = onFloats(t, text)
		if d == nil || !strings.Contains(d.Message, "every number is a root") {
			t.Errorf("%s: %v", text, d)
		}
	}
	for _, c := range []string{"sum (poly.realRoots (-5) 5 [0, -3, 1, 0])", "3 + sum (poly.realRoots (-5) 5 [1])"} {
		if got, d := solved(t, "import poly\n"+c, 8); d != nil || !strings.Contains(got[0].Fluxion(), "3") {
			t.Errorf("%s: %v %v", c, got, d)
		}
	}
}

// product returns the coefficients of a product of powers of polynomials with integers for
// coefficients.
func product(powers map[int]int, factors ...[]int64) []int64 {
	p := []int64{1}
	for k, n := range powers {
		for range n {
			q := make([]int64, len(p)+len(factors[k])-1)
			for i, x := range p {
				for j, y := range factors[k] {
					q[i+j] += x * y
				}
			}
			p = q
		}
	}
	return p
}

// onFloats returns the value of a program on doubles.
func onFloats(t *testing.T, text string) (value.Value, *diag.Diagnostic) {
	t.Helper()
	var list diag.List
	unit := NewWorld(nil).LoadText("test", text, nil, &list)
	if list.Failed() {
		t.Fatalf("%s\n%v", text, list.Sorted()[0])
	}
	r, d := Run(t.Context(), unit, Settings{Limits: interp.DefaultLimits()})
	return r.Value, d
}

// TestRealRoots: the roots of random polynomials with integers for coefficients, simple and
// multiple ones, are found in both modes, each once, also beside multiple roots that are not real
// or lie outside, and where only derivatives have multiple roots.
func TestRealRoots(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, property.First()))
	factors := [][]int64{{1, 0, 1}, {1, 0, 0, 0, 1}, {5, 2, 1}, {-7, 1}, {3}}
	for r := int64(-4); r <= 4; r++ {
		factors = append(factors, []int64{-r, 1})
	}
	for range property.Rounds(30) {
		powers, degree := map[int]int{rng.IntN(5): 1}, 0
		for range 1 + rng.IntN(4) {
			k, n := rng.IntN(len(factors)), 1+rng.IntN(4)
			if degree+n*(len(factors[k])-1) <= 12 {
				degree += (n - powers[k]) * (len(factors[k]) - 1)
				powers[k] = n
			}
		}
		want := []string{}
		for k := 5; k < len(factors); k++ {
			if powers[k] > 0 {
				want = append(want, fmt.Sprint(-factors[k][0]))
			}
		}
		p := strings.ReplaceAll(fmt.Sprint(product(powers, factors...)), " ", ", ")
		scale := oneOfTexts(rng, "1", "1", "0.375", "2 ** 900", "2 ** (-980)")
		text := fmt.Sprintf("import poly\nlet found = poly.realRoots (-4.5) 4.5 "+
			"[%s * c for c in %s]\n", scale, p)
		if len(want) == 0 {
			text += "if length found == 0 then 1 else 0.0"
		} else {
			text += fmt.Sprintf("if length found == %d then "+
				"1 + sum [abs (x - y) for (x, y) in zip found [%s]] else 0", len(want), strings.Join(want, ", "))
		}
		if v, d := onFloats(t, text); d != nil {
			t.Errorf("%s\n%v", text, d)
		} else if x := float64(v.(value.Real)); !(math.Abs(x-1) < 1e-9) {
			t.Errorf("%s: %v", text, x)
		}
		if got, d := solved(t, text, 6); d != nil {
			t.Errorf("%s\nexactly: %v", text, d)
		} else if lo, _ := got[0].Lo.Float64(); !(math.Abs(lo-1) < 1e-5) {
			t.Errorf("%s: %s", text, got[0].Fluxion())
		}
	}
}

// TestCloseRoots: two roots at a distance of 2^-k, and two that are complex by as little, are told
// apart, or an error says that rounding does not allow it; exact mode tells
// them apart.
func TestCloseRoots(t *testing.T) {
	refused := 0
	for k := 4; k <= 50; k++ {
		for _, c := range []struct {
			p    string
			want int
		}{
			{fmt.Sprintf("(poly.fromRoots [1, 1 + 2 ** (-%d)])", k), 2},
			{fmt.Sprintf("[1 + 2 ** (-%d), -2, 1]", k), 0},
			{fmt.Sprintf("(poly.mul [1, 0, 2, 0, 1] [1 + 2 ** (-%d), -2, 1])", k), 0},
		} {
			text := "import poly\nlength (poly.realRoots (-4.5) 4.5 " + c.p + ")"
			v, d := onFloats(t, text)
			if d != nil && strings.Contains(d.Message, "roots apart near ") {
				refused++
			} else if d != nil || value.Show(v) != fmt.Sprint(c.want) {
				t.Errorf("%s: %v, %v", text, v, d)
			}
			if k%8 == 0 && k < 24 {
				real := "import poly\nreal (length (poly.realRoots (-4.5) 4.5 " + c.p + "))"
				want := big.NewFloat(float64(c.want))
				if got, d := solved(t, real, 6); d != nil || got[0].Lo.Cmp(want) != 0 {
					t.Errorf("%s: exactly %v, %v", real, got, d)
				}
			}
		}
	}
	if refused > 60 {
		t.Errorf("%d of 141 are refused", refused)
	}
}

// TestMultipleRootsUnknown: the derivative of a multiple root, coefficients whose digits are too
// many, and reals of which exact mode does not know whether roots are equal, are errors.
func TestMultipleRootsUnknown(t *testing.T) {
	for _, c := range []struct{ text, floats, exactly string }{
		{"deriv (fun c => sum (poly.realRoots 0 5 [c, -2, 1])) 1", "jumps", "may be equal"},
		{"deriv (fun c => sum (poly.realRoots 0 5 (poly.fromRoots [c, 2, 2]))) 1", "jumps", "may be equal"},
		{"sum (poly.realRoots 0 5 [1e-300, -2e300, 1e300, 0, 1e-300])", "", ""},
		{"sum (poly.squareFree [1e-300, 1, 1e300])", "differ too much", ""},
		{"sum (poly.squareFree [1, 10 * 1e308, 1])", "differ too much", ""},
		{"sum (poly.realRoots 0 5 [0.01, -0.2, 1])", "apart near 0.1", "may be equal"},
		{"sum (poly.realRoots 0 5 [2, -2 * sqrt 2, 1])", "apart near 1.4142", "may be equal"},
	} {
		text := "import poly\n" + c.text
		v, d := onFloats(t, text)
		if (d == nil) != (c.floats == "") || d != nil && !strings.Contains(d.Message, c.floats) {
			t.Errorf("%s: %v, %v", c.text, v, d)
		}
		got, d := solved(t, text, 6)
		if (d == nil) != (c.exactly == "") || d != nil && !strings.Contains(d.Message, c.exactly) {
			t.Errorf("%s: exactly %v, %v", c.text, got, d)
		}
	}
}

func oneOfTexts(rng *rand.Rand, texts ...string) string { return texts[rng.IntN(len(texts))] }
