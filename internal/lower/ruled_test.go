package lower_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// ruledFunctions are functions s of a real, made of functions with rules of their own: scalars,
// tuples and arrays, in both modes, in loops, choices and recursive functions, with rules that have
// rules. The rules differ from the derivatives of their functions, so that a derivative which does
// not use them is seen; where they are right the name has a prime.
const ruledFunctions = `
import array
import linalg

let heron (x : Real) : Real = loop y = x for i < 8 do 0.5 * (y + x / y)
let own = withDerivative heron (fun x dx => 5 * dx / (2 * heron x))
let own' = withDerivative heron (fun x dx => dx / (2 * heron x))
let back = withPullback heron (fun x by => 3 * by / (2 * heron x))
let back' = withPullback heron (fun x by => by / (2 * heron x))
let rec itself : Real -> Real = fun x => withDerivative heron (fun x dx => dx / (1.5 * itself x)) x
let rec itself' : Real -> Real = fun x => withPullback heron (fun x by => by / (2 * itself' x)) x
let product = withDerivative (fun (x, y) => x * y) (fun (x, y) (dx, dy) => 2 * x * dy + 3 * y * dx)
let polar = withPullback (fun (r, t) => (r * cos t, r * sin t)) (fun (r, t) (bx, by) => (bx * cos t + 2 * by * sin t, 3 * r * (by * cos t - bx * sin t)))
let squares = withPullback (fun (xs : []Real) => sum (map square xs)) (fun xs by => 5 * by .* xs)
let each = withDerivative (fun (xs : []Real) => map tanh xs) (fun xs dxs => [(2 - square (tanh x)) * dx for (x, dx) in zip xs dxs])
let each' = withDerivative (fun (xs : []Real) => map tanh xs) (fun xs dxs => [(1 - square (tanh x)) * dx for (x, dx) in zip xs dxs])
let mixed = withDerivative (fun {m, v, k} => {u = [sum [real k * a * x for (a, x) in zip row v] for row in m], n = k})
  (fun {m, v, k} d => {u = [sum [2 * a * dx for (a, dx) in zip row d.v] + sum [da * x for (da, x) in zip row' v] for (row, row') in zip m d.m], n = k})
let relu = withDerivative (max 0) (fun x dx => if x > 0 then dx else 0)
let rounded = withDerivative (fun x => real (round x)) (fun _ dx => dx)
let slopes = withDerivative (fun x => deriv (fun y => y^3 * x) x) (fun x dx => deriv (fun y => y^4 * dx) x)
let nested = withDerivative (fun x => own x * x) (fun x dx => own dx * 0 + own x * dx + x * own' x * dx)
let linear = withDerivative (fun x => 3 * x) (fun _ dx => 4 * dx)
let throughLinear = withDerivative sin (fun x dx => cos x * linear dx)
let same = withDerivative (fun (xs : []Real) => xs) (fun _ dxs => dxs)
let sameBack = withPullback (fun (xs : []Real) => xs) (fun _ bxs => bxs)

let s01 (x : Real) : Real = sum [own (x + real i) for i < 20]
let s02 (x : Real) : Real = sum [back (x * real (i + 1)) for i < 20]
let s03 (x : Real) : Real = loop y = x for i < 10 do own (y + x) + 0.1 * back y
let s04 (x : Real) : Real = sum [itself (x + real i) * itself' x for i < 5]
let s05 (x : Real) : Real = sum [product (x, sin (x * real i)) for i < 6]
let s06 (x : Real) : Real = sum [a * b + a for (a, b) in [polar (x * real (i + 1), x) for i < 6]]
let s07 (x : Real) : Real = squares [x * real i for i < 7] * x
let s08 (x : Real) : Real = sum [a * real i for (i, a) in zip (iota 7) (each [x * real i / 5 for i < 7])]
let s09 (x : Real) : Real = sum (loop v = [x, x^2, 1] for i < 5 do each (v + [0.1, x, 0.2]))
let s10 (x : Real) : Real =
  let r = mixed {m = [[x, 2, x], [1, x * x, 3]], v = [x, sin x, 0.5], k = 3}
  sum r.u * real r.n
let s11 (x : Real) : Real = sum [relu (x - real i / 10) * x for i < 12]
let s12 (x : Real) : Real = sum [rounded (x * real i) * x for i < 12]
let s13 (x : Real) : Real = sum [slopes (x + real i) for i < 4]
let s14 (x : Real) : Real = sum [nested (x + real i) for i < 4]
let s16 (x : Real) : Real = sum [if x + real i > 3 then own (x + real i) else back (x * x) for i < 8]
let s17 (x : Real) : Real = loop y = x while y < 40 do own y * y + x
let s18 (x : Real) : Real = sum [deriv own (x + real i) * own x for i < 6]
let s19 (x : Real) : Real = sum (grad (fun v => sum [own a * v[0] for a in v]) [x, x * x, 2])
let s20 (x : Real) : Real = sum [sum [sum (map square row) for row in jacobian (fun v => [own (v[0] * v[1]), back (v[1] + real i)]) [x, 2]] for i < 2]
let rec down (n : Int) (x : Real) : Real = if n == 0 then own x else 0.5 * down (n - 1) (x + 1) + down (n - 2 + mod n 2) (x * back x)
let s21 (x : Real) : Real = sum [down 3 (x + real i) for i < 4]
let s22 (x : Real) : Real = sum (same [x, x^2, sin x]) * sum (sameBack [x, 2, x * x])
let s23 (x : Real) : Real =
  let v = loop v = same [x, 1, 2] for i < 3 do array.set v i (own (v[i] + x))
  sum v * v[1]
let s24 (x : Real) : Real = sum (linalg.matVec [same [x, 1], each [x, x * x]] [own x, 2])
let s25 (x : Real) : Real = sum [max (own (x + real i)) (back (3 - x)) for i < 6]
let s26 (x : Real) : Real = loop y = x for i < 4 do
  let v = each' [y, x, y * x]
  v[0] + own' v[1] * back' (v[2] + 1)
let s27 (x : Real) : Real = checkpoint (fun x => loop y = x for i < 20 do own (y + 0.1)) x
-- Not compiled: in reverse, a rule whose tangents go through a function with a rule in their turn; functions in arrays that shrink.
let s15 (x : Real) : Real = sum [throughLinear (x + real i) for i < 4]
let s28 (x : Real) : Real = fromDerivatives [sin, fun x => 2 * cos x, fun x => -(sin x)] x
`

