package grad

import (
	"maps"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Flattening]
//
// What a loop reads from a chain has a place on the tape (Note [In place]). There is no such place
// if a While in the loop reads the chain, since the number of its turns is not known in front of
// the loop:
//
//	for i < n, a = p {
//	  x = a[i]
//	  while, b = a, j = i { … b[j] … } do { c = b with [j] = …; yield c, j - 1 } gives d, k
//	  e = d with [k] = x; yield e
//	}
//
// Such a nest becomes one While, whose turns each run one *piece* of it: a piece begins where a
// loop that is taken apart decides about its next turn, or where branches with such loops meet. A
// state, at, says which piece is next.
//
//	while, at = 0, i = 0, a = p, j, x { yield at != 2 } do {
//	  if at == 0 {
//	    if i < n { yield 1, i, a, i, a[i] } else { yield 2, i, a, j, x }
//	  } else {
//	    if … a[j] … { yield 1, i, (a with [j] = …), j - 1, x } else { yield 0, i + 1, (a with [j] = x), j, x }
//	  }
//	}
//
// Its turns are counted (Note [Tapes]), and then everything has its place. What one piece computes
// and another reads is a state too, a *slot*; it must be a scalar. A buffer that the pieces hand on
// is the chain, which has one slot for all its versions: only the newest one may be used.

// piece is a part of a turn: statements, and then either a branch or the end of the turn.
type piece struct {
	stmts     []loop.Stmt // old
	cond      loop.Atom   // old; nil at the end of a turn
	then, not *piece
	sets      map[*loop.Var]loop.Atom // what slots become, by old variables
	next      int                     // the number of the piece that the next turn runs
}

// flattener takes a nest of loops apart.
type flattener struct {
	root   loop.Stmt
	inside map[*loop.Var]bool      // that are bound in the nest
	alias  map[*loop.Var]*loop.Var // the slot that a variable is another name of
	of     map[*loop.Var]*loop.Var // the state of the nest that a buffer is a version of
	pieces []*piece
	slots  []*loop.Var // old variables, each a state of the While; those of the nest come first
	is     map[*loop.Var]bool
	state  map[*loop.Var]*loop.Var // the new state of a slot
	failed bool
}

// maxPieces bounds the pieces of a nest, since each turn looks for its own.
const maxPieces = 12

// flattened is a loop as one While, if the chains that begin with it have places on the tape then;
// else nil.
func flattened(s loop.Stmt) loop.Stmt {
	f := &flattener{root: s, inside: map[*loop.Var]bool{}, alias: map[*loop.Var]*loop.Var{}, is: map[*loop.Var]bool{},
		state: map[*loop.Var]*loop.Var{}}
	bind := func(v *loop.Var) { f.inside[v] = true }
	loop.Params(s, bind)
	loop.Blocks(s, func(b *loop.Block) {
		loop.Walk(b, func(s loop.Stmt) { loop.Params(s, bind); loop.Defs(s, bind) })
	})
	if f.of = f.versions(); f.of == nil || !loop.AnyWithin(s, func(s loop.Stmt) bool { return f.apart(s) }) {
		return nil
	}
	out := f.nest()
	if f.failed {
		return nil
	}
	found := chains{}
	found.begin(out, out.States, out.Body)
	for _, st := range out.States {
		if c := found[st.Var]; st.Var.Kind.IsBuffer() && (c == nil || c.trouble) {
			return nil
		}
	}
	return out
}

