package machine

import (
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
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
// and each of the two updates would copy: m holds the row beside the register. The compiler joins
// them into one instruction (OpScatterPath), which changes the row where it is if m is owned and
// the row is m's own. An array has a mark for each of its rows (Refs.Mine) that says so. Only this
// instruction sets it, on a row that it has just copied. {rs with [i].w[j] = v} is the same with an
// array of records: the row is taken out of the element, and put into a record of the element's
// other fields, which stay where they are. An update of one of those, {rs with [i].b = x}, puts the
// rows of the element back, and keeps the marks.
//
// The marks of m go (OpKeepRows) before an operation that may copy a
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

// scatterPath replaces elements of the row at a path: indices and columns in turn.
func (m *Machine) scatterPath(root object.Ref, path []int64, at *object.Ints, vs object.Ref, inPlace bool) (object.Ref, *diag.Diagnostic) {
	if !inPlace {
		copied, d := m.copyArray(root)
		if d != nil {
			return nil, d
		}
		object.Own(copied)
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
func (m *Machine) rowsOf(array object.Ref, column int64) ([]object.Ref, []bool, *diag.Diagnostic) {
	marks := func(n int) ([]bool, *diag.Diagnostic) {
		if d := m.Charge(int64(n)); d != nil {
			return nil, d
		}
		return make([]bool, n), nil
	}
	var d *diag.Diagnostic
	switch a := array.(type) {
	case *object.Refs:
		if a.Mine == nil {
			a.Mine, d = marks(len(a.V))
		}
		return a.V, a.Mine, d
	case *object.Table:
		if a.Mine == nil {
			a.Mine = make([][]bool, len(a.P))
		}
		if a.Mine[column] == nil {
			a.Mine[column], d = marks(a.N)
		}
		return a.P[column], a.Mine[column], d
	}
	panic("machine: an array without rows")
}

// copyArray copies an array. Its rows belong to both.
func (m *Machine) copyArray(xs object.Ref) (object.Ref, *diag.Diagnostic) {
	n := object.Len(xs)
	r, d := m.allocArray(object.ShapeOf(xs), int64(n))
	if d != nil {
		return nil, d
	}
	m.elements(n)
	object.CopyInto(r, 0, xs)
	object.KeepRows(xs)
	return r, nil
}
