package pass

import (
	"slices"

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
	u := &unroller{copier: loop.NewCopier(), chosen: map[*loop.For]bool{}}
	if u.choose(f.Body); len(u.chosen) > 0 {
		u.rewriter = newRewriter(u.block)
		u.copies = loop.Mapper{Use: u.copier.Atom, Bind: u.copier.Bind, Block: u.copied}
		f.Body = u.block(f.Body)
		u.release()
	}
	u.copier.Release()
	simplifyWith(f, k) // so that the places are literals
	f.Body = elements(f.Body, loop.Updated(f.Body))
}

// unroller replaces loops by their turns. The rewriter is for what is in none of them, and is
// copied only if it changes. One copier serves all turns: each turn binds its variables anew.
type unroller struct {
	*rewriter
	chosen map[*loop.For]bool // the loops that are unrolled
	copier *loop.Copier
	copies loop.Mapper // of statements with blocks, in a turn
}

// choose finds the loops of a block that have few turns, and not much in them. Only a loop's state
// is updated, so that such a loop stays one. It gives the number of statements that the block
// becomes.
func (u *unroller) choose(b *loop.Block) int {
	size := len(b.Stmts)
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *loop.For:
			n := u.choose(s.Body)
			k, ok := s.Count.(*loop.Const)
			if !ok || k.I < 1 || k.I > mostUnrolled || int(k.I)*n > unrolledStmts || hasBufferState(s) {
				size += n
				continue
			}
			u.chosen[s] = true
			size += int(k.I)*(n+len(s.Reds)) - 1
		case *loop.While, *loop.If:
			loop.Blocks(s, func(b *loop.Block) { u.choose(b) })
			size += unrolledStmts // it takes longer than counting
		}
	}
	return size
}

func hasBufferState(s *loop.For) bool {
	return slices.ContainsFunc(s.States, func(st loop.State) bool { return st.Var.Kind.IsBuffer() })
}

// block unrolls the loops of a block that is in none of them.
func (u *unroller) block(b *loop.Block) *loop.Block {
	out := loop.Rebuild(b)
	for _, s := range b.Stmts {
		switch x := s.(type) {
		case *loop.Let:
			s = u.let(x)
		case *loop.For:
			if u.chosen[x] {
				u.turns(out, x)
				continue
			}
			s = u.m.Stmt(s)
		default:
			s = u.m.Stmt(s)
		}
		out.Add(s)
	}
	return out.Rebuilt(b, u.atoms(b.Yield))
}

// turns appends the turns of a loop.
func (u *unroller) turns(out *loop.Builder, x *loop.For) {
	last := make([]loop.Atom, 0, len(x.Body.Yield))
	for _, st := range x.States {
		last = append(last, u.copier.Atom(st.Init))
	}
	for _, red := range x.Reds {
		last = append(last, u.copier.Atom(red.Init))
	}
	for i := range x.Count.(*loop.Const).I {
		u.copier.Set(x.Index, loop.Int(i))
		for k, st := range x.States {
			u.copier.Set(st.Var, last[k])
		}
		for _, s := range x.Body.Stmts {
			u.copy(out, s)
		}
		for k, a := range x.Body.Yield {
			if a = u.copier.Atom(a); k >= len(x.States) {
				red := x.Reds[k-len(x.States)]
				a = out.Let(red.Result.Name, red.Op, last[k], a)
			}
			last[k] = a
		}
	}
	n := 0
	loop.Defs(x, func(v *loop.Var) {
		u.copier.Set(v, last[n]) // for turns of another loop
		u.subst.Set(v, last[n])
		n++
	})
}

// copy appends a statement of a turn. An operation on literals is evaluated: most are the places of
// elements.
func (u *unroller) copy(out *loop.Builder, s loop.Stmt) {
	switch x := s.(type) {
	case *loop.Let:
		if k := u.folded(x); k != nil {
			u.copier.Set(x.Var, k)
			return
		}
	case *loop.For:
		if u.chosen[x] {
			u.turns(out, x)
		} else {
			out.Add(u.copies.Stmt(s))
		}
		return
	}
	out.Add(u.copier.Stmt(s))
}

// folded is what an operation gives in a turn if its arguments are literals, else nil.
func (u *unroller) folded(x *loop.Let) *loop.Const {
	var room [3]loop.Atom
	for i, a := range x.Args {
		k, ok := u.copier.Atom(a).(*loop.Const)
		if !ok {
			return nil
		}
		room[i] = k
	}
	return loop.Fold(x.Op, room[:len(x.Args)])
}

// copied is a block in a turn.
func (u *unroller) copied(b *loop.Block) *loop.Block {
	out := &loop.Builder{Stmts: make([]loop.Stmt, 0, len(b.Stmts))}
	for _, s := range b.Stmts {
		u.copy(out, s)
	}
	return out.Block(u.copies.Uses(b.Yield)...)
}

// elements replaces reads of small buffers at known places by what was stored there.
func elements(b *loop.Block, consumed map[*loop.Var]bool) *loop.Block {
	e := &scalars{consumed: consumed, stored: map[*loop.Var]stored{}}
	e.rewriter = newRewriter(e.block)
	defer e.release()
	return e.block(b)
}

// scalars holds what is stored in the buffers that are only written at known places, in the block
// that makes them. When a buffer is read, all that is written to it has been written.
type scalars struct {
	*rewriter
	consumed map[*loop.Var]bool // the buffers that may be updated
	stored   map[*loop.Var]stored
}

// stored is what is stored in a buffer that a block makes.
type stored struct {
	elements []loop.Atom // nil where nothing was stored
	block    *loop.Block
}

func (e *scalars) block(b *loop.Block) *loop.Block {
	out := loop.Rebuild(b)
	for _, s := range b.Stmts {
		switch x := s.(type) {
		case *loop.Let:
			out.Add(e.let(x))
			continue
		case *loop.Load:
			if at, ok := x.At.(*loop.Const); ok {
				if known := e.stored[x.Buf].elements; uint64(at.I) < uint64(len(known)) && known[at.I] != nil {
					e.subst.Set(x.Var, known[at.I])
					continue
				}
			}
		case *loop.Alloc:
			e.alloc(b, x)
		case *loop.Store:
			known := e.stored[x.Buf]
			if at, ok := x.At.(*loop.Const); ok && known.block == b && uint64(at.I) < uint64(len(known.elements)) {
				known.elements[at.I] = e.atom(x.Value)
			} else {
				delete(e.stored, x.Buf)
			}
		case *loop.Accum:
			delete(e.stored, x.Buf)
		case *loop.Call:
			for _, v := range x.AddedTo() {
				delete(e.stored, v)
			}
		}
		out.Add(e.m.Stmt(s))
	}
	return out.Rebuilt(b, e.atoms(b.Yield))
}

// alloc takes note of a buffer that a block makes.
func (e *scalars) alloc(b *loop.Block, s *loop.Alloc) {
	if !small(s) || e.consumed[s.Var] {
		return
	}
	known := make([]loop.Atom, max(s.Len.(*loop.Const).I, 0))
	if s.Zero {
		zero := loop.Literal(s.Var.Kind.Elem(), 0)
		for i := range known {
			known[i] = zero
		}
	}
	e.stored[s.Var] = stored{known, b}
}
