package pass

import (
	"slices"
	"sync"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/facts"
)

// Note [Places]
//
// A buffer that is only copied to a part of another one is not needed: what is stored in it can be
// stored where it is copied to.
//
//	a = alloc n; for i < n { …; a[i] = x }; b = alloc m; for i < n { y = a[i]; b[i + d] = y }
//	→
//	b = alloc m; for i < n { …; b[i + d] = x }
//
// So arrays that are appended, or flattened to one, are written once. That is right if all elements
// of the first buffer are stored (it is not one of zeros), the loops around the copy run through
// all of them, each once, and the element goes to an index that is larger by a difference known
// before the buffer is written. Indices are compared as polynomials: Note [Checks]. The copy of
// rows of length k has the index i k + j for i < n, j < k; that this goes from 0 to n k - 1 is seen
// from its coefficients.
//
// A check between the two loops may be what guards the copy, and stores must not come before it. So
// it is checked in front of the first store that its places are within the second buffer. In a loop
// this must be known to hold; otherwise the copy stays.

// Place removes buffers that are only copied: Note [Places].
func Place(f *loop.Func) { placeWith(f, nil) }

func placeWith(f *loop.Func, k *known) {
	first, before := f.Body, f.Body
	found := copies(f.Body)
	if len(found) == 0 {
		return
	}
	p := k.integers(f)
	stays := map[*loop.Var]bool{}
	for {
		if f.Body != before {
			before, found = f.Body, copies(f.Body)
		}
		chosen := disjoint(found, func(c *copied) bool { return !stays[c.from.Var] && c.fits(p) })
		if len(chosen) == 0 {
			break
		}
		tried := *f
		for _, c := range chosen {
			tried.Body = c.placed(p, tried.Body)
		}
		known := prove(&tried, k)
		failed := false
		for _, c := range chosen {
			if c.unproven(tried.Body) {
				stays[c.from.Var], failed = true, true
			}
		}
		if !failed {
			f.Body, p, known = tried.Body, known, p
		}
		known.release()
	}
	p.release()
	if f.Body != first {
		DeadCode(f) // of loops that have copied
	}
}

// disjoint chooses copies that are as wanted, and have no buffer and nothing that is moved in
// common, so that they can be removed at once.
func disjoint(all []*copied, wanted func(*copied) bool) []*copied {
	var out []*copied
	used, moved := map[*loop.Var]bool{}, map[loop.Stmt]bool{}
	for _, c := range all {
		if used[c.from.Var] || used[c.to.Var] || !wanted(c) || slices.ContainsFunc(c.moved, func(s loop.Stmt) bool { return moved[s] }) {
			continue
		}
		used[c.from.Var], used[c.to.Var] = true, true
		for _, s := range c.moved {
			moved[s] = true
		}
		out = append(out, c)
	}
	return out
}

// small tells whether the elements of a buffer may become scalars: Note [Unrolling].
func small(s *loop.Alloc) bool {
	k, ok := s.Len.(*loop.Const)
	return ok && k.I <= knownElements
}

// copied is a buffer that is only copied to another.
type copied struct {
	from, to *loop.Alloc
	load     *loop.Load
	store    *loop.Store
	nest     []*loop.For // around the copy, in the block of from
	block    *loop.Block // that of from
	inner    *loop.Block // that of the copy
	by       facts.Poly  // how much larger the index is
	moved    []loop.Stmt // what to needs, and to itself, if that comes after from
	within   []loop.Atom // conditions that the places are in the other buffer
}

// buffer is where a buffer is made and used.
type buffer struct {
	alloc *loop.Alloc
	depth int // how many blocks are around the alloc
	loads int
	other bool // it is used otherwise than by Load and Store
}

// copyScan looks for copies. It passes over operations: they do not take buffers.
type copyScan struct {
	of      loop.VarMap[int32] // the numbers of the buffers
	buffers []buffer           // by their numbers; the first is none
	loads   loop.VarMap[*loop.Load]
	blocks  []*loop.Block // around what is looked at, the outermost first
	around  []loop.Stmt   // the statements that these blocks are in; none for the first
	found   []*copied
}

var copyScans = sync.Pool{New: func() any { return &copyScan{} }}

