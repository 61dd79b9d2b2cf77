package grad

import (
	"maps"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Directions]
//
// The forward derivative in n directions at once computes values once, and the tangents of all
// directions beside them. A buffer has a *wide* tangent, with n elements for each of its own: that
// of xs[i] in direction k is dxs[i·n + k]. The statements of the outermost block, of its branches
// and of the bodies of its parallel loops are emitted as they are. What they do to tangents is
// collected, and follows them as a loop over the directions, a *segment*:
//
//	for i < m { x = xs[i]; y = sin x; ys[i] = y }
//	for i < m { x = xs[i]; y = sin x; ys[i] = y; c = cos x; for k < n { dx = dxs[i·n + k]; dy = mul.f c dx; dys[i·n + k] = dy } }
//
// The other loops, those with states and totals above all, are in segments as a whole, and compute
// the values that their tangents need once more. A buffer that is made there has a tangent like in
// a single direction, and so have scalars. What is needed in another segment is kept: a scalar as n
// elements.
//
// So a map over many elements can run in lanes, whatever its directions are, and a loop over
// directions that is not in one can too.

// Directions is the forward derivative of f in n directions, at most 64: Note [Directions]. The
// tangents of parameters that are wanted, and those of results, have n elements for each double.
// There is a further parameter for each wanted one that is a buffer, with the masks of its
// elements and a further one, which means nothing: Note [Masks]. Else it is like Forward.
func Directions(p *loop.Program, f *loop.Func, wanted []bool, n int64, rules Rules) (out *loop.Func, err error) {
	if err := wantable(f, wanted); err != nil {
		return nil, err
	}
	defer caught(f, &err)
	d := newDerivatives(p, rules)
	return d.directions(f, wanted, n), nil
}

func (d *derivatives) directions(f *loop.Func, wanted []bool, n int64) *loop.Func {
	loop.Walk(f.Body, func(s loop.Stmt) {
		switch s.(type) {
		case *loop.Call, *loop.Update:
			panic(notCovered("calls and updates, in several directions"))
		}
	})
	results := make([]bool, len(f.Body.Yield))
	for i, y := range f.Body.Yield {
		results[i] = isReal(y.AtomKind())
	}
	of := calling{wanted: wanted, results: results}
	f = d.ordered(f, of, loop.MulF, loop.MaxF, loop.MinF)
	x := &directions{pusher: d.pusher(f, of), masks: newMasks(f), n: loop.Int(n), wide: map[*loop.Var]bool{},
		kept: map[*loop.Var]*loop.Var{}, home: map[*loop.Var]*segment{}, closed: map[loop.Stmt]*segment{}}
	x.dirs = x
	out := &loop.Func{Name: f.Name + ".dirs"}
	for _, p := range f.Params {
		out.Params = append(out.Params, x.env.Bind(p))
	}
	for i, p := range f.Params {
		if wanted[i] {
			out.Params = append(out.Params, x.widened(p))
		}
	}
	for i, p := range f.Params {
		if wanted[i] && p.Kind == loop.F64s {
			m := &rows{buf: loop.NewVar("masks", loop.I64s), size: 1, any: allDirections}
			out.Params = append(out.Params, m.buf)
			m.count = x.b.Length(x.env.Atom(p).(*loop.Var))
			x.masks.rows[p] = m
		}
	}
	x.block(f.Body, true)
	yield := x.atoms(f.Body.Yield)
	for i, y := range f.Body.Yield {
		if results[i] {
			yield = append(yield, x.wideOf(y))
		}
	}
	x.masks.uncleared()
	out.Body = x.finished(x.b).Block(append(yield, x.tied)...)
	return out
}

// widened makes a variable for the wide tangent of an old one.
func (d *directions) widened(old *loop.Var) *loop.Var {
	t := loop.NewVar("d"+old.Name, loop.F64s)
	if old.Kind == loop.F64 {
		d.kept[old] = t
	} else {
		d.tans[old], d.wide[old] = t, true
	}
	return t
}

// block does a block outside of segments. In the outermost one, loops may be.
func (d *directions) block(b *loop.Block, outermost bool) {
	d.stmts(b, outermost)
	d.close()
}

