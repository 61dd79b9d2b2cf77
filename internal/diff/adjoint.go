package diff

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Structural zeros]
//
// A branch that is not taken, an argument that max does not choose, an output
// that nobody uses: what they would contribute is zero whatever the slopes
// are, so it must never be multiplied (DESIGN §2.1). Most such zeros are known
// when the derivative is made: a nil *adjoint stands for them, and nothing is
// emitted. The others depend on a condition that is known only when the
// derivative runs. Then a real cotangent has a guard, a Bool that tells
// whether there is one; its value is 0 where there is none. To multiply it is
// to choose: `if guard then value * slope else 0`. Tangents are treated alike.
//
// Between whole-array operations (co)tangents are arrays without guards. A 0
// in one that meets an infinite slope gives NaN, never a wrong number.

// adjoint is what is known of the cotangent (or the tangent) of a value; nil
// is the structural zero. Exactly one of its forms holds:
//
//   - leaf, of the type of the value: the whole of it. For a Real it may have
//     a guard, nil meaning that there always is one.
//   - parts, one for each component of a tuple or record;
//   - bits, for an array: their sum.
type adjoint struct {
	leaf, guard core.Atom
	parts       []*adjoint
	bits        []bit
}

// bit is a part of the cotangent of an array. In a table, each leaf is an
// array of what an adjoint of the element type has there; the leaf may stand
// at any type, so a table of pairs is one array of pairs, or two arrays of
// their components.
type bit struct {
	kind bitKind
	// point: an Int for each level of nesting that is indexed; sparse: an
	// []Int for each.
	path []core.Atom
	// point: of the element at the path; dense: a table with one row for each
	// element; sparse: a table with one row for each index of the path; stack:
	// each leaf is an array of what dense has there, any number of them.
	elem *adjoint
	// padded: among the indices may be some, with zeros for elements, that are
	// not in range if the array is empty.
	padded bool
}

type bitKind uint8

const (
	dense bitKind = iota
	stack
	sparse
	point
)

// whole is the adjoint that an atom is.
func whole(a core.Atom) *adjoint {
	t := types.Resolve(a.Type())
	if !hasReals(t) {
		return nil
	}
	if _, ok := t.(*types.Array); ok {
		return denseBits(&adjoint{leaf: a})
	}
	return &adjoint{leaf: a}
}

func denseBits(table *adjoint) *adjoint {
	if table == nil {
		return nil
	}
	return &adjoint{bits: []bit{{kind: dense, elem: table}}}
}

// split gives the parts of an adjoint of a tuple or record.
func (e *emitter) split(a *adjoint, t types.Type) []*adjoint {
	if a == nil {
		return make([]*adjoint, len(componentTypes(t)))
	}
	if a.leaf == nil {
		return a.parts
	}
	parts := make([]*adjoint, len(componentTypes(t)))
	for i, ct := range componentTypes(t) {
		if hasReals(ct) {
			parts[i] = whole(e.component(a.leaf, i))
		}
	}
	return parts
}

// splitTable gives the parts of a table whose rows are tuples or records of
// type t.
func (e *emitter) splitTable(a *adjoint, t types.Type) []*adjoint {
	if a == nil {
		return make([]*adjoint, len(componentTypes(t)))
	}
	if a.leaf == nil {
		return a.parts
	}
	parts := make([]*adjoint, len(componentTypes(t)))
	for i, ct := range componentTypes(t) {
		if hasReals(ct) {
			parts[i] = &adjoint{leaf: e.mapOne(a.leaf, func(e *emitter, x core.Atom) core.Atom { return e.component(x, i) })}
		}
	}
	return parts
}

// joined is an adjoint of parts, nil if all are.
func joined(parts []*adjoint) *adjoint {
	for _, p := range parts {
		if p != nil {
			return &adjoint{parts: parts}
		}
	}
	return nil
}

// sum adds two adjoints of a value of type t.
func (e *emitter) sum(a, b *adjoint, t types.Type) *adjoint {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	if _, ok := types.Resolve(t).(*types.Array); ok {
		return e.sumBits(a.bits, b.bits, elemType(t))
	}
	if ts := componentTypes(t); ts != nil {
		pa, pb := e.split(a, t), e.split(b, t)
		parts := make([]*adjoint, len(ts))
		for i := range ts {
			parts[i] = e.sum(pa[i], pb[i], ts[i])
		}
		return &adjoint{parts: parts}
	}
	total := &adjoint{leaf: e.add(a.leaf, b.leaf)}
	if a.guard != nil && b.guard != nil {
		total.guard = e.either(a.guard, b.guard)
	}
	return total
}

