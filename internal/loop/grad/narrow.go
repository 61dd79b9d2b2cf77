package grad

import (
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

// Note [Narrow features]
//
// Narrow makes the function that tells whether one argument of a row moves too far along a tangent
// of the parameters for f to be seen well: package prim, Note [Features]. It is the forward
// derivative, of which nothing is wanted but the Bool that is otherwise tied; ties do not matter.
// What decides is made of constants, as in Note [Resolving ties], so that derivatives pass it by.

// Narrow is whether f, a function of p, may have a narrow feature. It has the parameters of f, each
// that is wanted followed by its tangent.
func Narrow(p *loop.Program, f *loop.Func, wanted []bool, rules Rules) (out *loop.Func, err error) {
	if err := wantable(f, wanted); err != nil {
		return nil, err
	}
	defer caught(f, &err)
	d := newDerivatives(p, rules)
	d.narrow = true
	out = d.forward(f, wanted, nil, make([]bool, len(wanted)))
	out.Name = f.Name + ".narrow"
	out.Body.Yield = out.Body.Yield[len(out.Body.Yield)-1:]
	return out, nil
}

// ties adds to what is tied, unless that does not matter.
func (p *pusher) ties(tie func() loop.Atom) {
	if !p.d.narrow {
		p.tied = either(p.b, p.tied, tie())
	}
}

// feature looks at an operation with its arguments.
func (p *pusher) feature(s *loop.Let, args []loop.Atom) {
	if !p.d.narrow || s.Op.Prim == nil || s.Op.Prim.Feature == nil {
		return
	}
	f := s.Op.Prim.Feature
	t := p.of(s.Args[f.Arg])
	if t == nil {
		return
	}
	b := p.b
	x, move := still(b, args[f.Arg]), b.Let("move", loop.AbsF, still(b, t))
	far := func(move loop.Atom, within float64, size loop.Atom) loop.Atom {
		if size != nil {
			size = b.Let("size", loop.MulF, loop.Real(within), size)
		} else {
			size = loop.Real(within)
		}
		return b.Let("far", loop.LtF, size, move)
	}
	var narrow loop.Atom
	switch f.Size {
	case prim.OfItself:
		narrow = far(move, f.Within, b.Let("size", loop.AbsF, x))
	case prim.OfPower:
		n := args[1]
		if n.AtomKind() == loop.I64 {
			n = b.Let("n", loop.ToReal, n)
		}
		n = still(b, n)
		size := b.Let("size", loop.AbsF, x)
		times := b.Let("move", loop.MulF, b.Let("n", loop.AbsF, n), move)
		pole := b.Let("pole", loop.And, b.Let("negative", loop.LtF, n, loop.Real(0)), far(times, f.Within, size))
		narrow = either(b, pole, far(times, prim.Widest, b.Let("size", loop.AddF, size, move)))
	default:
		high := b.Let("far", loop.LtF, loop.Real(f.Low), b.Let("end", loop.AddF, x, move))
		low := b.Let("far", loop.LtF, b.Let("end", loop.SubF, x, move), loop.Real(f.High))
		narrow = b.Let("narrow", loop.And, far(move, f.Within, nil), b.Let("within", loop.And, low, high))
	}
	p.tied = either(b, p.tied, narrow)
}
