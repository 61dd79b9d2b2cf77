package grad

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Activity]
//
// A variable that holds doubles is *active* if it varies with what is wanted and
// the results vary with it. Only active variables get cotangents or tangents. A
// variable of any kind is *relevant* if the results depend on it at all, by
// way of indices, counts and conditions too: a comparison that is undecided
// matters just if it is relevant. So it is in a function that is called, for what
// is relevant of the call's results.
//
// Each variable is bound once, and a buffer stands for all that is written to
// it. So all of this is reachability in one graph, which has an edge from a variable to each
// that is computed from it, and one node for each block, on which the writes in it depend.

// activity is what Note [Activity] defines, for one function.
type activity struct {
	nodes  int32
	ids    loop.VarMap[int32]    // the nodes of variables, from 1 on
	blocks map[*loop.Block]int32 // those of blocks
	edges  []edge

	varies, matters, relevant []bool
	rule                      func(*loop.Op) *Rule
	watches                   func(loop.Stmt) bool  // whether it watches errors; nil where none are
	reads                     func(*loop.Func) bool // whether a function reads the tape: Note [Recursion]
	mayJump                   func(*loop.Func) bool // whether some operation of a function may

	body     *loop.Block
	defs     map[*loop.Var]loop.Stmt // of reals in it, found when first asked for, with the next
	literals map[*loop.Var]*literal  // what is written to buffers that it makes: Note [Constants in arrays]
}

// edge says that a node is computed from another, as a real of a real if real.
type edge struct {
	from, to int32
	real     bool
}

// analyse finds what is active in a function by what matters of it.
func (d *derivatives) analyse(f *loop.Func, of calling) *activity {
	a := &activity{blocks: map[*loop.Block]int32{}, rule: d.known, body: f.Body,
		reads: func(f *loop.Func) bool { return d.reads[f] != nil }, mayJump: d.mayJump}
	var sources, sinks, ends []int32
	for i, p := range f.Params {
		if id := a.id(p); of.wanted[i] {
			sources = append(sources, id)
		}
	}
	a.block(f.Body, -1)
	for i, y := range f.Body.Yield {
		v, ok := y.(*loop.Var)
		if ok && of.results[i] {
			sinks = append(sinks, a.id(v))
		} else if ok && of.decided != nil && of.decided[i] {
			ends = append(ends, a.id(v))
		}
	}
	if d.watch {
		a.watches = d.watchesIn
		loop.Walk(f.Body, func(s loop.Stmt) {
			if d.watchesIn(s) {
				loop.Uses(s, func(x loop.Atom) { sinks = a.sink(sinks, x) })
			}
		})
	}
	for i := len(f.Params) - f.Adds; i < len(f.Params); i++ {
		if of.wanted[i] {
			sinks = append(sinks, a.id(f.Params[i]))
		}
	}
	a.varies = a.reach(sources, false, true)
	a.matters = a.reach(sinks, true, true)
	a.relevant = a.reach(append(ends, sinks...), true, false)
	return a
}

// id is the node of a variable.
func (a *activity) id(v *loop.Var) int32 {
	id := a.ids.At(v)
	if *id == 0 {
		*id = a.node()
	}
	return *id
}

// of is the node of a block.
func (a *activity) of(b *loop.Block) int32 {
	id := a.blocks[b]
	if id == 0 {
		id = a.node()
		a.blocks[b] = id
	}
	return id
}

func (a *activity) node() int32 {
	a.nodes++
	return a.nodes
}

// flows adds an edge; it is one of reals if both hold doubles and real is set.
func (a *activity) flows(from loop.Atom, to *loop.Var, real bool) {
	if v, ok := from.(*loop.Var); ok {
		a.edges = append(a.edges, edge{a.id(v), a.id(to), real && isReal(v.Kind) && isReal(to.Kind)})
	}
}

// governs says that what happens in a block depends on an atom.
func (a *activity) governs(from loop.Atom, b int32) {
	if v, ok := from.(*loop.Var); ok {
		a.edges = append(a.edges, edge{a.id(v), b, false})
	}
}

func (a *activity) block(b *loop.Block, outer int32) {
	here := a.of(b)
	if outer >= 0 {
		a.edges = append(a.edges, edge{outer, here, false})
	}
	for _, s := range b.Stmts {
		a.stmt(s, here)
	}
}

