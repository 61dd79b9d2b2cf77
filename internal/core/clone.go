package core

import "github.com/fluxion-lang/fluxion/internal/diag"

// Copier copies core. It makes fresh variables for everything that the core binds, so that no
// variable is bound twice. It substitutes free variables. The substitution grows as binders are
// copied.
type Copier struct {
	Subst map[*Var]Atom
	Defs  map[string]Atom           // replacements of definitions
	At    func(diag.Span) diag.Span // the place of a copied statement; nil keeps it
	m     Mapper
}

// NewCopier returns a copier that replaces variables by subst, which it extends. subst may be
// nil.
func NewCopier(subst map[*Var]Atom) *Copier {
	if subst == nil {
		subst = map[*Var]Atom{}
	}
	c := &Copier{Subst: subst}
	c.m = Mapper{Atom: c.Atom, Bind: c.Bind, Block: c.Block}
	return c
}

// Atom returns the copy of an atom.
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

// Bind returns the fresh variable for a binder.
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
		rec := &LetRec{Vars: make([]*Var, len(s.Vars)), Funs: make([]*Lambda, len(s.Funs)),
			At: c.place(s.At)}
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

// Clone copies a block with fresh variables, replacing free ones by subst. subst may be nil, and
// is not changed.
func Clone(b *Block, subst map[*Var]Atom) *Block {
	own := make(map[*Var]Atom, len(subst))
	for v, by := range subst {
		own[v] = by
	}
	return NewCopier(own).Block(b)
}
