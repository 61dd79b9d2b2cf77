package grad_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/grad"
	"github.com/fluxion-lang/fluxion/internal/loop/looptest"
)

// filter is a recurrence with one state and one total of n turns, into which k scalars flow; the
// first of them is where the state starts.
func filter(k int) *loop.Func {
	xs, n := loop.NewVar("xs", loop.F64s), loop.NewVar("n", loop.I64)
	var b, body loop.Builder
	params := make([]*loop.Var, k)
	for i := range params {
		params[i] = loop.NewVar(fmt.Sprint("p", i), loop.F64)
	}
	s := &loop.For{Index: loop.NewVar("i", loop.I64), Count: n}
	st := loop.State{Var: loop.NewVar("s", loop.F64), Init: params[0], Result: loop.NewVar("s", loop.F64)}
	total := loop.NewVar("total", loop.F64)
	s.States, s.Reds = []loop.State{st}, []loop.Red{{Op: loop.AddF, Init: params[k-1], Result: total}}
	x := loop.Atom(body.Load("x", xs, s.Index))
	for _, p := range params[1:] {
		x = body.Let("x", loop.AddF, body.Let("x", loop.MulF, x, p), st.Var)
	}
	next := body.Let("next", loop.Lookup("sin"), body.Let("x", loop.DivF, x, loop.Real(3)))
	s.Body = body.Block(next, body.Let("e", loop.Lookup("exp"), next))
	b.Add(s)
	y := b.Let("y", loop.MulF, st.Result, total)
	return &loop.Func{Name: "filter", Params: append([]*loop.Var{xs, n}, params...), Body: b.Block(y)}
}

// TestPushed: a loop into which two scalars flow has no tape, one with ten has; the gradients are
// those of forward mode.
func TestPushed(t *testing.T) {
	for _, k := range []int{2, 10} {
		f := filter(k)
		args := []loop.Value{loop.RealsValue([]float64{0.3, -1, 2, 0.7}), loop.IntValue(4)}
		wanted := []bool{false, false}
		for i := range k {
			args, wanted = append(args, loop.RealValue(0.5+0.1*float64(i))), append(wanted, true)
		}
		g, err := grad.Reverse(&loop.Program{}, f, wanted, looptest.Rules)
		if err != nil {
			t.Fatal(err)
		}
		got, err := loop.Eval(g, append(args, loop.RealValue(1))...)
		if err != nil {
			t.Fatal(err)
		}
		forward, err := grad.Forward(&loop.Program{}, f, wanted, looptest.Rules)
		if err != nil {
			t.Fatal(err)
		}
		for i := range k {
			more := args
			for j := range k {
				more = append(more, loop.RealValue(map[bool]float64{true: 1}[i == j]))
			}
			want, err := loop.Eval(forward, more...)
			if err != nil {
				t.Fatal(err)
			}
			if x, y := math.Float64frombits(got[1+i].Word), math.Float64frombits(want[1].Word); math.Abs(x-y) > 1e-12*(1+math.Abs(y)) {
				t.Errorf("%d scalars: the derivative by number %d is %v, and not %v", k, i, x, y)
			}
		}
		tapes, loops := 0, 0
		loop.Walk(g.Body, func(s loop.Stmt) {
			switch s.(type) {
			case *loop.Alloc:
				tapes++
			case *loop.For:
				loops++
			}
		})
		if few := k < 10; few != (tapes == 0) || few != (loops == 1) {
			t.Errorf("%d scalars: %d buffers and %d loops\n%s", k, tapes, loops, g)
		}
	}
}

