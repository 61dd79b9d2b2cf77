package grad

import (
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Reverse]
//
// The derivative of a block is the block's own statements, and then the reversal of each,
// from the last to the first. A scalar's cotangent is the sum of what its uses
// contribute; a buffer's is a buffer, to which the reversal of a read adds and
// which the reversal of a write reads. A buffer is written before it is
// read, so its cotangent is too: Note [Buffers] of package loop holds for it.
//
// The reversal of a compound statement runs its blocks again, without their
// effects on what is outside of them, and reverses them there:
//
//	for i < n parallel, add.f from 0.0 {      for i < n parallel, add.f from 0.0 {
//	  x = xs[i]                                  x = xs[i]
//	  y = mul.f x a                       →      y = mul.f x a
//	  yield y                                    xs'[i] += mul.f sum' a
//	} gives sum                                  yield (mul.f sum' x)
//	                                          } gives a'
//
// The cotangent of a total is the same for all turns. That of a scalar from outside leaves as a
// total, that of a buffer from outside is added to. So the reversal of a parallel loop is
// parallel. Loops with states: Note [Tapes].
//
// Running blocks again at each level costs a factor of the depth; package pass
// finds what was computed before.

// reverse makes the reverse derivative of a function. If it is one for calls, the cotangents of
// buffers are added to buffers that it is given.
func (d *derivatives) reverse(f *loop.Func, of calling, forCalls bool) *loop.Func {
	wanted, results := of.wanted, of.results
	f, act, chains := chainsOf(summed(d.ordered(segmented(f), of, loop.MulF)), func(f *loop.Func) *activity { return d.analyse(f, of) })
	withoutCaptured(f, act)
	r := &reverser{d: d, act: act,
		b: &loop.Builder{}, env: loop.NewCopier(), views: map[*loop.Var]view{},
		cots: map[*loop.Var]loop.Atom{}, bufs: map[*loop.Var]*loop.Var{}, borrows: map[*loop.Var]bool{},
		tied:  loop.Truth(false),
		tapes: map[*loop.For]*tape{}, saved: map[*loop.Var]save{}, slopes: map[slope]save{}, factors: map[slope]factor{}, pushed: map[*loop.For]*pushed{}, counted: map[*loop.While]*loop.For{},
		chains: chains, reads: reads(f.Body), handed: map[*loop.Var]bool{},
		firsts: map[loop.Stmt]loop.Stmt{}, totals: totalUses(f.Body), recordedCalls: map[*loop.Call]callTape{}, fun: f}
	r.handOn(f.Body)
	out := &loop.Func{Name: f.Name + ".rev"}
	own := len(f.Params) - f.Adds
	for _, p := range f.Params[:own] {
		out.Params = append(out.Params, r.env.Bind(p))
	}
	for _, p := range f.Params[own:] { // Note [Functions that write]
		n := lengthParam(p)
		out.Params, r.views[p], r.local = append(out.Params, n), view{len: n}, allocated(f.Body.Stmts)
	}
	seeds := make([]*loop.Var, len(f.Body.Yield))
	for i, y := range f.Body.Yield {
		if results[i] {
			seeds[i] = loop.NewVar("cot", y.AtomKind())
			out.Params = append(out.Params, seeds[i])
		}
	}
	given, written := map[*loop.Var]*loop.Var{}, map[*loop.Var]*loop.Var{}
	for i, p := range f.Params[own:] {
		if wanted[own+i] {
			written[p] = loop.NewVar("cot", loop.F64s)
			out.Params = append(out.Params, written[p])
		}
	}
	for i, p := range f.Params[:own] {
		if forCalls && wanted[i] && p.Kind.IsBuffer() {
			given[p] = loop.NewVar(p.Name+"'", loop.F64s)
			out.Params = append(out.Params, given[p])
			out.Adds++
		}
	}
	r.block(f.Body.Stmts, func() {
		for i, p := range f.Params {
			if to := given[p]; to != nil {
				r.bufs[p] = to
			} else if from := written[p]; from != nil {
				r.bufs[p] = from
			} else if wanted[i] && p.Kind.IsBuffer() {
				r.bufs[p] = r.zeros(p)
			}
		}
		for i, y := range f.Body.Yield {
			if results[i] {
				r.give(y, seeds[i])
			}
		}
	})
	yield := r.atoms(f.Body.Yield)
	for i, p := range f.Params[:own] {
		switch {
		case !wanted[i] || given[p] != nil:
		case p.Kind.IsBuffer():
			yield = append(yield, r.bufs[p])
		default:
			yield = append(yield, orZero(r.cots[p]))
		}
	}
	out.Body = r.b.Block(append(yield, r.tied)...)
	return out
}

