package diff

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// finish emits the loop and hands on what it gives.
func (t *turns) finish() {
	t.collect()
	t.deliver()
}

// collect finds the outputs, and what of the body they and more atoms need.
func (t *turns) collect(more ...core.Atom) {
	later := func(to core.Atom, get func() *adjoint) {
		if get != nil {
			t.after = append(t.after, func() { t.outer.contribute(to, get()) })
		}
	}
	for i, array := range t.before {
		if p := t.params[i]; t.outer.varied.has[p] {
			later(array, t.elementOut(t.r.take(p), p))
		}
	}
	for _, v := range t.free {
		if a := t.r.take(v); a != nil {
			later(v, t.capturedOut(a, v, v.Ty, t.outer.home[v]))
		}
	}
	t.stmts = live(t.r.e.Block(core.UnitLit()).Stmts, append(more, atomsOf(t.columns, t.totals)...)...)
}

// deliver emits the loop, and contributes what it gives.
func (t *turns) deliver() {
	t.emit()
	for _, f := range t.after {
		f()
	}
}

// column is the array of what each turn gives.
func (t *turns) column(x core.Atom) core.Atom {
	if i := slices.IndexFunc(t.params, func(p *core.Var) bool { return x == core.Atom(p) }); i >= 0 {
		return t.arrays[i]
	}
	for _, o := range t.columns {
		if sameAtom(o.atom, x) {
			return o.v
		}
	}
	v := core.NewVar("bs", arrayOf(x.Type()))
	t.columns = append(t.columns, output{atom: x, v: v})
	return v
}

// total is the sum of what the turns give, from start on.
func (t *turns) total(x, start core.Atom) core.Atom {
	v := core.NewVar("sum", x.Type())
	t.totals = append(t.totals, output{atom: x, v: v, start: start})
	return v
}

// tableOut makes columns of an adjoint in each turn.
func (t *turns) tableOut(a *adjoint, ty types.Type) *adjoint {
	switch {
	case a == nil:
		return nil
	case a.leaf != nil:
		return &adjoint{leaf: t.column(a.leaf)}
	case a.bits != nil: // dense, with one leaf: see reverser.settled
		return &adjoint{leaf: t.column(a.bits[0].elem.leaf)}
	}
	parts := make([]*adjoint, len(a.parts))
	for i, part := range types.Parts(ty) {
		parts[i] = t.tableOut(a.parts[i], part)
	}
	return &adjoint{parts: parts}
}

// elementOut is the cotangent of an array whose element in this turn is p.
func (t *turns) elementOut(a *adjoint, p *core.Var) func() *adjoint {
	if a == nil {
		return nil
	}
	if a.bits == nil {
		table := t.tableOut(t.r.settled(a, p), p.Ty)
		return func() *adjoint { return denseBits(table) }
	}
	e := t.r.e
	var whole []bit
	var sparse []func() bit
	for _, b := range a.bits {
		switch b.kind {
		case dense, stack:
			whole = append(whole, b)
		default:
			sparse = append(sparse, t.sparseOut(t.r.indexed(t.number(), p, &adjoint{bits: []bit{b}}).bits[0], p.Ty))
		}
	}
	var column core.Atom
	if len(whole) > 0 {
		column = t.column(e.value(&adjoint{bits: whole}, p))
	}
	return func() *adjoint {
		sum := &adjoint{}
		if column != nil {
			sum = denseBits(&adjoint{leaf: column})
		}
		for _, get := range sparse {
			sum.bits = append(sum.bits, get())
		}
		return sum
	}
}

// sparseOut is what a point or sparse bit of each turn, of an array with
// elements of type elem, comes to outside.
func (t *turns) sparseOut(b bit, elem types.Type) func() bit {
	out := bit{kind: sparse, padded: b.padded}
	for _, at := range b.path {
		out.path = append(out.path, t.column(at))
	}
	if b.kind == point {
		out.elem = t.tableOut(b.elem, indexedType(elem, len(b.path)-1))
		return func() bit { return out }
	}
	out.elem = rowsOf(b.elem, t.column)
	return func() bit {
		e := t.outer.e
		for i, rows := range out.path {
			out.path[i] = e.flatten(rows)
		}
		out.elem = rowsOf(out.elem, e.flatten)
		return out
	}
}

