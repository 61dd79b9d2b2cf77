package check

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// expr elaborates an expression into b and returns its value. Subexpressions are evaluated from
// left to right, whether or not their values are used.
//
// Only expressions that pass their own position on to a subexpression pass w.result on. For all
// others expr checks it.
func (e *elaborator) expr(b *core.Builder, x syntax.Expr, w want) core.Atom {
	e.watch.Step()
	if value, ok := e.given[x]; ok {
		return value
	}
	switch x := x.(type) {
	case *syntax.Paren:
		return e.expr(b, x.X, w)
	case *syntax.Let:
		return e.let(b, x, w)
	case *syntax.If:
		cond := e.expr(b, x.Cond, want{})
		return e.emit(b, w, e.typeOf(x), &core.If{Cond: cond, Then: e.branch(x.Then, w),
			Else: e.branch(x.Else, w)}, x.At)
	case *syntax.Match:
		return e.match(b, x, w)
	case *syntax.Apply:
		return e.application(b, x, w)
	}
	value := e.simple(b, x, want{name: w.name})
	e.checkResult(b, w.result, value, x.Span())
	return value
}

// branch elaborates an expression that is evaluated only on some paths.
func (e *elaborator) branch(x syntax.Expr, w want) *core.Block {
	return e.block(func(b *core.Builder) core.Atom { return e.expr(b, x, want{result: w.result}) })
}

// simple elaborates an expression whose value is not simply that of a subexpression.
func (e *elaborator) simple(b *core.Builder, x syntax.Expr, w want) core.Atom {
	switch x := x.(type) {
	case *syntax.Var, *syntax.Con:
		return e.name(b, x, w)
	case *syntax.Field:
		if e.info.Uses[x.ID] != nil {
			return e.name(b, x, w)
		}
		of := e.expr(b, x.X, want{})
		record := of.Type().(*types.Record)
		return e.emit(b, w, e.typeOf(x), &core.Field{Of: of, Index: record.Index(x.Name.Name)},
			x.At)
	case *syntax.Number:
		return e.number(x.Text, false, e.typeOf(x), x.At)
	case *syntax.String:
		return core.StringLit(x.Value)
	case *syntax.Text:
		return e.text(b, x)
	case *syntax.Bool:
		return core.BoolLit(x.Value)
	case *syntax.Annot:
		value := e.expr(b, x.X, w)
		e.declare(b, e.info.Signatures[x.Type], value, x.X.Span(), x.Type.At)
		return value
	case *syntax.Tuple:
		if len(x.Elems) == 0 {
			return core.UnitLit()
		}
		return e.emit(b, w, e.typeOf(x), &core.Tuple{Elems: e.exprs(b, x.Elems)}, x.At)
	case *syntax.Record:
		return e.record(b, x, w)
	case *syntax.Update:
		return e.update(b, x, w)
	case *syntax.Array:
		array := e.typeOf(x).(*types.Array)
		return e.emit(b, w, array, &core.Array{Elem: array.Elem, Elems: e.exprs(b, x.Elems)}, x.At)
	case *syntax.Comp:
		if x.Flat {
			return e.flat(b, x, 0, e.typeOf(x).(*types.Array), w)
		}
		return e.comprehension(b, x, 0, e.typeOf(x), w)
	case *syntax.Index:
		return e.index(b, x, w)
	case *syntax.Slice:
		return e.slice(b, x, w)
	case *syntax.Binary:
		return e.binary(b, x, w)
	case *syntax.Neg:
		return e.neg(b, x, w)
	case *syntax.OpFun:
		if e.info.Uses[x.ID] == nil {
			return e.emit(b, w, e.typeOf(x), e.operatorFunction(x), x.At)
		}
		return e.name(b, x, w)
	case *syntax.Section:
		return e.section(b, x, w)
	case *syntax.Fun:
		return e.emit(b, w, e.typeOf(x), e.lambda(x.Params, nil, x.Body), x.At)
	case *syntax.Loop:
		return e.loop(b, x, w)
	}
	bug(x.Span(), "cannot elaborate %T", x)
	return nil
}

