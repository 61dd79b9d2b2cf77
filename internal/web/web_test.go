package web_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/task/tasktest"
	"github.com/fluxion-lang/fluxion/internal/web"
	"github.com/fluxion-lang/fluxion/internal/web/messages"
)

const host = "localhost:7999"

func handler() http.Handler {
	settings := driver.Settings{Limits: interp.DefaultLimits()}
	return web.Handler(
		"127.0.0.1:7999",
		web.Options{Options: messages.Options{Settings: settings}, Files: []string{`a"<b>.flx`}},
	)
}

// TestServeEnds: when a server ends while it runs programs without end, no goroutine outlives it.
func TestServeEnds(t *testing.T) {
	before := len(tasktest.Goroutines())
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := "http://" + listener.Addr().String()
	ctx, stop := context.WithCancel(t.Context())
	settings := driver.Settings{Limits: interp.DefaultLimits()}
	served := make(chan error, 1)
	go func() {
		served <- web.Serve(ctx, listener, web.Options{Options: messages.Options{Settings: settings}})
	}()
	var clients sync.WaitGroup
	running := make(chan bool, 2)
	for k := range cap(running) {
		clients.Go(func() {
			defer func() { running <- true }()
			ask, err := http.NewRequest("POST", at+"/call",
				strings.NewReader(`{"method": "run", "text": "loop x = progress \"x\" 0 while x < 1 do x * 1\n"}`))
			if err != nil {
				t.Error(err)
				return
			}
			ask.Header.Set("Origin", at)
			ask.Header.Set("Fluxion-Session", fmt.Sprint("page", k))
			answer, err := http.DefaultClient.Do(ask)
			if err == nil {
				answer.Body.Read(make([]byte, 1)) // the program runs
				running <- true
				io.Copy(io.Discard, answer.Body)
				answer.Body.Close()
			}
		})
	}
	for range cap(running) {
		<-running
	}
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
	tasktest.Ended(t, before+cap(running)) // the clients may not have noticed yet
	clients.Wait()
	tasktest.Ended(t, before)
}

// TestGuard: only the page itself is answered, under the names of this machine.
func TestGuard(t *testing.T) {
	const ask = `{"method": "run", "text": "1 + 1\n"}`
	for _, c := range []struct {
		method, host, origin, site string
		want                       int
	}{
		{"GET", host, "", "", 200},
		{"GET", "127.0.0.1:7999", "", "", 200},
		{"GET", "evil.example:7999", "", "", 403}, // a name that resolves to this machine
		{"GET", "localhost:80", "", "", 403},
		{"POST", host, "http://" + host, "same-origin", 200},
		{"POST", host, "", "", 403},
		{"POST", host, "http://evil.example", "cross-site", 403},
		{"POST", host, "null", "", 403},
		{"POST", host, "http://" + host, "cross-site", 403},
		{"POST", "evil.example:7999", "http://evil.example:7999", "same-origin", 403},
	} {
		path := "/"
		if c.method == "POST" {
			path = "/call"
		}
		r := httptest.NewRequest(c.method, path, strings.NewReader(ask))
		r.Host = c.host
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		if c.site != "" {
			r.Header.Set("Sec-Fetch-Site", c.site)
		}
		w := httptest.NewRecorder()
		handler().ServeHTTP(w, r)
		if w.Code != c.want {
			t.Errorf("%+v is answered with %d", c, w.Code)
		}
	}
}

// TestPolicy: the page may load its own files only, its nonce is new each time, and names of files
// are text in it.
func TestPolicy(t *testing.T) {
	seen := map[string]bool{}
	for range 2 {
		r := httptest.NewRequest("GET", "/", nil)
		r.Host = host
		w := httptest.NewRecorder()
		handler().ServeHTTP(w, r)
		policy := w.Header().Get("Content-Security-Policy")
		if !strings.HasPrefix(
			policy,
			"default-src 'none'; script-src 'self' 'wasm-unsafe-eval';",
		) ||
			strings.Contains(policy, "unsafe-inline") {
			t.Errorf("the policy is %s", policy)
		}
		if seen[policy] {
			t.Error("two pages have one nonce")
		}
		seen[policy] = true
		if body := w.Body.String(); strings.Contains(body, "{{") ||
			strings.Contains(body, `a"<b>`) {
			t.Errorf("the page is %s", body)
		}
	}
	for _, path := range []string{"/../web.go", "/nothing", "/page/src/main.ts"} {
		r := httptest.NewRequest("GET", path, nil)
		r.Host = host
		w := httptest.NewRecorder()
		handler().ServeHTTP(w, r)
		if w.Code == 200 {
			t.Errorf("%s is served", path)
		}
	}
}
