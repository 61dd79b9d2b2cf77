package vmath

import "github.com/fluxion-lang/fluxion/internal/loop"

// Inline gives the function with the operations that have definitions replaced by them.
func Inline(f *loop.Func) *loop.Func { return InlineBy(f, Define) }

// InlineBy gives the function with the operations that have a definition, by the function given,
// replaced by it.
func InlineBy(f *loop.Func, define func(*loop.Op) *loop.Func) *loop.Func {
	out := &loop.Func{Name: f.Name, Adds: f.Adds}
	c := loop.NewCopier()
	for _, p := range f.Params {
		out.Params = append(out.Params, c.Bind(p))
	}
	out.Body = inliner(define).block(c, f.Body)
	return out
}

// inliner gives the definition of an operation, or nil.
type inliner func(*loop.Op) *loop.Func

func (define inliner) block(c *loop.Copier, b *loop.Block) *loop.Block {
	out := &loop.Block{}
	m := loop.Mapper{Use: c.Atom, Bind: c.Bind, Block: func(b *loop.Block) *loop.Block {
		return define.block(c, b)
	}}
	for _, s := range b.Stmts {
		let, ok := s.(*loop.Let)
		if !ok || define(let.Op) == nil {
			out.Stmts = append(out.Stmts, m.Stmt(s))
			continue
		}
		def := define(let.Op)
		inner := loop.NewCopier()
		for i, p := range def.Params {
			inner.Set(p, c.Atom(let.Args[i]))
		}
		body := define.block(inner, def.Body)
		inner.Release()
		out.Stmts = append(out.Stmts, body.Stmts...)
		c.Set(let.Var, body.Yield[0])
	}
	for _, a := range b.Yield {
		out.Yield = append(out.Yield, c.Atom(a))
	}
	return out
}
