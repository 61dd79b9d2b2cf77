package exact_test

import "testing"

// TestRivals: optima inside an integrand that move to another place, against closed forms and
// values by mpmath.
func TestRivals(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"integral01 (fun x => argmax01 (fun y => (x - 0.5) * y))", "0.5!"},
		{"deriv (fun c => integral01 (fun x => argmax01 (fun y => (x - c) * y))) 0.5", "-1!"},
		{"deriv (fun c => integral01 (fun x => max01 (fun y => (x - c) * y))) 0.5", "-0.5!"},
		{"deriv (deriv (fun c => integral01 (fun x => max01 (fun y => (x - c) * y)))) 0.5", "1!"},
		{"deriv (fun c => integral01 (fun x => argmaxOver (c - 1) (c + 2) (fun y => (x - c) * y))) 0.5", "-2!"},
		// two summits
		{"integral01 (fun x => argmax01 (fun y => sin (3 * pi * y) + (x - 0.4) * y))", "0.567793007565479"},
		{"deriv (fun c => integral01 (fun x => argmax01 (fun y => sin (3 * pi * y) + (x - c) * y))) 0.4", "-0.677930499956343"},
		{"deriv (fun c => integral01 (fun x => max01 (fun y => sin (3 * pi * y) + (x - c) * y))) 0.4", "-0.567793007565479"},
		{"deriv (deriv (fun c => integral01 (fun x => max01 (fun y => sin (3 * pi * y) + (x - c) * y)))) 0.4", "0.677930499956343"},
		// a summit that leaves the range
		{"deriv (fun c => integral01 (fun x => argmax01 (fun y => -(y - x + c)^2))) 0.5", "-0.5!"},
		{"deriv (deriv (fun c => integral01 (fun x => argmax01 (fun y => -(y - x + c)^2)))) 0.5", "1!"},
		{"deriv (fun c => integral 0 2 (fun x => argmax01 (fun y => -(y - x + c)^2 * 3))) 0.5", "-1!"},
	} {
		check(t, c.text, "1e-10", c.want)
	}
}

// TestRivalsRefused: derivatives that do not exist, because what is captured moves the optimum for
// all arguments of the integrand at once.
func TestRivalsRefused(t *testing.T) {
	for _, text := range []string{
		"deriv (fun c => integral01 (fun x => argmax01 (fun y => x * (2 * y - 1)^2 + c * y))) 0",
		"deriv (fun c => integral01 (fun x => argmax01 (fun y => -(y - c)^2))) 0",
		"deriv (fun c => integral01 (fun x => argmax01 (fun y => -(y - c * x)^2))) 0",
		"deriv (deriv (fun c => integral01 (fun x => max01 (fun y => -(y - c * x)^2)))) 0",
		"deriv (fun c => integral01 (fun x => argmax01 (fun y => c * y))) 0",
	} {
		if v, d := evaluate(t, text, "1e-3"); d == nil {
			t.Errorf("%s is %v", text, v)
		}
	}
}
