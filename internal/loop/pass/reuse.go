package pass

import (
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Reuse]
//
// The reversal of a loop runs the loop's body again. Where the two loops cannot be joined, since
// the second needs a total of the first, some of what both compute is better stored by the first
// than computed again by the second:
//
//	for i < n, add.f from 0.0 { e = exp xs[i]; yield e } gives s
//	for i < n { e = exp xs[i]; ys[i] = div.f e s }
//
// They need not be single loops: a *site* is a variable in a nest of parallel loops, and two
// sites of the same value number whose nests have the same counts have the same value in each
// turn. The counts of the inner loops must be known in front of the nest, for the buffer to be
// made there. If the first nest stores the value already, at the index of its only loop, that
// buffer will do.
//
// A value is stored if computing it costs more than a store and a load. In the outermost block,
// where the buffer is as long as the data, it must cost much more, and a nest is a single loop.

// The costs from which on a value is stored: in the outermost block, and inside of loops.
const (
	worthOutside = 16
	worthInside  = 5
)

// Reuse stores what a later nest of loops would compute again: Note [Reuse].
func Reuse(f *loop.Func) { reuseWith(f, nil) }

func reuseWith(f *loop.Func, k *known) {
	var r *reuser
	for depth, some := range candidates(nil, f.Body, 0) {
		if !some {
			continue
		}
		if r == nil || r.changed {
			if r = (&reuser{n: k.numbers(f)}); r.n.updates {
				r.consumed = loop.Updated(f.Body)
			}
		}
		r.depth = depth
		f.Body = r.descend(f.Body, 0)
		if r.changed {
			r.n.release()
			CSE(f)
			DeadCode(f)
		}
	}
	if r != nil && !r.changed {
		r.n.release()
	}
}

// candidates tells of each depth of loops whether a block there has two nests, so that something
// may be computed again.
func candidates(out []bool, b *loop.Block, depth int) []bool {
	if depth == len(out) {
		out = append(out, false)
	}
	out[depth] = out[depth] || nests(b) > 1
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *loop.For:
			out = candidates(out, s.Body, depth+1)
		case *loop.While:
			out = candidates(candidates(out, s.Cond, depth), s.Body, depth)
		case *loop.If:
			out = candidates(candidates(out, s.Then, depth), s.Else, depth)
		}
	}
	return out
}

// nests is the number of parallel nests of a block.
func nests(b *loop.Block) int {
	n := 0
	for _, s := range b.Stmts {
		if root, ok := s.(*loop.For); ok && root.Parallel {
			n++
		}
	}
	return n
}

// reuser does the blocks of one depth.
type reuser struct {
	n        *numbering
	depth    int
	consumed map[*loop.Var]bool
	first    []int32 // by number, the first nest of a block that has it, plus one
	changed  bool
}

func (r *reuser) descend(b *loop.Block, depth int) *loop.Block {
	if depth == r.depth {
		b = r.block(b)
	}
	out := loop.Rebuild(b)
	for i := out.Nested(b, 0); i < len(b.Stmts); i = out.Nested(b, i+1) {
		s := b.Stmts[i]
		below := depth
		if _, ok := s.(*loop.For); ok {
			below++
		}
		if below <= r.depth {
			s = loop.MapBlocks(s, func(b *loop.Block) *loop.Block { return r.descend(b, below) })
		}
		out.Add(s)
	}
	return out.Rebuilt(b, b.Yield)
}

// site is a variable in a nest of parallel loops.
type site struct {
	v    *loop.Var
	nest []*loop.For
	key
}

// key is what sites with the same values have in common: the number of the variable, and that of
// the counts of the loops.
type key struct{ value, counts int32 }

// producer is the first site of its number. If later ones load its value, it has a buffer.
type producer struct {
	site
	buf   *loop.Var
	fresh bool // whether the buffer is still to be made and filled
}

// index is where the value of a site is kept; the inner loops have the counts of another nest.
func (p *producer) index(b *loop.Builder, nest []*loop.For) loop.Atom {
	at := loop.Atom(nest[0].Index)
	for i, s := range nest[1:] {
		at = b.Let("at", loop.MulI, at, p.nest[i+1].Count)
		at = b.Let("at", loop.AddI, at, s.Index)
	}
	return at
}

