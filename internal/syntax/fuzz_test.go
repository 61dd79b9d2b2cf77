package syntax

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

// seeds adds the programs of the test cases and of the library to a corpus.
func seeds(f *testing.F) {
	cases, _ := filepath.Glob("../../testdata/syntax/*.txtar")
	for _, name := range cases {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			if strings.HasSuffix(file.Name, ".flx") {
				f.Add(string(file.Data))
			}
		}
	}
	library, _ := filepath.Glob("../../lib/*.flx")
	for _, name := range library {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
}

// FuzzLexer checks that tokens and comments cover the text in order.
func FuzzLexer(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		l := newLexer(nil, diag.NewFile("f.flx", text), new(diag.List))
		end := int32(0)
		for {
			tok := l.next()
			if tok.start < end || tok.end < tok.start || int(tok.end) > len(text) {
				t.Fatalf("token %d..%d after %d", tok.start, tok.end, end)
			}
			if tok.kind == kEOF {
				return
			}
			if tok.end == tok.start {
				t.Fatal("empty token")
			}
			end = tok.end
		}
	})
}

// FuzzParse checks that parsing ends with a tree that later stages can rely on.
func FuzzParse(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		var list diag.List
		m := Parse(diag.NewFile("f.flx", text), &list)
		checkTree(t, m, !list.Failed())
		var out strings.Builder
		diag.RenderAll(&out, &list, diag.Options{})
		if strings.ContainsFunc(out.String(), func(r rune) bool { return r < ' ' && r != '\n' }) {
			t.Fatalf("a control character in %q", out.String())
		}
		Incomplete(text)
	})
}

// checkTree checks numbers and places, and that there is no Bad node without an
// error.
func checkTree(t *testing.T, m *Module, clean bool) {
	t.Helper()
	seen := make([]bool, m.Nodes)
	InspectModule(m, func(n Node) bool {
		at := n.Span()
		if !at.Known() || at.Start > at.End || int(at.End) > len(m.File.Text) {
			t.Fatalf("%T at %d..%d", n, at.Start, at.End)
		}
		switch n.(type) {
		case Expr, Pattern:
			if n.Num() < 0 || n.Num() >= m.Nodes {
				t.Fatalf("%T has number %d of %d", n, n.Num(), m.Nodes)
			}
			if seen[n.Num()] {
				t.Fatalf("two nodes have number %d", n.Num())
			}
			seen[n.Num()] = true
		}
		switch n.(type) {
		case *Bad, *PBad, *TBad:
			if clean {
				t.Fatalf("%T without an error", n)
			}
		}
		return true
	})
}

// FuzzFormat checks that formatting keeps the tree and the comments, and does
// nothing the second time.
func FuzzFormat(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		var list diag.List
		m := Parse(diag.NewFile("f.flx", text), &list)
		if list.Failed() {
			return
		}
		for _, opts := range []FormatOptions{{}, {Unicode: true}, {Width: 20}} {
			checkFormat(t.Fatalf, m, opts)
		}
	})
}

func checkFormat(fatal func(string, ...any), m *Module, opts FormatOptions) {
	once := Format(m, opts)
	var list diag.List
	again := Parse(diag.NewFile("formatted.flx", once), &list)
	if list.Failed() {
		var out strings.Builder
		diag.RenderAll(&out, &list, diag.Options{})
		fatal("formatted text is wrong:\n%s\n%s", once, out.String())
	}
	if !Equal(m, again) {
		fatal("formatted text means something else:\n%s", once)
	}
	if a, b := commentTexts(m), commentTexts(again); !slices.Equal(a, b) {
		fatal("comments %q became %q:\n%s", a, b, once)
	}
	if twice := Format(again, opts); twice != once {
		fatal("formatting again changes\n%s\nto\n%s", once, twice)
	}
}

func commentTexts(m *Module) (list []string) {
	for _, c := range m.Comments {
		list = append(list, c.Text)
	}
	return list
}
