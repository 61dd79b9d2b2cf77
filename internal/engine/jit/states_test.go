package jit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/engine/jit/lower"
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// replaced is a loop whose state is a buffer that each turn makes anew. It starts with xs, of
// another length perhaps; OTHER uses xs once more.
const replaced = `func f(n : i64, m : i64, turns : i64, as : f64s) {
  xs = alloc f64s m
  for i < m parallel {
    a = as[i]
    xs[i] = a
  }
  ys = alloc f64s m
  for h < m parallel {
    b = as[h]
    c = neg.f b
    ys[h] = c
  }
  BEFORE
  for t < turns, s : f64s = xs, r : f64s = INIT {
    INSIDE
    next = alloc f64s n
    for j < n parallel {
      k = min.i j LEAST
      x = s[k]
      y = r[k]
      z = sub.f x y
      o = mul.f z 0.5
      next[j] = o
    }
    others = alloc f64s n
    for j2 < n parallel {
      k2 = min.i j2 LEAST
      x2 = s[k2]
      y2 = add.f x2 EXTRA
      others[j2] = y2
    }
    yield next others
  } gives last : f64s, other : f64s
  u = last[0]
  v = other[1]
  AFTER
  yield u v w
}
`

// TestSpentStates: the buffer that a loop starts with becomes one of those that its turns write,
// unless it is too short or something needs it. The results are those of the evaluator.
func TestSpentStates(t *testing.T) {
	for _, c := range []struct {
		what, before, init, inside, extra, after string
		spent                                    int
	}{
		{"both spent", "", "ys", "", "1.0", "w = add.f u v", 2},
		{"one starts both", "", "xs", "", "1.0", "w = add.f u v", 0},
		{"read before", "q = xs[0]", "ys", "", "q", "w = add.f u v", 2},
		{"read after", "", "ys", "", "1.0", "w = xs[1]", 1},
		{"read in the loop", "", "ys", "q = xs[1]", "q", "w = add.f u v", 1},
		{"another name", "for e < 0, p : f64s = xs {\n yield p\n } gives same : f64s", "ys", "", "1.0", "w = same[1]", 1},
	} {
		for _, size := range [][3]int64{{4, 4, 3}, {4, 9, 2}, {9, 4, 5}, {40, 33, 4}, {3, 2, 0}, {17, 17, 1}} {
			n, m, turns := size[0], size[1], size[2]
			text := strings.NewReplacer("BEFORE", c.before, "INIT", c.init, "INSIDE", c.inside, "EXTRA", c.extra, "AFTER", c.after,
				"LEAST", fmt.Sprint(min(n, m)-1)).Replace(replaced)
			p, err := loop.Parse(text)
			if err != nil {
				t.Fatalf("%s: %v", c.what, err)
			}
			check(t, p, []loop.Value{loop.IntValue(n), loop.IntValue(m), loop.IntValue(turns), reals(int(m))})
			if n := lower.Spent(p.Funcs[0]).Len(); n != c.spent {
				t.Errorf("%s: %d buffers are spent, not %d", c.what, n, c.spent)
			}
		}
	}
}

// lengthened is a loop in one with lanes: its state becomes longer by what a buffer says, and is
// half of what it was, or 0.
const lengthened = `func f(n : i64, xs : f64s) {
  for i < n parallel lanes, add.f from 0.0 {
    x = xs[i]
    lens = alloc i64s 3
    for h < 3 parallel {
      l = mul.i h 5
      m = add.i l 3
      lens[h] = m
    }
    first = alloc f64s 3
    for a < 3 parallel {
      first[a] = START
    }
    for t < 3, s : f64s = first {
      k = lens[t]
      next = alloc f64s k zero
      for j < 3 parallel {
        y = s[j]
        z = mul.f y 0.5
        next[j] = z
      }
      yield next
    } gives last : f64s
    u = last[2]
    v = mul.f u x
    yield v
  } gives total : f64
  yield total
}
`

// TestLengthenedStates: the length of a buffer that a turn makes is not known before the loop,
// although the loop has been lowered for other lanes by then.
func TestLengthenedStates(t *testing.T) {
	for _, start := range []string{"1.0", "x"} {
		p, err := loop.Parse(strings.Replace(lengthened, "START", start, 1))
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{1, 3, 8, 13, 40} {
			check(t, p, []loop.Value{loop.IntValue(int64(n)), reals(n)})
		}
	}
}
