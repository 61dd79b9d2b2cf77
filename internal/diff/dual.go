package diff

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/opt"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Dual numbers]
//
// The translation D of a type puts a tangent beside each real: D Real is
// (Real, Real), and tuples, records, arrays and data types are translated
// part by part. A value of type D t crosses the boundaries of functions,
// loops, arrays and constructors. Between them a real is two atoms, of which
// the tangent may be the structural zero (rep), so that constants cost
// nothing.
//
// Ties. At a kink of max, min or abs the tangent becomes NaN unless all that
// could be chosen agrees: then it reaches the result just if it matters. A
// comparison, or a rounding, has no tangent to carry the news. If the program
// has any, of reals that may vary, a Bool that tells whether one was at a tie
// is handed to every function, and handed back beside the result. It is an
// accumulator and not or-ed together afterwards, so that calls in tail
// position stay there.

// dualizer translates a function and the definitions that it calls.
type dualizer struct {
	defs  map[string]*core.Def // of the program given
	done  map[string]*core.Def // translated, by their old names
	datas map[*types.DataDecl]*types.DataDecl
	out   *core.Program
	ties  bool // whether there is a comparison or rounding of reals
	vars  map[*core.Var]core.Op
}

func newDualizer(p *core.Program) *dualizer {
	d := &dualizer{defs: map[string]*core.Def{}, done: map[string]*core.Def{}, datas: map[*types.DataDecl]*types.DataDecl{},
		out: &core.Program{Datas: slices.Clone(p.Datas)}, vars: map[*core.Var]core.Op{}}
	for _, def := range p.Defs {
		if def.Name == ForwardName {
			continue // of another translation, which nothing calls
		}
		d.defs[def.Name] = def
		d.out.Defs = append(d.out.Defs, def)
	}
	return d
}

// program translates fun, and simplifies what comes of it.
func (d *dualizer) program(fun *core.Lambda, varying []bool) *core.Program {
	fun = core.NewCopier(nil).Lambda(fun)
	d.ties = d.reachesTies(fun.Body, map[string]bool{})
	f := d.frame()
	f.tied = core.BoolLit(false)
	params := fun.Params
	for i, x := range fun.Params {
		dx := core.NewVar("d"+x.Name, types.Unit)
		params = append(params, dx)
		switch {
		case varying != nil && !varying[i]:
			f.env[x] = f.fixed(x, x.Ty)
			if f.env[x].plain && !hasData(x.Ty) {
				f.env[x].dual = d.constant(f.e, x) // once, if it is needed at all
			}
		case types.HasReals(x.Ty):
			dx.Ty = unsized(x.Ty)
			f.env[x] = f.unpack(d.zip(f.e, x, dx), x.Ty)
		default:
			f.env[x] = &rep{atom: x}
		}
	}
	ty := fun.Body.Result.Type()
	packed := f.pack(f.block(fun.Body), ty)
	value, tangent := packed, core.Atom(core.UnitLit())
	if types.HasReals(ty) {
		value, tangent = d.part(f.e, packed, ty, 0), d.part(f.e, packed, ty, 1)
	}
	result := f.e.tuple([]core.Atom{value, tangent, f.tied})
	dual := &core.Lambda{Params: params, Body: f.e.Block(result)}
	d.out.Defs = append(d.out.Defs, core.FunDef(ForwardName, nil, dual, diag.Span{}))
	return reached(opt.Simplify(reached(d.out), opt.Options{Roots: []string{ForwardName}}))
}

// reached keeps the definitions that ForwardName needs.
func reached(p *core.Program) *core.Program {
	defs := make(map[string]*core.Def, len(p.Defs))
	for _, def := range p.Defs {
		defs[def.Name] = def
	}
	needed := map[string]bool{ForwardName: true}
	for queue := []string{ForwardName}; len(queue) > 0; queue = queue[1:] {
		core.Atoms(defs[queue[0]].Body, func(a core.Atom) {
			if g, ok := a.(*core.Global); ok && !needed[g.Name] && defs[g.Name] != nil {
				needed[g.Name] = true
				queue = append(queue, g.Name)
			}
		})
	}
	kept := &core.Program{Datas: p.Datas}
	for _, def := range p.Defs {
		if needed[def.Name] {
			kept.Defs = append(kept.Defs, def)
		}
	}
	return kept
}

func (d *dualizer) frame() *frame {
	return &frame{d: d, e: &emitter{defs: d.vars}, env: map[*core.Var]*rep{}}
}

// reachesTies tells whether a block or what it calls compares or rounds reals.
func (d *dualizer) reachesTies(b *core.Block, seen map[string]bool) bool {
	found := false
	core.Walk(b, func(s core.Stmt) {
		if let, ok := s.(*core.Let); ok {
			if p, ok := let.Op.(*core.Prim); ok && maySignal(p) {
				found = true
			}
		}
	})
	core.Atoms(b, func(a core.Atom) {
		g, ok := a.(*core.Global)
		if !ok || found || seen[g.Name] || d.defs[g.Name] == nil {
			return
		}
		seen[g.Name] = true
		found = d.reachesTies(d.defs[g.Name].Body, seen)
	})
	return found
}

// maySignal tells whether a primitive has jumps, on reals.
func maySignal(p *core.Prim) bool {
	if k := p.Prim.KinkKind; k != prim.JumpKink && k != prim.TieKink {
		return false
	}
	for _, a := range p.Args {
		if a.Type() == types.Type(types.Real) {
			return true
		}
	}
	return false
}

// ---- types

