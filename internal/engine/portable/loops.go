package portable

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// advance returns the steps that give states their next values. A value that is another state, or a
// buffer that may be one under another name, is copied first. A buffer that the turn has made is
// copied to the storage of the state. Before that, strips that are parts of the old buffer there
// are copied to their own storage.
func (c *compiler) advance(states []loop.State, at []place, body *loop.Block) []step {
	var first, then, last []step
	from := make([]place, len(states))
	buffers, made := 0, map[loop.Atom]bool{}
	for _, st := range states {
		if st.Var.Kind.IsBuffer() {
			buffers++
		}
	}
	for _, s := range body.Stmts {
		switch s := s.(type) {
		case *loop.Alloc:
			made[s.Var] = true
		case *loop.Copy:
			made[s.Var] = true
		}
	}
	for i, p := range at {
		y := body.Yield[i]
		from[i] = c.place(y)
		own := p.reg == from[i].reg && p.form == from[i].form
		switch {
		case own:
		case p.kind.IsBuffer():
			if buffers == 1 || made[y] {
				continue
			}
			copied := c.register(p.kind)
			copied.form = from[i].form
			src := from[i].reg
			first = append(first, func(fr *frame) bool { return fr.save(copied.reg, fr.b[src]) })
			from[i] = copied
		case slices.ContainsFunc(at, func(q place) bool {
			return q.kind == p.kind && q.reg == from[i].reg && q.form == from[i].form
		}):
			copied := c.register(p.kind)
			if copied.form = from[i].form; copied.form == strips {
				copied = c.stripRegister(p.kind)
			}
			first = append(first, c.move(from[i], copied))
			from[i] = copied
		}
	}
	for i := range states {
		src, dst := from[i], at[i]
		switch {
		case src.reg == dst.reg && src.form == dst.form && src.kind == dst.kind:
		case !dst.kind.IsBuffer():
			then = append(then, c.move(src, dst))
		case src.form == dst.form:
			last = append(last, func(fr *frame) bool { return fr.save(dst.reg, fr.b[src.reg]) })
		default:
			last = append(last, c.move(src, dst))
		}
	}
	return slices.Concat(first, then, last)
}

// begin binds states and returns the steps that give them their first values.
func (c *compiler) begin(states []loop.State) (at []place, steps []step) {
	for _, st := range states {
		from := c.place(st.Init)
		p := c.bind(st.Var)
		at = append(at, p)
		steps = append(steps, c.move(from, p))
	}
	return at, steps
}

// end makes the results share the places of the states.
func (c *compiler) end(states []loop.State, at []place) {
	for i, st := range states {
		c.at[st.Result] = at[i]
	}
}

// cost estimates the number of operations of a block whose loops run once.
func cost(b *loop.Block) int {
	n := 1
	loop.Walk(b, func(s loop.Stmt) {
		n++
		if let, ok := s.(*loop.Let); ok {
			n += let.Op.Cost / 4
		}
	})
	return n
}

func (c *compiler) loop(s *loop.For) []step {
	var steps []step
	totals := make([]place, len(s.Reds))
	for i, r := range s.Reds {
		from := c.place(r.Init)
		totals[i] = c.bind(r.Result)
		steps = append(steps, c.move(from, totals[i]))
	}
	if c.varies == nil && s.Parallel && !(c.ordered && loop.OrderMatters(s)) {
		if varies := loop.Varying(s); fits(s.Body, varies) {
			return append(steps, c.stripLoop(s, varies, totals))
		}
	}
	return append(steps, c.plainLoop(s, totals)...)
}

// plainLoop returns a step that runs one turn at a time. Within a strip it runs the turn of all
// lanes.
func (c *compiler) plainLoop(s *loop.For, totals []place) []step {
	count := c.place(s.Count).reg
	at, steps := c.begin(s.States)
	index := c.bind(s.Index).reg
	body := c.block(s.Body, false)
	for i, r := range s.Reds {
		body = append(body, c.combine(r.Op, totals[i], c.place(s.Body.Yield[len(s.States)+i])))
	}
	body = append(body, c.advance(s.States, at, s.Body)...)
	c.end(s.States, at)
	work := cost(s.Body)
	if c.varies != nil {
		work *= strip / 4
	}
	return append(steps, func(fr *frame) bool {
		m := fr.run.arena.mark()
		n := fr.i[count]
		for k := int64(0); k < n; k++ {
			fr.i[index] = k
			if !fr.do(body) || !fr.run.spend(work) {
				return false
			}
			fr.run.arena.release(m)
		}
		return true
	})
}

// combine returns a step that computes total = op total x.
func (c *compiler) combine(op *loop.Op, total, x place) step {
	if total.form == strips {
		return c.stripOp(op, []place{total, x}, total)
	}
	return scalarOp(op, []place{total, x}, total)
}

func (c *compiler) while(s *loop.While) step {
	at, init := c.begin(s.States)
	cond := c.block(s.Cond, false)
	holds := c.place(s.Cond.Yield[0]).reg
	body := append(c.block(s.Body, false), c.advance(s.States, at, s.Body)...)
	c.end(s.States, at)
	work := cost(s.Body) + cost(s.Cond)
	return func(fr *frame) bool {
		if !fr.do(init) {
			return false
		}
		m := fr.run.arena.mark()
		for {
			if !fr.do(cond) {
				return false
			}
			if fr.i[holds] == 0 {
				return true
			}
			if !fr.do(body) || !fr.run.spend(work) {
				return false
			}
			fr.run.arena.release(m)
		}
	}
}
