package diff

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// pusher computes the tangents of the statements of a block as they run. A
// tangent has the form of an adjoint; that of an array is always dense.
type pusher struct {
	e   *emitter
	tan map[*core.Var]*adjoint // shared by the blocks of a function
}

// push appends a block, which must not be used elsewhere, and its derivative,
// and gives the tangent of its result.
func (p *pusher) push(b *core.Block) *adjoint {
	for _, s := range b.Stmts {
		p.e.Add(s)
		let, ok := s.(*core.Let)
		if !ok {
			continue // functions have no tangents; a call of one is not covered
		}
		p.e.defs[let.Var] = let.Op
		if p.active(let.Op) && types.HasReals(let.Var.Ty) {
			p.e.at = let.At
			p.tan[let.Var] = p.op(let)
		}
	}
	return p.of(b.Result)
}

// of is the tangent of an atom.
func (p *pusher) of(a core.Atom) *adjoint {
	v, _ := a.(*core.Var)
	return p.tan[v]
}

// active tells whether an operation depends on anything that has a tangent.
func (p *pusher) active(op core.Op) bool {
	found := false
	core.OpAtoms(op, func(a core.Atom) { found = found || p.of(a) != nil })
	return found
}

func (p *pusher) op(let *core.Let) *adjoint {
	e := p.e
	switch op := let.Op.(type) {
	case *core.Prim:
		return p.prim(let.Var, op)
	case *core.Tuple:
		return p.parts(op.Elems)
	case *core.Record:
		return p.parts(op.Elems)
	case *core.Proj:
		return e.split(p.of(op.Of), op.Of.Type())[op.Index]
	case *core.Field:
		return e.split(p.of(op.Of), op.Of.Type())[op.Index]
	case *core.If:
		return p.choice(let.Var, op)
	case *core.Array:
		elems := make([]core.Atom, len(op.Elems))
		for i, x := range op.Elems {
			elems[i] = e.value(p.of(x), x)
		}
		return whole(e.let("dxs", &core.Array{Elem: op.Elem, Elems: elems}))
	case *core.Index:
		return e.rowAt(e.table(p.of(op.Of), op.Of), op.At)
	case *core.Slice:
		return denseBits(rowsOf(e.table(p.of(op.Of), op.Of), func(leaf core.Atom) core.Atom {
			return e.let("part", &core.Slice{Of: leaf, Lo: op.Lo, Hi: op.Hi})
		}))
	case *core.Map:
		return p.turns(&fold{params: op.Params, arrays: op.Arrays, body: op.Body})
	case *core.Build:
		return p.turns(&fold{index: op.Index, bound: op.Size, body: op.Body})
	case *core.Reduce:
		return p.folded(&fold{state: op.Acc, init: op.Init, params: []*core.Var{op.Elem}, arrays: []core.Atom{op.Array}, body: op.Body, reduce: true}, nil)
	case *core.Loop:
		switch head := op.Head.(type) {
		case *core.Each:
			return p.folded(&fold{state: op.State, init: op.Init, params: []*core.Var{head.Elem}, arrays: []core.Atom{head.Array}, body: op.Body}, nil)
		case *core.Range:
			return p.folded(&fold{state: op.State, init: op.Init, index: head.Index, bound: head.Bound, body: op.Body}, nil)
		case *core.While:
			return p.folded(&fold{state: op.State, init: op.Init, body: op.Body}, head.Cond)
		}
	case *core.Scan:
		return p.scanned(&fold{state: op.Acc, init: op.Init, params: []*core.Var{op.Elem}, arrays: []core.Atom{op.Array}, body: op.Body})
	case *core.Apply:
		panic(notCovered{let.At, "a call of a function"})
	}
	panic(notCovered{let.At, "a data type"})
}

func (p *pusher) parts(elems []core.Atom) *adjoint {
	parts := make([]*adjoint, len(elems))
	for i, x := range elems {
		parts[i] = p.of(x)
	}
	return joined(parts)
}

func (p *pusher) prim(v *core.Var, op *core.Prim) *adjoint {
	e, row := p.e, op.Prim
	if row.Pushforward != nil {
		var total *adjoint
		args := append(append([]core.Atom(nil), op.Args...), v)
		for i, x := range op.Args {
			if dx := p.of(x); dx != nil {
				part := e.inline(RowPushforward(row, i), append(args[:len(args):len(args)], e.value(dx, x))...)
				total = e.sum(total, whole(part), v.Ty)
			}
		}
		return whole(e.value(total, v))
	}
	if len(row.Partials) == 0 {
		return p.structural(op)
	}
	var total *adjoint
	args := append(append([]core.Atom(nil), op.Args...), v)
	for i, x := range op.Args {
		if dx := p.of(x); dx != nil {
			rule := Partial(row, i)
			total = e.sum(total, e.scaled(dx, rule.Body, e.arguments(rule, args)), types.Real)
		}
	}
	return total
}

