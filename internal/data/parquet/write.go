package parquet

import (
	"encoding/binary"
	"io"
	"math"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/plain"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// Node describes a column, or a group of columns, that is written.
type Node struct {
	element  format.SchemaElement
	children []*Node
}

// leaf returns the description of a column of a type.
func leaf(kind format.Type) *Node {
	return &Node{element: format.SchemaElement{Type: thrift.New(kind),
		RepetitionType: thrift.New(format.Required)}}
}

// Reals returns the description of a column of numbers.
func Reals() *Node { return leaf(format.Double) }

// Integers returns the description of a column of integers.
func Integers() *Node {
	n := leaf(format.Int64)
	n.element.LogicalType.Value = &format.IntType{BitWidth: 64, IsSigned: true}
	n.element.ConvertedType = thrift.New(deprecated.Int64)
	return n
}

// Booleans returns the description of a column of truth values.
func Booleans() *Node { return leaf(format.Boolean) }

// Texts returns the description of a column of texts.
func Texts() *Node {
	n := leaf(format.ByteArray)
	n.element.LogicalType.Value = &format.StringType{}
	n.element.ConvertedType = thrift.New(deprecated.UTF8)
	return n
}

// Group returns the description of a group.
func Group(children ...*Node) *Node {
	return &Node{element: format.SchemaElement{RepetitionType: thrift.New(format.Required),
		NumChildren: thrift.New(int32(len(children)))}, children: children}
}

// List returns the description of a column of lists.
func List(of *Node) *Node {
	elems := Group(of.Named("element")).Named("list")
	elems.element.RepetitionType.V = format.Repeated
	n := Group(elems)
	n.element.LogicalType.Value = &format.ListType{}
	n.element.ConvertedType = thrift.New(deprecated.List)
	return n
}

// Optional makes a description one of what may be missing.
func (n *Node) Optional() *Node {
	n.element.RepetitionType.V = format.Optional
	return n
}

// Named gives a description its name.
func (n *Node) Named(name string) *Node {
	n.element.Name = name
	return n
}

// Row groups and pages end at the next row after so many bytes.
const groupBytes, pageBytes = 64 << 20, 1 << 20

// Writer writes a file.
type Writer struct {
	w       io.Writer
	at      int64 // how many bytes were written
	meta    format.FileMetaData
	leaves  []*chunk
	rows    int64 // of the row group
	pending int   // bytes of the row group
	err     error
}

// chunk is what a row group has of a leaf.
type chunk struct {
	kind                   format.Type
	path                   []string
	largest                [2]int // levels of repetition and of definition
	repetition, definition []byte // of the page
	count, bits            int    // values of the page, and those that are not null
	data                   []byte // of the page
	pages                  []byte
	values                 int64
}

// NewWriter begins a file whose rows are a group.
func NewWriter(w io.Writer, rows *Node) *Writer {
	out := &Writer{w: w}
	out.meta.Version, out.meta.CreatedBy = 1, "fluxion"
	rows.element.RepetitionType = thrift.Null[format.FieldRepetitionType]{}
	out.describe(rows.Named("table"), nil, 0, 0)
	out.put([]byte(magic))
	return out
}

// describe adds a description to the schema.
func (w *Writer) describe(n *Node, path []string, repetition, definition int) {
	w.meta.Schema = append(w.meta.Schema, n.element)
	if repeats := n.element.RepetitionType; repeats.Valid {
		path = append(path[:len(path):len(path)], n.element.Name)
		switch repeats.V {
		case format.Repeated:
			repetition, definition = repetition+1, definition+1
		case format.Optional:
			definition++
		}
	}
	for _, inner := range n.children {
		w.describe(inner, path, repetition, definition)
	}
	if n.element.Type.Valid {
		w.leaves = append(w.leaves, &chunk{kind: n.element.Type.V, path: path,
			largest: [2]int{repetition, definition}})
	}
}

func (w *Writer) put(data []byte) {
	if w.err == nil {
		_, w.err = w.w.Write(data)
		w.at += int64(len(data))
	}
}

// Row writes a row: the values of each leaf, with their levels.
func (w *Writer) Row(leaves [][]Value) error {
	for k, c := range w.leaves {
		before := len(c.data) + len(c.pages)
		for _, v := range leaves[k] {
			c.add(v)
		}
		if len(c.data)+c.count >= pageBytes {
			c.flush()
		}
		w.pending += len(c.data) + len(c.pages) - before
	}
	w.meta.NumRows++
	if w.rows++; w.pending >= groupBytes {
		w.endGroup()
	}
	return w.err
}

// add adds a value to the page.
func (c *chunk) add(v Value) {
	c.count++
	c.repetition = append(c.repetition, v.Repetition)
	c.definition = append(c.definition, v.Define)
	if int(v.Define) < c.largest[1] {
		return
	}
	switch c.kind {
	case format.Double:
		c.data = plain.AppendDouble(c.data, math.Float64frombits(v.number))
	case format.Int64:
		c.data = plain.AppendInt64(c.data, v.Int())
	case format.Boolean:
		c.data = plain.AppendBoolean(c.data, c.bits, v.Bool())
	default:
		c.data = plain.AppendByteArray(c.data, v.bytes)
	}
	c.bits++
}

// flush ends the page.
func (c *chunk) flush() {
	if c.count == 0 {
		return
	}
	var page []byte
	for k, levels := range [][]byte{c.repetition, c.definition} {
		if largest := c.largest[k]; largest > 0 {
			packed, err := (&rle.Encoding{BitWidth: width(largest)}).EncodeLevels(nil, levels)
			if err != nil {
				panic(err) // levels are bytes of at most that width
			}
			page = binary.LittleEndian.AppendUint32(page, uint32(len(packed)))
			page = append(page, packed...)
		}
	}
	page = append(page, c.data...)
	c.pages = append(c.pages, marshal(&format.PageHeader{Type: format.DataPage,
		UncompressedPageSize: int32(len(page)), CompressedPageSize: int32(len(page)),
		DataPageHeader: thrift.New(format.DataPageHeader{NumValues: int32(c.count),
			Encoding: format.Plain, DefinitionLevelEncoding: format.RLE,
			RepetitionLevelEncoding: format.RLE})})...)
	c.pages = append(c.pages, page...)
	c.values += int64(c.count)
	c.repetition, c.definition, c.data = c.repetition[:0], c.definition[:0], c.data[:0]
	c.count, c.bits = 0, 0
}

func marshal(v any) []byte {
	data, err := thrift.Marshal(new(thrift.CompactProtocol), v)
	if err != nil {
		panic(err) // a buffer takes all, and the structures are the format's own
	}
	return data
}

// endGroup writes the row group.
func (w *Writer) endGroup() {
	if w.rows == 0 {
		return
	}
	group := format.RowGroup{NumRows: w.rows, FileOffset: w.at,
		Ordinal: int16(min(len(w.meta.RowGroups), math.MaxInt16))}
	for _, c := range w.leaves {
		c.flush()
		size := int64(len(c.pages))
		group.Columns = append(group.Columns, format.ColumnChunk{FileOffset: w.at,
			MetaData: format.ColumnMetaData{Type: c.kind,
				Encoding:     []format.Encoding{format.Plain, format.RLE},
				PathInSchema: c.path, Codec: format.Uncompressed, NumValues: c.values,
				TotalUncompressedSize: size, TotalCompressedSize: size, DataPageOffset: w.at}})
		group.TotalByteSize += size
		w.put(c.pages)
		c.pages, c.values = c.pages[:0], 0
	}
	group.TotalCompressedSize = group.TotalByteSize
	w.meta.RowGroups = append(w.meta.RowGroups, group)
	w.rows, w.pending = 0, 0
}

// Close ends the file.
func (w *Writer) Close() error {
	w.endGroup()
	footer := marshal(&w.meta)
	w.put(footer)
	w.put(binary.LittleEndian.AppendUint32(nil, uint32(len(footer))))
	w.put([]byte(magic))
	return w.err
}
