package data

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"pgregory.net/rapid"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/property"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// ---- types to read as

var option = func() *types.DataDecl {
	a := &types.Param{Name: "a"}
	d := &types.DataDecl{Module: "prelude", Name: "Option", Params: []*types.Param{a}}
	d.Cons = []*types.Con{{Data: d, Name: "None"}, {Data: d, Name: "Some", Tag: 1, Fields: []types.Type{a}}}
	return d
}()

var colour = func() *types.Data {
	d := &types.DataDecl{Module: "m", Name: "Colour"}
	d.Cons = []*types.Con{{Data: d, Name: "Red"}, {Data: d, Name: "Green", Tag: 1}}
	return &types.Data{Decl: d}
}()

// tree is recursive.
var tree = func() *types.Data {
	d := &types.DataDecl{Module: "m", Name: "Tree"}
	t := &types.Data{Decl: d}
	d.Cons = []*types.Con{{Data: d, Name: "Leaf", Fields: []types.Type{types.Real}}, {Data: d, Name: "Node", Tag: 1, Fields: []types.Type{t, t}}}
	return t
}()

func maybe(t types.Type) types.Type { return &types.Data{Decl: option, Args: []types.Type{t}} }

func record(fields ...any) *types.Record {
	r := &types.Record{}
	for k := 0; k < len(fields); k += 2 {
		r.Fields = append(r.Fields, types.Field{Name: fields[k].(string), Type: fields[k+1].(types.Type)})
	}
	return r
}

func sized(n int64, t types.Type) types.Type {
	return &types.Array{Size: types.ConstSize(n), Elem: t}
}

var points = arrayOf(record("x", types.Real, "y", types.Real))

func read(name, text string, t types.Type, opts Options) (value.Value, *diag.Diagnostic) {
	v, _, d := Read(Input{Name: name, Reader: strings.NewReader(text), Size: int64(len(text))}, t, opts)
	return v, d
}

// TestRead: what is in files.
func TestRead(t *testing.T) {
	size := &types.Size{Kind: types.SizeParam, Name: "n"}
	columns := record("x", &types.Array{Size: size, Elem: types.Real}, "y", &types.Array{Size: size, Elem: types.Int})
	for _, c := range []struct {
		name, text string
		ty         types.Type
		want       string
	}{
		{"a.csv", "x,y\n1,2\n3,4\n", points, "[{x = 1, y = 2}, {x = 3, y = 4}]"},
		{"bom.csv", "\uFEFFy,z,x\r\n2,,1\r\n4,a,3", points, "[{x = 1, y = 2}, {x = 3, y = 4}]"},
		{"ends.csv", "x,y\r1,2\n\n3,4\r\n\r\n", points, "[{x = 1, y = 2}, {x = 3, y = 4}]"},
		{"semicolon.csv", "x;y\n1;2\n", points, "[{x = 1, y = 2}]"},
		{"empty.csv", "x,y\n", points, "[]"},
		{"a.tsv", "x\ty\n 1 \t+2.5e0\n", points, "[{x = 1, y = 2.5}]"},
		{"quotes.csv", "s\n\"a \"\"b\"\",\nc\"\n\"\"\n", arrayOf(record("s", types.String)), `[{s = "a \"b\",\nc"}, {s = ""}]`},
		{"missing.csv", "x,s\n1,a\n,\nNA,NA\n", arrayOf(record("s", maybe(types.String), "x", maybe(types.Real))),
			`[{s = Some "a", x = Some 1}, {s = None, x = None}, {s = Some "NA", x = None}]`},
		{"columns.csv", "x,y\n1,2\n3,4\n", columns, "{x = [1, 3], y = [2, 4]}"},
		{"matrix.csv", "1,2,3\n4,5,6\n", arrayOf(sized(3, types.Real)), "[[1, 2, 3], [4, 5, 6]]"},
		{"header.csv", "a,b\n1,2\n", arrayOf(arrayOf(types.Real)), "[[1, 2]]"},
		{"tuples.csv", "a,1\nb,2\n", arrayOf(&types.Tuple{Elems: []types.Type{types.String, types.Int}}), `[("a", 1), ("b", 2)]`},
		{"one.csv", "1\n2\n", arrayOf(types.Int), "[1, 2]"},
		{"bool.csv", "b,c\nTRUE,Red\nfalse,Green\n", arrayOf(record("b", types.Bool, "c", colour)), "[{b = true, c = Red}, {b = false, c = Green}]"},
		{"a.json", `{"x": 1, "z": [{"deep": null}], "y": -2.5e1}`, record("x", types.Int, "y", types.Real), "{x = 1, y = -25}"},
		{"option.json", `[1, null, {"con":"Some","args":[2]}, {"con":"None","args":[]}]`, arrayOf(maybe(types.Real)), "[Some 1, None, Some 2, None]"},
		{"absent.json", `[{"x": 1}, {}]`, arrayOf(record("x", maybe(types.Int))), "[{x = Some 1}, {x = None}]"},
		{"tree.json", `{"con":"Node","args":[{"con":"Leaf","args":[1]},{"con":"Leaf","args":[2]}]}`, tree, "Node (Leaf 1) (Leaf 2)"},
		{"enum.json", `["Red", {"con":"Green","args":[]}]`, arrayOf(colour), "[Red, Green]"},
		{"run.json", "{\n  \"diagnostics\": [],\n  \"text\": \"1\",\n \"type\": \"Real\",\n \"value\": 1\n}\n", types.Real, "1"},
		{"text.json", `"a\u00e9\ud83d\ude00\n"`, types.String, "\"aé😀\\n\""},
		{"a.jsonl", "{\"x\":1,\"y\":2}\n\n{\"y\":4,\"x\":3}\n", points, "[{x = 1, y = 2}, {x = 3, y = 4}]"},
		{"nested.json", "[[1,2],[],[3]]", arrayOf(arrayOf(types.Real)), "[[1, 2], [], [3]]"},
	} {
		for _, exact := range []bool{false, true} {
			v, d := read(c.name, c.text, c.ty, Options{Exact: exact})
			if d != nil {
				t.Errorf("%s: %v", c.name, d)
			} else if got := value.Show(value.Plain(v)); got != c.want {
				t.Errorf("%s is %s, not %s", c.name, got, c.want)
			}
		}
	}
}

