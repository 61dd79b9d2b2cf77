package derive

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/interp/machine"
	"github.com/fluxion-lang/fluxion/internal/search"
)

// state is what operations keep on a machine from one to the next.
type state struct {
	searcher   *search.Searcher  // nil until the run searches
	translated arrayCache        // for it
	mentions   [2]*core.Mentions // jumps and kinks, narrow features; nil until they are asked
}

// Start begins a run.
func (s *state) Start() { *s = state{} }

func stateOf(m *machine.Machine) *state {
	s, ok := m.Operations.(*state)
	if !ok {
		s = &state{}
		m.Operations = s
	}
	return s
}
