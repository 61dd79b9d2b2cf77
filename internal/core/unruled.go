package core

import (
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

// Unruled removes from an operation what the program says about how to evaluate or differentiate
// a function: withDerivative, withPullback, withEnclosure and checkpoint become the application
// of the function. The result has the same value, and the same derivative if the rule is right.
func Unruled(op Op) Op {
	if p, ok := op.(*Prim); ok && IsRule(p) {
		return &Apply{Fun: p.Args[0], Args: p.Args[len(p.Args)-1:]}
	}
	return op
}

// Rule is a function of the program with its rule for derivatives, regardless of what the two
// capture.
type Rule struct{ Fun, By *Lambda }

// Agreement reports a comparison that found a rule, or an enclosure, to be right.
type Agreement struct {
	At    diag.Span // the place of the rule
	Order int       // the order of the derivative; 0 for the enclosure of a value
	Reals []float64 // the reals of the argument; nil in exact mode, which compares on sets
	Off   float64   // the largest difference, relative to about the largest component
}

// IsRule reports whether a primitive applies a function and says how to differentiate or enclose
// it.
func IsRule(p *Prim) bool {
	return p.Prim.Kind == prim.Rule
}
