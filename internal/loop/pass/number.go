package pass

import (
	"slices"
	"sync"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/facts"
)

// Note [Value numbers]
//
// Two variables with the same number have the same value, where both are in scope.
// An operation's number is made of its own name and its arguments' numbers. A
// buffer has the number of what has been written to it, which a write
// changes; since buffers are read only when they are complete, all reads
// of a buffer see the same number.
//
// The index of a loop is numbered by the loop's depth, and so are states. Thus the bodies of two
// loops at one depth give the same numbers to what they compute alike, and the results of two loops
// have the same number if the depths, the counts, the starts and what is yielded have. (Of loops at
// two depths, what one yields of its own index is what the other yields of an index around it.)
// That a number can be used outside of the loop it was made in is for the user of the numbers to
// see to. The whole takes time linear in the program.

// numbering gives value numbers to the variables of a function.
type numbering struct {
	facts.Numbers
	funs map[*loop.Func]int32

	updates bool // whether buffers are updated

	// The buffers that were written to in the blocks that are open. A statement with blocks
	// replaces what its blocks add by one entry for each buffer from outside.
	writes []write
	allocs int32              // so many buffers were made
	alloc  loop.VarMap[int32] // which of them one is; parameters are 0
	stamps int32
	stamp  loop.VarMap[int32] // of the statement that a buffer was last listed for
}

// the ways in which values are made, beside operations
const (
	byAlloc = facts.OtherWays + iota
	byAllocZero
	byLoad
	byStore
	byAccum
	byUpdate
	byIndex
	byState
	byWhileState
	byTurns
	byWhile
	byLast
	byTotal
	byWriting
	byWritingIf
	byIf
	byCall
	byResult
	byCounts // the counts of a nest of loops, from the outside to the inside
)

// write is a buffer and the number that it had before it was written to.
type write struct {
	buf    *loop.Var
	before int32
}

var numberings = sync.Pool{New: func() any { return &numbering{} }}

func numbers(f *loop.Func) *numbering {
	n := newNumbering(f)
	n.block(f.Body, 0)
	return n
}

// newNumbering has numbers of the parameters of a function.
func newNumbering(f *loop.Func) *numbering {
	n := numberings.Get().(*numbering)
	n.start(f)
	return n
}

// start numbers the parameters of a function, and forgets the ways in which values were made
// before. The numbers that variables have had may stay: each variable is bound before it is used.
func (n *numbering) start(f *loop.Func) {
	n.ClearWays()
	n.funs, n.writes, n.updates = nil, n.writes[:0], false
	for _, p := range f.Params {
		n.Bind(p, n.Fresh())
	}
}

// release gives the memory back, for others.
func (n *numbering) release() {
	n.Clear()
	n.alloc.Clear()
	n.stamp.Clear()
	clear(n.writes[:cap(n.writes)])
	n.allocs, n.stamps = 0, 0
	numberings.Put(n)
}

func (n *numbering) atoms(as []loop.Atom) []int32 {
	out := make([]int32, len(as))
	for i, a := range as {
		out[i] = n.Atom(a)
	}
	return out
}

func (n *numbering) block(b *loop.Block, depth int32) {
	for _, s := range b.Stmts {
		n.stmt(s, depth)
	}
}

