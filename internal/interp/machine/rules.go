package machine

import "github.com/fluxion-lang/fluxion/internal/core"

// ruleUses is where a rule was used and compared.
type ruleUses struct {
	uses    int64
	lengths map[int]bool // of the reals of its argument
	lo, hi  float64      // of all reals at which it was compared
}

// Comparing begins a comparison and gives what ends it.
func (m *Machine) Comparing() (done func()) {
	m.comparing++
	return func() { m.comparing-- }
}

// DueFor counts a use of a rule at some reals, and tells whether it is to be compared with the
// derivative of its function there: at uses whose number is a power of two, for a number of reals
// that is new, and where a real leaves the range of those compared, made as wide again at each end.
func (m *Machine) DueFor(rule core.Rule, at []float64) bool {
	u := m.ruleUses[rule]
	if u == nil {
		if m.ruleUses == nil {
			m.ruleUses = map[core.Rule]*ruleUses{}
		}
		u = &ruleUses{lengths: map[int]bool{}}
		if m.ruleUses[rule] = u; len(at) > 0 {
			u.lo, u.hi = at[0], at[0]
		}
	}
	if u.uses++; m.comparing > 0 {
		return false // a rule that calls the function which it is for is compared from outside
	}
	due := u.uses&(u.uses-1) == 0 || !u.lengths[len(at)] && len(u.lengths) < 64
	margin := max(u.hi-u.lo, 1)
	for _, x := range at {
		due = due || x < u.lo-margin || x > u.hi+margin
	}
	if due {
		u.lengths[len(at)] = true
		for _, x := range at {
			u.lo, u.hi = min(u.lo, x), max(u.hi, x)
		}
	}
	return due
}
