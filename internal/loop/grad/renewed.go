package grad

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// renewed is f with the states of counted loops that a turn updates, though it yields another buffer, copied at the beginning of the turn.
// What is updated then belongs to the turn, and the state is one like others: Note [In place]. The copy takes no longer than making
// the other buffer does, and the tape has as many states as there are turns.
//
//	for i < n, s : f64s = … {                        for i < n, before : f64s = … {
//	  x = s[0]                                         s = copy before
//	  for j < m, t : f64s = s { … }                    x = before[0]
//	  …                                         →      for j < m, t : f64s = s { … }
//	  yield other                                      …
//	}                                                  yield other
func renewed(f *loop.Func) *loop.Func {
	updated := loop.Updated(f.Body)
	if len(updated) == 0 {
		return f
	}
	found := false
	states := func(all []loop.State, body *loop.Block) ([]loop.State, *loop.Block) {
		out := slices.Clone(all)
		for i, st := range all {
			if !updated[st.Var] {
				continue
			}
			if made := versions(st.Var, body, updated); len(made) > 1 && !made[body.Yield[i]] {
				found = true
				before := loop.NewVar(st.Var.Name, st.Var.Kind)
				out[i].Var = before
				body = readBefore(body, st.Var, before, updated)
				body.Stmts = slices.Insert(body.Stmts, 0, loop.Stmt(&loop.Copy{Var: st.Var, Buf: before}))
			}
		}
		return out, body
	}
	m := loop.Mapper{Use: func(a loop.Atom) loop.Atom { return a }, Bind: func(v *loop.Var) *loop.Var { return v }, Share: true}
	m.Block = func(b *loop.Block) *loop.Block {
		out := loop.Rebuild(b)
		for _, s := range b.Stmts {
			s = m.Stmt(s)
			if old, ok := s.(*loop.For); ok {
				if all, body := states(old.States, old.Body); body != old.Body {
					again := *old
					again.States, again.Body = all, body
					s = &again
				}
			}
			out.Add(s)
		}
		return out.Rebuilt(b, b.Yield)
	}
	body := m.Block(f.Body)
	if !found {
		return f
	}
	return &loop.Func{Name: f.Name, Params: f.Params, Body: body, Adds: f.Adds}
}

// readBefore is a block that reads a buffer where it read its copy: only updates use that.
func readBefore(b *loop.Block, own, before *loop.Var, updated map[*loop.Var]bool) *loop.Block {
	m := loop.Mapper{Bind: func(v *loop.Var) *loop.Var { return v }}
	m.Use = func(a loop.Atom) loop.Atom {
		if a == loop.Atom(own) {
			return before
		}
		return a
	}
	states := func(old, made []loop.State) {
		for i, st := range old {
			if st.Init == loop.Atom(own) && updated[st.Var] {
				made[i].Init = own
			}
		}
	}
	m.Block = func(b *loop.Block) *loop.Block {
		out := &loop.Block{Yield: m.Uses(b.Yield)}
		for _, s := range b.Stmts {
			made := m.Stmt(s)
			switch s := s.(type) {
			case *loop.Update:
				if s.Buf == own {
					made.(*loop.Update).Buf = own
				}
			case *loop.For:
				states(s.States, made.(*loop.For).States)
			case *loop.While:
				states(s.States, made.(*loop.While).States)
			}
			out.Stmts = append(out.Stmts, made)
		}
		return out
	}
	return m.Block(b)
}

// versions are a buffer and what becomes of it in a block by updates in place.
func versions(v *loop.Var, b *loop.Block, updated map[*loop.Var]bool) map[loop.Atom]bool {
	out := map[loop.Atom]bool{v: true}
	states := func(all []loop.State) {
		for _, st := range all {
			if out[st.Init] && updated[st.Var] {
				out[st.Var], out[st.Result] = true, true
			}
		}
	}
	var visit func(b *loop.Block)
	visit = func(b *loop.Block) {
		for _, s := range b.Stmts {
			switch s := s.(type) {
			case *loop.Update:
				if out[s.Buf] {
					out[s.Var] = true
				}
			case *loop.For:
				states(s.States)
			case *loop.While:
				states(s.States)
			}
			loop.Blocks(s, visit)
			if s, ok := s.(*loop.If); ok {
				for i, v := range s.Results {
					if out[s.Then.Yield[i]] || out[s.Else.Yield[i]] {
						out[v] = true
					}
				}
			}
		}
	}
	visit(b)
	return out
}
