package pass

import (
	"slices"
	"sync"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// CSE replaces what has been computed before: scalars, totals and states of loops, checks, and
// whole buffers. It is by Note [Value numbers], which it gives in the same walk: when a statement
// is met, all that it reads has its number, and a buffer that is read is complete. Statements that
// become useless stay, for DeadCode.
func CSE(f *loop.Func) { cseWith(f, nil) }

func cseWith(f *loop.Func, k *known) {
	before := f.Body
	c := sharings.Get().(*sharing)
	c.n = k.takeNumbering(f)
	if k != nil && k.updates {
		c.consumed = loop.Updated(before)
	}
	if f.Body = c.function(before); c.n.updates && c.consumed == nil {
		// What is updated must be known from the start.
		c.clear()
		c.n.start(f)
		c.consumed = loop.Updated(before)
		f.Body = c.function(before)
	}
	if k != nil {
		k.updates, k.settled = c.n.updates, !c.moved
	}
	c.clear()
	if c.moved {
		k.keepNumbering(c.n, nil)
	} else {
		k.keepNumbering(c.n, f.Body)
	}
	c.n, c.consumed = nil, nil
	sharings.Put(c)
}

var sharings = sync.Pool{New: func() any {
	c := &sharing{}
	c.m = loop.Mapper{Use: c.use, Block: c.block, Share: true}
	return c
}}

// function is the body of a function, whose parameters are numbered, after CSE.
func (c *sharing) function(body *loop.Block) *loop.Block {
	c.depth, c.moved = 0, false
	c.scopes = append(c.scopes[:0], scope{})
	return c.block(body)
}

// clear forgets all. The memory is kept.
func (c *sharing) clear() {
	used := int(c.n.Next())
	clear(c.scalars[:min(used, len(c.scalars))])
	clear(c.buffers[:min(used, len(c.buffers))])
	clear(c.checked[:min(used, len(c.checked))])
	c.level.Clear()
}

// zeros is a slice of n zeros, in the memory of another if that has room.
func zeros[T any](old []T, n int) []T {
	out := slices.Grow(old[:0], n)[:n]
	clear(out)
	return out
}

// sharing holds, by their numbers, the scalars that the open blocks have computed, the conditions
// that they have checked, and the buffers bound in them that are complete.
type sharing struct {
	m       loop.Mapper
	n       *numbering
	depth   int32 // of the loops around
	scalars []*loop.Var
	checked []bool
	buffers []*loop.Var
	scopes  []scope
	// What is to be taken back when the open blocks end: the numbers of scalars, and of conditions.
	defined, held []int32
	level         loop.VarMap[int] // the scope in which a buffer is bound
	consumed      map[*loop.Var]bool
	moved         bool // whether there were twins, so that another run may find more
}

// scope says what is to be taken back when a block ends. A buffer may become complete in a block
// inside of the one that binds it.
type scope struct {
	defined, held int // the lengths of these at its start
	buffers       []replacement
}

// replacement is the buffer that a number stood for before.
type replacement struct {
	number int32
	by     *loop.Var
}

// entryAt is where a slice keeps what belongs to a number. The slice grows if it has to.
func entryAt[T any](xs *[]T, n int32) *T {
	if int(n) >= len(*xs) {
		*xs = slices.Grow(*xs, max(int(n)+1-len(*xs), 1024))
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
	c.scopes = append(c.scopes, scope{defined: len(c.defined), held: len(c.held)})
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
	for _, n := range c.defined[s.defined:] {
		c.scalars[n] = nil
	}
	for _, r := range slices.Backward(s.buffers) {
		c.buffers[r.number] = r.by
	}
	for _, n := range c.held[s.held:] {
		c.checked[n] = false
	}
	c.defined, c.held = c.defined[:s.defined], c.held[:s.held]
}

// stmt is what a statement becomes; nil if it is not needed.
func (c *sharing) stmt(s loop.Stmt) loop.Stmt {
	switch s := s.(type) {
	case *loop.Let:
		return c.let(s)
	case *loop.Load:
		return c.load(s)
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
		_, at := c.operand(s.At)
		_, value := c.operand(s.Value)
		if at == nil && value == nil {
			return s
		}
		return &loop.Store{Buf: s.Buf, At: or(at, s.At), Value: or(value, s.Value)}
	case *loop.Accum:
		_, at := c.operand(s.At)
		_, value := c.operand(s.Value)
		if at == nil && value == nil {
			return s
		}
		return &loop.Accum{Buf: s.Buf, At: or(at, s.At), Value: or(value, s.Value)}
	case *loop.Check:
		if c.holds(s) {
			return nil
		}
	case *loop.Length:
		if c.known(s.Var, c.n.Of.Get(s.Var)) {
			return nil
		}
		return c.m.Stmt(s)
	}
	out := c.m.Stmt(s)
	c.results(s)
	return out
}

// operand is the number of a scalar, and the variable that stands for it now: nil if it stays.
func (c *sharing) operand(a loop.Atom) (int32, *loop.Var) {
	v, ok := a.(*loop.Var)
	if !ok {
		return c.n.Literal(a.(*loop.Const)), nil
	}
	n := c.n.Of.Get(v)
	if int(n) < len(c.scalars) {
		if u := c.scalars[n]; u != v && u != nil && u.Kind == v.Kind {
			return n, u
		}
	}
	return n, nil
}

// or is a variable, or an atom if that is nil.
func or(v *loop.Var, a loop.Atom) loop.Atom {
	if v != nil {
		return v
	}
	return a
}

func (c *sharing) let(s *loop.Let) loop.Stmt {
	var parts [3]int32
	var by [3]*loop.Var
	changed := false
	for i, a := range s.Args { // at most three
		parts[i], by[i] = c.operand(a)
		changed = changed || by[i] != nil
	}
	switch {
	case c.known(s.Var, c.n.operation(s, parts)):
		return nil
	case !changed:
		return s
	}
	var args [3]loop.Atom
	for i, a := range s.Args {
		args[i] = or(by[i], a)
	}
	return loop.NewLet(s.Var, s.Op, args[:len(s.Args)]...)
}

func (c *sharing) load(s *loop.Load) loop.Stmt {
	at, by := c.operand(s.At)
	if c.known(s.Var, c.n.read(s, at)) {
		return nil
	}
	buf := c.buffer(s.Buf)
	if buf == s.Buf && by == nil {
		return s
	}
	return &loop.Load{Var: s.Var, Buf: buf, At: or(by, s.At)}
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
			c.known(v, c.n.Of.Get(v))
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
	n := c.n.Atom(s.Cond)
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
	n := c.n.Of.Get(v)
	if *entryAt(&c.checked, n) {
		return true
	}
	c.checked[n] = true
	c.held = append(c.held, n)
	return false
}

// known tells whether an earlier scalar has the number of one, and stands for it. If not, it stands
// for those to come.
func (c *sharing) known(v *loop.Var, n int32) bool {
	room := entryAt(&c.scalars, n)
	if u := *room; u != nil {
		return u != v && u.Kind == v.Kind
	}
	*room = v
	c.defined = append(c.defined, n)
	return false
}

// use is what an atom that is read becomes.
func (c *sharing) use(a loop.Atom) loop.Atom {
	v, ok := a.(*loop.Var)
	switch {
	case !ok:
		return a
	case v.Kind.IsBuffer():
		return c.buffer(v)
	}
	_, by := c.operand(v)
	return or(by, a)
}

// buffer is what a buffer that is read becomes.
func (c *sharing) buffer(v *loop.Var) *loop.Var {
	if c.consumed[v] {
		return v
	}
	n := c.n.Of.Get(v)
	room := entryAt(&c.buffers, n)
	if u := *room; u != nil && u.Kind == v.Kind {
		return u
	}
	home := &c.scopes[c.level.Get(v)]
	home.buffers = append(home.buffers, replacement{n, *room})
	*room = v
	return v
}
