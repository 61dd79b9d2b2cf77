package grad

import "github.com/fluxion-lang/fluxion/internal/loop"

// Note [Checkpoints]
//
// The tape of a loop has its states before every turn (Note [Tapes]). Of a thrifty loop, which a
// program has put into a `checkpoint`, only a few are kept, and turns are run again:
//
//   - One that stands in a loop with states does not write to the tape of that loop. The reversal of
//     a turn of the outer one runs it again, with a tape of its own.
//   - Another one of n turns is cut into about √n segments:
//
//	for i < n thrifty, s = a {     →     for j < m, s = a {
//	  … i …; yield t                       first = j * k
//	} gives r                              for i' < min k (n - first), s' = s {
//	                                         i = first + i'
//	                                         … i …; yield t
//	                                       } gives r'
//	                                       yield r'
//	                                     } gives r
//
//     The count of the inner loop is not known in front of the outer one. So the first run keeps
//     the states before each segment, and the reversal of a segment runs it again with a tape. That
//     is memory for 2√n states, and one more run. The values have the same bits; the sum over all
//     turns that a cotangent is has one part for each segment.
//
// A loop with totals, or with a state that is updated in place, is not cut.

// segmented is f with its thrifty loops cut, but for those that stand in a loop with states.
func segmented(f *loop.Func) *loop.Func {
	if !loop.Any(f.Body, func(s loop.Stmt) bool { x, ok := s.(*loop.For); return ok && x.Thrifty }) {
		return f
	}
	updated := loop.Updated(f.Body)
	m := loop.Mapper{Use: func(a loop.Atom) loop.Atom { return a }, Bind: func(v *loop.Var) *loop.Var { return v }, Share: true}
	m.Block = func(b *loop.Block) *loop.Block {
		out := loop.Rebuild(b)
		for _, s := range b.Stmts {
			x, ok := s.(*loop.For)
			_, repeats := s.(*loop.While)
			switch {
			case ok && x.Thrifty && cuttable(x, updated):
				cut(out, x)
			case repeats || ok && len(x.States) > 0: // what is inside runs again for a turn
				out.Add(s)
			default:
				out.Add(m.Stmt(s))
			}
		}
		return out.Rebuilt(b, b.Yield)
	}
	return &loop.Func{Name: f.Name, Params: f.Params, Body: m.Block(f.Body), Adds: f.Adds}
}

// cuttable tells whether a thrifty loop can be cut.
func cuttable(s *loop.For, updated map[*loop.Var]bool) bool {
	for _, st := range s.States {
		if updated[st.Var] {
			return false
		}
	}
	return len(s.Reds) == 0
}

// cut adds a loop in segments.
func cut(out *loop.Builder, s *loop.For) {
	count := out.Let("n", loop.MaxI, s.Count, loop.Int(0))
	root := out.Let("k", loop.CeilF, out.Let("k", loop.Sqrt, out.Let("k", loop.ToReal, count)))
	size := out.Let("k", loop.MaxI, out.Let("k", loop.ToInt, root), loop.Int(1))
	less := out.Let("m", loop.AddI, count, out.Let("m", loop.SubI, size, loop.Int(1)))
	segments := &loop.For{Index: loop.NewVar("j", loop.I64), Count: out.Let("m", loop.DivI, less, size)}
	var body, turn loop.Builder
	first := body.Let("first", loop.MulI, segments.Index, size)
	rest := body.Let("rest", loop.SubI, count, first)
	inner := &loop.For{Index: loop.NewVar(s.Index.Name, loop.I64), Count: body.Let("k", loop.MinI, size, rest)}
	turn.Add(&loop.Let{Var: s.Index, Op: loop.AddI, Args: []loop.Atom{first, inner.Index}})
	turn.Add(s.Body.Stmts...)
	inner.Body = turn.Block(s.Body.Yield...)
	yield := make([]loop.Atom, len(s.States))
	for i, st := range s.States {
		around := loop.NewVar(st.Var.Name, st.Var.Kind)
		after := loop.NewVar(st.Var.Name, st.Var.Kind)
		segments.States = append(segments.States, loop.State{Var: around, Init: st.Init, Result: st.Result})
		inner.States = append(inner.States, loop.State{Var: st.Var, Init: around, Result: after})
		yield[i] = after
	}
	body.Add(inner)
	segments.Body = body.Block(yield...)
	out.Add(segments)
}
