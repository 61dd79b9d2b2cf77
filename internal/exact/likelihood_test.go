package exact_test

import (
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

// TestLikelihoods: exp of sums of logarithms is a power where a logarithm has no bound.
func TestLikelihoods(t *testing.T) {
	for _, c := range []struct {
		text string
		want string    // if there is a value
		code diag.Code // if there is none
	}{
		{"integral 0 1 (fun p => exp (2 * log p))", "[0.33333333, 0.33333334]", ""},
		{"integral 0 1 (fun p => exp (2 * log p + 3 * log (1 - p)))", "[0.01666666, 0.01666667]", ""},
		{"integral 0 1 (fun p => exp (log p / 2))", "[0.66666666, 0.66666667]", ""},
		{"integral 0 1 (fun p => exp (-(log p) / 2))", "[2, 2]", ""},
		{"integral 0 1 (fun p => exp (sum [log p, log (1 - p), log p]))", "[0.08333333, 0.08333334]", ""},
		{"integral 0 1 (fun p => exp (sqrt 2 * log p + 3.5 * log (1 - p) - 1))", "[0.00874536, 0.00874537]", ""},
		{"integral (-1) 1 (fun p => exp (2 * log (p * p)))", "[0.399999999, 0.400000001]", ""},
		{"integralFrom 1 (fun p => exp (-3 * log p))", "[0.499999999, 0.500000001]", ""},
		{"deriv (fun a => integral 0 1 (fun p => exp (a * log p))) 2", "[-0.11111112, -0.11111111]", ""},
		{"integral 0 1 (fun p => exp (-(log p)))", "", diag.NoIntegral},
		{"integral 0 1 (fun p => exp (-2 * log p))", "", diag.NoIntegral},
		{"integralFrom 1 (fun p => exp (-(log p)))", "", diag.NoIntegral},
	} {
		v, d := evaluate(t, c.text, "1e-8")
		switch {
		case c.code != "" && (d == nil || d.Code != c.code):
			t.Errorf("%s: %v, and should be %s", c.text, d, c.code)
		case c.code == "" && d != nil:
			t.Errorf("%s: %v", c.text, d)
		case c.code == "":
			if got := reals(v)[0].Fluxion(); got != c.want {
				t.Errorf("%s is %s, want %s", c.text, got, c.want)
			}
		}
	}
}
