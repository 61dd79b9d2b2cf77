package driver

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/property"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// ruled defines functions with rules beside the same functions without.
const ruled = `
let cube x = x^3
let cubeJ = withDerivative cube (fun x dx => 3 * x^2 * dx)
let cubeP = withPullback cube (fun x dy => 3 * x^2 * dy)
let polar p = {re = p.r * cos p.t, im = [p.r * sin p.t, p.r]}
let polarJ = withDerivative polar (fun p d =>
    {re = d.r * cos p.t - p.r * sin p.t * d.t, im = [d.r * sin p.t + p.r * cos p.t * d.t, d.r]})
let polarP = withPullback polar (fun p b =>
    {r = b.re * cos p.t + b.im[0] * sin p.t + b.im[1], t = p.r * (b.im[0] * cos p.t - b.re * sin p.t)})
let squares = fun (xs : []Real) => map square xs
let squaresJ = withDerivative squares (fun xs d => [2 * xs[i] * d[i] for i < length xs])
let squaresP = withPullback squares (fun xs b => [2 * xs[i] * b[i] for i < length xs])
let norm1 o = match o with | Some (x, n) -> x * real n | None -> 0
let norm1J = withDerivative norm1 (fun o d => match (o, d) with | (Some (_, n), Some (dx, _)) -> real n * dx | _ -> 0)
`

// TestRulesAgree: a function with a right rule has the derivatives of the function, in either mode,
// to the third order, at every type.
func TestRulesAgree(t *testing.T) {
	for _, text := range []string{
		"deriv cube@ 2", "grad cube@ 2", "nthDeriv 2 cube@ 2", "nthDeriv 3 cube@ 2",
		"grad (fun x => deriv (fun y => grad cube@ (x * y)) 2) 3",
		"deriv (fun x => grad (fun y => cube@ (x * y) * y) 2) 3",
		"hessian (fun xs => cube@ (xs[0] * xs[1]) + cube@ xs[1]) [2, 3]",
		"jacobian (fun xs => map cube@ xs) [1, 2, 3]",
		"jvp polar@ {r = 2, t = 0.5} {r = 1, t = 3}",
		"vjp polar@ {r = 2, t = 0.5} {re = 1, im = [2, 3]}",
		"deriv (fun c => (jvp polar@ {r = c, t = c^2} {r = 1, t = c}).re) 0.7",
		"grad (fun p => inner (vjp polar@ p {re = p.r, im = [2, 3]}) {r = 1, t = 2}) {r = 2, t = 0.5}",
		"jacobian squares@ [1, 2, 3]",
		"jacobian (fun xs => vjp squares@ xs (squares@ xs)) [1, 2, 3]",
		"jacobian (fun xs => jvp squares@ xs xs) [1, 2, 3]",
		"grad (fun xs => sum (squares@ [cube@ x for x in xs])) [real i / 40 for i < 200]",
	} {
		want := valueOf(t, ruled+strings.ReplaceAll(text, "@", ""))
		for _, by := range []string{"J", "P"} {
			got := valueOf(t, ruled+strings.ReplaceAll(text, "@", by))
			if worst := farthest(got, want); !(worst < 1e-12) {
				t.Errorf("%s with %s is %s, want %s", text, by, value.Show(got), value.Show(want))
			}
		}
	}
	near(t, ruled+"norm1J (Some (2, 3)) + fst (withDefault (0, 0) (grad norm1J (Some (2, 3))))", 9, 0)
	near(t, "nthDeriv 5 (fromDerivatives [sin, cos, fun x => -(sin x)]) 0.5", 0.8775825618903728, 1e-15)
	near(t, ruled+"integral 0 2 (deriv cubeJ)", 8, 1e-14)
	near(t, ruled+"deriv (fun c => root 0 3 (fun x => cubeJ x - c)) 8", 1./12, 1e-14)
	near(t, ruled+"deriv (fun c => integral 0 1 (fun x => cubeP (x * c))) 2", 3, 1e-14)
}

// farthest returns the largest difference of the reals of two values, relative to their size.
func farthest(a, b value.Value) float64 {
	worst := 0.0
	x, y := leavesOf(a), leavesOf(b)
	if len(x) != len(y) {
		return 1
	}
	for k := range x {
		worst = max(worst, abs(x[k]-y[k])/max(1, abs(y[k])))
	}
	return worst
}

func abs(x float64) float64 { return max(x, -x) }

