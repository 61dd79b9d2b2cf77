package derive

import (
	"github.com/fluxion-lang/fluxion/internal/interp/machine"
	"github.com/fluxion-lang/fluxion/internal/search"
)

// state is what operations keep on a machine from one to the next.
type state struct {
	rules      map[ruleKey]bool // the rules that have been compared with the derivatives of their functions
	searcher   *search.Searcher // nil until the run searches
	translated arrayCache       // for it
}

// Start begins a run. Rules are compared once for all runs.
func (s *state) Start() { s.searcher, s.translated = nil, nil }

func stateOf(m *machine.Machine) *state {
	s, ok := m.Operations.(*state)
	if !ok {
		s = &state{rules: map[ruleKey]bool{}}
		m.Operations = s
	}
	return s
}
