package interp

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// layers are the files of the package, those of each layer above those that it may use. Files that no
// pattern names belong to the machine, the second layer.
var layers = [][]string{
	{"nothing.go"},
	{"*.go"},
	{"derive.go", "derive_*.go", "forward_static.go", "checkpoint.go", "leaf_ops.go", "rule*.go", "search.go", "translate.go"},
	{"engine*.go"},
	{"compile*.go", "disasm.go", "warm.go"},
}

// upwards are the uses of a higher layer that there are. The first ones are what the machine keeps for operations and
// for compiled regions; a region is found while its function is compiled.
var upwards = []string{
	"machine.go: ruleKey", "machine.go: arrayCache",
	"interp.go: Engine", "library.go: loopRegion", "vm.go: loopsOp",
	"engine*.go: *",
}

// TestLayers: files of the package use only what their own layer and those below it declare.
func TestLayers(t *testing.T) {
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	// What other packages declare is not known, which the checker complains about: it still finds what this one declares.
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: nothing{}, Error: func(error) {}}
	pkg, _ := config.Check("interp", set, files, info)
	checked := 0
	for id, object := range info.Uses {
		if object.Pkg() != pkg || !object.Pos().IsValid() {
			continue
		}
		from, to := set.Position(id.Pos()).Filename, set.Position(object.Pos()).Filename
		checked++
		if layerOf(to) > layerOf(from) && !slices.ContainsFunc(upwards, func(u string) bool {
			file, what, _ := strings.Cut(u, ": ")
			return matches(file, from) && matches(what, id.Name)
		}) {
			t.Errorf("%s: %s is declared in a higher layer, in %s", set.Position(id.Pos()), id.Name, to)
		}
	}
	if checked < 5_000 {
		t.Errorf("only %d uses were looked at", checked)
	}
}

// nothing imports packages without what is in them.
type nothing struct{}

func (nothing) Import(file string) (*types.Package, error) {
	p := types.NewPackage(file, path.Base(file))
	p.MarkComplete()
	return p, nil
}

func layerOf(name string) int {
	for k, patterns := range layers {
		if k != 1 && slices.ContainsFunc(patterns, func(p string) bool { return matches(p, name) }) {
			return k
		}
	}
	return 1
}

func matches(pattern, name string) bool {
	ok, err := filepath.Match(pattern, name)
	return err == nil && ok
}
