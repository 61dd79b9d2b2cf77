package opt

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// partials returns the derivative of f at x in the form of its type (types, Note [Jacobians]).
// The matrix between the reals of x and those of f x is computed once. Then its entries are put
// in their places.
func (e *expander) partials(p *core.Prim, ty types.Type) core.Atom {
	s, t := p.Inst[0], p.Inst[1]
	f, x := p.Args[0], p.Args[1]
	if isVector(s) && isVector(t) {
		return e.emit(prim.Jacobian, ty, nil, f, x)
	}
	var body core.Builder
	in := e.inner(&body)
	xs := core.NewVar("xs", reals)
	at := in.emit(prim.WithReals, s, []types.Type{s}, x, xs)
	image := body.Let("y", t, &core.Apply{Fun: f, Args: []core.Atom{at}}, e.at)
	flat := &core.Lambda{Params: []*core.Var{xs}, Body: body.Block(in.reals(t, image))}
	g := e.out.Let("f", types.Funs(reals, reals), flat, e.at)
	j := &jacobian{
		matrix: e.emit(prim.Jacobian, matrix, nil, g, e.reals(s, x)),
		image:  e.out.Let("y", t, &core.Apply{Fun: f, Args: []core.Atom{x}}, e.at),
		target: t,
	}
	return j.by(e, s, x, core.IntLit(0))
}

var (
	reals  types.Type = &types.Array{Size: types.AnySize, Elem: types.Real}
	matrix types.Type = &types.Array{Size: types.AnySize, Elem: reals}
)

func isVector(t types.Type) bool {
	a, ok := t.(*types.Array)
	return ok && a.Elem == types.Type(types.Real)
}

// jacobian is a matrix of partial derivatives, with a row for each real of the image and a column
// for each real of the source.
type jacobian struct {
	matrix, image core.Atom
	target        types.Type
}

// by returns the derivative by a part x of the source, of type s. column is the number of its
// first column.
func (j *jacobian) by(e *expander, s types.Type, x, column core.Atom) core.Atom {
	switch s := s.(type) {
	case *types.Tuple, *types.Record:
		return e.parts(s, x, column, func(part types.Type, x, column core.Atom) core.Atom {
			return j.by(e, part, x, column)
		})
	}
	if s == types.Type(types.Real) {
		return e.emit(prim.WithReals, j.target, []types.Type{j.target}, j.image,
			j.column(e, column))
	}
	end := e.add(column, e.count(s, x))
	gradient := func(e *expander, row core.Atom) core.Atom {
		entries := e.out.Let("row", reals, &core.Index{Of: j.matrix, At: row}, e.at)
		own := e.out.Let("row", reals, &core.Slice{Of: entries, Lo: column, Hi: end}, e.at)
		return e.emit(prim.WithReals, s, []types.Type{s}, x, own)
	}
	return e.gradients(j.target, j.image, core.IntLit(0), gradient)
}

// column returns a column of the matrix.
func (j *jacobian) column(e *expander, column core.Atom) core.Atom {
	var body core.Builder
	row := core.NewVar("row", reals)
	entry := body.Let("d", types.Real, &core.Index{Of: row, At: column}, e.at)
	op := &core.Map{Params: []*core.Var{row}, Arrays: []core.Atom{j.matrix},
		Body: body.Block(entry)}
	return e.out.Let("column", reals, op, e.at)
}

