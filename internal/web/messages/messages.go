// Package messages answers the page. Each request is a JSON object with a method. Each answer is
// one or more JSON objects, of which the last is the result or the error. With `fluxion serve`,
// requests come by HTTP. If the page is served as files, they come from a worker in the browser
// that runs this package as WebAssembly. This package knows neither: it translates between
// messages and package service, which does the work.
package messages

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"runtime/debug"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/fluxion-lang/fluxion/docs"
	"github.com/fluxion-lang/fluxion/examples"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/service"
)

// Session is one page: its document and the files that it was given. It is safe for concurrent
// use.
type Session struct {
	service  *service.Service
	settings driver.Settings
	given    func(path string) (string, error)

	mu    sync.Mutex
	files map[string]string // the files that the page has uploaded, by cleaned path
	bytes int
	open  string // the document of the last request
	text  string
}

// Options says what the programs of a session may use.
type Options struct {
	Settings driver.Settings
	// Given, if not nil, reads the files that the user named on the command line.
	Given func(path string) (string, error)
}

// New makes a session.
func New(o Options) *Session {
	s := &Session{settings: o.Settings, given: o.Given, files: map[string]string{}}
	s.service = service.NewReading(s.read)
	return s
}

// maxFiles bounds the bytes that a page may upload.
const maxFiles = 64 << 20

// read returns a file for imports and data of programs. It looks at what the page has uploaded,
// then at the examples and their data, then at what the command was given. Nothing else can be
// read.
func (s *Session) read(name string) (string, error) {
	name = path.Clean(name)
	s.mu.Lock()
	text, ok := s.files[name]
	s.mu.Unlock()
	if ok {
		return text, nil
	}
	if data, err := fs.ReadFile(examples.FS, name); err == nil {
		return string(data), nil
	}
	if inside, ok := strings.CutPrefix(name, "docs/"); ok {
		if data, err := fs.ReadFile(docs.Data, inside); err == nil {
			return string(data), nil
		}
	}
	if s.given != nil {
		return s.given(name)
	}
	return "", fs.ErrNotExist
}

// request is a request of the page. The method decides which fields matter.
type request struct {
	Method string `json:"method"`
	Path   string `json:"path"` // of the document
	Text   string `json:"text"` // the current text of the document
	At     int    `json:"at"`   // a place in it, in UTF-16 units

	Name   string  `json:"name"`   // of a definition, a file or a page
	Expr   string  `json:"expr"`   // an expression that sees the document
	Digits int     `json:"digits"` // the digits of an exact run; 0 for doubles
	From   float64 `json:"from"`
	To     float64 `json:"to"`
	Orders int     `json:"orders"`
	Band   bool    `json:"band"`
	Data   []byte  `json:"data"` // of a file
}

// methods maps the methods of the page to their handlers. Each may send events before it returns
// its result.
var methods = map[string]func(*Session, context.Context, *request, func(event any)) (any, error){
	"check":    (*Session).check,
	"hover":    (*Session).hover,
	"complete": (*Session).complete,
	"format":   (*Session).format,
	"run":      (*Session).run,
	"graph":    (*Session).graph,
	"lab":      (*Session).lab,
	"put":      (*Session).put,
	"file":     (*Session).file,
	"examples": (*Session).examples,
	"page":     (*Session).page,
}

// Answer answers a request. It calls send with each message; the last one has a field "result" or
// "error".
func (s *Session) Answer(ctx context.Context, message []byte, send func(message []byte)) {
	post := func(v any) {
		b, err := json.Marshal(v)
		if err != nil {
			b, _ = json.Marshal(map[string]any{"error": failure{Message: err.Error()}})
		}
		send(b)
	}
	result, err := s.answer(ctx, message, post)
	if err != nil {
		post(map[string]any{"error": s.failure(err)})
		return
	}
	post(map[string]any{"result": result})
}

