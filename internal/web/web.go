// Package web serves the page: an editor with results, figures, the laboratory and the tour.
// Serve serves it on localhost, with programs running in this process. Export writes it as files
// that run all of Fluxion in the browser. The page itself is in the folder page (TypeScript,
// bundled into site by page/build.sh). Package messages answers its requests.
package web

import (
	"context"
	"crypto/rand"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/fluxion-lang/fluxion/internal/web/messages"
)

//go:embed site
var bundle embed.FS

// site returns the files of the page.
func site() fs.FS {
	sub, err := fs.Sub(bundle, "site")
	if err != nil {
		panic("web: " + err.Error())
	}
	return sub
}

// Options says how the page is served.
type Options struct {
	messages.Options
	// Files lists the files that the page offers to open.
	Files []string
}

// Bounds of a server.
const (
	maxSessions = 16       // pages at once; beyond that the page that was silent longest is dropped
	maxRuns     = 4        // requests that are answered at the same time
	maxMessage  = 96 << 20 // bytes of a request, such as a file that a page uploads, in base64
)

// server answers the requests of pages.
type server struct {
	options Options
	hosts   map[string]bool // the names by which a browser may call this server
	places  chan struct{}   // has one element for each request that is being answered

	mu       sync.Mutex
	sessions map[string]*session
}

type session struct {
	*messages.Session
	used time.Time
}

// Handler serves the page to browsers that call the server by the host and port of address.
func Handler(address string, o Options) http.Handler {
	_, port, _ := net.SplitHostPort(address)
	s := &server{
		options: o, hosts: map[string]bool{}, places: make(chan struct{}, maxRuns),
		sessions: map[string]*session{},
	}
	for _, host := range []string{"localhost", "127.0.0.1", "[::1]"} {
		s.hosts[host+":"+port] = true
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /", s.file)
	mux.HandleFunc("POST /call", s.call)
	return s.guard(mux)
}

// guard refuses requests that do not come from the page itself. Another site may have its name
// resolve to this machine; then the host is wrong. Or it may send requests from its own pages;
// then the origin is wrong.
func (s *server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		origin := r.Header.Get("Origin")
		from := r.Header.Get("Sec-Fetch-Site")
		switch {
		case !s.hosts[r.Host]:
			http.Error(w, "this page is served on localhost only", http.StatusForbidden)
		case origin != "" && origin != "http://"+r.Host,
			r.Method == http.MethodPost && (origin == "" || from != "" && from != "same-origin"):
			http.Error(w, "this request comes from another page", http.StatusForbidden)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// policy returns a content security policy that lets the page load its own files and nothing
// else. Styles that scripts write carry the nonce.
func policy(nonce string) string {
	return "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; " +
		"connect-src 'self'; img-src 'self' data: blob:; font-src 'self'; manifest-src 'self'; " +
		"style-src 'self' 'nonce-" + nonce + "'; base-uri 'none'; form-action 'none'"
}

func (s *server) file(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
	if name == "" {
		name = index
	}
	data, err := fs.ReadFile(site(), name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	nonce := newNonce()
	if name == index {
		data = []byte(fill(string(data), "native", "", nonce, s.options.Files))
	}
	head := w.Header()
	head.Set("Content-Type", mime.TypeByExtension(path.Ext(name)))
	head.Set("Content-Security-Policy", policy(nonce)+"; frame-ancestors 'none'")
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Referrer-Policy", "no-referrer")
	head.Set("Cross-Origin-Opener-Policy", "same-origin")
	head.Set("Cross-Origin-Resource-Policy", "same-origin")
	head.Set("Cache-Control", "no-cache")
	w.Write(data)
}

const index = "index.html"

// fill writes into the page how it reaches Fluxion, where its module is, and the nonce of its
// styles.
func fill(page, transport, module, nonce string, files []string) string {
	return strings.NewReplacer(
		"{{transport}}", transport, "{{module}}", module, "{{nonce}}", nonce,
		"{{policy}}", policy(nonce), "{{files}}", escape(strings.Join(files, "\n")),
	).Replace(page)
}

var escape = strings.NewReplacer("&", "&amp;", `"`, "&quot;", "<", "&lt;").Replace

func newNonce() string {
	var b [16]byte
	rand.Read(b[:]) // it never fails
	return hex.EncodeToString(b[:])
}

// call answers a request with lines of JSON. If the page hangs up, the run is stopped.
func (s *server) call(w http.ResponseWriter, r *http.Request) {
	message, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxMessage))
	if err != nil {
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	select {
	case s.places <- struct{}{}:
		defer func() { <-s.places }()
	case <-r.Context().Done():
		return
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	flush := http.NewResponseController(w)
	var mu sync.Mutex // a run may report progress from several goroutines
	s.session(r.Header.Get("Fluxion-Session")).Answer(r.Context(), message, func(b []byte) {
		mu.Lock()
		defer mu.Unlock()
		w.Write(append(b, '\n'))
		flush.Flush()
	})
}

// session returns the session of a page, by the random name that the page has chosen.
func (s *server) session(name string) *messages.Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.sessions[name]
	if found == nil {
		oldest := ""
		for k, other := range s.sessions {
			if oldest == "" || other.used.Before(s.sessions[oldest].used) {
				oldest = k
			}
		}
		if len(s.sessions) >= maxSessions {
			delete(s.sessions, oldest)
		}
		found = &session{Session: messages.New(s.options.Options)}
		s.sessions[name] = found
	}
	found.used = time.Now()
	return found.Session
}

// Serve serves the page on a listener until the context ends, and with it the requests.
func Serve(ctx context.Context, listener net.Listener, o Options) error {
	var requests sync.WaitGroup
	defer requests.Wait()
	answer := Handler(listener.Addr().String(), o)
	counted := func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		defer requests.Done()
		answer.ServeHTTP(w, r)
	}
	server := &http.Server{
		Handler: http.HandlerFunc(counted), ReadHeaderTimeout: 10 * time.Second,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	if err := server.Serve(listener); err != nil && !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("the page cannot be served: %w", err)
	}
	return nil
}
