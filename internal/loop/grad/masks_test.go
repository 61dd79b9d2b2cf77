package grad_test

import (
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/grad"
	"github.com/fluxion-lang/fluxion/internal/loop/looptest"
	"github.com/fluxion-lang/fluxion/internal/loop/pass"
)

// bones moves points by the motions of bones: that of a bone is a row of two numbers, which depend
// on its angle and on those of the bones that it hangs on. Every third bone has no angle.
const bones = `func bones(angles : f64s, parents : i64s, n : i64, m : i64, weights : f64s, places : f64s) {
  size = mul.i n 2
  moves = alloc f64s size
  for b < n parallel {
    third = mod.i b 3
    rigid = eq.i third 2
    if rigid {
      yield 1.0
    } else {
      x = angles[b]
      s = sin x
      yield s
    } gives own : f64
    up = parents[b]
    while, s.1 : f64 = own, at : i64 = up {
      more = le.i 0 at
      yield more
    } do {
      y = angles[at]
      c = cos y
      t = mul.f s.1 c
      next = parents[at]
      yield t next
    } gives whole : f64, root : i64
    row = mul.i b 2
    for j < 2 parallel {
      e = add.i row j
      f = real j
      g = add.f f whole
      h = mul.f g whole
      moves[e] = h
    }
  }
  out = alloc f64s m
  for i < m parallel {
    w = mul.i i n
    p = places[i]
    for b.1 < n parallel, add.f from 0.0 {
      wb = add.i w b.1
      weight = weights[wb]
      row.1 = mul.i b.1 2
      for j.1 < 2 parallel, add.f from 0.0 {
        e.1 = add.i row.1 j.1
        x.1 = moves[e.1]
        z = mul.f x.1 p
        yield z
      } gives inner : f64
      q = mul.f weight inner
      yield q
    } gives sum : f64
    square = mul.f sum sum
    out[i] = square
  }
  yield out
}
`

// TestMasks: a direction costs what it moves. Bones hang on few others, so that most motions do not
// depend on most angles; with masks that say so, the derivative takes a fraction of what it takes
// with masks that say nothing, and is the same.
func TestMasks(t *testing.T) {
	p, err := loop.Parse(bones)
	if err != nil {
		t.Fatal(err)
	}
	f := p.Funcs[0]
	const n, m = 16, 40
	wanted := []bool{true, false, false, false, false, false}
	dirs, err := grad.Directions(p, f, wanted, n, looptest.Rules)
	if err != nil {
		t.Fatal(err)
	}
	verify(t, p, dirs)
	fwd, err := grad.Forward(p, f, wanted, looptest.Rules)
	if err != nil {
		t.Fatal(err)
	}
	angles, weights, places := make([]float64, n), make([]float64, n*m), make([]float64, m)
	parents, units, bits, nothing := make([]int64, n), make([]float64, n*n), make([]int64, n), make([]int64, n)
	for b := range n {
		angles[b], parents[b] = 0.1*float64(b)-0.7, int64(b)-1
		if b%4 == 0 {
			parents[b] = -1
		}
		units[b*n+b], bits[b], nothing[b] = 1, 1<<b, -1
		for i := range m {
			weights[i*n+b], places[i] = float64(i+b), float64(i)-1.5
		}
	}
	args := []loop.Value{loop.RealsValue(angles), loop.IntsValue(parents), loop.IntValue(n), loop.IntValue(m),
		loop.RealsValue(weights), loop.RealsValue(places)}
	with := func(masks []int64) []loop.Value {
		return append(append([]loop.Value{}, args...), loop.RealsValue(units), loop.IntsValue(masks))
	}
	got, whole := run(t, dirs, with(bits)...), run(t, dirs, with(nothing)...)
	if !same(got[1].Reals(), whole[1].Reals()) {
		t.Errorf("masks change the derivative from %v to %v", whole[1].Reals(), got[1].Reals())
	}
	for k := range n {
		want := run(t, fwd, append(append([]loop.Value{}, args...), loop.RealsValue(units[k*n:(k+1)*n]))...)
		for i, x := range want[1].Reals() {
			if y := got[1].Reals()[i*n+k]; y != x {
				t.Errorf("in direction %d, point %d has %v instead of %v", k, i, y, x)
			}
		}
	}
	pass.Optimize(dirs, pass.Options{}) // without the values that are computed once more in vain
	sparse, dense := loop.Work(dirs, with(bits)...), loop.Work(dirs, with(nothing)...)
	t.Logf("%d operations, without masks %d", sparse, dense)
	if 3*sparse > dense {
		t.Errorf("masks leave %d of %d operations", sparse, dense)
	}
}