func (n *numbering) stmt(s loop.Stmt, depth int32) {
	switch s := s.(type) {
	case *loop.Let:
		n.let(s)
	case *loop.Alloc:
		size, how := n.Atom(s.Len), byAlloc
		if s.Zero {
			how = byAllocZero
		}
		n.BindSized(s.Var, n.ID(how, int32(s.Var.Kind), size), size)
		n.allocs++
		n.alloc.Set(s.Var, n.allocs)
	case *loop.Length:
		n.Bind(s.Var, n.Lens.Get(s.Buf))
	case *loop.Load:
		n.read(s, n.Atom(s.At))
	case *loop.Store:
		n.write(s.Buf, n.ID(byStore, n.Of.Get(s.Buf), n.Atom(s.At), n.Atom(s.Value)))
	case *loop.Accum:
		n.write(s.Buf, n.ID(byAccum, n.Of.Get(s.Buf), n.Atom(s.At), n.Atom(s.Value)))
	case *loop.Update:
		n.updates = true
		n.BindSized(s.Var, n.ID(byUpdate, n.Of.Get(s.Buf), n.Atom(s.At), n.Atom(s.Value)), n.Lens.Get(s.Buf))
	case *loop.Copy:
		n.BindSized(s.Var, n.Of.Get(s.Buf), n.Lens.Get(s.Buf))
	case *loop.For:
		n.loop(s, depth)
	case *loop.While:
		n.while(s, depth)
	case *loop.If:
		n.branch(s, depth)
	case *loop.Call:
		n.call(s)
	}
}

func (n *numbering) let(s *loop.Let) {
	var p [3]int32
	for i, a := range s.Args { // at most three
		p[i] = n.Atom(a)
	}
	n.operation(s, p)
}

// operation numbers an operation on parts with numbers.
func (n *numbering) operation(s *loop.Let, p [3]int32) int32 {
	id := n.Applied(s.Op, p)
	n.Of.Set(s.Var, id)
	return id
}

// read numbers a read at a place with a number.
func (n *numbering) read(s *loop.Load, at int32) int32 {
	id := n.Way(byLoad, 0, n.Of.Get(s.Buf), at, 0)
	n.Of.Set(s.Var, id)
	return id
}

func (n *numbering) call(s *loop.Call) {
	fun, ok := n.funs[s.Func]
	if !ok {
		fun = n.Fresh()
		put(&n.funs, s.Func, fun)
	}
	call := n.Several(byCall, append([]int32{fun}, n.atoms(s.Args)...))
	for i, v := range s.Results {
		n.Bind(v, n.ID(byResult, call, int32(i)))
	}
	for _, v := range s.AddedTo() {
		n.write(v, n.Fresh())
	}
}

// write gives a buffer the number of what it holds now.
func (n *numbering) write(buf *loop.Var, id int32) { n.rewrite(write{buf, n.Of.Get(buf)}, id) }

// rewrite is write for a buffer that a statement with blocks has written to.
func (n *numbering) rewrite(w write, id int32) {
	n.writes = append(n.writes, w)
	n.Of.Set(w.buf, id)
}

// mark is the state in front of a statement with blocks.
type mark struct {
	writes int
	allocs int32
}

func (n *numbering) mark() mark { return mark{len(n.writes), n.allocs} }

// since lists the buffers made before a mark that were written to since then, each once with the
// number that it had, and forgets that they were.
func (n *numbering) since(m mark) []write {
	n.stamps++
	var out []write
	for _, w := range n.writes[m.writes:] {
		if n.alloc.Get(w.buf) <= m.allocs && n.stamp.Get(w.buf) != n.stamps {
			n.stamp.Set(w.buf, n.stamps)
			out = append(out, w)
		}
	}
	n.writes = n.writes[:m.writes]
	return out
}

// The numbering of a statement with blocks is in parts, so that CSE can do what it has to do with a
// block while it is numbered.

func (n *numbering) loop(s *loop.For, depth int32) {
	turns := n.openLoop(s, depth)
	n.block(s.Body, depth+1)
	n.closeLoop(s, turns)
}

// opened is a loop whose body is being numbered: what its turns start with, and the state in front
// of it.
type opened struct {
	sig []int32
	mark
}

func (n *numbering) openLoop(s *loop.For, depth int32) opened {
	sig := append(make([]int32, 0, 2+2*len(s.States)), depth, n.Atom(s.Count))
	n.Of.Set(s.Index, n.ID(byIndex, depth))
	for i := range s.States {
		init := n.Atom(s.States[i].Init)
		sig = append(sig, init)
		n.Bind(s.States[i].Var, n.ID(byState, depth, int32(i), init))
	}
	return opened{sig, n.mark()}
}

