package diff_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/core/coretest"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/diff"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// forwardOf translates the f of a program, which is to verify.
func forwardOf(t *testing.T, p *core.Program, fun *core.Lambda) *core.Program {
	t.Helper()
	dual, err := diff.Forward(p, fun)
	if err != nil {
		t.Fatal(err)
	}
	if err := core.Verify(dual, core.Mono); err != nil {
		t.Fatalf("%v\n%s", err, core.Print(dual))
	}
	return dual
}

// TestForward compares the derivatives of functions of a real, with loops,
// recursion and data types, with differences; and the second derivatives, by
// translating the translation.
func TestForward(t *testing.T) {
	world := driver.NewWorld(nil)
	for _, c := range []struct {
		text string
		at   float64
	}{
		{"let f (x : Real) : Real = sin (x * x) / (1 + x)", 0.7},
		{"let rec root (a y : Real) (n : Int) : Real = if n == 0 then y else root a ((y + a / y) / 2) (n - 1)\n\nlet f (a : Real) : Real = root a 1 6", 3},
		{"let rec descend (w c : Real) : Real = if (w - c)^2 < 0.001 then w else descend (w - 0.1 * 2 * (w - c)) c\n\nlet f (c : Real) : Real = descend 0 c", 3.1},
		{"let rec total (xs : List Real) : Real = match xs with | Cons x rest -> x * x + total rest | Nil -> 0\n\n" +
			"let rec count (x : Real) (n : Int) : List Real = if n == 0 then Nil else Cons (x * real n) (count (sin x) (n - 1))\n\nlet f (x : Real) : Real = total (count x 5)", 0.6},
		{"data Shape = Circle Real | Box Real Int | Both Shape Shape\n\n" +
			"let rec area (s : Shape) : Real =\n  match s with\n  | Circle r -> pi * r^2\n  | Box a n -> a * real n\n  | Both s t -> area s * area t\n\n" +
			"let f (x : Real) : Real = area (Both (Circle x) (Both (Box (sin x) 3) (Circle (x * x))))", 0.8},
		{"let f (x : Real) : Real = loop y = x while y < 100 do y * y + x", 1.3},
		{"let rec even (x : Real) (n : Int) : Real = if n <= 0 then x else odd (sin x) (n - 1)\nand odd (x : Real) (n : Int) : Real = if n <= 0 then -x else even (x * x) (n - 1)\n\nlet f (x : Real) : Real = even x 5 + odd x 4", 0.9},
		{"let weights = [0.5, 2.5, -1.5]\n\nlet f (x : Real) : Real = sum [tanh (w * x) for w in weights] * weights[1]", 0.4},
		{"let f (x : Real) : Real =\n  let rec go (y : Real) (n : Int) : Real = if n == 0 then y else if y < x then go (y * x + 1) (n - 1) else go (sin y) (n - 1)\n  go 0.1 9 + go (x + 0.1) 3", 0.6},
		{"let f (x : Real) : Real = loop h = 0 for i < 20 do tanh (x * h + real i / 10)", 0.8},
		{"let f (x : Real) : Real = product (scan (fun a y => a * y + 1) x [x, 2, sin x])", 1.1},
		{"let f (x : Real) : Real = maximum [x, x^2, 1 / x] + max (minimum [x, 3]) 0.1", 1.5},
		{"let f (x : Real) : Real = (let n = floor (10 * x) in real n * x + sum [if y < 2 * x then y * x else x for y in [0.5, 1.5, 7]])", 0.77},
		{"let rec steps (x : Real) : Int = if x > 10 then 0 else 1 + steps (x * 1.5)\n\nlet f (x : Real) : Real = x ^ steps x", 1.05},
		{"let f (x : Real) : Real = (let p = {a = (x, 1 : Int), b = [x, x * x]} in p.b[1] * p.a[0] + norm p.b + logsumexp p.b * (softmax p.b)[0])", 0.35},
	} {
		p, fun := prepared(t, world, c.text)
		dual := forwardOf(t, p, fun)
		again := forwardOf(t, dual, defined(dual, diff.ForwardName))
		x, one := ball.FromFloat64(c.at), ball.FromInt64(1)
		first := callForward(t, dual, x, one)
		// The translation of f', which is (x, dx) ↦ (f, df, tied), along x.
		second := callForward(t, again, x, one, one, ball.FromInt64(0))[1].(coretest.Tuple)

		h := new(ball.Ball).Mul2(ball.FromInt64(1), -step)
		var values, slopes [2]*ball.Ball
		for i, sign := range []int64{1, -1} {
			at := new(ball.Ball).Add(x, new(ball.Ball).Mul(h, ball.FromInt64(sign), bits), bits)
			v := callForward(t, dual, at, one)
			plain, d := calledIn(t, p, fun, at)
			if d != nil {
				t.Fatalf("%s: %v", c.text, d)
			}
			values[i], slopes[i] = plain.(*ball.Ball), v[1].(*ball.Ball)
			if !near(v[0].(*ball.Ball), values[i]) {
				t.Errorf("%s: the value is %v, want %v", c.text, v[0], plain)
			}
		}
		difference := func(ys [2]*ball.Ball) *ball.Ball {
			return new(ball.Ball).Mul2(new(ball.Ball).Sub(ys[0], ys[1], bits), step-1)
		}
		if got, want := first[1].(*ball.Ball), difference(values); !near(got, want) || first[2].(bool) {
			t.Errorf("%s: the derivative is %v, want %v (tie: %v)\n%s", c.text, got, want, first[2], core.Print(dual))
		}
		if got, want := second[1].(*ball.Ball), difference(slopes); !near(got, want) {
			t.Errorf("%s: the second derivative is %v, want %v", c.text, got, want)
		}
	}
}

