package pass_test

import (
	"math/rand/v2"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/grad"
	"github.com/fluxion-lang/fluxion/internal/loop/looptest"
	"github.com/fluxion-lang/fluxion/internal/loop/pass"
)

// TestRemembered: what Simplify and CSE make of a function in the course of Optimize, where they
// remember earlier runs, is what they make of it without that.
func TestRemembered(t *testing.T) {
	for seed := range looptest.Checks(150) {
		rng := rand.New(rand.NewPCG(seed, 17))
		f, _ := looptest.Random(rng, looptest.Options{Size: 4, Updates: seed%3 == 0, Whiles: seed%2 == 0, Smooth: seed%4 > 1})
		if seed%2 == 1 {
			if r, err := grad.Reverse(&loop.Program{}, f, []bool{true, true, false, true, false}, looptest.Rules); err == nil {
				f = r
			}
		}
		before := f.Body
		pass.Optimize(f, pass.Options{Schedule: true, After: func(name string, f *loop.Func) {
			alone := map[string]func(*loop.Func){"Simplify": pass.Simplify, "CSE": pass.CSE, "Unroll": pass.Unroll}[name]
			if alone != nil {
				g := &loop.Func{Name: f.Name, Params: f.Params, Body: before, Adds: f.Adds}
				if alone(g); g.String() != f.String() {
					t.Fatalf("seed %d: %s gives\n%s\nand not\n%s", seed, name, f, g)
				}
			}
			before = f.Body
		}})
	}
}

// TestSettled: CSE and DeadCode find nothing in what they have left, as Optimize takes for granted,
// nor does DeadCode in what the passes have left that end with it.
func TestSettled(t *testing.T) {
	for seed := range looptest.Checks(150) {
		rng := rand.New(rand.NewPCG(seed, 18))
		f, _ := looptest.Random(rng, looptest.Options{Size: 4, Updates: seed%3 == 0, Whiles: seed%2 == 0, Smooth: seed%4 > 1})
		if seed%2 == 1 {
			if r, err := grad.Reverse(&loop.Program{}, f, []bool{true, true, false, true, false}, looptest.Rules); err == nil {
				f = r
			}
		}
		before := f.Body
		pass.Optimize(f, pass.Options{Schedule: seed%5 > 0, After: func(name string, f *loop.Func) {
			g := *f
			if f.Body != before && pass.Sweeping(name) {
				if pass.DeadCode(&g); g.Body != f.Body {
					t.Fatalf("seed %d: after %s, DeadCode makes of\n%s\nthis\n%s", seed, name, f, &g)
				}
			}
			if pass.SettledCSE(&g) {
				h := g
				if pass.CSE(&h); h.Body != g.Body {
					t.Fatalf("seed %d: after %s, CSE makes of what it has left,\n%s\nthis\n%s", seed, name, &g, &h)
				}
			}
			before = f.Body
		}})
	}
}
