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
			if t := r.tapes[s]; !s.Parallel && (t == nil || !t.inner()) && !r.forwards(s) {
				if sources, ok := r.sources(s); ok {
					r.push(s, nil, sources)
				} else {
					r.taped(s)
				}
				return
			}
		case *loop.While:
			r.count(s)
			return
		case *loop.Call:
			if r.keepsTape(s) {
				r.recordCall(s)
				return
			}
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
	case *loop.Call:
		out := r.mapper().Stmt(s).(*loop.Call)
		if r.d.reads[s.Func] == nil {
			out = r.d.silenced(out, r.outside(b, s))
		}
		b.Add(out)
		return
	case *loop.Check:
		if r.quiet {
			return
		}
	case *loop.Let:
		if !r.recalled(b, s.Var) {
			emit(b, r.env, s)
			r.save(b, s.Var)
			r.saveSlopes(b, s)
			r.saveFactors(b, s)
		}
		return
	case *loop.Update:
		if r.gone(s.Var) != nil {
			return
		}
	case *loop.If:
		b.Add(r.mapper().Stmt(r.without(s)))
		return
	case *loop.For:
		if r.idle(s) {
			return
		}
		if t := r.tapes[s]; t == nil || !t.inner() {
			b.Add(r.mapper().Stmt(r.without(s)))
		} else if t.nest[0] == r.saving {
			r.recorded(b, s)
		} else {
			r.replay(b, s)
			return
		}
		for _, red := range s.Reds {
			if !r.recalled(b, red.Result) {
				r.save(b, red.Result)
			}
		}
		return
	case *loop.Length:
		if c := r.gone(s.Buf); c != nil {
			r.env.Set(s.Var, c.len)
			return
		}
		if v, ok := r.views[s.Buf]; ok {
			r.env.Set(s.Var, v.len)
			return
		}
	case *loop.Load:
		if r.recalled(b, s.Var) {
			return
		}
		if c := r.chains[s.Buf]; c != nil {
			if c.gone {
				panic(notCovered("a read of a buffer that is updated, in a loop whose count changes"))
			}
			b.Add(r.mapper().Stmt(s))
			r.save(b, s.Var)
			return
		}
		if v, ok := r.views[s.Buf]; ok {
			at := b.Let("at", loop.AddI, v.start, r.env.Atom(s.At))
			r.env.Set(s.Var, b.Load(s.Var.Name, v.buf, at))
			return
		}
	}
	b.Add(r.mapper().Stmt(s))
}

// outside has the lengths of those of the buffers that a call writes to which are from outside of
// what is run again, nil for others: they have been written to before.
func (r *reverser) outside(b *loop.Builder, s *loop.Call) []loop.Atom {
	out := make([]loop.Atom, s.Func.Adds)
	for i, v := range s.AddedTo() {
		if r.local != nil && !r.local[v] {
			out[i] = r.lengthIn(b, v)
		}
	}
	return out
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
