package diff

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// op translates an operation.
func (f *frame) op(let *core.Let) *rep {
	e := f.e
	if f.plain(let) {
		return f.copied(let)
	}
	ty := let.Var.Ty
	switch op := let.Op.(type) {
	case *core.Prim:
		return f.prim(op, ty)
	case *core.Tuple:
		return f.parts(op.Elems)
	case *core.Record:
		return f.parts(op.Elems)
	case *core.Proj:
		return f.component(op.Of, op.Index)
	case *core.Field:
		return f.component(op.Of, op.Index)
	case *core.If:
		return f.choice(op)
	case *core.Construct:
		args := make([]core.Atom, len(op.Args))
		for i, a := range op.Args {
			args[i] = f.packed(a)
		}
		data := f.d.ty(op.Ty).(*types.Data)
		return &rep{atom: e.let("t", &core.Construct{Con: data.Decl.Cons[op.Con.Tag], Ty: data, Args: args})}
	case *core.Case:
		arm := func(inner *frame, b *core.Block) *core.Block {
			return inner.next(b, f.d.ties)
		}
		return f.after(e.let("t", f.cases(op, arm)), ty, f.d.ties)
	case *core.Apply:
		if call := f.call(op); call != nil {
			return f.after(e.let("t", call), ty, f.d.ties)
		}
		return f.copied(let)
	case *core.Array:
		return f.array(op)
	case *core.Index:
		of := f.of(op.Of)
		return f.element(of, e.index(of.atom, f.of(op.At).atom), ty)
	case *core.Slice:
		of := f.of(op.Of)
		return &rep{atom: e.let("t", &core.Slice{Of: of.atom, Lo: f.of(op.Lo).atom, Hi: f.of(op.Hi).atom}), plain: of.plain}
	case *core.Lambda:
		v := f.functionVar(let.Var, op)
		e.bind(v, f.function(op))
		return f.env[let.Var]
	}
	return f.loop(let)
}

// plain tells whether an operation has nothing to do with reals, nor calls
// what may have.
func (f *frame) plain(let *core.Let) bool {
	if types.HasReals(let.Var.Ty) {
		return false // without looking inside: else a chain of n branches would take n² steps
	}
	ok := true
	see := func(t types.Type) {
		if _, isFun := types.Resolve(t).(*types.Fun); isFun || types.HasReals(t) {
			ok = false
		}
	}
	block := &core.Block{Stmts: []core.Stmt{let}, Result: core.UnitLit()}
	core.Atoms(block, func(a core.Atom) { see(a.Type()) })
	core.Binders(block, func(v *core.Var) { see(v.Ty) })
	return ok
}

// copied keeps an operation without reals as it is.
func (f *frame) copied(let *core.Let) *rep {
	subst := map[*core.Var]core.Atom{}
	for _, v := range core.OpFreeVars(let.Op) {
		subst[v] = f.whole(f.of(v), v.Ty)
	}
	return &rep{atom: f.e.let(let.Var.Name, core.NewCopier(subst).Op(let.Op))}
}

// array translates an array of elements; if none varies it stays plain.
func (f *frame) array(op *core.Array) *rep {
	plain := true
	reps := make([]*rep, len(op.Elems))
	for i, x := range op.Elems {
		reps[i] = f.of(x)
		plain = plain && reps[i].still(op.Elem)
	}
	elem := op.Elem
	if !plain {
		elem = f.d.ty(elem)
	}
	elems := make([]core.Atom, len(reps))
	for i, r := range reps {
		if plain {
			elems[i] = f.whole(r, op.Elem)
		} else {
			elems[i] = f.pack(r, op.Elem)
		}
	}
	return &rep{atom: f.e.let("t", &core.Array{Elem: elem, Elems: elems}), plain: plain}
}

// still tells whether nothing in a rep of type t varies.
func (r *rep) still(t types.Type) bool {
	if r.parts == nil {
		return r.tangent == nil && (r.plain || !types.HasReals(t) || types.Resolve(t) == types.Type(types.Real))
	}
	for i, part := range types.Parts(t) {
		if !r.parts[i].still(part) {
			return false
		}
	}
	return true
}