func leavesOf(v value.Value) (list []float64) {
	switch v := v.(type) {
	case value.Real:
		return []float64{float64(v)}
	case value.Reals:
		return v
	case value.Tuple:
		for _, e := range v {
			list = append(list, leavesOf(e)...)
		}
	case value.Record:
		for _, f := range v {
			list = append(list, leavesOf(f.Value)...)
		}
	case value.Array:
		for _, e := range v {
			list = append(list, leavesOf(e)...)
		}
	}
	return list
}

// TestWrongRules: a rule that differs from the derivative is refused, whatever mode uses it, unless
// it is trusted, as is one whose value depends on something captured that varies.
func TestWrongRules(t *testing.T) {
	for _, expr := range []string{
		"deriv (withDerivative cube (fun x dx => 3 * x * dx)) 2",
		"grad (withDerivative cube (fun x dx => 3 * x * dx)) 2",
		"deriv (withPullback cube (fun x dy => 3 * x^2 * dy + 0.001)) 2",
		"deriv (withDerivative cube (fun x dx => 12 * dx)) 2", // right at 2 only
		"deriv (withDerivative (fun x => x) (fun _ dx => abs dx)) 2",
		"grad (withPullback (fun (x, y) => x * y) (fun (_, y) b => (y * b, 2 * b))) (2, 3)",
		"deriv (deriv (fromDerivatives [sin, cos, sin])) 1",
		"deriv (withDerivative (fun x => real (round x)) (fun _ dx => dx)) 0.7",
		// Right at the first order only, or at the second.
		"nthDeriv 2 (withDerivative cube (fun x dx => 3 * stopGradient (x^2) * dx)) 2",
		"nthDeriv 2 (withPullback cube (fun x dy => 3 * stopGradient x * x * dy)) 2",
		"hessian (withPullback (fun (xs : []Real) => sum (map cube xs)) (fun xs b => [3 * b * x * stopGradient x for x in xs])) [1, 2]",
		"grad (fun x => deriv (withDerivative cube (fun x dx => 3 * stopGradient (x^2) * dx)) x) 2",
		"nthDeriv 3 (withDerivative (fun x => exp x) (fun x dx => (exp (stopGradient x) * (1 + x - stopGradient x)) * dx)) 1",
	} {
		refuses(t, ruled+expr, diag.WrongRule)
	}
	refuses(t, "deriv (fun c => withDerivative (fun x => c * x) (fun _ dx => c * dx) 3) 2", diag.CapturedByRule)
	refuses(t, "deriv (fun c => deriv (withDerivative (fun x => 2 * x) (fun _ dx => stopGradient 2 * dx + 0 * c)) 3) 2", diag.CapturedByRule)
	refuses(t, "grad (withPullback (fun xs => sum xs) (fun _ b => replicate 1 b)) [1, 2]", diag.ShapesDiffer)
	// What the function captures may be constant, and at a kink a rule may choose.
	near(t, ruled+"deriv (withDerivative cube (fun x dx => 3 * stopGradient (x^2) * dx)) 2", 12, 0) // right at the order used
	near(t, "(fun c => deriv (withDerivative (fun x => c * x) (fun _ dx => c * dx)) 3) 2", 2, 0)
	near(t, "deriv (withDerivative relu (fun x dx => if x > 0 then dx else 0)) 0", 0, 0)
	near(t, "deriv (withDerivative (fun x => if x > 0 then x else 0) (fun x dx => if x >= 0 then dx else 0)) 0", 1, 0)

	var list diag.List
	unit := NewWorld(nil).LoadText("test", "deriv (withDerivative (fun x => real (round x)) (fun _ dx => dx)) 0.7", nil, &list)
	s := Settings{Limits: interp.DefaultLimits(), Compile: interp.Options{TrustRules: true}}
	if r, d := Run(context.Background(), unit, s); d != nil || value.Show(r.Value) != "1" {
		t.Errorf("a trusted rule gives %v, %v", r.Value, d)
	}
}

// TestStopGradient: what is stopped is a constant to every derivative.
func TestStopGradient(t *testing.T) {
	near(t, "deriv (fun x => x^2 * stopGradient x) 3", 18, 0)
	near(t, "nthDeriv 2 (fun x => x^2 * stopGradient x) 3", 6, 0)
	near(t, "deriv (fun x => deriv (fun y => stopGradient (x * y) * y) 2) 3", 0, 0)
	near(t, "sum (grad (fun p => sum p.xs * stopGradient p.a) {a = 3, xs = [1, 2]}).xs", 6, 0)
	near(t, "deriv (fun x => x + stopGradient (real (round x) - x)) 0.7", 1, 0)
	near(t, "deriv (fun c => root 0 3 (fun x => (stopGradient x)^2 - c)) 4", 0.25, 1e-15)
}

