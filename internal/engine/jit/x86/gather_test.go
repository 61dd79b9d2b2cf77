package x86

import (
	"testing"

	"github.com/fluxion-lang/fluxion/internal/engine/jit/ir"
)

// TestGatherTimes: a gather costs twice its loads on Cascade Lake, and less than them on a model
// that the table does not name; the table is in order, so that one row speaks for a model.
func TestGatherTimes(t *testing.T) {
	lake := ir.Processor{Vendor: "GenuineIntel", Family: 6, Model: 85}
	if m := NewTarget("avx512", lake, false); m.GatherTime < 2*m.LoadTime {
		t.Errorf("on Cascade Lake: %v", m)
	}
	rapids := ir.Processor{Vendor: "GenuineIntel", Family: 6, Model: 143}
	if m := NewTarget("avx512", rapids, false); m.GatherTime > m.LoadTime {
		t.Errorf("on Sapphire Rapids: %v", m)
	}
	seen := map[int]bool{}
	for _, row := range x86Gathers {
		for model := row.first; model <= row.last; model++ {
			if seen[model] {
				t.Errorf("model %d has two rows", model)
			}
			seen[model] = true
		}
	}
}