// whole is the value of a rep in which nothing varies.
func (f *frame) whole(r *rep, t types.Type) core.Atom {
	if r.parts == nil {
		return r.atom
	}
	parts := make([]core.Atom, len(r.parts))
	for i, part := range types.Parts(t) {
		parts[i] = f.whole(r.parts[i], part)
	}
	return f.e.assemble(t, parts)
}

func (f *frame) parts(elems []core.Atom) *rep {
	parts := make([]*rep, len(elems))
	for i, x := range elems {
		parts[i] = f.of(x)
	}
	return &rep{parts: parts}
}

func (f *frame) component(of core.Atom, i int) *rep {
	r := f.of(of)
	if r.parts != nil {
		return r.parts[i]
	}
	return &rep{atom: f.e.component(r.atom, i)} // without reals
}

// ---- primitives

func (f *frame) prim(op *core.Prim, ty types.Type) *rep {
	e, row := f.e, op.Prim
	if row.Pushforward != nil {
		return f.arrayRow(op, ty)
	}
	switch row.ID {
	case prim.Length, prim.RowSize:
		of := f.of(op.Args[0])
		inst := op.Inst
		if !of.plain {
			inst = []types.Type{f.d.ty(op.Inst[0])}
		}
		return &rep{atom: e.let("t", &core.Prim{Prim: row, Inst: inst, Args: []core.Atom{of.atom}})}
	case prim.Append, prim.Flatten, prim.Scatter:
		dual := &core.Prim{Prim: row, Inst: []types.Type{f.d.ty(op.Inst[0])}}
		for _, a := range op.Args {
			dual.Args = append(dual.Args, f.packed(a))
		}
		return &rep{atom: e.let("t", dual)}
	case prim.Accumulate:
		return f.accumulate(op, ty)
	case prim.Show:
		if of := f.of(op.Args[0]); of.still(op.Args[0].Type()) {
			return &rep{atom: e.row(prim.Show, op.Inst, f.whole(of, op.Args[0].Type()))}
		}
		x := f.d.part(e, f.packed(op.Args[0]), op.Args[0].Type(), 0)
		return &rep{atom: e.row(prim.Show, op.Inst, x)}
	case prim.Fail:
		return f.unpack(e.let("t", &core.Prim{Prim: row, Inst: []types.Type{f.d.ty(op.Inst[0])}, Args: []core.Atom{f.of(op.Args[0]).atom}}), ty)
	}
	if row.Float == nil && row.Int == nil { // by name, on values of any type
		panic(notCovered{e.at, "the primitive " + row.Name})
	}
	args := make([]core.Atom, len(op.Args))
	active := false
	for i, a := range op.Args {
		if types.Parts(a.Type()) != nil || types.HasReals(a.Type()) && a.Type() != types.Type(types.Real) {
			panic(notCovered{e.at, "the primitive " + row.Name})
		}
		r := f.of(a)
		args[i] = r.atom
		active = active || r.tangent != nil
	}
	primal := &rep{atom: e.let("t", &core.Prim{Prim: row, Inst: op.Inst, Args: args})}
	if !active {
		return primal
	}
	if k := row.KinkKind; k == prim.MaxKink || k == prim.MinKink {
		primal.tangent = f.extremum(op, args)
		return primal
	}
	args = append(args, primal.atom)
	for i, a := range op.Args {
		if dx := f.of(a).tangent; dx != nil && len(row.Partials) > 0 {
			rule := Partial(row, i)
			primal.tangent = e.sum(primal.tangent, e.scaled(dx, rule, args), types.Real)
		}
	}
	left, right := Kink(row)
	if left == nil {
		return primal
	}
	a, b := e.inline(left, args...), e.inline(right, args...)
	var tie core.Atom
	switch row.Order {
	case prim.Less: // half of the test is done
		tie = e.tieUnless(primal.atom, a, b)
	case prim.Greater:
		tie = e.tieUnless(primal.atom, b, a)
	default:
		tie = e.tie(a, b)
	}
	if primal.tangent == nil {
		f.tied = e.either(f.tied, tie)
		return primal
	}
	primal.tangent = e.kinked(tie, primal.tangent)
	return primal
}

