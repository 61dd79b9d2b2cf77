package grad

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Uncleared tangents]
//
// A segment that skips the directions that move nothing (Note [Masks]) leaves the wide tangents
// that it writes as they were in those directions. They would have to be cleared first, which takes
// longer than the segment if it skips most of them. But what a tangent is where its mask has no bit
// need not be stored, if whoever reads it looks at the mask:
//
//   - A segment that skips by the same mask does not read there.
//   - A segment that has more bits in its mask selects. If m is the mask of what is read, and k the direction,
//
//	dx = dxs[at]     →     t = dxs[at]; dx = select.f ((m >> k) & 1 ≠ 0) t 0.0
//
//   - A sum over rows adds a row only in its directions.
//   - The result of a branch is read as one of the buffers that the sides yield, and has the mask of that one.
//
// This needs the mask of the very element that is read: that of its row, or that of a buffer that
// the turn itself has made. And it needs one segment that has written all of a row, since another
// one would skip by another mask. Tangents that are read in any other way are cleared.

// maskedRead is a read of a wide tangent in a segment.
type maskedRead struct {
	buf  *loop.Var // the old buffer
	mask loop.Atom // of the element
}

// uncleared leaves the zeros out of tangents that are read only where a direction may move them, if
// one segment writes all of a row.
func (k *masks) uncleared() {
	for _, j := range slices.Backward(k.joins) {
		for _, v := range j.from {
			k.read[v] = k.read[v] || k.read[j.result]
		}
		for _, a := range j.zeros {
			a.Zero = k.read[j.result]
		}
	}
	for v := range k.zeros {
		k.made[v].Zero = k.read[v] || k.write[v] != 1
	}
}

// reads notes that the tangent of an old buffer is read, whatever may move it.
func (d *directions) reads(buf *loop.Var) { d.masks.read[buf] = true }

// readsElement is called in front of a load of what may be an element of a wide tangent, in the
// open segment. The old statement loads the element itself.
func (d *directions) readsElement(load, old *loop.Load) {
	if d == nil || !d.wide[old.Buf] {
		return
	}
	d.now.loads[old.Buf] = true
	if d.along != nil && d.along.of == old.Buf {
		return
	}
	r, known := d.masks.rows[old.Buf], false
	if r != nil {
		_, known = d.masks.ints.row(old.At, r.size)
	}
	switch {
	case r == nil:
		d.readsAll(load, old.Buf)
	case !known:
		d.reads(old.Buf)
	case d.local == nil: // the mask was found outside of the segment
		d.now.reads[load] = maskedRead{old.Buf, d.mask(old.Var)}
	default:
		d.now.reads[load] = maskedRead{old.Buf, d.element(old.Buf, old.At, nil)}
	}
}

// readsAll notes that a load in the open segment reads any element of the wide tangent of an old
// buffer.
func (d *directions) readsAll(load *loop.Load, buf *loop.Var) {
	if d.masks.rows[buf] == nil && d.masks.level[buf] == 1 {
		d.now.reads[load] = maskedRead{buf, d.mask(buf)}
	} else {
		d.reads(buf)
	}
}

// yielded is the wide tangent of an old atom that a side of a branch yields as a result.
func (d *directions) yielded(a loop.Atom, j *join) *loop.Var {
	v, ok := a.(*loop.Var)
	switch {
	case !ok || d.masks.now == 0 || j.result.Kind != loop.F64s || d.home[v] != nil || d.kept[v] != nil:
	case d.wide[v] && d.masks.level[v] == 1:
		j.from = append(j.from, v)
		return d.tans[v].(*loop.Var)
	case !d.wide[v] && isWord(d.mask(v), 0):
		t := d.wideOf(v)
		j.zeros = append(j.zeros, d.b.Stmts[len(d.b.Stmts)-1].(*loop.Alloc))
		return t
	}
	return d.wideOf(a)
}

// joined notes that a result of a branch is one of the buffers of a join.
func (k *masks) joined(j *join) {
	if len(j.from)+len(j.zeros) > 0 {
		k.joins, k.level[j.result] = append(k.joins, j), 1
	}
}

// settle decides how a closed segment reads tangents that may not have been cleared.
func (d *directions) settle(s *segment) {
	for load, r := range s.reads {
		if !s.skips {
			d.reads(r.buf)
		}
		if !s.skips || d.masks.sameParts(r.mask, s.mask) || !d.masks.partial(r.buf) {
			delete(s.reads, load)
		}
	}
}

// partial tells whether a segment may have skipped a part of the wide tangent of an old buffer.
func (k *masks) partial(buf *loop.Var) bool {
	if k.zeros[buf] {
		return true
	}
	for _, j := range k.joins {
		if j.result == buf {
			return len(j.zeros) > 0 || slices.ContainsFunc(j.from, k.partial)
		}
	}
	return false
}

// sameParts tells whether two masks are known to be the same.
func (k *masks) sameParts(x, y loop.Atom) bool {
	a, b := k.partsOf(x), k.partsOf(y)
	within := func(a, b []loop.Atom) bool {
		return !slices.ContainsFunc(a, func(m loop.Atom) bool { return !slices.Contains(b, m) })
	}
	return within(a, b) && within(b, a)
}

// selecting is a block in which reads select, in a direction.
func selecting(b *loop.Block, reads map[*loop.Load]maskedRead, k loop.Atom) *loop.Block {
	if len(reads) == 0 {
		return b
	}
	m := loop.Mapper{Use: func(a loop.Atom) loop.Atom { return a }, Bind: func(v *loop.Var) *loop.Var { return v }, Share: true}
	m.Block = func(b *loop.Block) *loop.Block {
		out := loop.Rebuild(b)
		for _, s := range b.Stmts {
			if load, ok := s.(*loop.Load); ok && reads[load].buf != nil {
				x := out.Load(load.Var.Name, load.Buf, load.At)
				own := moves(out, reads[load].mask, k)
				out.Add(&loop.Let{Var: load.Var, Op: loop.SelF, Args: []loop.Atom{own, x, loop.Real(0)}})
				continue
			}
			out.Add(m.Stmt(s))
		}
		return out.Rebuilt(b, b.Yield)
	}
	return m.Block(b)
}

// moves emits whether a mask has a direction.
func moves(b *loop.Builder, mask, k loop.Atom) loop.Atom {
	bit := b.Let("bit", loop.AndI, b.Let("bit", loop.ShrU, mask, k), loop.Int(1))
	return b.Let("moves", loop.NeI, bit, loop.Int(0))
}
