package data

import (
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"

	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// writeParquet writes a table. Columns without names are called c000, c001, …, in this order.
func writeParquet(w io.Writer, t types.Type, v value.Value) error {
	g, err := gridOf(t, v)
	if err != nil {
		return err
	}
	names := g.names
	for k := len(names); k < len(g.columns); k++ {
		names = append(names, fmt.Sprintf("c%03d", k))
	}
	if len(names) > 1000 && g.names == nil {
		return errors.New("a Parquet file is written of at most 1000 columns without names")
	}
	group := parquet.Group{}
	optional := make([]int, len(names)) // the definition level of what is there
	for k, c := range g.columns {
		ty := types.Resolve(c.ty)
		of := optionOf(ty)
		if of != nil {
			ty, optional[k] = of, 1
		}
		var node parquet.Node
		switch ty {
		case types.Real:
			node = parquet.Leaf(parquet.DoubleType)
		case types.Int:
			node = parquet.Int(64)
		case types.Bool:
			node = parquet.Leaf(parquet.BooleanType)
		default: // a text, or the constructor of an enumeration
			node = parquet.String()
		}
		if of != nil {
			node = parquet.Optional(node)
		}
		group[names[k]] = node
	}
	out := parquet.NewWriter(w, parquet.NewSchema("table", group))
	row := make(parquet.Row, len(names))
	for r := range g.rows {
		for k, c := range g.columns {
			cell, there := c.cell(r)
			level := optional[k]
			var x parquet.Value
			switch cell := cell.(type) {
			case value.Real:
				x = parquet.DoubleValue(float64(cell))
			case value.Int:
				x = parquet.Int64Value(int64(cell))
			case value.Bool:
				x = parquet.BooleanValue(bool(cell))
			case value.String:
				x = parquet.ByteArrayValue([]byte(cell))
			case value.Con:
				x = parquet.ByteArrayValue([]byte(cell.Name))
			}
			if !there {
				level = 0
			}
			row[k] = x.Level(0, level, k)
		}
		if _, err := out.WriteRows([]parquet.Row{row}); err != nil {
			return err
		}
	}
	return out.Close()
}
