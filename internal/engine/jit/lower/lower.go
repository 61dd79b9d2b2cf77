package lower

import (
	"fmt"

	"github.com/fluxion-lang/fluxion/internal/engine/jit/ir"
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// value is what a variable of the loop form has become: a register, several vectors if it varies
// from lane to lane, or the address and length of a buffer.
type value struct {
	r     []ir.Reg
	n     ir.Reg // a buffer's length
	lanes bool   // the buffer has an element for each lane in place of each of its own
}

// loopCtx is a loop being lowered. What does not change in it is computed in front of it.
type loopCtx struct {
	pre, body code
	hoists    map[hoistKey]ir.Reg
}

// hoistKey names an invariant computation.
type hoistKey struct {
	word int64
	a, b ir.Reg
	op   ir.Opcode
	w    uint8
}

// lowering turns a function of the loop form into instructions.
type lowering struct {
	room  *room
	f     *ir.Function // being made, in the room
	unit  *unit
	m     *ir.Target
	opts  Options
	sig   *ir.Signature // of the function itself
	out   *code
	vals  loop.VarMap[*value]
	given loop.VarMap[*value] // buffers that were made before their Alloc
	// places are the buffers of the entry for which there may be a place outside of the arena, with
	// the offsets of its address and capacity in the frame: Note [Places].
	places     map[*loop.Var]int32
	spent      loop.VarSet          // Note [Buffers as states]
	allocating map[*loop.Block]bool // the blocks that make buffers, at any depth
	defs       loop.VarMap[*loop.Let]
	count      loop.VarMap[int32] // how often each variable is read
	top        *loopCtx           // the function's entry
	loops      []*loopCtx
	lane       *lanes // the loop with lanes around the code, if any
	// sequence is the number of loops around the code whose turns wait for each other.
	sequence int
	// scaled are the offsets of elements that the code being lowered has computed, if it is without
	// branches; else nil.
	scaled map[hoistKey]ir.Reg
	label  func() ir.Label
	stmts  []loop.Stmt // for listings
	err    error
}

func (l *lowering) fail(format string, args ...any) {
	if l.err == nil {
		l.err = fmt.Errorf(format, args...)
	}
}

func (l *lowering) depth() int32 { return int32(len(l.loops)) }

func (l *lowering) newReg(c ir.Class, w uint8) ir.Reg { return l.f.NewReg(c, w, l.depth()) }

func (l *lowering) mark(to ir.Label) {
	l.apart()
	l.emit(ir.Inst{Op: ir.OpLabel, To: to})
}

func (l *lowering) jump(to ir.Label) {
	in := ir.Bare(ir.OpJump)
	in.To = to
	l.emit(in)
}

func (l *lowering) jcc(cc ir.Cond, to ir.Label) {
	in := ir.Bare(ir.OpJcc)
	in.CC, in.To = cc, to
	l.emit(in)
}

// exit is the place that leaves the code with a status.
func (l *lowering) exit(status int) ir.Label {
	to, ok := l.unit.Exits[status]
	if !ok {
		to = l.label()
		l.unit.Exits[status] = to
	}
	return to
}

// two emits d = a op b of general registers.
func (l *lowering) two(op ir.Opcode, a, b ir.Reg) ir.Reg {
	in := ir.Bare(op)
	in.D, in.A, in.B = l.newReg(ir.GPR, 8), a, b
	l.emit(in)
	return in.D
}

// imm emits d = a op n; n has 32 bits.
func (l *lowering) imm(op ir.Opcode, a ir.Reg, n int64) ir.Reg {
	in := ir.Bare(op)
	in.D, in.A, in.IsImm, in.Imm = l.newReg(ir.GPR, 8), a, true, n
	l.emit(in)
	return in.D
}

func (l *lowering) cmp(a, b ir.Reg) {
	in := ir.Bare(ir.OpCmp)
	in.A, in.B = a, b
	l.emit(in)
}

func (l *lowering) cmpImm(a ir.Reg, n int64) {
	in := ir.Bare(ir.OpCmp)
	in.A, in.IsImm, in.Imm = a, true, n
	l.emit(in)
}

func (l *lowering) load(m ir.Mem) ir.Reg {
	in := ir.Bare(ir.OpLoad)
	in.D, in.IsMem, in.M = l.newReg(ir.GPR, 8), true, m
	l.emit(in)
	return in.D
}

func (l *lowering) store(m ir.Mem, a ir.Reg) {
	in := ir.Bare(ir.OpStore)
	in.A, in.IsMem, in.M = a, true, m
	l.emit(in)
}

// move emits a copy of a register, into d if that is given.
func (l *lowering) move(d, a ir.Reg) ir.Reg {
	v := l.f.Reg(a)
	if d == ir.NoReg {
		d = l.newReg(v.Class, v.W)
	}
	in := ir.Bare(ir.OpCopy)
	in.D, in.A = d, a
	l.emit(in)
	return d
}

// constant gives a register with a constant, made in front of the outermost loop.
func (l *lowering) constant(c ir.Class, w uint8, word int64) ir.Reg {
	ctx := l.top
	if len(l.loops) > 0 {
		ctx = l.loops[0]
	}
	key := hoistKey{op: ir.OpHome, a: ir.Reg(c), word: word, w: w}
	if r, ok := ctx.hoists[key]; ok {
		return r
	}
	r := l.f.NewReg(c, w, 0)
	v := l.f.Reg(r)
	v.Home, v.Word = ir.HomeConst, word
	in := ir.Bare(ir.OpHome)
	in.D = r
	l.emitTo(&ctx.pre, in)
	ctx.hoists[key] = r
	return r
}

// hoist runs build where the registers that it reads are known and do not change: in front of the
// outermost loop in which they are invariant. The key names what is computed.
func (l *lowering) hoist(key hoistKey, build func() ir.Reg, reads ...ir.Reg) ir.Reg {
	d := int32(0)
	for _, r := range reads {
		if r >= ir.FirstVirtual {
			d = max(d, l.f.Reg(r).Depth)
		}
	}
	if d >= l.depth() {
		return build()
	}
	ctx := l.loops[d]
	if r, ok := ctx.hoists[key]; ok {
		return r
	}
	out, loops := l.out, l.loops
	l.out, l.loops = &ctx.pre, l.loops[:d]
	r := build()
	l.out, l.loops = out, loops
	ctx.hoists[key] = r
	return r
}

// atom gives the register of a scalar that does not vary from lane to lane.
func (l *lowering) atom(a loop.Atom) ir.Reg {
	switch a := a.(type) {
	case *loop.Const:
		if a.Kind == loop.F64 {
			return l.constant(ir.Vec, 8, int64(a.Word()))
		}
		return l.constant(ir.GPR, 8, a.I)
	case *loop.Var:
		v := l.vals.Get(a)
		if v == nil {
			l.fail("jit: %s has no value", a.Name)
			return l.constant(ir.GPR, 8, 0)
		}
		return v.r[0]
	}
	return ir.NoReg
}

// small tells whether an atom is an integer that fits an immediate operand.
func small(a loop.Atom) (int64, bool) {
	if c, ok := a.(*loop.Const); ok && c.Kind != loop.F64 && ir.Fits32(c.I) {
		return c.I, true
	}
	return 0, false
}

func (l *lowering) bind(v *loop.Var, r ir.Reg) { l.vals.Set(v, l.scalar(r)) }

func (l *lowering) block(b *loop.Block) {
	for _, s := range b.Stmts {
		if l.err != nil {
			return
		}
		if l.opts.Listing {
			l.stmts = append(l.stmts, s)
			l.emit(ir.Inst{Op: ir.OpStmt, Imm: int64(len(l.stmts) - 1), D: ir.NoReg, A: ir.NoReg, B: ir.NoReg, C: ir.NoReg, K: ir.NoReg})
		}
		l.apart()
		l.stmt(s)
		l.apart()
	}
}

// apart separates pieces of code: what one has made for itself, the next may not use, which may run
// without it.
func (l *lowering) apart() {
	if l.lane != nil {
		l.lane.here = l.lane.here[:0]
	}
}

func (l *lowering) stmt(s loop.Stmt) {
	l.opts.Watch.Poll()
	switch s := s.(type) {
	case *loop.Let:
		l.let(s)
	case *loop.Alloc:
		l.alloc(s)
	case *loop.Length:
		l.bind(s.Var, l.vals.Get(s.Buf).n)
	case *loop.Load:
		l.vals.Set(s.Var, l.read(s.Buf, s.At, s.Var.Kind))
	case *loop.Store:
		l.write(s.Buf, s.At, s.Value)
	case *loop.Accum:
		l.accum(s)
	case *loop.Update:
		l.write(s.Buf, s.At, s.Value)
		l.vals.Set(s.Var, l.vals.Get(s.Buf))
	case *loop.Copy:
		l.copyBuffer(s)
	case *loop.For:
		l.loop(s)
	case *loop.While:
		l.while(s)
	case *loop.If:
		l.branch(s)
	case *loop.Check:
		if l.lane != nil && l.lane.is(s.Cond) {
			l.lane.check(l, s.Cond)
			return
		}
		l.jumpUnless(s.Cond, l.exit(ir.StatusCheck))
	case *loop.Call:
		l.call(s)
	}
}

// jumpUnless jumps if a condition does not hold.
func (l *lowering) jumpUnless(a loop.Atom, to ir.Label) { l.jumpOn(a, to, false, 0) }

// jumpOn jumps if a condition is as wanted. Comparisons are done where they are needed.
func (l *lowering) jumpOn(a loop.Atom, to ir.Label, want bool, nested int) {
	if c, ok := a.(*loop.Const); ok {
		if (c.I != 0) == want {
			l.jump(to)
		}
		return
	}
	if def := l.defs.Get(a.(*loop.Var)); def != nil && nested < 8 {
		switch def.Op {
		case loop.Not:
			l.jumpOn(def.Args[0], to, !want, nested+1)
			return
		case loop.And, loop.Or:
			if (def.Op == loop.Or) == want {
				l.jumpOn(def.Args[0], to, want, nested+1)
				l.jumpOn(def.Args[1], to, want, nested+1)
				return
			}
			past := l.label()
			l.jumpOn(def.Args[0], past, !want, nested+1)
			l.jumpOn(def.Args[1], to, want, nested+1)
			l.mark(past)
			return
		}
		if cc, ok := l.compare(def); ok {
			if !want {
				cc ^= 1
			}
			l.jcc(cc, to)
			return
		}
		if def.Op == loop.EqF || def.Op == loop.NeF {
			l.ucomi(l.atom(def.Args[0]), l.atom(def.Args[1]))
			if (def.Op == loop.NeF) == want {
				l.jcc(ir.CCNE, to)
				l.jcc(ir.CCP, to)
				return
			}
			past := l.label()
			l.jcc(ir.CCNE, past)
			l.jcc(ir.CCNP, to)
			l.mark(past)
			return
		}
	}
	in := ir.Bare(ir.OpTest)
	in.A = l.atom(a)
	l.emit(in)
	if want {
		l.jcc(ir.CCNE, to)
	} else {
		l.jcc(ir.CCE, to)
	}
}

// compare sets the flags for a comparison that one condition code can tell.
func (l *lowering) compare(def *loop.Let) (ir.Cond, bool) {
	var cc ir.Cond
	switch def.Op {
	case loop.EqI:
		cc = ir.CCE
	case loop.NeI:
		cc = ir.CCNE
	case loop.LtI:
		cc = ir.CCL
	case loop.LeI:
		cc = ir.CCLE
	case loop.LtF:
		l.ucomi(l.atom(def.Args[1]), l.atom(def.Args[0]))
		return ir.CCAboveF, true
	case loop.LeF:
		l.ucomi(l.atom(def.Args[1]), l.atom(def.Args[0]))
		return ir.CCAtLeastF, true
	default:
		return 0, false
	}
	if n, ok := small(def.Args[1]); ok {
		l.cmpImm(l.atom(def.Args[0]), n)
	} else {
		l.cmp(l.atom(def.Args[0]), l.atom(def.Args[1]))
	}
	return cc, true
}

func (l *lowering) ucomi(a, b ir.Reg) {
	in := ir.Bare(ir.OpVUcomi)
	in.A, in.B = a, b
	l.emit(in)
}

// open starts a loop, and close ends it: what was hoisted goes in front.
func (l *lowering) open() (ctx *loopCtx, outer *code) {
	ctx, outer = l.newCtx(), l.out
	l.loops = append(l.loops, ctx)
	l.out = &ctx.body
	l.emit(ir.Bare(ir.OpLoopStart))
	return ctx, outer
}

func (l *lowering) close(ctx *loopCtx, outer *code) {
	l.emit(ir.Bare(ir.OpLoopEnd))
	l.loops = l.loops[:len(l.loops)-1]
	l.out = outer
	l.room.add(outer, &ctx.pre)
	l.room.add(outer, &ctx.body)
	l.closed(ctx)
}

// strip is how many turns of a loop run between polls: about a microsecond.
func strip(b *loop.Block, lanes int) int64 {
	const cycles = 4000
	cost := blockCost(b) * max(lanes, 1)
	return int64(max(1, cycles/max(cost, 1)))
}

// blockCost estimates a block's work. A loop in it that is not short is work beyond measure.
func blockCost(b *loop.Block) int {
	const beyond = 1 << 20
	cost := 1
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *loop.Let:
			cost += s.Op.Cost
		case *loop.For:
			if n, ok := small(s.Count); ok && n < 1024 {
				cost += int(max(n, 0)) * blockCost(s.Body)
			} else {
				return beyond
			}
		case *loop.While, *loop.Call, *loop.Alloc, *loop.Copy:
			return beyond
		case *loop.If:
			cost += max(blockCost(s.Then), blockCost(s.Else))
		default:
			cost += 2
		}
		if cost > beyond {
			return beyond
		}
	}
	return cost
}