// stmts does the statements of a block, and leaves the last segment open.
func (d *directions) stmts(b *loop.Block, outermost bool) {
	for _, s := range b.Stmts {
		d.d.program.Watch.Poll()
		if !d.act.touches(s) && !writesActive(d.act, s) {
			emit(d.b, d.env, s)
			continue
		}
		switch s := s.(type) {
		case *loop.Alloc:
			d.value(s)
			d.masks.made[s.Var] = &loop.Alloc{Var: d.widened(s.Var), Len: d.times(d.env.Atom(s.Len)), Zero: s.Zero}
			d.b.Add(d.masks.made[s.Var])
			continue
		case *loop.Copy:
			d.close()
			t := d.wideOf(s.Buf)
			d.value(s)
			d.b.Add(&loop.Copy{Var: d.widened(s.Var), Buf: t})
			continue
		case *loop.If:
			d.close()
			d.wideBranch(s, outermost)
			continue
		case *loop.For:
			if outermost && d.isMap(s) {
				d.close()
				d.wideLoop(s)
				continue
			}
			if r := d.masks.sums[s]; r != nil {
				d.close()
				d.rowSum(s, r)
				continue
			}
		}
		if d.now != nil && d.conflicts(s) {
			d.close()
		}
		d.beside(s)
	}
}

// isMap tells whether a loop is parallel, and has no totals that move.
func (d *directions) isMap(s *loop.For) bool {
	for _, r := range s.Reds {
		if d.act.active(r.Result) {
			return false
		}
	}
	return s.Parallel
}

// conflicts tells whether a statement reads a buffer whose tangent the open segment writes, or the
// other way round.
func (d *directions) conflicts(s loop.Stmt) bool {
	found := false
	read := func(a loop.Atom) {
		if v, ok := a.(*loop.Var); ok && d.now.writes[v] {
			found = true
		}
	}
	visit := func(s loop.Stmt) {
		switch s := s.(type) {
		case *loop.Store:
			found = found || d.now.loads[s.Buf]
		case *loop.Accum:
			found = found || d.now.loads[s.Buf]
		default:
			loop.Uses(s, read)
			loop.Blocks(s, func(b *loop.Block) {
				for _, a := range b.Yield {
					read(a)
				}
			})
		}
	}
	visit(s)
	loop.Blocks(s, func(b *loop.Block) { loop.Walk(b, visit) })
	return found
}

// beside emits a statement, and what it does to tangents in the open segment.
func (d *directions) beside(s loop.Stmt) { d.follow(s, d.value(s)) }

// follow emits what a statement of a mask does to tangents in the open segment.
func (d *directions) follow(s loop.Stmt, mask loop.Atom) {
	var room [4]loop.Atom
	values := room[:0] // of what it binds
	loop.Defs(s, func(v *loop.Var) { values = append(values, d.env.Atom(v)) })
	now, b, tied := d.open(), d.b, d.tied
	now.mask = d.or(now.mask, mask)
	d.b, d.tied = now.body, now.tied
	switch s := s.(type) {
	case *loop.Let:
		d.let(s)
	case *loop.Load, *loop.Store, *loop.Accum:
		d.access(s)
	default:
		d.local = map[*loop.Var]bool{}
		d.stmt(s)
		d.local = nil
	}
	now.tied, d.b, d.tied = d.tied, b, tied
	loop.Defs(s, func(v *loop.Var) {
		d.env.Set(v, values[0]) // and not what was computed once more
		values = values[1:]
		if t := d.tans[v]; t != nil {
			now.tans[v] = t
		}
	})
	visit := func(s loop.Stmt) {
		switch s := s.(type) {
		case *loop.Store:
			now.writes[s.Buf] = d.wide[s.Buf]
		case *loop.Accum:
			now.writes[s.Buf] = d.wide[s.Buf]
		}
	}
	visit(s)
	loop.Blocks(s, func(b *loop.Block) { loop.Walk(b, visit) })
}

// open is the open segment, a new one if there is none.
func (d *directions) open() *segment {
	if d.now == nil {
		d.now = &segment{k: loop.NewVar("k", loop.I64), body: &loop.Builder{}, tied: loop.Truth(false), mask: loop.Int(0),
			tans: map[*loop.Var]loop.Atom{}, writes: map[*loop.Var]bool{}, loads: map[*loop.Var]bool{}, reads: map[*loop.Load]maskedRead{}}
	}
	return d.now
}

