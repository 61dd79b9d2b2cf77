package service

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/check"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/syntax"
)

// Action is an edit that an editor offers at a place.
type Action struct {
	Title string
	Edits []Edit
	Mends *diag.Diagnostic // the diagnostic that the edit resolves, or nil for a change of style
}

// Actions returns the edits that apply between two offsets of a document: those that its
// diagnostics there propose, and refactorings.
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
	if a, ok := v.folded(start); ok {
		actions = append(actions, a)
	}
	return actions
}

// fixed returns the edits of a proposal.
func (v *view) fixed(fix diag.Fix) []Edit {
	edits := []Edit{{At: fix.At, Text: fix.Text}}
	if fix.Import != "" {
		edits = append(edits, importEdit(v.unit.AST, fix.Import))
	}
	return edits
}

// annotate returns an action that writes the inferred type of the definition at an offset.
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
	if g, ok := v.unit.Info.Defs[found.Pat.Num()].(*check.Global); !ok || g.Scheme == nil ||
		len(g.Scheme.Params) > 0 {
		// a type with variables can be written only by all annotations together
		return Action{}, false
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

// extract returns an action that makes a definition of the selected expression. The local
// variables that it uses become its parameters.
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
		if e, ok := n.(syntax.Expr); ok && int(e.Span().Start) == start &&
			int(e.Span().End) == end {
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
	name := v.fresh("extracted", start)
	params, call := "", name
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
	definition := "let " + name + params + " : " + printer.Type(ty) + " =\n  " + selected + "\n\n"
	return Action{
		Title: "Extract a definition",
		Edits: []Edit{
			{At: diag.Span{File: v.unit.File, Start: at, End: at}, Text: definition},
			{At: found.Span(), Text: call},
		},
	}, true
}

// fresh returns a name that is not taken at an offset: the given name, or the name with a number.
func (v *view) fresh(name string, offset int) string {
	for n := 2; v.taken(name, offset); n++ {
		name = strings.TrimRight(name, "0123456789") + strconv.Itoa(n)
	}
	return name
}

// taken reports whether a name has a meaning at an offset.
func (v *view) taken(name string, offset int) bool {
	return v.unit.Info.Interface.Value(name) != nil || v.unit.Info.Opened.Value(name) != nil ||
		slices.ContainsFunc(v.locals(offset), func(l *check.Local) bool { return l.Name == name })
}

// folded returns an action that turns the innermost loop around an offset into a fold. The loop
// must run over an array or a range and have no condition: `loop s = z for x in xs do e` is `fold
// (fun s x => e) z xs`.
func (v *view) folded(offset int) (Action, bool) {
	var loop *syntax.Loop
	for _, n := range v.path(offset) {
		if l, ok := n.(*syntax.Loop); ok {
			loop = l
		}
	}
	if loop == nil || loop.Clause == nil || loop.Clause.If != nil || loop.While != nil {
		return Action{}, false
	}
	if v.taken("fold", offset) {
		return Action{}, false
	}
	over := argument(loop.Clause.X)
	if !loop.Clause.In {
		over = "(iota " + over + ")"
	}
	// The body keeps its own lines.
	text := v.unit.File.Text
	gap := text[len(strings.TrimRight(text[:loop.Body.Span().Start], " \n")):loop.Body.Span().Start]
	params := parameterText(loop.State) + " " + parameterText(loop.Clause.Pat)
	written := "fold (fun " + params + " =>" + gap + loop.Body.Span().Text() + ") " + argument(
		loop.Init) + " " + over
	return Action{Title: "Turn the loop into a fold", Edits: []Edit{{At: loop.At, Text: written}}},
		true
}

// argument returns an expression as it is written as an argument of a function.
func argument(e syntax.Expr) string {
	switch e.(type) {
	case *syntax.Var, *syntax.Con, *syntax.Number, *syntax.String, *syntax.Text, *syntax.Bool,
		*syntax.Paren, *syntax.Annot, *syntax.Tuple, *syntax.Record, *syntax.Update, *syntax.Array,
		*syntax.Comp, *syntax.Field, *syntax.Index, *syntax.Slice, *syntax.OpFun, *syntax.Section:
		return e.Span().Text()
	}
	return "(" + e.Span().Text() + ")"
}

// parameterText returns a pattern as it is written after `fun`.
func parameterText(p syntax.Pattern) string {
	switch p.(type) {
	case *syntax.PVar, *syntax.PWild, *syntax.PTuple, *syntax.PRecord, *syntax.PParen,
		*syntax.PArray:
		return p.Span().Text()
	case *syntax.PAnnot:
		if text := p.Span().Text(); strings.HasPrefix(text, "(") {
			return text
		}
	}
	return "(" + p.Span().Text() + ")"
}

// docStart returns the first line of the comment above a line, or the line itself.
func (v *view) docStart(line int) int {
	for line > 1 && strings.HasPrefix(v.unit.File.Line(line-1), "--") {
		line--
	}
	return line
}
