package driver

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/fluxion-lang/fluxion/docs"
	"github.com/fluxion-lang/fluxion/internal/check"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/notation"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/suggest"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Entry documents one name.
type Entry struct {
	Name   string `json:"name"`   // qualified by its module, unless it needs no import
	Module string `json:"module"` // "" for a primitive
	Type   string `json:"type"`   // the type of a value, or the declaration of a type
	Named  string `json:"named"`  // for a function, its type with the names of its parameters
	Doc    string `json:"doc"`
}

// String returns the entry as `fluxion doc` prints it.
func (e Entry) String() string {
	head := e.head(cmp.Or(e.Named, e.Type))
	if e.Doc == "" {
		return head + "\n"
	}
	return head + "\n  " + strings.ReplaceAll(e.Doc, "\n", "\n  ") + "\n"
}

// Summary returns the name and its type on one line.
func (e Entry) Summary() string { return e.head(e.Type) }

func (e Entry) head(text string) string {
	if strings.HasPrefix(e.Type, "type ") || strings.HasPrefix(e.Type, "data ") {
		return text
	}
	return e.Name + " : " + text
}

// errorCode matches codes of diagnostics.
var errorCode = regexp.MustCompile(`^[EW]\d{4}$`)

// Describe returns the documentation of a name: of a module, a function, a type, a primitive or
// an error code. For "" it returns an overview. If the name is unknown, ok is false and the text
// suggests similar names.
func (w *World) Describe(name string) (text string, ok bool) {
	var sink diag.List // a test ensures that the library has no errors
	switch {
	case name == "":
		return w.overview(&sink), true
	case errorCode.MatchString(name):
		if page := docs.ErrorPage(name); page != "" {
			return plain(page), true
		}
		return fmt.Sprintf("there is no error code %s\n", name), false
	case slices.Contains(LibraryNames(), name):
		prefix := name + "."
		if name == prelude {
			prefix = ""
		}
		return DescribeUnit(name, prefix, w.Library(name, &sink)), true
	}
	var texts []string
	if isNotation(name) {
		for _, row := range docs.ReferenceRows(name) {
			texts = append(texts, describeRow(row))
		}
	}
	for _, e := range w.Entries(name) {
		texts = append(texts, e.String())
	}
	if len(texts) == 0 {
		return w.nothingCalled(name), false
	}
	return strings.Join(texts, "\n"), true
}

// isNotation reports whether a name belongs to the language itself: a keyword, a class, a basic
// type, or an operator.
func isNotation(name string) bool {
	_, isClass := types.ClassByName(name)
	return syntax.IsKeyword(name) || isClass || check.IsBasic(name) ||
		!strings.ContainsFunc(name, func(r rune) bool { return notation.ContinuesName(r) })
}

// describeRow prints a row of the language reference: the notation and its meaning.
func describeRow(row docs.Row) string {
	text := strings.ReplaceAll(row.Cells[0], "`", "") + "\n"
	for i, cell := range row.Cells[1:] {
		if len(row.Cells) > 2 {
			cell = row.Heads[i+1] + ": " + cell
		}
		text += "  " + cell + "\n"
	}
	return text
}

// Entries returns the documented names that name may stand for. A qualified name matches exactly;
// an unqualified one matches in every module.
func (w *World) Entries(name string) []Entry {
	var found []Entry
	for _, e := range w.AllEntries() {
		_, short, _ := strings.Cut(e.Name, ".")
		if e.Name == name || short == name {
			found = append(found, e)
		}
	}
	return found
}

// AllEntries documents the primitives and the whole library.
func (w *World) AllEntries() []Entry {
	var sink diag.List
	all := primitiveEntries()
	for _, module := range LibraryNames() {
		all = append(all, moduleEntries(w.Library(module, &sink).Info)...)
	}
	return all
}

func primitiveEntries() []Entry {
	var entries []Entry
	for _, p := range prim.All() {
		if !p.Hidden {
			printer := types.Printer{Sizes: true}
			// the example of a row is not marked as one
			prose, example, _ := strings.Cut(p.Doc, "\n")
			entries = append(entries, Entry{Name: p.Name, Type: printer.Scheme(p.Scheme),
				Doc: prose + "\n> " + example})
		}
	}
	return entries
}

