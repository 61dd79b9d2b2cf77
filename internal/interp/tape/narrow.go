package tape

import "math"

// Narrow tells whether an operation of the part of the tape, whose tangents a sweep has, moves one
// of its arguments so far that something may be missed: package prim, Note [Features].
func (s *Sweep) Narrow() bool {
	for h := s.node; h < s.end; h++ {
		n := s.Tape.Node(h)
		if n.op < firstRow {
			continue
		}
		row, form := s.Tape.Rows[n.op&^formMask], n.op&formMask
		f := row.prim.Feature
		if f == nil || f.Arg == 1 && form == formLeft || f.Arg == 0 && form == formRight {
			continue
		}
		at := n.a
		if f.Arg == 1 && form == formBoth {
			at = Handle(math.Float64bits(n.c))
		}
		x, y, k := s.operands(h, n)
		if row.args != twoReals {
			y = float64(k)
		}
		if f.Arg == 1 {
			x = y
		}
		if p := s.Place(at); p != nil && !IsAbsent(*p) && f.Narrow(x, *p, y) {
			return true
		}
	}
	return false
}