// TestExactDecimals: decimals are the rationals that were written.
func TestExactDecimals(t *testing.T) {
	texts := []string{"0.1", "1e-400", "123456789.12345678901234567890", "-0.30000000000000004", "0.30000000000000000", "9007199254740993", "1e22", "5e-324", "1.7976931348623157e308"}
	v, d := read("a.json", "["+strings.Join(texts, ",")+"]", arrayOf(types.Real), Options{Exact: true})
	if d != nil {
		t.Fatal(d)
	}
	for k, text := range texts {
		want := value.Numeral{Text: text}.Rat()
		if got := value.At(v, k).(value.Numeral).Rat(); got.Cmp(want) != 0 {
			t.Errorf("%s is read as %s", text, got.RatString())
		}
	}
}

// TestWrongData: what is wrong has a code, a place and a message.
func TestWrongData(t *testing.T) {
	for _, c := range []struct {
		name, text string
		ty         types.Type
		want       string
	}{
		{"a.csv", "", points, "a.csv:1:1: error[E0706]: the file is empty"},
		{"a.csv", "x,y\n1,2\n3\n", points, "a.csv:3:1: error[E0706]: the first line has 2 cells, but this one has 1 cell"},
		{"a.csv", "x,y\n1,2,3\n", points, "a.csv:2:5: error[E0706]: the first line has 2 cells, but this one has 3 cells"},
		{"a.csv", "x,y\n1,é2\n", points, "a.csv:2:3: error[E0707]: `é2` of column y is not a Real"},
		{"a.csv", "é,x,y\né,1,\n", points, "a.csv:2:5: error[E0707]: this cell of column y is empty, and the type Real has no value for that"},
		{"a.csv", "x,y\n1,NaN\n", points, "a.csv:2:3: error[E0707]: `NaN` of column y is not a real number"},
		{"a.csv", "x,y\n1,-Inf\n", points, "a.csv:2:3: error[E0707]: `-Inf` of column y is not a real number"},
		{"a.csv", "x,y\n1,1e999\n", points, "a.csv:2:3: error[E0707]: `1e999` of column y is beyond the range of numbers"},
		{"a.csv", "x,y\n1,1e-99999999\n", points, "a.csv:2:3: error[E0707]: `1e-99999999` of column y is beyond the range of numbers"},
		{"a.csv", "x,y\n1,0x10\n", points, "a.csv:2:3: error[E0707]: `0x10` of column y is not a Real"},
		{"a.csv", "x,y\n1,\"2\n3,4\n", points, "a.csv:2:3: error[E0706]: this quote is never closed"},
		{"a.csv", "x,y\n1,\"2\"3\n", points, "a.csv:2:6: error[E0706]: a cell ends at its closing quote, but something follows"},
		{"a.csv", "x,Y\n", points, "a.csv:1:1: error[E0708]: there is no column `y`"},
		{"a.csv", "x,y,x\n", points, "a.csv:1:5: error[E0706]: there are two columns `x`"},
		{"a.csv", "1\nx\n", arrayOf(types.Int), "a.csv:2:1: error[E0707]: `x` is not an Int"},
		{"a.csv", "1,2\n3,4\n", arrayOf(sized(3, types.Real)), "a.csv:2:4: error[E0707]: the type says 3 elements, but there are 2"},
		{"a.csv", "s\n\xff\n", arrayOf(record("s", types.String)), "a.csv:2:1: error[E0706]: `\uFFFD` of column s is not UTF-8"},
		{"a.json", `[1, "2"]`, arrayOf(types.Real), "a.json:1:5: error[E0707]: a Real is expected, but there is a text, in [1]"},
		{"a.json", "{\"x\": 1,\n \"y\": null}", record("x", types.Real, "y", types.Real), "a.json:2:7: error[E0707]: a Real is expected, but there is null, in y"},
		{"a.json", `{"x": 1}`, record("x", types.Real, "y", types.Real), "a.json:1:8: error[E0708]: the object has no field `y`"},
		{"a.json", `[1, 2`, arrayOf(types.Real), "a.json:1:6: error[E0706]: the file ends where `,` or `]` is expected, in [1]"},
		{"a.json", `[1, 2]x`, arrayOf(types.Real), "a.json:1:7: error[E0706]: the value has ended, but something follows"},
		{"a.json", `[1,]`, arrayOf(types.Real), "a.json:1:4: error[E0706]: a comma needs another value after it"},
		{"a.json", `1.5`, types.Int, "a.json:1:1: error[E0707]: `1.5` is not an Int"},
		{"a.json", `"Rde"`, colour, "a.json:1:1: error[E0707]: `Rde` is not a constructor of Colour"},
		{"a.json", strings.Repeat("[", 20000), arrayOf(record("x", types.Real)), "a.json:1:2: error[E0707]: a record, written as an object is expected, but there is an array, in [0]"},
		{"a.json", `{"a":` + strings.Repeat("[", 20000), record("x", types.Real), "a.json:1:10005: error[E0709]: values are nested more than 10000 deep"},
		{"a.npy", "\x93NUMPY\x01\x00", arrayOf(types.Real), "a.npy:1:1: error[E0706]: this is not a NumPy array: it has no header"},
		{"a.npz", "PK", record("x", types.Real), "a.npz:1:1: error[E0706]: this is not an archive of NumPy arrays: the file is damaged"},
		{"a.csv.gz", "x,y\n1,2\n3,4\n5,6\n", points, "a.csv.gz:1:1: error[E0706]: this is not compressed, as the end `.gz` of its name says"},
		{"a.csv.gz", "x,y\n", points, "a.csv.gz:1:1: error[E0706]: the data breaks off: the file ends in the middle of the data"},
	} {
		v, d := read(c.name, c.text, c.ty, Options{Memory: 1 << 26})
		switch {
		case d == nil:
			t.Errorf("%.40q is read as %s", c.text, value.ShowAtMost(value.Plain(v), 5))
		case d.Error() != c.want:
			t.Errorf("%.40q: got\n%s\nwant\n%s", c.text, d, c.want)
		}
	}
}