// copies finds the buffers that may be copied only.
func copies(body *loop.Block) []*copied {
	c := copyScans.Get().(*copyScan)
	c.buffers = append(c.buffers, buffer{})
	c.block(nil, body)
	out := slices.DeleteFunc(c.found, func(x *copied) bool {
		from := c.buffers[c.of.Get(x.from.Var)]
		return from.loads != 1 || from.other || !x.only()
	})
	c.of.Clear()
	c.loads.Clear()
	clear(c.buffers)
	c.buffers, c.found = c.buffers[:0], nil
	copyScans.Put(c)
	return out
}

// block looks at a block, which is in a statement.
func (c *copyScan) block(in loop.Stmt, b *loop.Block) {
	c.blocks, c.around = append(c.blocks, b), append(c.around, in)
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *loop.Let, *loop.Check:
		case *loop.Alloc:
			c.of.Set(s.Var, int32(len(c.buffers)))
			c.buffers = append(c.buffers, buffer{alloc: s, depth: len(c.blocks)})
		case *loop.Load:
			if from := c.of.Get(s.Buf); from != 0 {
				c.buffers[from].loads++
				c.loads.Set(s.Var, s)
			}
		case *loop.Store:
			c.store(s)
		case *loop.For:
			c.states(s.States)
			c.block(s, s.Body)
		case *loop.While:
			c.states(s.States)
			c.block(s, s.Cond)
			c.block(s, s.Body)
		case *loop.If:
			c.block(s, s.Then)
			c.block(s, s.Else)
		default:
			loop.Uses(s, c.use)
		}
	}
	for _, a := range b.Yield {
		c.use(a)
	}
	last := len(c.blocks) - 1
	c.blocks, c.around = c.blocks[:last], c.around[:last]
}

func (c *copyScan) states(states []loop.State) {
	for i := range states {
		c.use(states[i].Init)
	}
}

// use takes note of an atom that is used otherwise than by Load and Store.
func (c *copyScan) use(a loop.Atom) {
	if v, ok := a.(*loop.Var); ok && v.Kind.IsBuffer() {
		if n := c.of.Get(v); n != 0 {
			c.buffers[n].other = true
		}
	}
}

// store takes note of a store that may be a copy.
func (c *copyScan) store(s *loop.Store) {
	v, ok := s.Value.(*loop.Var)
	if !ok || c.loads.Get(v) == nil {
		return
	}
	load := c.loads.Get(v)
	from, to := &c.buffers[c.of.Get(load.Buf)], &c.buffers[c.of.Get(s.Buf)]
	if to.alloc == nil || from == to || from.alloc.Zero || small(to.alloc) && small(from.alloc) ||
		from.depth == len(c.blocks) || to.depth > from.depth {
		return
	}
	x := &copied{from: from.alloc, to: to.alloc, load: load, store: s, block: c.blocks[from.depth-1], inner: c.blocks[len(c.blocks)-1]}
	for _, around := range c.around[from.depth:] {
		f, ok := around.(*loop.For)
		if !ok || !f.Parallel {
			return
		}
		x.nest = append(x.nest, f)
	}
	c.found = append(c.found, x)
}

// only tells whether the element is read in the block of the store, and used nowhere but there.
func (c *copied) only() bool {
	uses := 0
	loop.AllUses(c.inner, func(a loop.Atom) {
		if a == loop.Atom(c.load.Var) {
			uses++
		}
	})
	return uses == 1 && slices.Contains(c.inner.Stmts, loop.Stmt(c.load))
}

// fits tells whether the copy is of all elements, to places that are known in time.
func (c *copied) fits(p *prover) bool {
	e := p.poly(c.load.At)
	if c.by = p.kept(p.poly(c.store.At).Plus(p.rooms[0][:0], e, -1)); c.by == nil || !c.early(p, c.by) {
		return false
	}
	stride := one
	for _, f := range slices.Backward(c.nest) {
		step := p.kept(p.times(stride, p.poly(f.Index)))
		if e = p.kept(e.Plus(p.rooms[0][:0], step, -1)); e == nil {
			return false
		}
		if stride = p.kept(p.times(stride, p.poly(f.Count))); !c.early(p, stride) {
			return false
		}
	}
	if e == nil || len(e) > 0 {
		return false
	}
	if rest := stride.Plus(p.rooms[0][:0], p.poly(c.from.Len), -1); rest == nil || len(rest) > 0 {
		return false
	}
	c.moved, c.within = nil, nil
	return p.order.Get(c.to.Var) < p.order.Get(c.from.Var) || c.move(c.to.Len) && c.last()
}

