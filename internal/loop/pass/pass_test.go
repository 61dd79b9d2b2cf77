package pass_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/grad"
	"github.com/fluxion-lang/fluxion/internal/loop/looptest"
	"github.com/fluxion-lang/fluxion/internal/loop/pass"
)

var passes = []struct {
	name string
	run  func(*loop.Func)
}{
	{"in place", pass.InPlace},
	{"dead", pass.DeadCode},
	{"simplify", pass.Simplify},
	{"cse", pass.CSE},
	{"checks", pass.Checks},
	{"hoist", pass.Hoist},
	{"hoist reads", pass.HoistReads},
	{"unroll", pass.Unroll},
	{"offsets", pass.Offsets},
	{"fuse", pass.Fuse},
	{"place", pass.Place},
	{"forward", pass.Forward},
	{"reuse", pass.Reuse},
	{"sink", pass.Sink},
	{"peel", pass.Peel},
	{"interchange", pass.Interchange},
	{"split", pass.Split},
	{"accumulators", pass.Accumulators},
	{"branches", func(f *loop.Func) { pass.Branches(f, 100) }},
	{"lanes", pass.Lanes},
	{"inward", pass.Inward},
	{"all", func(f *loop.Func) { pass.Optimize(f, pass.Options{Schedule: true}) }},
	{"cse, dead", func(f *loop.Func) { pass.CSE(f); pass.DeadCode(f) }},
}

func eval(t *testing.T, what string, before string, f *loop.Func, args []loop.Value) []loop.Value {
	t.Helper()
	if err := loop.Verify(loop.Reached(f)); err != nil {
		t.Fatalf("%s: %v\n%s\nfrom\n%s", what, err, f, before)
	}
	defer func() {
		if r := recover(); r != nil {
			t.Fatalf("%s: %v\n%s\nfrom\n%s", what, r, f, before)
		}
	}()
	out, err := loop.Eval(f, clone(args)...)
	if err != nil {
		t.Fatalf("%s: %v\n%s\nfrom\n%s", what, err, f, before)
	}
	return out
}

func clone(args []loop.Value) []loop.Value {
	out := append([]loop.Value{}, args...)
	for i := range out {
		out[i].Buf = append([]uint64(nil), out[i].Buf...)
	}
	return out
}

// close tells whether results agree, doubles up to the order of additions.
func close(f *loop.Func, xs, ys []loop.Value) bool {
	real := func(a, b uint64) bool {
		x, y := math.Float64frombits(a), math.Float64frombits(b)
		return x == y || math.IsNaN(x) && math.IsNaN(y) || math.Abs(x-y) <= 1e-9*(1+math.Abs(x))
	}
	for i, a := range f.Body.Yield {
		switch a.AtomKind() {
		case loop.F64:
			if !real(xs[i].Word, ys[i].Word) {
				return false
			}
		case loop.F64s:
			if len(xs[i].Buf) != len(ys[i].Buf) {
				return false
			}
			for j := range xs[i].Buf {
				if !real(xs[i].Buf[j], ys[i].Buf[j]) {
					return false
				}
			}
		default:
			if xs[i].Word != ys[i].Word {
				return false
			}
		}
	}
	return true
}

// subject is a random function, or the derivative of one.
func subject(t *testing.T, seed uint64) (*loop.Func, []loop.Value) {
	rng := rand.New(rand.NewPCG(seed, 4))
	o := looptest.Options{Size: 4, Updates: seed%2 == 0, Whiles: true, Smooth: seed%4 > 1}
	o.Copies = seed%8 == 0 || seed%8 == 6
	o.Calls = seed%5 == 3
	f, args := looptest.Random(rng, o)
	if seed%8 == 6 {
		pass.InPlace(f)
	}
	if seed%2 == 0 {
		return f, args
	}
	out := eval(t, "random", "", f, args)
	r, err := grad.Reverse(&loop.Program{}, f, []bool{true, true, false, true, false}, looptest.Rules)
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range f.Body.Yield {
		switch a.AtomKind() {
		case loop.F64:
			args = append(args, loop.RealValue(rng.Float64()))
		case loop.F64s:
			xs := make([]float64, len(out[i].Buf))
			for j := range xs {
				xs[j] = rng.Float64()
			}
			args = append(args, loop.RealsValue(xs))
		}
	}
	return r, args
}

