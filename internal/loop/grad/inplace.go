package grad

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [In place]
//
// A loop may have a state that is a buffer and that its turns update in place. The versions of
// the buffer in a turn, from the state's variable to what the turn yields, are a *chain*: one
// piece of memory, which would be too large for the tape. So the first run puts on the tape what
// it reads from the chain (Note [Saves]), and the chain is not there when turns run again.
//
// The cotangent of a chain is updated in place too. It is a state of the reversed loop, and of
// the loops in it that read or update the chain, which are sequences then; branches hand it on.
// The reversal of a read at an index adds to its element; that of an update takes the element,
// and leaves 0.
//
// Some loops do more with a chain than that. If they hand it to a loop whose count is not known,
// both become one loop: Note [Flattening]. If they choose between it and another buffer, say, the
// chain is broken: its turns copy the buffer before they update it, and it is a state like others.
// A chain begins with a buffer of its own, since a reversal may read again what was read before the
// loop.

// chainsOf gives the chains of a function that is changed until those of loops which are reversed
// can be. It is analysed by a function.
func chainsOf(f *loop.Func, analyse func(*loop.Func) *activity) (*loop.Func, *activity, chains) {
	const most = 50
	for range most {
		f = replaced(f)
		found := chains{}
		found.find(f.Body)
		broken := map[*loop.Var]bool{}
		act := analyse(f)
		if len(found) == 0 {
			return f, act, found
		}
		for _, c := range found {
			if c.trouble && act.touches(c.loop) {
				broken[c.state] = true
			}
		}
		if len(broken) == 0 {
			made := map[*loop.Var]bool{}
			uses := map[loop.Atom]int{}
			loop.AllUses(f.Body, func(a loop.Atom) { uses[a]++ })
			loop.Walk(f.Body, func(s loop.Stmt) {
				if c, ok := s.(*loop.Copy); ok {
					made[c.Var] = uses[c.Var] == 1
				}
			})
			body := withOwn(f.Body, func(st loop.State) bool {
				init, ok := st.Init.(*loop.Var)
				return ok && found[st.Var] != nil && found[st.Var].state == st.Var && !made[init]
			}, func(loop.Stmt) bool { return false })
			f = &loop.Func{Name: f.Name, Params: f.Params, Body: body, Adds: f.Adds}
			return f, analyse(f), found
		}
		if body := flat(f.Body, found, broken); body != f.Body {
			f = &loop.Func{Name: f.Name, Params: f.Params, Body: body, Adds: f.Adds}
			continue
		}
		is := func(a loop.Atom) bool { v, ok := a.(*loop.Var); return ok && broken[v] }
		body := withOwn(f.Body, func(st loop.State) bool { return is(st.Init) },
			func(s loop.Stmt) bool { u, ok := s.(*loop.Update); return ok && broken[u.Buf] })
		f = &loop.Func{Name: f.Name, Params: f.Params, Body: body, Adds: f.Adds}
	}
	panic(notCovered("buffers that are updated in too many ways"))
}

// flat is a block with the loops flattened that begin some chains with trouble, where that helps.
func flat(b *loop.Block, found chains, broken map[*loop.Var]bool) *loop.Block {
	begins := map[loop.Stmt]bool{}
	for v := range broken {
		begins[found[v].loop] = true
	}
	var visit func(b *loop.Block) *loop.Block
	visit = func(b *loop.Block) *loop.Block {
		out := loop.Rebuild(b)
		for _, s := range b.Stmts {
			if begins[s] {
				if one := flattened(s); one != nil {
					out.Add(one)
					continue
				}
			}
			out.Add(loop.MapBlocks(s, visit))
		}
		return out.Rebuilt(b, b.Yield)
	}
	return visit(b)
}

// withOwn is a block that copies buffers with which some states start, and to which some updates
// are applied.
func withOwn(b *loop.Block, starts func(loop.State) bool, updates func(loop.Stmt) bool) *loop.Block {
	out := loop.Rebuild(b)
	own := func(a loop.Atom) *loop.Var {
		v := a.(*loop.Var)
		c := &loop.Copy{Var: loop.NewVar("own", v.Kind), Buf: v}
		out.Add(c)
		return c.Var
	}
	states := func(states []loop.State) []loop.State {
		states = slices.Clone(states)
		for i, st := range states {
			if starts(st) {
				states[i].Init = own(st.Init)
			}
		}
		return states
	}
	for _, s := range b.Stmts {
		s = loop.MapBlocks(s, func(b *loop.Block) *loop.Block { return withOwn(b, starts, updates) })
		switch x := s.(type) {
		case *loop.Update:
			if updates(s) {
				c := *x
				c.Buf = own(x.Buf)
				s = &c
			}
		default:
			s = loop.WithStates(s, states)
		}
		out.Add(s)
	}
	return out.Rebuilt(b, b.Yield)
}

// find finds the chains of a block.
func (r chains) find(b *loop.Block) {
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *loop.For:
			r.begin(s, s.States, s.Body)
		case *loop.While:
			r.begin(s, s.States, s.Body)
		}
		loop.Blocks(s, r.find)
	}
}

func (r chains) begin(s loop.Stmt, states []loop.State, body *loop.Block) {
	updated := loop.Updated(body)
	for i, st := range states {
		if !updated[st.Var] || r[st.Var] != nil {
			continue
		}
		c := &chain{state: st.Var, result: st.Result, loop: s}
		r[st.Var] = c
		r.extend(c, body, updated)
		for k := range states {
			y, ok := body.Yield[k].(*loop.Var)
			c.trouble = c.trouble || (ok && r[y] == c) != (k == i)
		}
	}
}

