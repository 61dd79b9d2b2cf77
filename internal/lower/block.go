package lower

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// block lowers the statements of a block and gives its result. What it binds is added to the
// environment.
func (l *lowerer) block(b *core.Block, env *env) value {
	l.findRows(b)
	if !l.stmts(b.Stmts, env) {
		return &bottom{b.Result.Type()}
	}
	return l.atom(b.Result, env)
}

// stmts lowers statements, and tells whether none of them fails.
func (l *lowerer) stmts(stmts []core.Stmt, env *env) bool {
	for i := 0; i < len(stmts); i++ {
		let, ok := stmts[i].(*core.Let)
		if !ok {
			bindGroup(stmts[i].(*core.LetRec), env)
			continue
		}
		if let.At.Known() {
			l.at = let.At
		}
		if rest := stmts[i+1:]; l.areJoined(let, rest) {
			if v, joined := l.join(let, rest[0].(*core.Let), env); joined {
				env.bind(let.Var, differing{})
				env.bind(rest[0].(*core.Let).Var, v)
				i++
			} else {
				env.bind(let.Var, v)
			}
			continue
		}
		env.bind(let.Var, l.op(let, env))
		if l.scope().fails {
			return false
		}
	}
	return true
}

// inner lowers a block in an environment of its own.
func (l *lowerer) inner(b *core.Block, outer *env) value { return l.block(b, newEnv(outer)) }

// atom is what an atom stands for.
func (l *lowerer) atom(a core.Atom, env *env) value {
	switch a := a.(type) {
	case *core.Var:
		switch v := env.lookup(a); v.(type) {
		case nil:
		case differing:
			l.failWith(RaggedHint, differ)
		default:
			return v
		}
		if l.known != nil {
			if fun := l.known(a); fun != nil {
				return &closure{fun: fun, env: l.top}
			}
		}
		l.fail("the variable %s of type %s", a.Name, types.Show(a.Ty))
	case *core.Lit:
		return l.literal(a)
	case *core.Global:
		return l.global(a)
	}
	panic("lower: an unknown atom")
}

func (l *lowerer) literal(a *core.Lit) value {
	switch a.Ty {
	case types.Real:
		x, _ := a.Real.Float64()
		return &scalar{loop.Real(x)}
	case types.Int:
		return &scalar{loop.Int(a.Int)}
	case types.Bool:
		return &scalar{loop.Truth(a.Bool)}
	case types.Unit:
		return unit
	}
	return &text{}
}

// global is what a definition stands for. A constant that takes more than a few operations is an
// argument, so that it is not computed again by each call.
func (l *lowerer) global(g *core.Global) value {
	def := l.source.defs[g.Name]
	if def == nil {
		l.fail("the definition %s", g.Name)
	}
	if fun := def.Function(); fun != nil {
		return &closure{fun: fun, env: nil, def: def}
	}
	if v, ok := l.constants[def]; ok {
		return v
	}
	if !l.isConstant(def) {
		return l.calling(def, func() value { return l.inner(def.Body, nil) })
	}
	if l.inside > 0 {
		l.fail("the constant %s in a recursive function", def.Name)
	}
	here := l.emitter
	l.emitter = l.home
	var v value
	l.within(l.open[0], func() { v = l.param(def.Name, def.Type) })
	l.emitter = here
	l.out.Constants = append(l.out.Constants, def)
	l.constants[def] = v
	return v
}

// isConstant tells whether a definition becomes a parameter.
func (l *lowerer) isConstant(def *core.Def) bool {
	return def.Function() == nil && !isSmall(def.Body) && l.argShape(def.Type) != nil
}

// constantsOf are the constants that functions use, and what these call, in the order in which they
// are met.
func (l *lowerer) constantsOf(funs []*core.Lambda) []*core.Def {
	var out []*core.Def
	seen := map[*core.Def]bool{}
	var visit func(b *core.Block)
	visit = func(b *core.Block) {
		core.Atoms(b, func(a core.Atom) {
			g, ok := a.(*core.Global)
			if !ok || l.source.defs[g.Name] == nil || seen[l.source.defs[g.Name]] {
				return
			}
			def := l.source.defs[g.Name]
			seen[def] = true
			if l.isConstant(def) {
				out = append(out, def)
			} else {
				visit(def.Body)
			}
		})
	}
	for _, fun := range funs {
		visit(fun.Body)
	}
	return out
}

