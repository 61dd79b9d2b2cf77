//go:build !page

package data

import (
	"fmt"
	"math"
	"math/big"

	"github.com/parquet-go/parquet-go/format"

	"github.com/fluxion-lang/fluxion/internal/data/parquet"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/notation"
	"github.com/fluxion-lang/fluxion/internal/suggest"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// parquet reads a Parquet file as an array of records, as a record of arrays, or by position as
// an array of tuples. Its columns hold numbers, truth values and texts, and records and lists of
// them. Parts may be missing.
func (b *builders) parquet(t types.Type) (v value.Value, d *diag.Diagnostic) {
	defer b.damaged(&d)
	file, d := b.parquetFile()
	if d != nil {
		return nil, d
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
			if wrong := b.checkSize(array.Size, file.Meta.NumRows); wrong != "" {
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
		if wrong := b.checkSize(t.Size, file.Meta.NumRows); wrong != "" {
			return nil, b.errorf(diag.WrongData, "%s", wrong)
		}
		return table, nil
	}
	return nil, b.errorf(diag.WrongData, "a table is not read as %s", types.Show(t)).
		WithHint("its rows are an array of records: []{a : Real, b : String}")
}

// parquetFile opens the file.
func (b *builders) parquetFile() (*parquet.File, *diag.Diagnostic) {
	at, size, d := b.random()
	if d != nil {
		return nil, d
	}
	if d := b.checkFooter(at, size); d != nil {
		return nil, d
	}
	file, err := parquet.Open(at, size)
	if err != nil {
		return nil, b.errorf(diag.BadData, "this is not a Parquet file: %s", reason(err)).
			WithHint(again)
	}
	return file, nil
}

// damaged is deferred. It reports a file on which the library panics.
func (b *builders) damaged(d **diag.Diagnostic) {
	if r := recover(); r != nil {
		*d = b.errorf(diag.BadData, "this is not a Parquet file, or a damaged one").
			WithHint(again)
	}
}

// parquetRows reads an array.
func (b *builders) parquetRows(file *parquet.File, t *types.Array) (value.Value, *diag.Diagnostic) {
	table := value.Table{Rows: int(file.Meta.NumRows)}
	columns := file.Root.Columns
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
		there := count(len(columns), "column")
		return nil, b.errorf(diag.WrongData, "there are %s, and the type %s has room for %d",
			there, types.Show(t), len(elems)).WithHint("name the columns that you need: []{…}")
	}
	for k, elem := range elems {
		column, d := b.parquetColumn(file, columns[k], elem)
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

func (b *builders) parquetNamed(
	file *parquet.File, name string, t types.Type,
) (value.Value, *diag.Diagnostic) {
	if column := file.Root.Column(name); column != nil {
		return b.parquetColumn(file, column, t)
	}
	return nil, b.noColumn(name, "", file.Root.Columns)
}

// noColumn reports a missing column. in says where it is missing.
func (b *builders) noColumn(name, in string, among []*parquet.Column) *diag.Diagnostic {
	var names []string
	for _, c := range among {
		names = append(names, c.Name())
	}
	d := b.errorf(diag.NoColumn, "there is no column `%s`%s", name, in)
	if near := suggest.Nearest(name, names); near != "" {
		d.WithHint("did you mean `%s`?", notation.Field(near))
	}
	return d.WithHint("the columns are %s", list(names))
}

// decimalScale returns how many digits of a column's decimals follow the point, if the column
// holds decimals.
func decimalScale(c *parquet.Column) (int32, bool) {
	d, ok := c.Logical().(*format.DecimalType)
	if !ok || !c.Leaf() || d.Scale < 0 || d.Scale > maxExponent {
		return 0, false
	}
	return d.Scale, true
}

// addDecimal adds a decimal, given as an integer or its bytes, and a scale.
func addDecimal(to *realColumn, v parquet.Value, scale int32) *complaint {
	n := new(big.Int)
	switch v.Kind() {
	case format.Int32, format.Int64:
		n.SetInt64(v.Int())
	default:
		raw := v.Bytes()
		if len(raw) > maxToken/4 {
			return &complaint{diag.DataLimit, "is a decimal of too many digits", ""}
		}
		if n.SetBytes(raw); len(raw) > 0 && raw[0] >= 0x80 { // two's complement
			n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(raw))))
		}
	}
	return to.cell(fmt.Appendf(nil, "%se-%d", n, scale), false)
}

