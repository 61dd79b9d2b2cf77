package jit

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Products of matrices in a recursion, and in a loop that hands the result from turn to turn: Note
// [Routines].
const powers = `func powers(n : i64, m : i64, a : f64s, b : f64s) {
  call power n m a b gives deep : f64s
  mm = mul.i m m
  w0 = alloc f64s mm
  for i < mm parallel {
    x = a[i]
    w0[i] = x
  }
  for k < n, w : f64s = w0 {
    c = alloc f64s mm
    for p < m parallel {
      u = mul.i p m
      for q < m parallel {
        for r < m parallel, add.f from 0.0 {
          i1 = add.i u r
          y = w[i1]
          i2 = mul.i r m
          i3 = add.i i2 q
          z = b[i3]
          yz = mul.f y z
          yield yz
        } gives t : f64
        i4 = add.i u q
        c[i4] = t
      }
    }
    yield c
  } gives flat : f64s
  yield deep flat
}
func power(n : i64, m : i64, a : f64s, b : f64s) {
  some = lt.i 0 n
  if some {
    mm = mul.i m m
    c = alloc f64s mm zero
    for p < m parallel {
      u = mul.i p m
      for r < m parallel {
        i1 = add.i u r
        y = a[i1]
        i2 = mul.i r m
        for q < m parallel {
          i3 = add.i i2 q
          z = b[i3]
          yz = mul.f y z
          i4 = add.i u q
          c[i4] += yz
        }
      }
    }
    less = sub.i n 1
    call power less m c b gives d : f64s
    yield d
  } else {
    e = copy a
    yield e
  } gives out : f64s
  yield out
}`

func TestRoutines(t *testing.T) {
	program, err := loop.Parse(powers)
	if err != nil {
		t.Fatal(err)
	}
	f := program.Funcs[0]
	rng := rand.New(rand.NewPCG(5, 6))
	reals := func(n int) loop.Value {
		xs := make([]float64, n)
		for i := range xs {
			xs[i] = rng.Float64()*2 - 1
		}
		return loop.RealsValue(xs)
	}
	codes := map[string]*Code{}
	for name, opts := range variants() {
		if codes[name], err = Compile(program, opts); err != nil {
			t.Fatal(err)
		}
	}
	for _, n := range [][2]int{{0, 9}, {1, 9}, {5, 8}, {4, 3}, {3, 37}} {
		args := []loop.Value{loop.IntValue(int64(n[0])), loop.IntValue(int64(n[1])), reals(n[1] * n[1]), reals(n[1] * n[1])}
		want, err := loop.Eval(f, clone(args)...)
		if err != nil {
			t.Fatal(err)
		}
		for name, code := range codes {
			if err := agree(f, code, code.opts.Deterministic, want, nil, args); err != nil {
				t.Errorf("%s, %v: %v", name, n, err)
			}
		}
	}
}

// Gradients of products whose lanes add to the same elements: two outside of loops, which have
// accumulators, and two in one.
func TestAlikeProducts(t *testing.T) {
	nest := func(k, to string) string {
		text := products[strings.Index(products, "  for i.1 <"):strings.Index(products, "  yield c da db")]
		text = regexp.MustCompile(`\b(i\.1|u\.1|v\.1|j\.1|c2|d|k\.1|a2|x\.1|b2|b3|y\.1|dx|dy)\b`).ReplaceAllString(text, "${1}_"+k)
		text = strings.ReplaceAll(text, "c[", "b[")
		return strings.NewReplacer("da[", to+"a[", "db[", to+"b[").Replace(text)
	}
	text := `func products(p : i64, q : i64, r : i64, a : f64s, b : f64s) {
  na = length a
  nb = length b
  da = alloc f64s na zero
  db = alloc f64s nb zero
  ea = alloc f64s na zero
  eb = alloc f64s nb zero
` + nest("1", "d") + nest("2", "e") + "for l < 3 {\n" + nest("3", "d") + nest("4", "e") + "yield\n}\nyield da db ea eb\n}"
	program, err := loop.Parse(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	f := program.Funcs[0]
	rng := rand.New(rand.NewPCG(7, 8))
	for name, opts := range variants() {
		opts.Listing = true
		code, err := Compile(program, opts)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(code.Listing(), "; func product.small\n"); got != 2 && !opts.Deterministic && !opts.NoLanes {
			t.Errorf("%s: %d functions for small products", name, got)
		}
		for _, n := range []int{1, 3, 7, 8, 13} {
			xs, ys := make([]float64, n*n), make([]float64, n*n)
			for i := range xs {
				xs[i], ys[i] = rng.Float64(), rng.Float64()
			}
			size := loop.IntValue(int64(n))
			args := []loop.Value{size, size, size, loop.RealsValue(xs), loop.RealsValue(ys)}
			want, err := loop.Eval(f, clone(args)...)
			if err != nil {
				t.Fatal(err)
			}
			if err := agree(f, code, opts.Deterministic, want, nil, args); err != nil {
				t.Errorf("%s, %d: %v", name, n, err)
			}
		}
	}
}

// All products of a program that are stored share their code, and so do all that are added.
func TestSharedProducts(t *testing.T) {
	for text, want := range map[string]int{products: 2, powers: 2} {
		program, err := loop.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		code, err := Compile(program, Options{Listing: true, Arch: "amd64"})
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		for _, name := range []string{"product", "product.add"} {
			got += strings.Count(code.Listing(), "; func "+name+"\n")
		}
		if got != want {
			t.Errorf("%d functions in place of %d:\n%s", got, want, code.Listing())
		}
	}
}