// extend finds the versions of a buffer in a block.
func (r chains) extend(c *chain, b *loop.Block, updated map[*loop.Var]bool) {
	is := func(a loop.Atom) bool { v, ok := a.(*loop.Var); return ok && r[v] == c }
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *loop.Load, *loop.Length:
		case *loop.Update:
			if is(s.Buf) {
				r[s.Var] = c
			}
		case *loop.For:
			for _, st := range s.States {
				if is(st.Init) && updated[st.Var] {
					r[st.Var], r[st.Result] = c, c
				} else if is(st.Init) {
					c.trouble = true
				}
			}
			r.extend(c, s.Body, updated)
			c.trouble = c.trouble || !c.bounded(s.Count) && mentions(s.Body, is)
			for i, st := range s.States {
				c.trouble = c.trouble || is(s.Body.Yield[i]) != is(st.Var)
			}
		case *loop.If:
			r.extend(c, s.Then, updated)
			r.extend(c, s.Else, updated)
			for i, v := range s.Results {
				then, otherwise := is(s.Then.Yield[i]), is(s.Else.Yield[i])
				if then && otherwise {
					r[v] = c
				} else if then || otherwise {
					c.trouble = true
				}
			}
		default:
			use := func(a loop.Atom) {
				if is(a) {
					c.trouble = true
				}
			}
			loop.Uses(s, use)
			loop.Blocks(s, func(b *loop.Block) { loop.AllUses(b, use) })
		}
	}
}

// bounded tells whether the count of a loop in the chain's has a bound that is known in front of
// that.
func (c *chain) bounded(count loop.Atom) bool {
	if _, ok := count.(*loop.Const); ok {
		return true
	}
	if c.bounds == nil {
		c.bounds = boundsOf(c.loop, &loop.Builder{}, func(a loop.Atom) loop.Atom { return a })
	}
	return c.bounds.most(count) != nil
}

// mentions tells whether a block uses an atom of which something holds.
func mentions(b *loop.Block, is func(loop.Atom) bool) bool {
	found := false
	loop.AllUses(b, func(a loop.Atom) { found = found || is(a) })
	return found
}

// live gives the chains being reversed that a statement reads or updates, each once.
func (r *reverser) live(s loop.Stmt) []*chain {
	var out []*chain
	seen := map[*chain]bool{}
	add := func(v *loop.Var) {
		if c := r.gone(v); c != nil && c.now != nil && !seen[c] {
			seen[c] = true
			out = append(out, c)
		}
	}
	loop.Blocks(s, func(b *loop.Block) {
		loop.Walk(b, func(s loop.Stmt) {
			switch s := s.(type) {
			case *loop.Load:
				add(s.Buf)
			case *loop.Update:
				add(s.Buf)
			}
		})
	})
	return out
}

// without is a compound statement without the versions of chains that are not there.
func (r *reverser) without(s loop.Stmt) loop.Stmt {
	switch s := s.(type) {
	case *loop.For:
		c := *s
		c.States = nil
		c.Body = &loop.Block{Stmts: s.Body.Stmts}
		for i, y := range s.Body.Yield {
			if i < len(s.States) {
				if r.gone(s.States[i].Var) != nil {
					continue
				}
				c.States = append(c.States, s.States[i])
			}
			c.Body.Yield = append(c.Body.Yield, y)
		}
		return &c
	case *loop.If:
		c := &loop.If{Cond: s.Cond}
		c.Then, c.Else = &loop.Block{Stmts: s.Then.Stmts}, &loop.Block{Stmts: s.Else.Stmts}
		for i, v := range s.Results {
			if r.gone(v) == nil {
				c.Results = append(c.Results, v)
				c.Then.Yield = append(c.Then.Yield, s.Then.Yield[i])
				c.Else.Yield = append(c.Else.Yield, s.Else.Yield[i])
			}
		}
		return c
	}
	return s
}

// readChain reverses a read of a chain.
func (r *reverser) readChain(c *chain, at, cot loop.Atom) {
	sum := r.b.Let("d", loop.AddF, r.b.Load("d", c.now, at), cot)
	r.setChain(c, at, sum)
}

func (r *reverser) setChain(c *chain, at, x loop.Atom) {
	next := loop.NewVar(c.now.Name, loop.F64s)
	r.b.Add(&loop.Update{Var: next, Buf: c.now, At: at, Value: x})
	c.now = next
}

// update reverses an update of a chain.
func (r *reverser) update(s *loop.Update) {
	c := r.gone(s.Var)
	if c == nil {
		panic(notCovered("an update of a buffer outside of a loop"))
	}
	if c.now == nil {
		return
	}
	at := r.env.Atom(s.At)
	r.give(s.Value, r.b.Load("d", c.now, at))
	r.setChain(c, at, loop.Real(0))
}

// enterChains begins the reversal of the chains that begin with a loop. What it gives ends it.
func (r *reverser) enterChains(s *loop.For) (end func()) {
	var mine []*chain
	var inits []loop.Atom
	for _, st := range s.States {
		c := r.chains[st.Var]
		if c == nil || c.state != st.Var {
			continue
		}
		c.gone = true
		mine, inits = append(mine, c), append(inits, st.Init)
		if r.act.active(c.state) || r.act.active(c.result) {
			if r.bufs[st.Result] == nil {
				r.bufs[st.Result] = r.zeros(st.Result)
			}
			c.now = loop.NewVar(st.Var.Name+"'", loop.F64s)
			r.b.Add(&loop.Copy{Var: c.now, Buf: r.bufs[st.Result]})
		}
	}
	return func() {
		for i, c := range mine {
			cot := c.now
			c.gone, c.now = false, nil
			if cot != nil {
				r.give(inits[i], cot)
			}
		}
	}
}