func (e *elaborator) exprs(b *core.Builder, xs []syntax.Expr) []core.Atom {
	atoms := make([]core.Atom, len(xs))
	for i, x := range xs {
		atoms[i] = e.expr(b, x, want{})
	}
	return atoms
}

// ---- records

// record evaluates the fields in source order and stores them in the order of the type.
func (e *elaborator) record(b *core.Builder, x *syntax.Record, w want) core.Atom {
	ty := e.typeOf(x).(*types.Record)
	elems := make([]core.Atom, len(ty.Fields))
	e.fields(b, ty, elems, x.Fields)
	return e.emit(b, w, ty, &core.Record{Ty: ty, Elems: elems}, x.At)
}

func (e *elaborator) fields(b *core.Builder, ty *types.Record, elems []core.Atom,
	fields []syntax.FieldInit) {
	for _, f := range fields {
		elems[ty.Index(f.Name.Name)] = e.expr(b, f.Value, want{name: f.Name.Name})
	}
}

// update copies the fields that the update does not set.
func (e *elaborator) update(b *core.Builder, x *syntax.Update, w want) core.Atom {
	of := e.expr(b, x.X, want{})
	if array, ok := e.typeOf(x).(*types.Array); ok {
		return e.updateArray(b, x, of, array, w)
	}
	ty := e.typeOf(x).(*types.Record)
	elems := make([]core.Atom, len(ty.Fields))
	current := func(i int) core.Atom {
		if elems[i] == nil {
			elems[i] = b.Let(ty.Fields[i].Name, ty.Fields[i].Type, &core.Field{Of: of, Index: i},
				x.At)
		}
		return elems[i]
	}
	for _, f := range x.Fields {
		i := ty.Index(f.Name.Name)
		if f.Old != nil {
			e.bind(b, f.Old, current(i))
		}
		elems[i] = e.expr(b, f.Value, want{name: f.Name.Name})
	}
	for i := range ty.Fields {
		current(i)
	}
	return e.emit(b, w, ty, &core.Record{Ty: ty, Elems: elems}, x.At)
}

// updateArray replaces elements one after the other. An index out of range is an error of
// scatter.
func (e *elaborator) updateArray(b *core.Builder, x *syntax.Update, value core.Atom,
	ty *types.Array, w want) core.Atom {
	one := func(a core.Atom) core.Atom {
		single := &types.Array{Size: types.ConstSize(1), Elem: a.Type()}
		return b.Let("t", single, &core.Array{Elem: a.Type(), Elems: []core.Atom{a}}, x.At)
	}
	for n, f := range x.Fields {
		last := want{}
		if n == len(x.Fields)-1 {
			last = w
		}
		index := e.expr(b, f.Index, want{})
		if f.Old != nil {
			e.bind(b, f.Old, e.emit(b, want{}, ty.Elem, &core.Index{Of: value, At: index},
				f.Index.Span()))
		}
		elem := e.expr(b, f.Value, want{})
		set := &core.Prim{Prim: prim.Scatter.Row(), Inst: []types.Type{ty.Elem},
			Args: []core.Atom{value, one(index), one(elem)}}
		value = e.emit(b, last, ty, set, f.Index.Span())
	}
	return value
}

// ---- arrays

// comprehension elaborates the clauses from the i-th on. Each clause is the body of the one
// before it.
func (e *elaborator) comprehension(b *core.Builder, x *syntax.Comp, i int, ty types.Type,
	w want) core.Atom {
	if i == len(x.Clauses) {
		return e.expr(b, x.Body, w)
	}
	return e.generate(b, x, i, ty, w, func(b *core.Builder) core.Atom {
		return e.comprehension(b, x, i+1, ty.(*types.Array).Elem, want{})
	})
}

