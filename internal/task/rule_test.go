package task_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// started lists the files with `go` statements of their own, how many they have, and why they do
// not start a goroutine by Group.Go.
var started = map[string]struct {
	count int
	why   string
}{
	"internal/task/aside.go":      {1, "it recovers, and Result has the panic"},
	"internal/engine/jit/team.go": {1, "helpers serve one call after the other; they recover for each"},
	"internal/lsp/outbox.go":      {1, "it may wait for a client that does not read; it recovers"},
	"internal/repl/paste.go":      {1, "it waits for the terminal, as long as the process; it recovers"},
	"internal/web/worker/main.go": {1, "the page is its owner, and Answer recovers"},
}

// TestGoroutines: goroutines are started by Group.Go, so that they have an owner, which waits for
// them and gets their panics.
func TestGoroutines(t *testing.T) {
	const root = "../.."
	found := map[string]int{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") ||
			strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(root, path)
		ast.Inspect(file, func(n ast.Node) bool {
			if _, ok := n.(*ast.GoStmt); ok {
				found[filepath.ToSlash(name)]++
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, n := range found {
		if n > started[name].count {
			t.Errorf("%s has %d go statements: start goroutines by task.Group", name, n)
		}
	}
	for name, s := range started {
		if s.count != found[name] {
			t.Errorf("%s has %d go statements, and not %d", name, found[name], s.count)
		}
	}
}
