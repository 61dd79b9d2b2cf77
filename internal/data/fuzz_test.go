package data

import (
	"bytes"
	"regexp"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/property"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// fuzz reads any bytes, as several types: there is a value that can be written, or a diagnostic
// with a place, and no panic. The memory is bounded.
func fuzz(f *testing.F, name string, seeds []string, ts ...types.Type) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		opts := Options{Memory: 1 << 20, Exact: len(text)%2 == 0}
		in := func() Input { return Input{Name: name, Reader: bytes.NewReader(text), Size: int64(len(text))} }
		all := ts
		inferred, d := Infer(in(), option, opts)
		if d == nil {
			all = append(ts[:len(ts):len(ts)], inferred)
		} else if !d.Span.Known() {
			t.Errorf("no place: %v", d)
		}
		for _, ty := range all {
			v, bytes, d := Read(in(), ty, opts)
			switch {
			case d != nil && !d.Span.Known():
				t.Errorf("no place: %v", d)
			case d == nil && bytes > opts.Memory:
				t.Errorf("%d bytes", bytes)
			case d == nil:
				value.JSON(value.Plain(v))
			}
		}
	})
}

var fuzzTypes = []types.Type{
	arrayOf(record("x", types.Real, "y", types.Real)),
	arrayOf(record("s", types.String, "x", maybe(types.Int))),
	arrayOf(arrayOf(types.Real)), arrayOf(types.Int), record("x", arrayOf(types.Real)), tree,
}

func FuzzCSV(f *testing.F) {
	fuzz(f, "a.csv", []string{"x,y\n1,2\n", "\uFEFFx;y\r1;nan\r\n", "s,x\n\"a\nb\"\"\",\n", "x\n1e9999\n\x00", "1,2\n3,4"}, fuzzTypes...)
}

func FuzzText(f *testing.F) {
	fuzz(f, "a.txt", []string{"x y\n1 2\n", "# c\n x\t y \r\r1  nan\n", "\"a b\" \"\n\x00", "   \n#"}, append(fuzzTypes, arrayOf(types.String))...)
}

func FuzzJSON(f *testing.F) {
	fuzz(f, "a.json", []string{`[{"x":1,"y":-2.5e3}]`, `{"diagnostics":[],"value":[1]}`, `{"con":"Leaf","args":[1]}`, `[null,"\\ud800",{"a":[[]]}]`}, fuzzTypes...)
}

func FuzzJSONLines(f *testing.F) {
	fuzz(f, "a.jsonl", []string{"{\"x\":1,\"y\":2}\n[1]\n"}, fuzzTypes...)
}

func FuzzNPY(f *testing.F) {
	var b bytes.Buffer
	if err := Write(&b, "a.npy", arrayOf(arrayOf(types.Real)), value.Array{value.Reals{1, 2}}); err != nil {
		f.Fatal(err)
	}
	fuzz(f, "a.npy", []string{b.String(), npyMagic + "\x03\x00\xff\xff\xff\xff"}, fuzzTypes...)
}

func FuzzNPZ(f *testing.F) {
	var b bytes.Buffer
	if err := Write(&b, "a.npz", arrayOf(types.Real), value.Reals{1, 2}); err != nil {
		f.Fatal(err)
	}
	fuzz(f, "a.npz", []string{b.String()}, fuzzTypes...)
}

func FuzzParquet(f *testing.F) {
	var b bytes.Buffer
	lists := arrayOf(record("p", types.Real, "q", arrayOf(types.Int)))
	ty := arrayOf(record("l", lists, "s", types.String, "x", maybe(types.Int)))
	pair := value.Record{{Name: "p", Value: value.Real(1)}, {Name: "q", Value: value.Ints{2, 3}}}
	row := value.Record{{Name: "l", Value: value.Array{pair, pair}},
		{Name: "s", Value: value.String("a")}, {Name: "x", Value: value.Con{Name: "None"}}}
	if err := Write(&b, "a.parquet", ty, value.Array{row, row}); err != nil {
		f.Fatal(err)
	}
	fuzz(f, "a.parquet", []string{b.String()}, append(fuzzTypes, ty)...)
}

