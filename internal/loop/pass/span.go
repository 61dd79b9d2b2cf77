package pass

import (
	"math"
	"math/bits"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// span is an enclosure of an integer.
type span struct{ lo, hi int64 }

var anywhere = span{math.MinInt64, math.MaxInt64}

// arithmetic is an enclosure of a sum, difference or product, and whether it cannot wrap around.
func arithmetic(op *loop.Op, x, y span) (span, bool) {
	switch op {
	case loop.AddI:
		lo, hi := x.lo+y.lo, x.hi+y.hi
		if (y.lo < 0) != (lo < x.lo) || (y.hi < 0) != (hi < x.hi) {
			return anywhere, false
		}
		return span{lo, hi}, true
	case loop.SubI:
		lo, hi := x.lo-y.hi, x.hi-y.lo
		if (y.hi > 0) != (lo < x.lo) || (y.lo > 0) != (hi < x.hi) {
			return anywhere, false
		}
		return span{lo, hi}, true
	case loop.MulI:
		var ends [4]int64
		for i, a := range [...]int64{x.lo, x.hi} {
			for j, b := range [...]int64{y.lo, y.hi} {
				if a == math.MinInt64 || b == math.MinInt64 {
					return anywhere, false
				}
				high, low := bits.Mul64(uint64(abs(a)), uint64(abs(b)))
				if high != 0 || low > math.MaxInt64 {
					return anywhere, false
				}
				ends[2*i+j] = a * b
			}
		}
		return span{slices.Min(ends[:]), slices.Max(ends[:])}, true
	}
	return anywhere, false
}

// integer finds out what is known of the result of an operation.
func (p *prover) integer(v *variable, s *loop.Let) {
	a := s.Args
	switch s.Op {
	case loop.AddI, loop.SubI, loop.MulI:
		x, e := p.operand(p.literals[0][:0], a[0])
		y, f := p.operand(p.literals[1][:0], a[1])
		both, fits := arithmetic(s.Op, x, y)
		if !fits {
			return
		}
		switch s.Op {
		case loop.AddI:
			e = e.plusIn(p.rooms[0][:0], f, 1)
		case loop.SubI:
			e = e.plusIn(p.rooms[0][:0], f, -1)
		default:
			e = p.times(e, f)
		}
		v.span, v.poly = both, p.keep(e)
	case loop.MinI:
		x, y := p.span(a[0]), p.span(a[1])
		switch {
		case x.hi <= y.lo:
			v.span, v.poly = x, p.ref(a[0])
		case y.hi <= x.lo:
			v.span, v.poly = y, p.ref(a[1])
		default:
			v.span = span{min(x.lo, y.lo), min(x.hi, y.hi)}
			if _, ok := a[0].(*loop.Const); ok {
				v.upper = p.ref(a[1])
			} else {
				v.upper = p.ref(a[0])
			}
		}
	case loop.MaxI:
		x, y := p.span(a[0]), p.span(a[1])
		v.span = span{max(x.lo, y.lo), max(x.hi, y.hi)}
		switch {
		case x.lo >= y.hi:
			v.poly = p.ref(a[0])
		case y.lo >= x.hi:
			v.poly = p.ref(a[1])
		}
	case loop.SelI:
		p.chosen(v, a[1], a[2])
	case loop.ModI:
		if n := p.span(a[1]); n.lo > 0 {
			v.span, v.upper = span{0, n.hi - 1}, p.before(a[1])
		}
	case loop.AndI:
		for i, x := range a { // of no more bits than a constant
			if k, ok := x.(*loop.Const); ok && k.I >= 0 {
				v.span = span{0, k.I}
			} else if n := p.span(a[1-i]); n.lo >= 0 && p.span(x).lo >= 0 {
				v.span = span{0, min(n.hi, p.span(x).hi)}
			}
		}
	case loop.ShrI:
		if k, ok := a[1].(*loop.Const); ok {
			x := p.span(a[0])
			v.span = span{x.lo >> (uint64(k.I) & 63), x.hi >> (uint64(k.I) & 63)}
		}
	case loop.DivI:
		if k, ok := a[1].(*loop.Const); ok && k.I > 0 {
			x := p.span(a[0])
			v.span = span{floored(x.lo, k.I), floored(x.hi, k.I)}
		}
	case loop.ToWord:
		v.span = span{0, 1}
	}
}

// chosen takes note that a variable is one of two integers.
func (p *prover) chosen(v *variable, a, b loop.Atom) {
	x, y := p.span(a), p.span(b)
	v.span = span{min(x.lo, y.lo), max(x.hi, y.hi)}
	switch {
	case x.hi <= y.lo:
		v.upper = p.ref(b)
	case y.hi <= x.lo:
		v.upper = p.ref(a)
	}
}

// branched takes note of the integers that a branch gives. Of what is bound in a branch nothing is
// known behind it.
func (p *prover) branched(s *loop.If) {
	before := func(a loop.Atom, result *loop.Var) bool {
		v, ok := a.(*loop.Var)
		return !ok || p.order.Get(v) > 0 && p.order.Get(v) < p.order.Get(result)
	}
	for i, v := range s.Results {
		a, b := s.Then.Yield[i], s.Else.Yield[i]
		if v.Kind == loop.I64 && before(a, v) && before(b, v) {
			p.chosen(p.variable(v), a, b)
		}
	}
}

func floored(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