// block does the nests of one block.
func (r *reuser) block(b *loop.Block) *loop.Block {
	if nests(b) < 2 {
		return b // nothing is computed again
	}
	shared := r.shared(b)
	if len(shared) == 0 {
		return b
	}
	first := map[key]*producer{}
	made := map[loop.Stmt][]*producer{} // by the nests they are in
	loads := map[loop.Stmt]map[*loop.Var]load{}
	for _, s := range b.Stmts {
		root, ok := s.(*loop.For)
		if !ok || !shared[s] {
			continue
		}
		sites := map[*loop.Var]site{}
		var order []site
		r.sites(root, func(at site) {
			sites[at.v] = at
			order = append(order, at)
		})
		loads[s] = map[*loop.Var]load{}
		var again []*loop.Var
		if len(first) > 0 {
			again = r.demanded(root, func(v *loop.Var) bool { return first[sites[v].key] != nil })
		}
		for _, v := range again {
			p := first[sites[v].key]
			if p.buf == nil {
				r.keep(p)
				if p.fresh {
					made[p.nest[0]] = append(made[p.nest[0]], p)
				}
			}
			loads[s][v] = load{p, sites[v].nest}
			r.changed = true
		}
		for _, at := range order {
			if first[at.key] == nil {
				first[at.key] = &producer{site: at}
			}
		}
	}
	if len(made) == 0 && !r.changed {
		return b
	}
	out := loop.Rebuild(b)
	for _, s := range b.Stmts {
		stores := map[*loop.Var]*producer{}
		for _, p := range made[s] {
			size := out.Let("n", loop.MaxI, p.nest[0].Count, loop.Int(0))
			for _, inner := range p.nest[1:] {
				size = out.Let("n", loop.MulI, size, out.Let("n", loop.MaxI, inner.Count, loop.Int(0)))
			}
			out.Add(&loop.Alloc{Var: p.buf, Len: size})
			stores[p.v] = p
		}
		if len(stores)+len(loads[s]) > 0 {
			s = exchange(s, stores, loads[s])
		}
		out.Add(s)
	}
	return out.Rebuilt(b, b.Yield)
}

// shared gives the parallel nests of a block that have a number in common with another one.
func (r *reuser) shared(b *loop.Block) map[loop.Stmt]bool {
	var out map[loop.Stmt]bool
	r.first = zeros(r.first, int(r.n.Next()))
	for k, s := range b.Stmts {
		root, ok := s.(*loop.For)
		if !ok || !root.Parallel {
			continue
		}
		nest := int32(k + 1)
		see := func(v *loop.Var) {
			if v.Kind != loop.F64 {
				return
			}
			n := r.n.Of.Get(v)
			switch first := r.first[n]; {
			case n == 0 || first == nest:
			case first == 0:
				r.first[n] = nest
			default:
				put(&out, b.Stmts[first-1], true)
				put(&out, s, true)
			}
		}
		loop.Walk(root.Body, func(x loop.Stmt) {
			switch x := x.(type) {
			case *loop.Let:
				see(x.Var)
			case *loop.Load:
				see(x.Var)
			default:
				loop.Defs(x, see)
			}
		})
	}
	return out
}

// sites calls f with the sites of a nest that hold doubles.
func (r *reuser) sites(root *loop.For, f func(site)) {
	var inside loop.VarSet
	loop.Walk(root.Body, func(s loop.Stmt) { loop.Defs(s, inside.Add) })
	var visit func(s *loop.For, nest []*loop.For, counts int32)
	visit = func(s *loop.For, nest []*loop.For, counts int32) {
		if v, ok := s.Count.(*loop.Var); !s.Parallel || len(nest) > 0 && ok && (inside.Has(v) || indexOf(nest, v)) {
			return
		}
		if len(nest) > 0 && r.depth == 0 {
			return
		}
		nest = append(nest[:len(nest):len(nest)], s)
		counts = r.n.ID(byCounts, counts, r.n.Atom(s.Count))
		for _, x := range s.Body.Stmts {
			loop.Defs(x, func(v *loop.Var) {
				if number := r.n.Of.Get(v); number != 0 && v.Kind == loop.F64 {
					f(site{v, nest, key{number, counts}})
				}
			})
			if x, ok := x.(*loop.For); ok {
				visit(x, nest, counts)
			}
		}
	}
	visit(root, nil, 0)
}