// TestRuledFunctions: derivatives of orders 0 to 3 by rules, forwards and in reverse, are the same
// by every engine.
func TestRuledFunctions(t *testing.T) {
	used := &regions{}
	with := everyEngine(t, used)
	for k := 1; strings.Contains(ruledFunctions, fmt.Sprintf("let s%02d ", k)); k++ {
		f := fmt.Sprintf("s%02d", k)
		for _, ask := range []string{"F 1.3", "g 1.3", "[g 1.3, g 0.7]", "deriv F 1.3", "(deriv g 1.3, g 0.9)", "deriv (deriv F) 1.3", "deriv (deriv g) 1.3",
			"sum [deriv (deriv (deriv F)) (1.3 + real i) for i < 3]", "sum [grad F (1.3 + real i) for i < 20]"} {
			ask = strings.ReplaceAll(ask, "F", f)
			text := ruledFunctions + fmt.Sprintf("let g (x : Real) : Real = grad %s x\n%s\n", f, ask)
			before := used.ran
			trusting(t, f+": "+ask, with, text)
			if ask == "g 1.3" && used.ran == before && f != "s15" && f != "s28" {
				t.Errorf("the derivative of %s is not compiled", f)
			}
		}
	}
}

// trusting runs a program by the interpreter and with engines, without comparing rules, and
// compares.
func trusting(t *testing.T, name string, with map[string]driver.Settings, text string) {
	t.Helper()
	var list diag.List
	unit := driver.NewWorld(nil).LoadText("main", text, nil, &list)
	if list.Failed() {
		t.Fatalf("%s: %v", name, list.Sorted()[0])
	}
	run := func(s driver.Settings) (value.Value, *diag.Diagnostic) {
		s.Limits, s.Compile.Eager, s.Compile.TrustRules = interp.DefaultLimits(), true, true
		result, d := driver.Run(context.Background(), unit, s)
		if d != nil {
			return nil, d
		}
		return result.Value, nil
	}
	want, d := run(driver.Settings{})
	for engine, s := range with {
		got, e := run(s)
		switch {
		case d != nil && e == nil, d == nil && e != nil, d != nil && (d.Code != e.Code || d.Message != e.Message || d.Span != e.Span):
			t.Errorf("%s: by the interpreter: %v, by %s: %v", name, d, engine, e)
		case d == nil && !agree(want, got):
			t.Errorf("%s: by the interpreter %s, by %s %s", name, value.Show(want), engine, value.Show(got))
		}
	}
}

