package lower

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Derivatives in several places]
//
// A search by gradient descent differentiates its function before its loop and in it, and a
// gradient in forward mode does so once for each coordinate:
//
//	loop (x, g) = (x, (jvp f x (1, 0), jvp f x (0, 1))) until … do
//	  … (jvp f y (1, 0), jvp f y (0, 1))
//
// The function is lowered and differentiated once, and its derivatives are emitted where they are
// wanted. That is right wherever
//
//   - the function is the same one: the same lambda in the same environment, applied to the same
//     arguments so far;
//   - the points differ in their reals only, which are parameters;
//   - the free variables of the function are bound, and what was known of them where it was
//     lowered is known. So a function is kept with the innermost block that binds one of them, or
//     that has a fact about one of them, for as long as the block is open;
//   - it is differentiated as often, if functions with rules are in it;
//   - no more is known of them, for else another lowering might have fewer checks and branches.

// apart is a function at a point, lowered on its own, or as it was before.
func (l *lowerer) apart(f, point value) *separate {
	level := levels{l.separating, l.linear}
	var of identity
	of.function(f)
	of.point(point)
	for _, open := range l.open {
		for _, s := range open.apart {
			if !slices.Equal(s.of, of) || s.ruled && s.level != level {
				continue
			}
			if facts, _ := l.facts(s); facts != s.facts {
				continue
			}
			l.emitted += s.emitted // which bounds what is emitted in all
			l.loops = l.loops || s.scopes.loops
			return s
		}
	}
	before, ruled := l.emitted, l.ruled
	s := l.sharedAt(f, point)
	if s != nil {
		l.watch(s)
	} else {
		s = l.separately(func(x value) value { return l.apply(f, []value{x}) }, point)
	}
	s.of, s.emitted = of, l.emitted-before
	s.level, s.ruled = level, l.ruled > ruled
	facts, depth := l.facts(s)
	s.facts = facts
	home := l.open[depth]
	home.apart = append(home.apart, s)
	return s
}

// facts counts what is known of the free variables of a separate function, and gives the depth of
// the innermost block that binds one or knows something of one.
func (l *lowerer) facts(s *separate) (n, depth int) {
	free := map[*loop.Var]bool{}
	for _, v := range s.free {
		free[v] = true
		depth = max(depth, l.depth(v))
	}
	if len(free) == 0 {
		return 0, depth
	}
	isFree := func(a loop.Atom) bool {
		v, ok := a.(*loop.Var)
		return ok && free[v]
	}
	for d, open := range l.open {
		before := n
		for key := range open.known {
			if slices.ContainsFunc(key.args[:], func(o operand) bool { return free[o.v] }) {
				n++
			}
		}
		for a, b := range open.equal {
			if isFree(a) || isFree(b) {
				n++
			}
		}
		if n > before {
			depth = max(depth, d)
		}
	}
	return n, depth
}

// identity tells functions and points apart: a list of what they are made of.
type identity []any

func (id *identity) add(parts ...any) { *id = append(*id, parts...) }

// atom adds an atom. Literals are equal if their words are.
func (id *identity) atom(a loop.Atom) {
	switch a := a.(type) {
	case *loop.Var:
		id.add(a)
	case *loop.Const:
		id.add(a.Kind, a.Word())
	}
}

// function adds a function, or an argument that it has been applied to.
func (id *identity) function(v value) {
	switch v := v.(type) {
	case *closure:
		id.add(v.fun, v.env, len(v.args))
		for _, a := range v.args {
			id.function(a)
		}
	case *scalar:
		id.atom(v.atom)
	case *product:
		id.add(v.table, len(v.parts))
		for _, part := range v.parts {
			id.function(part)
		}
	default:
		id.add(v)
	}
}

// point adds a point, whose columns are owned, without its reals.
func (id *identity) point(v value) {
	switch v := v.(type) {
	case *scalar:
		if id.add(v.atom.AtomKind()); v.atom.AtomKind() != loop.F64 {
			id.atom(v.atom)
		}
	case *column:
		if id.add(v.kind, len(v.steps)); v.kind != loop.F64 {
			id.add(v.buf)
		}
	case *product:
		id.add(v.table, len(v.parts))
		for _, part := range v.parts {
			id.point(part)
		}
	case *array:
		id.atom(v.n)
		id.point(v.elem)
	default:
		id.function(v)
	}
}
