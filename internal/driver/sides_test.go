package driver_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/data"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/engine/portable"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// sidesText has a function that ends with branches, all of whose sides take long to compile.
// Lengths that are checked in front of them, and the conditions, are known in the sides.
const sidesText = `
let cost (w : []Real) (x : [8]Real) : Real =
  sum [tanh (sum [w[i] * x[j] * real (i + j) for j < 8])^2 + log (1 + exp (w[i] * x[0])) for i < length w]
let steps (w : []Real) (x : [8]Real) (n : Int) : [8]Real =
  loop y = x for i < n do y - 0.01 .* grad (fun (v : [8]Real) => cost w v + sum [sin u^3 for u in v]) y
let f (input : {w : []Real, x : [8]Real}) : []Real =
  let {w, x} = input
  let k = length w
  if k == 0 then
    steps [1, 2, 3] x 3 + grad (cost [0.5, x[k]]) x
  else if w[0] > 0 then
    steps w x 2 + [y * w[k - 1] for y in grad (cost w) x]
  else
    2 .* steps w (3 .* x) 4 - grad (cost (2 .* w)) x
`

// TestSides: a function whose branches take long to compile gives the same by every engine,
// whichever side is reached, and each side is compiled by itself: only those that are reached,
// unless they are wanted ahead.
func TestSides(t *testing.T) {
	load := func(text string) *driver.Unit {
		var list diag.List
		unit := driver.NewWorld(nil).LoadText("sides", text, nil, &list)
		if list.Failed() {
			t.Fatal(list.Sorted()[0])
		}
		return unit
	}
	const x = "[0.1, -0.2, 0.3, 0.4, 0.5, -0.6, 0.7, 0.8]"
	for _, w := range []string{"[]", "[1, 0.5]", "[-1, 0.5, 2]"} {
		unit := load(sidesText + "\nf {w = " + w + ", x = " + x + "}\n")
		var want value.Value
		for _, engine := range append([]string{"interp"}, driver.Engines()...) {
			s := driver.Settings{Engine: engine, Limits: interp.DefaultLimits(), Compile: interp.Options{Eager: true}}
			got, d := driver.Run(context.Background(), unit, s)
			if d != nil {
				t.Fatal(d)
			}
			if want == nil {
				want = got.Value
			} else if !closeReals(want, got.Value, 1e-12) {
				t.Errorf("%s: %s by %s, not %s", w, value.Show(got.Value), engine, value.Show(want))
			}
		}

		for _, whenReached := range []bool{false, true} {
			var mu sync.Mutex
			compiled, ran := 0, 0
			counted := func(p *loop.Program) (loop.Code, error) {
				mu.Lock()
				defer mu.Unlock()
				compiled++
				return countedCode{portable.Compile(p.Funcs[0]), &ran}, nil
			}
			functions, d := load(sidesText).Functions(context.Background(), driver.Settings{Limits: interp.DefaultLimits(), WhenReached: whenReached,
				Compile: interp.Options{Engine: counted}}, "f")
			if d != nil {
				t.Fatal(d)
			}
			before, after := 3, 3
			if whenReached {
				before, after = 0, 1
			}
			if compiled != before {
				t.Errorf("%d functions were compiled ahead, not %d sides", compiled, before)
			}
			input := `{"w": ` + w + `, "x": ` + x + `}`
			argument, d := functions.Read("f", data.Input{Name: "in.json", Reader: strings.NewReader(input), Size: int64(len(input))}, data.Options{})
			if d != nil {
				t.Fatal(d)
			}
			var result interp.Operand
			for range 3 {
				if result, d = functions.ApplyAgain(context.Background(), result, "f", argument); d != nil {
					t.Fatal(d)
				}
			}
			if got, d := functions.Value(result); d != nil || !closeReals(want, got, 1e-12) {
				t.Errorf("%s: %v %s ahead, not %s", w, d, value.Show(got), value.Show(want))
			}
			if ran != 3 || compiled != after {
				t.Errorf("%s: %d of 3 calls ran as compiled code, %d sides were compiled", w, ran, compiled)
			}
		}
	}
}

// TestChecksOfSides: sizes that are checked in front of a branch are errors by every engine,
// whichever side is reached.
func TestChecksOfSides(t *testing.T) {
	for _, w := range []string{"[]", "[1, 0.5]", "[-1, 0.5, 2]"} {
		text := sidesText + "let some (n : Int) : []Real = [0.1 for _ < n]\nf {w = " + w + ", x = some 7}\n"
		var list diag.List
		unit := driver.NewWorld(nil).LoadText("sides", text, nil, &list)
		if list.Failed() {
			t.Fatal(list.Sorted()[0])
		}
		var want *diag.Diagnostic
		for _, engine := range append([]string{"interp"}, driver.Engines()...) {
			_, d := driver.Run(context.Background(), unit, driver.Settings{Engine: engine, Limits: interp.DefaultLimits(), Compile: interp.Options{Eager: true}})
			if d == nil {
				t.Fatalf("%s: no error by %s", w, engine)
			}
			if want == nil {
				want = d
			}
			if d.Code != diag.SizesDiffer || d.Span != want.Span || d.Message != want.Message {
				t.Errorf("%s: %v by %s, not %v", w, d, engine, want)
			}
		}
	}
}

// countedCode counts its runs.
type countedCode struct {
	loop.Code
	ran *int
}

func (c countedCode) RunInto(into, args []loop.Arg, opts loop.RunOptions) error {
	*c.ran++
	return c.Code.RunInto(into, args, opts)
}
