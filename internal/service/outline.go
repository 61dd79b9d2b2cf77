package service

import (
	"strings"

	"github.com/fluxion-lang/fluxion/internal/check"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/syntax"
)

// Symbol is a declaration of a document.
type Symbol struct {
	Name   string
	Kind   ItemKind
	Detail string
	At     diag.Span // the whole declaration
	NameAt diag.Span
	Inside []Symbol
}

// Symbols lists the declarations of a document.
func (s *Service) Symbols(path string) []Symbol {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.look(path)
	if v == nil {
		return nil
	}
	var symbols []Symbol
	for _, d := range v.unit.AST.Decls {
		switch d := d.(type) {
		case *syntax.LetDecl:
			for _, b := range d.Bindings {
				syntax.Inspect(b.Pat, func(n syntax.Node) bool {
					if p, ok := n.(*syntax.PVar); ok {
						symbols = append(symbols, v.symbol(p, b))
					}
					return true
				})
			}
		case *syntax.TypeDecl:
			symbols = append(symbols, Symbol{Name: d.Name.Name, Kind: TypeItem, At: d.At,
				NameAt: d.Name.At})
		case *syntax.DataDecl:
			data := Symbol{Name: d.Name.Name, Kind: TypeItem, At: d.At, NameAt: d.Name.At}
			for _, c := range d.Constructors {
				data.Inside = append(data.Inside, Symbol{Name: c.Name.Name, Kind: ConstructorItem,
					At: c.At, NameAt: c.Name.At})
			}
			symbols = append(symbols, data)
		}
	}
	return symbols
}

func (v *view) symbol(p *syntax.PVar, b *syntax.Binding) Symbol {
	symbol := Symbol{Name: p.Name, Kind: VariableItem, At: b.At, NameAt: p.At}
	if len(b.Params) > 0 {
		symbol.Kind = FunctionItem
	}
	if g, ok := v.unit.Info.Defs[p.Num()].(*check.Global); ok && g.Scheme != nil {
		symbol.Detail = v.unit.Info.Printer().Scheme(g.Scheme)
	}
	return symbol
}

// Fold is a range of lines, counted from 0, that can be collapsed to one.
type Fold struct {
	Start, End int
	Comment    bool
}

// Folds lists the ranges of a document that can be collapsed: declarations, matches, brackets and
// comments that span lines.
func (s *Service) Folds(path string) []Fold {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.look(path)
	if v == nil {
		return nil
	}
	var folds []Fold
	seen := map[int]bool{}
	add := func(at diag.Span, comment bool) {
		if !at.Known() {
			return
		}
		start, end := at.File.LineOf(at.Start)-1, at.File.LineOf(max(at.Start, at.End-1))-1
		if end > start && !seen[start] {
			seen[start] = true
			folds = append(folds, Fold{start, end, comment})
		}
	}
	syntax.InspectModule(v.unit.AST, func(n syntax.Node) bool {
		switch n.(type) {
		case syntax.Decl, *syntax.Match, *syntax.Array, *syntax.Record, *syntax.Comp, *syntax.Loop,
			*syntax.Let, *syntax.Arm:
			add(n.Span(), false)
		}
		return true
	})
	// Consecutive line comments form one range.
	comments := v.unit.AST.Comments
	for i := 0; i < len(comments); {
		at, next := comments[i].At, i+1
		for next < len(comments) && at.File.LineOf(comments[next].At.Start) == at.File.LineOf(
			at.End)+1 {
			at.End = comments[next].At.End
			next++
		}
		add(at, true)
		i = next
	}
	return folds
}

// TokenKind says how a name is coloured.
type TokenKind uint8

// The kinds of tokens.
const (
	VariableToken TokenKind = iota
	ParameterToken
	FunctionToken
	PrimitiveToken
	ConstructorToken
	TypeToken
	TypeVariableToken
	ModuleToken
	FieldToken
)

