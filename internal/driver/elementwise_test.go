package driver_test

import (
	"context"
	"fmt"
	"math/big"
	"math/rand"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// wholes writes random expressions of the arrays xs and ys twice: with operations on whole arrays,
// and for one element, of which the variables are x, y and its position k.
type wholes struct{ *rand.Rand }

func (w wholes) expr(depth int) (whole, element string) {
	if depth == 0 {
		if w.Intn(2) == 0 {
			return "xs", "x"
		}
		return "ys", "y"
	}
	a, x := w.expr(depth - 1)
	b, y := w.expr(depth - 1)
	switch w.Intn(9) {
	case 0, 1:
		op := []string{"+", "-", "*"}[w.Intn(3)]
		return fmt.Sprintf("(%s %s %s)", a, op, b), fmt.Sprintf("(%s %s %s)", x, op, y)
	case 2:
		return fmt.Sprintf("(%s / (%s^2 + ones))", a, b), fmt.Sprintf("(%s / (%s^2 + 1))", x, y)
	case 3:
		n := 2 + w.Intn(2)
		return fmt.Sprintf("(%s^%d)", a, n), fmt.Sprintf("(%s^%d)", x, n)
	case 4:
		op := []string{"max", "min"}[w.Intn(2)]
		return fmt.Sprintf("(%s %s (%s + ones))", op, a, b), fmt.Sprintf("(%s %s (%s + 1))", op, x, y)
	case 5:
		return fmt.Sprintf("(abs %s)", a), fmt.Sprintf("(abs %s)", x)
	case 6:
		return fmt.Sprintf("(-%s + 0.5 .* %s)", a, b), fmt.Sprintf("(-%s + 0.5 * %s)", x, y)
	case 7:
		i := w.Intn(3)
		return fmt.Sprintf("{%s with [%d] = ys[1]^2}", a, i), fmt.Sprintf("(if k == %d then ys[1]^2 else %s)", i, x)
	default:
		i := w.Intn(3)
		return fmt.Sprintf("{{a = %s} with a[%d] = xs[0] * ys[%d]}.a", a, i, i),
			fmt.Sprintf("(if k == %d then xs[0] * ys[%d] else %s)", i, i, x)
	}
}

// TestWholesAgreeWithElements: operations on whole arrays and updates agree with comprehensions:
// in their values, gradients and second derivatives, on doubles and exactly.
func TestWholesAgreeWithElements(t *testing.T) {
	for seed := range int64(30) {
		w := wholes{rand.New(rand.NewSource(seed))}
		whole, element := w.expr(3)
		point := func() string {
			return fmt.Sprintf("[%.3f, %.3f, %.3f]", w.NormFloat64(), w.NormFloat64(), w.NormFloat64())
		}
		text := func(body string) string {
			return "let ones = [1.0, 1, 1]\nlet f (xs, ys) = sum (" + body + " * [1, 2, 3])\n" +
				fmt.Sprintf("let p = (%s, %s)\nlet d = ([1, 0.5, -1], [2, -1, 0.25])\n", point(), point()) +
				"(f p, grad f p, jvp (grad f) p d)\n"
		}
		state := w.Int63()
		w.Seed(state)
		first := text(whole)
		w.Seed(state)
		second := text("[" + strings.ReplaceAll(element, "\n", " ") + " for (k, (x, y)) in enumerate (zip xs ys)]")
		a, d1 := derived(t, first, interp.Options{})
		b, d2 := derived(t, second, interp.Options{})
		switch {
		case d1 != nil || d2 != nil:
			if d1 == nil || d2 == nil || d1.Code != d2.Code { // a second derivative at a tie
				t.Errorf("%v\n%v\n%s%s", d1, d2, first, second)
			}
			continue
		case !closeReals(a, b, 1e-12):
			t.Errorf("%s\n%s\n%s%s", value.Show(a), value.Show(b), first, second)
		}
		if seed%3 != 0 {
			continue
		}
		sets, reals := enclosed(t, first), value.RealsOf(a)
		for k, set := range enclosed(t, second) {
			lo, hi := ends(set)
			other, end := ends(sets[k])
			margin := 1e-9 * (1 + max(lo, -lo))
			if lo > end || other > hi || reals[k] < lo-margin || reals[k] > hi+margin {
				t.Errorf("real %d: %v, [%v, %v] and [%v, %v]\n%s", k, reals[k], lo, hi, other, end, first)
			}
		}
	}
}

// enclosed runs a program exactly.
func enclosed(t *testing.T, text string) []exact.Enclosure {
	t.Helper()
	var list diag.List
	unit := driver.NewWorld(nil).LoadText("in.flx", text, nil, &list)
	if list.Failed() {
		t.Fatalf("%s\n%v", text, list.Sorted()[0])
	}
	result, d := driver.RunExact(context.Background(), unit, driver.Settings{Limits: interp.DefaultLimits()}, driver.Exactly{Eps: big.NewRat(1, 1e10)})
	if d != nil {
		t.Fatalf("%s\n%v", text, d)
	}
	return exact.Enclosures(result.Value)
}

func ends(e exact.Enclosure) (lo, hi float64) {
	lo, _ = e.Lo.Float64()
	hi, _ = e.Hi.Float64()
	return lo, hi
}
