package data

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

func recordType(fields ...types.Field) types.Type { return &types.Record{Fields: fields} }

func arrayType(elem types.Type) types.Type { return &types.Array{Size: types.AnySize, Elem: elem} }

// TestNestedParquet: columns of records and of decimals are read, and lists are an error with a name.
func TestNestedParquet(t *testing.T) {
	type at struct {
		Lat float64 `parquet:"lat"`
		Lon float64 `parquet:"lon"`
	}
	type row struct {
		Price int64     `parquet:"price,decimal(2:18)"`
		At    at        `parquet:"at"`
		Tags  []float64 `parquet:"tags"`
	}
	var buf bytes.Buffer
	w := parquet.NewGenericWriter[row](&buf)
	if _, err := w.Write([]row{{1999, at{1, 2}, []float64{1}}, {-5, at{3, 4}, nil}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	position := recordType(types.Field{Name: "lat", Type: types.Real}, types.Field{Name: "lon", Type: types.Real})
	rows := arrayType(recordType(types.Field{Name: "at", Type: position}, types.Field{Name: "price", Type: types.Real}))
	v, d := read("a.parquet", buf.String(), rows, Options{Exact: true})
	if d != nil {
		t.Fatal(d)
	}
	const want = "[{at = {lat = 1, lon = 2}, price = 19.99}, {at = {lat = 3, lon = 4}, price = -0.05}]"
	if got := value.Show(value.Plain(v)); got != want {
		t.Errorf("got %s", got)
	}
	in := Input{Name: "a.parquet", Reader: strings.NewReader(buf.String()), Size: int64(buf.Len())}
	if ty, d := Infer(in, nil, Options{}); d != nil || types.Show(ty) != types.Show(rows) {
		t.Errorf("the type is %s, %v", types.Show(ty), d)
	}
	tags := arrayType(recordType(types.Field{Name: "tags", Type: arrayType(types.Real)}))
	if _, d := read("a.parquet", buf.String(), tags, Options{}); d == nil || !strings.Contains(d.Message, "tags") {
		t.Errorf("a list is read: %v", d)
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
	if _, d := read("a.txt", "x y\n1  2\n3   z\n", rows, Options{}); d == nil || !strings.HasPrefix(d.Error(), "a.txt:3:5: error[E0707]") {
		t.Errorf("%v", d)
	}
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
