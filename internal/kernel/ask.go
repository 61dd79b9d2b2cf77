package kernel

import (
	"context"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/service"
	"github.com/fluxion-lang/fluxion/internal/syntax"
)

// keepReply passes on what was typed. If nobody waits for a reply, the next one replaces it.
func (k *kernel) keepReply(m *message) {
	if m.header.Type != "input_reply" {
		return
	}
	select {
	case <-k.replies:
	default:
	}
	k.replies <- m
}

// line returns the text of an input_reply, with a line end. An empty reply is the last one.
func line(m *message) (text string, last bool) {
	var reply struct {
		Value string `json:"value"`
	}
	if json.Unmarshal(m.content, &reply) != nil || strings.TrimSpace(reply.Value) == "" {
		return "", true
	}
	return reply.Value + "\n", false
}

// cursorRequest asks about a place in a cell, counted in characters.
type cursorRequest struct {
	Code   string `json:"code"`
	Cursor int    `json:"cursor_pos"`
}

// offset returns the place as a byte offset.
func (r *cursorRequest) offset() int {
	at := 0
	for range r.Cursor {
		if at >= len(r.Code) {
			break
		}
		_, size := utf8.DecodeRuneInString(r.Code[at:])
		at += size
	}
	return at
}

func (k *kernel) complete(_ context.Context, _ *message, r *cursorRequest) (any, error) {
	offset := r.offset()
	matches, kinds := []string{}, []any{}
	start := strings.LastIndexByte(r.Code[:offset], '\n') + 1
	if word := r.Code[start:offset]; strings.HasPrefix(word, "%") && !strings.Contains(word, " ") {
		for _, m := range magics() {
			if name := "%" + m.name; strings.HasPrefix(name, strings.Replace(word, "%%", "%", 1)) {
				matches = append(matches, name)
			}
		}
	} else {
		c := k.session.Complete(plain(r.Code), offset)
		start = int(c.Replace.Start)
		for _, item := range c.Items {
			matches = append(matches, item.Label)
			kinds = append(kinds, map[string]any{
				"text": item.Label, "type": itemKinds[item.Kind], "signature": item.Detail,
				"start": utf8.RuneCountInString(r.Code[:start]), "end": r.Cursor,
			})
		}
	}
	return map[string]any{
		"status": "ok", "matches": matches,
		"cursor_start": utf8.RuneCountInString(r.Code[:start]),
		"cursor_end":   utf8.RuneCountInString(r.Code[:offset]),
		"metadata":     map[string]any{"_jupyter_types_experimental": kinds},
	}, nil
}

// itemKinds maps kinds of completions to the names that frontends have for them.
var itemKinds = map[service.ItemKind]string{
	service.VariableItem: "instance", service.FunctionItem: "function",
	service.ModuleItem:      "module",
	service.ConstructorItem: "class", service.TypeItem: "class", service.FieldItem: "property",
	service.KeywordItem: "keyword",
}

func (k *kernel) inspect(_ context.Context, _ *message, r *cursorRequest) (any, error) {
	data := bundle{}
	if h := k.session.Hover(plain(r.Code), r.offset()); h != nil {
		data["text/plain"] = strings.TrimSpace(h.Code + "\n\n" + h.Doc)
		data["text/markdown"] = "```fluxion\n" + h.Code + "\n```\n\n" + h.Doc
	} else if word := wordAt(r.Code, r.offset()); word != "" {
		if text, ok := k.session.Describe(word); ok {
			data["text/plain"] = text
		}
	}
	return map[string]any{
		"status": "ok", "found": len(data) > 0, "data": data, "metadata": map[string]any{},
	}, nil
}

// wordAt returns the name around an offset.
func wordAt(text string, offset int) string {
	inside := func(r rune) bool { return r == '.' || service.IsNameRune(r) }
	end := offset + len(text[offset:]) - len(strings.TrimLeftFunc(text[offset:], inside))
	start := len(strings.TrimRightFunc(text[:offset], inside))
	return text[start:end]
}

func (k *kernel) isComplete(_ context.Context, _ *message, r *cursorRequest) (any, error) {
	text := plain(r.Code)
	if syntax.Incomplete(text) {
		return map[string]string{"status": "incomplete", "indent": "  "}, nil
	}
	var found diag.List
	if syntax.Parse(diag.NewFile("<input>", text), &found); found.Failed() {
		return map[string]string{"status": "invalid"}, nil
	}
	return map[string]string{"status": "complete"}, nil
}
