package lsp

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fluxion-lang/fluxion/internal/service"
)

// raw is a client that writes bytes.
type raw struct {
	t      *testing.T
	stream net.Conn
	read   *bufio.Reader
}

func connectRaw(t *testing.T) *raw {
	t.Helper()
	ours, theirs := net.Pipe()
	done := make(chan error, 1)
	go func() { done <- Serve(context.Background(), theirs, Options{Version: "test"}) }()
	t.Cleanup(func() {
		ours.Close()
		<-done
	})
	ours.SetDeadline(time.Now().Add(20 * time.Second))
	return &raw{t, ours, bufio.NewReader(ours)}
}

// answer reads messages up to one that contains a text.
func (r *raw) answer(want string) string {
	r.t.Helper()
	for {
		head, err := textproto.NewReader(r.read).ReadMIMEHeader()
		if err != nil {
			r.t.Fatalf("waiting for %s: %v", want, err)
		}
		n, err := strconv.Atoi(head.Get("Content-Length"))
		if err != nil {
			r.t.Fatal(err)
		}
		body := make([]byte, n)
		if _, err := io.ReadFull(r.read, body); err != nil {
			r.t.Fatal(err)
		}
		if strings.Contains(string(body), want) {
			return string(body)
		}
	}
}

// TestMalformed: bodies that are not messages are refused or passed over, and the connection goes
// on.
func TestMalformed(t *testing.T) {
	r := connectRaw(t)
	go func() { // answers are read below, while these are written
		io.WriteString(r.stream, "garbage\r\nContent-Length: -3\r\n\r\n")
		for _, body := range []string{
			"hello", "", "[]", "7", "null", `{"jsonrpc":"2.0"}`, `{"jsonrpc":"2.0","id":{},"method":"initialize"}`,
			`{"jsonrpc":"1.0","id":1,"method":"x"}`, `{"jsonrpc":"2.0","id":2,"method":"textDocument/hover","params":[[[[]]]]}`,
			`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"%zz","text":"1"}}}`,
			"{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"\xff\xfe\"}",
			`{"jsonrpc":"2.0","id":99,"result":null}`,
			`{"jsonrpc":"2.0","id":"last","method":"initialize","params":{"capabilities":{}}}`,
		} {
			fmt.Fprintf(r.stream, "Content-Length: %d\r\n\r\n%s", len(body), body)
		}
	}()
	r.answer(`"last"`)
}

// TestWritesFirst: a client that writes all its requests before it reads an answer gets them all.
func TestWritesFirst(t *testing.T) {
	r := connectRaw(t)
	for i := range 100 {
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":"n%d.","method":"initialize","params":{"capabilities":{}}}`, i)
		if _, err := fmt.Fprintf(r.stream, "Content-Length: %d\r\n\r\n%s", len(body), body); err != nil {
			t.Fatalf("request %d: %v", i, err)
		}
	}
	for i := range 100 {
		r.answer(fmt.Sprintf(`"n%d."`, i))
	}
}

// TestHugeDocument: a document of many lines is answered, and so are edits of it. An edit checks
// each definition once: the time grows with the length of the text and not faster.
func TestHugeDocument(t *testing.T) {
	s := service.New()
	var b strings.Builder
	for i := range 5000 / 5 {
		fmt.Fprintf(&b, "--| The function %d.\nlet f%d (x : Real) (n : Int) : Real =\n  let y = sin x + real n\n  if y > 0 then y^2 else exp (-y)\n\n", i, i)
	}
	text := b.String()
	s.Open("/tmp/huge.flx", text, 1)
	s.Diagnostics("/tmp/huge.flx")
	best := time.Hour
	for v := range 5 {
		start := time.Now()
		at := service.Position{Line: 2502, Character: 10}
		s.Edit("/tmp/huge.flx", v+2, []service.Change{{Start: at, End: at, Text: "x"}})
		s.Diagnostics("/tmp/huge.flx")
		best = min(best, time.Since(start))
	}
	t.Logf("an edit in a file of 5000 lines has its diagnostics after %v", best)
	if best > 10*time.Second { // 50 ms on a machine that does nothing else; minutes if it grows faster
		t.Errorf("an edit has its diagnostics after %v", best)
	}
}