// versions finds the versions of each buffer that is a state of the nest. It gives nil if one of
// them may be another buffer.
func (f *flattener) versions() map[*loop.Var]*loop.Var {
	up := map[*loop.Var]*loop.Var{}
	top := func(v *loop.Var) *loop.Var {
		for up[v] != nil {
			v = up[v]
		}
		return v
	}
	join := func(v *loop.Var, a loop.Atom) {
		if w, ok := a.(*loop.Var); ok && v.Kind.IsBuffer() {
			if x, y := top(v), top(w); x != y {
				up[x] = y
			}
		}
	}
	states := func(states []loop.State, yield []loop.Atom, outer bool) {
		for i, st := range states {
			join(st.Var, yield[i])
			if !outer {
				join(st.Var, st.Init)
				join(st.Result, st.Var)
			}
		}
	}
	var made []*loop.Var
	visit := func(s loop.Stmt) {
		switch x := s.(type) {
		case *loop.Alloc, *loop.Copy, *loop.Call:
			loop.Defs(s, func(v *loop.Var) { made = append(made, v) })
		case *loop.Update:
			join(x.Var, x.Buf)
		case *loop.For:
			states(x.States, x.Body.Yield, s == f.root)
		case *loop.While:
			states(x.States, x.Body.Yield, s == f.root)
		case *loop.If:
			for i, v := range x.Results {
				join(v, x.Then.Yield[i])
				join(v, x.Else.Yield[i])
			}
		}
	}
	visit(f.root)
	loop.Blocks(f.root, func(b *loop.Block) { loop.Walk(b, visit) })
	names := map[*loop.Var]*loop.Var{}
	for _, st := range statesOf(f.root) {
		if st.Var.Kind.IsBuffer() {
			if names[top(st.Var)] != nil {
				return nil
			}
			names[top(st.Var)] = st.Var
		}
	}
	of := map[*loop.Var]*loop.Var{}
	for v := range up {
		of[v] = names[top(v)]
		of[top(v)] = names[top(v)]
	}
	for _, v := range made {
		if of[v] != nil {
			return nil
		}
	}
	for v, state := range of {
		if state != nil && !f.inside[v] {
			return nil
		}
	}
	return of
}

func statesOf(s loop.Stmt) []loop.State {
	switch s := s.(type) {
	case *loop.For:
		return s.States
	case *loop.While:
		return s.States
	}
	return nil
}

// apart tells whether a statement of the nest has to be taken apart: it uses a chain in a loop
// whose count is not known in front of the nest.
func (f *flattener) apart(s loop.Stmt) bool {
	switch s := s.(type) {
	case *loop.While:
		return f.uses(s.Cond) || f.uses(s.Body)
	case *loop.For:
		if n, ok := s.Count.(*loop.Var); ok && f.inside[n] && f.uses(s.Body) {
			return true
		}
	}
	return loop.AnyWithin(s, f.apart)
}

// uses tells whether a block uses a chain.
func (f *flattener) uses(b *loop.Block) bool {
	return mentions(b, func(a loop.Atom) bool { v, ok := a.(*loop.Var); return ok && f.of[v] != nil })
}

// nest is the nest as one While.
func (f *flattener) nest() *loop.While {
	const start, end = 0, 1
	f.pieces = []*piece{{}, nil} // nothing runs at the end
	var inits []loop.Atom
	var results []*loop.Var
	f.loop(f.root, start, func(v *loop.Var, init loop.Atom, result *loop.Var) {
		inits, results = append(inits, init), append(results, result)
	}, func(p *piece) { p.next = end })
	for _, p := range f.pieces {
		if p != nil {
			f.crossing(p, map[*loop.Var]bool{})
		}
	}
	at := newState("at", loop.I64, loop.Int(start))
	out := &loop.While{States: []loop.State{at}}
	for i, v := range f.slots {
		st := newState(v.Name, v.Kind, nil)
		switch {
		case i < len(inits):
			st.Init = inits[i]
			if results[i] != nil {
				st.Result = results[i]
			}
		case v.Kind.IsBuffer() || v.Kind == loop.Bool:
			f.failed = f.failed || v.Kind.IsBuffer()
			st.Init = loop.Truth(false)
		default:
			st.Init = loop.Literal(v.Kind, 0)
		}
		f.state[v] = st.Var
		out.States = append(out.States, st)
	}
	if f.failed || len(f.pieces) > maxPieces {
		f.failed = true
		return nil
	}
	var cond loop.Builder
	out.Cond = cond.Block(cond.Let("more", loop.NeI, at.Var, loop.Int(end)))
	out.Body = f.turn(at.Var, f.pieces)
	return out
}

// slot makes a state of an old variable, unless it is a version of a chain, which has a slot.
func (f *flattener) slot(v *loop.Var) {
	if chain := f.of[v]; !f.is[v] && (chain == nil || chain == v) {
		f.is[v] = true
		f.slots = append(f.slots, v)
	}
}

