package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"go.lsp.dev/jsonrpc2"

	"github.com/fluxion-lang/fluxion/internal/service"
	"github.com/fluxion-lang/fluxion/internal/task/tasktest"
)

// client is a scripted editor.
type client struct {
	t    *testing.T
	conn jsonrpc2.Conn
	mu   sync.Mutex
	last map[string]publishDiagnostics // by URI
	news chan struct{}

	shown chan string // what the editor was asked to open
}

// connect starts a server and a client of it.
func connect(t *testing.T) *client {
	t.Helper()
	ours, theirs := net.Pipe()
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- Serve(ctx, theirs, Options{Version: "test"}) }()
	c := &client{t: t, last: map[string]publishDiagnostics{}, news: make(chan struct{}, 100_000), shown: make(chan string, 10)}
	c.conn = jsonrpc2.NewConn(jsonrpc2.NewHeaderStream(ours))
	c.conn.Go(ctx, func(_ context.Context, req *jsonrpc2.Request) (any, error) {
		switch req.Method() {
		case "textDocument/publishDiagnostics":
			var p publishDiagnostics
			if err := json.Unmarshal(req.Params(), &p); err != nil {
				t.Errorf("diagnostics: %v", err)
			}
			c.mu.Lock()
			c.last[p.URI] = p
			c.mu.Unlock()
			c.news <- struct{}{}
		case "window/showDocument":
			var p struct{ URI string }
			if err := json.Unmarshal(req.Params(), &p); err != nil {
				t.Errorf("showDocument: %v", err)
			}
			c.shown <- p.URI
			return map[string]bool{"success": true}, nil
		case "window/logMessage":
			t.Logf("log: %s", req.Params())
		}
		return nil, nil
	})
	t.Cleanup(func() {
		stop()
		c.conn.Close()
		<-done
	})
	c.call("initialize", map[string]any{"capabilities": map[string]any{}}, nil)
	c.notify("initialized", map[string]any{})
	return c
}

func (c *client) call(method string, params, result any) {
	c.t.Helper()
	if err := c.try(method, params, result); err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
}

func (c *client) try(method string, params, result any) error {
	ctx, stop := context.WithTimeout(context.Background(), 20*time.Second)
	defer stop()
	_, err := c.conn.Call(ctx, method, params, result)
	return err
}

func (c *client) notify(method string, params any) {
	c.t.Helper()
	if err := c.conn.Notify(context.Background(), method, params); err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
}

// open starts a document and gives its findings.
func (c *client) open(uri, text string) []diagnostic {
	c.notify("textDocument/didOpen", documentParams{textDocument{URI: uri, Version: 1, Text: text}})
	return c.findings(uri, 1)
}

// findings waits for those of a version.
func (c *client) findings(uri string, version int) []diagnostic {
	c.t.Helper()
	deadline := time.After(20 * time.Second)
	for {
		c.mu.Lock()
		p, ok := c.last[uri]
		c.mu.Unlock()
		if ok && p.Version == version {
			return p.Diagnostics
		}
		select {
		case <-c.news:
		case <-deadline:
			c.t.Fatalf("no diagnostics of %s, version %d", uri, version)
		}
	}
}

// at returns the position of the n-th occurrence of a word in a text, counted from 0.
func at(uri, text, word string, n int) positionParams {
	offset := -1
	for range n + 1 {
		offset += 1 + strings.Index(text[offset+1:], word)
	}
	line := strings.Count(text[:offset], "\n")
	column := len([]rune(text[strings.LastIndexByte(text[:offset], '\n')+1 : offset]))
	return positionParams{textDocument{URI: uri}, service.Position{Line: line, Character: column}}
}

const program = `import linalg

data Shape = Disc Real | Square Real

--| The area of a shape.
let area (s : Shape) : Real =
  match s with
  | Disc r -> pi * r^2
  | Square a -> a^2

let loss (p : {x : Real, y : Real}) : Real =
  let dx = p.x - 1
  dx^2 + (p.y - 0.1)^2

let slope = grad loss {x = 3, y = 2}

area (Disc 2)
`

