package lower

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// fill makes an array of n elements, each by the body.
func (l *lowerer) fill(n loop.Atom, body func(i *loop.Var) value) value {
	joins := l.joins
	l.joins = false
	outside := l.scope()
	s := l.push()
	i := l.index(n)
	v := l.data(l.defined(body(i)))
	if zero := l.zeros(outside, n, v); zero != nil {
		l.pop()
		if mayFail(s.Stmts) {
			l.loops = true
			l.add(&loop.For{Index: i, Count: n, Parallel: true, Body: s.Block()})
		}
		return zero
	}
	like := l.constantLengths(v, s.depth, joins)
	var out *array
	l.within(outside, func() { out = &array{n: n, elem: l.roomFor(n, i, like)} })
	l.write(out, i, v)
	l.pop()
	l.loops = true
	l.add(&loop.For{Index: i, Count: n, Parallel: true, Body: s.Block()})
	return out
}

// mayFail tells whether statements may end a run.
func mayFail(stmts []loop.Stmt) bool {
	fails := false
	loop.Walk(&loop.Block{Stmts: stmts}, func(s loop.Stmt) {
		switch s.(type) {
		case *loop.Check, *loop.While, *loop.Call:
			fails = true
		}
	})
	return fails
}

// roomFor is room for n elements, apart from totals, which have it. The elements are those at an
// index.
func (l *lowerer) roomFor(n, i loop.Atom, like value) value {
	return mapLeaves(like, []loop.Atom{n}, func(leaf value, dims []loop.Atom) value {
		switch leaf := leaf.(type) {
		case *pending:
			if leaf.at != nil {
				return &column{loop.F64, leaf.total.buf, l.origin(leaf.at, i), l.rowMajor(dims),
					leaf.total}
			}
		case *column:
			if leaf.total != nil {
				return &column{loop.F64, leaf.buf, l.origin(leaf.base, i), l.rowMajor(dims),
					leaf.total}
			}
		}
		return l.room(dims, leaf)
	})
}

// origin is an address less what it has of an index.
func (l *lowerer) origin(at, i loop.Atom) loop.Atom {
	ofIndex := func(a loop.Atom) bool {
		def := l.def(a)
		return a == i || def != nil && def.Op == loop.MulI && def.Args[0] == i
	}
	if !isConst(at) && !ofIndex(at) {
		if def := l.def(at); def != nil && def.Op == loop.AddI && ofIndex(def.Args[0]) {
			return def.Args[1]
		}
		panic(notTotal{})
	}
	return loop.Int(0)
}

// write puts an element where it belongs; totals are added to.
func (l *lowerer) write(out *array, i loop.Atom, v value) {
	put := l.put
	if distinct(v) {
		put = l.move
	}
	var walk func(to, from value)
	walk = func(to, from value) {
		switch to := to.(type) {
		case *product:
			from := l.matching(to, from)
			for k, part := range to.parts {
				walk(part, from.parts[k])
			}
		case *column:
			switch p := from.(type) {
			case *pending:
				if to.total != p.total || !sameAtom(to.base, p.at) {
					panic(notTotal{})
				}
				if p.op != nil {
					l.add(&loop.Accum{Buf: p.total.buf, At: p.at, Value: p.by})
				}
			default:
				put(to, from)
			}
		case *array:
			from := from.(*array)
			if c, ok := onlyColumn(to.elem); ok && c.total != nil {
				d, ok := onlyColumn(from.elem)
				if !ok || d.total != c.total || !sameAtom(d.base, c.base) || !l.same(to.n, from.n) {
					panic(notTotal{})
				}
				return // it was added to where it was made
			}
			put(to, from)
		}
	}
	walk(l.locate(out, i), v)
}

// onlyColumn is the column of an element that is a real or an array of reals.
func onlyColumn(v value) (*column, bool) {
	for {
		switch x := v.(type) {
		case *array:
			v = x.elem
		case *column:
			return x, true
		default:
			return nil, false
		}
	}
}

// zeros is an array of real zeroes, if the elements are that.
func (l *lowerer) zeros(outside *scope, n loop.Atom, v value) value {
	zero := false
	switch v := v.(type) {
	case *scalar:
		c, ok := v.atom.(*loop.Const)
		zero = ok && c.Kind == loop.F64 && c.F == 0 && !math.Signbit(c.F)
	case *array:
		c, ok := onlyColumn(v.elem)
		// The row may be made here or outside.
		zero = ok && l.zeroed[c.buf] && l.depthOf(v.n) <= outside.depth
		for inner, ok := v.elem.(*array); ok; inner, ok = inner.elem.(*array) {
			zero = zero && l.depthOf(inner.n) <= outside.depth
		}
	}
	if !zero {
		return nil
	}
	var out value
	l.within(outside, func() {
		out = mapLeaves(&array{n: n, elem: v}, nil, func(_ value, dims []loop.Atom) value {
			buf := l.alloc("zeros", loop.F64, l.size(dims), true)
			l.zeroed[buf] = true
			return &column{loop.F64, buf, loop.Int(0), l.rowMajor(dims), nil}
		})
	})
	return out
}

