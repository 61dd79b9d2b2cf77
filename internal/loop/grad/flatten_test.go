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

// TestFlattened: a nest of loops gives the same when it is one loop.
func TestFlattened(t *testing.T) {
	taken := 0
	for seed := range looptest.Checks(4000) {
		o := looptest.Options{Size: 4, Whiles: true, Updates: true, Copies: seed%3 > 0}
		f, args := looptest.Random(rand.New(rand.NewPCG(seed, 11)), o)
		pass.InPlace(f)
		before := taken
		var visit func(b *loop.Block) *loop.Block
		visit = func(b *loop.Block) *loop.Block {
			out := loop.Rebuild(b)
			for _, s := range b.Stmts {
				s = loop.MapBlocks(s, visit)
				switch s.(type) {
				case *loop.For, *loop.While:
					if one := grad.Flattened(s); one != nil {
						taken++
						s = one
					}
				}
				out.Add(s)
			}
			return out.Rebuilt(b, b.Yield)
		}
		g := &loop.Func{Name: f.Name, Params: f.Params, Body: visit(f.Body)}
		if taken == before {
			continue
		}
		if err := loop.Verify(loop.Reached(g)); err != nil {
			t.Fatalf("seed %d: %v\n%s\n%s", seed, err, f, g)
		}
		want, got := run(t, f, args...), run(t, g, args...)
		for i := range want {
			if !identical(want[i], got[i]) {
				t.Fatalf("seed %d: result %d\n%s\n%s", seed, i, f, g)
			}
		}
	}
	t.Logf("%d nests", taken)
	if taken < int(looptest.Checks(50)) {
		t.Errorf("only %d nests", taken)
	}
}

// identical tells whether two values have the same bits; a NaN is any other.
func identical(a, b loop.Value) bool {
	if a.Buf == nil {
		return word(a.Word) == word(b.Word)
	}
	if len(a.Buf) != len(b.Buf) {
		return false
	}
	for i := range a.Buf {
		if word(a.Buf[i]) != word(b.Buf[i]) {
			return false
		}
	}
	return true
}

func word(w uint64) uint64 {
	if x := math.Float64frombits(w); x != x {
		return math.Float64bits(math.NaN())
	}
	return w
}