func FuzzGzip(f *testing.F) { fuzzCompressed(f, "a.csv.gz") }
func FuzzZstd(f *testing.F) { fuzzCompressed(f, "a.csv.zst") }

func fuzzCompressed(f *testing.F, name string) {
	var b bytes.Buffer
	if err := Write(&b, name, arrayOf(types.Real), value.Reals{1, 2}); err != nil {
		f.Fatal(err)
	}
	fuzz(f, name, []string{b.String()}, fuzzTypes...)
}

// goish finds the words of Go and of its libraries in a message.
var goish = regexp.MustCompile(`EOF|runtime error|out of range|strconv|flate|gzip:|zlib|zip:|zstd|` +
	`snappy|brotli|lz4|thrift|bufio|invalid (character|input|magic|header|checksum)|json:|magic number|` +
	`parquet:|reflect|nil pointer|corrupt|interface|goroutine|makeslice|0x[0-9a-f]|%!`)

// TestDamaged reads files of every format that are cut off or changed in some bytes: a value or a
// diagnostic with a place and in the user's terms, and never a panic. RAPID_CHECKS=10000 tries every
// byte.
func TestDamaged(t *testing.T) {
	ty := arrayOf(record("s", types.String, "x", maybe(types.Int)))
	row := value.Record{{Name: "s", Value: value.String("a\"b")}, {Name: "x", Value: value.Con{Name: "Some", Args: []value.Value{value.Int(7)}}}}
	none := value.Record{{Name: "s", Value: value.String("")}, {Name: "x", Value: value.Con{Name: "None"}}}
	rows := value.Array{row, none, row}
	lists := arrayOf(record("l", arrayOf(record("p", types.Real, "q", arrayOf(types.Int)))))
	pair := value.Record{{Name: "p", Value: value.Real(1)}, {Name: "q", Value: value.Ints{2, 3}}}
	list := value.Record{{Name: "l", Value: value.Array{pair, pair}}}
	numbers, xs := record("x", arrayOf(types.Real)), value.Record{{Name: "x", Value: value.Reals{1, 2.5}}}
	for _, c := range []struct {
		name string
		ty   types.Type
		v    value.Value
	}{
		{"a.csv", ty, rows}, {"a.tsv", ty, rows}, {"a.json", ty, rows}, {"a.jsonl", ty, rows}, {"a.parquet", ty, rows},
		{"a.npy", arrayOf(types.Real), value.Reals{1, 2}}, {"a.npz", numbers, xs}, {"a.csv.gz", ty, rows}, {"a.json.zst", ty, rows},
		{"a.json.gz", ty, rows}, {"a.csv.zst", ty, rows}, {"a.parquet", lists, value.Array{list, list}},
	} {
		var b bytes.Buffer
		if err := Write(&b, c.name, c.ty, c.v); err != nil {
			t.Fatal(err)
		}
		whole := b.Bytes()
		try := func(text []byte) {
			in := func() Input { return Input{Name: c.name, Reader: bytes.NewReader(text), Size: int64(len(text))} }
			opts := Options{Memory: 1 << 24, Exact: true}
			check := func(d *diag.Diagnostic) {
				if d == nil {
					return
				}
				if !d.Span.Known() {
					t.Errorf("%s: no place: %v", c.name, d)
				}
				if said := goish.FindString(d.Message); said != "" {
					t.Errorf("%s: the message has %q: %v", c.name, said, d)
				}
			}
			_, _, d := Read(in(), c.ty, opts)
			check(d)
			_, d = Infer(in(), option, opts)
			check(d)
		}
		for n := 0; n < len(whole); n += 1 + len(whole)/property.Rounds(15) {
			try(whole[:n])
			for _, with := range []byte{0, '"', '\n', 0xff, whole[n] ^ 1} {
				damaged := bytes.Clone(whole)
				damaged[n] = with
				try(damaged)
			}
		}
	}
}
