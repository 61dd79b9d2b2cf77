package grad

import (
	"math"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// summed is f with the states of loops that are only ever added to made into totals, in the order
// of the turns. The cotangent of a total is the same in all turns, and it needs no tape.
//
//	for i < n, s : f64 = 0.0 { …; t = add.f s x; yield t }    →    for i < n, add.f from 0.0 { …; yield x }
func summed(f *loop.Func) *loop.Func {
	found := false
	m := loop.Mapper{Use: func(a loop.Atom) loop.Atom { return a }, Bind: func(v *loop.Var) *loop.Var { return v }}
	m.Block = func(b *loop.Block) *loop.Block {
		out := &loop.Block{Yield: b.Yield}
		for _, s := range b.Stmts {
			s = m.Stmt(s)
			if s, ok := s.(*loop.For); ok {
				for k := len(s.States) - 1; k >= 0; k-- {
					found = sumState(s, k) || found
				}
			}
			out.Stmts = append(out.Stmts, s)
		}
		return out
	}
	body := m.Block(f.Body)
	if !found {
		return f
	}
	return &loop.Func{Name: f.Name, Params: f.Params, Body: body, Adds: f.Adds}
}

// sumState makes a state of a loop into a total, if it is only added to.
func sumState(s *loop.For, k int) bool {
	st := s.States[k]
	if st.Var.Kind != loop.F64 {
		return false
	}
	body, x, n := contribution(s.Body, s.Body.Yield[k], st.Var)
	if x == nil || n != countUses(s.Body, st.Var) {
		return false
	}
	yield := slices.Clone(s.Body.Yield)
	body.Yield = append(slices.Delete(yield, k, k+1), x)
	s.Body = body
	s.States = slices.Delete(slices.Clone(s.States), k, k+1)
	s.Reds = append(slices.Clone(s.Reds), loop.Red{Op: loop.AddF, Init: st.Init, Result: st.Result})
	return true
}

func countUses(b *loop.Block, v *loop.Var) int {
	n := 0
	loop.AllUses(b, func(a loop.Atom) {
		if a == loop.Atom(v) {
			n++
		}
	})
	return n
}

// contribution finds what a block adds to a variable, if what it yields is that sum and nothing
// else uses the sum. It gives the block without the sum, the contribution, and how often the
// variable was used for it; nil if there is no such contribution.
func contribution(b *loop.Block, y loop.Atom, sum *loop.Var) (*loop.Block, loop.Atom, int) {
	if y == loop.Atom(sum) {
		return b, loop.Real(math.Copysign(0, -1)), 1
	}
	v, ok := y.(*loop.Var)
	if !ok || countUses(b, v) != 1 {
		return nil, nil, 0
	}
	for i, s := range b.Stmts {
		switch s := s.(type) {
		case *loop.Let:
			if s.Var != v {
				continue
			}
			if s.Op != loop.AddF || s.Args[0] == s.Args[1] {
				return nil, nil, 0
			}
			for k := range 2 {
				if s.Args[k] == loop.Atom(sum) {
					return &loop.Block{Stmts: slices.Delete(slices.Clone(b.Stmts), i, i+1)}, s.Args[1-k], 1
				}
			}
			return nil, nil, 0
		case *loop.If:
			k := slices.Index(s.Results, v)
			if k < 0 {
				continue
			}
			then, x, m := contribution(s.Then, s.Then.Yield[k], sum)
			otherwise, y, n := contribution(s.Else, s.Else.Yield[k], sum)
			if x == nil || y == nil {
				return nil, nil, 0
			}
			added := loop.NewVar(v.Name, loop.F64)
			c := &loop.If{Results: slices.Clone(s.Results), Cond: s.Cond,
				Then: &loop.Block{Stmts: then.Stmts, Yield: slices.Clone(s.Then.Yield)},
				Else: &loop.Block{Stmts: otherwise.Stmts, Yield: slices.Clone(s.Else.Yield)}}
			c.Results[k], c.Then.Yield[k], c.Else.Yield[k] = added, x, y
			stmts := slices.Clone(b.Stmts)
			stmts[i] = c
			return &loop.Block{Stmts: stmts}, added, m + n
		}
	}
	return nil, nil, 0
}
