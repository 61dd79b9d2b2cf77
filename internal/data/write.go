package data

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Writable reports whether data can be written to a file of this name.
func Writable(name string) bool {
	format, _ := split(name)
	return format != unknownFormat
}

// WritableNames lists the extensions for messages.
const WritableNames = readable

// Write writes a result of a type in the format that the name of the file gives. If all reals are
// finite, Read reads it back as the same type.
func Write(w io.Writer, name string, t types.Type, v value.Value) (err error) {
	format, compression := split(name)
	if hasNumbers(v) && format != JSON && format != JSONLines {
		return errors.New("enclosures are written as JSON only; for this format, run on doubles")
	}
	var closers []io.Closer
	if compression != "" {
		z, err := compressor(compression, w)
		if err != nil {
			return err
		}
		w, closers = z, append(closers, z)
	}
	out := bufio.NewWriterSize(w, chunk)
	switch format {
	case CSV:
		err = writeDelimited(out, ',', t, v)
	case TSV:
		err = writeDelimited(out, '\t', t, v)
	case Text:
		err = writeText(out, t, v)
	case JSON:
		_, err = out.Write(append(value.JSON(v), '\n'))
	case JSONLines:
		err = writeLines(out, v)
	case NPY:
		err = writeNPY(out, t, v)
	case NPZ:
		err = writeNPZ(out, t, v)
	case Parquet:
		err = writeParquet(out, t, v)
	default:
		err = fmt.Errorf(
			"the name does not say how to write it; data is written to files that end in %s",
			readable,
		)
	}
	if err == nil {
		err = out.Flush()
	}
	for _, c := range closers {
		if e := c.Close(); err == nil {
			err = e
		}
	}
	return err
}

// hasNumbers reports whether a result contains enclosures.
func hasNumbers(v value.Value) bool {
	switch v := v.(type) {
	case value.Number:
		return true
	case value.Tuple:
		return anyNumbers(v)
	case value.Array:
		return anyNumbers(v)
	case value.Con:
		return anyNumbers(v.Args)
	case value.Record:
		for _, f := range v {
			if hasNumbers(f.Value) {
				return true
			}
		}
	}
	return false
}

func anyNumbers(vs []value.Value) bool {
	for _, v := range vs {
		if hasNumbers(v) {
			return true
		}
	}
	return false
}

// writeLines writes an array as JSON, one element per line.
func writeLines(out *bufio.Writer, v value.Value) error {
	n, ok := value.Len(v)
	if !ok {
		return errors.New("one value a line is written of an array")
	}
	for i := range n {
		out.Write(value.JSON(value.At(v, i)))
		if err := out.WriteByte('\n'); err != nil {
			return err
		}
	}
	return nil
}

// grid is a result as a table.
type grid struct {
	names   []string // nil if columns are identified by position
	columns []gridColumn
	rows    int
}

type gridColumn struct {
	ty types.Type
	at func(row int) value.Value
}

// gridOf returns a result as a table, in the shapes of Note [Tables of text]. fits reports which
// types fit into a cell.
func gridOf(t types.Type, v value.Value, fits func(types.Type) bool) (*grid, error) {
	g := &grid{}
	switch t := types.Resolve(t).(type) {
	case *types.Record:
		for k, f := range t.Fields {
			array, ok := types.Resolve(f.Type).(*types.Array)
			if !ok {
				return nil, notGrid(t)
			}
			column := v.(value.Record)[k].Value
			n, _ := value.Len(column)
			if k > 0 && n != g.rows {
				return nil, fmt.Errorf(
					"the columns of a table have one length, but `%s` has %d elements and `%s` %d",
					t.Fields[0].Name, g.rows, f.Name, n)
			}
			g.rows = n
			g.add(f.Name, array.Elem, func(row int) value.Value { return value.At(column, row) })
		}
	case *types.Array:
		g.rows, _ = value.Len(v)
		switch elem := types.Resolve(t.Elem).(type) {
		case *types.Record:
			for k, f := range elem.Fields {
				g.add(f.Name, f.Type, func(row int) value.Value {
					return value.At(v, row).(value.Record)[k].Value
				})
			}
		case *types.Tuple:
			for k, e := range elem.Elems {
				g.add("", e, func(row int) value.Value { return value.At(v, row).(value.Tuple)[k] })
			}
		case *types.Array:
			width := 0
			for row := range g.rows {
				n, _ := value.Len(value.At(v, row))
				if row > 0 && n != width {
					return nil, fmt.Errorf("the rows of a table have one length, but row 0 has "+
						"%d elements and row %d has %d", width, row, n)
				}
				width = n
			}
			if width > maxColumns {
				return nil, fmt.Errorf("a table has at most %d columns", maxColumns)
			}
			for k := range width {
				g.add("", elem.Elem, func(row int) value.Value {
					return value.At(value.At(v, row), k)
				})
			}
		default:
			g.add("", elem, func(row int) value.Value { return value.At(v, row) })
		}
	default:
		return nil, notGrid(t)
	}
	if len(g.columns) == 0 {
		return nil, notGrid(t)
	}
	for _, c := range g.columns {
		if !fits(c.ty) {
			return nil, fmt.Errorf(
				"a cell of a table cannot be %s; JSON has room for it",
				types.Show(c.ty),
			)
		}
	}
	return g, nil
}

func (g *grid) add(name string, ty types.Type, at func(int) value.Value) {
	if name != "" {
		g.names = append(g.names, name)
	}
	g.columns = append(g.columns, gridColumn{ty, at})
}

func notGrid(t types.Type) error {
	return fmt.Errorf(
		"a table is written of an array of records, of a record of arrays, or of a matrix, not "+
			"of %s",
		types.Show(t),
	)
}

// isCell reports whether values of a type fit into one cell of a text file.
func isCell(t types.Type) bool {
	if of := optionOf(t); of != nil {
		t = of
	}
	return isPlain(t)
}

// isPlain reports whether a type is basic, or an enumeration.
func isPlain(t types.Type) bool {
	_, basic := types.Resolve(t).(*types.Basic)
	return basic || isEnumeration(t)
}

// cell returns the value in a row, without its Option. there is false for None.
func (c gridColumn) cell(row int) (v value.Value, there bool) {
	v = c.at(row)
	if optionOf(c.ty) == nil {
		return v, true
	}
	if con := v.(value.Con); len(con.Args) == 1 {
		return con.Args[0], true
	}
	return nil, false
}
