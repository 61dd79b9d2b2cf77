package lower

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Sorting]
//
// Runs of sorted keys are merged, which are twice as long after each turn; the indices go with
// them:
//
//	width, keys, order = 1, [key xs[0], key xs[1], …], [0, 1, …]
//	while width < n {
//	  keys, order = the runs of 2*width elements, each merged of two
//	  width = 2*width
//	}
//
// Among equal keys the one of the first run comes first. A key is an integer that has the order of
// the element: so that nothing is read but what lies next to each other, no order of reals is
// undecided, and a derivative has nothing to keep. But a derivative has to be given up where
// elements are equal. After the loop equal elements are neighbours. So neighbours are compared once
// more, as what they are, and would change places if that were wrong.

func sortIndices(l *lowerer, _ *core.Let, op *core.Prim, env *env) value {
	xs := l.array(op.Args[0], env)
	c, ok := xs.elem.(*column)
	if !ok || c.total != nil {
		l.fail("sorting an array of type %s", types.Show(op.Args[0].Type()))
	}
	n := xs.n
	l.loops = true
	start := l.fill(n, func(i *loop.Var) value {
		return &product{parts: []value{&scalar{l.key(l.plain(l.element(xs, i)))}, &scalar{i}}}
	})
	cond := l.push()
	states, state := l.states(&product{parts: []value{&scalar{loop.Int(1)}, start}})
	width := state.(*product).parts[0].(*scalar).atom
	from := state.(*product).parts[1].(*array).elem.(*product)
	going := l.let("going", loop.LtI, width, n)
	l.pop()
	body := l.push()
	m := &merging{l: l, n: n, width: width, twice: l.times(width, loop.Int(2))}
	for i, name := range []string{"keys", "order"} {
		m.from[i] = from.parts[i].(*column).buf
		m.to[i] = l.alloc(name, loop.I64, n, false)
	}
	runs := l.let("runs", loop.DivI, l.plus(n, l.minus(m.twice, loop.Int(1))), m.twice)
	l.parallel(runs, m.merge)
	l.pop()
	w := &loop.While{States: states, Cond: cond.Block(going),
		Body: body.Block(m.twice, m.to[0], m.to[1])}
	result := l.stateResults(states, state)
	l.add(w)
	sorted := result.(*product).parts[1].(*array)
	order := &array{n: n, elem: sorted.elem.(*product).parts[1]}
	if c.kind == loop.F64 {
		return l.decided(xs, order)
	}
	return order
}

// decided is the order of reals that are sorted, where it depends on comparisons of neighbours.
func (l *lowerer) decided(xs, order *array) value {
	n := order.n
	out := l.newArray(n, &scalar{loop.Int(0)})
	at := func(i loop.Atom) loop.Atom { return l.plain(l.element(order, i)) }
	l.parallel(l.positive(l.minus(n, loop.Int(1))), func(i *loop.Var) {
		one, next := at(i), at(l.plus(i, loop.Int(1)))
		less := l.let("less", loop.LtF, l.plain(l.element(xs, next)), l.plain(l.element(xs, one)))
		l.put(l.locate(out, i), &scalar{l.let("at", loop.SelI, less, next, one)})
	})
	l.parallel(l.let("few", loop.MinI, n, loop.Int(1)), func(i *loop.Var) {
		last := l.minus(l.minus(n, loop.Int(1)), i)
		l.put(l.locate(out, last), &scalar{at(last)})
	})
	return out
}

// key is an integer that has the order of a scalar. Both zeroes are equal, and NaN is the largest
// real.
func (l *lowerer) key(x loop.Atom) loop.Atom {
	switch x.AtomKind() {
	case loop.Bool:
		return l.word(x)
	case loop.I64:
		return x
	}
	x = l.stopped(x)
	bits := l.let("bits", loop.Bits, x)
	negative := l.let("negative", loop.LtI, bits, loop.Int(0))
	key := l.let("key", loop.SelI, negative, l.minus(loop.Int(math.MinInt64), bits), bits)
	return l.let("key", loop.SelI, l.let("nan", loop.NeF, x, x), loop.Int(math.MaxInt64), key)
}

// merging is a turn of the loop that sorts.
type merging struct {
	l            *lowerer
	n            loop.Atom
	width, twice loop.Atom    // of the runs, before and after
	from, to     [2]*loop.Var // keys and indices
}

// merge merges two runs, the first of which is number r of the pairs, and puts the result in their
// place.
func (m *merging) merge(r *loop.Var) {
	l := m.l
	within := func(a loop.Atom) loop.Atom { return l.let("end", loop.MinI, a, m.n) }
	low := l.times(r, m.twice)
	middle, high := within(l.plus(low, m.width)), within(l.plus(low, m.twice))
	s := l.push()
	k := l.index(l.minus(high, low))
	i, j := l.fresh("i", loop.I64), l.fresh("j", loop.I64)
	l.given[i], l.given[j] = true, true
	last := l.minus(m.n, loop.Int(1))
	// what is beyond the last is not chosen
	at := func(a loop.Atom) loop.Atom { return l.let("at", loop.MinI, a, last) }
	left, right := at(i), at(j)
	x, y := l.load(loop.I64, m.from[0], left), l.load(loop.I64, m.from[0], right)
	some, more := l.let("some", loop.LtI, i, middle), l.let("more", loop.LtI, j, high)
	first := l.let("first", loop.Or, l.not(some), l.let("less", loop.LtI, y, x))
	second := l.let("second", loop.And, more, first)
	put := func(which int, x loop.Atom) {
		l.add(&loop.Store{Buf: m.to[which], At: l.plus(low, k),
			Value: x})
	}
	put(0, l.let("key", loop.SelI, second, y, x))
	put(1, l.load(loop.I64, m.from[1], l.let("chosen", loop.SelI, second, right, left)))
	step := l.word(second)
	next := []loop.Atom{l.plus(i, l.minus(loop.Int(1), step)), l.plus(j, step)}
	l.pop()
	l.add(&loop.For{Index: k, Count: l.minus(high, low), Body: s.Block(next...),
		States: []loop.State{
			{Var: i, Init: low, Result: l.fresh("i", loop.I64)}, {Var: j, Init: middle,
				Result: l.fresh("j", loop.I64)}}})
}
