// Package parquet reads and writes the columns of Parquet files: their schema, their pages, and the
// levels of their values. It is given bytes and knows nothing of types of the language. The
// structures of the format and its encodings are those of the module parquet-go, of which this
// package leaves out what has to do with Go's own types, other formats and geometry.
package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// magic is at both ends of a file.
const magic = "PAR1"

// File is a file that is being read.
type File struct {
	io.ReaderAt
	Size int64
	Meta *format.FileMetaData
	Root *Column
}

// problem is an error in words for users.
type problem struct {
	text    string
	damaged bool // whether the file contradicts itself
}

// Error returns the text.
func (p *problem) Error() string { return p.text }

// Told returns the text, which is in the user's terms. Errors of libraries have no such method.
func (p *problem) Told() string { return p.text }

// Is reports whether the error is one of a damaged file.
func (p *problem) Is(target error) bool { return p.damaged && target == ErrDamaged }

// ErrDamaged is the error of a file that contradicts itself.
var ErrDamaged = errors.New("the file is damaged")

func damaged(text string, args ...any) error {
	return &problem{ErrDamaged.Error() + ": " + fmt.Sprintf(text, args...), true}
}

// unread returns the error of a file with something that is not read.
func unread(text string, args ...any) error { return &problem{fmt.Sprintf(text, args...), false} }

// Open reads the footer of a file.
func Open(at io.ReaderAt, size int64) (*File, error) {
	var end [8]byte
	if size < 12 {
		return nil, damaged("it is too short")
	}
	if _, err := at.ReadAt(end[:], size-8); err != nil {
		return nil, err
	}
	n := int64(binary.LittleEndian.Uint32(end[:4]))
	if string(end[4:]) != magic || n > size-12 {
		return nil, damaged("its end is not that of a Parquet file")
	}
	footer := make([]byte, n)
	if _, err := at.ReadAt(footer, size-8-n); err != nil {
		return nil, err
	}
	f := &File{ReaderAt: at, Size: size, Meta: new(format.FileMetaData)}
	if err := thrift.Unmarshal(new(thrift.CompactProtocol), footer, f.Meta); err != nil {
		return nil, damaged("its end, which describes the columns, cannot be decoded")
	}
	if f.Meta.NumRows < 0 {
		return nil, damaged("it has %d rows", f.Meta.NumRows)
	}
	tree := &tree{file: f, rest: f.Meta.Schema}
	if f.Root = tree.column(nil); tree.err != nil {
		return nil, tree.err
	}
	for k, group := range f.Meta.RowGroups {
		if len(group.Columns) != tree.leaves {
			return nil, damaged("row group %d has %d columns, the schema has %d",
				k, len(group.Columns), tree.leaves)
		}
	}
	return f, nil
}

// Column is a column, or a group of columns.
type Column struct {
	file   *File
	schema *format.SchemaElement
	logic  format.LogicalTypeValue

	Path    []string
	Columns []*Column // of a group
	Index   int       // among the leaves
	// Repetition and Definition are the largest levels that values of the column have.
	Repetition, Definition int
}

// tree builds the columns of a file from a list in depth-first order.
type tree struct {
	file   *File
	rest   []format.SchemaElement
	leaves int
	err    error
}

// The bounds of what is read.
const maxDepth, maxLevel = 100, 127

func (t *tree) column(parent *Column) *Column {
	if len(t.rest) == 0 {
		t.err = damaged("its schema ends early")
		return nil
	}
	c := &Column{file: t.file, schema: &t.rest[0]}
	t.rest = t.rest[1:]
	c.logic = logicalType(c.schema)
	if parent != nil {
		c.Path = append(parent.Path[:len(parent.Path):len(parent.Path)], c.Name())
		c.Repetition, c.Definition = parent.Repetition, parent.Definition
		switch {
		case c.Repeated():
			c.Repetition, c.Definition = c.Repetition+1, c.Definition+1
		case c.Optional():
			c.Definition++
		}
	}
	if len(c.Path) > maxDepth || c.Definition > maxLevel {
		t.err = damaged("its columns are nested too deeply")
		return nil
	}
	if c.Leaf() {
		c.Index = t.leaves
		t.leaves++
		return c
	}
	for range c.schema.NumChildren.V {
		inner := t.column(c)
		if t.err != nil {
			return nil
		}
		c.Columns = append(c.Columns, inner)
	}
	return c
}

// Name returns the last part of the path.
func (c *Column) Name() string { return c.schema.Name }

// Leaf tells whether the column has values itself.
func (c *Column) Leaf() bool { return c.schema.Type.Valid }

// Optional tells whether the column may be missing.
func (c *Column) Optional() bool { return c.repeats(format.Optional) }

// Repeated tells whether the column may be there any number of times.
func (c *Column) Repeated() bool { return c.repeats(format.Repeated) }

func (c *Column) repeats(how format.FieldRepetitionType) bool {
	return c.schema.RepetitionType.Valid && c.schema.RepetitionType.V == how
}

// Column returns the part of a name, or nil.
func (c *Column) Column(name string) *Column {
	for _, inner := range c.Columns {
		if inner.Name() == name {
			return inner
		}
	}
	return nil
}

// Kind returns how the values of a leaf are stored.
func (c *Column) Kind() format.Type { return c.schema.Type.V }

// Logical returns what the values mean, or nil if that is only how they are stored.
func (c *Column) Logical() format.LogicalTypeValue { return c.logic }

// length returns how many bytes values of a fixed length have.
func (c *Column) length() int { return int(c.schema.TypeLength.V) }

// Type describes the values of a leaf.
func (c *Column) Type() string {
	switch {
	case c.logic != nil:
		return c.logic.String()
	case c.Kind() == format.FixedLenByteArray:
		return fmt.Sprintf("%s(%d)", c.Kind(), c.length())
	}
	return c.Kind().String()
}

// logicalType returns the logical type of an element; older files say it in other words.
func logicalType(s *format.SchemaElement) format.LogicalTypeValue {
	if s.LogicalType.Value != nil || !s.ConvertedType.Valid {
		return s.LogicalType.Value
	}
	integer := func(width int8, signed bool) format.LogicalTypeValue {
		return &format.IntType{BitWidth: width, IsSigned: signed}
	}
	switch s.ConvertedType.V {
	case deprecated.UTF8:
		return &format.StringType{}
	case deprecated.Map:
		return &format.MapType{}
	case deprecated.List:
		return &format.ListType{}
	case deprecated.Enum:
		return &format.EnumType{}
	case deprecated.Decimal:
		return &format.DecimalType{Scale: s.Scale.V, Precision: s.Precision.V}
	case deprecated.Date:
		return &format.DateType{}
	case deprecated.Uint8, deprecated.Uint16, deprecated.Uint32, deprecated.Uint64:
		return integer(8<<(s.ConvertedType.V-deprecated.Uint8), false)
	case deprecated.Int8, deprecated.Int16, deprecated.Int32, deprecated.Int64:
		return integer(8<<(s.ConvertedType.V-deprecated.Int8), true)
	}
	return nil
}

// width returns how many bits levels of up to a largest one take.
func width(largest int) int { return bits.Len(uint(largest)) }