// endless is a stream of one text, over and over.
type endless struct {
	text string
	left int64
}

func (e *endless) Read(p []byte) (int, error) {
	if e.left <= 0 {
		return 0, io.EOF
	}
	n := 0
	for n+len(e.text) <= len(p) {
		n += copy(p[n:], e.text)
	}
	e.left -= int64(n)
	return n, nil
}

// TestHuge: what is too large is an error with a place, in bounded memory.
func TestHuge(t *testing.T) {
	const memory = 1 << 20
	stream := func(head, text string) io.Reader {
		return io.MultiReader(strings.NewReader(head), &endless{text, 1 << 40})
	}
	for _, c := range []struct {
		name string
		from io.Reader
		ty   types.Type
	}{
		{"rows.csv", stream("x,y\n", "1,2\n"), points},
		{"columns.csv", stream("x", ",y"), points},
		{"cell.csv", stream("x,y\n", "1"), points},
		{"quoted.csv", stream("x,y\n\"", "1\n"), points},
		{"texts.csv", stream("s\n", strings.Repeat("a", 999)+"\n"), arrayOf(types.String)},
		{"elements.json", stream("[1", ",2"), arrayOf(types.Real)},
		{"deep.json", stream("", "["), arrayOf(tree)},
		{"skipped.json", stream(`{"a":`, "["), record("x", types.Real)},
		{"text.json", stream(`"`, "a"), types.String},
		{"number.json", stream("", "1"), types.Real},
		{"lines.jsonl", stream("", "1\n"), arrayOf(types.Int)},
		{"zeros.csv", stream("", "\x00"), points},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _, d := Read(Input{Name: c.name, Reader: c.from}, c.ty, Options{Memory: memory, Exact: true})
		runtime.ReadMemStats(&after)
		if d == nil || !d.Span.Known() {
			t.Errorf("%s: %v", c.name, d)
		}
		if spent := after.TotalAlloc - before.TotalAlloc; spent > 32*memory {
			t.Errorf("%s: %d bytes are allocated before it is an error", c.name, spent)
		}
	}
	shape := "(1000000000000,)"
	header := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': %s, }\n", shape)
	huge := npyMagic + "\x01\x00" + string(rune(len(header))) + "\x00" + header
	if _, d := read("a.npy", huge, arrayOf(types.Real), Options{Memory: memory}); d == nil {
		t.Error("an array that is not there")
	}
}

