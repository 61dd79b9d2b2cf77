package diff

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// rep is what a variable of the function is in its translation:
//
//   - of a type without reals: atom, the value itself;
//   - Real: atom, and its tangent;
//   - a tuple or record: parts;
//   - an array or a data type: atom, of type D t; or, if nothing in it varies,
//     perhaps a plain one of type t, which may have been translated before;
//   - a local function: atom, its translation, for calls of it alone.
type rep struct {
	atom    core.Atom
	tangent *adjoint
	parts   []*rep
	plain   bool
	dual    core.Atom // of a plain one: the translation, or nil
	arity   int       // of a function
}

// frame translates one block.
type frame struct {
	d    *dualizer
	e    *emitter
	env  map[*core.Var]*rep // shared by the blocks of a function
	tied core.Atom          // whether a tie has been met so far
}

// nested is a frame for a block inside this one.
func (f *frame) nested() *frame {
	return &frame{d: f.d, e: f.e.nested(), env: f.env, tied: f.tied}
}

// pack makes a value of type D t.
func (f *frame) pack(r *rep, t types.Type) core.Atom {
	switch {
	case r.arity > 0:
		panic(notCovered{f.e.at, "a function value"})
	case r.parts != nil:
		parts := make([]core.Atom, len(r.parts))
		for i, part := range types.Parts(t) {
			parts[i] = f.pack(r.parts[i], part)
		}
		return f.e.assemble(f.d.ty(t), parts)
	case types.Resolve(t) == types.Type(types.Real):
		tangent := core.Atom(realLit(0))
		if r.tangent != nil {
			tangent = r.tangent.leaf
		}
		return f.e.tuple([]core.Atom{r.atom, tangent})
	case r.plain && r.dual != nil:
		return r.dual
	case r.plain:
		return f.d.constant(f.e, r.atom)
	}
	return r.atom
}

// fixed is the rep of a value of type t that does not vary.
func (f *frame) fixed(a core.Atom, t types.Type) *rep {
	if !types.HasReals(t) || types.Resolve(t) == types.Type(types.Real) {
		return &rep{atom: a}
	}
	ts := types.Parts(t)
	if ts == nil {
		return &rep{atom: a, plain: true}
	}
	parts := make([]*rep, len(ts))
	for i := range ts {
		parts[i] = f.fixed(f.e.component(a, i), ts[i])
	}
	return &rep{parts: parts}
}

// element is the rep of an element, in a variable of its type, of an array.
func (f *frame) element(array *rep, x core.Atom, t types.Type) *rep {
	if array.plain {
		return f.fixed(x, t)
	}
	return f.unpack(x, t)
}

// unpack takes a value of type D t apart.
func (f *frame) unpack(a core.Atom, t types.Type) *rep {
	if !types.HasReals(t) {
		return &rep{atom: a}
	}
	if ts := types.Parts(t); ts != nil {
		parts := make([]*rep, len(ts))
		for i := range ts {
			parts[i] = f.unpack(f.e.component(a, i), ts[i])
		}
		return &rep{parts: parts}
	}
	if types.Resolve(t) == types.Type(types.Real) {
		return &rep{atom: f.e.component(a, 0), tangent: &adjoint{leaf: f.e.component(a, 1)}}
	}
	return &rep{atom: a}
}

// of is the translation of an atom.
func (f *frame) of(a core.Atom) *rep {
	switch a := a.(type) {
	case *core.Var:
		return f.env[a]
	case *core.Global:
		r := f.fixed(a, a.Ty)
		if r.plain && !hasData(a.Ty) {
			r.dual = f.d.global(a.Name)
		}
		return r
	}
	return &rep{atom: a}
}

// packed is the translation of an atom as one value.
func (f *frame) packed(a core.Atom) core.Atom { return f.pack(f.of(a), a.Type()) }

