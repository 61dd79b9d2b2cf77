package exact_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// integrand is a random expression in x and c with kinks and jumps that move with c.
func integrand(random *rand.Rand, depth int) string {
	if depth == 0 {
		return []string{"x", "c", "0.7", "(x - c)", "(x * x - c)", "(x + c - 1)", "(c * x)"}[random.IntN(7)]
	}
	a, b := integrand(random, depth-1), integrand(random, depth-1)
	if a == b { // max a a ties everywhere
		b = "(0.3 + " + b + ")"
	}
	switch random.IntN(9) {
	case 0:
		return fmt.Sprintf("(%s + %s)", a, b)
	case 1:
		return fmt.Sprintf("(%s * %s)", a, b)
	case 2:
		return fmt.Sprintf("abs (%s)", a)
	case 3:
		return fmt.Sprintf("max (%s) (%s)", a, b)
	case 4:
		return fmt.Sprintf("relu (%s)", a)
	case 5:
		return fmt.Sprintf("(if %s < %s then %s else %s)", a, b, integrand(random, depth-1), integrand(random, depth-1))
	case 6:
		return fmt.Sprintf("exp (%s)", a)
	case 7:
		return fmt.Sprintf("sin (%s)", a)
	}
	return fmt.Sprintf("min (%s) (%s)", a, b)
}

// TestDerivativesOfRandomIntegrals holds the derivative of an integral of a random integrand, where it is
// answered, to differences of integrals. What is known of a narrow derivative is that the
// quotient over a small step is near it unless the derivative itself changes
// quickly, of which a second step tells.
func TestDerivativesOfRandomIntegrals(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 13))
	rounds := 60
	if testing.Short() {
		rounds = 30
	}
	answered := 0
	for range rounds {
		f := integrand(random, 2+random.IntN(2))
		at := 0.2 + 0.6*random.Float64()
		end := []string{"1", "(1 + c)", "(c * c)"}[random.IntN(3)]
		program := func(body string) string {
			return fmt.Sprintf("let f (c : Real) : Real = integral 0 %s (fun x => %s)\n%s", end, f, body)
		}
		value := func(text string) (float64, bool) {
			v, d := evaluate(t, program(text), "1e-10")
			if d != nil || len(reals(v)) != 1 {
				return 0, false
			}
			mid, _ := reals(v)[0].Lo.Float64()
			return mid, true
		}
		slope, ok := value(fmt.Sprintf("deriv f %.17g", at))
		if !ok {
			continue
		}
		var quotient [2]float64
		for i, h := range []float64{1e-4, 2e-4} {
			above, ok1 := value(fmt.Sprintf("f %.17g", at+h))
			below, ok2 := value(fmt.Sprintf("f %.17g", at-h))
			ok = ok && ok1 && ok2
			quotient[i] = (above - below) / (2 * h)
		}
		if !ok {
			continue
		}
		answered++
		change := quotient[1] - quotient[0]
		if diff := quotient[0] - slope; diff*diff > 1e-10+4*change*change {
			t.Errorf("%s: the derivative at %v is %v, and a difference quotient %v", program("…"), at, slope, quotient[0])
		}
	}
	if answered < rounds/2 {
		t.Errorf("only %d of %d derivatives are answered", answered, rounds)
	}
}
