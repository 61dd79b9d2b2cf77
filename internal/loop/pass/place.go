package pass

import (
	"slices"
	"sync"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Places]
//
// A buffer that is only copied to a part of another one is not needed: what is stored in it can be stored
// where it is copied to.
//
//	a = alloc n; for i < n { …; a[i] = x }; b = alloc m; for i < n { y = a[i]; b[i + d] = y }
//	→
//	b = alloc m; for i < n { …; b[i + d] = x }
//
// So arrays that are appended, or flattened to one, are written once. That is right if all elements of the first buffer are
// stored (it is not one of zeros), the loops around the copy run through all of them, each once, and the element goes to an index that is larger by a
// difference known before the buffer is written. Indices are compared as polynomials: Note [Checks]. The copy of rows of
// length k has the index i k + j for i < n, j < k; that this goes from 0 to n k - 1 is seen from its coefficients.
//
// A check between the two loops may be what guards the copy, and stores must not come before it. So it is checked
// in front of the first store that its places are within the second buffer. In a loop this must be known to
// hold; otherwise the copy stays.

// Place removes buffers that are only copied: Note [Places].
func Place(f *loop.Func) { placeWith(f, nil) }

func placeWith(f *loop.Func, k *known) {
	before := f.Body
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
		known := prove(&tried)
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
	DeadCode(f) // of loops that have copied
}

// disjoint chooses copies that are as wanted, and have no buffer and nothing that is moved in common, so that they can be
// removed at once.
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
	by       poly        // how much larger the index is
	moved    []loop.Stmt // what to needs, and to itself, if that comes after from
	within   []loop.Atom // conditions that the places are in the other buffer
}

// buffer is where a buffer is made and used.
type buffer struct {
	alloc *loop.Alloc
	path  []*loop.Block // around the alloc, the outermost first
	loads int
	other bool // it is used otherwise than by Load and Store
}

// copyScans is memory for mayCopy.
var copyScans = sync.Pool{New: func() any { return &copyScan{} }}

// copyScan holds the buffers that a walk has met, and the reads of their elements.
type copyScan struct {
	made  loop.VarMap[*loop.Alloc]
	loads loop.VarMap[*loop.Load]
}

// find tells whether an element of a buffer is stored in another one, somewhere in a block.
func (c *copyScan) find(b *loop.Block) bool {
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *loop.Let:
		case *loop.Alloc:
			c.made.Set(s.Var, s)
		case *loop.Load:
			if from := c.made.Get(s.Buf); from != nil && !from.Zero {
				c.loads.Set(s.Var, s)
			}
		case *loop.Store:
			if v, ok := s.Value.(*loop.Var); ok && c.loads.Get(v) != nil {
				if to := c.made.Get(s.Buf); to != nil && !(small(to) && small(c.made.Get(c.loads.Get(v).Buf))) {
					return true
				}
			}
		case *loop.For:
			if c.find(s.Body) {
				return true
			}
		case *loop.While:
			if c.find(s.Cond) || c.find(s.Body) {
				return true
			}
		case *loop.If:
			if c.find(s.Then) || c.find(s.Else) {
				return true
			}
		}
	}
	return false
}

// mayCopy tells whether there may be copies in a body. It takes less time than to look for them, and mostly there are none.
func mayCopy(body *loop.Block) bool {
	c := copyScans.Get().(*copyScan)
	found := c.find(body)
	c.made.Clear()
	c.loads.Clear()
	copyScans.Put(c)
	return found
}

