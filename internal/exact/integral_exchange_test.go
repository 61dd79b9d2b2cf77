package exact_test

import (
	"strings"
	"testing"
)

// disc is the length of the line at x inside the disc with radius r.
const disc = "integral (-2) 2 (fun y => if x^2 + y^2 < r^2 then 1 else 0)"

// TestExchange: areas whose boundary has tangents along the inner range, by closed forms.
func TestExchange(t *testing.T) {
	for _, c := range []struct{ text, eps, want string }{
		{"deriv (fun r => integral (-2) 2 (fun x => DISC)) 1", "1e-10", "6.28318530718"},
		{"deriv (deriv (fun r => integral (-2) 2 (fun x => DISC))) 1", "1e-6", "6.28318530718"},
		// decisions before and after the inner integral keep their numbers
		{"deriv (fun r => integral (-2) 2 (fun x =>\n  let a = DISC\n  if x < 0.3 then a else 3 * a)) 1", "1e-6", "11.3475999982976"},
		{"let r = 1\nderiv (fun c => integral (-2) 2 (fun x =>\n  let a = DISC\n  if x < c then a else 3 * a)) 0.3", "1e-6", "-3.81575680566778"},
		// the sum of two integrals is exchanged as a whole
		{"deriv (fun r => integral (-2) (-0.25) (fun x => DISC + integral 0 r (fun z => x * z))) 1", "1e-4", "0.667482143306"},
		{"integral (-2) 2 (fun x => integral (-2) 2 (fun y => abs (x^2 + y^2 - 1)))", "1e-6", "29.808259320256460"},
		// the inner range moves
		{"deriv (fun r => integral (-2) 0 (fun x => integral (x - 3) (x + 3) (fun y => if x^2 + y^2 < r^2 then 1 else 0))) 1", "1e-2", "3.14159265359"},
	} {
		check(t, strings.ReplaceAll(c.text, "DISC", disc), c.eps, c.want)
	}
}

// TestExchangeNonlinear: what is not an affine function of an inner integral is not exchanged.
func TestExchangeNonlinear(t *testing.T) {
	for of, want := range map[string]string{
		"exp (DISC)": "2.33293566", "(DISC)^2": "0.83333333", "max 1 (DISC)": "1.15757337", "if DISC < 1.5 then DISC else 0": "0.35198",
	} {
		check(t, "let r = 1\nintegral (-1.5) (-0.5) (fun x => "+strings.ReplaceAll(of, "DISC", disc)+")", "1e-2", want)
	}
}

// TestOldestFirst: kinks of three variables, whichever way they are written.
func TestOldestFirst(t *testing.T) {
	for text, want := range map[string]string{
		"max x (max y z)":         "0.75!",
		"max (max z y) x":         "0.75!",
		"min (min z y) (x + 1/4)": "0.306966145833333333",
	} {
		check(t, "integral01 (fun x => integral01 (fun y => integral01 (fun z => "+text+")))", "1e-6", want)
	}
	check(t, "deriv (fun c => integral01 (fun x => max c (max x (min c x)))) (1/4)", "1e-10", "0.25!")
}
