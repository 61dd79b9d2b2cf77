package core

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/types"
)

// Parts holds visitors of the immediate parts of an operation, called in the order of the scopes:
// an operation's atoms, then what it binds, then the blocks that see the bindings. A nil visitor
// skips its parts.
type Parts struct {
	Atom  func(Atom)
	Bind  func(*Var)
	Block func(*Block)
}

// Visit calls the visitors on the parts of op.
func (p *Parts) Visit(op Op) {
	switch op := op.(type) {
	case *Prim:
		p.atoms(op.Args)
	case *Lambda:
		p.bind(op.Params...)
		p.block(op.Body)
	case *Apply:
		p.atom(op.Fun)
		p.atoms(op.Args)
	case *Tuple:
		p.atoms(op.Elems)
	case *Proj:
		p.atom(op.Of)
	case *Record:
		p.atoms(op.Elems)
	case *Field:
		p.atom(op.Of)
	case *Construct:
		p.atoms(op.Args)
	case *Case:
		p.atom(op.Of)
		for _, arm := range op.Arms {
			p.bind(arm.Vars...)
			p.block(arm.Body)
		}
		if op.Default != nil {
			p.block(op.Default)
		}
	case *If:
		p.atom(op.Cond)
		p.block(op.Then)
		p.block(op.Else)
	case *Array:
		p.atoms(op.Elems)
	case *Build:
		p.atom(op.Size)
		p.bind(op.Index)
		p.block(op.Body)
	case *Map:
		p.atoms(op.Arrays)
		p.bind(op.Params...)
		p.block(op.Body)
	case *Index:
		p.atom(op.Of)
		p.atom(op.At)
	case *Slice:
		p.atom(op.Of)
		p.atom(op.Lo)
		p.atom(op.Hi)
	case *Reduce:
		p.atom(op.Init)
		p.atom(op.Array)
		p.bind(op.Acc, op.Elem)
		p.block(op.Body)
	case *Scan:
		p.atom(op.Init)
		p.atom(op.Array)
		p.bind(op.Acc, op.Elem)
		p.block(op.Body)
	case *Loop:
		p.atom(op.Init)
		switch head := op.Head.(type) {
		case *Range:
			p.atom(head.Bound)
			p.bind(op.State, head.Index)
		case *Each:
			p.atom(head.Array)
			p.bind(op.State, head.Elem)
		case *While:
			p.bind(op.State)
			p.block(head.Cond)
		}
		p.block(op.Body)
	case *CheckSize:
		p.atom(op.Got)
		p.atom(op.Want)
	default:
		panic("core: unknown operation")
	}
}

func (p *Parts) atom(a Atom) {
	if p.Atom != nil {
		p.Atom(a)
	}
}

func (p *Parts) atoms(as []Atom) {
	for _, a := range as {
		p.atom(a)
	}
}

func (p *Parts) bind(vs ...*Var) {
	if p.Bind == nil {
		return
	}
	for _, v := range vs {
		p.Bind(v)
	}
}

func (p *Parts) block(b *Block) {
	if p.Block != nil {
		p.Block(b)
	}
}

// Walk calls f for every statement of a block and of the blocks nested in it. An operation comes
// before its parts.
func Walk(b *Block, f func(Stmt)) {
	parts := Parts{Block: func(inner *Block) { Walk(inner, f) }}
	for _, s := range b.Stmts {
		f(s)
		visitStmt(s, &parts)
	}
}

// visitStmt visits the parts of a statement's right-hand sides.
func visitStmt(s Stmt, parts *Parts) {
	switch s := s.(type) {
	case *Let:
		parts.Visit(s.Op)
	case *LetRec:
		for _, fun := range s.Funs {
			parts.Visit(fun)
		}
	}
}

// Atoms calls f for every atom that a block uses, including nested blocks.
func Atoms(b *Block, f func(Atom)) {
	parts := Parts{Atom: f, Block: func(inner *Block) { Atoms(inner, f) }}
	for _, s := range b.Stmts {
		visitStmt(s, &parts)
	}
	f(b.Result)
}

// OpAtoms calls f for every atom that an operation uses, including nested blocks.
func OpAtoms(op Op, f func(Atom)) {
	parts := Parts{Atom: f, Block: func(inner *Block) { Atoms(inner, f) }}
	parts.Visit(op)
}

