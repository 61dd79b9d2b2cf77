package jit

import (
	"errors"
	"runtime"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// TestRoom: the first compilation of a process takes memory for what it makes, and not several
// times as much for tables that grow. New memory takes longer to get than to fill.
func TestRoom(t *testing.T) {
	xs, n := loop.NewVar("xs", loop.F64s), loop.NewVar("n", loop.I64)
	var b loop.Builder
	sum := b.Sum("i", n, func(b *loop.Builder, i *loop.Var) loop.Atom {
		var x loop.Atom = b.Load("x", xs, i)
		for range 300 {
			x = b.Let("e", loop.Lookup("exp"), b.Let("m", loop.NegF, x))
		}
		return x
	})
	f := &loop.Func{Name: "f", Params: []*loop.Var{xs, n}, Body: b.Block(sum)}
	setLanes(f.Body)
	p := program(f)
	for range 2 { // pools keep what was used between two collections
		runtime.GC()
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	code, err := Compile(p, Options{})
	if errors.Is(err, ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	const most = 100 // bytes for each byte of code
	if bytes := int(after.TotalAlloc - before.TotalAlloc); bytes > most*code.size {
		t.Errorf("%d bytes were allocated for %d bytes of code", bytes, code.size)
	}
}
