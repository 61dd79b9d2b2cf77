package exact_test

import (
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Rows that round jump many times in a range, at places that move; and their results need not
// be doubles.
func TestRounding(t *testing.T) {
	// x + c, for c = 0.35, jumps at 0.65, 1.65, 2.65: the speeds are those places
	check(t, "deriv (fun c => integral 0 3 (fun x => real (floor (x + c)) * x)) 0.35", "1e-20", "4.95!")
	check(t, "deriv (deriv (fun c => integral 0 3 (fun x => real (floor (x + c)) * x))) 0.35", "1e-20", "-3!")
	// c x, for c = -2, jumps at each half
	check(t, "deriv (fun c => integral 0.1 2.1 (fun x => real (ceil (c * x)))) (-2)", "1e-20", "2.5!")
	// up to an end where it jumps
	check(t, "integral 2.5 4 (fun x => real (floor x))", "1e-20", "4!")
	check(t, "integral (-4) 2.5 (fun x => real (floor x) * real (floor 2))", "1e-20", "-16!")
	for text, want := range map[string]string{
		"floor 9007199254740993.5":        "9007199254740993",
		"floor (sqrt 2 * 1e18)":           "1414213562373095048",
		"round (-9223372036854774806.4)":  "-9223372036854774806",
		"floor (-9223372036854775808)":    "-9223372036854775808",
		"[round 2.5, round 3.5, floor 2]": "[2, 4, 2]",
	} {
		if v, d := evaluate(t, text, "1e-10"); d != nil || value.Show(v) != want {
			t.Errorf("%s is not %s: %v", text, want, d)
		}
	}
}

// What is undefined is said to be, also where there is a tie.
func TestUndefinedAtTie(t *testing.T) {
	for text, want := range map[string]diag.Code{
		"sqrt (min pi pi - pi)":                       diag.Undefined,
		"1 / deriv abs 0":                             diag.Undefined,
		"deriv (deriv (fun x => sqrt (1 + abs x))) 0": diag.NotNarrowed,
	} {
		if _, d := evaluate(t, text, "1e-10"); d == nil || d.Code != want {
			t.Errorf("%s: %v", text, d)
		}
	}
}

// A diagnostic shows an argument under its name.
func TestNamesOfArguments(t *testing.T) {
	for text, want := range map[string]string{
		"0.0 ^ (-2)":    "`^` may be undefined here, x = 0",
		"polygamma 1 0": "`polygamma` may be undefined here, x = 0",
		"1 / (1 - 1)":   "`/` may be undefined here, x = 1, y = 0",
	} {
		if _, d := evaluate(t, text, "1e-10"); d == nil || d.Message != want {
			t.Errorf("%s: %v", text, d)
		}
	}
}

// An integral that cannot place a jump says which, and where.
func TestDoubt(t *testing.T) {
	for _, text := range []string{
		"deriv (fun c => integral01 (fun x => if (x - c) * (x - 0.5) < 0 then 1 else 0)) 0.5",
		"deriv (fun c => integral01 (fun x => max (c * x) 0)) 0",
	} {
		_, d := evaluate(t, text, "1e-8")
		if d == nil || d.Code != diag.EffortSpent || !strings.HasSuffix(d.Message, "integrating near 0.5") || d.Span.Start < 20 {
			t.Errorf("%s: %v", text, d)
		}
	}
}

// What a comparison that does not move decides is differentiated on either side of it.
func TestStillComparison(t *testing.T) {
	check(t, "deriv (fun c => integral (-1) 1 (fun x => (if x^2 < 0 then 3 else 5) * c^2)) 1", "1e-10", "20!")
	check(t, "deriv (fun c => integral01 (fun x => real (floor (2 * x^2)) * c)) 1", "1e-10", "0.292893218813452475599")
	check(t, "deriv (fun c => integral (-1) 1 (fun x => if x^3 < 0 then c else 2 * c)) 1", "1e-10", "3!")
}
