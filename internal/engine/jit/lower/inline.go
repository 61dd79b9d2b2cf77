package lower

import (
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/vmath"
)

// Inline replaces the operations that vmath defines by their definitions. An
// instruction for ldexp takes every n.
func Inline(f *loop.Func, scales bool) {
	define := vmath.Define
	if scales {
		define = vmath.DefineScaling
	}
	subst := loop.NewCopier() // for what it says of variables alone
	m := loop.Mapper{Use: subst.Atom, Share: true}
	var stmts func(in []loop.Stmt, out *loop.Builder)
	stmts = func(in []loop.Stmt, out *loop.Builder) {
		for _, s := range in {
			if let, ok := s.(*loop.Let); ok {
				if def := define(let.Op); def != nil && !(scales && let.Op == loop.Ldexp) {
					c := loop.NewCopier()
					for i, p := range def.Params {
						c.Set(p, subst.Atom(let.Args[i]))
					}
					body := c.Block(def.Body)
					c.Release()
					stmts(body.Stmts, out)
					subst.Set(let.Var, subst.Atom(body.Yield[0]))
					continue
				}
			}
			out.Add(m.Stmt(s))
		}
	}
	m.Block = func(b *loop.Block) *loop.Block {
		out := loop.Rebuild(b)
		stmts(b.Stmts, out)
		return out.Rebuilt(b, m.Uses(b.Yield))
	}
	f.Body = m.Block(f.Body)
	subst.Release()
}