// EntriesOf documents the definitions of a unit, under the names that the unit itself uses.
func EntriesOf(u *Unit) []Entry {
	entries := moduleEntries(u.Info)
	for i := range entries {
		entries[i].Name = strings.TrimPrefix(entries[i].Name, u.Info.Interface.Name+".")
	}
	return entries
}

// moduleEntries documents what a module exports, in source order. Types that the author wrote are
// printed as written, with the names of abbreviations.
func moduleEntries(info *check.Info) []Entry {
	iface := info.Interface
	prefix := iface.Name + "."
	if iface.Name == prelude {
		prefix = ""
	}
	written, bindings := writtenTypes(info.Module)
	var entries []Entry
	for _, name := range iface.Order {
		if strings.HasPrefix(name, "_") {
			continue
		}
		entry := Entry{Name: prefix + name, Module: iface.Name}
		if t := iface.Types[name]; t != nil {
			entry.Type, entry.Doc = declaration(t, written[name]), t.Doc
		} else if v := iface.Value(name); v != nil {
			printer := types.Printer{Sizes: true}
			entry.Type, entry.Doc = printer.Scheme(v.Scheme), v.Doc
			if text := written[name]; text != "" {
				entry.Type = v.Scheme.Context() + text
			}
			if b := bindings[name]; b != nil && len(b.Params) > 0 {
				entry.Named = v.Scheme.Context() + named(b, v.Scheme.Type)
			}
		} else {
			continue
		}
		entries = append(entries, entry)
	}
	return entries
}

// writtenTypes returns the types of values whose annotations are complete, the meanings of
// abbreviations, and the bindings of the values.
func writtenTypes(m *syntax.Module) (written map[string]string,
	bindings map[string]*syntax.Binding) {
	written, bindings = map[string]string{}, map[string]*syntax.Binding{}
	for _, decl := range m.Decls {
		switch decl := decl.(type) {
		case *syntax.LetDecl:
			for _, b := range decl.Bindings {
				written[b.Name()] = syntax.WrittenType(b)
				bindings[b.Name()] = b
			}
		case *syntax.TypeDecl:
			written[decl.Name.Name] = syntax.OneLine(decl.Type)
		}
	}
	return written, bindings
}

// named prints the type of a function with the names of its parameters: (inputs outputs : Int) ->
// Conv2. Types that the author wrote are printed as written.
func named(b *syntax.Binding, t types.Type) string {
	printer := types.Printer{Sizes: true}
	params, result := types.Splay(t, len(b.Params))
	var text strings.Builder
	group := "" // the type of the open parenthesis
	for i, p := range b.Params {
		name, of := parameter(p)
		if of == "" {
			of = printer.Type(params[i])
		}
		if name != "" && of == group {
			text.WriteString(" " + name)
			continue
		}
		if group != "" {
			text.WriteString(" : " + group + ") -> ")
			group = ""
		}
		_, isFun := types.Resolve(params[i]).(*types.Fun)
		switch {
		case name != "":
			text.WriteString("(" + name)
			group = of
		case isFun:
			text.WriteString("(" + of + ") -> ")
		default:
			text.WriteString(of + " -> ")
		}
	}
	if group != "" {
		text.WriteString(" : " + group + ") -> ")
	}
	if b.Result != nil {
		return text.String() + syntax.OneLine(b.Result.Type)
	}
	return text.String() + printer.Type(result)
}

// parameter returns the name and the written type of a parameter. Each is "" if there is none.
func parameter(p syntax.Pattern) (name, written string) {
	for {
		switch q := p.(type) {
		case *syntax.PParen:
			p = q.X
		case *syntax.PAnnot:
			p, written = q.X, syntax.OneLine(q.Type.Type)
		case *syntax.PVar:
			return strings.TrimLeft(q.Name, "_"), written
		default:
			return "", written
		}
	}
}

