package diff_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/core/coretest"
	"github.com/fluxion-lang/fluxion/internal/diff"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
)

// TestLoopsInReverse differentiates loops that only add to their state, and
// loops that look as if they did. An additive one keeps no states, so that its
// pullback has no Scan.
func TestLoopsInReverse(t *testing.T) {
	cases := []struct {
		additive bool
		body     string
	}{
		{true, "loop s = 0 for x in xs do s + sin x"},
		{true, "loop s = a for x in xs do (if x < 0.5 then s + x * a else s)"},
		{true, "fst (loop (s, n) = (0, 0) for x in xs do (s - exp x, n + 1))"},
		{true, "loop s = a for i < 3 do (loop u = s for x in xs do u + x * x)"},
		{true, "sum (loop v = xs for i < 3 do v + [sin x for x in xs])"},
		{false, "loop s = a for x in xs do s * x"},
		{false, "loop s = a for i < 3 do (loop u = s for x in xs do s)"},
		{false, "loop s = a for i < 3 do (loop u = 0 for x in xs do u + s * x)"},
		{false, "fst (loop (s, u) = (a, 1) for x in xs do (s + u * x, u))"},
		{false, "fst (loop (s, u) = (a, 1) for x in xs do (u + x, s))"},
		{false, "fst (loop (s, k) = (a, 0) for x in xs do (s + xs[k], 1 - k))"},
		{false, "loop s = a for x in xs do (if s < 1 then s + x else s)"},
		{false, "loop s = a for x in xs do s + s"},
	}
	world := driver.NewWorld(nil)
	src := rand.New(rand.NewSource(1))
	real := func(x float64) coretest.Value { return ball.FromFloat64(x) }
	for _, c := range cases {
		fun := function(t, world, "let f (a : Real) (xs : []Real) : Real = "+c.body)
		args := []coretest.Value{real(0.75), coretest.Array{real(0.3125), real(0.625), real(1.5)}}
		_, pull, _ := checkDerivatives(t, src, fun, args)
		if pull == nil {
			t.Errorf("%s: not covered", c.body)
			continue
		}
		if additive := !strings.Contains(printed(pull), "scan"); additive != c.additive {
			t.Errorf("%s: taken for additive: %t\n%s", c.body, additive, printed(pull))
		}
	}
}

// TestNestedCost counts the operations of the derivative of loops in loops,
// each turn of which depends on the one before: a body is computed again for
// each loop around it, and no more often.
func TestNestedCost(t *testing.T) {
	world := driver.NewWorld(nil)
	for depth := 1; depth <= 7; depth++ {
		body := fmt.Sprintf("sin (s%d * a) + xs[1]", depth-1)
		for i := depth - 1; i > 0; i-- {
			body = fmt.Sprintf("(loop s%d = s%d for i%d < 2 do %s) * a", i, i-1, i, body)
		}
		fun := function(t, world, "let f (a : Real) (xs : []Real) : Real = loop s0 = a for i0 < 2 do "+body)
		pull, err := diff.Pullback(fun)
		if err != nil {
			t.Fatal(err)
		}
		args := []coretest.Value{0.75, coretest.Array{0.25, 0.625}}
		value, primal := counted(t, fun, args...)
		_, all := counted(t, pull, append(args, value)...)
		t.Logf("depth %d: %d operations of %d", depth, all, primal)
		if factor := 10 + 2*depth; all > factor*primal {
			t.Errorf("depth %d: %d operations are more than %d times %d", depth, all, factor, primal)
		}
	}
}
