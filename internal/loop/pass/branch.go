package pass

import (
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Branches makes selections of branches whose blocks only compute, at a cost of at most so much.
// Operations cannot fail, so that both blocks may run.
func Branches(f *loop.Func, cost int) {
	f.Body = selections(f.Body, func(s *loop.If) bool { return blockCost(s.Then)+blockCost(s.Else) <= cost })
}

// selections replaces the branches that consist of operations and fulfil a condition.
func selections(b *loop.Block, when func(*loop.If) bool) *loop.Block {
	out := loop.Rebuild(b)
	inner := func(b *loop.Block) *loop.Block { return selections(b, when) }
	for i := out.Nested(b, 0); i < len(b.Stmts); i = out.Nested(b, i+1) {
		s := loop.MapBlocks(b.Stmts[i], inner)
		x, ok := s.(*loop.If)
		if !ok || !computes(x.Then) || !computes(x.Else) || hasBuffer(x.Results) || !when(x) {
			out.Add(s)
			continue
		}
		out.Add(x.Then.Stmts...)
		out.Add(x.Else.Stmts...)
		for i, v := range x.Results {
			op := loop.SelF
			switch v.Kind {
			case loop.I64:
				op = loop.SelI
			case loop.Bool:
				op = loop.SelB
			}
			out.Add(loop.NewLet(v, op, x.Cond, x.Then.Yield[i], x.Else.Yield[i]))
		}
	}
	return out.Rebuilt(b, b.Yield)
}

func hasBuffer(vs []*loop.Var) bool {
	for _, v := range vs {
		if v.Kind.IsBuffer() {
			return true
		}
	}
	return false
}

// computes tells whether a block consists of operations.
func computes(b *loop.Block) bool {
	for _, s := range b.Stmts {
		switch s.(type) {
		case *loop.Let, *loop.Length:
		default:
			return false
		}
	}
	return true
}

func blockCost(b *loop.Block) int {
	total := 0
	loop.Walk(b, func(s loop.Stmt) {
		if s, ok := s.(*loop.Let); ok {
			total += s.Op.Cost
		} else {
			total++
		}
	})
	return total
}
