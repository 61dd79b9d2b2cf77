package driver_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/stop"
)

// TestSearchGradients counts the work that certifies a search: its gradient costs a constant times
// its value, whatever the number of variables, and a row of its second derivatives as well.
func TestSearchGradients(t *testing.T) {
	work := func(text string) float64 {
		s, d := counted(t, text+"\n", interp.Options{})
		if d != nil {
			t.Fatalf("%s: %v", text, d)
		}
		return float64(s.Certified)
	}
	for name, of := range map[string]string{
		"an integral": "fun p => integral 0 1 (fun x => exp (inner p p * x / real (length p)))",
		"a root":      "fun p => root 0 3 (fun x => x * x - inner p p / real (length p))",
		"an optimum":  "fun p => maxOver 0 2 (fun x => sin x * inner p p / real (length p))",
	} {
		for _, n := range []int{5, 50} {
			at := fmt.Sprintf("[0.5 + real i / %d for i < %d]", n, n)
			value, gradient := work("("+of+") "+at), work("grad ("+of+") "+at)
			t.Logf("%s of %d variables: %.0f, the gradient %.1f times as much", name, n, value, gradient/value)
			if gradient > 6*value {
				t.Errorf("%s of %d variables takes %.0f, the gradient %.0f", name, n, value, gradient)
			}
		}
		at := "[0.5 + real i / 20 for i < 20]"
		value, hessian := work("("+of+") "+at), work("hessian ("+of+") "+at)
		if hessian > 20*12*value {
			t.Errorf("%s of 20 variables takes %.0f, the second derivatives %.0f", name, value, hessian)
		}
	}
}

// TestSearchArrays: an array that searches capture is translated for package exact once, unless it
// changes, and its memory is charged.
func TestSearchArrays(t *testing.T) {
	const table = "let xs = [real i / 10000 for i < 10000]\n"
	one, d := counted(t, table+"integral01 (fun x => x * xs[7])\n", interp.Options{})
	many, e := counted(t, table+"loop s = 0 for i < 50 do s + integral01 (fun x => x * xs[i])\n", interp.Options{})
	if d != nil || e != nil {
		t.Fatal(d, e)
	}
	if many.Bytes > 2*one.Bytes {
		t.Errorf("one search takes %d bytes, 50 take %d", one.Bytes, many.Bytes)
	}
	const changing = "let (s, _) = loop (s, xs) = (0, [1 for i < 100]) for i < 10 do\n" +
		"    let ys = array.set xs 3 (real i)\n    (s + integral01 (fun x => x * ys[3]), ys)\n" +
		"[s][if abs (s - 22.5) < 1e-9 then 0 else 1]\n"
	if _, d := counted(t, changing, interp.Options{}); d != nil {
		t.Errorf("an array that is updated between searches: %v", d)
	}
	large := "let xs = [real i for i < 100000]\nintegral01 (fun x => x * xs[7])\n"
	limits := interp.Limits{Memory: 3 << 20, Depth: 10_000}
	if _, d := countedWithin(t, large, interp.Options{}, limits); d == nil || d.Code != diag.MemoryLimit {
		t.Errorf("the translation of an array is not charged: %v", d)
	}
}

// TestSearchCompilationPolls: before a search is certified its function is compiled for package
// exact. That polls in proportion to the function's length, and a run that ends there says so.
func TestSearchCompilationPolls(t *testing.T) {
	for name, of := range map[string]string{
		"a definition":          "let c = 2\nlet f (x : Real) : Real =\n%sintegral 0 1 f\n",
		"a closure":             "let g (c : Real) : Real = integral 0 1 (fun x =>\n%s)\ng 2\n",
		"a closure that varies": "deriv (fun c => integral 0 1 (fun x =>\n%s)) 2\n",
		"a closure, by a root":  "let g (c : Real) : Real = root 0 9 (fun x => (\n%s) - 4)\ng 2\n",
		"a function in a box":   "let g (c : Real) : Real = maxOver [0, 0] [1, 1] (fun p => let x = p[0] in\n%s)\ng 2\n",
	} {
		t.Run(name, func(t *testing.T) {
			run := func(length, at int) (polls int, d *diag.Diagnostic) {
				var body strings.Builder
				body.WriteString("  let x0 = c in\n")
				for k := range length {
					fmt.Fprintf(&body, "  let x%d = x%d + x / %d in\n", k+1, k, k+1)
				}
				fmt.Fprintf(&body, "  x%d\n", length)
				m := compiled(t, fmt.Sprintf(of, body.String()), interp.Options{}).NewMachine()
				ctx := stop.Polled(context.Background(), func() bool {
					if !calls("internal/exact.(*compiler).") {
						return false
					}
					polls++
					return polls == at
				})
				_, d = m.Run(ctx, interp.DefaultLimits())
				return polls, d
			}
			few, _ := run(100, 0)
			many, d := run(1000, 0)
			if d != nil {
				t.Fatal(d)
			}
			if few < 100/20 || many < 8*few {
				t.Errorf("%d and %d polls", few, many)
			}
			for at := 1; at <= many; at += 19 {
				if polls, d := run(1000, at); polls != at || d == nil || d.Code != diag.TimeLimit ||
					!d.Span.Known() {
					t.Fatalf("ended at poll %d of %d it polls %d times and gives %v", at, many, polls, d)
				}
			}
		})
	}
}

// calls reports whether one of the functions that have called begins with a name.
func calls(name string) bool {
	pcs := make([]uintptr, 100)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	for more := true; more; {
		var f runtime.Frame
		if f, more = frames.Next(); strings.Contains(f.Function, name) {
			return true
		}
	}
	return false
}