// outcome is what a run gives, and whether a check has failed.
func outcome(t *testing.T, what, before string, f *loop.Func, args []loop.Value) ([]loop.Value, bool) {
	t.Helper()
	if err := loop.Verify(loop.Reached(f)); err != nil {
		t.Fatalf("%s: %v\n%s\nfrom\n%s", what, err, f, before)
	}
	defer func() {
		if r := recover(); r != nil {
			t.Fatalf("%s: %v\n%s\nfrom\n%s", what, r, f, before)
		}
	}()
	out, err := loop.Eval(f, clone(args)...)
	return out, err != nil
}

// TestChecks: a check fails after the passes just if it did before, and what it guards is not
// done in front of it.
func TestChecks(t *testing.T) {
	failed := 0
	for seed := range looptest.Checks(300) {
		rng := rand.New(rand.NewPCG(seed, 5))
		f, args := looptest.Random(rng, looptest.Options{Size: 4, Checks: true, Whiles: true})
		want, fails := outcome(t, "before", "", f, args)
		if fails {
			failed++
		}
		before := f.String()
		if seed%2 == 0 {
			pass.Checks(f)
		} else {
			pass.Optimize(f, pass.Options{Schedule: true})
		}
		got, now := outcome(t, "after", before, f, args)
		if now != fails || !fails && !close(f, want, got) {
			t.Fatalf("seed %d: failed before: %v, after: %v\n%s\nto\n%s", seed, fails, now, before, f)
		}
	}
	t.Logf("%d fail", failed)
}

// TestCountsOfChecks: in a loop whose count is not negative since it is the larger one of an
// integer and 0, the integer is known to be positive, so that indices next to those of another loop
// need no checks.
func TestCountsOfChecks(t *testing.T) {
	p, err := loop.Parse(`func f(xs : f64s, width : i64, height : i64) {
  ok = le.i 0 width
  check ok
  ok.1 = le.i width 1000000
  check ok.1
  ok.2 = le.i 0 height
  check ok.2
  ok.3 = le.i height 1000000
  check ok.3
  n = sub.i width height
  n.1 = add.i n 1
  n.2 = max.i n.1 0
  n.3 = min.i n.2 1000
  for i < n.3 parallel, add.f from 0.0 {
    for j < height parallel, add.f from 0.0 {
      k = add.i i j
      in = lt.i k width
      check in
      x = xs[k]
      yield x
    } gives sum : f64
    yield sum
  } gives total : f64
  yield total
}
`)
	if err != nil {
		t.Fatal(err)
	}
	f := p.Funcs[0]
	pass.Checks(f)
	checks := 0
	loop.Walk(f.Body, func(s loop.Stmt) {
		if _, ok := s.(*loop.Check); ok {
			checks++
		}
	})
	if checks != 4 {
		t.Errorf("%d checks\n%s", checks, f)
	}
}

// TestPeel: a loop that treats its first turn in another way runs in lanes.
func TestPeel(t *testing.T) {
	xs, n := loop.NewVar("xs", loop.F64s), loop.NewVar("n", loop.I64)
	var b loop.Builder
	out := b.Alloc("out", loop.F64s, n, false)
	b.Parallel("i", n, func(b *loop.Builder, i *loop.Var) {
		var then, otherwise loop.Builder
		y := loop.NewVar("y", loop.F64)
		x := otherwise.Load("x", xs, otherwise.Let("k", loop.SubI, i, loop.Int(1)))
		b.Add(&loop.If{Results: []*loop.Var{y}, Cond: b.Let("first", loop.EqI, i, loop.Int(0)),
			Then: then.Block(loop.Real(7)), Else: otherwise.Block(x)})
		b.Store(out, i, y)
	})
	f := &loop.Func{Name: "shift", Params: []*loop.Var{xs, n}, Body: b.Block(out)}
	pass.Optimize(f, pass.Options{Schedule: true})
	for size := range 4 {
		data := []float64{1, 2, 3}[:size]
		got := eval(t, "shift", "", f, []loop.Value{loop.RealsValue(data), loop.IntValue(int64(size))})[0].Reals()
		for i, x := range got {
			if want := append([]float64{7}, data...)[i]; x != want {
				t.Errorf("element %d of %d is %v, not %v", i, size, x, want)
			}
		}
	}
	lanes := false
	loop.Walk(f.Body, func(s loop.Stmt) {
		if s, ok := s.(*loop.For); ok {
			lanes = lanes || s.Lanes
		}
	})
	if !lanes {
		t.Errorf("no lanes\n%s", f)
	}
}

