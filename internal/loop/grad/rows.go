package grad

import (
	"maps"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// rowMasks ends the turn of a loop that writes to buffers: their masks are those of what the turns
// write, and those of rows are stored.
func (d *directions) rowMasks(outer *loop.Builder, s, out *loop.For, totals *totals) {
	for _, buf := range d.masks.sorted(maps.Keys(d.masks.turn)) {
		m, before := d.masks.turn[buf], d.masks.of[buf]
		var r *rows
		if size := d.rowSize(s, buf); size > 0 && isWord(before, 0) && !isWord(m, -1) && d.masks.home[buf] == d.masks.side {
			r = &rows{buf: loop.NewVar("masks", loop.I64s), size: size}
			r.count = outer.Let("rows", loop.MaxI, out.Count, loop.Int(0))
			outer.Add(&loop.Alloc{Var: r.buf, Len: outer.Let("rows", loop.AddI, r.count, loop.Int(1))})
			d.b.Store(r.buf, out.Index, m)
		}
		totals.add(loop.OrI, loop.Int(0), m, func(any *loop.Var) {
			switch {
			case r != nil:
				r.any, d.masks.rows[buf] = any, r
			case before == nil:
				d.masks.of[buf] = allDirections
			default:
				d.masks.of[buf] = d.or(before, any)
			}
		})
	}
}

// rowSize is the number of elements that a turn of a loop writes to a buffer, if each turn writes a
// row of the same size and the rows are the buffer; else 0.
func (d *directions) rowSize(s *loop.For, buf *loop.Var) int64 {
	size := int64(-1)
	loop.Walk(s.Body, func(x loop.Stmt) {
		var at loop.Atom
		switch x := x.(type) {
		case *loop.Store:
			if x.Buf != buf {
				return
			}
			at = x.At
		case *loop.Accum:
			if x.Buf != buf {
				return
			}
			at = x.At
		default:
			return
		}
		r := d.masks.ints.factor(at, s.Index)
		if size < 0 {
			size = r
		}
		row, ok := d.masks.ints.row(at, max(r, 1))
		if r != size || !ok || !row.only(s.Index) {
			size = 0
		}
	})
	if size <= 0 || d.masks.lens[buf] == nil {
		return 0
	}
	if !d.masks.ints.isMultiple(d.masks.lens[buf], s.Count, size) {
		return 0
	}
	return size
}

// loop is the loop of a segment over some directions.
func (x *some) loop(d *directions, s *segment) *loop.For {
	q := loop.NewVar("q", loop.I64)
	first, count := x.count(d.b)
	body := &loop.Builder{}
	body.Add(&loop.Load{Var: s.k, Buf: x.list, At: body.Let("at", loop.AddI, first, q)})
	body.Add(s.body.Stmts...)
	return &loop.For{Index: q, Count: count, Parallel: true, Body: body.Block()}
}

// rowSums finds the sums over rows in the block of a loop, and emits the lists of their directions.
func (d *directions) rowSums(s *loop.For) {
	defs := map[*loop.Var]loop.Stmt{}
	for _, x := range s.Body.Stmts {
		loop.Defs(x, func(v *loop.Var) { defs[v] = x })
	}
	inside := map[*loop.Var]bool{s.Index: true}
	for v := range defs {
		inside[v] = true
	}
	lists := map[*loop.Var]func(index *loop.Var) *some{}
	for _, x := range s.Body.Stmts {
		f, ok := x.(*loop.For)
		if !ok {
			continue
		}
		buf, others := d.sumOverRows(f)
		if buf == nil {
			continue
		}
		mask := loop.Atom(loop.Int(0))
		for _, v := range others {
			mask = d.or(mask, d.maskBefore(v, defs, inside))
		}
		if isWord(mask, -1) {
			continue
		}
		if lists[buf] == nil {
			lists[buf] = d.rowLists(buf)
		}
		sum := &rowSum{buf: buf, rows: lists[buf](f.Index)}
		if !isWord(mask, 0) {
			sum.rest = d.listOf(mask)
		}
		d.masks.sums[f] = sum
	}
}

// maskBefore is a mask of a variable that is known in front of the loop whose block has the
// definitions. inside is what the loop binds.
func (d *directions) maskBefore(v *loop.Var, defs map[*loop.Var]loop.Stmt, inside map[*loop.Var]bool) loop.Atom {
	if !d.act.active(v) {
		return loop.Int(0)
	}
	switch s := defs[v].(type) {
	case nil:
		return d.mask(v)
	case *loop.Load:
		if defs[s.Buf] == nil {
			return d.element(s.Buf, s.At, inside)
		}
	case *loop.Let:
		mask := loop.Atom(loop.Int(0))
		for _, a := range s.Args {
			if x, ok := a.(*loop.Var); ok {
				mask = d.or(mask, d.maskBefore(x, defs, inside))
			}
		}
		return mask
	}
	return allDirections
}

// sumOverRows is the buffer whose rows a loop adds up, and what else in it has tangents. It is nil
// if the loop does more, or may tie. Each turn reads its row.
func (d *directions) sumOverRows(s *loop.For) (buf *loop.Var, others []*loop.Var) {
	if !s.Parallel || len(s.Reds) == 0 {
		return nil, nil
	}
	inside := map[*loop.Var]bool{s.Index: true}
	good, straight := true, true
	loop.Walk(s.Body, func(s loop.Stmt) {
		loop.Defs(s, func(v *loop.Var) { inside[v] = true })
		loop.Params(s, func(v *loop.Var) { inside[v] = true })
		switch s.(type) {
		case *loop.Let, *loop.Load, *loop.Length, *loop.Check:
		default:
			straight = false
		}
	})
	use := func(a loop.Atom) {
		if v, ok := a.(*loop.Var); ok && !inside[v] && d.act.active(v) && !slices.Contains(others, v) {
			others = append(others, v)
		}
	}
	elsewhere := map[*loop.Var]bool{} // buffers of which another row is read
	loop.Walk(s.Body, func(x loop.Stmt) {
		if x, ok := x.(*loop.Load); ok && d.masks.rows[x.Buf] != nil {
			row, ok := d.masks.ints.row(x.At, d.masks.rows[x.Buf].size)
			elsewhere[x.Buf] = elsewhere[x.Buf] || !ok || !row.only(s.Index)
		}
	})
	loop.Walk(s.Body, func(x loop.Stmt) {
		switch x := x.(type) {
		case *loop.Load:
			if at, is := elsewhere[x.Buf]; is && !at && (buf == nil || buf == x.Buf) {
				buf = x.Buf
			} else {
				use(x.Buf)
			}
		case *loop.Store:
			good = good && inside[x.Buf]
			use(x.Value)
		case *loop.Accum:
			good = good && inside[x.Buf]
			use(x.Value)
		case *loop.Length:
		case *loop.Let:
			good = good && !d.act.mayTie(x)
			loop.Uses(x, use)
		default:
			loop.Uses(x, use)
		}
		loop.Blocks(x, func(b *loop.Block) {
			for _, a := range b.Yield {
				use(a)
			}
		})
	})
	for _, a := range s.Body.Yield {
		use(a)
	}
	for _, r := range s.Reds {
		good = good && !d.act.active(r.Init) && (r.Op == loop.AddF || !d.act.active(r.Result))
	}
	if !good || buf == nil || !alwaysReads(s.Body, buf) || len(others) > 0 && !straight {
		return nil, nil
	}
	return buf, others
}

// alwaysReads tells whether a block reads a buffer, whatever its branches do.
func alwaysReads(b *loop.Block, buf *loop.Var) bool {
	return slices.ContainsFunc(b.Stmts, func(s loop.Stmt) bool {
		switch s := s.(type) {
		case *loop.Load:
			return s.Buf == buf
		case *loop.For:
			n, ok := s.Count.(*loop.Const)
			return ok && n.I > 0 && alwaysReads(s.Body, buf)
		}
		return false
	})
}

// rowLists emits lists of the directions that move each row, and gives those of the row that is a
// turn of a loop.
func (d *directions) rowLists(buf *loop.Var) func(index *loop.Var) *some {
	r := d.masks.rows[buf]
	counts := d.b.Alloc("counts", loop.I64s, r.count, false)
	list := d.b.Alloc("list", loop.I64s, d.times(r.count), false)
	d.b.Parallel("row", r.count, func(b *loop.Builder, row *loop.Var) {
		first := b.Let("first", loop.MulI, row, d.n)
		b.Store(counts, row, d.bits(b, b.Load("mask", r.buf, row), list, first))
	})
	return func(index *loop.Var) *some {
		return &some{buf, list, func(b *loop.Builder) (first, count loop.Atom) {
			row := d.env.Atom(index)
			return b.Let("first", loop.MulI, row, d.n), b.Load("count", counts, row)
		}}
	}
}

// listOf emits a list of the directions of a mask.
func (d *directions) listOf(mask loop.Atom) *some {
	list := d.b.Alloc("list", loop.I64s, d.n, false)
	count := d.bits(d.b, mask, list, loop.Int(0))
	return &some{nil, list, func(*loop.Builder) (loop.Atom, loop.Atom) { return loop.Int(0), count }}
}

// bits lists the bits of a mask from some place on, and gives their number. A direction that is not
// one of them is replaced by the next.
func (d *directions) bits(b *loop.Builder, mask loop.Atom, list *loop.Var, first loop.Atom) loop.Atom {
	n, k := newState("count", loop.I64, loop.Int(0)), loop.NewVar("k", loop.I64)
	body := &loop.Builder{}
	body.Store(list, body.Let("at", loop.AddI, first, n.Var), k)
	bit := body.Let("bit", loop.AndI, body.Let("bit", loop.ShrU, mask, k), loop.Int(1))
	next := body.Let("count", loop.AddI, n.Var, bit)
	b.Add(&loop.For{Index: k, Count: d.n, States: []loop.State{n}, Body: body.Block(next)})
	return n.Result
}

// rowSum does a sum over rows. Its turns compute values, and then add to the tangents of the
// totals, in the directions that move the row what the row contributes, and in the other ones what
// the rest does.
func (d *directions) rowSum(s *loop.For, sum *rowSum) {
	mask := d.captured(s)
	out := &loop.For{Count: d.env.Atom(s.Count), Parallel: true}
	tangents := make([]*loop.Var, len(s.Reds))
	inits := make([]loop.Atom, len(s.Reds))
	for i, r := range s.Reds {
		inits[i] = d.env.Atom(r.Init)
		if d.act.active(r.Result) {
			tangents[i] = d.b.Alloc("d"+r.Result.Name, loop.F64s, d.n, true)
		}
	}
	add := func() {
		b, now := d.b, d.open()
		d.b = now.body
		for i, t := range tangents {
			if t == nil {
				continue
			}
			if dy := d.of(s.Body.Yield[i]); dy != nil {
				d.b.Accum(t, now.k, dy)
			}
		}
		d.b = b
		d.close()
	}
	of, turn := maps.Clone(d.masks.of), maps.Clone(d.masks.turn)
	out.Index = d.env.Bind(s.Index)
	local := loop.Local(s)
	var totals totals
	b, tied := d.inner(func() {
		d.along, d.muted = sum.rows, func(v *loop.Var) bool { return !local.Has(v) && v != sum.buf }
		d.stmts(s.Body, false)
		add()
		if sum.rest != nil {
			maps.DeleteFunc(d.home, func(v *loop.Var, _ *segment) bool { return local.Has(v) })
			d.along, d.muted = sum.rest, func(v *loop.Var) bool { return v == sum.buf }
			for _, x := range s.Body.Stmts {
				if d.act.touches(x) {
					d.follow(x, loop.Int(0))
				}
			}
			add()
		}
		d.along, d.muted = nil, nil
		for i, r := range s.Reds {
			totals.add(r.Op, inits[i], d.env.Atom(s.Body.Yield[i]), func(v *loop.Var) { d.env.Set(r.Result, v) })
		}
	})
	d.masks.of, d.masks.turn = of, turn
	d.addLoop(out, b, &totals, tied)
	for i, r := range s.Reds {
		if tangents[i] != nil {
			d.kept[r.Result], d.masks.of[r.Result] = tangents[i], mask
		}
	}
}
