package interp

import (
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/tape"
)

// tapeHost is the machine as its tape sees it.
type tapeHost Machine

// Charge pays for memory.
func (h *tapeHost) Charge(bytes int64) *diag.Diagnostic { return (*Machine)(h).charge(bytes) }

// Tick looks at the clock, and refuels.
func (h *tapeHost) Tick() *diag.Diagnostic { return (*Machine)(h).tick() }

// Place is that of the instruction that runs.
func (h *tapeHost) Place() diag.Span { return h.fn.spans[h.pc-1] }

// machineOf is the machine whose tape it is.
func machineOf(t *tape.Tape) *Machine { return (*Machine)(t.Host.(*tapeHost)) }
