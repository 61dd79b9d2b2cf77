package machine

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// ruleAt is a rule that is used at an order of derivatives.
type ruleAt struct {
	rule  core.Rule
	order int
}

// ruleArgument is what a use of a rule is judged by: the reals of its argument.
var ruleArgument = []*loop.Var{loop.NewVar("x", loop.F64s)}

// Comparing begins a comparison and returns what ends it.
func (m *Machine) Comparing() (done func()) {
	m.comparing++
	return func() { m.comparing-- }
}

// DueFor counts a use of a rule at some reals, in a derivative of an order, and tells whether it is
// to be compared with the derivative of its function there.
func (m *Machine) DueFor(rule core.Rule, order int, at []float64) bool {
	if m.comparing > 0 {
		return false // a rule that calls the function which it is for is compared from outside
	}
	s := m.ruleUses[ruleAt{rule, order}]
	if s == nil {
		if m.ruleUses == nil {
			m.ruleUses = map[ruleAt]*loop.Schedule{}
		}
		s = &loop.Schedule{}
		m.ruleUses[ruleAt{rule, order}] = s
	}
	return s.Due(ruleArgument, []loop.Arg{{F: at}})
}