// generate makes an array of type ty from the values of body at each step of the i-th clause.
func (e *elaborator) generate(b *core.Builder, x *syntax.Comp, i int, ty types.Type, w want,
	body func(*core.Builder) core.Atom) core.Atom {
	clause := x.Clauses[i]
	of := e.expr(b, clause.X, want{})
	v := core.NewVar(patternName(clause.Pat, "i"), e.typeOf(clause.Pat))
	step := e.block(func(b *core.Builder) core.Atom {
		e.bind(b, clause.Pat, v)
		return body(b)
	})
	if clause.In {
		return e.emit(b, w, ty, &core.Map{Params: []*core.Var{v}, Arrays: []core.Atom{of},
			Body: step}, x.At)
	}
	return e.emit(b, w, ty, &core.Build{Size: of, Index: v, Body: step}, x.At)
}

// flat elaborates a flat comprehension of type ty from its i-th clause on. Each step of a clause
// produces an array, which is empty where the condition does not hold, and these arrays are
// concatenated. A last clause without a condition produces its elements directly.
func (e *elaborator) flat(b *core.Builder, x *syntax.Comp, i int, ty *types.Array,
	w want) core.Atom {
	clause, last := x.Clauses[i], i == len(x.Clauses)-1
	if last && clause.If == nil {
		return e.generate(b, x, i, ty, w, func(b *core.Builder) core.Atom {
			return e.expr(b, x.Body, want{})
		})
	}
	inner := func(b *core.Builder) core.Atom {
		if !last {
			return e.flat(b, x, i+1, ty, want{})
		}
		return e.emit(b, want{}, ty,
			&core.Array{Elem: ty.Elem, Elems: []core.Atom{e.expr(b, x.Body, want{})}}, x.At)
	}
	rows := e.generate(b, x, i, &types.Array{Size: types.AnySize, Elem: ty}, want{},
		func(b *core.Builder) core.Atom {
			if clause.If == nil {
				return inner(b)
			}
			cond := e.expr(b, clause.If, want{})
			none := e.block(func(b *core.Builder) core.Atom {
				return b.Let("t", ty, &core.Array{Elem: ty.Elem}, x.At)
			})
			return e.emit(b, want{}, ty, &core.If{Cond: cond, Then: e.block(inner), Else: none},
				clause.If.Span())
		})
	join := &core.Prim{Prim: prim.Flatten.Row(), Inst: []types.Type{ty.Elem},
		Args: []core.Atom{rows}}
	return e.emit(b, w, ty, join, x.At)
}

// text elaborates a text with expressions in it, by joining the pieces.
func (e *elaborator) text(b *core.Builder, x *syntax.Text) core.Atom {
	var whole core.Atom = core.StringLit(x.Strings[0])
	join := func(piece core.Atom) {
		if whole == nil {
			whole = piece
			return
		}
		whole = b.Emit("t", &core.Prim{Prim: prim.StringAppend.Row(),
			Args: []core.Atom{whole, piece}}, x.At)
	}
	if x.Strings[0] == "" {
		whole = nil
	}
	for i, hole := range x.Holes {
		value := e.expr(b, hole, want{})
		if value.Type() != types.Type(types.String) {
			value = b.Emit("t", &core.Prim{Prim: prim.TextOf.Row(),
				Inst: []types.Type{value.Type()}, Args: []core.Atom{value}}, hole.Span())
		}
		join(value)
		if s := x.Strings[i+1]; s != "" {
			join(core.StringLit(s))
		}
	}
	return whole
}

// section elaborates (+ 1) or (2 *). Its operand is computed once.
func (e *elaborator) section(b *core.Builder, x *syntax.Section, w want) core.Atom {
	operand := x.Body.L
	if v, ok := operand.(*syntax.Var); ok && e.info.Uses[v.ID].Object == e.info.Defs[x.Hole.ID] {
		operand = x.Body.R
	}
	done := e.evaluate(b, []syntax.Expr{operand})
	fun := e.lambda([]syntax.Pattern{x.Hole}, nil, x.Body)
	done()
	return e.emit(b, w, e.typeOf(x), fun, x.At)
}

