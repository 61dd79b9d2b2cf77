// Package lsp is the language server. It translates between the Language Server Protocol and
// package service, which decides the answers.
package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"go.lsp.dev/jsonrpc2"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/service"
	"github.com/fluxion-lang/fluxion/internal/task"
)

// Options holds the options of the command line.
type Options struct {
	Version  string
	Settings driver.Settings // for evaluations
}

// Serve serves one client until it sends exit, the stream ends or ctx is cancelled.
func Serve(ctx context.Context, stream io.ReadWriteCloser, opts Options) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s := &server{ctx: ctx, service: service.New(), opts: opts, shown: map[string]*answer{},
		running: map[string]context.CancelFunc{}}
	s.conn = jsonrpc2.NewConn(newStream(newOutbox(stream), func(err error) {
		s.beside.Go(func() { s.log(messageError, err.Error()) })
	}))
	defer s.removeFigures()
	defer s.beside.Wait()
	defer s.handlers.Wait()
	defer stop()
	s.conn.Go(ctx, s.handle)
	select {
	case <-s.conn.Done():
	case <-ctx.Done():
		s.conn.Close()
		<-s.conn.Done()
	}
	return s.conn.Err()
}

type server struct {
	// the context of the connection; contexts of requests cannot be kept, because they are reused
	// once the request is answered
	ctx     context.Context
	service *service.Service
	conn    jsonrpc2.Conn
	opts    Options
	// those that answer, which go on for a moment after the connection has ended
	handlers sync.WaitGroup
	beside   task.Group // what a handler cannot wait for, because it waits for the handler

	mu      sync.Mutex
	running map[string]context.CancelFunc // cancels the calls under way, by their ids
	shown   map[string]*answer            // the results of lenses, by document and name
	down    bool
	client  peer
	figures string // the folder of the figures drawn so far; "" if there is none
}

// peer is what a client says about itself.
type peer struct {
	Capabilities struct {
		Window struct {
			ShowDocument struct {
				Support bool `json:"support"`
			} `json:"showDocument"`
		} `json:"window"`
	} `json:"capabilities"`
	Options struct {
		// whether it shows figures itself, from the results of commands
		Figures bool `json:"figures"`
	} `json:"initializationOptions"`
}

// answer is a result that is shown beside its line.
type answer struct {
	at   diag.Span
	text string
}

var errNotOpen = errors.New("the document is not open")

// methods maps the methods of the protocol to their handlers.
var methods = map[string]func(s *server, ctx context.Context, params []byte) (any, error){
	"initialize":                          on((*server).initialize),
	"shutdown":                            (*server).shutdown,
	"textDocument/hover":                  on((*server).hover),
	"textDocument/completion":             on((*server).completion),
	"textDocument/signatureHelp":          on((*server).signatureHelp),
	"textDocument/definition":             on((*server).definition),
	"textDocument/references":             on((*server).references),
	"textDocument/documentHighlight":      on((*server).highlight),
	"textDocument/prepareRename":          on((*server).prepareRename),
	"textDocument/rename":                 on((*server).rename),
	"textDocument/documentSymbol":         on((*server).symbols),
	"textDocument/foldingRange":           on((*server).folds),
	"textDocument/semanticTokens/full":    on((*server).tokens),
	"textDocument/formatting":             on((*server).format),
	"textDocument/inlayHint":              on((*server).inlays),
	"textDocument/codeAction":             on((*server).actions),
	"textDocument/codeLens":               on((*server).lenses),
	"workspace/executeCommand":            on((*server).execute),
	"textDocument/didOpen":                on((*server).didOpen),
	"textDocument/didChange":              on((*server).didChange),
	"textDocument/didClose":               on((*server).didClose),
	"textDocument/didSave":                on((*server).didSave),
	"workspace/didChangeWatchedFiles":     (*server).refresh,
	"initialized":                         nothing,
	"workspace/didChangeConfiguration":    nothing,
	"$/setTrace":                          nothing,
	"workspace/didChangeWorkspaceFolders": nothing,
}

func nothing(*server, context.Context, []byte) (any, error) { return nil, nil }

// on returns a handler that decodes its parameters.
func on[P any](f func(s *server, ctx context.Context, p *P) (any, error)) func(
	*server, context.Context, []byte) (any, error) {
	return func(s *server, ctx context.Context, params []byte) (any, error) {
		p := new(P)
		if err := json.Unmarshal(params, p); err != nil {
			return nil, jsonrpc2.NewError(jsonrpc2.InvalidParams, err.Error())
		}
		return f(s, ctx, p)
	}
}