const uri = "file:///tmp/program.flx"

func TestEditing(t *testing.T) {
	c := connect(t)
	found := c.open(uri, program)
	if len(found) != 1 || found[0].Code != "W0104" || found[0].Tags[0] != tagUnnecessary {
		t.Errorf("findings: %+v", found)
	}
	// A mistake, in the middle of a line, and its correction.
	change := func(version int, r service.Range, text string) []diagnostic {
		c.notify("textDocument/didChange", map[string]any{
			"textDocument":   textDocument{URI: uri, Version: version},
			"contentChanges": []any{map[string]any{"range": r, "text": text}},
		})
		return c.findings(uri, version)
	}
	p := at(uri, program, "pi", 0).Position
	r := service.Range{Start: p, End: service.Position{Line: p.Line, Character: p.Character + 2}}
	if found = change(2, r, "po"); len(found) != 1 || found[0].Code != "E0201" {
		t.Errorf("after the mistake: %+v", found)
	}
	if found = change(3, r, "pi"); len(found) != 1 {
		t.Errorf("after the correction: %+v", found)
	}
}

// TestLibrary: the definition of a name of the library is in a file, which is a document without
// findings, from which the way goes on.
func TestLibrary(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	c := connect(t)
	text := "import array\n\narray.sort [2.0, 1]\n"
	c.open(uri, text)
	var l location
	c.call("textDocument/definition", at(uri, text, "sort", 0), &l)
	module, err := os.ReadFile(pathOf(l.URI))
	if err != nil || filepath.Base(pathOf(l.URI)) != "array.flx" {
		t.Fatalf("the definition is at %+v: %v", l, err)
	}
	lines := strings.Split(string(module), "\n")
	if line := lines[l.Range.Start.Line]; !strings.HasPrefix(line, "let sort ") {
		t.Errorf("the definition is %q", line)
	}
	if info, err := os.Stat(pathOf(l.URI)); err != nil || info.Mode().Perm()&0o222 != 0 {
		t.Errorf("the copy can be written: %v, %v", info.Mode(), err)
	}
	if found := c.open(l.URI, string(module)); len(found) != 0 {
		t.Errorf("findings in the library: %+v", found)
	}
	var inner location
	c.call("textDocument/definition", positionParams{textDocument{URI: l.URI}, l.Range.Start}, &inner)
	if inner != l {
		t.Errorf("from %+v the way goes to %+v", l, inner)
	}
	var uses []location
	c.call("textDocument/references", referenceParams{positionParams: positionParams{textDocument{URI: l.URI}, l.Range.Start}}, &uses)
	if len(uses) != 1 || uses[0].URI != uri {
		t.Errorf("the definition is used at %+v", uses)
	}
}

func TestHover(t *testing.T) {
	c := connect(t)
	c.open(uri, program)
	for _, test := range []struct {
		word string
		n    int
		want string
	}{
		{"area", 1, "area : Shape -> Real"},
		{"area", 1, "The area of a shape."},
		{"dx", 1, "dx : Real"},
		{"pi", 0, "pi : Real"},
		{"0.1", 0, "Exactly 1/10. In float mode it is rounded to 0.1000000000000000055511151231257827"},
		{"Disc", 1, "Disc Real"},
		{"grad", 0, "grad"},
	} {
		var h hover
		c.call("textDocument/hover", at(uri, program, test.word, test.n), &h)
		if !strings.Contains(h.Contents.Value, test.want) {
			t.Errorf("hover over %s: %q lacks %q", test.word, h.Contents.Value, test.want)
		}
	}
}

