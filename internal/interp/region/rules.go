package region

import (
	"slices"
	"sync"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/interp/machine"
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// checks decides when rules are compared in compiled code.
type checks struct {
	mu   sync.Mutex
	uses loop.Schedule // runs that use rules
	// runs of the form that compares, given up since the last one that was not
	differed int
}

// due counts a run with arguments for some parameters, and tells whether it is to compare.
func (c *checks) due(params []*loop.Var, args []loop.Arg) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.uses.Due(params, args)
}

// tired tells whether runs that compare were given up too often.
func (c *checks) tired() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.differed >= maxGivenUp
}

// runnable is the form that a machine may run, or nil.
func (r *Region) runnable(m *machine.Machine, first *compiled, args []loop.Arg) *compiled {
	if first == nil {
		return nil
	}
	o := m.Options()
	if len(first.rules) > 0 && !o.TrustRules {
		// A run that compares does so wherever it uses a rule, and the points are functions of
		// the arguments. Each run is counted.
		again := o.RuleCompared == nil && r.checks.due(first.low.Func.Params[:len(args)], args)
		if again || r.waitsForRules(m, first) {
			if o.RuleCompared != nil || r.checks.tired() {
				return nil
			}
			return r.forms[comparing].ready()
		}
	}
	if f := r.forms[resolved].ready(); f != nil {
		return f
	}
	return r.settle(plain, m.Watch())
}

// compared notes the rules that a run of a form which compares them has used, or that it was given
// up.
func (r *Region) compared(m *machine.Machine, f *compiled, counts []float64) {
	for k, n := range counts {
		if n > 0 {
			m.Compared()[f.rules[k]] = true
		}
	}
	r.checks.mu.Lock()
	defer r.checks.mu.Unlock()
	if r.checks.differed++; counts != nil {
		r.checks.differed = 0
	}
}

// waitsForRules tells whether a rule that a form uses is yet to be compared.
func (r *Region) waitsForRules(m *machine.Machine, f *compiled) bool {
	return slices.ContainsFunc(f.rules, func(rule core.Rule) bool { return !m.Compared()[rule] })
}

// originals says of which functions others are copies.
type originals map[*core.Lambda]*core.Lambda

// original is the function that one is a copy of, or that itself.
func (o originals) original(f *core.Lambda) *core.Lambda {
	if of := o[f]; of != nil {
		return of
	}
	return f
}

// originalsOf are those of the functions in a copy of an operation.
func originalsOf(copied, op core.Op) originals {
	var lists [2][]*core.Lambda
	for k, op := range []core.Op{copied, op} {
		parts := core.Parts{Block: func(b *core.Block) {
			core.Walk(b, func(s core.Stmt) {
				switch s := s.(type) {
				case *core.Let:
					if f, ok := s.Op.(*core.Lambda); ok {
						lists[k] = append(lists[k], f)
					}
				case *core.LetRec:
					lists[k] = append(lists[k], s.Funs...)
				}
			})
		}}
		parts.Visit(op)
	}
	out := originals{}
	for i, f := range lists[0] {
		out[f] = lists[1][i]
	}
	return out
}