func (n *numbering) closeLoop(s *loop.For, turns opened) {
	sig := turns.sig
	for _, a := range s.Body.Yield[:len(s.States)] {
		sig = append(sig, n.Atom(a))
	}
	whole := n.Several(byTurns, sig)
	for i := range s.States {
		n.Bind(s.States[i].Result, n.ID(byLast, whole, int32(i)))
	}
	for i := range s.Reds {
		r := &s.Reds[i]
		last := n.Atom(s.Body.Yield[len(s.States)+i])
		n.Bind(r.Result, n.Way(byTotal, r.Op.Number+1, whole, n.Atom(r.Init), last))
	}
	n.written(turns.mark, whole)
}

// written numbers the buffers that a loop has written to.
func (n *numbering) written(before mark, whole int32) {
	for _, w := range n.since(before) {
		n.rewrite(w, n.ID(byWriting, whole, n.Of.Get(w.buf)))
	}
}

func (n *numbering) while(s *loop.While, depth int32) {
	turns := n.openWhile(s, depth)
	n.block(s.Cond, depth+1)
	n.block(s.Body, depth+1)
	n.closeWhile(s, turns)
}

func (n *numbering) openWhile(s *loop.While, depth int32) opened {
	sig := []int32{depth}
	for i, st := range s.States {
		sig = append(sig, n.Atom(st.Init))
		n.Bind(st.Var, n.ID(byWhileState, depth, int32(i), n.Atom(st.Init)))
	}
	return opened{sig, n.mark()}
}

func (n *numbering) closeWhile(s *loop.While, turns opened) {
	whole := n.Several(byWhile, slices.Concat(turns.sig, n.atoms(s.Cond.Yield), n.atoms(s.Body.Yield)))
	for i, st := range s.States {
		n.Bind(st.Result, n.ID(byLast, whole, int32(i)))
	}
	n.written(turns.mark, whole)
}

func (n *numbering) branch(s *loop.If, depth int32) {
	cond, before := n.Atom(s.Cond), n.mark()
	n.block(s.Then, depth)
	then := n.otherSide(before)
	n.block(s.Else, depth)
	n.closeBranch(s, cond, before, then)
}

// sideWrites is what one side of a branch has written to, and the numbers of that.
type sideWrites struct {
	bufs []write
	now  []int32
}

// otherSide is what the first side of a branch has written to. The other side starts with what that
// was.
func (n *numbering) otherSide(before mark) sideWrites {
	bufs := n.since(before)
	now := make([]int32, len(bufs))
	for i, w := range bufs {
		now[i] = n.Of.Get(w.buf)
		n.Of.Set(w.buf, w.before)
	}
	return sideWrites{bufs, now}
}

func (n *numbering) closeBranch(s *loop.If, cond int32, before mark, then sideWrites) {
	bufs := then.bufs
	for _, w := range n.since(before) {
		if !slices.ContainsFunc(then.bufs, func(t write) bool { return t.buf == w.buf }) {
			bufs = append(bufs, w)
		}
	}
	for i, w := range bufs {
		left := w.before
		if i < len(then.now) {
			left = then.now[i]
		}
		n.rewrite(w, n.ID(byWritingIf, cond, left, n.Of.Get(w.buf)))
	}
	for i, v := range s.Results {
		n.Bind(v, n.ID(byIf, cond, n.Atom(s.Then.Yield[i]), n.Atom(s.Else.Yield[i])))
	}
}

// outer gives the buffers from outside that a statement writes to, each once.
func outer(s loop.Stmt) []*loop.Var {
	switch s.(type) {
	case *loop.Let, *loop.Load:
		return nil
	}
	var seen loop.VarSet
	loop.Blocks(s, func(b *loop.Block) {
		loop.Walk(b, func(s loop.Stmt) {
			if s, ok := s.(*loop.Alloc); ok {
				seen.Add(s.Var)
			}
		})
	})
	var out []*loop.Var
	written(s, func(v *loop.Var) {
		if !seen.Has(v) {
			seen.Add(v)
			out = append(out, v)
		}
	})
	return out
}
