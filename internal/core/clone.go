package core

import "github.com/fluxion-lang/fluxion/internal/diag"

// Copier copies core with fresh variables for all that it binds, so that no
// variable is ever bound twice, and with a substitution for free ones. The
// substitution grows as binders are copied.
type Copier struct {
	Subst map[*Var]Atom
	Defs  map[string]Atom           // what takes the place of definitions
	At    func(diag.Span) diag.Span // the place of a copied statement; nil keeps it
	m     Mapper
}

// NewCopier makes a copier that replaces variables as subst says; it may be
// nil, and is extended otherwise.
func NewCopier(subst map[*Var]Atom) *Copier {
	if subst == nil {
		subst = map[*Var]Atom{}
	}
	c := &Copier{Subst: subst}
	c.m = Mapper{Atom: c.Atom, Bind: c.Bind, Block: c.Block}
	return c
}

// Atom returns what an atom becomes.
func (c *Copier) Atom(a Atom) Atom {
	if v, ok := a.(*Var); ok {
		if by, ok := c.Subst[v]; ok {
			return by
		}
	}
	if g, ok := a.(*Global); ok {
		if by, ok := c.Defs[g.Name]; ok {
			return by
		}
	}
	return a
}

// Bind makes the fresh variable of a binder.
func (c *Copier) Bind(v *Var) *Var {
	fresh := NewVar(v.Name, v.Ty)
	c.Subst[v] = fresh
	return fresh
}

// Op copies an operation.
func (c *Copier) Op(op Op) Op { return c.m.Op(op) }

// Lambda copies a function.
func (c *Copier) Lambda(fun *Lambda) *Lambda { return c.m.Lambda(fun) }

// Block copies a block.
func (c *Copier) Block(b *Block) *Block {
	stmts := make([]Stmt, len(b.Stmts))
	for i, s := range b.Stmts {
		stmts[i] = c.stmt(s)
	}
	return &Block{Stmts: stmts, Result: c.Atom(b.Result)}
}

func (c *Copier) stmt(s Stmt) Stmt {
	switch s := s.(type) {
	case *Let:
		op := c.Op(s.Op)
		let := FreshLet(s.Var.Name, s.Var.Ty, op, c.place(s.At))
		c.Subst[s.Var] = let.Var
		return let
	case *LetRec:
		rec := &LetRec{Vars: make([]*Var, len(s.Vars)), Funs: make([]*Lambda, len(s.Funs)), At: c.place(s.At)}
		for i, v := range s.Vars {
			rec.Vars[i] = c.Bind(v)
		}
		for i, fun := range s.Funs {
			rec.Funs[i] = c.Lambda(fun)
		}
		return rec
	}
	panic("core: unknown statement")
}

func (c *Copier) place(at diag.Span) diag.Span {
	if c.At == nil {
		return at
	}
	return c.At(at)
}

// Clone copies a block with fresh variables, replacing free ones as subst
// (which may be nil, and is not changed) says.
func Clone(b *Block, subst map[*Var]Atom) *Block {
	own := make(map[*Var]Atom, len(subst))
	for v, by := range subst {
		own[v] = by
	}
	return NewCopier(own).Block(b)
}