// TestCheckRules: definitions are differentiated at points of their types.
func TestCheckRules(t *testing.T) {
	const text = `
let good = withDerivative (fun x => x^3) (fun x dx => 3 * x^2 * dx)
let wrong = withDerivative sqrt (fun x dx => dx / sqrt x)
let of (p : {a : Real, b : []Real}) (o : Option Real) = match o with | Some x -> good (x * p.a) | None -> sum p.b
let higher h x = good (h x)
let plain x = x + 1
`
	var list diag.List
	w := NewWorld(nil)
	unit := w.LoadText("test", text, nil, &list)
	got := w.CheckRules(context.Background(), unit, Settings{Limits: interp.DefaultLimits()}, &list)
	var names []string
	for _, r := range got {
		names = append(names, r.Name)
		if checked := r.Points > 0 && r.Rules == 1; checked != (r.Name == "good" || r.Name == "of") {
			t.Errorf("%+v", r)
		}
	}
	if strings.Join(names, " ") != "good wrong of higher" {
		t.Errorf("the definitions with rules are %v", names)
	}
	if all := list.Sorted(); len(all) != 1 || all[0].Code != diag.WrongRule {
		t.Errorf("the errors are %v", all)
	}
}

// TestCheckRulesHarder: rules that are wrong only far away, near zero, at a special number, for
// long arrays or at a higher order are found, and what was compared is told.
func TestCheckRulesHarder(t *testing.T) {
	const text = `
let cube x = x^3
let far = withDerivative cube (fun x dx => if x < -1e5 then dx else 3 * x^2 * dx)
let near = withPullback (fun x => x * x + x) (fun x b => if abs x < 1e-6 then 2 * b else (2 * x + 1) * b)
let ten = withDerivative cube (fun x dx => if x == 10 then dx else 3 * x^2 * dx)
let long = withPullback (fun (xs : []Real) => sum xs) (fun xs b => [if i < 50 then b else 0 for i < length xs])
let empty = withDerivative (fun (xs : []Real) => sum xs + real (length xs)) (fun xs d => if length xs == 30 then 1 else sum d)
let second = withDerivative cube (fun x dx => 3 * stopGradient (x^2) * dx)
let third = withDerivative exp (fun x dx => exp (stopGradient x) * (1 + x - stopGradient x) * dx)
let right = withDerivative cube (fun x dx => 3 * x^2 * dx)
let rights (xs : []Real) : Real = sum (map right xs)
let ball (x : Real) : Real = fst (withPullback (fun (x, y) => (x * y, sin x * exp y)) (fun (x, y) (b, c) => (b * y + c * cos x * exp y, b * x + c * sin x * exp y)) (x, 2))
`
	source := strings.ReplaceAll(text, "x == 10", "not (x < 10) && not (x > 10)")
	var list diag.List
	w := NewWorld(nil)
	unit := w.LoadText("test", source, nil, &list)
	if list.Failed() {
		t.Fatal(list.Sorted())
	}
	for _, r := range w.CheckRules(context.Background(), unit, Settings{Limits: interp.DefaultLimits()}, &list) {
		right := r.Name == "right" || r.Name == "rights" || r.Name == "ball"
		if r.Wrong == right {
			t.Errorf("%+v", r)
		}
		if right && (len(r.Orders) != 3 || r.Orders[2].Times < 20 || r.Orders[0].Off > 1e-9 || r.Least > 1e-7 || r.Largest < 1e7 || r.Name == "ball" && r.Longer != 2) {
			t.Errorf("%+v", r)
		}
	}
}

// TestRulesAgain: a rule that is right where it is used first is compared later too: far from
// there, and for arrays of other lengths.
func TestRulesAgain(t *testing.T) {
	const rules = `
let far = withDerivative (fun x => x^2) (fun x dx => if x < 10 then 2 * x * dx else 3 * x * dx)
let back = withPullback (fun x => x^2) (fun x by => if x < 10 then 2 * x * by else 3 * x * by)
let long = withDerivative (fun (xs : []Real) => sum xs) (fun xs d => if length xs < 4 then sum d else d[0])
let late = withDerivative (fun x => x^2) (fun x dx => if x < 1.5 then 2 * x * dx else 3 * x * dx)
`
	for _, text := range []string{
		"[deriv far x for x in [1, 2, 20]]", "[deriv back x for x in [1, 2, 20]]", "(deriv far 1, deriv far 2, deriv far 50)",
		"loop s = 0 for i < 40 do s + deriv far (real i)", "loop s = 0 for i < 40 do s + deriv back (real i)",
		"[grad long [1.0 for _ < n] for n in [1, 2, 3, 5]]",
		"[deriv late (1 + real i / 1000) for i < 1000]",
	} {
		for _, compiled := range []bool{false, true} {
			var list diag.List
			unit := NewWorld(nil).LoadText("test", rules+text, nil, &list)
			if list.Failed() {
				t.Fatal(list.Sorted())
			}
			s := Settings{Limits: interp.DefaultLimits()}
			if compiled {
				s.Engine = BestEngine()
			}
			if r, d := Run(context.Background(), unit, s); d == nil || d.Code != diag.WrongRule {
				t.Errorf("%s (compiled: %v): %v, %v", text, compiled, r.Value, d)
			}
		}
	}
}

