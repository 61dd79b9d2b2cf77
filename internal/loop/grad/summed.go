package grad

import "github.com/fluxion-lang/fluxion/internal/loop"

// summed is f with the states of loops that are only ever added to made into totals, in the order
// of the turns. The cotangent of a total is the same in all turns, and it needs no tape.
func summed(f *loop.Func) *loop.Func {
	found := false
	m := loop.Mapper{Use: func(a loop.Atom) loop.Atom { return a }, Bind: func(v *loop.Var) *loop.Var { return v }}
	m.Block = func(b *loop.Block) *loop.Block {
		out := &loop.Block{Yield: b.Yield}
		for _, s := range b.Stmts {
			s = m.Stmt(s)
			if x, ok := s.(*loop.For); ok {
				x, n := loop.SumStates(x)
				s, found = x, found || n > 0
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