func (a *activity) stmt(s loop.Stmt, here int32) {
	switch s := s.(type) {
	case *loop.Let:
		real := func(int) bool { return false }
		if s.Op.Result == loop.F64 && hasReal(s.Args) {
			r := a.rule(s.Op)
			real = func(i int) bool { return r == nil || r.Partials[i] != nil }
		}
		for i, x := range s.Args {
			a.flows(x, s.Var, real(i))
		}
	case *loop.Load:
		a.flows(s.Buf, s.Var, true)
		a.flows(s.At, s.Var, false)
	case *loop.Store:
		a.write(s.Buf, s.At, s.Value, here)
	case *loop.Accum:
		a.write(s.Buf, s.At, s.Value, here)
	case *loop.Update:
		a.flows(s.Buf, s.Var, true)
		a.flows(s.Value, s.Var, true)
		a.flows(s.At, s.Var, false)
	case *loop.For:
		a.governs(s.Count, a.of(s.Body))
		a.block(s.Body, here)
		a.states(s.States, s.Body.Yield, s.Count)
		for i, r := range s.Reds {
			a.flows(r.Init, r.Result, true)
			a.flows(s.Body.Yield[len(s.States)+i], r.Result, true)
			a.flows(s.Count, r.Result, false)
		}
	case *loop.While:
		a.block(s.Cond, here)
		a.governs(s.Cond.Yield[0], a.of(s.Body))
		a.block(s.Body, here)
		a.states(s.States, s.Body.Yield, s.Cond.Yield[0])
	case *loop.If:
		for _, b := range []*loop.Block{s.Then, s.Else} {
			a.governs(s.Cond, a.of(b))
			a.block(b, here)
			for i, y := range b.Yield {
				a.flows(y, s.Results[i], true)
			}
		}
		for _, v := range s.Results {
			a.flows(s.Cond, v, false)
		}
	default:
		// Copies, lengths, buffers and calls: everything flows into everything, except out of what
		// a call writes to.
		needs(s, func(x loop.Atom) {
			loop.Defs(s, func(v *loop.Var) { a.flows(x, v, true) })
			if c, ok := s.(*loop.Call); ok {
				for _, v := range c.AddedTo() {
					a.flows(x, v, true)
				}
			}
		})
	}
}

func hasReal(args []loop.Atom) bool {
	for _, x := range args {
		if v, ok := x.(*loop.Var); ok && v.Kind == loop.F64 {
			return true
		}
	}
	return false
}

func (a *activity) write(buf *loop.Var, at, value loop.Atom, here int32) {
	a.flows(value, buf, true)
	a.flows(at, buf, false)
	a.edges = append(a.edges, edge{here, a.id(buf), false})
}

func (a *activity) states(states []loop.State, yield []loop.Atom, count loop.Atom) {
	for i, st := range states {
		for _, from := range []loop.Atom{st.Init, yield[i]} {
			a.flows(from, st.Var, true)
			a.flows(from, st.Result, true)
		}
		a.flows(count, st.Result, false)
		a.flows(count, st.Var, false)
	}
}

// reach gives the nodes that edges lead to from some, or back to if backwards.
func (a *activity) reach(from []int32, backwards, real bool) []bool {
	// The nodes that follow node n are those of next from start[n] to start[n+1].
	start, next := make([]int32, a.nodes+2), make([]int32, len(a.edges))
	for i := range a.edges {
		if e := &a.edges[i]; e.real || !real {
			from, _ := e.along(backwards)
			start[from]++
		}
	}
	for n := range a.nodes + 1 {
		start[n+1] += start[n]
	}
	for i := range a.edges {
		if e := &a.edges[i]; e.real || !real {
			from, to := e.along(backwards)
			start[from]--
			next[start[from]] = to
		}
	}
	seen := make([]bool, a.nodes+1)
	for queue := slices.Clone(from); len(queue) > 0; {
		n := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if !seen[n] {
			seen[n] = true
			queue = append(queue, next[start[n]:start[n+1]]...)
		}
	}
	return seen
}

// along is where an edge begins and where it leads to, the other way round if backwards.
func (e *edge) along(backwards bool) (from, to int32) {
	if backwards {
		return e.to, e.from
	}
	return e.from, e.to
}

func (a *activity) is(set []bool, x loop.Atom) bool {
	v, ok := x.(*loop.Var)
	if !ok {
		return false
	}
	id := a.ids.Get(v)
	return int(id) < len(set) && set[id] // no node is 0
}

// active tells whether an atom gets a cotangent or tangent.
func (a *activity) active(x loop.Atom) bool {
	return isReal(x.AtomKind()) && a.is(a.varies, x) && a.is(a.matters, x)
}

// mayTie tells whether an operation may jump where that matters.
func (a *activity) mayTie(s *loop.Let) bool {
	if !hasReal(s.Args) || !a.is(a.relevant, s.Var) || a.active(s.Var) {
		return false
	}
	if len(s.Args) == 2 && s.Args[0] == s.Args[1] {
		return false // a test of whether it is a number
	}
	for _, x := range s.Args {
		if x.AtomKind() == loop.F64 && a.is(a.varies, x) {
			return jumps(s.Op, a.rule(s.Op))
		}
	}
	return false
}

// jumps tells whether an operation on reals, of which something is known or nothing, may jump.
func jumps(op *loop.Op, r *Rule) bool {
	return r == nil && op.Result != loop.F64 || r != nil && r.jumps()
}

