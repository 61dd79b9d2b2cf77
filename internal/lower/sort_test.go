package lower_test

import (
	"context"
	"math"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/lower"
)

// TestSortWork: sorting reals, and its gradient, take a number of operations on reals that grows as
// their number does, since integers are merged: Note [Sorting].
func TestSortWork(t *testing.T) {
	const text = `
import array
let sorted (xs : []Real) : Real = sum [x * real i for (i, x) in enumerate (array.sort xs)]
`
	var list diag.List
	unit := driver.NewWorld(nil).LoadText("main", text, nil, &list)
	program, d := driver.PrepareRoots(context.Background(), unit, "main.sorted")
	if d != nil {
		t.Fatal(d)
	}
	source := lower.NewSource(program)
	program.EachDef(func(def *core.Def) {
		if def.Name != "main.sorted" {
			return
		}
		for _, lowered := range []func(*core.Def) (*lower.Lowered, error){source.Definition, source.Gradient} {
			low, err := lowered(def)
			if err != nil {
				t.Fatal(err)
			}
			low.Optimize()
			work := func(n int) float64 {
				xs := make([]float64, n)
				for i := range xs {
					xs[i] = math.Sin(float64(7 * i))
				}
				return float64(loop.Measure(low.Func, loop.IntValue(int64(n)), loop.RealsValue(xs)).Work)
			}
			few, many := work(32), work(1024)
			if t.Logf("%g operations for 32, %g for 1024", few, many); many > 34*few {
				t.Errorf("%g operations for 32 numbers, %g for 1024", few, many)
			}
		}
	})
}
