package diff

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// emit makes the loops that give the outputs.
func (t *turns) emit() {
	_, loops := t.plan()
	loops()
}

// plan chooses the loops that give the outputs, and estimates what a turn of
// them costs. What costs no more than a copy is a loop of its own; the others
// are made together, and taken apart again, if that is cheaper than computing
// again what they share.
func (t *turns) plan() (cost int, emit func()) {
	var copied, columns []output
	alone := 0
	for _, o := range t.columns {
		if cost := t.cost([]output{o}, nil); cost > 1 {
			columns = append(columns, o)
			alone += cost
			continue
		}
		copied = append(copied, o)
	}
	copies := 0
	if len(columns) > 1 {
		copies = len(columns)
	}
	totals := t.cost(nil, t.totals)
	together := t.cost(columns, nil) + copies + totals
	joint := t.cost(columns, t.totals) + len(columns) + len(t.totals)
	singly := func(outputs []output) {
		for _, o := range outputs {
			t.emitColumns([]output{o})
		}
	}
	switch {
	case alone+totals <= together && alone+totals <= joint:
		return alone + totals, func() {
			singly(copied)
			singly(columns)
			t.emitTotals(t.totals)
		}
	case together <= joint || len(columns) == 0 || len(t.totals) == 0:
		return together, func() {
			singly(copied)
			t.emitColumns(columns)
			t.emitTotals(t.totals)
		}
	}
	return joint, func() {
		singly(copied)
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

// The cost of a loop for that of a turn, and the largest cost.
const (
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
			n += op.Prim.Cost
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

// body copies what some atoms of the body need, with fresh variables, after
// what is given.
func (t *turns) body(atoms []core.Atom, more func(e *emitter, c *core.Copier) core.Atom) (*core.Copier, *core.Block) {
	c := core.NewCopier(nil)
	for _, p := range t.params {
		c.Bind(p)
	}
	if t.index != nil {
		c.Bind(t.index)
	}
	e := t.outer.e.nested()
	t.given(e, c)
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