// loop takes a loop apart. The piece of the given number decides about each turn; rest says what
// comes after the loop. slot is told about the loop's slots: what they are at first, and which
// variable has what they are after the loop.
func (f *flattener) loop(s loop.Stmt, head int, slot func(v *loop.Var, init loop.Atom, result *loop.Var), rest func(*piece)) {
	p := f.pieces[head]
	p.then, p.not = &piece{}, &piece{}
	for _, st := range statesOf(s) {
		f.slot(st.Var)
		f.alias[st.Result] = st.Var
		slot(st.Var, st.Init, st.Result)
	}
	again := func(body *loop.Block) func(p *piece) {
		return func(p *piece) {
			p.next = head
			for i, st := range statesOf(s) {
				p.set(st.Var, body.Yield[i])
			}
		}
	}
	switch s := s.(type) {
	case *loop.While:
		p.stmts, p.cond = s.Cond.Stmts, s.Cond.Yield[0]
		f.run(p.then, s.Body.Stmts, again(s.Body))
	case *loop.For:
		f.slot(s.Index)
		slot(s.Index, loop.Int(0), nil)
		var totals []*loop.Var
		for _, red := range s.Reds {
			total := loop.NewVar(red.Result.Name, red.Result.Kind)
			f.inside[total] = true
			f.slot(total)
			f.alias[red.Result] = total
			slot(total, red.Init, red.Result)
			totals = append(totals, total)
		}
		more := loop.FreshLet("more", loop.LtI, s.Index, s.Count)
		p.stmts, p.cond = []loop.Stmt{more}, more.Var
		f.run(p.then, s.Body.Stmts, func(p *piece) {
			again(s.Body)(p)
			next := loop.FreshLet("i", loop.AddI, s.Index, loop.Int(1))
			p.stmts = append(p.stmts, next)
			p.set(s.Index, next.Var)
			for i, red := range s.Reds {
				sum := loop.FreshLet("total", red.Op, totals[i], s.Body.Yield[len(s.States)+i])
				p.stmts = append(p.stmts, sum)
				p.set(totals[i], sum.Var)
			}
		})
	}
	rest(p.not)
}

func (p *piece) set(v *loop.Var, a loop.Atom) {
	if p.sets == nil {
		p.sets = map[*loop.Var]loop.Atom{}
	}
	p.sets[v] = a
}

// fresh makes a piece that a turn begins with.
func (f *flattener) fresh() (*piece, int) {
	p := &piece{}
	f.pieces = append(f.pieces, p)
	return p, len(f.pieces) - 1
}

// run appends statements to a piece, and then what rest says to the piece that comes last.
func (f *flattener) run(p *piece, stmts []loop.Stmt, rest func(*piece)) {
	for i, s := range stmts {
		if !f.apart(s) {
			p.stmts = append(p.stmts, s)
			continue
		}
		after := func(p *piece) { f.run(p, stmts[i+1:], rest) }
		if s, ok := s.(*loop.If); ok {
			f.branch(p, s, after)
			return
		}
		_, head := f.fresh()
		p.next = head
		f.loop(s, head, func(v *loop.Var, init loop.Atom, _ *loop.Var) { p.set(v, init) }, after)
		return
	}
	rest(p)
}

// branch takes an If apart. Its branches meet in a piece of their own.
func (f *flattener) branch(p *piece, s *loop.If, after func(*piece)) {
	for _, v := range s.Results {
		f.slot(v)
	}
	meet, next := f.fresh()
	p.cond, p.then, p.not = s.Cond, &piece{}, &piece{}
	to := func(b *loop.Block) func(*piece) {
		return func(p *piece) {
			p.next = next
			for i, v := range s.Results {
				p.set(v, b.Yield[i])
			}
		}
	}
	f.run(p.then, s.Then.Stmts, to(s.Then))
	f.run(p.not, s.Else.Stmts, to(s.Else))
	after(meet)
}

