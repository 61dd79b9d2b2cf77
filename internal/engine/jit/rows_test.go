package jit

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Points that write two rows of K numbers each, and a number after them: Note [Rows of lanes].
// OTHERS are further writes.
const pointRows = `func rows(n : i64, x : f64s, c : f64s) {
  size = mul.i n SIZE
  y = alloc f64s size zero
  z = alloc f64s size zero
  e = alloc f64s size zero
  for p < n parallel lanes {
    at = mul.i p SIZE
    v = x[p]
    for k < K parallel {
      w = c[k]
      vw = mul.f v w
      a = add.i at k
      y[a] = vw
      s = sub.f vw v
      b = add.i a K
      y[b] = s
      OTHERS
    }
    last = add.i at LAST
    y[last] = v
  }
  yield y z e
}`

// TestRowsOfLanes: rows that are written by turns side by side are those of the turns one by one,
// for any number of points and length of the rows.
func TestRowsOfLanes(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for name, opts := range variants() {
		for _, others := range []string{
			"",
			"twice = mul.i k 2\nf = add.i at twice\nz[f] = s", // elements that do not lie side by side
			"z[a] = v\nz[a] = w",                              // the same one again
			"e[a] = v\nf = sub.i b K\ne[f] = w",
		} {
			testRows(t, rng, name, opts, others, 1, 7, 8, 9, 12, 16, 26)
		}
		// Turns that leave their vectors in memory, one of those that run side by side or two; and
		// some whose places depend on what a turn computes.
		testRows(t, rng, name, opts, longTurns(60)+"e[a] = long", 11, 16)
		testRows(t, rng, name, opts, longTurns(100)+"m = sub.i at n\nf = add.i m k\ng = add.i f n\ne[g] = long\ntwice = mul.i k 2\nh = add.i at twice\nz[h] = long", 8, 26)
		testRows(t, rng, name, opts, longTurns(60)+"m = add.i k n\nf = sub.i m n\ng = add.i at f\ne[g] = long\nz[a] = v", 9)
	}
}

// longTurns are n statements that make a turn long, and a number of theirs.
func longTurns(n int) string {
	var b strings.Builder
	b.WriteString("l0 = mul.f v w\n")
	for i := range n {
		fmt.Fprintf(&b, "l%d = add.f l%d w\n", i+1, i)
	}
	fmt.Fprintf(&b, "long = neg.f l%d\n", n)
	return b.String()
}

func testRows(t *testing.T, rng *rand.Rand, name string, opts Options, others string, lengths ...int) {
	t.Helper()
	for _, k := range lengths {
		size := fmt.Sprint(3 * k)
		text := strings.NewReplacer("SIZE", size, "LAST", fmt.Sprint(3*k-1), "K", fmt.Sprint(k)).Replace(strings.Replace(pointRows, "OTHERS", others, 1))
		program, err := loop.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		f := program.Funcs[0]
		code, err := Compile(program, opts)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{0, 1, 8, 13, 16, 40} {
			xs, cs := make([]float64, n), make([]float64, k)
			for i := range xs {
				xs[i] = rng.Float64()*2 - 1
			}
			for i := range cs {
				cs[i] = rng.Float64()*2 - 1
			}
			args := []loop.Value{loop.IntValue(int64(n)), loop.RealsValue(xs), loop.RealsValue(cs)}
			want, err := loop.Eval(f, clone(args)...)
			if err != nil {
				t.Fatal(err)
			}
			if err := agree(f, code, opts.Deterministic, want, nil, args); err != nil {
				t.Errorf("%s, %d points of %d: %v", name, n, k, err)
			}
		}
	}
}
