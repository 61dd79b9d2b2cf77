package machine

import (
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/tape"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

// tapeHost is the machine as its tape sees it.
type tapeHost Machine

// Charge pays for memory.
func (h *tapeHost) Charge(bytes int64) *diag.Diagnostic { return (*Machine)(h).Charge(bytes) }

// Tick looks at the clock, and refuels.
func (h *tapeHost) Tick() *diag.Diagnostic { return (*Machine)(h).Tick() }

// Family applies a family to plain numbers.
func (h *tapeHost) Family(eval prim.Family, ints []int64, xs []float64) (float64, *diag.Diagnostic) {
	return (*Machine)(h).familyAt(eval, ints, xs)
}

// Place is that of the instruction that runs.
func (h *tapeHost) Place() diag.Span { return h.fn.Spans[h.pc-1] }

// Of is the machine whose tape it is.
func Of(t *tape.Tape) *Machine { return (*Machine)(t.Host.(*tapeHost)) }
