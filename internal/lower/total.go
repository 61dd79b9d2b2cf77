package lower

import (
	"maps"
	"math"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/facts"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

// Note [Totals]
//
// In a loop such as
//
//	loop (s, m) = (0, 0) for x in xs do (s + f x, max m (g x))
//
// each turn only adds to what it is given: the loop may run in parallel, with totals instead of
// states. Whether it is of that kind is found by lowering its body with totals for the reals of the
// state. A total may be added to, or combined with something by another operation that is
// associative and commutative, always the same one; it may be handed to an inner loop as its start,
// be chosen by a condition, and be a component of a tuple or an element of an array. Where anything
// else happens to it, lowering the body stops with notTotal, and the loop has states.
//
// The elements of an array that is added to are totals too. Their contributions go by
// Accum to a buffer outside the loop, which starts with zeroes.

// neutral is what an operation on totals leaves the other operand with.
func neutral(op *loop.Op) *loop.Const {
	switch op {
	case loop.MulF:
		return loop.Real(1)
	case loop.MaxF:
		return loop.Real(math.Inf(-1))
	case loop.MinF:
		return loop.Real(math.Inf(1))
	case loop.MaxI:
		return loop.Int(math.MinInt64)
	case loop.MinI:
		return loop.Int(math.MaxInt64)
	case loop.AddI:
		return loop.Int(0)
	}
	return loop.Real(0)
}

// combine is a total combined with a scalar, by a primitive.
func (l *lowerer) combine(row prim.ID, args []value) value {
	p, first := args[0].(*pending)
	other := args[len(args)-1]
	if !first {
		p, other = args[1].(*pending), args[0]
	}
	x := l.plain(other)
	var op *loop.Op
	real := p.total.kind == loop.F64
	switch {
	case row == prim.Add && real:
		op = loop.AddF
	case row == prim.Add:
		op = loop.AddI
	case row == prim.Sub && real && first:
		op, x = loop.AddF, l.let("neg", loop.NegF, x)
	case row == prim.Mul && real:
		op = loop.MulF
	case row == prim.Max && real:
		op = loop.MaxF
	case row == prim.Max:
		op = loop.MaxI
	case row == prim.Min && real:
		op = loop.MinF
	case row == prim.Min:
		op = loop.MinI
	}
	if op == nil || p.op != nil && p.op != op || p.total.buf != nil && op != loop.AddF {
		panic(notTotal{})
	}
	if p.op != nil {
		if op == loop.AddI && !l.smallSum(x, p.by) {
			panic(notTotal{})
		}
		x = l.let("t", op, p.by, x)
	}
	return &pending{p.total, op, x, p.at}
}

// smallSum tells whether integers are so small that as many of them as there may be in a loop have
// a sum of 64 bits.
func (l *lowerer) smallSum(xs ...loop.Atom) bool {
	for _, x := range xs {
		if s := l.span(x); s.Lo < -1<<20 || s.Hi > 1<<20 {
			return false
		}
	}
	return true
}

// pending joins what two sides of a choice contribute.
func (j *joining) pending(x, y *pending) value {
	op := x.op
	if op == nil {
		op = y.op
	}
	if x.total != y.total || x.at != y.at || x.op != nil && y.op != nil && x.op != y.op {
		panic(notTotal{})
	}
	if op == nil {
		return x
	}
	by := func(p *pending) loop.Atom {
		if p.op == nil {
			return neutral(op)
		}
		return p.by
	}
	return &pending{x.total, op, j.scalar("t", by(x), by(y)), x.at}
}

// mayTotal tells whether a body may only add to its state, by a quick look at what it does with
// it.
func mayTotal(body *core.Block, state *core.Var) bool {
	alias := map[core.Atom]bool{state: true}
	may := true
	core.Walk(body, func(s core.Stmt) {
		let, ok := s.(*core.Let)
		if !ok {
			may = false
			return
		}
		used := false
		core.OpAtoms(let.Op, func(a core.Atom) { used = used || alias[a] })
		switch op := let.Op.(type) {
		case *core.Proj, *core.Field, *core.Index:
			if used {
				alias[let.Var] = true
			}
		case *core.Prim:
			switch op.Prim.ID {
			case prim.Add, prim.Sub, prim.Mul, prim.Max, prim.Min, prim.Accumulate:
			default:
				may = may && !used
			}
		case *core.If:
			may = may && !alias[op.Cond]
		case *core.Scan, *core.Slice, *core.Array, *core.Lambda:
			may = may && !used
		}
	})
	return may
}

// totals are those of a loop that is being lowered.
type totals struct {
	starts []value // the scalars before the loop: scalars, or totals of a loop around it
	leaves []*total
}

// totals makes a value of totals for a state. Buffers are made in the current block.
func (l *lowerer) totals(init value) (value, *totals) {
	t := &totals{}
	v := mapLeaves(init, nil, func(leaf value, dims []loop.Atom) value {
		switch leaf := leaf.(type) {
		case *scalar:
			if leaf.atom.AtomKind() == loop.Bool {
				panic(notTotal{})
			}
			own := &total{kind: leaf.atom.AtomKind()}
			t.starts, t.leaves = append(t.starts, leaf), append(t.leaves, own)
			return &pending{total: own}
		case *pending:
			if leaf.at != nil {
				panic(notTotal{})
			}
			own := &total{kind: leaf.total.kind}
			t.starts, t.leaves = append(t.starts, leaf), append(t.leaves, own)
			return &pending{total: own}
		case *column:
			if leaf.kind != loop.F64 {
				panic(notTotal{})
			}
			if leaf.total != nil {
				return leaf // it is added to directly
			}
			own := &total{kind: loop.F64, buf: l.alloc("sums", loop.F64, l.size(dims), true)}
			t.leaves = append(t.leaves, own)
			t.starts = append(t.starts, leaf)
			return &column{loop.F64, own.buf, loop.Int(0), l.rowMajor(dims), own}
		}
		panic(notTotal{})
	})
	return v, t
}

// totalLoop lowers a loop by totals. The body is given its index and the state.
func (l *lowerer) totalLoop(count loop.Atom, init value,
	body func(i *loop.Var, state value) value) value {
	state, t := l.totals(l.defined(init))
	s := l.push()
	i := l.index(count)
	next := body(i, state)
	l.pop()
	l.loops = true
	f := &loop.For{Index: i, Count: count, Parallel: true}
	l.add(f)

	var reds []loop.Red
	var yields []loop.Atom
	k := 0
	var finish func(init, before, after value, dims []loop.Atom) value
	finish = func(init, before, after value, dims []loop.Atom) value {
		switch b := before.(type) {
		case *product:
			p := b.fresh()
			after, ok := after.(*product)
			if !ok || b.funs != nil {
				panic(notTotal{})
			}
			for i, part := range b.parts {
				p.parts[i] = finish(init.(*product).parts[i], part, after.parts[i], dims)
			}
			return p
		case *array:
			after, ok := after.(*array)
			if !ok || !l.same(b.n, after.n) {
				panic(notTotal{})
			}
			return &array{n: b.n, elem: finish(init.(*array).elem, b.elem, after.elem,
				also(dims, b.n))}
		case *column:
			after, ok := after.(*column)
			if !ok || after.total != b.total || !sameAtom(after.base, b.base) {
				panic(notTotal{})
			}
			if k == len(t.leaves) || b.total != t.leaves[k] {
				return b // of a loop around
			}
			k++
			return &column{b.kind, b.buf, b.base, b.steps, nil}
		case *pending:
			after, ok := after.(*pending)
			if !ok || after.total != b.total || k == len(t.leaves) {
				panic(notTotal{})
			}
			start := t.starts[k]
			k++
			if after.op == nil {
				return start
			}
			red := loop.Red{Op: after.op, Init: neutral(after.op),
				Result: l.fresh("total", b.total.kind)}
			if after.op == loop.AddI {
				if !l.smallSum(after.by) {
					panic(notTotal{})
				}
				l.spans.Set(red.Result, &facts.Span{Lo: -1 << 61, Hi: 1 << 61})
			}
			outer, inside := start.(*pending)
			if !inside {
				init := start.(*scalar).atom
				if after.op == loop.AddI {
					if s := l.span(init); s.Lo < -1<<60 || s.Hi > 1<<60 {
						panic(notTotal{})
					}
				}
				red.Init = init
			}
			reds, yields = append(reds, red), append(yields, after.by)
			if !inside {
				return &scalar{red.Result}
			}
			return l.combineTotals(outer, after.op, red.Result)
		}
		panic(notTotal{})
	}
	result := finish(l.defined(init), state, next, nil)
	f.Reds, f.Body = reds, s.Block(yields...)
	return l.withStarts(result, l.defined(init))
}

// combineTotals is a total of a loop around combined with that of an inner one.
func (l *lowerer) combineTotals(p *pending, op *loop.Op, x loop.Atom) value {
	if p.op != nil && p.op != op {
		panic(notTotal{})
	}
	if p.op != nil {
		if op == loop.AddI && !l.smallSum(x, p.by) {
			panic(notTotal{})
		}
		x = l.let("t", op, p.by, x)
	}
	return &pending{p.total, op, x, p.at}
}

// withStarts adds what arrays of totals started with to what the loop has added up.
func (l *lowerer) withStarts(v, init value) value {
	switch v := v.(type) {
	case *product:
		p := v.fresh()
		for i, part := range v.parts {
			p.parts[i] = l.withStarts(part, init.(*product).parts[i])
		}
		return p
	case *array:
		start := init.(*array)
		zero := true
		mapLeaves(start, nil, func(leaf value, _ []loop.Atom) value {
			c, ok := leaf.(*column)
			zero = zero && ok && (c.total != nil || l.zeroed[c.buf])
			return leaf
		})
		if zero {
			return v
		}
		sum := l.newArray(v.n, v.elem)
		l.parallel(v.n, func(i *loop.Var) {
			l.put(l.locate(sum, i), l.sumOf(l.element(start, i), l.element(v, i)))
		})
		return sum
	}
	return v
}

// sumOf adds the reals of two values of one shape.
func (l *lowerer) sumOf(a, b value) value {
	switch a := a.(type) {
	case *scalar:
		return &scalar{l.let("sum", loop.AddF, a.atom, b.(*scalar).atom)}
	case *product:
		p := a.fresh()
		for i, part := range a.parts {
			p.parts[i] = l.sumOf(part, b.(*product).parts[i])
		}
		return p
	case *array:
		b := b.(*array)
		sum := l.newArray(a.n, a.elem)
		l.parallel(a.n, func(i *loop.Var) {
			l.put(l.locate(sum, i), l.sumOf(l.element(a, i), l.element(b, i)))
		})
		return sum
	}
	panic(notTotal{})
}

// onlyIntegers are the statements that compute integers from what comes before.
func onlyIntegers(stmts []loop.Stmt) []loop.Stmt {
	dropped := map[loop.Atom]bool{}
	var kept []loop.Stmt
	for _, s := range stmts {
		let, ok := s.(*loop.Let)
		ok = ok && let.Op.Result != loop.F64
		loop.Uses(s, func(a loop.Atom) { ok = ok && !dropped[a] })
		if ok {
			kept = append(kept, s)
		} else {
			loop.Defs(s, func(v *loop.Var) { dropped[v] = true })
		}
	}
	return kept
}

// attempt runs f, and tells whether it was not stopped by notTotal. If it was, what it has emitted
// is dropped, but for integers that were placed outside.
func (l *lowerer) attempt(f func()) bool {
	return l.attemptUnless(f, func(stop any) bool { _, ok := stop.(notTotal); return ok })
}

// attemptCovered is attempt for what may not be covered.
func (l *lowerer) attemptCovered(f func()) bool {
	return l.attemptUnless(f, func(stop any) bool { _, ok := stop.(*NotCovered); return ok })
}

// attemptUnless is attempt for what may be stopped by a panic.
func (l *lowerer) attemptUnless(f func(), stops func(any) bool) (done bool) {
	open, at, calls, unrolled, loops := l.open, l.at, l.calls, l.unrolled, l.loops
	here := l.scope()
	before := len(here.Stmts)
	known, equal := maps.Clone(here.known), maps.Clone(here.equal)
	apart, fails := here.apart, here.fails
	defer func() {
		if r := recover(); r != nil {
			if !stops(r) {
				panic(r)
			}
			l.open, l.at, l.calls, l.unrolled, l.loops = open, at, calls, unrolled, loops
			here.known, here.equal, here.apart, here.fails = known, equal, apart, fails
			here.Stmts = append(here.Stmts[:before:before], onlyIntegers(here.Stmts[before:])...)
			done = false
		}
	}()
	f()
	return true
}
