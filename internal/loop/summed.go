package loop

import (
	"math"
	"slices"
)

// SumStates returns a loop whose states that are only ever added to are totals, its last n ones.
//
//	for i < n, s : f64 = 0.0 { …; t = add.f s x; yield t }    →
//	for i < n, add.f from 0.0 { …; yield x }
func SumStates(s *For) (summed *For, n int) {
	for k := len(s.States) - 1; k >= 0; k-- {
		if t := sumState(s, k); t != nil {
			s, n = t, n+1
		}
	}
	return s, n
}

// sumState returns a loop in which a state is a total, or nil if more is done with it.
func sumState(s *For, k int) *For {
	st := s.States[k]
	if st.Var.Kind != F64 {
		return nil
	}
	body, x, n := contribution(s.Body, s.Body.Yield[k], st.Var)
	if x == nil || n != countUses(s.Body, st.Var) {
		return nil
	}
	out := *s
	yield := append(slices.Delete(slices.Clone(s.Body.Yield), k, k+1), x)
	out.Body = &Block{Stmts: body.Stmts, Yield: yield}
	out.States = slices.Delete(slices.Clone(s.States), k, k+1)
	out.Reds = append(slices.Clone(s.Reds), Red{Op: AddF, Init: st.Init, Result: st.Result})
	return &out
}

func countUses(b *Block, v *Var) int {
	n := 0
	AllUses(b, func(a Atom) {
		if a == Atom(v) {
			n++
		}
	})
	return n
}

// contribution finds what a block adds to a variable, if what it yields is that sum and nothing
// else uses the sum. It gives the block without the sum, the contribution, and how often the
// variable was used for it; nil if there is no such contribution.
func contribution(b *Block, y Atom, sum *Var) (*Block, Atom, int) {
	if y == Atom(sum) {
		return b, Real(math.Copysign(0, -1)), 1
	}
	v, ok := y.(*Var)
	if !ok || countUses(b, v) != 1 {
		return nil, nil, 0
	}
	for i, s := range b.Stmts {
		switch s := s.(type) {
		case *Let:
			if s.Var != v {
				continue
			}
			if s.Op != AddF || s.Args[0] == s.Args[1] {
				return nil, nil, 0
			}
			for k := range 2 {
				if s.Args[k] == Atom(sum) {
					rest := slices.Delete(slices.Clone(b.Stmts), i, i+1)
					return &Block{Stmts: rest}, s.Args[1-k], 1
				}
			}
			return nil, nil, 0
		case *If:
			k := slices.Index(s.Results, v)
			if k < 0 {
				continue
			}
			then, x, m := contribution(s.Then, s.Then.Yield[k], sum)
			otherwise, y, n := contribution(s.Else, s.Else.Yield[k], sum)
			if x == nil || y == nil {
				return nil, nil, 0
			}
			added := NewVar(v.Name, F64)
			c := &If{Results: slices.Clone(s.Results), Cond: s.Cond,
				Then: &Block{Stmts: then.Stmts, Yield: slices.Clone(s.Then.Yield)},
				Else: &Block{Stmts: otherwise.Stmts, Yield: slices.Clone(s.Else.Yield)}}
			c.Results[k], c.Then.Yield[k], c.Else.Yield[k] = added, x, y
			stmts := slices.Clone(b.Stmts)
			stmts[i] = c
			return &Block{Stmts: stmts}, added, m + n
		}
	}
	return nil, nil, 0
}
