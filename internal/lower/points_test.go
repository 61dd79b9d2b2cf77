package lower_test

import (
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
)

const points = `
data Shape = Disc Real | Rect Real Real | Path ([]Real) | Void
data Colour = Red | Green
data Scene = One Shape Colour | Many ([]Shape) Real | Maybe (Option (Real, Shape)) | Rows ([][]Real)

let area (s : Shape) : Real =
  match s with | Disc r -> pi * r^2 | Rect a b -> a * b | Path xs -> sum [x^2 for x in xs] | Void -> 0
let kink (s : Shape) : Real =
  match s with | Disc r -> abs (r - 1) | Rect a b -> max a b | Path xs -> maximum xs | Void -> 0
let turned (s : Shape) : Shape =
  match s with | Disc r -> Rect r (r^2) | Rect a b -> Disc (a * b) | Path xs -> Disc (sum xs) | Void -> Void
let squared (s : Shape) : Shape =
  match s with | Path xs -> Path [x^2 for x in xs] | _ -> s
let total (s : Scene) : Real =
  match s with
  | One s c -> (if c == Red then 2 else 3) * area s
  | Many ss k -> k * sum (map area ss)
  | Maybe (Some (x, s)) -> log x * area s
  | Maybe None -> 7
  | Rows m -> sum [sum [x * real i for (i, x) in zip (iota (length r)) r] for r in m]
let shapes = [Rect 2 2, Disc 1, Path [3, 3], Void, Rect 1 2]
let scenes = [One (Rect 2 3) Green, Many shapes 2, Maybe (Some (2, Disc 3)), Maybe None, One Void Red]
let made (k : Int) (x : Real) : Shape = if k == 0 then Disc x else if k == 1 then Rect x (x + 1) else Void
let steps = iota 4 -- a loop around a derivative makes it worth compiling
`

// failing says that the program fails, so that compiled code gives up if it has not failed before.
const failing = -1

// TestPointsOfVariants: derivatives by data with several constructors run as compiled code, and are
// those of the interpreter.
func TestPointsOfVariants(t *testing.T) {
	for _, c := range []struct {
		text string
		left int // runs that are given up
	}{
		{"[grad area s for s in shapes]", 0},
		{"map (grad total) scenes", 0},
		{"grad (fun ss => sum (map area ss)) shapes", 0},
		{"grad (fun p => p.x * sum (map area p.ss)) {x = 3, ss = shapes}", 0},
		{"grad total (Rows [[1, 2], [3, 4]])", 0},
		{"[jvp area s s for s in shapes]", 0},
		{"[jvp turned s s for s in shapes]", 0},
		{"jvp (fun ss => map turned ss) shapes shapes", 0},
		{"vjp (fun ss => map turned ss) shapes (map turned shapes)", 0},
		{"jvp squared (Path [1, 2]) (Path [3, 4])", 0},
		{"vjp squared (Path [1, 2]) (Path [3, 4])", 0},
		{"vjp squared (Disc 1) (Disc 2)", 0},
		// Other constructors, or other lengths.
		{"jvp (fun ss => map turned ss) shapes (map turned shapes)", failing},
		{"vjp (fun ss => map turned ss) shapes shapes", failing},
		{"jvp squared (Path [1, 2]) (Path [3, 4, 5])", failing},
		{"vjp squared (Path [1, 2]) (Path [3, 4, 5])", failing},
		{"vjp squared (Path [1, 2]) (Disc 1)", failing},
		{"[jvp area (Path [x, 2]) (Path [x]) for x in [1, 2]]", failing},
		{"jvps (fun (x, ss) => (x * sum (map area ss), map turned ss)) (2, shapes) [(1, map turned shapes)]", failing},
		// Reals that are counted.
		{"[jacobian area s for s in shapes]", 0},
		{"jacobian (fun ss => map area ss) shapes", 0},
		{"jacobianRows (fun ss => map turned ss) shapes", 0},
		{"jacobianColumns (fun ss => map turned ss) shapes", 0},
		{"jacobianColumns (fun (x, ss) => (x * sum (map area ss), map turned ss)) (2, shapes)", 0},
		{"jvps (fun (x, ss) => (x * sum (map area ss), map turned ss)) (2, shapes) [(1, shapes), (0, shapes)]", 0},
		// The constructor is known when the program runs, or before.
		{"[grad (fun x => area (grad area (made i x))) 3 for i in steps]", 0},
		{"[deriv (fun x => deriv (fun y => area (grad area (made i y))) x) 3 for i in steps]", 0},
		{"[grad (fun o => match o with | Some x -> log x | None -> 7) (if i > 2 then None else Some (real i + 1)) for i in steps]", 0},
		{"[grad (fun (x, s) => area s * x) (real i, Path [1, real i]) for i in steps]", 0},
		// Ties, in fields of any constructor: the first run gives up.
		{"[grad kink s for s in shapes]", 1},
		{"grad (fun ss => sum (map kink ss)) shapes", 1},
		{"grad (fun ss => max (kink ss[0]) (2 * kink ss[4] - kink ss[0])) shapes", 1},
		{"grad (fun (x, ss, y) => max x y * sum (map kink ss) + max (kink ss[2]) (y + 1)) (2, shapes, 2)", 1},
		{"[jvp kink s s for s in shapes]", 1},
		// What is chosen depends on the numbers of the reals.
		{"[grad (fun (s, o, xs) => area s + maximum xs + fst o) (s, (1, Some 2), [2, 2, 2, 2, 2, 2]) for s in shapes]", 1},
		{"grad (fun ss => maximum [(match s with | Disc r -> r + 1 | Rect _ b -> b | Path xs -> xs[0] - 1 | Void -> 2) for s in ss]) shapes", 1},
		{"grad (fun (scenes, x, y, z) => sum (map total scenes) * max x (max y z)) (scenes, 1, 1, 1)", 1},
		// Slopes that are not finite, of fields that are there and of others.
		{"[grad (fun o => match o with | Some x -> sqrt x | None -> 0) o for o in [Some 1, Some 0]]", failing},
		{"[grad (fun (a, o) => match o with | Some x -> a / x | None -> a) (2, o) for o in [Some 1, None]]", 0},
		{"[grad (fun (a, s) => match s with | Disc r -> a / r | Rect x y -> a * x ** y | _ -> log a) (1 - real i, s) for (i, s) in zip (iota 5) shapes]", failing},
		{"[grad (fun (a, s) => match s with | Disc r -> a / r | Rect x y -> a * x ** y | _ -> log a) (1 + real i, s) for (i, s) in zip (iota 5) shapes]", 0},
	} {
		used := &regions{}
		compare(t, c.text, everyEngine(t, used), func(sink *diag.List) *driver.Unit {
			unit := driver.NewWorld(nil).LoadText("main", points+c.text, nil, sink)
			if sink.Failed() {
				t.Fatalf("%s\n%v", c.text, sink.Sorted()[0])
			}
			return unit
		})
		if c.left != failing && (used.ran == 0 || used.left != c.left) {
			t.Errorf("%s\n%d regions ran as compiled code, %d gave up", c.text, used.ran, used.left)
		}
	}
}
