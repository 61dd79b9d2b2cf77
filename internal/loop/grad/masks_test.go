package grad_test

import (
	"math"
	"slices"
	"strings"
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
// with masks that say nothing, and is the same. It is that also if the weights move as well, in
// other directions, if not all rows are summed, and if one of the angles moves all points.
func TestMasks(t *testing.T) {
	const n, m = 16, 40
	for _, c := range []struct {
		name    string
		program string
		weights bool // whether the weights move
		factor  int  // the least that masks save
	}{
		{"angles", bones, false, 3},
		{"weights", strings.Replace(strings.Replace(bones, "weight = weights[wb]", "weight = shares[wb]", 1), "out = alloc f64s m", `all = mul.i n m
  shares = alloc f64s all
  for e.2 < all parallel {
    old = weights[e.2]
    half = mul.f old 0.5
    shares[e.2] = half
  }
  out = alloc f64s m`, 1), true, 2},
		{"fewer rows", strings.Replace(strings.Replace(bones, "for b.1 < n", "for b.1 < less", 1),
			"out = alloc f64s m", "less = add.i n -3\n  out = alloc f64s m", 1), false, 3},
		{"places", strings.Replace(bones, "p = places[i]", "p.1 = places[i]\n    a = angles[3]\n    p = add.f p.1 a", 1), false, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := loop.Parse(c.program)
			if err != nil {
				t.Fatal(err)
			}
			f := p.Funcs[0]
			pass.Expand(f, pass.Options{})
			wanted := []bool{true, false, false, false, c.weights, false}
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
			parents, bits, nothing := make([]int64, n), make([]int64, n+1), make([]int64, n+1)
			units, shifts := make([]float64, n*n), make([]float64, n*m*n)
			moved, all := make([]int64, n*m+1), make([]int64, n*m+1)
			for b := range n {
				angles[b], parents[b] = 0.1*float64(b)-0.7, int64(b)-1
				if b%4 == 0 {
					parents[b] = -1
				}
				nothing[b] = -1
				if !c.weights || b > 1 {
					units[b*n+b], bits[b] = 1, 1<<b
				}
				for i := range m {
					at := i*n + b
					weights[at], places[i] = float64(i+b), float64(i)-1.5
					shifts[at*n+b%2], moved[at], all[at] = 1, 3, -1 // in the first two directions
				}
			}
			args := []loop.Value{loop.RealsValue(angles), loop.IntsValue(parents), loop.IntValue(n), loop.IntValue(m),
				loop.RealsValue(weights), loop.RealsValue(places)}
			with := func(angles, weights []int64) []loop.Value {
				if !c.weights {
					return append(slices.Clone(args), loop.RealsValue(units), loop.IntsValue(angles))
				}
				return append(slices.Clone(args), loop.RealsValue(units), loop.RealsValue(shifts), loop.IntsValue(angles), loop.IntsValue(weights))
			}
			got, whole := run(t, dirs, with(bits, moved)...), run(t, dirs, with(nothing, all)...)
			if !same(got[1].Reals(), whole[1].Reals()) {
				t.Errorf("masks change the derivative from %v to %v", whole[1].Reals(), got[1].Reals())
			}
			for k := range n {
				column := func(wide []float64) loop.Value {
					var out []float64
					for i := k; i < len(wide); i += n {
						out = append(out, wide[i])
					}
					return loop.RealsValue(out)
				}
				along := append(slices.Clone(args), column(units))
				if c.weights {
					along = append(along, column(shifts))
				}
				for i, x := range run(t, fwd, along...)[1].Reals() {
					if y := got[1].Reals()[i*n+k]; math.Abs(y-x) > 1e-12*math.Abs(x) {
						t.Errorf("in direction %d, point %d has %v instead of %v", k, i, y, x)
					}
				}
			}
			pass.Optimize(dirs, pass.Options{}) // without the values that are computed once more in vain
			sparse, dense := loop.Measure(dirs, with(bits, moved)...).Work, loop.Measure(dirs, with(nothing, all)...).Work
			t.Logf("%d operations, without masks %d", sparse, dense)
			if c.factor*int(sparse) > int(dense) {
				t.Errorf("masks leave %d of %d operations", sparse, dense)
			}
		})
	}
}

// manyBuffers writes to several buffers in a turn, and chooses between several reals.
const manyBuffers = `func f(xs : f64s, n : i64) {
  a = alloc f64s n
  b = alloc f64s n
  c = alloc f64s n
  for i < n parallel {
    x = xs[i]
    s = sin x
    large = lt.f 0.5 s
    if large {
      y = cos x
      z = mul.f y y
      yield y z x
    } else {
      y.1 = mul.f x x
      yield s x y.1
    } gives p : f64, q : f64, r : f64
    a[i] = p
    b[i] = q
    c[i] = r
  }
  yield a b c
}
`

// TestMasksInOrder: the derivative is the same program each time, whatever the order of maps is.
func TestMasksInOrder(t *testing.T) {
	p, err := loop.Parse(manyBuffers)
	if err != nil {
		t.Fatal(err)
	}
	first := ""
	for range 20 {
		f, err := grad.Directions(p, p.Funcs[0], []bool{true, false}, 7, looptest.Rules)
		if err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = f.String()
		} else if f.String() != first {
			t.Fatalf("the derivative is\n%s\nand then\n%s", first, f)
		}
	}
}
