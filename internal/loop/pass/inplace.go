package pass

import (
	"maps"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Copies that are not needed]
//
// The program's arrays do not change, so an update is lowered to one of a copy:
//
//	for i < n { state s from xs; c = copy s; u = c with [i] = x; d = copy u; w = d with [0] = y; yield w }
//
// A copy is removed, and its variable becomes the old one, if nothing that may be the same memory
// is used afterwards, and the memory belongs to the function. The parameters do not; so each loop
// first gets copies in front of it of the states that its turns copy:
//
//	own = copy xs; for i < n { state s from own; u = s with [i] = x; w = u with [0] = y; yield w }
//
// Those are removed in the same way, so that a loop in a loop does not copy either. If one is left
// and the loop does not update its state, it is not needed after all, and the whole starts again
// without it.
//
// What a buffer may be is a set of origins: parameters, the variables of Alloc, Copy and Call, and
// states. Two origins that are no states are the same memory only if they are one. What is made in
// a turn of a loop is not a state of the loop, which was there before. A state may be what it
// starts with, and what the turns yield that was there before the loop. Two states of one loop may
// be the same if they may start with the same, or if a turn that begins with different ones may
// yield the same for both. So states that swap their buffers in each turn are different.
//
// Before that, copies and updates move down to where they are first used. In {a with [i] = a[j],
// [j] = a[i]} the second read comes after the first update, and would keep its copy.

// InPlace removes copies of buffers that are not used any more.
func InPlace(f *loop.Func) {
	if !loop.Any(f.Body, isCopy) {
		return
	}
	start := late(f.Body)
	keep := map[*loop.Var]bool{} // states that start with what they started with
	for {
		e := &entering{copied: sources(start), keep: keep, states: map[*loop.Copy]*loop.Var{}}
		body := e.block(start)
		gone := needless(body)
		body = uncopied(body, gone)
		updated, again := loop.Updated(body), false
		for c, state := range e.states {
			if !gone[c] && !updated[state] {
				keep[state], again = true, true
			}
		}
		if !again {
			if len(gone) > 0 {
				f.Body = body
			}
			return
		}
	}
}

func isCopy(s loop.Stmt) bool {
	_, ok := s.(*loop.Copy)
	return ok
}

// late moves the copies and updates of a block, loops that only update, and reads of what they give
// down to their first use.
func late(b *loop.Block) *loop.Block {
	out := loop.Rebuild(b)
	for _, s := range b.Stmts {
		out.Add(loop.MapBlocks(s, late))
	}
	b = out.Rebuilt(b, b.Yield)
	private := map[*loop.Var]bool{} // copies of the block, and their versions
	moves := make([]bool, len(b.Stmts))
	some := false
	for k, s := range b.Stmts {
		switch s := s.(type) {
		case *loop.Copy:
			moves[k] = true
		case *loop.Update:
			moves[k] = private[s.Buf]
		case *loop.Load:
			moves[k] = private[s.Buf]
		case *loop.For:
			moves[k] = len(s.States) > 0 && updating(s, private)
		}
		if moves[k] {
			loop.Defs(s, func(v *loop.Var) { private[v] = true })
			some = true
		}
	}
	if !some {
		return b
	}
	var stmts []loop.Stmt // in the reverse of their order
	for k, s := range slices.Backward(b.Stmts) {
		at := len(stmts)
		if moves[k] {
			for at > 0 && !mustPrecede(s, stmts[at-1], private) {
				at--
			}
		}
		stmts = slices.Insert(stmts, at, s)
	}
	slices.Reverse(stmts)
	return &loop.Block{Stmts: stmts, Yield: b.Yield}
}

// updating tells whether a loop does nothing but to update private buffers.
func updating(s *loop.For, private map[*loop.Var]bool) bool {
	for _, st := range s.States {
		if init, ok := st.Init.(*loop.Var); !ok || !private[init] {
			return false
		}
	}
	return len(s.Reds) == 0 && !loop.AnyWithin(s, func(s loop.Stmt) bool {
		switch s.(type) {
		case *loop.Let, *loop.Load, *loop.Length, *loop.Update, *loop.For:
			return false
		}
		return true
	})
}

