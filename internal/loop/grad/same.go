package grad

import (
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [One real on both sides]
//
// A search for the largest element starts with a candidate that it may meet again:
//
//	p = k; for q < n - k { if abs a[k+q] > abs a[p] … }
//
// In its first turn both sides are one real, whatever that is: so the comparison is decided there,
// and not tied. The sides of a comparison are one real if the same operations are applied to
// elements of the same buffers, and the indices of these are equal. What differs more than that, as
// the sum that a shortest path is relaxed with again, is tied.

// tieOf tells whether a comparison or a rounding in the function that is differentiated is
// undecided. Args are its arguments and its result in the derivative, and of gives what other
// variables are there.
func (a *activity) tieOf(b *loop.Builder, s *loop.Let, args []loop.Atom, of func(loop.Atom) loop.Atom) loop.Atom {
	moves := a.moves(b, s.Args, of)
	switch s.Op {
	case loop.LtF, loop.LeF, loop.EqF, loop.NeF:
	default:
		return both(b, atKink(b, a.rule(s.Op), args), moves)
	}
	// A comparison with NaN is decided, whatever the other side is.
	tie := both(b, b.Let("tie", loop.EqF, args[0], args[1]), moves)
	var indices []loop.Atom
	left := maxSame
	if !a.sameReal(s.Args[0], s.Args[1], &indices, &left) {
		return tie
	}
	any := loop.Atom(loop.Truth(false))
	for i := 0; i < len(indices); i += 2 {
		any = either(b, any, b.Let("apart", loop.NeI, of(indices[i]), of(indices[i+1])))
	}
	return both(b, tie, any)
}

// both tells whether two conditions hold.
func both(b *loop.Builder, x, y loop.Atom) loop.Atom {
	if k, ok := y.(*loop.Const); ok && k.I != 0 {
		return x
	}
	return b.Let("tie", loop.And, x, y)
}

// sameReal tells whether two reals are one if certain integers are equal, which it appends in
// pairs.
func (a *activity) sameReal(x, y loop.Atom, equal *[]loop.Atom, left *int) bool {
	if x == y {
		return true
	}
	if *left--; *left < 0 {
		return false
	}
	v, ok := x.(*loop.Var)
	w, is := y.(*loop.Var)
	if !ok || !is {
		j, ok := x.(*loop.Const)
		k, is := y.(*loop.Const)
		return ok && is && *j == *k
	}
	if v.Kind == loop.I64 && w.Kind == loop.I64 {
		*equal = append(*equal, v, w)
		return true
	}
	switch s := a.definition(v).(type) {
	case *loop.Load:
		t, ok := a.definition(w).(*loop.Load)
		if !ok || s.Buf != t.Buf {
			return false
		}
		if s.At != t.At {
			*equal = append(*equal, s.At, t.At)
		}
		return true
	case *loop.Let:
		t, ok := a.definition(w).(*loop.Let)
		if !ok || s.Op != t.Op || s.Op == loop.Toward {
			return false
		}
		for i := range s.Args {
			if !a.sameReal(s.Args[i], t.Args[i], equal, left) {
				return false
			}
		}
		return true
	}
	return false
}
