package interp

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/uses"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Updates of rows]
//
// {m with [i, j] = v} is, in core,
//
//	row = index m i
//	…
//	next = scatter row [j] [v]
//	result = scatter m [i] [next]
//
// and each of the two updates would copy: m holds the row beside the register.
// The compiler joins them into one instruction (opScatterPath), which changes
// the row where it is if m is owned and the row is m's own. An array has a mark for
// each of its rows (refs.mine) that says so. Only this instruction sets it, on a row that
// it has just copied. {rs with [i].w[j] = v} is the same with an array of records: the row is taken
// out of the element, and put into a record of the element's other fields, which stay where they are.
// An update of one of those, {rs with [i].b = x}, puts the rows of the element back, and keeps the marks.
//
// The marks of m go (opKeepRows) before an operation that may copy a
// reference to a row out of m to where it lives on, which is any operation but
//
//   - one that moves m itself, or tells its length: whoever gets m obeys the
//     same rules;
//   - an index whose rows are read, and are dead before m can change. That is so if
//     there is a later use of m in the block, since m is not changed before its last use, or
//     if nothing stands between that could change anything.
//
// A closure, a data value or an array that m gets into makes it shared, so that
// it does not change any more (Note [Updates in place]).

// ---- code

// keepRows removes the marks of the rows that a statement may keep.
func (c *funCompiler) keepRows(s *core.Let) {
	if c.rows == nil {
		return
	}
	for _, a := range c.rows.Keeps[s] {
		for _, slot := range c.atom(a) {
			if slot.kind == kP && !slot.isConst {
				c.emit(instr{op: opKeepRows, a: slot.reg})
			}
		}
	}
}

// partOfPath tells whether a statement is part of an update of a row that a later one does. What dies
// with it dies with that one.
func (c *funCompiler) partOfPath(s *core.Let) bool {
	if c.rows == nil || c.rows.Part[s] == nil {
		return false
	}
	last := c.rows.Part[s]
	c.live.Dies[last] = append(c.live.Dies[last], c.live.Dies[s]...)
	c.live.Dies[s] = nil
	return true
}

// updatePath generates an update of a row.
func (c *funCompiler) updatePath(s *core.Let, u *uses.PathUpdate) []slot {
	args := c.atoms([]core.Atom{u.Root, u.Js, u.Vs})
	for _, step := range u.Path {
		args = append(args, c.atom(step.At)[0], constI(c.columnOf(step)))
	}
	in := instr{op: opScatterPath, b: c.list(args)}
	root := args[0]
	if !root.isConst && !slices.Contains(args[1:], root) && c.holders(root, c.dying(s)) == 0 {
		in.k = 1
	}
	return c.single(s, kP, in).slots
}

// columnOf is which of the references of an element a step leads to.
func (c *funCompiler) columnOf(step uses.PathStep) int64 {
	column, t := 0, types.Resolve(step.Elem)
	for _, k := range step.Fields {
		var parts []types.Type
		switch t := t.(type) {
		case *types.Tuple:
			parts = t.Elems
		case *types.Record:
			for _, f := range t.Fields {
				parts = append(parts, f.Type)
			}
		}
		for _, before := range parts[:k] {
			column += c.of(before).shape().p
		}
		t = types.Resolve(parts[k])
	}
	return int64(column)
}

// ---- the machine

func keepRows(r ref) {
	switch a := r.(type) {
	case *refs:
		if a.mine != nil { // an array of the program's code is not written to
			a.mine = nil
		}
	case *table:
		if a.mine != nil {
			a.mine = nil
		}
	}
}

// scatterPath replaces elements of the row at a path: indices and columns in turn.
func (m *Machine) scatterPath(root ref, path []int64, at *ints, vs ref, inPlace bool) (ref, *diag.Diagnostic) {
	if !inPlace {
		copied, d := m.copyArray(root)
		if d != nil {
			return nil, d
		}
		own(copied)
		root = copied
	}
	row := root
	for ; len(path) > 0; path = path[2:] {
		rows, mine, d := m.rowsOf(row, path[1])
		if d != nil {
			return nil, d
		}
		k := path[0]
		if uint64(k) >= uint64(len(rows)) {
			return nil, outOfRange(k, len(rows))
		}
		if !mine[k] {
			copied, d := m.copyArray(rows[k])
			if d != nil {
				return nil, d
			}
			rows[k], mine[k] = copied, true
		}
		row = rows[k]
	}
	_, d := m.scatter(row, at, vs, false, true)
	return root, d
}

// rowsOf is a column of rows, with marks for those that nothing else refers to.
func (m *Machine) rowsOf(array ref, column int64) ([]ref, []bool, *diag.Diagnostic) {
	marks := func(n int) ([]bool, *diag.Diagnostic) {
		if d := m.charge(int64(n)); d != nil {
			return nil, d
		}
		return make([]bool, n), nil
	}
	var d *diag.Diagnostic
	switch a := array.(type) {
	case *refs:
		if a.mine == nil {
			a.mine, d = marks(len(a.v))
		}
		return a.v, a.mine, d
	case *table:
		if a.mine == nil {
			a.mine = make([][]bool, len(a.p))
		}
		if a.mine[column] == nil {
			a.mine[column], d = marks(a.n)
		}
		return a.p[column], a.mine[column], d
	}
	panic("interp: an array without rows")
}

// copyArray copies an array. Its rows belong to both.
func (m *Machine) copyArray(xs ref) (ref, *diag.Diagnostic) {
	n := arrayLen(xs)
	r, d := m.allocArray(arrayShape(xs), int64(n))
	if d != nil {
		return nil, d
	}
	m.elements(n)
	copyInto(r, 0, xs)
	keepRows(xs)
	return r, nil
}
