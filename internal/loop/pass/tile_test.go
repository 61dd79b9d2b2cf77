package pass_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/pass"
)

// product writes a nest of loops over the given indices, from the outermost one. Its matrices are
// transposed where a name says so, and it adds up a total if r is innermost and total is true.
func product(order string, transposed string, total bool) string {
	index := func(m string, row, column string) string {
		if strings.Contains(transposed, m) {
			return fmt.Sprintf("%s0 = mul.i %s %sn\n%s1 = add.i %s %s0\n", m, column+"i", row, m, row+"i", m)
		}
		return fmt.Sprintf("%s0 = mul.i %s %sn\n%s1 = add.i %s0 %s\n", m, row+"i", column, m, m, column+"i")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "func f(pn : i64, qn : i64, rn : i64, a : f64s, b : f64s) {\nn = mul.i pn qn\nc = alloc f64s n zero\n")
	for k, l := range order {
		fmt.Fprintf(&b, "for %ci < %cn parallel", l, l)
		if total && k == 2 {
			b.WriteString(", add.f from 0.0")
		}
		b.WriteString(" {\n")
	}
	b.WriteString(index("a", "p", "r") + index("b", "r", "q") + "x = a[a1]\ny = b[b1]\nxy = mul.f x y\n")
	if total {
		b.WriteString("yield xy\n} gives t : f64\n" + index("c", "p", "q") + "c[c1] += t\n}\n}\n")
	} else {
		b.WriteString(index("c", "p", "q") + "c[c1] += xy\n}\n}\n}\n")
	}
	b.WriteString("yield c\n}\n")
	return b.String()
}

// Products in every order of loops and of every layout have the same result in tiles, whatever is
// left of them at the ends, and become calls of one function.
func TestTiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	reals := func(n int) loop.Value {
		xs := make([]float64, n)
		for i := range xs {
			xs[i] = rng.Float64()*2 - 1
		}
		return loop.RealsValue(xs)
	}
	for _, order := range []string{"pqr", "prq", "qpr", "qrp", "rpq", "rqp"} {
		for _, transposed := range []string{"", "a", "b", "ab", "c", "bc"} {
			for _, total := range []bool{false, true} {
				if total && order[2] != 'r' {
					continue
				}
				text := product(order, transposed, total)
				program, err := loop.Parse(text)
				if err != nil {
					t.Fatalf("%v\n%s", err, text)
				}
				f := program.Funcs[0]
				tiled := *f
				made := pass.Tile{Rows: 3, Columns: 8}.Tiles(&tiled)
				if len(made) != 1 {
					t.Fatalf("no tiles:\n%s", text)
				}
				for range 4 {
					p, q, r := 1+rng.IntN(20), 1+rng.IntN(20), 1+rng.IntN(20)
					args := []loop.Value{loop.IntValue(int64(p)), loop.IntValue(int64(q)), loop.IntValue(int64(r)), reals(p * r), reals(r * q)}
					if want, got := eval(t, "product", text, f, args), eval(t, "tiles", text, &tiled, args); !close(f, want, got) {
						t.Fatalf("%d × %d × %d: %v\nnot %v\n%s", p, r, q, got, want, &tiled)
					}
				}
			}
		}
	}
}

// What is not a product of matrices stays as it is.
func TestNoTiles(t *testing.T) {
	for name, text := range map[string]string{
		"triangle": `func f(n : i64, a : f64s, b : f64s) {
  m = mul.i n n
  c = alloc f64s m zero
  for i < n parallel {
    u = mul.i i n
    for j < n parallel {
      at = add.i u j
      for k < i parallel {
        x = a[at]
        v = mul.i k n
        w = add.i v j
        y = b[w]
        z = mul.f x y
        c[at] += z
      }
    }
  }
  yield c
}`,
		"matrix and vector": `func f(n : i64, a : f64s, b : f64s) {
  c = alloc f64s n zero
  for i < n parallel {
    u = mul.i i n
    for j < n parallel {
      for k < n parallel {
        v = add.i u k
        x = a[v]
        y = b[k]
        z = mul.f x y
        c[i] += z
      }
    }
  }
  yield c
}`,
	} {
		program, err := loop.Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		f := program.Funcs[0]
		before := f.String()
		if (pass.Tile{Rows: 3, Columns: 8}).Tiles(f); f.String() != before {
			t.Errorf("%s: has become\n%s", name, f)
		}
	}
}

