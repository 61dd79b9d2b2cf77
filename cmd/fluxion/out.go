package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/data"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/picture"
	"github.com/fluxion-lang/fluxion/internal/plot"
	"github.com/fluxion-lang/fluxion/internal/replace"
	"github.com/fluxion-lang/fluxion/internal/suggest"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// output is a file to which the result, or one field of it, is written.
type output struct {
	field string // "" for the whole result
	file  string
}

// parseOutput parses FILE or name=FILE.
func parseOutput(text string) (output, error) {
	field, file, named := strings.Cut(text, "=")
	if !named || strings.ContainsAny(field, `./\`) {
		field, file = "", text
	}
	if file == "" || named && field == "" {
		return output{}, fmt.Errorf("`%s` is not a file; write FILE or name=FILE", text)
	}
	if ext := strings.ToLower(filepath.Ext(file)); pictures[ext] == nil && !data.Writable(file) {
		return output{}, fmt.Errorf("the name of `%s` does not say how to write it: results are "+
			"written to .png, .svg, %s", file, data.WritableNames)
	}
	return output{field, file}, nil
}

// pictures maps the extension of a file to a function that draws a result and describes what it
// drew.
var pictures = map[string]func(w io.Writer, t types.Type, v value.Value) (about string, err error){
	".png": func(w io.Writer, t types.Type, v value.Value) (string, error) {
		if plot.Is(t) {
			return drawPlot(w, ".png", v)
		}
		return drawMatrix(w, t, v)
	},
	".svg": func(w io.Writer, t types.Type, v value.Value) (string, error) {
		if !plot.Is(t) {
			return "", errors.New(
				"only a value of the type `Plot`, which module `plot` makes, is drawn as SVG")
		}
		return drawPlot(w, ".svg", v)
	},
}

func drawPlot(w io.Writer, ext string, v value.Value) (string, error) {
	figure, err := plot.Of(v)
	if err != nil {
		return "", err
	}
	return figure.Write(w, ext)
}

func drawMatrix(w io.Writer, _ types.Type, v value.Value) (string, error) {
	list, err := picture.Of(v)
	if err != nil {
		return "", err
	}
	width, height, err := picture.Write(w, list)
	return fmt.Sprintf("%d by %d pixels", width, height), err
}

// write writes a result to files and prints what it wrote.
func (c *call) write(outputs []output, result driver.Result) int {
	for _, o := range outputs {
		about, err := o.write(result)
		if err != nil {
			return c.fail(diag.Errorf(diag.CannotWrite, diag.Span{}, "%s: %v", o.file, err))
		}
		if !c.json {
			fmt.Fprintf(c.out, "%s: %s\n", o.file, about)
		}
	}
	return exitOK
}

func (o output) write(result driver.Result) (about string, err error) {
	t, v := result.Of, result.Value
	if o.field != "" {
		if t, v, err = fieldOf(o.field, t, v); err != nil {
			return "", err
		}
	}
	if _, isFunction := v.(value.Func); isFunction {
		return "", errors.New("a function cannot be written")
	}
	err = replaceFile(o.file, func(w io.Writer) error {
		if draw := pictures[strings.ToLower(filepath.Ext(o.file))]; draw != nil {
			about, err = draw(w, t, v)
			return err
		}
		about = describe(v)
		return data.Write(w, o.file, t, v)
	})
	return about, err
}

// describe returns how large a result is, in words.
func describe(v value.Value) string {
	n, ok := value.Len(v)
	switch {
	case !ok:
		return "written"
	case n == 1:
		return "1 element"
	}
	return fmt.Sprintf("%d elements", n)
}

// fieldOf returns the type and the value of a field of a result.
func fieldOf(name string, t types.Type, v value.Value) (types.Type, value.Value, error) {
	record, ok := types.Resolve(t).(*types.Record)
	if !ok {
		return nil, nil, fmt.Errorf("the result is not a record, and has no field `%s`", name)
	}
	k := record.Index(name)
	if k < 0 {
		var names []string
		for _, f := range record.Fields {
			names = append(names, f.Name)
		}
		if near := suggest.Nearest(name, names); near != "" {
			return nil, nil, fmt.Errorf("the result has no field `%s`; did you mean `%s`?",
				name, near)
		}
		return nil, nil, fmt.Errorf("the result has no field `%s`; it has %s", name,
			strings.Join(names, ", "))
	}
	return record.Fields[k].Type, v.(value.Record)[k].Value, nil
}

// pictureName returns the parser of a flag whose value is the name of a picture.
func pictureName(to *string) func(string) error {
	return func(file string) error {
		if ext := strings.ToLower(filepath.Ext(file)); ext != ".svg" && ext != ".png" {
			return fmt.Errorf("`%s` ends neither in .svg nor in .png", file)
		}
		*to = file
		return nil
	}
}

// writable returns a diagnostic if there is no folder for a file, which may be "". It is asked
// before the work.
func writable(file string) *diag.Diagnostic {
	folder := filepath.Dir(file)
	if info, err := os.Stat(folder); file == "" || err == nil && info.IsDir() {
		return nil
	}
	return diag.Errorf(diag.CannotWrite, diag.Span{},
		"cannot write `%s`: there is no folder `%s`", file, folder)
}

// drawTo draws a figure in a file.
func drawTo(file string, figure *plot.Figure) *diag.Diagnostic {
	err := replaceFile(file, func(w io.Writer) error {
		_, err := figure.Write(w, strings.ToLower(filepath.Ext(file)))
		return err
	})
	if err != nil {
		return diag.Errorf(diag.CannotWrite, diag.Span{}, "%s: %v", file, err)
	}
	return nil
}

// replaceFile writes a file whole or not at all. It also removes temporary files that killed runs
// left beside it.
func replaceFile(name string, write func(io.Writer) error) error {
	replace.Clean(name)
	return replace.File(name, false, write)
}
