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
// are, so it must never be multiplied: 0 · ∞ is NaN. Most such zeros are known
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
	if !types.HasReals(t) {
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
		return make([]*adjoint, len(types.Parts(t)))
	}
	if a.leaf == nil {
		return a.parts
	}
	parts := make([]*adjoint, len(types.Parts(t)))
	for i, ct := range types.Parts(t) {
		if types.HasReals(ct) {
			parts[i] = whole(e.component(a.leaf, i))
		}
	}
	return parts
}

// spread splits an adjoint of a value of type t as far as tuples and records
// go, so that each part has its name once.
func (e *emitter) spread(a *adjoint, t types.Type) *adjoint {
	ts := types.Parts(t)
	if a == nil || ts == nil {
		return a
	}
	parts := make([]*adjoint, len(ts))
	for i, part := range e.split(a, t) {
		parts[i] = e.spread(part, ts[i])
	}
	return joined(parts)
}

// splitTable gives the parts of a table whose rows are tuples or records of
// type t.
func (e *emitter) splitTable(a *adjoint, t types.Type) []*adjoint {
	if a == nil {
		return make([]*adjoint, len(types.Parts(t)))
	}
	if a.leaf == nil {
		return a.parts
	}
	parts := make([]*adjoint, len(types.Parts(t)))
	for i, ct := range types.Parts(t) {
		if types.HasReals(ct) {
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
	if ts := types.Parts(t); ts != nil {
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
	ts := types.Parts(t)
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