// TestWrongRules: what is wrong with a rule is told by compiled runs as by others, at the same
// point; and so that a rule says nothing of what its function captures. The interpreter also
// compares at points outside of the range compared so far, where compiled code counts runs only:
// TestRulesAgain in package driver.
func TestWrongRules(t *testing.T) {
	const head = `
let cube (x : Real) : Real = x^3
let wrong = withDerivative cube (fun x dx => 3 * x * dx)
let partly = withDerivative cube (fun x dx => if x < 5 then 3 * x^2 * dx else dx)
let once = withDerivative cube (fun x dx => 3 * stopGradient (x^2) * dx)
let onceBack = withPullback cube (fun x by => 3 * stopGradient x * x * by)
let onces (x : Real) : Real = sum [once (x + real i) for i < 20]
let onceBacks (x : Real) : Real = sum [onceBack (x + real i) for i < 20]
let shape = withPullback (fun (xs : []Real) => sum xs) (fun xs by => [by, by])
let sums (x : Real) : Real = sum [wrong (x + real i) for i < 100]
let chosen (x : Real) : Real = sum [if i > 50 then wrong (x + real i) else x for i < 100]
let mixed (x : Real) : Real = sum [if x > 1 then wrong (x + real i) else x * real i for i < 100]
let masked (x : Real) : Real = sum [max (partly (x + real i)) 400 for i < 8]
let captures (c : Real) : Real = sum [withDerivative (fun x => c * x) (fun _ dx => c * dx) (real i) for i < 100]
let byRule (c : Real) : Real = sum [deriv (withDerivative (fun x => x) (fun _ dx => c * dx / c)) (real i) for i < 100]
let inside (c : Real) : Real = sum [deriv (withDerivative (fun x => c * x) (fun _ dx => c * dx)) (real i) for i < 100]
let descent (n : Int) : Real = loop x = 0.1 for k < n do x - 0.01 * grad (fun x => sum [partly (x + 0.1 * real k + real i / 100) for i < 20]) x
`
	with := everyEngine(t, &regions{})
	for _, ask := range []string{
		"grad sums 1.5", "deriv sums 1.5", "grad chosen 1.5", "deriv (deriv sums) 1.5", "[grad sums (real i) for i < 3]",
		"grad captures 2", "deriv captures 2", "grad byRule 2", "grad inside 2", "deriv inside 2", "sum (grad shape [1, 2, 3])", "sum (grad shape [1, 2])",
		"[grad mixed (real k / 4) for k < 10]", "loop s = 0 for k < 10 do s + grad mixed (real k / 4)", "loop s = 0 for k < 4 do s + grad mixed (real k / 4)",
		"grad masked 0", "deriv masked 0.5", "[grad masked (real k) for k < 5]", "loop s = 0 for k < 9 do s + grad masked (real k / 2)",
		"grad onces 1", "deriv (deriv onces) 1.5", "deriv (grad onceBacks) 1.5", "deriv onceBacks 1", "[deriv (grad onces) (real i) for i < 4]",
		"sum [once (1 + real i / 8) + deriv onces (real i) for i < 9]",
		"descent 10", "descent 100", "grad (fun x => sum [partly (x * real i) for i < 4]) 1",
	} {
		compare(t, ask, with, func(sink *diag.List) *driver.Unit {
			unit := driver.NewWorld(nil).LoadText("main", head+ask+"\n", nil, sink)
			if sink.Failed() {
				t.Fatalf("%s: %v", ask, sink.Sorted()[0])
			}
			return unit
		})
	}
}

