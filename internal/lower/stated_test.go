package lower_test

import (
	"context"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/lower"
)

// TestLengthsAreChecked: a function gives up if it is called with a length that is none, also once
// it is optimised; and the passes know of the checks, so that the index of a loop over an array is
// not checked.
func TestLengthsAreChecked(t *testing.T) {
	const text = `
let f (xs : []Real) : []Real = [x * x for x in xs]
let g (xs : []Real) : Real = sum (f xs)
`
	var list diag.List
	unit := driver.NewWorld(nil).LoadText("main", text, nil, &list)
	program, d := driver.PrepareRoots(context.Background(), unit, "main.f", "main.g")
	if d != nil {
		t.Fatal(d)
	}
	source := lower.NewSource(program)
	checked := func(name string, low *lower.Lowered, err error, checks int) {
		if err != nil {
			t.Fatal(name, err)
		}
		left := 0
		for _, optimised := range []bool{false, true} {
			if optimised {
				low.Optimize()
				loop.Walk(low.Func.Body, func(s loop.Stmt) {
					if _, ok := s.(*loop.Check); ok {
						left++
					}
				})
			}
			if _, err := loop.Eval(low.Func, loop.IntValue(3), loop.RealsValue([]float64{1, 2, 3})); err != nil {
				t.Errorf("%s, optimised %t: %v", name, optimised, err)
			}
			for _, n := range []int64{-1, lower.Most + 1} {
				if _, err := loop.Eval(low.Func, loop.IntValue(n), loop.RealsValue(nil)); err == nil {
					t.Errorf("%s, optimised %t, takes the length %d", name, optimised, n)
				}
			}
		}
		if left != checks {
			t.Errorf("%s has %d checks, want %d", name, left, checks)
		}
	}
	program.EachDef(func(def *core.Def) {
		low, err := source.Definition(def)
		checked(def.Name, low, err, 2)
		if def.Name == "main.g" {
			low, err = source.Gradient(def)
			checked("the gradient of "+def.Name, low, err, 4) // two that what it gives is finite
		}
	})
}