// mustPrecede tells whether a statement that moves must come before another: one that uses what it
// binds, or changes what it may read. A private buffer has one name at a time; any other may be
// what has another name.
func mustPrecede(s, later loop.Stmt, private map[*loop.Var]bool) bool {
	binds, reads := map[loop.Atom]bool{}, map[loop.Atom]bool{}
	loop.Defs(s, func(v *loop.Var) { binds[v] = true })
	loop.Uses(s, func(a loop.Atom) { reads[a] = true })
	loop.Blocks(s, func(b *loop.Block) { loop.AllUses(b, func(a loop.Atom) { reads[a] = true }) })
	_, update := s.(*loop.Update)
	found := false
	if c, ok := later.(*loop.Copy); ok && !isCopy(s) && reads[c.Buf] {
		return true // a read after it would keep the copy
	}
	changes := func(a loop.Atom) {
		v, ok := a.(*loop.Var)
		found = found || reads[a] || ok && v.Kind.IsBuffer() && !private[v] && !update
	}
	states := func(states []loop.State) {
		for _, st := range states {
			if st.Var.Kind.IsBuffer() {
				changes(st.Init)
			}
		}
	}
	visit := func(later loop.Stmt) {
		loop.Uses(later, func(a loop.Atom) { found = found || binds[a] })
		switch later := later.(type) {
		case *loop.Update:
			changes(later.Buf)
		case *loop.For:
			states(later.States)
		case *loop.While:
			states(later.States)
		}
	}
	visit(later)
	loop.Blocks(later, func(b *loop.Block) {
		loop.Walk(b, visit)
		loop.AllUses(b, func(a loop.Atom) { found = found || binds[a] })
	})
	return found
}

// sources gives the buffers that are copied, and what those may have been before, as a state, an
// older version or the result of a branch.
func sources(b *loop.Block) map[*loop.Var]bool {
	from := map[*loop.Var][]loop.Atom{}
	out := map[*loop.Var]bool{}
	var queue []loop.Atom
	states := func(states []loop.State, yield []loop.Atom) {
		for i, st := range states {
			from[st.Var] = []loop.Atom{st.Init, yield[i]}
			from[st.Result] = []loop.Atom{st.Init, yield[i]}
		}
	}
	loop.Walk(b, func(s loop.Stmt) {
		switch s := s.(type) {
		case *loop.Copy:
			from[s.Var] = []loop.Atom{s.Buf}
			queue = append(queue, s.Buf)
		case *loop.Update:
			from[s.Var] = []loop.Atom{s.Buf}
		case *loop.For:
			states(s.States, s.Body.Yield)
		case *loop.While:
			states(s.States, s.Body.Yield)
		case *loop.If:
			for i, v := range s.Results {
				from[v] = []loop.Atom{s.Then.Yield[i], s.Else.Yield[i]}
			}
		}
	})
	for len(queue) > 0 {
		a := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if v, ok := a.(*loop.Var); ok && v.Kind.IsBuffer() && !out[v] {
			out[v] = true
			queue = append(queue, from[v]...)
		}
	}
	return out
}

// entering puts copies in front of loops.
type entering struct {
	copied map[*loop.Var]bool
	keep   map[*loop.Var]bool
	states map[*loop.Copy]*loop.Var // that start with the copies
}

func (e *entering) block(b *loop.Block) *loop.Block {
	out := loop.Rebuild(b)
	enter := func(states []loop.State) []loop.State {
		states = slices.Clone(states)
		for i, st := range states {
			init, ok := st.Init.(*loop.Var)
			if ok && e.copied[st.Var] && !e.keep[st.Var] {
				c := &loop.Copy{Var: loop.NewVar("own", init.Kind), Buf: init}
				e.states[c] = st.Var
				out.Add(c)
				states[i].Init = c.Var
			}
		}
		return states
	}
	for _, s := range b.Stmts {
		out.Add(loop.WithStates(loop.MapBlocks(s, e.block), enter))
	}
	return out.Rebuilt(b, b.Yield)
}

// uncopied is a block without copies.
func uncopied(b *loop.Block, gone map[*loop.Copy]bool) *loop.Block {
	var r *rewriter
	r = newRewriter(func(b *loop.Block) *loop.Block {
		out := loop.Rebuild(b)
		for _, s := range b.Stmts {
			if c, ok := s.(*loop.Copy); ok && gone[c] {
				r.subst.Set(c.Var, c.Buf)
				continue
			}
			out.Add(r.m.Stmt(s))
		}
		return out.Rebuilt(b, r.atoms(b.Yield))
	})
	defer r.release()
	return r.m.Block(b)
}

// needless gives the copies of a function's body that are not needed.
func needless(b *loop.Block) map[*loop.Copy]bool {
	found := map[*loop.Copy]bool{}
	o := originsOf(b, nil)
	o.copies(b, map[*loop.Var]bool{}, func(c *loop.Copy, last bool) {
		if last {
			found[c] = true
		}
	})
	// Without some copies, more buffers may be the same memory. What is found must hold of the
	// block without them.
	for again := true; again && len(found) > 0; {
		again = false
		o = originsOf(b, found)
		o.copies(b, map[*loop.Var]bool{}, func(c *loop.Copy, last bool) {
			if found[c] && !last {
				delete(found, c)
				again = true
			}
		})
	}
	return found
}