// capturedOut is the cotangent of a variable, or a part of one, that does not
// change in the loop; it is at home if the variable is.
func (t *turns) capturedOut(a *adjoint, like core.Atom, ty types.Type, home bool) func() *adjoint {
	if a == nil {
		return nil
	}
	if ts := types.Parts(ty); ts != nil {
		parts := t.r.e.split(a, ty)
		gets := make([]func() *adjoint, len(ts))
		for i := range ts {
			if parts[i] != nil {
				gets[i] = t.capturedOut(parts[i], t.outer.e.component(like, i), ts[i], home)
			}
		}
		return func() *adjoint {
			outs := make([]*adjoint, len(ts))
			for i, get := range gets {
				if get != nil {
					outs[i] = get()
				}
			}
			return joined(outs)
		}
	}
	if a.leaf != nil {
		sum := t.total(a.leaf, realLit(0))
		return func() *adjoint { return &adjoint{leaf: sum} }
	}
	var gets []func() bit
	for _, b := range a.bits {
		gets = append(gets, t.bitOut(b, like, home))
	}
	return func() *adjoint {
		sum := &adjoint{}
		for _, get := range gets {
			sum.bits = append(sum.bits, get())
		}
		return sum
	}
}

// bitOut is what a bit, in each turn, of a captured array comes to outside.
func (t *turns) bitOut(b bit, array core.Atom, home bool) func() bit {
	elem := elemType(array.Type())
	switch b.kind {
	case dense:
		if !home {
			rows := rowsOf(b.elem, t.column)
			return func() bit { return bit{kind: stack, elem: rows} }
		}
		table := t.totalTable(b.elem, array)
		return func() bit { return bit{kind: dense, elem: table} }
	case stack:
		table := rowsOf(b.elem, t.column)
		return func() bit { return bit{kind: stack, elem: rowsOf(table, t.outer.e.flatten)} }
	case point:
		if t.index != nil && len(b.path) == 1 && b.path[0] == core.Atom(t.index) && home {
			table := t.tableOut(b.elem, elem)
			return func() bit { return t.outer.e.prefix(table, t.count(), array) }
		}
	}
	return t.sparseOut(b, elem)
}

// totalTable sums the tables of all turns.
func (t *turns) totalTable(table *adjoint, array core.Atom) *adjoint {
	switch {
	case table == nil:
		return nil
	case table.leaf != nil:
		return &adjoint{leaf: t.total(table.leaf, t.outer.e.zero(array))}
	}
	parts := make([]*adjoint, len(table.parts))
	for i, p := range table.parts {
		column := t.outer.e.mapOne(array, func(e *emitter, x core.Atom) core.Atom { return e.component(x, i) })
		parts[i] = t.totalTable(p, column)
	}
	return &adjoint{parts: parts}
}

// prefix is a table for the first n elements of an array: all of them, as a
// rule.
func (e *emitter) prefix(table *adjoint, n, array core.Atom) bit {
	length := e.length(array)
	if sameAtom(n, length) || e.isLength(n, array) {
		return bit{kind: dense, elem: table}
	}
	m := &merger{cond: e.row(prim.Eq, atInt, n, length), e: e, then: e.nested(), otherwise: e.nested()}
	b := bit{kind: sparse, path: []core.Atom{m.otherwise.iota(n)}, elem: table}
	some := m.otherwise.accumulate(nil, b, array, elemType(array.Type()))
	merged := m.tables(table, some, array)
	m.emit()
	return bit{kind: dense, elem: merged}
}

// isLength tells whether n was computed as the length of an array.
func (e *emitter) isLength(n, array core.Atom) bool {
	p := e.primDef(n, prim.Length)
	return p != nil && sameAtom(p.Args[0], array)
}
