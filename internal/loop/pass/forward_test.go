package pass_test

import (
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/pass"
)

// TestForward: what is read of a copy is read of the original; a copy stays if it has other
// elements than the original, if it is used as a whole, or if the original is updated in place.
func TestForward(t *testing.T) {
	for _, tc := range []struct {
		what, body string
		allocs     int
	}{
		{"read elsewhere", `
  b = alloc f64s n
  for i < n parallel {
    x = xs[i]
    b[i] = x
  }
  for j < n parallel, add.f from 0.0 {
    k = sub.i n j
    l = add.i k -1
    y = b[l]
    z = xs[j]
    p = mul.f y z
    yield p
  } gives total : f64
  yield total`, 0},
		{"a copy of a copy", `
  b = alloc f64s n
  for i < n parallel {
    x = xs[i]
    b[i] = x
  }
  c = alloc f64s n
  for j < n parallel {
    y = b[j]
    c[j] = y
  }
  z = c[0]
  yield z`, 0},
		{"one value", `
  z = xs[0]
  b = alloc f64s n zero
  for i < n parallel {
    b[i] = z
  }
  for j < n parallel, add.f from 0.0 {
    k = sub.i n j
    l = add.i k -1
    y = b[l]
    x = xs[j]
    p = mul.f y x
    yield p
  } gives total : f64
  yield total`, 0},
		{"one value, and another", `
  z = xs[0]
  b = alloc f64s n zero
  for i < n parallel {
    b[i] = z
  }
  b[0] += 1.0
  y = b[0]
  yield y`, 1},
		{"one value, but for the last", `
  z = xs[0]
  m = add.i n -1
  b = alloc f64s n zero
  for i < m parallel {
    b[i] = z
  }
  y = b[m]
  yield y`, 1},
		{"changed", `
  b = alloc f64s n
  for i < n parallel {
    x = xs[i]
    y = neg.f x
    b[i] = y
  }
  z = b[0]
  yield z`, 1},
		{"shifted", `
  m = add.i n -1
  b = alloc f64s m
  for i < m parallel {
    k = add.i i 1
    x = xs[k]
    b[i] = x
  }
  z = b[0]
  yield z`, 1},
		{"a part, among zeros", `
  b = alloc f64s n zero
  for i < 2 parallel {
    x = xs[i]
    b[i] = x
  }
  z = b[2]
  yield z`, 1},
		{"given", `
  b = alloc f64s n
  for i < n parallel {
    x = xs[i]
    b[i] = x
  }
  z = b[0]
  yield z b`, 1},
		{"updated", `
  a = copy xs
  for t < 1, s : f64s = a {
    b = alloc f64s n
    for i < n parallel {
      x = s[i]
      b[i] = x
    }
    u = s with [0] = 8.0
    y = b[0]
    u.1 = u with [1] = y
    yield u.1
  } gives r : f64s
  z = r[1]
  yield z`, 1},
		{"updated under another name", `
  a = copy xs
  x0 = xs[0]
  c = lt.f x0 0.0
  for t < 1, s : f64s = a {
    if c {
      yield xs
    } else {
      yield s
    } gives e : f64s
    b = alloc f64s n
    for i < n parallel {
      x = e[i]
      b[i] = x
    }
    u = s with [0] = 8.0
    y = b[0]
    u.1 = u with [1] = y
    yield u.1
  } gives r : f64s
  z = r[1]
  yield z`, 1},
		{"of a buffer of one value", `
  a = alloc f64s n
  for j < n parallel {
    a[j] = 7.0
  }
  b = alloc f64s n
  for i < n parallel {
    x = a[i]
    b[i] = x
  }
  z = b[1]
  yield z`, 0},
		{"of a buffer of the turn", `
  b = alloc f64s n
  for i < n parallel {
    a = alloc f64s n
    for j < n parallel {
      y = real j
      a[j] = y
    }
    x = a[i]
    b[i] = x
  }
  z = b[0]
  yield z`, 2},
	} {
		p, err := loop.Parse("func f(n : i64, xs : f64s) {" + tc.body + "\n}\n")
		if err != nil {
			t.Fatalf("%s: %v", tc.what, err)
		}
		f := p.Funcs[0]
		args := []loop.Value{loop.IntValue(3), loop.RealsValue([]float64{1, 2, 4})}
		before := f.String()
		want := eval(t, "before", "", f, args)
		pass.Forward(f)
		if got := eval(t, "Forward", before, f, args); !close(f, want, got) {
			t.Errorf("%s: the results change\n%s", tc.what, f)
		}
		allocs := 0
		loop.Walk(f.Body, func(s loop.Stmt) {
			if _, ok := s.(*loop.Alloc); ok {
				allocs++
			}
		})
		if allocs != tc.allocs {
			t.Errorf("%s: %d buffers are made, not %d\n%s", tc.what, allocs, tc.allocs, f)
		}
	}
}