func (s *Session) answer(ctx context.Context, message []byte, post func(any)) (
	result any, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("this is a bug in Fluxion, not in your program: %v\n%s", r,
				debug.Stack())
		}
	}()
	var r request
	if err := json.Unmarshal(message, &r); err != nil {
		return nil, fmt.Errorf("the message cannot be read: %w", err)
	}
	method := methods[r.Method]
	if method == nil {
		return nil, fmt.Errorf("there is no method `%s`", r.Method)
	}
	if r.Path = path.Clean(r.Path); r.Path == "." || !fs.ValidPath(r.Path) {
		r.Path = "program.flx"
	}
	if !utf8.ValidString(r.Text) {
		return nil, errors.New("the text is not UTF-8")
	}
	s.show(&r)
	return method(s, ctx, &r, post)
}

// show makes the document of a request the open one.
func (s *Session) show(r *request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Path == s.open && r.Text == s.text {
		return
	}
	if s.open != "" && s.open != r.Path {
		s.service.Close(s.open)
	}
	s.open, s.text = r.Path, r.Text
	s.service.Open(r.Path, r.Text, 0)
}

// put keeps a file for programs to import or read.
func (s *Session) put(_ context.Context, r *request, _ func(any)) (any, error) {
	name := path.Clean(r.Name)
	if !fs.ValidPath(name) {
		return nil, fmt.Errorf("`%s` cannot be the name of a file", r.Name)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bytes += len(r.Data) - len(s.files[name]); s.bytes > maxFiles {
		s.bytes -= len(r.Data) - len(s.files[name])
		return nil, fmt.Errorf("the files of a page may have %d MiB together", maxFiles>>20)
	}
	s.files[name] = string(r.Data)
	s.service.Refresh()
	return map[string]any{}, nil
}

// file returns the program that the command was given.
func (s *Session) file(_ context.Context, r *request, _ func(any)) (any, error) {
	text, err := s.read(r.Name)
	if err != nil {
		return nil, driver.CannotRead(diag.Span{}, r.Name, err)
	}
	return text, nil
}

// failure is an error as the page shows it.
type failure struct {
	Message string   `json:"message"`
	Code    string   `json:"code,omitempty"`
	Where   string   `json:"where,omitempty"` // the file, if it is not the document
	From    int      `json:"from"`
	To      int      `json:"to"`
	Label   string   `json:"label,omitempty"`
	Hints   []string `json:"hints,omitempty"`
	Warning bool     `json:"warning,omitempty"`

	Related []failure `json:"related,omitempty"`
	Actions []action  `json:"actions,omitempty"`
}

func (s *Session) failure(err error) failure {
	var d *diag.Diagnostic
	if !errors.As(err, &d) {
		return failure{Message: err.Error()}
	}
	return s.finding(d)
}

// finding returns a diagnostic for the page. If its place is in another file than the document,
// it says where.
func (s *Session) finding(d *diag.Diagnostic) failure {
	f := s.place(d.Span)
	f.Message, f.Code, f.Label, f.Hints = d.Message, string(d.Code), d.Label, d.Hints
	f.Warning = d.Severity == diag.Warning
	for _, r := range d.Related {
		related := s.place(r.Span)
		related.Message = r.Message
		f.Related = append(f.Related, related)
	}
	return f
}

func (s *Session) place(at diag.Span) failure {
	if !at.Known() {
		return failure{}
	}
	s.mu.Lock()
	name := s.open
	s.mu.Unlock()
	if at.File.Name != name {
		return failure{Where: fmt.Sprint(at)}
	}
	return failure{From: units(at.File.Text, at.Start), To: units(at.File.Text, at.End)}
}

// units returns the number of UTF-16 units before a byte offset.
func units(text string, offset int32) int {
	n := 0
	for _, r := range text[:min(int(offset), len(text))] {
		if n++; r > 0xffff {
			n++
		}
	}
	return n
}

// offset returns the byte offset after the given number of UTF-16 units.
func offset(text string, units int) int {
	for k, r := range text {
		if units <= 0 {
			return k
		}
		if units--; r > 0xffff {
			units--
		}
	}
	return len(text)
}
