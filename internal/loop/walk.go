package loop

import (
	"slices"
	"sync"
)

// Defs calls f with each variable that a statement binds in the block it stands in.
func Defs(s Stmt, f func(*Var)) {
	switch s := s.(type) {
	case *Let:
		f(s.Var)
	case *Alloc:
		f(s.Var)
	case *Length:
		f(s.Var)
	case *Load:
		f(s.Var)
	case *Update:
		f(s.Var)
	case *Copy:
		f(s.Var)
	case *For:
		results(s.States, s.Reds, f)
	case *While:
		results(s.States, nil, f)
	case *If:
		for _, v := range s.Results {
			f(v)
		}
	case *Call:
		for _, v := range s.Results {
			f(v)
		}
	}
}

func results(states []State, reds []Red, f func(*Var)) {
	for _, s := range states {
		f(s.Result)
	}
	for _, r := range reds {
		f(r.Result)
	}
}

// Params calls f with each variable that a statement binds for its blocks.
func Params(s Stmt, f func(*Var)) {
	var states []State
	switch s := s.(type) {
	case *For:
		f(s.Index)
		states = s.States
	case *While:
		states = s.States
	}
	for _, st := range states {
		f(st.Var)
	}
}

// WithStates returns a loop with other states, made from its own. Other statements are returned
// unchanged.
func WithStates(s Stmt, f func([]State) []State) Stmt {
	switch s := s.(type) {
	case *For:
		c := *s
		c.States = f(s.States)
		return &c
	case *While:
		c := *s
		c.States = f(s.States)
		return &c
	}
	return s
}

// Uses calls f with each atom that a statement itself reads, without its blocks. A buffer that is
// written counts.
func Uses(s Stmt, f func(Atom)) {
	switch s := s.(type) {
	case *Let:
		for _, a := range s.Args {
			f(a)
		}
	case *Alloc:
		f(s.Len)
	case *Length:
		f(s.Buf)
	case *Load:
		f(s.Buf)
		f(s.At)
	case *Store:
		f(s.Buf)
		f(s.At)
		f(s.Value)
	case *Accum:
		f(s.Buf)
		f(s.At)
		f(s.Value)
	case *Update:
		f(s.Buf)
		f(s.At)
		f(s.Value)
	case *Copy:
		f(s.Buf)
	case *For:
		f(s.Count)
		for i := range s.States {
			f(s.States[i].Init)
		}
		for i := range s.Reds {
			f(s.Reds[i].Init)
		}
	case *While:
		for i := range s.States {
			f(s.States[i].Init)
		}
	case *If:
		f(s.Cond)
	case *Check:
		f(s.Cond)
	case *Call:
		for _, a := range s.Args {
			f(a)
		}
	default:
		panic("loop: an unknown statement")
	}
}

// Blocks calls f with each block of a statement.
func Blocks(s Stmt, f func(*Block)) {
	switch s := s.(type) {
	case *For:
		f(s.Body)
	case *While:
		f(s.Cond)
		f(s.Body)
	case *If:
		f(s.Then)
		f(s.Else)
	}
}

// Compound reports whether a statement has blocks.
func Compound(s Stmt) bool {
	switch s.(type) {
	case *For, *While, *If:
		return true
	}
	return false
}

// Walk calls f with each statement of a block and of the blocks in it, from
// the outside to the inside.
func Walk(b *Block, f func(Stmt)) {
	for _, s := range b.Stmts {
		f(s)
		switch s := s.(type) {
		case *For:
			Walk(s.Body, f)
		case *While:
			Walk(s.Cond, f)
			Walk(s.Body, f)
		case *If:
			Walk(s.Then, f)
			Walk(s.Else, f)
		}
	}
}

// Any reports whether some statement in a block, at any depth, satisfies a condition.
func Any(b *Block, is func(Stmt) bool) bool {
	for _, s := range b.Stmts {
		if is(s) || AnyWithin(s, is) {
			return true
		}
	}
	return false
}

// AnyWithin reports whether some statement in the blocks of a statement satisfies a condition.
func AnyWithin(s Stmt, is func(Stmt) bool) bool {
	switch s := s.(type) {
	case *For:
		return Any(s.Body, is)
	case *While:
		return Any(s.Cond, is) || Any(s.Body, is)
	case *If:
		return Any(s.Then, is) || Any(s.Else, is)
	}
	return false
}

