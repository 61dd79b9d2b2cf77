package grad

import (
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// pusher is the state of one forward derivative. Variables of the function that is differentiated
// are old, those of the derivative new.
type pusher struct {
	d   *derivatives
	act *activity

	b    *loop.Builder
	env  *loop.Copier
	tans map[*loop.Var]loop.Atom // tangents of old variables; none is a structural zero
	tied loop.Atom

	dirs *directions // nil for a single direction
}

// tangent makes a variable for the tangent of an old one.
func (p *pusher) tangent(old *loop.Var) *loop.Var {
	t := loop.NewVar("d"+old.Name, old.Kind)
	p.tans[old] = t
	return t
}

// tangentOf is the tangent of an old atom, a zero if it is a structural zero.
func (p *pusher) tangentOf(a loop.Atom) loop.Atom {
	if t := p.of(a); t != nil {
		return p.dirs.narrow(a, t)
	}
	if a.AtomKind() == loop.F64 {
		return loop.Real(0)
	}
	return p.b.Alloc("zeros", loop.F64s, p.b.Length(p.env.Atom(a).(*loop.Var)), true)
}

// of is the tangent of an old atom or nil.
func (p *pusher) of(a loop.Atom) loop.Atom {
	v, ok := a.(*loop.Var)
	if !ok || p.dirs != nil && p.dirs.muted != nil && p.dirs.muted(v) {
		return nil
	}
	if t := p.tans[v]; t != nil {
		return t
	}
	return p.dirs.recalled(v)
}

func (p *pusher) atoms(as []loop.Atom) []loop.Atom {
	out := make([]loop.Atom, len(as), 2*len(as)+1)
	for i, a := range as {
		out[i] = p.env.Atom(a)
	}
	return out
}

// inner emits into a block of its own.
func (p *pusher) inner(emit func()) (*loop.Builder, loop.Atom) {
	b, tied := p.b, p.tied
	p.b, p.tied = &loop.Builder{}, loop.Truth(false)
	emit()
	inner, any := p.b, p.tied
	p.b, p.tied = b, tied
	return inner, any
}

// directions is the state of a derivative in several directions, besides that of the pusher.
type directions struct {
	*pusher
	masks *masks
	n     loop.Atom
	wide  map[*loop.Var]bool      // old buffers whose tangents are wide
	kept  map[*loop.Var]*loop.Var // tangents of old scalars, n elements each
	home  map[*loop.Var]*segment  // the closed segments that compute tangents of old variables
	now   *segment                // the one that is open, or nil
	along *some                   // the directions that segments run through, nil for all
	muted func(*loop.Var) bool    // old variables whose tangents are left out, nil for none
	// While a statement is in a segment as a whole, local are the buffers that it has made.
	local map[*loop.Var]bool
	// The segments by their statements, to which allocations may still be added.
	closed map[loop.Stmt]*segment
}

// segment is a loop over the directions.
type segment struct {
	k      *loop.Var
	body   *loop.Builder
	mask   loop.Atom // of all that it computes
	loop   *loop.For // once it is closed
	skips  bool      // it runs only if a direction moves something
	tied   loop.Atom
	tans   map[*loop.Var]loop.Atom   // tangents that it computes, of scalars and of buffers that are not wide
	writes map[*loop.Var]bool        // old buffers whose wide tangents it writes
	loads  map[*loop.Var]bool        // those whose wide tangents it reads
	reads  map[*loop.Load]maskedRead // how it reads them
	before []loop.Stmt               // what stands in front of the loop
}

// some are some of the directions: elements of a list.
type some struct {
	of    *loop.Var // the buffer whose row they may move, or nil
	list  *loop.Var
	count func(b *loop.Builder) (first, count loop.Atom)
}

// rowSum is a sum over the rows of a buffer.
type rowSum struct {
	buf  *loop.Var // whose rows are summed
	rows *some     // the directions that move a row
	rest *some     // those that move anything else, or nil
}

func (d *directions) times(n loop.Atom) loop.Atom { return d.b.Let("n", loop.MulI, n, d.n) }

// place is where the tangent of an element is, in the direction of the open segment.
func (d *directions) place(buf *loop.Var, at loop.Atom) loop.Atom {
	if d == nil || !d.wide[buf] {
		return at
	}
	first := d.times(at)
	if isWord(first, 0) {
		return d.now.k
	}
	return d.b.Let("at", loop.AddI, first, d.now.k)
}

// narrow is the tangent of an atom in the direction of the open segment.
func (d *directions) narrow(a, t loop.Atom) loop.Atom {
	v, ok := a.(*loop.Var)
	if d == nil || !ok || !d.wide[v] {
		return t
	}
	n := d.b.Length(d.env.Atom(v).(*loop.Var))
	out := d.b.Alloc(v.Name, loop.F64s, n, false)
	d.b.Parallel("i", n, func(b *loop.Builder, i *loop.Var) {
		at := b.Let("at", loop.AddI, b.Let("n", loop.MulI, i, d.n), d.now.k)
		load := &loop.Load{Var: loop.NewVar("d", loop.F64), Buf: t.(*loop.Var), At: at}
		d.now.loads[v] = true
		b.Add(load)
		b.Store(out, i, load.Var)
		d.readsAll(load, v)
	})
	return out
}