// close emits the open segment.
func (d *directions) close() {
	now := d.now
	if now == nil {
		return
	}
	d.now = nil
	if d.along != nil {
		now.loop = d.along.loop(d, now)
	} else {
		now.loop = &loop.For{Index: now.k, Count: d.n, Parallel: true, Body: now.body.Block()}
	}
	var results []*loop.Var
	if !isFalse(now.tied) {
		any := loop.NewVar("tied", loop.Bool)
		now.loop.Reds = []loop.Red{{Op: loop.Or, Init: loop.Truth(false), Result: any}}
		now.loop.Body.Yield = []loop.Atom{now.tied}
		results = append(results, any)
	}
	d.emitSegment(now, results)
	for v := range now.tans {
		d.home[v] = now
		delete(d.tans, v)
	}
}

// emitSegment emits the loop of a segment that has been closed, and whether it is tied, if that is
// a result. If the turns of the loop around cannot run in lanes, the segment is skipped where no
// direction moves what it computes: Note [Masks].
func (d *directions) emitSegment(s *segment, tied []*loop.Var) {
	stmt := loop.Stmt(s.loop)
	for v, wide := range s.writes {
		if wide && d.masks.made[v] == nil {
			d.reads(v) // a part of it: the rest has another mask
		} else if wide {
			d.masks.write[v]++
		}
	}
	_, known := s.mask.(*loop.Const)
	if d.masks.now == 1 && !d.masks.lanes && !known && len(tied) == 0 {
		s.skips = true
		for v, wide := range s.writes {
			if made := d.masks.made[v]; !wide {
				continue
			} else if made != nil {
				d.masks.zeros[v] = d.masks.zeros[v] || !made.Zero
				made.Zero = true
			} else {
				s.skips = false
			}
		}
	}
	d.settle(s)
	if s.skips {
		stmt = d.groups(s)
	}
	d.b.Add(stmt)
	d.closed[stmt] = s
	for _, any := range tied {
		d.tied = either(d.b, d.tied, any)
	}
}

// groupSize is the number of directions that run together.
const groupSize = 8

// groups is the loop of a segment over groups of directions. A group begins with the first
// direction that moves something and is not in a group before, so that those of a mask that lie
// close to each other are in one. The last group ends with the last direction and is as long as the
// others, if it does no harm that directions run twice: a loop whose turns are known takes one
// vector.
func (d *directions) groups(s *segment) loop.Stmt {
	n := d.n.(*loop.Const).I
	rest := newState("rest", loop.I64, loop.Atom(s.mask))
	b, then := &loop.Builder{}, &loop.Builder{}
	if n < 64 {
		rest.Init = d.b.Let("rest", loop.AndI, s.mask, loop.Int(1<<n-1))
	}
	first := lowestBit(then, rest.Var)
	s.loop.Body = selecting(s.loop.Body, s.reads, s.k)
	s.loop.Index = loop.NewVar("j", loop.I64)
	switch {
	case n <= groupSize:
		first, s.loop.Count = loop.Int(0), d.n
	case s.repeatable():
		first, s.loop.Count = then.Let("first", loop.MinI, first, loop.Int(n-groupSize)), loop.Int(groupSize)
	default:
		s.loop.Count = then.Let("count", loop.MinI, then.Let("count", loop.SubI, d.n, first), loop.Int(groupSize))
	}
	k := &loop.Let{Var: s.k, Op: loop.AddI, Args: []loop.Atom{first, s.loop.Index}}
	s.loop.Body.Stmts = slices.Insert(s.loop.Body.Stmts, 0, loop.Stmt(k))
	then.Add(s.loop)
	done := then.Let("done", loop.ShlI, loop.Int(1<<groupSize-1), first)
	others := then.Let("rest", loop.AndI, rest.Var, then.Let("others", loop.XorI, done, loop.Int(-1)))
	more := b.Let("more", loop.NeI, rest.Var, loop.Int(0))
	return &loop.While{States: []loop.State{rest}, Cond: b.Block(more), Body: then.Block(others)}
}

// repeatable tells whether a segment may run again in a direction: it does not read what it writes.
func (s *segment) repeatable() bool {
	for v, wide := range s.writes {
		if wide && s.loads[v] {
			return false
		}
	}
	adds := false
	loop.Walk(s.loop.Body, func(x loop.Stmt) {
		_, ok := x.(*loop.Accum)
		adds = adds || ok
	})
	return !adds
}

