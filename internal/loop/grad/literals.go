package grad

import (
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Constants in arrays]
//
// A buffer varies as a whole, but not each of its elements has to: in
//
//	sum [if x > 0 then sqrt x else 0 for x in [s, 0, -s]]
//
// the comparison of the second element with 0 is decided, since nothing moves it. If all writes to
// a buffer are at literal indices, it is known which elements vary, and a tie of an element is one
// only at their indices.

// maxVarying is how many elements of a buffer that vary an index is compared with.
const maxVarying = 8

// moving is an index, and the elements at which a real that it chooses varies.
type moving struct {
	at loop.Atom
	is []int64
}

// moves tells whether one of some reals of the function varies, as far as indices tell. Of gives
// what the indices are in the derivative.
func (a *activity) moves(b *loop.Builder, xs []loop.Atom, of func(loop.Atom) loop.Atom) loop.Atom {
	var when []moving
	left := maxSame
	for _, x := range xs {
		if !a.movesWhen(x, &when, &left) {
			return loop.Truth(true)
		}
	}
	any := loop.Atom(loop.Truth(false))
	for _, m := range when {
		for _, k := range m.is {
			any = either(b, any, b.Let("moves", loop.EqI, of(m.at), loop.Int(k)))
		}
	}
	return any
}

// movesWhen appends the indices on which it depends whether a real varies. It gives false if they
// do not tell.
func (a *activity) movesWhen(x loop.Atom, when *[]moving, left *int) bool {
	v, ok := x.(*loop.Var)
	if !ok || !isReal(v.Kind) || !a.is(a.varies, v) {
		return true
	}
	if *left--; *left < 0 {
		return false
	}
	switch s := a.definition(v).(type) {
	case *loop.Load:
		is, ok := a.movingIn(s.Buf)
		*when = append(*when, moving{s.At, is})
		return ok
	case *loop.Let:
		for _, y := range s.Args {
			if !a.movesWhen(y, when, left) {
				return false
			}
		}
		return s.Op != loop.Toward
	}
	return false
}

// movingIn gives the elements of a buffer that vary, if all writes to it are at literal indices.
func (a *activity) movingIn(buf *loop.Var) (is []int64, ok bool) {
	w := a.literals[buf]
	if w == nil || w.other {
		return nil, false
	}
	for i, k := range w.at {
		if a.is(a.varies, w.values[i]) {
			is = append(is, k)
		}
	}
	return is, len(is) <= maxVarying
}

// note looks at the writes of a statement.
func (a *activity) note(s loop.Stmt) {
	other := func(buf *loop.Var) {
		if w := a.literals[buf]; w != nil {
			w.other = true
		}
	}
	switch s := s.(type) {
	case *loop.Alloc:
		a.literals[s.Var] = &literal{}
	case *loop.Store:
		k, ok := s.At.(*loop.Const)
		if w := a.literals[s.Buf]; ok && w != nil {
			w.at, w.values = append(w.at, k.I), append(w.values, s.Value)
		} else {
			other(s.Buf)
		}
	case *loop.Accum:
		other(s.Buf)
	case *loop.Call:
		for _, v := range s.AddedTo() {
			other(v)
		}
	}
}

// definition is the operation or the load that gives a real of the function, or nil.
func (a *activity) definition(v *loop.Var) loop.Stmt {
	if a.defs == nil {
		a.defs, a.literals = map[*loop.Var]loop.Stmt{}, map[*loop.Var]*literal{}
		loop.Walk(a.body, func(s loop.Stmt) {
			a.note(s)
			switch s := s.(type) {
			case *loop.Let:
				if s.Var.Kind == loop.F64 {
					a.defs[s.Var] = s
				}
			case *loop.Load:
				if s.Var.Kind == loop.F64 {
					a.defs[s.Var] = s
				}
			}
		})
	}
	return a.defs[v]
}

// maxSame is how many operations on each side are looked at.
const maxSame = 8