// structural handles the rows without rules of their own: they are linear.
func (p *pusher) structural(op *core.Prim) *adjoint {
	linear := func(same ...int) *adjoint {
		args := make([]core.Atom, len(op.Args))
		for i, x := range op.Args {
			args[i] = p.e.value(p.of(x), x)
		}
		for _, i := range same {
			args[i] = op.Args[i]
		}
		return whole(p.e.row(op.Prim.ID, op.Inst, args...))
	}
	switch op.Prim.ID {
	case prim.Append, prim.Flatten:
		return linear()
	case prim.Accumulate, prim.Scatter:
		return linear(1)
	case prim.Fail:
		return nil
	}
	panic(notCovered{p.e.at, "the primitive " + op.Prim.Name})
}

// choice handles an If by an If that computes the chosen side again.
func (p *pusher) choice(v *core.Var, op *core.If) *adjoint {
	side := func(b *core.Block) (*emitter, *adjoint, core.Atom) {
		inner := &pusher{e: p.e.nested(), tan: p.tan}
		b = core.Clone(b, nil)
		d := inner.push(b)
		return inner.e, d, b.Result
	}
	if sure := surely(op); sure != nil {
		return p.push(core.Clone(sure, nil))
	}
	then, dt, t := side(op.Then)
	otherwise, df, f := side(op.Else)
	m := &merger{cond: op.Cond, e: p.e, then: then, otherwise: otherwise}
	dt, df = filled(then, dt, df, t), filled(otherwise, df, dt, f)
	merged := m.merge(dt, df, v, v.Ty)
	m.emit()
	return merged
}

// filled makes zeros of the arrays that are nil in a tangent but not in the
// other one, so that both are dense and of one form.
func filled(e *emitter, a, other *adjoint, primal core.Atom) *adjoint {
	if other == nil {
		return a
	}
	ty := primal.Type()
	if _, ok := types.Resolve(ty).(*types.Array); ok {
		return whole(e.value(a, primal))
	}
	ts := types.Parts(ty)
	if ts == nil || numeric(ty) {
		return a
	}
	parts, others := e.split(a, ty), make([]*adjoint, len(ts))
	switch {
	case other.leaf == nil:
		others = other.parts
	default: // it is whole: any adjoint will do
		for i, t := range ts {
			if types.HasReals(t) {
				others[i] = other
			}
		}
	}
	full := make([]*adjoint, len(ts))
	for i := range ts {
		full[i] = parts[i]
		if others[i] != nil {
			full[i] = filled(e, parts[i], others[i], e.component(primal, i))
		}
	}
	return joined(full)
}

// turns handles a Map or Build, by one that computes its bodies again.
func (p *pusher) turns(l *fold) *adjoint {
	t := &turns{outer: newReverser(p.e, nil), r: newReverser(p.e.nested(), nil), bound: l.bound,
		arrays: append([]core.Atom(nil), l.arrays...), given: func(*emitter, *core.Copier) {}}
	c := core.NewCopier(nil)
	for _, x := range l.params {
		t.params = append(t.params, c.Bind(x))
	}
	if l.index != nil {
		t.index = c.Bind(l.index)
	}
	for i, array := range l.arrays {
		if da := p.of(array); da != nil {
			p.tan[t.params[i]] = t.rows(p.e.table(da, array))
		}
	}
	inner := &pusher{e: t.r.e, tan: p.tan}
	body := c.Block(l.body)
	d := inner.push(body)
	if d == nil {
		return nil
	}
	table := t.tableOut(t.r.settled(d, body.Result), body.Result.Type())
	t.collect()
	t.deliver()
	return denseBits(table)
}

// dual is the body of a loop together with its derivative, in terms of the
// state and its tangent.
type dual struct {
	index         *core.Var
	bound         core.Atom
	params        []*core.Var
	arrays        []core.Atom
	state, dstate *core.Var
	cond          *core.Block // of a While
	e             *emitter
	next, dnext   core.Atom
	alone         bool // the tangents do not depend on the states
}

func (p *pusher) dual(l *fold, cond *core.Block) *dual {
	c := core.NewCopier(nil)
	d := &dual{bound: l.bound, e: p.e.nested()}
	d.state = c.Bind(l.state)
	d.dstate = core.NewVar("d"+l.state.Name, unsized(l.state.Ty))
	p.tan[d.state] = whole(d.dstate)
	if cond != nil {
		d.cond = c.Block(cond)
	}
	if l.index != nil {
		d.index = c.Bind(l.index)
	}
	t := &turns{outer: newReverser(p.e, nil), r: newReverser(d.e, nil)}
	for i, x := range l.params {
		t.params, t.arrays = append(t.params, c.Bind(x)), append(t.arrays, l.arrays[i])
	}
	for i, array := range l.arrays {
		if da := p.of(array); da != nil {
			p.tan[t.params[i]] = t.rows(p.e.table(da, array))
		}
	}
	d.params, d.arrays = t.params, t.arrays
	inner := &pusher{e: d.e, tan: p.tan}
	body := c.Block(l.body)
	dnext := inner.push(body)
	d.next, d.dnext = body.Result, d.e.value(dnext, body.Result)
	stmts := d.e.Block(core.UnitLit()).Stmts
	d.alone = cond == nil
	core.Atoms(&core.Block{Stmts: live(stmts, d.dnext), Result: d.dnext}, func(a core.Atom) {
		if a == core.Atom(d.state) {
			d.alone = false
		}
	})
	if d.alone {
		stmts = live(stmts, d.dnext)
	}
	d.e.Add(stmts...)
	d.dropUnused(stmts)
	return d
}

