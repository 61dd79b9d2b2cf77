package messages

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
)

func session() *Session {
	limits := interp.DefaultLimits()
	return New(Options{Settings: driver.Settings{Limits: limits, Timeout: 2 * time.Second}})
}

// ask returns all messages that answer a request, one a line.
func ask(t *testing.T, s *Session, format string, args ...any) string {
	t.Helper()
	var all []string
	s.Answer(context.Background(), fmt.Appendf(nil, format, args...), func(b []byte) {
		if !json.Valid(b) {
			t.Errorf("this is not JSON: %s", b)
		}
		all = append(all, string(b))
	})
	return strings.Join(all, "\n")
}

// TestAnswers: each method answers with what the page shows.
func TestAnswers(t *testing.T) {
	s := session()
	for _, c := range []struct{ request, want string }{
		{`{"method": "run", "text": "1 + 1\n"}`, `"text":"2"`},
		{`{"method": "run", "text": "progress \"half\" 1\n"}`, `{"progress":"half"}`},
		{`{"method": "run", "text": "sqrt 2\n", "digits": 20}`, `{"narrower":`},
		{`{"method": "run", "text": "sqrt 2\n", "digits": 20}`, `"lo":"1.41421356237309504`},
		{`{"method": "run", "text": "sqrt 2\n", "digits": 100000000}`, `"error"`},
		{`{"method": "run", "text": "import plot\nplot.line [0, 1] [1, 0/0]\n"}`, `null`},
		{`{"method": "run", "text": "let x = file \"/etc/passwd\"\nx\n"}`, `"error"`},
		{`{"method": "run", "text": "import \"/etc/passwd\" as P\n1\n"}`, `"error"`},
		{`{"method": "check", "text": "let 𝔸 = 1\nsqrtt 2\n"}`, `"from":11,"to":16`},
		{`{"method": "check", "text": "sqrtt 2\n"}`, `"actions":[{"title":`},
		{`{"method": "hover", "text": "sqrt 2\n", "at": 1}`, `"code":"sqrt : Real -\u003e Real"`},
		{`{"method": "complete", "text": "sqr", "at": 3}`, `"label":"sqrt"`},
		{`{"method": "format", "text": "1+1\n"}`, `"insert":`},
		{`{"method": "graph", "text": "let f x = abs x\n", "expr": "f", "from": -1, "to": 1, "orders": 1}`, `"kink"`},
		{`{"method": "lab", "text": "let f x = sin x * x\n", "name": "f"}`, `"agree":true`},
		{`{"method": "examples"}`, `"name":"descent.flx"`},
		{`{"method": "page", "name": "tour"}`, `A tour of the language`},
		{`{"method": "page", "name": "papers"}`, "```flx"},
		{`{"method": "nonsense"}`, `"error"`},
		{`{"method": `, `"error"`},
		{`{"method": "run", "path": "../../etc/passwd", "text": "1\n"}`, `"text":"1"`},
	} {
		if got := ask(t, s, "%s", c.request); !strings.Contains(got, c.want) {
			t.Errorf("%s is answered with\n%.600s\nwithout %s", c.request, got, c.want)
		}
	}
}

// TestFiles: a program reads what the page has put, and the examples their data.
func TestFiles(t *testing.T) {
	s := session()
	const program = `let xs : []{x : Real} = file \"points.csv\"\nsum [p.x for p in xs]\n`
	if got := ask(t, s, `{"method": "run", "text": "%s"}`, program); !strings.Contains(
		got,
		"error",
	) {
		t.Errorf("a file that is not there is read: %s", got)
	}
	data := base64.StdEncoding.EncodeToString([]byte("x\n1\n2.5\n"))
	ask(t, s, `{"method": "put", "name": "points.csv", "data": "%s"}`, data)
	if got := ask(t, s, `{"method": "run", "text": "%s"}`, program); !strings.Contains(
		got,
		`"text":"3.5"`,
	) {
		t.Errorf("the file is not read: %s", got)
	}
	if got := ask(t, s, `{"method": "put", "name": "../x", "data": ""}`); !strings.Contains(
		got,
		"error",
	) {
		t.Errorf("a file outside is taken: %s", got)
	}
}

// TestStops: what does not end is ended by its limits, or when its caller goes away.
func TestStops(t *testing.T) {
	s := session()
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	start := time.Now()
	s.Answer(
		ctx,
		[]byte(`{"method": "run", "text": "let rec f (n : Int) : Int = f (mod (n + 1) 7)\nf 0\n"}`),
		func([]byte) {},
	)
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("it took %v to stop", took)
	}
	deep := strings.Repeat("(", 100_000)
	if got := ask(t, s, `{"method": "run", "text": "%s"}`, deep); !strings.Contains(got, "error") {
		t.Errorf("a program of brackets is answered with %.200s", got)
	}
}
