//go:build !page

package data

import (
	"bytes"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/deprecated"
	"pgregory.net/rapid"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/property"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

func recordType(fields ...types.Field) types.Type { return &types.Record{Fields: fields} }

func arrayType(elem types.Type) types.Type { return &types.Array{Size: types.AnySize, Elem: elem} }

// TestNestedParquet: columns of records, of decimals and of lists without an outer group are read.
func TestNestedParquet(t *testing.T) {
	type place struct {
		Lat float64 `parquet:"lat"`
		Lon float64 `parquet:"lon"`
	}
	type row struct {
		Price int64     `parquet:"price,decimal(2:18)"`
		At    place     `parquet:"at"`
		Tags  []float64 `parquet:"tags"`
	}
	var buf bytes.Buffer
	w := parquet.NewGenericWriter[row](&buf)
	if _, err := w.Write([]row{{1999, place{1, 2}, []float64{1}}, {-5, place{3, 4}, nil}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	file := buf.String()
	position := recordType(types.Field{Name: "lat", Type: types.Real}, types.Field{Name: "lon", Type: types.Real})
	at, price := types.Field{Name: "at", Type: position}, types.Field{Name: "price", Type: types.Real}
	tags := types.Field{Name: "tags", Type: arrayType(types.Real)}
	rows := arrayType(recordType(at, price, tags))
	v, d := read("a.parquet", buf.String(), rows, Options{Exact: true})
	if d != nil {
		t.Fatal(d)
	}
	const want = "[{at = {lat = 1, lon = 2}, price = 19.99, tags = [1]}, " +
		"{at = {lat = 3, lon = 4}, price = -0.05, tags = []}]"
	if got := value.Show(value.Plain(v)); got != want {
		t.Errorf("got %s", got)
	}
	in := Input{Name: "a.parquet", Reader: strings.NewReader(buf.String()), Size: int64(buf.Len())}
	if ty, d := Infer(in, nil, Options{}); d != nil || types.Show(ty) != types.Show(rows) {
		t.Errorf("the type is %s, %v", types.Show(ty), d)
	}
	for _, c := range []struct {
		ty   types.Field
		want string
	}{
		{types.Field{Name: "tags", Type: types.Real},
			"the column tags has the type []Real, and is not read as Real"},
		{types.Field{Name: "tags", Type: arrayType(types.String)},
			"the column tags has the type Real, and is not read as String"},
		{types.Field{Name: "tags", Type: sized(1, types.Real)},
			"row 1 of column tags is not of that type: the type says 1 elements, but there are 0"},
		{types.Field{Name: "at", Type: recordType(types.Field{Name: "la", Type: types.Real})},
			"there is no column `la` in `at`"},
	} {
		if _, d := read("a.parquet", file, arrayType(recordType(c.ty)), Options{}); d == nil || d.Message != c.want {
			t.Errorf("%v", d)
		}
	}
}

// nestedType makes types of cells of Parquet files.
func nestedType(depth int) *rapid.Generator[types.Type] {
	return rapid.Custom(func(t *rapid.T) types.Type {
		kind := rapid.IntRange(0, 4).Draw(t, "kind")
		if depth == 0 || kind < 2 {
			return scalars(true).Draw(t, "scalar")
		}
		part := func() types.Type { return nestedType(depth-1).Draw(t, "part") }
		if kind == 2 {
			return record("a", part(), "b", part())
		}
		ty := arrayOf(part())
		if kind == 3 {
			return maybe(ty)
		}
		return ty
	})
}

// TestRoundTripParquet: records and lists in one another read back, with what is missing.
func TestRoundTripParquet(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		ty := arrayOf(record("a", nestedType(3).Draw(t, "a"), "b", nestedType(2).Draw(t, "b")))
		roundTrip(t, "a.parquet", ty, valueOf(t, ty))
	})
}

// TestInferParquet: columns that could be missing and never are have no Option.
func TestInferParquet(t *testing.T) {
	cell := record("x", maybe(types.Real), "y", maybe(types.Int), "z", maybe(arrayOf(maybe(types.Real))))
	some := func(v value.Value) value.Value { return value.Con{Name: "Some", Args: []value.Value{v}} }
	none := value.Con{Name: "None"}
	rows := value.Array{
		value.Record{{Name: "x", Value: some(value.Real(1))}, {Name: "y", Value: none},
			{Name: "z", Value: some(value.Array{none})}},
		value.Record{{Name: "x", Value: some(value.Real(2))}, {Name: "y", Value: some(value.Int(2))},
			{Name: "z", Value: some(value.Array{})}},
	}
	var buf bytes.Buffer
	if err := Write(&buf, "a.parquet", arrayOf(cell), rows); err != nil {
		t.Fatal(err)
	}
	in := Input{Name: "a.parquet", Reader: bytes.NewReader(buf.Bytes()), Size: int64(buf.Len())}
	ty, d := Infer(in, option, Options{})
	if want := "[]{x : Real, y : Option Int, z : [](Option Real)}"; d != nil || types.Show(ty) != want {
		t.Errorf("%s, %v", types.Show(ty), d)
	}
}

// TestUnsigned: integers without a sign are read as what they are, or not at all.
func TestUnsigned(t *testing.T) {
	type row struct {
		A uint32 `parquet:"a"`
		B uint64 `parquet:"b"`
	}
	var buf bytes.Buffer
	if err := parquet.Write(&buf, []row{{1<<32 - 1, 1<<64 - 1}}); err != nil {
		t.Fatal(err)
	}
	v, d := read("a.parquet", buf.String(), record("a", arrayOf(types.Int)), Options{})
	if d != nil || value.Show(value.Plain(v)) != "{a = [4294967295]}" {
		t.Errorf("%v, %v", v, d)
	}
	const want = "row 0 of column b is 18446744073709551615, which is beyond the range of Int"
	_, d = read("a.parquet", buf.String(), record("b", arrayOf(types.Real)), Options{})
	if d == nil || d.Message != want {
		t.Errorf("%v", d)
	}
}

// TestParquetBomb: what a small file says to be large takes no memory; see Note [Sizes in Parquet
// files].
func TestParquetBomb(t *testing.T) {
	ty := arrayOf(record("x", types.Real))
	for _, codec := range []compress.Codec{&parquet.Zstd, &parquet.Gzip, &parquet.Snappy} {
		var buf bytes.Buffer
		schema := parquet.NewSchema("t", parquet.Group{"x": parquet.Leaf(parquet.DoubleType)})
		w := parquet.NewWriter(&buf, schema, parquet.Compression(codec), parquet.PageBufferSize(8<<20))
		row := parquet.Row{parquet.DoubleValue(0).Level(0, 0, 0)}
		rows := slices.Repeat([]parquet.Row{row}, 1<<19)
		if _, err := w.WriteRows(rows); err != nil {
			t.Fatal(err)
		}
		w.Close()
		_, d := read("a.parquet", buf.String(), ty, Options{Memory: 1 << 20})
		if d == nil || d.Code != diag.DataLimit {
			t.Errorf("%d bytes are read: %v", buf.Len(), d)
		}
	}
}

// TestNotFinite: what is written of numbers that are not finite is read again, in every format.
func TestNotFinite(t *testing.T) {
	ty := arrayType(recordType(types.Field{Name: "x", Type: types.Real}))
	v := value.Table{Names: []string{"x"}, Rows: 4, Columns: []value.Value{value.Reals{1, math.NaN(), math.Inf(1), math.Inf(-1)}}}
	for _, name := range []string{"a.csv", "a.tsv", "a.json", "a.jsonl", "a.parquet"} {
		var buf bytes.Buffer
		if err := Write(&buf, name, ty, value.Plain(v)); err != nil {
			t.Fatal(err)
		}
		got, d := read(name, buf.String(), ty, Options{})
		if d != nil {
			t.Errorf("%s: %v", name, d)
		} else if s := value.Show(value.Plain(got)); s != "[{x = 1}, {x = nan}, {x = inf}, {x = -inf}]" {
			t.Errorf("%s: %s", name, s)
		}
	}
}

// TestText: columns between blanks, with comments and empty lines; or lines.
func TestText(t *testing.T) {
	const text = "# two columns\n x \t y\n\n1   2  \r\n  3 4\n# end"
	rows := arrayType(recordType(types.Field{Name: "x", Type: types.Real}, types.Field{Name: "y", Type: types.Int}))
	if v, d := read("a.txt", text, rows, Options{}); d != nil || value.Show(value.Plain(v)) != "[{x = 1, y = 2}, {x = 3, y = 4}]" {
		t.Errorf("%v, %v", v, d)
	}
	if v, d := read("a.txt", "a \"b\"\n  c\n", arrayType(types.String), Options{}); d != nil || value.Show(value.Plain(v)) != `["a \"b\"", "  c"]` {
		t.Errorf("%v, %v", v, d)
	}
	if v, d := read("a.txt", "a\n\n b\n", types.String, Options{}); d != nil || v != value.String("a\n\n b\n") {
		t.Errorf("%v, %v", v, d)
	}
	if _, d := read("a.txt", "a\xff", types.String, Options{}); d == nil || d.Message != "the text is not UTF-8" {
		t.Errorf("%v", d)
	}
	if _, d := read("a.txt", "x y\n1  2\n3   z\n", rows, Options{}); d == nil || !strings.HasPrefix(d.Error(), "a.txt:3:5: error[E0707]") {
		t.Errorf("%v", d)
	}
}

// TestRoundTripText: tables between blanks, lines and texts read back.
func TestRoundTripText(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		ty := arrayOf(record("a", types.String, "b c", maybe(types.Real), "d", colour))
		roundTrip(t, "a.txt", ty, valueOf(t, ty))
		line := rapid.StringOf(rapid.RuneFrom([]rune("ab #\t\"é")))
		lines := value.Array{}
		for _, s := range rapid.SliceOfN(line, 1, 4).Draw(t, "lines") {
			lines = append(lines, value.String(s))
		}
		roundTrip(t, "a.txt", arrayOf(types.String), lines)
		roundTrip(t, "a.txt.gz", types.String, valueOf(t, types.String))
	})
}

