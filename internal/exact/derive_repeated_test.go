package exact_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestHighOrder: repeated derivatives take polynomial time; 2^30 coefficients would not fit.
func TestHighOrder(t *testing.T) {
	nested := func(n int, f, x string) string {
		return strings.Repeat("(deriv ", n) + f + strings.Repeat(")", n) + " " + x
	}
	for _, c := range [][2]string{
		{nested(20, "(fun x => exp (sin x))", "0.3"), "-188107601039.9614633896943134"}, // by FLINT
		{"nthDeriv 20 (fun x => exp (sin x)) 0.3", "-188107601039.9614633896943134"},
		{"nthDeriv 40 (fun x => x * exp x) 1 / exp 1", "41"},
		{"nthDeriv 30 (fun x => 1 / (1 - x)) 0 / product [real (i + 1) for i < 30]", "1"},
		{"(taylor 50 (fun x => log (1 + x)) 0)[50]", "-0.02"},
		{"nthDeriv 12 (fun x => integral 0 x (fun s => exp (2 * s))) 0", "2048"},
		{"nthDeriv 6 (fun x => root 0 3 (fun y => y^2 - x)) 1", "-14.765625"},
	} {
		check(t, c[0], "1e-15", c[1])
	}
}

// TestRepeatedDerivatives: a derivative at the variable of another one, whose function depends on
// that variable in another way as well, or not at all, or on others.
func TestRepeatedDerivatives(t *testing.T) {
	for _, c := range [][2]string{
		{"deriv (fun x => deriv (fun y => x * y^2) x) 3", "12"},
		{"deriv (fun x => deriv (fun y => y^3) x) 2", "12"},
		{"deriv (fun x => deriv (deriv (fun y => x^2 * y^3)) x) 2", "72"},
		{"deriv (fun x => let f = fun y => y^4 in deriv f x * deriv (deriv f) x) 1", "240"},
		{"deriv (fun x => deriv (fun y => deriv (fun z => x * y * z^3) y) x) 1", "27"},
		{"deriv (fun x => let xs = [x, 1] in deriv (fun y => xs[0] * y^2) x) 3", "12"},
		{"deriv (fun x => let g = fun z => x * z in deriv (fun y => g y * y) x) 3", "12"},
		{"deriv (fun x => deriv (fun y => y^2) (2 * x)) 1", "4"},
		{"deriv (fun a => deriv (deriv (fun x => a^2 * x^3)) a) 1", "18"},
		{"deriv (deriv (fun x => snd (x, deriv (fun y => y^5) x))) 1", "60"},
		{"deriv (fun x => sum [deriv (fun y => x * y^3) z for z in [x, 2 * x]]) 1", "45"},
		{"deriv (deriv (fun x => integral 0 1 (fun s => deriv (fun y => s * y^4) x))) 1", "12"},
		{"integral 0 1 (fun s => deriv (deriv (fun y => y^4)) s)", "4"},
	} {
		check(t, c[0], "1e-12", c[1])
	}
	for k := range 5 {
		text := fmt.Sprintf("nthDeriv %d (fun x => max (x^2) (2 - x)) 3", k)
		check(t, text, "1e-12", []string{"9", "6", "2", "0", "0"}[k])
	}
	if _, d := evaluate(t, "deriv (deriv abs) 0", "1e-6"); d == nil {
		t.Error("abs has a second derivative at 0")
	}
}