// TestRightRules: derivatives by rules that are right are the same by every engine, with the
// comparison of the rules.
func TestRightRules(t *testing.T) {
	used := &regions{}
	with := everyEngine(t, used)
	const head = `
let uses (x : Real) : Real = sum [own' (x + real i) + back' x * itself' (x * x) for i < 5]
let arrays (x : Real) : Real = sum (loop v = [x, x^2, 1] for i < 5 do each' (v + [0.1, x, 0.2]))
let probits (x : Real) : Real = sum [(dist.normal x 2).quantile (0.1 * real i + 0.05 * x) for i in [1, 2, 3, 4]]
let mats (x : Real) : Real =
  let times = withPullback (fun ((a, v) : ([2][3]Real, [3]Real)) => ([inner r v for r in a], 1.0))
    (fun (a, v) (by, _) => ([[b * y for y in v] for b in by], [sum [a[i, j] * by[i] for i < 2] for j < 3]))
  let (u, one) = times ([[x, 1, 2], [x * x, 3, x]], [1, x, 2])
  sum u * one
`
	for _, f := range []string{"uses", "arrays", "probits", "mats"} {
		for _, ask := range []string{"grad F 1.3", "deriv F 1.3", "deriv (grad F) 1.3", "[grad F (1.1 + real k / 10) for k < 5]",
			"loop x = 1.3 for k < 8 do x + 1e-4 * grad F x"} {
			text := "import dist\n" + ruledFunctions + head + strings.ReplaceAll(ask, "F", f) + "\n"
			before := used.ran
			compare(t, f+": "+ask, with, func(sink *diag.List) *driver.Unit {
				unit := driver.NewWorld(nil).LoadText("main", text, nil, sink)
				if sink.Failed() {
					t.Fatalf("%s: %v", ask, sink.Sorted()[0])
				}
				return unit
			})
			if used.ran == before {
				t.Errorf("%s: %s is not compiled", f, ask)
			}
		}
	}
}

// TestRulesComparedFirst: a region whose rules were not compared compares them by itself.
func TestRulesComparedFirst(t *testing.T) {
	const head = `
let cube = withDerivative (fun x => x^3) (fun x dx => 3 * x^2 * dx)
let cost (x : Real) : Real = sum [cube (x + real i) for i < 100]
let slope (x : Real) : Real = grad cost x
`
	for ask, want := range map[string]int{
		"slope 1":                    1, // which compares
		"(slope 1, slope 2)":         1,
		"[slope (real k) for k < 4]": 1,
		"loop x = 5 for k < 40 do x - 1e-6 * grad cost x": 1, // the rest of the loop
	} {
		used := &regions{}
		s := driver.Settings{Limits: interp.DefaultLimits(), Compile: interp.Options{Engine: referenceEngine(t, used), Eager: true}}
		var list diag.List
		unit := driver.NewWorld(nil).LoadText("main", head+ask+"\n", nil, &list)
		if list.Failed() {
			t.Fatalf("%s: %v", ask, list.Sorted()[0])
		}
		if _, d := driver.Run(context.Background(), unit, s); d != nil {
			t.Fatalf("%s: %v", ask, d)
		}
		if used.ran != want {
			t.Errorf("%s: %d regions ran as compiled code, want %d", ask, used.ran, want)
		}
	}
}