// loop lowers a counted loop, turn by turn unless it has lanes.
func (l *lowering) loop(s *loop.For) {
	if s.Lanes && l.lane == nil && !l.opts.NoLanes {
		if varies, local, ok := loop.Vectorises(s, l.opts.Deterministic); ok {
			l.laneLoop(s, varies, local)
			return
		}
	}
	n := l.atom(s.Count)
	states := l.enterStates(s.Index, s.States, s.Body)
	totals := make([]*value, len(s.Reds))
	for i, r := range s.Reds {
		totals[i] = l.fresh(l.spread(r.Init, r.Result))
	}
	if len(s.States) > 0 {
		l.sequence++
		defer func() { l.sequence-- }()
	}
	turn := func(i ir.Reg) {
		l.bind(s.Index, i)
		l.turn(states, s.Body, func() {
			for k, r := range s.Reds {
				l.total(totals[k], r.Op, s.Body.Yield[len(s.States)+k])
			}
		})
	}
	if ln := l.lane; ln == nil {
		l.counted(n, 0, 1, strip(s.Body, l.width()), turn)
	} else if ln.parts == nil && ln.together(l, s) {
		ln.turnsTogether(l, s, n, turn)
	} else if places := ln.inRows(l, s); places != nil {
		ln.rowsTogether(l, s, n, places, turn)
	} else {
		l.counted(n, 0, 1, strip(s.Body, l.width()), turn)
	}
	l.leaveStates(states)
	for i, r := range s.Reds {
		l.vals.Set(r.Result, l.fresh(totals[i]))
	}
}

