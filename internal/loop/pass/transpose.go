package pass

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Transposed matrices]
//
// A recurrence often multiplies its state by a matrix that stays the same:
//
//	for t < n, s : f64s = s0 {
//	  for i < p parallel {
//	    a = mul.i i q
//	    for j < q parallel, add.f from 0.0 { x = w[a + j]; y = s[j]; yield mul.f x y } gives total
//	    r[i] = tanh total
//	  }
//	}
//
// In lanes over i the elements of w lie apart, so that they are gathered in every turn of the
// recurrence; in lanes over j each total is a sum over the lanes. So the matrix is transposed once,
// in front of the outermost loop in which it stays the same, and lanes over i read v[j p + i]:
//
//	v = alloc f64s p q; for i < p { for j < q { v[j p + i] = w[i q + j] } }
//
// Elements of w might not exist: a check in the recurrence may fail before it reads them, or the
// loops may have no turn. But if a turn of the recurrence reaches the loop over i, it reads all
// elements from w[base] to w[base + p q - 1]. So v is made if these exist, which is asked at run
// time, and is empty otherwise, when nothing reads it.

// Transpose transposes matrices that recurrences multiply by: Note [Transposed matrices].
func Transpose(f *loop.Func) {
	t := &transposer{}
	for _, p := range f.Params {
		t.depth.Set(p, 1)
	}
	f.Body = t.block(f.Body)
}

// transposer holds where variables are bound, and the sequential loops around a block.
type transposer struct {
	depth  loop.VarMap[int32] // 1 more than the number of loops around what binds a variable
	around []*recurring
}

// recurring is a sequential loop, and what comes in front of it.
type recurring struct {
	count  loop.Atom // nil if it is not known
	before loop.Builder
	made   map[matrix]*loop.Var // the transposed matrices
}

// matrix says which elements of a buffer are transposed: rows rows of columns elements from base on.
type matrix struct {
	buf           *loop.Var
	base          loop.Atom
	rows, columns loop.Atom
}

func (t *transposer) block(b *loop.Block) *loop.Block {
	out := loop.Rebuild(b)
	for _, s := range b.Stmts {
		t.bind(s)
		switch x := s.(type) {
		case *loop.For:
			switch {
			case x.Parallel && len(t.around) > 0:
				s = t.arranged(x)
			case !x.Parallel:
				s = t.inside(out, s, x.Count)
			}
		case *loop.While:
			s = t.inside(out, s, nil)
		case *loop.If:
			s = loop.MapBlocks(s, t.block)
		}
		out.Add(s)
	}
	return out.Rebuilt(b, b.Yield)
}

// bind notes where variables are bound.
func (t *transposer) bind(s loop.Stmt) {
	here := int32(len(t.around) + 1)
	loop.Defs(s, func(v *loop.Var) { t.depth.Set(v, here) })
	loop.Params(s, func(v *loop.Var) { t.depth.Set(v, here+1) })
}

// inside appends what comes in front of a sequential loop, and returns the loop.
func (t *transposer) inside(out *loop.Builder, s loop.Stmt, count loop.Atom) loop.Stmt {
	r := &recurring{count: count, made: map[matrix]*loop.Var{}}
	t.around = append(t.around, r)
	s = loop.MapBlocks(s, t.block)
	t.around = t.around[:len(t.around)-1]
	out.Add(r.before.Stmts...)
	return s
}

// arranged is a parallel loop in a recurrence with reads of transposed matrices, if lanes over it
// are better then than lanes over the loops in it.
func (t *transposer) arranged(s *loop.For) *loop.For {
	if !worthLanes(s) || !t.fixed(s.Count) {
		return s
	}
	varies := loop.Varying(s)
	defer varies.Release()
	if laneable(s, varies) == byBody || holdsProduct(&loop.Block{Stmts: []loop.Stmt{s}}) {
		return s
	}
	lanes := laneCosts(s, varies, false)
	reads := map[*loop.Load]matrix{}
	defs := map[*loop.Var]*loop.Let{}
	note := func(b *loop.Block) {
		for _, x := range b.Stmts {
			if x, ok := x.(*loop.Let); ok {
				defs[x.Var] = x
			}
		}
	}
	note(s.Body)
	for _, x := range s.Body.Stmts {
		if q, ok := x.(*loop.For); ok && t.fixed(q.Count) {
			note(q.Body)
			for _, y := range q.Body.Stmts {
				if load, ok := y.(*loop.Load); ok {
					if m, ok := t.matrix(s, q, load, defs); ok {
						reads[load] = m
					}
				}
			}
		}
	}
	if len(reads) == 0 {
		return s
	}
	out := t.replaced(s, reads)
	varies2 := loop.Varying(out)
	defer varies2.Release()
	if c := laneCosts(out, varies2, false); lanes.ok && lanes.inner <= c.outer {
		return s
	}
	return out
}

// fixed reports whether a count does not change in the innermost of the loops around.
func (t *transposer) fixed(a loop.Atom) bool { return t.level(a) < len(t.around) }

