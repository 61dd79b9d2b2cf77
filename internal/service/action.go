package service

import (
	"strings"

	"github.com/fluxion-lang/fluxion/internal/check"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/syntax"
)

// Action is an edit that is offered at a place.
type Action struct {
	Title string
	Edits []Edit
	Mends *diag.Diagnostic // what it does away with, or nil for a change that is a matter of taste
}

// Actions lists what can be done between two offsets of a document: the edits that its diagnostics
// there propose, and rewritings.
func (s *Service) Actions(path string, start, end int) []Action {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.look(path)
	if v == nil {
		return nil
	}
	var actions []Action
	for _, d := range v.found {
		if d.Span.File != v.unit.File || int(d.Span.End) < start || int(d.Span.Start) > end {
			continue
		}
		for _, fix := range d.Fixes {
			actions = append(actions, Action{Title: fix.Title, Edits: v.fixed(fix), Mends: d})
		}
	}
	if a, ok := v.annotate(start); ok {
		actions = append(actions, a)
	}
	if a, ok := v.extract(start, end); ok {
		actions = append(actions, a)
	}
	return actions
}

// fixed is the edits of a proposal.
func (v *view) fixed(fix diag.Fix) []Edit {
	edits := []Edit{{At: fix.At, Text: fix.Text}}
	if fix.Import != "" {
		edits = append(edits, importEdit(v.unit.AST, fix.Import))
	}
	return edits
}

// annotate writes the inferred type of the definition at an offset.
func (v *view) annotate(offset int) (Action, bool) {
	var found *syntax.Binding
	for _, n := range v.path(offset) {
		if b, ok := n.(*syntax.Binding); ok {
			if p, named := b.Pat.(*syntax.PVar); named && covers(p.At, offset) {
				found = b
			}
		}
	}
	if found == nil || found.Result != nil || found.Body == nil {
		return Action{}, false
	}
	result := v.unit.Info.Types[found.Body.Num()]
	if result == nil {
		return Action{}, false
	}
	if g, ok := v.unit.Info.Defs[found.Pat.Num()].(*check.Global); !ok || g.Scheme == nil || len(g.Scheme.Params) > 0 {
		return Action{}, false // a type with variables is said by all annotations together
	}
	at := found.Pat.Span().End
	for _, p := range found.Params {
		at = max(at, p.Span().End)
	}
	text := v.unit.Info.Printer().Type(result)
	return Action{
		Title: "Write the inferred type: " + text,
		Edits: []Edit{{At: diag.Span{File: v.unit.File, Start: at, End: at}, Text: " : " + text}},
	}, true
}

// extract makes a definition of the expression that is selected. What it uses of the definition around
// it become its parameters.
func (v *view) extract(start, end int) (Action, bool) {
	text := v.unit.File.Text
	if start >= end || end > len(text) {
		return Action{}, false
	}
	selected := strings.TrimSpace(text[start:end])
	start += strings.Index(text[start:end], selected)
	end = start + len(selected)
	var found syntax.Expr
	var around syntax.Decl
	for _, n := range v.path(start) {
		if d, ok := n.(syntax.Decl); ok {
			around = d
		}
	}
	syntax.InspectModule(v.unit.AST, func(n syntax.Node) bool {
		if e, ok := n.(syntax.Expr); ok && int(e.Span().Start) == start && int(e.Span().End) == end {
			found = e
			return false
		}
		return true
	})
	if found == nil || strings.Contains(selected, "\n") {
		return Action{}, false
	}
	ty := v.unit.Info.Types[found.Num()]
	if ty == nil {
		return Action{}, false
	}
	printer := v.unit.Info.Printer()
	params, call := "", "extracted"
	seen := map[*check.Local]bool{}
	syntax.Inspect(found, func(n syntax.Node) bool {
		e, ok := n.(*syntax.Var)
		if !ok {
			return true
		}
		use := v.unit.Info.Uses[e.Num()]
		if use == nil {
			return true
		}
		l, local := use.Object.(*check.Local)
		inside := local && int(l.At.Start) >= start && int(l.At.End) <= end
		if local && !inside && !seen[l] && l.Scheme != nil {
			seen[l] = true
			params += " (" + l.Name + " : " + printer.Type(l.Scheme.Type) + ")"
			call += " " + l.Name
		}
		return true
	})
	at := int32(start)
	if around != nil {
		at = around.Span().Start
	} else if final := v.unit.AST.Final; final != nil {
		at = final.Span().Start
	}
	at = v.unit.File.LineStart(v.docStart(v.unit.File.LineOf(at)))
	if params != "" {
		call = "(" + call + ")"
	}
	definition := "let extracted" + params + " : " + printer.Type(ty) + " =\n  " + selected + "\n\n"
	return Action{
		Title: "Extract a definition",
		Edits: []Edit{
			{At: diag.Span{File: v.unit.File, Start: at, End: at}, Text: definition},
			{At: found.Span(), Text: call},
		},
	}, true
}

// docStart is the first line of the comment that stands above a line, or the line itself.
func (v *view) docStart(line int) int {
	for line > 1 && strings.HasPrefix(v.unit.File.Line(line-1), "--") {
		line--
	}
	return line
}