// handle answers a message. An error in a notification does not end the connection, and neither
// does a panic in a handler: both are logged.
func (s *server) handle(ctx context.Context, req *jsonrpc2.Request) (result any, err error) {
	s.handlers.Add(1)
	defer s.handlers.Done()
	method, call := strings.Clone(req.Method()), req.IsCall()
	defer func() {
		if r := recover(); r != nil {
			s.log(messageError, fmt.Sprintf("a bug in Fluxion, in %s: %v", method, r))
			err = jsonrpc2.NewError(jsonrpc2.InternalError, fmt.Sprint(r))
		}
		if err != nil && !call {
			s.log(messageError, method+": "+err.Error())
			err = nil
		}
	}()
	switch {
	case method == "$/cancelRequest":
		return nil, s.cancel(req.Params())
	case method == "exit":
		s.beside.Go(func() { s.conn.Close() })
		return nil, nil
	}
	f := methods[method]
	if f == nil {
		if !call {
			return nil, nil
		}
		return nil, jsonrpc2.NewError(jsonrpc2.MethodNotFound, "there is no method "+method)
	}
	if s.stopped() && call && method != "shutdown" {
		return nil, jsonrpc2.NewError(jsonrpc2.InvalidRequest, "the server was shut down")
	}
	if method == "workspace/executeCommand" {
		// it may take long, and later messages, such as its cancellation, must not wait for it
		jsonrpc2.Async(ctx)
	}
	own, done := s.begin(fmt.Sprint(req.ID()))
	defer done()
	result, err = f(s, own, req.Params())
	if err != nil {
		var coded *jsonrpc2.Error
		if !errors.As(err, &coded) {
			err = jsonrpc2.NewError(requestFailed, err.Error())
		}
	}
	return result, err
}

// requestFailed is the protocol's code for a request that was understood but could not be done.
const requestFailed jsonrpc2.Code = -32803

// begin returns the context of a call. Cancelling the call ends it.
func (s *server) begin(id string) (ctx context.Context, done func()) {
	ctx, stop := context.WithCancel(s.ctx)
	s.mu.Lock()
	s.running[id] = stop
	s.mu.Unlock()
	return ctx, func() {
		s.mu.Lock()
		delete(s.running, id)
		s.mu.Unlock()
		stop()
	}
}

func (s *server) cancel(params []byte) error {
	var p struct {
		ID json.RawMessage `json:"id"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if stop := s.running[strings.Trim(string(p.ID), `"`)]; stop != nil {
		stop()
	}
	return nil
}

func (s *server) stopped() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.down
}

func (s *server) log(kind int, text string) {
	s.conn.Notify(context.Background(), "window/logMessage",
		map[string]any{"type": kind, "message": text})
}

func (s *server) initialize(_ context.Context, c *peer) (any, error) {
	s.mu.Lock()
	s.client = *c
	s.mu.Unlock()
	return map[string]any{
		"serverInfo": map[string]string{"name": "fluxion", "version": s.opts.Version},
		"capabilities": map[string]any{
			"positionEncoding": "utf-16",
			"textDocumentSync": map[string]any{"openClose": true, "change": 2,
				"save": true},
			"hoverProvider":              true,
			"completionProvider":         map[string]any{"triggerCharacters": []string{"."}},
			"signatureHelpProvider":      map[string]any{"triggerCharacters": []string{" "}},
			"definitionProvider":         true,
			"referencesProvider":         true,
			"documentHighlightProvider":  true,
			"renameProvider":             map[string]any{"prepareProvider": true},
			"documentSymbolProvider":     true,
			"foldingRangeProvider":       true,
			"documentFormattingProvider": true,
			"inlayHintProvider":          true,
			"codeActionProvider": map[string]any{
				"codeActionKinds": []string{"quickfix", "refactor"}},
			"codeLensProvider":       map[string]any{},
			"executeCommandProvider": map[string]any{"commands": commands},
			"semanticTokensProvider": map[string]any{
				"legend": map[string]any{"tokenTypes": tokenTypes,
					"tokenModifiers": tokenModifiers},
				"full": true,
			},
		},
	}, nil
}

func (s *server) shutdown(context.Context, []byte) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = true
	return nil, nil
}

// pathOf returns the path of the file that a URI names. A document that was never saved gets a
// path that is not on disk.
func pathOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return filepath.Clean(strings.NewReplacer(":", "_", "/", "_").Replace(uri) + ".flx")
	}
	path := u.Path
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/")
	}
	return filepath.Clean(filepath.FromSlash(path))
}

// uriOf returns the URI of a file. If no copy of a library file can be written, the URI has a
// scheme of its own, and no editor can open it.
func uriOf(f *diag.File) string {
	path := f.Name
	if f.Library {
		var err error
		if path, err = service.LibraryCopy(f); err != nil {
			return "fluxion:/" + f.Name
		}
	}
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// place returns the path of a document and an offset in it.
func (s *server) place(p positionParams) (path string, offset int, err error) {
	path = pathOf(p.TextDocument.URI)
	doc := s.service.Document(path)
	if doc == nil {
		return "", 0, errNotOpen
	}
	return path, service.Offset(doc.Text, p.Position), nil
}
