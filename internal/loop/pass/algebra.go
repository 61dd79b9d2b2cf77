package pass

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// The identities by which Simplify rewrites single operations.

// by gives the arguments of an operation if that is what an atom is the result of.
func (s *simplifier) by(op *loop.Op, a loop.Atom) []loop.Atom {
	v, ok := a.(*loop.Var)
	if !ok {
		return nil
	}
	if def := s.defs.Get(v); def != nil && def.Op == op {
		return def.Args
	}
	return nil
}

// canonical writes an operation in another way if that is simpler.
func (s *simplifier) canonical(op *loop.Op, a []loop.Atom) (*loop.Op, []loop.Atom) {
	if op.Commutes {
		if _, ok := a[0].(*loop.Const); ok {
			a = []loop.Atom{a[1], a[0]} // literals come second
		}
	}
	switch op {
	case loop.SubI:
		if k, ok := a[1].(*loop.Const); ok {
			return s.canonical(loop.AddI, []loop.Atom{a[0], loop.Int(-k.I)})
		}
	case loop.AddI:
		if k, ok := a[1].(*loop.Const); ok {
			if in := s.by(loop.AddI, a[0]); in != nil {
				if j, ok := in[1].(*loop.Const); ok {
					return op, []loop.Atom{in[0], loop.Int(j.I + k.I)}
				}
			}
		}
	case loop.MulF:
		x, y := s.by(loop.NegF, a[0]), s.by(loop.NegF, a[1])
		switch {
		case isReal(a[1], -1):
			return loop.NegF, a[:1]
		case x != nil && y != nil:
			return op, []loop.Atom{x[0], y[0]}
		}
	case loop.AddF:
		if y := s.by(loop.NegF, a[1]); y != nil {
			return loop.SubF, []loop.Atom{a[0], y[0]}
		}
		if x := s.by(loop.NegF, a[0]); x != nil {
			return loop.SubF, []loop.Atom{a[1], x[0]}
		}
	case loop.SubF:
		if y := s.by(loop.NegF, a[1]); y != nil {
			return loop.AddF, []loop.Atom{a[0], y[0]}
		}
	case loop.PowI:
		switch {
		case isInt(a[1], 2):
			return loop.MulF, []loop.Atom{a[0], a[0]}
		case isInt(a[1], -1):
			return loop.DivF, []loop.Atom{loop.Real(1), a[0]}
		}
	case loop.SelF, loop.SelI, loop.SelB:
		if c := s.by(loop.Not, a[0]); c != nil {
			return s.canonical(op, []loop.Atom{c[0], a[2], a[1]})
		}
		switch {
		case op != loop.SelB:
		case isTrue(a[1]):
			return s.canonical(loop.Or, []loop.Atom{a[0], a[2]})
		case isFalse(a[2]):
			return s.canonical(loop.And, []loop.Atom{a[0], a[1]})
		case isFalse(a[1]) && isTrue(a[2]):
			return loop.Not, a[:1]
		}
	}
	return op, a
}

// identity is an atom that an operation is equal to, or nil.
func (s *simplifier) identity(op *loop.Op, a []loop.Atom) loop.Atom {
	switch op {
	case loop.MulF:
		if isReal(a[1], 1) {
			return a[0]
		}
	case loop.DivF:
		if isReal(a[1], 1) {
			return a[0]
		}
	case loop.PowI:
		switch {
		case isInt(a[1], 0):
			return loop.Real(1)
		case isInt(a[1], 1):
			return a[0]
		}
	case loop.AddF:
		if isReal(a[1], math.Copysign(0, -1)) || isReal(a[1], 0) && s.unsigned(a[0]) {
			return a[0]
		}
	case loop.AbsF:
		if s.unsigned(a[0]) {
			return a[0]
		}
	case loop.MaxF:
		for i, x := range a {
			if isReal(x, 0) && s.unsigned(a[1-i]) {
				return a[1-i]
			}
		}
	case loop.SubF:
		if isReal(a[1], 0) {
			return a[0]
		}
	case loop.NegF:
		if x := s.by(loop.NegF, a[0]); x != nil {
			return x[0]
		}
	case loop.AddI, loop.OrI, loop.XorI, loop.ShlI, loop.ShrI:
		if isInt(a[1], 0) {
			return a[0]
		}
	case loop.SubI:
		if same(a[0], a[1]) {
			return loop.Int(0)
		}
		if x := s.by(loop.AddI, a[0]); x != nil && same(x[0], a[1]) {
			return x[1]
		}
	case loop.MulI:
		if isInt(a[1], 1) {
			return a[0]
		}
		if isInt(a[1], 0) {
			return a[1]
		}
	case loop.DivI:
		if isInt(a[1], 1) {
			return a[0]
		}
	case loop.MaxI, loop.MinI:
		return s.absorbed(op, a)
	case loop.And:
		switch {
		case isTrue(a[1]):
			return a[0]
		case isFalse(a[1]):
			return a[1]
		}
		return s.absorbed(op, a)
	case loop.Or:
		switch {
		case isFalse(a[1]):
			return a[0]
		case isTrue(a[1]):
			return a[1]
		}
		return s.absorbed(op, a)
	case loop.Not:
		if x := s.by(loop.Not, a[0]); x != nil {
			return x[0]
		}
	case loop.EqI, loop.LeI:
		if same(a[0], a[1]) {
			return loop.Truth(true)
		}
	case loop.NeI, loop.LtI:
		if same(a[0], a[1]) {
			return loop.Truth(false)
		}
		if x := s.by(loop.ToWord, a[0]); op == loop.NeI && x != nil && isInt(a[1], 0) {
			return x[0]
		}
	case loop.LtF:
		if same(a[0], a[1]) || isReal(a[0], math.Inf(1)) || isReal(a[1], math.Inf(-1)) || isReal(a[1], 0) && s.unsigned(a[0]) {
			return loop.Truth(false)
		}
	case loop.SelF, loop.SelI, loop.SelB:
		switch {
		case isTrue(a[0]) || same(a[1], a[2]):
			return a[1]
		case isFalse(a[0]):
			return a[2]
		}
	}
	return nil
}

// absorbed is an operand of an idempotent operation that already contains the other one:
// max(max(x, y), y) is max(x, y). It is nil if there is none.
func (s *simplifier) absorbed(op *loop.Op, a []loop.Atom) loop.Atom {
	for i, x := range a {
		y := a[1-i]
		if in := s.by(op, x); same(x, y) || in != nil && (same(in[0], y) || same(in[1], y)) {
			return x
		}
	}
	return nil
}

// unsigned tells whether a real is known to be NaN or at least 0, and not -0.
func (s *simplifier) unsigned(a loop.Atom) bool {
	v, ok := a.(*loop.Var)
	if !ok {
		return isConst(a, func(k *loop.Const) bool { return !math.Signbit(k.F) })
	}
	return s.positive.Has(v)
}

// sign tells whether the result of an operation is unsigned.
func (s *simplifier) sign(x *loop.Let) bool {
	switch a := x.Args; x.Op {
	case loop.AbsF:
		return true
	case loop.MulF:
		return same(a[0], a[1]) || s.unsigned(a[0]) && s.unsigned(a[1])
	case loop.AddF, loop.MaxF, loop.MinF, loop.DivF:
		return s.unsigned(a[0]) && s.unsigned(a[1])
	case loop.Sqrt:
		return s.unsigned(a[0])
	case loop.SelF:
		return s.unsigned(a[1]) && s.unsigned(a[2])
	}
	return false
}
