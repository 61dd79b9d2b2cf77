package core

import (
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

// Unruled returns an operation without what the program says of how a function is evaluated: of
// withDerivative, withPullback, withEnclosure and checkpoint, the application of the function. It
// has the same value, and the same derivative if the rule is right.
func Unruled(op Op) Op {
	if p, ok := op.(*Prim); ok && IsRule(p) {
		return &Apply{Fun: p.Args[0], Args: p.Args[len(p.Args)-1:]}
	}
	return op
}

// Rule is a function of the program with the rule that it has for derivatives, whatever the two
// capture.
type Rule struct{ Fun, By *Lambda }

// Agreement reports a comparison of a rule, or of an enclosure, that found it right.
type Agreement struct {
	At    diag.Span // the rule
	Order int       // of the derivative; 0 for the enclosure of a value
	Reals []float64 // of the argument; nil in exact mode, which compares on sets
	Off   float64   // the largest difference, relative to the largest component or so
}

// IsRule reports whether a primitive applies a function and says how that is differentiated or
// enclosed.
func IsRule(p *Prim) bool {
	return p.Prim.Kind == prim.Rule
}