// gradients returns a part y of the image, of type t, with the gradient of each real in its
// place. row is the number of its first real.
func (e *expander) gradients(
	t types.Type, y, row core.Atom, gradient func(e *expander, row core.Atom) core.Atom,
) core.Atom {
	switch t := t.(type) {
	case *types.Tuple, *types.Record:
		return e.parts(t, y, row, func(part types.Type, y, row core.Atom) core.Atom {
			return e.gradients(part, y, row, gradient)
		})
	case *types.Array:
		starts := e.starts(t, y)
		var body core.Builder
		elem, start := core.NewVar("y", t.Elem), core.NewVar("i", types.Int)
		in := e.inner(&body)
		result := in.gradients(t.Elem, elem, in.add(row, start), gradient)
		ty := &types.Array{Size: t.Size, Elem: result.Type()}
		op := &core.Map{Params: []*core.Var{elem, start}, Arrays: []core.Atom{y, starts},
			Body: body.Block(result)}
		return e.out.Let(e.name, ty, op, e.at)
	}
	if t == types.Type(types.Real) {
		return gradient(e, row)
	}
	return y
}

// starts returns the numbers of the first reals of the elements of an array.
func (e *expander) starts(t *types.Array, xs core.Atom) core.Atom {
	ints := &types.Array{Size: t.Size, Elem: types.Int}
	var count, next, first core.Builder
	x, n := core.NewVar("x", t.Elem), core.NewVar("n", types.Int)
	counts := e.out.Let("counts", ints,
		&core.Map{Params: []*core.Var{x}, Arrays: []core.Atom{xs},
			Body: count.Block(e.inner(&count).count(t.Elem, x))}, e.at)
	acc, elem := core.NewVar("acc", types.Int), core.NewVar("n", types.Int)
	ends := e.out.Let("ends", ints, &core.Scan{
		Acc: acc, Elem: elem, Init: core.IntLit(0), Array: counts,
		Body: next.Block(e.inner(&next).add(acc, elem)),
	}, e.at)
	end := core.NewVar("end", types.Int)
	start := e.inner(&first).emit(prim.Sub, types.Int, []types.Type{types.Int}, end, n)
	return e.out.Let("starts", ints,
		&core.Map{Params: []*core.Var{end, n}, Arrays: []core.Atom{ends, counts},
			Body: first.Block(start)}, e.at)
}

// parts assembles the results of do for the components of a tuple or record x. If first, the
// number of the first real of x, is given, each component gets the number of its first real.
func (e *expander) parts(
	t types.Type, x, first core.Atom, do func(part types.Type, x, first core.Atom) core.Atom,
) core.Atom {
	var elems []core.Atom
	add := func(part types.Type, x core.Atom) {
		elems = append(elems, do(part, x, first))
		first = e.add(first, e.count(part, x))
	}
	switch t := t.(type) {
	case *types.Tuple:
		if len(t.Elems) == 0 {
			return core.UnitLit()
		}
		for i, part := range t.Elems {
			add(part, e.project([]core.Atom{x}, i, part)[0])
		}
		return e.out.Emit(e.name, &core.Tuple{Elems: elems}, e.at)
	case *types.Record:
		ty := &types.Record{}
		for i, f := range t.Fields {
			add(f.Type, e.fields([]core.Atom{x}, i, f.Type)[0])
			ty.Fields = append(ty.Fields, types.Field{Name: f.Name, Type: elems[i].Type()})
		}
		return e.out.Let(e.name, ty, &core.Record{Ty: ty, Elems: elems}, e.at)
	}
	panic("opt: no parts of " + types.Show(t))
}

// reals returns the array of the reals of a value.
func (e *expander) reals(t types.Type, v core.Atom) core.Atom {
	if isVector(t) {
		return v
	}
	return e.emit(prim.Reals, reals, []types.Type{t}, v)
}

// count returns the number of reals of a value.
func (e *expander) count(t types.Type, v core.Atom) core.Atom {
	if b, ok := t.(*types.Basic); ok {
		if b == types.Real {
			return core.IntLit(1)
		}
		return core.IntLit(0)
	}
	return e.emit(prim.Length, types.Int, []types.Type{types.Real}, e.reals(t, v))
}

func (e *expander) add(m, n core.Atom) core.Atom {
	if l, ok := m.(*core.Lit); ok && l.Int == 0 {
		return n
	}
	return e.emit(prim.Add, types.Int, []types.Type{types.Int}, m, n)
}