// TestPasses: each pass keeps the meaning of random functions and of their derivatives.
func TestPasses(t *testing.T) {
	for _, p := range passes {
		t.Run(p.name, func(t *testing.T) {
			for seed := range looptest.Checks(40) {
				f, args := subject(t, seed)
				want := eval(t, "before", "", f, args)
				before := loop.Print(loop.Reached(f))
				for _, g := range loop.Reached(f).Funcs {
					p.run(g)
				}
				got := eval(t, p.name, before, f, args)
				if !close(f, want, got) {
					t.Fatalf("seed %d: %s changes the results\n%s\nto\n%s", seed, p.name, before, loop.Print(loop.Reached(f)))
				}
			}
		})
	}
}

// TestLate: checks of finite results and of ties leave loops, checks of integers stay.
func TestLate(t *testing.T) {
	text := `func f(n : i64, xs : f64s, ks : i64s) {
  for i < n parallel, add.f from 0.0 {
    for j < n parallel, add.f from 0.0 {
      x = xs[j]
      a = abs.f x
      finite = lt.f a inf
      check finite
      tied = eq.f x 1.0
      untied = not tied
      check untied
      yield x
    } gives s : f64
    k = ks[i]
    small = lt.i k 7
    check small
    big = le.f s 9.0
    check big
    yield s
  } gives total : f64
  yield total
}
`
	p, err := loop.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	pass.Late(p.Funcs[0])
	if err := loop.Verify(p); err != nil {
		t.Fatal(err)
	}
	got := loop.Print(p)
	inner := got[strings.Index(got, "for j"):strings.Index(got, "gives s")]
	if strings.Contains(inner, "check") {
		t.Errorf("a check stays in the inner loop:\n%s", got)
	}
	after := got[strings.LastIndex(got, "gives total"):]
	if strings.Count(got, "check") != 3 || strings.Count(after, "check") != 1 {
		t.Errorf("the late checks are not one after the outer loop, and the others in it:\n%s", got)
	}
	for _, x := range []float64{2, math.MaxFloat64, math.Copysign(0, -1), 1, math.Inf(1), math.Inf(-1), math.NaN()} {
		before, _ := loop.Parse(text)
		args := []loop.Value{loop.IntValue(2), loop.RealsValue([]float64{-3, x}), loop.IntsValue([]int64{1, 6})}
		want, wantErr := loop.Eval(before.Funcs[0], args...)
		got, err := loop.Eval(p.Funcs[0], args...)
		if (err == nil) != (wantErr == nil) || err == nil && got[0].Word != want[0].Word {
			t.Errorf("at %v: %v, %v and not %v, %v", x, got, err, want, wantErr)
		}
	}
}

// TestHoistedGuards: in a loop that becomes two, no read leaves the inner loop over a check that
// may guard it.
func TestHoistedGuards(t *testing.T) {
	p, err := loop.Parse(`func f(n : i64, k : i64, a : i64, m : i64, xs : f64s, ks : i64s) {
  for i < n parallel, add.f from 0.0 {
    for j < k parallel, add.f from 0.0 {
      w = xs[i]
      q = ks[j]
      small = lt.i q 7
      inside = lt.i a m
      both = and small inside
      check both
      x = xs[a]
      y = mul.f x w
      yield y
    } gives s : f64
    yield s
  } gives total : f64
  yield total
}
`)
	if err != nil {
		t.Fatal(err)
	}
	f := p.Funcs[0]
	before := f.String()
	pass.HoistReads(f)
	if err := loop.Verify(p); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(f.String(), "if ") {
		t.Fatalf("the loop has not become two:\n%s", f)
	}
	args := func(a int64) []loop.Value {
		return []loop.Value{loop.IntValue(2), loop.IntValue(1), loop.IntValue(a), loop.IntValue(2), loop.RealsValue([]float64{3, 5}),
			loop.IntsValue([]int64{1})}
	}
	if got, fails := outcome(t, "inside", before, f, args(1)); fails || got[0].Real() != 40 {
		t.Errorf("%v, failed: %v", got, fails)
	}
	if _, fails := outcome(t, "outside", before, f, args(9)); !fails {
		t.Error("the check does not fail")
	}
}