// counted emits a loop over i = from, from+step … below n, with a poll every strip turns. from is a
// constant.
func (l *lowering) counted(n ir.Reg, from, step, strip int64, body func(i ir.Reg)) {
	i := l.move(ir.NoReg, l.constant(ir.GPR, 8, from))
	l.countedFrom(i, n, step, strip, body)
}

// countedFrom does so from the value of i, which it changes.
func (l *lowering) countedFrom(i, n ir.Reg, step, strip int64, body func(i ir.Reg)) {
	end, head := l.label(), l.label()
	l.cmp(i, n)
	l.jcc(ir.CCGE, end)
	known := l.f.Reg(n).Home == ir.HomeConst && l.f.Reg(n).Word <= strip*step
	ctx, outer := l.open()
	l.f.Reg(i).Depth = l.depth()
	stop := n
	outerHead := l.label()
	if strip > 1 && !known {
		l.mark(outerHead)
		next := l.imm(ir.OpAdd, i, strip*step)
		l.cmp(next, n)
		in := ir.Bare(ir.OpCmov)
		in.CC, in.D, in.A, in.B = ir.CCG, l.newReg(ir.GPR, 8), next, n
		l.emit(in)
		stop = in.D
		// The turns themselves are a loop of their own.
		inner, outer := l.open()
		l.f.Reg(i).Depth = l.depth()
		l.turns(i, stop, step, head, body)
		l.close(inner, outer)
		l.cmp(i, n)
		l.jcc(ir.CCGE, end)
		l.emit(ir.Bare(ir.OpPoll))
		l.jump(outerHead)
	} else {
		l.mark(head)
		body(i)
		l.inc(i, step)
		if !known {
			l.emit(ir.Bare(ir.OpPoll))
		}
		l.cmp(i, n)
		l.jcc(ir.CCL, head)
	}
	l.close(ctx, outer)
	l.f.Reg(i).Depth = l.depth()
	l.mark(end)
}