// last adds the other buffer itself to what is moved.
func (c *copied) last() bool {
	c.moved = append(c.moved, c.to)
	return slices.Contains(c.block.Stmts, loop.Stmt(c.to))
}

// early tells whether the variables of a polynomial are bound before the buffer.
func (c *copied) early(p *prover, e facts.Poly) bool {
	if e == nil {
		return false
	}
	for _, t := range e {
		if t.M.Last() >= p.order.Get(c.from.Var) { // the largest
			return false
		}
	}
	return true
}

// move finds what has to be in front of the buffer for an atom to be known there.
func (c *copied) move(a loop.Atom) bool {
	v, ok := a.(*loop.Var)
	if !ok {
		return true
	}
	behind := c.block.Stmts[slices.Index(c.block.Stmts, loop.Stmt(c.from)):]
	at := slices.IndexFunc(behind, func(s loop.Stmt) bool {
		binds := false
		loop.Defs(s, func(w *loop.Var) { binds = binds || w == v })
		return binds
	})
	if at < 0 || slices.Contains(c.moved, behind[at]) {
		return true
	}
	let, ok := behind[at].(*loop.Let)
	if !ok {
		return false
	}
	for _, x := range let.Args {
		if !c.move(x) {
			return false
		}
	}
	c.moved = append(c.moved, let)
	return true
}

// placed is a body in which the buffer is stored where it was copied to.
func (c *copied) placed(p *prover, body *loop.Block) *loop.Block {
	var by loop.Atom
	var block func(b *loop.Block) *loop.Block
	block = func(b *loop.Block) *loop.Block {
		out := loop.Rebuild(b)
		for _, s := range b.Stmts {
			switch {
			case s == loop.Stmt(c.from):
				by = p.write(out, c.by)
				out.Add(c.moved...)
				c.check(out, by)
			case s == loop.Stmt(c.load), s == loop.Stmt(c.store), slices.Contains(c.moved, s):
			default:
				if st, ok := s.(*loop.Store); ok && st.Buf == c.from.Var {
					s = &loop.Store{Buf: c.to.Var, At: out.Let("a", loop.AddI, st.At, by), Value: st.Value}
				}
				out.Add(loop.MapBlocks(s, block))
			}
		}
		return out.Rebuilt(b, b.Yield)
	}
	return block(body)
}

// check appends the checks that the places from by on are in the other buffer.
func (c *copied) check(out *loop.Builder, by loop.Atom) {
	rest := out.Let("rest", loop.SubI, c.to.Len, by)
	for _, x := range [][2]loop.Atom{{loop.Int(0), by}, {by, c.to.Len}, {loop.Int(0), c.from.Len}, {c.from.Len, rest}} {
		cond := out.Let("within", loop.LeI, x[0], x[1])
		c.within = append(c.within, cond)
		out.Check(cond, diag.Span{})
	}
}

// unproven tells whether one of these checks is left in a loop.
func (c *copied) unproven(body *loop.Block) bool {
	found := false
	for _, s := range body.Stmts {
		if _, branch := s.(*loop.If); branch {
			loop.Blocks(s, func(b *loop.Block) { found = found || c.unproven(b) })
			continue
		}
		loop.Blocks(s, func(b *loop.Block) {
			loop.Walk(b, func(s loop.Stmt) {
				if x, ok := s.(*loop.Check); ok && slices.Contains(c.within, x.Cond) {
					found = true
				}
			})
		})
	}
	return found
}

// write appends the operations of a polynomial.
func (p *prover) write(out *loop.Builder, e facts.Poly) loop.Atom {
	var total loop.Atom = loop.Int(0)
	for _, t := range e {
		var product loop.Atom = loop.Int(t.C)
		for m := t.M; m != 0; m = m.Rest() {
			product = out.Let("a", loop.MulI, product, p.vars[m.Last()].v)
		}
		total = out.Let("a", loop.AddI, total, product)
	}
	return total
}
