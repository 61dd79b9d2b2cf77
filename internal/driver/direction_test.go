package driver

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// layers lists the packages of this module from the bottom up: one may import
// only those of earlier layers (or its own folder's).
var layers = [][]string{
	{"internal/notation", "internal/numbered", "internal/replace"},
	{"internal/diag", "internal/interval", "internal/property", "internal/solve", "internal/suggest", "internal/value", "docs", "examples", "lib"},
	{"internal/stop"},
	{"internal/task"},
	{"internal/linalg", "internal/picture", "internal/syntax", "internal/types"},
	{"internal/prim"},
	{"internal/core", "internal/data", "internal/interp/layout", "internal/loop", "internal/plot"},
	{"internal/check", "internal/interp/uses", "internal/source"},
	{"internal/engine", "internal/opt"},
	{"internal/rules"},
	{"internal/exact", "internal/interp/tape", "internal/loop/grad"},
	{"internal/interp/object", "internal/loop/looptest", "internal/lower", "internal/search"},
	{"internal/interp/marshal"},
	{"internal/interp/machine"},
	{"internal/interp/derive", "internal/interp/region"},
	{"internal/interp", "internal/papers"},
	{"internal/driver"},
	{"internal/lab"},
	{"internal/bind", "internal/boxes", "internal/export", "internal/fit", "internal/service", "internal/tour", "bench"},
	{"internal/kernel", "internal/lsp", "internal/repl", "internal/web", ""}, // "" is the package fluxion
	{"cmd/fluxion", "examples/service", "gonumflux"},
}

// reserved lists packages that only some may import, besides their own folders. What production
// code and the published algorithms share belongs to a package below both.
var reserved = map[string][]string{
	"internal/papers": {"internal/lab", "internal/tour"},
}

const module = "github.com/fluxion-lang/fluxion"

// rank returns the layer of a package, and the entry of layers that it falls
// under, the longest one; -1 if none.
func rank(path string) (at int, found string) {
	path = strings.TrimPrefix(strings.TrimPrefix(path, module), "/")
	at = -1
	for i, layer := range layers {
		for _, entry := range layer {
			within := path == entry || strings.HasPrefix(path, entry+"/")
			if within && (at < 0 || len(entry) > len(found)) {
				at, found = i, entry
			}
		}
	}
	return at, found
}

// TestImportDirection keeps dependencies pointing one way, and layers free of
// packages that do not exist.
func TestImportDirection(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		from, fromEntry := rank(words[0])
		found[fromEntry] = true
		if from < 0 {
			t.Errorf("%s is in no layer: say where it belongs", words[0])
		}
		for _, imported := range words[1:] {
			if !strings.HasPrefix(imported, module) {
				continue
			}
			if to, toEntry := rank(imported); to > from || to == from && toEntry != fromEntry {
				t.Errorf("%s imports %s, which is not below it", words[0], imported)
			} else if by, ok := reserved[toEntry]; ok && toEntry != fromEntry &&
				!slices.Contains(by, fromEntry) {
				t.Errorf("%s imports %s, which only %s may import", words[0], imported, by)
			}
		}
	}
	for _, layer := range layers {
		for _, entry := range layer {
			if !found[entry] {
				t.Errorf("layers lists %s, which does not exist", entry)
			}
		}
	}
}