func (l *lowering) turns(i, stop ir.Reg, step int64, head ir.Label, body func(i ir.Reg)) {
	l.emit(ir.Inst{Op: ir.OpAlign, Imm: 32, D: ir.NoReg, A: ir.NoReg, B: ir.NoReg, C: ir.NoReg, K: ir.NoReg})
	l.mark(head)
	body(i)
	l.inc(i, step)
	l.cmp(i, stop)
	l.jcc(ir.CCL, head)
}

// inc adds to a register in place.
func (l *lowering) inc(r ir.Reg, n int64) {
	in := ir.Bare(ir.OpAdd)
	in.D, in.A, in.IsImm, in.Imm = r, r, true, n
	l.emit(in)
}

// fresh copies a value into registers that the loop to come may change.
func (l *lowering) fresh(v *value) *value {
	out := l.newValue(len(v.r))
	out.lanes = v.lanes
	for i, r := range v.r {
		out.r[i] = l.move(ir.NoReg, r)
	}
	if v.n != ir.NoReg {
		out.n = l.move(ir.NoReg, v.n)
	}
	return out
}

// spread gives the value of an atom in the shape of a variable: as vectors if that varies.
func (l *lowering) spread(a loop.Atom, like *loop.Var) *value {
	if like.Kind.IsBuffer() {
		return l.vals.Get(a.(*loop.Var))
	}
	if l.lane != nil && l.lane.varies.Has(like) {
		v := l.newValue(0)
		v.r = l.lane.vectors(l, a)
		return v
	}
	return l.scalar(l.atom(a))
}