// constantLengths is a value whose arrays have lengths that are known outside of a block of the
// given depth. Unless they may differ, a length that is chosen in the block is checked to be the
// same on both sides.
func (l *lowerer) constantLengths(v value, depth int, mayDiffer bool) value {
	switch v := v.(type) {
	case *product:
		p := v.fresh()
		for i, part := range v.parts {
			p.parts[i] = l.constantLengths(part, depth, mayDiffer)
		}
		return p
	case *array:
		n := v.n
		if l.depthOf(n) >= depth {
			n = l.root(n)
		}
		if l.depthOf(n) >= depth && !mayDiffer {
			n = l.eitherWay(n, depth)
		}
		if l.depthOf(n) >= depth {
			l.failWith(RaggedHint, differ)
		}
		return &array{n: n, elem: l.constantLengths(v.elem, depth, mayDiffer)}
	}
	return v
}

// eitherWay is a length that is chosen in a block of the given depth among lengths that are known
// outside of it, and are checked to be equal. It is the length itself if there is no such choice,
// or if they are known to differ.
func (l *lowerer) eitherWay(n loop.Atom, depth int) loop.Atom {
	if n = l.root(n); l.depthOf(n) < depth {
		return n
	}
	def := l.def(n)
	if def == nil || def.Op != loop.SelI {
		return n
	}
	a, b := l.eitherWay(def.Args[1], depth), l.eitherWay(def.Args[2], depth)
	if l.depthOf(a) >= depth || l.depthOf(b) >= depth {
		return n
	}
	if truth, known := l.decides(l.let("equal", loop.EqI, a, b)); known && !truth {
		return n
	}
	l.equalLengths(a, b)
	l.scope().equal[n] = l.root(a)
	return a
}

// elements makes an array of what a block gives for each index.
func (l *lowerer) elements(op core.Op, env *env) value {
	n, each, elem := l.rows(op, env)
	return l.fill(n, func(i *loop.Var) value { return l.block(elem, each(i)) })
}

func (l *lowerer) sliceOf(op *core.Slice, env *env) value {
	a, lo, hi := l.array(op.Of, env), l.scalar(op.Lo, env), l.scalar(op.Hi, env)
	l.check(l.let("low", loop.LeI, loop.Int(0), lo), l.at)
	l.check(l.let("order", loop.LeI, lo, hi), l.at)
	l.check(l.let("high", loop.LeI, hi, a.n), l.at)
	return l.slice(a, lo, l.positive(l.difference(hi, lo)))
}

// Note [Rows that are written]
//
// A matrix that the program writes is made of rows that it writes,
//
//	let r = [a, b] in let s = [c, d] in [r, s]
//
// which are mostly used for nothing else. Such a row is not made: its elements are stored in the
// matrix, and it is a part of that.

// findRows notes the rows of a block that are used once, by an array that the block writes.
func (l *lowerer) findRows(b *core.Block) {
	var rows map[*core.Var]int // uses
	made := func(a core.Atom) *core.Var {
		v, ok := a.(*core.Var)
		if !ok {
			return nil
		}
		for _, s := range b.Stmts {
			if let, ok := s.(*core.Let); ok && let.Var == v {
				if _, ok := let.Op.(*core.Array); ok {
					return v
				}
			}
		}
		return nil
	}
	for _, s := range b.Stmts {
		let, ok := s.(*core.Let)
		if !ok {
			continue
		}
		op, ok := let.Op.(*core.Array)
		if !ok {
			continue
		}
		if _, ok := types.Resolve(op.Elem).(*types.Array); !ok {
			continue
		}
		for _, a := range op.Elems {
			if v := made(a); v != nil {
				if rows == nil {
					rows = map[*core.Var]int{}
				}
				rows[v] = 0
			}
		}
	}
	if rows == nil {
		return
	}
	core.Atoms(b, func(a core.Atom) {
		if v, ok := a.(*core.Var); ok {
			if n, row := rows[v]; row {
				rows[v] = n + 1
			}
		}
	})
	for v, uses := range rows {
		if uses == 1 {
			l.unmade[v] = true
		}
	}
}

func (l *lowerer) arrayLiteral(let *core.Let, op *core.Array, env *env) value {
	n := loop.Int(int64(len(op.Elems)))
	if len(op.Elems) == 0 {
		s := DataShapeOf(&types.Array{Size: types.AnySize, Elem: op.Elem})
		if s == nil {
			l.fail("an array of type []%s", types.Show(op.Elem))
		}
		return l.zero(s, nil)
	}
	elems := l.atoms(op.Elems, env)
	scalars := true
	for i, e := range elems {
		elems[i] = l.defined(e)
		_, ok := elems[i].(*scalar)
		scalars = scalars && ok
	}
	if scalars && l.unmade[let.Var] {
		return &array{n: n, elem: elems[0], lit: elems}
	}
	stored := l.alike(elems)
	if hasVariants(op.Elem) {
		stored = l.level(stored)
	}
	out := l.newArray(n, stored[0])
	for i, e := range stored {
		to := l.locate(out, loop.Int(int64(i)))
		row, ok := e.(*array)
		if ok && row.unmade() {
			elems[i] = l.putWritten(to.(*array), row)
		} else {
			l.put(to, e)
		}
	}
	out.lit = elems
	return out
}

// unmade tells whether an array is a row that is not made: Note [Rows that are written].
func (a *array) unmade() bool {
	_, scalar := a.elem.(*scalar)
	return scalar
}

// putWritten writes a row that is not made to where it belongs, and gives it as what is there.
func (l *lowerer) putWritten(to, row *array) *array {
	l.equalLengths(row.n, to.n)
	if l.scope().fails {
		return row
	}
	for i, e := range row.lit {
		l.put(l.locate(to, loop.Int(int64(i))), e)
	}
	return &array{n: row.n, elem: to.elem, lit: row.lit}
}