// AllUses calls f with every atom that is read in a block, at any depth.
func AllUses(b *Block, f func(Atom)) {
	for _, s := range b.Stmts {
		Uses(s, f)
		switch s := s.(type) {
		case *For:
			AllUses(s.Body, f)
		case *While:
			AllUses(s.Cond, f)
			AllUses(s.Body, f)
		case *If:
			AllUses(s.Then, f)
			AllUses(s.Else, f)
		}
	}
	for _, a := range b.Yield {
		f(a)
	}
}

// Mentions reports whether a statement uses a variable of a set, by itself or in its blocks.
func Mentions(s Stmt, set *VarSet) bool {
	switch s := s.(type) {
	case *Let:
		for _, a := range s.Args {
			if set.HasAtom(a) {
				return true
			}
		}
		return false
	case *Load:
		return set.Has(s.Buf) || set.HasAtom(s.At)
	case *Store:
		return set.Has(s.Buf) || set.HasAtom(s.At) || set.HasAtom(s.Value)
	}
	found := false
	Uses(s, func(a Atom) { found = found || set.HasAtom(a) })
	if found {
		return true
	}
	switch s := s.(type) {
	case *For:
		return s.Body.Mentions(set)
	case *While:
		return s.Cond.Mentions(set) || s.Body.Mentions(set)
	case *If:
		return s.Then.Mentions(set) || s.Else.Mentions(set)
	}
	return false
}

// Mentions reports whether a block uses a variable of a set.
func (b *Block) Mentions(set *VarSet) bool {
	for _, s := range b.Stmts {
		if Mentions(s, set) {
			return true
		}
	}
	for _, a := range b.Yield {
		if set.HasAtom(a) {
			return true
		}
	}
	return false
}

// Free returns the variables that a block uses and does not bind, in the order of their first use.
func Free(b *Block) []*Var {
	var seen VarSet
	var free []*Var
	use := func(a Atom) {
		if v, ok := a.(*Var); ok && !seen.Has(v) {
			seen.Add(v)
			free = append(free, v)
		}
	}
	bind := seen.Add
	var visit func(b *Block)
	visit = func(b *Block) {
		for _, s := range b.Stmts {
			Uses(s, use)
			Params(s, bind)
			Blocks(s, visit)
			Defs(s, bind)
		}
		for _, a := range b.Yield {
			use(a)
		}
	}
	visit(b)
	return free
}

// Mapper makes a new statement from an old one. Use maps the atoms that it reads, Bind the
// variables that it binds, Block its blocks. Without Bind the variables stay.
type Mapper struct {
	Use   func(Atom) Atom
	Bind  func(*Var) *Var
	Block func(*Block) *Block
	// Share lets Stmt return the old statement if nothing changes. It is for code that puts the
	// new statement in the place of the old one, because a statement may stand in only one place.
	Share bool
}

// Uses maps atoms. If none changes, it returns the same slice.
func (m *Mapper) Uses(as []Atom) []Atom {
	for i, a := range as {
		b := m.Use(a)
		if unchanged(a, b) {
			continue
		}
		out := make([]Atom, len(as))
		copy(out, as[:i])
		out[i] = b
		for j := i + 1; j < len(as); j++ {
			out[j] = m.Use(as[j])
		}
		return out
	}
	return as
}

func (m *Mapper) bind(v *Var) *Var {
	if m.Bind == nil {
		return v
	}
	return m.Bind(v)
}

// unchanged reports whether two atoms are the same. Most are variables, and comparing pointers of
// a known type is fast.
func unchanged(a, b Atom) bool {
	if a, ok := a.(*Var); ok {
		b, ok := b.(*Var)
		return ok && a == b
	}
	return a == b
}

// binds maps variables that are bound. If none changes, it returns the same slice.
func (m *Mapper) binds(vs []*Var) []*Var {
	out := vs
	for i, v := range vs {
		if w := m.bind(v); w != v {
			*edit(&out, vs, i) = w
		}
	}
	return out
}

