package driver

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/check"
	"github.com/fluxion-lang/fluxion/internal/data"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// DataAccess says which data files programs may read, and how.
type DataAccess struct {
	data.Options
	// Folders lists the folders that programs may read from, besides their own.
	Folders []string
	// Stdin is what the path - means on the command line; nil means standard input.
	Stdin io.Reader
	// Console, if not nil, is what the path - means in a program: a person who is asked for data.
	Console io.Reader
}

// opener opens a data file for a program in a folder.
type opener func(folder, path string) (data.Input, io.Closer, error)

// errOutside is the error for a path that leads out of its folder.
var errOutside = errors.New("outside")

// readFiles reads the data files of a module.
func (w *World) readFiles(u *Unit, open opener, sink *diag.List) {
	for _, f := range u.Info.Files {
		d := w.readFile(u, f, open)
		if d == nil {
			continue
		}
		shown := u.Info.Printer().Type(f.Type)
		if !d.Span.Known() {
			d.Span = f.PathAt
			d.WithHint("the type here is %s", shown)
		} else {
			d.WithRelated(f.PathAt, "read here as %s", shown)
		}
		sink.Add(d)
	}
}

func (w *World) readFile(u *Unit, f *check.DataFile, open opener) *diag.Diagnostic {
	input, closer, err := open(filepath.Dir(u.File.Name), f.Path)
	if errors.Is(err, errOutside) {
		return diag.Errorf(diag.DataPath, f.PathAt, "`%s` is not below the folder of the program",
			f.Path).
			WithHint("allow it on the command line: --allow-read %s", w.folderOf(u, f.Path))
	}
	if err != nil {
		return CannotRead(f.PathAt, f.Path, err)
	}
	defer closer.Close()
	opts := w.Data.Options
	if opts.Memory > 0 {
		opts.Memory = max(opts.Memory-w.dataBytes, 1)
	}
	v, bytes, d := data.Read(input, f.Type, opts)
	w.dataBytes += bytes
	f.Value = v
	return d
}

// folderOf returns the folder of a data file as the command line names it. If the file is a link,
// it returns the folder of the link's target.
func (w *World) folderOf(u *Unit, path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(u.File.Name), path)
	}
	if w.onDisk {
		if target, err := filepath.EvalSymlinks(path); err == nil {
			path = target
		}
	}
	return filepath.Dir(path)
}

// openBelow opens a file below the folder of the program, or below an allowed folder. Links
// cannot lead out of these folders.
func (w *World) openBelow(folder, path string) (data.Input, io.Closer, error) {
	if path == "-" && w.Data.Console != nil {
		return data.Input{Name: "<console>", Reader: w.Data.Console, Sniff: true},
			io.NopCloser(nil), nil
	}
	if !w.onDisk {
		if !filepath.IsLocal(path) {
			return data.Input{}, nil, errOutside
		}
		text, err := w.read(filepath.Join(folder, path))
		return data.Input{Name: path, Reader: strings.NewReader(text), Size: int64(len(text))},
			io.NopCloser(nil), err
	}
	target := path
	if !filepath.IsAbs(path) {
		target = filepath.Join(folder, path)
	}
	whole, err := filepath.Abs(target)
	if err != nil {
		return data.Input{}, nil, err
	}
	refused := errOutside
	for _, allowed := range append([]string{folder}, w.Data.Folders...) {
		top, err := filepath.Abs(allowed)
		if err != nil {
			return data.Input{}, nil, err
		}
		below, err := filepath.Rel(top, whole)
		if err != nil || !filepath.IsLocal(below) {
			continue
		}
		root, err := os.OpenRoot(top)
		if err != nil {
			refused = err
			continue
		}
		file, err := root.Open(below)
		root.Close()
		switch {
		case err == nil:
			return regular(path, file)
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
			return data.Input{}, nil, err
		}
		// A link leads out of this folder, perhaps into another allowed one.
		if real, err := filepath.EvalSymlinks(filepath.Join(top, below)); err == nil {
			whole = real
		}
	}
	return data.Input{}, nil, refused
}

// regular returns an open file, or an error if it is a folder or a device.
func regular(name string, file *os.File) (data.Input, io.Closer, error) {
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("`%s` is not a plain file", name)
	}
	if err != nil {
		file.Close()
		return data.Input{}, nil, err
	}
	return data.Input{Name: name, Reader: file, Size: info.Size()}, file, nil
}

// OpenData opens a file that the user names on the command line, where - means standard input.
func (a *DataAccess) OpenData(path string) (data.Input, io.Closer, error) {
	if path == "-" {
		return data.Input{Name: "<stdin>", Reader: a.stdin(), Sniff: true}, io.NopCloser(nil), nil
	}
	file, err := os.Open(path)
	if err != nil {
		return data.Input{}, nil, err
	}
	info, err := file.Stat()
	if err == nil && info.IsDir() {
		err = fmt.Errorf("`%s` is a folder", path)
	}
	if err != nil {
		file.Close()
		return data.Input{}, nil, err
	}
	return data.Input{Name: path, Reader: file, Size: info.Size()}, file, nil
}

// openGiven opens a file that the command line names.
func (w *World) openGiven(_, path string) (data.Input, io.Closer, error) {
	return w.Data.OpenData(path)
}

// Look determines the type of a data file, and reads it.
func (w *World) Look(path string) (types.Type, value.Value, *diag.Diagnostic) {
	option := libraryNamed(prelude).unit.Info.Interface.Types["Option"].Data
	read := func(do func(in data.Input) *diag.Diagnostic) *diag.Diagnostic {
		input, closer, err := w.Data.OpenData(path)
		if err != nil {
			return CannotRead(diag.Span{}, path, err)
		}
		defer closer.Close()
		return do(input)
	}
	if path == "-" { // standard input can be read only once
		all, err := io.ReadAll(io.LimitReader(w.Data.stdin(), w.Data.Memory))
		if err != nil {
			return nil, nil, CannotRead(diag.Span{}, path, err)
		}
		read = func(do func(in data.Input) *diag.Diagnostic) *diag.Diagnostic {
			return do(data.Input{Name: "<stdin>", Reader: bytes.NewReader(all), Sniff: true})
		}
	}
	var t types.Type
	var v value.Value
	d := read(func(in data.Input) (d *diag.Diagnostic) {
		t, d = data.Infer(in, option, w.Data.Options)
		return d
	})
	if d == nil {
		d = read(func(in data.Input) (d *diag.Diagnostic) {
			v, _, d = data.Read(in, t, w.Data.Options)
			return d
		})
	}
	return t, v, d
}

func (a *DataAccess) stdin() io.Reader {
	if a.Stdin == nil {
		return os.Stdin
	}
	return a.Stdin
}

// limits subtracts the data already read from the memory limit.
func (u *Unit) limits(l interp.Limits) interp.Limits {
	if l.Memory >= 0 {
		l.Memory = max(l.Bytes()-u.data, 1)
	}
	return l
}