// TestBomb: compressed data that grows without end is stopped.
func TestBomb(t *testing.T) {
	from := &counter{n: 1000}
	b := &bounded{r: &endless{"\n", 1 << 50}, from: from, n: freeSize}
	if _, err := io.Copy(io.Discard, b); !errors.Is(err, errBomb) {
		t.Error(err)
	}
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	io.Copy(w, &endless{"\n", 1 << 20})
	w.Close()
	if _, d := read("a.csv.gz", z.String(), points, Options{}); d == nil || d.Code != diag.BadData {
		t.Error(d) // small enough to be read: an empty file
	}
}

// ---- random data

// scalars makes the types that cells of tables have.
func scalars(enums bool) *rapid.Generator[types.Type] {
	basic := []types.Type{types.Real, types.Int, types.Bool, types.String}
	if enums {
		basic = append(basic, colour)
	}
	return rapid.Custom(func(t *rapid.T) types.Type {
		ty := rapid.SampledFrom(basic).Draw(t, "type")
		if rapid.IntRange(0, 3).Draw(t, "option") == 0 {
			return maybe(ty)
		}
		return ty
	})
}

func anyType(depth int) *rapid.Generator[types.Type] {
	return rapid.Custom(func(t *rapid.T) types.Type {
		kind := rapid.IntRange(0, 6).Draw(t, "kind")
		if depth == 0 || kind < 2 {
			return scalars(true).Draw(t, "scalar")
		}
		part := func() types.Type { return anyType(depth-1).Draw(t, "part") }
		switch kind {
		case 2:
			return &types.Tuple{Elems: []types.Type{part(), part()}}
		case 3:
			return record("a", part(), "b c", part())
		case 4:
			return maybe(part())
		case 5:
			return tree
		}
		return arrayOf(part())
	})
}

