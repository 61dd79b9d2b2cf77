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

// TestJoinedRows: a comprehension with a condition is compiled with its gradient, makes one array
// as long as its result, and computes elements once: Note [Rows of different lengths]. The
// condition is computed twice.
func TestJoinedRows(t *testing.T) {
	const text = `
let chosen (xs : []Real) : Real = sum [exp x for x in xs if x > 0]
let below (xs : []Real) : Real = sum [exp (xs[i] * xs[j]) for i < length xs for j < i]
`
	var list diag.List
	unit := driver.NewWorld(nil).LoadText("main", text, nil, &list)
	program, d := driver.PrepareRoots(context.Background(), unit, "main.chosen", "main.below")
	if d != nil {
		t.Fatal(d)
	}
	source := lower.NewSource(program)
	xs := make([]float64, 40)
	for i := range xs {
		xs[i] = float64(i%4) - 0.5 // 30 of 40 are above 0
	}
	elements := map[string]int{"main.chosen": 30, "main.below": 40 * 39 / 2}
	program.EachDef(func(def *core.Def) {
		n, ok := elements[def.Name]
		if !ok {
			return
		}
		delete(elements, def.Name)
		if _, err := source.Gradient(def); err != nil {
			t.Errorf("%s: %v", def.Name, err)
		}
		low, err := source.Definition(def)
		if err != nil {
			t.Fatal(err)
		}
		low.Optimize()
		args := []loop.Value{loop.IntValue(int64(len(xs))), loop.RealsValue(xs)}
		exps := 0
		if _, err := loop.Eval(low.Func, args...); err != nil {
			t.Fatal(err)
		}
		if made := loop.Measure(low.Func, args...).Made; made > 2*n+len(xs) {
			t.Errorf("%s makes %d elements for %d", def.Name, made, n)
		}
		loop.Walk(low.Func.Body, func(s loop.Stmt) {
			if let, ok := s.(*loop.Let); ok && let.Op == loop.Lookup("exp") {
				exps++
			}
		})
		if exps != 1 {
			t.Errorf("%s computes its elements in %d places", def.Name, exps)
		}
	})
	if len(elements) > 0 {
		t.Errorf("not looked at: %v", elements)
	}
}

// TestEqualRows: rows that are chosen among rows of lengths that are not known to be equal are
// compiled, and a run in which they differ is given up. What is joined need not have rows of one
// length.
func TestEqualRows(t *testing.T) {
	const text = `
import linalg
import optim
let inverse (a : [][]Real) : [][]Real = linalg.inverse a
let factors (a : [][]Real) : [][]Real = (linalg.lu a).lu
let fit (xs : []Real) : Real =
  let (a, b) = (optim.leastSquares optim.standard (fun (a, b) => [a * exp (b * x) - x for x in xs]) (1, 0)).point
  a * b
let either (xs ys : []Real) : [][]Real = [if i == 1 then xs else if i == 2 then ys else -xs for i < 4]
let joined (xs ys : []Real) : []Real = [x + real i for i < 4 for x in (if i == 1 then xs else ys)]
`
	var list diag.List
	unit := driver.NewWorld(nil).LoadText("main", text, nil, &list)
	names := []string{"main.inverse", "main.factors", "main.fit", "main.either", "main.joined"}
	program, d := driver.PrepareRoots(context.Background(), unit, names...)
	if d != nil {
		t.Fatal(d)
	}
	source := lower.NewSource(program)
	for _, name := range names {
		low, err := source.Definition(source.DefOf(name))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		run := func(xs, ys []float64) error {
			_, err := loop.Eval(low.Func, loop.IntValue(int64(len(xs))), loop.RealsValue(xs), loop.IntValue(int64(len(ys))), loop.RealsValue(ys))
			return err
		}
		equal, different := []float64{3, 4}, []float64{5}
		switch name {
		case "main.either":
			if run(equal, equal) != nil || run(equal, different) == nil {
				t.Errorf("%s: %v for rows of one length, and %v for others", name, run(equal, equal), run(equal, different))
			}
		case "main.joined":
			if err := run(equal, different); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
