package region

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/interp/machine"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/lower"
	"github.com/fluxion-lang/fluxion/internal/stop"
)

// makeComparing makes the form of the region that compares rules by itself, and gives its loop
// form; nil if there is none.
func (r *Region) makeComparing(w *stop.Watch) *lower.Lowered {
	if r.trusted {
		return nil
	}
	low := r.source.Until(w).Comparing(r.name, &core.Lambda{Body: r.block}, r.Args)
	if low == nil {
		return nil
	}
	if r.form = r.formOf(low, w); r.code == nil {
		return nil
	}
	compares := r.form
	r.comparing = &compares
	return low
}

// runnable is the form that a machine may run, or nil.
func (r *Region) runnable(m *machine.Machine, args []loop.Arg) *form {
	f := &r.form
	switch {
	case r.code == nil:
		return nil
	case r.comparesAgain(m, args) || r.waitsForRules(m): // each run is counted
		r.mu.Lock()
		defer r.mu.Unlock()
		if m.Options().RuleCompared != nil || r.differed >= maxGivenUp {
			return nil
		}
		return r.comparing
	case r.comparing != nil:
		r.later.Do(func() {
			if low, err := r.source.Until(m.Watch()).Function(r.name, &core.Lambda{Body: r.block}, r.Args, nil); err == nil {
				if lean := r.formOf(low, m.Watch()); lean.code != nil {
					r.lean = &lean
				}
			}
		})
		f = r.lean
	}
	if resolved := r.resolved.Load(); resolved != nil {
		return resolved
	}
	return f
}

// comparesAgain tells whether a run is to compare the rules that it uses once more. A run that
// compares does so wherever it uses a rule, and the points are functions of the arguments.
func (r *Region) comparesAgain(m *machine.Machine, args []loop.Arg) bool {
	if len(r.rules) == 0 || m.Options().TrustRules || m.Options().RuleCompared != nil {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ruled.Due(r.low.Func.Params[:len(args)], args)
}

// compared notes the rules that a run of the form which compares them has used, or that it was
// given up.
func (r *Region) compared(m *machine.Machine, counts []float64) {
	for k, n := range counts {
		if n > 0 {
			m.Compared()[r.rules[k]] = true
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.differed++; counts != nil {
		r.differed = 0
	}
}

// waitsForRules tells whether a rule that the region uses is yet to be compared.
func (r *Region) waitsForRules(m *machine.Machine) bool {
	return len(r.rules) > 0 && !m.Options().TrustRules && slices.ContainsFunc(r.rules, func(rule core.Rule) bool { return !m.Compared()[rule] })
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