// valueOf makes a value of a type, as evaluators on doubles hand it back.
func valueOf(t *rapid.T, ty types.Type) value.Value {
	switch ty := ty.(type) {
	case *types.Basic:
		switch ty {
		case types.Real:
			return value.Real(rapid.Float64().Draw(t, "real"))
		case types.Int:
			return value.Int(rapid.Int64().Draw(t, "int"))
		case types.Bool:
			return value.Bool(rapid.Bool().Draw(t, "bool"))
		}
		return value.String(rapid.StringOfN(rapid.RuneFrom([]rune("ab ,;\t\"\n\r\\é\x01")), 0, 6, -1).Draw(t, "string"))
	case *types.Tuple:
		return value.Tuple{valueOf(t, ty.Elems[0]), valueOf(t, ty.Elems[1])}
	case *types.Record:
		var r value.Record
		for _, f := range ty.Fields {
			r = append(r, value.Field{Name: f.Name, Value: valueOf(t, f.Type)})
		}
		return r
	case *types.Array:
		n := rapid.IntRange(0, 4).Draw(t, "length")
		var reals value.Reals
		var ints value.Ints
		array := value.Array{}
		for range n {
			v := valueOf(t, ty.Elem)
			array = append(array, v)
			switch v := v.(type) {
			case value.Real:
				reals = append(reals, float64(v))
			case value.Int:
				ints = append(ints, int64(v))
			}
		}
		switch ty.Elem {
		case types.Real:
			return reals
		case types.Int:
			return ints
		}
		return array
	}
	data := ty.(*types.Data)
	con := data.Decl.Cons[rapid.IntRange(0, len(data.Decl.Cons)-1).Draw(t, "con")]
	if data == tree && rapid.IntRange(0, 2).Draw(t, "leaf") > 0 {
		con = data.Decl.Cons[0]
	}
	c := value.Con{Name: con.Name}
	for _, f := range con.FieldTypes(data) {
		c.Args = append(c.Args, valueOf(t, f))
	}
	return c
}

// roundTrip writes a value and reads it back.
func roundTrip(t *rapid.T, name string, ty types.Type, v value.Value) {
	var b bytes.Buffer
	if err := Write(&b, name, ty, v); err != nil {
		t.Fatalf("%s: %v: %s", name, err, value.Show(v))
	}
	back, d := read(name, b.String(), ty, Options{Exact: rapid.Bool().Draw(t, "exact")})
	if d != nil {
		t.Fatalf("%s: %v\n%s", name, d, b.String())
	}
	if got, want := value.Show(value.Plain(back)), value.Show(v); got != want {
		t.Fatalf("%s: %s is read back as %s\n%s", name, want, got, b.String())
	}
}

// TestRoundTripJSON: what --json prints reads back into the same type.
func TestRoundTripJSON(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		ty := anyType(3).Draw(t, "type")
		name := rapid.SampledFrom([]string{"a.json", "a.json.gz", "a.json.zst"}).Draw(t, "name")
		roundTrip(t, name, ty, valueOf(t, ty))
	})
}

// TestRoundTripTables: tables read back, from each format.
func TestRoundTripTables(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		a, b := scalars(true).Draw(t, "a"), scalars(true).Draw(t, "b")
		ty := arrayOf(record("a", a, "b c", b))
		v := valueOf(t, ty)
		for _, name := range []string{"a.csv", "a.tsv", "a.jsonl", "a.parquet"} {
			roundTrip(t, name, ty, v)
		}
	})
}

// TestRoundTripArrays: arrays of numbers read back from NumPy files.
func TestRoundTripArrays(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		elem := rapid.SampledFrom([]types.Type{types.Real, types.Int, types.Bool}).Draw(t, "elem")
		ty := arrayOf(elem)
		v := valueOf(t, ty)
		roundTrip(t, "a.npy", ty, v)
		matrix := value.Array{v, v, v}
		roundTrip(t, "a.npy.gz", arrayOf(ty), matrix)
		roundTrip(t, "a.npz", record("m", arrayOf(ty), "v", ty), value.Record{{Name: "m", Value: matrix}, {Name: "v", Value: v}})
	})
}
