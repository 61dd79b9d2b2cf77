package grad

import (
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

// Note [Resolving ties]
//
// Resolve makes the function whose kinks are resolved along a direction of its parameters: it
// computes what f does, and the tangents of the direction besides. Where the operands of max or min
// are equal, or that of abs is zero, the result is the operand that wins for a small step along the
// direction; the derivatives of this function are then those of f on the side to which the
// direction leads. At 0, hypot is the product of its operands with the unit vector that the
// direction is there; package lower writes norms of arrays so itself, and Toward for the direction.
// The interpreter does the same on its tape (package tape, Note [Ties]).
//
// What decides is made of constants, by way of bits and frombits, so that a derivative of the
// function neither goes through it nor is tied by it. The passes leave these operations alone.

// Resolve is f, a function of p, with kinks resolved. It has the parameters of f and the direction
// of those that are wanted, and the results of f. If f calls functions, the resolved ones are added
// to p. It is nil if there is nothing to resolve.
func Resolve(p *loop.Program, f *loop.Func, wanted []bool, rules Rules) (out *loop.Func, err error) {
	if err := wantable(f, wanted); err != nil {
		return nil, err
	}
	defer caught(f, &err)
	d := newDerivatives(p, rules)
	d.resolve = true
	out = d.forward(f, wanted, nil, make([]bool, len(wanted)))
	if d.kinks == 0 {
		return nil, nil
	}
	out.Name = f.Name + ".resolved"
	out.Body.Yield = out.Body.Yield[:len(f.Body.Yield)]
	return out, nil
}

// resolved emits an operation with a kink and its tangent, and tells whether it has one that is
// resolved here.
func (p *pusher) resolved(s *loop.Let) bool {
	if !p.d.resolve {
		return false
	}
	if s.Op == loop.Toward {
		p.d.kinks++
		p.env.Set(s.Var, still(p.b, p.tangentOf(s.Args[0])))
		return true
	}
	var at func(tie *loop.Builder, args, tangents []loop.Atom) (value, tangent loop.Atom)
	var sides [][2]int // operands that are equal at the kink; -1 is a zero
	switch {
	case !p.act.active(s.Var):
		return false
	case s.Op == loop.MaxF || s.Op == loop.MinF:
		at, sides = func(tie *loop.Builder, args, tangents []loop.Atom) (loop.Atom, loop.Atom) {
			return larger(tie, s.Op, args, tangents)
		}, [][2]int{{0, 1}}
	case s.Op == loop.AbsF:
		at, sides = size, [][2]int{{0, -1}}
	case s.Op.Prim != nil && s.Op.Prim.KinkKind == prim.NormKink:
		at, sides = length, [][2]int{{0, -1}, {1, -1}}
	default:
		return false
	}
	p.d.kinks++
	args := p.atoms(s.Args)
	tangents := make([]loop.Atom, len(args))
	for i, a := range s.Args {
		tangents[i] = p.tangentOf(a)
	}
	tied := loop.Atom(loop.Truth(true))
	for _, pair := range sides {
		x, y := still(p.b, args[pair[0]]), loop.Atom(loop.Real(0))
		if pair[1] >= 0 {
			y = still(p.b, args[pair[1]])
		}
		tied = p.b.Let("tie", loop.And, tied, p.b.Let("tie", loop.EqF, x, y))
	}
	var tie, elsewhere loop.Builder
	v, dv := at(&tie, args, tangents)
	w := elsewhere.Let(s.Var.Name, s.Op, args...)
	dw := p.sum(&elsewhere, s, append(args, w))
	p.b.Add(&loop.If{Results: []*loop.Var{p.env.Bind(s.Var), p.tangent(s.Var)}, Cond: tied,
		Then: tie.Block(v, dv), Else: elsewhere.Block(w, orZero(dw))})
	return true
}

// larger is the operand of max that wins along a direction, or the one of min, where both are
// equal; and its tangent.
func larger(b *loop.Builder, op *loop.Op, args, tangents []loop.Atom) (value, tangent loop.Atom) {
	more, less := still(b, tangents[0]), still(b, tangents[1])
	if op == loop.MinF {
		more, less = less, more
	}
	first := b.Let("first", loop.LeF, less, more)
	x, d := oneOf(b, first, &loop.Block{Yield: []loop.Atom{args[0], tangents[0]}}, &loop.Block{Yield: []loop.Atom{args[1], tangents[1]}})
	// Of two zeros with different signs, max is the positive and min the negative one.
	same := b.Let("same", loop.EqI, b.Let("bits", loop.Bits, args[0]), b.Let("bits", loop.Bits, args[1]))
	neg := func(x loop.Atom) loop.Atom {
		if op == loop.MinF {
			return b.Let("x", loop.NegF, x)
		}
		return x
	}
	return b.Let("x", loop.SelF, same, x, neg(positive(b, neg(x)))), d
}

// size is abs of a zero along a direction, and its tangent.
func size(b *loop.Builder, args, tangents []loop.Atom) (value, tangent loop.Atom) {
	var minus loop.Builder
	y, dy := minus.Let("x", loop.NegF, args[0]), minus.Let("d", loop.NegF, tangents[0])
	forward := b.Let("first", loop.LeI, loop.Int(0), b.Let("bits", loop.Bits, tangents[0]))
	x, d := oneOf(b, forward, &loop.Block{Yield: []loop.Atom{args[0], tangents[0]}}, minus.Block(y, dy))
	return positive(b, x), d
}

// length is hypot of zeros along a direction, and its tangent.
func length(b *loop.Builder, args, tangents []loop.Atom) (value, tangent loop.Atom) {
	dx, dy := still(b, tangents[0]), still(b, tangents[1])
	d := b.Let("length", loop.OfPrim(prim.Hypot.Row()), dx, dy)
	moves := b.Let("moves", loop.LtF, loop.Real(0), d)
	part := func(x, dx loop.Atom) loop.Atom {
		return b.Let("x", loop.MulF, x, b.Let("unit", loop.SelF, moves, b.Let("unit", loop.DivF, dx, d), loop.Real(0)))
	}
	return positive(b, b.Let("x", loop.AddF, part(args[0], dx), part(args[1], dy))), d
}

// oneOf is what one of two blocks gives.
func oneOf(b *loop.Builder, cond loop.Atom, then, otherwise *loop.Block) (x, d loop.Atom) {
	v, w := loop.NewVar("x", loop.F64), loop.NewVar("d", loop.F64)
	b.Add(&loop.If{Results: []*loop.Var{v, w}, Cond: cond, Then: then, Else: otherwise})
	return v, w
}

// positive is a number, or a positive zero for a zero.
func positive(b *loop.Builder, x loop.Atom) loop.Atom { return b.Let("x", loop.AddF, x, loop.Real(0)) }

// still is a number as a constant.
func still(b *loop.Builder, a loop.Atom) loop.Atom {
	if _, ok := a.(*loop.Const); ok {
		return a
	}
	return b.Let("still", loop.FromBits, b.Let("bits", loop.Bits, a))
}
