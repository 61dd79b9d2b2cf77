package pass_test

import (
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/pass"
)

// TestFlat: in lanes, a nest that stores elements and a loop that sums them become one nest, which
// gives the same bits. They stay where other elements are meant, or where something else reads them.
func TestFlat(t *testing.T) {
	const text = `func f(image : f64s, n : i64, p : i64, q : i64, width : i64) {
  a = mul.i q p
  out = alloc f64s n
  for l < n parallel lanes {
    xs = alloc f64s a
    for i < p parallel {
      m = mul.i i ROW
      r = mul.i i width
      c = add.i r l
      for j < q parallel {
        at = add.i j c
        x = image[at]
        k = add.i m j
        xs[k] = x
      }
    }
    for e < COUNT parallel, add.f from 0.5, max.f from 0.0 {
      y = xs[INDEX]
      z = real e
      v = mul.f y z
      yield v y
    } gives total : f64, most : f64
    OTHER
    both = add.f total most
    out[l] = both
  }
  yield out
}
`
	for _, c := range []struct {
		name, row, count, index, other string
		allocs                         int
	}{
		{"one nest", "q", "a", "e", "", 1},
		{"some of the elements", "q", "p", "e", "", 2},
		{"another order", "p", "a", "e", "", 2},
		{"one element", "q", "a", "0", "", 2},
		{"read again", "q", "a", "e", "w = xs[0]", 2},
	} {
		r := strings.NewReplacer("ROW", c.row, "COUNT", c.count, "INDEX", c.index, "OTHER", c.other)
		p, err := loop.Parse(r.Replace(text))
		if err != nil {
			t.Fatal(err)
		}
		f := p.Funcs[0]
		image := make([]float64, 64)
		for i := range image {
			image[i] = 1 / float64(i+3)
		}
		args := func() []loop.Value {
			return []loop.Value{loop.RealsValue(image), loop.IntValue(5), loop.IntValue(3), loop.IntValue(3), loop.IntValue(9)}
		}
		want := eval(t, c.name, f.String(), f, args())
		pass.Flat(f)
		pass.DeadCode(f)
		if err := loop.Verify(p); err != nil {
			t.Fatalf("%s: %v\n%s", c.name, err, f)
		}
		got := eval(t, c.name, f.String(), f, args())
		for i := range want[0].Buf {
			if want[0].Buf[i] != got[0].Buf[i] {
				t.Fatalf("%s: element %d differs\n%s", c.name, i, f)
			}
		}
		allocs := 0
		loop.Walk(f.Body, func(s loop.Stmt) {
			if _, ok := s.(*loop.Alloc); ok {
				allocs++
			}
		})
		if allocs != c.allocs {
			t.Errorf("%s: %d buffers, not %d\n%s", c.name, allocs, c.allocs, f)
		}
	}
}
