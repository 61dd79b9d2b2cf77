package source

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/pass"
)

// Parting is a Language that checks the bounds of buffers. In it an inner loop that goes through
// neighbours, a[i + d] for i < n, has the part of the buffer from d on by a name of its own, so
// that bounds are checked once in front of the loop and not at each turn.
type Parting interface {
	// Part binds a part of a buffer: so many elements from a place on.
	Part(name, buf, from, count string)
}

// Rowed is a Language in which some buffers are given as rows: Note [Rows] of package pass.
type Rowed interface {
	// Rows tells where a function finds the elements that it reads from such buffers.
	Rows(f *loop.Func) map[*loop.Load]pass.Cell
	// Row is a row of a buffer.
	Row(buf, row string) string
}

// part is the elements of a buffer, or of a row, that a loop goes through.
type part struct {
	buf       *loop.Var
	row, from loop.Atom // row is nil if the buffer is not given as rows
	name      string
}

// parts finds the parts of buffers that an inner loop goes through.
func (w *walker) parts(s *loop.For) (found []*part) {
	if _, ok := w.l.(Parting); !ok || w.depth == 0 || w.f.Math != nil {
		return nil
	}
	local := loop.Local(s)
	starts := map[*loop.Var]loop.Atom{s.Index: loop.Int(0)} // by the indices that are neighbours
	uses := map[*loop.Var]int{}
	use := func(a loop.Atom) {
		if v, ok := a.(*loop.Var); ok {
			uses[v]++
		}
	}
	outside := func(a loop.Atom) bool {
		v, ok := a.(*loop.Var)
		return !ok || !local.Has(v) && v != s.Index
	}
	for _, x := range s.Body.Stmts {
		w.uses(x, use)
		switch x := x.(type) {
		case *loop.Let:
			for k := range x.Args {
				if x.Op == loop.AddI && x.Args[k] == loop.Atom(s.Index) && outside(x.Args[1-k]) {
					starts[x.Var] = x.Args[1-k]
				}
			}
		case *loop.Load, *loop.Store, *loop.Accum, *loop.Length:
		default:
			return nil // what is in front of an access may keep it from being reached
		}
	}
	for _, a := range s.Body.Yield {
		use(a)
	}
	at := func(x loop.Stmt, buf *loop.Var, row, index loop.Atom) {
		v, ok := index.(*loop.Var)
		if !ok || local.Has(buf) || starts[v] == nil || row != nil && !outside(row) ||
			row == nil && v == s.Index && same(w.longAs[buf], s.Count) {
			return
		}
		k := slices.IndexFunc(found, func(p *part) bool {
			return p.buf == buf && same(p.row, row) && same(p.from, starts[v])
		})
		if k < 0 {
			k = len(found)
			found = append(found, &part{buf, row, starts[v], w.scope.name(w.names[buf] + "Part")})
		}
		w.part[x] = element{found[k].name, s.Index}
		if uses[v]--; uses[v] == 0 && v != s.Index {
			w.used[v] = false
		}
	}
	for _, x := range s.Body.Stmts {
		switch x := x.(type) {
		case *loop.Load:
			if p, ok := w.rows[x]; ok && w.used[x.Var] {
				at(x, x.Buf, p.Row, p.Column)
			} else if w.used[x.Var] {
				at(x, x.Buf, nil, x.At)
			}
		case *loop.Store:
			at(x, x.Buf, nil, x.At)
		case *loop.Accum:
			at(x, x.Buf, nil, x.At)
		}
	}
	return found
}

// bindParts binds the parts that a loop goes through. They exist only if the loop has turns, so
// that others are in a branch of their own; bindParts tells whether one has begun.
func (w *walker) bindParts(parts []*part, count loop.Atom) bool {
	inRange := w.lengths[count]
	if k, ok := count.(*loop.Const); ok && k.I > 0 {
		inRange = true
	} else {
		for _, p := range parts {
			inRange = inRange && p.row == nil && same(p.from, loop.Int(0))
		}
	}
	if branch := !inRange && len(parts) > 0; branch {
		w.l.If(w.l.Op(loop.LtI, []string{w.l.Const(loop.Int(0)), w.atom(count)}))
	}
	for _, p := range parts {
		buf := w.names[p.buf]
		if p.row != nil {
			buf = w.l.(Rowed).Row(buf, w.atom(p.row))
		}
		w.l.(Parting).Part(p.name, buf, w.atom(p.from), w.atom(count))
	}
	return !inRange && len(parts) > 0
}

// same tells whether two atoms, or none, are the same.
func same(a, b loop.Atom) bool {
	x, isConst := a.(*loop.Const)
	y, both := b.(*loop.Const)
	return a == b || isConst && both && x.Word() == y.Word()
}

// element is where a statement finds an element: in a part of the buffer that it names.
type element struct {
	name  string
	index *loop.Var
}

// element is the element that a statement reads or writes.
func (w *walker) element(s loop.Stmt, buf, at loop.Atom) string {
	if p, ok := w.part[s]; ok {
		return w.l.Element(p.name, w.atom(p.index))
	}
	if load, ok := s.(*loop.Load); ok {
		if p, ok := w.rows[load]; ok {
			return w.l.Element(w.l.(Rowed).Row(w.atom(buf), w.atom(p.Row)), w.atom(p.Column))
		}
	}
	return w.l.Element(w.atom(buf), w.atom(at))
}

// uses calls f with the atoms that the text of a statement mentions.
func (w *walker) uses(s loop.Stmt, f func(loop.Atom)) {
	if load, ok := s.(*loop.Load); ok {
		if p, ok := w.rows[load]; ok {
			f(load.Buf)
			f(p.Row)
			f(p.Column)
			return
		}
	}
	loop.Uses(s, f)
}

// findChecked finds the totals of a loop that only say whether a condition holds in all turns, and
// that are checked behind it. A turn in which it does not hold ends the function at once, so that
// the loop does not carry a truth value. A language for which loops run in vectors leaves them as
// they are. rest is what follows in the block of the loop.
func (w *walker) findChecked(s *loop.For, rest []loop.Stmt, yield []loop.Atom) {
	if _, ok := w.l.(Parting); !ok || w.f.Math != nil {
		return
	}
	for _, r := range s.Reds {
		if c, ok := r.Init.(*loop.Const); r.Op != loop.And || !ok || c.I == 0 {
			continue
		}
		checks, uses := 0, 0
		use := func(a loop.Atom) {
			if a == loop.Atom(r.Result) {
				uses++
			}
		}
		for _, x := range rest {
			if c, ok := x.(*loop.Check); ok && c.Cond == loop.Atom(r.Result) {
				checks++
			}
		}
		loop.Walk(&loop.Block{Stmts: rest}, func(x loop.Stmt) {
			loop.Uses(x, use)
			loop.Blocks(x, func(b *loop.Block) {
				for _, a := range b.Yield {
					use(a)
				}
			})
		})
		for _, a := range yield {
			use(a)
		}
		w.checked[r.Result] = checks > 0 && checks == uses
	}
}