// lowestBit emits the number of the lowest bit of an integer that is not zero, by way of the
// exponent of a double.
func lowestBit(b *loop.Builder, x loop.Atom) loop.Atom {
	bit := b.Let("bit", loop.AndI, x, b.Let("bit", loop.NegI, x))
	word := b.Let("word", loop.Bits, b.Let("power", loop.ToReal, bit))
	exponent := b.Let("exponent", loop.AndI, b.Let("exponent", loop.ShrU, word, loop.Int(52)), loop.Int(0x7ff))
	return b.Let("first", loop.SubI, exponent, loop.Int(1023))
}

// finished puts what was added to segments in front of them.
func (d *directions) finished(b *loop.Builder) *loop.Builder {
	before := func(s loop.Stmt) []loop.Stmt {
		switch s.(type) {
		case *loop.For, *loop.While:
			if closed := d.closed[s]; closed != nil {
				return closed.before
			}
		}
		return nil
	}
	more := 0
	for _, s := range b.Stmts {
		more += len(before(s))
	}
	if more == 0 {
		return b
	}
	out := &loop.Builder{Stmts: make([]loop.Stmt, 0, len(b.Stmts)+more)}
	for _, s := range b.Stmts {
		out.Add(before(s)...)
		out.Add(s)
	}
	return out
}

// again is a statement that is part of a segment, without checks and without writes to buffers from
// outside, which have happened; nil if that is nothing.
func (d *directions) again(s loop.Stmt) loop.Stmt {
	switch s := s.(type) {
	case *loop.Check:
		return nil
	case *loop.Store:
		if !d.local[s.Buf] {
			return nil
		}
	case *loop.Accum:
		if !d.local[s.Buf] {
			return nil
		}
	case *loop.Alloc:
		d.local[s.Var] = true
	}
	if !loop.Compound(s) {
		return s
	}
	m := loop.Mapper{Use: func(a loop.Atom) loop.Atom { return a }, Bind: func(v *loop.Var) *loop.Var { return v }}
	m.Block = func(b *loop.Block) *loop.Block {
		out := &loop.Block{Yield: b.Yield}
		for _, s := range b.Stmts {
			if s = d.again(s); s != nil {
				out.Stmts = append(out.Stmts, s)
			}
		}
		return out
	}
	return m.Stmt(s)
}

// recalled is the tangent of an old variable that another segment has computed, or nil.
func (d *directions) recalled(v *loop.Var) loop.Atom {
	if d == nil {
		return nil
	}
	t := d.keep(v)
	if t != nil && v.Kind == loop.F64 {
		return d.b.Load("d"+v.Name, t, d.now.k)
	}
	if t != nil {
		return t
	}
	return nil
}

// keep is the wide tangent of an old variable that a closed segment has computed, nil if none has.
func (d *directions) keep(v *loop.Var) *loop.Var {
	if t := d.kept[v]; t != nil {
		return t
	}
	home := d.home[v]
	if home == nil {
		return nil
	}
	delete(d.home, v)
	t, before := d.widened(v), loop.Builder{}
	inside := loop.Builder{Stmts: home.loop.Body.Stmts}
	if v.Kind == loop.F64 {
		before.Add(&loop.Alloc{Var: t, Len: d.n, Zero: home.skips})
		inside.Store(t, home.k, home.tans[v])
	} else {
		n := before.Length(d.env.Atom(v).(*loop.Var))
		before.Add(&loop.Alloc{Var: t, Len: before.Let("n", loop.MulI, n, d.n), Zero: home.skips})
		inside.Parallel("i", n, func(b *loop.Builder, i *loop.Var) {
			at := b.Let("at", loop.AddI, b.Let("n", loop.MulI, i, d.n), home.k)
			b.Store(t, at, b.Load("d", home.tans[v].(*loop.Var), i))
		})
	}
	home.before = append(home.before, before.Stmts...)
	home.loop.Body.Stmts = inside.Stmts
	return t
}

// wideOf is the wide tangent of an old atom.
func (d *directions) wideOf(a loop.Atom) *loop.Var {
	if v, ok := a.(*loop.Var); ok {
		if d.wide[v] {
			d.reads(v)
			return d.tans[v].(*loop.Var)
		}
		if t := d.keep(v); t != nil {
			return t
		}
	}
	if a.AtomKind() == loop.F64 {
		return d.b.Alloc("zeros", loop.F64s, d.n, true)
	}
	return d.b.Alloc("zeros", loop.F64s, d.times(d.b.Length(d.env.Atom(a).(*loop.Var))), true)
}

