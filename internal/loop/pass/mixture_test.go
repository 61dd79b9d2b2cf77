package pass_test

import (
	"math/rand/v2"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/grad"
	"github.com/fluxion-lang/fluxion/internal/loop/looptest"
	"github.com/fluxion-lang/fluxion/internal/loop/pass"
)

// TestMixture: the gradient of a Gaussian mixture costs at most 2.8 times its value.
func TestMixture(t *testing.T) {
	f := looptest.Mixture()
	args := looptest.MixtureArgs(rand.New(rand.NewPCG(1, 1)), 10, 5, 16)
	want := eval(t, "mixture", "", f, args)
	pass.Optimize(f, pass.Options{})
	if !close(f, want, eval(t, "optimised mixture", "", f, args)) {
		t.Fatal("the value changes")
	}
	g, err := grad.Reverse(&loop.Program{}, f, []bool{true, true, true, true, false, false, false, false}, looptest.Rules)
	if err != nil {
		t.Fatal(err)
	}
	args = append(args, loop.RealValue(1))
	want = eval(t, "gradient", "", g, args)
	before := loop.Work(g, args...)
	pass.Optimize(g, pass.Options{Schedule: true})
	if !close(g, want, eval(t, "optimised gradient", "", g, args)) {
		t.Fatal("the gradient changes")
	}
	primal, work := loop.Work(f, args[:len(args)-1]...), loop.Work(g, args...)
	t.Logf("value %d, gradient %d, before optimisation %d", primal, work, before)
	if ratio := float64(work) / float64(primal); ratio > 2.8 {
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
