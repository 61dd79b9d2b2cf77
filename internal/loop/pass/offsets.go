package pass

import "github.com/fluxion-lang/fluxion/internal/loop"

// Note [Offsets]
//
// The places that the turns of an unrolled loop read differ by literals, once those are added last:
//
//	a = add.i (mul.i b 16) 1; at = add.i (mul.i a 26) k
//	at = add.i (add.i (mul.i b 416) k) 26
//
// All but the last sum is then the same in each turn, and the literal is a part of an address.

// Offsets makes the literals of sums and products of integers the last to be added: Note [Offsets].
// What was added before stays, for DeadCode.
func Offsets(f *loop.Func) {
	o := &offsets{}
	o.rewriter = newRewriter(o.block)
	f.Body = o.block(f.Body)
}

// offsets knows integers as another one and a literal.
type offsets struct {
	*rewriter
	of    loop.VarMap[*shifted]
	scale loop.VarMap[*shifted] // of products by literals
}

type shifted struct {
	base loop.Atom
	by   int64
}

// parts gives an integer as a sum with a literal.
func (o *offsets) parts(a loop.Atom) (loop.Atom, int64) {
	switch a := a.(type) {
	case *loop.Const:
		return nil, a.I
	case *loop.Var:
		if x := o.of.Get(a); x != nil {
			return x.base, x.by
		}
	}
	return a, 0
}

func (o *offsets) block(b *loop.Block) *loop.Block {
	out := loop.Rebuild(b)
	for _, s := range b.Stmts {
		if x, ok := s.(*loop.Let); ok && (x.Op == loop.AddI || x.Op == loop.MulI) {
			o.let(out, x)
			continue
		}
		out.Add(o.m.Stmt(s))
	}
	return out.Rebuilt(b, o.atoms(b.Yield))
}

func (o *offsets) let(out *loop.Builder, x *loop.Let) {
	a, b := o.atom(x.Args[0]), o.atom(x.Args[1])
	base, by := loop.Atom(nil), int64(0)
	p, c := o.parts(a)
	q, d := o.parts(b)
	switch {
	case x.Op == loop.AddI && p != nil && q != nil && (c != 0 || d != 0):
		base, by = out.Let(x.Var.Name, loop.AddI, p, q), c+d
	case x.Op == loop.AddI && p != nil && q == nil:
		base, by = p, c+d
	case x.Op == loop.MulI && p != nil && q == nil:
		if v, ok := p.(*loop.Var); ok && o.scale.Get(v) != nil {
			s := o.scale.Get(v)
			p, d, c = s.base, d*s.by, c*d
		} else {
			c *= d
		}
		t := out.Let(x.Var.Name, loop.MulI, p, loop.Int(d))
		if v, ok := t.(*loop.Var); ok {
			o.scale.Set(v, &shifted{p, d})
		}
		base, by = t, c
	default:
		out.Add(loop.NewLet(x.Var, x.Op, a, b))
		return
	}
	if by == 0 {
		o.subst.Set(x.Var, base)
		return
	}
	o.of.Set(x.Var, &shifted{base, by})
	out.Add(loop.NewLet(x.Var, loop.AddI, base, loop.Int(by)))
}
