package pass

import (
	"sync"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

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
	o := manyOffsets.Get().(*offsets)
	f.Body = o.block(f.Body)
	o.subst.Clear()
	o.sums.Clear()
	o.products.Clear()
	manyOffsets.Put(o)
}

var manyOffsets = sync.Pool{New: func() any {
	o := &offsets{}
	o.m = loop.Mapper{Use: o.atom, Block: o.block, Share: true}
	return o
}}

// offsets knows integers as sums of another one and a literal, and as products.
type offsets struct {
	rewriter
	sums, products loop.VarMap[shifted]
}

// shifted is an integer and the literal that is added to it, or that it is multiplied by.
type shifted struct {
	base loop.Atom // nil if there is none
	by   int64
}

// parts gives an integer as a sum with a literal.
func (o *offsets) parts(a loop.Atom) (loop.Atom, int64) {
	switch a := a.(type) {
	case *loop.Const:
		return nil, a.I
	case *loop.Var:
		if x := o.sums.Get(a); x.base != nil {
			return x.base, x.by
		}
	}
	return a, 0
}

func (o *offsets) block(b *loop.Block) *loop.Block {
	out := loop.Rebuild(b)
	for _, s := range b.Stmts {
		switch x := s.(type) {
		case *loop.Let:
			if x.Op == loop.AddI || x.Op == loop.MulI {
				o.let(out, x)
			} else {
				out.Add(o.rewriter.let(x))
			}
		default:
			out.Add(o.m.Stmt(s))
		}
	}
	return out.Rebuilt(b, o.atoms(b.Yield))
}

func (o *offsets) let(out *loop.Builder, x *loop.Let) {
	a, b := o.atom(x.Args[0]), o.atom(x.Args[1])
	p, c := o.parts(a)
	q, d := o.parts(b)
	switch {
	case x.Op == loop.AddI && p != nil && q != nil && (c != 0 || d != 0):
		if c+d == 0 {
			out.Add(loop.NewLet(x.Var, loop.AddI, p, q))
			return
		}
		sum := out.Let(x.Var.Name, loop.AddI, p, q)
		o.sums.Set(x.Var, shifted{sum, c + d})
		out.Add(loop.NewLet(x.Var, loop.AddI, sum, loop.Int(c+d)))
	case x.Op == loop.AddI && p != nil && q == nil && c+d == 0:
		o.subst.Set(x.Var, p)
	case x.Op == loop.AddI && p != nil && q == nil:
		o.sums.Set(x.Var, shifted{p, c + d})
		out.Add(bound(x, p, c+d))
	case x.Op == loop.MulI && p != nil && q == nil:
		c *= d
		if v, ok := p.(*loop.Var); ok {
			if s := o.products.Get(v); s.base != nil {
				p, d = s.base, d*s.by
			}
		}
		if c == 0 {
			o.products.Set(x.Var, shifted{p, d})
			out.Add(bound(x, p, d))
			return
		}
		product := loop.FreshLet(x.Var.Name, loop.MulI, p, loop.Int(d))
		out.Add(product)
		o.products.Set(product.Var, shifted{p, d})
		o.sums.Set(x.Var, shifted{product.Var, c})
		out.Add(loop.NewLet(x.Var, loop.AddI, product.Var, loop.Int(c)))
	default:
		out.Add(o.rewriter.let(x))
	}
}

// bound is an operation on an integer and a literal: x itself if it is that.
func bound(x *loop.Let, a loop.Atom, n int64) *loop.Let {
	if c, ok := x.Args[1].(*loop.Const); ok && c.I == n && x.Args[0] == a {
		return x
	}
	return loop.NewLet(x.Var, x.Op, a, loop.Int(n))
}
