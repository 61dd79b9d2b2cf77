package vector

import "github.com/fluxion-lang/fluxion/internal/prim"

// tied tells whether a strip has a tie at an instruction.
func (s *Strips) tied(in *Instr) bool {
	switch in.Op {
	case MaxF, MinF, LtF, LeF:
		x, y := s.F[in.B], s.F[in.C]
		for j := range x {
			if x[j] == y[j] {
				return true
			}
		}
	case AbsF:
		for _, x := range s.F[in.B] {
			if x == 0 {
				return true
			}
		}
	case Round, Real1, Real2:
		return in.Row.KinkKind != prim.Smooth && s.atKink(in)
	}
	return false
}

// atKink looks for the kink of a row that is a function: hypot at 0, or a row that jumps.
func (s *Strips) atKink(in *Instr) bool {
	for j, x := range s.F[in.B] {
		if in.Row.KinkKind == prim.NormKink {
			if x == 0 && s.F[in.C][j] == 0 {
				return true
			}
		} else if in.Row.JumpsAt(x) {
			return true
		}
	}
	return false
}

// FoldTies tells whether a running maximum or minimum meets its own value
// again. The first element may: it is what the fold starts from.
func (s *Strips) FoldTies(c *Code, at int) bool {
	for n, fd := range c.Folds {
		if fd.Op != MaxF && fd.Op != MinF || fd.Kind != F {
			continue
		}
		acc := s.Sums[n].F
		for j, x := range s.F[fd.Reg] {
			if x == acc && at+j > 0 {
				return true
			}
			if fd.Op == MaxF {
				acc = Max(acc, x)
			} else {
				acc = Min(acc, x)
			}
		}
	}
	return false
}