// crossing makes slots of what a piece uses and another one binds. Bound are the variables that the
// turn has bound so far.
func (f *flattener) crossing(p *piece, bound map[*loop.Var]bool) {
	use := func(a loop.Atom) {
		v, ok := a.(*loop.Var)
		if !ok || !f.inside[v] || bound[v] {
			return
		}
		switch to := f.alias[v]; {
		case f.of[v] != nil:
		case to != nil:
			f.slot(to)
		default:
			f.slot(v)
		}
	}
	for _, s := range p.stmts {
		loop.Uses(s, use)
		bind := func(v *loop.Var) { bound[v] = true }
		loop.Params(s, bind)
		loop.Blocks(s, func(b *loop.Block) {
			loop.Walk(b, func(s loop.Stmt) { loop.Params(s, bind); loop.Defs(s, bind) })
			loop.AllUses(b, use)
		})
		loop.Defs(s, bind)
	}
	if p.cond != nil {
		use(p.cond)
		f.crossing(p.then, maps.Clone(bound))
		f.crossing(p.not, bound)
	}
	for _, a := range p.sets {
		use(a)
	}
}

// scope says what the variables of a piece are.
type scope struct {
	*flattener
	bound map[*loop.Var]bool      // old variables that the turn has bound
	now   map[*loop.Var]*loop.Var // the newest versions of the chains that have one in the turn
}

func (c scope) atom(a loop.Atom) loop.Atom {
	v, ok := a.(*loop.Var)
	if !ok || c.bound[v] || !c.inside[v] {
		return a
	}
	if chain := c.of[v]; chain != nil {
		return c.state[chain]
	}
	if to := c.alias[v]; to != nil {
		v = to
	}
	return c.state[v]
}

// turn is what a turn does that runs the piece of a number, one of those given.
func (f *flattener) turn(at *loop.Var, pieces []*piece) *loop.Block {
	last := len(pieces) - 1
	if last == 0 || last == 1 && pieces[1] == nil {
		return f.block(pieces[0], scope{f, map[*loop.Var]bool{}, map[*loop.Var]*loop.Var{}})
	}
	if pieces[last] == nil {
		return f.turn(at, pieces[:last])
	}
	var b loop.Builder
	is := b.Let("is", loop.EqI, at, loop.Int(int64(last)))
	then := f.block(pieces[last], scope{f, map[*loop.Var]bool{}, map[*loop.Var]*loop.Var{}})
	return f.choice(&b, is, then, f.turn(at, pieces[:last]))
}

// choice is a block that ends with one of two blocks.
func (f *flattener) choice(b *loop.Builder, cond loop.Atom, then, not *loop.Block) *loop.Block {
	s := &loop.If{Cond: cond, Then: then, Else: not, Results: []*loop.Var{loop.NewVar("at", loop.I64)}}
	yield := []loop.Atom{s.Results[0]}
	for _, v := range f.slots {
		r := loop.NewVar(v.Name, v.Kind)
		s.Results, yield = append(s.Results, r), append(yield, r)
	}
	b.Add(s)
	return b.Block(yield...)
}

// block is a piece as a block that yields the states of the While.
func (f *flattener) block(p *piece, c scope) *loop.Block {
	var b loop.Builder
	m := loop.Mapper{Use: c.atom, Share: true}
	m.Block = func(block *loop.Block) *loop.Block {
		out := loop.Rebuild(block)
		for _, s := range block.Stmts {
			out.Add(m.Stmt(s))
		}
		return out.Rebuilt(block, m.Uses(block.Yield))
	}
	for _, s := range p.stmts {
		bind := func(v *loop.Var) { c.bound[v] = true }
		loop.Params(s, bind)
		loop.Blocks(s, func(b *loop.Block) {
			loop.Walk(b, func(s loop.Stmt) { loop.Params(s, bind); loop.Defs(s, bind) })
		})
		b.Add(m.Stmt(s))
		loop.Defs(s, func(v *loop.Var) {
			bind(v)
			if chain := c.of[v]; chain != nil {
				c.now[chain] = v
			}
		})
	}
	if p.cond != nil {
		cond := c.atom(p.cond)
		then := f.block(p.then, scope{f, maps.Clone(c.bound), maps.Clone(c.now)})
		return f.choice(&b, cond, then, f.block(p.not, c))
	}
	yield := []loop.Atom{loop.Int(int64(p.next))}
	for _, v := range f.slots {
		switch to, set := p.sets[v]; {
		case v.Kind.IsBuffer():
			if to := c.now[v]; to != nil {
				yield = append(yield, to)
			} else {
				yield = append(yield, f.state[v])
			}
		case set:
			yield = append(yield, c.atom(to))
		case c.bound[v]:
			yield = append(yield, v)
		default:
			yield = append(yield, f.state[v])
		}
	}
	return b.Block(yield...)
}
