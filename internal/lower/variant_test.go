package lower_test

import (
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
)

const variants = `
data Shape = Circle Real | Rect Real Real | Path ([]Real) | Empty

data Opt a = None | Some a

let area (s : Shape) : Real =
  match s with
  | Circle r -> pi * r^2
  | Rect a b -> a * b
  | Path xs -> sum xs
  | Empty -> 0

let make (k : Int) (x : Real) : Shape =
  if mod k 3 == 0 then Circle x else if mod k 3 == 1 then Rect x (x + 1) else Empty

let turned (s : Shape) : Shape =
  match s with
  | Circle r -> Rect r 2
  | Rect a b -> if a > 3 then Empty else Circle (a + b)
  | Path xs -> Circle xs[0]
  | Empty -> Circle 1

let chosen (k : Int) : Opt (Real -> Real) = if k > 3 then Some (fun x => x^2) else None

let last (xs : []Real) (y : Real) : Opt Int =
  loop r = None for (i, x) in zip (iota (length xs)) xs do if x > y then Some i else r

let made (x : Real) = sum [area (make i (x * real i)) for i < 20]
let stored (x : Real) =
  let shapes = [make i (x * real i) for i < 20]
  sum [area s * real i for (i, s) in zip (iota 20) shapes]
let looped (x : Real) = area (loop s = Circle x for _ < 10 do turned s)
let rows (x : Real) = sum [area (if i > 2 then Path [x, x * real i] else Circle x) for i < 6]
let functions (x : Real) =
  sum [(match chosen k with | Some f -> f (x + real k) | None -> x) for k < 6]
let found (y : Real) = match last [1, 3, 2, 5, 4] y with | Some i -> real i * y | None -> -y
let given = [make i (real i) for i < 7]
let dot (s t : Shape) (x : Real) : Real = area s * x + area t * area s
let arguments (x : Real) = sum [dot s (turned s) (x + area given[0]) for s in given]
let results (x : Real) =
  let shapes = map turned [make i (x * real i) for i < 20]
  let best = loop r = None for s in shapes do if area s > 2 then Some (area s, s) else r
  match best with
  | Some (y, s) -> (y + area s, shapes)
  | None -> (0, shapes)
let both (x : Real) = fst (results x) + sum [area s^2 for s in snd (results x)]
let failing (x : Real) =
  sum [(match make i x with | Circle r -> r | Rect _ _ -> fail "a rectangle" | Path _ -> 0 | Empty -> x) for i < 4]
`

// TestVariants: data with several constructors is compiled, and gives the same by every engine,
// with its derivatives.
func TestVariants(t *testing.T) {
	used := &regions{}
	with := everyEngine(t, used)
	for _, f := range []string{"made", "stored", "looped", "rows", "functions", "found", "arguments", "results", "both", "failing"} {
		derivatives := "deriv " + f + " 0.3, deriv (deriv " + f + ") 0.3, "
		if f == "results" { // it is a pair with data
			derivatives = ""
		}
		text := variants + "(" + f + " 0.3, " + f + " 2.5, " + derivatives + f + " 7)\n"
		compare(t, f, with, func(sink *diag.List) *driver.Unit {
			unit := driver.NewWorld(nil).LoadText("main", text, nil, sink)
			if sink.Failed() {
				t.Fatalf("%s\n%v", text, sink.Sorted()[0])
			}
			return unit
		})
	}
	if used.ran < 5 {
		t.Errorf("only %d regions ran as compiled code", used.ran)
	}
}
