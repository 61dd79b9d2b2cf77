package lower_test

import (
	"testing"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/lower"
	"github.com/fluxion-lang/fluxion/internal/opt"
)

// severalPlaces are programs that differentiate a function in several places: Note [Derivatives in
// several places]. The number is how many derivatives are made for f.
var severalPlaces = []struct {
	text string
	made int
}{
	// A search in forward mode: two directions, before the loop and in it.
	{`
let along (g : Real^2 -> Real) (x : Real^2) : Real^2 = (jvp g x (1, 0), jvp g x (0, 1))
let f (start : Real^2) : Real^2 =
  let g x = sin x[0] * exp (-x[1] * start[0]) + inner x x
  let (x, _) = loop (x, d) = (start, along g start) for i < 20 do
    let next = x - 0.1 .* d
    if g next < g x then (next, along g next) else (x, 0.5 .* d)
  x
(f (0.3, 0.4), f (-0.2, 1))
`, 2},
	// The same function, applied to different arguments (the optimiser has a lambda for each), or
	// with other variables in each turn.
	{`
let f (x : Real) : Real =
  let g a y = sin (a * y) + y^2
  let s = deriv (g 2) x + deriv (g x) 0.5 + deriv (g 2) (x + 1)
  loop t = s for i < 3 do
    let h y = y * t + real i
    t + deriv h x * deriv h t
(f 0.3, f 1.2)
`, 4},
	// Points of different lengths, and lengths that only one place knows.
	{`
import array
let f (xs : []Real) : Real =
  let g (v : []Real) : Real = sum [x * y for (x, y) in zip v [real (i + 1) * x for (i, x) in zip (iota (length v)) v]]
  let all = sum (grad g xs)
  if length xs == 3 then all + sum (grad g xs) * xs[2] else all + sum (grad g (array.concat xs xs))
(f [1, 2, 3], f [1, 2], f [])
`, 3},
	// Both sides of a branch, behind checks that only one of them makes.
	{`
let f (xs : []Real) (k : Int) : Real =
  let g x = x^3 * xs[k] + sin x
  if xs[0] > 0 then deriv g xs[0] else 2 * deriv g xs[1]
([f [0.5, 2, 3] k for k < 3], [f [-0.5, 2, 3] k for k < 3])
`, 2},
	// In a loop that seems to add up and does not, so that it is lowered twice.
	{`
let f (x : Real) : Real =
  let (s, t) = loop (s, t) = (0, 1) for i < 6 do
    let g y = y^2 * x + sin y
    (s + deriv g x, t * (if i > 3 then deriv g (x + 1) else 1) + s)
  s * t
(f 0.3, f 0.7)
`, 2},
	// In a derivative.
	{`
let f (x : Real) : Real =
  let g y = y^3 * x + sin (y * x)
  let h z = deriv g z * z + deriv g (z * z)
  deriv h x + deriv h 2 + deriv g 3
(f 0.3, deriv f 0.7)
`, 3},
}

// TestSeveralPlaces: a function that is differentiated in several places is so once, and has the
// value that it has by the interpreter.
func TestSeveralPlaces(t *testing.T) {
	with := everyEngine(t, &regions{})
	for _, p := range severalPlaces {
		load := func(sink *diag.List) *driver.Unit {
			unit := driver.NewWorld(nil).LoadText("main", p.text, nil, sink)
			if sink.Failed() {
				t.Fatalf("%s\n%v", p.text, sink.Sorted()[0])
			}
			return unit
		}
		compare(t, p.text, with, load)
		program, d := driver.Link(load(&diag.List{}))
		if d == nil {
			program, d = opt.Prepare(program, opt.Options{Roots: []string{"main.f"}})
		}
		if d != nil {
			t.Fatal(d)
		}
		source := lower.NewSource(program)
		made := 0
		source.After = func(stage string, _ *loop.Func) {
			if stage == "differentiated" {
				made++
			}
		}
		program.EachDef(func(d *core.Def) {
			if d.Name != "main.f" {
				return
			}
			if _, err := source.Definition(d); err != nil {
				t.Error(err)
			}
		})
		if made != p.made {
			t.Errorf("%d derivatives are made, not %d, of\n%s", made, p.made, p.text)
		}
	}
}