func TestNavigation(t *testing.T) {
	c := connect(t)
	c.open(uri, program)
	var l location
	c.call("textDocument/definition", at(uri, program, "loss", 1), &l)
	if l.Range.Start != at(uri, program, "loss", 0).Position {
		t.Errorf("loss is defined at %+v", l)
	}
	c.call("textDocument/definition", at(uri, program, "Disc", 2), &l)
	if l.Range.Start != at(uri, program, "Disc", 0).Position {
		t.Errorf("Disc is defined at %+v", l)
	}
	var refs []location
	p := referenceParams{positionParams: at(uri, program, "dx", 0)}
	p.Context.IncludeDeclaration = true
	c.call("textDocument/references", p, &refs)
	if len(refs) != 2 {
		t.Errorf("dx is mentioned at %+v", refs)
	}
	var edit workspaceEdit
	c.call("textDocument/rename", renameParams{at(uri, program, "loss", 0), "cost"}, &edit)
	if n := len(edit.Changes[uri]); n != 2 {
		t.Errorf("renaming loss: %+v", edit)
	}
	for _, wrong := range []string{"let", "Cost", "area", "1x", ""} {
		if c.try("textDocument/rename", renameParams{at(uri, program, "loss", 0), wrong}, nil) == nil {
			t.Errorf("loss can be renamed to %q", wrong)
		}
	}
	if c.try("textDocument/prepareRename", at(uri, program, "pi", 0), nil) == nil {
		t.Error("pi can be renamed")
	}
	var symbols []documentSymbol
	c.call("textDocument/documentSymbol", documentParams{textDocument{URI: uri}}, &symbols)
	var names []string
	for _, s := range symbols {
		names = append(names, s.Name)
	}
	if got := strings.Join(names, " "); got != "Shape area loss slope" {
		t.Errorf("symbols: %s", got)
	}
}

func TestCompletion(t *testing.T) {
	text := program + "\nlet more (q : {mass : Real, charge : Real}) : Real =\n  let local = 1\n  q."
	c := connect(t)
	c.open(uri, text)
	labels := func(text string) string {
		c.notify("textDocument/didChange", map[string]any{
			"textDocument": textDocument{URI: uri, Version: 2}, "contentChanges": []any{map[string]any{"text": text}},
		})
		var list completionList
		line := strings.Count(text, "\n")
		c.call("textDocument/completion", positionParams{textDocument{URI: uri}, service.Position{Line: line, Character: 1000}}, &list)
		var found []string
		for _, item := range list.Items {
			found = append(found, item.Label)
		}
		return " " + strings.Join(found, " ") + " "
	}
	for _, test := range []struct{ tail, want string }{
		{"q.", "mass"},
		{"q.ch", "charge"},
		{"lo", "local"},
		{"ar", "area"},
		{"linalg.sol", "solve"},
		{"tan", "tanh"},
		{"hist", "stats.histogram"},
		{"Squ", "Square"},
	} {
		full := strings.TrimSuffix(text, "q.") + test.tail
		if got := labels(full); !strings.Contains(got, " "+test.want+" ") {
			t.Errorf("after %s: %s lacks %s", test.tail, got, test.want)
		}
	}
}

func TestSignature(t *testing.T) {
	text := "let f (x : Real) (n : Int) : Real = x^n\n\nf 2 3\n"
	c := connect(t)
	c.open(uri, text)
	var help signatureHelp
	c.call("textDocument/signatureHelp", at(uri, text, "3", 0), &help)
	if len(help.Signatures) != 1 || help.ActiveParameter != 1 || len(help.Signatures[0].Parameters) != 2 {
		t.Errorf("signature: %+v", help)
	}
}

