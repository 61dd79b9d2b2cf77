package grad

import (
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// again runs a statement of the block that is being differentiated. Loops with states that
// will be reversed keep a tape. Inside of a reversal, what is written to buffers from outside and
// what is checked has been before.
func (r *reverser) again(s loop.Stmt) {
	if r.act.touches(s) {
		switch s := s.(type) {
		case *loop.For:
			if !s.Parallel {
				r.taped(s)
				return
			}
		case *loop.While:
			r.count(s)
			return
		}
	}
	r.rerun(r.b, s)
}

// rerun copies a statement into a builder.
func (r *reverser) rerun(b *loop.Builder, s loop.Stmt) {
	switch s := s.(type) {
	case *loop.Store:
		if r.local != nil && !r.local[s.Buf] {
			return
		}
	case *loop.Accum:
		if r.local != nil && !r.local[s.Buf] {
			return
		}
	case *loop.Check:
		if r.quiet {
			return
		}
	case *loop.Let:
		at, ok := r.saved[s.Var]
		if ok && at.nest[0] != r.saving {
			r.env.Subst[s.Var] = b.Load(s.Var.Name, at.buf, r.index(b, at))
			return
		}
		emit(b, r.env, s)
		if ok {
			b.Store(at.buf, r.index(b, at), r.env.Atom(s.Var))
		}
		return
	case *loop.For:
		b.Add(r.mapper().Stmt(s))
		for _, red := range s.Reds {
			at, ok := r.saved[red.Result]
			switch {
			case !ok:
			case at.nest[0] == r.saving:
				b.Store(at.buf, r.index(b, at), r.env.Atom(red.Result))
			default:
				r.env.Subst[red.Result] = b.Load(red.Result.Name, at.buf, r.index(b, at))
			}
		}
		return
	case *loop.Length:
		if v, ok := r.views[s.Buf]; ok {
			r.env.Subst[s.Var] = v.len
			return
		}
	case *loop.Load:
		if v, ok := r.views[s.Buf]; ok {
			at := b.Let("at", loop.AddI, v.start, r.env.Atom(s.At))
			r.env.Subst[s.Var] = b.Load(s.Var.Name, v.buf, at)
			return
		}
	}
	b.Add(r.mapper().Stmt(s))
}

// mapper copies statements.
func (r *reverser) mapper() *loop.Mapper {
	return &loop.Mapper{Use: r.env.Atom, Bind: r.env.Bind, Block: r.rerunBlock}
}

func (r *reverser) rerunBlock(block *loop.Block) *loop.Block {
	var b loop.Builder
	for _, s := range block.Stmts {
		r.rerun(&b, s)
	}
	return b.Block(r.atoms(block.Yield)...)
}