// level returns how many of the loops around an atom are needed for it.
func (t *transposer) level(a loop.Atom) int {
	v, ok := a.(*loop.Var)
	if !ok {
		return 0
	}
	if d := t.depth.Get(v); d > 0 {
		return int(d) - 1
	}
	return len(t.around) // bound in a parallel loop
}

// matrix returns the matrix that a read in loop q, directly inside of loop p, goes through: its
// index is that of p times the count of q, and that of q, and what stays the same.
func (t *transposer) matrix(p, q *loop.For, x *loop.Load, defs map[*loop.Var]*loop.Let) (m matrix, ok bool) {
	m = matrix{buf: x.Buf, rows: p.Count, columns: q.Count, base: loop.Int(0)}
	if !t.fixed(x.Buf) {
		return m, false
	}
	column, row, rest, good := 0, 0, 0, true
	var terms func(a loop.Atom)
	terms = func(a loop.Atom) {
		v, isVar := a.(*loop.Var)
		def := defs[v]
		switch {
		case isVar && v == q.Index:
			column++
		case t.fixed(a):
			m.base = a
			rest++
		case def != nil && def.Op == loop.AddI:
			terms(def.Args[0])
			terms(def.Args[1])
		case def != nil && def.Op == loop.MulI && timesIndex(def, p.Index, q.Count):
			row++
		default:
			good = false
		}
	}
	terms(x.At)
	return m, good && column == 1 && row == 1 && rest <= 1
}

// timesIndex reports whether a product is that of an index and a count.
func timesIndex(x *loop.Let, index *loop.Var, count loop.Atom) bool {
	return x.Args[0] == loop.Atom(index) && same(x.Args[1], count) ||
		x.Args[1] == loop.Atom(index) && same(x.Args[0], count)
}

// replaced is a loop over the rows of matrices, of which it reads the transposed ones.
func (t *transposer) replaced(s *loop.For, reads map[*loop.Load]matrix) *loop.For {
	body := &loop.Builder{}
	for _, x := range s.Body.Stmts {
		q, ok := x.(*loop.For)
		if !ok || !slices.ContainsFunc(q.Body.Stmts, func(y loop.Stmt) bool { return isOne(reads, y) }) {
			body.Add(x)
			continue
		}
		inner := &loop.Builder{}
		for _, y := range q.Body.Stmts {
			if load, ok := y.(*loop.Load); ok && isOne(reads, y) {
				m := reads[load]
				row := inner.Let("a", loop.MulI, q.Index, m.rows)
				y = &loop.Load{Var: load.Var, Buf: t.transposed(m), At: inner.Let("a", loop.AddI, s.Index, row)}
			}
			inner.Add(y)
		}
		y := *q
		y.Body = inner.Block(q.Body.Yield...)
		body.Add(&y)
	}
	out := *s
	out.Body = body.Block(s.Body.Yield...)
	return &out
}

func isOne(reads map[*loop.Load]matrix, s loop.Stmt) bool {
	load, ok := s.(*loop.Load)
	if ok {
		_, ok = reads[load]
	}
	return ok
}

// transposed is a transposed matrix, made in front of the outermost loop in which the matrix stays
// the same.
func (t *transposer) transposed(m matrix) *loop.Var {
	level := 0
	for _, a := range []loop.Atom{m.buf, m.base, m.rows, m.columns} {
		level = max(level, t.level(a))
	}
	r := t.around[level]
	if r.made[m] != nil {
		return r.made[m]
	}
	b := &r.before
	positive := func(a loop.Atom) loop.Atom { return b.Let("some", loop.LtI, loop.Int(0), a) }
	n := b.Let("n", loop.MulI, m.rows, m.columns)
	some := b.Let("some", loop.And, positive(m.rows), positive(m.columns))
	if r.count != nil {
		some = b.Let("some", loop.And, some, positive(r.count))
	}
	wraps := b.Let("over", loop.MulOver, m.rows, m.columns)
	some = b.Let("some", loop.And, some, b.Let("fits", loop.Not, wraps))
	room := b.Let("room", loop.SubI, b.Length(m.buf), m.base)
	some = b.Let("some", loop.And, some, b.Let("fits", loop.LeI, loop.Int(0), m.base))
	some = b.Let("some", loop.And, some, b.Let("fits", loop.LeI, n, room))
	out := b.Alloc(m.buf.Name+".t", m.buf.Kind, b.Let("n", loop.SelI, some, n, loop.Int(0)), false)
	rows := b.Let("n", loop.SelI, some, m.rows, loop.Int(0))
	b.Parallel("i", rows, func(b *loop.Builder, i *loop.Var) {
		first := sum(b, b.Let("a", loop.MulI, i, m.columns), m.base)
		b.Parallel("j", m.columns, func(b *loop.Builder, j *loop.Var) {
			x := b.Load("x", m.buf, b.Let("a", loop.AddI, first, j))
			b.Store(out, b.Let("a", loop.AddI, b.Let("a", loop.MulI, j, m.rows), i), x)
		})
	})
	r.made[m] = out
	return out
}
