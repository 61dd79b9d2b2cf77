package lower

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/grad"
)

// Errors that a program watches: package grad, Note [Watched errors]. A function that is to be
// differentiated has them watched along the fixed direction of its point, the one in which ties are
// resolved. The direction is among its last parameters, and its derivatives are made of the
// function that watches.

// deviation is the mean over the reals of e.
func deviation(l *lowerer, _ *core.Let, op *core.Prim, env *env) value {
	l.withoutNodes(op.Args[2].Type())
	d := &deviating{l, l.scalar(op.Args[0], env), l.scalar(op.Args[1], env)}
	e := l.use(op.Args[2], env)
	sum := d.sum(e, l.use(op.Args[3], env), l.use(op.Args[4], env))
	n := l.let("n", loop.MaxI, loop.Int(1), l.count(e))
	return &scalar{l.let("mean", loop.DivF, sum, l.let("n", loop.ToReal, n))}
}

// deviating is a tolerance.
type deviating struct {
	*lowerer
	absolute, relative loop.Atom
}

// sum adds up what errors are relative to the tolerance and to two states.
func (l *deviating) sum(e, u, v value) loop.Atom {
	sum := loop.Atom(loop.Real(0))
	switch e := e.(type) {
	case *product:
		if e.cons != nil {
			l.fail("the error of a value of a type with several constructors")
		}
		for i, part := range e.parts {
			if hasReals(part) {
				sum = l.let("sum", loop.AddF, sum,
					l.sum(part, u.(*product).parts[i], v.(*product).parts[i]))
			}
		}
	case *array:
		u, v := u.(*array), v.(*array)
		for _, w := range []*array{u, v} {
			l.check(l.let("equal", loop.EqI, e.n, w.n), l.at)
		}
		if !hasReals(e) {
			break
		}
		l.loops = true
		s := l.push()
		i := l.index(e.n)
		x := l.sum(l.element(e, i), l.element(u, i), l.element(v, i))
		l.pop()
		r := l.fresh("sum", loop.F64)
		reds := []loop.Red{{Op: loop.AddF, Init: loop.Real(0), Result: r}}
		l.add(&loop.For{Index: i, Count: e.n, Parallel: true, Reds: reds, Body: s.Block(x)})
		sum = r
	case *scalar:
		if e.atom.AtomKind() != loop.F64 {
			break
		}
		// The mean of what it is relative to by each state.
		inverse := func(w value) loop.Atom {
			size := l.let("w", loop.MulF, l.relative, l.plain(w))
			d := l.let("deviation", loop.Deviation, e.atom, l.absolute, size)
			return l.let("inverse", loop.DivF, loop.Real(1), d)
		}
		sum = l.let("d", loop.DivF, loop.Real(2), l.let("sum", loop.AddF, inverse(u), inverse(v)))
	}
	return sum
}

// watch makes a separate function one that watches its errors, if it has any.
func (l *lowerer) watch(s *separate) {
	if s.watched > 0 || !grad.Watches(s.fun) {
		return
	}
	params := s.fun.Params
	f, err := l.differentiated(s, grad.Watch)
	if err != nil {
		l.fail("the errors of an approximation that is differentiated (%v)", err)
	}
	atoms := make([]loop.Atom, len(params))
	for i, p := range params {
		atoms[i] = p
	}
	n := len(params)
	s.watched, s.simple = len(f.Params)-n, false
	s.fun = &loop.Func{Name: f.Name, Params: append(params[:n:n], f.Params[n:]...),
		Body: f.Body.With(f.Params[:n], atoms)}
}

// writtenOut is a block without Deviation, of which no derivative is taken any more.
func writtenOut(b *loop.Block) *loop.Block {
	out := loop.Rebuild(b)
	for _, s := range b.Stmts {
		s = loop.MapBlocks(s, writtenOut)
		let, ok := s.(*loop.Let)
		if !ok || let.Op != loop.Deviation {
			out.Add(s)
			continue
		}
		square := func(x loop.Atom) loop.Atom { return out.Let("square", loop.MulF, x, x) }
		size := out.Let("size", loop.AddF, square(let.Args[1]), square(let.Args[2]))
		out.Add(loop.NewLet(let.Var, loop.DivF, square(let.Args[0]), size))
	}
	return out.Rebuilt(b, b.Yield)
}

// jumps is false: a right-hand side that may jump is left to the interpreter, which follows its
// comparisons.
func jumps(l *lowerer, _ *core.Let, op *core.Prim, env *env) value {
	if l.mayApply(&core.Mentions{Defs: l.source.DefOf, Are: core.AreKinks},
		l.atom(op.Args[0], env)) {
		l.fail("the solution of an equation whose right-hand side compares or rounds reals")
	}
	return boolean(loop.Truth(false))
}

// narrow tells whether a right-hand side may have a feature that a step did not see.
func narrow(l *lowerer, _ *core.Let, op *core.Prim, env *env) value {
	f := l.atom(op.Args[0], env)
	pair := func(k int) value {
		t, y := l.use(op.Args[k], env), l.use(op.Args[k+1], env)
		return l.owned(&product{parts: []value{t, y}})
	}
	point := pair(1)
	s := l.separatelyFor(l.separating+1, l.linear, func(x value) value {
		p := x.(*product)
		return l.apply(f, []value{p.parts[0], p.parts[1]})
	}, point)
	g := l.derivative(s, grad.Narrow)
	if !mayTie(g) {
		return boolean(loop.Truth(false))
	}
	return boolean(l.emit(g, append(s.args(l, point), l.realAtoms(pair(3))...))[0])
}

// mayApply tells whether a function may apply rows of a kind, or the functions in what it captures.
func (l *lowerer) mayApply(j *core.Mentions, v value) bool {
	any := func(vs []value) bool {
		return slices.ContainsFunc(vs, func(v value) bool { return l.mayApply(j, v) })
	}
	switch v := v.(type) {
	case *closure:
		if j.In(v.fun.Body) || any(v.args) {
			return true
		}
		if v.def == nil {
			for _, x := range captured(v) {
				if y := v.env.lookup(x); y != nil && l.mayApply(j, y) {
					return true
				}
			}
		}
		return v.rec != nil
	case *product:
		return v.funs != nil || any(v.parts)
	case *array:
		return l.mayApply(j, v.elem)
	}
	return false
}
