package pass_test

import (
	"math/rand/v2"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/pass"
)

// TestSplit: what a recurrence only adds to a total is computed in lanes, and not in its turns, if
// it is dear.
func TestSplit(t *testing.T) {
	for _, op := range []string{"log", "neg.f"} {
		for _, n := range []int{0, 1, 15, 16, 17, 40} {
			xs, count := loop.NewVar("xs", loop.F64s), loop.NewVar("n", loop.I64)
			var b, body loop.Builder
			s := &loop.For{Index: loop.NewVar("i", loop.I64), Count: count}
			st := loop.State{Var: loop.NewVar("s", loop.F64), Init: loop.Real(1), Result: loop.NewVar("s", loop.F64)}
			total := loop.NewVar("total", loop.F64)
			s.States, s.Reds = []loop.State{st}, []loop.Red{{Op: loop.AddF, Init: loop.Real(3), Result: total}}
			x := body.Load("x", xs, s.Index)
			next := body.Let("next", loop.DivF, body.Let("x", loop.AddF, st.Var, x), loop.Real(3))
			y := body.Let("y", loop.Lookup(op), body.Let("y", loop.AddF, body.Let("y", loop.MulF, next, next), st.Var))
			s.Body = body.Block(next, body.Let("y", loop.MulF, y, x))
			b.Add(s)
			f := &loop.Func{Name: "sum", Params: []*loop.Var{xs, count}, Body: b.Block(st.Result, total)}
			values, rng := make([]float64, n), rand.New(rand.NewPCG(1, 1))
			for i := range values {
				values[i] = rng.Float64()
			}
			args := []loop.Value{loop.RealsValue(values), loop.IntValue(int64(n))}
			want := eval(t, "sum", "", f, args)
			pass.Optimize(f, pass.Options{Schedule: true})
			if !close(f, want, eval(t, "split", "", f, args)) {
				t.Fatalf("%d turns differ\n%s", n, f)
			}
			inTurns, inLanes := 0, 0
			loop.Walk(f.Body, func(s loop.Stmt) {
				l, ok := s.(*loop.For)
				if !ok {
					return
				}
				for _, x := range l.Body.Stmts {
					if x, ok := x.(*loop.Let); !ok || x.Op != loop.Lookup(op) {
						continue
					} else if l.Lanes {
						inLanes++
					} else {
						inTurns++
					}
				}
			})
			if dear := op == "log"; dear != (inLanes == 1) || dear != (inTurns == 0) {
				t.Errorf("%s: %d in turns, %d in lanes\n%s", op, inTurns, inLanes, f)
			}
		}
	}
}

// TestSplitStates: a state that is only added to leaves the turns of a recurrence too, and has the
// same bits, in the order of the turns.
func TestSplitStates(t *testing.T) {
	const text = `func f(xs : f64s, n : i64) {
  for i < n, s : f64 = 1.0, a : f64 = 0.25 {
    x = xs[i]
    u = add.f s x
    v = div.f u 3.0
    l = log u
    m = mul.f l v
    b = add.f m a
    yield v b
  } gives z : f64, total : f64
  yield z total
}`
	for _, n := range []int{0, 1, 256, 600} {
		p, err := loop.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		values, rng := make([]float64, n), rand.New(rand.NewPCG(1, 1))
		for i := range values {
			values[i] = rng.Float64()
		}
		args := []loop.Value{loop.RealsValue(values), loop.IntValue(int64(n))}
		want := eval(t, "in turns", "", p.Funcs[0], args)
		pass.Optimize(p.Funcs[0], pass.Options{Schedule: true})
		got := eval(t, "split", "", p.Funcs[0], args)
		for i := range want {
			if want[i].Word != got[i].Word {
				t.Errorf("%d turns: %v and %v\n%s", n, want, got, p.Funcs[0])
			}
		}
		if !loop.Any(p.Funcs[0].Body, func(s loop.Stmt) bool { l, ok := s.(*loop.For); return ok && l.Lanes }) {
			t.Errorf("the logarithms are not computed in lanes\n%s", p.Funcs[0])
		}
	}
}
