package lower_test

import (
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
)

const chosenFunctions = `
data Layer = Dense Real | Act (Real -> Real) | Both (Real -> Real) (Real -> Real)

let pick (k : Int) : Real -> Real = if k == 0 then sin else if k == 1 then (fun x => x * x) else cos

let apply (l : Layer) (x : Real) : Real =
  match l with
  | Dense w -> w * x
  | Act f -> f x
  | Both f g -> f (g x)

let rec walk (f : Real -> Real) (n : Int) (x : Real) : Real =
  if n == 0 then f x else walk (if mod n 2 == 0 then f else (fun y => cos (y + x))) (n - 1) (x * 0.9)

let rec tree (f : Real -> Real) (n : Int) (x : Real) : Real =
  if n == 0 then f x else tree (if x > 1 then sin else f) (n - 1) (x * 0.9) + tree f (n - 1) (x + 1)

let branch (x : Real) = sum [pick (mod k 3) (x + real k) for k < 10]
let captures (x : Real) =
  let f i = if mod i 2 == 0 then (let a = [x, x * real i] in fun y => a[0] + a[1] * y) else (let b = [x, 2, real i] in fun y => sum b * y)
  sum [(f i) (x + real i) for i < 5]
let elements (x : Real) =
  let fs = [(fun y => tanh (real (i + 1) * y + x)) for i < 4]
  loop y = x for i < 4 do fs[i] y
let literal (x : Real) =
  let fs = [sin, fun y => y * x, cos, fun y => y + x]
  sum [f (x + real i) for (i, f) in zip (iota 4) fs]
let layers (x : Real) =
  loop y = x for l in [Dense x, Act tanh, Dense (x * 2), Both sin (fun z => z * x), Act sin] do apply l y
let plainLayers (x : Real) = loop y = x for l in [Dense x, Dense 2, Dense (x * 2)] do apply l y
let rows (x : Real) =
  let fss = [[(fun y => y * real j + x), (fun y => sin (y * real i))] for i < 3 for j < 2]
  sum [sum [f x for f in fs] for fs in fss]
let state (x : Real) = (loop f = sin for i < 7 do if mod i 3 == 1 then (fun y => y * x * real i) else f) x
let states (x : Real) =
  snd (loop (f, s) = (sin, 0) for i < 7 do (if mod i 2 == 1 then (fun y => y * real i) else f, s + f x))
let growing (x : Real) =
  (loop f = cos for i < 6 do
     if i == 1 then (fun y => y * x)
     else if i == 3 then (let a = [x * real j for j < i] in fun y => y * sum a)
     else if i == 4 then (fun y => f 1 * y)
     else f) x
let composed (x : Real) = (loop f = (fun y => y) for i < 5 do (fun y => sin (f y) + real i)) x
let partial (x : Real) =
  let power n y = y^n
  sum [(if mod k 2 == 0 then power k else power 3) x for k < 6]
let updated (x : Real) =
  let fs = [sin, cos, fun y => y * x]
  let gs = loop gs = fs for i < 3 do {gs with [i] = gs[2 - i]}
  sum [g (x + 1) for g in gs]
let replaced (x : Real) =
  let gs = {[sin, cos] with [1] = (fun y => y * x)}
  sum [g x for g in gs]
let whiles (x : Real) =
  let (f, y) = loop (f, y) = (sin, x) while y < 4 do (if y > 2 then cos else (fun z => z * x), y + 0.5 + f y^2)
  f y
let tails (x : Real) = walk sin 5 x
let trees (x : Real) = tree sin 4 x
let inside (x : Real) = sum [deriv (pick (mod k 3)) (x * real k) for k < 7]
let tied (x : Real) = sum [(if x * real k < 0.6 then (fun y => y + 1) else (fun y => 2 * y)) x for k < 4]
let failing (x : Real) = sum [(if k < 3 then pick k else fail "no function") x for k < 4]
let texts (x : Real) =
  sum [f x for (name, f) in [("sin", sin), ("cos", cos), ("double", fun y => 2 * y)]]
`

// TestFunctions: functions that are chosen when a program runs are compiled, and give the same by
// every engine, with their derivatives.
func TestFunctions(t *testing.T) {
	used := &regions{}
	with := everyEngine(t, used)
	for _, f := range []string{"branch", "captures", "elements", "literal", "layers", "plainLayers", "rows", "state", "states", "growing",
		"composed", "partial", "updated", "replaced", "whiles", "tails", "trees", "inside", "tied", "failing", "texts"} {
		for _, at := range []string{"0.3", "0.7", "2.5"} {
			text := chosenFunctions + "(" + f + " " + at + ", deriv " + f + " " + at + ", deriv (deriv " + f + ") " + at + ")\n"
			compare(t, f, with, func(sink *diag.List) *driver.Unit {
				unit := driver.NewWorld(nil).LoadText("main", text, nil, sink)
				if sink.Failed() {
					t.Fatalf("%s\n%v", text, sink.Sorted()[0])
				}
				return unit
			})
		}
	}
	many := strings.Repeat("if k == 7 then (fun x => x * 2) else ", 40)
	text := "let pick (k : Int) : Real -> Real = " + many + "sin\nlet f (x : Real) = sum [pick k x for k < 9]\n(f 0.5, deriv f 0.5)\n"
	compare(t, "many", with, func(sink *diag.List) *driver.Unit { return driver.NewWorld(nil).LoadText("main", text, nil, sink) })
	if used.ran < 50 {
		t.Errorf("only %d regions ran as compiled code", used.ran)
	}
}

// distributions use the densities of records that also have functions which are not compiled:
// quantiles are roots. Each is used more than once, so that it is not copied to where it is used.
const distributions = `
import dist
let y (i : Int) : Real = sin (real i) + 1.5
let normal (x : Real) = (dist.normal 0 5).logpdf x + sum [(dist.normal x (exp x)).logpdf (y i) for i < 600]
let gamma (x : Real) = (dist.gamma 2 1).logpdf x + sum [(dist.gamma (1 + x) 2).logpdf (y i) for i < 600]
let beta (x : Real) = (dist.beta 2 3).logpdf (x / 3) + sum [(dist.beta (1 + x) 2).logpdf (y i / 3) for i < 600]
let nested (x : Real) =
  let pair (s : Real) = {outer = {density = fun t => (dist.normal x s).logpdf t, root = fun c => root 0 9 (fun z => z^2 - c)}, scale = s}
  sum [(pair 1).outer.density (y i) + (pair 2).outer.density (y i) * (pair 3).scale for i < 600]
let chosen (x : Real) =
  let best = if x > y 3 then {f = fun z => root 0 9 (fun t => t^2 - z), scale = x} else {f = sin, scale = 2}
  sum [best.scale * y i for i < 600] + best.f 1
`

// TestFunctionsNotCalled: functions in records that are not called do not keep a program from being
// compiled.
func TestFunctionsNotCalled(t *testing.T) {
	for _, f := range []string{"normal", "gamma", "beta", "nested", "chosen"} {
		used := &regions{}
		text := distributions + "(" + f + " 0.7, deriv " + f + " 0.7)\n"
		compare(t, f, everyEngine(t, used), func(sink *diag.List) *driver.Unit {
			unit := driver.NewWorld(nil).LoadText("main", text, nil, sink)
			if sink.Failed() {
				t.Fatalf("%s\n%v", text, sink.Sorted()[0])
			}
			return unit
		})
		if used.ran == 0 {
			t.Errorf("%s is not compiled", f)
		}
	}
}