// block translates the statements of a block and gives its result.
func (f *frame) block(b *core.Block) *rep {
	f.stmts(b.Stmts)
	return f.of(b.Result)
}

func (f *frame) stmts(stmts []core.Stmt) {
	for _, s := range stmts {
		switch s := s.(type) {
		case *core.Let:
			f.e.at = s.At
			f.env[s.Var] = f.op(s)
		case *core.LetRec:
			f.e.at = s.At
			f.functions(s)
		}
	}
}

// functions translates local functions.
func (f *frame) functions(s *core.LetRec) {
	vars := make([]*core.Var, len(s.Vars))
	for i, v := range s.Vars {
		vars[i] = f.functionVar(v, s.Funs[i])
	}
	funs := make([]*core.Lambda, len(s.Funs))
	for i, fun := range s.Funs {
		funs[i] = f.function(fun)
	}
	f.e.LetRec(vars, funs, s.At)
}

// functionVar is the variable for the translation of a local function.
func (f *frame) functionVar(v *core.Var, fun *core.Lambda) *core.Var {
	dual := core.NewVar(v.Name, f.d.functionType(fun))
	f.env[v] = &rep{atom: dual, arity: len(fun.Params)}
	return dual
}

// function translates a function: it takes translated arguments and, if the
// program has ties, whether there was one so far.
func (f *frame) function(fun *core.Lambda) *core.Lambda {
	inner := f.nested()
	dual := &core.Lambda{}
	for _, x := range fun.Params {
		dual.Params = append(dual.Params, inner.bind(x))
	}
	inner.tied = core.BoolLit(false)
	if f.d.ties {
		tied := core.NewVar("tied", types.Bool)
		dual.Params = append(dual.Params, tied)
		inner.tied = tied
	}
	dual.Body = inner.tail(fun.Body)
	return dual
}

// functionType is the type of the translation of a function.
func (d *dualizer) functionType(fun *core.Lambda) types.Type {
	var params []types.Type
	for _, x := range fun.Params {
		params = append(params, d.ty(x.Ty))
	}
	result := d.ty(fun.Body.Result.Type())
	if d.ties {
		params = append(params, types.Bool)
		result = &types.Tuple{Elems: []types.Type{result, types.Bool}}
	}
	return types.Funs(result, params...)
}

// tail translates the body of a function, whose result is one value: of type
// D t, and whether there was a tie, if the program has any.
func (f *frame) tail(b *core.Block) *core.Block {
	n := len(b.Stmts)
	if n > 0 {
		if last, ok := b.Stmts[n-1].(*core.Let); ok && b.Result == core.Atom(last.Var) {
			switch op := last.Op.(type) {
			case *core.If:
				f.stmts(b.Stmts[:n-1])
				f.e.at = last.At
				cond := f.of(op.Cond).atom
				then := f.nested().tail(op.Then)
				return f.e.Block(f.e.let("t", &core.If{Cond: cond, Then: then, Else: f.nested().tail(op.Else)}))
			case *core.Case:
				f.stmts(b.Stmts[:n-1])
				f.e.at = last.At
				return f.e.Block(f.e.let("t", f.cases(op, (*frame).tail)))
			case *core.Apply:
				f.stmts(b.Stmts[:n-1])
				f.e.at = last.At
				if call := f.call(op); call != nil {
					return f.e.Block(f.e.let("t", call))
				}
				f.stmts(b.Stmts[n-1:])
				return f.e.Block(f.ending(f.of(b.Result), b.Result.Type(), f.d.ties))
			}
		}
	}
	return f.e.Block(f.ending(f.block(b), b.Result.Type(), f.d.ties))
}

// ending is what a translated function or loop hands back.
func (f *frame) ending(r *rep, t types.Type, ties bool) core.Atom {
	value := f.pack(r, t)
	if ties {
		return f.e.tuple([]core.Atom{value, f.tied})
	}
	return value
}

