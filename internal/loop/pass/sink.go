package pass

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Sinking]
//
// What a turn of a parallel loop adds to a buffer from outside may be a linear function of a few
// varying scalars, whose coefficients are the same in all turns:
//
//	for i < n { …; for r < d { v = …; for c < d { a[c] += mul.f m[r*d+c] v } } }
//
// Then the loop need only add up the scalars, and the linear function is applied once, to the sums:
//
//	for i < n { …; for r < d { v = …; s[r] += v } }
//	for r < d { v = s[r]; for c < d { a[c] += mul.f m[r*d+c] v } }
//
// The function may go through buffers of the turn, to which it is added in turn, and through
// inner sums. The scalars at which it begins are the *cuts*: what is not linear, or is used for
// something else too. It pays if every cut stands in fewer loops than what follows it. The second
// part is a copy of the loop's body, of which only the chosen accumulations are wanted; the rest
// is dead code. If the loop has no turn, it does not run.

// Sink takes linear functions out of loops: Note [Sinking].
func Sink(f *loop.Func) {
	f.Body = sinkBlock(f.Body)
}

func sinkBlock(b *loop.Block) *loop.Block {
	out := loop.Rebuild(b)
	for i := out.Nested(b, 0); i < len(b.Stmts); i = out.Nested(b, i+1) {
		s := b.Stmts[i]
		if x, ok := s.(*loop.For); ok && x.Parallel && loop.Any(x.Body, isAccum) && sinkLoop(out, x) {
			continue
		}
		out.Add(loop.MapBlocks(s, sinkBlock))
	}
	return out.Rebuilt(b, b.Yield)
}

// sinkLoop appends a loop and the linear functions that have left it, or tells that there are none.
func sinkLoop(out *loop.Builder, s *loop.For) bool {
	k := &sinker{loop: s, varies: loop.Varying(s), inside: loop.Local(s)}
	defer k.varies.Release()
	defer k.inside.Release()
	k.inside.Add(s.Index)
	if !k.mayFind() {
		return false
	}
	k.gather()
	defer k.release()
	if !k.find() {
		return false
	}
	k.emit(out)
	return true
}

// sinker finds the linear functions in one loop.
type sinker struct {
	*liveness
	loop   *loop.For
	varies *loop.VarSet
	inside *loop.VarSet              // variables that are bound in the loop
	uses   loop.VarMap[int32]        // how often a variable is used in it
	loads  map[*loop.Var][]loop.Stmt // of a buffer

	cuts  []*producer             // whose sums are added up
	cut   map[*loop.Var]*producer // by variable
	apart map[loop.Stmt]bool      // the accumulations that leave the loop
}

// mayFind tells whether something is added to the same place of a buffer from outside in all turns,
// and no function is called.
func (k *sinker) mayFind() bool {
	found := false
	calls := loop.Any(k.loop.Body, func(s loop.Stmt) bool {
		if a, ok := s.(*loop.Accum); ok {
			found = found || !k.inside.Has(a.Buf) && !k.varies.HasAtom(a.At)
		}
		_, is := s.(*loop.Call)
		return is
	})
	return found && !calls
}

// gather finds who makes and uses what in the loop.
func (k *sinker) gather() {
	k.liveness = newLiveness(k.loop.Body)
	k.loads, k.cut, k.apart = map[*loop.Var][]loop.Stmt{}, map[*loop.Var]*producer{}, map[loop.Stmt]bool{}
	loop.Walk(k.loop.Body, func(s loop.Stmt) {
		if s, ok := s.(*loop.Load); ok {
			k.loads[s.Buf] = append(k.loads[s.Buf], s)
		}
	})
	loop.AllUses(k.loop.Body, func(a loop.Atom) {
		if v, ok := a.(*loop.Var); ok {
			*k.uses.At(v)++
		}
	})
}

// find chooses the accumulations that leave the loop.
func (k *sinker) find() bool {
	for id, n := range k.nodes {
		if a, ok := n.stmt.(*loop.Accum); ok && !k.inside.Has(a.Buf) {
			k.try(int32(id), a)
		}
	}
	return len(k.apart) > 0
}

