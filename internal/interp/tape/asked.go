package tape

import (
	"math"
	"slices"
)

// Note [What is asked for]
//
// A kink, or a tie of a comparison, is an error only for what depends on it. In
//
//	if abs (x - 1) < 0.5 then x^3 else 0
//
// at 1, no second derivative of the absolute value is part of that of the function. A sweep
// backwards meets what its results depend on, and nothing else. A sweep forwards meets everything,
// so that at a kink it has to find out whether a tangent that is asked for depends on that one.
//
// A comparison of a real with itself is decided: its sides are equal at all points.

// needs tells whether what is asked for depends on a node.
func (s *Sweep) needs(h Handle) bool {
	if s.Asked == nil || h < s.node || h >= s.end {
		return true
	}
	if s.needed == nil {
		s.needed = s.reached()
	}
	return s.needed[h-s.node]
}

// reached are the nodes of the part that lead to what is asked for. Elements of arrays are taken
// to.
func (s *Sweep) reached() []bool {
	needed := make([]bool, len(s.nodes))
	mark := func(h Handle) {
		if h&ElementBit == 0 && h >= s.node && h < s.end {
			needed[h-s.node] = true
		}
	}
	visit := func(x float64) {
		if IsBox(x) {
			mark(Unbox(x))
		}
	}
	for _, x := range s.Asked {
		visit(x)
	}
	for h := s.end - 1; h >= s.node; h-- {
		n := s.Tape.Node(h)
		if !needed[h-s.node] && n.op != WholeNode {
			continue
		}
		switch n.op {
		case LeafNode:
			mark(n.a)
		case CustomNode, WholeNode:
			needed[h-s.node] = true
			s.Tape.custom(n).Parents(visit)
		default:
			s.Tape.eachParent(n, mark)
		}
	}
	return needed
}

// eachParent visits the operands of a row that are on the tape.
func (t *Tape) eachParent(n *Node, visit func(Handle)) {
	visit(n.a)
	if n.op&formMask == formBoth && t.Rows[n.op&^formMask].args == twoReals {
		visit(Handle(math.Float64bits(n.c)))
	}
}

// maxSame bounds how many nodes are looked at to find that two reals are the same.
const maxSame = 1000

// same tells whether two reals are one: the same entry, or the same operations on the same entries.
func (t *Tape) same(x, y float64) bool {
	left := maxSame
	return IsBox(x) && IsBox(y) && t.sameReal(x, y, &left)
}

func (t *Tape) sameEntry(a, b Handle, left *int) bool {
	if a == b {
		return true
	}
	if *left--; *left < 0 || (a|b)&ElementBit != 0 {
		return false
	}
	m, n := t.Node(a), t.Node(b)
	if m.op != n.op || m.v != n.v {
		return false
	}
	if m.op == CustomNode {
		return t.sameRow(t.custom(m), t.custom(n), left)
	}
	if m.op < firstRow {
		return false
	}
	if m.op&formMask == formBoth && t.Rows[m.op&^formMask].args == twoReals {
		return t.sameEntry(m.a, n.a, left) &&
			t.sameEntry(Handle(math.Float64bits(m.c)), Handle(math.Float64bits(n.c)), left)
	}
	return math.Float64bits(m.c) == math.Float64bits(n.c) && t.sameEntry(m.a, n.a, left)
}

// sameRow is sameEntry for nodes of rows over arrays.
func (t *Tape) sameRow(a, b Custom, left *int) bool {
	x, isRow := a.(arrayRule)
	y, ok := b.(arrayRule)
	if !isRow || !ok || x.Name() != y.Name() {
		return false
	}
	return slices.EqualFunc(parents(a), parents(b),
		func(x, y float64) bool { return t.sameReal(x, y, left) })
}

// sameReal is sameEntry for reals of which each may be a constant.
func (t *Tape) sameReal(x, y float64, left *int) bool {
	if IsBox(x) && IsBox(y) {
		return t.sameEntry(Unbox(x), Unbox(y), left)
	}
	return x == y
}

func parents(c Custom) (xs []float64) {
	c.Parents(func(x float64) { xs = append(xs, x) })
	return xs
}