func callForward(t *testing.T, dual *core.Program, args ...coretest.Value) coretest.Tuple {
	t.Helper()
	v, d := calledIn(t, dual, defined(dual, diff.ForwardName), args...)
	if d != nil {
		t.Fatalf("%v\n%s", d, core.Print(dual))
	}
	return v.(coretest.Tuple)
}

// TestForwardTies differentiates at kinks and jumps: what is met there must be
// told, by the third result or by a tangent that is not a number. What does not
// matter must not be.
func TestForwardTies(t *testing.T) {
	nan := math.NaN()
	world := driver.NewWorld(nil)
	for _, c := range []struct {
		text  string
		at    float64
		slope float64
		tied  bool
	}{
		{"let f (x : Real) : Real = if x < 1 then x else 2 * x", 1, 2, true},
		{"let f (x : Real) : Real = if x < 1 then x else 2 * x", 2, 2, false},
		{"let f (x : Real) : Real = (if 1 <= 1.0 then 2 else 3) * x", 1, 2, false}, // nothing varies
		{"let f (x : Real) : Real = max x 1", 1, nan, false},
		{"let f (x : Real) : Real = max (2 * x) (x + x)", 1, 2, false},
		{"let f (x : Real) : Real = maximum [x, 2, 0.5]", 5, 1, false},
		{"let f (x : Real) : Real = abs x", 0, nan, false},
		{"let f (x : Real) : Real = max (abs x) 3 * x", 0, 3, false},
		{"let f (x : Real) : Real = real (floor x) * x", 2, 2, true},
		{"let f (x : Real) : Real = real (floor x) * x", 2.5, 2, false},
		{"let f (x : Real) : Real = sign x * x", 0, 0, true},
		{"let f (x : Real) : Real = sqrt x", 0, math.Inf(1), false},
		{"let f (x : Real) : Real = sqrt (x * x)", 0, nan, false},
		{"let f (x : Real) : Real = max (sqrt x) 0.5 + x", 0, 1, false},
		{"let f (x : Real) : Real = loop y = x while y < 4 do y + 1", 1, 1, true},
		{"let f (x : Real) : Real = loop y = x while y < 4 do y + 1", 1.5, 1, false},
		{"let f (x : Real) : Real = sum [if y < x then y else x for y in [1, 2, 3]]", 2, 2, true},
		{"let f (x : Real) : Real = sum [if y < x then y else x for y in [1, 2, 3]]", 2.5, 1, false},
		{"let rec g (x : Real) (n : Int) : Real = if n == 0 then x else if x < real n then g x (n - 1) else 2 * g x (n - 1)\n\nlet f (x : Real) : Real = g x 3", 2, 4, true},
		{"let f (x : Real) : Real = (scan (fun a y => if a < y then a + y else a) x [1, 2])[1]", 3, 1, false},
		{"let f (x : Real) : Real = (scan (fun a y => if a < y then a + y else a) x [1, 2])[1]", 2, 1, true},
	} {
		p, fun := prepared(t, world, c.text)
		dual := forwardOf(t, p, fun)
		v, _, d := coretest.Count(dual, definition(dual, diff.ForwardName), c.at, 1.0)
		if d != nil {
			t.Fatalf("%s: %v", c.text, d)
		}
		got := v.(coretest.Tuple)
		slope := got[1].(float64)
		if slope != c.slope && !(math.IsNaN(slope) && math.IsNaN(c.slope)) || got[2].(bool) != c.tied {
			t.Errorf("%s at %v: slope %v, tie %v; want %v, %v\n%s", c.text, c.at, slope, got[2], c.slope, c.tied, core.Print(dual))
		}
	}
}

