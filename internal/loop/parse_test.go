package loop_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/looptest"
	"github.com/fluxion-lang/fluxion/internal/loop/vmath"
)

// TestParse: what is printed is read back as the same program.
func TestParse(t *testing.T) {
	check := func(f *loop.Func) {
		text := f.String()
		p, err := loop.Parse(text)
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if again := loop.Print(p); again != text {
			t.Fatalf("read back as\n%s\nnot\n%s", again, text)
		}
	}
	for seed := range uint64(200) {
		f, _ := looptest.Random(rand.New(rand.NewPCG(seed, 1)), looptest.Options{Updates: true, Whiles: true})
		check(f)
	}
	check(vmath.Define(loop.Lookup("sin")))
}

// TestParseNames: names that are words of the text, and functions of one name, are told apart.
func TestParseNames(t *testing.T) {
	x, y := loop.NewVar("yield", loop.F64), loop.NewVar("a b\n}", loop.F64)
	var b loop.Builder
	z := b.Let("1", loop.AddF, x, y)
	g := &loop.Func{Name: "f", Params: []*loop.Var{x, y}, Body: b.Block(z)}
	u, v := loop.NewVar("", loop.F64), loop.NewVar("nan", loop.F64)
	f := &loop.Func{Name: "f", Params: []*loop.Var{u}, Body: &loop.Block{
		Stmts: []loop.Stmt{&loop.Call{Results: []*loop.Var{v}, Func: g, Args: []loop.Atom{u, loop.Real(2)}}},
		Yield: []loop.Atom{v}}}
	text := loop.Print(&loop.Program{Funcs: []*loop.Func{f, g}})
	p, err := loop.Parse(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if out, err := loop.Eval(p.Funcs[0], loop.RealValue(1)); err != nil || out[0].Real() != 3 {
		t.Errorf("%v, %v from\n%s", out, err, text)
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"func f() {\n  x = add.f 1.0\n}", "2:7: add.f has 2 arguments, not 1"},
		{"func f() {\n  x = frob 1.0\n}", `2:7: "frob" is not an operation`},
		{"func f() {\n  yield y\n}", `2:9: "y" is not bound`},
		{"func f(x : f32) {\n}", "1:12: f32 is not a kind"},
		{"func f() {\n", `2:1: the end of the text instead of a name`},
		{"func f(x : f64) {\n  x = neg.f x\n}", "2:3: x is bound twice"},
		{"func f() {\n  call g\n}", "2:8: there is no function g"},
		{"func f() {\n}\nfunc f() {\n}", "3:6: a second function f"},
		{"func f(n : i64) {\n  for i < n, add.f from 0.0 {\n    yield 1.0\n  }\n}", "2:7: a loop with 1 states and totals gives 0 results"},
		{"func f(x : f64) {\n  y = add.f x 1\n  yield y\n}", "function f: an argument of add.f is i64 where f64 is expected"},
		{"func f() {\n  if true {\n" + strings.Repeat("if true {\n", 2000), "1001:9: more than 1000 blocks within each other"},
	} {
		if _, err := loop.Parse(c.text); err == nil || err.Error() != c.want {
			t.Errorf("%.80q: %v, not %s", c.text, err, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("func f(xs : f64s, n : i64) {\n  for i < n parallel, add.f from 0.0 {\n    x = xs[i]\n    yield x\n  } gives s : f64\n  yield s\n}\n")
	f.Add("func f(x : f64) {\n  while, y : f64 = x {\n    c = lt.f y 2.0\n    yield c\n  } do {\n    z = add.f y 1.0\n    yield z\n  } gives w : f64\n  yield w\n}\n")
	for seed := range uint64(5) {
		g, _ := looptest.Random(rand.New(rand.NewPCG(seed, 1)), looptest.Options{Updates: true, Whiles: true})
		f.Add(g.String())
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := loop.Parse(text)
		if err != nil {
			return
		}
		once := loop.Print(p)
		q, err := loop.Parse(once)
		if err != nil {
			t.Fatalf("%v in what was printed\n%s", err, once)
		}
		if twice := loop.Print(q); twice != once {
			t.Fatalf("printed as\n%s\nand then as\n%s", once, twice)
		}
	})
}
