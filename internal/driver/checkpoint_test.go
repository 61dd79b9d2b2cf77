package driver

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// checkpointing are programs in which @ is `checkpoint` or nothing.
var checkpointing = []string{
	"grad (@ (fun (x, y) => x * sin y)) (2, 0.5)",
	"jvp (@ (fun (x, y) => (x * sin y, [x, y, 3]))) (2, 0.5) (3, 4)",
	"vjp (@ (fun p => {a = p.x * p.y, b = [p.x, p.y * p.y]})) {x = 2, y = 3} {a = 1, b = [2, 3]}",
	"grad (fun c => @ (fun x => c * sin (c * x)) 3) 2",
	"deriv (fun c => @ (fun x => c * sin (c * x)) (c + 1)) 2",
	"grad (@ (fun x => x)) 3 + grad (fun c => @ (fun _ => c) 1) 3 + grad (fun c => @ (fun x => x * 2) 1) 3",
	// functions and arrays that are captured
	"grad (fun (c, d) => let f = fun x => c * x + d in @ (fun x => f (f x)) (c * d)) (2, 3)",
	"grad (fun xs => @ (fun i => xs[i] * xs[i + 1]) 1 + @ (fun ys => sum (xs * ys)) (map sin xs)) [1, 2, 3]",
	// arrays that are on the tape as wholes
	"grad (fun xs => sum (@ (fun ys => map (fun y => y * sin y) ys) xs)) [real i / 40 for i < 200]",
	"grad (fun xs => let ys = map exp xs in sum (@ (fun zs => [ys[i] * zs[i] + z for (i, z) in enumerate zs]) ys)) [real i / 100 for i < 200]",
	"jvp (fun xs => let ys = map exp xs in sum (@ (fun zs => ys * zs) ys)) [real i / 100 for i < 200] (replicate 200 1)",
	"jacobian (fun xs => @ (fun ys => [sum (xs * ys), ys[1] * xs[0]]) (map sin xs)) [1, 2, 3]",
	"grad (fun m => sum (map sum (@ (fun a => linalg.matMul a (linalg.matMul m a)) m))) [[1, 2], [3, 4]]",
	"grad (fun xs => (@ (fun ys => {ys with [1] = ys[0] * xs[2]}) xs)[1] + xs[1]) [1, 2, 3]",
	// other results: constants stay constants, and data keep their shape
	"grad (fun x => let (t, y) = @ (fun (t, y) => (t + 1, y * x)) (0, x) in if t <= 1 then y else 0) 3",
	"grad (fun x => match @ (fun y => Some (y * x, 2)) x with | Some (y, n) -> y * real n | None -> 0) 3",
	// higher orders
	"nthDeriv 2 (fun c => @ (fun x => c * sin (c * x)) c) 2",
	"nthDeriv 3 (fun c => @ (fun x => c * sin (c * x)) c) 2",
	"hessian (fun xs => @ (fun (a, ys) => a * sin (ys[0] * xs[1])) (xs[0], xs)) [2, 3]",
	"grad (fun x => deriv (fun y => grad (@ (fun z => sin (x * y * z))) (x * y)) 2) 3",
	"deriv (fun x => grad (fun y => @ (fun z => z^3 * x * y) (x * y) * y) 2) 3",
	"grad (@ (fun x => x * deriv (fun y => sin (x * y)) 2)) 3",
	"grad (fun x => @ (fun x => grad (@ (fun y => sin (x * y) * y)) x) (x^2)) 1.5",
	"jacobian (fun xs => vjp (@ (fun ys => map (fun y => y * sin y) ys)) xs (map sin xs)) [1, 2, 3]",
	"hessian (fun xs => sum (@ (fun ys => map (fun y => y * y * xs[1]) ys) xs)) [real i for i < 20]",
	// checkpoints in checkpoints
	"grad (fun c => @ (fun x => @ (fun y => @ (fun z => c * sin z) (y * x)) (c * x)) c) 2",
	"nthDeriv 2 (fun c => @ (fun x => @ (fun y => @ (fun z => c * sin z) (y * x)) (c * x)) c) 2",
	"let rec go (n : Int) (c : Real) (y : Real) : Real = if n <= 1 then y + 0.01 * sin (c * y) else " +
		"go (n - div n 2) c (@ (go (div n 2) c) y) in grad (fun c => go 100 c 1) 0.7",
	// kinks are resolved together, wherever they are
	"grad (fun x => @ (fun y => max (max y 0) x + min 0 y) x) 0",
	"grad (fun x => @ (fun y => abs y) (@ (fun y => max y (2 * x)) x)) 0",
	"deriv (fun x => max (@ (fun y => sin y) x) (2 * @ sin x)) 0",
	// searches
	"grad (fun c => @ (fun a => root 0 3 (fun x => x^2 - a * c)) c) 2",
	"grad (fun c => root 0 3 (fun x => @ (fun y => y^2 * c - 4) x)) 2",
	"grad (fun c => integral 0 1 (fun x => @ (fun y => y * sin (c * y)) x)) 2",
	// a rule of the program's own inside
	"grad (fun x => @ (fun y => y * withPullback sin (fun x by => cos x * by) y) x) 2",
}

