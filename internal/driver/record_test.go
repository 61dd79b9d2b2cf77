package driver_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/engine/portable"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// besideText has functions that are compiled, and odd, which is not. f is differentiated by the
// tape, on which the others are regions.
const besideText = `import linalg
let odd (x : Real) : Real = gammaP 2 (1 + x^2)
let total (xs : []Real) : Real = sum [sum [sin (x * real k) for k < 3] for x in xs]
let rectified (xs : []Real) : Real = sum [sum [max 0 (x - real k) * x for k < 3] for x in xs]
let above (xs : []Real) : Real = sum [sum [if x > real k then x else 0 for k < 3] for x in xs]
let roots (xs : []Real) : Real = sum [sum [sqrt x * real k for k < 3] for x in xs]
let waves (xs : []Real) (a : Real) : [][]Real = [[sin (a * x * real k) for k < 3] for x in xs]
let steps (x : Real) : Real = loop y = x for i < 20 do y + 0.1 * sin (y * real i)
let mixed (r : {w : [](Real, Int), b : Real}) : Real = sum [sum [x * real (n * k) * r.b for k < 3] for (x, n) in r.w]
`

// TestRegionsBesideTheTape: a function with an operation that is not compiled has the derivatives
// that the interpreter finds, and its errors: at ties inside of regions and outside, where slopes
// are infinite, and where regions give arrays.
func TestRegionsBesideTheTape(t *testing.T) {
	for _, ask := range []string{
		"let f (v : []Real) : Real = total v * odd v[0]\n(grad f [1, 2, 3], jvp f [1, 2, 3] [1, 0, 2], jacobian (fun v => [f v, total v]) [1, 2])",
		"let f (v : []Real) : Real = rectified v * odd v[0]\n(grad f [1.5, 2.5], grad f [1, 2, 3], jvp f [2, 1] [1, -1])",
		// A kink outside and one inside are resolved together.
		"let f (v : []Real) : Real = max (rectified v) (4 * v[0] - 2) + odd (max v[0] v[1])\n(grad f [2, 2], jvp f [2, 2] [1, 2])",
		"let f (v : []Real) : Real = abs (total v) * odd v[0]\ngrad f [0, 0]",
		"let f (v : []Real) : Real = above v + odd v[0]\ngrad f [0.5, 2.5]",
		"let f (v : []Real) : Real = above v + odd v[0]\ngrad f [0.5, 2]", // a comparison at a tie
		"let f (v : []Real) : Real = roots v + odd v[1]\ngrad f [1, 0]",   // an infinite slope
		"let f (v : []Real) : Real = roots [v[0], 0] * odd v[0]\ngrad f [1, 2]",
		"let f (v : []Real) : Real = sqrt (total [v[0], 0]) * odd v[1]\ngrad f [0, 2]",
		"let f (v : []Real) : Real = sqrt (total v * 0) + odd v[1]\ngrad f [1, 2]",
		"let f (v : []Real) : Real = total [v[0] / 0] * odd v[1]\ngrad f [1, 2]",
		// Results that are arrays.
		"let f (v : []Real) : Real = sum [odd (sum row) for row in waves v v[0]]\n(grad f [1, 2, 3], jvp f [1, 2, 3] [1, 0, 2])",
		"let f (v : []Real) : Real = (linalg.eigSym (waves v v[1])).values[0]\ngrad f [1, 2, 3]",
		"let f (v : []Real) : Real = let m = waves v v[0] in odd m[0][1] * m[2][2]\n(grad f [1, 2, 3], jvp f [1, 2, 3] [1, 0, 2], jacobian (fun v => [f v, v[0] * f v]) [1, 2, 3])",
		"let f (v : []Real) : Real = odd (waves v v[0])[1][2]\n(grad f [1, 2, 3], jvp f [1, 2, 3] [0, 0, 2])",
		"let over (v : []Real) : [][]Real = [[sqrt x * real k for k < 3] for x in v]\nlet f (v : []Real) : Real = odd (over v)[0][1]\n(grad f [1, 0], f [1, 0])",
		"let cut (v : []Real) : [][]Real = [[max x (real k) for k < 3] for x in v]\nlet f (v : []Real) : Real = sum [odd (sum r) for r in cut v]\n(grad f [1, 2], jvp f [1, 0.5] [1, 1], grad f [0.5, 0.6])",
		// Loops, other types, other orders.
		"let f (x : Real) : Real = steps x * odd x\n(deriv f 1, grad f 1, deriv (deriv f) 1, grad (grad f) 1, deriv (deriv (deriv f)) 1)",
		"let f (r : {w : [](Real, Int), b : Real}) : Real = mixed r * odd r.b\ngrad f {w = [(1, 2), (3, 4)], b = 0.5}",
		"let f (v : []Real) : Real = total v * odd v[0]\n(hessian f [1, 2, 3], grad (fun v => inner (grad f v) [1, 2, 3]) [1, 2, 3])",
		"let f (v : []Real) : Real = total [root 0 9 (fun y => y + total [y * v[0] / 10] - v[1])] + odd v[0]\ngrad f [1, 2]",
		"let f (v : []Real) : Real = sum [sum row for row in waves v[2:] v[0]] + total [] * odd v[1]\ngrad f [1, 2]",
		"let f (v : []Real) : Real = checkpoint (fun u => total u * odd u[0]) v\ngrad f [1, 2]",
	} {
		agreeOn(t, ask, besideText+ask+"\n")
	}
}