// try lets an accumulation leave the loop if that pays.
func (k *sinker) try(id int32, a *loop.Accum) {
	l := &linear{sinker: k, cuts: map[*loop.Var]*producer{}}
	if !l.write(id, a.At, a.Value) {
		return
	}
	for _, p := range l.cuts {
		if len(p.nest) >= l.deepest {
			return
		}
	}
	k.apart[a] = true
	for _, v := range l.order {
		if k.cut[v] == nil {
			k.cut[v] = l.cuts[v]
			k.cuts = append(k.cuts, l.cuts[v])
		}
	}
}

// linear is what is known of one accumulation.
type linear struct {
	*sinker
	cuts    map[*loop.Var]*producer
	order   []*loop.Var // of the cuts
	deepest int         // the most loops around something of it
}

func (l *linear) varying(a loop.Atom) bool {
	v, ok := a.(*loop.Var)
	return ok && l.varies.Has(v)
}

// nest gives the loops around a statement, or false if something else is around it, or a loop
// whose count is not known in front of all.
func (l *linear) nest(id int32) ([]*loop.For, bool) {
	var out []*loop.For
	for id = l.nodes[id].parent; id != 0; id = l.nodes[id].parent {
		x, ok := l.nodes[id].stmt.(*loop.For)
		if !ok || !x.Parallel || l.varying(x.Count) {
			return nil, false
		}
		out = append([]*loop.For{x}, out...)
	}
	return out, true
}

// at takes note of a statement that is linear.
func (l *linear) at(id int32) bool {
	nest, ok := l.nest(id)
	l.deepest = max(l.deepest, len(nest))
	return ok
}

// write tells whether a write is linear.
func (l *linear) write(id int32, at, value loop.Atom) bool {
	return !l.varying(at) && l.at(id) && l.of(value)
}

// of tells whether a value is linear in cuts.
func (l *linear) of(a loop.Atom) bool {
	v, ok := a.(*loop.Var)
	if !ok || !l.varies.Has(v) {
		return false
	}
	def, cuts, deepest := l.defs.Get(v), len(l.order), l.deepest
	if l.uses.Get(v) == 1 && l.at(def.node) && l.made(def) {
		return true
	}
	for _, v := range l.order[cuts:] {
		delete(l.cuts, v)
	}
	l.order, l.deepest = l.order[:cuts], deepest
	return l.make(v, def.node)
}

// made tells whether what a statement binds is a linear function of what is linear.
func (l *linear) made(d def) bool {
	switch s := l.nodes[d.node].stmt.(type) {
	case *loop.Let:
		x, y := s.Args[0], s.Args[len(s.Args)-1]
		switch s.Op {
		case loop.NegF:
			return l.of(x)
		case loop.AddF, loop.SubF:
			return l.of(x) && l.of(y)
		case loop.MulF:
			return !l.varying(y) && l.of(x) || !l.varying(x) && l.of(y)
		case loop.DivF:
			return !l.varying(y) && l.of(x)
		}
	case *loop.Load:
		return l.buffer(s)
	case *loop.For:
		if s.Parallel && !l.varying(s.Count) {
			red := s.Reds[d.n]
			return red.Op == loop.AddF && isReal(red.Init, 0) && l.of(s.Body.Yield[d.n])
		}
	}
	return false
}

// buffer tells whether a read is one of a buffer of the turn, the only one, of what is linear.
func (l *linear) buffer(s *loop.Load) bool {
	writers := slices.Collect(l.written(s.Buf))
	if !l.inside.Has(s.Buf) || l.varying(s.At) || len(l.loads[s.Buf]) != 1 || int(l.uses.Get(s.Buf)) != 1+len(writers) {
		return false
	}
	if made, _ := l.def(s.Buf); !isAlloc(made) {
		return false
	}
	for _, id := range writers {
		switch w := l.nodes[id].stmt.(type) {
		case *loop.Store:
			if !l.write(id, w.At, w.Value) {
				return false
			}
		case *loop.Accum:
			if !l.write(id, w.At, w.Value) {
				return false
			}
		}
	}
	return len(writers) > 0
}

