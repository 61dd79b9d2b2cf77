package diff

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// merger makes one adjoint of those of the two sides of an If.
type merger struct {
	cond               core.Atom
	e, then, otherwise *emitter
	vars               []*core.Var // bound to the results of the If
	ts, fs             []core.Atom
}

// result is the choice between two atoms of the sides.
func (m *merger) result(t, f core.Atom) core.Atom {
	if sameAtom(t, f) {
		return t
	}
	if isLit(t) && isLit(f) && t.Type() == types.Type(types.Bool) {
		return m.e.choose(m.cond, m.e.nested(), m.e.nested(), t, f)
	}
	v := core.NewVar("t", unsized(t.Type()))
	m.vars, m.ts, m.fs = append(m.vars, v), append(m.ts, t), append(m.fs, f)
	return v
}

// emit appends the If and binds what result gave.
func (m *merger) emit() {
	t, f := m.then.tuple(m.ts), m.otherwise.tuple(m.fs)
	op := &core.If{Cond: m.cond, Then: m.then.Block(t), Else: m.otherwise.Block(f)}
	switch len(m.vars) {
	case 0:
		m.e.let("none", op) // a side may fail
	case 1:
		m.e.bind(m.vars[0], op)
	default:
		ts := make([]types.Type, len(m.vars))
		for i, v := range m.vars {
			ts[i] = v.Ty
		}
		all := core.NewVar("both", &types.Tuple{Elems: ts})
		m.e.bind(all, op)
		for i, v := range m.vars {
			m.e.bind(v, &core.Proj{Of: all, Index: i})
		}
	}
}

// merge joins the adjoints of a variable, or of the part of one, of type ty.
// Its primal is like, which need not be given for a type of numbers.
func (m *merger) merge(t, f *adjoint, like core.Atom, ty types.Type) *adjoint {
	if same(t, f) {
		return t
	}
	if _, ok := types.Resolve(ty).(*types.Array); ok {
		return m.arrays(t, f, like, ty)
	}
	if ts := types.Parts(ty); ts != nil {
		pt, pf := m.then.split(t, ty), m.otherwise.split(f, ty)
		parts := make([]*adjoint, len(ts))
		for i := range ts {
			if pt[i] == nil && pf[i] == nil {
				continue
			}
			var part core.Atom
			if !numeric(ts[i]) {
				part = m.e.component(like, i)
			}
			parts[i] = m.merge(pt[i], pf[i], part, ts[i])
		}
		return joined(parts)
	}
	value, guard := m.real(t, f)
	return &adjoint{leaf: value, guard: guard}
}

// real chooses between real adjoints, at least one of which is not nil.
func (m *merger) real(t, f *adjoint) (value, guard core.Atom) {
	parts := func(a *adjoint) (value, guard core.Atom) {
		switch {
		case a == nil:
			return realLit(0), core.BoolLit(false)
		case a.guard == nil:
			return a.leaf, core.BoolLit(true)
		}
		return a.leaf, a.guard
	}
	tv, tg := parts(t)
	fv, fg := parts(f)
	value, guard = m.result(tv, fv), m.result(tg, fg)
	if l, ok := guard.(*core.Lit); ok && l.Bool {
		guard = nil
	}
	return value, guard
}

// arrays merges the bits of the two sides. Dense ones of one form, and points
// with numbers, come in pairs; another one meets an empty one of its kind on the
// other side.
func (m *merger) arrays(t, f *adjoint, like core.Atom, ty types.Type) *adjoint {
	elem := elemType(ty)
	tk, fk := m.sorted(m.then, t, elem), m.sorted(m.otherwise, f, elem)
	var bits []bit
	if len(tk[dense]) > 0 && len(fk[dense]) > 0 {
		table := m.tables(m.then.table(denseOnly(tk), like), m.otherwise.table(denseOnly(fk), like), like)
		bits, tk[dense], fk[dense] = append(bits, bit{kind: dense, elem: table}), nil, nil
	}
	for _, kind := range []bitKind{dense, stack, sparse} {
		for _, b := range tk[kind] {
			bits = append(bits, m.optional(m.then, b, func(some, none core.Atom) core.Atom { return m.result(some, none) }))
		}
		for _, b := range fk[kind] {
			bits = append(bits, m.optional(m.otherwise, b, func(some, none core.Atom) core.Atom { return m.result(none, some) }))
		}
	}
	return &adjoint{bits: append(bits, m.points(tk[point], fk[point], elem)...)}
}

