package grad_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/grad"
	"github.com/fluxion-lang/fluxion/internal/loop/looptest"
	"github.com/fluxion-lang/fluxion/internal/loop/pass"
)

// TestResolve: at ties, a random function that is resolved along a direction has the values of the
// function, and the derivative that the function has a small step along the direction.
func TestResolve(t *testing.T) {
	checked := 0
	for seed := range looptest.Checks(300) {
		rng := rand.New(rand.NewPCG(seed, 4))
		f, args := looptest.Random(rng, looptest.Options{Size: 5, Whiles: true, Updates: true, Copies: seed%5 > 2, Kinked: true})
		for i, p := range f.Params { // few numbers, so that many are equal
			switch p.Kind {
			case loop.F64:
				args[i] = loop.RealValue(math.Round(args[i].Real()))
			case loop.F64s:
				xs := args[i].Reals()
				for k := range xs {
					xs[k] = math.Round(xs[k])
				}
				args[i] = loop.RealsValue(xs)
			}
		}
		plain := reverse(t, f)
		if plain == nil {
			continue
		}
		values := run(t, f, args...)
		cots := like(rng, kinds(f.Body.Yield), values)
		if !tied(run(t, plain, append(args, cots...)...)) {
			continue
		}
		p := &loop.Program{Funcs: []*loop.Func{f}}
		resolved, err := grad.Resolve(p, f, all(f), looptest.Rules)
		if err != nil {
			t.Fatal(err)
		}
		if resolved == nil {
			continue
		}
		verify(t, p, resolved)
		if seed%2 == 0 {
			pass.Optimize(resolved, pass.Options{})
		}
		wanted := append(all(f), make([]bool, len(resolved.Params)-len(f.Params))...)
		pull, err := grad.Reverse(p, resolved, wanted, looptest.Rules)
		if err != nil {
			continue
		}
		verify(t, p, pull)
		direction := like(rng, paramKinds(f.Params), args)
		out := run(t, pull, append(append(args[:len(args):len(args)], direction...), cots...)...)
		beside := run(t, plain, append(moved(f, args, direction, 1e-10), cots...)...)
		if tied(out) {
			continue // a comparison
		}
		n := len(values)
		ks := kinds(f.Body.Yield)
		for i, x := range reals(ks, values) {
			if y := reals(ks, out[:n])[i]; x != y && !(math.IsNaN(x) && math.IsNaN(y)) {
				t.Fatalf("seed %d: the value is %v, resolved %v\n%s\n%s", seed, x, y, f, resolved)
			}
		}
		cotKinds := onlyReals(paramKinds(f.Params))
		got, want := reals(cotKinds, out[n:len(out)-1]), reals(cotKinds, beside[n:len(beside)-1])
		scale := 1.0
		for _, x := range got {
			scale = max(scale, math.Abs(x))
		}
		if math.IsNaN(scale) || scale > 1e4 {
			continue // it may be curved as much
		}
		checked++
		if tied(beside) { // always, as max x x is
			const h = 1e-7
			slope := 0.0
			for i, x := range reals(ks, run(t, f, moved(f, args, direction, h)...)) {
				slope += (x - reals(ks, values)[i]) / h * reals(onlyReals(ks), cots)[i]
			}
			if got := dot(got, reals(cotKinds, direction)); !(math.Abs(got-slope) <= 1e-4*scale) {
				t.Fatalf("seed %d: the derivative along the direction is %v, by differences %v\n%s\n%s", seed, got, slope, f, resolved)
			}
			continue
		}
		for i := range got {
			if !(math.Abs(got[i]-want[i]) <= 1e-4*scale) {
				t.Fatalf("seed %d: the derivative is %v, beside the tie %v\n%s\n%s", seed, got, want, f, resolved)
			}
		}
	}
	t.Logf("%d checked", checked)
	if checked < 20 {
		t.Error("too few functions are checked")
	}
}