// Binders calls f for every variable that a block binds, including nested blocks.
func Binders(b *Block, f func(*Var)) {
	parts := Parts{Bind: f, Block: func(inner *Block) { Binders(inner, f) }}
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *Let:
			f(s.Var)
		case *LetRec:
			for _, v := range s.Vars {
				f(v)
			}
		}
		visitStmt(s, &parts)
	}
}

// FreeVars lists the variables that a block uses and does not bind, in the order of their first
// uses. It requires that no variable is bound twice.
func FreeVars(b *Block) []*Var {
	return freeVars(func(f func(*Var)) { Binders(b, f) }, func(f func(Atom)) { Atoms(b, f) })
}

// OpFreeVars lists the free variables of an operation.
func OpFreeVars(op Op) []*Var {
	bound := func(f func(*Var)) {
		parts := Parts{Bind: f, Block: func(inner *Block) { Binders(inner, f) }}
		parts.Visit(op)
	}
	return freeVars(bound, func(f func(Atom)) { OpAtoms(op, f) })
}

func freeVars(binders func(func(*Var)), atoms func(func(Atom))) []*Var {
	var seen VarSet
	binders(seen.Add)
	var free []*Var
	atoms(func(a Atom) {
		if v, ok := a.(*Var); ok && !seen.Has(v) {
			seen.Add(v)
			free = append(free, v)
		}
	})
	return free
}

// Size returns the number of operations of a block, including nested blocks. Limits on growth use
// it.
func (b *Block) Size() int {
	n := 0
	Walk(b, func(s Stmt) {
		switch s := s.(type) {
		case *Let:
			n++
		case *LetRec:
			n += len(s.Funs)
		}
	})
	return n
}

// Size returns the number of operations of all definitions.
func (p *Program) Size() int {
	n := 0
	p.EachDef(func(d *Def) { n += 1 + d.Body.Size() })
	return n
}

// EachDef calls f for every definition and finally for Main.
func (p *Program) EachDef(f func(*Def)) {
	for _, d := range p.Defs {
		f(d)
	}
	if p.Main != nil {
		f(p.Main)
	}
}

// Mapper rebuilds operations from mapped parts. A nil function leaves its parts as they are.
type Mapper struct {
	Type  func(types.Type) types.Type
	Atom  func(Atom) Atom
	Bind  func(*Var) *Var // called before Block, for the blocks that see the variable
	Block func(*Block) *Block
}

// Op returns a new operation with mapped parts. It does not change op.
func (m *Mapper) Op(op Op) Op {
	op = copyOf(op)
	m.Update(op)
	return op
}

// Lambda maps a lambda, as Op does.
func (m *Mapper) Lambda(fun *Lambda) *Lambda { return m.Op(fun).(*Lambda) }

// Update maps the parts of an operation in place.
func (m *Mapper) Update(op Op) {
	switch op := op.(type) {
	case *Prim:
		op.Inst = m.types(op.Inst)
		m.atoms(op.Args)
	case *Lambda:
		m.binds(op.Params)
		m.block(&op.Body)
	case *Apply:
		m.atom(&op.Fun)
		m.atoms(op.Args)
	case *Tuple:
		m.atoms(op.Elems)
	case *Proj:
		m.atom(&op.Of)
	case *Record:
		op.Ty = m.ty(op.Ty).(*types.Record)
		m.atoms(op.Elems)
	case *Field:
		m.atom(&op.Of)
	case *Construct:
		op.Ty = m.ty(op.Ty).(*types.Data)
		m.atoms(op.Args)
	case *Case:
		m.atom(&op.Of)
		for i := range op.Arms {
			m.binds(op.Arms[i].Vars)
			m.block(&op.Arms[i].Body)
		}
		if op.Default != nil {
			m.block(&op.Default)
		}
	case *If:
		m.atom(&op.Cond)
		m.block(&op.Then)
		m.block(&op.Else)
	case *Array:
		op.Elem = m.ty(op.Elem)
		m.atoms(op.Elems)
	case *Build:
		m.atom(&op.Size)
		m.bind(&op.Index)
		m.block(&op.Body)
	case *Map:
		m.atoms(op.Arrays)
		m.binds(op.Params)
		m.block(&op.Body)
	case *Index:
		m.atom(&op.Of)
		m.atom(&op.At)
	case *Slice:
		m.atom(&op.Of)
		m.atom(&op.Lo)
		m.atom(&op.Hi)
	case *Reduce:
		m.fold(&op.Init, &op.Array, &op.Acc, &op.Elem, &op.Body)
	case *Scan:
		m.fold(&op.Init, &op.Array, &op.Acc, &op.Elem, &op.Body)
	case *Loop:
		m.loop(op)
	case *CheckSize:
		m.atom(&op.Got)
		m.atom(&op.Want)
	default:
		panic("core: unknown operation")
	}
}

