package pass

import (
	"sync"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Dead code]
//
// What is live is found by walking backwards: what a statement is for comes after it, so that when
// the walk reaches it, all that may need it has been seen. A body of a loop with states is walked
// through again if it needs a state that the walk did not know to be needed, since the end of the
// body makes the states. A buffer is read after it is written; should a read be met after a write
// to the same buffer was taken to be dead, the whole is walked through again.
//
// A loop with a condition may never end, which is then what the program does. It stays, with the
// states that its condition needs, unless it is known to end.

// DeadCode removes what no result and no check depends on: operations, loops, single states and
// totals of loops, single results of branches, and buffers that nobody reads
// with all that is written to them: Note [Dead code].
func DeadCode(f *loop.Func) {
	d := sweeps.Get().(*sweep)
	for d.again = true; d.again; {
		d.again, d.dead = false, false
		d.unwritten.Clear()
		for _, v := range f.Params[len(f.Params)-f.Adds:] {
			d.need(v)
		}
		d.yield(f.Body)
		d.block(f.Body)
	}
	if d.dead {
		f.Body = d.prune(f.Body)
	}
	d.live.Clear()
	d.unwritten.Clear()
	sweeps.Put(d)
}

var sweeps = sync.Pool{New: func() any {
	d := &sweep{}
	d.use = d.atom
	return d
}}

// sweep finds the variables that are needed, from the end of a function to its start.
type sweep struct {
	live      loop.VarSet // variables that are needed
	unwritten loop.VarSet // buffers of which a write was taken to be dead
	dead      bool        // whether something need not stay
	again     bool        // whether such a buffer turned out to be needed
	use       func(loop.Atom)
}

func (d *sweep) atom(a loop.Atom) {
	if v, ok := a.(*loop.Var); ok {
		d.need(v)
	}
}

func (d *sweep) need(v *loop.Var) {
	if v.Kind.IsBuffer() && !d.live.Has(v) && d.unwritten.Has(v) {
		d.again = true
	}
	d.live.Add(v)
}

// yield marks all that a block yields.
func (d *sweep) yield(b *loop.Block) {
	for _, a := range b.Yield {
		d.atom(a)
	}
}

// block marks what the statements of a block that stay need, and tells whether one stays.
func (d *sweep) block(b *loop.Block) bool {
	some := false
	for i := len(b.Stmts) - 1; i >= 0; i-- {
		if d.stmt(b.Stmts[i]) {
			some = true
		} else {
			d.dead = true
		}
	}
	return some
}

// stmt tells whether a statement stays, and marks what it needs if so.
func (d *sweep) stmt(s loop.Stmt) bool {
	switch s := s.(type) {
	case *loop.Let:
		if !d.live.Has(s.Var) {
			return false
		}
		for _, a := range s.Args {
			d.atom(a)
		}
		return true
	case *loop.Load:
		if !d.live.Has(s.Var) {
			return false
		}
		d.need(s.Buf)
		d.atom(s.At)
		return true
	case *loop.Store:
		return d.write(s.Buf, s.At, s.Value)
	case *loop.Accum:
		return d.write(s.Buf, s.At, s.Value)
	case *loop.For:
		return d.loop(s)
	case *loop.While:
		return d.while(s)
	case *loop.If:
		some := d.results(s.Results, s.Then, s.Else)
		if d.block(s.Else) {
			some = true
		}
		if d.block(s.Then) {
			some = true
		}
		if some {
			d.atom(s.Cond)
		}
		return some
	case *loop.Check, *loop.Call: // they stay for what they do by themselves
		loop.Uses(s, d.use)
		return true
	}
	stays := false
	loop.Defs(s, func(v *loop.Var) { stays = stays || d.live.Has(v) })
	if stays {
		loop.Uses(s, d.use)
	}
	return stays
}

func (d *sweep) write(buf *loop.Var, at, value loop.Atom) bool {
	if !d.live.Has(buf) {
		d.unwritten.Add(buf)
		return false
	}
	d.atom(at)
	d.atom(value)
	return true
}

// results marks what the blocks of a branch yield for the results that are needed, and tells
// whether there are any.
func (d *sweep) results(results []*loop.Var, then, otherwise *loop.Block) bool {
	some := false
	for i, v := range results {
		if !d.live.Has(v) {
			d.dead = true
			continue
		}
		some = true
		d.atom(then.Yield[i])
		d.atom(otherwise.Yield[i])
	}
	return some
}

// states marks the states that are needed, after a loop or in it, and what makes them, and gives
// their number.
func (d *sweep) states(states []loop.State, body *loop.Block) int {
	needed := 0
	for i := range states {
		if st := &states[i]; d.live.Has(st.Result) || d.live.Has(st.Var) {
			needed++
			d.need(st.Var)
			d.atom(st.Init)
			d.atom(body.Yield[i])
		}
	}
	return needed
}

func (d *sweep) loop(s *loop.For) bool {
	totals := 0
	for i := range s.Reds {
		if d.live.Has(s.Reds[i].Result) {
			totals++
			d.atom(s.Reds[i].Init)
			d.atom(s.Body.Yield[len(s.States)+i])
		}
	}
	needed := d.states(s.States, s.Body)
	some := d.block(s.Body)
	for {
		now := d.states(s.States, s.Body)
		if now == needed {
			break
		}
		needed = now
		some = d.block(s.Body)
	}
	if needed < len(s.States) || totals < len(s.Reds) {
		d.dead = true
	}
	if some = some || needed+totals > 0; some {
		d.atom(s.Count)
	}
	return some
}

