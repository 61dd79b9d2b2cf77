package lower

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// sortIndices merges runs of sorted indices, which are twice as long after each turn:
//
//	width, order = 1, [0, 1, …]
//	while width < n { order = the runs of 2*width elements, each merged of two; width = 2*width }
//
// Among equal elements the one of the first run comes first. A derivative compares the same elements, and gives up at
// equal ones.
func sortIndices(l *lowerer, _ *core.Let, op *core.Prim, env *env) value {
	xs := l.array(op.Args[0], env)
	if c, ok := xs.elem.(*column); !ok || c.total != nil {
		l.fail("sorting an array of type %s", types.Show(op.Args[0].Type()))
	}
	n := xs.n
	l.loops = true
	start := l.fill(n, func(i *loop.Var) value { return &scalar{i} }).(*array)
	cond := l.push()
	states, state := l.states(&product{parts: []value{&scalar{loop.Int(1)}, start}})
	width := state.(*product).parts[0].(*scalar).atom
	order := state.(*product).parts[1].(*array)
	going := l.let("going", loop.LtI, width, n)
	l.pop()
	body := l.push()
	twice := l.times(width, loop.Int(2))
	out := &column{loop.I64, l.alloc("order", loop.I64, n, false), loop.Int(0), []loop.Atom{loop.Int(1)}, nil}
	runs := l.let("runs", loop.DivI, l.plus(n, l.minus(twice, loop.Int(1))), twice)
	l.parallel(runs, func(r *loop.Var) { l.mergeRuns(xs, order, out, r, width, twice) })
	l.pop()
	w := &loop.While{States: states, Cond: cond.Block(going), Body: body.Block(twice, out.buf)}
	result := l.stateResults(states, state)
	l.add(w)
	return result.(*product).parts[1]
}

// mergeRuns merges two runs of a width, the first of which is number r of the pairs, and puts the result in their place.
func (l *lowerer) mergeRuns(xs, order *array, out *column, r *loop.Var, width, twice loop.Atom) {
	n := xs.n
	within := func(a loop.Atom) loop.Atom { return l.let("end", loop.MinI, a, n) }
	low := l.times(r, twice)
	middle, high := within(l.plus(low, width)), within(l.plus(low, twice))
	s := l.push()
	k := l.index(l.minus(high, low))
	i, j := l.fresh("i", loop.I64), l.fresh("j", loop.I64)
	l.given[i], l.given[j] = true, true
	last := l.minus(n, loop.Int(1))
	at := func(a loop.Atom) loop.Atom { // what is beyond the last is not chosen
		return l.plain(l.element(order, l.let("at", loop.MinI, a, last)))
	}
	left, right := at(i), at(j)
	some, more := l.let("some", loop.LtI, i, middle), l.let("more", loop.LtI, j, high)
	both := l.let("both", loop.And, some, more)
	compared := l.push()
	first := l.precedes(l.plain(l.element(xs, right)), l.plain(l.element(xs, left)))
	l.pop()
	second := l.fresh("second", loop.Bool)
	l.add(&loop.If{Results: []*loop.Var{second}, Cond: both, Then: compared.Block(first), Else: &loop.Block{Yield: []loop.Atom{more}}})
	l.add(&loop.Store{Buf: out.buf, At: l.plus(low, k), Value: l.let("chosen", loop.SelI, second, right, left)})
	step := l.word(second)
	next := []loop.Atom{l.plus(i, l.minus(loop.Int(1), step)), l.plus(j, step)}
	l.pop()
	l.add(&loop.For{Index: k, Count: l.minus(high, low), Body: s.Block(next...), States: []loop.State{
		{Var: i, Init: low, Result: l.fresh("i", loop.I64)}, {Var: j, Init: middle, Result: l.fresh("j", loop.I64)}}})
}

// precedes tells whether an element must come before another. NaN is the largest real.
func (l *lowerer) precedes(x, y loop.Atom) loop.Atom {
	switch x.AtomKind() {
	case loop.F64:
		nan := func(x loop.Atom) loop.Atom {
			x = l.stopped(x)
			return l.let("nan", loop.NeF, x, x)
		}
		undefined := l.let("only", loop.And, nan(y), l.not(nan(x)))
		return l.let("less", loop.Or, l.let("less", loop.LtF, x, y), undefined)
	case loop.Bool:
		x, y = l.word(x), l.word(y)
	}
	return l.let("less", loop.LtI, x, y)
}