// sumBits adds two cotangents of an array. Points at one place become one.
func (e *emitter) sumBits(as, bs []bit, elem types.Type) *adjoint {
	bits := slices.Clone(as)
	for _, b := range bs {
		k := -1
		if b.kind == point {
			k = slices.IndexFunc(bits, func(a bit) bool { return a.kind == point && slices.EqualFunc(a.path, b.path, sameAtom) })
		}
		if k < 0 || !numeric(indexedType(elem, len(b.path)-1)) {
			bits = append(bits, b)
			continue
		}
		bits[k].elem = e.sum(bits[k].elem, b.elem, indexedType(elem, len(b.path)-1))
		bits[k].padded = bits[k].padded || b.padded
	}
	return &adjoint{bits: bits}
}

// sumTables adds two tables whose rows have type t.
func (e *emitter) sumTables(a, b *adjoint, t types.Type) *adjoint {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	case a.leaf != nil && b.leaf != nil:
		return &adjoint{leaf: e.addValues(a.leaf, b.leaf)}
	}
	pa, pb := e.splitTable(a, t), e.splitTable(b, t)
	ts := componentTypes(t)
	parts := make([]*adjoint, len(ts))
	for i := range ts {
		parts[i] = e.sumTables(pa[i], pb[i], ts[i])
	}
	return &adjoint{parts: parts}
}

// same tells whether two adjoints are plainly equal.
func same(a, b *adjoint) bool {
	if a == nil || b == nil {
		return a == b
	}
	if len(a.parts) != len(b.parts) || len(a.bits) != len(b.bits) || (a.leaf == nil) != (b.leaf == nil) {
		return false
	}
	if a.leaf != nil && (!sameAtom(a.leaf, b.leaf) || a.guard != b.guard) {
		return false
	}
	for i := range a.parts {
		if !same(a.parts[i], b.parts[i]) {
			return false
		}
	}
	for i := range a.bits {
		if a.bits[i].kind != dense || b.bits[i].kind != dense || !same(a.bits[i].elem, b.bits[i].elem) {
			return false
		}
	}
	return true
}

// ---- multiplying

// scaled is a real adjoint multiplied by the value of a block of the table:
// by each side of the Ifs that end it, so that a side that is 0 leaves a
// structural zero.
func (e *emitter) scaled(a *adjoint, by *core.Block, subst map[*core.Var]core.Atom) *adjoint {
	c := core.NewCopier(subst)
	n := len(by.Stmts)
	if n > 0 {
		last, _ := by.Stmts[n-1].(*core.Let)
		if choice, ok := last.Op.(*core.If); ok && by.Result == core.Atom(last.Var) {
			e.copyStmts(by.Stmts[:n-1], c)
			switch cond := c.Atom(choice.Cond).(type) {
			case *core.Lit:
				if cond.Bool {
					return e.scaled(a, choice.Then, c.Subst)
				}
				return e.scaled(a, choice.Else, c.Subst)
			default:
				then, otherwise := e.nested(), e.nested()
				t, f := then.scaled(a, choice.Then, c.Subst), otherwise.scaled(a, choice.Else, c.Subst)
				return e.chooseReal(cond, then, otherwise, t, f)
			}
		}
	}
	e.copyStmts(by.Stmts, c)
	return e.times(a, c.Atom(by.Result))
}

// times is a real adjoint times a slope.
func (e *emitter) times(a *adjoint, slope core.Atom) *adjoint {
	switch {
	case isReal(slope, 0):
		return nil
	case isReal(slope, 1):
		return a
	case a.guard == nil || isLit(slope):
		return &adjoint{leaf: e.mul(a.leaf, slope), guard: a.guard}
	}
	then := e.nested()
	product := then.mul(a.leaf, slope)
	return &adjoint{leaf: e.choose(a.guard, then, e.nested(), product, realLit(0)), guard: a.guard}
}

