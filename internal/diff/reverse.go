package diff

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// reverser transposes the derivative of one block. The block runs before, in
// the same scope; the reverser goes through its statements from the last to
// the first and hands the cotangent of each on to what it is made of.
type reverser struct {
	e *emitter
	// adj is what has been found of the cotangents of variables. After the
	// block, what is left are those that the block does not bind.
	adj    map[*core.Var]*adjoint
	varied *activity
	// home has the variables bound in the same turn of the same loop: an array
	// of zeros of their shape costs no more than they did.
	home map[*core.Var]bool
}

func newReverser(e *emitter, varied *activity) *reverser {
	return &reverser{e: e, adj: map[*core.Var]*adjoint{}, varied: varied, home: map[*core.Var]bool{}}
}

// reverse appends the derivative of a block that has been appended, whose
// result has the given cotangent.
func (r *reverser) reverse(b *core.Block, seed *adjoint) {
	for _, s := range b.Stmts {
		if let, ok := s.(*core.Let); ok {
			r.home[let.Var] = true
		}
	}
	r.contribute(b.Result, seed)
	for i := len(b.Stmts) - 1; i >= 0; i-- {
		let, ok := b.Stmts[i].(*core.Let)
		if !ok {
			continue // functions have no cotangents; a call of one is not covered
		}
		if a := r.take(let.Var); a != nil {
			r.e.at = let.At
			r.op(let, a)
		}
	}
}

// contribute adds to the cotangent of an atom.
func (r *reverser) contribute(to core.Atom, a *adjoint) {
	v, ok := to.(*core.Var)
	if !ok || a == nil || !r.varied.has[v] {
		return
	}
	r.adj[v] = r.e.sum(r.adj[v], a, v.Ty)
}

// take gives the cotangent of a variable, to which nothing will be added.
func (r *reverser) take(v *core.Var) *adjoint {
	a := r.adj[v]
	delete(r.adj, v)
	return a
}

func (r *reverser) op(let *core.Let, a *adjoint) {
	e := r.e
	switch op := let.Op.(type) {
	case *core.Prim:
		r.prim(let.Var, op, a)
	case *core.Tuple:
		for i, part := range e.split(a, let.Var.Ty) {
			r.contribute(op.Elems[i], part)
		}
	case *core.Record:
		for i, part := range e.split(a, let.Var.Ty) {
			r.contribute(op.Elems[i], part)
		}
	case *core.Proj:
		r.component(op.Of, op.Index, a)
	case *core.Field:
		r.component(op.Of, op.Index, a)
	case *core.If:
		r.choice(op, a)
	case *core.Array:
		r.array(op, let.Var, a)
	case *core.Index:
		r.contribute(op.Of, r.indexed(op.At, let.Var, a))
	case *core.Slice:
		r.contribute(op.Of, r.sliced(op.Lo, let.Var, a))
	case *core.Map:
		r.mapped(op, let.Var, a)
	case *core.Build:
		r.built(op, let.Var, a)
	case *core.Reduce:
		r.folded(let, &fold{state: op.Acc, init: op.Init, params: []*core.Var{op.Elem}, arrays: []core.Atom{op.Array}, body: op.Body}, a)
	case *core.Loop:
		switch head := op.Head.(type) {
		case *core.Each:
			r.folded(let, &fold{state: op.State, init: op.Init, params: []*core.Var{head.Elem}, arrays: []core.Atom{head.Array}, body: op.Body}, a)
		case *core.Range:
			r.folded(let, &fold{state: op.State, init: op.Init, index: head.Index, bound: head.Bound, body: op.Body}, a)
		default:
			panic(notCovered{let.At, "a loop without a fixed number of turns"})
		}
	case *core.Scan:
		r.scanned(op, let.Var, a)
	case *core.Apply:
		panic(notCovered{let.At, "a call of a function"})
	default: // Construct, Case
		panic(notCovered{let.At, "a data type"})
	}
}

// component handles x = of.i.
func (r *reverser) component(of core.Atom, i int, a *adjoint) {
	parts := make([]*adjoint, len(componentTypes(of.Type())))
	parts[i] = a
	r.contribute(of, joined(parts))
}

// prim handles a primitive. Rows that give arrays are in reverse_array.go.
func (r *reverser) prim(v *core.Var, op *core.Prim, a *adjoint) {
	row := op.Prim
	if row.Pullback != "" {
		b := r.e.value(a, v)
		r.contribute(op.Args[0], whole(r.e.inline(RowPullback(row), op.Args[0], v, b)))
		return
	}
	if len(row.Partials) == 0 {
		r.structural(v, op, a)
		return
	}
	args := append(append([]core.Atom(nil), op.Args...), v)
	for i, x := range op.Args {
		y, ok := x.(*core.Var)
		if !ok || !r.varied.has[y] {
			continue
		}
		if rule := Partial(row, i); rule != nil {
			r.contribute(x, r.e.scaled(a, rule.Body, r.e.arguments(rule, args)))
		}
	}
}

// ---- choices

// choice handles an If: the derivative is an If, in which the side that runs
// is computed again and then reversed.
func (r *reverser) choice(op *core.If, a *adjoint) {
	then, otherwise := r.side(op.Then, a), r.side(op.Else, a)
	m := &merger{cond: op.Cond, then: then.e, otherwise: otherwise.e, e: r.e}
	free := core.OpFreeVars(op)
	merged := make([]*adjoint, len(free))
	for i, v := range free {
		merged[i] = m.merge(then.adj[v], otherwise.adj[v], v, v.Ty)
	}
	m.emit()
	for i, v := range free {
		r.contribute(v, merged[i])
	}
}

func (r *reverser) side(b *core.Block, a *adjoint) *reverser {
	side := newReverser(r.e.nested(), r.varied)
	side.home = r.home // it runs at most as often
	copied := side.e.forward(core.Clone(b, nil), r.varied)
	side.reverse(copied, a)
	return side
}

// forward appends the statements of a block, which must not be used elsewhere.
func (e *emitter) forward(b *core.Block, varied *activity) *core.Block {
	varied.block(b, e.defs)
	e.Add(b.Stmts...)
	return b
}

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
	if ts := componentTypes(ty); ts != nil {
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
	var others []core.Atom
	rowsOf(f, func(leaf core.Atom) core.Atom {
		others = append(others, leaf)
		return leaf
	})
	return rowsOf(t, func(leaf core.Atom) core.Atom {
		other := others[0]
		others = others[1:]
		return m.result(leaf, other)
	})
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
