package grad_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/grad"
	"github.com/fluxion-lang/fluxion/internal/loop/looptest"
)

// filter is a recurrence with one state and one total of n turns, into which k scalars flow; the first of them is where the state starts.
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

// TestPushed: a loop into which two scalars flow has no tape, one with ten has; the gradients are those of forward mode.
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
