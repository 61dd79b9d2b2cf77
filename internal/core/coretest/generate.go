package coretest

import (
	"fmt"
	"math/big"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Source makes the choices of Generate: a number from 0 to n-1. Smaller
// numbers stand for simpler programs, so that a source that shrinks its
// choices shrinks the program.
type Source interface{ Intn(n int) int }

// Generate makes a well-typed monomorphic program that terminates: its recursion and its loops
// count down, and its definitions call only earlier ones. It may fail at run time. Every
// statement has a span of its own, so that the place of an error identifies the statement. The
// type of Main contains no function.
func Generate(src Source) *core.Program { return generate(src, false) }

// GenerateDerivatives does the same as Generate, with derivatives inside the programs, nested in
// any way.
func GenerateDerivatives(src Source) *core.Program { return generate(src, true) }

func generate(src Source, derivatives bool) *core.Program {
	file := diag.NewFile("generated", string(make([]byte, 1<<16)))
	g := &generator{src: src, datas: declare(), file: file, fuel: 30 + src.Intn(120),
		derivatives: derivatives}
	p := &core.Program{Datas: g.datas}
	for i := src.Intn(4); i > 0; i-- {
		d := g.def(fmt.Sprintf("f%d", len(p.Defs)))
		p.Defs = append(p.Defs, d)
		g.defs = append(g.defs, d)
	}
	g.fuel += 20
	ty := g.typ(2, false)
	p.Main = &core.Def{Name: "main", Type: ty, Body: g.block(3, ty)}
	return p
}

// declare makes the data types that programs use: one without fields, one with a parameter, and a
// recursive one.
func declare() []*types.DataDecl {
	a := &types.Param{Name: "a"}
	color := &types.DataDecl{Name: "Color"}
	option := &types.DataDecl{Name: "Option", Params: []*types.Param{a}}
	list := &types.DataDecl{Module: "list", Name: "Ints"}
	con := func(d *types.DataDecl, name string, fields ...types.Type) {
		d.Cons = append(d.Cons, &types.Con{Data: d, Name: name, Tag: len(d.Cons), Fields: fields})
	}
	con(color, "Red")
	con(color, "Green")
	con(color, "Blue")
	con(option, "None")
	con(option, "Some", a)
	con(list, "Nil")
	con(list, "Cons", types.Int, &types.Data{Decl: list})
	return []*types.DataDecl{color, option, list}
}

type generator struct {
	src   Source
	datas []*types.DataDecl
	defs  []*core.Def
	scope []*core.Var
	fuel  int // operations that may still be made

	derivatives bool // inside the programs
	file        *diag.File
	spans       int32
}

func (g *generator) chance(percent int) bool { return g.src.Intn(100) >= 100-percent }

func pick[T any](g *generator, from ...T) T { return from[g.src.Intn(len(from))] }

func (g *generator) at() diag.Span {
	g.spans = (g.spans + 1) % (1 << 15)
	return diag.Span{File: g.file, Start: g.spans, End: g.spans + 1}
}

// typ makes a type of at most depth levels.
func (g *generator) typ(depth int, functions bool) types.Type {
	basic := []types.Type{types.Int, types.Real, types.Bool, types.String, types.Unit}
	if depth == 0 {
		return pick(g, basic...)
	}
	sub := func() types.Type { return g.typ(depth-1, functions) }
	n := 9
	if functions {
		n = 10
	}
	switch g.src.Intn(n) {
	case 4:
		return &types.Tuple{Elems: []types.Type{sub(), sub()}}
	case 5:
		return &types.Record{Fields: []types.Field{{Name: "x", Type: sub()},
			{Name: "y", Type: sub()}}}
	case 6, 7:
		return &types.Array{Size: types.AnySize, Elem: sub()}
	case 8:
		d := pick(g, g.datas...)
		if len(d.Params) > 0 {
			return &types.Data{Decl: d, Args: []types.Type{sub()}}
		}
		return &types.Data{Decl: d}
	case 9:
		return types.Funs(sub(), sub())
	}
	return pick(g, basic...)
}

// def makes a constant that cannot fail, a function, or a recursive function
// whose first argument counts down.
func (g *generator) def(name string) *core.Def {
	g.scope = nil
	switch g.src.Intn(4) {
	case 0:
		ty := g.typ(1, false)
		fuel := g.fuel
		g.fuel = 0 // only literals and constructions
		body := g.block(0, ty)
		g.fuel = fuel
		return &core.Def{Name: name, Type: ty, Body: body}
	case 1:
		return g.recursive(name)
	}
	params := []*core.Var{core.NewVar("p", g.typ(2, true))}
	if g.chance(50) {
		params = append(params, core.NewVar("q", g.typ(1, true)))
	}
	fun := g.lambda(params, g.typ(1, g.chance(20)), 3)
	return core.FunDef(name, nil, fun, g.at())
}

// recursive makes fun (n : Int) (acc : t) -> if n <= 0 then acc else f (n - 1) (… acc …).
func (g *generator) recursive(name string) *core.Def {
	ty := g.typ(1, false)
	d := &core.Def{Name: name, Type: types.Funs(ty, types.Int, ty), At: g.at()}
	fun := g.countdown(ty, d.Use())
	var b core.Builder
	d.Body = b.Block(b.Let("f", d.Type, fun, g.at()))
	return d
}

func (g *generator) countdown(ty types.Type, self core.Atom) *core.Lambda {
	n, acc := core.NewVar("n", types.Int), core.NewVar("acc", ty)
	var out, again core.Builder
	small := out.Let("small", types.Bool, g.prim("<=", n, core.IntLit(0)), g.at())
	outer := g.scope
	g.scope = append(g.scope[:len(g.scope):len(g.scope)], n, acc)
	// A count that is large by accident must not take forever.
	many := again.Let("many", types.Int, g.prim("min", n, core.IntLit(4)), g.at())
	less := again.Let("less", types.Int, g.prim("-", many, core.IntLit(1)), g.at())
	next := g.make(&again, 2, ty)
	g.scope = outer
	r := again.Let("r", ty, &core.Apply{Fun: self, Args: []core.Atom{less, next}}, g.at())
	result := out.Let("r", ty, &core.If{Cond: small, Then: core.Ret(acc), Else: again.Block(r)},
		g.at())
	return &core.Lambda{Params: []*core.Var{n, acc}, Body: out.Block(result)}
}

func (g *generator) prim(name string, args ...core.Atom) *core.Prim {
	row := prim.Lookup(name)
	op := &core.Prim{Prim: row, Args: args}
	if len(row.Scheme.Params) > 0 {
		t := args[0].Type()
		if a, ok := t.(*types.Array); ok {
			t = a.Elem
		}
		op.Inst = []types.Type{t}
	}
	return op
}

// bindScope runs f with variables in scope.
func (g *generator) bindScope(vars []*core.Var, f func()) {
	outer := g.scope
	g.scope = append(g.scope[:len(g.scope):len(g.scope)], vars...)
	f()
	g.scope = outer
}

func (g *generator) lambda(params []*core.Var, result types.Type, depth int) *core.Lambda {
	fun := &core.Lambda{Params: params}
	g.bindScope(params, func() { fun.Body = g.block(depth, result) })
	return fun
}

// block makes some bindings, which the result may use, and the result.
func (g *generator) block(depth int, ty types.Type) *core.Block {
	var out core.Builder
	outer := g.scope
	g.scope = g.scope[:len(g.scope):len(g.scope)]
	for i := g.src.Intn(4); i > 0 && g.fuel > 0; i-- {
		if v, ok := g.make(&out, depth, g.typ(min(depth, 2), depth > 0)).(*core.Var); ok {
			g.scope = append(g.scope, v)
		}
	}
	result := g.make(&out, depth, ty)
	g.scope = outer
	return out.Block(result)
}

// emit appends an operation.
func (g *generator) emit(out *core.Builder, ty types.Type, op core.Op) core.Atom {
	g.fuel--
	v := out.Let("v", ty, op, g.at())
	return v
}

// make emits operations that return an atom of a type.
func (g *generator) make(out *core.Builder, depth int, ty types.Type) core.Atom {
	if g.chance(40) {
		if a := g.inScope(ty); a != nil {
			return a
		}
	}
	if g.fuel <= 0 || depth <= 0 {
		if a := g.inScope(ty); a != nil && g.chance(60) {
			return a
		}
		return g.simple(out, ty)
	}
	switch g.src.Intn(10) {
	case 0, 1:
		return g.simple(out, ty)
	case 2, 3, 4, 5:
		return g.special(out, depth, ty)
	}
	return g.general(out, depth, ty)
}

// inScope picks a variable or constant of a type, or returns nil.
func (g *generator) inScope(ty types.Type) core.Atom {
	var found []core.Atom
	for _, v := range g.scope {
		if types.Equal(v.Ty, ty) {
			found = append(found, v)
		}
	}
	for _, d := range g.defs {
		if types.Equal(d.Type, ty) {
			found = append(found, d.Use())
		}
	}
	if len(found) == 0 {
		return nil
	}
	return found[len(found)-1-g.src.Intn(len(found))]
}

// simple makes a literal, or constructs a value from simple ones.
func (g *generator) simple(out *core.Builder, ty types.Type) core.Atom {
	all := func(ts []types.Type) []core.Atom {
		as := make([]core.Atom, len(ts))
		for i, t := range ts {
			if as[i] = g.inScope(t); as[i] == nil || g.chance(30) {
				as[i] = g.simple(out, t)
			}
		}
		return as
	}
	switch t := ty.(type) {
	case *types.Basic:
		return g.literal(t)
	case *types.Tuple:
		if len(t.Elems) == 0 {
			return core.UnitLit()
		}
		return g.emit(out, t, &core.Tuple{Elems: all(t.Elems)})
	case *types.Record:
		ts := make([]types.Type, len(t.Fields))
		for i, f := range t.Fields {
			ts[i] = f.Type
		}
		return g.emit(out, t, &core.Record{Ty: t, Elems: all(ts)})
	case *types.Array:
		elems := make([]types.Type, g.src.Intn(4))
		for i := range elems {
			elems[i] = t.Elem
		}
		return g.emit(out, t, &core.Array{Elem: t.Elem, Elems: all(elems)})
	case *types.Data:
		con := t.Decl.Cons[0]
		if g.fuel > 0 {
			con = pick(g, t.Decl.Cons...)
		}
		return g.emit(out, t, &core.Construct{Con: con, Ty: t, Args: all(con.FieldTypes(t))})
	case *types.Fun:
		return g.emit(out, t, g.lambda([]*core.Var{core.NewVar("x", t.Param)}, t.Result, 1))
	}
	panic("coretest: no value of the type")
}

func (g *generator) literal(t *types.Basic) core.Atom {
	switch t {
	case types.Int:
		return core.IntLit(pick[int64](g, 0, 1, 2, 3, -1, 7, 1<<62))
	case types.Real:
		return core.RealLit(pick(g, big.NewRat(0, 1), big.NewRat(1, 1), big.NewRat(1, 10),
			big.NewRat(-5, 2), big.NewRat(1, 3)))
	case types.Bool:
		return core.BoolLit(g.chance(50))
	}
	return core.StringLit(pick(g, "", "a", "bc"))
}