// ran returns the value of a program and what its run has done.
func ran(t *testing.T, text string, opts interp.Options) (value.Value, interp.Stats) {
	t.Helper()
	var list diag.List
	unit := NewWorld(nil).LoadText("test", text, nil, &list)
	if list.Failed() {
		t.Fatalf("%s\n%v", text, list.Sorted()[0])
	}
	program, d := Prepare(context.Background(), unit, false)
	if d != nil {
		t.Fatalf("%s\n%v", text, d)
	}
	code, d := interp.CompileWith(program, opts)
	if d != nil {
		t.Fatalf("%s\n%v", text, d)
	}
	m := code.NewMachine()
	v, d := m.Run(context.Background(), interp.DefaultLimits())
	if d != nil {
		t.Fatalf("%s\n%v", text, d)
	}
	return v, m.Stats()
}

// TestCheckpointFails: a checkpoint of a function without reals, for which there is no tape,
// fails as the function does.
func TestCheckpointFails(t *testing.T) {
	var list diag.List
	unit := NewWorld(nil).LoadText("test", "checkpoint (fun (n : Int) => [1, 2][n]) 2", nil, &list)
	program, d := Prepare(context.Background(), unit, false)
	if list.Failed() || d != nil {
		t.Fatal(list.Sorted(), d)
	}
	code, d := interp.CompileWith(program, interp.Options{})
	if d != nil {
		t.Fatal(d)
	}
	_, d = code.NewMachine().Run(context.Background(), interp.DefaultLimits())
	if d == nil || d.Code != diag.IndexOutOfRange {
		t.Errorf("it ends with %v", d)
	}
}

// TestCheckpointsAgree: a checkpoint changes no value and no derivative, in either mode, at every
// type and order.
func TestCheckpointsAgree(t *testing.T) {
	for _, text := range checkpointing {
		t.Run("", func(t *testing.T) {
			want, _ := ran(t, "import linalg\n"+strings.ReplaceAll(text, "@", ""), interp.Options{})
			got, _ := ran(t, "import linalg\n"+strings.ReplaceAll(text, "@", "checkpoint"), interp.Options{})
			if far := farthest(got, want); !(far < 1e-13) {
				t.Errorf("%s is %s, want %s", text, value.Show(got), value.Show(want))
			}
		})
	}
}

// TestCheckpointedMemory: four times the steps take twice the tape in blocks, four times without,
// and a few entries more (log² n) if the steps are halved again and again. The gradients are the
// same.
func TestCheckpointedMemory(t *testing.T) {
	const steps = `
let step (c : Real) (k : Int) (y : Real) : Real = y + 0.001 * sin (c * y + real k)
let plain n c = loop y = 1 for k < n do step c k y
let blocks n c = checkpointed n (step c) 1
let rec halves (n : Int) (from : Int) (c : Real) (y : Real) : Real =
  if n <= 1 then step c from y
  else halves (n - div n 2) (from + div n 2) c (checkpoint (halves (div n 2) from c) y)
`
	growth := func(f string, n int) (float64, float64) {
		t.Helper()
		want, _ := ran(t, fmt.Sprintf("%sgrad (plain %d) 0.7", steps, n), interp.Options{})
		var longest [2]float64
		for k, n := range []int{n, 4 * n} {
			got, stats := ran(t, fmt.Sprintf("%sgrad (%s) 0.7", steps, fmt.Sprintf(f, n)), interp.Options{})
			longest[k] = float64(stats.Longest)
			if k == 0 && !(farthest(got, want) < 1e-12) {
				t.Errorf("%s: %s, want %s", f, value.Show(got), value.Show(want))
			}
		}
		t.Logf("%s: %v", f, longest)
		return longest[0], longest[1] / longest[0]
	}
	if most, by := growth("plain %d", 10_000); most < 10_000 || by < 3.9 {
		t.Errorf("without checkpoints: %v entries, %v times as many", most, by)
	}
	if most, by := growth("blocks %d", 10_000); most > 800 || by > 2.1 {
		t.Errorf("in blocks: %v entries, %v times as many", most, by)
	}
	if most, by := growth("fun c => halves %d 0 c 1", 2500); most > 250 || by > 1.4 {
		t.Errorf("in halves: %v entries, %v times as many", most, by)
	}
}

// TestCheckpointsShowOnce: what runs again for a derivative shows nothing again.
func TestCheckpointsShowOnce(t *testing.T) {
	var list diag.List
	unit := NewWorld(nil).LoadText("test", `grad (checkpoint (fun x => debug "x" (x^2))) 3`, nil, &list)
	if list.Failed() {
		t.Fatal(list.Sorted()[0])
	}
	var lines []string
	_, d := Run(context.Background(), unit, Settings{Limits: interp.DefaultLimits(), Debug: func(line string) { lines = append(lines, line) }})
	if d != nil || len(lines) != 1 {
		t.Error(d, lines)
	}
}

// TestCheckpointErrors: errors are those of the function, at their places.
func TestCheckpointErrors(t *testing.T) {
	refuses(t, "grad (checkpoint (fun x => sqrt x * x)) 0", diag.NotFinite)
	refuses(t, "grad (checkpoint (fun x => if x < 0 then 1 else x)) 0", diag.TiedComparison)
	refuses(t, "nthDeriv 2 (checkpoint abs) 0", diag.TiedKink)
	refuses(t, "grad (checkpoint (fun x => [x][3])) 0", diag.IndexOutOfRange)
	refuses(t, "let rec go (n : Int) (x : Real) : Real = if n == 0 then x else checkpoint (go (n - 1)) (x + 1) in grad (go 100000) 1", diag.DepthLimit)
}