// edit returns a pointer to an element of a slice for writing. If the slice is still the old one,
// edit copies it first.
func edit[T any](now *[]T, old []T, i int) *T {
	if alike(*now, old) {
		*now = slices.Clone(old)
	}
	return &(*now)[i]
}

func (m *Mapper) buf(v *Var) *Var { return m.Use(v).(*Var) }

// Stmt maps a statement. What it reads is mapped first, then the variables of its
// blocks are bound, then come its blocks and then its results.
func (m *Mapper) Stmt(s Stmt) Stmt {
	switch s := s.(type) {
	case *Let:
		return m.let(s)
	case *Alloc:
		n := m.Use(s.Len)
		v := m.bind(s.Var)
		if m.Share && v == s.Var && n == s.Len {
			return s
		}
		return &Alloc{Var: v, Len: n, Zero: s.Zero}
	case *Length:
		b := m.buf(s.Buf)
		v := m.bind(s.Var)
		if m.Share && v == s.Var && b == s.Buf {
			return s
		}
		return &Length{Var: v, Buf: b}
	case *Load:
		b, at := m.buf(s.Buf), m.Use(s.At)
		v := m.bind(s.Var)
		if m.Share && v == s.Var && b == s.Buf && unchanged(s.At, at) {
			return s
		}
		return &Load{Var: v, Buf: b, At: at}
	case *Store:
		b, at, x := m.buf(s.Buf), m.Use(s.At), m.Use(s.Value)
		if m.Share && b == s.Buf && unchanged(s.At, at) && unchanged(s.Value, x) {
			return s
		}
		return &Store{Buf: b, At: at, Value: x}
	case *Accum:
		b, at, x := m.buf(s.Buf), m.Use(s.At), m.Use(s.Value)
		if m.Share && b == s.Buf && unchanged(s.At, at) && unchanged(s.Value, x) {
			return s
		}
		return &Accum{Buf: b, At: at, Value: x}
	case *Update:
		b, at, x := m.buf(s.Buf), m.Use(s.At), m.Use(s.Value)
		v := m.bind(s.Var)
		if m.Share && v == s.Var && b == s.Buf && at == s.At && x == s.Value {
			return s
		}
		return &Update{Var: v, Buf: b, At: at, Value: x}
	case *Copy:
		b := m.buf(s.Buf)
		v := m.bind(s.Var)
		if m.Share && v == s.Var && b == s.Buf {
			return s
		}
		return &Copy{Var: v, Buf: b}
	case *For:
		count, states, reds := m.Use(s.Count), m.inits(s.States), s.Reds
		for i, r := range s.Reds {
			if init := m.Use(r.Init); init != r.Init {
				edit(&reds, s.Reds, i).Init = init
			}
		}
		index := m.bind(s.Index)
		m.bindStates(&states, s.States)
		body := m.Block(s.Body)
		m.bindResults(&states, s.States)
		for i, r := range s.Reds {
			if v := m.bind(r.Result); v != r.Result {
				edit(&reds, s.Reds, i).Result = v
			}
		}
		if m.Share && count == s.Count && index == s.Index && body == s.Body &&
			alike(states, s.States) && alike(reds, s.Reds) {
			return s
		}
		return &For{Index: index, Count: count, Parallel: s.Parallel, States: states, Reds: reds,
			Body:  body,
			Lanes: s.Lanes, Thrifty: s.Thrifty}
	case *While:
		states := m.inits(s.States)
		m.bindStates(&states, s.States)
		cond := m.Block(s.Cond)
		body := m.Block(s.Body)
		m.bindResults(&states, s.States)
		if m.Share && cond == s.Cond && body == s.Body && alike(states, s.States) {
			return s
		}
		return &While{States: states, Cond: cond, Body: body}
	case *If:
		cond := m.Use(s.Cond)
		then := m.Block(s.Then)
		otherwise := m.Block(s.Else)
		results := m.binds(s.Results)
		if m.Share && cond == s.Cond && then == s.Then && otherwise == s.Else &&
			alike(results, s.Results) {
			return s
		}
		return &If{Results: results, Cond: cond, Then: then, Else: otherwise}
	case *Check:
		cond := m.Use(s.Cond)
		if m.Share && cond == s.Cond {
			return s
		}
		return &Check{Cond: cond, At: s.At}
	case *Call:
		args, results := m.Uses(s.Args), m.binds(s.Results)
		if m.Share && alike(args, s.Args) && alike(results, s.Results) {
			return s
		}
		return &Call{Results: results, Func: s.Func, Args: args}
	}
	panic("loop: an unknown statement")
}

