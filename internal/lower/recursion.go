package lower

import (
	"fmt"
	"maps"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/pass"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Recursion]
//
// A call is lowered where it stands, except that of a function that calls itself, perhaps by way of
// others. If all of its calls of itself are its last operations, it is a loop (tail.go). Otherwise
// it becomes a function of the loop form, of the parts of its arguments, and a Call. Arrays are
// handed over as wholes. What functions among the arguments capture, the constants that they use,
// and the tables of recursive data are handed over too (pieces.go), and there is a function of the
// loop form for each combination of functions. An engine bounds how deep calls nest, and the run is
// given up beyond.

// eachCalled calls f with the atoms of a block, except those that only rules use. A rule may use
// the function that it is for, and is lowered for one derivative less than that: Note [Rules in
// compiled code]. So this is not a recursion.
func eachCalled(b *core.Block, f func(core.Atom)) {
	others := map[*core.Var]int{} // how often what is a rule is used otherwise
	core.Walk(b, func(s core.Stmt) {
		if let, ok := s.(*core.Let); ok {
			if op, ok := let.Op.(*core.Prim); ok && isRule(op) {
				if v, ok := op.Args[1].(*core.Var); ok {
					others[v]--
				}
			}
		}
	})
	core.Atoms(b, func(a core.Atom) {
		if v, ok := a.(*core.Var); ok {
			if _, rule := others[v]; rule {
				others[v]++
			}
		}
	})
	var visit func(b *core.Block)
	parts := core.Parts{Atom: f, Block: func(b *core.Block) { visit(b) }}
	visit = func(b *core.Block) {
		for _, s := range b.Stmts {
			let, ok := s.(*core.Let)
			if !ok {
				for _, fun := range s.(*core.LetRec).Funs {
					parts.Visit(fun)
				}
				continue
			}
			if n, rule := others[let.Var]; rule && n == 0 {
				continue
			}
			if op, ok := let.Op.(*core.Prim); ok && isRule(op) {
				f(op.Args[0])
				f(op.Args[2])
				continue
			}
			parts.Visit(let.Op)
		}
		f(b.Result)
	}
	visit(b)
}

// HasRules tells whether the program has functions with rules. A function that calls itself is then
// lowered anew for each order of derivatives: Note [Rules in compiled code].
func (s *Source) HasRules() bool {
	s.findRules.Do(func() {
		for _, d := range s.defs {
			core.Walk(d.Body, func(stmt core.Stmt) {
				if let, ok := stmt.(*core.Let); ok {
					p, ok := let.Op.(*core.Prim)
					s.rules = s.rules || ok && isRule(p)
				}
			})
		}
	})
	return s.rules
}

// isRule tells whether an operation applies a function with a derivative of its own.
func isRule(op *core.Prim) bool {
	return op.Prim.ID == prim.WithDerivative || op.Prim.ID == prim.WithPullback
}

// recursive tells whether a definition calls itself, by whatever way.
func (s *Source) recursive(def *core.Def) bool { return s.componentSize(def) > 0 }

// componentSize is the number of definitions in the strongly connected component of the call graph
// that a definition is in, 0 if it does not call itself.
func (s *Source) componentSize(def *core.Def) int {
	s.findRecursion.Do(func() {
		c := &callGraph{source: s, order: map[*core.Def]int{}}
		for _, d := range s.defs {
			c.visit(d)
		}
	})
	return s.recursion[def]
}

// callGraph finds the strongly connected components: Tarjan's algorithm.
type callGraph struct {
	source *Source
	order  map[*core.Def]int // of the visited ones, from 1 on; -1 if its component is known
	stack  []*core.Def
}

// visit gives the number of the first definition on the stack that one reaches.
func (c *callGraph) visit(d *core.Def) int {
	if n := c.order[d]; n != 0 {
		return n
	}
	place := len(c.stack)
	c.stack = append(c.stack, d)
	own := place + 1
	c.order[d] = own
	low := own
	eachCalled(d.Body, func(a core.Atom) {
		g, ok := a.(*core.Global)
		if !ok || c.source.defs[g.Name] == nil {
			return
		}
		called := c.source.defs[g.Name]
		if called == d {
			c.source.recursion[d] = 1
		}
		if n := c.visit(called); n > 0 {
			low = min(low, n)
		}
	})
	if low < own {
		return low
	}
	component := c.stack[place:]
	for _, member := range component {
		c.order[member] = -1
		if len(component) > 1 {
			c.source.recursion[member] = len(component)
		}
	}
	c.stack = c.stack[:place]
	return -1
}

// mostUnrolled bounds how deep calls nest that isDecided holds of: derivatives multiply what is
// lowered with each.
const mostUnrolled = 6

// isDecided tells whether literals among the arguments decide if a function of functions calls
// itself, as in
//
//	let rec nthDeriv n f x = if n <= 0 then f x else deriv (nthDeriv (n - 1) f) x
//
// for n = 3. Such calls are lowered where they stand. They could not be made a function, since each
// hands on another function.
func isDecided(fun *core.Lambda, args []value) bool {
	literal := func(a core.Atom) bool {
		if _, ok := a.(*core.Lit); ok {
			return true
		}
		for i, p := range fun.Params {
			if s, ok := args[i].(*scalar); ok && a == core.Atom(p) {
				_, ok = s.atom.(*loop.Const)
				return ok
			}
		}
		return false
	}
	before, last := tail(fun.Body)
	if last == nil || !slices.ContainsFunc(args, isFunction) {
		return false
	}
	branch, ok := last.Op.(*core.If)
	if !ok {
		return false
	}
	for _, s := range before {
		if let, ok := s.(*core.Let); ok && core.Atom(let.Var) == branch.Cond {
			op, ok := let.Op.(*core.Prim)
			return ok && op.Prim.Order != 0 &&
				!slices.ContainsFunc(op.Args, func(a core.Atom) bool {
					return !literal(a)
				})
		}
	}
	return false
}

// maxSpecial bounds how many functions of the loop form are being made at a time: a function that
// hands itself ever new functions would have no end of them.
const maxSpecial = 16

// recursiveFunc is the function of the loop form for calls of a closure with arguments like the
// given ones. It knows them as pieces.
func (l *lowerer) recursiveFunc(c *closure, args []value, p *pieces) *loop.Func {
	key := p.key.String()
	if l.source.HasRules() {
		key = fmt.Sprint(levels{l.separating, l.linear}, key)
	}
	if f := l.funcs[key]; f != nil {
		return f
	}
	if l.inside == maxSpecial {
		l.fail("a recursive function that is given ever new functions")
	}
	f := &loop.Func{Name: nameOf(c)}
	before := maps.Clone(l.funcs)
	l.funcs[key] = f
	outer, params, calls, at, constants := l.emitter, l.params, l.calls, l.at, l.constants
	own := newEmitter(outer.until)
	own.emitted = outer.emitted
	l.emitter, l.params, l.calls, l.constants = own, nil, 0, map[*core.Def]value{}
	l.inside++
	defer func() {
		l.inside--
		outer.emitted = own.emitted
		l.emitter, l.params, l.calls, l.at, l.constants = outer, params, calls, at, constants
		if f.Body == nil {
			l.funcs = before
		}
	}()
	inner := p.parameters()
	callee := inner.value(c).(*closure)
	for i, a := range args {
		args[i] = inner.value(a)
	}
	inner.constants()
	inner.rows()
	f.Params = l.params
	result := l.owned(l.defined(l.inline(callee.fun, callee.env, args)))
	eachTable(result, func(t *table) {
		if t != nowhere && t != l.tableOf(t.data, inner.tables) {
			l.failWith(RecursiveHint, "a result of type %s", types.Show(t.data))
		}
	})
	f.Body = own.scope().Block(l.parts(result)...)
	l.stateLengths(f, nil)
	l.after("lowered", f)
	pass.Optimize(f, pass.Options{After: l.source.After})
	return f
}

func nameOf(c *closure) string {
	if c.def != nil {
		return c.def.Name
	}
	for i, fun := range c.rec.Funs {
		if fun == c.fun {
			return c.rec.Vars[i].Name
		}
	}
	return "f"
}

// call calls a recursive function.
func (l *lowerer) call(c *closure, args []value) value {
	result := c.fun.Body.Result.Type()
	s := DataShapeOf(result)
	if s == nil {
		l.fail("a result of type %s of the recursive function %s", types.Show(result), nameOf(c))
	}
	p := &pieces{l: l}
	callee := p.value(&closure{fun: c.fun, env: c.env, def: c.def, rec: c.rec}).(*closure)
	given := make([]value, len(args))
	for i, a := range args {
		given[i] = p.value(a)
	}
	p.constants()
	p.rows()
	call := &loop.Call{Func: l.recursiveFunc(callee, given, p), Args: p.atoms}
	sh := &shaping{l: l, of: func(t *types.Data) *table { return l.tableOf(t, p.tables) },
		make: func(k loop.Kind) *loop.Var {
			v := l.fresh("r", k)
			call.Results = append(call.Results, v)
			return v
		}}
	out := sh.value(s, nil)
	l.loops = true
	l.add(call)
	return out
}
