package core

// Unruled is an operation without a rule of the program's own: of withDerivative and withPullback, the
// application of the function. It has the same value, and the same derivative if the rule is right.
func Unruled(op Op) Op {
	if p, ok := op.(*Prim); ok && IsRule(p) {
		return &Apply{Fun: p.Args[0], Args: p.Args[2:]}
	}
	return op
}

// IsRule tells whether a primitive applies a function with a rule.
func IsRule(p *Prim) bool { return p.Prim.Name == "withDerivative" || p.Prim.Name == "withPullback" }
