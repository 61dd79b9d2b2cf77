package exact_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// specialPoints are the points of a row at which an alternative of its rules, or of a rule of
// these, ends, and others at which a derivative is easily wrong: zeros, whole numbers,
// saturation.
var specialPoints = map[string][][]float64{
	"**":        {{2, 0}, {2, 1}, {2, 2}, {2, 3}, {1, 1}, {1, 0}, {0.5, -1}, {3, 2.5}, {1, -0.5}},
	"^":         {{2, 0}, {2, 1}, {2, 2}, {2, 3}, {0, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 4}, {-1, 3}, {-2, -1}},
	"/":         {{0, 2}, {0, -3}},
	"*":         {{0, 0}, {0, 1}},
	"hypot":     {{0, 2}, {-3, 0}, {1, 1}, {1, 0.002}, {-0.002, 3}},
	"atan2":     {{0, 1}, {1, 0}, {-1, 0}, {-1, -1}, {0.001, -1}},
	"tanh":      {{0}, {0.881373587019543}, {0.8813735870195431}, {-0.9}, {30}},
	"sigmoid":   {{0}, {30}, {-30}},
	"softplus":  {{0}, {30}, {-30}},
	"logaddexp": {{0, 0}, {30, 0}, {0, 30}, {-30, 3}},
	"sin":       {{0}}, "cos": {{0}}, "tan": {{0}}, "asin": {{0}, {0.9}}, "acos": {{0}, {-0.9}}, "atan": {{0}},
	"sinh": {{0}}, "cosh": {{0}}, "asinh": {{0}}, "acosh": {{1.001}}, "atanh": {{0}, {0.99}},
	"log": {{1}}, "log1p": {{0}}, "expm1": {{0}}, "erf": {{0}}, "erfc": {{0}, {5}}, "erfcx": {{0}, {2}, {2.1}, {20}, {-3}},
	"lgamma": {{1}, {2}, {-1.5}}, "digamma": {{1}, {2}}, "cbrt": {{1}, {-1}},
	"logsumexp": {{0, 0}, {0, 30}}, "softmax": {{0, 0}, {0, 30}, {1, 0, 30}}, "norm": {{0, 2}, {1, 1}},
}

// TestRulesAsFunctions compares all derivatives of every row up to the fourth order, in every
// order of its arguments and in both modes, with the evaluator over sets, which has recurrences
// of its own for most rows. A rule must be right as a function: one that has the right value at
// a point, but not the right derivatives, fails.
func TestRulesAsFunctions(t *testing.T) {
	for _, row := range prim.All() {
		if len(row.Partials) == 0 && row.Pushforward == nil {
			continue
		}
		t.Run(row.Name, func(t *testing.T) {
			var points, texts []string
			for _, p := range append(moderate(row.Samples), specialPoints[row.Name]...) {
				arguments, apply := realArguments(row, len(p))
				args := make([]string, len(p))
				for i, x := range p {
					args[i] = "(" + new(big.Float).SetFloat64(x).Text('g', 60) + ")" // all its digits
				}
				for _, by := range words(arguments, 4) {
					points = append(points, fmt.Sprintf("%s at %v, derivative by %v", row.Name, p, by))
					texts = append(texts, nested(apply, args, by))
				}
			}
			if len(texts) == 0 {
				return // no real argument
			}
			program := "let d (f : Real -> Real) (x : Real) : Real = %s\n[" + strings.Join(texts, ",\n ") + "]\n"
			v, failure := evaluate(t, fmt.Sprintf(program, "deriv f x"), "1e-60")
			if failure != nil {
				t.Fatal(failure)
			}
			for _, mode := range []string{"deriv f x", "grad f x"} {
				floats, failure := runWith(t, fmt.Sprintf(program, mode), interp.Options{AllowInfinite: true})
				if failure != nil {
					t.Fatal(failure)
				}
				for k, e := range reals(v) {
					got := floats.(value.Reals)[k]
					want, _ := e.Lo.Float64()
					size := math.Abs(want)
					if slices.Contains([]string{"atan2", "norm"}, row.Name) {
						size++ // their derivatives are differences, which may be near 0
					}
					if d := math.Abs(got - want); !(d <= 1e-12*size+1e-60) {
						t.Errorf("%s: %v with %s, want %v", points[k], got, mode, want)
					}
				}
			}
		})
	}
}