// mayJump tells whether some operation may jump in a function or in those that it calls.
func (d *derivatives) mayJump(f *loop.Func) bool {
	if from := d.reads[f]; isKeeper(from) {
		return false
	} else if from != nil {
		f = from
	}
	is, ok := d.jumping[f]
	if ok {
		return is
	}
	here := func(s loop.Stmt) bool {
		let, ok := s.(*loop.Let)
		return ok && hasReal(let.Args) && jumps(let.Op, d.known(let.Op))
	}
	is = loop.Any(f.Body, here)
	for g := range reachedFrom(f) {
		is = is || loop.Any(g.Body, here)
	}
	d.jumping[f] = is
	return is
}

// calling says what of a call matters.
func (a *activity) calling(s *loop.Call) calling {
	c := calling{wanted: make([]bool, len(s.Args)), results: make([]bool, len(s.Results)), decided: a.decided(s)}
	for i, x := range s.Args {
		c.wanted[i] = a.active(x) || c.decided != nil && a.varying(x)
	}
	for i, v := range s.Results {
		c.results[i] = a.active(v)
	}
	return c
}

// ofRead is what matters of a call whose results are on the tape, where this is what matters of the
// call that reads them: which has the cursor and the tape in some place, and gives the next cursor.
func (c calling) ofRead(at int) calling {
	last := len(c.results) - 1
	c.wanted, c.results = slices.Delete(slices.Clone(c.wanted), at, at+3), c.results[:last]
	if c.decided != nil {
		c.decided = c.decided[:last]
	}
	return c
}

// String writes it as a part of a name.
func (c calling) String() string {
	name := pattern(c.wanted) + "." + pattern(c.results)
	if c.decided != nil {
		name += "." + pattern(c.decided)
	}
	return name
}

// decided tells which results of a call are relevant without being active, although reals vary
// among its arguments.
func (a *activity) decided(s *loop.Call) []bool {
	if s.Func.Rule != nil || !slices.ContainsFunc(s.Args, a.varying) || !a.mayJump(s.Func) {
		return nil
	}
	results := s.Results
	if a.reads(s.Func) {
		results = results[:len(results)-1] // the cursor says what others do
	}
	var out []bool
	for i, v := range results {
		if a.is(a.relevant, v) && !a.active(v) {
			if out == nil {
				out = make([]bool, len(s.Results))
			}
			out[i] = true
		}
	}
	return out
}

// varying tells whether an atom holds reals that vary.
func (a *activity) varying(x loop.Atom) bool { return isReal(x.AtomKind()) && a.is(a.varies, x) }

// touches tells whether a statement has something that is active or may tie.
func (a *activity) touches(s loop.Stmt) bool {
	if a.watches != nil && a.watches(s) {
		return true
	}
	switch s := s.(type) {
	case *loop.Let:
		return a.active(s.Var) || a.mayTie(s)
	case *loop.Load:
		return a.active(s.Var)
	case *loop.Store:
		return a.active(s.Buf) && a.active(s.Value)
	case *loop.Accum:
		return a.active(s.Buf) && a.active(s.Value)
	}
	found := false
	loop.Defs(s, func(v *loop.Var) { found = found || a.active(v) })
	if c, ok := s.(*loop.Call); ok && !found {
		found = slices.ContainsFunc(c.AddedTo(), func(v *loop.Var) bool { return a.active(v) }) || a.decided(c) != nil
	}
	return found || loop.AnyWithin(s, a.touches)
}

// needs calls f with each atom that a statement reads, at any depth. A buffer that is added to is
// not read: the order of additions does not matter.
func needs(s loop.Stmt, f func(loop.Atom)) {
	switch s := s.(type) {
	case *loop.Accum:
		f(s.At)
		f(s.Value)
	case *loop.Call:
		for _, a := range s.Args[:len(s.Args)-s.Func.Adds] {
			f(a)
		}
	default:
		loop.Uses(s, f)
	}
	loop.Blocks(s, func(b *loop.Block) {
		for _, s := range b.Stmts {
			needs(s, f)
		}
		for _, a := range b.Yield {
			f(a)
		}
	})
}

// literal is what is written to a buffer at literal indices, and whether there are other writes to
// it.
type literal struct {
	at     []int64
	values []loop.Atom
	other  bool
}

// sink adds the node of an atom to those that matter.
func (a *activity) sink(sinks []int32, x loop.Atom) []int32 {
	if v, ok := x.(*loop.Var); ok {
		sinks = append(sinks, a.id(v))
	}
	return sinks
}

// withoutCaptured gives up if something varies that a function with a rule depends on, and of which
// its rule says nothing.
func withoutCaptured(f *loop.Func, act *activity) {
	loop.Walk(f.Body, func(s loop.Stmt) {
		c, ok := s.(*loop.Call)
		if !ok || c.Func.Rule == nil {
			return
		}
		if !slices.ContainsFunc(c.Results, func(v *loop.Var) bool { return isReal(v.Kind) }) {
			return
		}
		for _, a := range c.Args[c.Func.Rule.Reals:] {
			if isReal(a.AtomKind()) && act.is(act.varies, a) {
				panic(notCovered("a function with a rule that says nothing of what it captures"))
			}
		}
	})
}
