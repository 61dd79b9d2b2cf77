package opt

import (
	"math/big"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// expander replaces a primitive of the classes, at a type that is now known, by operations on
// components. This file and compare.go define the meaning of the classes at structured types.
type expander struct {
	m    *mono
	out  *core.Builder
	at   diag.Span
	name string // the name of the variable for the result
}

// inner returns an expander for a nested block.
func (e *expander) inner(out *core.Builder) *expander {
	return &expander{m: e.m, out: out, at: e.at, name: e.name}
}

// expansions holds functions for the rows that are expanded at some types. A function returns nil
// where the row remains.
var expansions [prim.Count]func(e *expander, p *core.Prim, ty types.Type) core.Atom

func init() {
	expansions = [prim.Count]func(e *expander, p *core.Prim, ty types.Type) core.Atom{
		prim.Zero: func(e *expander, p *core.Prim, _ types.Type) core.Atom {
			return e.zero(p.Inst[0])
		},
		prim.Inner: func(e *expander, p *core.Prim, _ types.Type) core.Atom {
			return e.innerProduct(p.Inst[0], p.Args[0], p.Args[1])
		},
		prim.Sum: func(e *expander, p *core.Prim, _ types.Type) core.Atom {
			return e.sum(p.Inst[0], p.Args[0])
		},
		prim.Partials:    (*expander).partials,
		prim.SortIndices: (*expander).sortIndices,
		prim.Accumulate:  (*expander).accumulate,
		prim.Reals:       (*expander).itself,
		prim.Flow:        (*expander).flow,
		prim.Jumps:       (*expander).jumps,
		prim.Encloses: func(e *expander, _ *core.Prim, _ types.Type) core.Atom {
			return core.BoolLit(e.m.exact)
		},
		prim.Narrow:      (*expander).jumps,
		prim.TextOf:      (*expander).textOf,
		prim.Integral:    inBox("opt.integral"),
		prim.Root:        inBox("opt.root"),
		prim.Roots:       inBox("opt.roots"),
		prim.MaxOver:     inBox("opt.maxOver"),
		prim.ArgmaxOver:  inBox("opt.argmaxOver"),
		prim.ArgmaxWhere: inBox("opt.argmaxWhere"),
	}
}

// prim emits p, whose result has type ty, and returns the result.
func (e *expander) prim(p *core.Prim, ty types.Type) core.Atom {
	switch row := p.Prim; {
	case row.Leaf != 0:
		return e.lifted(p)
	case row.Order != 0 && !isLeaf(p.Inst[0]):
		return e.ordered(p)
	case row.Kind == prim.Operation:
		return e.out.Let(e.name, ty, p.Operation(nil, e.at), e.at)
	case expansions[row.ID] != nil:
		if r := expansions[row.ID](e, p, ty); r != nil {
			return r
		}
	}
	return e.out.Let(e.name, ty, p, e.at)
}

func isLeaf(t types.Type) bool {
	_, leaf := t.(*types.Basic)
	return leaf
}

// lifted emits a row that acts on the numbers of its arguments.
func (e *expander) lifted(p *core.Prim) core.Atom {
	row := p.Prim
	params, _ := types.Splay(row.Scheme.Type, row.Arity())
	var args []core.Atom
	for i, t := range params {
		if t == types.Type(row.Scheme.Params[0]) {
			args = append(args, p.Args[i])
		}
	}
	return e.componentwise(p.Inst[0], args,
		func(e *expander, leaf types.Type, numbers []core.Atom) core.Atom {
			all := slices.Clone(p.Args)
			for i, t := range params {
				if t == types.Type(row.Scheme.Params[0]) {
					all[i], numbers = numbers[0], numbers[1:]
				}
			}
			if row.Leaf == prim.Zero {
				return e.zero(leaf)
			}
			return e.emit(row.Leaf, leaf, []types.Type{leaf}, all...)
		})
}

// ordered emits a comparison of structured values.
func (e *expander) ordered(p *core.Prim) core.Atom {
	t, x, y := p.Inst[0], p.Args[0], p.Args[1]
	switch p.Prim.Order {
	case prim.Equal:
		return e.equal(t, x, y)
	case prim.Less | prim.Greater:
		return e.emit(prim.Not, types.Bool, nil, e.equal(t, x, y))
	}
	return e.emit(p.Prim.ID, types.Bool, []types.Type{types.Int}, e.compare(t, x, y),
		core.IntLit(0))
}

// sortIndices sorts structured values by comparing them.
func (e *expander) sortIndices(p *core.Prim, ty types.Type) core.Atom {
	if isLeaf(p.Inst[0]) {
		return nil
	}
	return e.call("opt.sortIndices", p.Inst, ty, e.compareFun(p.Inst[0]), p.Args[0])
}

// accumulate adds structured values.
func (e *expander) accumulate(p *core.Prim, ty types.Type) core.Atom {
	if isLeaf(p.Inst[0]) {
		return nil
	}
	return e.call("opt.accumulate", p.Inst, ty, append([]core.Atom{e.addFun(p.Inst[0])},
		p.Args...)...)
}

// inBox returns the expansion of a row that integrates or searches over the values of a type: a
// call of a template. A search along a line remains.
func inBox(template string) func(e *expander, p *core.Prim, ty types.Type) core.Atom {
	return func(e *expander, p *core.Prim, ty types.Type) core.Atom {
		if p.Inst[0] == types.Type(types.Real) && p.Prim.Kind == prim.Search {
			return nil
		}
		return e.call(template, p.Inst, ty, p.Args...)
	}
}

// itself returns an array of reals as its own array of reals.
func (e *expander) itself(p *core.Prim, _ types.Type) core.Atom {
	if a, ok := p.Inst[0].(*types.Array); ok && a.Elem == types.Type(types.Real) {
		return p.Args[0]
	}
	return nil
}

// flow emits an application of the solver. It leaves the row where solutions are enclosed.
func (e *expander) flow(p *core.Prim, ty types.Type) core.Atom {
	if e.m.exact {
		return nil
	}
	return e.out.Let(e.name, ty, &core.Apply{Fun: p.Args[0], Args: p.Args[1:]}, e.at)
}

// jumps replaces jumps and narrow by false where solutions are enclosed, because there formulas
// are evaluated as written.
func (e *expander) jumps(*core.Prim, types.Type) core.Atom {
	if e.m.exact {
		return core.BoolLit(false)
	}
	return nil
}

// textOf emits the text of a value. Texts are left as they are.
func (e *expander) textOf(p *core.Prim, _ types.Type) core.Atom {
	if p.Inst[0] == types.Type(types.String) {
		return p.Args[0]
	}
	return e.emit(prim.Show, types.String, p.Inst, p.Args...)
}

// emit appends a primitive at a leaf type.
func (e *expander) emit(row prim.ID, ty types.Type, inst []types.Type,
	args ...core.Atom) core.Atom {
	return e.out.Let(e.name, ty, &core.Prim{Prim: row.Row(), Inst: inst, Args: args}, e.at)
}

// call appends a call of a definition at the given types.
func (e *expander) call(name string, inst []types.Type, ty types.Type,
	args ...core.Atom) core.Atom {
	d := e.m.instance(name, inst, e.at)
	return e.out.Let(e.name, ty, &core.Apply{Fun: d.Use(), Args: args}, e.at)
}

func (e *expander) times(x, y core.Atom) core.Atom {
	return e.emit(prim.Mul, types.Real, []types.Type{types.Real}, x, y)
}

func realZero() core.Atom { return core.RealLit(new(big.Rat)) }

// componentwise applies leaf to the corresponding leaves of args, which all have type t, and
// assembles the results. If lengths of arrays differ, Map reports the error.
func (e *expander) componentwise(t types.Type, args []core.Atom,
	leaf func(e *expander, t types.Type, args []core.Atom) core.Atom) core.Atom {
	switch t := t.(type) {
	case *types.Tuple:
		if len(t.Elems) == 0 {
			return core.UnitLit()
		}
		elems := make([]core.Atom, len(t.Elems))
		for i, part := range t.Elems {
			elems[i] = e.componentwise(part, e.project(args, i, part), leaf)
		}
		return e.out.Let(e.name, t, &core.Tuple{Elems: elems}, e.at)
	case *types.Record:
		elems := make([]core.Atom, len(t.Fields))
		for i, field := range t.Fields {
			elems[i] = e.componentwise(field.Type, e.fields(args, i, field.Type), leaf)
		}
		return e.out.Let(e.name, t, &core.Record{Ty: t, Elems: elems}, e.at)
	case *types.Array:
		var body core.Builder
		params := make([]*core.Var, len(args))
		elems := make([]core.Atom, len(args))
		for i := range args {
			params[i] = core.NewVar("x", t.Elem)
			elems[i] = params[i]
		}
		result := e.inner(&body).componentwise(t.Elem, elems, leaf)
		return e.out.Let(e.name, t, &core.Map{Params: params, Arrays: args,
			Body: body.Block(result)}, e.at)
	}
	return leaf(e, t, args)
}

// project takes component i, of type t, of each tuple.
func (e *expander) project(of []core.Atom, i int, t types.Type) []core.Atom {
	parts := make([]core.Atom, len(of))
	for k, a := range of {
		parts[k] = e.out.Let("c", t, &core.Proj{Of: a, Index: i}, e.at)
	}
	return parts
}

// fields takes field i, of type t, of each record.
func (e *expander) fields(of []core.Atom, i int, t types.Type) []core.Atom {
	parts := make([]core.Atom, len(of))
	for k, a := range of {
		parts[k] = e.out.Let("c", t, &core.Field{Of: a, Index: i}, e.at)
	}
	return parts
}

// zero returns the zero of a type, which must have a constant shape.
func (e *expander) zero(t types.Type) core.Atom {
	switch t := t.(type) {
	case *types.Tuple:
		if len(t.Elems) == 0 {
			return core.UnitLit()
		}
		elems := make([]core.Atom, len(t.Elems))
		for i, part := range t.Elems {
			elems[i] = e.zero(part)
		}
		return e.out.Let(e.name, t, &core.Tuple{Elems: elems}, e.at)
	case *types.Record:
		elems := make([]core.Atom, len(t.Fields))
		for i, field := range t.Fields {
			elems[i] = e.zero(field.Type)
		}
		return e.out.Let(e.name, t, &core.Record{Ty: t, Elems: elems}, e.at)
	case *types.Array:
		size := t.Size.Find()
		if size.Kind != types.SizeConst {
			if e.m.err == nil {
				e.m.err = diag.Errorf(diag.Ambiguous, e.at, "zero needs an array of constant "+
					"size, and the size of %s is not known here", types.Show(t)).
					WithHint("give the type with its size, as in (zero : [3]Real), or use zeroLike")
			}
			size = types.ConstSize(0)
		}
		var body core.Builder
		elem := e.inner(&body).zero(t.Elem)
		op := &core.Build{Size: core.IntLit(size.N), Index: core.NewVar("i", types.Int),
			Body: body.Block(elem)}
		return e.out.Let(e.name, t, op, e.at)
	}
	if t == types.Type(types.Int) {
		return core.IntLit(0)
	}
	return realZero()
}

// innerProduct emits the sum of the products of corresponding reals, from the left. The sum over
// an array starts from 0.
func (e *expander) innerProduct(t types.Type, u, v core.Atom) core.Atom {
	parts := func(n int, part func(i int) core.Atom) core.Atom {
		if n == 0 {
			return realZero()
		}
		sum := part(0)
		for i := 1; i < n; i++ {
			sum = e.plus(sum, part(i))
		}
		return sum
	}
	switch t := t.(type) {
	case *types.Tuple:
		return parts(len(t.Elems), func(i int) core.Atom {
			c := e.project([]core.Atom{u, v}, i, t.Elems[i])
			return e.innerProduct(t.Elems[i], c[0], c[1])
		})
	case *types.Record:
		return parts(len(t.Fields), func(i int) core.Atom {
			c := e.fields([]core.Atom{u, v}, i, t.Fields[i].Type)
			return e.innerProduct(t.Fields[i].Type, c[0], c[1])
		})
	case *types.Array:
		var body core.Builder
		x, y := core.NewVar("x", t.Elem), core.NewVar("y", t.Elem)
		product := e.inner(&body).innerProduct(t.Elem, x, y)
		products := e.out.Let("products", &types.Array{Size: t.Size, Elem: types.Real},
			&core.Map{Params: []*core.Var{x, y}, Arrays: []core.Atom{u, v},
				Body: body.Block(product)}, e.at)
		acc, elem := core.NewVar("acc", types.Real), core.NewVar("x", types.Real)
		sum := e.inner(&body).plus(acc, elem)
		return e.out.Let(e.name, types.Real,
			&core.Reduce{Acc: acc, Elem: elem, Init: realZero(), Array: products,
				Body: body.Block(sum)}, e.at)
	}
	return e.times(u, v)
}

// sum emits the sum of the elements of an array, each of type t. Tuples and records are added
// component by component. If the elements are arrays, there must be at least one, because
// otherwise the length of the sum is unknown.
func (e *expander) sum(t types.Type, xs core.Atom) core.Atom {
	column := func(part types.Type, take func(x core.Atom) core.Op) core.Atom {
		var body core.Builder
		x := core.NewVar("x", t)
		c := body.Let("c", part, take(x), e.at)
		ty := &types.Array{Size: xs.Type().(*types.Array).Size, Elem: part}
		return e.sum(part, e.out.Let("c", ty,
			&core.Map{Params: []*core.Var{x}, Arrays: []core.Atom{xs}, Body: body.Block(c)}, e.at))
	}
	switch t := t.(type) {
	case *types.Tuple:
		if len(t.Elems) == 0 {
			return core.UnitLit()
		}
		elems := make([]core.Atom, len(t.Elems))
		for i, part := range t.Elems {
			elems[i] = column(part, func(x core.Atom) core.Op {
				return &core.Proj{Of: x, Index: i}
			})
		}
		return e.out.Let(e.name, t, &core.Tuple{Elems: elems}, e.at)
	case *types.Record:
		elems := make([]core.Atom, len(t.Fields))
		for i, field := range t.Fields {
			elems[i] = column(field.Type, func(x core.Atom) core.Op {
				return &core.Field{Of: x, Index: i}
			})
		}
		return e.out.Let(e.name, t, &core.Record{Ty: t, Elems: elems}, e.at)
	case *types.Array:
		return e.sumArrays(t, xs)
	}
	acc, elem := core.NewVar("acc", t), core.NewVar("x", t)
	var body core.Builder
	next := e.inner(&body).emit(prim.Add, t, []types.Type{t}, acc, elem)
	zero := e.zero(t)
	return e.out.Let(e.name, t, &core.Reduce{Acc: acc, Elem: elem, Init: zero, Array: xs,
		Body: body.Block(next)}, e.at)
}

func (e *expander) sumArrays(t *types.Array, xs core.Atom) core.Atom {
	at := func(out *core.Builder, op core.Op, ty types.Type) core.Atom {
		return out.Let(e.name, ty, op, e.at)
	}
	n := e.emit(prim.Length, types.Int, []types.Type{t}, xs)
	none := e.emit(prim.Eq, types.Bool, []types.Type{types.Int}, n, core.IntLit(0))
	var empty, some, body core.Builder
	text := &core.Lit{Ty: types.String, Str: "the sum of no arrays: nothing says how long it is"}
	failed := at(&empty, &core.Prim{Prim: prim.Fail.Row(), Inst: []types.Type{t},
		Args: []core.Atom{text}}, t)
	first := at(&some, &core.Index{Of: xs, At: core.IntLit(0)}, t)
	rest := at(&some, &core.Slice{Of: xs, Lo: core.IntLit(1), Hi: n}, xs.Type())
	acc, elem := core.NewVar("acc", t), core.NewVar("x", t)
	next := e.inner(&body).prim(&core.Prim{Prim: prim.Add.Row(), Inst: []types.Type{t},
		Args: []core.Atom{acc, elem}}, t)
	sum := at(&some, &core.Reduce{Acc: acc, Elem: elem, Init: first, Array: rest,
		Body: body.Block(next)}, t)
	return at(e.out, &core.If{Cond: none, Then: empty.Block(failed), Else: some.Block(sum)}, t)
}

func (e *expander) plus(x, y core.Atom) core.Atom {
	return e.emit(prim.Add, types.Real, []types.Type{types.Real}, x, y)
}

// addFun returns + at a type, as a function value.
func (e *expander) addFun(t types.Type) core.Atom {
	x, y := core.NewVar("x", t), core.NewVar("y", t)
	var body core.Builder
	sum := e.inner(&body).prim(&core.Prim{Prim: prim.Add.Row(), Inst: []types.Type{t},
		Args: []core.Atom{x, y}}, t)
	return e.out.Emit("add", &core.Lambda{Params: []*core.Var{x, y}, Body: body.Block(sum)}, e.at)
}
