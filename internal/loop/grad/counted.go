package grad

import (
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [What counting needs]
//
// A function that counts (Note [Recursion]) does what its function does only to find out which
// calls are made. In
//
//	f(x, n) { if n ≤ 0 { yield x } else { y = call f x (n - 1); z = sin y; yield z } }
//
// that does not depend on the results of calls, so f.count gives the cursors alone, and evaluates
// no sine. A result or a parameter is needed if a condition, a count, a check, a length or an
// argument of another call depends on it, or what is written to a buffer that the function is
// given; so are buffers, for their lengths.

// needs is what counting needs of a function of the component.
func (c *component) needs(f *loop.Func) needed {
	if c.needed == nil {
		c.needed = map[*loop.Func]needed{}
		for g := range c.members {
			n := needed{make([]bool, len(g.Params)), make([]bool, len(g.Body.Yield))}
			for i, p := range g.Params {
				n.params[i] = p.Kind.IsBuffer()
			}
			for i, a := range g.Body.Yield {
				n.results[i] = a.AtomKind().IsBuffer()
			}
			c.needed[g] = n
		}
		for changed := true; changed; {
			changed = false
			for g := range c.members {
				changed = c.need(g) || changed
			}
		}
	}
	return c.needed[f]
}

// need finds what a function of the component needs of its calls and of its arguments, and tells
// whether that is more than was known.
func (c *component) need(f *loop.Func) (changed bool) {
	from := map[*loop.Var][]loop.Atom{} // what a variable is computed from
	add := func(v *loop.Var, as ...loop.Atom) { from[v] = append(from[v], as...) }
	var queue []loop.Atom
	states := func(states []loop.State, yield []loop.Atom) {
		for i, st := range states {
			add(st.Var, st.Init, yield[i])
			add(st.Result, st.Init, yield[i])
		}
	}
	for i, a := range f.Body.Yield {
		if c.needed[f].results[i] {
			queue = append(queue, a)
		}
	}
	for _, p := range f.Params[len(f.Params)-f.Adds:] {
		queue = append(queue, p)
	}
	loop.Walk(f.Body, func(s loop.Stmt) {
		switch s := s.(type) {
		case *loop.Store:
			add(s.Buf, s.At, s.Value)
		case *loop.Accum:
			add(s.Buf, s.At, s.Value)
		case *loop.For:
			queue = append(queue, s.Count)
			states(s.States, s.Body.Yield)
			for i, r := range s.Reds {
				add(r.Result, r.Init, s.Body.Yield[len(s.States)+i])
			}
		case *loop.While:
			queue = append(queue, s.Cond.Yield[0])
			states(s.States, s.Body.Yield)
		case *loop.If:
			queue = append(queue, s.Cond)
			for i, v := range s.Results {
				add(v, s.Then.Yield[i], s.Else.Yield[i])
			}
		case *loop.Call:
			for i, a := range s.Args {
				if !c.members[s.Func] || c.needed[s.Func].params[i] {
					queue = append(queue, a)
				}
			}
		case *loop.Check, *loop.Alloc:
			loop.Uses(s, func(a loop.Atom) { queue = append(queue, a) })
		default:
			loop.Defs(s, func(v *loop.Var) { loop.Uses(s, func(a loop.Atom) { add(v, a) }) })
		}
	})
	seen := map[loop.Atom]bool{}
	for len(queue) > 0 {
		v, ok := queue[len(queue)-1].(*loop.Var)
		queue = queue[:len(queue)-1]
		if ok && !seen[v] {
			seen[v] = true
			queue = append(queue, from[v]...)
		}
	}
	mark := func(vs []*loop.Var, needed []bool) {
		for i, v := range vs {
			if seen[v] && !needed[i] {
				needed[i], changed = true, true
			}
		}
	}
	mark(f.Params, c.needed[f].params)
	loop.Walk(f.Body, func(s loop.Stmt) {
		if call, ok := s.(*loop.Call); ok && c.members[call.Func] {
			mark(call.Results, c.needed[call.Func].results)
		}
	})
	return changed
}

// zero binds a variable that nothing depends on which counting needs.
func zero(v *loop.Var) *loop.Let {
	switch v.Kind {
	case loop.F64:
		return &loop.Let{Var: v, Op: loop.AddF, Args: []loop.Atom{loop.Real(0), loop.Real(0)}}
	case loop.I64:
		return &loop.Let{Var: v, Op: loop.AddI, Args: []loop.Atom{loop.Int(0), loop.Int(0)}}
	}
	return &loop.Let{Var: v, Op: loop.And, Args: []loop.Atom{loop.Truth(false), loop.Truth(false)}}
}

// given has those of some things, one for each result of a function, that counting gives.
func given[T any](of []T, needed []bool) []T {
	var out []T
	for i, x := range of {
		if needed[i] {
			out = append(out, x)
		}
	}
	return out
}
