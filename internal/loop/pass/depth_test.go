package pass_test

import (
	"testing"
	"time"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/grad"
	"github.com/fluxion-lang/fluxion/internal/loop/looptest"
	"github.com/fluxion-lang/fluxion/internal/loop/pass"
)

// nested is a function of x: depth loops in each other, each of which applies tanh to the
// sum of the inner one, in turn parallel and with a state.
func nested(depth int) *loop.Func {
	x, n := loop.NewVar("x", loop.F64), loop.NewVar("n", loop.I64)
	var level func(b *loop.Builder, x loop.Atom, depth int) loop.Atom
	level = func(b *loop.Builder, x loop.Atom, depth int) loop.Atom {
		if depth == 0 {
			return b.Let("y", loop.Lookup("sin"), x)
		}
		if depth%2 == 0 {
			return b.Sum("i", n, func(b *loop.Builder, i *loop.Var) loop.Atom {
				y := b.Let("y", loop.MulF, x, b.Let("k", loop.ToReal, i))
				return b.Let("t", loop.Lookup("tanh"), level(b, y, depth-1))
			})
		}
		s := &loop.For{Index: loop.NewVar("i", loop.I64), Count: n}
		st := loop.State{Var: loop.NewVar("s", loop.F64), Init: x, Result: loop.NewVar("s", loop.F64)}
		var body loop.Builder
		s.States, s.Body = []loop.State{st}, body.Block(level(&body, st.Var, depth-1))
		s.Body.Stmts = body.Stmts
		b.Add(s)
		return st.Result
	}
	var b loop.Builder
	y := level(&b, x, depth)
	return &loop.Func{Name: "nested", Params: []*loop.Var{x, n}, Body: b.Block(y)}
}

func size(f *loop.Func) int {
	n := 0
	loop.Walk(f.Body, func(loop.Stmt) { n++ })
	return n
}

// TestDepth: the derivative of nested loops grows with their depth, and not faster by more than a
// factor of the depth, before the passes and after them.
func TestDepth(t *testing.T) {
	sizes := map[int][2]int{}
	for _, depth := range []int{5, 10, 20} {
		start := time.Now()
		f := nested(depth)
		pass.Optimize(f, pass.Options{})
		g, err := grad.Reverse(&loop.Program{}, f, []bool{true, false}, looptest.Rules)
		if err != nil {
			t.Fatal(err)
		}
		before := size(g)
		pass.Optimize(g, pass.Options{Schedule: true})
		sizes[depth] = [2]int{before, size(g)}
		t.Logf("depth %d: %d statements, derivative %d, optimised %d, %v", depth, size(f), before, size(g), time.Since(start))
	}
	for k := range 2 {
		if few, many := sizes[10][k], sizes[20][k]; many > 5*few {
			t.Errorf("%d statements for depth 10, %d for 20", few, many)
		}
	}
	f := nested(4)
	g, _ := grad.Reverse(&loop.Program{}, f, []bool{true, false}, looptest.Rules)
	args := []loop.Value{loop.RealValue(0.7), loop.IntValue(3), loop.RealValue(1)}
	want := eval(t, "nested", "", g, args)
	pass.Optimize(g, pass.Options{})
	if !close(g, want, eval(t, "nested", "", g, args)) {
		t.Error("the passes change the derivative")
	}
}
