package exact_test

import (
	"fmt"
	"testing"
)

// hitOr asks whether a ray meets f, and gives some or none.
func hitOr(f, some, none string) string {
	return fmt.Sprintf("(match hit (fun t => %s) with\n  | Some t -> %s\n  | None -> %s)", f, some, none)
}

// TestHits: roots inside an integrand that may not exist, against closed forms.
func TestHits(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		// the root leaves at an end
		{"integral01 (fun x => " + hitOr("t + x - 0.5", "t", "5") + ")", "2.625!"},
		{"deriv (fun c => integral01 (fun x => " + hitOr("t + x - c", "t", "5") + ")) 0.5", "-4.5!"},
		{"deriv (deriv (fun c => integral01 (fun x => " + hitOr("t + x - c", "t", "5") + "))) 0.5", "1!"},
		{"deriv (fun c => integral 0 2 (fun x => " + hitOr("2 * t - x + c", "t", "5") + ")) (-0.25)", "-4.875!"},
		// two roots are born inside
		{"integral 0 3 (fun x => " + hitOr("2 * (t - 0.4)^2 + x - 1", "t", "0") + ")", "0.405333333333333"},
		{"deriv (fun r => integral (-2) 2 (fun x => " + hitOr("(4 * t - 2)^2 + x^2 - r^2", "1", "0") + ")) 1", "2!"},
		{"deriv (fun c => integral01 (fun x => " + hitOr("t - 0.5 + c * sin (x * t)", "t", "5") + ")) 0", "-0.244834876219"},
	} {
		check(t, c.text, "1e-10", c.want)
	}
}

// TestHitsRefused: a root that exists for what is captured and not for its neighbours.
func TestHitsRefused(t *testing.T) {
	for _, text := range []string{
		"deriv (fun c => " + hitOr("(t - 0.5)^2 - c", "t", "0") + ") 0",
		"deriv (fun c => " + hitOr("(t - 0.5)^2 - c", "1", "0") + ") 0",
		"deriv (fun c => integral01 (fun x => " + hitOr("c - t", "x + t", "5") + ")) 0",
		"deriv (fun c => integral01 (fun x => " + hitOr("c * x - t", "t", "5") + ")) 0",
	} {
		if v, d := evaluate(t, text, "1e-3"); d == nil {
			t.Errorf("%s is %v", text, v)
		}
	}
}