// TestRegionsOnTheTapeRunOnce: a gradient runs a region beside the tape once, or twice if its
// result is an array. The code is made once.
func TestRegionsOnTheTapeRunOnce(t *testing.T) {
	for _, test := range []struct {
		ask         string
		runs, codes int
	}{
		{"let f (v : []Real) : Real = total v * odd v[0]\nsum [(grad f [1, 2, real i])[2] + odd (real i) for i < 6]", 6, 1},
		{"let f (x : Real) : Real = steps x * odd x\nsum [grad f (1 + real i / 8) + odd (real i) for i < 6]", 6, 1},
		{"let f (v : []Real) : Real = total v * odd v[0]\nsum [(hessian f [1, 2, real i])[2][0] + odd (real i) for i < 3]", 15, 4},
		{"let f (v : []Real) : Real = let m = waves v v[0] in odd m[0][1] * m[2][2]\nsum [(grad f [1, 2, real i])[2] + odd (real i) for i < 6]", 12, 2},
	} {
		unit := loadText(t, besideText+test.ask+"\n")
		ran, codes := 0, atomic.Int64{}
		counted := func(p *loop.Program) (loop.Code, error) {
			codes.Add(1)
			return countedCode{portable.Compile(p.Funcs[0]), &ran}, nil
		}
		_, d := driver.Run(context.Background(), unit,
			driver.Settings{Limits: interp.DefaultLimits(), Compile: interp.Options{Engine: counted, Eager: true}})
		if d != nil {
			t.Fatal(d)
		}
		if ran != test.runs || int(codes.Load()) != test.codes {
			t.Errorf("%d runs of %d pieces of compiled code, for\n%s", ran, codes.Load(), test.ask)
		}
	}
}

// TestInterruptedRegionsOnTheTape: a run that is interrupted while a region beside the tape runs
// ends as any other, whether that gives the value or a derivative.
func TestInterruptedRegionsOnTheTape(t *testing.T) {
	for k := range 4 {
		unit := loadText(t, besideText+"let f (v : []Real) : Real = let m = waves v v[0] in odd m[0][1] * m[1][2]\n(grad f [1, 2], grad f [2, 3])\n")
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		ran := 0
		engine := func(p *loop.Program) (loop.Code, error) {
			return interruptedCode{portable.Compile(p.Funcs[0]), func() {
				if ran++; ran > k {
					cancel()
				}
			}}, nil
		}
		_, d := driver.Run(ctx, unit, driver.Settings{Limits: interp.DefaultLimits(), Compile: interp.Options{Engine: engine, Eager: true}})
		if d == nil || d.Code != diag.Interrupted {
			t.Errorf("%v after %d runs", d, ran)
		}
	}
}

// interruptedCode looks whether it is to go on after something was done.
type interruptedCode struct {
	loop.Code
	first func()
}

func (c interruptedCode) RunInto(into, args []loop.Arg, opts loop.RunOptions) error {
	c.first()
	if err := opts.Poll(); err != nil {
		return err
	}
	return c.Code.RunInto(into, args, opts)
}

func loadText(t *testing.T, text string) *driver.Unit {
	t.Helper()
	var list diag.List
	unit := driver.NewWorld(nil).LoadText("in.flx", text, nil, &list)
	if list.Failed() {
		t.Fatalf("%v\n%s", list.Sorted()[0], text)
	}
	return unit
}

// TestKinksBeforeRegions: a kink that only a region depends on has no second derivative, whatever
// the order in which the two are taken. That is not an error where nothing asks for it.
func TestKinksBeforeRegions(t *testing.T) {
	const f = "let f (v : []Real) : Real = total [max v[0] v[1], v[1]] * odd v[1]\n"
	const g = "let g (v : []Real) : Real = odd (waves [v[1], abs (v[0] - v[1])] v[1])[1][2]\n"
	for _, ask := range []string{
		f + "grad (fun v => inner (grad f v) [1, 0]) [1, 1]",
		f + "hessian f [1, 1]",
		f + "jvp (fun v => jvp f v [1, 2]) [1, 1] [1, 0]",
		f + "grad (fun v => jvp f v [1, 2]) [1, 1]",
		g + "grad (fun v => inner (grad g v) [1, 0]) [1, 1]",
		g + "jvp (fun v => inner (grad g v) [1, 0]) [1, 1] [1, 0]",
	} {
		unit := loadText(t, besideText+ask+"\n")
		for _, engine := range append(driver.Engines(), "") {
			s := driver.Settings{Engine: engine, Limits: interp.DefaultLimits()}
			s.Compile.Eager = true
			result, d := driver.Run(context.Background(), unit, s)
			if d == nil || d.Code != diag.TiedKink {
				t.Errorf("by %q: %v, %v\n%s", engine, result.Value, d, ask)
			}
		}
	}
	for _, ask := range []string{
		f + "(grad f [1, 1], hessian f [1, 2], hessian f [2, 1])",
		f + "grad (fun v => inner (grad f [max v[0] v[1], 2]) [v[0], 1]) [1, 1.5]",
		g + "(grad g [1, 1], grad (fun v => inner (grad g v) [1, 0]) [1, 2])",
		"let h (v : []Real) : Real = v[1] * odd v[1] + stopGradient (total [max v[0] v[1]])\nhessian h [1, 1]",
	} {
		agreeOn(t, ask, besideText+ask+"\n")
	}
}