// TestRootSlope: half of the inverse of a root is what the quotient is, bit for bit.
func TestRootSlope(t *testing.T) {
	text := "func f(x : f64) {\n  r = sqrt x\n  s = div.f 0.5 r\n  yield s\n}\n"
	before, err := loop.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	after, _ := loop.Parse(text)
	pass.Simplify(after.Funcs[0])
	if got := loop.Print(after); !strings.Contains(got, "div.f 1.0 r") {
		t.Fatalf("the inverse of the root is not shared:\n%s", got)
	}
	for _, x := range []float64{0, math.Copysign(0, -1), 5e-324, 1e-310, 0.1, 0.3, 2, 3, 1e300, math.MaxFloat64, math.Inf(1), -1} {
		want, _ := loop.Eval(before.Funcs[0], loop.RealValue(x))
		got, _ := loop.Eval(after.Funcs[0], loop.RealValue(x))
		if g, w := got[0].Real(), want[0].Real(); g != w && !(math.IsNaN(g) && math.IsNaN(w)) {
			t.Errorf("at %v it is %v and not %v", x, g, w)
		}
	}
}

// TestPowers: small powers are products.
func TestPowers(t *testing.T) {
	for n := int64(-1); n <= 4; n++ {
		x := loop.NewVar("x", loop.F64)
		var b loop.Builder
		f := &loop.Func{Name: "f", Params: []*loop.Var{x}, Body: b.Block(b.Let("y", loop.PowI, x, loop.Int(n)))}
		f.Body.Stmts = b.Stmts
		pass.Simplify(f)
		loop.Walk(f.Body, func(s loop.Stmt) {
			if s.(*loop.Let).Op == loop.PowI {
				t.Errorf("x^%d stays", n)
			}
		})
		for _, at := range []float64{0.7, -3, 0, math.Copysign(0, -1), math.Inf(-1), 1e-200, 1e200} {
			out, err := loop.Eval(f, loop.RealValue(at))
			want := loop.Fold(loop.PowI, []loop.Atom{loop.Real(at), loop.Int(n)}).F
			if got := out[0].Real(); err != nil || got != want && math.Abs(got-want) > 1e-15*math.Abs(want) {
				t.Errorf("%v^%d = %v, not %v", at, n, got, want)
			}
		}
	}
}

// TestConditions: selections between conditions are written by and, or and not, and a condition
// that is already part of one is not added again.
func TestConditions(t *testing.T) {
	a, b := loop.NewVar("a", loop.Bool), loop.NewVar("b", loop.Bool)
	yes, no := loop.Truth(true), loop.Truth(false)
	for _, c := range []struct {
		name  string
		make  func(*loop.Builder) loop.Atom
		stmts int
	}{
		{"a ? true : b", func(o *loop.Builder) loop.Atom { return o.Let("c", loop.SelB, a, yes, b) }, 1},
		{"a ? false : b", func(o *loop.Builder) loop.Atom { return o.Let("c", loop.SelB, a, no, b) }, 2},
		{"a ? b : true", func(o *loop.Builder) loop.Atom { return o.Let("c", loop.SelB, a, b, yes) }, 2},
		{"a ? b : false", func(o *loop.Builder) loop.Atom { return o.Let("c", loop.SelB, a, b, no) }, 1},
		{"a ? true : false", func(o *loop.Builder) loop.Atom { return o.Let("c", loop.SelB, a, yes, no) }, 0},
		{"a ? false : true", func(o *loop.Builder) loop.Atom { return o.Let("c", loop.SelB, a, no, yes) }, 1},
		{"(a || b) || b", func(o *loop.Builder) loop.Atom { return o.Let("c", loop.Or, o.Let("d", loop.Or, a, b), b) }, 1},
		{"a && (a && b)", func(o *loop.Builder) loop.Atom { return o.Let("c", loop.And, a, o.Let("d", loop.And, a, b)) }, 1},
	} {
		var o loop.Builder
		f := &loop.Func{Name: "f", Params: []*loop.Var{a, b}, Body: o.Block(c.make(&o))}
		f.Body.Stmts = o.Stmts
		var want []bool
		at := func(i int) bool {
			out, err := loop.Eval(f, loop.IntValue(int64(i&1)), loop.IntValue(int64(i>>1)))
			if err != nil {
				t.Fatal(err)
			}
			return out[0].Word != 0
		}
		for i := range 4 {
			want = append(want, at(i))
		}
		pass.Simplify(f)
		if n := len(f.Body.Stmts); n != c.stmts {
			t.Errorf("%s has %d operations, not %d:\n%s", c.name, n, c.stmts, f)
		}
		for i := range 4 {
			if at(i) != want[i] {
				t.Errorf("%s is wrong:\n%s", c.name, f)
			}
		}
	}
}
