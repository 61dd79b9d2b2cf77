package exact_test

import (
	"bufio"
	"math/big"
	"os"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/property"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// TestIntegrals holds integrals and their derivatives to values that another system computed
// from closed forms (testdata/integrals.py).
func TestIntegrals(t *testing.T) {
	file, err := os.Open("testdata/integrals.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	count := 0
	for lines := bufio.NewScanner(file); lines.Scan(); {
		fields := strings.Split(lines.Text(), "\t")
		if len(fields) != 3 {
			continue
		}
		count++
		tolerances := []string{"1e-10"}
		if fields[1] != "coarse" && !testing.Short() {
			tolerances = append(tolerances, "1e-40")
		}
		if property.Long() {
			tolerances = append(tolerances, "1e-3")
		}
		for _, eps := range tolerances {
			check(t, fields[0], eps, fields[2])
		}
	}
	if count < 100 {
		t.Errorf("only %d integrals", count)
	}
}

// encloses evaluates a text for which there may be no narrow answer, and demands that what is
// answered contains the truth. It tells whether the answer is as narrow as asked.
func encloses(t *testing.T, text, eps, truth string) bool {
	t.Helper()
	v, d := evaluate(t, text, eps)
	want, _ := new(big.Float).SetPrec(300).SetString(truth)
	for _, e := range reals(v) {
		if e.Lo.Cmp(want) > 0 || e.Hi.Cmp(want) < 0 {
			t.Errorf("%s: %s does not contain %s", text, e.Fluxion(), truth)
		}
	}
	return d == nil
}

// TestIntegralAttacks are integrands that lead to wrong results where something is
// taken for granted: each is enclosed.
func TestIntegralAttacks(t *testing.T) {
	for _, c := range []struct{ why, text, eps, truth string }{
		{"a jump in an integrand that takes many cells", "let c = 0 in integral (-1) 1 (fun x => if x < abs c then exp x else 0)", "1e-10", "0.632120558828557678"},
		{"a kink at an irrational point", "integral01 (fun x => abs (x - 1 / sqrt 3))", "1e-12", "0.25598306414370756882"},
		{"a kink at a point where cells are cut", "deriv (deriv (fun c => integral01 (fun x => abs (x^2 - c)))) 0.25", "1e-10", "2"},
		{"a jump at a point where cells are cut", "deriv (fun c => integral01 (fun x => if x^2 < c then 1 else x)) 0.25", "1e-10", "0.5"},
		{"a tangential kink", "integral01 (fun x => abs ((x - 1/3)^2))", "1e-10", "0.111111111111111111111"},
		{"two kinks at one point", "deriv (fun c => integral01 (fun x => abs (x - c) * relu (x - c))) 0.5", "1e-10", "-0.25"},
		{"nested kinks", "integral01 (fun x => abs (abs (x - 0.5) - 0.25))", "1e-12", "0.125"},
		{"many kinks", "integral01 (fun x => abs (sin (100 * x)))", "1e-10", "0.638623188722876709605"},
		{"many jumps", "integral01 (fun x => real (floor (50 * x)))", "1e-10", "24.5"},
		{"a jump that is not monotone", "integral01 (fun x => if (x - 1/3)^3 < 0 then 1 else 2)", "1e-10", "1.66666666666666666667"},
		{"a jump nowhere met", "integral01 (fun x => if x^2 + 1 < 0 then 1 / x else x)", "1e-12", "0.5"},
		{"cancellation", "integral01 (fun x => (x + 1e8) - 1e8 - x)", "1e-12", "0"},
		{"cancellation of large values", "integral01 (fun x => exp (20 * x) - exp (20 * x) + x)", "1e-10", "0.5"},
		{"a singular end that stays while something else moves",
			"(grad (fun p => integral p[0] 1 (fun x => p[1] / sqrt (x - p[0]))) [0.5, 2])[1]", "1e-8",
			"1.4142135623730950488016887242096980785696718753769480731766797379907324784621070388503875343"},
		{"a part of a tail that vanishes here only, beside a larger one",
			"deriv (fun c => integralFrom 0 (fun z => exp (-(z^2)/2) * (1 + 3*z - c)^2)) 1", "1e-9", "-6"},
		{"the same in a logarithm", "deriv (fun c => integralFrom 1 (fun x => log (x + 1 - c) / x^2)) 1", "1e-9", "-0.5"},
		{"a factor that vanishes here only, beside a singular end",
			"3 * deriv (fun c => integral 1 2 (fun x => (x - c)^2 / sqrt (x - 1))) 1", "1e-9", "-4"},
		{"a singular end that is a root", "let r = root 0 2 (fun x => x^2 - 1) in integral r 2 (fun x => 1 / sqrt (x - r))", "1e-9", "2"},
		{"the value beside derivatives that are unknown",
			"integral 1 2 (fun x => deriv (fun c => sqrt (x - c)) 1)", "1e-9", "-1"},
		{"two tails that decay alike here only",
			"deriv (fun c => integralFrom 0 (fun x => (exp (-x) - exp (-(c*x))) / x)) 1", "1e-9", "1"},
		{"two tails whose first terms decay alike here only",
			"deriv (fun c => integralFrom 0 (fun x => exp (-c * x^2) - exp (-(x^2) - x))) 1", "1e-9", "-0.44311346272637900682"},
		{"0/0", "integral (-1) 1 (fun x => sin x / x)", "1e-8", "1.89216614073436596654"},
		{"undefined at an end", "integral01 (fun x => x * log x)", "1e-10", "-0.25"},
		{"an essential singularity", "integral01 (fun x => x^2 * sin (1 / x))", "1e-4", "0.2865295"},
		{"one that does not fade", "integral01 (fun x => sin (1 / x))", "1e-12", "0.50406706190692837199"},
		{"a singularity beside the range", "integral 1e-5 1 (fun x => sin (1 / x))", "1e-10", "0.50406706200686438118"},
		{"one to the right of it", "integral (-1) (-1e-7) (fun x => cos (1 / x))", "1e-10", "-0.08441095055956968141"},
		{"one that is not 0", "integral 2.00001 3 (fun x => sin (1 / (x - 2)))", "1e-10", "0.50406706200686438118"},
		{"one that does not oscillate", "integral 1e-9 1 (fun x => 1 / x^2 * exp (-1 / x))", "1e-10", "0.36787944117144232160"},
		{"a narrow peak", "integral (-1) 1 (fun x => 1 / (1e-12 + x^2))", "1e-3", "3141590.6535897932"},
		{"a far peak", "integral 0 1000 (fun x => exp (-((x - 777.7)^2) * 1000))", "1e-10", "0.0560499121639792869931"},
		{"an infinite range within a finite one", "integral01 (fun y => integralFrom 0 (fun x => exp (-x * (1 + y))))", "1e-8", "0.69314718055994530942"},
		{"a singularity within", "integral01 (fun y => integral01 (fun x => y / sqrt x))", "1e-8", "1"},
		{"jumps through corners", "integral01 (fun x => integral01 (fun y => real (floor (y - x - 1))))", "1e-6", "-1.5"},
		{"a jump at an end of the outer range", "integral01 (fun x => integral01 (fun y => if y - x > real (floor x) then 1 else 2))", "1e-6", "1.5"},
		{"a jump at an end, with other sites behind it",
			"integral 1 1.5 (fun x => integral01 (fun y => real (ceil x) + (if y + x > 1.25 then 1 else 0) + (if y > -3 then 1 else 0) + (if y > -5 then 1 else 0)))",
			"1e-6", "2.46875"},
		{"empty range", "integral 2 2 (fun x => 1 / (x - 2))", "1e-10", "0"},
		{"reversed ends", "deriv (fun a => integral a 0 (fun x => exp x)) 1", "1e-10", "-2.71828182845904523536"},
		{"ends that may be equal", "integral (sqrt 2 * sqrt 2) 2 (fun x => exp x)", "1e-10", "0"},
		{"a moving end where a jump enters an inner range",
			"deriv (fun b => integral 0 b (fun y => integral01 (fun x => if x < y - 0.5 then 1 else 0))) 0.5", "1e-5", "0"},
		{"a moving end without a slope", "deriv (fun b => integral (-1) b (fun x => cbrt x)) 0", "1e-6", "0"},
		{"jumps at both ends", "deriv (fun c => integral01 (fun x => real (floor (x + c)))) 0", "1e-10", "1"},
		{"jumps at both ends and inside", "deriv (fun c => integral 0 3 (fun x => real (round (x - c)))) 0.5", "1e-10", "-3"},
		{"a jump that comes back from an end",
			"deriv (deriv (fun c => integral01 (fun x => if x < c^2 then exp (c - x) else 0))) 0", "1e-10", "2"},
		{"a jump that leaves by an end slowly", "deriv (deriv (fun c => integral01 (fun x => if x < 1 + c^3 then exp x else 0))) 0", "1e-10", "0"},
		{"ends that move over jumps", "deriv (fun b => integral b (b + 1) (fun x => real (floor x))) 1", "1e-10", "1"},
		{"an end that moves with a jump", "deriv (fun b => integral b 2 (fun x => if x < b then 3 else 1)) 1", "1e-10", "-1"},
		{"a jump between ends that meet", "deriv (fun b => integral b (2 * b) (fun x => if 2 * x < 3 * b then 3 else 1)) 0", "1e-10", "2"},
		{"a kink at an end", "deriv (fun b => integral01 (fun x => abs (x - b))) 1", "1e-10", "1"},
		{"a moving end at a kink", "deriv (fun b => integral 0 b (fun x => abs (x - 0.5))) 0.5", "1e-10", "0"},
	} {
		if !encloses(t, c.text, c.eps, c.truth) {
			t.Errorf("%s: %s is not answered", c.why, c.text)
		}
	}
}

// TestIntegralRefusals are integrals without a value, or derivatives that do not exist: nothing
// narrow may be answered.
func TestIntegralRefusals(t *testing.T) {
	type refusal struct {
		why, text string
		code      diag.Code // "" for any
	}
	cases := []refusal{
		{"a pole at an end", "integral01 (fun x => 1 / x)", diag.NoIntegral},
		{"an end that moves over the kink of a function that is differentiated", "deriv (fun c => integral c 0.5 (fun x => deriv (fun y => max 0 (0.25 - y)) x)) 0.25", ""},
		{"a pole at the other end", "integral01 (fun x => 1 / (1 - x)^2)", diag.NoIntegral},
		{"a pole where cells are cut", "integral (-1) 1 (fun x => 1 / x^2)", diag.NoIntegral},
		{"a principal value", "integral (-1) 1 (fun x => 1 / x)", diag.NoIntegral},
		{"a pole inside", "integral01 (fun x => 1 / (x - 0.3))", diag.NoIntegral},
		{"a pole on both sides", "integral01 (fun x => 1 / abs (x - 0.3))", diag.NoIntegral},
		{"a double pole inside", "integral01 (fun x => 1 / (x - 0.3)^2)", ""},
		{"undefined on one side of a singularity", "integral01 (fun x => 1 / sqrt (max (x - 0.3) 0))", ""},
		{"a singularity that leaves the range", "deriv (fun c => integral01 (fun x => sqrt (abs (x - c)))) 0", ""},
		{"undefined on a part of the range", "integral01 (fun x => log (x - 0.3))", diag.Undefined},
		{"undefined on another part", "integral01 (fun x => sqrt (x - 0.5))", diag.Undefined},
		{"an infinite range", "integralFrom 1 (fun x => 1 / x)", diag.NoIntegral},
		{"a constant over an infinite range", "integralFrom 1 (fun x => 2)", diag.NoIntegral},
		{"an integrand that grows", "integralFrom 0 (fun x => exp x)", ""},
		{"an integrand that never settles", "integralFrom 0 (fun x => sin x)", ""},
		{"a pole with a logarithm", "integral 0 0.5 (fun x => 1 / (x * log x))", ""},
		{"a pole with a logarithm, far out", "integralFrom 2 (fun x => 1 / (x * log x))", ""},
		{"a pole at an irrational end", "integral 0 (pi / 2) (fun t => tan t)", diag.NoIntegral},
		{"a pole that does not cancel", "integral01 (fun t => 1 / t - 1 / sin (2 * t))", diag.NoIntegral},
		{"a limit that is not 0", "integralFrom 0 (fun t => 1 - tanh t + 1e-30)", diag.NoIntegral},
		{"a slow decay in disguise", "integralFrom 1 (fun x => 1 - tanh (log x / 2))", diag.NoIntegral},
		{"undefined beyond an irrational point", "integral 0 (pi + 1e-40) (fun t => log (sin t))", ""},
		{"undefined before an irrational point", "integral (sqrt 2 - 1e-50) 2 (fun x => sqrt (x^2 - 2))", ""},
		{"an end that moves over the edge of a domain",
			"deriv (fun c => integral c 2 (fun x => sqrt (x^2 - 2))) (sqrt 2)", ""},
		{"a tail that only neighbours have", "deriv (fun c => integralFrom 1 (fun x => c^3 / x)) 0", ""},
		{"a sum that vanishes here only", "deriv (fun c => integral01 (fun x => (c * x - x) / x^2)) 1", ""},
		{"a first term that vanishes here only", "deriv (fun c => integral 1 2 (fun x => (x - c) ** 1.5 / sqrt (x - 1))) 1", ""},
		{"a tail that only neighbours have, by a difference", "deriv (fun c => integralFrom 1 (fun x => (c - 1)^3 / x)) 1", ""},
		{"a pole that almost cancels",
			"integral 0 2 (fun t => (t^2 - 2.0000000000000000000000000000000000001) / (t - sqrt 2))", diag.NoIntegral},
		{"a wave that grows", "integralFrom 1 (fun x => x * sin x)", ""},
		{"a wave with a mean", "integralFrom 1 (fun x => sin x^2 / x)", ""},
		{"a frequency that vanishes", "deriv (fun c => integralFrom 0 (fun x => sin (c * x) / x)) 0", ""},
		{"a jump that hardly enters the range, with a pole beyond",
			"deriv (fun c => integral01 (fun x => if x < c^2 then 1 / sqrt (c^2 - x) else 1)) 0", ""},
		{"a comparison with what is not known",
			"deriv (fun c => integral 0.5 1 (fun x => if x < root 0 1 (fun z => if z < c then z - c else 2 * (z - c)) then 1 else 0)) 0.5", ""},
		{"ends and a jump that meet, on two sides", "deriv (fun b => integral b (2 * b) (fun x => if x < 3 * b then 3 else 1)) 0", ""},
		{"a gradient between four sides",
			"grad (fun (a, b) => integral01 (fun x => (if x < a + b then 1 else 0) - (if x < b - a then 1 else 0))) (0, 0)", ""},
		{"a mixed derivative between four sides",
			"deriv (fun a => deriv (fun b => integral01 (fun x => (if x < a + b then 1 else 0) - (if x < b - a then 1 else 0))) 0) 0", ""},
		{"a second derivative by the place of a jump at an end", "deriv (deriv (fun c => integral01 (fun x => if x < c then x + 1 else 1))) 0", ""},
		{"a second derivative by the place of a kink at an end", "deriv (deriv (fun b => integral01 (fun x => abs (x - b)))) 1", ""},
		{"two jumps that meet at an end", "deriv (deriv (fun c => integral01 (fun x => if (x - c) * (x - 2 * c) < 0 then x else 1))) 0", ""},
		{"a jump that leaves the range", "deriv (fun c => integral01 (fun x => if x < c then 0 else 1)) 0", ""},
		{"an end that moves over a jump", "deriv (fun b => integral 0 b (fun x => real (floor x))) 1", ""},
		{"an end that moves beyond the domain", "deriv (fun b => integral 0 b (fun x => sqrt x)) 0", ""},
		{"an end that moves to where a jump enters an inner range",
			"deriv (deriv (fun b => integral 0 b (fun y => integral01 (fun x => if x < y - 0.5 then 1 else 0)))) 0.5", ""},
		{"and leaves something behind there",
			"deriv (fun b => integral 0 b (fun y => integral01 (fun x => if x < y - 0.5 then 1 / (y - 0.5) else 0))) 0.5", ""},
		{"an end that moves to where a kink enters an inner range",
			"deriv (deriv (deriv (fun b => integral 0 b (fun y => integral01 (fun x => abs (x - y + 0.5)))))) 0.5", ""},
		{"a kink that leaves the range", "deriv (deriv (fun c => integral01 (fun x => relu (x - c)))) 1", ""},
		{"a maximiser that jumps and leaves the range", "deriv (fun c => integral01 (fun x => argmax01 (fun y => (x - c) * y))) 0", ""},
		{"a root that jumps and leaves the range",
			"deriv (fun c => integral01 (fun x => root (-1) 2 (fun y => if x < c then y else y - 1))) 0", ""},
		{"a maximum that jumps and leaves the range",
			"deriv (fun c => integral01 (fun x => max01 (fun y => (if x < c then 0 else 1) - y^2))) 0", ""},
		{"a pole at an end that moves, by what is beside it",
			"deriv (fun t => deriv (fun u => integral t 1 (fun x => u / sqrt x)) 1) 0", ""},
		// The integral is |c| arctan (1/|c|), though the derivative of the integrand is 0 for x
		// > 0.
		{"a singularity that only neighbours have", "deriv (fun c => integral01 (fun x => c^2 / (x^2 + c^2))) 0", ""},
	}
	if property.Long() {
		cases = append(cases,
			refusal{"a decay that only neighbours have", "deriv (fun c => integralFrom 0 (fun x => c * exp (-(c^2) * x^2))) 0", ""},
			refusal{"a decay that vanishes here only", "deriv (fun c => integralFrom 0 (fun x => (c - 1) * exp (-((c - 1)^2) * x^2))) 1", ""},
			refusal{"an edge of a domain that moves over an end", "deriv (fun c => integral 0 (pi / 2) (fun t => log (cos (c * t)))) 1", ""},
			refusal{"a singularity that leaves an end, but not at once", "deriv (fun b => integral b 1 (fun x => 1 / sqrt (x - b + (b - 0.5)^2))) 0.5", ""},
			refusal{"a sum whose larger part cancels", "deriv (fun c => integral01 (fun x => sqrt ((1/x + 1 - c) - 1/x + x))) 1", ""},
			refusal{"the same beside a pole", "deriv (fun c => integral01 (fun x => argmax01 (fun y => (x - c) * y) / sqrt x)) 0", ""},
		)
	}
	for _, c := range cases {
		v, d := evaluate(t, c.text, "1e-6")
		if d == nil {
			t.Errorf("%s: %s is %s", c.why, c.text, value.Show(v))
		} else if c.code != "" && d.Code != c.code {
			t.Errorf("%s: %s: %v", c.why, c.text, d)
		}
	}
}

// TestLeibnizNeedsUniformity: f has the derivative 0 by c at c = 0 for every x > 0, and
// yet its integral is c exp (-c²), whose derivative is 1.
func TestLeibnizNeedsUniformity(t *testing.T) {
	encloses(t, "deriv (fun c => integral01 (fun x => c^3 / x^2 * exp (-(c^2) / x))) 0", "1e-6", "1")
}

// TestManyDigits: analytic integrands to a thousand digits, against closed forms or a sum of
// two parts, which other cells and other rules integrate.
func TestManyDigits(t *testing.T) {
	for _, difference := range []string{
		"integral01 (fun x => 1 / (1 + 25 * x^2)) - atan 5 / 5",
		"integral01 (fun x => log (1 + x) / (1 + x^2)) - pi * log 2 / 8",
		"integral01 (fun x => exp (-(x^2))) - sqrt pi / 2 * erf 1",
		"let f = fun x => exp (sin x) in integral 0 1 f - integral 0 0.3 f - integral 0.3 1 f",
		"integral 1 2 (fun x => abs x ** 1.5 * (if x > 0.5 then cosh x else 0)) - integral 1 2 (fun x => x * sqrt x * cosh x)",
	} {
		eps := "1e-1000"
		if testing.Short() {
			eps = "1e-300"
		}
		check(t, difference, eps, "0")
	}
}
