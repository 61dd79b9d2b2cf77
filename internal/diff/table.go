package diff

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// table sums the bits of the cotangent of an array into one dense table.
func (e *emitter) table(a *adjoint, array core.Atom) *adjoint {
	if a == nil {
		return nil
	}
	elem := elemType(array.Type())
	var total *adjoint
	for _, b := range a.bits {
		switch b.kind {
		case dense:
			total = e.sumTables(total, b.elem, elem)
		case stack:
			total = e.sumTables(total, e.sumStack(b.elem, array, elem), elem)
		}
	}
	var scattered []bit
	for _, b := range a.bits {
		if b.kind == sparse {
			scattered = append(scattered, b)
		}
	}
	for _, b := range e.appended(append(scattered, e.gathered(a.bits, elem)...)) {
		total = e.accumulate(total, b, array, elem)
	}
	return total
}

// appended joins sparse bits of one depth greater than 1, and of one form:
// each costs a pass over the whole array of arrays.
func (e *emitter) appended(bits []bit) []bit {
	var found []bit
	for _, b := range bits {
		k := slices.IndexFunc(found, func(a bit) bool {
			return len(a.path) == len(b.path) && len(a.path) > 1 && sameForm(a.elem, b.elem)
		})
		if k < 0 {
			found = append(found, bit{kind: sparse, path: slices.Clone(b.path), elem: b.elem, padded: b.padded})
			continue
		}
		join := func(x, y core.Atom) core.Atom { return e.row(prim.Append, []types.Type{elemType(x.Type())}, x, y) }
		for i := range b.path {
			found[k].path[i] = join(found[k].path[i], b.path[i])
		}
		found[k].elem = joinLeaves(found[k].elem, b.elem, join)
		found[k].padded = found[k].padded || b.padded
	}
	return found
}

// sumStack adds the tables of a stack to zeros.
func (e *emitter) sumStack(stack *adjoint, array core.Atom, elem types.Type) *adjoint {
	if stack == nil {
		return nil
	}
	if stack.leaf == nil {
		parts := make([]*adjoint, len(stack.parts))
		for i, t := range types.Parts(elem) {
			if stack.parts[i] != nil {
				column := e.mapOne(array, func(e *emitter, x core.Atom) core.Atom { return e.component(x, i) })
				parts[i] = e.sumStack(stack.parts[i], column, t)
			}
		}
		return joined(parts)
	}
	return &adjoint{leaf: e.sumRows(stack.leaf, e.zero(array))}
}

// sumRows adds the elements of an array, which are arrays, to start.
func (e *emitter) sumRows(rows, start core.Atom) core.Atom {
	acc, row := core.NewVar("acc", start.Type()), core.NewVar("row", elemType(rows.Type()))
	inner := e.nested()
	next := inner.addValues(acc, row)
	return e.let("sum", &core.Reduce{Acc: acc, Elem: row, Init: start, Array: rows, Body: inner.Block(next)})
}

// gathered turns the points among bits into sparse ones, those of one depth
// into one if their elements are numbers.
func (e *emitter) gathered(bits []bit, elem types.Type) []bit {
	var groups [][]bit
	for _, b := range bits {
		if b.kind != point {
			continue
		}
		k := -1
		if numeric(indexedType(elem, len(b.path)-1)) {
			k = slices.IndexFunc(groups, func(g []bit) bool { return len(g[0].path) == len(b.path) })
		}
		if k < 0 {
			groups = append(groups, []bit{b})
			continue
		}
		groups[k] = append(groups[k], b)
	}
	var found []bit
	for _, group := range groups {
		found = append(found, e.oneSparse(group, indexedType(elem, len(group[0].path)-1)))
	}
	return found
}

// oneSparse makes one sparse bit of points of one depth, whose elements have
// type t.
func (e *emitter) oneSparse(points []bit, t types.Type) bit {
	s := bit{kind: sparse}
	rows := make([]*adjoint, len(points))
	for i := range points[0].path {
		ats := make([]core.Atom, len(points))
		for k, p := range points {
			ats[k] = p.path[i]
		}
		s.path = append(s.path, e.let("at", &core.Array{Elem: types.Int, Elems: ats}))
	}
	for k, p := range points {
		rows[k] = p.elem
		s.padded = s.padded || p.padded
	}
	s.elem = e.tableOf(rows, t)
	return s
}

