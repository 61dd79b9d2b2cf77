package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	reference "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/format"
)

// show writes a value of a leaf with its levels.
func show(v Value) string {
	text := "null"
	switch {
	case v.Null:
	case v.Kind() == format.Boolean:
		text = fmt.Sprint(v.Bool())
	case v.Kind() == format.Int32 || v.Kind() == format.Int64:
		text = fmt.Sprint(v.Int())
	case v.Kind() == format.Float || v.Kind() == format.Double:
		text = fmt.Sprint(v.Float())
	default:
		text = fmt.Sprintf("%x", v.Bytes())
	}
	return fmt.Sprintf("%s@%d,%d", text, v.Repetition, v.Define)
}

// showReference does that for a value of the reference.
func showReference(v reference.Value) string {
	text := "null"
	switch {
	case v.IsNull():
	case v.Kind() == reference.Boolean:
		text = fmt.Sprint(v.Boolean())
	case v.Kind() == reference.Int32:
		text = fmt.Sprint(v.Int32())
	case v.Kind() == reference.Int64:
		text = fmt.Sprint(v.Int64())
	case v.Kind() == reference.Float:
		text = fmt.Sprint(float64(v.Float()))
	case v.Kind() == reference.Double:
		text = fmt.Sprint(v.Double())
	default:
		text = fmt.Sprintf("%x", v.ByteArray())
	}
	return fmt.Sprintf("%s@%d,%d", text, v.RepetitionLevel(), v.DefinitionLevel())
}

// values reads all values of a leaf.
func values(t *testing.T, c *Column) (all []string) {
	t.Helper()
	r, some := c.Values(), make([]Value, 100)
	for {
		n, err := r.Read(some)
		for _, v := range some[:n] {
			all = append(all, show(v))
		}
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatalf("%v: %v", c.Path, err)
		}
	}
}

// kinds are types of leaves with the encodings that they may have, and random values.
var kinds = []struct {
	name      string
	of        reference.Type
	encodings []encoding.Encoding
	draw      func(r *rand.Rand) reference.Value
}{
	{"bool", reference.BooleanType, []encoding.Encoding{&reference.Plain, &reference.RLE},
		func(r *rand.Rand) reference.Value { return reference.BooleanValue(r.IntN(3) == 0) }},
	{"int32", reference.Int32Type, []encoding.Encoding{&reference.Plain, &reference.DeltaBinaryPacked,
		&reference.RLEDictionary, &reference.ByteStreamSplit},
		func(r *rand.Rand) reference.Value { return reference.Int32Value(int32(r.IntN(200) - 100)) }},
	{"int64", reference.Int64Type, []encoding.Encoding{&reference.Plain, &reference.DeltaBinaryPacked,
		&reference.RLEDictionary, &reference.ByteStreamSplit}, func(r *rand.Rand) reference.Value {
		return reference.Int64Value(r.Int64() >> r.IntN(64))
	}},
	{"float", reference.FloatType, []encoding.Encoding{&reference.Plain, &reference.RLEDictionary,
		&reference.ByteStreamSplit},
		func(r *rand.Rand) reference.Value { return reference.FloatValue(float32(r.IntN(50)) / 8) }},
	{"double", reference.DoubleType, []encoding.Encoding{&reference.Plain, &reference.RLEDictionary,
		&reference.ByteStreamSplit},
		func(r *rand.Rand) reference.Value { return reference.DoubleValue(r.NormFloat64()) }},
	{"text", reference.ByteArrayType, []encoding.Encoding{&reference.Plain, &reference.RLEDictionary,
		&reference.DeltaLengthByteArray, &reference.DeltaByteArray}, func(r *rand.Rand) reference.Value {
		return reference.ByteArrayValue([]byte(strings.Repeat("ab", r.IntN(5)) + fmt.Sprint(r.IntN(30))))
	}},
	{"fixed", reference.FixedLenByteArrayType(3), []encoding.Encoding{&reference.Plain,
		&reference.RLEDictionary, &reference.DeltaByteArray}, func(r *rand.Rand) reference.Value {
		return reference.FixedLenByteArrayValue([]byte(fmt.Sprint(100 + r.IntN(800))))
	}},
	{"int96", reference.Int96Type, []encoding.Encoding{&reference.Plain},
		func(r *rand.Rand) reference.Value {
			return reference.Int96Value([3]uint32{r.Uint32(), 1, 2})
		}},
}