func TestLenses(t *testing.T) {
	c := connect(t)
	c.open(uri, program)
	var lenses []codeLens
	c.call("textDocument/codeLens", documentParams{textDocument{URI: uri}}, &lenses)
	titles := map[string]int{}
	for _, l := range lenses {
		titles[l.Command.Title]++
	}
	if titles["run"] != 2 || titles["exact"] != 2 || titles["gradient by every algorithm"] != 2 {
		t.Errorf("lenses: %v", titles)
	}
	var out outcome
	c.call("workspace/executeCommand", map[string]any{"command": runCommand, "arguments": []any{uri, "slope"}}, &out)
	if out.Text != "{x = 4, y = 3.8}" {
		t.Errorf("slope is %+v", out)
	}
	var hints []inlayHint
	whole := rangeParams{textDocument{URI: uri}, service.Range{End: service.Position{Line: 1000}}}
	c.call("textDocument/inlayHint", whole, &hints)
	if s := fmt.Sprint(hints); !strings.Contains(s, "⇒ {x = 4, y = 3.8}") || !strings.Contains(s, " : Real") {
		t.Errorf("beside the lines: %s", s)
	}
	c.call("workspace/executeCommand", map[string]any{"command": exactCommand, "arguments": []any{uri, ""}}, &out)
	if !strings.HasPrefix(out.Text, "[12.566370614359172, ") {
		t.Errorf("exactly: %+v", out)
	}
	c.call("workspace/executeCommand", map[string]any{"command": gradientCommand, "arguments": []any{uri, "loss"}}, &out)
	if !strings.Contains(out.Text, "delta") {
		t.Errorf("by every algorithm: %s", out.Text)
	}
	c.call("textDocument/inlayHint", whole, &hints)
	if s := fmt.Sprint(hints); !strings.Contains(s, "⇒ gradient {x = ") {
		t.Errorf("beside the lines: %s", s)
	}
}

// TestCancel: a program without end is stopped by its cancellation, and others are answered
// meanwhile.
func TestCancel(t *testing.T) {
	text := "let forever = loop x = 0 while x < 1 do x * 1\n\nforever\n"
	c := connect(t)
	c.open(uri, text)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		_, err := c.conn.Call(ctx, "workspace/executeCommand", map[string]any{"command": runCommand, "arguments": []any{uri, "forever"}}, nil)
		done <- err
	}()
	var h hover
	c.call("textDocument/hover", at(uri, text, "forever", 0), &h)
	// The client does not tell the number of a call that is under way, and the call may not have
	// arrived yet.
	deadline := time.After(20 * time.Second)
	for again := true; again; {
		for id := range 10 {
			c.notify("$/cancelRequest", map[string]any{"id": id})
		}
		select {
		case err := <-done:
			if err == nil {
				t.Error("a loop without end has a value")
			}
			again = false
		case <-deadline:
			t.Error("the cancellation did not arrive")
			again = false
		case <-time.After(10 * time.Millisecond):
		}
	}
	stop()
}

// TestServeEnds: when a connection ends while a program without end runs, and figures and inlays
// are under way, no goroutine outlives it.
func TestServeEnds(t *testing.T) {
	before := len(tasktest.Goroutines())
	t.Run("connection", func(t *testing.T) {
		c := connect(t)
		c.open(uri, "let forever = loop x = 0 while x < 1 do x * 1\n\nforever\n")
		for range 3 {
			go c.conn.Call(context.Background(), "workspace/executeCommand",
				map[string]any{"command": runCommand, "arguments": []any{uri, "forever"}}, nil)
		}
		var h hover
		c.call("textDocument/hover", map[string]any{"textDocument": map[string]any{"uri": uri},
			"position": map[string]any{"line": 0, "character": 5}}, &h)
	})
	tasktest.Ended(t, before)
}

// TestHostile: what is malformed is answered by an error, and the server lives on.
func TestHostile(t *testing.T) {
	c := connect(t)
	c.open(uri, "let 😀 = \"😀\" + 1\n")
	for _, m := range []string{"nonsense/method", "textDocument/hover", "textDocument/rename"} {
		if c.try(m, map[string]any{"position": "here"}, nil) == nil {
			t.Errorf("%s with wrong parameters has an answer", m)
		}
	}
	c.notify("$/unknown", 7)
	c.notify("textDocument/didChange", map[string]any{"textDocument": 3})
	// Edits in the middle of a pair of UTF-16 units, beyond the line and beyond the text.
	for v, r := range []service.Range{
		{Start: service.Position{Line: 0, Character: 5}, End: service.Position{Line: 0, Character: 5}},
		{Start: service.Position{Line: 0, Character: 999}, End: service.Position{Line: 99, Character: 0}},
		{Start: service.Position{Line: 50, Character: 3}, End: service.Position{Line: 2, Character: 0}},
	} {
		c.notify("textDocument/didChange", map[string]any{
			"textDocument":   textDocument{URI: uri, Version: v + 2},
			"contentChanges": []any{map[string]any{"range": r, "text": "x"}},
		})
		c.findings(uri, v+2)
	}
	c.call("textDocument/hover", positionParams{textDocument{URI: uri}, service.Position{Line: 0, Character: 1}}, nil)
}

