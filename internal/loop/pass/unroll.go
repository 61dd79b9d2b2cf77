package pass

import (
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Unrolling]
//
// A loop over the coordinates of a point or a row of a small matrix has three or four turns of a
// few operations each. Counting them takes as long as the operations, and an element of a small
// buffer that is known by its number in each turn is not known by it in the loop. So such a loop
// becomes its turns, one after the other:
//
//	for j < 3, add.f from 0.0 { x = p[j]; yield mul.f x x } gives t
//	x = p[0]; t0 = add.f 0.0 (mul.f x x); x = p[1]; …
//
// Totals are added up in the order of the turns. A buffer that is then written at known places only
// is scalars: what is read from it at a known place is what was stored there.

// The most turns of a loop that is unrolled, and the most statements that it becomes.
const (
	mostUnrolled  = 4
	unrolledStmts = 320
	knownElements = 64 // of a buffer that may be scalars
)

// Unroll replaces loops of few turns by their turns, and small buffers by scalars: Note
// [Unrolling].
func Unroll(f *loop.Func) { unrollWith(f, nil) }

func unrollWith(f *loop.Func, k *known) {
	u := &unroller{}
	u.rewriter = newRewriter(u.block)
	f.Body = u.block(f.Body)
	u.release()
	simplifyWith(f, k) // so that the places are literals
	f.Body = elements(f.Body, loop.Updated(f.Body))
}

type unroller struct{ *rewriter }

func (u *unroller) block(b *loop.Block) *loop.Block {
	out := loop.Rebuild(b)
	for _, s := range b.Stmts {
		if let, ok := s.(*loop.Let); ok {
			out.Add(u.let(let))
			continue
		}
		s = u.m.Stmt(s)
		x, ok := s.(*loop.For)
		if !ok || !unrolls(x) {
			out.Add(s)
			continue
		}
		last := make([]loop.Atom, 0, len(x.Body.Yield))
		for _, st := range x.States {
			last = append(last, st.Init)
		}
		for _, red := range x.Reds {
			last = append(last, red.Init)
		}
		for i := range x.Count.(*loop.Const).I {
			c := loop.NewCopier()
			c.Set(x.Index, loop.Int(i))
			for k, st := range x.States {
				c.Set(st.Var, last[k])
			}
			turn := c.Block(x.Body)
			c.Release()
			out.Add(turn.Stmts...)
			copy(last, turn.Yield[:len(x.States)])
			for k, red := range x.Reds {
				n := len(x.States) + k
				last[n] = out.Let(red.Result.Name, red.Op, last[n], turn.Yield[n])
			}
		}
		for k, st := range x.States {
			u.subst.Set(st.Result, last[k])
		}
		for k, red := range x.Reds {
			u.subst.Set(red.Result, last[len(x.States)+k])
		}
	}
	return out.Rebuilt(b, u.atoms(b.Yield))
}

// unrolls tells whether a loop has few turns, and not much in them. Only a loop's state is updated,
// so that such a loop stays one.
func unrolls(s *loop.For) bool {
	k, ok := s.Count.(*loop.Const)
	if !ok || k.I < 1 || k.I > mostUnrolled {
		return false
	}
	for _, st := range s.States {
		if st.Var.Kind.IsBuffer() {
			return false
		}
	}
	size := 0
	loop.Walk(s.Body, func(x loop.Stmt) {
		if size++; loop.Compound(x) {
			if _, ok := x.(*loop.For); !ok {
				size = unrolledStmts // it takes longer than counting
			}
		}
	})
	return int(k.I)*size <= unrolledStmts
}

// elements replaces reads of small buffers at known places by what was stored there.
func elements(b *loop.Block, consumed map[*loop.Var]bool) *loop.Block {
	e := &scalars{stored: map[*loop.Var][]loop.Atom{}}
	e.rewriter = newRewriter(e.block)
	if e.find(b, consumed); len(e.stored) > 0 {
		b = e.block(b)
	}
	e.release()
	return b
}

// scalars holds what is stored in the buffers that are only written at known places, in the block
// that makes them.
type scalars struct {
	*rewriter
	stored map[*loop.Var][]loop.Atom // by element; nil where nothing was stored
}

// find collects the buffers of a block and of the blocks in it.
func (e *scalars) find(b *loop.Block, consumed map[*loop.Var]bool) {
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *loop.Alloc:
			if !small(s) || consumed[s.Var] {
				continue
			}
			known := make([]loop.Atom, max(s.Len.(*loop.Const).I, 0))
			if s.Zero {
				zero := loop.Literal(s.Var.Kind.Elem(), 0)
				for i := range known {
					known[i] = zero
				}
			}
			e.stored[s.Var] = known
		case *loop.Store:
			known := e.stored[s.Buf]
			if at, ok := s.At.(*loop.Const); ok && uint64(at.I) < uint64(len(known)) {
				known[at.I] = s.Value
			} else {
				delete(e.stored, s.Buf)
			}
		case *loop.Accum:
			delete(e.stored, s.Buf)
		case *loop.Call:
			for _, v := range s.AddedTo() {
				delete(e.stored, v)
			}
		default:
			written(s, func(v *loop.Var) { delete(e.stored, v) })
			loop.Blocks(s, func(b *loop.Block) { e.find(b, consumed) })
		}
	}
}

func (e *scalars) block(b *loop.Block) *loop.Block {
	out := loop.Rebuild(b)
	for _, s := range b.Stmts {
		if let, ok := s.(*loop.Let); ok {
			out.Add(e.let(let))
			continue
		}
		if x, ok := s.(*loop.Load); ok {
			if at, ok := x.At.(*loop.Const); ok {
				if known := e.stored[x.Buf]; uint64(at.I) < uint64(len(known)) && known[at.I] != nil {
					e.subst.Set(x.Var, e.atom(known[at.I]))
					continue
				}
			}
		}
		out.Add(e.m.Stmt(s))
	}
	return out.Rebuilt(b, e.atoms(b.Yield))
}
