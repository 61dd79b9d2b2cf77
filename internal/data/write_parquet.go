//go:build !page

package data

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/data/parquet"
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
	var nodes []*parquet.Node
	for k, c := range g.columns {
		nodes = append(nodes, parquetNode(c.ty).Named(names[k]))
	}
	out := parquet.NewWriter(w, parquet.Group(nodes...))
	var leaves shredder
	for r := range g.rows {
		leaves.begin()
		for _, c := range g.columns {
			leaves.add(c.ty, c.at(r), 0, 0, 0)
		}
		if err := out.Row(leaves.leaves); err != nil {
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
func parquetNode(t types.Type) *parquet.Node {
	if of := optionOf(t); of != nil {
		return parquetNode(of).Optional()
	}
	switch t := types.Resolve(t).(type) {
	case *types.Array:
		return parquet.List(parquetNode(t.Elem))
	case *types.Record:
		var fields []*parquet.Node
		for _, f := range t.Fields {
			fields = append(fields, parquetNode(f.Type).Named(f.Name))
		}
		return parquet.Group(fields...)
	}
	switch types.Resolve(t) {
	case types.Real:
		return parquet.Reals()
	case types.Int:
		return parquet.Integers()
	case types.Bool:
		return parquet.Booleans()
	}
	return parquet.Texts() // a text, or the constructor of an enumeration
}

// shredder splits a row into the values of its leaves; see Note [Nested columns].
type shredder struct {
	leaves [][]parquet.Value
	at     int // the index of the next leaf
}

// begin begins a row: it empties the leaves.
func (s *shredder) begin() {
	s.at = 0
	for k := range s.leaves {
		s.leaves[k] = s.leaves[k][:0]
	}
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
	s.leaves[s.at] = append(s.leaves[s.at], parquetScalar(v).At(repeat, level))
	s.at++
}

func parquetScalar(v value.Value) (x parquet.Value) {
	switch v := v.(type) {
	case value.Real:
		x = parquet.Real(float64(v))
	case value.Int:
		x = parquet.Integer(int64(v))
	case value.Bool:
		x = parquet.Boolean(bool(v))
	case value.String:
		x = parquet.Text(string(v))
	case value.Con:
		x = parquet.Text(v.Name)
	}
	return x
}
