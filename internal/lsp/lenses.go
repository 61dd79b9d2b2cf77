package lsp

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/service"
)

// The commands of code lenses. Their arguments are the URI of a document and the name of a
// definition, or "" for its final expression.
const (
	runCommand      = "fluxion.run"
	exactCommand    = "fluxion.exact"
	gradientCommand = "fluxion.gradients"
)

var commands = []string{runCommand, exactCommand, gradientCommand}

func (s *server) lenses(_ context.Context, p *documentParams) (any, error) {
	out := []codeLens{}
	for _, l := range s.service.Lenses(pathOf(p.TextDocument.URI)) {
		at := service.RangeOf(l.At)
		add := func(title, name string) {
			out = append(out, codeLens{at, command{title, name, []any{p.TextDocument.URI, l.Name}}})
		}
		if l.Fun {
			add("gradient by every algorithm", gradientCommand)
			continue
		}
		add("run", runCommand)
		add("exact", exactCommand)
	}
	return out, nil
}

// outcome is the result of a command: text to show, and perhaps a figure as a data URI.
type outcome struct {
	Text   string `json:"text"`
	Type   string `json:"type,omitempty"`
	Figure string `json:"figure,omitempty"` // as a data URI
	File   string `json:"file,omitempty"`   // the file that holds the figure
}

func (s *server) execute(ctx context.Context, p *executeCommand) (any, error) {
	var uri, name string
	if len(p.Arguments) < 1 || json.Unmarshal(p.Arguments[0], &uri) != nil {
		return nil, fmt.Errorf("%s needs the URI of a document and a name", p.Command)
	}
	if len(p.Arguments) > 1 {
		if err := json.Unmarshal(p.Arguments[1], &name); err != nil {
			return nil, err
		}
	}
	path := pathOf(uri)
	ask := service.Ask{Name: name, Settings: s.opts.Settings}
	switch p.Command {
	case exactCommand:
		eps, err := driver.ParseEps("1e-15")
		if err != nil {
			return nil, err
		}
		ask.Exact = eps
	case runCommand:
	case gradientCommand:
		g, err := s.service.Gradients(ctx, path, name, "", s.opts.Settings)
		if err != nil {
			return nil, err
		}
		s.answer(path, name, g.Brief)
		s.refreshInlays()
		return outcome{Text: g.Text}, nil
	default:
		return nil, fmt.Errorf("there is no command %s", p.Command)
	}
	result, err := s.service.Evaluate(ctx, path, ask)
	if err != nil {
		return nil, err
	}
	out := outcome{Text: result.Text, Type: result.Type}
	svg, err := result.SVG()
	if err != nil {
		return nil, err
	}
	beside := result.Text
	if svg != nil {
		beside = "a figure"
		out.Figure = "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(svg)
		if out.File, err = s.figure(cmp.Or(name, "result"), svg); err != nil {
			return nil, err
		}
	}
	s.answer(path, name, beside)
	s.refreshInlays()
	return out, nil
}

// refreshInlays asks the editor to request inlays again. An editor that does not support this
// shows them at the next edit.
func (s *server) refreshInlays() {
	s.beside.Go(func() { s.conn.Call(s.ctx, "workspace/inlayHint/refresh", nil, nil) })
}

// figure writes a figure to a file. It asks the editor to open the file, unless the editor shows
// figures itself.
func (s *server) figure(name string, svg []byte) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.figures == "" {
		folder, err := os.MkdirTemp("", "fluxion-figures-")
		if err != nil {
			return "", err
		}
		s.figures = folder
	}
	path := filepath.Join(s.figures, name+".svg")
	if err := os.WriteFile(path, svg, 0o600); err != nil {
		return "", err
	}
	if s.client.Capabilities.Window.ShowDocument.Support && !s.client.Options.Figures {
		uri := uriOf(&diag.File{Name: path})
		s.beside.Go(func() {
			ask := map[string]any{"uri": uri, "external": true}
			s.conn.Call(s.ctx, "window/showDocument", ask, nil)
		})
	}
	return path, nil
}

// removeFigures deletes the files of figures when the connection ends.
func (s *server) removeFigures() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.figures != "" {
		os.RemoveAll(s.figures)
	}
}

// maxBeside bounds how much of a result is shown beside its line.
const maxBeside = 80

// answer keeps a result, which is shown beside its definition until the document changes.
func (s *server) answer(path, name, text string) {
	first, _, more := strings.Cut(text, "\n")
	if r := []rune(first); len(r) > maxBeside {
		first, more = string(r[:maxBeside]), true
	}
	if more {
		first += " …"
	}
	for _, l := range s.service.Lenses(path) {
		if l.Name == name {
			s.mu.Lock()
			s.shown[filepath.Clean(path)+"\x00"+name] = &answer{l.At, first}
			s.mu.Unlock()
		}
	}
}

func (s *server) answers(path string) []*answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []*answer
	for key, a := range s.shown {
		if strings.HasPrefix(key, filepath.Clean(path)+"\x00") {
			found = append(found, a)
		}
	}
	return found
}

// forget drops the results of a document that has changed.
func (s *server) forget(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key := range s.shown {
		if strings.HasPrefix(key, filepath.Clean(path)+"\x00") {
			delete(s.shown, key)
		}
	}
}
