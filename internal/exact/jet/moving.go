package jet

// Moving is x without its constant coefficient, which becomes a structural zero: the
// nilpotent part, by which x moves with the variables.
func (a *Algebra) Moving(x Jet) Jet {
	x = a.live(x)
	if x.kind() != unknown {
		x = x.as(a.zero, zero)
	}
	return x
}

// Moves tells whether x depends on a variable that operations keep.
func (a *Algebra) Moves(x Jet) bool { return a.live(x).tail != nil }