// declaration prints the declaration of a type. meaning is the type that an abbreviation stands
// for.
func declaration(t *check.TypeName, meaning string) string {
	printer := types.Printer{Sizes: true}
	var params []*types.Param
	kind, body := "type", meaning
	if t.Alias != nil {
		params = t.Alias.Params
	} else {
		kind, params = "data", t.Data.Params
		var alternatives []string
		for _, con := range t.Data.Cons {
			alternatives = append(alternatives, printer.Constructor(con))
		}
		body = strings.Join(alternatives, " | ")
	}
	head := kind + " " + t.Name
	for _, p := range params {
		head += " " + p.Name
	}
	return head + " = " + body
}

func (w *World) overview(sink *diag.List) string {
	var b strings.Builder
	b.WriteString("The primitives, known everywhere:\n\n")
	var names []string
	for _, e := range primitiveEntries() {
		names = append(names, e.Name)
	}
	writeWrapped(&b, names)
	b.WriteString("\nThe modules of the library:\n\n")
	for _, name := range LibraryNames() {
		iface := w.Library(name, sink).Info.Interface
		fmt.Fprintf(&b, "  %-10s %s\n", name, firstSentence(iface.Doc))
	}
	b.WriteString("\n`fluxion doc NAME` describes a module, a function, a type, a class, a " +
		"keyword, an operator or an\nerror code; `fluxion doc FILE` describes a module of your " +
		"own.\n")
	return b.String()
}

// DescribeUnit returns the documentation of a module under a name: its own comment, and a line or
// two for each of its definitions, whose names start with prefix.
func DescribeUnit(name, prefix string, u *Unit) string {
	var b strings.Builder
	fmt.Fprintf(&b, "module %s\n", name)
	if doc := u.Info.Interface.Doc; doc != "" {
		fmt.Fprintf(&b, "  %s\n", strings.ReplaceAll(doc, "\n", "\n  "))
	}
	b.WriteByte('\n')
	for _, e := range EntriesOf(u) {
		e.Name = prefix + e.Name
		fmt.Fprintf(&b, "%s\n", e.head(cmp.Or(e.Named, e.Type)))
		if e.Doc != "" {
			fmt.Fprintf(&b, "    %s\n", firstSentence(e.Doc))
		}
	}
	return b.String()
}

func (w *World) nothingCalled(name string) string {
	var names []string
	for _, e := range w.AllEntries() {
		_, short, qualified := strings.Cut(e.Name, ".")
		names = append(names, e.Name)
		if qualified {
			names = append(names, short)
		}
	}
	names = append(names, LibraryNames()...)
	text := fmt.Sprintf("there is nothing called `%s`\n", name)
	if near := suggest.Nearest(name, names); near != "" {
		text += fmt.Sprintf("  = did you mean `%s`?\n", near)
	}
	return text
}

// plain returns a page of Markdown for a terminal: code is indented, not fenced.
func plain(page string) string {
	var b strings.Builder
	inCode := false
	for line := range strings.Lines(strings.TrimPrefix(page, "## ")) {
		switch {
		case strings.HasPrefix(line, "```"):
			inCode = !inCode
		case inCode:
			b.WriteString("    " + line)
		default:
			b.WriteString(line)
		}
	}
	return b.String()
}

// sentenceEnd matches the end of a sentence, and not the point in `Fig. 8`.
var sentenceEnd = regexp.MustCompile(`\. \D`)

func firstSentence(doc string) string {
	doc = strings.ReplaceAll(doc, "\n", " ")
	if i := sentenceEnd.FindStringIndex(doc); i != nil {
		return doc[:i[0]+1]
	}
	doc, _, _ = strings.Cut(doc, " > ")
	return doc
}

// writeWrapped writes words in lines of at most 76 columns, indented.
func writeWrapped(b *strings.Builder, words []string) {
	column := 0
	for _, word := range words {
		if column > 0 && column+1+len(word) > 76 {
			b.WriteByte('\n')
			column = 0
		}
		if column == 0 {
			b.WriteString(" ")
			column = 1
		}
		b.WriteString(" " + word)
		column += 1 + len(word)
	}
	b.WriteByte('\n')
}
