package loop

import (
	"math"
	"testing"
)

// dot returns Σ xs[i] ys[i].
func dot() *Func {
	xs, ys, n := NewVar("xs", F64s), NewVar("ys", F64s), NewVar("n", I64)
	var b Builder
	sum := b.Sum("i", n, func(b *Builder, i *Var) Atom {
		return b.Let("p", MulF, b.Load("x", xs, i), b.Load("y", ys, i))
	})
	return &Func{Name: "dot", Params: []*Var{xs, ys, n}, Body: b.Block(sum)}
}

func TestEval(t *testing.T) {
	f := dot()
	if err := Verify(&Program{Funcs: []*Func{f}}); err != nil {
		t.Fatal(err)
	}
	out, err := Eval(f, RealsValue([]float64{1, 2, 3}), RealsValue([]float64{4, 5, 6}), IntValue(3))
	if err != nil || out[0].Real() != 32 {
		t.Errorf("dot is %v, %v", out, err)
	}
}

// TestUnwritten: an element that nothing has written may be read if a selection drops it, and only
// then.
func TestUnwritten(t *testing.T) {
	for _, c := range []struct {
		use  string
		fine bool
	}{
		{"y = select.f false x 2.0", true},
		{"y = select.f true x 2.0", false},
		{"y = add.f x 2.0", false},
		{"y = add.f 1.0 1.0\n  xs[0] = x", false},
		{"y = add.f 1.0 1.0\n  xs[0] += y", false},
		{"for i < 2 parallel, add.f from 0.0 {\n    yield x\n  } gives y : f64", false},
	} {
		p, err := Parse("func f() {\n  xs = alloc f64s 2\n  x = xs[1]\n  " + c.use + "\n  yield y\n}\n")
		if err != nil {
			t.Fatal(err)
		}
		failed := func() (failed bool) {
			defer func() { failed = recover() != nil }()
			out, err := Eval(p.Funcs[0])
			return err != nil || out[0].Real() != 2
		}()
		if failed == c.fine {
			t.Errorf("%s: it fails is %v", c.use, failed)
		}
	}
}

func TestVerifyFinds(t *testing.T) {
	f := dot()
	f.Body.Yield = []Atom{NewVar("stray", F64)}
	if Verify(&Program{Funcs: []*Func{f}}) == nil {
		t.Error("a variable that is not bound passes")
	}
	f = dot()
	f.Body.Stmts[0].(*For).Reds[0].Op = AddI
	if Verify(&Program{Funcs: []*Func{f}}) == nil {
		t.Error("a total of doubles by an addition of integers passes")
	}
}

// TestOps: the operations that are rows of the language's table compute what the rows do.
func TestOps(t *testing.T) {
	if Lookup("exp") == nil || OfPrim(Lookup("exp").Prim) != Lookup("exp") {
		t.Fatal("exp is missing")
	}
	if got := Fold(Lookup("exp"), []Atom{Real(1)}); got.F != math.E {
		t.Errorf("exp 1 = %v", got.F)
	}
	for _, c := range [][3]int64{{7, 2, 3}, {-7, 2, -4}, {7, -2, -4}, {-7, -2, 3}, {5, 0, 0}, {math.MinInt64, -1, math.MinInt64}} {
		if got := Fold(DivI, []Atom{Int(c[0]), Int(c[1])}); got.I != c[2] {
			t.Errorf("div.i %d %d = %d", c[0], c[1], got.I)
		}
	}
}

func TestVarying(t *testing.T) {
	f := dot()
	loop := f.Body.Stmts[0].(*For)
	varies := Varying(loop)
	Walk(loop.Body, func(s Stmt) {
		Defs(s, func(v *Var) {
			if !varies.Has(v) {
				t.Errorf("%s does not vary", v.Name)
			}
		})
	})
	if varies.Has(f.Params[2]) {
		t.Error("the count varies")
	}
}
