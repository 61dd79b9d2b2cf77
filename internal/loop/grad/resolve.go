package grad

import (
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/rules"
)

// Note [Resolving ties]
//
// Resolve makes the function whose kinks are resolved along a direction of its parameters: it
// computes what f does, and the tangents of the direction besides. At a kink the result is that of
// the side to which the direction leads (package rules, Note [Kinks]); the derivatives of this
// function are then those of f on that side. Package lower writes norms of arrays so itself, and
// Toward for the direction. The interpreter does the same on its tape (package tape, Note [Ties]).
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
	kind := kinkOf(s.Op)
	at := kinks[kind]
	if at == nil || !p.act.active(s.Var) {
		return false
	}
	p.d.kinks++
	args := p.atoms(s.Args)
	tangents := make([]loop.Atom, len(args))
	for i, a := range s.Args {
		tangents[i] = p.tangentOf(a)
	}
	x, y := still(p.b, args[0]), still(p.b, args[len(args)-1])
	tied := rules.AtKink(kind, x, y, statements{p.b})
	var tie, elsewhere loop.Builder
	v, dv := at(&tie, kind, args, tangents)
	w := elsewhere.Let(s.Var.Name, s.Op, args...)
	dw := p.sum(&elsewhere, s, append(args, w))
	p.b.Add(&loop.If{Results: []*loop.Var{p.env.Bind(s.Var), p.tangent(s.Var)}, Cond: tied,
		Then: tie.Block(v, dv), Else: elsewhere.Block(w, orZero(dw))})
	return true
}

// kinkOf returns the kind of kink that an operation has.
func kinkOf(op *loop.Op) prim.KinkKind {
	switch {
	case op == loop.MaxF:
		return prim.MaxKink
	case op == loop.MinF:
		return prim.MinKink
	case op == loop.AbsF:
		return prim.AbsKink
	case op.Prim != nil:
		return op.Prim.KinkKind
	}
	return prim.Smooth
}

// kinks are what operations are at their kinks, along a direction, with the tangents.
var kinks = map[prim.KinkKind]func(
	b *loop.Builder, kind prim.KinkKind, args, tangents []loop.Atom) (value, tangent loop.Atom){
	prim.MaxKink: larger, prim.MinKink: larger, prim.AbsKink: size, prim.NormKink: length,
}

// larger is the operand of max that wins along a direction, or the one of min, where both are
// equal; and its tangent.
func larger(b *loop.Builder, kind prim.KinkKind, args, tangents []loop.Atom) (
	value, tangent loop.Atom,
) {
	dx, dy := still(b, tangents[0]), still(b, tangents[1])
	first := rules.First(kind, dx, dy, statements{b})
	x, d := oneOf(b, first, &loop.Block{Yield: []loop.Atom{args[0], tangents[0]}}, &loop.Block{Yield: []loop.Atom{args[1], tangents[1]}})
	// Of two zeros with different signs, max is the positive and min the negative one.
	same := b.Let("same", loop.EqI, b.Let("bits", loop.Bits, args[0]), b.Let("bits", loop.Bits, args[1]))
	neg := func(x loop.Atom) loop.Atom {
		if kind == prim.MinKink {
			return b.Let("x", loop.NegF, x)
		}
		return x
	}
	return b.Let("x", loop.SelF, same, x, neg(positive(b, neg(x)))), d
}

// size is abs of a zero along a direction, and its tangent.
func size(b *loop.Builder, kind prim.KinkKind, args, tangents []loop.Atom) (
	value, tangent loop.Atom,
) {
	var minus loop.Builder
	y, dy := minus.Let("x", loop.NegF, args[0]), minus.Let("d", loop.NegF, tangents[0])
	forward := rules.First(kind, tangents[0], nil, statements{b})
	x, d := oneOf(b, forward, &loop.Block{Yield: []loop.Atom{args[0], tangents[0]}}, minus.Block(y, dy))
	return positive(b, x), d
}

// length is hypot of zeros along a direction, and its tangent.
func length(b *loop.Builder, _ prim.KinkKind, args, tangents []loop.Atom) (
	value, tangent loop.Atom,
) {
	dx, dy := still(b, tangents[0]), still(b, tangents[1])
	d := b.Let("length", loop.OfPrim(prim.Hypot.Row()), dx, dy)
	part := func(x, dx loop.Atom) loop.Atom {
		unit := rules.Unit(dx, d, loop.Atom(loop.Real(0)), statements{b})
		return b.Let("x", loop.MulF, x, unit)
	}
	return positive(b, b.Let("x", loop.AddF, part(args[0], dx), part(args[1], dy))), d
}

// statements computes with reals as statements of the loop form: rules.Reals.
type statements struct{ *loop.Builder }

func (b statements) Equal(x, y loop.Atom) loop.Atom    { return b.Let("tie", loop.EqF, x, y) }
func (b statements) AtMost(x, y loop.Atom) loop.Atom   { return b.Let("first", loop.LeF, x, y) }
func (b statements) Both(x, y loop.Atom) loop.Atom     { return b.Let("tie", loop.And, x, y) }
func (b statements) Zero() loop.Atom                   { return loop.Real(0) }
func (b statements) Quotient(x, y loop.Atom) loop.Atom { return b.Let("unit", loop.DivF, x, y) }

func (b statements) Unsigned(x loop.Atom) loop.Atom {
	return b.Let("first", loop.LeI, loop.Int(0), b.Let("bits", loop.Bits, x))
}

func (b statements) IfPositive(c, x, y loop.Atom) loop.Atom {
	moves := b.Let("moves", loop.LtF, loop.Real(0), c)
	return b.Let("unit", loop.SelF, moves, x, y)
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
