package lsp

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf16"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/service"
)

func markdown(code, doc string) markup {
	text := ""
	if code != "" {
		text = "```fluxion\n" + code + "\n```"
	}
	if doc != "" {
		if text != "" {
			text += "\n\n"
		}
		text += doc
	}
	return markup{"markdown", text}
}

func (s *server) hover(_ context.Context, p *positionParams) (any, error) {
	path, offset, err := s.place(*p)
	if err != nil {
		return nil, err
	}
	h := s.service.Hover(path, offset)
	if h == nil {
		return nil, nil
	}
	return hover{markdown(h.Code, h.Doc), service.RangeOf(h.At)}, nil
}

func (s *server) completion(_ context.Context, p *positionParams) (any, error) {
	path, offset, err := s.place(*p)
	if err != nil {
		return nil, err
	}
	c := s.service.Complete(path, offset)
	list := completionList{Items: []completionItem{}, IsIncomplete: true}
	at := service.RangeOf(c.Replace)
	for i, item := range c.Items {
		out := completionItem{
			Label: item.Label, Kind: completionKinds[item.Kind], Detail: item.Detail,
			SortText: fmt.Sprintf("%05d", i), TextEdit: &textEdit{at, item.Label},
		}
		if item.Doc != "" {
			doc := markdown("", item.Doc)
			out.Documentation = &doc
		}
		if item.Import != "" {
			if e, ok := s.service.ImportEdit(path, item.Import); ok {
				out.Additional = []textEdit{edit(e)}
			}
		}
		list.Items = append(list.Items, out)
	}
	return list, nil
}

func edit(e service.Edit) textEdit { return textEdit{service.RangeOf(e.At), e.Text} }

func edits(list []service.Edit) *workspaceEdit {
	out := &workspaceEdit{Changes: map[string][]textEdit{}}
	for _, e := range list {
		uri := uriOf(e.At.File)
		out.Changes[uri] = append(out.Changes[uri], edit(e))
	}
	return out
}

func (s *server) signatureHelp(_ context.Context, p *positionParams) (any, error) {
	path, offset, err := s.place(*p)
	if err != nil {
		return nil, err
	}
	sig := s.service.Signature(path, offset)
	if sig == nil {
		return nil, nil
	}
	info := signatureInformation{Label: sig.Label}
	from := 0
	for _, param := range sig.Params {
		start := from + strings.Index(sig.Label[from:], param)
		from = start + len(param)
		info.Parameters = append(info.Parameters,
			parameter{[2]int{units(sig.Label[:start]), units(sig.Label[:from])}})
	}
	if sig.Doc != "" {
		doc := markdown("", sig.Doc)
		info.Documentation = &doc
	}
	return signatureHelp{Signatures: []signatureInformation{info}, ActiveParameter: sig.Active}, nil
}

func units(s string) int { return len(utf16.Encode([]rune(s))) }

func (s *server) definition(_ context.Context, p *positionParams) (any, error) {
	path, offset, err := s.place(*p)
	if err != nil {
		return nil, err
	}
	at, ok := s.service.Definition(path, offset)
	if !ok {
		return nil, nil
	}
	return location{uriOf(at.File), service.RangeOf(at)}, nil
}

func (s *server) references(_ context.Context, p *referenceParams) (any, error) {
	path, offset, err := s.place(p.positionParams)
	if err != nil {
		return nil, err
	}
	found := []location{}
	for _, at := range s.service.References(path, offset, p.Context.IncludeDeclaration) {
		found = append(found, location{uriOf(at.File), service.RangeOf(at)})
	}
	return found, nil
}

func (s *server) highlight(_ context.Context, p *positionParams) (any, error) {
	path, offset, err := s.place(*p)
	if err != nil {
		return nil, err
	}
	type highlight struct {
		Range service.Range `json:"range"`
	}
	found := []highlight{}
	for _, at := range s.service.References(path, offset, true) {
		if pathOf(uriOf(at.File)) == path {
			found = append(found, highlight{service.RangeOf(at)})
		}
	}
	return found, nil
}

