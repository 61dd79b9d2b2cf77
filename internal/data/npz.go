package data

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/notation"
	"github.com/fluxion-lang/fluxion/internal/suggest"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// npz reads an archive of NumPy arrays as a record with the fields that are needed. An archive of
// a single array may also be read as that array.
func (b *builders) npz(t types.Type) (value.Value, *diag.Diagnostic) {
	archive, d := b.archive()
	if d != nil {
		return nil, d
	}
	entries := map[string]*zip.File{}
	var names []string
	for _, f := range archive.File {
		if name, ok := strings.CutSuffix(f.Name, ".npy"); ok && len(names) < maxColumns {
			entries[name] = f
			names = append(names, name)
		}
	}
	record, ok := types.Resolve(t).(*types.Record)
	if !ok {
		if len(names) == 1 {
			return b.npzEntry(entries[names[0]], t)
		}
		return nil, b.errorf(
			diag.WrongData,
			"the archive has %s, and is not read as %s",
			count(len(names), "array"),
			types.Show(t),
		).
			WithHint(
				"name those that you need: {%s : …}",
				list(names),
			)
	}
	v := make(value.Record, len(record.Fields))
	for k, f := range record.Fields {
		entry := entries[f.Name]
		if entry == nil {
			d := b.errorf(diag.NoColumn, "there is no array `%s` in the archive", f.Name)
			if near := suggest.Nearest(f.Name, names); near != "" {
				d.WithHint("did you mean `%s`?", notation.Field(near))
			}
			return nil, d.WithHint("it has %s", list(names))
		}
		array, d := b.npzEntry(entry, f.Type)
		if d != nil {
			return nil, d
		}
		v[k] = value.Field{Name: f.Name, Value: array}
	}
	return v, nil
}

// npzEntry reads one array of an archive.
func (b *builders) npzEntry(entry *zip.File, t types.Type) (value.Value, *diag.Diagnostic) {
	r, err := entry.Open()
	if err != nil {
		return nil, b.broken(err)
	}
	defer r.Close()
	v, d := b.npyArray(r, t)
	if d != nil {
		d.Message = "array `" + strings.TrimSuffix(entry.Name, ".npy") + "`: " + d.Message
	}
	return v, d
}

// archive opens a zip file.
func (b *builders) archive() (*zip.Reader, *diag.Diagnostic) {
	at, size, d := b.random()
	if d != nil {
		return nil, d
	}
	archive, err := zip.NewReader(at, size)
	if err != nil {
		return nil, b.errorf(diag.BadData, "this is not an archive of NumPy arrays: %s",
			reason(err)).WithHint(again)
	}
	return archive, nil
}

// random returns the file for random access. A compressed file or a stream is first read into
// memory.
func (b *builders) random() (io.ReaderAt, int64, *diag.Diagnostic) {
	if b.at != nil {
		return b.at, b.size, nil
	}
	all, d := b.rest(b.opts.Memory)
	if d != nil {
		return nil, 0, d
	}
	if !b.spend(int64(len(all))) {
		return nil, 0, b.tooLarge()
	}
	return bytes.NewReader(all), int64(len(all)), nil
}