// documents returns every program of the examples and of the test data, by paths that they may
// have.
func documents(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, pattern := range []string{"../../examples/*.flx", "../../testdata/*/*.txtar"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("there is no %s", pattern)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			path, err := filepath.Abs(file)
			if err != nil {
				t.Fatal(err)
			}
			if filepath.Ext(file) == ".flx" {
				found[path] = string(text)
				continue
			}
			for _, f := range txtar.Parse(text).Files {
				if strings.HasSuffix(f.Name, ".flx") {
					found[strings.TrimSuffix(path, ".txtar")+"/"+f.Name] = string(f.Data)
				}
			}
		}
	}
	return found
}

// TestEveryDocument opens every program of the test data, right or wrong, and asks all there is to
// ask at many places.
func TestEveryDocument(t *testing.T) {
	c := connect(t)
	asked := 0
	for path, text := range documents(t) {
		uri := "file://" + filepath.ToSlash(path)
		example := strings.HasSuffix(filepath.Dir(path), "examples")
		for _, d := range c.open(uri, text) {
			if d.Severity == severityError && example {
				t.Errorf("%s: %s", path, d.Message)
			}
		}
		document := documentParams{textDocument{URI: uri}}
		for _, method := range []string{"documentSymbol", "foldingRange", "semanticTokens/full", "formatting", "codeLens"} {
			c.call("textDocument/"+method, document, nil)
		}
		lines := strings.Split(text, "\n")
		step := 7
		if !example { // there are many, and they are short
			step = len(lines)
		}
		for line := len(text) % min(7, len(lines)); line < len(lines); line += step {
			p := positionParams{textDocument{URI: uri}, service.Position{Line: line, Character: (line*5 + len(text)) % (len(lines[line]) + 1)}}
			for _, method := range []string{"hover", "completion", "definition", "documentHighlight", "signatureHelp"} {
				c.call("textDocument/"+method, p, nil)
			}
			c.call("textDocument/codeAction", rangeParams{p.TextDocument, service.Range{Start: p.Position, End: service.Position{Line: line + 1}}}, nil)
			asked++
		}
		c.notify("textDocument/didClose", document)
	}
	t.Logf("asked at %d places", asked)
}

// TestFigure: a plot is written to a file, which the editor is asked to open, and which goes with
// the connection.
func TestFigure(t *testing.T) {
	text := "import plot\n\nlet curve = plot.fn 0 6 sin\n\ncurve\n"
	c := connect(t)
	c.call("initialize", map[string]any{"capabilities": map[string]any{"window": map[string]any{"showDocument": map[string]any{"support": true}}}}, nil)
	c.open(uri, text)
	var out outcome
	c.call("workspace/executeCommand", map[string]any{"command": runCommand, "arguments": []any{uri, "curve"}}, &out)
	svg, err := os.ReadFile(out.File)
	if err != nil || !strings.Contains(string(svg), "<svg") || !strings.HasPrefix(out.Figure, "data:image/svg+xml") {
		t.Errorf("the figure is %q in %s: %v", svg, out.File, err)
	}
	select {
	case shown := <-c.shown:
		if !strings.HasSuffix(shown, "/curve.svg") {
			t.Errorf("the editor is to open %s", shown)
		}
	case <-time.After(20 * time.Second):
		t.Error("the editor is not asked to open the figure")
	}
	var hints []inlayHint
	c.call("textDocument/inlayHint", rangeParams{textDocument{URI: uri}, service.Range{End: service.Position{Line: 1000}}}, &hints)
	if s := fmt.Sprint(hints); !strings.Contains(s, "⇒ a figure") {
		t.Errorf("beside the lines: %s", s)
	}
}