// TestScaleStops: a run that ends while the size is sought that an enclosure is judged by says so,
// and not that the enclosure is wide.
func TestScaleStops(t *testing.T) {
	looked, late := 0, false
	m := compiled(t, "integral (-1) 1 (fun x => sin (50 * x) * sin (30 * x^2) - 0.001 * x)\n", interp.Options{}).NewMachine()
	_, d := m.Run(context.Background(), interp.Limits{Reached: func(limit diag.Code) bool {
		if limit == diag.TimeLimit && calls("internal/exact.(*certifier).Scale") {
			looked++
			late = true
		}
		return limit == diag.TimeLimit && late
	}})
	if looked == 0 || d == nil || d.Code != diag.TimeLimit {
		t.Errorf("asked %d times, and ended with %v", looked, d)
	}
}

// certifiedWork returns the work of the searches of a program.
func certifiedWork(t *testing.T, text string) int64 {
	t.Helper()
	s, d := counted(t, text+"\n", interp.Options{})
	if d != nil {
		t.Fatalf("%s: %v", text, d)
	}
	return s.Certified
}

// TestSearchesMadeBefore: a search that was made before, with the same function and the same
// captured values, takes no work again; one that differs in anything is made.
func TestSearchesMadeBefore(t *testing.T) {
	work := func(text string) int64 { return certifiedWork(t, text) }
	const depths = `
data Lens = Thin Real | Thick (List Real)
let depth (a : Real) : Real = root 0 9 (fun x => x^2 - a)
let rec seen (i : Int) (light : Real) : Real = if i == 0 then 0 else light * depth (real i + 2) + seen (i - 1) light
let bent (l : Lens) : Real = integral01 (fun x => match l with | Thin f -> x * f | Thick (Cons f _) -> x + f | Thick Nil -> 0)
let scaled (f : Real -> Real) : Real = integral01 (fun x => f x)
let check (x y : Real) : Real = if abs (x - y) < 1e-9 then x else fail "a search is another one"
`
	value, both := work(depths+"seen 5 2"), work(depths+"(seen 5 2, deriv (seen 5) 2)")
	if both != value {
		t.Errorf("values take %d, with derivatives that need no search %d", value, both)
	}
	one, several := work(depths+"depth 2"), work(depths+"[depth a for a in [2, 3, 2, 3, 2, 3, 2, 3]]")
	if several < 3*one/2 || several > 3*one {
		t.Errorf("a search takes %d, eight of which two differ %d", one, several)
	}
	for _, same := range []string{
		"check (bent (Thin 2)) 1", "check (bent (Thick (Cons 2 Nil))) 2.5", "check (bent (Thick (Cons 3 Nil))) 3.5", "check (bent (Thick Nil)) 0",
		"check (scaled (fun x => x)) 0.5", "check (scaled (fun x => 2 * x)) 1", "check (scaled (max 0.5)) 0.625", "check (scaled (max 1)) 1",
		"check (integral 0 2 (fun x => x)) 2", "check (integral 0 4 (fun x => x)) 8",
	} {
		work(depths + "(bent (Thin 1), bent (Thick (Cons 1 Nil)), scaled (fun x => x^2), scaled (max 0.25), integral 0 1 (fun x => x), " + same + ")")
	}
	// The variables of derivatives are told apart from numbers, and searches that depend on them
	// are made.
	if one, two := work(depths+"deriv depth 2"), work(depths+"(depth 2, deriv depth 2, deriv depth 3)"); two < 2*one {
		t.Errorf("a derivative takes %d, two with a value %d", one, two)
	}
}

// TestHitsScanOnce: `hit` takes the work of a first root: what it learns when it asks whether there
// is one it does not search again. Other functions are not taken for the one that was asked.
func TestHitsScanOnce(t *testing.T) {
	work := func(text string) int64 { return certifiedWork(t, text) }
	const rays = `
let ray (a x : Real) : Real = (x - a) * (2 - x + sin (9 * x))
let met (a : Real) : Real = match hit (fun x => ray a x) with
  | Some x -> x
  | None -> 9
let check (x y : Real) : Real = if abs (x - y) < 1e-9 then x else fail "a root is that of another function"
`
	hit, first := work(rays+"map met [0.7]"), work(rays+"map (fun a => firstRoot (ray a)) [0.7]")
	if hit > first {
		t.Errorf("a hit takes %d, a first root %d", hit, first)
	}
	for _, text := range []string{
		"[check (met a) a for a in [0.7, 0.3, 0.5]]",
		"(check (met 0.7) 0.7, check (firstRoot (ray 0.3)) 0.3)",
		"(met 2, check (firstRoot (ray 0.3)) 0.3)",
		"(check (met 0.7) 0.7, check (deriv met 0.7) 1, check (met 0.3) 0.3)",
		"check (deriv (fun a => met a + met 0.25) 0.7) 1",
		"match hit (fun x => firstRoot (fun y => y - 0.2 - x * x / 2) - 0.25) with\n  | Some x -> check x (sqrt 0.1)\n  | None -> fail \"missed\"",
	} {
		work(rays + text)
	}
}

// TestMissesAreFew: that a function has no root near its least value takes few cells, since slopes
// from both ends of a cell bound it.
func TestMissesAreFew(t *testing.T) {
	const miss = "hit (fun x => x * (x - 0.86) * (2 + sin x) + 0.45 + 0.01 * real i)"
	s, d := counted(t, "["+miss+" for i < 10]\n", interp.Options{})
	if d != nil || s.Certified == 0 || s.Certified > 7500 {
		t.Errorf("ten misses take %d: %v", s.Certified, d)
	}
}
