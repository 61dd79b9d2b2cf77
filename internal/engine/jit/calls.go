package jit

import (
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// signature is how a function's parameters and results lie in its frame: after the return address,
// a word for each scalar, and address and length of each buffer.
type signature struct {
	params  []int32
	results []int32
	scratch int32 // room for vectors that are taken apart
	spills  int32 // where spilled registers start
	routine bool  // Note [Routines]
	inLoop  bool  // a routine that is called in a loop
}

// Note [Routines]
//
// A routine is a function that the compiler adds to the program, to be called in several places. It
// calls none, so that one frame is enough for all of them. It lies in the context block behind that
// of the entry: a call need not look whether there is stack for it, and a program that has no other
// calls needs no stack and no register for its frames.

func signatureOf(f *loop.Func) *signature {
	s, at := &signature{}, int32(8)
	words := func(k loop.Kind) int32 {
		if k.IsBuffer() {
			return 16
		}
		return 8
	}
	for _, p := range f.Params {
		s.params = append(s.params, at)
		at += words(p.Kind)
	}
	for _, a := range f.Body.Yield {
		s.results = append(s.results, at)
		at += words(a.AtomKind())
	}
	s.scratch = (at + 63) &^ 63
	s.spills = s.scratch + 4*64
	return s
}

// function lowers a whole function.
func (l *lowering) function(f *loop.Func, entry bool) {
	sig := l.sigs[l.funcs[f]]
	l.out = &l.top.body
	if !entry && !sig.routine { // a deep recursion ends here
		lea := none(opLea)
		lea.d, lea.isMem, lea.m = l.newReg(gpr, 8), true, mem{base: calleeBase, index: noReg, scale: 1}
		l.emit(lea)
		in := none(opCmp)
		in.a, in.isMem, in.m = lea.d, true, ctxMem(ctxStack)
		l.emit(in)
		l.jcc(ccA, l.exit(statusStack))
		l.emit(none(opPoll)) // a recursion need not have loops
	}
	for i, p := range f.Params {
		at := sig.params[i]
		switch {
		case p.Kind.IsBuffer():
			l.vals.Set(p, l.buffer(l.param(gpr, at), l.param(gpr, at+8), false))
		case p.Kind == loop.F64:
			l.bind(p, l.param(vec, at))
		default:
			l.bind(p, l.param(gpr, at))
		}
	}
	mark := noReg
	l.allocating = map[*loop.Block]bool{}
	if l.findAllocating(f.Body) && !entry {
		mark = l.load(ctxMem(ctxBump))
	}
	if entry {
		l.findPlaces(f)
	}
	l.findSpent(f)
	l.block(f.Body)
	if l.err != nil {
		return
	}
	results := make([]*value, len(f.Body.Yield))
	var moving []*value
	for i, a := range f.Body.Yield {
		if a.AtomKind().IsBuffer() {
			results[i] = l.vals.Get(a.(*loop.Var))
			moving = append(moving, results[i])
		} else {
			results[i] = l.scalar(l.atom(a))
		}
	}
	if mark != noReg {
		moved := l.evacuate(mark, moving)
		for i, a := range f.Body.Yield {
			if a.AtomKind().IsBuffer() {
				results[i], moved = moved[0], moved[1:]
			}
		}
	}
	for i, v := range results {
		in := none(opStore)
		if l.f.reg(v.r[0]).class == vec {
			in.op = opVStore
		}
		in.a, in.isMem, in.m = v.r[0], true, at(frameBase, int64(sig.results[i]))
		l.emit(in)
		if v.n != noReg {
			l.store(at(frameBase, int64(sig.results[i])+8), v.n)
		}
	}
	l.emit(none(opReturn))
	l.room.add(&l.top.pre, &l.top.body)
	l.room.finish(&l.top.pre)
}

func (l *lowering) param(c class, at int32) reg {
	r := l.newReg(c, 8)
	v := l.f.reg(r)
	v.home, v.word = homeParam, int64(at)
	in := none(opHome)
	in.d = r
	l.emit(in)
	return r
}

func (l *lowering) call(s *loop.Call) {
	callee := l.funcs[s.Func]
	sig, base := l.sigs[callee], calleeBase
	if sig.routine {
		base = routineBase
		sig.inLoop = sig.inLoop || l.depth() > 0 // routines are lowered after those that call them
	}
	for i, a := range s.Args {
		m := at(base, int64(sig.params[i]))
		if a.AtomKind().IsBuffer() {
			v := l.vals.Get(a.(*loop.Var))
			l.store(m, v.r[0])
			m.disp += 8
			l.store(m, v.n)
			continue
		}
		l.storeAtom(m, a)
	}
	in := none(opCall)
	in.imm = int64(callee)
	l.emit(in)
	for i, r := range s.Results {
		m := at(base, int64(sig.results[i]))
		switch {
		case r.Kind.IsBuffer():
			p := l.load(m)
			m.disp += 8
			l.vals.Set(r, l.buffer(p, l.load(m), false))
		case r.Kind == loop.F64:
			l.bind(r, l.loadReal(m))
		default:
			l.bind(r, l.load(m))
		}
	}
}
