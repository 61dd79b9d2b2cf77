package pass_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/grad"
	"github.com/fluxion-lang/fluxion/internal/loop/looptest"
	"github.com/fluxion-lang/fluxion/internal/loop/pass"
)

// gradient checks that optimisation keeps a function and its gradient by some parameters, and
// gives the optimised gradient and what it costs, relative to the function.
func gradient(t *testing.T, f *loop.Func, wanted []bool, args []loop.Value) (*loop.Func, float64) {
	t.Helper()
	want := eval(t, f.Name, "", f, args)
	pass.Optimize(f, pass.Options{})
	if !close(f, want, eval(t, "optimised "+f.Name, "", f, args)) {
		t.Fatal("the value changes")
	}
	g, err := grad.Reverse(&loop.Program{}, f, wanted, looptest.Rules)
	if err != nil {
		t.Fatal(err)
	}
	more := append(append([]loop.Value{}, args...), loop.RealValue(1))
	want = eval(t, "gradient", "", g, more)
	before := loop.Measure(g, more...).Work
	pass.Optimize(g, pass.Options{Schedule: true})
	if !close(g, want, eval(t, "optimised gradient", "", g, more)) {
		t.Fatal("the gradient changes")
	}
	primal, work := loop.Measure(f, args...).Work, loop.Measure(g, more...).Work
	t.Logf("value %d, gradient %d, before optimisation %d", primal, work, before)
	return g, float64(work) / float64(primal)
}

// TestMixture: the gradient of a Gaussian mixture costs at most 2.1 times its value, and runs in
// lanes.
func TestMixture(t *testing.T) {
	args := looptest.MixtureArgs(rand.New(rand.NewPCG(1, 1)), 10, 5, 16)
	g, ratio := gradient(t, looptest.Mixture(), []bool{true, true, true, true, false, false, false, false}, args)
	if ratio > 2.1 {
		t.Errorf("the gradient costs %.2f times the value\n%s", ratio, g)
	}
	lanes := 0
	for _, s := range g.Body.Stmts {
		if s, ok := s.(*loop.For); ok && s.Lanes {
			lanes++
		}
	}
	if lanes == 0 {
		t.Error("the loop over the points has no lanes")
	}
}

// TestRecurrent: the gradient of a loop over vectors costs at most 1.5 times its value.
func TestRecurrent(t *testing.T) {
	args := looptest.RecurrentArgs(rand.New(rand.NewPCG(1, 1)), 12, 8)
	g, ratio := gradient(t, looptest.Recurrent(), []bool{true, true, false, false, false, false, false}, args)
	if ratio > 1.5 {
		t.Errorf("the gradient costs %.2f times the value\n%s", ratio, g)
	}
}

// TestPipeline: the derivatives of an optimised function, optimised in their turn, are those of
// the function.
func TestPipeline(t *testing.T) {
	for seed := range looptest.Checks(60) {
		rng := rand.New(rand.NewPCG(seed, 6))
		f, args := looptest.Random(rng, looptest.Options{Size: 4, Updates: true, Whiles: true, Smooth: seed%2 == 0})
		before := f.String()
		out := eval(t, "random", "", f, args)
		for i, a := range f.Body.Yield {
			switch a.AtomKind() {
			case loop.F64:
				args = append(args, loop.RealValue(rng.Float64()))
			case loop.F64s:
				xs := make([]float64, len(out[i].Buf))
				for j := range xs {
					xs[j] = rng.Float64()
				}
				args = append(args, loop.RealsValue(xs))
			}
		}
		wanted := []bool{true, true, false, true, false}
		plain, err := grad.Reverse(&loop.Program{}, f, wanted, looptest.Rules)
		if err != nil {
			continue // updates of a kind that is not covered
		}
		want := eval(t, "plain", before, plain, args)
		pass.Optimize(f, pass.Options{Schedule: seed%3 == 0})
		g, err := grad.Reverse(&loop.Program{}, f, wanted, looptest.Rules)
		if err != nil {
			t.Fatalf("seed %d: optimised, there is no derivative: %v\n%s\nfrom\n%s", seed, err, f, before)
		}
		pass.Optimize(g, pass.Options{Schedule: true})
		got := eval(t, "optimised", before, g, args)
		if last := len(want) - 1; want[last].Word != 0 || got[last].Word != 0 {
			continue // tied
		}
		if !finite(plain, want) {
			continue // what nothing needs has no slope, and the optimised function does without it
		}
		if !close(g, want, got) {
			t.Fatalf("seed %d: optimised, the derivative is another one\n%s\nfrom\n%s", seed, g, before)
		}
	}
}

// finite tells whether the doubles among results are numbers.
func finite(f *loop.Func, results []loop.Value) bool {
	for i, a := range f.Body.Yield {
		xs := results[i].Reals()
		if a.AtomKind() == loop.F64 {
			xs = []float64{results[i].Real()}
		}
		for _, x := range xs {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return false
			}
		}
	}
	return true
}

// TestTape: of a cell whose gates are factors of products the reversal reads eight numbers an
// element and turn from the tape: the slopes of the five functions times what they are multiplied
// by, the gate that the old cell is multiplied by, the old state, and exp of the new one, which is
// its own slope.
func TestTape(t *testing.T) {
	args := looptest.RecurrentArgs(rand.New(rand.NewPCG(1, 1)), 12, 8)
	args = append(args, loop.RealValue(1))
	reversed := func(rules func(*loop.Op) *grad.Rule) *loop.Func {
		f := looptest.Recurrent()
		pass.Optimize(f, pass.Options{})
		g, err := grad.Reverse(&loop.Program{}, f, []bool{true, true, false, false, false, false, false}, rules)
		if err != nil {
			t.Fatal(err)
		}
		pass.Optimize(g, pass.Options{Schedule: true})
		return g
	}
	plain, g := reversed(looptest.Rules), reversed(dearSlopes)
	if !close(g, eval(t, "plain", "", plain, args), eval(t, "dear", "", g, args)) {
		t.Fatal("the gradients differ")
	}
	most := 0
	loop.Walk(g.Body, func(s loop.Stmt) {
		f, ok := s.(*loop.For)
		if !ok || !f.Parallel {
			return
		}
		n, adds := 0, false
		for _, x := range f.Body.Stmts {
			switch x := x.(type) {
			case *loop.Load:
				if strings.Contains(x.Buf.Name, "tape") {
					n++
				}
			case *loop.Accum:
				adds = true
			}
		}
		if adds {
			most = max(most, n)
		}
	})
	if most != 8 {
		t.Errorf("the reversal reads %d numbers from the tape\n%s", most, g)
	}
}

// dearSlopes are the usual rules, but for functions whose slopes are as dear as they are.
func dearSlopes(op *loop.Op) *grad.Rule {
	factor := map[*loop.Op]float64{loop.Lookup("sigmoid"): 1, loop.Lookup("tanh"): 2}[op]
	if factor == 0 {
		return looptest.Rules(op)
	}
	x, r := loop.NewVar("x", loop.F64), loop.NewVar("r", loop.F64)
	var b loop.Builder
	slope := b.Let("s", loop.Logistic, b.Let("y", loop.MulF, x, loop.Real(factor)))
	slope = b.Let("s", loop.MulF, slope, loop.Real(factor*factor))
	return &grad.Rule{Partials: []*loop.Func{{Name: "slope", Params: []*loop.Var{x, r}, Body: b.Block(slope)}}}
}
