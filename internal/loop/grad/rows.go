package grad

import (
	"maps"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// rowMasks ends the turn of a loop that writes to buffers: their masks are those of what the turns
// write, and those of rows are stored.
func (d *directions) rowMasks(outer *loop.Builder, s, out *loop.For, totals *totals) {
	for _, buf := range slices.SortedFunc(maps.Keys(d.masks.turn), loop.CompareVars) {
		m, before := d.masks.turn[buf], d.masks.of[buf]
		var r *rows
		if size := d.rowSize(s, buf); size > 0 && isWord(before, 0) && !isWord(m, -1) && d.masks.home[buf] == d.masks.side {
			r = &rows{buf: loop.NewVar("masks", loop.I64s), spare: true, size: size}
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
		r := d.masks.ints.of(at).factor(s.Index)
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
	if !d.masks.ints.of(d.masks.lens[buf]).equal(d.masks.ints.of(s.Count).times(size)) {
		return 0
	}
	return size
}

// listed prepares lists of rows for the sums in a loop over the rows of a buffer.
func (d *directions) listed(s *loop.For) {
	made := map[*loop.Var]*rowList{}
	loop.Walk(s.Body, func(x loop.Stmt) {
		f, ok := x.(*loop.For)
		if !ok {
			return
		}
		buf := d.sumOverRows(f)
		if buf == nil {
			return
		}
		if made[buf] == nil {
			made[buf] = d.list(d.masks.rows[buf])
		}
		d.masks.lists[f] = made[buf]
	})
}

// sumOverRows is the buffer whose rows a loop adds up, nil if it does more: if anything else in it
// has tangents, or if it may tie.
func (d *directions) sumOverRows(s *loop.For) (buf *loop.Var) {
	if !s.Parallel || len(s.Reds) == 0 {
		return nil
	}
	inside := map[*loop.Var]bool{s.Index: true}
	loop.Walk(s.Body, func(s loop.Stmt) {
		loop.Defs(s, func(v *loop.Var) { inside[v] = true })
		loop.Params(s, func(v *loop.Var) { inside[v] = true })
	})
	good := true
	use := func(a loop.Atom) {
		if v, ok := a.(*loop.Var); ok && !inside[v] && d.act.active(v) {
			good = false
		}
	}
	loop.Walk(s.Body, func(x loop.Stmt) {
		switch x := x.(type) {
		case *loop.Load:
			if inside[x.Buf] || !d.act.active(x.Buf) {
				return
			}
			r := d.masks.rows[x.Buf]
			if r == nil || buf != nil && buf != x.Buf {
				good = false
				return
			}
			buf = x.Buf
			row, ok := d.masks.ints.row(x.At, r.size)
			good = good && ok && row.only(s.Index)
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
		good = good && (r.Op == loop.AddF || !d.act.active(r.Result))
	}
	if !good {
		return nil
	}
	return buf
}

// list emits lists of the rows that each direction moves.
func (d *directions) list(r *rows) *rowList {
	l := &rowList{rows: r.count}
	l.counts = d.b.Alloc("counts", loop.I64s, d.n, false)
	l.list = d.b.Alloc("list", loop.I64s, d.times(r.count), false)
	d.b.Parallel("k", d.n, func(b *loop.Builder, k *loop.Var) {
		first := b.Let("first", loop.MulI, k, r.count)
		at := newState("at", loop.I64, loop.Int(0))
		row := loop.NewVar("row", loop.I64)
		body := &loop.Builder{}
		m := body.Let("bit", loop.AndI, body.Let("bit", loop.ShrU, body.Load("mask", r.buf, row), k), loop.Int(1))
		then := &loop.Builder{}
		then.Store(l.list, then.Let("at", loop.AddI, first, at.Var), row)
		body.Add(&loop.If{Cond: body.Let("moves", loop.NeI, m, loop.Int(0)), Then: then.Block(), Else: &loop.Block{}})
		next := body.Let("at", loop.AddI, at.Var, m)
		b.Add(&loop.For{Index: row, Count: r.count, States: []loop.State{at}, Body: body.Block(next)})
		b.Store(l.counts, k, at.Result)
	})
	return l
}

// sparse does a sum over rows in a segment: the values once more, and tangents for the rows that
// the direction moves. It is false for another loop.
func (d *directions) sparse(s *loop.For) bool {
	if d == nil || d.masks.lists[s] == nil {
		return false
	}
	l := d.masks.lists[s]
	d.primal(s)
	results := map[*loop.Var]loop.Atom{}
	for _, r := range s.Reds {
		results[r.Result] = d.env.Atom(r.Result)
	}
	out := &loop.For{Index: loop.NewVar("t", loop.I64), Count: d.b.Load("count", l.counts, d.now.k), Parallel: true}
	first := d.b.Let("first", loop.MulI, d.now.k, l.rows)
	var totals totals
	inits := make([]loop.Atom, len(s.Reds))
	for i, r := range s.Reds {
		if d.act.active(r.Result) {
			inits[i] = d.tangentOf(r.Init)
		}
	}
	b, tied := d.inner(func() {
		d.env.Subst[s.Index] = d.b.Load(s.Index.Name, l.list, d.b.Let("at", loop.AddI, first, out.Index))
		d.pusher.block(s.Body.Stmts)
		for i, r := range s.Reds {
			if inits[i] != nil {
				y := d.tangentOf(s.Body.Yield[i])
				totals.add(loop.AddF, inits[i], y, func(v *loop.Var) { d.tans[r.Result] = v })
			}
		}
	})
	if !isFalse(tied) {
		totals.add(loop.Or, loop.Truth(false), tied, func(any *loop.Var) { d.tied = either(d.b, d.tied, any) })
	}
	out.Reds = totals.reds
	out.Body = b.Block(totals.yield...)
	d.b.Add(out)
	for _, then := range totals.then {
		then()
	}
	maps.Copy(d.env.Subst, results)
	return true
}
