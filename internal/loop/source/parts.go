package source

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Parting is a Language that checks the bounds of buffers. In it an inner loop that goes through neighbours, a[i + d] for i < n, has
// the part of the buffer from d on by a name of its own, so that bounds are checked once in front of the loop and not at each turn.
type Parting interface {
	// Part binds a part of a buffer: so many elements from a place on, none if count is not positive. It is as long as another
	// part, like, if that is not empty.
	Part(name, buf, from, count, like string)
	// Length is that of Language.
	Length(buf string) string
}

// part is the elements of a buffer that a loop goes through.
type part struct {
	buf  *loop.Var
	from loop.Atom
	name string
}

// parts binds the parts of buffers that an inner loop goes through, and gives the loop's count in terms of them.
func (w *walker) parts(s *loop.For, count string) string {
	l, ok := w.l.(Parting)
	if !ok || w.depth == 0 || w.f.Math != nil {
		return count
	}
	local := loop.Local(s)
	starts := map[*loop.Var]loop.Atom{s.Index: loop.Int(0)} // by the indices that are neighbours
	uses := map[*loop.Var]int{}
	use := func(a loop.Atom) {
		if v, ok := a.(*loop.Var); ok {
			uses[v]++
		}
	}
	outside := func(a loop.Atom) bool { v, ok := a.(*loop.Var); return !ok || !local.Has(v) && v != s.Index }
	for _, x := range s.Body.Stmts {
		loop.Uses(x, use)
		switch x := x.(type) {
		case *loop.Let:
			for k := range x.Args {
				if x.Op == loop.AddI && x.Args[k] == loop.Atom(s.Index) && outside(x.Args[1-k]) {
					starts[x.Var] = x.Args[1-k]
				}
			}
		case *loop.Load, *loop.Store, *loop.Accum, *loop.Length:
		default:
			return count // what is in front of an access may keep it from being reached
		}
	}
	for _, a := range s.Body.Yield {
		use(a)
	}
	var found []*part
	at := func(x loop.Stmt, buf *loop.Var, index loop.Atom) {
		v, ok := index.(*loop.Var)
		if !ok || local.Has(buf) || starts[v] == nil {
			return
		}
		k := slices.IndexFunc(found, func(p *part) bool { return p.buf == buf && same(p.from, starts[v]) })
		if k < 0 {
			k = len(found)
			p := &part{buf, starts[v], w.scope.name(w.names[buf] + "Part")}
			if len(found) == 0 {
				l.Part(p.name, w.names[buf], w.atom(p.from), count, "")
			} else {
				l.Part(p.name, w.names[buf], w.atom(p.from), l.Length(found[0].name), found[0].name)
			}
			found = append(found, p)
		}
		w.part[x] = element{found[k].name, s.Index}
		if uses[v]--; uses[v] == 0 && v != s.Index {
			w.used[v] = false
		}
	}
	for _, x := range s.Body.Stmts {
		switch x := x.(type) {
		case *loop.Load:
			if w.used[x.Var] {
				at(x, x.Buf, x.At)
			}
		case *loop.Store:
			at(x, x.Buf, x.At)
		case *loop.Accum:
			at(x, x.Buf, x.At)
		}
	}
	if len(found) == 0 {
		return count
	}
	return l.Length(found[0].name)
}

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
	return w.l.Element(w.atom(buf), w.atom(at))
}
