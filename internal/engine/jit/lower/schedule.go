package lower

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/engine/jit/ir"
	"github.com/fluxion-lang/fluxion/internal/engine/jit/reuse"
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Schedule]
//
// A turn that hands numbers on to the next is a chain of operations that wait for each other. The
// machine runs what does not wait beside them, but it looks only a hundred operations ahead. In
//
//	s' = s·sigmoid(x) + sigmoid(a·s)·tanh(b·s)
//
// each function is forty operations, most of which need the one before, and for two vectors side by
// side the machine sees little more than one function at a time. So the statements of a turn are
// put in another order, in which the functions take turns.
//
// This is list scheduling. A statement may come next if those that it needs have come: those that
// bind its operands, the last one that wrote its buffer, and the last check. Of these the one comes
// that has its operands already, by a rough model of the machine, and of several the one with the
// longest chain of operations behind it. As many values may be alive as there are registers for;
// beyond that a statement comes next only if it ends the life of one, or if it is the first in the
// old order.
//
// The order changes no result: a buffer is read after all writes to it (Note [Buffers] of package
// loop), and additions to a buffer stay in their order.

// scheduler puts the statements of blocks in order.
type scheduler struct {
	m         *ir.Target
	opts      Options
	bound     loop.VarMap[int32] // the statement of a run that binds a variable, from 1
	wrote     loop.VarMap[int32] // the last one that writes a buffer, from 1
	nodes     []node             // the statements of a run
	edges     []edge
	operands  []int32 // of the nodes, one after the other
	available []int32 // the nodes that may come next
	out       []loop.Stmt
}

// node is a statement of a run.
type node struct {
	first    int32 // its first edge, from 1
	from, to int32 // its operands that the run binds
	waits    int32 // statements that must come before it and have not come
	reads    int32 // reads of its result that have not come
	ready    int32 // when its operands are there
	height   int32 // the length of the longest chain that starts with it
	latency  int32 // when its result is there, from its start
	cost     int32 // the time in which nothing else starts
	divides  bool
	vector   bool // its result needs vector registers
}

// edge says that a statement comes after another, and which is the next edge of that other one.
type edge struct{ to, next int32 }

// Times are in halves of a cycle: two operations on vectors start in a cycle.
const (
	shortLatency  = 2  // of an operation on integers or bits
	realLatency   = 8  // of one on reals
	scaleLatency  = 14 // of ldexp
	divideLatency = 48
	divideTime    = 32 // from the start of a division to that of the next
	loadLatency   = 14
)

// leastRun is the number of statements from which on a run is put in order, and mostRun that from
// which on it would take too long.
const leastRun, mostRun = 40, 2000

// leastRoom is the number of values that may be alive from which on an order is better than the old
// one.
const leastRoom = 8

// schedule puts statements in order where a turn of a loop waits for the one before.
func schedule(f *loop.Func, m *ir.Target, opts Options) {
	sc := &scheduler{m: m, opts: opts}
	f.Body = sc.block(f.Body, 0, false, false)
}

// block gives a block with its statements in order. u is the number of vectors side by side, 0
// outside of lanes; inTurn tells whether the block is a turn that hands numbers on, and inSequence
// whether there is a loop with states around it.
func (sc *scheduler) block(b *loop.Block, u int, inTurn, inSequence bool) *loop.Block {
	out := b.Stmts
	own := func() []loop.Stmt { // out, which others have until it is changed
		if len(out) > 0 && &out[0] == &b.Stmts[0] {
			out = slices.Clone(out)
		}
		return out
	}
	from := 0
	for i, s := range b.Stmts {
		inner := s
		switch s := s.(type) {
		case *loop.Let, *loop.Load, *loop.Store, *loop.Accum, *loop.Length, *loop.Check:
			continue
		case *loop.For:
			k, hands := u, len(s.States) > 0
			if s.Lanes && u == 0 && !sc.opts.NoLanes {
				k = jam(sc.m, s.Body, inSequence, true)
			}
			inner = loop.MapBlocks(s, func(b *loop.Block) *loop.Block { return sc.block(b, k, hands, inSequence || hands) })
		default:
			inner = loop.MapBlocks(s, func(b *loop.Block) *loop.Block { return sc.block(b, u, inTurn, inSequence) })
		}
		if inner != s {
			own()[i] = inner
		}
		if u := sc.worth(i-from, u, inTurn); u > 0 {
			sc.run(own()[from:i], u)
		}
		from = i + 1
	}
	if u := sc.worth(len(out)-from, u, inTurn); u > 0 {
		sc.run(own()[from:], u)
	}
	if len(out) == 0 || &out[0] == &b.Stmts[0] {
		return b
	}
	return &loop.Block{Stmts: out, Yield: b.Yield}
}

