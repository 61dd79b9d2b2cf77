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

// limbs has a row of two numbers for each limb, made by a branch of which one side does not move,
// and then the products of these rows along the limbs that each one hangs on.
const limbs = `func limbs(angles : f64s, parents : i64s, n : i64, m : i64, weights : f64s) {
  size = mul.i n 2
  own = alloc f64s size
  for b < n parallel {
    third = mod.i b 3
    rigid = eq.i third 2
    if rigid {
      still = alloc f64s 2
      still[0] = 1.5
      still[1] = 0.5
      yield still
    } else {
      x = angles[b]
      s = sin x
      c = cos x
      bent = alloc f64s 2
      bent[0] = s
      bent[1] = c
      yield bent
    } gives turn : f64s
    row = mul.i b 2
    for j < 2 parallel {
      t = turn[j]
      u = mul.f t t
      e = add.i row j
      own[e] = u
    }
  }
  moves = alloc f64s size
  for b.1 < n parallel {
    row.1 = mul.i b.1 2
    start = alloc f64s 2
    for j.1 < 2 parallel {
      e.1 = add.i row.1 j.1
      a = own[e.1]
      start[j.1] = a
    }
    up = parents[b.1]
    while, st : f64s = start, at : i64 = up {
      more = le.i 0 at
      yield more
    } do {
      row.2 = mul.i at 2
      next = alloc f64s 2
      for j.2 < 2 parallel {
        e.2 = add.i row.2 j.2
        o = own[e.2]
        p = st[j.2]
        q = mul.f o p
        next[j.2] = q
      }
      above = parents[at]
      yield next above
    } gives whole : f64s, root : i64
    for j.3 < 2 parallel {
      e.3 = add.i row.1 j.3
      w = whole[j.3]
      moves[e.3] = w
    }
  }
  out = alloc f64s m
  for i < m parallel {
    first = mul.i i n
    for b.2 < n parallel, add.f from 0.0 {
      k = add.i first b.2
      weight = weights[k]
      row.3 = mul.i b.2 2
      for j.4 < 2 parallel, add.f from 0.0 {
        e.4 = add.i row.3 j.4
        y = moves[e.4]
        yield y
      } gives inner : f64
      z = mul.f weight inner
      yield z
    } gives total : f64
    out[i] = total
  }
  yield out
}
`

// TestUncleared: tangents are not cleared where those who read them look at masks, and are the same
// as one by one. They are cleared if a second segment writes to them, if what is read has no mask
// of its own, or if they are results.
func TestUncleared(t *testing.T) {
	const m = 3
	for _, c := range []struct {
		name    string
		program string
		cleared string // names of wide tangents that are cleared
	}{
		{"limbs", limbs, ""},
		// Another mask for the second half of a row.
		{"halves", strings.Replace(limbs, "      bent[1] = c\n", "      last = angles[0]\n      more.1 = mul.f c last\n      bent[1] = more.1\n", 1), ""},
		// The rows of a limb's parent, whatever they are, with no mask that is known.
		{"anywhere", strings.Replace(limbs, "row.2 = mul.i at 2", "twice = add.i at at\n      row.2 = max.i twice 0", 1), "down"},
		// The second half of a row is written by another segment, which has another mask.
		{"again", strings.Replace(limbs, "      bent[1] = c\n", `      nought = min.i third 0
      half = bent[nought]
      last = angles[0]
      both = mul.f half last
      bent[1] = both
`, 1), "dbent dboth"},
		{"late", strings.Replace(strings.Replace(strings.Replace(limbs, "      bent[1] = c\n", "", 1), "      still[1] = 0.5\n", "", 1),
			"gives turn : f64s\n", "gives turn : f64s\n    half = angles[0]\n    turn[1] = half\n", 1), "zeros dbent"},
		{"no rows", strings.Replace(limbs, "own = alloc f64s size", "large = add.i size 2\n  own = alloc f64s large", 1), "down"},
		{"result", strings.Replace(limbs, "  yield out\n}", "  yield out own\n}", 1), "down"},
	} {
		// Groups of directions: a short one, several with an end that overlaps, and with the last
		// bit of a mask.
		for _, directions := range []int{6, 20, 64} {
			n := directions
			p, err := loop.Parse(c.program)
			if err != nil {
				t.Fatal(err)
			}
			f := p.Funcs[0]
			pass.Expand(f, pass.Options{})
			wanted := []bool{true, false, false, false, false}
			dirs, err := grad.Directions(p, f, wanted, int64(directions), looptest.Rules)
			if err != nil {
				t.Fatal(err)
			}
			verify(t, p, dirs)
			var cleared []string
			loop.Walk(dirs.Body, func(s loop.Stmt) {
				if a, ok := s.(*loop.Alloc); ok && a.Zero && a.Var.Name != "dtotal" {
					cleared = append(cleared, a.Var.Name)
				}
			})
			if got := strings.Join(cleared, " "); got != c.cleared {
				t.Errorf("%s, %d directions: these are cleared: %q, and not %q\n%s", c.name, n, got, c.cleared, dirs)
			}
			fwd, err := grad.Forward(p, f, wanted, looptest.Rules)
			if err != nil {
				t.Fatal(err)
			}
			angles, weights := make([]float64, n), make([]float64, n*m)
			parents, bits := make([]int64, n), make([]int64, n+1)
			units := make([]float64, n*directions)
			for b := range n {
				angles[b], parents[b] = 0.1*float64(b)-0.7, int64(b)-1
				if b%5 == 0 { // limbs hang on those of other groups of directions too
					parents[b] = int64(b) - 9
				}
				units[b*directions+b], bits[b] = 1, 1<<b
			}
			for i := range weights {
				weights[i] = float64(i%7) - 2.5
			}
			args := []loop.Value{loop.RealsValue(angles), loop.IntsValue(parents), loop.IntValue(int64(n)), loop.IntValue(m), loop.RealsValue(weights)}
			wide := append(slices.Clone(args), loop.RealsValue(units), loop.IntsValue(bits))
			check := func(got []loop.Value) {
				t.Helper()
				results := len(f.Body.Yield)
				for k := n - 1; k >= 0; k -= max(n/6, 1) {
					column := make([]float64, n)
					column[k] = 1
					want := run(t, fwd, append(slices.Clone(args), loop.RealsValue(column))...)
					for r := range results {
						for i, x := range want[results+r].Reals() {
							if y := got[results+r].Reals()[i*directions+k]; math.Abs(y-x) > 1e-12*math.Abs(x) {
								t.Errorf("%s: in direction %d of %d, element %d of result %d has %v instead of %v", c.name, k, n, i, r, y, x)
							}
						}
					}
				}
			}
			check(run(t, dirs, wide...))
			if n != 20 {
				continue // which takes long
			}
			pass.Optimize(dirs, pass.Options{})
			verify(t, p, dirs)
			check(run(t, dirs, wide...))
		}
	}
}
