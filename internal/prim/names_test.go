package prim_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/prim"
)

// words are the files in which a name is a word of a program, of core's text or of a command line,
// and not a row.
var words = []string{
	// hints
	"check/infer_array.go", "check/report_call.go", "check/report_names.go", "check/report_parts.go",
	// keywords of textual forms
	"core/names.go", "core/parseop.go", "loop/parse.go", "loop/print.go",
	// expressions as they are written
	"service/tex.go",
	// the file "-", and keys of reports
	"driver/files.go", "driver/read.go", "fit/checkpoint.go", "fit/report.go", "bind/codec.go",
}

// TestNames: no other package tells rows apart by their names. It looks for comparisons with a
// name, and for cases and keys that are names, in every package that can have a row in its hands.
func TestNames(t *testing.T) {
	set := token.NewFileSet()
	packages := map[string][]*ast.File{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		name, err := filepath.Rel("..", path)
		if err != nil || strings.HasPrefix(filepath.ToSlash(name), "prim/") {
			return err
		}
		f, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		packages[filepath.Dir(name)] = append(packages[filepath.Dir(name)], f)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	sites := 0
	check := func(e ast.Expr, how string) {
		sites++
		if name, ok := rowName(e); ok {
			t.Errorf("%s: the name %q %s: use the identity of the row, or what the table says of it",
				set.Position(e.Pos()), name, how)
		}
	}
	for _, files := range packages {
		if !slices.ContainsFunc(files, seesRows) {
			continue
		}
		for _, f := range files {
			name, _ := filepath.Rel("..", set.Position(f.Pos()).Filename)
			if slices.Contains(words, filepath.ToSlash(name)) {
				continue
			}
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.BinaryExpr:
					if n.Op == token.EQL || n.Op == token.NEQ {
						check(n.X, "is compared")
						check(n.Y, "is compared")
					}
				case *ast.CaseClause:
					for _, e := range n.List {
						check(e, "is a case")
					}
				case *ast.CompositeLit:
					if m, ok := n.Type.(*ast.MapType); ok && isIdent(m.Key, "string") {
						for _, e := range n.Elts {
							check(e.(*ast.KeyValueExpr).Key, "is a key")
						}
					}
				}
				return true
			})
		}
	}
	if sites < 10_000 {
		t.Errorf("only %d places were looked at", sites)
	}
}

// seesRows reports whether a file can have rows in its hands: those of the table or applications in
// core.
func seesRows(f *ast.File) bool {
	return slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool {
		path, _ := strconv.Unquote(i.Path.Value)
		return strings.HasSuffix(path, "/internal/prim") || strings.HasSuffix(path, "/internal/core")
	})
}

// rowName returns the name of a row that an expression is, as a literal or as what Lookup finds.
func rowName(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		name, err := strconv.Unquote(e.Value)
		return name, err == nil && e.Kind == token.STRING && prim.Lookup(name) != nil
	case *ast.CallExpr:
		if s, ok := e.Fun.(*ast.SelectorExpr); ok && isIdent(s.X, "prim") && s.Sel.Name == "Lookup" && len(e.Args) == 1 {
			return rowName(e.Args[0])
		}
	}
	return "", false
}

func isIdent(e ast.Expr, name string) bool {
	i, ok := e.(*ast.Ident)
	return ok && i.Name == name
}
