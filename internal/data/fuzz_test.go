package data

import (
	"bytes"
	"testing"

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
		inferred, d := Infer(in(), option, opts)
		if d == nil {
			ts = append(ts[:len(ts):len(ts)], inferred)
		} else if !d.Span.Known() {
			t.Errorf("no place: %v", d)
		}
		for _, ty := range ts {
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
	ty := arrayOf(record("s", types.String, "x", maybe(types.Int)))
	row := value.Record{{Name: "s", Value: value.String("a")}, {Name: "x", Value: value.Con{Name: "None"}}}
	if err := Write(&b, "a.parquet", ty, value.Array{row, row}); err != nil {
		f.Fatal(err)
	}
	fuzz(f, "a.parquet", []string{b.String()}, fuzzTypes...)
}

func FuzzGzip(f *testing.F) {
	var b bytes.Buffer
	if err := Write(&b, "a.csv.gz", arrayOf(types.Real), value.Reals{1, 2}); err != nil {
		f.Fatal(err)
	}
	fuzz(f, "a.csv.gz", []string{b.String()}, fuzzTypes...)
}
