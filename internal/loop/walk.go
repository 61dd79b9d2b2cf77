package loop

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

// Uses calls f with each atom that a statement itself reads, its blocks left out. A buffer that
// is written is among them.
func Uses(s Stmt, f func(Atom)) {
	all := func(as []Atom) {
		for _, a := range as {
			f(a)
		}
	}
	inits := func(states []State) {
		for i := range states {
			f(states[i].Init)
		}
	}
	switch s := s.(type) {
	case *Let:
		all(s.Args)
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
		inits(s.States)
		for i := range s.Reds {
			f(s.Reds[i].Init)
		}
	case *While:
		inits(s.States)
	case *If:
		f(s.Cond)
	case *Check:
		f(s.Cond)
	case *Call:
		all(s.Args)
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

// Walk calls f with each statement of a block and of the blocks in it, from
// the outside to the inside.
func Walk(b *Block, f func(Stmt)) {
	for _, s := range b.Stmts {
		f(s)
		Blocks(s, func(b *Block) { Walk(b, f) })
	}
}

// AllUses calls f with every atom that is read in a block, at any depth.
func AllUses(b *Block, f func(Atom)) {
	for _, s := range b.Stmts {
		Uses(s, f)
		Blocks(s, func(b *Block) { AllUses(b, f) })
	}
	for _, a := range b.Yield {
		f(a)
	}
}

// Free gives the variables that a block uses and does not bind, in the order of their first use.
func Free(b *Block) []*Var {
	var seen VarMap[bool]
	var free []*Var
	use := func(a Atom) {
		if v, ok := a.(*Var); ok && !seen.Get(v) {
			seen.Set(v, true)
			free = append(free, v)
		}
	}
	bind := func(v *Var) { seen.Set(v, true) }
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

// Mapper makes a new statement from an old one: Use maps the atoms that it reads, Bind the
// variables that it binds, Block its blocks.
type Mapper struct {
	Use   func(Atom) Atom
	Bind  func(*Var) *Var
	Block func(*Block) *Block
	// Share lets Stmt give back a statement without blocks of which nothing changes. It is for those who
	// put the new statement in the place of the old one: a statement stands in one place only.
	Share bool
}

// Uses maps atoms; if none changes, it gives the same slice back.
func (m *Mapper) Uses(as []Atom) []Atom {
	for i, a := range as {
		b := m.Use(a)
		if b == a {
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

func (m *Mapper) binds(vs []*Var) []*Var {
	out := make([]*Var, len(vs))
	for i, v := range vs {
		out[i] = m.Bind(v)
	}
	return out
}

func (m *Mapper) buf(v *Var) *Var { return m.Use(v).(*Var) }

// Stmt maps a statement. What it reads is mapped first, then the variables of its
// blocks are bound, then come its blocks and then its results.
func (m *Mapper) Stmt(s Stmt) Stmt {
	switch s := s.(type) {
	case *Let:
		args := m.Uses(s.Args)
		v := m.Bind(s.Var)
		if m.Share && v == s.Var && (len(args) == 0 || &args[0] == &s.Args[0]) {
			return s
		}
		return &Let{Var: v, Op: s.Op, Args: args}
	case *Alloc:
		n := m.Use(s.Len)
		v := m.Bind(s.Var)
		if m.Share && v == s.Var && n == s.Len {
			return s
		}
		return &Alloc{Var: v, Len: n, Zero: s.Zero}
	case *Length:
		b := m.buf(s.Buf)
		v := m.Bind(s.Var)
		if m.Share && v == s.Var && b == s.Buf {
			return s
		}
		return &Length{Var: v, Buf: b}
	case *Load:
		b, at := m.buf(s.Buf), m.Use(s.At)
		v := m.Bind(s.Var)
		if m.Share && v == s.Var && b == s.Buf && at == s.At {
			return s
		}
		return &Load{Var: v, Buf: b, At: at}
	case *Store:
		b, at, x := m.buf(s.Buf), m.Use(s.At), m.Use(s.Value)
		if m.Share && b == s.Buf && at == s.At && x == s.Value {
			return s
		}
		return &Store{Buf: b, At: at, Value: x}
	case *Accum:
		b, at, x := m.buf(s.Buf), m.Use(s.At), m.Use(s.Value)
		if m.Share && b == s.Buf && at == s.At && x == s.Value {
			return s
		}
		return &Accum{Buf: b, At: at, Value: x}
	case *Update:
		b, at, x := m.buf(s.Buf), m.Use(s.At), m.Use(s.Value)
		v := m.Bind(s.Var)
		if m.Share && v == s.Var && b == s.Buf && at == s.At && x == s.Value {
			return s
		}
		return &Update{Var: v, Buf: b, At: at, Value: x}
	case *Copy:
		b := m.buf(s.Buf)
		v := m.Bind(s.Var)
		if m.Share && v == s.Var && b == s.Buf {
			return s
		}
		return &Copy{Var: v, Buf: b}
	case *For:
		out := &For{Count: m.Use(s.Count), Parallel: s.Parallel, Lanes: s.Lanes}
		out.States, out.Reds = m.inits(s.States), make([]Red, len(s.Reds))
		for i, r := range s.Reds {
			out.Reds[i] = Red{Op: r.Op, Init: m.Use(r.Init)}
		}
		out.Index = m.Bind(s.Index)
		m.bindStates(out.States, s.States)
		out.Body = m.Block(s.Body)
		m.bindResults(out.States, s.States)
		for i, r := range s.Reds {
			out.Reds[i].Result = m.Bind(r.Result)
		}
		return out
	case *While:
		out := &While{States: m.inits(s.States)}
		m.bindStates(out.States, s.States)
		out.Cond = m.Block(s.Cond)
		out.Body = m.Block(s.Body)
		m.bindResults(out.States, s.States)
		return out
	case *If:
		out := &If{Cond: m.Use(s.Cond)}
		out.Then = m.Block(s.Then)
		out.Else = m.Block(s.Else)
		out.Results = m.binds(s.Results)
		return out
	case *Check:
		cond := m.Use(s.Cond)
		if m.Share && cond == s.Cond {
			return s
		}
		return &Check{Cond: cond, At: s.At}
	case *Call:
		args := m.Uses(s.Args)
		return &Call{Results: m.binds(s.Results), Func: s.Func, Args: args}
	}
	panic("loop: an unknown statement")
}

func (m *Mapper) inits(states []State) []State {
	out := make([]State, len(states))
	for i, s := range states {
		out[i].Init = m.Use(s.Init)
	}
	return out
}

func (m *Mapper) bindStates(out, states []State) {
	for i, s := range states {
		out[i].Var = m.Bind(s.Var)
	}
}

func (m *Mapper) bindResults(out, states []State) {
	for i, s := range states {
		out[i].Result = m.Bind(s.Result)
	}
}

// Copier copies blocks with fresh variables. Subst says what a variable that is free in them
// becomes; one that is not in it stays.
type Copier struct {
	Subst map[*Var]Atom
	m     Mapper
}

// NewCopier makes a copier; subst may be nil, and is added to.
func NewCopier(subst map[*Var]Atom) *Copier {
	if subst == nil {
		subst = map[*Var]Atom{}
	}
	c := &Copier{Subst: subst}
	c.m = Mapper{Use: c.Atom, Bind: c.Bind, Block: c.Block}
	return c
}

// Atom is what an atom becomes.
func (c *Copier) Atom(a Atom) Atom {
	if v, ok := a.(*Var); ok {
		if to, ok := c.Subst[v]; ok {
			return to
		}
	}
	return a
}

// Bind makes a fresh variable for one that is bound.
func (c *Copier) Bind(v *Var) *Var {
	fresh := NewVar(v.Name, v.Kind)
	c.Subst[v] = fresh
	return fresh
}

// Stmt copies a statement.
func (c *Copier) Stmt(s Stmt) Stmt { return c.m.Stmt(s) }

// Block copies a block.
func (c *Copier) Block(b *Block) *Block {
	out := &Block{Stmts: make([]Stmt, len(b.Stmts))}
	for i, s := range b.Stmts {
		out.Stmts[i] = c.Stmt(s)
	}
	out.Yield = c.m.Uses(b.Yield)
	return out
}