// worth is the number of vectors side by side if so many statements should be put in order, and 0
// if they should not.
func (sc *scheduler) worth(n, u int, inTurn bool) int {
	switch {
	case sc.opts.Scheduled > 0 && n >= sc.opts.Scheduled:
		return max(u, 1)
	case !inTurn || u == 0 || n < leastRun || n > mostRun || sc.room(u) < leastRoom:
		return 0
	}
	return u
}

// room is the number of values that may be alive. Three registers are for what has none, and some
// hold what is the same in all turns.
func (sc *scheduler) room(u int) int { return (len(sc.m.Files[ir.Vec])-3)/u - 2 }

// run puts statements without blocks in order.
func (sc *scheduler) run(stmts []loop.Stmt, u int) {
	sc.nodes, sc.edges, sc.operands = reuse.Zeros(sc.nodes, len(stmts)), sc.edges[:0], sc.operands[:0]
	sc.connect(stmts)
	sc.measure(stmts, int32(u))
	sc.order(stmts, int32(u))
	sc.bound.Clear()
	sc.wrote.Clear()
}

// after says that a statement comes after another.
func (sc *scheduler) after(to, from int32) {
	sc.edges = append(sc.edges, edge{to, sc.nodes[from].first})
	sc.nodes[from].first = int32(len(sc.edges))
	sc.nodes[to].waits++
}

// connect finds what must come before each statement.
func (sc *scheduler) connect(stmts []loop.Stmt) {
	check := int32(-1)
	for k, s := range stmts {
		i, x := int32(k), &sc.nodes[k]
		x.from = int32(len(sc.operands))
		loop.Uses(s, func(a loop.Atom) {
			if v, ok := a.(*loop.Var); ok {
				if p := sc.bound.Get(v); p > 0 {
					sc.after(i, p-1)
					sc.nodes[p-1].reads++
					sc.operands = append(sc.operands, p-1)
				}
			}
		})
		x.to = int32(len(sc.operands))
		var buf *loop.Var
		switch s := s.(type) {
		case *loop.Load:
			buf = s.Buf
		case *loop.Store:
			buf = s.Buf
		case *loop.Accum:
			buf = s.Buf
		}
		if buf != nil {
			if p := sc.wrote.Get(buf); p > 0 {
				sc.after(i, p-1)
			}
			if _, reads := s.(*loop.Load); !reads {
				sc.wrote.Set(buf, i+1)
			}
		}
		_, checks := s.(*loop.Check)
		if check >= 0 && (buf != nil || checks) {
			sc.after(i, check)
		}
		if checks {
			check = i
		}
		loop.Defs(s, func(v *loop.Var) { sc.bound.Set(v, i+1) })
	}
}

// measure finds how long each statement takes, and the chains that start with it.
func (sc *scheduler) measure(stmts []loop.Stmt, u int32) {
	for i := len(stmts) - 1; i >= 0; i-- {
		x := &sc.nodes[i]
		x.latency = shortLatency
		switch s := stmts[i].(type) {
		case *loop.Load:
			x.latency, x.vector = loadLatency, s.Var.Kind == loop.F64
		case *loop.Let:
			x.vector = s.Var.Kind == loop.F64
			sc.operation(x, s, stmts, u)
		}
		for e := x.first; e > 0; e = sc.edges[e-1].next {
			x.height = max(x.height, sc.nodes[sc.edges[e-1].to].height)
		}
		x.height += x.latency
	}
}

