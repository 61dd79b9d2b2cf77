package lower

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Recursive data]
//
// A value of a recursive data type is the index of its node in a *table*, an array of variants
// (Note [Variants]) whose fields of the type itself are indices too. So
//
//	data List = Nil | Cons Real List
//
// is a table with three columns: tags, reals and indices. A match reads the tag, and the fields of
// the arm that is taken. Values that are states of loops, elements of arrays or results of a choice
// are only indices; which table they belong to is known when the function is lowered, and values of
// different tables are never mixed.
//
// Tables are made by the caller, one for each place of an argument's type at which there is
// recursive data; nodes that are shared there are one row. The first rows are those of the
// constructors without fields, in their order, so that such values belong to every table of their
// type. A table has at least one row, and the fields that a constructor does not have are zeros, so
// that every index in a table is that of a row. Loop form only reads tables: a function that makes
// nodes with fields is not covered.

// fixed is the row of a constructor without fields in the tables of its type.
func fixed(t *types.Data, con *types.Con) int {
	k := 0
	for _, c := range t.Decl.Cons[:con.Tag] {
		if len(c.Fields) == 0 {
			k++
		}
	}
	return k
}

// sameTable gives up unless values of recursive data, if they are that, have one table, and
// functions are among the same.
func (l *lowerer) sameTable(a, b *product) { l.either(a, b) }

// either is a product for one of two values, with its parts to be filled in.
func (l *lowerer) either(a, b *product) *product {
	p := a.fresh()
	if a.funs != nil && !slices.EqualFunc(a.funs.of, b.funs.of, (*alternative).is) {
		l.fail("different functions in one place")
	}
	switch {
	case a.table == b.table || b.table == nowhere:
	case a.table == nowhere:
		p.table = b.table
	default:
		l.failWith(RecursiveHint, "values of recursive data from different arguments in one place")
	}
	return p
}

// row is the node of a value of recursive data, as addresses.
func (l *lowerer) row(p *product) *product {
	if p.table == nowhere {
		l.failWith(RecursiveHint, "recursive data that is not an argument's")
	}
	return l.locate(p.table.rows, l.plain(p.parts[0])).(*product)
}

// makesNode tells whether an operation makes a node with fields.
func makesNode(op *core.Construct) bool { return isNode(op.Ty) && len(op.Con.Fields) > 0 }

// tableOf is the one table of a data type among several.
func (l *lowerer) tableOf(t *types.Data, tables []*table) *table {
	var found *table
	for _, table := range tables {
		if table != nowhere && types.Equal(table.data, t) {
			if found != nil {
				l.failWith(RecursiveHint, "a result that may be part of different arguments")
			}
			found = table
		}
	}
	if found == nil {
		l.failWith(RecursiveHint, "a result of type %s", types.Show(t))
	}
	return found
}

// tag reads the tag of a row.
func (l *lowerer) tag(row *product) loop.Atom { return l.plain(l.loaded(row.parts[0])) }
