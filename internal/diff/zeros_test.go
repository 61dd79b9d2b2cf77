package diff_test

import (
	"errors"
	"math"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/core/coretest"
	"github.com/fluxion-lang/fluxion/internal/diff"
	"github.com/fluxion-lang/fluxion/internal/driver"
)

// TestStructuralZeros differentiates at points where something that does not
// count has an infinite slope: Note [Structural zeros]. Each function is of a
// real, at 0, and given with its slope there.
func TestStructuralZeros(t *testing.T) {
	inf := math.Inf(1)
	cases := []struct {
		text  string
		slope float64
	}{
		{"let f (x : Real) : Real = max (sqrt x) 0.5", 0},
		{"let f (x : Real) : Real = max (sqrt x) 0.5 * sqrt (x + 4)", 0.125},
		{"let f (x : Real) : Real = (let y = sqrt x in if x < 1 then 3 * x else y)", 3},
		{"let f (x : Real) : Real = (let y = sqrt (cbrt x) in if x < 1 then (if x > 0.5 then y else 2 * x) else y)", 2},
		{"let f (x : Real) : Real = (let p = (sqrt x, x) in p[1])", 1},
		{"let f (x : Real) : Real = x^0 + sqrt (1 + x)", 0.5},
		{"let f (x : Real) : Real = sqrt (sign (x + 1) * 4) + x", 1},
		{"let f (x : Real) : Real = sqrt (if x > 1 then x else 0) + x", 1},
		{"let f (x : Real) : Real = sqrt (min x 0.5 - min x 0.5 + 1) + x", 1},
		{"let f (x : Real) : Real = sum [max (sqrt y) 0.5 + y for y in [x, x]]", 2},
		// What is computed counts: here the slopes are what the numbers say.
		{"let f (x : Real) : Real = sqrt x", inf},
		{"let f (x : Real) : Real = sqrt (x * x)", math.NaN()},
		{"let f (x : Real) : Real = sqrt (x * 0)", math.NaN()},
	}
	world := driver.NewWorld(nil)
	for _, c := range cases {
		fun := function(t, world, c.text)
		pull, err := diff.Pullback(fun)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		push, err := diff.Pushforward(fun)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		for name, d := range map[string]coretest.Value{"pullback": first(counted(t, pull, 0.0, 1.0)), "pushforward": first(counted(t, push, 0.0, 1.0))} {
			if got := d.(float64); got != c.slope && !(math.IsNaN(got) && math.IsNaN(c.slope)) {
				t.Errorf("%s: the %s gives %v, want %v", c.text, name, got, c.slope)
			}
		}
	}
}

func first(v coretest.Value, _ int) coretest.Value { return v }

// TestNotCovered lists what has no pullback as a whole.
func TestNotCovered(t *testing.T) {
	world := driver.NewWorld(nil)
	for _, text := range []string{
		"let f (x : Real) : Real = loop y = x while y < 100 do y * y + 1",
		"let f (x : Option Real) : Real = match x with | Some y -> y | None -> 0",
		"let rec f (x : Real) (n : Int) : Real = if n == 0 then x else f (sin x) (n - 1)",
		"let f (g : Real -> Real) (x : Real) : Real = g x",
	} {
		if pull, err := diff.Pullback(function(t, world, text)); !errors.Is(err, diff.ErrNotCovered) {
			t.Errorf("%s: %v\n%s", text, err, printed(pull))
		}
	}
}

// TestWanted leaves out the cotangents that are not wanted.
func TestWanted(t *testing.T) {
	fun := function(t, driver.NewWorld(nil), "let f (a : Real) (xs : []Real) : Real = sum [exp (a * x) for x in xs]")
	pull, err := diff.PullbackFor(fun, []bool{true, false})
	if err != nil {
		t.Fatal(err)
	}
	got := first(counted(t, pull, 1.0, coretest.Array{0.0, 1.0}, 1.0))
	if want := (coretest.Tuple{math.E, coretest.Tuple{}}); coretest.Show(got) != coretest.Show(want) {
		t.Errorf("the cotangents are %s, want %s", coretest.Show(got), coretest.Show(want))
	}
}

// TestNoTurns has a loop whose bound is negative, which has no turns.
func TestNoTurns(t *testing.T) {
	fun := function(t, driver.NewWorld(nil), "let f (xs : []Real) (n : Int) : Real = loop s = xs[0] for i < n do s + sin xs[i] * xs[i + 1]")
	pull, err := diff.Pullback(fun)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int64{-2, 0} {
		got := first(counted(t, pull, coretest.Array{2.0, 3.0}, n, 5.0))
		if want := "([5r, 0r], ())"; coretest.Show(got) != want {
			t.Errorf("%d turns: %s, want %s", n, coretest.Show(got), want)
		}
	}
}
