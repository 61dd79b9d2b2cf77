package service

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"unicode"

	"github.com/fluxion-lang/fluxion/internal/check"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/syntax"
)

// Edit replaces a part of a document.
type Edit struct {
	At   diag.Span
	Text string
}

func sorted(tokens map[diag.Span]Token) []Token {
	list := make([]Token, 0, len(tokens))
	for _, t := range tokens {
		list = append(list, t)
	}
	slices.SortFunc(list, func(a, b Token) int { return cmp.Compare(a.At.Start, b.At.Start) })
	// Names do not overlap. If two nodes claim the same place, the longer one is dropped.
	kept := list[:0]
	for _, t := range list {
		if n := len(kept); n > 0 && kept[n-1].At.End > t.At.Start {
			kept[n-1] = t
			continue
		}
		kept = append(kept, t)
	}
	return kept
}

// Format returns the edit that gives a document its canonical layout. It returns none if the
// document has that layout or does not parse.
func (s *Service) Format(path string) []Edit {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.look(path)
	if v == nil {
		return nil
	}
	file := v.unit.File
	var sink diag.List
	module := syntax.Parse(file, &sink)
	if sink.Failed() {
		return nil
	}
	text := syntax.Format(module, syntax.FormatOptions{})
	if text == file.Text {
		return nil
	}
	// The edit leaves out what is the same at both ends, so that the cursor does not move.
	start, end := 0, 0
	for start < len(text) && start < len(file.Text) && text[start] == file.Text[start] {
		start++
	}
	for end < len(text)-start && end < len(file.Text)-start && text[len(text)-1-end] ==
		file.Text[len(file.Text)-1-end] {
		end++
	}
	for start > 0 && !boundary(text, start) {
		start--
	}
	for end > 0 && !boundary(text, len(text)-end) {
		end--
	}
	at := diag.Span{File: file, Start: int32(start), End: int32(len(file.Text) - end)}
	return []Edit{{At: at, Text: text[start : len(text)-end]}}
}

// boundary reports whether a character starts at an offset.
func boundary(text string, at int) bool { return at >= len(text) || text[at]&0xc0 != 0x80 }

// Renamable returns the name at an offset if it can be renamed, that is, if the library does not
// define it.
func (s *Service) Renamable(path string, offset int) (diag.Span, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.look(path)
	if v == nil {
		return diag.Span{}, errors.New("the document is not open")
	}
	n, ok := v.at(offset)
	if !ok {
		return diag.Span{}, errors.New("there is no name here")
	}
	if at := s.declared(n.object); !at.Known() || at.File.Library {
		return diag.Span{}, fmt.Errorf("`%s` is not defined in this program", n.text)
	}
	return n.at, nil
}

// Rename returns the edits that rename the name at an offset everywhere.
func (s *Service) Rename(path string, offset int, to string) ([]Edit, error) {
	at, err := s.Renamable(path, offset)
	if err != nil {
		return nil, err
	}
	if err := nameLike(at.Text(), to); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.look(path)
	if l, ok := v.at(offset); ok {
		if err := s.taken(v, l, to); err != nil {
			return nil, err
		}
	}
	spans, _ := s.references(path, offset, true)
	edits := make([]Edit, len(spans))
	for i, at := range spans {
		edits[i] = Edit{At: at, Text: to}
	}
	return v.punned(edits, to), nil
}

// punned keeps the field names of records when a variable that names a field is renamed: `{x}`
// becomes `{x = y}`.
func (v *view) punned(edits []Edit, to string) []Edit {
	short := map[diag.Span]string{}
	syntax.InspectModule(v.unit.AST, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Record:
			for _, f := range n.Fields {
				if f.Value != nil && f.Value.Span() == f.Name.At {
					short[f.Name.At] = f.Name.Name
				}
			}
		case *syntax.PRecord:
			for _, f := range n.Fields {
				if f.Pat != nil && f.Pat.Span() == f.Name.At {
					short[f.Name.At] = f.Name.Name
				}
			}
		}
		return true
	})
	for i, e := range edits {
		if field, ok := short[e.At]; ok {
			edits[i].Text = field + " = " + to
		}
	}
	return edits
}

// nameLike returns an error if a word cannot take the place of a name. Both must start with a
// letter of the same case.
func nameLike(old, word string) error {
	if word == "" || syntax.IsKeyword(word) {
		return fmt.Errorf("`%s` cannot be a name", word)
	}
	for i, r := range word {
		if !IsNameRune(r) || i == 0 && (unicode.IsDigit(r) || r == '\'') {
			return fmt.Errorf("`%s` cannot be a name", word)
		}
	}
	upper := func(s string) bool { return unicode.IsUpper([]rune(s)[0]) }
	if upper(old) != upper(word) {
		return fmt.Errorf("`%s` cannot take the place of `%s`: constructors and types start with "+
			"a capital letter, all else does not", word, old)
	}
	return nil
}

// taken returns an error if something in scope already has the name.
func (s *Service) taken(v *view, n name, to string) error {
	clash := v.unit.Info.Interface.Value(to) != nil || v.unit.Info.Interface.Cons[to] != nil
	if _, local := n.object.(*check.Local); local {
		for _, l := range v.locals(int(n.at.End)) {
			clash = clash || l.Name == to
		}
	}
	if clash {
		return fmt.Errorf("`%s` is taken", to)
	}
	return nil
}
