package loop

import "math"

// Neutral returns the neutral element of an operation that combines totals, or nil if it has none.
func Neutral(op *Op) *Const {
	switch op {
	case AddF:
		return Real(math.Copysign(0, -1))
	case MulF:
		return Real(1)
	case MaxF:
		return Real(math.Inf(-1))
	case MinF:
		return Real(math.Inf(1))
	case AddI, OrI, XorI:
		return Int(0)
	case MulI:
		return Int(1)
	case MaxI:
		return Int(math.MinInt64)
	case MinI:
		return Int(math.MaxInt64)
	case AndI:
		return Int(-1)
	case And:
		return Truth(true)
	case Or:
		return Truth(false)
	}
	return nil
}

// Divisible reports whether the iterations of a loop may be combined in another order. If
// ordered, the rounding must be that of the program.
func Divisible(s *For, ordered bool) bool {
	for _, r := range s.Reds {
		if Neutral(r.Op) == nil {
			return false
		}
	}
	return !ordered || !OrderMatters(s)
}

// Local returns the variables that are bound in the body of a loop, at any depth. The caller may
// release the set when it no longer needs it.
func Local(s *For) *VarSet {
	local := NewVarSet()
	Walk(s.Body, func(s Stmt) {
		Defs(s, local.Add)
		Params(s, local.Add)
	})
	return local
}

// Vectorises reports whether a loop can run in vectors, with the rounding of the program if
// ordered. It also returns which variables of its body vary, and which are local to it. Note
// [Lanes] says what the pass that requested lanes has ensured; Vectorises checks it.
func Vectorises(s *For, ordered bool) (varies, local *VarSet, ok bool) {
	if !Divisible(s, ordered) {
		return nil, nil, false
	}
	varies, local, ok = Varying(s), Local(s), true
	is := varies.HasAtom
	made := func(a Atom) bool { return is(a) && local.Has(a.(*Var)) }
	states := func(states []State, body *Block) {
		for i, st := range states {
			if st.Var.Kind.IsBuffer() && varies.Has(st.Var) &&
				!(made(st.Init) && made(body.Yield[i])) {
				ok = false
			}
		}
	}
	Walk(s.Body, func(s Stmt) {
		switch s := s.(type) {
		case *For:
			ok = ok && !is(s.Count)
			states(s.States, s.Body)
		case *While:
			ok = ok && !is(s.Cond.Yield[0])
			states(s.States, s.Body)
		case *If:
			ok = ok && !is(s.Cond)
			for i, r := range s.Results {
				if r.Kind.IsBuffer() && varies.Has(r) &&
					!(made(s.Then.Yield[i]) && made(s.Else.Yield[i])) {
					ok = false
				}
			}
		case *Alloc:
			ok = ok && !is(s.Len)
		case *Store:
			ok = ok && (local.Has(s.Buf) || is(s.At))
		case *Call:
			ok = false
		}
	})
	return varies, local, ok
}
