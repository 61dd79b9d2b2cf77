package machine

import (
	"context"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/interp/object"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// TestKeptConstants: kept values stay within a share of the memory of a run, and hold no functions.
func TestKeptConstants(t *testing.T) {
	ty := types.Type(&types.Array{Elem: types.Real, Size: types.AnySize})
	m := new(Machine)
	m.startBudget(context.Background(), Limits{Memory: 30_000 * keptShare})
	var kept Constants
	for n, name := range []string{"a", "b", "c", "d"} {
		g := &Global{Name: name, Type: ty}
		m.globals = []globalValue{{done: true, Slots: object.Slots{P: []object.Ref{&object.Reals{V: make([]float64, 1000)}}}}}
		kept.keep(m, g)
		if known, _ := kept.recall(m, g); !known {
			t.Errorf("%s was not kept", name)
		}
		if wantKept := n%3 + 1; len(kept.values) != wantKept || kept.bytes > m.memory/keptShare {
			t.Errorf("after %s there are %d values of %d bytes, want %d", name, len(kept.values), kept.bytes, wantKept)
		}
	}
	for name, ty := range map[string]types.Type{"large": ty, "function": &types.Fun{Param: types.Real, Result: types.Real}} {
		m.globals = []globalValue{{done: true, Slots: object.Slots{P: []object.Ref{&object.Reals{V: make([]float64, 4000)}}}}}
		kept.keep(m, &Global{Name: name, Type: ty})
		if _, known := kept.values[name]; known {
			t.Errorf("%s was kept", name)
		}
	}
}
