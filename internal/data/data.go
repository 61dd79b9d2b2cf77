// Package data reads files into values by their types, and writes values into files. It is given
// a stream and a type without type variables. It returns a value of package value, in columns, or
// a diagnostic with a place in the file. It knows nothing of programs, of where files are, or of
// computing with values.
//
// There is one file per format: csv.go with cells.go, json.go, npy.go, npz.go, parquet.go;
// write_*.go for the other direction. They share
//
//	source.go   a buffered stream that knows lines and columns, decompression, its limits
//	number.go   decimals
//	column.go   what collects the values of one type
package data

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Options says how data is read.
type Options struct {
	// Exact keeps decimals as they are written, for exact evaluation. Otherwise reals are rounded
	// to the nearest doubles.
	Exact bool
	// Memory bounds the bytes of what is read; 0 means no bound.
	Memory int64
	// Stop, if not nil, is called now and then. It returns why to stop reading, or nil.
	Stop func() *diag.Diagnostic
	// Unread, if not nil, is called with the columns that Infer leaves out because their types
	// are not supported.
	Unread func(column, ty string)
}

// Bounds of what a file may contain.
const (
	maxToken   = 1 << 20 // bytes of one cell, text or number
	maxColumns = 1 << 16
	maxDepth   = 10_000 // nesting of arrays and objects

	// Compressed data may grow to freeSize bytes. Beyond that it may grow to at most maxRatio
	// times its compressed size.
	freeSize = 1 << 30
	maxRatio = 200
)

// Format is a file format.
type Format uint8

// The formats.
const (
	unknownFormat Format = iota
	CSV
	TSV
	Text
	JSON
	JSONLines
	NPY
	NPZ
	Parquet
)

var formatOf = map[string]Format{
	".csv": CSV, ".tsv": TSV, ".tab": TSV, ".json": JSON, ".jsonl": JSONLines, ".ndjson": JSONLines,
	".npy": NPY, ".npz": NPZ, ".parquet": Parquet, ".txt": Text,
}

// readable lists the extensions for messages.
const readable = ".csv, .tsv, .txt, .json, .jsonl, .npy, .npz and .parquet, each also with .gz " +
	"or .zst"

// split splits the name of a file into its format and its compression ("", ".gz", ".zst").
func split(name string) (format Format, compression string) {
	base := strings.ToLower(path.Base(filepath.ToSlash(name)))
	ext := path.Ext(base)
	if ext == ".gz" || ext == ".zst" {
		compression = ext
		ext = path.Ext(strings.TrimSuffix(base, ext))
	}
	return formatOf[ext], compression
}

// Read decodes an input as a value of a type, and returns how many bytes the value takes. A
// diagnostic without a place is about the type or the name of the file.
func Read(in Input, t types.Type, opts Options) (v value.Value, bytes int64, d *diag.Diagnostic) {
	if part := unreadable(t); part != nil {
		return nil, 0, diag.Errorf(
			diag.DataType,
			diag.Span{},
			"data cannot be read as %s",
			types.Show(part),
		).
			WithHint(
				"data has numbers, truth values, texts, and tuples, records, arrays and data " +
					"types of them",
			)
	}
	s, d := open(in)
	if d != nil {
		return nil, 0, d
	}
	defer s.close()
	s.counter.stop = opts.Stop
	b := &builders{source: s, opts: opts, sizes: map[*types.Size]int64{}}
	if v, d = b.read(t); d != nil {
		return nil, b.spent, opts.stopped(d)
	}
	return v, b.spent, nil
}

// stopped returns why reading had to stop, if it had to, and otherwise the failure d.
func (o Options) stopped(d *diag.Diagnostic) *diag.Diagnostic {
	if o.Stop != nil {
		if why := o.Stop(); why != nil {
			return why
		}
	}
	return d
}

func (b *builders) read(t types.Type) (value.Value, *diag.Diagnostic) {
	switch b.format {
	case CSV:
		return b.delimited(',', t)
	case TSV:
		return b.delimited('\t', t)
	case Text:
		switch {
		case types.Resolve(t) == types.Type(types.String):
			return b.wholeText()
		case isLines(t):
			return b.delimited(lines, t)
		}
		return b.delimited(spaces, t)
	case JSON:
		return b.json(t)
	case JSONLines:
		return b.jsonLines(t)
	case NPY:
		return b.npy(t)
	case NPZ:
		return b.npz(t)
	}
	return b.parquet(t)
}

// unreadable returns a part of a type that data cannot have, or nil.
func unreadable(t types.Type) (bad types.Type) {
	types.Contains(t, func(part types.Type) bool {
		switch d := part.(type) {
		case *types.Fun, *types.Param, *types.Meta:
			bad = part
		case *types.Data:
			if len(d.Decl.Cons) == 0 {
				bad = part
			}
		}
		return bad != nil
	})
	return bad
}

// optionOf returns the argument of the prelude's Option, or nil.
func optionOf(t types.Type) types.Type {
	if d, ok := types.Resolve(t).(*types.Data); ok && d.Decl.Name == "Option" &&
		d.Decl.Module == "prelude" {
		return types.Resolve(d.Args[0])
	}
	return nil
}

// isEnumeration reports whether a data type has only constructors without fields.
func isEnumeration(t types.Type) bool {
	d, ok := types.Resolve(t).(*types.Data)
	return ok && d.Decl.Enumeration()
}
