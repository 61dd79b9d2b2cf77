package portable

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/looptest"
)

// ownBuffers is a loop whose turns run in strips. Each has a buffer of its own, which a loop inside
// updates or replaces after it has read an element. The state goes on with that element, or with
// what is made of it.
func ownBuffers(rng *rand.Rand) string {
	pick := func(from ...string) string { return from[rng.IntN(len(from))] }
	index := func() string { return pick("k", "0", "here", "there") }
	next := fmt.Sprintf("    v = w with [%s] = %s\n", index(), pick("0.5", "x", "last", "y"))
	if rng.IntN(2) == 0 {
		next = fmt.Sprintf(`    v = alloc f64s 9
    for j < 9 parallel {
      q = w[j]
      r = mul.f q 0.5
      u = add.f r %s
      v[j] = u
    }
`, pick("last", "x", "y"))
	}
	buffer, element := "w : f64s = first", "last : f64 = "+pick("0.0", "y")
	states, yield, gives := buffer+", "+element, "v "+pick("x", "t"), "w' : f64s, last' : f64"
	if rng.IntN(2) == 0 {
		states, yield, gives = element+", "+buffer, yield[2:]+" v", "last' : f64, w' : f64s"
	}
	first := fmt.Sprintf("  first = own with [%s] = %s\n", pick("0", "i", "back"), pick("y", "0.25"))
	if rng.IntN(3) == 0 {
		first = "  first = copy own\n"
	}
	return fmt.Sprintf(`func own(xs : f64s) {
for i < 9 parallel, add.f from 0.0 {
  y = xs[i]
  back = sub.i 8 i
  own = copy xs
%s  for k < 5, %s {
    ik = add.i i k
    here = mod.i ik 9
    there = sub.i 8 here
    x = w[%s]
%s    s = mul.f x y
    t = add.f s last
    yield %s
  } gives %s
  z = w'[%s]
  total = add.f last' z
  yield total
} gives out : f64
yield out
}
`, first, states, index(), next, yield, gives, pick("0", "i", "back"))
}

// TestOwnBuffers: what was read of a buffer stays as it was, and each turn has the buffer for
// itself.
func TestOwnBuffers(t *testing.T) {
	for seed := range looptest.Checks(100) {
		f := program(t, ownBuffers(rand.New(rand.NewPCG(seed, 7))))
		if nest := f.Body.Stmts[0].(*loop.For); !fits(nest.Body, loop.Varying(nest)) {
			t.Fatalf("the loop does not run in strips:\n%s", f)
		}
		xs := numbers(9)
		want, err := loop.Eval(f, loop.RealsValue(xs))
		if err != nil {
			t.Fatal(err)
		}
		got, err := Compile(f).Run([]loop.Arg{{F: xs}}, loop.RunOptions{})
		if err != nil || !near(got[0].Real(), want[0].Real()) {
			t.Fatalf("seed %d: %v, %v, not %v\n%s", seed, got, err, want[0].Real(), f)
		}
	}
}