// after takes what was handed back apart.
func (f *frame) after(a core.Atom, t types.Type, ties bool) *rep {
	if ties {
		f.tied = f.e.component(a, 1)
		a = f.e.component(a, 0)
	}
	return f.unpack(a, t)
}

// cases translates a Case whose arms are translated by arm.
func (f *frame) cases(op *core.Case, arm func(*frame, *core.Block) *core.Block) *core.Case {
	of := f.of(op.Of)
	dual := &core.Case{Of: of.atom}
	decl := types.Resolve(op.Of.Type()).(*types.Data).Decl
	if !of.plain {
		decl = f.d.decl(decl)
	}
	for _, a := range op.Arms {
		inner := f.nested()
		fields := make([]*core.Var, len(a.Vars))
		for i, x := range a.Vars {
			fields[i] = inner.bindElement(of, x)
		}
		dual.Arms = append(dual.Arms, core.Arm{Con: decl.Cons[a.Con.Tag], Vars: fields, Body: arm(inner, a.Body)})
	}
	if op.Default != nil {
		dual.Default = arm(f.nested(), op.Default)
	}
	return dual
}

// call translates a call; nil if it is one of a definition that has nothing
// to do with reals.
func (f *frame) call(op *core.Apply) *core.Apply {
	dual := &core.Apply{}
	switch fun := op.Fun.(type) {
	case *core.Global:
		def := f.d.defs[fun.Name]
		if def == nil || def.Function() == nil || len(def.Function().Params) != len(op.Args) {
			panic(notCovered{f.e.at, "a partial application"})
		}
		if !f.d.aboutReals(def) {
			return nil
		}
		dual.Fun = f.d.global(fun.Name)
	case *core.Var:
		r := f.env[fun]
		if r.arity != len(op.Args) {
			panic(notCovered{f.e.at, "a call of a function value"})
		}
		dual.Fun = r.atom
	}
	for _, a := range op.Args {
		dual.Args = append(dual.Args, f.packed(a))
	}
	if f.d.ties {
		dual.Args = append(dual.Args, f.tied)
	}
	return dual
}

// aboutReals tells whether a function takes or gives reals.
func (d *dualizer) aboutReals(def *core.Def) bool {
	fun := def.Function()
	for _, p := range fun.Params {
		if types.HasReals(p.Ty) {
			return true
		}
	}
	return types.HasReals(fun.Body.Result.Type())
}

// choice translates an If.
func (f *frame) choice(op *core.If) *rep {
	then, otherwise := f.nested(), f.nested()
	t, o := then.block(op.Then), otherwise.block(op.Else)
	m := &merger{cond: f.of(op.Cond).atom, e: f.e, then: then.e, otherwise: otherwise.e}
	ty := op.Then.Result.Type()
	joined := m.reps(then.level(t, o, ty), otherwise.level(o, t, ty), ty)
	f.tied = m.result(then.tied, otherwise.tied)
	m.emit()
	return joined
}

// level translates the plain parts of a rep where those of another are not.
func (f *frame) level(r, other *rep, t types.Type) *rep {
	if r.parts != nil {
		parts := make([]*rep, len(r.parts))
		for i, part := range types.Parts(t) {
			parts[i] = f.level(r.parts[i], other.parts[i], part)
		}
		return &rep{parts: parts}
	}
	if r.plain && !other.plain {
		return &rep{atom: f.pack(r, t)}
	}
	return r
}

// reps joins the translations of the results of two sides.
func (m *merger) reps(t, f *rep, ty types.Type) *rep {
	if t.parts != nil {
		parts := make([]*rep, len(t.parts))
		for i, part := range types.Parts(ty) {
			parts[i] = m.reps(t.parts[i], f.parts[i], part)
		}
		return &rep{parts: parts}
	}
	return &rep{atom: m.result(t.atom, f.atom), tangent: m.merge(t.tangent, f.tangent, nil, types.Real), plain: t.plain}
}
