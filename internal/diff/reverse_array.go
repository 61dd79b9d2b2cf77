package diff

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// array handles xs = [x, y, …].
func (r *reverser) array(op *core.Array, xs *core.Var, a *adjoint) {
	table := r.e.table(a, xs)
	for i, x := range op.Elems {
		if v, ok := x.(*core.Var); ok && r.varied.has[v] {
			r.contribute(x, r.e.rowAt(table, core.IntLit(int64(i))))
		}
	}
}

// rowAt is the adjoint in a row of a table.
func (e *emitter) rowAt(table *adjoint, at core.Atom) *adjoint {
	return normal(rowsOf(table, func(leaf core.Atom) core.Atom { return e.index(leaf, at) }))
}

// indexed is the cotangent of xs for that of x = xs[at].
func (r *reverser) indexed(at core.Atom, x *core.Var, a *adjoint) *adjoint {
	if _, ok := types.Resolve(x.Ty).(*types.Array); !ok {
		return &adjoint{bits: []bit{{kind: point, path: []core.Atom{at}, elem: r.settled(a, x)}}}
	}
	var bits []bit
	for _, b := range a.bits {
		switch b.kind {
		case dense, stack:
			row := r.e.value(&adjoint{bits: []bit{b}}, x)
			bits = append(bits, bit{kind: point, path: []core.Atom{at}, elem: whole(row)})
		case sparse:
			outer := r.e.mapOne(b.path[0], func(*emitter, core.Atom) core.Atom { return at })
			bits = append(bits, bit{kind: sparse, path: append([]core.Atom{outer}, b.path...), elem: b.elem, padded: b.padded})
		case point:
			bits = append(bits, bit{kind: point, path: append([]core.Atom{at}, b.path...), elem: b.elem, padded: b.padded})
		}
	}
	return &adjoint{bits: bits}
}

// settled makes dense arrays of all arrays in an adjoint of x.
func (r *reverser) settled(a *adjoint, x core.Atom) *adjoint {
	switch {
	case a == nil || a.leaf != nil:
		return a
	case a.bits != nil:
		return whole(r.e.value(a, x))
	}
	parts := make([]*adjoint, len(a.parts))
	for i, p := range a.parts {
		if p != nil {
			parts[i] = r.settled(p, r.e.component(x, i))
		}
	}
	return &adjoint{parts: parts}
}

// sliced is the cotangent of xs for that of ys = xs[lo:hi].
func (r *reverser) sliced(lo core.Atom, ys *core.Var, a *adjoint) *adjoint {
	var bits []bit
	var others []bit // to be made dense
	for _, b := range a.bits {
		moved := bit{kind: b.kind, path: append([]core.Atom(nil), b.path...), elem: b.elem}
		switch {
		case b.padded || b.kind == dense || b.kind == stack:
			others = append(others, b)
			continue
		case b.kind == point:
			moved.path[0] = r.e.addInt(lo, b.path[0])
		case b.kind == sparse:
			moved.path[0] = r.e.mapOne(b.path[0], func(e *emitter, i core.Atom) core.Atom { return e.addInt(lo, i) })
		}
		bits = append(bits, moved)
	}
	if len(others) > 0 {
		table := r.e.table(&adjoint{bits: others}, ys)
		at := r.e.build(r.e.length(ys), func(e *emitter, i core.Atom) core.Atom { return e.addInt(lo, i) })
		bits = append(bits, bit{kind: sparse, path: []core.Atom{at}, elem: table})
	}
	return &adjoint{bits: bits}
}

// structural handles the rows without rules of their own, by name.
func (r *reverser) structural(v *core.Var, op *core.Prim, a *adjoint) {
	e := r.e
	switch op.Prim.ID {
	case prim.Append:
		xs, ys := op.Args[0], op.Args[1]
		n, total := e.length(xs), e.length(v)
		table := e.table(a, v)
		cut := func(lo, hi core.Atom) *adjoint {
			return denseBits(rowsOf(table, func(leaf core.Atom) core.Atom {
				return e.let("part", &core.Slice{Of: leaf, Lo: lo, Hi: hi})
			}))
		}
		r.contribute(xs, cut(core.IntLit(0), n))
		r.contribute(ys, cut(n, total))
	case prim.Flatten:
		rows := op.Args[0]
		r.contribute(rows, whole(e.unflatten(e.value(a, v), rows, e.starts(rows))))
	case prim.Accumulate:
		at := op.Args[1]
		b := e.value(a, v)
		r.contribute(op.Args[0], whole(b))
		r.contribute(op.Args[2], whole(e.mapOne(at, func(e *emitter, i core.Atom) core.Atom { return e.index(b, i) })))
	case prim.Scatter:
		r.scattered(v, op, a)
	case prim.Fail:
	default:
		panic(notCovered{e.at, "the primitive " + op.Prim.Name})
	}
}

// scattered handles v = scatter xs at ys: an element of xs that was replaced
// has no cotangent, and of the elements of ys that went to one place only the
// last one has.
func (r *reverser) scattered(v *core.Var, op *core.Prim, a *adjoint) {
	e := r.e
	xs, at, ys := op.Args[0], op.Args[1], op.Args[2]
	b := e.value(a, v)
	elem := []types.Type{elemType(v.Ty)}
	r.contribute(xs, whole(e.row(prim.Scatter, elem, b, at, e.zero(ys))))
	nobody := e.mapOne(xs, func(*emitter, core.Atom) core.Atom { return core.IntLit(-1) })
	n := e.length(at)
	owner := e.row(prim.Scatter, atInt, nobody, at, e.iota(n))
	r.contribute(ys, whole(e.build(n, func(e *emitter, k core.Atom) core.Atom {
		i := e.index(at, k)
		mine := e.row(prim.Eq, atInt, e.index(owner, i), k)
		then, otherwise := e.nested(), e.nested()
		taken := then.index(b, i)
		none := otherwise.zero(otherwise.index(ys, k))
		return e.choose(mine, then, otherwise, taken, none)
	})))
}

// arrayRow handles a row over arrays. The cotangent of an argument may be given
// in terms of those of the arguments after it.
func (r *reverser) arrayRow(v *core.Var, op *core.Prim, a *adjoint) {
	n := len(op.Args)
	given := append(append([]core.Atom(nil), op.Args...), v, r.e.value(a, v))
	cotangents := make([]core.Atom, n)
	var cotangent func(i int) core.Atom
	cotangent = func(i int) core.Atom {
		if cotangents[i] == nil {
			rule := RowPullback(op.Prim, i)
			args := append(given[:n+2:n+2], make([]core.Atom, n-1-i)...)
			core.Atoms(rule.Body, func(a core.Atom) {
				if k := slices.IndexFunc(rule.Params[n+2:], func(p *core.Var) bool { return core.Atom(p) == a }); k >= 0 {
					args[n+2+k] = cotangent(i + 1 + k)
				}
			})
			cotangents[i] = r.e.inline(rule, args...)
		}
		return cotangents[i]
	}
	for i, x := range op.Args {
		if y, ok := x.(*core.Var); ok && r.varied.has[y] {
			r.contribute(x, whole(cotangent(i)))
		}
	}
}
