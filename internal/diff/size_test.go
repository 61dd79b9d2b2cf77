package diff_test

import (
	"fmt"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diff"
	"github.com/fluxion-lang/fluxion/internal/driver"
)

// TestSize nests loops and choices ever deeper: the derivatives grow like the
// square of the function, as a body is computed again at each level, and not
// exponentially.
func TestSize(t *testing.T) {
	world := driver.NewWorld(nil)
	loops := func(depth int) string {
		body := "1"
		for i := range depth {
			body = fmt.Sprintf("sin x%d * (%s)", i, body)
		}
		for i := range depth {
			body = fmt.Sprintf("sum [%s for x%d in xs]", body, i)
		}
		return body
	}
	choices := func(depth int) string {
		body := "xs[0]"
		for i := range depth {
			body = fmt.Sprintf("(if xs[%d] < %d then xs[1] * %s else sin xs[%d])", i, i, body, i)
		}
		return body
	}
	sequential := func(depth int) string {
		body := fmt.Sprintf("sin (s%d * xs[0])", depth-1)
		for i := depth - 1; i > 0; i-- {
			body = fmt.Sprintf("(loop s%d = s%d for i%d < 2 do %s)", i, i-1, i, body)
		}
		return fmt.Sprintf("loop s0 = xs[1] for i0 < 2 do %s", body)
	}
	for name, nest := range map[string]func(int) string{"loops": loops, "choices": choices, "sequential": sequential} {
		for _, depth := range []int{2, 4, 8, 16} {
			fun := function(t, world, "let f (xs : []Real) : Real = "+nest(depth))
			pull, err := diff.Pullback(fun)
			if err != nil {
				t.Fatal(err)
			}
			push, err := diff.Pushforward(fun)
			if err != nil {
				t.Fatal(err)
			}
			size := fun.Body.Size()
			limit := 40 + 4*size*depth
			t.Logf("%d %s: %d operations, %d backwards, %d forwards", depth, name, size, pull.Body.Size(), push.Body.Size())
			if pull.Body.Size() > limit || push.Body.Size() > limit {
				t.Errorf("%d %s: of %d operations the derivatives make %d and %d", depth, name, size, pull.Body.Size(), push.Body.Size())
			}
		}
	}
}
