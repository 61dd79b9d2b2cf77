package coretest

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// special makes an operation that only this kind of type has.
func (g *generator) special(out *core.Builder, depth int, ty types.Type) core.Atom {
	sub := func(t types.Type) core.Atom { return g.make(out, depth-1, t) }
	switch t := ty.(type) {
	case *types.Basic:
		return g.primitive(out, depth, t)
	case *types.Array:
		return g.array(out, depth, t)
	case *types.Fun:
		// A partial application, sometimes.
		if g.chance(40) {
			extra := g.typ(1, false)
			f := g.emit(out, types.Funs(t, extra), g.lambda(
				[]*core.Var{core.NewVar("x", extra), core.NewVar("y", t.Param)}, t.Result, depth-1))
			return g.emit(out, t, &core.Apply{Fun: f, Args: []core.Atom{sub(extra)}})
		}
		return g.emit(out, t, g.lambda([]*core.Var{core.NewVar("x", t.Param)}, t.Result, depth-1))
	case *types.Tuple:
		if len(t.Elems) > 0 {
			elems := make([]core.Atom, len(t.Elems))
			for i, e := range t.Elems {
				elems[i] = sub(e)
			}
			return g.emit(out, t, &core.Tuple{Elems: elems})
		}
		n, m := sub(types.Int), sub(types.Int)
		if g.chance(80) {
			m = n
		}
		return g.emit(out, t, &core.CheckSize{Name: "n", Got: n, Want: m})
	}
	return g.simple(out, ty)
}

// primitive makes a primitive application, or another operation that returns a basic value.
func (g *generator) primitive(out *core.Builder, depth int, t *types.Basic) core.Atom {
	sub := func(t types.Type) core.Atom { return g.make(out, depth-1, t) }
	switch t {
	case types.Int:
		switch g.src.Intn(6) {
		case 0:
			return g.emit(out, t, g.prim("length", sub(g.arrayOf(g.typ(1, false)))))
		case 1:
			return g.emit(out, t, g.prim(pick(g, "neg", "abs"), sub(t)))
		case 2:
			return g.emit(out, t, g.prim(pick(g, "floor", "round"), sub(types.Real)))
		case 3:
			return g.emit(out, t, g.prim("stringLength", sub(types.String)))
		}
		return g.emit(out, t, g.prim(pick(g, "+", "-", "*", "min", "max", "div", "mod"),
			sub(t), sub(t)))
	case types.Real:
		switch g.src.Intn(5) {
		case 0:
			return g.emit(out, t, g.prim("real", sub(types.Int)))
		case 1:
			return g.emit(out, t, g.prim(pick(g, "neg", "sin", "exp", "sqrt", "abs"), sub(t)))
		}
		return g.emit(out, t, g.prim(pick(g, "+", "-", "*", "/", "max", "min"), sub(t), sub(t)))
	case types.Bool:
		switch g.src.Intn(5) {
		case 0:
			return g.emit(out, t, g.prim("not", sub(t)))
		case 1:
			of := pick[types.Type](g, types.Int, types.Bool, types.String)
			return g.emit(out, t, g.prim(pick(g, "==", "!="), sub(of), sub(of)))
		}
		of := pick[types.Type](g, types.Int, types.Real, types.String)
		return g.emit(out, t, g.prim(pick(g, "<", "<=", ">", ">="), sub(of), sub(of)))
	}
	return g.emit(out, t, g.prim("stringAppend", sub(t), sub(t)))
}

func (g *generator) arrayOf(elem types.Type) *types.Array {
	return &types.Array{Size: types.AnySize, Elem: elem}
}

// small makes an Int of at most 4: a size, or a number of iterations.
func (g *generator) small(out *core.Builder, depth int) core.Atom {
	if g.chance(60) {
		return core.IntLit(int64(g.src.Intn(4)))
	}
	return g.emit(out, types.Int, g.prim("min", g.make(out, depth-1, types.Int), core.IntLit(4)))
}

// elements makes an array, usually of reals or integers, and a variable for its elements.
func (g *generator) elements(out *core.Builder, depth int) (core.Atom, *core.Var) {
	elem := pick[types.Type](g, types.Real, types.Int)
	if g.chance(30) {
		elem = g.typ(1, false)
	}
	if g.fuel > 0 && g.chance(50) {
		// An array made on the spot, which fusion looks for.
		return g.array(out, max(depth-1, 1), g.arrayOf(elem)), core.NewVar("x", elem)
	}
	return g.make(out, depth-1, g.arrayOf(elem)), core.NewVar("x", elem)
}

