// Package looptest makes random functions of the loop form, for tests of passes,
// derivatives and engines.
package looptest

import (
	"math/rand/v2"
	"os"
	"strconv"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Options say what random functions may have.
type Options struct {
	Size    int  // about the number of statements in a block; 6 if it is 0
	Depth   int  // of nested loops and branches; 3 if it is 0
	Updates bool // buffers updated in place
	Copies  bool // buffers that are copied to be updated
	Whiles  bool
	Resizes bool // buffers that are states and change their length
	Checks  bool // checks that may fail, and reads that rely on them
	Smooth  bool // only operations that have derivatives everywhere
	Calls   bool // calls of functions that call themselves
	Kinked  bool // max, min and abs for what else has none somewhere, and for comparisons of reals
}

// Random is a random function with its arguments. It is well formed: Eval runs it without
// failing, whatever the seed.
func Random(rng *rand.Rand, o Options) (*loop.Func, []loop.Value) {
	if o.Size == 0 {
		o.Size = 6
	}
	if o.Depth == 0 {
		o.Depth = 3
	}
	g := &generator{Rand: rng, o: o}
	if o.Calls {
		g.callable()
	}
	n := 1 + g.IntN(6)
	length, xs, ks := loop.NewVar("n", loop.I64), loop.NewVar("xs", loop.F64s), loop.NewVar("ks",
		loop.I64s)
	x, y := loop.NewVar("x", loop.F64), loop.NewVar("y", loop.F64)
	sc := &scope{reals: []loop.Atom{x, y}, ints: []loop.Atom{length}, lens: []loop.Atom{length},
		bufs: []buffer{{xs, length}, {ks, length}}}
	f := &loop.Func{Name: "random", Params: []*loop.Var{x, y, length, xs, ks}}
	var b loop.Builder
	g.stmts(&b, sc, o.Depth)
	if o.Calls {
		g.call(&b, sc)
	}
	yield := []loop.Atom{g.real(&b, sc), g.real(&b, sc)}
	for _, buf := range sc.bufs {
		if buf.v != xs && buf.v != ks && g.IntN(2) == 0 {
			yield = append(yield, buf.v)
		}
	}
	f.Body = b.Block(yield...)
	reals, ints := make([]float64, n), make([]int64, n)
	for i := range reals {
		reals[i], ints[i] = g.Float64()*4-2, g.Int64N(20)-5
	}
	return f, []loop.Value{loop.RealValue(g.Float64()*4 - 2), loop.RealValue(g.Float64()*4 - 2),
		loop.IntValue(int64(n)),
		loop.RealsValue(reals), loop.IntsValue(ints)}
}

type generator struct {
	*rand.Rand
	o      Options
	called *called // nil if there are no calls
}

// buffer is a buffer that may be read, and its length, which is positive.
type buffer struct {
	v   *loop.Var
	len loop.Atom
}

// index is the index of a loop and the loop's count.
type index struct{ v, count loop.Atom }

// scope is what may be used at a point.
type scope struct {
	reals, ints, bools []loop.Atom
	lens               []loop.Atom // positive integers that are not large
	bufs               []buffer
	indices            []index
}

func (s *scope) inner() *scope {
	c := *s
	c.reals, c.ints, c.bools = clip(c.reals), clip(c.ints), clip(c.bools)
	c.lens, c.bufs, c.indices = clip(c.lens), clip(c.bufs), clip(c.indices)
	return &c
}

func clip[T any](xs []T) []T { return xs[:len(xs):len(xs)] }

func pick[T any](g *generator, xs []T) T { return xs[g.IntN(len(xs))] }

// recent picks one of the last few more often than the others.
func recent[T any](g *generator, xs []T) T {
	if n := len(xs); n > 4 && g.IntN(2) == 0 {
		return xs[n-1-g.IntN(4)]
	}
	return pick(g, xs)
}

func (g *generator) atom(sc *scope, k loop.Kind) loop.Atom {
	switch k {
	case loop.F64:
		if g.IntN(6) == 0 {
			return loop.Real(pick(g, []float64{0, 1, -1, 0.5, 2, 3}))
		}
		return recent(g, sc.reals)
	case loop.I64:
		if g.IntN(6) == 0 {
			return loop.Int(g.Int64N(5) - 1)
		}
		return recent(g, sc.ints)
	}
	if len(sc.bools) == 0 || g.IntN(8) == 0 {
		return loop.Truth(g.IntN(2) == 0)
	}
	return recent(g, sc.bools)
}

func (g *generator) real(b *loop.Builder, sc *scope) loop.Atom {
	a := g.atom(sc, loop.F64)
	if _, ok := a.(*loop.Const); ok {
		return b.Let("r", loop.AddF, a, recent(g, sc.reals))
	}
	return a
}

var (
	smoothOps = []string{"add.f", "sub.f", "mul.f", "add.f", "mul.f", "neg.f", "tanh", "sin", "cos",
		"select.f"}
	otherOps = []string{"div.f", "max.f", "min.f", "abs.f", "sqrt", "exp", "fma", "floor.f"}
	intOps   = []string{"add.i", "sub.i", "mul.i", "max.i", "min.i", "div.i", "mod.i", "and.i",
		"xor.i", "select.i", "real", "word"}
	boolOps   = []string{"lt.i", "le.i", "eq.i", "and", "or", "not", "select.b"}
	realTests = []string{"lt.f", "le.f", "eq.f", "ne.f"}
	kinkedOps = []string{"max.f", "min.f", "abs.f"}
)

// let appends an operation.
func (g *generator) let(b *loop.Builder, sc *scope) {
	names := smoothOps
	switch k := g.IntN(8); {
	case k == 0:
		names = intOps
	case k == 1:
		names = boolOps
	case k <= 4 && g.o.Kinked:
		names = kinkedOps
	case k == 2:
		names = realTests
	case k <= 4 && !g.o.Smooth:
		names = otherOps
	}
	op := loop.Lookup(pick(g, names))
	args := make([]loop.Atom, len(op.Args))
	for i, k := range op.Args {
		args[i] = g.atom(sc, k)
	}
	a := b.Let("t", op, args...)
	if op == loop.MulF || op.Name == "exp" { // keep values small
		a = b.Let("t", loop.Lookup("tanh"), a)
	}
	g.add(sc, a)
}

func (g *generator) add(sc *scope, as ...loop.Atom) {
	for _, a := range as {
		switch a.AtomKind() {
		case loop.F64:
			sc.reals = append(sc.reals, a)
		case loop.I64:
			sc.ints = append(sc.ints, a)
		case loop.Bool:
			sc.bools = append(sc.bools, a)
		}
	}
}

// at is an index of a buffer.
func (g *generator) at(b *loop.Builder, sc *scope, n loop.Atom) loop.Atom {
	if g.IntN(3) > 0 {
		for i := len(sc.indices) - 1; i >= 0; i-- {
			if same(sc.indices[i].count, n) {
				return sc.indices[i].v
			}
		}
	}
	return b.Let("at", loop.ModI, g.atom(sc, loop.I64), n)
}

func same(a, b loop.Atom) bool {
	x, ok := a.(*loop.Const)
	y, ok2 := b.(*loop.Const)
	return a == b || ok && ok2 && *x == *y
}

func (g *generator) load(b *loop.Builder, sc *scope) {
	buf := recent(g, sc.bufs)
	g.add(sc, b.Load("x", buf.v, g.at(b, sc, buf.len)))
}

// checked reads a buffer at an index that is checked before, or checks something that holds more
// often.
func (g *generator) checked(b *loop.Builder, sc *scope) {
	buf := recent(g, sc.bufs)
	i := g.atom(sc, loop.I64)
	if n := len(sc.indices); n > 0 && g.IntN(4) > 0 {
		at := sc.indices[g.IntN(n)]
		switch g.IntN(3) {
		case 0:
			i = at.v
		case 1: // from the end
			i = b.Let("i", loop.SubI, b.Let("i", loop.SubI, buf.len, loop.Int(1)), at.v)
		case 2:
			i = b.Let("i", loop.AddI, at.v, loop.Int(g.Int64N(2)))
		}
	}
	b.Check(b.Let("low", loop.LeI, loop.Int(0), i), diag.Span{})
	b.Check(b.Let("high", loop.LtI, i, buf.len), diag.Span{})
	g.add(sc, b.Load("x", buf.v, i))
}

func (g *generator) length(sc *scope) loop.Atom {
	if g.IntN(2) == 0 {
		return loop.Int(1 + g.Int64N(4))
	}
	return pick(g, sc.lens)
}

func (g *generator) stmts(b *loop.Builder, sc *scope, depth int) {
	for range 1 + g.IntN(2*g.o.Size-1) {
		g.stmt(b, sc, depth)
	}
}

func (g *generator) stmt(b *loop.Builder, sc *scope, depth int) {
	if depth == 0 {
		if g.IntN(4) == 0 {
			g.load(b, sc)
		} else {
			g.let(b, sc)
		}
		return
	}
	if g.called != nil && depth >= g.called.depth && g.IntN(8) == 0 {
		g.call(b, sc)
		return
	}
	if depth > 1 && g.IntN(20) == 0 {
		g.exchange(b, sc)
		return
	}
	if g.o.Copies && g.IntN(6) == 0 {
		g.versions(b, sc, depth)
		return
	}
	if g.o.Resizes && g.IntN(10) == 0 {
		g.resized(b, sc, depth)
		return
	}
	switch g.IntN(24) {
	case 0, 1:
		g.build(b, sc, depth)
	case 2:
		g.accumulate(b, sc, depth)
	case 3, 4:
		g.total(b, sc, depth)
	case 5:
		g.sequence(b, sc, depth)
	case 6:
		g.branch(b, sc, depth)
	case 7:
		if g.o.Whiles {
			g.while(b, sc, depth)
		}
	case 8:
		if g.o.Updates {
			g.updates(b, sc, depth)
		}
	case 9:
		if g.o.Checks {
			g.checked(b, sc)
			break
		}
		buf := recent(g, sc.bufs)
		n := b.Length(buf.v)
		b.Check(b.Let("ok", loop.LeI, n, buf.len), diag.Span{})
		g.add(sc, n)
	case 10, 11, 12, 13:
		g.load(b, sc)
	case 14:
		g.appended(b, sc)
	case 15:
		g.rows(b, sc)
	default:
		g.let(b, sc)
	}
}

// count is the count of a loop: mostly that of some buffer, now and then 0 or negative.
func (g *generator) count(sc *scope) loop.Atom {
	if g.IntN(12) == 0 {
		return loop.Int(g.Int64N(2) - 1)
	}
	return g.length(sc)
}

func (s *scope) within(i *loop.Var, count loop.Atom) *scope {
	c := s.inner()
	c.ints = append(c.ints, i)
	c.indices = append(c.indices, index{i, count})
	return c
}

// build makes a buffer, each element by a turn of a parallel loop.
func (g *generator) build(b *loop.Builder, sc *scope, depth int) {
	n := g.length(sc)
	kind := loop.F64s
	if g.IntN(5) == 0 {
		kind = loop.I64s
	}
	buf := b.Alloc("buf", kind, n, false)
	b.Parallel("i", n, func(b *loop.Builder, i *loop.Var) {
		in := sc.within(i, n)
		g.stmts(b, in, depth-1)
		b.Store(buf, i, g.atom(in, kind.Elem()))
	})
	sc.bufs = append(sc.bufs, buffer{buf, n})
}

// appended makes two buffers and copies them to a third, one after the other.
func (g *generator) appended(b *loop.Builder, sc *scope) {
	var parts [2]buffer
	for k := range parts {
		in := sc.inner()
		g.build(b, in, 1)
		if parts[k] = in.bufs[len(in.bufs)-1]; parts[k].v.Kind != loop.F64s || g.IntN(4) == 0 {
			sc.bufs = append(sc.bufs, parts[k])
			parts[k] = g.reals(sc)
		}
	}
	n := b.Let("n", loop.AddI, parts[0].len, parts[1].len)
	out := b.Alloc("both", loop.F64s, n, false)
	g.copy(b, out, parts[0], loop.Int(0))
	g.copy(b, out, parts[1], parts[0].len)
	sc.bufs = append(sc.bufs, buffer{out, n})
}

// copy copies a buffer to places of another, from an index on.
func (g *generator) copy(b *loop.Builder, to *loop.Var, from buffer, start loop.Atom) {
	b.Parallel("i", from.len, func(b *loop.Builder, i *loop.Var) {
		b.Store(to, b.Let("at", loop.AddI, i, start), b.Load("x", from.v, i))
	})
}

// rows makes a buffer by rows, each of which is made first and then copied.
func (g *generator) rows(b *loop.Builder, sc *scope) {
	n, k := g.length(sc), g.length(sc)
	size := b.Let("n", loop.MulI, n, k)
	out := b.Alloc("rows", loop.F64s, size, false)
	b.Parallel("i", n, func(b *loop.Builder, i *loop.Var) {
		in := sc.within(i, n)
		row := buffer{b.Alloc("row", loop.F64s, k, false), k}
		b.Parallel("j", k, func(b *loop.Builder, j *loop.Var) {
			in := in.within(j, k)
			g.stmts(b, in, 0)
			b.Store(row.v, j, g.atom(in, loop.F64))
		})
		start := b.Let("start", loop.MulI, i, k)
		if g.IntN(4) == 0 { // it is needed otherwise too
			g.add(in, b.Load("x", row.v, loop.Int(0)))
			g.let(b, in)
		}
		g.copy(b, out, row, start)
	})
	sc.bufs = append(sc.bufs, buffer{out, size})
}

// accumulate adds to the elements of a buffer.
func (g *generator) accumulate(b *loop.Builder, sc *scope, depth int) {
	n, count := g.length(sc), g.count(sc)
	buf := b.Alloc("acc", loop.F64s, n, true)
	b.Parallel("i", count, func(b *loop.Builder, i *loop.Var) {
		in := sc.within(i, count)
		g.stmts(b, in, depth-1)
		b.Accum(buf, g.at(b, in, n), g.atom(in, loop.F64))
	})
	sc.bufs = append(sc.bufs, buffer{buf, n})
}

func (g *generator) reds(b *loop.Builder, in, sc *scope) (reds []loop.Red, yield []loop.Atom) {
	ops := []*loop.Op{loop.AddF, loop.AddF, loop.AddF, loop.AddI, loop.Or}
	if !g.o.Smooth {
		ops = append(ops, loop.MaxF, loop.MinF, loop.MaxI, loop.And)
	}
	for range 1 + g.IntN(3) {
		op := pick(g, ops)
		reds = append(reds, loop.Red{Op: op, Init: g.atom(sc, op.Result),
			Result: loop.NewVar("total", op.Result)})
		yield = append(yield, g.atom(in, op.Result))
	}
	return reds, yield
}

// total is a parallel loop with totals.
func (g *generator) total(b *loop.Builder, sc *scope, depth int) {
	s := &loop.For{Index: loop.NewVar("i", loop.I64), Count: g.count(sc), Parallel: true}
	in, body := sc.within(s.Index, s.Count), &loop.Builder{}
	g.stmts(body, in, depth-1)
	reds, yield := g.reds(b, in, sc)
	s.Reds, s.Body = reds, body.Block(yield...)
	b.Add(s)
	for _, r := range reds {
		g.add(sc, r.Result)
	}
}

// sequence is a loop with states, some of them buffers that each turn replaces by new ones or by
// others.
func (g *generator) sequence(b *loop.Builder, sc *scope, depth int) {
	s := &loop.For{Index: loop.NewVar("i", loop.I64), Count: g.count(sc)}
	in, body := sc.within(s.Index, s.Count), &loop.Builder{}
	kinds := []loop.Kind{loop.F64}
	for range g.IntN(4) {
		kinds = append(kinds, pick(g,
			[]loop.Kind{loop.F64, loop.I64, loop.Bool, loop.F64s, loop.F64s, loop.F64s}))
	}
	s.Thrifty = len(kinds) == 2
	inits := make([]buffer, len(kinds))
	for k, kind := range kinds {
		st := loop.State{Var: loop.NewVar("s", kind), Result: loop.NewVar("s", kind)}
		if kind == loop.F64s {
			// two that may change places
			if inits[k] = g.reals(sc); k > 1 && kinds[k-1] == kind && g.IntN(2) == 0 {
				inits[k] = inits[k-1]
			}
			st.Init = inits[k].v
			in.bufs = append(in.bufs, buffer{st.Var, inits[k].len})
		} else {
			st.Init = g.atom(sc, kind)
			g.add(in, st.Var)
		}
		s.States = append(s.States, st)
	}
	g.stmts(body, in, depth-1)
	var yield []loop.Atom
	for k, kind := range kinds {
		if kind != loop.F64s {
			yield = append(yield, g.atom(in, kind))
			continue
		}
		// of another state, or from before the loop
		if other := g.reals(in); other.len == inits[k].len && g.IntN(2) == 0 {
			yield = append(yield, other.v)
			continue
		}
		next := body.Alloc("next", loop.F64s, inits[k].len, false)
		body.Parallel("j", inits[k].len, func(b *loop.Builder, j *loop.Var) {
			in := in.within(j, inits[k].len)
			g.stmts(b, in, 0)
			b.Store(next, j, g.atom(in, loop.F64))
		})
		yield = append(yield, next)
	}
	if g.IntN(3) == 0 {
		reds, more := g.reds(b, in, sc)
		s.Reds, yield = reds, append(yield, more...)
	}
	s.Body = body.Block(yield...)
	b.Add(s)
	g.after(sc, s.States, inits)
	for _, r := range s.Reds {
		g.add(sc, r.Result)
	}
}

// exchange is a loop whose states are buffers that change places from turn to turn, and new ones
// made of distant elements of them: a method of several steps for a differential equation. Some of
// it is behind a branch.
func (g *generator) exchange(b *loop.Builder, sc *scope) {
	n := int64(1 + g.IntN(40))
	length := loop.Int(n)
	s := &loop.For{Index: loop.NewVar("i", loop.I64), Count: loop.Int(int64(g.IntN(6))),
		Thrifty: g.IntN(3) == 0}
	at := func(b *loop.Builder, j loop.Atom) loop.Atom {
		return b.Let("at", loop.ModI,
			b.Let("far", loop.MulI, b.Let("next", loop.AddI, j, loop.Int(int64(g.IntN(5)))),
				loop.Int(7)), length)
	}
	for range 2 + g.IntN(3) {
		start := b.Alloc("start", loop.F64s, length, false)
		b.Parallel("j", length, func(b *loop.Builder, j *loop.Var) {
			in := sc.within(j, length)
			b.Store(start, j, b.Let("x", loop.AddF, g.atom(in, loop.F64),
				b.Let("x", loop.Lookup("sin"), b.Let("x", loop.ToReal, j))))
		})
		s.States = append(s.States,
			loop.State{Var: loop.NewVar("s", loop.F64s), Init: start,
				Result: loop.NewVar("s", loop.F64s)})
	}
	state := func() *loop.Var { return pick(g, s.States).Var }
	step := func(b *loop.Builder) *loop.Var {
		if g.IntN(3) > 0 {
			return state()
		}
		next := b.Alloc("next", loop.F64s, length, false)
		x, y := state(), state()
		b.Parallel("j", length, func(b *loop.Builder, j *loop.Var) {
			half := b.Let("x", loop.MulF, b.Load("x", x, at(b, j)), loop.Real(0.5))
			b.Store(next, j, b.Let("x", loop.SubF, half,
				b.Let("y", loop.MulF, b.Load("y", y, at(b, j)), loop.Real(0.25))))
		})
		return next
	}
	var body loop.Builder
	var yield []loop.Atom
	for range s.States {
		next := step(&body)
		if g.IntN(4) == 0 {
			var then, otherwise loop.Builder
			either := &loop.If{Results: []*loop.Var{loop.NewVar("c", loop.F64s)},
				Cond: body.Let("odd", loop.EqI, body.Let("odd", loop.ModI, s.Index, loop.Int(2)),
					loop.Int(1))}
			either.Then, either.Else = then.Block(next), otherwise.Block(step(&otherwise))
			body.Add(either)
			next = either.Results[0]
		}
		yield = append(yield, next)
	}
	s.Body = body.Block(yield...)
	b.Add(s)
	for _, st := range s.States {
		sc.bufs = append(sc.bufs, buffer{st.Result, length})
	}
}

func (g *generator) after(sc *scope, states []loop.State, inits []buffer) {
	for k, st := range states {
		if st.Var.Kind.IsBuffer() {
			sc.bufs = append(sc.bufs, buffer{st.Result, inits[k].len})
		} else {
			g.add(sc, st.Result)
		}
	}
}

// reals picks a buffer of doubles; the first parameter of that kind is always there.
func (g *generator) reals(sc *scope) buffer {
	for range 8 {
		if b := recent(g, sc.bufs); b.v.Kind == loop.F64s {
			return b
		}
	}
	return sc.bufs[0]
}

// updates is a loop whose state is a buffer that it updates in place.
func (g *generator) updates(b *loop.Builder, sc *scope, depth int) {
	from := g.reals(sc)
	start := loop.NewVar("start", loop.F64s)
	b.Add(&loop.Copy{Var: start, Buf: from.v})
	s := &loop.For{Index: loop.NewVar("i", loop.I64), Count: g.count(sc), Thrifty: depth%2 == 1}
	st := loop.State{Var: loop.NewVar("s", loop.F64s), Init: start,
		Result: loop.NewVar("s", loop.F64s)}
	in, body := sc.within(s.Index, s.Count), &loop.Builder{}
	in.bufs = append(in.bufs, buffer{st.Var, from.len})
	g.stmts(body, in, depth-1)
	now := st.Var
	for range 1 + g.IntN(2) {
		// Buffers that a call or branch made an alias of the state cannot be read any more.
		next := loop.NewVar("s", loop.F64s)
		body.Add(&loop.Update{Var: next, Buf: now, At: g.at(body, in, from.len),
			Value: g.atom(in, loop.F64)})
		in.bufs = []buffer{{next, from.len}}
		in.bufs = append(in.bufs, sc.bufs...)
		g.stmts(body, in, 0)
		now = next
	}
	s.States = []loop.State{st}
	s.Body = body.Block(now)
	b.Add(s)
	sc.bufs = append(sc.bufs, buffer{st.Result, from.len})
}

// while is a loop that a counter ends, if nothing does before.
func (g *generator) while(b *loop.Builder, sc *scope, depth int) {
	k := loop.State{Var: loop.NewVar("k", loop.I64), Init: loop.Int(0),
		Result: loop.NewVar("k", loop.I64)}
	x := loop.State{Var: loop.NewVar("w", loop.F64), Init: g.atom(sc, loop.F64),
		Result: loop.NewVar("w", loop.F64)}
	in := sc.inner()
	g.add(in, k.Var, x.Var)
	body, cond := &loop.Builder{}, g.condition(in, k.Var)
	g.stmts(body, in, depth-1)
	next := body.Let("k", loop.AddI, k.Var, loop.Int(1))
	b.Add(&loop.While{States: []loop.State{k, x}, Cond: cond,
		Body: body.Block(next, g.atom(in, loop.F64))})
	g.add(sc, k.Result, x.Result)
}

// condition tells whether a While goes on, by its counter and by what is computed, which may be in
// buffers of its own.
func (g *generator) condition(in *scope, turns *loop.Var) *loop.Block {
	c, b := in.inner(), &loop.Builder{}
	g.stmts(b, c, g.IntN(2))
	more := b.Let("more", loop.LtI, turns, loop.Int(g.Int64N(5)))
	return b.Block(b.Let("more", loop.And, more, g.atom(c, loop.Bool)))
}

// branch is an If; it may choose a buffer too.
func (g *generator) branch(b *loop.Builder, sc *scope, depth int) {
	s := &loop.If{Cond: g.atom(sc, loop.Bool)}
	kinds := []loop.Kind{loop.F64}
	for range g.IntN(2) {
		kinds = append(kinds, pick(g, []loop.Kind{loop.F64, loop.I64, loop.Bool}))
	}
	for _, k := range kinds {
		s.Results = append(s.Results, loop.NewVar("c", k))
	}
	var n loop.Atom
	if g.IntN(4) == 0 {
		n = g.length(sc)
		s.Results = append(s.Results, loop.NewVar("c", loop.F64s))
	}
	side := func() *loop.Block {
		in, body := sc.inner(), &loop.Builder{}
		g.stmts(body, in, depth-1)
		var yield []loop.Atom
		for _, k := range kinds {
			yield = append(yield, g.atom(in, k))
		}
		if n != nil {
			buf := body.Alloc("buf", loop.F64s, n, false)
			body.Parallel("i", n, func(b *loop.Builder, i *loop.Var) {
				in := in.within(i, n)
				g.stmts(b, in, 0)
				b.Store(buf, i, g.atom(in, loop.F64))
			})
			yield = append(yield, buf)
		}
		return body.Block(yield...)
	}
	s.Then, s.Else = side(), side()
	b.Add(s)
	for _, v := range s.Results {
		if v.Kind.IsBuffer() {
			sc.bufs = append(sc.bufs, buffer{v, n})
		} else {
			g.add(sc, v)
		}
	}
}

// Checks returns how many cases a random test draws. n stands for 100 of rapid's checks, of which
// the suite makes 30 unless RAPID_CHECKS says otherwise.
func Checks(n int) uint64 {
	checks := 30
	if k, err := strconv.Atoi(os.Getenv("RAPID_CHECKS")); err == nil && k > 0 {
		checks = k
	}
	return uint64(max(n*checks/100, 1))
}