// TestPushedWhile: a While into which a scalar flows is run once and has no tape, and tells of
// ties: of its condition before and after the last turn, and of comparisons in its body.
func TestPushedWhile(t *testing.T) {
	f := parsed(t, `func f(s : f64, c : f64, n : i64) {
  start = add.f s 1.0
  while, x : f64 = start, k : i64 = 0 {
    square = mul.f x x
    far = sub.f square s
    more = lt.f 1.0e-9 far
    early = lt.i k n
    go = and more early
    yield go
  } do {
    y = mul.f x x
    e = sub.f y s
    d = add.f x x
    q = div.f e d
    q.1 = mul.f q 0.5
    z = sub.f x q.1
    low = lt.f c z
    half = mul.f z 0.75
    z.1 = select.f low z half
    l = add.i k 1
    yield z.1 l
  } gives x.1 : f64, k.1 : i64
  yield x.1
}
`, "")
	wanted := []bool{true, false, false}
	g, err := grad.Reverse(&loop.Program{}, f, wanted, looptest.Rules)
	if err != nil {
		t.Fatal(err)
	}
	verify(t, &loop.Program{}, g)
	loops, tapes := 0, 0
	loop.Walk(g.Body, func(s loop.Stmt) {
		switch s.(type) {
		case *loop.While, *loop.For:
			loops++
		case *loop.Alloc:
			tapes++
		}
	})
	if loops != 1 || tapes != 0 {
		t.Errorf("there are %d loops and %d buffers\n%s", loops, tapes, g)
	}
	value := func(s, c float64, n int64) float64 {
		return math.Float64frombits(run(t, f, loop.RealValue(s), loop.RealValue(c), loop.IntValue(n))[0].Word)
	}
	slope := func(s, c float64, n int64) (float64, bool) {
		out := run(t, g, loop.RealValue(s), loop.RealValue(c), loop.IntValue(n), loop.RealValue(1))
		return math.Float64frombits(out[1].Word), tied(out)
	}
	for _, n := range []int64{0, 1, 5, 100} {
		const h = 1e-6
		got, undecided := slope(0.7, 0.5, n)
		if want := (value(0.7+h, 0.5, n) - value(0.7-h, 0.5, n)) / (2 * h); undecided || math.Abs(got-want) > 1e-6 {
			t.Errorf("%d turns: the slope is %v, tied %v, by differences %v", n, got, undecided, want)
		}
	}
	third := value(0.7, 0.5, 3)
	if _, undecided := slope(0.7, third, 5); !undecided {
		t.Error("a comparison in the third turn is tied, and is not reported")
	}
	if _, undecided := slope(0.7, third, 2); undecided {
		t.Error("a tie in the third turn is reported before it")
	}
	// After 3 turns x² - s is the bound of the condition.
	g, err = grad.Reverse(&loop.Program{}, bounded(t, third*third-0.7), []bool{true, false}, looptest.Rules)
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range map[int64]bool{2: false, 3: true, 5: true} {
		if out := run(t, g, loop.RealValue(0.7), loop.IntValue(n), loop.RealValue(1)); tied(out) != want {
			t.Errorf("the condition is tied after 3 turns; with at most %d, tied is %v", n, tied(out))
		}
	}
}

// bounded is the loop of TestPushedWhile with another bound, and without the comparison in its
// body.
func bounded(t *testing.T, bound float64) *loop.Func {
	s, n := loop.NewVar("s", loop.F64), loop.NewVar("n", loop.I64)
	x, k := loop.NewVar("x", loop.F64), loop.NewVar("k", loop.I64)
	var b, cond, body loop.Builder
	far := cond.Let("far", loop.SubF, cond.Let("square", loop.MulF, x, x), s)
	more := cond.Let("more", loop.LtF, loop.Real(bound), far)
	more = cond.Let("go", loop.And, more, cond.Let("early", loop.LtI, k, n))
	e := body.Let("e", loop.SubF, body.Let("y", loop.MulF, x, x), s)
	q := body.Let("q", loop.DivF, e, body.Let("d", loop.AddF, x, x))
	z := body.Let("z", loop.SubF, x, body.Let("q", loop.MulF, q, loop.Real(0.5)))
	last := loop.NewVar("x", loop.F64)
	start := b.Let("start", loop.AddF, s, loop.Real(1))
	b.Add(&loop.While{States: []loop.State{{Var: x, Init: start, Result: last}, {Var: k, Init: loop.Int(0), Result: loop.NewVar("k", loop.I64)}},
		Cond: cond.Block(more), Body: body.Block(z, body.Let("l", loop.AddI, k, loop.Int(1)))})
	f := &loop.Func{Name: "bounded", Params: []*loop.Var{s, n}, Body: b.Block(last)}
	if err := loop.Verify(&loop.Program{Funcs: []*loop.Func{f}}); err != nil {
		t.Fatal(err)
	}
	return f
}
