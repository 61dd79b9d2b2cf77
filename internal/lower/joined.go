package lower

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Rows of different lengths]
//
// The rows of an array have one length. Those that a comprehension with a condition makes, or one
// over two arrays, are joined at once, and may differ:
//
//	[f x for x in xs if p x]  =  flatten [if p x then [f x] else [] for x in xs]
//
// So two loops are made of the array of rows and of what joins them. The first one adds up the
// lengths of the rows; the second one makes the rows again, and puts each behind the one before.
// What the first one makes of the elements is dead code. Branches that give a row are branches of
// both loops, so that a row which is written as a literal is not made.

// differing is a row whose rows have different lengths: nothing but what joins them can use it.
type differing struct{}

func (differing) isValue() {}

// differ is why an array is not compiled whose rows have different lengths.
const differ = "rows whose lengths may differ"

// areJoined tells whether a statement makes an array of arrays of scalars, which the next one
// joins.
func (l *lowerer) areJoined(let *core.Let, rest []core.Stmt) bool {
	switch let.Op.(type) {
	case *core.Map, *core.Build:
	default:
		return false
	}
	if len(rest) == 0 {
		return false
	}
	next, ok := rest[0].(*core.Let)
	if !ok {
		return false
	}
	p, ok := next.Op.(*core.Prim)
	return ok && p.Prim.ID == prim.Flatten && p.Args[0] == core.Atom(let.Var) &&
		!types.Contains(joinedOf(next),
			func(t types.Type) bool { _, ok := t.(*types.Array); return ok })
}

// joinedOf is the type of the elements of an array that a statement makes.
func joinedOf(let *core.Let) types.Type { return types.Resolve(let.Var.Ty).(*types.Array).Elem }

// join is what a statement makes, if all rows have one length; else what the next one makes of it,
// and true.
func (l *lowerer) join(let, next *core.Let, env *env) (v value, joined bool) {
	l.joins = true
	defer func() { l.joins = false }()
	if l.attemptUnless(func() { v = l.op(let, env) }, func(stop any) bool {
		why, ok := stop.(*NotCovered)
		return ok && why.What == differ
	}) {
		return v, false
	}
	shape := DataShapeOf(joinedOf(next))
	if shape == nil {
		l.failWith(RaggedHint, differ)
	}
	return l.concatenated(let.Op, shape, env), true
}

// concatenated joins the rows that an operation makes.
func (l *lowerer) concatenated(op core.Op, shape *Shape, env *env) value {
	n, each, row := l.rows(op, env)
	l.loops = true
	s := l.push()
	i := l.index(n)
	count := l.rowLength(row, each(i))
	l.pop()
	total := l.natural("n")
	l.add(&loop.For{Index: i, Count: n, Parallel: true, Body: s.Block(count),
		Reds: []loop.Red{{Op: loop.AddI, Init: loop.Int(0), Result: total}}})
	out := l.newArray(l.bounded(total), l.zero(shape, nil))
	s = l.push()
	i = l.index(n)
	k := l.natural("k")
	l.given[k] = true
	next := l.putRow(out, k, row, each(i))
	l.pop()
	l.add(&loop.For{Index: i, Count: n, Body: s.Block(next),
		States: []loop.State{{Var: k, Init: loop.Int(0), Result: l.natural("k")}}})
	return out
}

// rows takes apart an operation that makes an array: the number of elements, what is known in the
// block that makes one, and the block.
func (l *lowerer) rows(op core.Op, outer *env) (n loop.Atom, each func(i *loop.Var) *env,
	row *core.Block) {
	switch op := op.(type) {
	case *core.Build:
		n := l.scalar(op.Size, outer)
		l.check(l.let("size", loop.LeI, loop.Int(0), n), l.at)
		return l.positive(l.bounded(n)), func(i *loop.Var) *env {
			inner := newEnv(outer)
			inner.bind(op.Index, &scalar{i})
			return inner
		}, op.Body
	case *core.Map:
		arrays := make([]*array, len(op.Arrays))
		for k, a := range op.Arrays {
			arrays[k] = l.array(a, outer)
			if k > 0 {
				l.check(l.let("equal", loop.EqI, arrays[k].n, arrays[0].n), l.at)
			}
		}
		// a literal, if one of them has so many elements
		return l.root(arrays[0].n), func(i *loop.Var) *env {
			inner := newEnv(outer)
			for k, p := range op.Params {
				inner.bind(p, l.element(arrays[k], i))
			}
			return inner
		}, op.Body
	}
	panic("lower: not an array that is made of its elements")
}

// rowLength is the length of the row that a block makes.
func (l *lowerer) rowLength(b *core.Block, env *env) loop.Atom {
	return l.rowOf(b, env, func(row *array) loop.Atom { return row.n })
}

// putRow puts the row that a block makes behind k elements of an array, and gives the number of
// elements there are then.
func (l *lowerer) putRow(out *array, k loop.Atom, b *core.Block, env *env) loop.Atom {
	return l.rowOf(b, env, func(row *array) loop.Atom {
		if len(row.lit) > 0 && len(row.lit) <= fewElements {
			for j, x := range row.lit {
				l.put(l.locate(out, l.plus(k, loop.Int(int64(j)))), x)
			}
		} else if !isInt(row.n, 0) {
			l.parallel(row.n, func(j *loop.Var) {
				l.put(l.locate(out, l.plus(k, j)), l.element(row, j))
			})
		}
		return l.plus(k, row.n)
	})
}

// rowOf is what a function gives for the row that a block makes, on the side of a branch where that
// is made.
func (l *lowerer) rowOf(b *core.Block, env *env, f func(row *array) loop.Atom) loop.Atom {
	last := len(b.Stmts) - 1
	if last >= 0 {
		if let, ok := b.Stmts[last].(*core.Let); ok && core.Atom(let.Var) == b.Result {
			if op, ok := let.Op.(*core.If); ok {
				if !l.stmts(b.Stmts[:last], env) {
					return f(l.none(b))
				}
				side := func(b *core.Block) func() value {
					return func() value { return &scalar{l.rowOf(b, newEnv(env), f)} }
				}
				return l.plain(l.choice(l.scalar(op.Cond, env), side(op.Then), side(op.Else),
					reachOf(op.Then), reachOf(op.Else)))
			}
		}
	}
	row, ok := l.defined(l.block(b, env)).(*array)
	if !ok {
		l.fail("a value of type %s", types.Show(b.Result.Type()))
	}
	return f(row)
}

// none is a row without elements, which stands for one that is not made.
func (l *lowerer) none(b *core.Block) *array {
	return l.defined(&bottom{b.Result.Type()}).(*array)
}
