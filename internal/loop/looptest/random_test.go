package looptest

import (
	"math/rand/v2"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

func TestRandom(t *testing.T) {
	statements := 0
	for seed := range Checks(100) {
		f, args := Random(rand.New(rand.NewPCG(seed, 1)), Options{Updates: seed%2 == 0, Whiles: true, Smooth: seed%3 == 0})
		if err := loop.Verify(&loop.Program{Funcs: []*loop.Func{f}}); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, f)
		}
		func() {
			defer func() {
				if r := recover(); r != nil {
					t.Fatalf("seed %d: %v\n%s", seed, r, f)
				}
			}()
			if _, err := loop.Eval(f, args...); err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, f)
			}
		}()
		loop.Walk(f.Body, func(loop.Stmt) { statements++ })
	}
	t.Logf("%d statements", statements)
}
