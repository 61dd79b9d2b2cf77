package syntax_test

import (
	"io/fs"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/lib"
)

// TestOutline: the pieces of each module of the library are together the whole module, with the
// same places, and each definition is of the one name that the outline has for it.
func TestOutline(t *testing.T) {
	files, err := fs.Glob(lib.FS, "*.flx")
	if err != nil || len(files) == 0 {
		t.Fatal("there is no library", err)
	}
	for _, name := range files {
		text, err := fs.ReadFile(lib.FS, name)
		if err != nil {
			t.Fatal(err)
		}
		file := diag.NewFile(name, string(text))
		var sink diag.List
		whole := syntax.Parse(file, &sink)
		if whole.Final != nil {
			t.Errorf("%s ends in an expression", name)
		}
		outline := syntax.ReadOutline(file, &sink)
		joined := &syntax.Module{Doc: outline.Head.Doc, Imports: outline.Head.Imports}
		head, definitions := outline.Head.Decls, outline.Definitions
		for _, decl := range whole.Decls {
			let, ok := decl.(*syntax.LetDecl)
			if !ok {
				if len(head) == 0 {
					t.Fatalf("%s: a declaration is missing", decl.Span())
				}
				joined.Decls = append(joined.Decls, head[0])
				head = head[1:]
				continue
			}
			if len(definitions) == 0 {
				t.Fatalf("%s: a definition is missing", decl.Span())
			}
			m := definitions[0].Read(&sink)
			if len(m.Decls) != 1 || len(m.Imports) != 0 || m.Decls[0].Span() != decl.Span() {
				t.Fatalf("%s: the definition is read as something else", decl.Span())
			}
			if len(let.Bindings) != 1 || let.Bindings[0].Name() != definitions[0].Name {
				t.Errorf("%s defines other names than %s", decl.Span(), definitions[0].Name)
			}
			joined.Decls = append(joined.Decls, m.Decls...)
			definitions = definitions[1:]
		}
		if len(head)+len(definitions) > 0 || !syntax.Equal(whole, joined) || len(sink.Sorted()) > 0 {
			t.Errorf("%s: the pieces are not the whole", name)
		}
	}
}
