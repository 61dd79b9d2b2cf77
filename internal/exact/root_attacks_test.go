package exact_test

import (
	"math/big"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/property"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// TestRootAttacks holds roots and optima to enclose or to refuse where they
// are not what one would like them to be. An interval is what the result must contain,
// and not exceed by more than the tolerance.
func TestRootAttacks(t *testing.T) {
	type attack struct {
		text string
		want string    // if enclosed
		code diag.Code // if refused, or too wide
	}
	cases := []attack{
		// touching, multiple and missing roots
		{"firstRoot (fun x => (x - 0.3)^2 * (0.7 - x))", "[0.3, 0.7]", diag.NoRoot},
		{"firstRoot (fun x => (x - 0.3)^2)", "", diag.NoRoot},
		{"firstRoot (fun x => (x - 0.3)^2 + 1e-9)", "", diag.NoRoot},
		{"firstRoot (fun x => (x - 0.3)^2 - 1e-9)", "0.29996837722339831620668", ""},
		{"firstRoot (fun x => (x - 1/2)^2)", "[0.5, 1]", diag.NoRoot},
		{"firstRoot (fun x => (x - 1/2)^2 + 1e-9)", "", diag.NoRoot},
		{"hit (fun x => (x - 0.5)^2)", "", diag.NoRoot},

		// roots at the ends of the range
		{"firstRoot (fun x => x)", "0!", ""},
		{"firstRoot (fun x => -x)", "0!", ""},
		{"firstRoot (fun x => 1 - x)", "1!", ""},
		{"firstRoot (fun x => x - 1)", "1!", ""},
		{"firstRoot (fun x => x * (1/2 - x))", "0!", ""},
		{"firstRoot (fun x => 0 * x)", "[0, 1]", diag.NoRoot},
		{"deriv (fun c => firstRoot (fun x => c - x)) 0", "", diag.NoRoot},
		{"deriv (fun c => firstRoot (fun x => c - x)) 1", "", diag.NoRoot},
		{"integral01 (fun x => firstRoot (fun t => x / 2 - t))", "0.25!", ""},
		{"deriv (fun c => integral01 (fun x => firstRoot (fun t => c * x - t))) 0.5", "0.5!", ""},
		{"deriv (fun c => integral01 (fun x => firstRoot (fun t => c * (1 - x) - t))) 0.5", "0.5!", ""},
		{"deriv (fun c => integral01 (fun x => firstRoot (fun t => t - 1 + c * x))) 0.5", "-0.5!", ""},
		{"deriv (deriv (fun c => integral01 (fun x => firstRoot (fun t => c^2 * x - t)))) 0.5", "1!", ""},
		{"integral01 (fun x => firstRoot (fun t => x - 1/4 - t))", "", diag.NoRoot},
		{"root 0 1 (fun x => (x - 0.3)^3)", "0.3!", ""},
		{"deriv (fun c => root 0 1 (fun x => (x - c)^3)) 0.3", "", diag.NoRoot},
		{"root (-1) 1 (fun x => x * x)", "", diag.NoRoot},
		{"root 0 3 (fun x => (x - 1) * (x - 2) * (x - 2.5))", "", diag.NoRoot},
		{"root 0 1 (fun x => max 0 (x - 0.5) + min 0 (x - 0.25))", "[0.25, 0.5]", diag.NoRoot},
		{"cutRoot (fun x => x)", "", diag.NoRoot},
		{"cutRoot (fun _ => 1)", "", diag.NoRoot},
		{"cutRoot (fun x => min 0 (1 - x) + max 0 (-x))", "[0, 1]", diag.NoRoot},
		{"cutRoot (fun x => x * (1 - x))", "", diag.NoRoot},

		// a range whose end moves past the root, or past the other end
		{"deriv (fun a => root a 1 (fun x => x)) 0", "", diag.NoRoot},
		{"deriv (fun b => root (-1) b (fun x => x)) 0", "", diag.NoRoot},
		{"deriv (fun a => root 1 a (fun x => x * (x + 3))) 0", "", diag.NoRoot},
		{"deriv (fun b => root 0 b (fun x => x)) 1", "0!", ""},
		{"deriv (fun a => argmaxOver a 1 (fun x => -(x * x))) 0", "", diag.NoOptimum},
		{"deriv (fun b => argmaxOver 0 b (fun x => x)) 0", "", diag.NoOptimum},

		// jumps and poles: a change of sign is not a zero
		{"root (-1) 1 (fun x => 1 / x)", "", diag.Undefined},
		{"root 0 1 (fun x => if x < 0.3 then 1 else -1)", "", diag.NoRoot},
		{"cutRoot (fun x => if x < 0.3 then 1 else -1)", "0.3!", ""},
		{"firstRoot (fun x => if x < 0.3 then 1 else -1)", "0.3!", ""},
		{"root 0 1 (fun x => sqrt (x - 0.5) - 0.1)", "", diag.Undefined},

		// ends, ties, plateaus and kinks of optima
		{"argmaxOver (-1) 1 (fun x => x^2)", "[-1, 1]", diag.NotNarrowed},
		{"argmaxOver (-1) 1 (fun x => x^2 + 1e-7 * x)", "1!", ""},
		{"argmaxOver (-1) 1 (fun x => x^2 - x^4)", "[-0.70710678118654752440, 0.70710678118654752440]", diag.NotNarrowed},
		{"deriv (fun c => argmaxOver (-1) 1 (fun x => x^2 + c * x)) 0", "", diag.NotNarrowed},
		{"deriv (fun c => maxOver (-1) 1 (fun x => x^2 + c * x)) 0", "[-1, 1]", diag.NotNarrowed},
		{"deriv (fun c => maxOver (-1) 1 (fun x => x^2 + c * x)) 1e-9", "1!", ""},
		{"deriv (fun c => maxOver (-1) 1 (fun x => x^2 - x^4 + c * x)) 0", "[-0.70710678118654752440, 0.70710678118654752440]", diag.NotNarrowed},
		{"deriv (deriv (fun c => maxOver (-1) 1 (fun x => x^2 + c * x))) 0", "", diag.NotNarrowed},
		{"argmaxOver 0 1 (fun _ => 1)", "[0, 1]", diag.NoOptimum},
		{"argmaxOver 0 3 (fun x => (sin x)^2 + (cos x)^2)", "[0, 3]", diag.NoOptimum},
		{"maxOver 0 3 (fun x => (sin x)^2 + (cos x)^2)", "1!", ""},
		{"deriv (fun c => maxOver 0 3 (fun x => c * (sin x)^2 + c * (cos x)^2)) 2", "1!", ""},
		{"maxOver 0 1 (fun x => min (x / 0.3) ((1 - x) / 0.7))", "1!", ""},
		// a kink, at a place where a lower function has one too
		{"deriv (fun c => maxOver (-1) 1 (fun x => max (max (x - 3) (-3 - x)) (min (c + x) (2 - x - c)))) 1", "0!", ""},
		// two kinks of the same height and slope; the same with different slopes
		{"deriv (fun c => maxOver (-1) 1 (fun x => min (2 * abs x) (c - abs x))) 1", "0.66666666666666666667", ""},
		{"deriv (fun c => maxOver (-1) 1 (fun x => min (2 * abs x) (1 + c * x - abs x))) 0", "[-0.22222222222222222222, 0.22222222222222222222]", diag.NotNarrowed},
		{"deriv (fun c => maxOver 0.5 5.5 (fun x => c * (sin x)^2)) 1", "1!", ""},
		{"deriv (deriv (fun x => maximum [x^2, x - 5])) 1", "2!", ""},
		{"argmaxOver 0 1 (fun x => min (x / 0.3) ((1 - x) / 0.7))", "0.3!", ""},
		{"deriv (fun c => argmaxOver 0 1 (fun x => min (x / c) ((1 - x) / (1 - c)))) 0.3", "1!", ""},
		{"deriv (fun c => maxOver 0 1 (fun x => max (c * x) (1 - x))) 1", "[0, 1]", diag.NotNarrowed},
		{"deriv (fun c => maxOver 0 c (fun x => x * (2 - x))) 1", "0!", ""},
		{"maxOver 0 1 (fun x => x ** 0.5)", "1!", ""},
		{"maxOver 0 1 (fun x => sqrt (x * x - x + 0.3))", "0.54772255750516611346", ""},
		{"maxOver 2 2 (fun x => x^2)", "4!", ""},
		{"argmaxOver 2 2 (fun x => x^2)", "2!", ""},

		// not defined all over the range
		{"maxOver 0 1 (fun x => sqrt (x - 0.5))", "", diag.Undefined},
		{"maxOver 0 1 (fun x => 1 / x)", "", diag.Undefined},
		{"maxOver 0 1 (fun x => 1 / (x - 0.3))", "", diag.Undefined},
		{"maxOver 0 1 (fun x => if x < 0.3 then x else 1 - x)", "", diag.NoOptimum},
		{"maxOver 1 0 (fun x => x)", "", diag.NoOptimum},

		// defined up to an edge that moves: into the range, or under its end
		{"deriv (fun c => maxOver 0 1 (fun x => sqrt (x - c))) 0", "", diag.EffortSpent},
		{"deriv (fun c => maxOver 0 1 (fun x => (x - c) ** 1.5)) 0", "", diag.EffortSpent},
		{"deriv (fun c => argmaxOver 0 1 (fun x => (x - c) ** 1.5)) 0", "", diag.EffortSpent},
		{"deriv (fun c => maxOver (-1) 1 (fun x => x + asin (x + c) * (1 - x))) 0", "", diag.EffortSpent},
		{"deriv (fun c => maxOver 1 2 (fun x => acosh (x + c))) 0", "", diag.EffortSpent},
		{"deriv (fun c => maxOver c 1 (fun x => sqrt x)) 0", "", diag.EffortSpent},
		{"deriv (fun c => root 0 1 (fun x => sqrt (x - c) - 0.5)) 0", "", diag.EffortSpent},
		{"deriv (fun c => root c 1 (fun x => sqrt x - 0.5)) 0", "", diag.EffortSpent},
		{"deriv (fun c => firstRoot (fun x => sqrt (x - c) - 0.5)) 0", "", diag.EffortSpent},
		{"deriv (fun c => withDefault 7 (hit (fun x => sqrt (x - c) - 0.5))) 0", "", diag.EffortSpent},
		{"deriv (fun c => maxOver 0 1 (fun x => maxOver 0 1 (fun y => sqrt (x + y - c)))) 0", "", diag.EffortSpent},
		{"deriv (fun c => maxOver 0 1 (fun x => 5 * c + x + firstRoot (fun t => x / 2 + c - t))) 0", "", diag.EffortSpent},
		{"deriv (fun c => integral 0 1 (fun x => maxOver 0 1 (fun y => sqrt (y - c) + x))) 0", "", diag.EffortSpent},
		{"deriv (fun c => integral 0 1 (fun x => maxOver 0 1 (fun y => sqrt (y - c * x)))) 0", "", diag.EffortSpent},
		// one that does not move, or only away from the range
		{"deriv (fun c => maxOver 0 1 (fun x => c * sqrt x)) 1", "1!", ""},
		{"deriv (fun c => maxOver 0 1 (fun x => sqrt (c * x))) 1", "0.5!", ""},
		{"deriv (fun c => maxOver 0 1 (fun x => x * sqrt (c * x * (1 - x)))) 1", "0.16237976320958225311", ""},
		{"deriv (fun c => maxOver 0 1 (fun x => sqrt (abs (x - c)))) 0.3", "-0.59761430466719681", ""},
		{"deriv (fun c => maxOver 0 c (fun x => sqrt x)) 1", "0.5!", ""},
		{"deriv (fun c => root 0 c (fun x => sqrt x - 0.5)) 1", "0!", ""},
		{"deriv (fun c => firstRoot (fun x => c * sqrt x - 0.5)) 1", "-0.5!", ""},
		{"deriv (fun c => maxOver 0 1 (fun x => x + integral 0 1 (fun y => sqrt (c * y)))) 1", "0.33333333333333333333", ""},
		{"deriv (fun c => maxOver 0 1 (fun x => 5 * c + x + firstRoot (fun t => c * x / 2 - t))) 1", "5.5!", ""},
	}
	if property.Long() {
		// if c is less than 1/2 there is no root for some x
		for _, root := range []string{"x - 1/2 + c - t", "x - (1/2 - c)^2 - t"} {
			text := "deriv (fun c => integral01 (fun x => firstRoot (fun t => " + root + "))) 0.5"
			cases = append(cases, attack{text, "", diag.EffortSpent})
		}
	}
	for _, c := range cases {
		if c.want != "" && c.code == "" {
			check(t, c.text, "1e-6", c.want)
			continue
		}
		v, d := evaluate(t, c.text, "1e-6")
		if d == nil || d.Code != c.code {
			t.Errorf("%s is %v, with %v; want %s", c.text, v, d, c.code)
			continue
		}
		if c.want != "" {
			sameSet(t, c.text, v, c.want)
		}
	}
}

// sameSet holds the only real of a value to be an interval, or very little more.
func sameSet(t *testing.T, text string, v value.Value, want string) {
	t.Helper()
	got := reals(v)
	if len(got) != 1 {
		t.Errorf("%s is %v", text, v)
		return
	}
	lo, hi := between(want)
	a, _ := got[0].Lo.Rat(nil)
	b, _ := got[0].Hi.Rat(nil)
	slack := big.NewRat(1, 100_000)
	if a.Cmp(lo) > 0 || b.Cmp(hi) < 0 || a.Cmp(lo.Sub(lo, slack)) < 0 || b.Cmp(hi.Add(hi, slack)) > 0 {
		t.Errorf("%s is %s, want %s", text, got[0].Fluxion(), want)
	}
}
