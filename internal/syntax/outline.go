package syntax

import (
	"strings"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

// Outline is a module whose definitions have been located but not parsed.
type Outline struct {
	Head        *Module       // the module without its definitions
	Definitions []*Definition // in source order
}

// Definition is a piece of a file that holds one definition, with the comments above it.
type Definition struct {
	Name       string // the name it defines; if there are several, the first
	file       *diag.File
	start, end int32
}

// ReadOutline locates the definitions of a module by its lines alone. A declaration begins where
// one of `import`, `type`, `data` and `let` begins a line, and ends before the comments above the
// next declaration. That is correct for files in the canonical layout that do not end in an
// expression, such as those of the library.
func ReadOutline(file *diag.File, sink *diag.List) *Outline {
	o := &Outline{Head: &Module{File: file}}
	pieces := pieces(file.Text)
	for i, piece := range pieces {
		end := int32(len(file.Text))
		if i+1 < len(pieces) {
			end = pieces[i+1].start
		}
		rest, defines := strings.CutPrefix(file.Text[piece.at:], "let ")
		if defines {
			rest = strings.TrimPrefix(rest, "rec ")
			name := rest[:max(0, strings.IndexAny(rest, " =\n"))]
			o.Definitions = append(o.Definitions, &Definition{name, file, piece.start, end})
		}
		if i > 0 && defines {
			continue
		}
		m := parsePiece(file, piece.start, end, sink)
		if i == 0 {
			o.Head.Doc = m.Doc
		}
		if !defines {
			o.Head.Imports, o.Head.Decls = append(o.Head.Imports, m.Imports...),
				append(o.Head.Decls, m.Decls...)
			o.Head.Nodes = max(o.Head.Nodes, m.Nodes)
		}
	}
	return o
}

// Read parses the definition, as a module without imports.
func (d *Definition) Read(sink *diag.List) *Module {
	return parsePiece(d.file, d.start, d.end, sink)
}

// parsePiece parses the declarations between two offsets of a file.
func parsePiece(file *diag.File, start, end int32, sink *diag.List) *Module {
	lex := &lexer{file: file, text: file.Text[:end], sink: sink, pos: start, lineAt: start,
		first: true, tabAt: -1}
	p := &parser{lex: lex, sink: sink, mod: &Module{File: file}, lastError: -1, shadow: -1,
		badAt: -1}
	p.start()
	p.module()
	return p.mod
}

// piece says where a declaration begins, and where the comments above it begin.
type piece struct{ start, at int32 }

// pieces finds the declarations of a text.
func pieces(text string) []piece {
	var found []piece
	above := -1 // where the comments and blank lines above the current line begin
	for at := 0; at < len(text); {
		line := text[at:]
		next := len(text)
		if n := strings.IndexByte(line, '\n'); n >= 0 {
			line, next = line[:n], at+n+1
		}
		switch {
		case line == "", strings.HasPrefix(line, "--"):
			if above < 0 {
				above = at
			}
		case line[0] != ' ' && declares(line):
			if above < 0 {
				above = at
			}
			found = append(found, piece{int32(above), int32(at)})
			above = -1
		default:
			above = -1
		}
		at = next
	}
	return found
}

func declares(line string) bool {
	word, _, _ := strings.Cut(line, " ")
	switch word {
	case "import", "type", "data", "let":
		return true
	}
	return false
}