// extremum is the tangent of a max or min: that of the argument chosen. Where
// either could be, it is NaN unless they move alike.
func (f *frame) extremum(op *core.Prim, args []core.Atom) *adjoint {
	var d [2]core.Atom
	for i, a := range op.Args {
		d[i] = realLit(0)
		if dx := f.of(a).tangent; dx != nil {
			d[i] = dx.leaf
		}
	}
	first, second := prim.Gt, prim.Lt
	if op.Prim.KinkKind == prim.MinKink {
		first, second = second, first
	}
	e, inner := f.e, f.e.nested()
	at := inner.nested()
	nan := at.row(prim.Quo, atReal, realLit(0), realLit(0))
	alike := at.nested() // one may be NaN, which neither is less nor more
	mean := alike.row(prim.Quo, atReal, alike.row(prim.Add, atReal, d[0], d[1]), realLit(2))
	even := at.choose(at.tie(d[0], d[1]), alike, at.nested(), mean, nan)
	other := inner.choose(inner.row(second, atReal, args[0], args[1]), inner.nested(), at, d[1], even)
	return &adjoint{leaf: e.choose(e.row(first, atReal, args[0], args[1]), e.nested(), inner, d[0], other)}
}

// tie tells whether two reals are equal, or not comparable.
func (e *emitter) tie(x, y core.Atom) core.Atom {
	return e.tieUnless(e.row(prim.Lt, atReal, x, y), x, y)
}

// tieUnless is tie where it is known whether x is less.
func (e *emitter) tieUnless(less, x, y core.Atom) core.Atom {
	otherwise := e.nested()
	more := otherwise.row(prim.Gt, atReal, x, y)
	apart := otherwise.row(prim.Not, nil, more)
	return e.choose(less, e.nested(), otherwise, core.BoolLit(false), apart)
}

// kinked is a tangent where there is no tie, and NaN where there is one.
func (e *emitter) kinked(tie core.Atom, tangent *adjoint) *adjoint {
	at := e.nested()
	nan := at.row(prim.Quo, atReal, realLit(0), realLit(0))
	return &adjoint{leaf: e.choose(tie, at, e.nested(), nan, tangent.leaf)}
}

// arrayRow translates a row over arrays of reals.
func (f *frame) arrayRow(op *core.Prim, ty types.Type) *rep {
	e := f.e
	values, tangents := make([]core.Atom, len(op.Args)), make([]core.Atom, len(op.Args))
	plain := true
	for i, x := range op.Args {
		of := f.of(x)
		values[i] = of.atom
		if !of.plain {
			values[i], tangents[i] = f.d.part(e, of.atom, x.Type(), 0), f.d.part(e, of.atom, x.Type(), 1)
			plain = false
		}
	}
	r := e.let("r", &core.Prim{Prim: op.Prim, Inst: op.Inst, Args: values})
	if plain {
		return f.fixed(r, ty)
	}
	given := append(values[:len(values):len(values)], r)
	var total *adjoint
	for i, dx := range tangents {
		if dx != nil {
			part := e.inline(RowPushforward(op.Prim, i), append(given[:len(given):len(given)], dx)...)
			total = e.sum(total, whole(part), ty)
		}
	}
	if _, ok := types.Resolve(ty).(*types.Array); ok {
		return &rep{atom: f.d.zip(e, r, e.value(total, r))}
	}
	value := &rep{atom: r, tangent: &adjoint{leaf: e.value(total, r)}}
	if left, right := Kink(op.Prim); left != nil {
		tie := e.tie(e.inline(left, given...), e.inline(right, given...))
		value.tangent = e.kinked(tie, value.tangent)
	}
	return value
}

// accumulate acts on the values and on the tangents.
func (f *frame) accumulate(op *core.Prim, ty types.Type) *rep {
	e := f.e
	both := [2]core.Atom{}
	for which := range both {
		xs := f.d.part(e, f.packed(op.Args[0]), ty, which)
		ys := f.d.part(e, f.packed(op.Args[2]), op.Args[2].Type(), which)
		both[which] = e.row(prim.Accumulate, op.Inst, xs, f.of(op.Args[1]).atom, ys)
	}
	return &rep{atom: f.d.zip(e, both[0], both[1])}
}
