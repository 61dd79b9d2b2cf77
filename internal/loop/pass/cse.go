package pass

import "github.com/fluxion-lang/fluxion/internal/loop"

// CSE replaces what has been computed before: scalars, totals and states of loops, checks, and
// whole buffers. It is by Note [Value numbers]. Statements that become useless stay, for
// DeadCode.
func CSE(f *loop.Func) {
	c := &sharing{n: numbers(f), level: map[*loop.Var]int{}, consumed: loop.Updated(f.Body)}
	c.rewriter = newRewriter(c.block)
	c.m.Use = c.use
	for _, p := range f.Params {
		c.level[p] = 0
	}
	c.scopes = []scope{{}}
	f.Body = c.block(f.Body)
}

type sharing struct {
	*rewriter
	n        *numbering
	scopes   []scope
	level    map[*loop.Var]int // the scope in which a buffer is bound
	consumed map[*loop.Var]bool
}

// scope holds, by their numbers, the scalars that a block has computed, the conditions that it
// has checked, and the buffers bound in it that are complete.
type scope struct {
	scalars map[int]loop.Atom
	checked map[int]bool
	buffers map[int]*loop.Var
}

// A scope's maps are made when they are written to.
func put[K comparable, V any](m *map[K]V, k K, v V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[k] = v
}

func (c *sharing) block(b *loop.Block) *loop.Block {
	c.scopes = append(c.scopes, scope{})
	out := &loop.Block{}
	for _, s := range b.Stmts {
		if t := c.stmt(s); t != nil {
			out.Stmts = append(out.Stmts, t)
		}
	}
	out.Yield = make([]loop.Atom, len(b.Yield))
	for i, a := range b.Yield {
		out.Yield[i] = c.use(a)
	}
	c.scopes = c.scopes[:len(c.scopes)-1]
	return out
}

func (c *sharing) stmt(s loop.Stmt) loop.Stmt {
	switch s := s.(type) {
	case *loop.Store:
		return &loop.Store{Buf: s.Buf, At: c.use(s.At), Value: c.use(s.Value)}
	case *loop.Accum:
		return &loop.Accum{Buf: s.Buf, At: c.use(s.At), Value: c.use(s.Value)}
	case *loop.Check:
		if c.checked(s) {
			return nil
		}
	case *loop.Let:
		if c.known(s.Var) {
			return nil
		}
	case *loop.Load:
		if c.known(s.Var) {
			return nil
		}
	case *loop.Length:
		if c.known(s.Var) {
			return nil
		}
	}
	loop.Params(s, func(v *loop.Var) {
		if v.Kind.IsBuffer() {
			c.level[v] = len(c.scopes) // the block to come
		}
	})
	out := c.m.Stmt(s)
	loop.Defs(s, func(v *loop.Var) {
		if v.Kind.IsBuffer() {
			c.level[v] = len(c.scopes) - 1
		} else {
			c.known(v)
		}
	})
	return out
}

// checked tells whether a condition has been checked before.
func (c *sharing) checked(s *loop.Check) bool {
	n := c.n.atom(s.Cond)
	for _, sc := range c.scopes {
		if sc.checked[n] {
			return true
		}
	}
	put(&c.scopes[len(c.scopes)-1].checked, n, true)
	return false
}

// known replaces a scalar by an earlier one with its number, if there is one.
func (c *sharing) known(v *loop.Var) bool {
	if _, ok := c.subst[v]; ok {
		return true
	}
	n := c.n.of[v]
	for _, sc := range c.scopes {
		if a, ok := sc.scalars[n]; ok {
			if a == loop.Atom(v) {
				return false
			}
			if a.AtomKind() == v.Kind {
				c.subst[v] = a
				return true
			}
		}
	}
	put(&c.scopes[len(c.scopes)-1].scalars, n, loop.Atom(v))
	return false
}

// use is what an atom that is read becomes.
func (c *sharing) use(a loop.Atom) loop.Atom {
	v, ok := a.(*loop.Var)
	if !ok || !v.Kind.IsBuffer() || c.consumed[v] {
		return c.atom(a)
	}
	n := c.n.of[v]
	for i := range c.scopes {
		if u := c.scopes[i].buffers[n]; u != nil && u.Kind == v.Kind {
			return u
		}
	}
	put(&c.scopes[c.level[v]].buffers, n, v)
	return v
}
