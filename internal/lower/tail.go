package lower

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Tail calls]
//
// A function all of whose calls of itself are in tail position,
//
//	let rec f x y = if p x y then a x y else f (b x y) (c x y)
//
// is a loop whose states are its arguments, and then what the function gives without calling
// itself:
//
//	while not (p x y) do (x, y) = (b x y, c x y)
//	a x y
//
// Its body is lowered three times: for the condition of the loop, which tells whether the function
// calls itself; for the arguments that it then calls itself with; and for its value where it does
// not. In the latter two, sides of branches that cannot be reached are left out. What takes time
// before it is decided whether the function calls itself is not computed for the condition, and
// again for the arguments: then whether to go on is a state of its own, and the last turn keeps the
// arguments.
//
// Parameters that every call hands on are not states. They may be functions.

// callRecursive calls a function that calls itself.
func (l *lowerer) callRecursive(c *closure, args []value) value {
	var result value
	t := l.tailOf(c)
	if t != nil && l.attemptCovered(func() { result = t.loop(c, args) }) {
		return result
	}
	return l.call(c, args)
}

// tailCalls is a function whose calls of itself are in tail position.
type tailCalls struct {
	l     *lowerer
	fun   *core.Lambda
	self  func(core.Atom) bool
	keeps []bool // which parameters every call hands on
	heavy bool   // it takes time to decide whether the function calls itself
}

// tailOf is a function as one of tail calls, or nil.
func (l *lowerer) tailOf(c *closure) *tailCalls {
	t := &tailCalls{l: l, fun: c.fun, keeps: make([]bool, len(c.fun.Params))}
	switch {
	case c.rec != nil && len(c.rec.Vars) == 1:
		t.self = func(a core.Atom) bool { return a == core.Atom(c.rec.Vars[0]) }
	case c.def != nil && l.source.componentSize(c.def) == 1:
		t.self = func(a core.Atom) bool {
			g, ok := a.(*core.Global)
			return ok && g.Name == c.def.Name
		}
	default:
		return nil
	}
	for i := range t.keeps {
		t.keeps[i] = true
	}
	found := 0
	t.scan(c.fun.Body, &found)
	uses := 0
	core.Atoms(c.fun.Body, func(a core.Atom) {
		if t.self(a) {
			uses++
		}
	})
	if found == 0 || found != uses {
		return nil
	}
	return t
}

// tail is the last operation of a block, if the block gives its value, and the statements before
// it.
func tail(b *core.Block) (before []core.Stmt, last *core.Let) {
	n := len(b.Stmts) - 1
	if n < 0 {
		return b.Stmts, nil
	}
	let, ok := b.Stmts[n].(*core.Let)
	if !ok || core.Atom(let.Var) != b.Result {
		return b.Stmts, nil
	}
	return b.Stmts[:n], let
}

// call is the call of itself that a block ends with, or nil.
func (t *tailCalls) call(b *core.Block) *core.Apply {
	_, last := tail(b)
	if last == nil {
		return nil
	}
	call, ok := last.Op.(*core.Apply)
	if !ok || !t.self(call.Fun) || len(call.Args) != len(t.fun.Params) {
		return nil
	}
	return call
}

// sides are the blocks of the branch that a block ends with.
func sides(b *core.Block) []*core.Block {
	_, last := tail(b)
	if last == nil {
		return nil
	}
	switch op := last.Op.(type) {
	case *core.If:
		return []*core.Block{op.Then, op.Else}
	case *core.Case:
		var all []*core.Block
		for _, arm := range op.Arms {
			all = append(all, arm.Body)
		}
		if op.Default != nil {
			all = append(all, op.Default)
		}
		return all
	}
	return nil
}

// scan counts the tail calls of a block.
func (t *tailCalls) scan(b *core.Block, found *int) {
	if call := t.call(b); call != nil {
		*found++
		for i, a := range call.Args {
			t.keeps[i] = t.keeps[i] && a == core.Atom(t.fun.Params[i])
		}
		return
	}
	branches := sides(b)
	if !slices.ContainsFunc(branches, t.mayCall) {
		return
	}
	before, _ := tail(b)
	core.Walk(&core.Block{Stmts: before, Result: b.Result}, func(s core.Stmt) {
		if let, ok := s.(*core.Let); ok {
			_, calls := let.Op.(*core.Apply)
			t.heavy = t.heavy || calls || isLoop(let.Op)
		}
	})
	for _, side := range branches {
		t.scan(side, found)
	}
}

