//go:build !page

package data

import (
	"errors"
	"io"
	"strings"

	"github.com/parquet-go/parquet-go/format"

	"github.com/fluxion-lang/fluxion/internal/data/parquet"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Note [Nested columns]. A Parquet file stores a column of records or lists as one stream of
// values for each leaf of its type. A value has two levels. The definition level counts how many
// of the parts around the leaf that may be missing or empty are present. If it is less than the
// leaf's own level, the value is null, and the level says which part is missing. The repetition
// level counts the lists around the leaf that the value continues; 0 starts a row. The lists [[1,
// 2], []] are
//
//	value       1  2  null
//	repetition  0  1  0
//	definition  1  1  0
//
// A value of a part is assembled from the heads of the streams below it. A missing or empty part
// takes one null from each stream. A list continues as long as the heads continue it. The streams
// of a damaged file may disagree, which is an error. So columns that belong together always have
// the same length.

// parquetPart is a part of the type of a file's rows.
type parquetPart struct {
	kind   partKind
	column *parquet.Column
	// the definition level from which on an option is present, or a list is not empty
	level  int
	repeat int            // the repetition level of values that continue a list
	of     *parquetPart   // the content of an option or a list
	fields []*parquetPart // the parts of a group
	null   bool           // whether an option is missing somewhere, as far as is known
}

type partKind uint8

const (
	leafPart partKind = iota
	groupPart
	listPart
	optionPart
)

// partOf describes a column.
func partOf(c *parquet.Column) *parquetPart {
	switch {
	case c.Repeated():
		return listOf(c, c, barePart(c))
	case c.Optional():
		return &parquetPart{
			kind:   optionPart,
			column: c,
			level:  c.Definition,
			of:     barePart(c),
		}
	}
	return barePart(c)
}

// listOf returns the part of a list. elems is the repeated column: c itself, or one inside it.
func listOf(c, elems *parquet.Column, elem *parquetPart) *parquetPart {
	return &parquetPart{kind: listPart, column: c, level: elems.Definition,
		repeat: elems.Repetition, of: elem}
}

// barePart describes a column, ignoring whether it is optional or repeated.
func barePart(c *parquet.Column) *parquetPart {
	if c.Leaf() {
		return &parquetPart{kind: leafPart, column: c}
	}
	if inner := c.Columns; len(inner) == 1 && inner[0].Repeated() && isList(c) {
		// A list is a group that contains a repeated group that contains the elements. Old files
		// leave out the outer or the inner group.
		elems := inner[0]
		if !elems.Leaf() && len(elems.Columns) == 1 && !isOldList(c, elems) {
			return listOf(c, elems, partOf(elems.Columns[0]))
		}
		return listOf(c, elems, barePart(elems))
	}
	group := &parquetPart{kind: groupPart, column: c}
	for _, field := range c.Columns {
		group.fields = append(group.fields, partOf(field))
	}
	return group
}

// isList reports whether a group stands for a list, or for a map, which is a list of keys and
// values.
func isList(c *parquet.Column) bool {
	switch c.Logical().(type) {
	case *format.ListType, *format.MapType:
		return true
	}
	return false
}

// isOldList reports, by its name, whether a repeated group is itself the element of a list.
func isOldList(c, elems *parquet.Column) bool {
	return elems.Name() == "array" || elems.Name() == c.Name()+"_tuple"
}

// unread calls tell with the leaves of a part that cannot be read.
func (p *parquetPart) unread(tell func(column, ty string)) {
	switch p.kind {
	case leafPart:
		if _, known := p.leafKind(); !known {
			tell(columnName(p.column), p.column.Type())
		}
	case groupPart:
		for _, f := range p.fields {
			f.unread(tell)
		}
	default:
		p.of.unread(tell)
	}
}

// typ returns the type of a part, or nil if it cannot be read.
func (p *parquetPart) typ(option *types.DataDecl) types.Type {
	switch p.kind {
	case leafPart:
		kind, _ := p.leafKind()
		return basicTypes[kind]
	case groupPart:
		var fields []types.Field
		for _, f := range p.fields {
			if t := f.typ(option); t != nil {
				fields = append(fields, types.Field{Name: f.column.Name(), Type: t})
			}
		}
		if len(fields) == 0 {
			return nil
		}
		return recordOf(fields)
	}
	of := p.of.typ(option)
	switch {
	case of == nil:
		return nil
	case p.kind == listPart:
		return arrayOf(of)
	}
	return optional(of, p.null, option)
}

// findNulls finds the options below a part that are missing somewhere. around lists the options
// around it.
func (b *builders) findNulls(
	file *parquet.File, p *parquetPart, around []*parquetPart,
) *diag.Diagnostic {
	switch p.kind {
	case groupPart:
		for _, f := range p.fields {
			if d := b.findNulls(file, f, around); d != nil {
				return d
			}
		}
		return nil
	case listPart, optionPart:
		return b.findNulls(file, p.of, append(around[:len(around):len(around)], p))
	}
	if d := b.checkPages(file, p.column); d != nil {
		return d
	}
	leaf := newStream(p.column)
	full := p.column.Definition
	for ; leaf.there(); leaf.at++ {
		if level := int(leaf.head().Define); level < full {
			for _, outer := range around {
				outer.null = outer.null || outer.level == level+1
			}
		}
		if leaf.at&1023 == 0 && !b.spend(0) {
			return b.tooLarge()
		}
	}
	return b.brokenColumn(leaf)
}

// stream reads the values of a leaf, one after the other.
type stream struct {
	column *parquet.Column
	reader *parquet.Reader
	values []parquet.Value // the values read so far; the head is at index at
	at     int
	err    error // why there are no more; io.EOF at the end
}

func newStream(c *parquet.Column) *stream { return &stream{column: c, reader: c.Values()} }

func (s *stream) head() *parquet.Value { return &s.values[s.at] }

// there reports whether there is a next value, the head.
func (s *stream) there() bool {
	for s.at == len(s.values) {
		if s.err != nil {
			return false
		}
		if s.values == nil {
			s.values = make([]parquet.Value, 1024)
		}
		var n int
		n, s.err = s.reader.Read(s.values[:cap(s.values)])
		s.values, s.at = s.values[:n], 0
	}
	return true
}

func (b *builders) brokenColumn(s *stream) *diag.Diagnostic {
	if s.err == nil || s.err == io.EOF {
		return nil
	}
	if errors.Is(s.err, parquet.ErrGrows) {
		return b.errorf(diag.DataLimit, "a page of the column %s grows beyond its size",
			columnName(s.column))
	}
	return b.errorf(diag.BadData, "the column %s breaks off: %s", columnName(s.column),
		reason(s.err)).WithHint(again)
}

func columnName(c *parquet.Column) string { return strings.Join(c.Path, ".") }

// assembly reads a part as a type, into a column.
type assembly struct {
	*parquetPart
	b      *builders
	ty     types.Type
	to     column
	into   []*assembly // the parts below; of a group, the fields that the type has
	leaves []*stream   // the streams of all leaves below
	// add adds a value of a leaf.
	add func(to column, v parquet.Value) *complaint
}

// assemble plans how to read a part as a type.
func (b *builders) assemble(p *parquetPart, t types.Type) (*assembly, *diag.Diagnostic) {
	t = types.Resolve(t)
	a := &assembly{parquetPart: p, b: b, ty: t}
	below := func(p *parquetPart, t types.Type) *diag.Diagnostic {
		inner, d := b.assemble(p, t)
		if d == nil {
			a.into, a.leaves = append(a.into, inner), append(a.leaves, inner.leaves...)
		}
		return d
	}
	if of := optionOf(t); of != nil {
		if p.kind != optionPart { // it is always present
			a.parquetPart = &parquetPart{kind: optionPart, column: p.column, of: p}
		}
		return a, below(a.of, of)
	}
	record, isRecord := t.(*types.Record)
	array, isArray := t.(*types.Array)
	switch {
	case p.kind == optionPart:
		return a, below(p.of, t)
	case p.kind == groupPart && isRecord && len(record.Fields) > 0:
		for _, f := range record.Fields {
			var field *parquetPart
			for _, other := range p.fields {
				if other.column.Name() == f.Name {
					field = other
				}
			}
			if field == nil {
				in := " in `" + columnName(p.column) + "`"
				return nil, b.noColumn(f.Name, in, p.column.Columns)
			}
			if d := below(field, f.Type); d != nil {
				return nil, d
			}
		}
		return a, nil
	case p.kind == listPart && isArray:
		return a, below(p.of, array.Elem)
	case p.kind == leafPart:
		kind, known := p.leafKind()
		if known && accepts(b.column(t), kind) {
			a.leaves, a.add = []*stream{newStream(p.column)}, p.adder()
			return a, nil
		}
	}
	name := columnName(p.column)
	is := p.typ(nil)
	if is == nil {
		return nil, b.errorf(
			diag.WrongData,
			"the column %s has the Parquet type %s, which is not read",
			name,
			p.column.Type(),
		)
	}
	return nil, b.errorf(diag.WrongData, "the column %s has the type %s, and is not read as %s",
		name, types.Show(is), types.Show(t))
}

// bind sets the column that receives the values.
func (a *assembly) bind(to column) {
	a.to = to
	switch a.kind {
	case groupPart:
		for k, field := range a.into {
			field.bind(to.(*recordColumn).columns[k])
		}
	case optionPart:
		if option, ok := to.(*optionColumn); ok {
			to = option.of
		}
		a.into[0].bind(to)
	case leafPart:
		if real, ok := to.(*realColumn); ok {
			_, decimal := decimalScale(a.column)
			real.binary = !decimal
		}
	}
}

var inconsistent = &complaint{diag.BadData, "is not consistent with its other parts", ""}

// agree reports whether the heads of all streams satisfy a condition. ok is false if some do and
// some do not.
func (a *assembly) agree(holds func(v *parquet.Value) bool) (all, ok bool) {
	for k, s := range a.leaves {
		now := s.there() && holds(s.head())
		if k > 0 && now != all {
			return false, false
		}
		all = now
	}
	return all, true
}

// isThere reports whether an option is present, or a list is not empty. If not, it skips the
// nulls.
func (a *assembly) isThere() (there, ok bool) {
	there, ok = a.agree(func(v *parquet.Value) bool { return int(v.Define) >= a.level })
	if ok && !there {
		for _, s := range a.leaves {
			if !s.there() {
				return false, false
			}
			s.at++
		}
	}
	return there, ok
}

// next reads one value of the part.
func (a *assembly) next() *complaint {
	switch a.kind {
	case groupPart:
		for _, field := range a.into {
			if p := field.next(); p != nil {
				return p
			}
		}
		a.to.(*recordColumn).n++
		return nil
	case listPart:
		return a.list()
	case optionPart:
		return a.option()
	}
	leaf := a.leaves[0]
	if !leaf.there() {
		return inconsistent
	}
	v := *leaf.head()
	leaf.at++
	if v.Null {
		return inconsistent
	}
	return a.add(a.to, v)
}

func (a *assembly) option() *complaint {
	there, ok := a.isThere()
	if !ok {
		return inconsistent
	}
	option, _ := a.to.(*optionColumn)
	if option == nil {
		if !there {
			return missing(types.Show(a.ty))
		}
		return a.into[0].next()
	}
	if leaf := a.into[0]; there && leaf.kind == leafPart && leaf.isNaN(*leaf.leaves[0].head()) {
		leaf.leaves[0].at++
		there = false
	}
	if there {
		if p := a.into[0].next(); p != nil {
			return p
		}
	}
	return option.add(!there)
}

func (a *assembly) list() *complaint {
	more, ok := a.isThere()
	array := a.to.(*arrayColumn)
	elems := a.b.column(array.ty.Elem)
	a.into[0].bind(elems)
	a.b.nested++
	defer func() { a.b.nested-- }()
	n := int64(0)
	for ok && more {
		if p := a.into[0].next(); p != nil {
			return p
		}
		n++
		more, ok = a.agree(func(v *parquet.Value) bool { return int(v.Repetition) >= a.repeat })
	}
	if !ok {
		return inconsistent
	}
	if wrong := a.b.checkSize(array.ty.Size, n); wrong != "" {
		return &complaint{diag.WrongData, "is not of that type: " + wrong, ""}
	}
	return array.add(elems.array())
}

// parquetColumn reads one column as an array of a type.
func (b *builders) parquetColumn(
	file *parquet.File, from *parquet.Column, t types.Type,
) (value.Value, *diag.Diagnostic) {
	a, d := b.assemble(partOf(from), t)
	if d != nil {
		return nil, d
	}
	for _, s := range a.leaves {
		if d := b.checkPages(file, s.column); d != nil {
			return nil, d
		}
	}
	to := b.column(t)
	a.bind(to)
	for row := range file.Meta.NumRows {
		p := inconsistent
		start := func(v *parquet.Value) bool { return int(v.Repetition) == 0 }
		if begins, ok := a.agree(start); ok && begins {
			p = a.next()
		}
		for _, s := range a.leaves {
			if d := b.brokenColumn(s); d != nil {
				return nil, d
			}
		}
		if p != nil {
			d := b.errorf(p.code, "row %d of column %s %s", row, columnName(from), p.message)
			if p.hint != "" {
				d.WithHint("%s", p.hint)
			}
			return nil, d
		}
	}
	return to.array(), nil
}
