package core

import "github.com/fluxion-lang/fluxion/internal/types"

// Parts are visitors of the immediate parts of an operation, in the order of
// the scopes: an operation's atoms, then what it binds, then the blocks that
// see the bindings. A nil visitor skips its parts.
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

// Walk calls f on every statement of a block and of the blocks nested in it,
// an operation before its parts.
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

// Atoms calls f on every atom that a block uses, nested blocks included.
func Atoms(b *Block, f func(Atom)) {
	parts := Parts{Atom: f, Block: func(inner *Block) { Atoms(inner, f) }}
	for _, s := range b.Stmts {
		visitStmt(s, &parts)
	}
	f(b.Result)
}

// OpAtoms calls f on every atom that an operation uses, nested blocks
// included.
func OpAtoms(op Op, f func(Atom)) {
	parts := Parts{Atom: f, Block: func(inner *Block) { Atoms(inner, f) }}
	parts.Visit(op)
}

// Binders calls f on every variable that a block binds, nested blocks
// included.
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

// FreeVars lists the variables that a block uses and does not bind, in the
// order of their first uses. It relies on no variable being bound twice.
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

// Size counts the operations of a block, nested blocks included: the measure
// that limits on growth use.
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

// Size counts the operations of all definitions.
func (p *Program) Size() int {
	n := 0
	p.EachDef(func(d *Def) { n += 1 + d.Body.Size() })
	return n
}

// EachDef calls f on every definition and at last on Main.
func (p *Program) EachDef(f func(*Def)) {
	for _, d := range p.Defs {
		f(d)
	}
	if p.Main != nil {
		f(p.Main)
	}
}

// Mapper rebuilds operations from mapped parts. A nil function keeps its
// parts as they are.
type Mapper struct {
	Type  func(types.Type) types.Type
	Atom  func(Atom) Atom
	Bind  func(*Var) *Var // called before Block on the blocks that see it
	Block func(*Block) *Block
}

// Op gives a new operation whose parts are mapped; op itself is unchanged.
func (m *Mapper) Op(op Op) Op {
	switch op := op.(type) {
	case *Prim:
		return &Prim{Prim: op.Prim, Inst: m.types(op.Inst), Args: m.atoms(op.Args)}
	case *Lambda:
		return m.Lambda(op)
	case *Apply:
		return &Apply{Fun: m.atom(op.Fun), Args: m.atoms(op.Args)}
	case *Tuple:
		return &Tuple{Elems: m.atoms(op.Elems)}
	case *Proj:
		return &Proj{Of: m.atom(op.Of), Index: op.Index}
	case *Record:
		return &Record{Ty: m.ty(op.Ty).(*types.Record), Elems: m.atoms(op.Elems)}
	case *Field:
		return &Field{Of: m.atom(op.Of), Index: op.Index}
	case *Construct:
		return &Construct{Con: op.Con, Ty: m.ty(op.Ty).(*types.Data), Args: m.atoms(op.Args)}
	case *Case:
		c := &Case{Of: m.atom(op.Of), Arms: make([]Arm, len(op.Arms))}
		for i, arm := range op.Arms {
			vars := m.binds(arm.Vars)
			c.Arms[i] = Arm{Con: arm.Con, Vars: vars, Body: m.block(arm.Body)}
		}
		if op.Default != nil {
			c.Default = m.block(op.Default)
		}
		return c
	case *If:
		cond := m.atom(op.Cond)
		then := m.block(op.Then)
		return &If{Cond: cond, Then: then, Else: m.block(op.Else)}
	case *Array:
		return &Array{Elem: m.ty(op.Elem), Elems: m.atoms(op.Elems)}
	case *Build:
		size, index := m.atom(op.Size), m.bind(op.Index)
		return &Build{Size: size, Index: index, Body: m.block(op.Body)}
	case *Map:
		arrays, params := m.atoms(op.Arrays), m.binds(op.Params)
		return &Map{Params: params, Arrays: arrays, Body: m.block(op.Body)}
	case *Index:
		return &Index{Of: m.atom(op.Of), At: m.atom(op.At)}
	case *Slice:
		return &Slice{Of: m.atom(op.Of), Lo: m.atom(op.Lo), Hi: m.atom(op.Hi)}
	case *Reduce:
		init, array := m.atom(op.Init), m.atom(op.Array)
		acc, elem := m.bind(op.Acc), m.bind(op.Elem)
		return &Reduce{Acc: acc, Elem: elem, Init: init, Array: array, Body: m.block(op.Body)}
	case *Scan:
		init, array := m.atom(op.Init), m.atom(op.Array)
		acc, elem := m.bind(op.Acc), m.bind(op.Elem)
		return &Scan{Acc: acc, Elem: elem, Init: init, Array: array, Body: m.block(op.Body)}
	case *Loop:
		return m.loop(op)
	case *CheckSize:
		return &CheckSize{Name: op.Name, Of: op.Of, Got: m.atom(op.Got), Want: m.atom(op.Want), WantAt: op.WantAt}
	}
	panic("core: unknown operation")
}

// Lambda is Op for a lambda.
func (m *Mapper) Lambda(fun *Lambda) *Lambda {
	params := m.binds(fun.Params)
	return &Lambda{Params: params, Body: m.block(fun.Body)}
}

func (m *Mapper) loop(op *Loop) *Loop {
	loop := &Loop{Init: m.atom(op.Init)}
	switch head := op.Head.(type) {
	case *Range:
		bound := m.atom(head.Bound)
		loop.State = m.bind(op.State)
		loop.Head = &Range{Index: m.bind(head.Index), Bound: bound}
	case *Each:
		array := m.atom(head.Array)
		loop.State = m.bind(op.State)
		loop.Head = &Each{Elem: m.bind(head.Elem), Array: array}
	case *While:
		loop.State = m.bind(op.State)
		loop.Head = &While{Cond: m.block(head.Cond)}
	}
	loop.Body = m.block(op.Body)
	return loop
}

func (m *Mapper) ty(t types.Type) types.Type {
	if m.Type == nil {
		return t
	}
	return m.Type(t)
}

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

func (m *Mapper) atom(a Atom) Atom {
	if m.Atom == nil {
		return a
	}
	return m.Atom(a)
}

func (m *Mapper) atoms(as []Atom) []Atom {
	if m.Atom == nil || len(as) == 0 {
		return as
	}
	mapped := make([]Atom, len(as))
	for i, a := range as {
		mapped[i] = m.Atom(a)
	}
	return mapped
}

func (m *Mapper) bind(v *Var) *Var {
	if m.Bind == nil {
		return v
	}
	return m.Bind(v)
}

func (m *Mapper) binds(vs []*Var) []*Var {
	if m.Bind == nil || len(vs) == 0 {
		return vs
	}
	mapped := make([]*Var, len(vs))
	for i, v := range vs {
		mapped[i] = m.Bind(v)
	}
	return mapped
}

func (m *Mapper) block(b *Block) *Block {
	if m.Block == nil {
		return b
	}
	return m.Block(b)
}
