package interp

import (
	"context"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// TestKeptConstants: kept values stay within a share of the memory of a run, count
// shared parts once, and hold no functions.
func TestKeptConstants(t *testing.T) {
	long := make([]float64, 100_000)
	long[7] = 3
	shared := &refs{v: []ref{&reals{v: long[5:1005]}, &cell{tag: 1, p: &text{"12345678"}}}}
	original := Slots{f: []float64{1}, p: []ref{shared, shared}}
	const want = 8 + 2*layout.RefBytes + headerBytes + 2*layout.RefBytes + headerBytes + 8000 + cellBytes + textBytes + 8
	value, bytes := copySlots(original, 1<<20)
	if bytes != want {
		t.Errorf("the value takes %d bytes, want %d", bytes, want)
	}
	if value.p[0] != value.p[1] || value.p[0] == original.p[0] {
		t.Error("what is shared is not shared in the copy, or shared with it")
	}
	parts := value.p[0].(*refs).v
	if xs := parts[0].(*reals).v; xs[2] != 3 || cap(xs) > 1100 {
		t.Errorf("of the slice there are %d elements, the third %v", cap(xs), xs[2])
	}
	if o := parts[1].(*cell); o.tag != 1 || o.p.(*text).s != "12345678" {
		t.Errorf("the data value is %v", o)
	}
	if _, bytes := copySlots(original, 100); bytes <= 100 {
		t.Errorf("beyond 100 bytes there are %d", bytes)
	}
	var list ref
	for range 100_000 {
		list = &cell{tag: 1, p: list}
	}
	if _, bytes := copySlots(Slots{p: []ref{list}}, 1<<30); bytes != layout.RefBytes+100_000*cellBytes {
		t.Errorf("a long list takes %d bytes", bytes)
	}

	ty := types.Type(&types.Array{Elem: types.Real, Size: types.AnySize})
	m := new(Machine)
	m.startBudget(context.Background(), Limits{Memory: 30_000 * keptShare})
	var kept Constants
	for n, name := range []string{"a", "b", "c", "d"} {
		g := &global{name: name, ty: ty}
		m.globals = []globalValue{{done: true, Slots: Slots{p: []ref{&reals{v: make([]float64, 1000)}}}}}
		kept.keep(m, g)
		if known, _ := kept.recall(m, g); !known {
			t.Errorf("%s was not kept", name)
		}
		if wantKept := n%3 + 1; len(kept.values) != wantKept || kept.bytes > m.memory/keptShare {
			t.Errorf("after %s there are %d values of %d bytes, want %d", name, len(kept.values), kept.bytes, wantKept)
		}
	}
	for name, ty := range map[string]types.Type{"large": ty, "function": &types.Fun{Param: types.Real, Result: types.Real}} {
		m.globals = []globalValue{{done: true, Slots: Slots{p: []ref{&reals{v: make([]float64, 4000)}}}}}
		kept.keep(m, &global{name: name, ty: ty})
		if _, known := kept.values[name]; known {
			t.Errorf("%s was kept", name)
		}
	}
}