func (d *sweep) while(s *loop.While) bool {
	needed := d.states(s.States, s.Body)
	for {
		body := d.block(s.Body)
		some := d.block(s.Cond) || body || needed > 0 || !ends(s)
		if some {
			d.atom(s.Cond.Yield[0])
			d.block(s.Cond)
		}
		now := d.states(s.States, s.Body)
		if now > needed {
			needed = now
			continue
		}
		if needed < len(s.States) {
			d.dead = true
		}
		return some
	}
}

// ends tells whether a loop with a condition plainly ends: its condition bounds a state, by a number
// that does not change in the loop, which each turn moves by one towards the bound.
func ends(s *loop.While) bool {
	made := map[*loop.Var]loop.Stmt{}
	for _, b := range []*loop.Block{s.Cond, s.Body} {
		loop.Walk(b, func(s loop.Stmt) {
			loop.Defs(s, func(v *loop.Var) { made[v] = s })
		})
	}
	let := func(a loop.Atom, op *loop.Op) []loop.Atom {
		v, _ := a.(*loop.Var)
		if s, ok := made[v].(*loop.Let); ok && s.Op == op {
			return s.Args
		}
		return nil
	}
	is := func(a loop.Atom, n int64) bool {
		k, ok := a.(*loop.Const)
		return ok && k.Kind == loop.I64 && k.I == n
	}
	// moves tells whether bound is the same in all turns, and v a state that each moves by step.
	moves := func(v, bound loop.Atom, step int64) bool {
		b, isVar := bound.(*loop.Var)
		steps := false
		for i, st := range s.States {
			if isVar && st.Var == b {
				return false
			}
			if st.Var == v {
				y := s.Body.Yield[i]
				sum, difference := let(y, loop.AddI), let(y, loop.SubI)
				steps = sum != nil && (sum[0] == v && is(sum[1], step) || sum[1] == v && is(sum[0], step)) ||
					difference != nil && difference[0] == v && is(difference[1], -step)
			}
		}
		return steps && (!isVar || made[b] == nil)
	}
	var bounded func(a loop.Atom) bool // whether a is false sooner or later
	bounded = func(a loop.Atom) bool {
		if args := let(a, loop.LtI); args != nil {
			return moves(args[0], args[1], 1) || moves(args[1], args[0], -1)
		}
		if args := let(a, loop.And); args != nil {
			return bounded(args[0]) || bounded(args[1])
		}
		if args := let(a, loop.SelB); args != nil { // if c then a else b
			no, ok := args[2].(*loop.Const)
			return ok && no.I == 0 && (bounded(args[0]) || bounded(args[1]))
		}
		return false
	}
	return bounded(s.Cond.Yield[0])
}

// prune is a block without what is not live.
func (d *sweep) prune(b *loop.Block) *loop.Block {
	out := loop.Rebuild(b)
	for _, s := range b.Stmts {
		if t := d.pruned(s); t != nil {
			out.Add(t)
		}
	}
	return out.Rebuilt(b, b.Yield)
}

// pruned is a statement without what is not live; nil if nothing is.
func (d *sweep) pruned(s loop.Stmt) loop.Stmt {
	stays := false
	switch s := s.(type) {
	case *loop.Let:
		stays = d.live.Has(s.Var)
	case *loop.Load:
		stays = d.live.Has(s.Var)
	case *loop.Store:
		stays = d.live.Has(s.Buf)
	case *loop.Accum:
		stays = d.live.Has(s.Buf)
	case *loop.Check, *loop.Call:
		stays = true
	case *loop.For:
		dropped := d.unneeded(nil, s.States, s.Reds)
		body := d.prune(s.Body)
		body = yielding(body, without(body.Yield, dropped))
		if len(body.Stmts)+len(body.Yield) == 0 {
			return nil
		}
		if body == s.Body {
			return s // then none is dropped
		}
		c := *s
		c.Body = body
		if dropped != nil {
			c.States, c.Reds = without(s.States, dropped[:len(s.States)]), without(s.Reds, dropped[len(s.States):])
		}
		return &c
	case *loop.While:
		dropped := d.unneeded(nil, s.States, nil)
		cond, body := d.prune(s.Cond), d.prune(s.Body)
		states := without(s.States, dropped)
		body = yielding(body, without(body.Yield, dropped))
		if len(cond.Stmts)+len(body.Stmts)+len(states) == 0 && ends(s) {
			return nil
		}
		if cond == s.Cond && body == s.Body && len(states) == len(s.States) {
			return s
		}
		return &loop.While{States: states, Cond: cond, Body: body}
	case *loop.If:
		dropped := d.unneeded(s.Results, nil, nil)
		then, otherwise := d.prune(s.Then), d.prune(s.Else)
		results := without(s.Results, dropped)
		then = yielding(then, without(then.Yield, dropped))
		otherwise = yielding(otherwise, without(otherwise.Yield, dropped))
		if len(then.Stmts)+len(otherwise.Stmts)+len(results) == 0 {
			return nil
		}
		if then == s.Then && otherwise == s.Else && len(results) == len(s.Results) {
			return s
		}
		return &loop.If{Results: results, Cond: s.Cond, Then: then, Else: otherwise}
	default:
		loop.Defs(s, func(v *loop.Var) { stays = stays || d.live.Has(v) })
	}
	if !stays {
		return nil
	}
	return s
}

// unneeded says which results, states and totals are not live: nil if all are.
func (d *sweep) unneeded(results []*loop.Var, states []loop.State, reds []loop.Red) []bool {
	var dropped []bool
	n := 0
	each := func(v *loop.Var) {
		if !d.live.Has(v) {
			if dropped == nil {
				dropped = make([]bool, len(results)+len(states)+len(reds))
			}
			dropped[n] = true
		}
		n++
	}
	for _, v := range results {
		each(v)
	}
	for i := range states {
		each(states[i].Var)
	}
	for i := range reds {
		each(reds[i].Result)
	}
	return dropped
}
