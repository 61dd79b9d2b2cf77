package grad

import "github.com/fluxion-lang/fluxion/internal/loop"

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

// chain is a buffer that a loop updates in place.
type chain struct {
	state   *loop.Var // the old state of the loop where the chain begins
	trouble string    // why it cannot be reversed, if it cannot
	active  bool
	now     *loop.Var // the new cotangent, while the loop is reversed; else nil
	gone    bool      // whether the chain is not there, in a reversal
	len     loop.Atom // the new length
}

// findChains finds the chains of a block.
func (r *reverser) findChains(b *loop.Block, updated map[*loop.Var]bool) {
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *loop.For:
			r.beginChains(s.States, s.Body, updated)
		case *loop.While:
			r.beginChains(s.States, s.Body, updated)
		}
		loop.Blocks(s, func(b *loop.Block) { r.findChains(b, updated) })
	}
}

func (r *reverser) beginChains(states []loop.State, body *loop.Block, updated map[*loop.Var]bool) {
	for i, st := range states {
		if !updated[st.Var] || r.chains[st.Var] != nil {
			continue
		}
		c := &chain{state: st.Var, active: r.act.active(st.Var) || r.act.active(st.Result)}
		r.chains[st.Var] = c
		r.extend(c, body, updated)
		if y, ok := body.Yield[i].(*loop.Var); !ok || r.chains[y] != c {
			c.trouble = "a state that is updated, and replaced by another buffer"
		}
	}
}

// extend finds the versions of a buffer in a block.
func (r *reverser) extend(c *chain, b *loop.Block, updated map[*loop.Var]bool) {
	is := func(a loop.Atom) bool { v, ok := a.(*loop.Var); return ok && r.chains[v] == c }
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *loop.Load, *loop.Length:
		case *loop.Update:
			if is(s.Buf) {
				r.chains[s.Var] = c
			}
		case *loop.For:
			for _, st := range s.States {
				if is(st.Init) && updated[st.Var] {
					r.chains[st.Var], r.chains[st.Result] = c, c
				} else if is(st.Init) {
					c.trouble = "a buffer that is updated, and kept as it was"
				}
			}
			r.extend(c, s.Body, updated)
			for i, y := range s.Body.Yield {
				if is(y) && r.chains[s.States[i].Var] != c {
					c.trouble = "a buffer that is updated, and kept as it was"
				}
			}
		case *loop.If:
			r.extend(c, s.Then, updated)
			r.extend(c, s.Else, updated)
			for i, v := range s.Results {
				then, otherwise := is(s.Then.Yield[i]), is(s.Else.Yield[i])
				if then && otherwise {
					r.chains[v] = c
				} else if then || otherwise {
					c.trouble = "a choice between a buffer that is updated and another"
				}
			}
		default:
			use := func(a loop.Atom) {
				if is(a) {
					c.trouble = "a use of all of a buffer that is updated"
				}
			}
			loop.Uses(s, use)
			loop.Blocks(s, func(b *loop.Block) { loop.AllUses(b, use) })
		}
	}
}

// gone tells whether an old buffer is of a chain that is not there.
func (r *reverser) gone(v *loop.Var) *chain {
	if c := r.chains[v]; c != nil && c.gone {
		return c
	}
	return nil
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
		if c.active {
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
