package pass_test

import (
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/pass"
)

// TestStrides: a nest of loops has lanes where elements lie side by side.
func TestStrides(t *testing.T) {
	for _, c := range []struct{ name, body, lanes string }{
		{"an outer product", `
  for i < n parallel {
    t = mul.i i m
    d = x[i]
    for j < m parallel {
      a = add.i t j
      y = x[j]
      p = mul.f d y
      w[a] += p
    }
  }`, "for j < m parallel lanes"},
		{"a product of a matrix and a vector", `
  for i < n parallel {
    t = mul.i i m
    for j < m parallel, add.f from 0.0 {
      a = add.i t j
      v = x[a]
      y = x[j]
      p = mul.f v y
      yield p
    } gives total : f64
    e = tanh total
    w[i] = e
  }`, "for i < n parallel lanes"},
		{"a convolution of several images", `
  for i < n parallel {
    t = mul.i i m
    for k < m parallel {
      r = mul.i k m
      u = add.i r t
      for j < m parallel {
        for l < n parallel, add.f from 0.0 {
          p = add.i j l
          a = add.i p u
          v = x[a]
          y = x[l]
          q = mul.f v y
          yield q
        } gives total : f64
        b = add.i j u
        w[b] = total
      }
    }
  }`, "for j < m parallel lanes"},
	} {
		p, err := loop.Parse("func f(x : f64s, n : i64, m : i64) {\n  w = alloc f64s n zero" + c.body + "\n  yield w\n}\n")
		if err != nil {
			t.Fatal(err)
		}
		f := p.Funcs[0]
		pass.Lanes(f)
		if text := f.String(); !strings.Contains(text, c.lanes) {
			t.Errorf("%s:\n%s", c.name, text)
		}
	}
}
