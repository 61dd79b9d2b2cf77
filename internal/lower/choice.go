package lower

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/facts"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

var selections = map[loop.Kind]*loop.Op{loop.F64: loop.SelF, loop.I64: loop.SelI,
	loop.Bool: loop.SelB}

// onlyFails tells whether a block does nothing but fail.
func onlyFails(b *core.Block) bool {
	for _, s := range b.Stmts {
		let, ok := s.(*core.Let)
		if !ok {
			return false
		}
		p, ok := let.Op.(*core.Prim)
		if !ok {
			return false
		}
		if p.Prim.ID == prim.Fail {
			return true
		}
		if types.Resolve(let.Var.Ty) != types.Type(types.String) {
			return false
		}
	}
	return false
}

// reach tells what is known of a side of a choice.
type reach uint8

const (
	open  reach = iota
	fails       // it only fails
	never       // it is not reached
)

// reachOf is what is known of a block.
func reachOf(b *core.Block) reach {
	if onlyFails(b) {
		return fails
	}
	return open
}

// choice is one of two values. A side that only fails is a check.
func (l *lowerer) choice(cond loop.Atom, then, otherwise func() value, ofThen, ofElse reach) value {
	if truth, known := l.decides(cond); known {
		if truth {
			return then()
		}
		return otherwise()
	}
	switch {
	case ofThen == never:
		l.assume(cond, false)
		return otherwise()
	case ofElse == never:
		l.assume(cond, true)
		return then()
	case ofThen == fails:
		l.check(l.not(cond), l.at)
		return otherwise()
	case ofElse == fails:
		l.check(cond, l.at)
		return then()
	}
	at := l.at
	side := func(truth bool, body func() value) (*scope, value) {
		s := l.push()
		s.side = true
		l.assume(cond, truth)
		v := body()
		l.pop()
		l.at = at
		return s, v
	}
	a, x := side(true, then)
	b, y := side(false, otherwise)
	if l.rule {
		// What rules compute cannot fail.
		for _, s := range append(a.Stmts, b.Stmts...) {
			loop.Defs(s, func(v *loop.Var) { l.bindAt(v, len(l.open)-1) })
			l.add(s)
		}
		yes, no := l.plain(x), l.plain(y)
		return &scalar{l.let("x", selections[yes.AtomKind()], cond, yes, no)}
	}
	j := &joining{l: l, cond: cond, a: a, b: b}
	v := j.join(x, y)
	if len(j.results) > 0 || len(a.Stmts) > 0 || len(b.Stmts) > 0 {
		l.add(&loop.If{Results: j.results, Cond: cond, Then: a.Block(j.left...),
			Else: b.Block(j.right...)})
	}
	for _, f := range j.after {
		f()
	}
	return v
}

// joining makes one value of what two blocks yield.
type joining struct {
	l           *lowerer
	cond        loop.Atom
	a, b        *scope
	results     []*loop.Var
	left, right []loop.Atom
	after       []func() // what is to be computed from the results
}

func (j *joining) join(x, y value) value {
	l := j.l
	if x == y {
		return x
	}
	_, xFails := x.(*bottom)
	_, yFails := y.(*bottom)
	switch {
	case xFails && yFails:
		return x
	case xFails:
		x = j.like(j.a, y)
	case yFails:
		y = j.like(j.b, x)
	}
	if isFunction(x) && isFunction(y) {
		return j.functions(x, y)
	}
	switch x := x.(type) {
	case *scalar:
		y, ok := y.(*scalar)
		if !ok {
			break // a total of a reduction on one side
		}
		return &scalar{j.scalar("x", x.atom, y.atom)}
	case *product:
		y := y.(*product)
		p := l.either(x, y)
		for i := range x.parts {
			p.parts[i] = j.join(x.parts[i], y.parts[i])
		}
		return p
	case *array:
		return j.array(x, y.(*array))
	case *text:
		return x
	case *pending:
		if y, ok := y.(*pending); ok {
			return j.pending(x, y)
		}
	}
	if _, ok := y.(*pending); ok {
		panic(notTotal{})
	}
	if _, ok := x.(*pending); ok {
		panic(notTotal{})
	}
	l.fail("a choice between values of different shapes")
	return nil
}

// like is a value of the shape of the other block's, for a block that fails or has no such part: a
// constructor's fields, what a function refers to. Nothing looks at its elements, but they are
// copied where the value is put into an array, so they exist.
func (j *joining) like(s *scope, v value) value {
	var out value
	j.l.within(s, func() {
		out = mapLeaves(j.emptied(v), nil, func(leaf value, dims []loop.Atom) value {
			switch leaf := leaf.(type) {
			case *scalar:
				return &scalar{loop.Literal(leaf.atom.AtomKind(), 0)}
			case *column:
				if leaf.total != nil {
					return leaf
				}
				buf := j.l.alloc("none", leaf.kind, j.l.size(dims), true)
				return &column{leaf.kind, buf, loop.Int(0), j.l.rowMajor(dims), nil}
			case *pending:
				return &pending{total: leaf.total}
			}
			return leaf
		})
	})
	return out
}

