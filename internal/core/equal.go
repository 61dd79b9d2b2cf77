package core

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/types"
)

// Equal reports whether two programs have the same structure. It ignores the names of local
// variables and type parameters, spans, and the sizes in types. Data types of different programs
// are equal if their qualified names and declarations are.
func Equal(p, q *Program) bool {
	e := &comparer{vars: map[*Var]*Var{}, params: map[*types.Param]*types.Param{},
		datas: map[*types.DataDecl]*types.DataDecl{}}
	return slices.EqualFunc(p.Datas, q.Datas, e.data) && slices.EqualFunc(p.Defs, q.Defs, e.def) &&
		(p.Main == nil) == (q.Main == nil) && (p.Main == nil || e.def(p.Main, q.Main))
}

// comparer pairs the binders of two programs as it meets them.
type comparer struct {
	vars   map[*Var]*Var
	params map[*types.Param]*types.Param
	datas  map[*types.DataDecl]*types.DataDecl
}

func (e *comparer) bindParams(ps, qs []*types.Param) bool {
	return slices.EqualFunc(ps, qs, func(p, q *types.Param) bool {
		e.params[p] = q
		return p.Classes == q.Classes
	})
}

func (e *comparer) data(d, f *types.DataDecl) bool {
	if paired, ok := e.datas[d]; ok {
		return paired == f
	}
	e.datas[d] = f
	return d.QName() == f.QName() && e.bindParams(d.Params, f.Params) &&
		slices.EqualFunc(d.Cons, f.Cons, func(c, k *types.Con) bool {
			return c.Name == k.Name && c.Tag == k.Tag && e.types(c.Fields, k.Fields)
		})
}

func (e *comparer) types(ts, us []types.Type) bool { return slices.EqualFunc(ts, us, e.ty) }

func (e *comparer) ty(t, u types.Type) bool {
	t, u = types.Resolve(t), types.Resolve(u)
	switch t := t.(type) {
	case *types.Param:
		return e.params[t] == u
	case *types.Fun:
		u, ok := u.(*types.Fun)
		return ok && e.ty(t.Param, u.Param) && e.ty(t.Result, u.Result)
	case *types.Tuple:
		u, ok := u.(*types.Tuple)
		return ok && e.types(t.Elems, u.Elems)
	case *types.Record:
		u, ok := u.(*types.Record)
		return ok && slices.EqualFunc(t.Fields, u.Fields, func(f, g types.Field) bool {
			return f.Name == g.Name && e.ty(f.Type, g.Type)
		})
	case *types.Array:
		u, ok := u.(*types.Array)
		return ok && e.ty(t.Elem, u.Elem)
	case *types.Data:
		u, ok := u.(*types.Data)
		return ok && e.data(t.Decl, u.Decl) && e.types(t.Args, u.Args)
	}
	return t == u
}

func (e *comparer) def(d, f *Def) bool {
	return d.Name == f.Name && e.bindParams(d.Params, f.Params) && e.ty(d.Type, f.Type) &&
		e.block(d.Body, f.Body)
}

func (e *comparer) bind(v, w *Var) bool {
	e.vars[v] = w
	return e.ty(v.Ty, w.Ty)
}

func (e *comparer) binds(vs, ws []*Var) bool { return slices.EqualFunc(vs, ws, e.bind) }

func (e *comparer) block(b, c *Block) bool {
	return slices.EqualFunc(b.Stmts, c.Stmts, e.stmt) && e.atom(b.Result, c.Result)
}

func (e *comparer) stmt(s, t Stmt) bool {
	switch s := s.(type) {
	case *Let:
		t, ok := t.(*Let)
		return ok && e.op(s.Op, t.Op) && e.bind(s.Var, t.Var)
	case *LetRec:
		t, ok := t.(*LetRec)
		return ok && e.binds(s.Vars, t.Vars) && slices.EqualFunc(s.Funs, t.Funs,
			func(f, g *Lambda) bool {
				return e.op(f, g)
			})
	}
	return false
}

func (e *comparer) atoms(as, bs []Atom) bool { return slices.EqualFunc(as, bs, e.atom) }

func (e *comparer) atom(a, b Atom) bool {
	switch a := a.(type) {
	case *Var:
		w, ok := b.(*Var)
		return ok && e.vars[a] == w
	case *Lit:
		l, ok := b.(*Lit)
		if ok && isParam(a.Ty) && isParam(l.Ty) {
			return e.ty(a.Ty, l.Ty) && a.Int == l.Int
		}
		return ok && SameLit(a, l)
	case *Global:
		g, ok := b.(*Global)
		return ok && a.Name == g.Name && e.types(a.Inst, g.Inst) && e.ty(a.Ty, g.Ty)
	}
	return false
}

func isParam(t types.Type) bool {
	_, ok := t.(*types.Param)
	return ok
}