// ty is D of a type.
func (d *dualizer) ty(t types.Type) types.Type {
	t = types.Resolve(t)
	if !types.HasReals(t) {
		if _, ok := t.(*types.Fun); ok {
			panic(notCovered{diag.Span{}, "a function value"})
		}
		return t
	}
	switch t := t.(type) {
	case *types.Basic:
		return &types.Tuple{Elems: []types.Type{types.Real, types.Real}}
	case *types.Data:
		return d.data(t)
	case *types.Fun:
		panic(notCovered{diag.Span{}, "a function value"})
	}
	return types.Map(t, d.ty)
}

// data translates a data type. A declaration that speaks of reals itself, not
// only through its parameters, needs one of its own.
func (d *dualizer) data(t *types.Data) types.Type {
	args := make([]types.Type, len(t.Args))
	for i, a := range t.Args {
		args[i] = d.ty(a)
	}
	return &types.Data{Decl: d.decl(t.Decl), Args: args}
}

func (d *dualizer) decl(decl *types.DataDecl) *types.DataDecl {
	if done := d.datas[decl]; done != nil {
		return done
	}
	params := make([]types.Type, len(decl.Params))
	for i, p := range decl.Params {
		params[i] = p
	}
	if !types.HasReals(&types.Data{Decl: decl, Args: params}) {
		d.datas[decl] = decl
		return decl
	}
	dual := &types.DataDecl{Module: decl.Module, Name: decl.Name + "'", Params: decl.Params}
	d.datas[decl] = dual
	for tag, con := range decl.Cons {
		fields := make([]types.Type, len(con.Fields))
		for i, f := range con.Fields {
			fields[i] = d.ty(f)
		}
		dual.Cons = append(dual.Cons, &types.Con{Data: dual, Name: con.Name, Tag: tag, Fields: fields})
	}
	d.out.Datas = append(d.out.Datas, dual)
	return dual
}

// ---- values at the boundary

// zip makes a value of type D t of a value of type t and its tangent.
func (d *dualizer) zip(e *emitter, x, dx core.Atom) core.Atom {
	t := types.Resolve(x.Type())
	if !types.HasReals(t) {
		return x
	}
	switch t.(type) {
	case *types.Basic:
		return e.tuple([]core.Atom{x, dx})
	case *types.Tuple, *types.Record:
		parts := make([]core.Atom, len(types.Parts(t)))
		for i := range parts {
			parts[i] = d.zip(e, e.component(x, i), e.component(dx, i))
		}
		return e.assemble(d.ty(t), parts)
	case *types.Array:
		return e.mapAll([]core.Atom{x, dx}, func(e *emitter, x []core.Atom) core.Atom { return d.zip(e, x[0], x[1]) })
	}
	panic(notCovered{e.at, "an argument of a data type with reals"})
}

// part takes the values (which = 0) or the tangents (1) out of a value of type
// D t.
func (d *dualizer) part(e *emitter, x core.Atom, t types.Type, which int) core.Atom {
	t = types.Resolve(t)
	if !types.HasReals(t) {
		return x
	}
	switch t := t.(type) {
	case *types.Basic:
		return e.component(x, which)
	case *types.Tuple, *types.Record:
		ts := types.Parts(t)
		parts := make([]core.Atom, len(ts))
		for i := range parts {
			parts[i] = d.part(e, e.component(x, i), ts[i], which)
		}
		return e.assemble(t, parts)
	case *types.Array:
		return e.mapOne(x, func(e *emitter, x core.Atom) core.Atom { return d.part(e, x, t.Elem, which) })
	}
	panic(notCovered{e.at, "a result of a data type with reals"})
}

// hasData tells whether values of a type have parts of data types.
func hasData(t types.Type) bool {
	_, found := types.Resolve(t).(*types.Data)
	types.Map(t, func(part types.Type) types.Type {
		found = found || hasData(part)
		return part
	})
	return found
}

// constant makes a value of type D t of one that does not vary.
func (d *dualizer) constant(e *emitter, x core.Atom) core.Atom {
	t := types.Resolve(x.Type())
	if !types.HasReals(t) {
		return x
	}
	switch t.(type) {
	case *types.Basic:
		return e.tuple([]core.Atom{x, realLit(0)})
	case *types.Tuple, *types.Record:
		parts := make([]core.Atom, len(types.Parts(t)))
		for i := range parts {
			parts[i] = d.constant(e, e.component(x, i))
		}
		return e.assemble(d.ty(t), parts)
	case *types.Array:
		return e.mapOne(x, func(e *emitter, x core.Atom) core.Atom { return d.constant(e, x) })
	}
	panic(notCovered{e.at, "a constant of a data type with reals"})
}

// ---- definitions

// global is a use of the translation of a definition.
func (d *dualizer) global(name string) *core.Global {
	if done := d.done[name]; done != nil {
		return done.Use()
	}
	def := d.defs[name]
	if def == nil {
		panic(notCovered{diag.Span{}, "a definition that is not at hand"})
	}
	dual := &core.Def{Name: name + "'", At: def.At}
	for d.defs[dual.Name] != nil {
		dual.Name += "'"
	}
	d.done[name] = dual
	f := d.frame()
	f.e.at = def.At
	fun := def.Function()
	if fun == nil {
		dual.Type = d.ty(def.Type)
		dual.Body = f.e.Block(d.constant(f.e, def.Use()))
	} else {
		fun = core.NewCopier(nil).Lambda(fun)
		dual.Type = d.functionType(fun) // before the body, which may call it
		dual.Body = core.FunDef(dual.Name, nil, f.function(fun), dual.At).Body
	}
	d.out.Defs = append(d.out.Defs, dual)
	return dual.Use()
}
