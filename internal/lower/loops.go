package lower

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// turns lowers a loop over a range or an array, with totals if its body only adds to its
// state, and otherwise with states.
func (l *lowerer) turns(count loop.Atom, init value, state *core.Var, body *core.Block, env *env,
	bind func(i *loop.Var, env *env)) value {
	turn := func(i *loop.Var, x value) value {
		inner := newEnv(env)
		inner.bind(state, x)
		bind(i, inner)
		return l.block(body, inner)
	}
	var result value
	if mayTotal(body, state) && l.attempt(func() { result = l.totalLoop(count, init, turn) }) {
		return result
	}
	return l.sequence(count, init, appendedTo(body, state), turn)
}

func (l *lowerer) loop(op *core.Loop, env *env) value {
	init := l.atom(op.Init, env)
	switch head := op.Head.(type) {
	case *core.Range:
		n := l.bounded(l.positive(l.scalar(head.Bound, env)))
		return l.turns(n, init, op.State, op.Body, env,
			func(i *loop.Var, env *envT) { env.bind(head.Index, &scalar{i}) })
	case *core.Each:
		a := l.array(head.Array, env)
		return l.turns(a.n, init, op.State, op.Body, env, func(i *loop.Var, env *envT) {
			env.bind(head.Elem, l.element(a, i))
		})
	case *core.While:
		return l.while(op, head, init, env)
	}
	panic("lower: an unknown head of a loop")
}

type envT = env

// positive is an integer, or 0 if it is negative.
func (l *lowerer) positive(n loop.Atom) loop.Atom {
	if l.span(n).Lo >= 0 {
		return n
	}
	return l.let("n", loop.MaxI, n, loop.Int(0))
}

func (l *lowerer) reduce(op *core.Reduce, env *env) value {
	a := l.array(op.Array, env)
	return l.turns(a.n, l.atom(op.Init, env), op.Acc, op.Body, env, func(i *loop.Var, env *envT) {
		env.bind(op.Elem, l.element(a, i))
	})
}

// scan is a loop that also writes its state to an array.
func (l *lowerer) scan(op *core.Scan, env *env) value {
	a := l.array(op.Array, env)
	init := l.owned(l.atom(op.Init, env))
	out := l.newArray(a.n, init)
	l.sequential(a.n, init, func(i *loop.Var, x value) value {
		inner := newEnv(env)
		inner.bind(op.Acc, x)
		inner.bind(op.Elem, l.element(a, i))
		next := l.owned(l.block(op.Body, inner))
		l.put(l.locate(out, i), next)
		return next
	})
	return out
}

// sequential lowers a loop with states.
func (l *lowerer) sequential(count loop.Atom, init value,
	body func(i *loop.Var, state value) value) value {
	return l.sequence(count, init, nil, body)
}

// sequence is sequential with arrays, at the given paths of the state, that seem to grow.
func (l *lowerer) sequence(count loop.Atom, init value, grown []string,
	body func(i *loop.Var, state value) value) value {
	return l.withLengths(init, count, grown, func(n *lengths, init value) value {
		l.loops = true
		s := l.push()
		i := l.index(count)
		states, state := l.states(init)
		next := l.nextState(n, state, body(i, state))
		l.pop()
		f := &loop.For{Index: i, Count: count, States: states, Body: s.Block(next...)}
		n.appendedBy(l, init, "")
		l.makeRoom(n, init, f.States)
		l.add(f)
		return l.stateResults(states, state)
	})
}

// states makes variables for the parts of a state, but for lengths that do not change.
func (l *lowerer) states(init value) ([]loop.State, value) {
	var states []loop.State
	state := mapState(init, nil, nil, func(leaf value, dims []loop.Atom, in *loose) value {
		st := loop.State{}
		var out value
		switch leaf := leaf.(type) {
		case *scalar:
			st.Init, st.Var = leaf.atom, l.fresh("s", leaf.atom.AtomKind())
			if in != nil && len(dims) == 0 { // a length
				l.spans.Set(st.Var, &natural)
			}
			out = &scalar{st.Var}
		case *column:
			leaf.free()
			st.Init, st.Var = leaf.buf, l.fresh("s", leaf.buf.Kind)
			out = l.stateColumn(st.Var, leaf, dims, in)
		case *pending:
			panic(notTotal{})
		default:
			return leaf
		}
		l.given[st.Var] = true
		states = append(states, st)
		return out
	})
	return states, state
}

// stateColumn is a column of a state in a buffer.
func (l *lowerer) stateColumn(buf *loop.Var, like *column, dims []loop.Atom, in *loose) *column {
	if in == nil || in.room == nil {
		l.sizes[buf] = l.size(dims)
	}
	return &column{like.kind, buf, loop.Int(0), l.rowMajor(dims), nil}
}

// nextState is what a body yields for a state.
func (l *lowerer) nextState(n *lengths, state, next value) []loop.Atom {
	if _, ok := next.(*bottom); ok {
		next = state
	}
	n.now = lengthsIn(state)
	var yield []loop.Atom
	n.next(l, state, next, "", &yield)
	return yield
}

// stateResults binds the results of states, after the loop was emitted: what is computed from them
// comes behind it.
func (l *lowerer) stateResults(states []loop.State, state value) value {
	k := 0
	result := mapState(state, nil, nil, func(leaf value, dims []loop.Atom, in *loose) value {
		switch leaf.(type) {
		case *scalar, *column:
		default:
			return leaf
		}
		r := l.fresh("s", states[k].Var.Kind)
		states[k].Result = r
		k++
		if c, ok := leaf.(*column); ok {
			return l.stateColumn(r, c, dims, in)
		}
		if in != nil && len(dims) == 0 {
			l.spans.Set(r, &natural)
		}
		return &scalar{r}
	})
	return afterLoop(result)
}

// while lowers a loop with a condition.
func (l *lowerer) while(op *core.Loop, head *core.While, init value, env *env) value {
	bound := func(state value) *envT {
		inner := newEnv(env)
		inner.bind(op.State, state)
		return inner
	}
	return l.whileLoop(init, func(state value) loop.Atom {
		return l.plain(l.block(head.Cond, bound(state)))
	},
		func(state value) value { return l.block(op.Body, bound(state)) })
}

// whileLoop is a loop that goes on as long as a condition on its state holds.
func (l *lowerer) whileLoop(init value, goes func(state value) loop.Atom,
	turn func(state value) value) value {
	return l.withLengths(init, nil, nil, func(n *lengths, init value) value {
		l.loops = true
		cond := l.push()
		states, state := l.states(init)
		going := goes(state)
		l.pop()
		body := l.push()
		next := l.nextState(n, state, turn(state))
		l.pop()
		w := &loop.While{States: states, Cond: cond.Block(going), Body: body.Block(next...)}
		l.add(w)
		return l.stateResults(states, state)
	})
}
