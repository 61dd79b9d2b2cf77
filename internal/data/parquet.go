package data

import (
	"fmt"
	"io"
	"math"
	"math/big"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/notation"
	"github.com/fluxion-lang/fluxion/internal/suggest"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// parquet reads a Parquet file as an array of records, as a record of arrays, or by position as an
// array of tuples. Its columns are numbers, truth values and texts, and may have nulls; nested ones
// are not read.
func (b *builders) parquet(t types.Type) (v value.Value, d *diag.Diagnostic) {
	at, size, d := b.random()
	if d != nil {
		return nil, d
	}
	// The library panics on some files that are damaged.
	defer func() {
		if r := recover(); r != nil {
			v, d = nil, b.errorf(diag.BadData, "this is not a Parquet file: %v", r)
		}
	}()
	file, err := parquet.OpenFile(at, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, b.errorf(diag.BadData, "this is not a Parquet file: %v", err)
	}
	switch t := types.Resolve(t).(type) {
	case *types.Record:
		record := make(value.Record, len(t.Fields))
		for k, f := range t.Fields {
			array, ok := types.Resolve(f.Type).(*types.Array)
			if !ok {
				break
			}
			column, d := b.parquetNamed(file, f.Name, array.Elem)
			if d != nil {
				return nil, d
			}
			if wrong := b.checkSize(array.Size, file.NumRows()); wrong != "" {
				return nil, b.errorf(diag.WrongData, "%s", wrong)
			}
			record[k] = value.Field{Name: f.Name, Value: column}
			if k == len(t.Fields)-1 {
				return record, nil
			}
		}
	case *types.Array:
		table, d := b.parquetRows(file, t)
		if d != nil {
			return nil, d
		}
		if wrong := b.checkSize(t.Size, file.NumRows()); wrong != "" {
			return nil, b.errorf(diag.WrongData, "%s", wrong)
		}
		return table, nil
	}
	return nil, b.errorf(diag.WrongData, "a table is not read as %s", types.Show(t)).
		WithHint("its rows are an array of records: []{a : Real, b : String}")
}

// parquetRows reads an array.
func (b *builders) parquetRows(file *parquet.File, t *types.Array) (value.Value, *diag.Diagnostic) {
	table := value.Table{Rows: int(file.NumRows())}
	columns := file.Root().Columns()
	elems := []types.Type{types.Resolve(t.Elem)}
	switch elem := elems[0].(type) {
	case *types.Record:
		for _, f := range elem.Fields {
			column, d := b.parquetNamed(file, f.Name, f.Type)
			if d != nil {
				return nil, d
			}
			table.Names, table.Columns = append(table.Names, f.Name), append(table.Columns, column)
		}
		return table, nil
	case *types.Tuple:
		elems = elem.Elems
	}
	if len(elems) != len(columns) {
		return nil, b.errorf(diag.WrongData, "there are %s, and the type %s has room for %d", count(len(columns), "column"), types.Show(t), len(elems)).
			WithHint("name the columns that you need: []{…}")
	}
	for k, elem := range elems {
		column, d := b.parquetColumn(columns[k], elem)
		if d != nil {
			return nil, d
		}
		table.Columns = append(table.Columns, column)
	}
	if _, ok := types.Resolve(t.Elem).(*types.Tuple); !ok {
		return table.Columns[0], nil
	}
	return table, nil
}

func (b *builders) parquetNamed(file *parquet.File, name string, t types.Type) (value.Value, *diag.Diagnostic) {
	if column := file.Root().Column(name); column != nil {
		return b.parquetColumn(column, t)
	}
	var names []string
	for _, c := range file.Root().Columns() {
		names = append(names, c.Name())
	}
	d := b.errorf(diag.NoColumn, "there is no column `%s`", name)
	if near := suggest.Nearest(name, names); near != "" {
		d.WithHint("did you mean `%s`?", notation.Field(near))
	}
	return nil, d.WithHint("the columns are %s", list(names))
}

// parquetColumn reads one column.
func (b *builders) parquetColumn(from *parquet.Column, t types.Type) (value.Value, *diag.Diagnostic) {
	name := strings.Join(from.Path(), ".")
	if record, ok := types.Resolve(t).(*types.Record); ok && !from.Leaf() && from.MaxRepetitionLevel() == 0 {
		return b.parquetGroup(from, record)
	}
	kind, ok := parquetKind(from)
	if !ok {
		return nil, b.errorf(diag.WrongData, "the column %s is of the Parquet type %s, which is not read", name, from.String())
	}
	to := b.column(t)
	option, _ := to.(*optionColumn)
	if option != nil {
		to = option.of
	}
	scale, decimal := decimalScale(from)
	if real, ok := to.(*realColumn); ok {
		real.binary = !decimal
	}
	if !accepts(to, kind) {
		return nil, b.errorf(diag.WrongData, "the column %s is of %s, and is not read as %s", name, kind, types.Show(t))
	}
	wrong := func(row int64, p *complaint) *diag.Diagnostic {
		d := b.errorf(p.code, "row %d of column %s %s", row, name, p.message)
		if p.hint != "" {
			d.WithHint("%s", p.hint)
		}
		return d
	}
	pages := from.Pages()
	defer pages.Close()
	values := make([]parquet.Value, 1024)
	row := int64(0)
	for {
		page, err := pages.ReadPage()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, b.errorf(diag.BadData, "the column %s breaks off: %v", name, err)
		}
		reader := page.Values()
		for err == nil {
			var n int
			n, err = reader.ReadValues(values)
			for _, v := range values[:n] {
				var null bool
				var p *complaint
				if decimal && !v.IsNull() {
					p = addDecimal(to.(*realColumn), v, scale)
				} else {
					null, p = addParquet(to, v, option != nil)
				}
				switch {
				case p != nil:
				case option != nil:
					if null {
						p = b.pad(to)
					}
					if p == nil {
						option.missing = append(option.missing, null)
					}
				case null:
					p = missing(types.Show(t))
				}
				if p != nil {
					return nil, wrong(row, p)
				}
				row++
			}
		}
		parquet.Release(page)
		if err != io.EOF {
			return nil, b.errorf(diag.BadData, "the column %s breaks off: %v", name, err)
		}
	}
	if option != nil {
		return option.array(), nil
	}
	return to.array(), nil
}

