package lsp

import (
	"context"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/service"
)

func (s *server) didOpen(ctx context.Context, p *documentParams) (any, error) {
	s.service.Open(pathOf(p.TextDocument.URI), p.TextDocument.Text, p.TextDocument.Version)
	return nil, s.publish(ctx)
}

func (s *server) didChange(ctx context.Context, p *didChange) (any, error) {
	changes := make([]service.Change, len(p.ContentChanges))
	for i, c := range p.ContentChanges {
		changes[i] = service.Change{Whole: c.Range == nil, Text: c.Text}
		if c.Range != nil {
			changes[i].Start, changes[i].End = c.Range.Start, c.Range.End
		}
	}
	path := pathOf(p.TextDocument.URI)
	if !s.service.Edit(path, p.TextDocument.Version, changes) {
		return nil, errNotOpen
	}
	s.forget(path)
	return nil, s.publish(ctx)
}

func (s *server) didClose(ctx context.Context, p *documentParams) (any, error) {
	path := pathOf(p.TextDocument.URI)
	s.service.Close(path)
	s.forget(path)
	err := s.conn.Notify(ctx, "textDocument/publishDiagnostics",
		publishDiagnostics{URI: p.TextDocument.URI, Diagnostics: []diagnostic{}})
	if err != nil {
		return nil, err
	}
	return nil, s.publish(ctx)
}

func (s *server) didSave(ctx context.Context, _ *documentParams) (any, error) {
	return s.refresh(ctx, nil)
}

func (s *server) refresh(ctx context.Context, _ []byte) (any, error) {
	s.service.Refresh()
	return nil, s.publish(ctx)
}

// publish sends the diagnostics of every open document. An edit of one may change those of
// another that imports it.
func (s *server) publish(ctx context.Context) error {
	for _, path := range s.service.Documents() {
		doc := s.service.Document(path)
		if doc == nil {
			continue
		}
		list := []diagnostic{}
		for _, d := range s.service.Diagnostics(path) {
			list = append(list, convert(d))
		}
		uri := uriOf(&diag.File{Name: path})
		if err := s.conn.Notify(ctx, "textDocument/publishDiagnostics",
			publishDiagnostics{URI: uri, Version: doc.Version, Diagnostics: list}); err != nil {
			return err
		}
	}
	return nil
}

func convert(d *diag.Diagnostic) diagnostic {
	out := diagnostic{Range: service.RangeOf(d.Span), Severity: severityError, Code: string(d.Code),
		Source: "fluxion", Message: d.Message}
	if d.Severity == diag.Warning {
		out.Severity = severityWarning
	}
	if d.Code == diag.UnusedName || d.Code == diag.UnusedImport {
		out.Tags = []int{tagUnnecessary}
	}
	if d.Label != "" {
		out.Message += " (" + d.Label + ")"
	}
	if len(d.Hints) > 0 {
		out.Message += "\n" + strings.Join(d.Hints, "\n")
	}
	for _, r := range d.Related {
		if r.Span.Known() {
			out.Related = append(out.Related,
				relatedMessage{location{uriOf(r.Span.File), service.RangeOf(r.Span)}, r.Message})
		}
	}
	return out
}