// isLoop tells whether an operation takes time in proportion to something.
func isLoop(op core.Op) bool {
	switch op := op.(type) {
	case *core.Build, *core.Map, *core.Reduce, *core.Scan, *core.Loop:
		return true
	case *core.Prim:
		return op.Prim.Float == nil && structural[op.Prim.ID] != nil
	}
	return false
}

// mayCall tells whether a block may end in a call of the function itself.
func (t *tailCalls) mayCall(b *core.Block) bool {
	return t.call(b) != nil || slices.ContainsFunc(sides(b), t.mayCall)
}

// mayEnd tells whether a block may have a value without such a call.
func (t *tailCalls) mayEnd(b *core.Block) bool {
	if t.call(b) != nil {
		return false
	}
	branches := sides(b)
	return branches == nil || slices.ContainsFunc(branches, t.mayEnd)
}

// loop lowers a call with all arguments.
func (t *tailCalls) loop(c *closure, args []value) value {
	l := t.l
	init := &product{}
	for i, a := range args {
		if !t.keeps[i] {
			init.parts = append(init.parts, l.defined(a))
		}
	}
	bound := func(state *product) *env {
		env := newEnv(c.env)
		k := 0
		for i, p := range t.fun.Params {
			if t.keeps[i] {
				env.bind(p, args[i])
				continue
			}
			env.bind(p, state.parts[k])
			k++
		}
		return env
	}
	body := t.fun.Body
	if t.heavy {
		start := &product{parts: []value{boolean(loop.Truth(true)), init}}
		last := l.whileLoop(start,
			func(state value) loop.Atom { return l.plain(state.(*product).parts[0]) },
			func(state value) value {
				now := state.(*product).parts[1].(*product)
				return t.walk(body, bound(now), func(args value) value {
					return &product{parts: []value{boolean(loop.Truth(true)), args}}
				}, func() value {
					return &product{parts: []value{boolean(loop.Truth(false)), now}}
				})
			})
		return t.walk(body, bound(last.(*product).parts[1].(*product)), nil, nil)
	}
	last := l.whileLoop(init,
		func(state value) loop.Atom { return l.plain(t.goes(body, bound(state.(*product)))) },
		func(state value) value {
			return t.walk(body, bound(state.(*product)), func(args value) value { return args },
				nil)
		})
	return t.walk(body, bound(last.(*product)), nil, nil)
}

// goes is whether a block ends in a call.
func (t *tailCalls) goes(b *core.Block, env *env) value {
	if t.call(b) != nil {
		return boolean(loop.Truth(true))
	}
	if !t.mayCall(b) {
		return boolean(loop.Truth(false))
	}
	before, last := tail(b)
	if !t.l.stmts(before, env) {
		return boolean(loop.Truth(false))
	}
	return t.branch(last, env, t.goes, func(*core.Block) reach { return open })
}

// walk is what a block gives where it ends in a call, from the arguments, or where it does not.
// Without calls its own value is given; without ends it is known to end in a call.
func (t *tailCalls) walk(b *core.Block, env *env, calls func(args value) value,
	ends func() value) value {
	l := t.l
	if call := t.call(b); call != nil {
		if calls == nil {
			return &bottom{b.Result.Type()}
		}
		before, _ := tail(b)
		if !l.stmts(before, env) {
			return &bottom{b.Result.Type()}
		}
		next := &product{}
		for i, a := range call.Args {
			if !t.keeps[i] {
				next.parts = append(next.parts, l.atom(a, env))
			}
		}
		return calls(next)
	}
	if !t.mayCall(b) {
		switch {
		case ends != nil:
			return ends()
		case calls != nil:
			return &bottom{b.Result.Type()}
		}
		return l.block(b, env)
	}
	before, last := tail(b)
	if !l.stmts(before, env) {
		return &bottom{b.Result.Type()}
	}
	side := func(b *core.Block, env *envT) value { return t.walk(b, env, calls, ends) }
	return t.branch(last, env, side, func(b *core.Block) reach {
		if ends == nil && (calls != nil && !t.mayCall(b) || calls == nil && !t.mayEnd(b)) {
			return never
		}
		return reachOf(b)
	})
}

// branch lowers a branch, its sides by a function.
func (t *tailCalls) branch(last *core.Let, env *env, side func(b *core.Block, env *envT) value,
	reached func(*core.Block) reach) value {
	l := t.l
	if last.At.Known() {
		l.at = last.At
	}
	switch op := last.Op.(type) {
	case *core.If:
		return l.choice(l.scalar(op.Cond, env),
			func() value { return side(op.Then, newEnv(env)) }, func() value {
				return side(op.Else, newEnv(env))
			},
			reached(op.Then), reached(op.Else))
	case *core.Case:
		return l.caseOf(op, env, side, reached)
	}
	panic("lower: a branch that is none")
}
