package bind

import (
	"context"
	"math"
	"math/big"
	"reflect"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

const definitions = `let cube (x : Real) : Real = x^3
let energy (x y : Real) : Real = x^2 * y
let square (xs : []Real) : Real = sum [x^2 for x in xs]
let split (n : Int) : (Int, Bool) = (n + 1, n > 2)
let point (p : {x : Real, y : Real}) : {x : Real, y : Real} = {x = p.y, y = 2 * p.x}
let turn (m : [][]Real) : [][]Real = [[r[1], r[0]] for r in m]
let greet (name : String) : String = name
let half (n : Int) : Option Int = if mod n 2 == 0 then Some (div n 2) else None
let pick (xs : []Real) (k : Int) : Real = xs[k]
`

// testUnit loads the definitions of the tests.
func testUnit(t *testing.T) (*driver.World, *driver.Unit) {
	t.Helper()
	var list diag.List
	world := driver.NewWorld(nil)
	unit := world.LoadText("fit.flx", definitions, nil, &list)
	if list.Failed() {
		t.Fatal(list.Sorted()[0])
	}
	return world, unit
}

// TestTypes binds definitions to Go types, and compares what the functions return, for compiled
// code and for the interpreter.
func TestTypes(t *testing.T) {
	world, unit := testUnit(t)
	type pair struct{ X, Y float64 }
	for _, engine := range []string{"interp", driver.BestEngine()} {
		bound := func(name string, ask Ask, into any, by ...string) {
			t.Helper()
			to := reflect.ValueOf(into).Elem()
			f, failed := New(t.Context(), Request{World: world, Unit: unit, Name: name, Ask: ask, By: by,
				Go: to.Type(), Settings: driver.Settings{Limits: interp.DefaultLimits(), Engine: engine},
				Wrap: func(_ context.Context, d *diag.Diagnostic) error { return d }})
			if failed != nil {
				t.Fatalf("%s as %v: %v", name, to.Type(), failed.Sorted()[0])
			}
			to.Set(reflect.ValueOf(f.As(to.Type())))
		}
		check := func(what string, got, want any) {
			t.Helper()
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s, %s: %v, want %v", engine, what, got, want)
			}
		}

		var cube func(float64) float64
		bound("cube", Value, &cube)
		check("cube", cube(2), 8.)
		bound("cube", Gradient, &cube)
		check("the slope of cube", cube(2), 12.)
		var both func(float64) (float64, float64)
		bound("cube", ValueGradient, &both)
		y, slope := both(2)
		check("cube and its slope", []float64{y, slope}, []float64{8, 12})

		var slopes func(x, y float64) (float64, float64)
		bound("energy", Gradient, &slopes)
		dx, dy := slopes(3, 5)
		check("the slopes of energy", []float64{dx, dy}, []float64{30, 9})
		var byY func(x, y float64) float64
		bound("energy", Gradient, &byY, "y")
		check("the slope by y", byY(3, 5), 9.)

		var gradient func(grad, xs []float64) float64
		bound("square", ValueGradient, &gradient)
		grad := make([]float64, 3)
		check("square", gradient(grad, []float64{1, -2, 3}), 14.)
		check("its gradient", grad, []float64{2, -4, 6})
		var along func(xs, direction []float64) []float64
		bound("square", HessianVector, &along)
		check("its Hessian along a vector", along([]float64{1, 2}, []float64{1, -1}), []float64{2, -2})
		var push func(xs, direction []float64) float64
		bound("square", Pushforward, &push)
		check("its slope along a vector", push([]float64{1, 2}, []float64{1, -1}), -2.)

		var split func(int) (int, bool)
		bound("split", Value, &split)
		n, large := split(2)
		check("split", []any{n, large}, []any{3, false})
		var point func(pair) (pair, error)
		bound("point", Value, &point)
		p, err := point(pair{1, 2})
		check("point", []any{p, err}, []any{pair{2, 2}, error(nil)})
		var turn func([][]float64) [][]float64
		bound("turn", Value, &turn)
		check("turn", turn([][]float64{{1, 2}, {3, 4}}), [][]float64{{2, 1}, {4, 3}})
		var greet func(string) string
		bound("greet", Value, &greet)
		check("greet", greet("ä\n"), "ä\n")
		var half func(int) *int
		bound("half", Value, &half)
		check("half of 3", half(3), (*int)(nil))
		check("half of 4", *half(4), 2)

		var pick func(context.Context, []float64, int) (float64, error)
		bound("pick", Value, &pick)
		x, err := pick(t.Context(), []float64{1, 2}, 1)
		check("pick", []any{x, err}, []any{2., error(nil)})
		_, err = pick(t.Context(), []float64{1, 2}, 2)
		if d, ok := err.(*diag.Diagnostic); !ok || d.Code != diag.IndexOutOfRange {
			t.Errorf("%s, an index out of range: %v", engine, err)
		}
	}
}

