package driver

import (
	"context"
	"fmt"
	"math"
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
		var list diag.List
		unit := NewWorld(nil).LoadText("test", text, nil, &list)
		if list.Failed() {
			t.Fatal(list.Sorted()[0])
		}
		_, d = Run(context.Background(), unit, Settings{Limits: interp.DefaultLimits()})
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

// TestRealRoots: the simple roots of random polynomials with integers for coefficients are found in
// both modes, also where derivatives have multiple roots; a double root is not passed over.
func TestRealRoots(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, property.First()))
	for range property.Rounds(20) {
		n := 1 + rng.IntN(4)
		factors, roots := []string{fmt.Sprintf("[%d]", 1+rng.IntN(3))}, map[int]bool{}
		for range n {
			r := rng.IntN(9) - 4
			if roots[r] {
				continue
			}
			roots[r] = true
			factors = append(factors, fmt.Sprintf("[%d, 1]", -r))
		}
		// factors without real roots, some with multiple roots of their derivatives
		factors = append(factors, oneOfTexts(rng, "[1]", "[1, 0, 1]", "[1, 0, 0, 0, 1]", "[1, 0, 0, 0, 0, 0, 1]", "[5, 0, 1]"))
		p := factors[0]
		for _, q := range factors[1:] {
			p = "poly.mul (" + p + ") " + q
		}
		var want []string
		for r := -4; r <= 4; r++ {
			if roots[r] {
				want = append(want, fmt.Sprint(r))
			}
		}
		wanted := "[" + strings.Join(want, ", ") + "]"
		text := fmt.Sprintf("import poly\nlet found = poly.realRoots (-4.5) 4.5 (%s)\n"+
			"if length found == %d then 1 + sum [abs (x - y) for (x, y) in zip found %s] else 0", p, len(want), wanted)
		if len(want) == 0 {
			text = fmt.Sprintf("import poly\nif length (poly.realRoots (-4.5) 4.5 (%s)) == 0 then 1 else 0.0", p)
		}
		var list diag.List
		unit := NewWorld(nil).LoadText("test", text, nil, &list)
		if list.Failed() {
			t.Fatalf("%s\n%v", text, list.Sorted()[0])
		}
		r, d := Run(context.Background(), unit, Settings{Limits: interp.DefaultLimits()})
		if d != nil {
			t.Errorf("%s\n%v", text, d)
		} else if x := float64(r.Value.(value.Real)); !(math.Abs(x-1) < 1e-9) {
			t.Errorf("%s: %v", text, x)
		}
		if got, d := solved(t, text, 6); d != nil {
			t.Errorf("%s\nexactly: %v", text, d)
		} else if lo, _ := got[0].Lo.Float64(); !(math.Abs(lo-1) < 1e-5) {
			t.Errorf("%s: %s", text, got[0].Fluxion())
		}
	}
	for _, p := range []string{"[1, -2, 1]", "[-1, 3, -3, 1]", "(poly.fromRoots [-1, 2, 2])"} {
		var list diag.List
		unit := NewWorld(nil).LoadText("test", "import poly\npoly.realRoots (-4.5) 4.5 "+p, nil, &list)
		if _, d := Run(context.Background(), unit, Settings{Limits: interp.DefaultLimits()}); d == nil || !strings.Contains(d.Message, "not simple") {
			t.Errorf("%s: %v", p, d)
		}
	}
}

func oneOfTexts(rng *rand.Rand, texts ...string) string { return texts[rng.IntN(len(texts))] }
