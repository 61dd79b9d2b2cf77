package pass_test

import (
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/pass"
)

// TestDepths: a loop in a loop that yields what the outer index or state chooses is not one in
// front of both that yields the same of its own.
func TestDepths(t *testing.T) {
	for _, body := range []string{`
  for i < 2 parallel, add.f from 0.0 {
    x = xs[i]
    yield x
  } gives all : f64
  for j < 2, s : f64 = all {
    for k < 2 parallel, add.f from 0.0 {
      y = xs[j]
      yield y
    } gives twice : f64
    yield twice
  } gives last : f64
  yield all last`, `
  while, a : f64 = 0.5 {
    more = lt.f a 3.0
    yield more
  } do {
    b = mul.f a 2.0
    yield b
  } gives c : f64
  while, p : f64 = 0.5 {
    go = lt.f p 3.0
    yield go
  } do {
    while, q : f64 = 0.5 {
      r = lt.f q 1.0
      yield r
    } do {
      u = mul.f q 2.0
      yield u
    } gives w : f64
    z = add.f p w
    yield z
  } gives e : f64
  yield c e`} {
		p, err := loop.Parse("func f(xs : f64s) {" + body + "\n}\n")
		if err != nil {
			t.Fatal(err)
		}
		f, args := p.Funcs[0], []loop.Value{loop.RealsValue([]float64{3, 5})}
		before := f.String()
		want := eval(t, "before", "", f, args)
		pass.CSE(f)
		if got := eval(t, "cse", before, f, args); !close(f, want, got) {
			t.Errorf("%v, was %v\n%s\nfrom\n%s", got, want, f, before)
		}
	}
}

// TestManyParameters: what is computed twice of very many parameters, each of which has a number of
// its own, is found.
func TestManyParameters(t *testing.T) {
	f := &loop.Func{Name: "many"}
	var b loop.Builder
	sum := func() loop.Atom {
		y := loop.Atom(f.Params[0])
		for _, p := range f.Params[1:] {
			y = b.Let("y", loop.AddF, y, p)
		}
		return y
	}
	for range 3000 {
		f.Params = append(f.Params, loop.NewVar("x", loop.F64))
	}
	f.Body = b.Block(sum(), sum())
	if pass.CSE(f); len(f.Body.Stmts) != len(f.Params)-1 || f.Body.Yield[0] != f.Body.Yield[1] {
		t.Errorf("%d statements are left for two sums of %d parameters", len(f.Body.Stmts), len(f.Params))
	}
}