// realArguments are the positions of the real arguments of a row at a point of n numbers, and a
// format that applies it. The elements of an array are arguments of their own.
func realArguments(row *prim.Prim, n int) (positions []int, apply string) {
	switch row.Float.(type) {
	case prim.Real1:
		return []int{0}, row.Name + " %s"
	case prim.RealInt:
		return []int{0}, "%s ^ %s"
	case prim.IntReal:
		if row.Hidden {
			return nil, ""
		}
		return []int{1}, row.Name + " %s %s"
	case prim.Real2:
		if strings.ContainsAny(row.Name, "+-*/") {
			return []int{0, 1}, "%s " + row.Name + " %s"
		}
		return []int{0, 1}, row.Name + " %s %s"
	}
	if row.Pushforward == nil || n > 3 { // longer arrays have too many derivatives
		return nil, ""
	}
	elements := strings.Join(slices.Repeat([]string{"%s"}, n), ", ")
	apply = row.Name + " [" + elements + "]"
	if row.Name == "softmax" {
		weights := []string{"1", "-2", "5"}[:n]
		apply = "inner [" + strings.Join(weights, ", ") + "] (" + apply + ")"
	}
	return []int{0, 1, 2}[:n], apply
}

// moderate are the points whose coordinates have a size at which fourth powers stay in range.
func moderate(points [][]float64) [][]float64 {
	var some [][]float64
	for _, p := range points {
		if !slices.ContainsFunc(p, func(x float64) bool { return math.Abs(x) > 100 || x != 0 && math.Abs(x) < 1e-3 }) {
			some = append(some, p)
		}
	}
	return some
}

// words are all sequences of at least one and at most n of the letters.
func words(letters []int, n int) (all [][]int) {
	last := [][]int{nil}
	for range n {
		var longer [][]int
		for _, w := range last {
			for _, l := range letters {
				longer = append(longer, append(slices.Clone(w), l))
			}
		}
		all, last = append(all, longer...), longer
	}
	return all
}

// nested is the derivative by one argument after the other.
func nested(apply string, args []string, by []int) string {
	if len(by) == 0 {
		operands := make([]any, len(args))
		for i, a := range args {
			operands[i] = a
		}
		return fmt.Sprintf(apply, operands...)
	}
	inner := slices.Clone(args)
	inner[by[0]] = fmt.Sprintf("t%d", len(by))
	return fmt.Sprintf("d (fun t%d => %s) %s", len(by), nested(apply, inner, by[1:]), args[by[0]])
}

// run evaluates a text on doubles.
func run(t testing.TB, text string) (value.Value, *diag.Diagnostic) {
	t.Helper()
	return runWith(t, text, interp.Options{})
}

func runWith(t testing.TB, text string, options interp.Options) (value.Value, *diag.Diagnostic) {
	t.Helper()
	var list diag.List
	unit := library.LoadText("test.flx", text, nil, &list)
	if list.Failed() {
		t.Fatalf("%s: %v", text, list.Sorted()[0])
	}
	result, d := driver.Run(context.Background(), unit, driver.Settings{Compile: options})
	return result.Value, d
}