// emptied is a value whose arrays have lengths that are known in both blocks.
func (j *joining) emptied(v value) value {
	switch v := v.(type) {
	case *product:
		p := v.fresh()
		for i, part := range v.parts {
			p.parts[i] = j.emptied(part)
		}
		return p
	case *array:
		n := v.n
		if j.l.depthOf(n) >= j.a.depth {
			n = loop.Int(0)
		}
		return &array{n: n, elem: j.emptied(v.elem)}
	}
	return v
}

// scalar is one of two scalars, each known in its block.
func (j *joining) scalar(name string, x, y loop.Atom) loop.Atom {
	if sameAtom(x, y) {
		return x
	}
	kind := x.AtomKind()
	if outside := max(j.l.depthOf(x), j.l.depthOf(y)) < j.a.depth; outside && kind != loop.F64 &&
		!kind.IsBuffer() {
		return j.l.let(name, selections[kind], j.cond, x, y) // where its operands are known
	}
	v := j.l.fresh(name, kind)
	j.results, j.left, j.right = append(j.results, v), append(j.left, x), append(j.right, y)
	if v.Kind == loop.I64 {
		s, t := j.l.span(x), j.l.span(y)
		j.l.spans.Set(v, &facts.Span{Lo: min(s.Lo, t.Lo), Hi: max(s.Hi, t.Hi)})
	}
	return v
}

// array is one of two arrays: which buffers, from where on, and how long.
func (j *joining) array(x, y *array) value {
	l := j.l
	dense := func(s *scope, v *array) *array {
		l.within(s, func() { v = l.compact(v, l.dense).(*array) })
		return v
	}
	x, y = j.withoutRows(x, y), j.withoutRows(y, x)
	x, y = dense(j.a, x), dense(j.b, y)
	out := j.dense(x, y, nil, nil, nil).(*array)
	if x.loose == y.loose {
		out.loose = x.loose
	}
	return out
}

// withoutRows is an array, with rows of the lengths of another's if it has none itself.
func (j *joining) withoutRows(x, other *array) *array {
	if !isInt(x.n, 0) || isInt(other.n, 0) {
		return x
	}
	fits := true
	var walk func(x, other value) value
	walk = func(x, other value) value {
		switch x := x.(type) {
		case *product:
			p := j.l.either(x, other.(*product))
			for i, part := range x.parts {
				p.parts[i] = walk(part, other.(*product).parts[i])
			}
			return p
		case *array:
			n := j.l.root(other.(*array).n)
			fits = fits && j.l.depthOf(n) < j.a.depth
			return &array{n: n, elem: walk(x.elem, other.(*array).elem)}
		}
		return x
	}
	elem := walk(x.elem, other.elem)
	if !fits {
		return x
	}
	return mapLeaves(&array{n: x.n, elem: elem}, nil, func(leaf value, dims []loop.Atom) value {
		c, ok := leaf.(*column)
		if !ok {
			return leaf
		}
		return &column{c.kind, c.buf, c.base, j.l.rowMajor(dims), c.total}
	}).(*array)
}

// dense joins values that lie row by row. They are in arrays of lengths dx and dy, the joined one
// of lengths dims.
func (j *joining) dense(x, y value, dims, dx, dy []loop.Atom) value {
	l := j.l
	switch x := x.(type) {
	case *product:
		p := l.either(x, y.(*product))
		for i := range x.parts {
			p.parts[i] = j.dense(x.parts[i], y.(*product).parts[i], dims, dx, dy)
		}
		return p
	case *array:
		y := y.(*array)
		n := j.scalar("n", x.n, y.n)
		if v, ok := n.(*loop.Var); ok {
			l.joined[v] = true
		}
		return &array{n: n, elem: j.dense(x.elem, y.elem, also(dims, n), also(dx, x.n),
			also(dy, y.n))}
	case *column:
		y := y.(*column)
		c := &column{kind: x.kind}
		j.after = append(j.after, func() { c.steps = l.rowMajor(dims) })
		if x.buf == y.buf && sameAtom(x.base, y.base) {
			c.buf, c.base, c.total = x.buf, x.base, x.total
			return c
		}
		if x.total != nil || y.total != nil {
			panic(notTotal{})
		}
		c.base = j.scalar("base", x.base, y.base)
		c.buf = j.scalar("xs", x.buf, y.buf).(*loop.Var)
		var fills bool
		l.within(j.a, func() { fills = l.fills(x, dx) })
		l.within(j.b, func() { fills = fills && l.fills(y, dy) })
		if x.buf != y.buf && isInt(c.base, 0) && fills {
			j.after = append(j.after, func() { l.sizes[c.buf] = l.size(dims) })
		}
		return c
	}
	if _, ok := x.(*text); ok {
		return x
	}
	l.fail("a choice between values of different shapes")
	return nil
}
