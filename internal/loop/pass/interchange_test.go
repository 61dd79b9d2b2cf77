package pass_test

import (
	"math/rand/v2"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/pass"
)

// recurrence is a loop of n turns over arrays of m elements, of which each turn uses some of the
// rows of xs: what it gives in the end, what it has given in each turn, and the sum of that over
// the turns for each element. A neighbour, if not 0, is how far to the left the element of the
// state lies that a turn reads, where there is one.
func recurrence(neighbour int64) *loop.Func {
	start, xs := loop.NewVar("start", loop.F64s), loop.NewVar("xs", loop.F64s)
	n, m := loop.NewVar("n", loop.I64), loop.NewVar("m", loop.I64)
	var b, body loop.Builder
	rows := b.Let("rows", loop.MulI, n, m)
	all, sums := b.Alloc("all", loop.F64s, rows, false), b.Alloc("sums", loop.F64s, m, true)
	s := &loop.For{Index: loop.NewVar("t", loop.I64), Count: n}
	x := loop.State{Var: loop.NewVar("x", loop.F64s), Init: start, Result: loop.NewVar("last", loop.F64s)}
	y := loop.State{Var: loop.NewVar("y", loop.F64s), Init: start, Result: loop.NewVar("last", loop.F64s)}
	s.States = []loop.State{x, y}
	row := body.Let("row", loop.MulI, s.Index, m)
	nextX, nextY := body.Alloc("x", loop.F64s, m, false), body.Alloc("y", loop.F64s, m, false)
	body.Parallel("j", m, func(b *loop.Builder, j *loop.Var) {
		from := b.Let("j", loop.MaxI, b.Let("j", loop.SubI, j, loop.Int(neighbour)), loop.Int(0))
		if neighbour == 0 {
			from = j
		}
		at := b.Let("at", loop.AddI, row, j)
		u := b.Let("u", loop.MulF, b.Load("x", x.Var, from), b.Load("y", y.Var, j))
		v := b.Let("v", loop.Lookup("sin"), b.Let("v", loop.AddF, u, b.Load("x", xs, at)))
		b.Store(all, at, v)
		b.Accum(sums, j, u)
		b.Store(nextX, j, v)
		b.Store(nextY, j, b.Let("w", loop.SubF, v, u))
	})
	s.Body = body.Block(nextX, nextY)
	b.Add(s)
	return &loop.Func{Name: "recurrence", Params: []*loop.Var{start, xs, n, m}, Body: b.Block(x.Result, y.Result, all, sums)}
}

// TestInterchange: the elements of a recurrence that do not meet run in the lanes of a loop around
// it, with states that are numbers and sums that are totals; those that meet do not.
func TestInterchange(t *testing.T) {
	for _, neighbour := range []int64{0, 1} {
		for _, n := range []int{0, 1, 7} {
			for _, m := range []int{0, 1, 5, 4100} {
				f := recurrence(neighbour)
				rng := rand.New(rand.NewPCG(uint64(n), uint64(m)))
				normal := func(n int) loop.Value {
					xs := make([]float64, n)
					for i := range xs {
						xs[i] = rng.NormFloat64()
					}
					return loop.RealsValue(xs)
				}
				args := []loop.Value{normal(m), normal(n * m), loop.IntValue(int64(n)), loop.IntValue(int64(m))}
				before := f.String()
				want := eval(t, "recurrence", before, f, args)
				pass.Optimize(f, pass.Options{Schedule: true})
				if !close(f, want, eval(t, "interchanged", before, f, args)) {
					t.Fatalf("%d turns of %d elements differ\n%s", n, m, f)
				}
				arrays, totals, lanes := 0, 0, 0
				body := f.Body
				for _, s := range body.Stmts {
					if choice, ok := s.(*loop.If); ok {
						body = choice.Then // rows are short
					}
				}
				loop.Walk(body, func(s loop.Stmt) {
					s2, ok := s.(*loop.For)
					if !ok {
						return
					}
					for _, st := range s2.States {
						if st.Var.Kind.IsBuffer() {
							arrays++
						}
					}
					totals += len(s2.Reds)
					if s2.Lanes && len(s2.Body.Stmts) > 0 {
						loop.Walk(s2.Body, func(s loop.Stmt) {
							if x, ok := s.(*loop.For); ok && len(x.States) == 2 {
								lanes++
							}
						})
					}
				})
				if meets := neighbour != 0; meets != (arrays == 2) || meets == (totals == 1) || meets == (lanes == 1) {
					t.Errorf("neighbour %d: %d states that are arrays, %d totals, %d recurrences in lanes\n%s",
						neighbour, arrays, totals, lanes, f)
				}
			}
		}
	}
}

// TestInterchangeUnread: a state that no turn reads may begin with fewer elements than the turns
// store.
func TestInterchangeUnread(t *testing.T) {
	p, err := loop.Parse(`func f(start : f64s, n : i64, m : i64) {
  for t < n, s : f64s = start {
    next = alloc f64s m
    x = real t
    for j < m parallel {
      next[j] = x
    }
    yield next
  } gives last : f64s
  yield last
}
`)
	if err != nil {
		t.Fatal(err)
	}
	f := p.Funcs[0]
	args := []loop.Value{loop.RealsValue([]float64{1, 2}), loop.IntValue(3), loop.IntValue(5)}
	want := eval(t, "unread", f.String(), f, args)
	pass.Interchange(f)
	if !close(f, want, eval(t, "interchanged", f.String(), f, args)) {
		t.Errorf("it differs\n%s", f)
	}
}

// TestInterchangeSums: sums over rows are totals, where there are few elements; sums of rows, and
// those of a known number, stay.
func TestInterchangeSums(t *testing.T) {
	for _, c := range []struct {
		at, count string
		totals    int
	}{{"j", "m", 1}, {"t", "m", 0}, {"j", "3", 0}} {
		p, err := loop.Parse(`func f(xs : f64s, n : i64, m : i64) {
  rows = mul.i n m
  high = add.i n m
  most = add.i high 3
  sums = alloc f64s most zero
  each = alloc f64s rows zero
  for t < n parallel {
    row = mul.i t m
    for j < ` + c.count + ` parallel {
      at = add.i row j
      x = xs[at]
      y = mul.f x x
      sums[` + c.at + `] += y
      each[at] += x
    }
  }
  yield sums each
}
`)
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range [][2]int{{0, 0}, {0, 4}, {1, 5}, {7, 3}, {9, 20}, {17, 4096}, {1, 4096}, {1, 4095}, {2048, 32}} {
			g := *p.Funcs[0]
			f := &g
			xs := make([]float64, size[0]*size[1])
			for i := range xs {
				xs[i] = float64(i%13) - 5
			}
			args := []loop.Value{loop.RealsValue(xs), loop.IntValue(int64(size[0])), loop.IntValue(int64(size[1]))}
			want := eval(t, "sums", f.String(), f, args)
			pass.Interchange(f)
			if !close(f, want, eval(t, "interchanged", f.String(), f, args)) {
				t.Errorf("%v differs\n%s", size, f)
			}
			totals := 0
			loop.Walk(f.Body, func(s loop.Stmt) {
				if s, ok := s.(*loop.For); ok {
					totals += len(s.Reds)
				}
			})
			if totals != c.totals {
				t.Errorf("sums[%s]: %d totals\n%s", c.at, totals, f)
			}
		}
	}
}