// block runs statements and reverses them. seed gives the cotangents of what the block hands on.
func (r *reverser) block(stmts []loop.Stmt, seed func()) {
	for _, s := range stmts {
		if r.again(s); r.calls(s) {
			r.firsts[s] = r.firstRun(s)
		}
	}
	for _, s := range stmts {
		loop.Defs(s, func(v *loop.Var) { r.open(v) })
	}
	seed()
	for i := len(stmts) - 1; i >= 0; i-- {
		r.d.program.Watch.Poll()
		r.reversal(stmts[i])
	}
}

// firstRun is the last statement that was emitted, if it binds what an old one does; else nil.
func (r *reverser) firstRun(s loop.Stmt) loop.Stmt {
	if len(r.b.Stmts) == 0 {
		return nil
	}
	last := r.b.Stmts[len(r.b.Stmts)-1]
	mine := map[loop.Atom]bool{}
	loop.Defs(last, func(v *loop.Var) { mine[v] = true })
	all := true
	loop.Defs(s, func(v *loop.Var) { all = all && mine[r.env.Atom(v)] })
	if !all {
		return nil
	}
	return last
}

// inner emits into a block of its own, where scalars from outside have no cotangents yet, and
// checks are left out if quiet. It gives their cotangents and tied in that block.
func (r *reverser) inner(body []loop.Stmt, captured []*loop.Var, quiet bool, emit func()) (
	b *loop.Builder, cots []loop.Atom, tied loop.Atom) {
	outer := *r
	saved := make([]loop.Atom, len(captured))
	for i, v := range captured {
		saved[i] = r.cots[v]
		delete(r.cots, v)
	}
	r.b, r.tied, r.local, r.quiet = &loop.Builder{}, loop.Truth(false), allocated(body), quiet
	emit()
	b, tied = r.b, r.tied
	r.b, r.tied, r.local, r.quiet = outer.b, outer.tied, outer.local, outer.quiet
	cots = make([]loop.Atom, len(captured))
	for i, v := range captured {
		cots[i] = r.cots[v]
		r.cots[v] = saved[i]
	}
	return b, cots, tied
}

// captured gives the active scalars from outside that blocks use.
func (r *reverser) captured(blocks ...*loop.Block) []*loop.Var {
	var out []*loop.Var
	seen := map[*loop.Var]bool{}
	for _, b := range blocks {
		for _, v := range loop.Free(b) {
			if v.Kind == loop.F64 && r.act.active(v) && !seen[v] {
				seen[v] = true
				out = append(out, v)
			}
		}
	}
	return out
}

// reversal emits the reversal of a statement.
func (r *reverser) reversal(s loop.Stmt) {
	if !r.act.touches(s) {
		return
	}
	switch s := s.(type) {
	case *loop.Let:
		r.let(s)
	case *loop.Load:
		if cot := r.cots[s.Var]; cot == nil {
			break
		} else if c := r.gone(s.Buf); c != nil {
			r.readChain(c, r.env.Atom(s.At), cot)
		} else {
			r.b.Accum(r.bufs[s.Buf], r.env.Atom(s.At), cot)
		}
	case *loop.Store:
		r.write(s.Buf, s.At, s.Value)
	case *loop.Accum:
		r.write(s.Buf, s.At, s.Value)
	case *loop.Copy:
		r.give(s.Buf, r.bufs[s.Var])
	case *loop.For:
		r.loop(s)
	case *loop.While:
		r.while(s)
	case *loop.If:
		r.branch(s)
	case *loop.Call:
		r.call(s)
	case *loop.Update:
		r.update(s)
	}
}