// tableOf makes a table of rows. Reals without a contribution are zeros;
// arrays, which come in one row alone, are dense.
func (e *emitter) tableOf(rows []*adjoint, t types.Type) *adjoint {
	if ts := types.Parts(t); ts != nil {
		split := make([][]*adjoint, len(rows))
		for k, row := range rows {
			split[k] = e.split(row, t)
		}
		parts := make([]*adjoint, len(ts))
		for i, part := range ts {
			column := make([]*adjoint, len(rows))
			for k := range rows {
				column[k] = split[k][i]
			}
			if types.HasReals(part) && (column[0] != nil || numeric(part)) {
				parts[i] = e.tableOf(column, part)
			}
		}
		return &adjoint{parts: parts}
	}
	xs := make([]core.Atom, len(rows))
	for k, row := range rows {
		switch {
		case row == nil:
			xs[k] = realLit(0)
		case row.bits != nil:
			xs[k] = row.bits[0].elem.leaf
		default:
			xs[k] = row.leaf
		}
	}
	return &adjoint{leaf: e.let("b", &core.Array{Elem: xs[0].Type(), Elems: xs})}
}

// numeric tells whether a type is made of numbers and truth values, without
// arrays or texts.
func numeric(t types.Type) bool {
	t = types.Resolve(t)
	if b, ok := t.(*types.Basic); ok {
		return b != types.String
	}
	if _, ok := t.(*types.Array); ok {
		return false
	}
	ts := types.Parts(t)
	for _, part := range ts {
		if !numeric(part) {
			return false
		}
	}
	return ts != nil
}

// accumulate adds a sparse bit to a table.
func (e *emitter) accumulate(total *adjoint, b bit, array core.Atom, elem types.Type) *adjoint {
	if b.elem == nil {
		return total
	}
	t := elem // of the elements that are added
	for range b.path[1:] {
		t = elemType(t)
	}
	if _, ok := types.Resolve(t).(*types.Array); ok {
		return e.accumulate(total, e.deepen(b), array, elem)
	}
	if len(b.path) == 1 {
		if ts := types.Parts(t); ts != nil {
			totals, rows := e.splitTable(total, t), e.splitTable(b.elem, t)
			parts := make([]*adjoint, len(ts))
			for i := range ts {
				parts[i] = totals[i]
				if rows[i] != nil {
					column := e.mapOne(array, func(e *emitter, x core.Atom) core.Atom { return e.component(x, i) })
					parts[i] = e.accumulate(totals[i], bit{kind: sparse, path: b.path, elem: rows[i], padded: b.padded}, column, ts[i])
				}
			}
			return &adjoint{parts: parts}
		}
	}
	base := e.tableValue(total, array)
	return &adjoint{leaf: e.accumulateAt(base, b.path, e.tableColumn(b.elem, t), b.padded)}
}

// tableColumn makes one array of a table of numeric rows.
func (e *emitter) tableColumn(table *adjoint, t types.Type) core.Atom {
	if table.leaf != nil {
		return table.leaf
	}
	var arrays []core.Atom
	var params []*core.Var
	row := rowsOf(table, func(leaf core.Atom) core.Atom {
		p := core.NewVar("b", elemType(leaf.Type()))
		arrays, params = append(arrays, leaf), append(params, p)
		return p
	})
	inner := e.nested()
	return e.let("bs", &core.Map{Params: params, Arrays: arrays, Body: inner.Block(inner.numericValue(row, t))})
}

// numericValue is value for a type whose zeros need no shape.
func (e *emitter) numericValue(a *adjoint, t types.Type) core.Atom {
	if a != nil && a.leaf != nil {
		return a.leaf
	}
	if ts := types.Parts(t); ts != nil {
		parts := make([]core.Atom, len(ts))
		for i, part := range e.split(a, t) {
			parts[i] = e.numericValue(part, ts[i])
		}
		return e.assemble(t, parts)
	}
	return e.zero(core.NewVar("unused", t))
}