// chooseReal is one of two real adjoints, of which the blocks give the values.
func (e *emitter) chooseReal(cond core.Atom, then, otherwise *emitter, t, f *adjoint) *adjoint {
	if same(t, f) {
		return t
	}
	value := func(a *adjoint) core.Atom {
		if a == nil {
			return realLit(0)
		}
		return a.leaf
	}
	guard := func(a *adjoint) core.Atom {
		switch {
		case a == nil:
			return core.BoolLit(false)
		case a.guard == nil:
			return core.BoolLit(true)
		}
		return a.guard
	}
	// The guard is an If of its own: often nothing needs it.
	gt, gf := guard(t), guard(f)
	present := e.choose(cond, then.copied(&gt), otherwise.copied(&gf), gt, gf)
	chosen := &adjoint{leaf: e.choose(cond, then, otherwise, value(t), value(f)), guard: present}
	if l, ok := present.(*core.Lit); ok && l.Bool {
		chosen.guard = nil
	}
	return chosen
}

// copied is a copy of a block being built, with fresh variables; result is
// what an atom of it is in the copy.
func (e *emitter) copied(result *core.Atom) *emitter {
	stmts := e.Block(core.UnitLit()).Stmts
	e.Add(stmts...)
	other := e.nested()
	c := core.NewCopier(nil)
	for _, s := range stmts {
		let := s.(*core.Let)
		op := c.Op(let.Op)
		other.bind(c.Bind(let.Var), op)
	}
	*result = c.Atom(*result)
	return other
}

// choose is `if cond then t else f`, where the blocks make t and f.
func (e *emitter) choose(cond core.Atom, then, otherwise *emitter, t, f core.Atom) core.Atom {
	if l, ok := cond.(*core.Lit); ok {
		if l.Bool {
			return e.Splice(then.Block(t))
		}
		return e.Splice(otherwise.Block(f))
	}
	if sameAtom(t, f) {
		return t
	}
	if x, ok := t.(*core.Lit); ok && x.Ty == types.Type(types.Bool) {
		if y, ok := f.(*core.Lit); ok { // they differ
			if x.Bool && !y.Bool {
				return cond
			}
			return e.row("not", nil, cond)
		}
	}
	return e.let("t", &core.If{Cond: cond, Then: then.Block(t), Else: otherwise.Block(f)})
}

func (e *emitter) either(a, b core.Atom) core.Atom {
	if sameAtom(a, b) {
		return a
	}
	return e.choose(a, e.nested(), e.nested(), core.BoolLit(true), b)
}

// ---- values

// value is an adjoint of a value, whose primal is like, as one atom.
func (e *emitter) value(a *adjoint, like core.Atom) core.Atom {
	t := like.Type()
	if a == nil {
		return e.zero(like)
	}
	if a.leaf != nil {
		return a.leaf
	}
	if a.bits != nil {
		return e.tableValue(e.table(a, like), like)
	}
	parts := make([]core.Atom, len(a.parts))
	for i, p := range a.parts {
		parts[i] = e.value(p, e.component(like, i))
	}
	return e.assemble(t, parts)
}

// tableValue makes one array of a table with a row for each element of like.
func (e *emitter) tableValue(table *adjoint, like core.Atom) core.Atom {
	if table == nil {
		return e.zero(like)
	}
	if table.leaf != nil {
		return table.leaf
	}
	arrays := []core.Atom{like}
	seed := rowsOf(table, func(leaf core.Atom) core.Atom {
		arrays = append(arrays, leaf)
		return core.NewVar("b", elemType(leaf.Type()))
	})
	var params []core.Atom
	rowsOf(seed, func(leaf core.Atom) core.Atom {
		params = append(params, leaf)
		return leaf
	})
	x := core.NewVar("x", elemType(like.Type()))
	inner := e.nested()
	row := inner.value(seed, x)
	vars := []*core.Var{x}
	for _, p := range params {
		vars = append(vars, p.(*core.Var))
	}
	return e.mapOf(vars, arrays, inner.Block(row))
}

// rowsOf maps the leaves of a table.
func rowsOf(table *adjoint, f func(core.Atom) core.Atom) *adjoint {
	if table == nil {
		return nil
	}
	if table.leaf != nil {
		// A leaf of a table may be an array in each row.
		return &adjoint{leaf: f(table.leaf)}
	}
	parts := make([]*adjoint, len(table.parts))
	for i, p := range table.parts {
		parts[i] = rowsOf(p, f)
	}
	return &adjoint{parts: parts}
}