func (m *Mapper) fold(init, array *Atom, acc, elem **Var, body **Block) {
	m.atom(init)
	m.atom(array)
	m.bind(acc)
	m.bind(elem)
	m.block(body)
}

func (m *Mapper) loop(op *Loop) {
	m.atom(&op.Init)
	switch head := op.Head.(type) {
	case *Range:
		m.atom(&head.Bound)
		m.bind(&op.State)
		m.bind(&head.Index)
	case *Each:
		m.atom(&head.Array)
		m.bind(&op.State)
		m.bind(&head.Elem)
	case *While:
		m.bind(&op.State)
		m.block(&head.Cond)
	}
	m.block(&op.Body)
}

// copyOf returns a copy that can be updated without changing op.
func copyOf(op Op) Op {
	switch op := op.(type) {
	case *Prim:
		if len(op.Args) > 2 {
			return &Prim{op.Prim, op.Inst, slices.Clone(op.Args)}
		}
		n := &struct { // allocated together
			Prim
			args [2]Atom
		}{}
		k := copy(n.args[:], op.Args)
		n.Prim = Prim{op.Prim, op.Inst, n.args[:k:k]}
		return &n.Prim
	case *Lambda:
		return &Lambda{slices.Clone(op.Params), op.Body}
	case *Apply:
		return &Apply{op.Fun, slices.Clone(op.Args)}
	case *Tuple:
		return &Tuple{slices.Clone(op.Elems)}
	case *Proj:
		c := *op
		return &c
	case *Record:
		return &Record{op.Ty, slices.Clone(op.Elems)}
	case *Field:
		c := *op
		return &c
	case *Construct:
		return &Construct{op.Con, op.Ty, slices.Clone(op.Args)}
	case *Case:
		c := &Case{op.Of, slices.Clone(op.Arms), op.Default}
		for i := range c.Arms {
			c.Arms[i].Vars = slices.Clone(c.Arms[i].Vars)
		}
		return c
	case *If:
		c := *op
		return &c
	case *Array:
		return &Array{op.Elem, slices.Clone(op.Elems)}
	case *Build:
		c := *op
		return &c
	case *Map:
		return &Map{slices.Clone(op.Params), slices.Clone(op.Arrays), op.Body}
	case *Index:
		c := *op
		return &c
	case *Slice:
		c := *op
		return &c
	case *Reduce:
		c := *op
		return &c
	case *Scan:
		c := *op
		return &c
	case *Loop:
		c := *op
		switch head := op.Head.(type) {
		case *Range:
			c.Head = &Range{head.Index, head.Bound}
		case *Each:
			c.Head = &Each{head.Elem, head.Array}
		case *While:
			c.Head = &While{head.Cond}
		}
		return &c
	case *CheckSize:
		c := *op
		return &c
	}
	panic("core: unknown operation")
}

func (m *Mapper) ty(t types.Type) types.Type {
	if m.Type == nil {
		return t
	}
	return m.Type(t)
}

// types maps the instance of a primitive, which other operations may share.
func (m *Mapper) types(ts []types.Type) []types.Type {
	if m.Type == nil || len(ts) == 0 {
		return ts
	}
	mapped := make([]types.Type, len(ts))
	for i, t := range ts {
		mapped[i] = m.Type(t)
	}
	return mapped
}

func (m *Mapper) atom(a *Atom) {
	if m.Atom != nil {
		*a = m.Atom(*a)
	}
}

func (m *Mapper) atoms(as []Atom) {
	if m.Atom == nil {
		return
	}
	for i, a := range as {
		as[i] = m.Atom(a)
	}
}

func (m *Mapper) bind(v **Var) {
	if m.Bind != nil {
		*v = m.Bind(*v)
	}
}

func (m *Mapper) binds(vs []*Var) {
	if m.Bind == nil {
		return
	}
	for i, v := range vs {
		vs[i] = m.Bind(v)
	}
}

func (m *Mapper) block(b **Block) {
	if m.Block != nil {
		*b = m.Block(*b)
	}
}
