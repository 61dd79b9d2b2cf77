package pass_test

import (
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/pass"
)

// TestUnroll: loops of few turns become their turns, the inner ones too, with the states and totals
// of each turn; a loop in a turn that has many turns is copied; what is stored at a known place is
// read from there.
func TestUnroll(t *testing.T) {
	p, err := loop.Parse(`func f(xs : f64s, n : i64) {
  t = alloc f64s 4
  for i < 2, a : f64 = 1.0, b : f64 = 2.0 {
    r = mul.i i 2
    for j < 2 parallel, add.f from a {
      k = add.i r j
      x = xs[k]
      t[k] = x
      yield x
    } gives s : f64
    for l < n parallel, add.f from 0.0 {
      v = xs[l]
      w = mul.f v s
      yield w
    } gives u : f64
    yield b u
  } gives c : f64, d : f64
  y = t[3]
  z = mul.f c y
  yield z d
}
`)
	if err != nil {
		t.Fatal(err)
	}
	pass.Unroll(p.Funcs[0])
	pass.DeadCode(p.Funcs[0])
	want := `func f(xs : f64s, n : i64) {
  x = xs[0]
  s = add.f x 1.0
  x.1 = xs[1]
  s.1 = add.f s x.1
  for l < n parallel, add.f from 0.0 {
    v = xs[l]
    w = mul.f v s.1
    yield w
  } gives u : f64
  x.2 = xs[2]
  s.2 = add.f x.2 2.0
  x.3 = xs[3]
  s.3 = add.f s.2 x.3
  for l.1 < n parallel, add.f from 0.0 {
    v.1 = xs[l.1]
    w.1 = mul.f v.1 s.3
    yield w.1
  } gives u.1 : f64
  z = mul.f u x.3
  yield z u.1
}
`
	if got := loop.Print(p); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
