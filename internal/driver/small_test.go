package driver_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/interp"
)

// TestSmallDerivativesAllocateLittle: a small derivative allocates little besides its tape, which
// is used again: counted are the objects that Go allocates for each of many derivatives of a
// function of 15 reals.
func TestSmallDerivativesAllocateLittle(t *testing.T) {
	const text = "let blocks = [[sin (real (i * 15 + j)) for j < 15] for i < %d]\n" +
		"let f (v : []Real) : Real =\n" +
		"  (v[0] * v[1] + sin v[2]) * (v[3] - v[4] * v[5]) + exp v[6] * v[7] * v[14]\n%s\n"
	objects := func(n int, program string) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, d := derived(t, fmt.Sprintf(text, n, program), interp.Options{}); d != nil {
			t.Fatal(d)
		}
		runtime.ReadMemStats(&after)
		return after.Mallocs - before.Mallocs
	}
	for program, most := range map[string]uint64{
		"sum [f b for b in blocks]":            4,
		"sum [jvp f b b for b in blocks]":      48,
		"sum [(vjp f b 1)[0] for b in blocks]": 34,
	} {
		objects(100, program) // what is allocated once
		few, many := objects(1000, program), objects(5000, program)
		each := (many - min(few, many)) / 4000
		t.Logf("%s: %d objects each", program, each)
		if each > most {
			t.Errorf("%s: %d objects each, more than %d", program, each, most)
		}
	}
}