func (g *generator) array(out *core.Builder, depth int, t *types.Array) core.Atom {
	switch g.src.Intn(7) {
	case 0, 1:
		i := core.NewVar("i", types.Int)
		op := &core.Build{Size: g.small(out, depth), Index: i}
		g.bindScope([]*core.Var{i}, func() { op.Body = g.block(depth-1, t.Elem) })
		return g.emit(out, t, op)
	case 2, 3:
		op := &core.Map{}
		for k := g.src.Intn(2); k >= 0; k-- {
			xs, x := g.elements(out, depth)
			if k == 1 && g.chance(60) { // the same array twice has equal lengths
				op.Arrays, op.Params = append(op.Arrays, xs),
					append(op.Params, core.NewVar("y", x.Ty))
				k--
			}
			op.Arrays, op.Params = append(op.Arrays, xs), append(op.Params, x)
		}
		g.bindScope(op.Params, func() { op.Body = g.block(depth-1, t.Elem) })
		return g.emit(out, t, op)
	case 4:
		xs, x := g.elements(out, depth)
		acc := core.NewVar("acc", t.Elem)
		op := &core.Scan{Acc: acc, Elem: x, Init: g.make(out, depth-1, t.Elem), Array: xs}
		g.bindScope([]*core.Var{acc, x}, func() { op.Body = g.block(depth-1, t.Elem) })
		return g.emit(out, t, op)
	case 5:
		xs := g.make(out, depth-1, t)
		return g.emit(out, t, &core.Slice{Of: xs, Lo: core.IntLit(0), Hi: g.small(out, depth)})
	}
	return g.emit(out, t, g.prim("append", g.make(out, depth-1, t), g.make(out, depth-1, t)))
}

// general makes an operation that returns a value of any type.
func (g *generator) general(out *core.Builder, depth int, ty types.Type) core.Atom {
	sub := func(t types.Type) core.Atom { return g.make(out, depth-1, t) }
	if g.derivatives && g.chance(30) && types.Member(ty, types.Diff) == nil {
		return g.derivative(out, depth, ty)
	}
	switch g.src.Intn(11) {
	case 0:
		cond := sub(types.Bool)
		then := g.block(depth-1, ty)
		return g.emit(out, ty, &core.If{Cond: cond, Then: then, Else: g.block(depth-1, ty)})
	case 1:
		return g.caseOf(out, depth, ty)
	case 2:
		other := g.typ(1, false)
		pair := &types.Tuple{Elems: []types.Type{ty, other}}
		i := 0
		if g.chance(50) {
			pair.Elems[0], pair.Elems[1], i = other, ty, 1
		}
		return g.emit(out, ty, &core.Proj{Of: sub(pair), Index: i})
	case 3:
		record := &types.Record{Fields: []types.Field{{Name: "x", Type: g.typ(1, false)},
			{Name: "y", Type: ty}}}
		return g.emit(out, ty, &core.Field{Of: sub(record), Index: 1})
	case 4, 5:
		return g.call(out, depth, ty)
	case 6:
		return g.emit(out, ty, &core.Index{Of: sub(g.arrayOf(ty)),
			At: core.IntLit(int64(g.src.Intn(2)))})
	case 7:
		xs, x := g.elements(out, depth)
		acc := core.NewVar("acc", ty)
		op := &core.Reduce{Acc: acc, Elem: x, Init: sub(ty), Array: xs}
		g.bindScope([]*core.Var{acc, x}, func() { op.Body = g.block(depth-1, ty) })
		return g.emit(out, ty, op)
	case 8, 9:
		return g.loop(out, depth, ty)
	}
	return g.localRecursion(out, depth, ty)
}

// derivative makes the derivative of a function that it generates, to a type or from it. Its
// tangent is the point itself, and its cotangent the value, so that they have the right shapes.
func (g *generator) derivative(out *core.Builder, depth int, ty types.Type) core.Atom {
	var other types.Type = types.Real
	if t := g.typ(1, false); g.chance(40) && types.Member(t, types.Diff) == nil {
		other = t
	}
	function := func(from, to types.Type) core.Atom {
		return g.emit(out, types.Funs(to, from), g.lambda([]*core.Var{core.NewVar("x", from)},
			to, depth-1))
	}
	both := func(name string, from, to types.Type, f, x, along core.Atom) core.Atom {
		result := &types.Tuple{Elems: []types.Type{to, ty}}
		op := &core.Prim{Prim: prim.Lookup(name), Inst: []types.Type{from, to},
			Args: []core.Atom{f, x, along}}
		return g.emit(out, ty, &core.Proj{Of: g.emit(out, result, op), Index: 1})
	}
	if g.chance(50) {
		f, x := function(other, ty), g.make(out, depth-1, other)
		return both("forward", other, ty, f, x, x)
	}
	f, x := function(ty, other), g.make(out, depth-1, ty)
	y := g.emit(out, other, &core.Apply{Fun: f, Args: []core.Atom{x}})
	return both("reverse", ty, other, f, x, y)
}