// index takes elements of arrays and components of tuples, depending on the types. m[i, j] is
// m[i][j].
func (e *elaborator) index(b *core.Builder, x *syntax.Index, w want) core.Atom {
	value := e.expr(b, x.X, want{})
	for i, at := range x.Indices {
		last := want{}
		if i == len(x.Indices)-1 {
			last = w
		}
		switch ty := value.Type().(type) {
		case *types.Tuple:
			n, ok := syntax.Integer(unparen(at).(*syntax.Number).Text)
			if !ok || n < 0 || n >= int64(len(ty.Elems)) {
				bug(at.Span(), "a projection that Check should have refused")
			}
			value = e.emit(b, last, ty.Elems[n], &core.Proj{Of: value, Index: int(n)}, x.At)
		case *types.Array:
			value = e.emit(b, last, ty.Elem, &core.Index{Of: value, At: e.expr(b, at, want{})},
				x.At)
		default:
			bug(x.At, "an index into %s", types.Show(ty))
		}
	}
	return value
}

// slice takes some elements of an array, and applies the remaining indices to each.
func (e *elaborator) slice(b *core.Builder, x *syntax.Slice, w want) core.Atom {
	of := e.expr(b, x.X, want{})
	if x.Lo != nil || x.Hi != nil {
		var lo, hi core.Atom = core.IntLit(0), nil
		if x.Lo != nil {
			lo = e.expr(b, x.Lo, want{})
		}
		if x.Hi != nil {
			hi = e.expr(b, x.Hi, want{})
		} else {
			hi = e.length(b, of, 0, x.At)
		}
		size := e.typeOf(x).(*types.Array).Size
		of = e.emit(b, w, &types.Array{Size: size, Elem: elemOf(of.Type())},
			&core.Slice{Of: of, Lo: lo, Hi: hi}, x.At)
	}
	if wholeRows(x.Rest) {
		return of
	}
	ends := e.evaluate(b, indexParts(x.Rest, nil))
	row := core.NewVar("row", elemOf(of.Type()))
	body := e.block(func(b *core.Builder) core.Atom {
		e.bind(b, x.Row, row)
		return e.expr(b, x.Rest, want{})
	})
	ends()
	return e.emit(b, w, e.typeOf(x), &core.Map{Params: []*core.Var{row}, Arrays: []core.Atom{of},
		Body: body}, x.At)
}

// wholeRows reports whether the remaining indices of a slice take all of each row.
func wholeRows(rest syntax.Expr) bool {
	if rest == nil {
		return true
	}
	s, ok := rest.(*syntax.Slice)
	return ok && s.Lo == nil && s.Hi == nil && !s.Joined && wholeRows(s.Rest)
}

// indexParts appends the indices and ends among the remaining indices of a slice. It leaves out
// literals, which may index tuples.
func indexParts(x syntax.Expr, parts []syntax.Expr) []syntax.Expr {
	switch x := x.(type) {
	case *syntax.Index:
		for _, i := range x.Indices {
			if _, literal := unparen(i).(*syntax.Number); !literal {
				parts = append(parts, i)
			}
		}
	case *syntax.Slice:
		for _, end := range []syntax.Expr{x.Lo, x.Hi} {
			if end != nil {
				parts = append(parts, end)
			}
		}
		parts = indexParts(x.Rest, indexParts(x.X, parts))
	}
	return parts
}

// evaluate computes expressions before the code in which they stand. The early values are used
// until done is called.
func (e *elaborator) evaluate(b *core.Builder, xs []syntax.Expr) (done func()) {
	if e.given == nil {
		e.given = map[syntax.Expr]core.Atom{}
	}
	for _, x := range xs {
		if _, known := e.given[x]; !known {
			e.given[x] = e.expr(b, x, want{})
		}
	}
	return func() {
		for _, x := range xs {
			delete(e.given, x)
		}
	}
}

// unparen removes parentheses.
func unparen(x syntax.Expr) syntax.Expr {
	for {
		paren, ok := x.(*syntax.Paren)
		if !ok {
			return x
		}
		x = paren.X
	}
}