// TestMisfits: a Go type that does not fit is refused, and the diagnostic says why.
func TestMisfits(t *testing.T) {
	world, unit := testUnit(t)
	for _, c := range []struct {
		name string
		ask  Ask
		as   reflect.Type
		by   []string
		want string
	}{
		{"cube", Value, reflect.TypeFor[float64](), nil, "not the type of a function"},
		{"cube", Value, reflect.TypeFor[func(...float64) float64](), nil, "not the type of a function"},
		{"cube", Value, reflect.TypeFor[func() float64](), nil, "no parameters"},
		{"cube", Value, reflect.TypeFor[func(string) float64](), nil, "string"},
		{"cube", Gradient, reflect.TypeFor[func(float64) (float64, float64)](), nil, "2 results"},
		{"energy", Gradient, reflect.TypeFor[func(x, y float64) float64](), []string{"z"}, "z"},
		{"square", Value, reflect.TypeFor[func([]int) float64](), nil, "int does not stand for Real"},
		{"point", Value, reflect.TypeFor[func(struct{ X float64 }) struct{ X, Y float64 }](), nil, "y"},
		{"greet", Gradient, reflect.TypeFor[func(string) string](), nil, "greet"},
		{"nobody", Value, reflect.TypeFor[func(float64) float64](), nil, "nobody"},
	} {
		_, failed := New(t.Context(), Request{World: world, Unit: unit, Name: c.name, Ask: c.ask, Go: c.as,
			By: c.by, Settings: driver.Settings{Limits: interp.DefaultLimits(), Engine: "interp"}})
		if failed == nil {
			t.Errorf("%s is bound to %v", c.name, c.as)
			continue
		}
		if text := failed.Sorted()[0].Error(); !strings.Contains(text, c.want) {
			t.Errorf("%s as %v: %q does not contain %q", c.name, c.as, text, c.want)
		}
	}
}

// TestDecode stores values in Go memory, and refuses memory that does not fit.
func TestDecode(t *testing.T) {
	var xs []float64
	reals := &types.Array{Size: types.AnySize, Elem: types.Real}
	if d := Decode(value.Reals{1, math.Inf(1)}, reals, &xs, Types{}, false); d != nil ||
		!reflect.DeepEqual(xs, []float64{1, math.Inf(1)}) {
		t.Errorf("%v, %v", xs, d)
	}
	var r struct {
		A int
		B bool
	}
	record := &types.Record{Fields: []types.Field{{Name: "a", Type: types.Int}, {Name: "b", Type: types.Bool}}}
	v := value.Record{{Name: "a", Value: value.Int(7)}, {Name: "b", Value: value.Bool(true)}}
	if d := Decode(v, record, &r, Types{}, false); d != nil || r.A != 7 || !r.B {
		t.Errorf("%v, %v", r, d)
	}
	for _, to := range []any{nil, xs, (*float64)(nil), new(string), new(big.Int)} {
		if d := Decode(value.Real(1), types.Real, to, Types{}, false); d == nil || d.Code != diag.CannotBind {
			t.Errorf("a real is decoded into %T: %v", to, d)
		}
	}
}