// leafKind returns the name of the type of a leaf's values.
func (p *parquetPart) leafKind() (string, bool) {
	c := p.column
	if _, decimal := decimalScale(c); decimal {
		return "Real", true
	}
	if isHalf(p.column) {
		return "Real", true
	}
	switch c.Kind() {
	case format.Double, format.Float:
		return "Real", true
	case format.Int32, format.Int64:
		return "Int", true
	case format.Boolean:
		return "Bool", true
	case format.ByteArray:
		return "String", true
	}
	return "", false
}

// accepts reports whether a column can hold values of a kind.
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

// isNaN reports whether a value is NaN. Some files mark missing values by it.
func (p *parquetPart) isNaN(v parquet.Value) bool {
	if isHalf(p.column) {
		return math.IsNaN(half(v.Bytes()))
	}
	isReal := v.Kind() == format.Double || v.Kind() == format.Float
	return isReal && math.IsNaN(v.Float())
}

// adder returns a function that adds values of a leaf to a column that accepts them.
func (p *parquetPart) adder() func(to column, v parquet.Value) *complaint {
	c := p.column
	if scale, decimal := decimalScale(c); decimal {
		return func(to column, v parquet.Value) *complaint {
			return addDecimal(to.(*realColumn), v, scale)
		}
	}
	if isUnsigned(c) {
		return addUnsigned
	}
	if isHalf(p.column) {
		return func(to column, v parquet.Value) *complaint {
			return to.(*realColumn).add(number{near: half(v.Bytes())}, nil)
		}
	}
	return addParquet
}

// isHalf reports whether a leaf has 16-bit floating-point numbers.
func isHalf(c *parquet.Column) bool {
	_, half := c.Logical().(*format.Float16Type)
	return half && c.Kind() == format.FixedLenByteArray
}

// half decodes a 16-bit floating-point number, low byte first: a sign, 5 bits of exponent, 10 of
// fraction.
func half(raw []byte) float64 {
	if len(raw) != 2 {
		return math.NaN()
	}
	bits := int(raw[0]) | int(raw[1])<<8
	exponent, fraction := bits>>10&31, float64(bits&1023)
	var x float64
	switch {
	case exponent == 0:
		x = math.Ldexp(fraction, -24)
	case exponent < 31:
		x = math.Ldexp(1024+fraction, exponent-25)
	case fraction == 0:
		x = math.Inf(1)
	default:
		return math.NaN()
	}
	if bits>>15 == 1 {
		return -x
	}
	return x
}

// isUnsigned reports whether a leaf holds unsigned integers.
func isUnsigned(c *parquet.Column) bool {
	n, ok := c.Logical().(*format.IntType)
	return ok && !n.IsSigned
}

func addUnsigned(to column, v parquet.Value) *complaint {
	n := v.Int()
	if v.Kind() == format.Int32 {
		n = int64(uint32(n))
	} else if n < 0 {
		is := fmt.Sprintf("is %d, which is beyond the range of Int", uint64(n))
		return &complaint{diag.WrongData, is, ""}
	}
	return addParquet(to, parquet.Integer(n))
}

func addParquet(to column, v parquet.Value) *complaint {
	switch v.Kind() {
	case format.Double, format.Float:
		return to.(*realColumn).add(number{near: v.Float()}, nil)
	case format.Int32, format.Int64:
		n := v.Int()
		if real, ok := to.(*realColumn); ok {
			if int64(float64(n)) != n {
				is := fmt.Sprintf("is %d, which has more digits than a Real holds", n)
				return &complaint{diag.WrongData, is, "read it as Int"}
			}
			return real.add(number{near: float64(n)}, nil)
		}
		return to.(*intColumn).add(n)
	case format.Boolean:
		return to.(*boolColumn).add(v.Bool())
	}
	if enumeration, ok := to.(*dataColumn); ok {
		return enumeration.cell(v.Bytes(), true)
	}
	return to.(*stringColumn).add(v.Bytes())
}