// SameLit reports whether two literals are the same value of the same type.
func SameLit(a, b *Lit) bool {
	if !types.Equal(a.Ty, b.Ty) {
		return false
	}
	switch a.Ty {
	case types.Real:
		return a.Real.Cmp(b.Real) == 0
	case types.Int:
		return a.Int == b.Int
	case types.Bool:
		return a.Bool == b.Bool
	case types.String:
		return a.Str == b.Str && a.Data == b.Data
	}
	return a.Int == b.Int // an overloaded literal, or unit
}

func (e *comparer) op(o, p Op) bool {
	switch o := o.(type) {
	case *Prim:
		p, ok := p.(*Prim)
		return ok && o.Prim == p.Prim && e.types(o.Inst, p.Inst) && e.atoms(o.Args, p.Args)
	case *Lambda:
		p, ok := p.(*Lambda)
		return ok && e.binds(o.Params, p.Params) && e.block(o.Body, p.Body)
	case *Apply:
		p, ok := p.(*Apply)
		return ok && e.atom(o.Fun, p.Fun) && e.atoms(o.Args, p.Args)
	case *Tuple:
		p, ok := p.(*Tuple)
		return ok && e.atoms(o.Elems, p.Elems)
	case *Proj:
		p, ok := p.(*Proj)
		return ok && o.Index == p.Index && e.atom(o.Of, p.Of)
	case *Record:
		p, ok := p.(*Record)
		return ok && e.ty(o.Ty, p.Ty) && e.atoms(o.Elems, p.Elems)
	case *Field:
		p, ok := p.(*Field)
		return ok && o.Index == p.Index && e.atom(o.Of, p.Of)
	case *Construct:
		p, ok := p.(*Construct)
		return ok && e.ty(o.Ty, p.Ty) && o.Con.Name == p.Con.Name && e.atoms(o.Args, p.Args)
	case *Case:
		p, ok := p.(*Case)
		return ok && e.atom(o.Of, p.Of) && slices.EqualFunc(o.Arms, p.Arms, func(a, b Arm) bool {
			return a.Con.Name == b.Con.Name && e.binds(a.Vars, b.Vars) && e.block(a.Body, b.Body)
		}) && (o.Default == nil) == (p.Default == nil) &&
			(o.Default == nil || e.block(o.Default, p.Default))
	case *If:
		p, ok := p.(*If)
		return ok && e.atom(o.Cond, p.Cond) && e.block(o.Then, p.Then) && e.block(o.Else, p.Else)
	case *Array:
		p, ok := p.(*Array)
		return ok && e.ty(o.Elem, p.Elem) && e.atoms(o.Elems, p.Elems)
	case *Build:
		p, ok := p.(*Build)
		return ok && e.atom(o.Size, p.Size) && e.bind(o.Index, p.Index) && e.block(o.Body, p.Body)
	case *Map:
		p, ok := p.(*Map)
		return ok && e.atoms(o.Arrays, p.Arrays) && e.binds(o.Params, p.Params) &&
			e.block(o.Body, p.Body)
	case *Index:
		p, ok := p.(*Index)
		return ok && e.atom(o.Of, p.Of) && e.atom(o.At, p.At)
	case *Slice:
		p, ok := p.(*Slice)
		return ok && e.atom(o.Of, p.Of) && e.atom(o.Lo, p.Lo) && e.atom(o.Hi, p.Hi)
	case *Reduce:
		p, ok := p.(*Reduce)
		return ok && e.atom(o.Init, p.Init) && e.atom(o.Array, p.Array) &&
			e.bind(o.Acc, p.Acc) && e.bind(o.Elem, p.Elem) && e.block(o.Body, p.Body)
	case *Scan:
		p, ok := p.(*Scan)
		return ok && e.atom(o.Init, p.Init) && e.atom(o.Array, p.Array) &&
			e.bind(o.Acc, p.Acc) && e.bind(o.Elem, p.Elem) && e.block(o.Body, p.Body)
	case *Loop:
		p, ok := p.(*Loop)
		return ok && e.atom(o.Init, p.Init) && e.bind(o.State, p.State) && e.head(o.Head, p.Head) &&
			e.block(o.Body, p.Body)
	case *CheckSize:
		p, ok := p.(*CheckSize)
		return ok && o.Name == p.Name && o.Of == p.Of && e.atom(o.Got, p.Got) &&
			e.atom(o.Want, p.Want)
	}
	return false
}

func (e *comparer) head(h, i Head) bool {
	switch h := h.(type) {
	case *Range:
		i, ok := i.(*Range)
		return ok && e.atom(h.Bound, i.Bound) && e.bind(h.Index, i.Index)
	case *Each:
		i, ok := i.(*Each)
		return ok && e.atom(h.Array, i.Array) && e.bind(h.Elem, i.Elem)
	case *While:
		i, ok := i.(*While)
		return ok && e.block(h.Cond, i.Cond)
	}
	return false
}
