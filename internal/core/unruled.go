package core

import "github.com/fluxion-lang/fluxion/internal/prim"

// Unruled is an operation without what the program says of how a function is evaluated: of
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

// IsRule tells whether a primitive applies a function and says how that is differentiated or
// enclosed.
func IsRule(p *Prim) bool {
	return p.Prim.Kind == prim.Rule
}