// deepen turns a sparse bit whose elements are arrays into one of their
// elements, with a path that is longer by one.
func (e *emitter) deepen(b bit) bit {
	rows := b.elem.leaf
	deeper := bit{kind: sparse, padded: b.padded}
	for _, at := range b.path {
		each := e.mapAll([]core.Atom{at, rows}, func(e *emitter, x []core.Atom) core.Atom {
			return e.mapOne(x[1], func(*emitter, core.Atom) core.Atom { return x[0] })
		})
		deeper.path = append(deeper.path, e.flatten(each))
	}
	inner := e.mapOne(rows, func(e *emitter, row core.Atom) core.Atom { return e.iota(e.length(row)) })
	deeper.path = append(deeper.path, e.flatten(inner))
	deeper.elem = &adjoint{leaf: e.flatten(rows)}
	return deeper
}

// accumulateAt adds the elements of bs, numbers or tuples and records of
// them, to those at the paths in an array of (arrays of …) such elements.
// Padded paths, all of whose indices are 0, may be out of range: only if there
// is no element at all.
func (e *emitter) accumulateAt(base core.Atom, path []core.Atom, bs core.Atom, padded bool) core.Atom {
	if padded {
		some := e.row(prim.Lt, atInt, core.IntLit(0), e.length(base))
		then := e.nested()
		sum := then.accumulateInto(base, path, bs, true)
		return e.choose(some, then, e.nested(), sum, base)
	}
	return e.accumulateInto(base, path, bs, false)
}

func (e *emitter) accumulateInto(base core.Atom, path []core.Atom, bs core.Atom, padded bool) core.Atom {
	if len(path) > 1 {
		// An array of arrays is one array, in which each row has a start.
		starts := e.starts(base)
		flat := e.flatten(base)
		at := e.mapAll(path[:2], func(e *emitter, x []core.Atom) core.Atom { return e.addInt(e.index(starts, x[0]), x[1]) })
		sum := e.accumulateAt(flat, append([]core.Atom{at}, path[2:]...), bs, padded)
		return e.unflatten(sum, base, starts)
	}
	elem := elemType(base.Type())
	if !types.HasReals(elem) {
		return base
	}
	ts := types.Parts(elem)
	if ts == nil {
		return e.row(prim.Accumulate, atReal, base, path[0], bs)
	}
	columns := make([]core.Atom, len(ts))
	for i := range ts {
		part := func(e *emitter, x core.Atom) core.Atom { return e.component(x, i) }
		columns[i] = e.accumulateInto(e.mapOne(base, part), path, e.mapOne(bs, part), padded)
	}
	return e.mapAll(columns, func(e *emitter, x []core.Atom) core.Atom { return e.assemble(elem, x) })
}

// starts tells where each row of an array begins in the flattened array.
func (e *emitter) starts(rows core.Atom) core.Atom {
	lengths := e.mapOne(rows, func(e *emitter, row core.Atom) core.Atom { return e.length(row) })
	acc, n := core.NewVar("acc", types.Int), core.NewVar("n", types.Int)
	inner := e.nested()
	next := inner.addInt(acc, n)
	ends := e.let("ends", &core.Scan{Acc: acc, Elem: n, Init: core.IntLit(0), Array: lengths, Body: inner.Block(next)})
	return e.mapAll([]core.Atom{ends, lengths}, func(e *emitter, x []core.Atom) core.Atom { return e.subInt(x[0], x[1]) })
}

// unflatten cuts an array into rows like those of another.
func (e *emitter) unflatten(flat, rows, starts core.Atom) core.Atom {
	return e.mapAll([]core.Atom{rows, starts}, func(e *emitter, x []core.Atom) core.Atom {
		end := e.addInt(x[1], e.length(x[0]))
		return e.let("row", &core.Slice{Of: flat, Lo: x[1], Hi: end})
	})
}
