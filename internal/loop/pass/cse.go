package pass

import (
	"slices"
	"sync"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// CSE replaces what has been computed before: scalars, totals and states of loops, checks, and
// whole buffers. It is by Note [Value numbers], which it gives in the same walk: when a statement is met, all that it
// reads has its number, and a buffer that is read is complete. Statements that become useless stay, for
// DeadCode.
func CSE(f *loop.Func) { cseWith(f, nil) }

func cseWith(f *loop.Func, k *known) {
	before := f.Body
	c := sharings.Get().(*sharing)
	if k != nil && k.updates {
		c.consumed = loop.Updated(before)
	}
	if f.Body = c.function(f); c.n.updates && c.consumed == nil {
		// What is updated must be known from the start.
		c.clear()
		c.n.release()
		c.consumed = loop.Updated(before)
		tried := *f
		tried.Body = before
		f.Body = c.function(&tried)
	}
	if k != nil {
		k.updates = c.n.updates
	}
	c.clear()
	k.keepNumbering(c.n, before, f.Body)
	c.n, c.consumed = nil, nil
	sharings.Put(c)
}

var sharings = sync.Pool{New: func() any {
	c := &sharing{}
	c.rewriter = newRewriter(c.block)
	c.m.Use = c.use
	return c
}}

// function is the body of a function after CSE.
func (c *sharing) function(f *loop.Func) *loop.Block {
	c.n, c.depth = newNumbering(f), 0
	c.scopes = append(c.scopes[:0], scope{})
	return c.block(f.Body)
}

// clear forgets all. The memory is kept.
func (c *sharing) clear() {
	used := int(c.n.next) + 1
	clear(c.scalars[:min(used, len(c.scalars))])
	clear(c.buffers[:min(used, len(c.buffers))])
	clear(c.checked[:min(used, len(c.checked))])
	clear(c.shadowed[:cap(c.shadowed)])
	c.subst.Clear()
	c.level.Clear()
}

// zeros is a slice of n zeros, in the memory of another if that has room.
func zeros[T any](old []T, n int) []T {
	out := slices.Grow(old[:0], n)[:n]
	clear(out)
	return out
}

// sharing holds, by their numbers, the scalars that the open blocks have computed, the conditions that they have
// checked, and the buffers bound in them that are complete.
type sharing struct {
	*rewriter
	n       *numbering
	depth   int32 // of the loops around
	scalars []*loop.Var
	checked []bool
	buffers []*loop.Var
	scopes  []scope
	// What is to be taken back when the open blocks end, the innermost first.
	shadowed []replacement
	held     []int32
	level    loop.VarMap[int] // the scope in which a buffer is bound
	consumed map[*loop.Var]bool
}

// scope says what is to be taken back when a block ends. A buffer may become complete in a block inside of the one that
// binds it.
type scope struct {
	shadowed, held int // the lengths of these at its start
	buffers        []replacement
}

// replacement is what a number stood for before.
type replacement struct {
	number int32
	by     *loop.Var
}

// entryAt is where a slice keeps what belongs to a number. The slice grows if it has to.
func entryAt[T any](xs *[]T, n int32) *T {
	if int(n) >= len(*xs) {
		*xs = slices.Grow(*xs, max(int(n)+1, 256))
		*xs = (*xs)[:cap(*xs)]
	}
	return &(*xs)[n]
}

// put writes to a map that is made when it is first written to.
func put[K comparable, V any](m *map[K]V, k K, v V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[k] = v
}

func (c *sharing) block(b *loop.Block) *loop.Block {
	c.scopes = append(c.scopes, scope{shadowed: len(c.shadowed), held: len(c.held)})
	out := loop.Rebuild(b)
	for _, s := range b.Stmts {
		if t := c.stmt(s); t != nil {
			out.Add(t)
		}
	}
	yield := c.m.Uses(b.Yield)
	c.close(c.scopes[len(c.scopes)-1])
	c.scopes = c.scopes[:len(c.scopes)-1]
	return c.twins(out.Rebuilt(b, yield))
}

// close takes back what holds in a block only.
func (c *sharing) close(s scope) {
	for _, r := range slices.Backward(c.shadowed[s.shadowed:]) {
		c.scalars[r.number] = r.by
	}
	for _, r := range slices.Backward(s.buffers) {
		c.buffers[r.number] = r.by
	}
	for _, n := range c.held[s.held:] {
		c.checked[n] = false
	}
	c.shadowed, c.held = c.shadowed[:s.shadowed], c.held[:s.held]
}

func (c *sharing) stmt(s loop.Stmt) loop.Stmt {
	switch s := s.(type) {
	case *loop.Let:
		c.n.let(s)
		if c.known(s.Var) {
			return nil
		}
		return c.let(s)
	case *loop.For:
		return c.loop(s)
	case *loop.While:
		return c.while(s)
	case *loop.If:
		return c.branch(s)
	}
	c.n.stmt(s, c.depth)
	switch s := s.(type) {
	case *loop.Store:
		at, value := c.use(s.At), c.use(s.Value)
		if at == s.At && value == s.Value {
			return s
		}
		return &loop.Store{Buf: s.Buf, At: at, Value: value}
	case *loop.Accum:
		at, value := c.use(s.At), c.use(s.Value)
		if at == s.At && value == s.Value {
			return s
		}
		return &loop.Accum{Buf: s.Buf, At: at, Value: value}
	case *loop.Check:
		if c.holds(s) {
			return nil
		}
	case *loop.Load:
		if c.known(s.Var) {
			return nil
		}
		buf, at := c.use(s.Buf), c.atom(s.At)
		if buf == loop.Atom(s.Buf) && at == s.At {
			return s
		}
		return &loop.Load{Var: s.Var, Buf: buf.(*loop.Var), At: at}
	case *loop.Length:
		if c.known(s.Var) {
			return nil
		}
		return c.m.Stmt(s)
	}
	out := c.m.Stmt(s)
	c.results(s)
	return out
}

// params takes note of the variables that a statement binds for its blocks.
func (c *sharing) params(s loop.Stmt) {
	loop.Params(s, func(v *loop.Var) {
		if v.Kind.IsBuffer() {
			c.level.Set(v, len(c.scopes)) // the block to come
		}
	})
}

// results takes note of the variables that a statement binds, and replaces scalars that are known.
func (c *sharing) results(s loop.Stmt) {
	loop.Defs(s, func(v *loop.Var) {
		if v.Kind.IsBuffer() {
			c.level.Set(v, len(c.scopes)-1)
		} else {
			c.known(v)
		}
	})
}

func (c *sharing) loop(s *loop.For) loop.Stmt {
	c.params(s)
	turns := c.n.openLoop(s, c.depth)
	c.depth++
	out := c.m.Stmt(s)
	c.depth--
	c.n.closeLoop(s, turns)
	c.results(s)
	return out
}

func (c *sharing) while(s *loop.While) loop.Stmt {
	c.params(s)
	turns := c.n.openWhile(s, c.depth)
	c.depth++
	out := c.m.Stmt(s)
	c.depth--
	c.n.closeWhile(s, turns)
	c.results(s)
	return out
}

func (c *sharing) branch(s *loop.If) loop.Stmt {
	n := c.n.atom(s.Cond)
	before := c.n.mark()
	cond := c.use(s.Cond)
	then := c.block(s.Then)
	first := c.n.otherSide(before)
	otherwise := c.block(s.Else)
	c.n.closeBranch(s, n, before, first)
	c.results(s)
	if cond == s.Cond && then == s.Then && otherwise == s.Else {
		return s
	}
	return &loop.If{Results: s.Results, Cond: cond, Then: then, Else: otherwise}
}

// holds tells whether a condition has been checked before.
func (c *sharing) holds(s *loop.Check) bool {
	v, ok := s.Cond.(*loop.Var)
	if !ok {
		return false
	}
	n := c.n.of.Get(v)
	if *entryAt(&c.checked, n) {
		return true
	}
	c.checked[n] = true
	c.held = append(c.held, n)
	return false
}

// known replaces a scalar by an earlier one with its number, if there is one.
func (c *sharing) known(v *loop.Var) bool {
	if c.subst.Get(v) != nil {
		return true
	}
	n := c.n.of.Get(v)
	room := entryAt(&c.scalars, n)
	switch u := *room; {
	case u == v:
		return false
	case u != nil && u.Kind == v.Kind:
		c.subst.Set(v, u)
		return true
	}
	c.shadowed = append(c.shadowed, replacement{n, *room})
	*room = v
	return false
}

// use is what an atom that is read becomes.
func (c *sharing) use(a loop.Atom) loop.Atom {
	v, ok := a.(*loop.Var)
	if !ok || !v.Kind.IsBuffer() || c.consumed[v] {
		return c.atom(a)
	}
	n := c.n.of.Get(v)
	room := entryAt(&c.buffers, n)
	if u := *room; u != nil && u.Kind == v.Kind {
		return u
	}
	home := &c.scopes[c.level.Get(v)]
	home.buffers = append(home.buffers, replacement{n, *room})
	*room = v
	return v
}