// isSmall tells whether a block is a few operations on scalars.
func isSmall(b *core.Block) bool {
	small := len(b.Stmts) <= 8
	core.Walk(b, func(s core.Stmt) {
		let, ok := s.(*core.Let)
		if !ok {
			small = false
			return
		}
		switch op := let.Op.(type) {
		case *core.Tuple, *core.Record, *core.Proj, *core.Field, *core.If:
		case *core.Construct:
			small = small && !makesNode(op)
		case *core.Prim:
			small = small && ShapeOf(let.Var.Ty) != nil && op.Prim.Float != nil
		default:
			small = false
		}
	})
	return small
}

// mostCalls bounds how deep calls that are lowered where they stand may nest. A function that does
// not call itself may be called while its own body is lowered, by a function that it was given:
// gradients of functions that use gradients are so. Only by way of functions in data could that go
// on for ever.
const mostCalls = 200

// calling lowers the body of a definition.
func (l *lowerer) calling(def *core.Def, body func() value) value {
	if l.calls == mostCalls {
		l.fail("calls that nest too deep, of %s", def.Name)
	}
	l.calls++
	defer func() { l.calls-- }()
	return body()
}

// inline lowers the body of a function, where it is called.
func (l *lowerer) inline(fun *core.Lambda, outer *env, args []value) value {
	env := newEnv(outer)
	for i, p := range fun.Params {
		env.bind(p, args[i])
	}
	return l.block(fun.Body, env)
}

// apply applies a function value to arguments.
func (l *lowerer) apply(f value, args []value) value {
	c, ok := f.(*closure)
	if !ok {
		switch f := f.(type) {
		case *bottom:
			return &bottom{resultOf(f.ty, len(args))}
		case *product:
			if f.funs != nil {
				return l.applyOneOf(f, args)
			}
		}
		l.fail("a function that is not known")
	}
	all := append(c.args[:len(c.args):len(c.args)], args...)
	n := len(c.fun.Params)
	if len(all) < n {
		part := *c
		part.args = all
		return &part
	}
	var result value
	if c.rec != nil || c.def != nil && l.source.recursive(c.def) {
		if l.unrolled < mostUnrolled && isDecided(c.fun, all[:n]) {
			l.unrolled++
			result = l.inline(c.fun, c.env, all[:n])
			l.unrolled--
		} else {
			result = l.callRecursive(c, all[:n])
		}
	} else if c.def != nil {
		result = l.calling(c.def, func() value { return l.inline(c.fun, c.env, all[:n]) })
	} else {
		result = l.inline(c.fun, c.env, all[:n])
	}
	if len(all) > n {
		return l.apply(result, all[n:])
	}
	return result
}

func (l *lowerer) atoms(as []core.Atom, env *env) []value {
	vs := make([]value, len(as))
	for i, a := range as {
		vs[i] = l.atom(a, env)
	}
	return vs
}

// use is the value of an atom whose parts are needed.
func (l *lowerer) use(a core.Atom, env *env) value { return l.defined(l.atom(a, env)) }

func (l *lowerer) scalar(a core.Atom, env *env) loop.Atom {
	return l.plain(l.atom(a, env))
}

func (l *lowerer) array(a core.Atom, env *env) *array {
	v, ok := l.use(a, env).(*array)
	if !ok {
		l.fail("a value of type %s", types.Show(a.Type()))
	}
	return v
}

// equalLengths checks that rows have one length, as buffers need it and the program does not.
func (l *lowerer) equalLengths(m, n loop.Atom) {
	equal := l.let("equal", loop.EqI, m, n)
	if truth, known := l.decides(equal); known && !truth {
		l.out.Ragged = append(l.out.Ragged, l.at)
		equal = loop.Truth(false)
	}
	l.check(equal, l.at)
}

// inRange checks an index.
func (l *lowerer) inRange(i, n loop.Atom) {
	l.check(l.let("low", loop.LeI, loop.Int(0), i), l.at)
	l.check(l.let("high", loop.LtI, i, n), l.at)
}

// finite is whether a real is neither infinite nor NaN.
func (l *lowerer) finite(x loop.Atom) loop.Atom {
	return l.let("finite", loop.LtF, l.let("size", loop.AbsF, x), loop.Real(math.Inf(1)))
}