// copies finds the buffers that may be copied only.
func copies(body *loop.Block) []*copied {
	if !mayCopy(body) {
		return nil
	}
	buffers := map[*loop.Var]*buffer{}
	uses := loop.VarMap[int]{}
	type site struct {
		load  *loop.Load
		store *loop.Store
		path  []*loop.Block
		nest  []loop.Stmt // around the blocks of path
	}
	var sites []site
	var path []*loop.Block
	var nest []loop.Stmt
	use := func(a loop.Atom) {
		if v, ok := a.(*loop.Var); ok {
			if *uses.At(v)++; buffers[v] != nil {
				buffers[v].other = true
			}
		}
	}
	var visit func(b *loop.Block)
	visit = func(b *loop.Block) {
		path = append(path, b)
		loads := map[*loop.Var]*loop.Load{}
		for _, s := range b.Stmts {
			switch s := s.(type) {
			case *loop.Alloc:
				buffers[s.Var] = &buffer{alloc: s, path: slices.Clone(path)}
				use(s.Len)
			case *loop.Load:
				if from := buffers[s.Buf]; from != nil {
					from.loads++
					loads[s.Var] = s
				}
				use(s.At)
			case *loop.Store:
				use(s.At)
				use(s.Value)
				if v, ok := s.Value.(*loop.Var); ok && loads[v] != nil && buffers[s.Buf] != nil &&
					!(small(buffers[s.Buf].alloc) && small(buffers[loads[v].Buf].alloc)) {
					sites = append(sites, site{loads[v], s, slices.Clone(path), slices.Clone(nest)})
				}
			default:
				loop.Uses(s, use)
				nest = append(nest, s)
				loop.Blocks(s, visit)
				nest = nest[:len(nest)-1]
			}
		}
		for _, a := range b.Yield {
			use(a)
		}
		path = path[:len(path)-1]
	}
	visit(body)
	var out []*copied
	for _, s := range sites {
		from, to := buffers[s.load.Buf], buffers[s.store.Buf]
		depth := len(from.path)
		inner := s.path[len(s.path)-1]
		if from.alloc.Zero || from.loads != 1 || from.other || from == to || uses.Get(s.load.Var) != 1 || depth == len(s.path) ||
			from.path[depth-1] == inner || len(to.path) > depth {
			continue
		}
		c := &copied{from: from.alloc, to: to.alloc, load: s.load, store: s.store, block: from.path[depth-1]}
		for _, around := range s.nest[depth-1:] {
			if f, ok := around.(*loop.For); ok && f.Parallel {
				c.nest = append(c.nest, f)
			}
		}
		if len(c.nest) == len(s.nest)-(depth-1) {
			out = append(out, c)
		}
	}
	return out
}

// fits tells whether the copy is of all elements, to places that are known in time.
func (c *copied) fits(p *prover) bool {
	e := p.poly(c.load.At)
	if c.by = p.kept(p.poly(c.store.At).plusIn(p.rooms[0][:0], e, -1)); c.by == nil || !c.early(p, c.by) {
		return false
	}
	stride := one
	for _, f := range slices.Backward(c.nest) {
		step := p.kept(p.times(stride, p.poly(f.Index)))
		if e = p.kept(e.plusIn(p.rooms[0][:0], step, -1)); e == nil {
			return false
		}
		if stride = p.kept(p.times(stride, p.poly(f.Count))); !c.early(p, stride) {
			return false
		}
	}
	if e == nil || len(e) > 0 {
		return false
	}
	if rest := stride.plusIn(p.rooms[0][:0], p.poly(c.from.Len), -1); rest == nil || len(rest) > 0 {
		return false
	}
	c.moved, c.within = nil, nil
	return p.order.Get(c.to.Var) < p.order.Get(c.from.Var) || c.move(p, c.to.Len) && c.last()
}

// last adds the other buffer itself to what is moved.
func (c *copied) last() bool {
	c.moved = append(c.moved, c.to)
	return slices.Contains(c.block.Stmts, loop.Stmt(c.to))
}

// early tells whether the variables of a polynomial are bound before the buffer.
func (c *copied) early(p *prover, e poly) bool {
	if e == nil {
		return false
	}
	for _, t := range e {
		if t.m.last() >= p.order.Get(c.from.Var) { // the largest
			return false
		}
	}
	return true
}

// move finds what has to be in front of the buffer for an integer to be known there.
func (c *copied) move(p *prover, a loop.Atom) bool {
	v, ok := a.(*loop.Var)
	if !ok || p.order.Get(v) < p.order.Get(c.from.Var) {
		return true
	}
	let := p.let(v)
	at := slices.IndexFunc(c.block.Stmts, func(s loop.Stmt) bool { l, ok := s.(*loop.Let); return ok && l.Var == v })
	if let == nil || at < 0 {
		return false
	}
	if slices.Contains(c.moved, c.block.Stmts[at]) {
		return true
	}
	for _, x := range let.Args {
		if !c.move(p, x) {
			return false
		}
	}
	c.moved = append(c.moved, c.block.Stmts[at])
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
func (p *prover) write(out *loop.Builder, e poly) loop.Atom {
	var total loop.Atom = loop.Int(0)
	for _, t := range e {
		var product loop.Atom = loop.Int(t.c)
		for m := t.m; m != 0; m = m.rest() {
			product = out.Let("a", loop.MulI, product, p.vars[m.last()].v)
		}
		total = out.Let("a", loop.AddI, total, product)
	}
	return total
}