// Token is a name and its kind.
type Token struct {
	At       diag.Span
	Kind     TokenKind
	Declared bool
}

// Tokens lists the names of a document in order, with their kinds.
func (s *Service) Tokens(path string) []Token {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.look(path)
	if v == nil {
		return nil
	}
	tokens := map[diag.Span]Token{}
	add := func(at diag.Span, k TokenKind, declared bool) {
		if _, taken := tokens[at]; !taken && at.Known() && at.End > at.Start &&
			!strings.ContainsRune(at.Text(), '\n') {
			tokens[at] = Token{at, k, declared}
		}
	}
	params := map[int32]bool{}
	syntax.InspectModule(v.unit.AST, func(n syntax.Node) bool {
		var patterns []syntax.Pattern
		switch n := n.(type) {
		case *syntax.Binding:
			patterns = n.Params
		case *syntax.Fun:
			patterns = n.Params
		case *syntax.TName:
			if n.Module.Name != "" {
				add(n.Module.At, ModuleToken, false)
			}
			add(n.Name.At, TypeToken, false)
		case *syntax.TVar:
			add(n.At, TypeVariableToken, false)
		case *syntax.TypeDecl:
			add(n.Name.At, TypeToken, true)
		case *syntax.DataDecl:
			add(n.Name.At, TypeToken, true)
		case *syntax.ConstructorDecl:
			add(n.Name.At, ConstructorToken, true)
		case *syntax.Import:
			add(n.Alias.At, ModuleToken, true)
		case *syntax.Field:
			if v.unit.Info.Uses[n.Num()] != nil {
				add(n.X.Span(), ModuleToken, false)
			} else {
				add(n.Name.At, FieldToken, false)
			}
		}
		for _, p := range patterns {
			syntax.Inspect(p, func(n syntax.Node) bool {
				if b, ok := n.(*syntax.PVar); ok {
					params[b.At.Start] = true
				}
				return true
			})
		}
		return true
	})
	v.names(func(n name) {
		switch o := n.object.(type) {
		case *check.Primitive:
			if IsNameRune(rune(n.text[0])) {
				add(n.at, PrimitiveToken, false)
			}
		case *check.Constructor:
			add(n.at, ConstructorToken, false)
		case *check.Global:
			kind := VariableToken
			if o.Scheme != nil && kindOf(o.Scheme.Type) == FunctionItem {
				kind = FunctionToken
			}
			add(n.at, kind, n.binds)
		case *check.Local:
			kind := VariableToken
			switch {
			case params[o.At.Start]:
				kind = ParameterToken
			case o.Scheme != nil && kindOf(o.Scheme.Type) == FunctionItem:
				kind = FunctionToken
			}
			add(n.at, kind, n.binds)
		}
	})
	return sorted(tokens)
}

// Inlay is a text that an editor shows in a line but that is not in the document.
type Inlay struct {
	Offset int32
	Text   string
	At     diag.Span
}

// Inlays returns the inferred types of definitions and local names without a written type, in a
// part of the document.
func (s *Service) Inlays(path string, start, end int) []Inlay {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.look(path)
	if v == nil {
		return nil
	}
	var inlays []Inlay
	printer := v.unit.Info.Printer()
	syntax.InspectModule(v.unit.AST, func(n syntax.Node) bool {
		b, ok := n.(*syntax.Binding)
		if !ok {
			return true
		}
		p, named := b.Pat.(*syntax.PVar)
		if !named || b.Result != nil || len(b.Params) > 0 || int(p.At.End) < start ||
			int(p.At.Start) > end {
			return true
		}
		if t := v.unit.Info.Types[p.Num()]; t != nil && p.At.Known() {
			if text := printer.Type(t); len(text) <= 60 {
				inlays = append(inlays, Inlay{Offset: p.At.End, Text: " : " + text, At: p.At})
			}
		}
		return true
	})
	return inlays
}