// TestRulesAnywhere: a rule that is wrong at some order, beyond some number, near zero or for
// arrays that are long is refused at the first use there, by the interpreter and in compiled
// code; and the same program with the right rule is not.
func TestRulesAnywhere(t *testing.T) {
	w := NewWorld(nil)
	for k := range property.Rounds(9) {
		r := rand.New(rand.NewPCG(1, uint64(k)))
		order := 1 + r.IntN(3)
		small := []string{"1", "0.5", "1e-3", "40"}[r.IntN(4)]
		outside := []string{"abs x > 3 * size", "abs x < 1e-4 * size", "n > 5", "true"}[r.IntN(4)]
		// The last one is wrong in its derivative only, if it is not used at the first order.
		bad := "c * b * w"
		if outside == "true" {
			order = max(order, 2)
			bad = []string{"", "", "stopGradient (c * a) * w", "stopGradient (c * a) * w + 2 * c * stopGradient b * (b - stopGradient b) * w"}[order]
		}
		by := []string{"withDerivative f (fun xs ws => %s)", "withPullback f (fun xs ws => %s)"}[r.IntN(2)]
		turns := 3 + r.IntN(7)
		engine := r.IntN(2) == 0
		program := func(rule string) string {
			text := `
let size = ` + small + `
let f (xs : []Real) : []Real = [4 * x^3 for x in xs]
let rule = ` + fmt.Sprintf(by, "[let n = length xs in "+rule+" for (x, w) in zip xs ws]") + `
let cost (x : Real) (n : Int) : Real = sum (rule [x * (1 + real i / 8) for i < n])
let d1 (x : Real) (n : Int) : Real = grad (fun y => cost y n) x
let d2 (x : Real) (n : Int) : Real = deriv (fun y => d1 y n) x
let d3 (x : Real) (n : Int) : Real = deriv (fun y => d2 y n) x
`
			use := func(x string, n int) string { return fmt.Sprintf("d%d (%s) %d", order, x, n) }
			var list []string
			for k := range turns {
				list = append(list, use(fmt.Sprintf("size * (0.9 + 0.01 * %d)", k), 3))
			}
			switch {
			case strings.HasPrefix(outside, "abs x"):
				at := map[bool]string{true: "8 * size", false: "2e-5 * size"}[strings.Contains(outside, ">")]
				list = append(list, use(at, 3))
			case outside == "n > 5":
				list = append(list, use("size", 7))
			}
			return text + "[" + strings.Join(list, ", ") + "]"
		}
		run := func(text string) *diag.Diagnostic {
			var list diag.List
			unit := w.LoadText("test", text, nil, &list)
			if list.Failed() {
				t.Fatal(list.Sorted()[0], text)
			}
			s := Settings{Limits: interp.DefaultLimits()}
			if engine {
				s.Engine, s.Compile.Eager = BestEngine(), true
			}
			_, d := Run(context.Background(), unit, s)
			return d
		}
		const right = "12 * x^2 * w"
		if d := run(program(right)); d != nil {
			t.Fatalf("a right rule: %v\n%s", d, program(right))
		}
		wrong := "(let (a, b, c) = (x^2, x, 12) in if " + outside + " then " + bad + " else " + right + ")"
		if d := run(program(wrong)); d == nil || d.Code != diag.WrongRule {
			t.Fatalf("a wrong rule: %v\n%s", d, program(wrong))
		}
	}
}

