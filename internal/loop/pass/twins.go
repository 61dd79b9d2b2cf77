package pass

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Twins]
//
// The reverse of a parallel loop runs the loop's body again, with a tape of the loops in it. Once
// both have become one loop, its body has those twice:
//
//	for …, s = a { t = f s; yield t } gives r
//	loss = g r
//	for …, s' = a { tape[i] = s'; t' = f s'; yield t' } gives r'
//
// The second loop gives the same and writes more, so that the first is not needed. It is left out,
// and what uses its results comes after the second loop. That the first checks nothing which the
// second does not is made sure of.

// twins leaves out loops of a block whose results a later loop gives too.
func (c *sharing) twins(b *loop.Block) *loop.Block {
	for k := 0; k < len(b.Stmts); k++ {
		first, ok := b.Stmts[k].(*loop.For)
		if !ok || len(first.States) == 0 || len(first.Reds) > 0 {
			continue
		}
		for m := k + 1; m < len(b.Stmts); m++ {
			second, ok := b.Stmts[m].(*loop.For)
			if !ok || !c.alike(first, second) || len(outer(first)) > 0 {
				continue
			}
			if one := c.one(b, k, m); one != nil {
				b = one
				c.moved = true
				k--
			}
			break
		}
	}
	return b
}

// alike tells whether a loop gives what another does and checks what it checks.
func (c *sharing) alike(first, second *loop.For) bool {
	if len(first.States) != len(second.States) || len(second.Reds) > 0 {
		return false
	}
	for i, st := range first.States {
		other := second.States[i].Result
		if c.n.Of.Get(st.Result) != c.n.Of.Get(other) || c.consumed[st.Result] || c.consumed[other] {
			return false
		}
	}
	checked := map[int32]bool{}
	simple := true
	loop.Walk(second.Body, func(s loop.Stmt) {
		switch s := s.(type) {
		case *loop.Check:
			checked[c.n.Atom(s.Cond)] = true
		case *loop.Update, *loop.Call, *loop.While:
			simple = false
		}
	})
	loop.Walk(first.Body, func(s loop.Stmt) {
		if s, ok := s.(*loop.Check); ok {
			simple = simple && checked[c.n.Atom(s.Cond)]
		}
	})
	return simple
}

// one is a block without loop k, whose results loop m gives; nil if that depends on them. What lies
// between and depends on the results comes after m.
func (c *sharing) one(b *loop.Block, k, m int) *loop.Block {
	first, second := b.Stmts[k].(*loop.For), b.Stmts[m].(*loop.For)
	late := map[loop.Atom]bool{} // what is known after m only
	for _, st := range first.States {
		late[st.Result] = true
	}
	depends := func(s loop.Stmt) bool {
		found := false
		use := func(a loop.Atom) { found = found || late[a] }
		loop.Uses(s, use)
		loop.Blocks(s, func(b *loop.Block) { loop.AllUses(b, use) })
		return found
	}
	var before, after []loop.Stmt
	for _, s := range b.Stmts[k+1 : m] {
		if !depends(s) {
			before = append(before, s)
			continue
		}
		after = append(after, s)
		loop.Defs(s, func(v *loop.Var) { late[v] = true })
		written(s, func(v *loop.Var) { late[v] = true })
	}
	if depends(second) {
		return nil
	}
	var by *rewriter
	by = newRewriter(func(b *loop.Block) *loop.Block {
		out := loop.Rebuild(b)
		for _, s := range b.Stmts {
			out.Add(by.m.Stmt(s))
		}
		return out.Rebuilt(b, by.atoms(b.Yield))
	})
	for i, st := range first.States {
		by.subst.Set(st.Result, second.States[i].Result)
	}
	stmts := slices.Concat(b.Stmts[:k], before, b.Stmts[m:m+1], after, b.Stmts[m+1:])
	return by.m.Block(&loop.Block{Stmts: stmts, Yield: b.Yield})
}
