package exact_test

import (
	"testing"

	"github.com/fluxion-lang/fluxion/internal/value"
)

// Balls hold numbers that no decimal can, and that big.Float makes 0 or infinite.
func TestHugeAndTiny(t *testing.T) {
	for text, want := range map[string]string{
		"exp (-3e9)":                  "[0, 1e-30]",
		"exp (-1e30)":                 "[0, 1e-30]",
		"-(0.5 ^ 4000000000)":         "[-1e-30, 0]",
		"exp 1e6":                     "[6.741140125e315652, inf]",
		"-(2.0 ^ 4000000000)":         "[-inf, -6.741140125e315652]",
		"2.0 ^ 1000000 / 2.0^1000000": "[1, 1]",
		"1e400":                       "[1e400, 1e400]",
	} {
		if v, _ := evaluate(t, text, "1e-30"); value.Show(v) != want {
			t.Errorf("%s is %s, not %s", text, value.Show(v), want)
		}
	}
}
