package export

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/source"
	"github.com/fluxion-lang/fluxion/internal/source/c"
	"github.com/fluxion-lang/fluxion/internal/source/golang"
	"github.com/fluxion-lang/fluxion/internal/source/wasm"
	"github.com/fluxion-lang/fluxion/internal/stop"
)

// target is a language that modules are printed in.
type target struct {
	name  string
	typed bool // Options.Typed: it has types for records and arrays
	print func(m *Module) ([]File, error)
	files string // what is written to the folder DIR for FILE, for help
}

// targets lists all languages, in the order in which help names them. A new one is a row.
func targets() []target {
	return []target{
		{"go", true, (*Module).printGo,
			"DIR/FILE.go, a package with functions that return their results and an error"},
		{"c", false, (*Module).printC,
			"DIR/FILE.c and DIR/FILE.h, C99 functions that return a status"},
		{"wasm", false, (*Module).printWasm,
			"DIR/FILE.wasm, with DIR/FILE.mjs, which loads it in Node and browsers, and its types"},
	}
}

// Targets returns the names of the languages that modules are printed in.
func Targets() []string { return named(targets(), func(target) bool { return true }) }

// Files describes the files of each of the Targets, a line each.
func Files() string {
	var b strings.Builder
	for _, t := range targets() {
		fmt.Fprintf(&b, "  %-4s %s\n", t.name, t.files)
	}
	return b.String()
}

func named(all []target, which func(target) bool) (names []string) {
	for _, t := range all {
		if which(t) {
			names = append(names, t.name)
		}
	}
	return names
}

func targetOf(name string) target {
	i := slices.IndexFunc(targets(), func(t target) bool { return t.name == name })
	if i < 0 {
		panic("export: there is no target " + name)
	}
	return targets()[i]
}

// Typed reports whether functions for one of the Targets need Options.Typed.
func Typed(name string) bool { return targetOf(name).typed }

// Print writes the module in one of the Targets. It returns a *diag.Diagnostic as its error if a
// function has a type that the language does not have, or if the context of Functions has ended.
func (m *Module) Print(name string) (files []File, err error) {
	var over *diag.Diagnostic
	defer func() {
		if over != nil {
			files, err = nil, over
		}
	}()
	defer stop.Catch(&over)
	return targetOf(name).print(m)
}

func (m *Module) printGo() ([]File, error) {
	names, called := m.named(goName, func(name string) string { return "fx" + goName(name) })
	p := &golang.Package{Name: goPackage(m.Name), Watch: m.watch}
	types := newGoTypes(m, names)
	for _, f := range m.functions {
		doc := folded(comment(names[f.loop] + " is " + f.doc + "."))
		if f.text != "" {
			doc += "\n" + commentLines(f.text)
		}
		face, err := types.face(f, names[f.loop])
		if err != nil {
			return nil, diag.Errorf(diag.CannotCompile, f.at, "`%s` cannot be a function of Go: %v",
				f.name, err).
				WithHint("it can be one for --target %s",
					strings.Join(named(targets(), func(t target) bool {
						return !t.typed
					}), " and "))
		}
		p.Functions = append(p.Functions, &golang.Function{Name: names[f.loop], Doc: doc,
			Loop: f.loop, Face: face})
	}
	for _, f := range called {
		p.Functions = append(p.Functions, &golang.Function{Name: names[f], Loop: f, Inner: true})
	}
	p.Types = types.list
	text, err := golang.Print(p)
	return []File{{ascii(m.Name) + ".go", text}}, err
}

// commentLines returns a text as lines of a comment, after an empty one.
func commentLines(text string) string {
	out := ""
	for line := range strings.Lines(text) {
		out += "\n" + comment(strings.TrimRight(line, "\n"))
	}
	return out
}

func (m *Module) printC() ([]File, error) {
	base := ascii(m.Name)
	names, called := m.named(func(name string) string {
		return c.FunctionName(base + "_" + ascii(name))
	},
		func(name string) string { return "fx_" + base + "_" + ascii(name) })
	exported := map[*loop.Func]c.Export{}
	for _, f := range m.functions {
		exported[f.loop] = c.Export{Doc: f.comment(names[f.loop]), Results: f.resultNames()}
	}
	c, h := c.Print(m.program(called...), names, exported, m.enums(base), base+".h")
	return []File{{base + ".c", []byte(c)}, {base + ".h", []byte(h)}}, nil
}

// enums returns the constants for the constructors of enumerations and variants.
func (m *Module) enums(base string) (list []c.Enum) {
	seen := map[string]bool{}
	var visit func(v *source.Value)
	visit = func(v *source.Value) {
		if (v.Kind == source.Choice || v.Kind == source.Variant) && !seen[v.Type] {
			seen[v.Type] = true
			e := c.Enum{Doc: comment(v.Type)}
			for _, name := range v.Names {
				e.Names = append(e.Names, ascii(base+"_"+v.Type+"_"+name))
			}
			list = append(list, e)
		}
		for _, part := range v.Parts {
			visit(part)
		}
	}
	for _, f := range m.functions {
		for _, t := range append(f.types[:len(f.types):len(f.types)], f.result) {
			visit(valueOf(t))
		}
	}
	return list
}

// comment describes a function, by its name in the output.
func (f *function) comment(name string) string { return comment(name + " is " + f.doc + ".") }

func (m *Module) printWasm() ([]File, error) {
	base := ascii(m.Name)
	names, _ := m.named(ascii, ascii)
	code := wasm.Print(m.program(), names, m.deterministic)
	var exported []wasm.Export
	for _, f := range m.functions {
		e := wasm.Export{Name: names[f.loop], Doc: f.comment(names[f.loop]), Params: f.params,
			Result: valueOf(f.result)}
		for _, t := range f.types {
			e.Types = append(e.Types, valueOf(t))
		}
		exported = append(exported, e)
	}
	js, types := wasm.Wrapper(exported, base+".wasm")
	return []File{{base + ".wasm", code}, {base + ".mjs", []byte(js)},
		{base + ".d.mts", []byte(types)}}, nil
}
