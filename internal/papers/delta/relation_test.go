package delta_test

import (
	"math"
	"slices"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/opt"
	"github.com/fluxion-lang/fluxion/internal/papers"
	"github.com/fluxion-lang/fluxion/internal/papers/delta"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// families are closed terms e : ℝ² → A, for each form of A in Fig. 13.
var families = []struct{ name, source string }{
	{"ℝ", "let e ((x, y) : (Real, Real)) : Real = sin (x * y) + x"},
	{"ℝ, a variable", "let e ((x, y) : (Real, Real)) : Real = y"},
	{"ℝ, constant", "let e ((x, y) : (Real, Real)) : Real = 2.5"},
	{"ℤ", "let e ((x, y) : (Real, Real)) : Int = 3 + 4"},
	{"A × B", "let e ((x, y) : (Real, Real)) : (Real, Int, (Real, Real)) = (x * y, 7, (y, 1.5))"},
	{"A + B, left", "data Sum = Inl Real | Inr (Real, Int)\nlet e ((x, y) : (Real, Real)) : Sum = Inl (exp x * y)"},
	{"A + B, right", "data Sum = Inl Real | Inr (Real, Int)\nlet e ((x, y) : (Real, Real)) : Sum = Inr (x / y, 4)"},
	{"ℝ → ℝ", "let e ((x, y) : (Real, Real)) : Real -> Real = fun z => sin (x * z) * y"},
	{"ℝ → ℝ, closed", "let e ((x, y) : (Real, Real)) : Real -> Real = exp"},
	{"ℝ → ℝ, constant", "let e ((x, y) : (Real, Real)) : Real -> Real = fun z => 2"},
	{"ℝ → ℝ → ℝ", "let e ((x, y) : (Real, Real)) : Real -> Real -> Real = fun z => let w = z * x in fun v => w * v + y"},
	{"ℤ → ℝ", "let e ((x, y) : (Real, Real)) : Int -> Real = fun n => x^n * y"},
	{"A × B → C", "let e ((x, y) : (Real, Real)) : (Real, Int) -> (Real, Real) = fun (z, n) => (x * z^n, y)"},
	{"A + B → C", "data Sum = Inl Real | Inr (Real, Int)\nlet e ((x, y) : (Real, Real)) : Sum -> Real = fun s => match s with | Inl z -> x * z | Inr (z, n) -> y * z^n"},
	{"A → B + C", "data Sum = Inl Real | Inr Int\nlet e ((x, y) : (Real, Real)) : Real -> Sum = fun z => if z < 0 then Inr 2 else Inl (x * z * y)"},
	{"(ℝ → ℝ) → ℝ", "let e ((x, y) : (Real, Real)) : (Real -> Real) -> Real = fun f => f (x * f y)"},
	{"(ℝ → ℝ) → ℝ → ℝ", "let e ((x, y) : (Real, Real)) : (Real -> Real) -> Real -> Real = fun f => fun z => f (f (x * z)) + y * f x"},
	{"((ℝ → ℝ) → ℝ) → ℝ", "let e ((x, y) : (Real, Real)) : ((Real -> Real) -> Real) -> Real = fun f => f (fun z => x * z) * y"},
	{"a function in a product", "let e ((x, y) : (Real, Real)) : (Real -> Real, Int) -> Real = fun (f, n) => f (x^n) * y"},
	{"let, recursion", "let e ((x, y) : (Real, Real)) : Real -> Real =\n  let rec power n z = if n == 0 then x else z * power (n - 1) z\n  power 3"},
}

// TestLogicalRelation: the fundamental property (Theorem 4) at every form of
// type, by the definition of the relation in Fig. 13: of a family e : ℝᵃ → A
// and 𝒟{e}, run in a world C, it is checked at several points that
//
//   - C″ extends C without shadowing (E),
//   - at ℝ the values are equal, and the delta is Zero and the family constant,
//     or it is a Var whose meaning in C″, and in every extension of it, is the
//     Jacobian of the family (V at ℝ; Lemma 10), which a reference finds that
//     knows no derivative,
//   - at ℤ the values are equal and constant, at products and sums the
//     components are related, and
//   - at A → B, related arguments give related results.
//
// At ℝᵃ → ℝ it is adequacy, Theorem 5. A value returns in the world in which it
// is (Lemma 11).
func TestLogicalRelation(t *testing.T) {
	w := driver.NewWorld(nil)
	for _, family := range families {
		t.Run(family.name, func(t *testing.T) {
			w.Forget()
			var sink diag.List
			unit := w.LoadText("program.flx", family.source+"\n", nil, &sink)
			if sink.Failed() {
				t.Fatal(sink.Sorted()[0])
			}
			name := unit.Info.Name + ".e"
			program, d := opt.Mono(driver.Gather(unit), opt.Options{Roots: []string{name}, Verify: true})
			if d != nil {
				t.Fatal(d)
			}
			for extra := range 3 {
				plain, dual, all, ty := delta.Observe(program, definition(program, name), extra)
				mono, d := opt.Mono(all, opt.Options{Roots: []string{plain.Name, dual.Name}, Verify: true})
				if d != nil {
					t.Fatal(d)
				}
				for _, at := range []value.Tuple{{value.Real(0.7), value.Real(1.3)}, {value.Real(-0.4), value.Real(2.1)}} {
					p := &papers.Problem{Program: mono, Fun: definition(mono, plain.Name), At: at, Evaluate: plainly}
					checkRelated(t, p, definition(mono, dual.Name), ty, extra)
				}
			}
		})
	}
}

func definition(p *core.Program, name string) *core.Def {
	return p.Defs[slices.IndexFunc(p.Defs, func(d *core.Def) bool { return d.Name == name })]
}

// checkRelated checks one observation at one point.
func checkRelated(t *testing.T, p *papers.Problem, dual *core.Def, ty types.Type, extra int) {
	t.Helper()
	y, _, d := delta.At(p, p.Program, p.Fun)
	if d != nil {
		t.Fatal(d)
	}
	observed, _, d := delta.At(p, p.Program, dual)
	if d != nil {
		t.Fatal(d)
	}
	pair := observed.(value.Tuple)
	world, a := delta.WorldOf(pair[1]), len(value.RealsOf(p.At))
	seen := map[int]bool{}
	for i, b := range world { // the latest first
		if seen[b.ID] || b.ID != a+len(world)-i {
			t.Errorf("%d bindings, and number %d is shadowed or out of order", len(world), b.ID)
		}
		seen[b.ID] = true
	}
	if len(world) < extra {
		t.Errorf("bindings of the world are lost")
	}
	// C′ ⊒ C″, in which nothing may change
	wider := append(delta.World{{ID: a + len(world) + 1, RHS: value.Con{Name: "Var", Args: []value.Value{value.Int(1)}}}}, world...)

	leaf := 0
	eachLeaf(t, ty, y, pair[0], func(x, dx value.Value) {
		number, ok := dx.(value.Tuple)
		if !ok { // not a real: equal and constant
			if value.Show(x) != value.Show(dx) {
				t.Errorf("%s and %s", value.Show(x), value.Show(dx))
			}
			return
		}
		if x, dx := float64(x.(value.Real)), float64(number[0].(value.Real)); math.Abs(x-dx) > 1e-13*math.Max(1, math.Abs(x)) {
			t.Errorf("the values are %v and %v", x, dx)
		}
		k := -1
		p.Cotangent = value.MapReals(y, func(float64) float64 {
			if k++; k == leaf {
				return 1
			}
			return 0
		})
		leaf++
		jacobian := reference(t, p)
		switch con := number[1].(value.Con); con.Name {
		case "Zero":
			if !near(jacobian, make([]float64, a), 0) {
				t.Errorf("the delta is Zero, and the Jacobian %v", jacobian)
			}
		case "Var":
			for _, world := range []delta.World{world, wider} {
				if got := world.Meaning(con, a); !near(got, jacobian, 1e-11) {
					t.Errorf("the delta means %v, and the Jacobian is %v", got, jacobian)
				}
			}
		default:
			t.Errorf("the delta is %s, not Zero or a Var", value.Show(con))
		}
	})
}

// eachLeaf walks a value of a type and its translation.
func eachLeaf(t *testing.T, ty types.Type, y, dy value.Value, f func(x, dx value.Value)) {
	t.Helper()
	switch ty := types.Resolve(ty).(type) {
	case *types.Tuple:
		for i, elem := range ty.Elems {
			eachLeaf(t, elem, y.(value.Tuple)[i], dy.(value.Tuple)[i], f)
		}
	case *types.Data:
		con, dcon := y.(value.Con), dy.(value.Con)
		if con.Name != dcon.Name {
			t.Errorf("the constructors are %s and %s", con.Name, dcon.Name)
			return
		}
		c := ty.Decl.Cons[slices.IndexFunc(ty.Decl.Cons, func(c *types.Con) bool { return c.Name == con.Name })]
		for i, field := range c.FieldTypes(ty) {
			eachLeaf(t, field, con.Args[i], dcon.Args[i], f)
		}
	default:
		f(y, dy)
	}
}
