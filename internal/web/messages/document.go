package messages

import (
	"context"

	"github.com/fluxion-lang/fluxion/internal/service"
)

// edit replaces a part of the document.
type edit struct {
	From   int    `json:"from"`
	To     int    `json:"to"`
	Insert string `json:"insert"`
}

func editsOf(list []service.Edit) []edit {
	out := []edit{}
	for _, e := range list {
		text := e.At.File.Text
		out = append(out, edit{units(text, e.At.Start), units(text, e.At.End), e.Text})
	}
	return out
}

// action is an edit that is offered for a finding.
type action struct {
	Title string `json:"title"`
	Edits []edit `json:"edits"`
}

// lens is a definition that can be run, drawn or differentiated.
type lens struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	From  int    `json:"from"`
	Fun   bool   `json:"fun"`
	Curve bool   `json:"curve"`
	Point string `json:"point"`
}

func (s *Session) check(_ context.Context, r *request, _ func(any)) (any, error) {
	found := []failure{}
	for _, d := range s.service.Diagnostics(r.Path) {
		f := s.finding(d)
		for _, a := range s.service.Actions(r.Path, int(d.Span.Start), int(d.Span.End)) {
			if a.Mends != nil && a.Mends.Span == d.Span && a.Mends.Code == d.Code {
				f.Actions = append(f.Actions, action{a.Title, editsOf(a.Edits)})
			}
		}
		found = append(found, f)
	}
	lenses := []lens{}
	for _, l := range s.service.Lenses(r.Path) {
		at := units(r.Text, l.At.Start)
		lenses = append(lenses, lens{l.Name, l.Type, at, l.Fun, l.Curve, l.Point})
	}
	return map[string]any{"findings": found, "lenses": lenses}, nil
}

func (s *Session) hover(_ context.Context, r *request, _ func(any)) (any, error) {
	h := s.service.Hover(r.Path, offset(r.Text, r.At))
	if h == nil {
		return nil, nil
	}
	return map[string]any{
		"from": units(r.Text, h.At.Start), "to": units(r.Text, h.At.End),
		"code": h.Code, "doc": h.Doc,
	}, nil
}

// kinds maps kinds of completions to the editor's names for them.
var kinds = map[service.ItemKind]string{
	service.VariableItem: "variable", service.FunctionItem: "function",
	service.ConstructorItem: "class",
	service.TypeItem:        "type", service.ModuleItem: "namespace", service.FieldItem: "property",
	service.KeywordItem: "keyword",
}

// maxItems bounds the completions that are offered at once.
const maxItems = 200

func (s *Session) complete(_ context.Context, r *request, _ func(any)) (any, error) {
	c := s.service.Complete(r.Path, offset(r.Text, r.At))
	type item struct {
		Label  string `json:"label"`
		Kind   string `json:"kind"`
		Detail string `json:"detail"`
		Doc    string `json:"doc,omitempty"`
		Edits  []edit `json:"edits,omitempty"` // the edits that import its module
	}
	items := []item{}
	for _, i := range c.Items {
		if len(items) == maxItems {
			break
		}
		one := item{Label: i.Label, Kind: kinds[i.Kind], Detail: i.Detail, Doc: i.Doc}
		if i.Import != "" {
			if e, ok := s.service.ImportEdit(r.Path, i.Import); ok {
				one.Edits = editsOf([]service.Edit{e})
			}
		}
		items = append(items, one)
	}
	from := r.At
	if c.Replace.Known() {
		from = units(r.Text, c.Replace.Start)
	}
	return map[string]any{"from": from, "items": items}, nil
}

func (s *Session) format(_ context.Context, r *request, _ func(any)) (any, error) {
	return editsOf(s.service.Format(r.Path)), nil
}
