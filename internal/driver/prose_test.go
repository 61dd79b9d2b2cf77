package driver

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// unrevised lists the folders whose comments and lines TestProse does not check yet, but for those
// of their subfolders that revised lists. A folder that the test logs as clean can be removed.
var unrevised = []string{
	"internal/engine/jit", "internal/exact", "internal/interp",
	"internal/loop/grad", "internal/loop/pass",
}

// revised lists subfolders of those that TestProse checks.
var revised = []string{
	"internal/engine/jit/alloc", "internal/engine/jit/arm", "internal/engine/jit/asmtest",
	"internal/engine/jit/emit", "internal/engine/jit/ir", "internal/engine/jit/reuse",
	"internal/engine/jit/run", "internal/engine/jit/x86",
	"internal/interp/layout", "internal/interp/marshal", "internal/interp/object",
	"internal/interp/region", "internal/interp/tape", "internal/interp/uses",
}

// maxColumns bounds the lines of a source file. A tab takes tabColumns.
const maxColumns, tabColumns = 100, 4

// TestProse requires that the comment of a function or type begins with its name, and that lines
// have at most maxColumns. It checks neither tests nor generated code.
func TestProse(t *testing.T) {
	root := filepath.Join("..", "..")
	findings := map[string]int{}
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if entry.IsDir() {
			_, submodule := os.Stat(filepath.Join(file, "go.mod"))
			if name != "." && (submodule == nil || strings.HasPrefix(entry.Name(), ".") ||
				entry.Name() == "testdata" || name == "shared") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		report := t.Errorf
		for _, folder := range unrevised {
			if strings.HasPrefix(name, folder+"/") && !slices.Contains(revised, path.Dir(name)) {
				report = func(string, ...any) { findings[folder]++ }
			}
		}
		source, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		return checkProse(name, source, report)
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range unrevised {
		if findings[folder] == 0 {
			t.Logf("%s is clean or does not exist: remove it from unrevised", folder)
		}
	}
}

// checkProse reports what TestProse finds in a file.
func checkProse(name string, source []byte, report func(format string, args ...any)) error {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, source, parser.ParseComments)
	if err != nil || ast.IsGenerated(file) {
		return err
	}
	check := func(name *ast.Ident, doc *ast.CommentGroup, articles ...string) {
		if doc == nil || name.Name == "init" {
			return
		}
		words := strings.Fields(doc.Text())
		for _, article := range articles {
			if len(words) > 1 && words[0] == article {
				words = words[1:]
			}
		}
		if len(words) > 0 && strings.TrimRight(words[0], ",:;.") != name.Name {
			report("%s: the comment of %s begins with %q, not with the name",
				set.Position(doc.Pos()), name.Name, words[0])
		}
	}
	raw := map[int]bool{} // the lines of strings between backquotes
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			check(n.Name, n.Doc)
		case *ast.GenDecl:
			if len(n.Specs) == 1 && n.Tok == token.TYPE {
				check(n.Specs[0].(*ast.TypeSpec).Name, n.Doc, "A", "An", "The")
			}
		case *ast.TypeSpec:
			check(n.Name, n.Doc, "A", "An", "The")
		case *ast.BasicLit:
			if strings.HasPrefix(n.Value, "`") {
				for line := set.Position(n.Pos()).Line; line <= set.Position(n.End()).Line; line++ {
					raw[line] = true
				}
			}
		}
		return true
	})
	for i, line := range bytes.Split(source, []byte("\n")) {
		tabs := bytes.Count(line, []byte("\t"))
		columns := utf8.RuneCount(line) + tabs*(tabColumns-1)
		if columns > maxColumns && !raw[i+1] && !bytes.HasPrefix(line, []byte("//go:")) {
			report("%s:%d: the line has %d columns, more than %d", name, i+1, columns, maxColumns)
		}
	}
	return nil
}
