package driver_test

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/data"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
)

// TestApplyAgain: a result in the memory of an earlier one is what it is elsewhere, also where
// it has another shape, and its rows are not made again.
func TestApplyAgain(t *testing.T) {
	const text = `let outer (xs : []Real) : ([][]Real, Real, []Real) =
  ([[x * y for y in xs] for x in xs], sum xs, [2 * x for x in xs])`
	world := driver.NewWorld(func(string) (string, error) { return text, nil })
	var list diag.List
	unit := world.LoadFile("outer.flx", &list)
	if unit == nil || list.Failed() {
		t.Fatal(list.Sorted())
	}
	functions, d := unit.Functions(context.Background(), driver.Settings{Engine: "jit"}, "outer")
	if d != nil {
		t.Fatal(d)
	}
	argument := func(n int, first float64) interp.Operand {
		xs := make([]string, n)
		for i := range xs {
			xs[i] = fmt.Sprint(first + float64(i))
		}
		input := "[" + strings.Join(xs, ",") + "]"
		x, d := functions.Read("outer", data.Input{Name: "x.json", Reader: strings.NewReader(input), Size: int64(len(input))}, data.Options{})
		if d != nil {
			t.Fatal(d)
		}
		return x
	}
	ctx := context.Background()
	show := func(o interp.Operand) string {
		v, d := functions.Value(o)
		if d != nil {
			t.Fatal(d)
		}
		return fmt.Sprint(v)
	}
	var old interp.Operand
	apply := func(x interp.Operand) {
		if old, d = functions.ApplyAgain(ctx, old, "outer", x); d != nil {
			t.Fatal(d)
		}
	}
	for _, c := range []struct {
		n     int
		first float64
	}{{200, 1}, {200, -3}, {40, 2}, {40, 7}, {300, 0}, {0, 0}, {300, 1}} {
		x := argument(c.n, c.first)
		apply(x)
		fresh, d := functions.Apply(ctx, "outer", x)
		if d != nil {
			t.Fatal(d)
		}
		if got, want := show(old), show(fresh); got != want {
			t.Errorf("%d numbers from %v: %.80s… instead of %.80s…", c.n, c.first, got, want)
		}
	}
	x := argument(320, 5)
	least := uint64(math.MaxUint64) // since memory that is kept for the next run may have been collected
	for range 20 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		apply(x)
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	if least > 320*40 {
		t.Errorf("320 rows in the memory of others take %d bytes", least)
	}
}
