package pass_test

import (
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/pass"
)

// TestPlace: arrays that are appended, and rows that are put one after the other, are stored where
// they stay; a copy that leaves out elements, that is not the only use, or whose places a check in
// a loop guards, stays.
func TestPlace(t *testing.T) {
	for _, tc := range []struct {
		what, body string
		allocs     int
	}{
		{"appended", `
  a = alloc f64s n
  for i < n parallel {
    x = xs[i]
    y = neg.f x
    a[i] = y
  }
  m = mul.i n 2
  b = alloc f64s m
  for j < n parallel {
    u = a[j]
    b[j] = u
    k = add.i j n
    z = xs[j]
    b[k] = z
  }
  yield b`, 1},
		{"rows", `
  m = mul.i n 3
  b = alloc f64s m
  for i < n parallel {
    row = alloc f64s 3
    x = xs[i]
    row[0] = x
    y = neg.f x
    row[1] = y
    row[2] = 7.0
    k = mul.i i 3
    for j < 3 parallel {
      z = row[j]
      at = add.i j k
      b[at] = z
    }
  }
  yield b`, 1},
		{"nested", `
  m = mul.i n 6
  a = alloc f64s m
  for h < m parallel {
    g = mod.i h n
    x = xs[g]
    a[h] = x
  }
  l = add.i m 1
  b = alloc f64s l
  for i < n parallel {
    p = mul.i i 6
    for j < 2 parallel {
      q = mul.i j 3
      for k < 3 parallel {
        r = add.i k q
        s = add.i r p
        z = a[s]
        t = add.i s 1
        b[t] = z
      }
    }
  }
  b[0] = 5.0
  yield b`, 1},
		{"a length known late", `
  a = alloc f64s n
  for i < n parallel {
    x = xs[i]
    a[i] = x
  }
  u = real n
  s = neg.f u
  some = lt.f s u
  k = select.i some 1 2
  h = int s
  g = and.i h 3
  e = add.i k g
  m = add.i n e
  b = alloc f64s m zero
  for j < n parallel {
    z = a[j]
    b[j] = z
  }
  yield b`, 1},
		{"a length read late", `
  a = alloc f64s n
  for i < n parallel {
    x = xs[i]
    a[i] = x
  }
  u = xs[0]
  h = int u
  g = and.i h 3
  m = add.i n g
  b = alloc f64s m zero
  for j < n parallel {
    z = a[j]
    b[j] = z
  }
  yield b`, 2},
		{"not all", `
  l = add.i n 1
  a = alloc f64s l
  for i < l parallel {
    a[i] = 2.0
  }
  b = alloc f64s n
  for j < n parallel {
    x = a[j]
    b[j] = x
  }
  yield b`, 2},
		{"used twice", `
  a = alloc f64s n
  for i < n parallel {
    x = xs[i]
    a[i] = x
  }
  b = alloc f64s n
  for j < n parallel {
    z = a[j]
    b[j] = z
  }
  y = a[0]
  yield b y`, 2},
		{"zeros", `
  a = alloc f64s n zero
  a[0] = 4.0
  b = alloc f64s n
  for j < n parallel {
    z = a[j]
    b[j] = z
  }
  yield b`, 2},
		{"reversed", `
  a = alloc f64s n
  for i < n parallel {
    x = xs[i]
    a[i] = x
  }
  b = alloc f64s n
  for j < n parallel {
    z = a[j]
    k = sub.i n j
    l = add.i k -1
    b[l] = z
  }
  yield b`, 2},
		{"guarded", `
  b = alloc f64s n
  for i < n parallel {
    row = alloc f64s 1
    row[0] = 4.0
    l = mod.i i 5
    ok = lt.i l n
    check ok
    for j < 1 parallel {
      z = row[j]
      at = add.i j l
      b[at] = z
    }
  }
  yield b`, 2},
	} {
		text := "func f(n : i64, xs : f64s) {\n  low = le.i 1 n\n  check low\n  high = le.i n 1000\n  check high" + tc.body + "\n}"
		p, err := loop.Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", tc.what, err)
		}
		f := p.Funcs[0]
		args := []loop.Value{loop.IntValue(3), loop.RealsValue([]float64{1, 2, 3})}
		want, fails := outcome(t, tc.what, "", f, args)
		pass.Place(f)
		pass.DeadCode(f)
		if got, now := outcome(t, tc.what, text, f, args); now != fails || !fails && !close(f, want, got) {
			t.Errorf("%s: %v became %v\n%s", tc.what, want, got, f)
		}
		allocs := 0
		loop.Walk(f.Body, func(s loop.Stmt) {
			if _, ok := s.(*loop.Alloc); ok {
				allocs++
			}
		})
		if allocs != tc.allocs {
			t.Errorf("%s: %d buffers instead of %d\n%s", tc.what, allocs, tc.allocs, f)
		}
	}
}