func (m *Mapper) let(s *Let) *Let {
	var room [3]Atom
	args, changed := room[:len(s.Args)], false
	for i, a := range s.Args {
		args[i] = m.Use(a)
		changed = changed || !unchanged(a, args[i])
	}
	v := m.bind(s.Var)
	if m.Share && v == s.Var && !changed {
		return s
	}
	return NewLet(v, s.Op, args...)
}

func (m *Mapper) inits(states []State) []State {
	out := states
	for i, s := range states {
		if init := m.Use(s.Init); init != s.Init {
			edit(&out, states, i).Init = init
		}
	}
	return out
}

func (m *Mapper) bindStates(out *[]State, states []State) {
	for i, s := range states {
		if v := m.bind(s.Var); v != s.Var {
			edit(out, states, i).Var = v
		}
	}
}

func (m *Mapper) bindResults(out *[]State, states []State) {
	for i, s := range states {
		if v := m.bind(s.Result); v != s.Result {
			edit(out, states, i).Result = v
		}
	}
}

// MapBlocks returns a statement with its blocks mapped. It returns the statement itself if it has
// none, or if none changes.
func MapBlocks(s Stmt, f func(*Block) *Block) Stmt {
	switch s := s.(type) {
	case *For:
		if body := f(s.Body); body != s.Body {
			c := *s
			c.Body = body
			return &c
		}
	case *While:
		if cond, body := f(s.Cond), f(s.Body); cond != s.Cond || body != s.Body {
			return &While{States: s.States, Cond: cond, Body: body}
		}
	case *If:
		if then, otherwise := f(s.Then), f(s.Else); then != s.Then || otherwise != s.Else {
			return &If{Results: s.Results, Cond: s.Cond, Then: then, Else: otherwise}
		}
	}
	return s
}

// Copier copies blocks with fresh variables. A free variable becomes what Set says, or stays.
type Copier struct {
	subst VarMap[Atom]
	m     Mapper
}

var copiers = sync.Pool{New: func() any {
	c := &Copier{}
	c.m = Mapper{Use: c.Atom, Bind: c.Bind, Block: c.Block}
	return c
}}

// NewCopier makes a copier.
func NewCopier() *Copier { return copiers.Get().(*Copier) }

// Release returns the memory of a copier that is no longer used, for others.
func (c *Copier) Release() {
	c.subst.Clear()
	copiers.Put(c)
}

// Set sets the replacement of a variable.
func (c *Copier) Set(v *Var, to Atom) { c.subst.Set(v, to) }

// Atom returns the copy of an atom.
func (c *Copier) Atom(a Atom) Atom {
	if v, ok := a.(*Var); ok {
		if to := c.subst.Get(v); to != nil {
			return to
		}
	}
	return a
}

// Bind makes a fresh variable for one that is bound.
func (c *Copier) Bind(v *Var) *Var {
	fresh := NewVar(v.Name, v.Kind)
	c.subst.Set(v, fresh)
	return fresh
}

// Stmt copies a statement.
func (c *Copier) Stmt(s Stmt) Stmt {
	switch s := s.(type) {
	case *Let:
		var room [3]Atom
		args := room[:len(s.Args)]
		for i, a := range s.Args {
			args[i] = c.Atom(a)
		}
		out := FreshLet(s.Var.Name, s.Op, args...)
		c.subst.Set(s.Var, out.Var)
		return out
	case *Load:
		out := FreshLoad(s.Var.Name, c.Atom(s.Buf).(*Var), c.Atom(s.At))
		c.subst.Set(s.Var, out.Var)
		return out
	}
	return c.m.Stmt(s)
}

// Block copies a block.
func (c *Copier) Block(b *Block) *Block {
	out := &Block{Stmts: make([]Stmt, len(b.Stmts))}
	for i, s := range b.Stmts {
		out.Stmts[i] = c.Stmt(s)
	}
	out.Yield = c.m.Uses(b.Yield)
	return out
}