func denseOnly(kinds map[bitKind][]bit) *adjoint { return &adjoint{bits: kinds[dense]} }

// sorted groups bits by kind. Points whose elements are not numbers become
// sparse ones, of which there may be none.
func (m *merger) sorted(e *emitter, a *adjoint, elem types.Type) map[bitKind][]bit {
	kinds := map[bitKind][]bit{}
	if a == nil {
		return kinds
	}
	for _, b := range a.bits {
		if b.kind == point && !numeric(indexedType(elem, len(b.path)-1)) {
			kinds[sparse] = append(kinds[sparse], e.gathered([]bit{b}, elem)...)
			continue
		}
		kinds[b.kind] = append(kinds[b.kind], b)
	}
	return kinds
}

// indexedType is the type of what n more indices give.
func indexedType(t types.Type, n int) types.Type {
	for range n {
		t = elemType(t)
	}
	return t
}

// tables merges two dense tables.
func (m *merger) tables(t, f *adjoint, like core.Atom) *adjoint {
	if !sameForm(t, f) {
		t, f = &adjoint{leaf: m.then.tableValue(t, like)}, &adjoint{leaf: m.otherwise.tableValue(f, like)}
	}
	return joinLeaves(t, f, m.result)
}

// sameForm tells whether two tables have leaves at the same places.
func sameForm(a, b *adjoint) bool {
	if a == nil || b == nil {
		return a == b
	}
	if (a.leaf == nil) != (b.leaf == nil) || len(a.parts) != len(b.parts) {
		return false
	}
	for i := range a.parts {
		if !sameForm(a.parts[i], b.parts[i]) {
			return false
		}
	}
	return true
}

// optional is a bit of one side, with nothing on the other. Of something dense
// it makes a stack of at most one.
func (m *merger) optional(e *emitter, b bit, result func(some, none core.Atom) core.Atom) bit {
	choose := func(some core.Atom) core.Atom {
		elem := elemType(some.Type())
		return result(some, m.e.let("none", &core.Array{Elem: elem}))
	}
	merged := bit{kind: b.kind, padded: b.padded}
	for _, at := range b.path {
		merged.path = append(merged.path, choose(at))
	}
	if b.kind != dense {
		merged.elem = rowsOf(b.elem, choose)
		return merged
	}
	merged.kind = stack
	merged.elem = rowsOf(b.elem, func(leaf core.Atom) core.Atom {
		return choose(e.let("one", &core.Array{Elem: leaf.Type(), Elems: []core.Atom{leaf}}))
	})
	return merged
}

// points merges points pairwise; where one side has fewer, it adds 0 at the
// index 0.
func (m *merger) points(ts, fs []bit, elem types.Type) []bit {
	var bits []bit
	for len(ts) > 0 || len(fs) > 0 {
		var t, f bit
		switch {
		case len(fs) == 0 || len(ts) > 0 && len(ts[0].path) != len(fs[0].path):
			if len(ts) > 0 {
				t, ts = ts[0], ts[1:]
			} else {
				f, fs = fs[0], fs[1:]
			}
		case len(ts) == 0:
			f, fs = fs[0], fs[1:]
		default:
			t, f, ts, fs = ts[0], fs[0], ts[1:], fs[1:]
		}
		depth := max(len(t.path), len(f.path))
		merged := bit{kind: point, padded: t.padded || f.padded || t.path == nil || f.path == nil}
		for i := range depth {
			at := func(b bit) core.Atom {
				if b.path == nil {
					return core.IntLit(0)
				}
				return b.path[i]
			}
			merged.path = append(merged.path, m.result(at(t), at(f)))
		}
		merged.elem = m.merge(t.elem, f.elem, nil, indexedType(elem, depth-1))
		bits = append(bits, merged)
	}
	return bits
}