// operation finds how long an operation takes. What one instruction does with what follows takes no
// time of its own.
func (sc *scheduler) operation(x *node, s *loop.Let, stmts []loop.Stmt, u int32) {
	if s.Op.Result != loop.F64 && s.Op.Args[0] != loop.F64 {
		return
	}
	var next *loop.Let // what alone reads the result
	if x.reads == 1 {
		next, _ = stmts[sc.edges[x.first-1].to].(*loop.Let)
	}
	x.cost = u
	switch s.Op {
	case loop.NegF, loop.Bits, loop.FromBits:
		x.latency, x.cost = 0, 0
	case loop.AbsF:
	case loop.Ldexp:
		x.latency, x.cost = scaleLatency, 2*u
	case loop.DivF, loop.Sqrt:
		x.latency, x.cost, x.divides = divideLatency, 3*u, true
	default:
		x.latency = realLatency
		added := s.Op == loop.MulF && next != nil && (next.Op == loop.AddF || next.Op == loop.SubF) && !sc.opts.Deterministic
		selects := s.Op == loop.LtF && next != nil && next.Op == loop.SelF
		if added || selects {
			x.latency, x.cost = 0, 0
		}
	}
}

// order puts the statements in order.
func (sc *scheduler) order(stmts []loop.Stmt, u int32) {
	most := sc.room(int(u))
	sc.available, sc.out = sc.available[:0], append(sc.out[:0], stmts...)
	for i := range sc.nodes {
		if sc.nodes[i].waits == 0 {
			sc.available = append(sc.available, int32(i))
		}
	}
	now, divider, live := int32(0), int32(0), 0
	for at := range stmts {
		best, bestRank := 0, rank{}
		for k, i := range sc.available {
			x := &sc.nodes[i]
			r := rank{late: max(x.ready-now, 0), height: x.height, at: i}
			if x.divides {
				r.late = max(r.late, divider-now)
			}
			r.crowds = live >= most && sc.more(x) > 0
			if k == 0 || r.before(bestRank) {
				best, bestRank = k, r
			}
		}
		i := sc.available[best]
		last := len(sc.available) - 1
		sc.available[best] = sc.available[last]
		sc.available = sc.available[:last]
		x := &sc.nodes[i]
		stmts[at] = sc.out[i]
		live += sc.more(x)
		for _, p := range sc.operands[x.from:x.to] {
			sc.nodes[p].reads--
		}
		now += bestRank.late
		if x.divides {
			divider = now + divideTime*u
		}
		for e := x.first; e > 0; e = sc.edges[e-1].next {
			to := sc.edges[e-1].to
			y := &sc.nodes[to]
			y.ready = max(y.ready, now+x.latency)
			if y.waits--; y.waits == 0 {
				sc.available = append(sc.available, to)
			}
		}
		now += x.cost
	}
	clear(sc.out)
}

// rank is what decides which statement comes next.
type rank struct {
	crowds bool  // there is no register for its result
	late   int32 // the time until it can start
	height int32
	at     int32 // its place in the old order
}

// before tells whether a statement is to come before another.
func (r rank) before(s rank) bool {
	switch {
	case r.crowds != s.crowds:
		return s.crowds
	case r.crowds && r.at != s.at:
		return r.at < s.at
	case r.late != s.late:
		return r.late < s.late
	case r.height != s.height:
		return r.height > s.height
	}
	return r.at < s.at
}

// more is how many more vectors are alive after a statement.
func (sc *scheduler) more(x *node) int {
	n := 0
	if x.vector {
		n = 1
	}
	for _, p := range sc.operands[x.from:x.to] {
		if y := &sc.nodes[p]; y.vector && y.reads == 1 {
			n--
		}
	}
	return n
}