// normal makes the leaves of arrays, in a row of a table, the bits that an
// adjoint has for them.
func normal(row *adjoint) *adjoint {
	if row == nil {
		return nil
	}
	if row.leaf != nil {
		return whole(row.leaf)
	}
	parts := make([]*adjoint, len(row.parts))
	for i, p := range row.parts {
		parts[i] = normal(p)
	}
	return &adjoint{parts: parts}
}

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
	for _, b := range a.bits {
		if b.kind == sparse {
			total = e.accumulate(total, b, array, elem)
		}
	}
	for _, b := range e.gathered(a.bits, elem) {
		total = e.accumulate(total, b, array, elem)
	}
	return total
}

// sumStack adds the tables of a stack to zeros.
func (e *emitter) sumStack(stack *adjoint, array core.Atom, elem types.Type) *adjoint {
	if stack == nil {
		return nil
	}
	if stack.leaf == nil {
		parts := make([]*adjoint, len(stack.parts))
		for i, t := range componentTypes(elem) {
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
	var found []bit
	groups := map[int]int{} // of the depth: where in found
	for _, b := range bits {
		if b.kind != point {
			continue
		}
		t := elem
		for range b.path[1:] {
			t = elemType(t)
		}
		row := b.elem
		if k, ok := groups[len(b.path)]; ok && numeric(t) {
			found[k].padded = found[k].padded || b.padded
			for i, at := range b.path {
				found[k].path[i] = e.push(found[k].path[i], at)
			}
			found[k].elem = e.pushRow(found[k].elem, row, t)
			continue
		}
		s := bit{kind: sparse, path: make([]core.Atom, len(b.path)), padded: b.padded}
		for i, at := range b.path {
			s.path[i] = e.let("at", &core.Array{Elem: types.Int, Elems: []core.Atom{at}})
		}
		s.elem = e.singleton(row, t)
		if numeric(t) {
			groups[len(b.path)] = len(found)
		}
		found = append(found, s)
	}
	return found
}

// push is an array built by an Array operation with one more element.
func (e *emitter) push(array, x core.Atom) core.Atom {
	op := e.def(array).(*core.Array)
	elems := append(op.Elems[:len(op.Elems):len(op.Elems)], x)
	return e.let("at", &core.Array{Elem: op.Elem, Elems: elems})
}

// pushRow adds a row of numbers to a table built by singleton.
func (e *emitter) pushRow(table, row *adjoint, t types.Type) *adjoint {
	ts := componentTypes(t)
	if ts == nil {
		x := core.Atom(realLit(0))
		if row != nil {
			x = row.leaf
		}
		return &adjoint{leaf: e.push(table.leaf, x)}
	}
	rows := e.split(row, t)
	parts := make([]*adjoint, len(ts))
	for i := range ts {
		if hasReals(ts[i]) {
			parts[i] = e.pushRow(table.parts[i], rows[i], ts[i])
		}
	}
	return &adjoint{parts: parts}
}

// singleton is a table of one row. Reals without a contribution are zeros.
func (e *emitter) singleton(row *adjoint, t types.Type) *adjoint {
	ts := componentTypes(t)
	if ts != nil {
		rows := e.split(row, t)
		parts := make([]*adjoint, len(ts))
		for i := range ts {
			if hasReals(ts[i]) && (rows[i] != nil || numeric(ts[i])) {
				parts[i] = e.singleton(rows[i], ts[i])
			}
		}
		return &adjoint{parts: parts}
	}
	x := core.Atom(realLit(0))
	if row != nil {
		x = row.leaf
		if row.bits != nil {
			x = row.bits[0].elem.leaf // points hold dense arrays: see pointBits
		}
	}
	return &adjoint{leaf: e.let("b", &core.Array{Elem: x.Type(), Elems: []core.Atom{x}})}
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
	ts := componentTypes(t)
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
		if ts := componentTypes(t); ts != nil {
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
	if ts := componentTypes(t); ts != nil {
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
		some := e.row("<", atInt, core.IntLit(0), e.length(base))
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
	if !hasReals(elem) {
		return base
	}
	ts := componentTypes(elem)
	if ts == nil {
		return e.row("accumulate", atReal, base, path[0], bs)
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