// turning is a loop around a variable.
type turning struct{ outer *turning }

func (t *turning) within(l *turning) bool {
	for ; t != nil; t = t.outer {
		if t == l {
			return true
		}
	}
	return false
}

// origins is what the buffers of a function may be.
type origins struct {
	gone   map[*loop.Copy]bool
	in     map[*loop.Var]*turning // the innermost loop in whose turns a variable is bound; nil for none
	from   map[*loop.Var][]loop.Atom
	state  map[*loop.Var]*stateOf // by its variable
	free   map[*loop.Var]bool     // buffers whose memory belongs to the function
	same   map[[2]*loop.Var]bool  // states of a loop that may be the same memory
	of     map[*loop.Var][]*loop.Var
	before map[*loop.Var][]*loop.Var
}

// stateOf is a state of a loop.
type stateOf struct {
	turns      *turning
	init, next loop.Atom
}

func originsOf(b *loop.Block, gone map[*loop.Copy]bool) *origins {
	o := &origins{gone: gone, in: map[*loop.Var]*turning{}, from: map[*loop.Var][]loop.Atom{}, state: map[*loop.Var]*stateOf{},
		free: map[*loop.Var]bool{}, same: map[[2]*loop.Var]bool{}, of: map[*loop.Var][]*loop.Var{}, before: map[*loop.Var][]*loop.Var{}}
	var loops [][]*loop.Var // the buffers that are states, of each loop
	o.enter(b, nil, &loops)
	for again := true; again; {
		again = false
		for _, states := range loops {
			for i, x := range states {
				for _, y := range states[:i] {
					s, t := o.state[x], o.state[y]
					if !o.same[[2]*loop.Var{x, y}] && (o.maybe(s.init, t.init) || o.maybe(s.next, t.next)) {
						o.same[[2]*loop.Var{x, y}], o.same[[2]*loop.Var{y, x}] = true, true
						again = true
					}
				}
			}
		}
	}
	return o
}

// enter notes what a block binds.
func (o *origins) enter(b *loop.Block, in *turning, loops *[][]*loop.Var) {
	states := func(states []loop.State, body *loop.Block) *turning {
		inner := &turning{in}
		var bufs []*loop.Var
		for i, st := range states {
			if st.Var.Kind.IsBuffer() {
				o.in[st.Var], o.state[st.Var] = inner, &stateOf{inner, st.Init, body.Yield[i]}
				o.from[st.Result] = []loop.Atom{st.Var}
				bufs = append(bufs, st.Var)
			}
		}
		*loops = append(*loops, bufs)
		o.enter(body, inner, loops)
		return inner
	}
	for _, s := range b.Stmts {
		loop.Defs(s, func(v *loop.Var) {
			if v.Kind.IsBuffer() {
				o.in[v] = in
			}
		})
		switch s := s.(type) {
		case *loop.Alloc:
			o.free[s.Var] = true
		case *loop.Copy:
			if o.gone[s] {
				o.from[s.Var] = []loop.Atom{s.Buf}
			} else {
				o.free[s.Var] = true
			}
		case *loop.Update:
			o.from[s.Var] = []loop.Atom{s.Buf}
		case *loop.Call:
			for _, v := range s.Results { // a result, or an argument
				o.from[v] = append([]loop.Atom{v}, s.Args...)
			}
		case *loop.If:
			o.enter(s.Then, in, loops)
			o.enter(s.Else, in, loops)
			for i, v := range s.Results {
				o.from[v] = []loop.Atom{s.Then.Yield[i], s.Else.Yield[i]}
			}
		case *loop.For:
			states(s.States, s.Body)
		case *loop.While:
			o.enter(s.Cond, states(s.States, s.Body), loops)
		}
	}
}

// origin gives the origins of a buffer.
func (o *origins) origin(a loop.Atom) []*loop.Var {
	v, ok := a.(*loop.Var)
	if !ok || !v.Kind.IsBuffer() {
		return nil
	}
	if of, ok := o.of[v]; ok {
		return of
	}
	var of []*loop.Var
	add := func(x *loop.Var) {
		if !slices.Contains(of, x) {
			of = append(of, x)
		}
	}
	if o.from[v] == nil {
		add(v)
	}
	for _, a := range o.from[v] {
		if a == loop.Atom(v) {
			add(v)
			continue
		}
		for _, x := range o.origin(a) {
			add(x)
		}
	}
	o.of[v] = of
	return of
}

