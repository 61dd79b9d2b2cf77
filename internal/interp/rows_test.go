package interp

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/value"
)

var specials = []float64{0, math.Copysign(0, -1), 1, -1, 0.5, -2.5, 3, 1e-300, -1e300, 0x1p-1074, math.MaxFloat64, math.Inf(1), math.Inf(-1), math.NaN(), 1e9, 0.1}

// Instructions that stand for a row of the table compute what its evaluator
// computes.
func TestRowsOfReals(t *testing.T) {
	for _, row := range prim.All() {
		inst := ""
		if len(row.Scheme.Params) == 1 {
			inst = "[Real]"
		}
		var body string
		var want func(x, y float64) string
		switch f := row.Float.(type) {
		case prim.Real1:
			body = fmt.Sprintf("let z : Real = %%%s%s x\n      let r : (Real, Bool) = (z, true)", row.Name, inst)
			want = func(x, y float64) string { return fmt.Sprint(value.Decimal(f(x)), true) }
		case prim.Real2:
			body = fmt.Sprintf("let z : Real = %%%s%s x y\n      let r : (Real, Bool) = (z, true)", row.Name, inst)
			want = func(x, y float64) string { return fmt.Sprint(value.Decimal(f(x, y)), true) }
		case prim.Compare:
			body = fmt.Sprintf("let z : Bool = %%%s%s x y\n      let r : (Real, Bool) = (0.0, z)", row.Name, inst)
			want = func(x, y float64) string { return fmt.Sprint("0", f(x, y)) }
		default:
			continue
		}
		program := fmt.Sprintf(`
def f : []Real -> []Real -> [](Real, Bool) =
  let g : []Real -> []Real -> [](Real, Bool) = fun (xs : []Real) (ys : []Real) ->
    let rs : [](Real, Bool) = map (x : Real) (y : Real) in xs ys ->
      %s
      ret r
    ret rs
  ret g
`, body)
		var xs, ys value.Reals
		for _, x := range specials {
			for _, y := range specials {
				xs, ys = append(xs, x), append(ys, y)
			}
		}
		v, d := compile(t, program, Options{}).Call(context.Background(), Limits{}, "f", xs, ys)
		if d != nil {
			t.Fatal(d)
		}
		for n, p := range v.(value.Array) {
			z, b := p.(value.Tuple)[0].(value.Real), p.(value.Tuple)[1].(value.Bool)
			if got, want := fmt.Sprint(value.Decimal(float64(z)), bool(b)), want(xs[n], ys[n]); got != want {
				t.Errorf("%s at %v, %v: got %s, want %s", row.Name, xs[n], ys[n], got, want)
			}
		}
	}
}

// The same for Int, failures included.
func TestRowsOfInts(t *testing.T) {
	numbers := []int64{0, 1, -1, 2, -7, 3, math.MaxInt64, math.MinInt64, math.MinInt64 + 1, 1 << 31, -1 << 31, 1<<32 + 1, 3037000500, 62}
	for _, row := range prim.All() {
		inst := ""
		if len(row.Scheme.Params) == 1 {
			inst = "[Int]"
		}
		var body string
		var want func(x, y int64) string
		switch f := row.Int.(type) {
		case prim.Int1:
			body = fmt.Sprintf("let z : Int = %%%s%s x", row.Name, inst)
			want = func(x, _ int64) string { z, code := f(x); return orCode(z, string(code)) }
		case prim.Int2:
			body = fmt.Sprintf("let z : Int = %%%s%s x y", row.Name, inst)
			want = func(x, y int64) string { z, code := f(x, y); return orCode(z, string(code)) }
		default:
			continue
		}
		program := fmt.Sprintf(`
def f : []Int -> []Int -> []Int =
  let g : []Int -> []Int -> []Int = fun (xs : []Int) (ys : []Int) ->
    let rs : []Int = map (x : Int) (y : Int) in xs ys ->
      %s
      ret z
    ret rs
  ret g
`, body)
		m := compile(t, program, Options{}).NewMachine()
		for _, x := range numbers {
			for _, y := range numbers {
				v, d := m.Call(context.Background(), Limits{}, "f", value.Ints{x}, value.Ints{y})
				got := ""
				if d != nil {
					got = string(d.Code)
				} else {
					got = fmt.Sprint(v.(value.Ints)[0])
				}
				if want := want(x, y); got != want {
					t.Errorf("%s at %d, %d: got %s, want %s", row.Name, x, y, got, want)
				}
			}
		}
	}
}

func orCode(z int64, code string) string {
	if code != "" {
		return code
	}
	return fmt.Sprint(z)
}