// TestEdges holds both evaluators to what is true where a row ends or jumps. An empty word
// stands for no result: an error on doubles, and an enclosure that is everything.
func TestEdges(t *testing.T) {
	for _, c := range []struct{ text, double, enclosed string }{
		// Powers: Note [Powers] in package prim.
		{"(-4) ** 2", "16", "16!"},
		{"(-2) ** (-3)", "-0.125", "-0.125!"},
		{"0 ** 0", "1", "1!"},
		{"deriv (deriv (fun x => x ** 2)) 0", "2", "2!"},
		{"deriv (deriv (fun x => x ** 3)) (-1)", "-6", "-6!"},
		{"deriv (fun x => x ** 0) 0", "0", "0!"},
		{"deriv (fun x => x ** 1) 0", "1", "1!"},
		{"deriv (fun y => 0 ** y) 2", "0", "0!"},
		{"deriv (fun y => (-2) ** y) 2", "", ""},
		{"deriv (fun y => deriv (fun x => x ** y) (-1)) 0", "", ""},
		{"deriv (fun y => deriv (fun x => x ** y) 0) 0", "", ""},
		{"deriv (fun x => deriv (fun y => x ** y) 2) 0", "", ""},
		{"deriv (fun y => maxOver (-0.5) 1 (fun x => x ** (y + 0))) 2", "", ""},
		{"maxOver (-1) 1 (fun x => 3 - x ** 2)", "3", "3.0000000"},
		// At the end of the domain doubles have the derivative from one side.
		{"deriv (fun x => x ** 1.5) 0", "0", ""},
		{"deriv (fun t => (-(t * t)) ** 1.5) 0", "-0", ""},
		{"deriv (fun t => abs t ** 1.5) 0", "0", "0!"},
		{"deriv (fun t => (t * t + abs t) ** 2.5) 0", "0", "0!"},
		{"deriv (fun c => integral 0 1 (fun x => (x - c) ** 1.5)) 0", "", ""},
		{"integral 0 1 (fun x => x ** 1.5)", "0.4", "0.40000000"},
		{"deriv (fun x => x ** 0.5) 0", "", ""},
		{"deriv (fun t => sqrt (t * t)) 0", "", ""},
		{"deriv (fun t => asin (1 + t^4)) 0", "", ""},
		{"deriv (fun t => acos (t^4 - 1)) 0", "", ""},
		{"deriv (fun t => acosh (1 - t^4)) 0", "", ""},
		{"deriv (fun t => log (t^2)) 0", "", ""},
		{"deriv (fun t => log1p (t^2 - 1)) 0", "", ""},
		{"deriv (fun t => atanh (1 - t^2)) 0", "", ""},
		{"deriv (fun t => lgamma (t^2)) 0", "", ""},
		{"deriv (fun t => (t^2)^(-1)) 0", "", ""},
		// A jump of 2π, and along it.
		{"deriv (fun y => atan2 y (-1)) 0", "", ""},
		{"deriv (fun x => atan2 0 x) (-1)", "-0", ""},
		{"deriv (fun y => atan2 y 1) 0", "1", "1!"},
		{"deriv (fun y => atan2 y 0) 2", "0", "0!"},
		{"deriv (fun y => atan2 y (-1)) 1e-200", "-1", "-1.000000"},
		// Saturation.
		{"deriv tanh 30 * 1e26", "3.502604305078608", "3.502604305"},
		{"deriv (deriv softplus) 30 * 1e13", "0.9357622968838423", "0.935762297"},
		{"(deriv (fun x => (softmax [x, 0])[0]) 30) * 1e13", "0.9357622968838424", "0.935762297"},
	} {
		double := ""
		if v, d := run(t, c.text); d == nil {
			double = value.Show(v)
		}
		if double != c.double {
			t.Errorf("%s is %q on doubles, want %q", c.text, double, c.double)
		}
		if c.enclosed != "" {
			check(t, c.text, "1e-10", c.enclosed)
			continue
		}
		if v, d := evaluate(t, c.text, "1e-10"); d == nil || v != nil && reals(v)[0].Width() != nil {
			t.Errorf("%s is %s exactly, where it has no value", c.text, value.Show(v))
		}
	}
}