func indexOf(nest []*loop.For, v *loop.Var) bool {
	for _, s := range nest {
		if s.Index == v {
			return true
		}
	}
	return false
}

// demanded gives the variables of a nest that are worth it, are known from before and are needed
// for what is not.
func (r *reuser) demanded(root *loop.For, known func(*loop.Var) bool) []*loop.Var {
	worth := worthInside
	if r.depth == 0 {
		worth = worthOutside
	}
	var out []*loop.Var
	d := newLiveness(&loop.Block{Stmts: []loop.Stmt{root}})
	c := costs{d, map[*loop.Var]int{}}
	d.stop = func(v *loop.Var) bool {
		if !known(v) || c.of(v) < worth {
			return false
		}
		out = append(out, v)
		return true
	}
	for _, a := range root.Body.Yield {
		d.use(a)
	}
	for _, v := range outer(root) {
		d.use(v)
	}
	d.follow()
	d.release()
	return out
}

// costs estimates what it costs to compute a variable of a nest.
type costs struct {
	*liveness
	done map[*loop.Var]int
}

// turns is the number of turns that an inner loop is taken to have.
const turns = 8

// mostCost bounds estimates.
const mostCost = 1 << 20

func (c *costs) of(a loop.Atom) int {
	v, ok := a.(*loop.Var)
	if !ok {
		return 0
	}
	if n, ok := c.done[v]; ok {
		return n
	}
	c.done[v] = 0 // if it depends on itself
	n := 0
	for w := range c.written(v) {
		if w, ok := c.nodes[w].stmt.(*loop.Store); ok {
			n += c.of(w.Value)
		}
	}
	stmt, k := c.def(v)
	switch s := stmt.(type) {
	case *loop.Let:
		if s.Op.Result == loop.F64 {
			n += s.Op.Cost
		}
		for _, a := range s.Args {
			n += c.of(a)
		}
	case *loop.Load:
		n += 1 + c.of(s.Buf)
	case *loop.For:
		n += turns * (1 + c.of(s.Body.Yield[k]))
	case *loop.If:
		n += 1 + max(c.of(s.Then.Yield[k]), c.of(s.Else.Yield[k]))
	}
	n = min(n, mostCost)
	c.done[v] = n
	return n
}

// keep finds or makes the buffer of a producer.
func (r *reuser) keep(p *producer) {
	if len(p.nest) == 1 {
		for _, s := range p.nest[0].Body.Stmts {
			s, ok := s.(*loop.Store)
			if ok && s.Value == loop.Atom(p.v) && s.At == loop.Atom(p.nest[0].Index) && !r.consumed[s.Buf] {
				p.buf = s.Buf
				return
			}
		}
	}
	p.buf, p.fresh = loop.NewVar(p.v.Name+".kept", loop.F64s), true
}

// load says from where a variable is loaded.
type load struct {
	from *producer
	nest []*loop.For
}

// exchange makes a nest store some variables and load others instead of computing them.
func exchange(s loop.Stmt, stores map[*loop.Var]*producer, loads map[*loop.Var]load) loop.Stmt {
	r := newRewriter(nil)
	r.m.Block = func(b *loop.Block) *loop.Block {
		out := &loop.Builder{}
		for _, s := range b.Stmts {
			loop.Defs(s, func(v *loop.Var) {
				if l, ok := loads[v]; ok {
					r.subst.Set(v, out.Load(v.Name, l.from.buf, l.from.index(out, l.nest)))
				}
			})
			out.Add(r.m.Stmt(s))
			loop.Defs(s, func(v *loop.Var) {
				if p := stores[v]; p != nil {
					out.Store(p.buf, p.index(out, p.nest), v)
				}
			})
		}
		return out.Block(r.atoms(b.Yield)...)
	}
	return r.m.Stmt(s)
}
