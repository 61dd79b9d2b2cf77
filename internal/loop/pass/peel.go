package pass

import (
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Peeling]
//
// A loop over the elements of an array often treats the first in another way:
//
//	for i < n { b = eq.i i 0; if b { … } else { … xs[i-1] … } }
//
// The branch varies, and its blocks read what the other may not, so that the turns cannot run in
// lanes. With the first turn in front of the loop, and the others in a loop over i-1, Checks finds
// that the condition is known in both.

// mostPeeled bounds the statements of a loop that is written twice.
const mostPeeled = 100

// Peel takes the first turn out of parallel loops that ask for it in a branch: Note [Peeling].
func Peel(f *loop.Func) { f.Body = peelBlock(f.Body) }

func peelBlock(b *loop.Block) *loop.Block {
	out := loop.Rebuild(b)
	for i := out.Nested(b, 0); i < len(b.Stmts); i = out.Nested(b, i+1) {
		s := loop.MapBlocks(b.Stmts[i], peelBlock)
		if x, ok := s.(*loop.For); ok && x.Parallel && asksForFirst(x) {
			peel(out, x)
			continue
		}
		out.Add(s)
	}
	return out.Rebuilt(b, b.Yield)
}

// asksForFirst tells whether a branch in a loop depends on whether the turn is the first.
func asksForFirst(s *loop.For) bool {
	asks := map[loop.Atom]bool{}
	found, size := false, 0
	loop.Walk(s.Body, func(x loop.Stmt) {
		size++
		switch x := x.(type) {
		case *loop.Let:
			if len(x.Args) == 2 && x.Args[0] == loop.Atom(s.Index) {
				equal := (x.Op == loop.EqI || x.Op == loop.NeI || x.Op == loop.LeI) && isInt(x.Args[1], 0)
				if equal || x.Op == loop.LtI && isInt(x.Args[1], 1) {
					asks[x.Var] = true
				}
			}
			if x.Op == loop.LtI && isInt(x.Args[0], 0) && x.Args[1] == loop.Atom(s.Index) {
				asks[x.Var] = true
			}
		case *loop.If:
			found = found || asks[x.Cond]
		}
	})
	return found && size <= mostPeeled
}

// peel appends the first turn of a loop and then a loop of the others.
func peel(out *loop.Builder, s *loop.For) {
	some := out.Let("some", loop.LtI, loop.Int(0), s.Count)
	c := loop.NewCopier()
	c.Set(s.Index, loop.Int(0))
	body := c.Block(s.Body)
	then := &loop.Builder{Stmts: body.Stmts}
	first := &loop.If{Cond: some}
	var yield, otherwise []loop.Atom
	rest := &loop.For{Index: loop.NewVar(s.Index.Name, loop.I64), Parallel: true, Lanes: s.Lanes}
	for i, r := range s.Reds {
		yield = append(yield, then.Let(r.Result.Name, r.Op, r.Init, body.Yield[i]))
		otherwise = append(otherwise, r.Init)
		v := loop.NewVar(r.Result.Name, r.Result.Kind)
		first.Results = append(first.Results, v)
		rest.Reds = append(rest.Reds, loop.Red{Op: r.Op, Init: v, Result: r.Result})
	}
	first.Then, first.Else = then.Block(yield...), &loop.Block{Yield: otherwise}
	out.Add(first)
	rest.Count = out.Let("rest", loop.SelI, some, out.Let("rest", loop.AddI, s.Count, loop.Int(-1)), loop.Int(0))
	i := &loop.Let{Var: s.Index, Op: loop.AddI, Args: []loop.Atom{rest.Index, loop.Int(1)}}
	rest.Body = &loop.Block{Stmts: append([]loop.Stmt{i}, s.Body.Stmts...), Yield: s.Body.Yield}
	out.Add(rest)
}