func (s *server) prepareRename(_ context.Context, p *positionParams) (any, error) {
	path, offset, err := s.place(*p)
	if err != nil {
		return nil, err
	}
	at, err := s.service.Renamable(path, offset)
	if err != nil {
		return nil, err
	}
	return service.RangeOf(at), nil
}

func (s *server) rename(_ context.Context, p *renameParams) (any, error) {
	path, offset, err := s.place(p.positionParams)
	if err != nil {
		return nil, err
	}
	list, err := s.service.Rename(path, offset, p.NewName)
	if err != nil {
		return nil, err
	}
	return edits(list), nil
}

func (s *server) symbols(_ context.Context, p *documentParams) (any, error) {
	var convert func(list []service.Symbol) []documentSymbol
	convert = func(list []service.Symbol) []documentSymbol {
		out := []documentSymbol{}
		for _, sym := range list {
			out = append(out, documentSymbol{
				Name: sym.Name, Detail: sym.Detail, Kind: symbolKinds[sym.Kind],
				Range: service.RangeOf(sym.At), SelectionRange: service.RangeOf(sym.NameAt),
				Children: convert(sym.Inside),
			})
		}
		return out
	}
	return convert(s.service.Symbols(pathOf(p.TextDocument.URI))), nil
}

func (s *server) folds(_ context.Context, p *documentParams) (any, error) {
	out := []foldingRange{}
	for _, f := range s.service.Folds(pathOf(p.TextDocument.URI)) {
		r := foldingRange{StartLine: f.Start, EndLine: f.End}
		if f.Comment {
			r.Kind = "comment"
		}
		out = append(out, r)
	}
	return out, nil
}

func (s *server) tokens(_ context.Context, p *documentParams) (any, error) {
	data := []int{}
	var last service.Position
	for _, t := range s.service.Tokens(pathOf(p.TextDocument.URI)) {
		at := service.RangeOf(t.At)
		column := at.Start.Character
		if at.Start.Line == last.Line {
			column -= last.Character
		}
		modifiers := 0
		if t.Declared {
			modifiers |= 1
		}
		if t.Kind == service.PrimitiveToken {
			modifiers |= 2
		}
		data = append(data, at.Start.Line-last.Line, column, at.End.Character-at.Start.Character,
			int(t.Kind), modifiers)
		last = at.Start
	}
	return map[string]any{"data": data}, nil
}

func (s *server) format(_ context.Context, p *documentParams) (any, error) {
	out := []textEdit{}
	for _, e := range s.service.Format(pathOf(p.TextDocument.URI)) {
		out = append(out, edit(e))
	}
	return out, nil
}

func (s *server) inlays(_ context.Context, p *rangeParams) (any, error) {
	path := pathOf(p.TextDocument.URI)
	doc := s.service.Document(path)
	if doc == nil {
		return nil, errNotOpen
	}
	out := []inlayHint{}
	for _, i := range s.service.Inlays(path, service.Offset(doc.Text, p.Range.Start),
		service.Offset(doc.Text, p.Range.End)) {
		out = append(out, inlayHint{service.PositionOf(i.At.File, i.Offset), i.Text, inlayType})
	}
	for _, a := range s.answers(path) {
		at := diag.Span{File: a.at.File, Start: a.at.End, End: a.at.End}
		out = append(out, inlayHint{service.RangeOf(at).End, " ⇒ " + a.text, inlayType})
	}
	return out, nil
}

func (s *server) actions(_ context.Context, p *rangeParams) (any, error) {
	path := pathOf(p.TextDocument.URI)
	doc := s.service.Document(path)
	if doc == nil {
		return nil, errNotOpen
	}
	out := []codeAction{}
	for _, a := range s.service.Actions(path, service.Offset(doc.Text, p.Range.Start),
		service.Offset(doc.Text, p.Range.End)) {
		action := codeAction{Title: a.Title, Kind: "refactor", Edit: edits(a.Edits)}
		if a.Mends != nil {
			action.Kind, action.Diagnostics, action.IsPreferred = "quickfix",
				[]diagnostic{convert(a.Mends)}, true
		}
		out = append(out, action)
	}
	return out, nil
}