// TestForwardFixed has arguments that do not vary: comparisons of them are no
// ties, they may have data types, and data are not copied.
func TestForwardFixed(t *testing.T) {
	const text = "data Shape = Circle Real | Box Real Real\n\n" +
		"let area (s : Shape) : Real = match s with | Circle r -> r^2 | Box a b -> a * b\n\n" +
		"let weight (xs : []Real) (i : Int) : Real = if xs[i] < 1 then xs[i] else 2\n\n" +
		"let f (w : Real) (xs : []Real) (s : Shape) : Real = area s * (loop a = 0 for i < length xs do tanh (w * a + weight xs i))"
	p, fun := prepared(t, driver.NewWorld(nil), text)
	dual, err := diff.ForwardFor(p, fun, []bool{true, false, false})
	if err != nil {
		t.Fatal(err)
	}
	if err := core.Verify(dual, core.Mono); err != nil {
		t.Fatal(err)
	}
	var box *types.Con
	for _, data := range p.Datas {
		if data.Name == "Shape" {
			box = data.Cons[1]
		}
	}
	shape := coretest.Con{Con: box, Args: []coretest.Value{2.0, 3.0}}
	xs := coretest.Array{1.0, 0.5}
	got, _, d := coretest.Count(dual, definition(dual, diff.ForwardName), 0.5, xs, shape, 1.0, coretest.Tuple{}, coretest.Tuple{})
	if d != nil {
		t.Fatal(d)
	}
	first := math.Tanh(2)
	second := math.Tanh(0.5*first + 0.5)
	want := coretest.Tuple{6 * second, 6 * (1 - second*second) * first, false}
	for i, x := range got.(coretest.Tuple) {
		if y, ok := want[i].(float64); ok && math.Abs(x.(float64)-y) > 1e-12 || !ok && x != want[i] {
			t.Errorf("it gives %s, want %s\n%s", coretest.Show(got), coretest.Show(want), core.Print(dual))
		}
	}
}

func definition(p *core.Program, name string) *core.Def {
	for _, def := range p.Defs {
		if def.Name == name {
			return def
		}
	}
	return nil
}

// TestForwardDepth translates a recursive function whose calls are in tail
// position, with comparisons in between. They must stay there: the stack of
// the evaluator does not hold so many.
func TestForwardDepth(t *testing.T) {
	const text = "let rec walk (x : Real) (n : Int) : Real = if n == 0 then x else if x > 10 then walk (x / 2) (n - 1) else walk (x * 1.1) (n - 1)\n\n" +
		"let f (x : Real) : Real = walk x 100000"
	p, fun := prepared(t, driver.NewWorld(nil), text)
	dual := forwardOf(t, p, fun)
	var b core.Builder
	one := core.RealLit(big.NewRat(1, 1))
	call := b.Emit("r", &core.Apply{Fun: definition(dual, diff.ForwardName).Use(), Args: []core.Atom{one, one}}, diag.Span{})
	dual.Main = &core.Def{Name: "main", Type: call.Ty, Body: b.Block(call)}
	code, d := interp.Compile(dual)
	if d != nil {
		t.Fatal(d)
	}
	limits := interp.DefaultLimits()
	limits.Depth = 100
	v, d := code.Run(context.Background(), limits)
	if d != nil {
		t.Fatal(d)
	}
	if slope := float64(v.(value.Tuple)[1].(value.Real)); math.IsNaN(slope) {
		t.Errorf("the slope is %v", slope)
	}
}

// TestForwardCost counts: a derivative costs a small factor.
func TestForwardCost(t *testing.T) {
	world := driver.NewWorld(nil)
	const factor = 5
	for _, text := range []string{
		"let f (x : Real) : Real = loop h = 0 for i < 1000 do tanh (x * h + real i / 10)",
		"let rec walk (x : Real) (n : Int) : Real = if n == 0 then x else if x > 10 then walk (x / 2) (n - 1) else walk (x * 1.1) (n - 1)\n\nlet f (x : Real) : Real = walk x 1000",
		"let f (x : Real) : Real = sum [sin (x * y) for y in [real i for i < 1000]]",
	} {
		p, fun := prepared(t, world, text)
		dual := forwardOf(t, p, fun)
		def := core.FunDef("f", nil, core.NewCopier(nil).Lambda(fun), diag.Span{})
		with := &core.Program{Datas: p.Datas, Defs: append(p.Defs[:len(p.Defs):len(p.Defs)], def)}
		_, plain, d := coretest.Count(with, def, 0.5)
		if d != nil {
			t.Fatal(d)
		}
		_, all, d := coretest.Count(dual, definition(dual, diff.ForwardName), 0.5, 1.0)
		if d != nil {
			t.Fatal(d)
		}
		t.Logf("%d operations of %d, %.1f: %s", all, plain, float64(all)/float64(plain), text)
		if all > factor*plain {
			t.Errorf("%d operations are more than %d times %d\n%s", all, factor, plain, core.Print(dual))
		}
	}
}

// TestForwardNotCovered lists what dual numbers are not made for.
func TestForwardNotCovered(t *testing.T) {
	world := driver.NewWorld(nil)
	for _, text := range []string{
		"let f (x : Option Real) : Real = match x with | Some y -> y | None -> 0",
		"let f (x : Real) : Option Real = Some x",
		"let f (g : Real -> Real) (x : Real) : Real = g x",
		"let rec apply (g : Real -> Real) (x : Real) (n : Int) : Real = if n == 0 then x else apply g (g x) (n - 1)\n\nlet f (x : Real) : Real = apply (fun y => sin (x * y)) x 3",
		"let f (x : Real) : Real = integral01 (fun t => t * x)",
	} {
		p, fun := prepared(t, world, text)
		if dual, err := diff.Forward(p, fun); !errors.Is(err, diff.ErrNotCovered) {
			t.Errorf("%s: %v\n%s", text, err, core.Print(dual))
		}
	}
}