// dropUnused leaves out the arrays that the body does not use, but for one.
func (d *dual) dropUnused(stmts []core.Stmt) {
	used := map[core.Atom]bool{d.next: !d.alone, d.dnext: true}
	core.Atoms(&core.Block{Stmts: stmts, Result: d.dnext}, func(a core.Atom) { used[a] = true })
	var params []*core.Var
	var arrays []core.Atom
	for i, x := range d.params {
		if used[x] {
			params, arrays = append(params, x), append(arrays, d.arrays[i])
		}
	}
	if len(params) > 0 {
		d.params, d.arrays = params, arrays
	} else if len(d.params) > 0 {
		d.params, d.arrays = d.params[:1], d.arrays[:1]
	}
}

// start is the state that a dual loop begins with.
func (d *dual) start(p *pusher, init core.Atom) core.Atom {
	dinit := p.e.value(p.of(init), init)
	if d.alone {
		return dinit
	}
	return p.e.tuple([]core.Atom{init, dinit})
}

// body is the body of the loop, and its state.
func (d *dual) body(p *pusher) (*core.Var, *core.Block) {
	if d.alone {
		return d.dstate, d.e.Block(d.dnext)
	}
	both := d.e.tuple([]core.Atom{d.next, d.dnext})
	state := core.NewVar(d.state.Name, both.Type())
	e := p.e.nested()
	e.bind(d.state, &core.Proj{Of: state, Index: 0})
	e.bind(d.dstate, &core.Proj{Of: state, Index: 1})
	e.Add(d.e.Block(both).Stmts...)
	return state, e.Block(both)
}

// result takes the tangent out of the final state.
func (d *dual) result(p *pusher, final core.Atom) *adjoint {
	if d.alone {
		return whole(final)
	}
	return whole(p.e.component(final, 1))
}

// folded handles a loop with a state, by one whose state has its tangent
// beside it.
func (p *pusher) folded(l *fold, cond *core.Block) *adjoint {
	d := p.dual(l, cond)
	start := d.start(p, l.init)
	state, body := d.body(p)
	if l.reduce && len(d.params) == 1 {
		op := &core.Reduce{Acc: state, Elem: d.params[0], Init: start, Array: d.arrays[0], Body: body}
		return d.result(p, p.e.let("dual", op))
	}
	loop := &core.Loop{State: state, Init: start, Body: body}
	switch {
	case cond != nil:
		e := p.e.nested()
		subst := map[*core.Var]core.Atom{d.state: e.component(state, 0)}
		inner := core.Clone(d.cond, subst)
		e.Add(inner.Stmts...)
		loop.Head = &core.While{Cond: e.Block(inner.Result)}
	case d.index != nil:
		loop.Head = &core.Range{Index: d.index, Bound: d.bound}
	case len(d.params) == 1:
		loop.Head = &core.Each{Elem: d.params[0], Array: d.arrays[0]}
	default:
		i := core.NewVar("i", types.Int)
		e := p.e.nested()
		for k, x := range d.params {
			e.bind(x, &core.Index{Of: d.arrays[k], At: i})
		}
		e.Add(body.Stmts...)
		loop.Head, loop.Body = &core.Range{Index: i, Bound: p.e.length(d.arrays[0])}, e.Block(body.Result)
	}
	return d.result(p, p.e.let("dual", loop))
}

// scanned handles a Scan alike.
func (p *pusher) scanned(l *fold) *adjoint {
	d := p.dual(l, nil)
	start := d.start(p, l.init)
	state, body := d.body(p)
	scan := &core.Scan{Acc: state, Elem: d.params[0], Init: start, Array: d.arrays[0], Body: body}
	if len(d.params) > 1 {
		zipped := p.e.mapAll(d.arrays, func(e *emitter, x []core.Atom) core.Atom { return e.tuple(x) })
		scan.Array, scan.Elem = zipped, core.NewVar("x", elemType(zipped.Type()))
		e := p.e.nested()
		for k, x := range d.params {
			e.bind(x, &core.Proj{Of: scan.Elem, Index: k})
		}
		e.Add(body.Stmts...)
		scan.Body = e.Block(body.Result)
	}
	states := p.e.let("dual", scan)
	if d.alone {
		return whole(states)
	}
	return whole(p.e.mapOne(states, func(e *emitter, x core.Atom) core.Atom { return e.component(x, 1) }))
}
