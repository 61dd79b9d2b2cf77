package jit

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/grad"
	"github.com/fluxion-lang/fluxion/internal/loop/looptest"
	"github.com/fluxion-lang/fluxion/internal/loop/pass"
	"github.com/fluxion-lang/fluxion/internal/property"
)

// gradientOf is the optimised gradient of a function by some parameters, scheduled for the machine.
func gradientOf(t testing.TB, f *loop.Func, wanted []bool) *loop.Func {
	pass.Optimize(f, pass.Options{})
	g, err := grad.Reverse(&loop.Program{}, f, wanted, looptest.Rules)
	if err != nil {
		t.Fatal(err)
	}
	pass.Optimize(g, pass.Options{Schedule: true})
	return g
}

func mixture(t testing.TB) *loop.Func {
	return gradientOf(t, looptest.Mixture(), []bool{true, true, true, true, false, false, false, false})
}

func recurrent(t testing.TB) *loop.Func {
	return gradientOf(t, looptest.Recurrent(), []bool{true, true, false, false, false, false, false})
}

// TestGradients compares gradients of whole models with the semantics.
func TestGradients(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 7, 16, 19} {
		check(t, program(mixture(t)), append(looptest.MixtureArgs(r, n, 3, 4), loop.RealValue(1)))
	}
	check(t, program(recurrent(t)), append(looptest.RecurrentArgs(r, 12, 8), loop.RealValue(1)))
}

// BenchmarkMixture is the gradient of a Gaussian mixture of 25 components over 1,000 points.
func BenchmarkMixture(b *testing.B) {
	f := mixture(b)
	start := time.Now()
	code, err := Compile(program(f), Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Logf("compiled in %v, %d bytes", time.Since(start), code.Size())
	args := toArgs(f, append(looptest.MixtureArgs(rand.New(rand.NewPCG(1, 1)), 1000, 25, 10), loop.RealValue(1)))
	best := time.Hour
	for b.Loop() {
		start := time.Now()
		if _, err := code.Run(args, loop.RunOptions{}); err != nil {
			b.Fatal(err)
		}
		best = min(best, time.Since(start))
	}
	b.ReportMetric(float64(best.Microseconds()), "best-µs")
}

// BenchmarkCompile is the time from the loop form of that gradient to runnable code.
func BenchmarkCompile(b *testing.B) {
	f := mixture(b)
	for b.Loop() {
		if _, err := Compile(program(f), Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// TestOptimised compares random functions, optimised and scheduled, with the semantics.
func TestOptimised(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for k := range property.Rounds(40) {
		f, args := looptest.Random(r, looptest.Options{Updates: true, Whiles: true, Checks: true, Copies: k%2 == 0, Resizes: k%3 == 0})
		want, wantErr := loop.Eval(f, clone(args)...)
		pass.Optimize(f, pass.Options{Schedule: true})
		for name, opts := range variants() {
			code, err := Compile(program(f), opts)
			if err != nil {
				t.Logf("%v", err)
				continue
			}
			if err := agree(f, code, false, want, wantErr, args); err != nil {
				t.Fatalf("%s: %v\n%v\n%s", name, err, args, f)
			}
		}
	}
}

// TestRandomGradients compares the reverse derivatives of random functions, as they are or
// optimised and scheduled, with the semantics.
func TestRandomGradients(t *testing.T) {
	for seed := range looptest.Checks(60) {
		r := rand.New(rand.NewPCG(seed, 9))
		f, args := looptest.Random(r, looptest.Options{Size: 4, Updates: true, Whiles: true, Smooth: true, Resizes: seed%2 == 1, Calls: seed%4 == 2})
		value, err := loop.Eval(f, clone(args)...)
		if err != nil {
			t.Fatal(err)
		}
		for i, y := range f.Body.Yield {
			switch y.AtomKind() {
			case loop.F64:
				args = append(args, loop.RealValue(r.Float64()))
			case loop.F64s:
				xs := make([]float64, len(value[i].Buf))
				for j := range xs {
					xs[j] = r.Float64()
				}
				args = append(args, loop.RealsValue(xs))
			}
		}
		g, err := grad.Reverse(&loop.Program{}, f, []bool{true, true, false, true, false}, looptest.Rules)
		if err != nil {
			continue // updates of a kind that is not covered
		}
		if seed%3 != 0 {
			for _, f := range loop.Reached(g).Funcs {
				pass.Optimize(f, pass.Options{Schedule: true})
			}
		}
		want, wantErr := loop.Eval(g, clone(args)...)
		for name, opts := range variants() {
			code, err := Compile(loop.Reached(g), opts)
			if err != nil {
				t.Fatalf("seed %d, %s: %v\n%s", seed, name, err, g)
			}
			if err := agree(g, code, false, want, wantErr, args); err != nil {
				t.Fatalf("seed %d, %s: %v\n%s", seed, name, err, g)
			}
		}
	}
}