func (r *reverser) let(s *loop.Let) {
	rule := r.d.rule(s.Op)
	args := append(r.atoms(s.Args), r.env.Atom(s.Var))
	if r.act.mayTie(s) {
		r.tied = either(r.b, r.tied, r.act.tieOf(r.b, s, args, r.env.Atom))
		return
	}
	cot := r.cots[s.Var]
	if cot == nil {
		return
	}
	for i, a := range s.Args {
		if f, ok := r.factors[slope{s, i}]; ok {
			r.give(f.of.Args[f.arg], r.b.Let("d", loop.MulF, cot, r.b.Load("factor", f.buf, r.index(r.b, f.nest, f.lens))))
		} else if at, ok := r.slopes[slope{s, i}]; ok {
			r.give(a, r.b.Let("d", loop.MulF, cot, r.b.Load("slope", at.buf, r.index(r.b, at.nest, at.lens))))
		} else if rule.Partials[i] != nil && r.act.active(a) {
			r.give(a, scaled(r.b, cot, rule.Partials[i], args))
		}
	}
	if rule.Kink != nil {
		tie := r.b.Let("tie", loop.And, atKink(r.b, rule, args), matters(r.b, cot))
		r.tied = either(r.b, r.tied, tie)
	}
}

func (r *reverser) write(buf *loop.Var, at, value loop.Atom) {
	if r.bufs[buf] != nil {
		r.give(value, r.b.Load("d", r.bufs[buf], r.env.Atom(at)))
	}
}

// branch reverses an If: one of its blocks is run again and reversed.
func (r *reverser) branch(s *loop.If) {
	captured := r.captured(s.Then, s.Else)
	live := r.live(s)
	var before []*loop.Var
	for _, c := range live {
		before = append(before, c.now)
	}
	var after [2][]*loop.Var
	var blocks [2]*loop.Builder
	var cots [2][]loop.Atom
	var tied [2]loop.Atom
	var values [2][]loop.Atom
	for i, block := range []*loop.Block{s.Then, s.Else} {
		blocks[i], cots[i], tied[i] = r.inner(block.Stmts, captured, !r.calls(s), func() {
			r.block(block.Stmts, func() { r.hand(block.Yield, s.Results) })
		})
		values[i] = r.atoms(block.Yield)
		for k, c := range live {
			after[i] = append(after[i], c.now)
			c.now = before[k]
		}
	}
	out := &loop.If{Cond: r.env.Atom(s.Cond)}
	var yield [2][]loop.Atom
	result := func(k loop.Kind, then, otherwise loop.Atom) *loop.Var {
		v := loop.NewVar("d", k)
		out.Results = append(out.Results, v)
		yield[0], yield[1] = append(yield[0], then), append(yield[1], otherwise)
		return v
	}
	r.b.Add(out)
	for i, v := range captured {
		if cots[0][i] != nil || cots[1][i] != nil {
			r.give(v, result(loop.F64, orZero(cots[0][i]), orZero(cots[1][i])))
		}
	}
	if !isFalse(tied[0]) || !isFalse(tied[1]) {
		r.tied = either(r.b, r.tied, result(loop.Bool, tied[0], tied[1]))
	}
	for k, c := range live {
		c.now = result(loop.F64s, after[0][k], after[1][k])
	}
	var again []*loop.Var
	if r.calls(s) {
		for i, v := range s.Results {
			again = append(again, result(v.Kind, values[0][i], values[1][i]))
		}
	}
	out.Then, out.Else = blocks[0].Block(yield[0]...), blocks[1].Block(yield[1]...)
	r.settle(s, out, s.Results, again)
}

// hand gives what a block yields the cotangents of what it becomes.
func (r *reverser) hand(yield []loop.Atom, results []*loop.Var) {
	for i, v := range results {
		switch {
		case !r.act.active(v):
		case v.Kind == loop.F64:
			r.give(yield[i], r.cots[v])
		default:
			r.give(yield[i], r.bufs[v])
		}
	}
}