// TestStop: reading stops when it is told to, with the reason.
func TestStop(t *testing.T) {
	text := "x\n" + strings.Repeat("1\n", 1<<20)
	start := time.Now()
	opts := Options{Stop: func() *diag.Diagnostic {
		if time.Since(start) < time.Millisecond {
			return nil
		}
		return diag.Errorf(diag.TimeLimit, diag.Span{}, "enough")
	}}
	for name, text := range map[string]string{"a.csv": text, "a.json": "[" + strings.Repeat("{\"x\":1},", 1<<19) + "{\"x\":1}]"} {
		rows := arrayType(recordType(types.Field{Name: "x", Type: types.Real}))
		if _, d := read(name, text, rows, opts); d == nil || d.Code != diag.TimeLimit {
			t.Errorf("%s: %v", name, d)
		}
	}
}

// TestHalves: numbers of 16 bits are read; those that are not numbers are missing. The file was
// written by Arrow.
func TestHalves(t *testing.T) {
	raw, err := os.ReadFile("testdata/half.parquet")
	if err != nil {
		t.Fatal(err)
	}
	ty := arrayOf(record("h", types.Real, "n", maybe(types.Real)))
	v, d := read("a.parquet", string(raw), ty, Options{})
	const want = "[{h = 1.5, n = Some 1}, {h = -2, n = None}, {h = 65504, n = None}, " +
		"{h = 5.960464477539063e-8, n = Some 3}, {h = 0, n = Some 4}]"
	if d != nil || value.Show(value.Plain(v)) != want {
		t.Errorf("%v, %v", v, d)
	}
	in := Input{Name: "a.parquet", Reader: bytes.NewReader(raw), Size: int64(len(raw))}
	if inferred, d := Infer(in, option, Options{}); d != nil || types.Show(inferred) != types.Show(ty) {
		t.Errorf("%s, %v", types.Show(inferred), d)
	}
	for bits, want := range map[uint16]float64{0x3c00: 1, 0xc000: -2, 0x7bff: 65504, 1: 0x1p-24, 0x0400: 0x1p-14,
		0x83ff: -1023 * 0x1p-24, 0x7c00: math.Inf(1), 0xfc00: math.Inf(-1), 0x7e00: math.NaN()} {
		got := half([]byte{byte(bits), byte(bits >> 8)})
		if got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("%#x is %v, not %v", bits, got, want)
		}
	}
}

// TestUnread: columns of types that are not read are named.
func TestUnread(t *testing.T) {
	type row struct {
		A deprecated.Int96 `parquet:"a"`
		B float64          `parquet:"b"`
		C [4]byte          `parquet:"c"`
	}
	var buf bytes.Buffer
	if err := parquet.Write(&buf, []row{{B: 1}}); err != nil {
		t.Fatal(err)
	}
	in := Input{Name: "a.parquet", Reader: bytes.NewReader(buf.Bytes()), Size: int64(buf.Len())}
	var unread []string
	ty, d := Infer(in, option, Options{Unread: func(column, ty string) { unread = append(unread, column+" "+ty) }})
	if d != nil || types.Show(ty) != "[]{b : Real}" || !slices.Equal(unread, []string{"a INT96", "c FIXED_LEN_BYTE_ARRAY(4)"}) {
		t.Errorf("%v, %v, %v", ty, unread, d)
	}
	_, d = read("a.parquet", buf.String(), record("a", arrayOf(types.Real)), Options{})
	if d == nil || !strings.Contains(d.Message, "the column a has the Parquet type") {
		t.Errorf("%v", d)
	}
}