// wideBranch does a branch outside of segments.
func (d *directions) wideBranch(s *loop.If, outermost bool) {
	var moving []*loop.Var
	for _, v := range s.Results {
		if d.act.active(v) {
			moving = append(moving, v)
		}
	}
	joins := make([]*join, len(s.Results))
	for i, v := range s.Results {
		joins[i] = &join{result: v}
	}
	out := &loop.If{Cond: d.env.Atom(s.Cond)}
	var blocks [2]*loop.Builder
	var tied [2]loop.Atom
	var yield [2][]loop.Atom
	var of, turn [2]map[*loop.Var]loop.Atom
	before, turns := d.masks.of, d.masks.turn
	for k, block := range []*loop.Block{s.Then, s.Else} {
		d.masks.of, d.masks.turn = maps.Clone(before), maps.Clone(turns)
		side := d.masks.side
		d.masks.side = block
		blocks[k], tied[k] = d.inner(func() {
			d.block(block, outermost)
			yield[k] = d.atoms(block.Yield)
			for i, v := range s.Results {
				if d.act.active(v) {
					yield[k] = append(yield[k], d.yielded(block.Yield[i], joins[i]))
					d.masks.of[v] = d.mask(block.Yield[i])
				}
			}
		})
		of[k], turn[k], d.masks.side = d.masks.of, d.masks.turn, side
	}
	d.masks.of, d.masks.turn = before, turns
	masks := append(d.leftBy(s, d.masks.merge(before, of)), d.leftBy(s, d.masks.merge(turns, turn))...)
	for _, v := range s.Results {
		out.Results = append(out.Results, d.env.Bind(v))
	}
	for _, v := range moving {
		out.Results = append(out.Results, d.widened(v))
	}
	for _, j := range joins {
		d.masks.joined(j)
	}
	for _, c := range masks {
		m := loop.NewVar("mask", loop.I64)
		out.Results = append(out.Results, m)
		c.at[c.v] = m
		yield[0], yield[1] = append(yield[0], c.sides[0]), append(yield[1], c.sides[1])
	}
	d.b.Add(out)
	if !isFalse(tied[0]) || !isFalse(tied[1]) {
		any := loop.NewVar("tied", loop.Bool)
		out.Results = append(out.Results, any)
		yield[0], yield[1] = append(yield[0], tied[0]), append(yield[1], tied[1])
		d.tied = either(d.b, d.tied, any)
	}
	out.Then = d.finished(blocks[0]).Block(yield[0]...)
	out.Else = d.finished(blocks[1]).Block(yield[1]...)
}

// wideLoop does a parallel loop outside of segments.
func (d *directions) wideLoop(s *loop.For) {
	out := &loop.For{Count: d.env.Atom(s.Count), Parallel: true}
	var totals totals
	inits := make([]loop.Atom, len(s.Reds))
	for i, r := range s.Reds {
		inits[i] = d.env.Atom(r.Init)
	}
	turn := d.masks.turn
	d.masks.now, d.masks.turn = 1, map[*loop.Var]loop.Atom{}
	if _, _, d.masks.lanes = loop.Vectorises(s, false); d.masks.lanes {
		d.rowSums(s)
	}
	out.Index = d.env.Bind(s.Index)
	outer := d.b
	b, tied := d.inner(func() {
		d.block(s.Body, false)
		for i, r := range s.Reds {
			totals.add(r.Op, inits[i], d.env.Atom(s.Body.Yield[i]), func(v *loop.Var) { d.env.Set(r.Result, v) })
		}
		d.rowMasks(outer, s, out, &totals)
	})
	d.masks.now, d.masks.turn = 0, turn
	d.addLoop(out, b, &totals, tied)
}

// addLoop adds a loop with a body and its totals, of which one tells whether a turn was tied.
func (d *directions) addLoop(out *loop.For, body *loop.Builder, totals *totals, tied loop.Atom) {
	if !isFalse(tied) {
		totals.add(loop.Or, loop.Truth(false), tied, func(any *loop.Var) { d.tied = either(d.b, d.tied, any) })
	}
	out.Reds = totals.reds
	out.Body = d.finished(body).Block(totals.yield...)
	d.b.Add(out)
	for _, then := range totals.then {
		then()
	}
}
