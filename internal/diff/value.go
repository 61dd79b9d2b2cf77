package diff

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// zero is the value of the shape of like whose reals are 0 and whose other
// leaves are the least of their types.
func (e *emitter) zero(like core.Atom) core.Atom {
	switch t := types.Resolve(like.Type()).(type) {
	case *types.Basic:
		switch t {
		case types.Real:
			return realLit(0)
		case types.Int:
			return core.IntLit(0)
		case types.Bool:
			return core.BoolLit(false)
		case types.String:
			return core.StringLit("")
		}
	case *types.Tuple, *types.Record:
		parts := types.Parts(t)
		zeros := make([]core.Atom, len(parts))
		for i := range parts {
			zeros[i] = e.zero(e.component(like, i))
		}
		if len(zeros) == 0 {
			return core.UnitLit()
		}
		return e.assemble(t, zeros)
	case *types.Array:
		return e.mapOne(like, func(e *emitter, x core.Atom) core.Atom { return e.zero(x) })
	}
	panic(notCovered{e.at, "a value of type " + types.Show(like.Type())})
}

// addValues adds the reals of two values of one shape; other leaves are the
// first one's.
func (e *emitter) addValues(x, y core.Atom) core.Atom {
	switch t := types.Resolve(x.Type()).(type) {
	case *types.Basic:
		if t == types.Real {
			return e.add(x, y)
		}
		return x
	case *types.Tuple, *types.Record:
		parts := types.Parts(t)
		sums := make([]core.Atom, len(parts))
		for i := range parts {
			sums[i] = e.addValues(e.component(x, i), e.component(y, i))
		}
		if len(sums) == 0 {
			return core.UnitLit()
		}
		return e.assemble(t, sums)
	case *types.Array:
		if !types.HasReals(t) {
			return x
		}
		return e.mapAll([]core.Atom{x, y}, func(e *emitter, x []core.Atom) core.Atom { return e.addValues(x[0], x[1]) })
	}
	panic(notCovered{e.at, "a value of type " + types.Show(x.Type())})
}

// value is an adjoint of a value, whose primal is like, as one atom.
func (e *emitter) value(a *adjoint, like core.Atom) core.Atom {
	t := like.Type()
	if a == nil {
		return e.zero(like)
	}
	if a.leaf != nil {
		return a.leaf
	}
	if a.bits != nil {
		return e.tableValue(e.table(a, like), like)
	}
	parts := make([]core.Atom, len(a.parts))
	for i, p := range a.parts {
		parts[i] = e.value(p, e.component(like, i))
	}
	return e.assemble(t, parts)
}

// tableValue makes one array of a table with a row for each element of like.
func (e *emitter) tableValue(table *adjoint, like core.Atom) core.Atom {
	if table == nil {
		return e.zero(like)
	}
	if table.leaf != nil {
		return table.leaf
	}
	arrays := []core.Atom{like}
	seed := rowsOf(table, func(leaf core.Atom) core.Atom {
		arrays = append(arrays, leaf)
		return core.NewVar("b", elemType(leaf.Type()))
	})
	var params []core.Atom
	rowsOf(seed, func(leaf core.Atom) core.Atom {
		params = append(params, leaf)
		return leaf
	})
	x := core.NewVar("x", elemType(like.Type()))
	inner := e.nested()
	row := inner.value(seed, x)
	vars := []*core.Var{x}
	for _, p := range params {
		vars = append(vars, p.(*core.Var))
	}
	return e.mapOf(vars, arrays, inner.Block(row))
}

// rowsOf maps the leaves of a table.
func rowsOf(table *adjoint, f func(core.Atom) core.Atom) *adjoint {
	if table == nil {
		return nil
	}
	if table.leaf != nil {
		// A leaf of a table may be an array in each row.
		return &adjoint{leaf: f(table.leaf)}
	}
	parts := make([]*adjoint, len(table.parts))
	for i, p := range table.parts {
		parts[i] = rowsOf(p, f)
	}
	return &adjoint{parts: parts}
}

// joinLeaves maps the pairs of leaves of two tables of one form.
func joinLeaves(a, b *adjoint, f func(x, y core.Atom) core.Atom) *adjoint {
	if a == nil {
		return nil
	}
	if a.leaf != nil {
		return &adjoint{leaf: f(a.leaf, b.leaf)}
	}
	parts := make([]*adjoint, len(a.parts))
	for i := range a.parts {
		parts[i] = joinLeaves(a.parts[i], b.parts[i], f)
	}
	return &adjoint{parts: parts}
}

// normal makes the leaves of arrays, in a row of a table, the bits that an
// adjoint has for them.
func normal(row *adjoint) *adjoint {
	if row == nil {
		return nil
	}
	if row.leaf != nil {
		return whole(row.leaf)
	}
	parts := make([]*adjoint, len(row.parts))
	for i, p := range row.parts {
		parts[i] = normal(p)
	}
	return &adjoint{parts: parts}
}
