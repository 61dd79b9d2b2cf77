package service

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fluxion-lang/fluxion/internal/check"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/notation"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// ItemKind says what a completion stands for.
type ItemKind uint8

// The kinds.
const (
	VariableItem ItemKind = iota
	FunctionItem
	ConstructorItem
	TypeItem
	ModuleItem
	FieldItem
	KeywordItem
)

// Item is a word that can stand at the cursor.
type Item struct {
	Label  string
	Kind   ItemKind
	Detail string // its type
	Doc    string
	Import string // the module that must be imported for it, or ""
	rank   int    // nearer things have a lower rank
}

// Completion lists what can stand at an offset.
type Completion struct {
	Replace diag.Span // the word that is being written
	Items   []Item
}

// IsNameRune reports whether a character can be part of a name.
func IsNameRune(r rune) bool {
	return r == '_' || r == '\'' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// wordBefore returns where the word that ends at an offset starts.
func wordBefore(text string, offset int) int {
	for offset > 0 {
		r, size := utf8.DecodeLastRuneInString(text[:offset])
		if !IsNameRune(r) {
			break
		}
		offset -= size
	}
	return offset
}

// Complete returns completions of the word before an offset.
func (s *Service) Complete(path string, offset int) Completion {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.look(path)
	if v == nil {
		return Completion{}
	}
	return v.complete(offset)
}

func (v *view) complete(offset int) Completion {
	text := v.unit.File.Text
	offset = min(offset, len(text))
	start := wordBefore(text, offset)
	c := Completion{Replace: diag.Span{File: v.unit.File, Start: int32(start), End: int32(offset)}}
	if start > 0 && text[start-1] == '.' {
		owner := start - 1
		for from := wordBefore(text, owner); ; from = wordBefore(text, from-1) {
			owner = from
			if from == 0 || text[from-1] != '.' {
				break
			}
		}
		if start == offset { // without a name after the point, the tree has no field
			if whole := v.supposing(text[:offset] + "it" + text[offset:]); whole != nil {
				v = whole
			}
		}
		c.Items = v.members(text[owner:start-1], offset)
	} else {
		c.Items = v.words(text[start:offset], offset)
	}
	prefix := strings.ToLower(text[start:offset])
	c.Items = slices.DeleteFunc(c.Items, func(i Item) bool {
		label := strings.ToLower(i.Label)
		return !strings.HasPrefix(label, prefix) && !strings.HasPrefix(
			label[strings.LastIndexByte(label, '.')+1:], prefix)
	})
	slices.SortStableFunc(c.Items, func(a, b Item) int {
		return cmp.Or(a.rank-b.rank, strings.Compare(a.Label, b.Label))
	})
	return c
}

// seen lists the units whose definitions can be used without a qualifier, the nearest first.
func (v *view) seen() []*driver.Unit {
	units := []*driver.Unit{v.unit}
	for _, u := range slices.Backward(v.open) {
		units = append(units, u)
	}
	return units
}

// module returns a module by the name that the text has for it: an imported module, or a file
// that a session has loaded. It returns nil if there is none. A library module that is not
// imported does not count.
func (v *view) module(name string) *driver.Unit {
	for _, u := range v.seen() {
		if u != v.unit && strings.TrimSuffix(filepath.Base(u.File.Name), ".flx") == name {
			return u
		}
		if module := u.Module(name); module != nil {
			return module
		}
	}
	return nil
}

// words returns the names that can stand alone at an offset.
func (v *view) words(prefix string, offset int) []Item {
	printer := v.unit.Info.Printer()
	var items []Item
	for _, l := range v.locals(offset) {
		item := Item{Label: l.Name, Kind: VariableItem}
		if l.Scheme != nil {
			item.Detail, item.Kind = printer.Scheme(l.Scheme), kindOf(l.Scheme.Type)
		}
		items = append(items, item)
	}
	for _, u := range v.seen() {
		items = append(items, exported(v, u.Info.Interface, 1)...)
		items = append(items, exported(v, u.Info.Opened, 1)...)
	}
	var sink diag.List
	items = append(items, exported(v, v.world.Library("prelude", &sink).Info.Interface, 2)...)
	for _, p := range prim.All() {
		if !p.Hidden && IsNameRune(rune(p.Name[0])) {
			items = append(items, Item{Label: p.Name, Kind: kindOf(p.Scheme.Type),
				Detail: printer.Scheme(p.Scheme), Doc: p.Doc, rank: 2})
		}
	}
	for _, word := range syntax.Keywords() {
		items = append(items, Item{Label: word, Kind: KeywordItem, rank: 3})
	}
	imported := map[string]bool{}
	for _, u := range v.seen() {
		for _, imp := range u.AST.Imports {
			items = append(items, Item{Label: imp.Alias.Name, Kind: ModuleItem,
				Detail: "module", rank: 2})
			imported[imp.Path] = true
		}
	}
	// The names of modules that are not imported yet, and their contents once enough of the word
	// is typed.
	for _, module := range driver.LibraryNames() {
		if module == "prelude" || imported[module] {
			continue
		}
		items = append(items, Item{Label: module, Kind: ModuleItem, Detail: "module",
			Import: module, rank: 4})
		if len(prefix) < 3 {
			continue
		}
		unit := v.world.Library(module, &sink)
		for _, item := range exported(v, unit.Info.Interface, 5) {
			if item.Kind == FunctionItem && strings.HasPrefix(item.Label, prefix) {
				item.Label, item.Import = module+"."+item.Label, module
				items = append(items, item)
			}
		}
	}
	return items
}

func kindOf(t types.Type) ItemKind {
	if _, ok := types.Resolve(t).(*types.Fun); ok {
		return FunctionItem
	}
	return VariableItem
}

// exported lists what a module exports.
func exported(v *view, face *check.Interface, rank int) []Item {
	if face == nil {
		return nil
	}
	printer := v.unit.Info.Printer()
	var items []Item
	for name, g := range face.All() {
		if strings.HasPrefix(name, "_") || g.Scheme == nil {
			continue
		}
		items = append(items, Item{Label: name, Kind: kindOf(g.Scheme.Type),
			Detail: printer.Scheme(g.Scheme), Doc: g.Doc, rank: rank})
	}
	for name, con := range face.Cons {
		if !strings.HasPrefix(name, "_") {
			items = append(items, Item{Label: name, Kind: ConstructorItem,
				Detail: printer.Constructor(con), rank: rank})
		}
	}
	for name, t := range face.Types {
		if !strings.HasPrefix(name, "_") {
			items = append(items, Item{Label: name, Kind: TypeItem, Doc: t.Doc, rank: rank})
		}
	}
	return items
}

// members returns what may follow `owner.`: the names of a module, or the fields of a record.
func (v *view) members(owner string, offset int) []Item {
	first, path, inside := strings.Cut(owner, ".")
	for _, l := range v.locals(offset) {
		if l.Name == first && l.Scheme != nil {
			return fields(v, l.Scheme.Type, path)
		}
	}
	for _, u := range v.seen() {
		if g := u.Info.Interface.Value(first); g != nil && g.Scheme != nil {
			return fields(v, g.Scheme.Type, path)
		}
	}
	module := v.module(first)
	toImport := ""
	if module == nil {
		var sink diag.List
		if module = v.world.Library(first, &sink); module == nil {
			return nil
		}
		toImport = first
	}
	face := module.Info.Interface
	if inside {
		name, rest, _ := strings.Cut(path, ".")
		if g := face.Value(name); g != nil && g.Scheme != nil {
			return fields(v, g.Scheme.Type, rest)
		}
		return nil
	}
	items := exported(v, face, 0)
	for i := range items {
		items[i].Import = toImport
	}
	return items
}

// fields lists the fields of the record that a path of fields leads to.
func fields(v *view, t types.Type, path string) []Item {
	record, ok := types.Resolve(t).(*types.Record)
	if !ok {
		return nil
	}
	if path != "" {
		name, rest, _ := strings.Cut(path, ".")
		if i := record.Index(name); i >= 0 {
			return fields(v, record.Fields[i].Type, rest)
		}
		return nil
	}
	printer := v.unit.Info.Printer()
	var items []Item
	for _, f := range record.Fields {
		items = append(items, Item{Label: notation.Field(f.Name), Kind: FieldItem,
			Detail: printer.Type(f.Type)})
	}
	return items
}

// importEdit returns the edit that imports a module of the library.
func importEdit(m *syntax.Module, module string) Edit {
	at := int32(0)
	for _, imp := range m.Imports {
		at = max(at, imp.At.End)
	}
	if at > 0 {
		return Edit{At: diag.Span{File: m.File, Start: at, End: at}, Text: "\nimport " + module}
	}
	// The import goes before the first declaration and its comment, and after the comment of the
	// module.
	line := 1
	if m.Doc != "" {
		for line < m.File.Lines() && strings.HasPrefix(m.File.Line(line), "--") {
			line++
		}
		line++
	}
	start := m.File.LineStart(min(line, m.File.Lines()))
	return Edit{At: diag.Span{File: m.File, Start: start, End: start},
		Text: "import " + module + "\n\n"}
}

// ImportEdit returns the edit of a document that imports a module of the library.
func (s *Service) ImportEdit(path, module string) (Edit, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.look(path)
	if v == nil {
		return Edit{}, false
	}
	return importEdit(v.unit.AST, module), true
}