// total adds a turn's contribution.
func (l *lowering) total(t *value, op *loop.Op, a loop.Atom) {
	for u := range t.r {
		arg := func() ir.Reg { return l.atom(a) }
		w := l.f.Reg(t.r[u]).W
		isVec := l.lane != nil && l.lane.isVector(l, t.r[u])
		if isVec {
			arg = func() ir.Reg { return l.lane.vectors(l, a)[u] }
		}
		if op == loop.AddF {
			if p, ok := l.product(a, u, isVec); ok {
				in := ir.Bare(ir.OpVFma)
				if p.negative {
					in.Op = ir.OpVFnma
				}
				in.W, in.D, in.A, in.B, in.C = w, t.r[u], p.x, p.y, t.r[u]
				l.emit(in)
				continue
			}
		}
		var r ir.Reg
		if isVec {
			r = l.vectorOp(op, w, []ir.Reg{t.r[u], arg()})
		} else {
			r = l.scalarOp(op, []ir.Reg{t.r[u], arg()}, nil)
		}
		in := ir.Bare(ir.OpCarry)
		in.D, in.A = t.r[u], r
		l.emit(in)
	}
}

// while lowers a loop with a condition. It polls on each turn.
func (l *lowering) while(s *loop.While) {
	l.sequence++
	defer func() { l.sequence-- }()
	states := l.enterStates(nil, s.States, s.Body)
	head, end := l.label(), l.label()
	ctx, outer := l.open()
	states.deepen()
	for i, st := range s.States {
		l.vals.Set(st.Var, states.vals[i])
	}
	l.mark(head)
	l.block(s.Cond)
	l.jumpUnless(s.Cond.Yield[0], end)
	l.turn(states, s.Body, func() {})
	l.emit(ir.Bare(ir.OpPoll))
	l.jump(head)
	l.close(ctx, outer)
	l.mark(end)
	l.leaveStates(states)
}

// branch lowers an If: both blocks write the registers of the results.
func (l *lowering) branch(s *loop.If) {
	results := make([]*value, len(s.Results))
	for i, r := range s.Results {
		switch {
		case r.Kind.IsBuffer():
			p := l.newReg(ir.GPR, 8)
			results[i] = l.buffer(p, l.newReg(ir.GPR, 8), false)
		case l.lane != nil && l.lane.varies.Has(r):
			results[i] = l.newValue(l.lane.u)
			for u := range results[i].r {
				results[i].r[u] = l.lane.newVector(l, r.Kind)
			}
		case r.Kind == loop.F64:
			results[i] = l.scalar(l.newReg(ir.Vec, 8))
		default:
			results[i] = l.scalar(l.newReg(ir.GPR, 8))
		}
	}
	other, end := l.label(), l.label()
	l.jumpUnless(s.Cond, other)
	give := func(b *loop.Block) {
		l.block(b)
		if l.err != nil {
			return // what the block yields may have no value
		}
		for i, r := range s.Results {
			from := l.spread(b.Yield[i], r)
			for u := range results[i].r {
				l.move(results[i].r[u], from.r[u])
			}
			if r.Kind.IsBuffer() {
				l.move(results[i].n, from.n)
				results[i].lanes = from.lanes
			}
		}
	}
	give(s.Then)
	l.jump(end)
	l.mark(other)
	give(s.Else)
	l.mark(end)
	for i, r := range s.Results {
		l.vals.Set(r, results[i])
	}
}
