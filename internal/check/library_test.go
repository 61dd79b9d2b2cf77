package check_test

import (
	"testing"

	"github.com/fluxion-lang/fluxion/internal/check"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/lib"
)

// TestLibrary checks the modules of the standard library, in an order in
// which each finds what it imports.
func TestLibrary(t *testing.T) {
	faces := map[string]*check.Interface{}
	for _, name := range []string{"prelude", "list", "array", "linalg"} {
		text, err := lib.FS.ReadFile(name + ".flx")
		if err != nil {
			t.Fatal(err)
		}
		var sink diag.List
		module := syntax.Parse(diag.NewFile(name+".flx", string(text)), &sink)
		opts := check.Options{Name: name, Library: true, Imports: map[*syntax.Import]*check.Interface{}}
		if name != "prelude" {
			opts.Open = []*check.Interface{faces["prelude"]}
		}
		for _, imp := range module.Imports {
			if face := faces[imp.Path]; face != nil {
				opts.Imports[imp] = face
			}
		}
		info := check.Check(module, opts, &sink)
		faces[name] = info.Interface
		if text := rendered(&sink); text != "" {
			t.Error(text)
		}
	}
}
