package exact_test

import (
	"math"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// TestTies holds both evaluators to one answer where a choice between equal numbers does not
// matter, because nothing varies (Note [Equal constants]) or because the library sees to it.
func TestTies(t *testing.T) {
	for _, c := range []struct {
		text, double string
		enclosed     []string
	}{
		{"quadratic 1 2 1", "Some (-1, -1)", []string{"-1!", "-1!"}},
		{"quadratic 1 0 (-4)", "Some (2, -2)", []string{"2!", "-2!"}},
		{"quadratic 1 0 0", "Some (-0, -0)", []string{"0!", "0!"}},
		{"deriv (fun b => fst (withDefault (0, 0) (quadratic 1 b (-4)))) 0", "-0.5", []string{"-0.5!"}},
		{"import array\narray.sort [2, 1, 1]", "[1, 1, 2]", []string{"1!", "1!", "2!"}},
		{"import array\narray.sortBy (fun p => p[0]) [(2, 0), (1, 5), (1, 3)]", "[(1, 5), (1, 3), (2, 0)]",
			[]string{"1!", "5!", "1!", "3!", "2!", "0!"}},
		{"import array\nreal (array.argmax [1, 3, 3])", "1", []string{"1!"}},
		{"sign 0 + real (floor 2)", "2", []string{"2!"}},
		{"if 1 <= 1 then (if 1 < 1 then 5 else 3) else 4", "3", []string{"3!"}},
		// pivots
		{"import linalg\nlinalg.solve [[1, 1], [1, 2]] [1, 1]", "[1, 0]", []string{"1!", "0!"}},
		{"import linalg\nlinalg.solve [[sqrt 2, 1], [-(sqrt 2), 1]] [0, 2]", "[-0.7071067811865475, 1]", []string{"-0.707106781", "1.0000000"}},
		{"import linalg\nderiv (fun a => linalg.det [[a, 1], [1, a]]) 1", "2", []string{"2!"}},
		{"import linalg\nflatten (grad linalg.det [[1, 2], [2, 4]])", "[4, -2, -2, 1]", []string{"4!", "-2!", "-2!", "1!"}},
		{"import linalg\nlinalg.det [[1, 1, 0], [1, 1, 1], [0, 1, 1]]", "-1", []string{"-1!"}},
		// An element does not tie with itself.
		{"deriv (deriv (fun x => maximum [x^2])) 1", "2", []string{"2!"}},
		{"deriv (deriv (fun x => minimum [x^2, x + 3])) 1", "2", []string{"2!"}},
	} {
		v, d := run(t, c.text)
		if d != nil {
			t.Errorf("%s: %v", c.text, d)
		} else if value.Show(v) != c.double {
			t.Errorf("%s is %s on doubles, want %s", c.text, value.Show(v), c.double)
		}
		check(t, c.text, "1e-10", c.enclosed...)
	}
}

// TestTiesThatMatter are ties of what varies: neither side is the value.
func TestTiesThatMatter(t *testing.T) {
	for _, text := range []string{
		"deriv (fun x => if x < 1 then x else 2 * x) 1",
		"deriv (fun x => if x + 0 <= 1 then x else 2 * x) 1",
		"deriv sign 0",
		"deriv (fun x => real (floor x)) 1",
		"if 1/5 + 2/5 < 3/5 then 1 else 2", // which no enclosure shows to be equal
		// The comparison of y is made while y is ignored, and not where the maximum is.
		"deriv (fun y => maxOver 0 1 (fun x => max (3 * x) (if y + 0 < 2 then 5 - 9 * x else -x))) 2",
		"deriv (fun y => maxOver 0 1 (fun x => max (3 * x) (-(x + 5 * real (floor (y + 0)) - 10)))) 2",
	} {
		v, d := evaluate(t, text, "1e-10")
		if d == nil || d.Code != diag.Undecided && (v == nil || reals(v)[0].Width() != nil) {
			t.Errorf("%s is %s", text, value.Show(v))
		}
	}
}

// TestKinksThatStay: a kink that does not move with the argument of an integrand takes no cells. The
// derivatives at it are Clarke's. It is Note [Kinks that stay].
func TestKinksThatStay(t *testing.T) {

	for _, c := range []struct {
		text   string
		double float64
		eps    string
		want   string
	}{
		{"let c = 0 in integral 0 1 (fun x => abs c + exp (-(x^2)))", 0.746824132812427, "1e-14",
			"0.74682413281242702"},
		{"let c = 0 in integral 0 1 (fun x => max c (-c) + sin (30 * x))", 0.028191618337080536, "1e-14",
			"0.02819161833708053"},
		{"let c = 0 in integralFrom 0 (fun x => maximum [c, c, 0] + exp (-(x^2)))", 0.886226925452758, "1e-12",
			"0.88622692545275801"},
		{"let c = 0 in integral 0 1 (fun x => abs (sin c) + sqrt x)", 2. / 3, "1e-12", "0.66666666666666667"},
		{"let c = 0 in deriv (deriv (fun b => integral 0 1 (fun x => abs c + exp (-(b * x^2))))) 1",
			0.10026879814501737, "1e-12", "0.10026879814501737"},
		{"deriv (fun c => integral 0 1 (fun x => abs c + exp (-(x^2)))) 0", 0, "1e-12", "[-1, 1]"},
		{"deriv (fun c => integral 0 2 (fun x => max c 0 * x + exp (-(x^2)))) 0", 1, "1e-12", "[0, 2]"},
		{"deriv (fun c => integral 0 1 (fun x => c * abs c + exp (-(x^2)))) 0", 0, "1e-12", "0"},
		{"deriv (fun c => integral 0 1 (fun y => integral 0 1 (fun x => max c (3 * c) + exp (x * y)))) 0",
			2, "1e-12", "[1, 3]"},
		// These move with the argument of the outer integrand.
		{"deriv (fun c => integral 0 1 (fun y => integral 0 1 (fun x => x * abs (y - c)))) 0.25",
			-0.25, "1e-12", "-0.25"},
	} {
		v, d := run(t, c.text)
		if got, _ := v.(value.Real); d != nil || math.Abs(float64(got)-c.double) > 1e-12 {
			t.Errorf("%s is %s on doubles, not %v (%v)", c.text, value.Show(v), c.double, d)
		}
		check(t, c.text, c.eps, c.want)
	}
}
