package diff_test

import (
	"testing"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/core/coretest"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/diff"
	"github.com/fluxion-lang/fluxion/internal/driver"
)

// The work of a pullback is at most this many times that of the function,
// counting also the arguments, whose cotangents have to be written.
const maxFactor = 6

// TestLinearCost counts the work of pullbacks on growing arguments, of
// functions that invite more: repeated indexing of large arrays, whole arrays
// that are captured in loops, arrays of arrays.
func TestLinearCost(t *testing.T) {
	array := func(n int, f func(i int) coretest.Value) coretest.Value {
		xs := make(coretest.Array, n)
		for i := range xs {
			xs[i] = f(i)
		}
		return xs
	}
	x := func(i int) coretest.Value { return 0.25 + float64(i%7)/8 }
	vector := func(n int) coretest.Value { return array(n, x) }
	numbers := func(n, below int) coretest.Value {
		return array(n, func(i int) coretest.Value { return int64(i * 5 % below) })
	}
	square := func(n, m int) coretest.Value {
		return array(n, func(int) coretest.Value { return vector(m) })
	}
	cases := []struct {
		name, text string
		args       func(n int) []coretest.Value
	}{
		{"inner product", "let f (xs ys : []Real) : Real = inner xs ys",
			func(n int) []coretest.Value { return []coretest.Value{vector(n), vector(n)} }},
		{"polynomial", "let f (a b c : Real) (xs : []Real) : Real = sum [a * x^2 + b * x + c for x in xs]",
			func(n int) []coretest.Value { return []coretest.Value{1.0, 2.0, 3.0, vector(n)} }},
		{"matrix times vector", "let f (m : [][]Real) (v : []Real) : []Real = [inner row v for row in m]",
			func(n int) []coretest.Value { return []coretest.Value{square(n, 10), vector(10)} }},
		{"stencil", "let f (xs : []Real) : Real = sum [(xs[i + 2] - 2 * xs[i + 1] + xs[i])^2 for i < length xs - 2]",
			func(n int) []coretest.Value { return []coretest.Value{vector(n)} }},
		{"few of many", "let f (table : []Real) (at : []Int) (n : Int) : Real = sum [sum [table[i] * table[i + k] for i in at] for k < n]",
			func(n int) []coretest.Value { return []coretest.Value{vector(n), numbers(4, n/2), int64(n / 3)} }},
		{"elements of a matrix", "let f (m : [][]Real) (at : []Int) (n : Int) : Real = sum [sum [m[i][i + k] * m[k][i] for i in at] for k < n]",
			func(n int) []coretest.Value {
				return []coretest.Value{square(8, n), numbers(3, 7), int64(8)}
			}},
		{"heads of rows", "let f (m : [][]Real) (n : Int) : Real = sum [sum [row[k] for row in m] for k < n]",
			func(n int) []coretest.Value { return []coretest.Value{square(4, n), int64(n)} }},
		{"one of two", "let f (xs : []Real) (n : Int) : Real = sum [if k < 2 then logsumexp xs else xs[k] for k < n]",
			func(n int) []coretest.Value { return []coretest.Value{vector(n), int64(n)} }},
		{"largest", "let f (xs : []Real) : Real = maximum [sin x for x in xs]",
			func(n int) []coretest.Value { return []coretest.Value{vector(n)} }},
		{"pairs", "let f (ps : [](Real, Real)) : (Real, Real) = loop (a, b) = (0, 0) for (x, y) in ps do (a + x * y, b + exp x)",
			func(n int) []coretest.Value {
				return []coretest.Value{array(n, func(i int) coretest.Value { return coretest.Tuple{x(i), x(i + 1)} })}
			}},
	}
	world := driver.NewWorld(nil)
	for _, c := range cases {
		fun := function(t, world, c.text)
		pull, err := diff.Pullback(fun)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for _, n := range []int{30, 120, 480} {
			args := c.args(n)
			value, primal := counted(t, fun, args...)
			_, all := counted(t, pull, append(args, value)...)
			size := 0
			for _, a := range args {
				size += numbersIn(a)
			}
			factor := float64(all) / float64(primal+size)
			t.Logf("%s, %d: %d operations of %d and %d numbers, %.1f", c.name, n, all, primal, size, factor)
			if factor > maxFactor {
				t.Errorf("%s, %d: %d operations are more than %d times %d\n%s", c.name, n, all, maxFactor, primal+size, printed(pull))
			}
		}
	}
}

// numbersIn counts the leaves of a value.
func numbersIn(v coretest.Value) int {
	n := 0
	switch v := v.(type) {
	case coretest.Array:
		for _, x := range v {
			n += numbersIn(x)
		}
	case coretest.Tuple:
		for _, x := range v {
			n += numbersIn(x)
		}
	default:
		n = 1
	}
	return n
}

func counted(t *testing.T, fun *core.Lambda, args ...coretest.Value) (coretest.Value, int) {
	t.Helper()
	def := core.FunDef("f", nil, fun, diag.Span{})
	v, n, d := coretest.Count(&core.Program{Defs: []*core.Def{def}}, def, args...)
	if d != nil {
		t.Fatalf("%v\n%s", d, printed(fun))
	}
	return v, n
}
