package data

import (
	"fmt"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/notation"
	"github.com/fluxion-lang/fluxion/internal/suggest"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Note [Tables of text]. A CSV or TSV file is read as one of
//
//	[]{a : A, b : B}     a record per row; the header names the fields, other columns are ignored
//	{a : []A, b : []B}   the same, by columns
//	[](A, B)             a tuple per row, by position
//	[][]A                an array per row, all of the same length
//	[]A                  one column
//
// The last three need no header. If one of their columns holds numbers, a first line without any
// number is a header and is skipped. A line in which some cell is a number is data, so a single
// misspelt number is not mistaken for a header.
//
// Lines end in \n, \r\n or \r, in any mixture. Blank lines are skipped.

// table says how the cells of a file become a value.
type table struct {
	columns []column // by position in the file; nil for ignored columns
	header  bool     // whether the first line names the columns
	finish  func(rows int) (value.Value, string)
	byRow   bool // whether a row is an array, with as many columns as the first line
	numeric bool // whether some column holds numbers
}

// delimited reads CSV or TSV.
func (b *builders) delimited(comma byte, t types.Type) (value.Value, *diag.Diagnostic) {
	c := &cells{source: b.source, comma: comma}
	names, d := c.firstLine()
	if d != nil {
		return nil, d
	}
	plan, d := b.plan(t, names, c)
	if d != nil {
		return nil, d
	}
	if !plan.header && !(plan.numeric && isHeader(names)) {
		if d := c.addFirst(plan.columns, names); d != nil {
			return nil, d
		}
		b.rows++
	}
	if d := b.tableRows(c, plan); d != nil {
		return nil, d
	}
	v, wrong := plan.finish(b.rows)
	if wrong != "" {
		return nil, c.errorf(diag.WrongData, "%s", wrong)
	}
	return v, nil
}

// isHeader reports whether no cell of the first line is a number.
func isHeader(first []firstCell) bool {
	for _, cell := range first {
		if _, v := parseNumber(trim([]byte(cell.text))); v == isNumber {
			return false
		}
	}
	return true
}

// plan decides where each column of the file goes.
func (b *builders) plan(t types.Type, first []firstCell, c *cells) (*table, *diag.Diagnostic) {
	switch t := types.Resolve(t).(type) {
	case *types.Record: // a record of arrays
		fields := make([]types.Field, len(t.Fields))
		sizes := make([]*types.Size, len(t.Fields))
		for k, f := range t.Fields {
			array, ok := types.Resolve(f.Type).(*types.Array)
			if !ok {
				return nil, notTable(c, t)
			}
			fields[k], sizes[k] = types.Field{Name: f.Name, Type: array.Elem}, array.Size
		}
		columns, byPosition, d := b.named(fields, first, c)
		return &table{columns: byPosition, header: true, finish: func(rows int) (
			value.Value, string) {
			record := make(value.Record, len(fields))
			for k, f := range fields {
				record[k] = value.Field{Name: f.Name, Value: columns[k].array()}
				if wrong := b.checkSize(sizes[k], int64(rows)); wrong != "" {
					return nil, wrong
				}
			}
			return record, ""
		}}, d
	case *types.Array:
		whole := func(of column) func(int) (value.Value, string) {
			return func(rows int) (value.Value, string) {
				return of.array(), b.checkSize(t.Size, int64(rows))
			}
		}
		switch elem := types.Resolve(t.Elem).(type) {
		case *types.Record:
			columns, byPosition, d := b.named(elem.Fields, first, c)
			names := make([]string, len(elem.Fields))
			for k, f := range elem.Fields {
				names[k] = f.Name
			}
			return &table{columns: byPosition, header: true, finish: func(rows int) (
				value.Value, string) {
				return value.Table{Rows: rows, Names: names, Columns: arrays(columns)},
					b.checkSize(t.Size, int64(rows))
			}}, d
		case *types.Tuple:
			if len(first) != len(elem.Elems) {
				return nil, c.errorf(diag.WrongData,
					"there are %s, but the type %s has %d components",
					count(len(first), "column"), types.Show(elem), len(elem.Elems))
			}
			columns := b.columns(elem.Elems)
			return &table{columns: columns, numeric: anyNumeric(elem.Elems...),
				finish: func(rows int) (value.Value, string) {
					return value.Table{Rows: rows, Columns: arrays(columns)},
						b.checkSize(t.Size, int64(rows))
				}}, nil
		case *types.Array:
			return b.matrix(t, elem, len(first)), nil
		default:
			if len(first) != 1 {
				d := c.errorf(diag.WrongData, "there are %d columns, but the type %s has room "+
					"for one", len(first), types.Show(t))
				return nil, d.WithHint("name the columns that you need: []{%s : %s, …}",
					notation.Field(first[0].text), types.Show(elem))
			}
			of := b.column(elem)
			return &table{columns: []column{of}, numeric: anyNumeric(elem), finish: whole(of)}, nil
		}
	}
	return nil, notTable(c, t)
}

// matrix returns the plan for arrays of arrays. One column takes all cells, in the order of the
// file.
func (b *builders) matrix(t, row *types.Array, width int) *table {
	all := b.column(row.Elem)
	columns := make([]column, width)
	for k := range columns {
		columns[k] = all
	}
	return &table{
		columns: columns,
		byRow:   true,
		numeric: anyNumeric(row.Elem),
		finish: func(rows int) (value.Value, string) {
			flat := all.array()
			matrix := make(value.Array, rows)
			for k := range matrix {
				matrix[k] = part(flat, k*width, (k+1)*width)
			}
			if rows > 0 {
				if wrong := b.checkSize(row.Size, int64(width)); wrong != "" {
					return nil, wrong
				}
			}
			return matrix, b.checkSize(t.Size, int64(rows))
		},
	}
}

// part returns a slice of an array. It shares the elements if possible.
func part(v value.Value, from, to int) value.Value {
	switch v := v.(type) {
	case value.Reals:
		return v[from:to:to]
	case value.Ints:
		return v[from:to:to]
	case value.Bools:
		return v[from:to:to]
	case value.Strings:
		return v[from:to:to]
	case value.Numerals:
		texts := map[int]string(nil)
		for i := from; i < to && len(v.Texts) > 0; i++ {
			if s, ok := v.Texts[i]; ok {
				if texts == nil {
					texts = map[int]string{}
				}
				texts[i-from] = s
			}
		}
		return value.Numerals{Near: v.Near[from:to:to], Texts: texts}
	case value.Optional:
		return value.Optional{Missing: v.Missing[from:to:to], Of: part(v.Of, from, to)}
	case value.Array:
		return v[from:to:to]
	}
	rows := make(value.Array, to-from)
	for i := range rows {
		rows[i] = value.At(v, from+i)
	}
	return rows
}

func anyNumeric(ts ...types.Type) bool {
	for _, t := range ts {
		t = types.Resolve(t)
		if of := optionOf(t); of != nil {
			t = of
		}
		if t == types.Real || t == types.Int {
			return true
		}
	}
	return false
}

func notTable(c *cells, t types.Type) *diag.Diagnostic {
	return c.errorf(diag.WrongData, "a table is not read as %s", types.Show(t)).
		WithHint("its rows are an array of records: []{a : Real, b : String}")
}

// named finds the columns of fields.
func (b *builders) named(
	fields []types.Field,
	first []firstCell,
	c *cells,
) (columns, byPosition []column, d *diag.Diagnostic) {
	at := map[string]int{}
	var names []string
	for k, cell := range first {
		name := strings.TrimSpace(cell.text)
		if _, twice := at[name]; twice {
			at[name] = -1 - k
			continue
		}
		at[name] = k
		names = append(names, name)
	}
	byPosition = make([]column, len(first))
	for _, f := range fields {
		k, found := at[f.Name]
		switch {
		case !found:
			d := diag.Errorf(diag.NoColumn, first[0].at, "there is no column `%s`", f.Name)
			if near := suggest.Nearest(f.Name, names); near != "" {
				d.WithHint("did you mean `%s`?", notation.Field(near))
			}
			return nil, nil, d.WithHint("the columns are %s", list(names))
		case k < 0:
			return nil, nil, diag.Errorf(
				diag.BadData,
				first[-1-k].at,
				"there are two columns `%s`",
				f.Name,
			)
		}
		column := b.column(f.Type)
		columns = append(columns, column)
		byPosition[k] = column
	}
	return columns, byPosition, nil
}

// list returns names for a message.
func list(names []string) string {
	const most = 20
	more := ""
	if len(names) > most {
		more = fmt.Sprintf(" and %d more", len(names)-most)
		names = names[:most]
	}
	quoted := make([]string, len(names))
	for k, name := range names {
		if len(name) > 40 {
			name = strings.ToValidUTF8(name[:40], "") + "…"
		}
		quoted[k] = notation.Field(name)
	}
	return strings.Join(quoted, ", ") + more
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// tableRows reads the rows after the first line.
func (b *builders) tableRows(c *cells, plan *table) *diag.Diagnostic {
	width := len(plan.columns)
	for {
		more, d := c.nextLine()
		if !more {
			return d
		}
		for k := 0; ; k++ {
			text, quoted, last, d := c.cell()
			if d != nil {
				return d
			}
			if k >= width || last && k+1 < width {
				return c.ragged(k+1, last, width)
			}
			if column := plan.columns[k]; column != nil {
				if p := column.cell(text, quoted); p != nil {
					return c.complain(p, text, k)
				}
			}
			if last {
				break
			}
		}
		b.rows++
	}
}

// ---- cells

// firstCell is a cell of the first line.
type firstCell struct {
	text   string
	quoted bool
	at     diag.Span
}
