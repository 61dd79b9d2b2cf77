package exact_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/property"
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

// TestDerivativesOfRandomIntegrals holds the derivative of an integral of a random integrand,
// where it is answered, to differences of integrals. What is known of a narrow derivative is
// that the quotient over a small step is near it unless the derivative itself changes quickly,
// of which a second step tells.
func TestDerivativesOfRandomIntegrals(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 13))
	rounds := property.Rounds(30)
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

// surface is a random expression in x, y and c with a kink or a jump along a curve.
func surface(random *rand.Rand) string {
	pick := func(of ...string) string { return of[random.IntN(len(of))] }
	curve := fmt.Sprintf("(%s %s %s - %.2f)", pick("x", "x * x", "2 * x", "exp x"), pick("+", "-"), pick("y", "y * y", "0.5 * y"), 2*random.Float64())
	shape := pick("abs", "relu", "sin", "(fun d => if d < 0 then x else c)", "(fun d => max d (0.3 * c))")
	return fmt.Sprintf("%s * %s %s", pick("1", "(1 + x * y)", "c"), shape, curve)
}

// TestOrderOfIntegration: an integral in an integral is the same in the other order, and so are its
// derivatives.
func TestOrderOfIntegration(t *testing.T) {
	random := rand.New(rand.NewPCG(17, 19))
	rounds := property.Rounds(20)
	answered := 0
	for range rounds {
		f := surface(random)
		for _, of := range []string{"", "deriv "} {
			var got []exact.Enclosure
			for _, order := range [][2]string{{"x", "y"}, {"y", "x"}} {
				text := fmt.Sprintf("%s(fun c => integral01 (fun %s => integral01 (fun %s => %s))) 0.6", of, order[0], order[1], f)
				v, d := evaluate(t, text, "1e-4")
				if v != nil {
					got = append(got, reals(v)...)
				}
				if d == nil {
					answered++
				}
			}
			if len(got) == 2 && (got[0].Hi.Cmp(got[1].Lo) < 0 || got[1].Hi.Cmp(got[0].Lo) < 0) {
				t.Errorf("%s%s: %s in one order, %s in the other", of, f, got[0].Fluxion(), got[1].Fluxion())
			}
		}
	}
	if answered < 3*rounds {
		t.Errorf("only %d of %d are answered", answered, 4*rounds)
	}
}
