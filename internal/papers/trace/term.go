package trace

import "slices"

// Type is T ::= real | unit | T × U. Unit is the empty product.
type Type interface{ isType() }

type (
	realType struct{}
	// Product is T0 × … × Tn−1.
	Product struct{ Elems []Type }
)

func (realType) isType() {}
func (*Product) isType() {}

// The basic types.
var (
	Real Type = realType{}
	Unit Type = &Product{}
)

// Equal reports whether two types are the same.
func Equal(t, u Type) bool {
	p, ok := t.(*Product)
	q, ok2 := u.(*Product)
	if !ok || !ok2 {
		return ok == ok2
	}
	return p == q || slices.EqualFunc(p.Elems, q.Elems, Equal)
}

func isUnit(t Type) bool {
	p, ok := t.(*Product)
	return ok && len(p.Elems) == 0
}

func product(ts ...Type) *Product { return &Product{Elems: ts} }

// power returns realⁿ.
func power(n int) *Product {
	ts := make([]Type, n)
	for i := range ts {
		ts[i] = Real
	}
	return product(ts...)
}

// Term is a trace term (§3):
//
//	C ::= x | r | C + D | op(C) | let x:T = C in D | ∗ | ⟨C, D⟩ | fst(C) | snd(C)
//
// with n-ary products: ∗ is the empty tuple, and fst and snd are the
// projections. Terms are immutable and may share subterms.
type Term interface{ isTerm() }

// The terms. Tuples and projections carry the types that Fig. 6 needs, as the
// subscripts of ⟨C, D⟩_{T,U} and fst_{T,U} do.
type (
	// Var is a variable, compared by identity.
	Var struct {
		Name string
		Type Type

		// moves says that the value depends on a variable of differentiation.
		moves bool
		// sum says that the variable is one of C +_T D, at a product T.
		sum bool
		// of is the variable that this one is the cotangent of, or nil.
		of *Var
	}
	// Const is r ∈ ℝ.
	Const float64
	// Add is C + D at real.
	Add struct{ L, R Term }
	// Apply is op(C).
	Apply struct {
		Op  *Op
		Arg Term
	}
	// Let is let x:T = C in D.
	Let struct {
		Var         *Var
		Bound, Body Term
	}
	// Tuple is ⟨C0, …, Cn−1⟩ of Type T0 × … × Tn−1.
	Tuple struct {
		Elems []Term
		Type  *Product
	}
	// Proj is the projection of a term, whose type is Type, to a component.
	Proj struct {
		Of    Term
		Index int
		Type  *Product
	}
)

func (*Var) isTerm()   {}
func (Const) isTerm()  {}
func (*Add) isTerm()   {}
func (*Apply) isTerm() {}
func (*Let) isTerm()   {}
func (*Tuple) isTerm() {}
func (*Proj) isTerm()  {}

var star Term = &Tuple{Type: Unit.(*Product)}

// typeOf returns the type of a well-typed term, read off its annotations.
func typeOf(c Term) Type {
	for {
		switch t := c.(type) {
		case *Var:
			return t.Type
		case *Apply:
			return t.Op.Cod
		case *Let:
			c = t.Body
			continue
		case *Tuple:
			return t.Type
		case *Proj:
			return t.Type.Elems[t.Index]
		}
		return Real
	}
}

// tuple returns the product of terms; of what has no reals it is ∗.
func tuple(elems ...Term) Term {
	ts := make([]Type, len(elems))
	reals := false
	for i, e := range elems {
		ts[i] = typeOf(e)
		reals = reals || !isUnit(ts[i])
	}
	if !reals {
		return star
	}
	return &Tuple{Elems: elems, Type: product(ts...)}
}

// component returns a component of a value, in place.
func component(v Term, i int) Term {
	if t, ok := v.(*Tuple); ok {
		if len(t.Elems) == 0 {
			return star
		}
		return t.Elems[i]
	}
	t := typeOf(v).(*Product)
	if len(t.Elems) == 0 || isUnit(t.Elems[i]) {
		return star
	}
	return &Proj{Of: v, Index: i, Type: t}
}

// isValue reports whether a term is one of
//
//	V ::= x | r | ∗ | ⟨V, W⟩
//
// or a projection of one: what costs nothing to evaluate, and cannot fail.
func isValue(c Term) bool {
	switch c := c.(type) {
	case *Var, Const:
		return true
	case *Proj:
		return isValue(c.Of)
	case *Tuple:
		return !slices.ContainsFunc(c.Elems, func(e Term) bool { return !isValue(e) })
	}
	return false
}

// moves reports whether a value depends on a variable of differentiation.
func moves(v Term) bool {
	for { // what a let binds has told its variable
		let, ok := v.(*Let)
		if !ok {
			break
		}
		v = let.Body
	}
	switch v := v.(type) {
	case *Var:
		return v.moves
	case *Proj:
		return moves(v.Of)
	case *Tuple:
		return slices.ContainsFunc(v.Elems, moves)
	case *Add:
		return moves(v.L) || moves(v.R)
	case *Apply:
		return moves(v.Arg)
	}
	return false
}

// Size counts the nodes of a term.
func Size(c Term) int {
	n := 0
	visit(c, func(Term) { n++ })
	return n
}

// visit calls f with every subterm of a term.
func visit(c Term, f func(Term)) {
	for todo := []Term{c}; len(todo) > 0; {
		c := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		f(c)
		switch c := c.(type) {
		case *Add:
			todo = append(todo, c.R, c.L)
		case *Apply:
			todo = append(todo, c.Arg)
		case *Let:
			todo = append(todo, c.Body, c.Bound)
		case *Tuple:
			for _, e := range slices.Backward(c.Elems) {
				todo = append(todo, e)
			}
		case *Proj:
			todo = append(todo, c.Of)
		}
	}
}
