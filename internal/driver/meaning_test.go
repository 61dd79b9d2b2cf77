package driver_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// meanings are functions of a real by each row that has a Meaning: `row` stands for it, and what it
// is called in the library.
var meanings = map[prim.ID]struct{ library, fun string }{
	prim.Reduce: {"reduce", "fun x => row (fun a b => a + b + a * b) 0 [x, x^2, sin x, 0.5]"},
	prim.Scan:   {"scan", "fun x => weigh (row (fun a b => a * cos b + x) x [x, 2 * x, x^2])"},
	prim.Zip:    {"zip", "fun x => weigh [sin a * b for (a, b) in row [x, x^2, 3] [x^3, x, exp x]]"},
	prim.Append: {"array.concat", "fun x => weigh (row [x, x^2] (row [] [sin x, 1, x]))"},
	prim.Flatten: {"array.flatten", "fun x => weigh (row [[x, x^2], [sin x, 1], [x, x]]) + " +
		"weigh (row [[x * real j for j < i] for i < 4])"},
	prim.Scatter: {"array.scatter", "fun x => weigh (row [x, x^2, sin x, 1] [3, 1, 3] [x^3, 2, cos x]) + " +
		"weigh [a * b for (a, b) in row [(x, 2), (x^2, x)] [1] [(cos x, x)]]"},
	prim.Accumulate: {"array.accumulate", "fun x => weigh (row [x, x^2, sin x, 1] [3, 1, 3] [x^3, 2, cos x]) + " +
		"weigh [sum r for r in row [[x, 2], [x^2, x]] [1, 1] [[cos x, x], [1, x]]]"},
	prim.RowSize:     {"", ""}, // only what checks sizes asks for it
	prim.SortIndices: {"array.order", "fun x => weigh [[x, 2, x^2, sin x, 2][i] * real i for i in row [x, 2, x^2, sin x, 2]]"},
}

// library are the names of the rows that meanings use.
var library = strings.NewReplacer("builtin.append", "array.concat", "builtin.sum", "sum")

// TestMeaning: what the table says of a structural row is what every engine gives for it, and its
// derivatives are those of the meaning, forward and backward, up to the second.
func TestMeaning(t *testing.T) {
	limits := interp.Limits{Memory: 1 << 30, Depth: 100_000}
	for _, row := range prim.All() {
		test, ok := meanings[row.ID]
		if ok != (row.Meaning != "") {
			t.Errorf("%s: a meaning and no test, or no meaning", row.Name)
		}
		if test.fun == "" {
			continue
		}
		load := func(fun string) *driver.Unit {
			text := "let weigh (ys : []Real) : Real = sum [sin (real (i + 1) * y) for (i, y) in zip (iota (length ys)) ys]\n" +
				"let f : Real -> Real = " + fun + "\n" +
				"let second (x : Real) : Real = deriv (fun y => grad f y) x\n" +
				"[f 0.7, deriv f 0.7, grad f 0.7, second 0.7]\n"
			var sink diag.List
			unit := driver.NewWorld(nil).LoadText("main", text, nil, &sink)
			if sink.Failed() {
				t.Fatalf("%s\n%v", text, sink.Sorted()[0])
			}
			return unit
		}
		with := func(how string) string {
			return strings.ReplaceAll(test.fun, "row ", how+" ")
		}
		meaning := load(with(fmt.Sprintf("(fun %s => %s)", strings.Join(row.Params, " "), library.Replace(row.Meaning))))
		own := load(with(test.library))
		want, d := driver.Run(context.Background(), meaning, driver.Settings{Limits: limits})
		if d != nil {
			t.Fatal(row.Name, d)
		}
		same := func(engine string, got driver.Result, d *diag.Diagnostic) {
			if d != nil {
				t.Errorf("%s by %s: %v", row.Name, engine, d)
				return
			}
			xs, ys := numbers(want.Value), numbers(got.Value)
			for i := range xs {
				if len(xs) != len(ys) || math.Abs(xs[i]-ys[i]) > 1e-12*(1+math.Abs(xs[i])) {
					t.Errorf("%s by %s: %v, and by its meaning %v", row.Name, engine, ys, xs)
				}
			}
		}
		for _, engine := range driver.Engines() {
			got, d := driver.Run(context.Background(), own, driver.Settings{Limits: limits, Engine: engine, Compile: interp.Options{Eager: true}})
			same(engine, got, d)
		}
		got, d := driver.RunExact(context.Background(), own, driver.Settings{Limits: limits}, driver.Exactly{Eps: big.NewRat(1, 1e15)})
		same("exact evaluation", got, d)
	}
}

// numbers returns the elements of an array of reals, or the middles of enclosures.
func numbers(v value.Value) []float64 {
	if xs, ok := v.(value.Reals); ok {
		return xs
	}
	var xs []float64
	for _, e := range exact.Enclosures(v) {
		lo, hi := ends(e)
		xs = append(xs, lo+(hi-lo)/2)
	}
	return xs
}