// enclosed defines iterations that are undecided on wide sets, with enclosures and rules.
const enclosed = `
let heron x =
  (loop s = {y = x, step = 1} while abs s.step > 1e-9 do
    let y = (s.y + x / s.y) / 2
    {y, step = y - s.y}).y
let rootE = withEnclosure heron (fun (lo, hi) => (sqrt lo, sqrt hi))
let rec rootJ : Real -> Real = fun x => withDerivative rootE (fun x dx => dx / (2 * rootJ x)) x
let rec rootP : Real -> Real = fun x => withPullback rootE (fun x by => by / (2 * rootP x)) x
let allE = withEnclosure (fun (xs : []Real) => map heron xs) (fun (lo, hi) => (map sqrt lo, map sqrt hi))
let allJ = withDerivative allE (fun xs d => [d[i] / (2 * sqrt xs[i]) for i < length xs])
let allP = withPullback allE (fun xs b => [b[i] / (2 * sqrt xs[i]) for i < length xs])
`

// TestEnclosures: in exact mode a function has the value of its enclosure, and the derivatives of
// its rule if it has one, at every type and order and inside searches: compared with those of the
// square root, which needs neither.
func TestEnclosures(t *testing.T) {
	eps := Exactly{Eps: big.NewRat(1, 1e10)}
	exactly := func(text string) (value.Value, *diag.Diagnostic) {
		var list diag.List
		unit := NewWorld(nil).LoadText("test", enclosed+text, nil, &list)
		if list.Failed() {
			t.Fatal(list.Sorted())
		}
		r, d := RunExact(context.Background(), unit, Settings{Limits: interp.DefaultLimits()}, eps)
		return r.Value, d
	}
	agree := func(text, plain string) {
		t.Helper()
		got, d := exactly(text)
		want, e := exactly(plain)
		if d != nil || e != nil {
			t.Errorf("%s: %v, %v", text, d, e)
			return
		}
		a, b := exact.Enclosures(got), exact.Enclosures(want)
		for k := range a {
			if len(a) != len(b) || a[k].Lo.Cmp(b[k].Hi) > 0 || b[k].Lo.Cmp(a[k].Hi) > 0 {
				t.Errorf("%s is %s, want %s", text, value.Show(got), value.Show(want))
				return
			}
		}
	}
	for _, text := range []string{
		"root@ 2", "deriv root@ 2", "nthDeriv 3 root@ 2", "root 1 3 (fun x => root@ x - 1.5)",
		"integral 1 2 root@", "deriv (fun c => integral 1 2 (fun x => root@ (c * x))) 1",
		"grad (fun (x, y) => root@ (x * y) * y) (2, 3)",
	} {
		for _, by := range []string{"J", "P"} {
			agree(strings.ReplaceAll(text, "root@", "root"+by), strings.ReplaceAll(text, "root@", "sqrt"))
		}
	}
	agree("rootE 2", "sqrt 2")
	agree("deriv rootE 2", "deriv sqrt 2") // of the iteration
	ten := " [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]"
	for _, by := range []string{"allJ", "allP"} {
		agree("grad (fun xs => sum ("+by+" xs) * xs[1])"+ten, "grad (fun xs => sum (map sqrt xs) * xs[1])"+ten)
		agree("jacobian "+by+" [1, 2, 3]", "jacobian (map sqrt) [1, 2, 3]")
	}
	// What is captured moves the value, and an enclosure may be wider than the value is known.
	agree("deriv (fun c => withEnclosure (fun x => c * x) (fun (lo, hi) => (c * lo, c * hi)) 3) 2", "3")
	agree("deriv (fun c => withDerivative (withEnclosure (fun x => c * x) (fun (lo, hi) => (c * lo, c * hi))) (fun _ dx => c * dx) c) 2", "4")
	agree("(withEnclosure (fun p => {a = p.x, b = Some p.x}) (fun (l, h) => ({a = l.x, b = Some l.x}, {a = h.x, b = Some h.x})) {x = 1 / 3}).a", "1 / 3")
	// An enclosure that says nothing leaves the function.
	agree("withEnclosure sin (fun (lo, hi) => if lo < hi then (sin lo, sin hi) else fail \"a point\") 1", "sin 1")

	for _, text := range []string{
		"withEnclosure sin (fun (_, _) => (2, 3)) 1",
		"withEnclosure square (fun (lo, hi) => (lo^2, hi^2)) 0",    // right at 0, not around it
		"withEnclosure square (fun (lo, hi) => (lo^2, hi^2)) (-3)", // the wrong way round
		"integral 0 1 (withEnclosure sin (fun (_, _) => (2, 3)))",
		"deriv (withEnclosure sin (fun (_, _) => (2, 3))) 1",
	} {
		if v, d := exactly(text); d == nil || d.Code != diag.WrongRule {
			t.Errorf("%s is %v, %v", text, v, d)
		}
	}
}