// outside gives what a state may be that was there in front of its loop.
func (o *origins) outside(state *loop.Var) []*loop.Var {
	if out, ok := o.before[state]; ok {
		return out
	}
	loops := o.state[state].turns
	var out []*loop.Var
	seen := map[*loop.Var]bool{}
	var visit func(x *loop.Var)
	visit = func(x *loop.Var) {
		if seen[x] {
			return
		}
		seen[x] = true
		if !o.in[x].within(loops) {
			out = append(out, x)
		} else if s := o.state[x]; s != nil {
			for _, a := range []loop.Atom{s.init, s.next} {
				for _, y := range o.origin(a) {
					visit(y)
				}
			}
		}
	}
	visit(state)
	o.before[state] = out
	return out
}

// alike tells whether two origins may be the same memory, where both are there.
func (o *origins) alike(x, y *loop.Var) bool {
	if x == y {
		return true
	}
	s, t := o.state[x], o.state[y]
	switch {
	case s != nil && t != nil && s.turns == t.turns:
		return o.same[[2]*loop.Var{x, y}]
	case s != nil && !o.in[y].within(s.turns):
		return slices.ContainsFunc(o.outside(x), func(z *loop.Var) bool { return o.alike(z, y) })
	case t != nil && !o.in[x].within(t.turns):
		return slices.ContainsFunc(o.outside(y), func(z *loop.Var) bool { return o.alike(x, z) })
	}
	return false // one is made in a turn of the other's loop, or neither is a state
}

// maybe tells whether two buffers may be the same memory.
func (o *origins) maybe(a, b loop.Atom) bool {
	for _, x := range o.origin(a) {
		for _, y := range o.origin(b) {
			if x.Kind == y.Kind && o.alike(x, y) {
				return true
			}
		}
	}
	return false
}

// owned tells whether all the memory that a buffer may be belongs to the function.
func (o *origins) owned(a loop.Atom) bool {
	seen := map[*loop.Var]bool{}
	var all func(a loop.Atom) bool
	all = func(a loop.Atom) bool {
		for _, x := range o.origin(a) {
			if seen[x] {
				continue
			}
			seen[x] = true
			if s := o.state[x]; s != nil {
				if !all(s.init) || !all(s.next) {
					return false
				}
			} else if !o.free[x] {
				return false
			}
		}
		return true
	}
	return all(a)
}

// copies goes through a block backwards, with the buffers that are used after it, and tells of each
// copy whether it is the last use of memory of the function.
func (o *origins) copies(b *loop.Block, live map[*loop.Var]bool, tell func(c *loop.Copy, last bool)) {
	use := func(a loop.Atom) {
		if v, ok := a.(*loop.Var); ok && v.Kind.IsBuffer() {
			live[v] = true
		}
	}
	for _, a := range b.Yield {
		use(a)
	}
	for _, s := range slices.Backward(b.Stmts) {
		loop.Defs(s, func(v *loop.Var) { delete(live, v) })
		switch c := s.(type) {
		case *loop.Copy:
			tell(c, o.owned(c.Buf) && !o.usedIn(live, c.Buf))
		case *loop.Length:
			continue // which an update does not change
		}
		var free []*loop.Var // in the blocks of the statement
		loop.Blocks(s, func(b *loop.Block) { free = append(free, loop.Free(b)...) })
		params := map[*loop.Var]bool{}
		loop.Params(s, func(v *loop.Var) { params[v] = true })
		free = slices.DeleteFunc(free, func(v *loop.Var) bool { return params[v] })
		if loop.AnyWithin(s, isCopy) {
			switch s := s.(type) {
			case *loop.If:
				o.copies(s.Then, maps.Clone(live), tell)
				o.copies(s.Else, maps.Clone(live), tell)
			case *loop.For:
				o.copies(s.Body, also(live, free), tell)
			case *loop.While:
				o.copies(s.Body, also(live, free), tell)
				next := also(live, free)
				for _, st := range s.States { // which the body has, or what comes after the loop
					next[st.Var] = true
				}
				o.copies(s.Cond, next, tell)
			}
		}
		loop.Uses(s, use)
		for _, v := range free {
			use(v)
		}
	}
}

// also is a set of buffers with those among some variables.
func also(live map[*loop.Var]bool, vars []*loop.Var) map[*loop.Var]bool {
	out := maps.Clone(live)
	for _, v := range vars {
		if v.Kind.IsBuffer() {
			out[v] = true
		}
	}
	return out
}

// usedIn tells whether a set of buffers has one that may be the same memory as another.
func (o *origins) usedIn(live map[*loop.Var]bool, buf *loop.Var) bool {
	for v := range live {
		if o.maybe(v, buf) {
			return true
		}
	}
	return false
}
