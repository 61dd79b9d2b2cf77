package diff

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// finish emits the loop and hands on what it gives.
func (t *turns) finish() {
	t.collect()
	t.deliver()
}

// collect finds the outputs, and what of the body they need.
func (t *turns) collect() {
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
	t.stmts = live(t.r.e.Block(core.UnitLit()).Stmts, atomsOf(t.columns, t.totals)...)
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
	for i, part := range componentTypes(ty) {
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
	if ts := componentTypes(ty); ts != nil {
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
	m := &merger{cond: e.row("==", atInt, n, length), e: e, then: e.nested(), otherwise: e.nested()}
	b := bit{kind: sparse, path: []core.Atom{m.otherwise.iota(n)}, elem: table}
	some := m.otherwise.accumulate(nil, b, array, elemType(array.Type()))
	merged := m.tables(table, some, array)
	m.emit()
	return bit{kind: dense, elem: merged}
}

// isLength tells whether n was computed as the length of an array.
func (e *emitter) isLength(n, array core.Atom) bool {
	p := e.primDef(n, "length")
	return p != nil && sameAtom(p.Args[0], array)
}

// ---- emitting

// emit makes the loops that give the outputs. What costs no more than a copy
// is a loop of its own; the others are made together, and taken apart again,
// if that is cheaper than computing again what they share.
func (t *turns) emit() {
	if len(t.columns)+len(t.totals) == 0 {
		return
	}
	var columns []output
	alone := 0
	for _, o := range t.columns {
		if cost := t.cost([]output{o}, nil); cost > 1 {
			columns = append(columns, o)
			alone += cost
			continue
		}
		t.emitColumns([]output{o})
	}
	copies := 0
	if len(columns) > 1 {
		copies = len(columns)
	}
	totals := t.cost(nil, t.totals)
	together := t.cost(columns, nil) + copies + totals
	joint := t.cost(columns, t.totals) + len(columns) + len(t.totals)
	switch {
	case alone+totals <= together && alone+totals <= joint:
		for _, o := range columns {
			t.emitColumns([]output{o})
		}
		t.emitTotals(t.totals)
	case together <= joint || len(columns) == 0 || len(t.totals) == 0:
		t.emitColumns(columns)
		t.emitTotals(t.totals)
	default:
		t.emitJoint(columns)
	}
}

func atomsOf(outputs ...[]output) []core.Atom {
	var atoms []core.Atom
	for _, o := range slices.Concat(outputs...) {
		atoms = append(atoms, o.atom)
	}
	return atoms
}

// cost estimates a turn of the loop that gives some outputs.
func (t *turns) cost(columns, totals []output) int {
	return costOf(live(t.stmts, atomsOf(columns, totals)...)) + len(totals)
}

// The costs of a primitive that is not cheap, of a loop for that of a turn, and
// at most.
const (
	dearCost  = 10
	manyTurns = 20
	maxCost   = 1 << 40
)

func costOf(stmts []core.Stmt) int {
	n := 0
	for _, s := range stmts {
		let, ok := s.(*core.Let)
		if !ok {
			continue
		}
		switch op := let.Op.(type) {
		case *core.Prim:
			n++
			if f := op.Prim.Float; f != nil && !cheap[op.Prim.Name] {
				n += dearCost
			}
		case *core.If:
			n += 1 + costOf(op.Then.Stmts) + costOf(op.Else.Stmts)
		case *core.Index, *core.Slice, *core.Array:
			n++
		case *core.Tuple, *core.Proj, *core.Record, *core.Field:
		default:
			nested := core.Parts{Block: func(b *core.Block) { n += manyTurns * (1 + costOf(b.Stmts)) }}
			nested.Visit(op)
		}
		n = min(n, maxCost) // deep nests multiply
	}
	return n
}

// cheap are the primitives on reals that cost about as much as an addition.
var cheap = map[string]bool{"+": true, "-": true, "*": true, "/": true, "neg": true, "abs": true, "max": true, "min": true,
	"sqrt": true, "real": true, "<": true, "<=": true, ">": true, ">=": true, "not": true}

// body copies what some atoms of the body need, with fresh variables.
func (t *turns) body(atoms []core.Atom, more func(e *emitter, c *core.Copier) core.Atom) (*core.Copier, *core.Block) {
	c := core.NewCopier(nil)
	for _, p := range t.params {
		c.Bind(p)
	}
	if t.index != nil {
		c.Bind(t.index)
	}
	e := t.outer.e.nested()
	for _, s := range live(t.stmts, atoms...) {
		let := s.(*core.Let)
		op := c.Op(let.Op)
		e.at = let.At
		e.bind(c.Bind(let.Var), op)
	}
	result := more(e, c)
	return c, e.Block(result)
}

func copiedAtoms(c *core.Copier, outputs []output) []core.Atom {
	var atoms []core.Atom
	for _, o := range outputs {
		atoms = append(atoms, c.Atom(o.atom))
	}
	return atoms
}

// array is the Map or Build with the given body.
func (t *turns) array(c *core.Copier, body *core.Block) *core.Var {
	e := t.outer.e
	if t.index != nil {
		return e.let("bs", &core.Build{Size: t.bound, Index: c.Subst[t.index].(*core.Var), Body: body})
	}
	params := make([]*core.Var, len(t.params))
	for i, p := range t.params {
		params[i] = c.Subst[p].(*core.Var)
	}
	return e.mapOf(params, t.arrays, body).(*core.Var)
}

func (t *turns) emitColumns(outputs []output) {
	if len(outputs) == 0 {
		return
	}
	c, body := t.body(atomsOf(outputs), func(e *emitter, c *core.Copier) core.Atom { return e.tuple(copiedAtoms(c, outputs)) })
	rows := t.array(c, body)
	if len(outputs) == 1 {
		t.outer.e.rename(rows, outputs[0].v)
		return
	}
	t.takeColumns(rows, outputs)
}

// rename gives the variable of the last statement another name.
func (e *emitter) rename(from, to *core.Var) {
	stmts := e.Block(core.UnitLit()).Stmts
	let := stmts[len(stmts)-1].(*core.Let)
	if let.Var != from {
		panic("diff: not the last statement")
	}
	e.Add(stmts[:len(stmts)-1]...)
	e.bind(to, let.Op)
}

func (t *turns) emitTotals(outputs []output) {
	if len(outputs) == 0 {
		return
	}
	e := t.outer.e
	acc, start := t.accumulator(outputs)
	c, body := t.body(atomsOf(outputs), func(e *emitter, c *core.Copier) core.Atom {
		return e.accumulated(acc, copiedAtoms(c, outputs))
	})
	if t.index != nil {
		op := &core.Loop{State: acc, Init: start, Head: &core.Range{Index: c.Subst[t.index].(*core.Var), Bound: t.bound}, Body: body}
		t.bindTotals(op, outputs)
		return
	}
	used := map[core.Atom]bool{}
	core.Atoms(body, func(a core.Atom) { used[a] = true })
	var params []int
	for i, p := range t.params {
		if used[c.Subst[p]] {
			params = append(params, i)
		}
	}
	if len(params) == 0 {
		params = []int{0}
	}
	if len(params) == 1 {
		k := params[0]
		t.bindTotals(&core.Reduce{Acc: acc, Elem: c.Subst[t.params[k]].(*core.Var), Init: start, Array: t.arrays[k], Body: body}, outputs)
		return
	}
	i := core.NewVar("i", types.Int)
	inner := e.nested()
	for _, k := range params {
		inner.bind(c.Subst[t.params[k]].(*core.Var), &core.Index{Of: t.arrays[k], At: i})
	}
	inner.Add(body.Stmts...)
	op := &core.Loop{State: acc, Init: start, Head: &core.Range{Index: i, Bound: e.length(t.arrays[0])}, Body: inner.Block(body.Result)}
	t.bindTotals(op, outputs)
}

// accumulator is the state of a loop that sums outputs, and how it starts.
func (t *turns) accumulator(outputs []output) (*core.Var, core.Atom) {
	starts := make([]core.Atom, len(outputs))
	for i, o := range outputs {
		starts[i] = o.start
	}
	start := t.outer.e.tuple(starts)
	return core.NewVar("acc", start.Type()), start
}

// accumulated adds to the parts of an accumulator.
func (e *emitter) accumulated(acc *core.Var, xs []core.Atom) core.Atom {
	if len(xs) == 1 {
		return e.addValues(acc, xs[0])
	}
	sums := make([]core.Atom, len(xs))
	for i, x := range xs {
		sums[i] = e.addValues(e.component(acc, i), x)
	}
	return e.tuple(sums)
}

func (t *turns) bindTotals(op core.Op, outputs []output) {
	e := t.outer.e
	if len(outputs) == 1 {
		e.bind(outputs[0].v, op)
		return
	}
	all := e.let("sums", op)
	for i, o := range outputs {
		e.bind(o.v, &core.Proj{Of: all, Index: i})
	}
}

// emitJoint makes one array with all that each turn gives, and then the
// columns and the totals of it.
func (t *turns) emitJoint(columns []output) {
	e := t.outer.e
	outputs := slices.Concat(columns, t.totals)
	c, body := t.body(atomsOf(outputs), func(e *emitter, c *core.Copier) core.Atom { return e.tuple(copiedAtoms(c, outputs)) })
	rows := t.array(c, body)
	t.takeColumns(rows, columns)
	acc, start := t.accumulator(t.totals)
	row := core.NewVar("row", elemType(rows.Ty))
	inner := e.nested()
	var xs []core.Atom
	for i := range t.totals {
		xs = append(xs, inner.component(row, len(columns)+i))
	}
	next := inner.accumulated(acc, xs)
	t.bindTotals(&core.Reduce{Acc: acc, Elem: row, Init: start, Array: rows, Body: inner.Block(next)}, t.totals)
}

// takeColumns takes the first columns of an array of tuples.
func (t *turns) takeColumns(rows core.Atom, outputs []output) {
	for i, o := range outputs {
		column := t.outer.e.mapOne(rows, func(e *emitter, x core.Atom) core.Atom { return e.component(x, i) })
		t.outer.e.rename(column.(*core.Var), o.v)
	}
}

// needs tells whether the outputs need a variable.
func (t *turns) needs(v *core.Var) bool {
	found := false
	core.Atoms(&core.Block{Stmts: t.stmts, Result: core.UnitLit()}, func(a core.Atom) { found = found || a == core.Atom(v) })
	for _, a := range atomsOf(t.columns, t.totals) {
		found = found || a == core.Atom(v)
	}
	return found
}
