package pass_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/pass"
)

// network is a recurrence that multiplies its state by a matrix, which lies from base on in w.
const network = `func f(w : f64s, s0 : f64s, base : i64, turns : i64, n : i64) {
  for t < turns, s : f64s = s0 {
    m = length s
    same = eq.i m n
    check same
    next = alloc f64s n
    for i < n parallel {
      a = mul.i i m
      row = add.i a BASE
      for j < m parallel, add.f from 0.0 {
        at = add.i row j
        x = w[at]
        y = s[j]
        p = mul.f x y
        yield p
      } gives total : f64
      z = tanh total
      next[i] = z
    }
    yield next
  } gives last : f64s
  yield last
}
`

// TestTranspose: a matrix that a recurrence multiplies by is transposed if it stays the same, and
// results are the same bits. It is not read where the recurrence has no turn or fails first.
func TestTranspose(t *testing.T) {
	for _, c := range []struct {
		name, m, base string
		transposed    bool
	}{
		{"a parameter", "n", "base", true},
		{"from the start", "n", "0", true},
		{"another length of rows", "m", "base", false},
		{"another matrix in each turn", "n", "t", false},
	} {
		text := strings.Replace(network, "mul.i i m", "mul.i i "+c.m, 1)
		text = strings.Replace(text, "j < m", "j < "+c.m, 1)
		text = strings.Replace(text, "BASE", c.base, 1)
		p, err := loop.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []struct{ turns, n, length, state int }{
			{0, 3, 0, 3}, {1, 0, 0, 0}, {1, 8, 66, 8}, {3, 8, 66, 8}, {5, 11, 126, 11}, {2, 5, 0, 4}, {-1, -2, 0, 0},
		} {
			g := *p.Funcs[0]
			f := &g
			w, s := make([]float64, size.length), make([]float64, size.state)
			for i := range w {
				w[i] = float64(i%7-3) / 5
			}
			for i := range s {
				s[i] = float64(i+1) / 8
			}
			args := []loop.Value{loop.RealsValue(w), loop.RealsValue(s), loop.IntValue(2),
				loop.IntValue(int64(size.turns)), loop.IntValue(int64(size.n))}
			want, wrong := loop.Eval(f, args...)
			pass.Transpose(f)
			if err := loop.Verify(&loop.Program{Funcs: []*loop.Func{f}}); err != nil {
				t.Fatal(err)
			}
			got, failed := loop.Eval(f, args...)
			if !errors.Is(failed, wrong) {
				t.Fatalf("%s, %v: %v, not %v", c.name, size, failed, wrong)
			}
			if wrong == nil {
				for i, x := range want[0].Buf {
					if got[0].Buf[i] != x {
						t.Fatalf("%s, %v: element %d differs\n%s", c.name, size, i, f)
					}
				}
			}
			if is := strings.Contains(f.String(), "w.t"); is != c.transposed {
				t.Errorf("%s: transposed %v\n%s", c.name, is, f)
			}
		}
	}
}
