package pass

import (
	"iter"
	"slices"
	"sync"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// node is a statement. Nodes are numbered from 1 on, from the outside to the inside.
type node struct {
	stmt   loop.Stmt
	parent int32 // the number of the statement around it
	live   bool  // it must stay
}

// def is where a variable is bound: by a node, as its result or parameter with a number.
type def struct {
	node, n int32
}

type liveness struct {
	nodes   []node
	defs    loop.VarMap[def]
	writers loop.VarMap[chain]   // nodes that write to a buffer
	links   []link               // of the chains; the first is none
	vars    loop.VarSet          // live
	queue   []*loop.Var          // live, not yet followed
	stop    func(*loop.Var) bool // whether not to follow a live variable; nil for never
}

// chain is the first and the last link of a list of nodes.
type chain struct{ first, last int32 }

type link struct{ node, next int32 }

var livenesses = sync.Pool{New: func() any { return &liveness{} }}

func newLiveness(b *loop.Block) *liveness {
	d := livenesses.Get().(*liveness)
	d.nodes = append(slices.Grow(d.nodes, 1+size(b)), node{})
	d.links = append(d.links, link{})
	d.collect(b, 0)
	return d
}

// release gives the memory back, for others.
func (d *liveness) release() {
	clear(d.nodes)
	d.nodes, d.links, d.queue, d.stop = d.nodes[:0], d.links[:0], d.queue[:0], nil
	d.defs.Clear()
	d.writers.Clear()
	d.vars.Clear()
	livenesses.Put(d)
}

// written are the nodes that write to a buffer, in their order.
func (d *liveness) written(buf *loop.Var) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for k := d.writers.Get(buf).first; k != 0; k = d.links[k].next {
			if !yield(d.links[k].node) {
				return
			}
		}
	}
}

// def is the statement that binds a variable, as its result or parameter with a number; nil if none
// does.
func (d *liveness) def(v *loop.Var) (loop.Stmt, int) {
	at := d.defs.Get(v)
	return d.nodes[at.node].stmt, int(at.n)
}

// follow marks all that live variables depend on.
func (d *liveness) follow() {
	for len(d.queue) > 0 {
		v := d.queue[len(d.queue)-1]
		d.queue = d.queue[:len(d.queue)-1]
		if d.stop == nil || !d.stop(v) {
			d.reach(v)
		}
	}
}

func (d *liveness) collect(b *loop.Block, parent int32) {
	for _, s := range b.Stmts {
		id := int32(len(d.nodes))
		d.nodes = append(d.nodes, node{stmt: s, parent: parent})
		switch s := s.(type) {
		case *loop.Let:
			d.defs.Set(s.Var, def{node: id})
		case *loop.Load:
			d.defs.Set(s.Var, def{node: id})
		default:
			n := int32(0)
			loop.Defs(s, func(v *loop.Var) {
				d.defs.Set(v, def{id, n})
				n++
			})
		}
		switch s := s.(type) {
		case *loop.For:
			d.states(s.States, id)
			d.collect(s.Body, id)
		case *loop.While:
			d.states(s.States, id)
			d.collect(s.Cond, id)
			d.collect(s.Body, id)
		case *loop.If:
			d.collect(s.Then, id)
			d.collect(s.Else, id)
		case *loop.Store:
			d.writes(s.Buf, id)
		case *loop.Accum:
			d.writes(s.Buf, id)
		case *loop.Call:
			for _, v := range s.AddedTo() {
				d.writes(v, id)
			}
		}
		if mayFail(s) {
			d.keep(id)
			loop.Uses(s, d.use)
		}
	}
}

func (d *liveness) writes(buf *loop.Var, id int32) {
	c, k := d.writers.At(buf), int32(len(d.links))
	d.links = append(d.links, link{node: id})
	if c.first == 0 {
		c.first = k
	}
	d.links[c.last].next, c.last = k, k
}

func (d *liveness) states(states []loop.State, id int32) {
	for i, st := range states {
		d.defs.Set(st.Var, def{id, int32(i)})
	}
}

// mayFail tells whether a statement must stay for what it may do by itself.
func mayFail(s loop.Stmt) bool {
	switch s.(type) {
	case *loop.Check, *loop.Call:
		return true
	}
	return false
}

func (d *liveness) use(a loop.Atom) {
	if v, ok := a.(*loop.Var); ok {
		if !d.vars.Has(v) {
			d.vars.Add(v)
			d.queue = append(d.queue, v)
		}
	}
}

// keep marks a statement and those around it, which decide whether it runs.
func (d *liveness) keep(id int32) {
	for ; id != 0 && !d.nodes[id].live; id = d.nodes[id].parent {
		d.nodes[id].live = true
		switch s := d.nodes[id].stmt.(type) {
		case *loop.For:
			d.use(s.Count)
		case *loop.While:
			d.use(s.Cond.Yield[0])
		case *loop.If:
			d.use(s.Cond)
		}
	}
}

// reach marks what a live variable depends on.
func (d *liveness) reach(v *loop.Var) {
	if v.Kind.IsBuffer() {
		for w := range d.written(v) {
			d.keep(w)
			loop.Uses(d.nodes[w].stmt, d.use)
		}
	}
	def := d.defs.Get(v)
	if def.node == 0 {
		return
	}
	d.keep(def.node)
	n := int(def.n)
	state := func(st loop.State, yield loop.Atom) {
		d.use(st.Init)
		d.use(yield)
		d.use(st.Var)
	}
	switch s := d.nodes[def.node].stmt.(type) {
	case *loop.Let:
		for _, a := range s.Args {
			d.use(a)
		}
	case *loop.Load:
		d.use(s.Buf)
		d.use(s.At)
	case *loop.For:
		if n < len(s.States) {
			state(s.States[n], s.Body.Yield[n])
			return
		}
		d.use(s.Reds[n-len(s.States)].Init)
		d.use(s.Body.Yield[n])
	case *loop.While:
		state(s.States[n], s.Body.Yield[n])
	case *loop.If:
		d.use(s.Then.Yield[n])
		d.use(s.Else.Yield[n])
	default:
		loop.Uses(s, d.use)
	}
}
