package lower

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/pass"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Recursion]
//
// A call is lowered where it stands, except that of a definition that calls itself, perhaps by way of others: it
// becomes a function of the loop form, of the parts of its arguments, and a Call. Arguments must not contain functions
// then, and arrays are handed over as wholes. An engine bounds how deep calls nest, and the run is given up beyond.

// recursive tells whether a definition calls itself, by whatever way.
func (s *Source) recursive(def *core.Def) bool {
	s.findRecursion.Do(func() {
		c := &callGraph{source: s, order: map[*core.Def]int{}}
		for _, d := range s.defs {
			c.visit(d)
		}
	})
	return s.recursion[def]
}

// callGraph finds the definitions that call each other in circles: Tarjan's algorithm.
type callGraph struct {
	source *Source
	order  map[*core.Def]int // of the visited ones, from 1 on; -1 if its circle is known
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
	core.Atoms(d.Body, func(a core.Atom) {
		g, ok := a.(*core.Global)
		if !ok || c.source.defs[g.Name] == nil {
			return
		}
		called := c.source.defs[g.Name]
		if called == d {
			c.source.recursion[d] = true
		}
		if n := c.visit(called); n > 0 {
			low = min(low, n)
		}
	})
	if low < own {
		return low
	}
	circle := c.stack[place:]
	for _, member := range circle {
		c.order[member] = -1
		if len(circle) > 1 {
			c.source.recursion[member] = true
		}
	}
	c.stack = c.stack[:place]
	return -1
}

// recursiveFunc is the function of the loop form that a recursive definition is.
func (l *lowerer) recursiveFunc(def *core.Def) *loop.Func {
	if f := l.funcs[def]; f != nil {
		return f
	}
	f := &loop.Func{Name: def.Name}
	l.funcs[def] = f
	outer, params, calls, at := l.emitter, l.params, l.calls, l.at
	own := newEmitter()
	own.emitted = outer.emitted
	l.emitter, l.params, l.calls = own, nil, 0
	l.inside++
	defer func() {
		l.inside--
		outer.emitted = own.emitted
		l.emitter, l.params, l.calls, l.at = outer, params, calls, at
	}()
	fun := def.Function()
	args := make([]value, len(fun.Params))
	for i, p := range fun.Params {
		args[i] = l.param(p.Name, p.Ty)
	}
	f.Params = l.params
	yield := l.parts(l.owned(l.defined(l.inline(fun, nil, args))))
	f.Body = own.scope().Block(yield...)
	l.stateLengths(f)
	l.after("lowered", f)
	pass.Optimize(f, pass.Options{After: l.source.After})
	return f
}

// call calls a recursive definition.
func (l *lowerer) call(def *core.Def, args []value) value {
	result := def.Function().Body.Result.Type()
	s := ShapeOf(result)
	if s == nil {
		l.fail("a result of type %s of the recursive function %s", types.Show(result), def.Name)
	}
	c := &loop.Call{Func: l.recursiveFunc(def)}
	for _, a := range args {
		c.Args = append(c.Args, l.parts(l.owned(l.defined(a)))...)
	}
	out := l.shaped(s, nil, func(k loop.Kind) *loop.Var {
		v := l.fresh("r", k)
		c.Results = append(c.Results, v)
		return v
	})
	l.loops = true
	l.add(c)
	return out
}
