package portable

import "github.com/fluxion-lang/fluxion/internal/loop"

// frames holds the free frames of a code: a list for each of its functions. Each run has frames of
// its own, so that calls take and return them without synchronisation.
type frames struct{ free []*frame }

func (c *Code) frames() *frames {
	if fs, ok := c.idle.Get().(*frames); ok {
		return fs
	}
	return &frames{free: make([]*frame, c.funcs)}
}

// frame returns a frame for a call of a function.
func (r *run) frame(f *fn) *frame {
	free := &r.frames.free[f.index]
	fr := *free
	if fr == nil {
		fr = f.newFrame()
	} else {
		*free, fr.next = fr.next, nil
	}
	fr.run = r // until the run ends
	return fr
}

func (f *fn) newFrame() *frame {
	fr := &frame{f: make([]float64, f.nf), i: make([]int64, f.ni),
		b: make([]buffer, f.nb), own: make([]buffer, f.nb),
		vf: make([][]float64, f.nvf), vi: make([][]int64, f.nvi),
		of: make([][]float64, f.nvf), oi: make([][]int64, f.nvi)}
	for i := range fr.of {
		fr.of[i] = make([]float64, strip)
	}
	for i := range fr.oi {
		fr.oi[i] = make([]int64, strip)
	}
	for r, x := range f.constF {
		fr.f[r] = x
	}
	for r, n := range f.constI {
		fr.i[r] = n
	}
	return fr
}

// clear removes the references to buffers from the frames that were used, so that these do not stay
// alive. The frame that was returned last is taken next, so the used frames are first in a list.
func (fs *frames) clear() {
	for _, fr := range fs.free {
		for ; fr != nil && fr.run != nil; fr = fr.next {
			clear(fr.b)
			clear(fr.vf)
			clear(fr.vi)
			fr.run = nil
		}
	}
}

// drop returns a frame to its list.
func (r *run) drop(f *fn, fr *frame) {
	if fr.large {
		for i, b := range fr.own {
			if n := cap(b.f) + cap(b.i); n > keptElements {
				r.arena.saved = max(0, r.arena.saved-8*int64(n))
				fr.own[i] = buffer{}
			}
		}
		fr.large = false
	}
	free := &r.frames.free[f.index]
	fr.next, *free = *free, fr
}

// transfer copies registers of one frame to registers of another. It has a list for each kind of
// register, so that do looks at nothing but the two numbers.
type transfer struct{ f, i, b []regs }

// regs names a register and the register whose value it gets.
type regs struct{ to, from int }

func (t *transfer) add(to, from place) {
	m := regs{to.reg, from.reg}
	switch {
	case to.kind.IsBuffer():
		t.b = append(t.b, m)
	case to.kind == loop.F64:
		t.f = append(t.f, m)
	default:
		t.i = append(t.i, m)
	}
}

func (t *transfer) do(to, from *frame) {
	for _, m := range t.f {
		to.f[m.to] = from.f[m.from]
	}
	for _, m := range t.i {
		to.i[m.to] = from.i[m.from]
	}
	for _, m := range t.b {
		to.b[m.to] = from.b[m.from]
	}
}

// site is a statement that calls a function.
type site struct {
	callee        *fn
	to            []place // where the results go
	args, results transfer
	copied        []place // in the callee's frame: results that are not fresh
	copies        []int   // the registers that get copies of them
}

func (c *compiler) call(s *loop.Call) step {
	args := c.places(s.Args)
	st := &site{callee: c.function(s.Func), to: make([]place, len(s.Results))}
	for i, p := range st.callee.params {
		st.args.add(p, args[i])
	}
	for i, v := range s.Results {
		st.to[i] = c.bind(v)
	}
	*c.sites = append(*c.sites, st)
	return st.call
}

// link finds the results in the callee's frame. Their places are not known before the callee is
// compiled, and the callee may be the caller.
func (s *site) link() {
	for i, p := range s.callee.results {
		if p.kind.IsBuffer() && !p.fresh { // it may lie in storage of the callee's frame
			s.copied, s.copies = append(s.copied, p), append(s.copies, s.to[i].reg)
			continue
		}
		s.results.add(s.to[i], p)
	}
}

func (s *site) call(fr *frame) bool {
	r, f := fr.run, s.callee
	if r.depth--; r.depth < 0 {
		return r.stop(loop.ErrCheck)
	}
	inner := r.frame(f)
	s.args.do(inner, fr)
	if !inner.do(f.steps) || !r.spend(10) {
		return false
	}
	s.results.do(fr, inner)
	for i := range s.copied {
		p := &s.copied[i]
		from := &inner.b[p.reg]
		b, ok := fr.alloc(p.kind, int64(len(from.f)+len(from.i)), false, false)
		if !ok {
			return false
		}
		copy(b.f, from.f)
		copy(b.i, from.i)
		fr.b[s.copies[i]] = b
	}
	r.depth++
	r.drop(f, inner)
	return true
}
