package grad

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// ordered is f with its active totals by some operations made into states: the derivative of
// a product by one factor needs the others, and a sequence has them at hand.
func (d *derivatives) ordered(f *loop.Func, of calling, ops ...*loop.Op) *loop.Func {
	any := func(is func(loop.Red) bool) bool {
		found := false
		loop.Walk(f.Body, func(s loop.Stmt) {
			if s, ok := s.(*loop.For); ok {
				found = found || slices.ContainsFunc(s.Reds, is)
			}
		})
		return found
	}
	oneOf := func(r loop.Red) bool { return slices.Contains(ops, r.Op) }
	if !any(oneOf) {
		return f
	}
	act := d.analyse(f, of)
	needs := func(r loop.Red) bool { return oneOf(r) && act.active(r.Result) }
	if !any(needs) {
		return f
	}
	same := func(v *loop.Var) *loop.Var { return v }
	m := loop.Mapper{Use: func(a loop.Atom) loop.Atom { return a }, Bind: same}
	m.Block = func(b *loop.Block) *loop.Block {
		out := &loop.Block{Yield: b.Yield}
		for _, s := range b.Stmts {
			s = m.Stmt(s)
			if s, ok := s.(*loop.For); ok {
				orderTotals(s, needs)
			}
			out.Stmts = append(out.Stmts, s)
		}
		return out
	}
	return &loop.Func{Name: f.Name, Params: f.Params, Body: m.Block(f.Body), Adds: f.Adds}
}

func orderTotals(s *loop.For, needs func(loop.Red) bool) {
	if !slices.ContainsFunc(s.Reds, needs) {
		return
	}
	n := len(s.States)
	b := &loop.Builder{Stmts: s.Body.Stmts}
	next, yield := slices.Clone(s.Body.Yield[:n]), []loop.Atom(nil)
	var reds []loop.Red
	for i, r := range s.Reds {
		x := s.Body.Yield[n+i]
		if !needs(r) {
			reds, yield = append(reds, r), append(yield, x)
			continue
		}
		st := loop.State{Var: loop.NewVar(r.Result.Name, r.Result.Kind), Init: r.Init, Result: r.Result}
		s.States = append(slices.Clip(s.States), st)
		next = append(next, b.Let(r.Result.Name, r.Op, st.Var, x))
	}
	s.Parallel, s.Lanes, s.Reds = false, false, reds
	s.Body = b.Block(append(next, yield...)...)
}
