package lower

import (
	"github.com/fluxion-lang/fluxion/internal/engine/jit/ir"
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// function lowers a whole function.
func (l *lowering) function(f *loop.Func, entry bool) {
	sig := l.sig
	l.out = &l.top.body
	if !entry && !sig.Routine { // a deep recursion ends here
		lea := ir.Bare(ir.OpLea)
		lea.D, lea.IsMem, lea.M = l.newReg(ir.GPR, 8), true, ir.Mem{Base: ir.CalleeBase, Index: ir.NoReg, Scale: 1}
		l.emit(lea)
		in := ir.Bare(ir.OpCmp)
		in.A, in.IsMem, in.M = lea.D, true, ir.CtxMem(ir.CtxStack)
		l.emit(in)
		l.jcc(ir.CCA, l.exit(ir.StatusStack))
		l.emit(ir.Bare(ir.OpPoll)) // a recursion need not have loops
	}
	for i, p := range f.Params {
		at := sig.Params[i]
		switch {
		case p.Kind.IsBuffer():
			l.vals.Set(p, l.buffer(l.param(ir.GPR, at), l.param(ir.GPR, at+8), false))
		case p.Kind == loop.F64:
			l.bind(p, l.param(ir.Vec, at))
		default:
			l.bind(p, l.param(ir.GPR, at))
		}
	}
	mark := ir.NoReg
	l.allocating = map[*loop.Block]bool{}
	if l.findAllocating(f.Body) && !entry {
		mark = l.load(ir.CtxMem(ir.CtxBump))
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
	if mark != ir.NoReg {
		moved := l.evacuate(mark, moving)
		for i, a := range f.Body.Yield {
			if a.AtomKind().IsBuffer() {
				results[i], moved = moved[0], moved[1:]
			}
		}
	}
	for i, v := range results {
		in := ir.Bare(ir.OpStore)
		if l.f.Reg(v.r[0]).Class == ir.Vec {
			in.Op = ir.OpVStore
		}
		in.A, in.IsMem, in.M = v.r[0], true, at(ir.FrameBase, int64(sig.Results[i]))
		l.emit(in)
		if v.n != ir.NoReg {
			l.store(at(ir.FrameBase, int64(sig.Results[i])+8), v.n)
		}
	}
	l.emit(ir.Bare(ir.OpReturn))
	l.room.add(&l.top.pre, &l.top.body)
	l.room.finish(&l.top.pre)
}

func (l *lowering) param(c ir.Class, at int32) ir.Reg {
	r := l.newReg(c, 8)
	v := l.f.Reg(r)
	v.Home, v.Word = ir.HomeParam, int64(at)
	in := ir.Bare(ir.OpHome)
	in.D = r
	l.emit(in)
	return r
}

func (l *lowering) call(s *loop.Call) {
	callee := l.unit.funcs[s.Func]
	sig, base := l.unit.Sigs[callee], ir.CalleeBase
	if sig.Routine {
		base = ir.RoutineBase
		sig.InLoop = sig.InLoop || l.depth() > 0 // routines are lowered after those that call them
	}
	for i, a := range s.Args {
		m := at(base, int64(sig.Params[i]))
		if a.AtomKind().IsBuffer() {
			v := l.vals.Get(a.(*loop.Var))
			l.store(m, v.r[0])
			m.Disp += 8
			l.store(m, v.n)
			continue
		}
		l.storeAtom(m, a)
	}
	in := ir.Bare(ir.OpCall)
	in.Imm = int64(callee)
	l.emit(in)
	for i, r := range s.Results {
		m := at(base, int64(sig.Results[i]))
		switch {
		case r.Kind.IsBuffer():
			p := l.load(m)
			m.Disp += 8
			l.vals.Set(r, l.buffer(p, l.load(m), false))
		case r.Kind == loop.F64:
			l.bind(r, l.loadReal(m))
		default:
			l.bind(r, l.load(m))
		}
	}
}
