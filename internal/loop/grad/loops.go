package grad

import (
	"maps"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// loop reverses a loop.
func (r *reverser) loop(s *loop.For) {
	if p := r.pushed[s]; p != nil {
		r.pull(s, p)
		return
	}
	t := r.tapes[s]
	index := loop.NewVar(s.Index.Name, loop.I64)
	out := &loop.For{Index: index, Count: r.env.Atom(s.Count), Parallel: s.Parallel}
	ends := r.enterChains(s)
	live := r.live(s)
	carried := r.carried(s, out)
	captured := r.captured(s.Body)
	forwards := t == nil && r.forwards(s)
	if forwards {
		for _, st := range s.States {
			state := newState(st.Var.Name, st.Var.Kind, r.env.Atom(st.Init))
			out.States = append(out.States, state)
			r.env.Set(st.Var, state.Var)
		}
	}
	chainsAt := len(out.States)
	for _, c := range live {
		st := newState(c.now.Name, loop.F64s, c.now)
		out.States, out.Parallel = append(out.States, st), false
		c.now = st.Var
	}
	var totals totals
	var next []loop.Atom
	var values []*loop.Var
	b, cots, tied := r.inner(s.Body.Stmts, captured, !forwards || !r.calls(s), func() {
		turn := loop.Atom(out.Index)
		if t != nil {
			last := r.b.Let("last", loop.SubI, t.count, loop.Int(1))
			turn = r.b.Let(s.Index.Name, loop.SubI, last, turn)
			r.recall(r.b, s, t, r.position(r.b, t, turn), s.Body, func(st loop.State) *loop.Var { return st.Var })
		}
		r.env.Set(s.Index, turn)
		for _, st := range s.States {
			delete(r.cots, st.Var)
		}
		r.block(s.Body.Stmts, func() {
			for _, i := range carried { // all of them first, since a turn may yield the state of another
				if v := s.States[i].Var; v.Kind.IsBuffer() {
					r.bufs[v] = r.zeros(v)
				}
			}
			for k, i := range carried {
				r.give(s.Body.Yield[i], out.States[k].Var)
			}
			for i, red := range s.Reds {
				r.contribution(red, s.Body.Yield[len(s.States)+i], &totals)
			}
		})
		for _, i := range carried {
			v := s.States[i].Var
			if v.Kind.IsBuffer() {
				next = append(next, r.bufs[v])
			} else {
				next = append(next, orZero(r.cots[v]))
			}
		}
		if forwards {
			next = append(next, r.atoms(s.Body.Yield[:len(s.States)])...)
		}
		for _, c := range live {
			next = append(next, c.now)
		}
		if forwards && r.calls(s) {
			for i, red := range s.Reds {
				x := r.env.Atom(s.Body.Yield[len(s.States)+i])
				values = append(values, totals.add(red.Op, r.env.Atom(red.Init), x, func(*loop.Var) {}))
			}
		}
	})
	for i, v := range captured {
		if cots[i] != nil {
			totals.add(loop.AddF, loop.Real(0), cots[i], func(sum *loop.Var) { r.give(v, sum) })
		}
	}
	if !isFalse(tied) {
		totals.add(loop.Or, loop.Truth(false), tied, func(any *loop.Var) { r.tied = either(r.b, r.tied, any) })
	}
	out.Body = b.Block(append(next, totals.yield...)...)
	out.Reds = totals.reds
	r.b.Add(out)
	for k, c := range live {
		c.now = out.States[chainsAt+k].Result
	}
	ends()
	for k, i := range carried {
		r.give(s.States[i].Init, out.States[k].Result)
	}
	for _, then := range totals.then {
		then()
	}
	for _, red := range s.Reds {
		r.initial(red)
	}
	for _, st := range s.States {
		delete(r.views, st.Var)
	}
	r.forget(s)
	if forwards && r.calls(s) {
		var results []*loop.Var
		var again []*loop.Var
		for i, st := range s.States {
			results, again = append(results, st.Result), append(again, out.States[i].Result)
		}
		for i, red := range s.Reds {
			results, again = append(results, red.Result), append(again, values[i])
		}
		r.settle(s, out, results, again)
	}
}

// carried makes states of the cotangents of a loop's states, and says of which.
func (r *reverser) carried(s, out *loop.For) []int {
	var which []int
	for i, st := range s.States {
		if !isReal(st.Var.Kind) || !r.act.active(st.Var) && !r.act.active(st.Result) || r.chains[st.Var] != nil {
			continue
		}
		state := newState(st.Var.Name+"'", st.Var.Kind, nil)
		if st.Var.Kind.IsBuffer() {
			if r.bufs[st.Result] == nil { // only turns read it
				r.bufs[st.Result] = r.zeros(st.Result)
			}
			state.Init = r.bufs[st.Result]
		} else {
			state.Init = orZero(r.cots[st.Result])
		}
		out.States = append(out.States, state)
		which = append(which, i)
	}
	return which
}

// totals collects the totals of a loop, and what is to be done with them after it.
type totals struct {
	reds  []loop.Red
	yield []loop.Atom
	then  []func()
}

func (t *totals) add(op *loop.Op, init, yield loop.Atom, then func(*loop.Var)) *loop.Var {
	v := loop.NewVar("total", op.Result)
	t.reds = append(t.reds, loop.Red{Op: op, Init: init, Result: v})
	t.yield = append(t.yield, yield)
	t.then = append(t.then, func() { then(v) })
	return v
}

// contribution gives a turn's contribution to a total its cotangent: for a sum that of the
// total; for a maximum or minimum too, if it is the contribution. If that is not so
// for one turn alone, there is a tie.
func (r *reverser) contribution(red loop.Red, yield loop.Atom, t *totals) {
	cot := r.cots[red.Result]
	if cot == nil || !r.act.active(red.Result) {
		return
	}
	switch red.Op {
	case loop.AddF:
		r.give(yield, cot)
	case loop.MaxF, loop.MinF:
		extremum := r.env.Atom(red.Result)
		attains := r.attains(r.env.Atom(yield), extremum)
		r.give(yield, r.b.Let("d", loop.SelF, attains, cot, loop.Real(0)))
		one := r.b.Let("one", loop.SelF, attains, loop.Real(1), loop.Real(0))
		t.add(loop.AddF, loop.Real(0), one, func(n *loop.Var) {
			start := r.attains(r.env.Atom(red.Init), extremum)
			first := r.b.Let("one", loop.SelF, start, loop.Real(1), loop.Real(0))
			many := r.b.Let("many", loop.NeF, r.b.Let("n", loop.AddF, n, first), loop.Real(1))
			r.tied = either(r.b, r.tied, r.b.Let("tie", loop.And, many, matters(r.b, cot)))
		})
	default:
		panic(notCovered("a total by " + red.Op.Name))
	}
}

// attains tells whether a double is the extremum of which it is one. They are compared by their
// bits: in another derivative this is not an undecided comparison.
func (r *reverser) attains(x, extremum loop.Atom) loop.Atom {
	return r.b.Let("attains", loop.EqI, r.b.Let("bits", loop.Bits, x), r.b.Let("bits", loop.Bits, extremum))
}

// initial gives what a total starts with its cotangent.
func (r *reverser) initial(red loop.Red) {
	cot := r.cots[red.Result]
	if cot == nil || !r.act.active(red.Init) {
		return
	}
	if red.Op != loop.AddF {
		attains := r.attains(r.env.Atom(red.Init), r.env.Atom(red.Result))
		cot = r.b.Let("d", loop.SelF, attains, cot, loop.Real(0))
	}
	r.give(red.Init, cot)
}

// count runs a While, and again as a For that has as many turns and is taped; or pushes it.
func (r *reverser) count(s *loop.While) {
	turns := loop.NewVar("turns", loop.I64) // an old variable, for the For
	all := slices.Concat(s.Cond.Stmts, s.Body.Stmts)
	body := &loop.Block{Stmts: all, Yield: s.Body.Yield}
	again := &loop.For{Index: loop.NewVar("t", loop.I64), Count: turns, States: s.States, Body: body}
	r.counted[s] = again
	if sources, ok := r.sources(again); ok {
		r.push(again, s, sources)
		return
	}
	n := newState("turns", loop.I64, loop.Int(0))
	out := r.firstly(s, s.States, all).(*loop.While)
	which := r.changing(s.States)
	more, next := r.measures(out.States, out.Body, s.States, which)
	b := loop.Builder{Stmts: out.Body.Stmts}
	out.Body = b.Block(slices.Concat(out.Body.Yield, next, []loop.Atom{b.Let("n", loop.AddI, n.Var, loop.Int(1))})...)
	out.States = slices.Concat(out.States, more, []loop.State{n})
	r.b.Add(out)
	r.env.Set(turns, n.Result)
	r.tapedIn(again, which, rooms(more))
}

// while reverses a While. Its condition is evaluated once more than its body, and the last time is
// not on the tape.
func (r *reverser) while(s *loop.While) {
	again := r.counted[s]
	for _, st := range s.States {
		r.env.Set(st.Var, r.env.Atom(st.Result))
	}
	saved, slopes, factors, tapes := maps.Clone(r.saved), maps.Clone(r.slopes), maps.Clone(r.factors), maps.Clone(r.tapes)
	r.forget(again)
	r.block(s.Cond.Stmts, func() {})
	r.saved, r.slopes, r.factors, r.tapes = saved, slopes, factors, tapes
	r.loop(again)
}