// TestReads: what the reference writes is read, with every encoding, compression and version of
// pages, of columns that are required, optional and repeated, in several pages and row groups.
func TestReads(t *testing.T) {
	for _, version := range []int{1, 2} {
		for _, codec := range []compress.Codec{&reference.Uncompressed, &reference.Snappy,
			&reference.Gzip, &reference.Zstd, &reference.Brotli, &reference.Lz4Raw} {
			group, draws := reference.Group{}, map[string]func(*rand.Rand) reference.Value{}
			for _, k := range kinds {
				for n, e := range k.encodings {
					node := reference.Compressed(reference.Encoded(reference.Leaf(k.of), e), codec)
					name := fmt.Sprintf("%s%d", k.name, n)
					group[name], draws[name] = node, k.draw
					group[name+"o"], draws[name+"o"] = reference.Optional(node), k.draw
					group[name+"r"], draws[name+"r"] = reference.Repeated(node), k.draw
				}
			}
			var file bytes.Buffer
			schema := reference.NewSchema("t", group)
			w := reference.NewWriter(&file, schema, reference.DataPageVersion(version),
				reference.PageBufferSize(400), reference.MaxRowsPerRowGroup(80))
			random := rand.New(rand.NewPCG(1, uint64(version)))
			want := make([][]string, len(schema.Columns()))
			for range 120 {
				var row reference.Row
				for k, path := range schema.Columns() {
					add := func(v reference.Value, repetition, definition int) {
						v = v.Level(repetition, definition, k)
						row, want[k] = append(row, v), append(want[k], showReference(v))
					}
					draw, list := draws[path[0]], random.IntN(4)
					switch path[0][len(path[0])-1] {
					case 'o':
						if list == 0 {
							add(reference.Value{}, 0, 0)
						} else {
							add(draw(random), 0, 1)
						}
					case 'r':
						for i := range list {
							add(draw(random), min(i, 1), 1)
						}
						if list == 0 {
							add(reference.Value{}, 0, 0)
						}
					default:
						add(draw(random), 0, 0)
					}
				}
				if _, err := w.WriteRows([]reference.Row{row}); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			f, err := Open(bytes.NewReader(file.Bytes()), int64(file.Len()))
			if err != nil {
				t.Fatal(err)
			}
			for k, path := range schema.Columns() {
				got := values(t, f.Root.Column(path[0]))
				if strings.Join(got, " ") != strings.Join(want[k], " ") {
					t.Errorf("version %d, %s, %s: got\n%s, want\n%s", version, codec, path, got, want[k])
				}
			}
		}
	}
}

// TestWrites: what is written is read by the reference.
func TestWrites(t *testing.T) {
	nested := List(Group(Texts().Named("s"), Reals().Optional().Named("x"))).Optional()
	var file bytes.Buffer
	w := NewWriter(&file, Group(Integers().Named("n"), nested.Named("list"), Booleans().Named("b")))
	want := make([][]string, 4)
	const rows = 100_000 // of more than one page
	for i := range rows {
		leaves := [][]Value{{Integer(int64(i))}, nil, nil, {Boolean(i%3 == 0)}}
		switch i % 3 {
		case 0:
			leaves[1], leaves[2] = []Value{Value{}.At(0, 0)}, []Value{Value{}.At(0, 0)}
		case 1:
			leaves[1], leaves[2] = []Value{Value{}.At(0, 1)}, []Value{Value{}.At(0, 1)}
		default:
			leaves[1] = []Value{Text("ä").At(0, 2), Text("").At(1, 2)}
			leaves[2] = []Value{Real(math.Pi).At(0, 3), Value{}.At(1, 2)}
		}
		for k, list := range leaves {
			for _, v := range list {
				v.Null = int(v.Define) < []int{0, 2, 3, 0}[k]
				want[k] = append(want[k], show(v))
			}
		}
		if err := w.Row(leaves); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := reference.OpenFile(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	const schema = "message table {\n\trequired int64 n (INT(64,true));\n" +
		"\toptional group list (LIST) {\n\t\trepeated group list {\n\t\t\trequired group element {\n" +
		"\t\t\t\trequired binary s (STRING);\n\t\t\t\toptional double x;\n\t\t\t}\n\t\t}\n\t}\n" +
		"\trequired boolean b;\n}"
	if got := f.Schema().String(); got != schema || f.NumRows() != rows {
		t.Errorf("%d rows of\n%s", f.NumRows(), got)
	}
	got := make([][]string, 4)
	for _, group := range f.RowGroups() {
		for k, chunk := range group.ColumnChunks() {
			pages, some := chunk.Pages(), make([]reference.Value, 1000)
			for {
				page, err := pages.ReadPage()
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				for r := page.Values(); ; {
					n, err := r.ReadValues(some)
					for _, v := range some[:n] {
						got[k] = append(got[k], showReference(v))
					}
					if err != nil {
						break
					}
				}
			}
			pages.Close()
		}
	}
	for k := range want {
		if strings.Join(got[k], " ") != strings.Join(want[k], " ") {
			t.Errorf("leaf %d differs: %d values, want %d", k, len(got[k]), len(want[k]))
		}
	}
}

// TestRuns: a run of equal values is not longer than its page, however few bytes it takes.
func TestRuns(t *testing.T) {
	long := []byte{0x80, 0x80, 0x80, 0x80, 0x04, 1} // 2³¹ times 1
	if _, err := decodeLevels(long, 1, 10); !errors.Is(err, ErrDamaged) {
		t.Errorf("levels: %v", err)
	}
	c := &Column{schema: &format.SchemaElement{}}
	indices := append([]byte{1}, long...)
	if _, err := c.decode(format.RLEDictionary, indices, 10, &batch{}); !errors.Is(err, ErrDamaged) {
		t.Errorf("indices: %v", err)
	}
	if levels, err := decodeLevels([]byte{20, 1}, 1, 10); err != nil || len(levels) != 10 {
		t.Errorf("a run of 10: %v, %v", levels, err)
	}
	if levels, err := decodeLevels([]byte{20, 1, 3, 0xff}, 1, 13); err != nil || len(levels) != 13 {
		t.Errorf("a run and eight bits: %v, %v", levels, err)
	}
	if _, err := decodeLevels([]byte{20, 3}, 2, 10); !errors.Is(err, ErrDamaged) {
		t.Errorf("a level beyond the largest: %v", err)
	}
}

// TestGrows: a page that grows beyond the size it states is refused, with every compression.
func TestGrows(t *testing.T) {
	zeros := make([]byte, 1<<20)
	for _, codec := range []compress.Codec{&reference.Snappy, &reference.Gzip, &reference.Zstd,
		&reference.Brotli, &reference.Lz4Raw} {
		packed, err := codec.Encode(nil, zeros)
		if err != nil {
			t.Fatal(err)
		}
		got, err := unpack(codec.CompressionCodec(), packed, len(zeros))
		if err != nil || !bytes.Equal(got, zeros) {
			t.Errorf("%s: %d bytes, %v", codec, len(got), err)
		}
		if _, err := unpack(codec.CompressionCodec(), packed, 1000); err == nil ||
			codec != &reference.Lz4Raw && !errors.Is(err, ErrGrows) {
			t.Errorf("%s: a page of 1000 bytes becomes a million", codec)
		}
	}
}
