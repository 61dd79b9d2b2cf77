package grad

import (
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Resolving ties]
//
// Resolve makes the function whose kinks are resolved along a direction of its parameters: it computes what f does, and the
// tangents of the direction besides. Where the operands of max or min are equal, or that of abs is zero, the result is the operand
// that wins for a small step along the direction; the derivatives of this function are then those of f on the side to which the direction
// leads. The interpreter does the same on its tape (package tape, Note [Ties]).
//
// What decides is made of constants, by way of bits and frombits, so that a derivative of the function neither goes through it nor is tied
// by it. The passes leave these operations alone.

// Resolve is f, a function of p, with kinks resolved. It has the parameters of f and the direction of those that are wanted, and the
// results of f. If f calls functions, the resolved ones are added to p. It is nil if there is nothing to resolve.
func Resolve(p *loop.Program, f *loop.Func, wanted []bool, rules Rules) (out *loop.Func, err error) {
	if err := wantable(f, wanted); err != nil {
		return nil, err
	}
	defer caught(f, &err)
	d := newDerivatives(p, rules)
	d.resolve = true
	out = d.forward(f, wanted, make([]bool, len(wanted)))
	if d.kinks == 0 {
		return nil, nil
	}
	out.Name = f.Name + ".resolved"
	out.Body.Yield = out.Body.Yield[:len(f.Body.Yield)]
	return out, nil
}

// resolved emits an operation with a kink and its tangent, and tells whether it has one that is resolved here.
func (p *pusher) resolved(s *loop.Let) bool {
	kink := s.Op == loop.MaxF || s.Op == loop.MinF || s.Op == loop.AbsF
	if !kink || !p.d.resolve || !p.act.active(s.Var) {
		return false
	}
	args := p.atoms(s.Args)
	tangents := make([]loop.Atom, len(args))
	for i, a := range s.Args {
		tangents[i] = p.tangentOf(a)
	}
	at, first, second := &loop.Builder{}, &loop.Builder{}, &loop.Builder{} // the kink, and its sides
	x, dx := args[0], tangents[0]
	var tie, wins, y, dy loop.Atom
	if s.Op == loop.AbsF {
		y, dy = second.Let("x", loop.NegF, x), second.Let("d", loop.NegF, dx)
		tie = p.b.Let("tie", loop.EqF, still(p.b, x), loop.Real(0))
		wins = at.Let("first", loop.LeI, loop.Int(0), at.Let("bits", loop.Bits, dx))
	} else {
		y, dy = args[1], tangents[1]
		tie = p.b.Let("tie", loop.EqF, still(p.b, x), still(p.b, y))
		more, less := still(at, dx), still(at, dy)
		if s.Op == loop.MinF {
			more, less = less, more
		}
		wins = at.Let("first", loop.LeF, less, more)
	}
	p.d.kinks++
	v, dv := loop.NewVar("x", loop.F64), loop.NewVar("d", loop.F64)
	at.Add(&loop.If{Results: []*loop.Var{v, dv}, Cond: wins, Then: first.Block(x, dx), Else: second.Block(y, dy)})
	value := signed(at, s.Op, args, v)

	off := &loop.Builder{} // elsewhere
	w := off.Let(s.Var.Name, s.Op, args...)
	dw := p.sum(off, s, append(args, w))

	p.b.Add(&loop.If{Results: []*loop.Var{p.env.Bind(s.Var), p.tangent(s.Var)}, Cond: tie,
		Then: at.Block(value, dv), Else: off.Block(w, orZero(dw))})
	return true
}

// still is a number as a constant.
func still(b *loop.Builder, a loop.Atom) loop.Atom {
	if _, ok := a.(*loop.Const); ok {
		return a
	}
	return b.Let("still", loop.FromBits, b.Let("bits", loop.Bits, a))
}

// signed is the operand that was chosen at a kink with the sign that the operation gives to a zero.
func signed(b *loop.Builder, op *loop.Op, args []loop.Atom, x loop.Atom) loop.Atom {
	plus := func(x loop.Atom) loop.Atom { return b.Let("x", loop.AddF, x, loop.Real(0)) }
	switch op {
	case loop.AbsF:
		return plus(x)
	case loop.MinF:
		neg := func(x loop.Atom) loop.Atom { return b.Let("x", loop.NegF, x) }
		return b.Let("x", loop.SelF, sameBits(b, args), x, neg(plus(neg(x))))
	}
	return b.Let("x", loop.SelF, sameBits(b, args), x, plus(x))
}

func sameBits(b *loop.Builder, args []loop.Atom) loop.Atom {
	return b.Let("same", loop.EqI, b.Let("bits", loop.Bits, args[0]), b.Let("bits", loop.Bits, args[1]))
}