// A loop that also writes something else than products stays as it is.
func TestNoTilesBesideStores(t *testing.T) {
	text := strings.Replace(product("prq", "", false), "for ri < rn parallel {", "c[pi] += 1.0\nfor ri < rn parallel {", 1)
	program, err := loop.Parse(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	f := program.Funcs[0]
	before := f.String()
	if made := (pass.Tile{Rows: 3, Columns: 8}).Tiles(f); made != nil || f.String() != before {
		t.Errorf("has become\n%s", f)
	}
}

// Products of matrices of the same layout share one function for small ones, with the arguments of
// each.
func TestAlikeNests(t *testing.T) {
	nest := func(k, order, c, a, b string) string {
		text := product(order, "", false)
		text = text[strings.Index(text, "for "):strings.Index(text, "yield c")]
		rename := strings.NewReplacer("c[", c+"[", "a[", a+"[", "b[", b+"[")
		text = rename.Replace(text)
		for _, v := range []string{"pi", "qi", "ri", "a0", "a1", "b0", "b1", "c0", "c1", "x ", "y ", "xy"} {
			v = strings.TrimSpace(v)
			text = regexp.MustCompile(`\b`+v+`\b`).ReplaceAllString(text, v+"."+k)
		}
		return text
	}
	for name, c := range map[string]struct {
		second string // the order of the second product's loops
		small  int    // functions for small ones
	}{"alike": {"prq", 1}, "other order": {"pqr", 0}} {
		text := "func f(pn : i64, qn : i64, rn : i64, a : f64s, b : f64s) {\nn = mul.i pn qn\nc = alloc f64s n zero\nd = alloc f64s n zero\n" +
			nest("1", "prq", "c", "a", "b") + nest("2", c.second, "d", "b", "a") + "yield c d\n}\n"
		program, err := loop.Parse(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		f := program.Funcs[0]
		tiled := *f
		small := 0
		for _, f := range (pass.Tile{Rows: 3, Columns: 8}).Tiles(&tiled) {
			if f.Name == "product.small" {
				small++
			}
		}
		if small != c.small {
			t.Errorf("%s: %d functions for small products:\n%s", name, small, &tiled)
		}
		rng := rand.New(rand.NewPCG(7, 8))
		for _, n := range []int{1, 7, 8, 17} {
			xs, ys := make([]float64, n*n), make([]float64, n*n)
			for i := range xs {
				xs[i], ys[i] = rng.Float64(), rng.Float64()
			}
			size := loop.IntValue(int64(n))
			args := []loop.Value{size, size, size, loop.RealsValue(xs), loop.RealsValue(ys)}
			if want, got := eval(t, "products", text, f, args), eval(t, "tiles", text, &tiled, args); !close(f, want, got) {
				t.Fatalf("%s: %d: %v\nnot %v\n%s", name, n, got, want, &tiled)
			}
		}
	}
}

// A loop around several products is one around each.
func TestSeveralProducts(t *testing.T) {
	text := `func f(n : i64, a : f64s, b : f64s) {
  m = mul.i n n
  c = alloc f64s m
  d = alloc f64s m zero
  for i < n parallel lanes {
    u = mul.i i n
    for j < n parallel {
      for k < n parallel, add.f from 0.0 {
        v = add.i u k
        x = a[v]
        w = mul.i k n
        w.1 = add.i w j
        y = b[w.1]
        z = mul.f x y
        yield z
      } gives t : f64
      at = add.i u j
      c[at] = t
    }
    for j.1 < n parallel {
      v.1 = add.i u j.1
      x.1 = b[v.1]
      for k.1 < n parallel {
        w.2 = mul.i j.1 n
        w.3 = add.i w.2 k.1
        y.1 = a[w.3]
        z.1 = mul.f x.1 y.1
        at.1 = add.i u k.1
        d[at.1] += z.1
      }
    }
  }
  yield c d
}`
	program, err := loop.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	f := program.Funcs[0]
	tiled := *f
	made := pass.Tile{Rows: 3, Columns: 8}.Tiles(&tiled)
	if n := strings.Count(tiled.String(), "call product"); n != 2 || len(made) != 2 {
		t.Errorf("%d calls of %d functions:\n%s", n, len(made), &tiled)
	}
	rng := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{1, 7, 8, 17} {
		xs, ys := make([]float64, n*n), make([]float64, n*n)
		for i := range xs {
			xs[i], ys[i] = rng.Float64(), rng.Float64()
		}
		args := []loop.Value{loop.IntValue(int64(n)), loop.RealsValue(xs), loop.RealsValue(ys)}
		if want, got := eval(t, "products", text, f, args), eval(t, "tiles", text, &tiled, args); !close(f, want, got) {
			t.Fatalf("%d: %v\nnot %v\n%s", n, got, want, &tiled)
		}
	}
}
