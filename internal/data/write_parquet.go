//go:build !page

package data

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"

	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// writeParquet writes a table. Columns without names are called c000, c001, …, in order.
func writeParquet(w io.Writer, t types.Type, v value.Value) error {
	g, err := gridOf(t, v, isNested)
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
	for k, c := range g.columns {
		group[names[k]] = parquetNode(c.ty)
	}
	out := parquet.NewWriter(w, parquet.NewSchema("table", group))
	var leaves shredder
	for r := range g.rows {
		leaves.at = 0
		for _, c := range g.columns {
			leaves.add(c.ty, c.at(r), 0, 0, 0)
		}
		if _, err := out.WriteRows([]parquet.Row{leaves.row()}); err != nil {
			return err
		}
	}
	return out.Close()
}

// isNested reports whether values of a type fit into one cell of Parquet.
func isNested(t types.Type) bool {
	if of := optionOf(t); of != nil {
		return optionOf(of) == nil && isNested(of)
	}
	switch t := types.Resolve(t).(type) {
	case *types.Array:
		return isNested(t.Elem)
	case *types.Record:
		return len(t.Fields) > 0 &&
			!slices.ContainsFunc(t.Fields, func(f types.Field) bool { return !isNested(f.Type) })
	}
	return isPlain(t)
}

// parquetNode returns Parquet's description of a type.
func parquetNode(t types.Type) parquet.Node {
	if of := optionOf(t); of != nil {
		return parquet.Optional(parquetNode(of))
	}
	switch t := types.Resolve(t).(type) {
	case *types.Array:
		return parquet.List(parquetNode(t.Elem))
	case *types.Record:
		group := parquet.Group{}
		for _, f := range t.Fields {
			group[f.Name] = parquetNode(f.Type)
		}
		return group
	}
	switch types.Resolve(t) {
	case types.Real:
		return parquet.Leaf(parquet.DoubleType)
	case types.Int:
		return parquet.Int(64)
	case types.Bool:
		return parquet.Leaf(parquet.BooleanType)
	}
	return parquet.String() // a text, or the constructor of an enumeration
}

// shredder splits a row into the values of its leaves; see Note [Nested columns].
type shredder struct {
	leaves [][]parquet.Value
	at     int // the index of the next leaf
}

// row returns the values of a row, leaf by leaf, and empties the leaves.
func (s *shredder) row() (row parquet.Row) {
	for k := range s.leaves {
		row = append(row, s.leaves[k]...)
		s.leaves[k] = s.leaves[k][:0]
	}
	return row
}

// add splits a value that is inside depth lists. A nil value is missing. repeat and level are the
// repetition and definition level of its first leaves.
func (s *shredder) add(t types.Type, v value.Value, repeat, level, depth int) {
	if of := optionOf(t); of != nil {
		if some, ok := v.(value.Con); ok && len(some.Args) == 1 {
			s.add(of, some.Args[0], repeat, level+1, depth)
		} else {
			s.add(of, nil, repeat, level, depth)
		}
		return
	}
	switch t := types.Resolve(t).(type) {
	case *types.Array:
		n := 0
		if v != nil {
			n, _ = value.Len(v)
		}
		if n == 0 {
			s.add(t.Elem, nil, repeat, level, depth+1)
			return
		}
		first := s.at
		for i := range n {
			s.at = first
			s.add(t.Elem, value.At(v, i), repeat, level+1, depth+1)
			repeat = depth + 1
		}
		return
	case *types.Record:
		for k, f := range t.Fields {
			var field value.Value
			if v != nil {
				field = v.(value.Record)[k].Value
			}
			s.add(f.Type, field, repeat, level, depth)
		}
		return
	}
	if s.at == len(s.leaves) {
		s.leaves = append(s.leaves, nil)
	}
	s.leaves[s.at] = append(s.leaves[s.at], parquetScalar(v).Level(repeat, level, s.at))
	s.at++
}

func parquetScalar(v value.Value) (x parquet.Value) {
	switch v := v.(type) {
	case value.Real:
		x = parquet.DoubleValue(float64(v))
	case value.Int:
		x = parquet.Int64Value(int64(v))
	case value.Bool:
		x = parquet.BooleanValue(bool(v))
	case value.String:
		x = parquet.ByteArrayValue([]byte(v))
	case value.Con:
		x = parquet.ByteArrayValue([]byte(v.Name))
	}
	return x
}