// parquetGroup reads a column of records.
func (b *builders) parquetGroup(from *parquet.Column, t *types.Record) (value.Value, *diag.Diagnostic) {
	table := value.Table{}
	for _, f := range t.Fields {
		part := from.Column(f.Name)
		if part == nil {
			var names []string
			for _, c := range from.Columns() {
				names = append(names, c.Name())
			}
			return nil, b.errorf(diag.NoColumn, "there is no column `%s` in `%s`", f.Name, strings.Join(from.Path(), ".")).
				WithHint("its columns are %s", list(names))
		}
		column, d := b.parquetColumn(part, f.Type)
		if d != nil {
			return nil, d
		}
		table.Rows, _ = value.Len(column)
		table.Names, table.Columns = append(table.Names, f.Name), append(table.Columns, column)
	}
	return table, nil
}

// decimalScale is how many digits of a column's decimals are behind the point, if it has decimals.
func decimalScale(c *parquet.Column) (int32, bool) {
	if !c.Leaf() {
		return 0, false
	}
	logical := c.Type().LogicalType()
	if logical == nil {
		return 0, false
	}
	d, ok := logical.Value.(*format.DecimalType)
	if !ok || d.Scale < 0 || d.Scale > maxExponent {
		return 0, false
	}
	return d.Scale, true
}

// addDecimal adds a decimal: an integer, or the bytes of one, and a scale.
func addDecimal(to *realColumn, v parquet.Value, scale int32) *complaint {
	n := new(big.Int)
	switch v.Kind() {
	case parquet.Int32:
		n.SetInt64(int64(v.Int32()))
	case parquet.Int64:
		n.SetInt64(v.Int64())
	default:
		raw := v.ByteArray()
		if len(raw) > maxToken/4 {
			return &complaint{diag.DataLimit, "is a decimal of too many digits", ""}
		}
		if n.SetBytes(raw); len(raw) > 0 && raw[0] >= 0x80 { // two's complement
			n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(raw))))
		}
	}
	return to.cell(fmt.Appendf(nil, "%se-%d", n, scale), false)
}

// parquetKind is the type that the values of a column have here.
func parquetKind(c *parquet.Column) (string, bool) {
	if !c.Leaf() || c.Repeated() || c.MaxRepetitionLevel() > 0 {
		return "", false
	}
	if _, decimal := decimalScale(c); decimal {
		return "Real", true
	}
	switch c.Type().Kind() {
	case parquet.Double, parquet.Float:
		return "Real", true
	case parquet.Int32, parquet.Int64:
		return "Int", true
	case parquet.Boolean:
		return "Bool", true
	case parquet.ByteArray:
		return "String", true
	}
	return "", false
}

// accepts tells whether a column can hold values of a kind.
func accepts(to column, kind string) bool {
	switch to := to.(type) {
	case *realColumn:
		return kind == "Real" || kind == "Int"
	case *intColumn:
		return kind == "Int"
	case *boolColumn:
		return kind == "Bool"
	case *stringColumn:
		return kind == "String"
	case *dataColumn:
		return kind == "String" && isEnumeration(to.ty)
	}
	return false
}

// addParquet adds a value; null says that it is missing, as nan is where values are optional, and
// nothing was added.
func addParquet(to column, v parquet.Value, optional bool) (null bool, p *complaint) {
	if v.IsNull() {
		return true, nil
	}
	switch v.Kind() {
	case parquet.Double, parquet.Float:
		x := v.Double()
		if v.Kind() == parquet.Float {
			x = float64(v.Float())
		}
		if math.IsNaN(x) && optional {
			return true, nil
		}
		return false, to.(*realColumn).add(number{near: x}, nil)
	case parquet.Int32, parquet.Int64:
		n := v.Int64()
		if v.Kind() == parquet.Int32 {
			n = int64(v.Int32())
		}
		if real, ok := to.(*realColumn); ok {
			if int64(float64(n)) != n {
				return false, &complaint{diag.WrongData, fmt.Sprintf("is %d, which has more digits than a Real holds", n), "read it as Int"}
			}
			return false, real.add(number{near: float64(n)}, nil)
		}
		return false, to.(*intColumn).add(n)
	case parquet.Boolean:
		return false, to.(*boolColumn).add(v.Boolean())
	}
	if enumeration, ok := to.(*dataColumn); ok {
		return false, enumeration.cell(v.ByteArray(), true)
	}
	return false, to.(*stringColumn).add(v.ByteArray())
}
