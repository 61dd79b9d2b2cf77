package exact_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/property"
)

// TestCubature: integrals over boxes are found with few calls, which those one inside another take
// many times over.
func TestCubature(t *testing.T) {
	box := "integral (0, 0, 0) (1, 1, 1) (fun (x, y, z) => %s)"
	for _, c := range []struct {
		text, eps, truth string
		most             int64
	}{
		{fmt.Sprintf(box, "x^2 * y + z^5"), "1e-12", "0.33333333333333333333", 100},
		{fmt.Sprintf(box, "exp (x + y + z)"), "1e-12", "5.07321411177285276531", 1_000},
		{fmt.Sprintf(box, "cos (x * y * z)"), "1e-20", "0.98181079939135808871279591", 4_000},
		{fmt.Sprintf(box, "exp (neg (abs (x - 0.3) + abs (y - 0.7) + 2 * abs (z - 0.5)))"),
			"1e-10", "0.36761185038993446102", 10_000},
		{fmt.Sprintf(box, "if x < 0.3 && y < 0.7 then exp z else 0"), "1e-12",
			"0.36083918397639949942", 4_000},
		// limits that depend on what is integrated outside
		{"integral 0 1 (fun x => integral 0 x (fun y =>\n" +
			"  integral (x - y) (x + y) (fun z => x * z)))",
			"1e-12", "0.2", 1_000},
		// a derivative by a kink's place has the range cut there, and its parts taken at once
		{"deriv (fun c => " + fmt.Sprintf(box, "abs (x - c) * exp (y * z)") + ") 0.3",
			"1e-10", "-0.52716086058176155795", 30_000},
		{"deriv (deriv (fun c => " + fmt.Sprintf(box, "exp (c * x + y * z)") + ")) 0.3",
			"1e-10", "0.55105995632175307447", 4_000},
	} {
		if !encloses(t, c.text, c.eps, c.truth) {
			t.Errorf("%s is not answered", c.text)
		}
		if n := calls(t, c.text, c.eps); n > c.most {
			t.Errorf("%s: %d calls", c.text, n)
		}
	}
}

// TestRandomCubatures: the integral of a product is the product of the integrals, and so are
// their derivatives, where factors have kinks and jumps that may move, and limits may.
func TestRandomCubatures(t *testing.T) {
	random := rand.New(rand.NewPCG(23, 29))
	pick := func(of ...string) string { return of[random.IntN(len(of))] }
	rounds := property.Rounds(20)
	answered := 0
	for range rounds {
		n := 2 + random.IntN(2)
		var xs, lo, hi, factors, alone []string
		// where both a jump and a limit move there is no answer, but after a long time
		limits := random.IntN(2) == 0
		for i := range n {
			f := pick("exp (c * X)", "cos (3 * X + c)", "1 / (1 + c + X^2)", "(X^3 - c)",
				"sqrt (X + c + 1)", "abs (X - K)", "(if X < K then c else exp X)")
			a, b := pick("0", "(-0.5)", "(c / 4)"), pick("1", "0.75", "(c + 1)")
			if !limits {
				a, b = pick("0", "(-0.5)"), pick("1", "0.75")
			}
			if !limits && i == 0 {
				f = pick("abs (X - c)", "(if c < X then 1 else X)", f)
			}
			f = strings.ReplaceAll(f, "K", fmt.Sprintf("%.2f", random.Float64()))
			x := fmt.Sprintf("x%d", i)
			f = strings.ReplaceAll(f, "X", x)
			xs, lo, hi, factors = append(xs, x), append(lo, a), append(hi, b), append(factors, f)
			alone = append(alone, fmt.Sprintf("integral %s %s (fun %s => %s)", a, b, x, f))
		}
		list := func(of []string) string { return strings.Join(of, ", ") }
		at := 0.1 + 0.8*random.Float64()
		of := pick("", "deriv ", "deriv (deriv ")
		applied := func(body string) string {
			ends := strings.Repeat(")", strings.Count(of, "("))
			return fmt.Sprintf("%s(fun c => %s)%s %.3f", of, body, ends, at)
		}
		boxed := applied(fmt.Sprintf("integral (%s) (%s) (fun (%s) => %s)",
			list(lo), list(hi), list(xs), strings.Join(factors, " * ")))
		apart := applied("(" + strings.Join(alone, ") * (") + ")")
		v, d := evaluate(t, boxed, "1e-6")
		w, e := evaluate(t, apart, "1e-6")
		if d == nil && e == nil {
			answered++
		}
		if x, y := reals(v), reals(w); len(x) == 1 && len(y) == 1 &&
			(x[0].Hi.Cmp(y[0].Lo) < 0 || y[0].Hi.Cmp(x[0].Lo) < 0) {
			t.Errorf("%s: %s, and as a product %s", boxed, x[0].Fluxion(), y[0].Fluxion())
		}
	}
	if answered < rounds*3/4 {
		t.Errorf("only %d of %d are answered", answered, rounds)
	}
}
