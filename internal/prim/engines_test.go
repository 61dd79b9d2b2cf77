package prim_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/prim"
)

// engine is a package that implements structural rows: those of some kinds, but for those that it
// does without for a reason.
type engine struct {
	folder  string
	kinds   []prim.Kind
	without map[prim.ID]string
}

var engines = []engine{
	{folder: "interp", kinds: []prim.Kind{prim.Data, prim.Update, prim.Leaves, prim.Derivation, prim.Search, prim.Rule, prim.Input}},
	{folder: "exact", kinds: []prim.Kind{prim.Data, prim.Update, prim.Leaves, prim.Derivation, prim.Search, prim.Trajectory, prim.Rule, prim.Input},
		without: map[prim.ID]string{
			prim.Checkpoint: "it is the application of its function, where nothing is recorded",
		}},
	{folder: "lower", kinds: []prim.Kind{prim.Data, prim.Update, prim.Leaves, prim.Derivation, prim.Rule},
		without: map[prim.ID]string{
			prim.StringLength: "programs with texts in their data run in the interpreter",
			prim.Inspect:      "what it shows is shown by the interpreter",
		}},
	{folder: "core", kinds: []prim.Kind{prim.Operation}},
	{folder: "opt", kinds: []prim.Kind{prim.Expanded},
		without: map[prim.ID]string{
			prim.Debug: "it is elaborated to inspect",
			prim.Over:  "it acts on components",
		}},
	{folder: "core/coretest", kinds: []prim.Kind{prim.Data, prim.Update, prim.Leaves, prim.Derivation, prim.Search}},
	{folder: "papers/trace", kinds: []prim.Kind{prim.Data, prim.Update, prim.Derivation}},
	{folder: "papers/curry", kinds: []prim.Kind{prim.Data, prim.Update, prim.Derivation}},
}

// TestEngines: every structural row is implemented by every engine of its kind, or there is a
// reason why not. An engine implements a row if it has a case or a key for it, or for its kind.
func TestEngines(t *testing.T) {
	ids, kinds := constants(t)
	for _, e := range engines {
		rows, whole := map[prim.ID]bool{}, map[prim.Kind]bool{}
		see := func(x ast.Expr) {
			if s, ok := x.(*ast.SelectorExpr); ok && isIdent(s.X, "prim") {
				if id, ok := ids[s.Sel.Name]; ok {
					rows[id] = true
				}
				if k, ok := kinds[s.Sel.Name]; ok {
					whole[k] = true
				}
			}
		}
		files, err := filepath.Glob(filepath.Join("..", e.folder, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatal(e.folder, err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CaseClause:
					for _, x := range n.List {
						see(x)
						if b, ok := x.(*ast.BinaryExpr); ok {
							see(b.Y)
						}
					}
				case *ast.KeyValueExpr:
					see(n.Key)
				case *ast.BinaryExpr:
					if n.Op == token.EQL {
						see(n.Y)
					}
				case *ast.CompositeLit: // lists of rows
					for _, x := range n.Elts {
						see(x)
					}
				}
				return true
			})
		}
		for _, row := range prim.All() {
			reason := e.without[row.ID]
			switch has := rows[row.ID] || whole[row.Kind]; {
			case !slices.Contains(e.kinds, row.Kind):
			case !has && reason == "":
				t.Errorf("%s has no implementation of %s, and no reason", e.folder, row.Name)
			case rows[row.ID] && reason != "":
				t.Errorf("%s implements %s, although %s", e.folder, row.Name, reason)
			}
		}
	}
}

// constants returns the rows and the kinds by the names of their constants.
func constants(t *testing.T) (map[string]prim.ID, map[string]prim.Kind) {
	ids, kinds := map[string]prim.ID{}, map[string]prim.Kind{}
	for _, name := range []string{"id.go", "facts.go"} {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			group, ok := d.(*ast.GenDecl)
			if !ok || group.Tok != token.CONST {
				continue
			}
			first := group.Specs[0].(*ast.ValueSpec)
			for n, s := range group.Specs {
				name := s.(*ast.ValueSpec).Names[0].Name
				switch {
				case isIdent(first.Type, "ID"):
					ids[name] = prim.ID(n)
				case isIdent(first.Type, "Kind"):
					kinds[name] = prim.Kind(n)
				}
			}
		}
	}
	if ids["WithReals"] != prim.WithReals || kinds["Input"] != prim.Input {
		t.Fatal("the constants were not found")
	}
	return ids, kinds
}
