package pass_test

import (
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/pass"
)

// sizes checks sizes, as functions that are lowered do.
const sizes = `  w = length v
  z0 = le.i 0 n
  z1 = le.i n 1073741824
  z2 = and z0 z1
  check z2
  z3 = le.i 0 k
  z4 = le.i k 1073741824
  z5 = and z3 z4
  check z5
  z6 = le.i w 1073741824
  check z6
`

// TestRows: which buffers can be read row by row.
func TestRows(t *testing.T) {
	for _, c := range []struct {
		name, body string
		rows       bool
	}{
		{"each element", `
  for i < n parallel, add.f from 0.0 {
    a = mul.i i k
    for j < k parallel, add.f from 0.0 {
      b = add.i a j
      x = m[b]
      yield x
    } gives s : f64
    yield s
  } gives t : f64
`, true},
		{"as many as another array has, which was checked", `
  none = le.i n 0
  short = le.i w k
  ok = or none short
  check ok
  for i < n parallel, add.f from 0.0 {
    a = mul.i k i
    for j < w parallel, add.f from 0.0 {
      b = add.i j a
      x = m[b]
      yield x
    } gives s : f64
    yield s
  } gives t : f64
`, true},
		{"as many as another array has, which was not checked", `
  for i < n parallel, add.f from 0.0 {
    a = mul.i k i
    for j < w parallel, add.f from 0.0 {
      b = add.i j a
      x = m[b]
      yield x
    } gives s : f64
    yield s
  } gives t : f64
`, false},
		{"which was checked afterwards", `
  for i < n parallel, add.f from 0.0 {
    a = mul.i k i
    for j < w parallel, add.f from 0.0 {
      b = add.i j a
      x = m[b]
      yield x
    } gives s : f64
    yield s
  } gives t : f64
  short = le.i w k
  check short
`, false},
		{"the first row", `
  for j < k parallel, add.f from 0.0 {
    x = m[j]
    yield x
  } gives t : f64
`, true},
		{"the second row, backwards", `
  last = sub.i k 1
  for j < k parallel, add.f from 0.0 {
    c = sub.i last j
    b = add.i k c
    x = m[b]
    yield x
  } gives t : f64
`, true},
		{"all rows as one", `
  all = mul.i n k
  for j < all parallel, add.f from 0.0 {
    x = m[j]
    yield x
  } gives t : f64
`, false},
		{"columns from -1 on", `
  for j < k parallel, add.f from 0.0 {
    c = sub.i j 1
    b = add.i k c
    x = m[b]
    yield x
  } gives t : f64
`, false},
		{"used otherwise", `
  u = copy m
  t = v[0]
`, false},
	} {
		p, err := loop.Parse("func f(n : i64, k : i64, m : f64s, v : f64s) {\n" + sizes + c.body[1:] + "  yield t\n}\n")
		if err != nil {
			t.Fatal(c.name, err)
		}
		f := p.Funcs[0]
		before := f.String()
		cells := pass.Rows(f, f.Params[2], f.Params[1])
		if (cells != nil) != c.rows {
			t.Errorf("%s: %v", c.name, cells)
		}
		if c.rows && len(cells) != 1 {
			t.Errorf("%s: %d places", c.name, len(cells))
		}
		if f.String() != before {
			t.Errorf("%s: the function has become\n%s", c.name, f)
		}
	}
}

// TestDisjunctions: of a check that has left a loop, one side is known inside.
func TestDisjunctions(t *testing.T) {
	for _, c := range []struct {
		checked, index string
		left           int // checks
	}{
		{"n", "j", 4},  // j < w was checked if there are turns of i and of j
		{"q", "j", 5},  // if there are turns of a loop that this is not inside of
		{"n", "j2", 5}, // of another index
	} {
		p, err := loop.Parse(`func f(n : i64, k : i64, q : i64, v : f64s) {
` + sizes + `  a = le.i ` + c.checked + ` 0
  b = le.i k 0
  last = sub.i k 1
  in = lt.i last w
  ab = or b in
  ok = or a ab
  check ok
  for i < n parallel, add.f from 0.0 {
    for j < k parallel, add.f from 0.0 {
      j2 = add.i j 1
      c = lt.i ` + c.index + ` w
      check c
      x = v[` + c.index + `]
      yield x
    } gives s : f64
    yield s
  } gives t : f64
  yield t
}
`)
		if err != nil {
			t.Fatal(err)
		}
		f := p.Funcs[0]
		for range 2 {
			pass.Checks(f)
			pass.CSE(f)
		}
		left := 0
		loop.Walk(f.Body, func(s loop.Stmt) {
			if _, ok := s.(*loop.Check); ok {
				left++
			}
		})
		if left != c.left {
			t.Errorf("%s, %s: %d checks\n%s", c.checked, c.index, left, f)
		}
	}
}