func isAccum(s loop.Stmt) bool { _, ok := s.(*loop.Accum); return ok }

func isAlloc(s loop.Stmt) bool { _, ok := s.(*loop.Alloc); return ok }

// make makes a variable a cut.
func (l *linear) make(v *loop.Var, id int32) bool {
	if id == 0 || v.Kind != loop.F64 {
		return false
	}
	nest, ok := l.nest(id)
	for _, x := range nest {
		if n, isVar := x.Count.(*loop.Var); isVar && l.inside.Has(n) {
			return false
		}
	}
	if ok && l.cuts[v] == nil {
		l.cuts[v] = &producer{site: site{v: v, nest: nest}, buf: loop.NewVar(v.Name+".sum", loop.F64s)}
		l.order = append(l.order, v)
	}
	return ok
}

// emit appends the loop, and what has left it.
func (k *sinker) emit(out *loop.Builder) {
	for _, p := range k.cuts {
		size := loop.Atom(loop.Int(1))
		for _, x := range p.nest {
			size = out.Let("n", loop.MulI, size, out.Let("n", loop.MaxI, x.Count, loop.Int(0)))
		}
		out.Add(&loop.Alloc{Var: p.buf, Len: size, Zero: true})
	}
	sums := *k.loop
	sums.Body = k.sums(k.loop.Body)
	out.Add(&sums)
	after := &loop.Builder{}
	c := loop.NewCopier()
	c.Set(k.loop.Index, loop.Int(0))
	k.rest(after, c, k.loop.Body)
	some := out.Let("some", loop.LtI, loop.Int(0), k.loop.Count)
	out.Add(&loop.If{Cond: some, Then: after.Block(), Else: &loop.Block{}})
}

// sums is a block of the loop, with sums of the cuts instead of what leaves it.
func (k *sinker) sums(b *loop.Block) *loop.Block {
	out := loop.Rebuild(b)
	for _, s := range b.Stmts {
		if !k.apart[s] {
			out.Add(loop.MapBlocks(s, k.sums))
		}
		loop.Defs(s, func(v *loop.Var) {
			if p := k.cut[v]; p != nil {
				out.Accum(p.buf, p.flat(out), v)
			}
		})
	}
	return out.Rebuilt(b, b.Yield)
}

// flat is the index of a producer's value in its own nest.
func (p *producer) flat(b *loop.Builder) loop.Atom {
	if len(p.nest) == 0 {
		return loop.Int(0)
	}
	return p.index(b, p.nest)
}

// rest copies a block of the loop, with what leaves it as the only effect.
func (k *sinker) rest(out *loop.Builder, c *loop.Copier, b *loop.Block) []loop.Atom {
	m := &loop.Mapper{Use: c.Atom, Bind: c.Bind, Block: func(b *loop.Block) *loop.Block {
		inner := &loop.Builder{}
		yield := k.rest(inner, c, b)
		return inner.Block(yield...)
	}}
	for _, s := range b.Stmts {
		switch x := s.(type) {
		case *loop.Store:
			if !k.inside.Has(x.Buf) {
				continue
			}
		case *loop.Accum:
			if !k.inside.Has(x.Buf) && !k.apart[s] {
				continue
			}
		case *loop.Check:
			continue
		}
		out.Add(m.Stmt(s))
		loop.Defs(s, func(v *loop.Var) {
			if p := k.cut[v]; p != nil {
				at := &loop.Builder{}
				i := p.flat(at)
				for _, s := range at.Stmts {
					out.Add(m.Stmt(s))
				}
				c.Set(v, out.Load(v.Name, p.buf, c.Atom(i)))
			}
		})
	}
	yield := make([]loop.Atom, len(b.Yield))
	for i, a := range b.Yield {
		yield[i] = c.Atom(a)
	}
	return yield
}
