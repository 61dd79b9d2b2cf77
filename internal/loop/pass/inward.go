package pass

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Inward moves operations that only one side of a branch needs to the start of that side. It is the last pass:
// others want operations as far outside as they can be.
//
//	m = mul.i i n; if c { x = xs[m]; … } else { … }    →    if c { m = mul.i i n; x = xs[m]; … } else { … }
func Inward(f *loop.Func) { f.Body = inward(f.Body) }

func isIf(s loop.Stmt) bool {
	_, ok := s.(*loop.If)
	return ok
}

// side is one of the blocks of a branch: 0 for Then, 1 for Else.
type side struct {
	of *loop.If
	k  int
}

func inward(b *loop.Block) *loop.Block {
	if !slices.ContainsFunc(b.Stmts, isIf) {
		out := loop.Rebuild(b)
		for _, s := range b.Stmts {
			out.Add(loop.MapBlocks(s, inward))
		}
		return out.Rebuilt(b, b.Yield)
	}
	var users loop.VarMap[side] // the side that alone needs a variable
	var several loop.VarSet     // what others need too
	need := func(v *loop.Var, s side) {
		if old := users.At(v); s.of == nil || old.of != nil && *old != s {
			several.Add(v)
		} else {
			*old = s
		}
	}
	needs := func(s side) func(loop.Atom) {
		return func(a loop.Atom) {
			if v, ok := a.(*loop.Var); ok {
				need(v, s)
			}
		}
	}
	here := needs(side{})
	for _, a := range b.Yield {
		here(a)
	}
	moved := map[side][]loop.Stmt{} // the last first
	var kept []loop.Stmt
	for _, s := range slices.Backward(b.Stmts) {
		if let, ok := s.(*loop.Let); ok {
			if to := users.Get(let.Var); to.of != nil && !several.Has(let.Var) {
				moved[to] = append(moved[to], let)
				loop.Uses(let, needs(to))
				continue
			}
		}
		loop.Uses(s, here)
		if x, ok := s.(*loop.If); ok {
			loop.AllUses(x.Then, needs(side{x, 0}))
			loop.AllUses(x.Else, needs(side{x, 1}))
		} else {
			loop.Blocks(s, func(b *loop.Block) { loop.AllUses(b, here) })
		}
		kept = append(kept, s)
	}
	out := loop.Rebuild(b)
	for _, s := range slices.Backward(kept) {
		if x, ok := s.(*loop.If); ok {
			then := started(x.Then, moved[side{x, 0}])
			otherwise := started(x.Else, moved[side{x, 1}])
			if then != x.Then || otherwise != x.Else {
				s = &loop.If{Results: x.Results, Cond: x.Cond, Then: then, Else: otherwise}
			}
		}
		out.Add(loop.MapBlocks(s, inward))
	}
	return out.Rebuilt(b, b.Yield)
}

// started is a block with more statements at its start, the last first.
func started(b *loop.Block, more []loop.Stmt) *loop.Block {
	if len(more) == 0 {
		return b
	}
	slices.Reverse(more)
	return &loop.Block{Stmts: slices.Concat(more, b.Stmts), Yield: b.Yield}
}