func (g *generator) caseOf(out *core.Builder, depth int, ty types.Type) core.Atom {
	var of *types.Data
	if d := pick(g, g.datas...); len(d.Params) > 0 {
		of = &types.Data{Decl: d, Args: []types.Type{g.typ(1, false)}}
	} else {
		of = &types.Data{Decl: d}
	}
	op := &core.Case{Of: g.make(out, depth-1, of)}
	cons := of.Decl.Cons
	if g.chance(30) {
		cons = cons[1:]
		op.Default = g.block(depth-1, ty)
	}
	for _, con := range cons {
		arm := core.Arm{Con: con}
		for _, field := range con.FieldTypes(of) {
			arm.Vars = append(arm.Vars, core.NewVar("f", field))
		}
		g.bindScope(arm.Vars, func() { arm.Body = g.block(depth-1, ty) })
		op.Arms = append(op.Arms, arm)
	}
	return g.emit(out, ty, op)
}

// call calls a definition or a variable that can return the type, or a generated lambda.
func (g *generator) call(out *core.Builder, depth int, ty types.Type) core.Atom {
	type callee struct {
		fun  core.Atom
		args []types.Type
	}
	var found []callee
	consider := func(a core.Atom) {
		for n := 1; n <= 2; n++ {
			if args, result := types.Splay(a.Type(), n); len(args) == n && types.Equal(result, ty) {
				found = append(found, callee{a, args})
			}
		}
	}
	for _, v := range g.scope {
		consider(v)
	}
	for _, d := range g.defs {
		consider(d.Use())
	}
	if len(found) > 0 && g.chance(70) {
		c := pick(g, found...)
		args := make([]core.Atom, len(c.args))
		for i, t := range c.args {
			args[i] = g.make(out, depth-1, t)
		}
		return g.emit(out, ty, &core.Apply{Fun: c.fun, Args: args})
	}
	param := g.typ(1, false)
	f := g.emit(out, types.Funs(ty, param), g.lambda([]*core.Var{core.NewVar("x", param)},
		ty, depth-1))
	g.scope = append(g.scope, f.(*core.Var))
	return g.emit(out, ty, &core.Apply{Fun: f, Args: []core.Atom{g.make(out, depth-1, param)}})
}

func (g *generator) loop(out *core.Builder, depth int, ty types.Type) core.Atom {
	state := core.NewVar("s", ty)
	op := &core.Loop{State: state, Init: g.make(out, depth-1, ty)}
	switch g.src.Intn(3) {
	case 0:
		i := core.NewVar("i", types.Int)
		op.Head = &core.Range{Index: i, Bound: g.small(out, depth)}
		g.bindScope([]*core.Var{state, i}, func() { op.Body = g.block(depth-1, ty) })
	case 1:
		xs, x := g.elements(out, depth)
		op.Head = &core.Each{Elem: x, Array: xs}
		g.bindScope([]*core.Var{state, x}, func() { op.Body = g.block(depth-1, ty) })
	default:
		return g.whileLoop(out, depth, ty, op.Init)
	}
	return g.emit(out, ty, op)
}

// whileLoop makes a loop over (count, state) that ends when the count reaches zero.
func (g *generator) whileLoop(out *core.Builder, depth int, ty types.Type,
	init core.Atom) core.Atom {
	pair := &types.Tuple{Elems: []types.Type{types.Int, ty}}
	start := g.emit(out, pair, &core.Tuple{Elems: []core.Atom{g.small(out, depth), init}})
	s := core.NewVar("s", pair)
	var cond, body core.Builder
	n := cond.Let("n", types.Int, &core.Proj{Of: s, Index: 0}, g.at())
	more := cond.Let("more", types.Bool, g.prim(">", n, core.IntLit(0)), g.at())
	m := body.Let("m", types.Int, &core.Proj{Of: s, Index: 0}, g.at())
	inner := body.Let("t", ty, &core.Proj{Of: s, Index: 1}, g.at())
	var next core.Atom
	g.bindScope([]*core.Var{m, inner}, func() { next = g.make(&body, depth-1, ty) })
	less := body.Let("less", types.Int, g.prim("-", m, core.IntLit(1)), g.at())
	pairOf := body.Let("next", pair, &core.Tuple{Elems: []core.Atom{less, next}}, g.at())
	end := g.emit(out, pair, &core.Loop{State: s, Init: start,
		Head: &core.While{Cond: cond.Block(more)}, Body: body.Block(pairOf)})
	return g.emit(out, ty, &core.Proj{Of: end, Index: 1})
}

// localRecursion makes a local recursive function and calls it.
func (g *generator) localRecursion(out *core.Builder, depth int, ty types.Type) core.Atom {
	g.fuel -= 3
	f := core.NewVar("rec", types.Funs(ty, types.Int, ty))
	fun := g.countdown(ty, f)
	out.LetRec([]*core.Var{f}, []*core.Lambda{fun}, g.at())
	return g.emit(out, ty, &core.Apply{Fun: f, Args: []core.Atom{g.small(out, depth),
		g.make(out, depth-1, ty)}})
}
