package lab_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// nester writes random programs that take derivatives, of functions that
// capture variables and other functions.
type nester struct {
	*rand.Rand
	names int
}

func (n *nester) fresh(prefix string) string {
	n.names++
	return fmt.Sprint(prefix, n.names)
}

// real returns an expression of reals and functions of a real in scope. Derivatives
// nest at most so deep.
func (n *nester) real(reals, functions []string, size, deep int) string {
	if size <= 1 {
		if n.IntN(4) == 0 {
			return fmt.Sprintf("%.2f", 0.25+n.Float64())
		}
		return reals[n.IntN(len(reals))]
	}
	sub := func() string { return n.real(reals, functions, size/2, deep) }
	switch k := n.IntN(12); {
	case k < 3:
		return fmt.Sprintf("(%s %s %s)", sub(), []string{"+", "-", "*"}[k], sub())
	case k == 3:
		return fmt.Sprintf("(sin %s)", sub())
	case k == 4:
		return fmt.Sprintf("(exp (sin %s))", sub())
	case k == 5:
		return fmt.Sprintf("(if %s < 0.3 then %s else %s)", sub(), sub(), sub())
	case k == 6:
		x := n.fresh("x")
		return fmt.Sprintf("(let %s = %s in %s)", x, sub(),
			n.real(append(reals[:len(reals):len(reals)], x), functions, size/2, deep))
	case k == 7:
		g := n.fresh("g")
		return fmt.Sprintf("(let %s = %s in %s)", g, n.function(reals, functions, size/2, deep),
			n.real(reals, append(functions[:len(functions):len(functions)], g), size/2, deep))
	case k == 8 && len(functions) > 0:
		return fmt.Sprintf("(%s %s)", functions[n.IntN(len(functions))], sub())
	case deep > 0:
		f := n.function(reals, functions, size/2, deep-1)
		if len(functions) > 0 && n.IntN(2) == 0 {
			f = functions[n.IntN(len(functions))]
		}
		if form := n.IntN(5); form < 2 {
			return fmt.Sprintf("(%s %s %s %s)", []string{"vjp", "jvp"}[form], f, sub(), sub())
		}
		form := []string{"deriv %s %s", "grad %s %s", "snd (valueAndGrad %s %s)"}[n.IntN(3)]
		return fmt.Sprintf("("+form+")", f, sub())
	}
	return sub()
}

func (n *nester) function(reals, functions []string, size, deep int) string {
	x := n.fresh("y")
	return fmt.Sprintf("(fun %s => %s)", x,
		n.real(append(reals[:len(reals):len(reals)], x), functions, size, deep))
}

var inside = flag.Int("inside", 25, "how many random programs that take derivatives are compared")

// TestRandomDerivativesInside: on random programs that take derivatives, nested
// up to three deep, the algorithms of Delta and Curry agree with the language.
func TestRandomDerivativesInside(t *testing.T) {
	compared := 0
	for seed := range uint64(*inside) {
		n := &nester{Rand: rand.New(rand.NewPCG(seed, 11))}
		source := "let f (x : Real) : Real = " + n.real([]string{"x"}, nil, 24, 3)
		outcomes := experiment(t, source, "0.7", 100_000, 0, interp.DefaultLimits(),
			"forward", "delta", "curry-list", "curry-env", "compiled")
		own := outcomes["compiled"]
		if own.Failure != nil {
			continue // at a tie, or too large
		}
		want := value.RealsOf(own.Answer.Gradient)[0]
		for name, o := range outcomes {
			if o.Failure != nil {
				if o.Failure.Code != diag.StrategyBudget {
					t.Errorf("seed %d: %s: %v\n%s", seed, name, o.Failure, source)
				}
				continue
			}
			compared++
			got := value.RealsOf(o.Answer.Gradient)[0]
			if math.Abs(got-want) > 1e-9*math.Max(1, math.Abs(want)) {
				t.Errorf("seed %d: %s gives %v, want %v\n%s", seed, name, got, want, source)
			}
		}
	}
	if compared < 4**inside {
		t.Errorf("only %d were compared", compared)
	}
}
