// Package service answers what editors, pages and notebooks ask about programs: diagnostics,
// types and documentation at a place, completion, definitions and references, edits that mend or
// refactor, and results. Each face (the language server, the page, the kernel) is an adapter that
// translates messages. What they have in common is here.
//
// Places are byte offsets in the text of a document. Position has the lines and UTF-16 columns
// that editors count in.
package service

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
)

// Service holds the open documents. It is safe for concurrent use.
type Service struct {
	mu    sync.Mutex
	world *driver.World // checks without elaborating, for questions
	read  func(path string) (string, error)
	docs  map[string]*Document // by cleaned path
	units map[string]*view     // documents and files that were asked about, in their current state

	limits driver.Settings // bound the check of a document, during which nothing else is answered
}

// checking holds the usual limits of a check.
var checking = driver.Settings{Limits: interp.DefaultLimits(), Timeout: 10 * time.Second}

// Document is a text that is being edited.
type Document struct {
	Path    string
	Text    string
	Version int
}

// view is a checked text: a document, a file, or an input of a session.
type view struct {
	world *driver.World
	unit  *driver.Unit
	open  []*driver.Unit // the units whose definitions an input sees, the nearest last
	found []*diag.Diagnostic
	// supposing returns the view for another text, or nil if there is none.
	supposing func(text string) *view
}

// New makes a service without documents. Its programs import and read files of the system.
func New() *Service { return NewReading(nil) }

// NewReading makes a service whose programs read all files with read. A nil read means the file
// system.
func NewReading(read func(path string) (string, error)) *Service {
	s := &Service{
		docs: map[string]*Document{}, units: map[string]*view{}, read: read, limits: checking,
	}
	s.world = driver.NewWorld(read)
	s.world.OnlyCheck = true
	s.world.Overlay = map[string]string{}
	return s
}

// AllowRead lets programs read data below these folders, besides their own.
func (s *Service) AllowRead(folders []string) { s.world.Data.Folders = folders }

// Open starts or replaces a document.
func (s *Service) Open(path, text string, version int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	path = filepath.Clean(path)
	s.docs[path] = &Document{Path: path, Text: text, Version: version}
	s.world.Overlay[path] = text
	s.stale()
}

// Change replaces the text between two positions. Without a range it replaces the whole document.
type Change struct {
	Whole      bool
	Start, End Position
	Text       string
}

// Edit applies changes one after the other, each to the result of those before it. It reports
// whether the document is open.
func (s *Service) Edit(path string, version int, changes []Change) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	path = filepath.Clean(path)
	doc := s.docs[path]
	if doc == nil {
		return false
	}
	text := doc.Text
	for _, c := range changes {
		if c.Whole {
			text = c.Text
			continue
		}
		start, end := Offset(text, c.Start), Offset(text, c.End)
		text = text[:start] + c.Text + text[max(start, end):]
	}
	s.docs[path] = &Document{Path: path, Text: text, Version: version}
	s.world.Overlay[path] = text
	s.stale()
	return true
}

// Close closes a document. From now on its text is that of the file on disk.
func (s *Service) Close(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	path = filepath.Clean(path)
	delete(s.docs, path)
	delete(s.world.Overlay, path)
	s.stale()
}

// Refresh makes the service read files on disk again, after something else has changed them.
func (s *Service) Refresh() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stale()
}

// stale drops all checked views. Checking a document of some thousand lines takes less time than
// passes between two keys, so nothing finer is needed.
func (s *Service) stale() {
	s.world.Forget()
	clear(s.units)
}

// Documents lists the paths that are open.
func (s *Service) Documents() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	paths := make([]string, 0, len(s.docs))
	for p := range s.docs {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	return paths
}

// Document returns an open document, or nil.
func (s *Service) Document(path string) *Document {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.docs[filepath.Clean(path)]
}

// look returns the view of a document or file, and checks it first if necessary. It returns nil
// if the file cannot be read. The caller holds the lock.
func (s *Service) look(path string) *view {
	path = filepath.Clean(path)
	if v, ok := s.units[path]; ok {
		return v
	}
	var sink diag.List
	v := s.viewOf(path, &sink)
	if v.unit == nil || v.unit.File == nil || v.unit.Info == nil {
		return nil
	}
	// If the module was already checked because another imports it, its diagnostics went to the
	// importer's list: those of this file are in it.
	for _, d := range sink.Sorted() {
		v.found = append(v.found, d)
		if !d.Span.Known() {
			continue
		}
		if other := filepath.Clean(d.Span.File.Name); other != path {
			s.keep(other, d)
		}
	}
	if earlier := s.units[path]; earlier != nil {
		v.found = append(v.found, earlier.found...)
	}
	s.units[path] = v
	return v
}

func (s *Service) viewOf(path string, sink *diag.List) *view {
	unit := s.libraryAt(path)
	if unit == nil {
		ctx, done := s.limits.Within(context.Background())
		defer done()
		unit = s.world.Until(ctx).LoadFile(path, sink)
	}
	return &view{
		world: s.world, unit: unit,
		supposing: func(text string) *view { return s.supposing(path, text) },
	}
}

// libraryAt returns the library module that a document is a copy of, or nil. Editors open such
// copies to show a definition.
func (s *Service) libraryAt(path string) *driver.Unit {
	name, text := strings.TrimSuffix(filepath.Base(path), ".flx"), s.world.Overlay[path]
	if text == "" || !slices.Contains(driver.LibraryNames(), name) {
		return nil
	}
	var sink diag.List
	if unit := s.world.Library(name, &sink); unit.File.Text == text {
		return unit
	}
	return nil
}

// supposing returns the view that a document would have with another text. The caller holds the
// lock.
func (s *Service) supposing(path, text string) *view {
	kept, open := s.world.Overlay[path]
	s.world.Overlay[path] = text
	s.stale()
	defer func() {
		delete(s.world.Overlay, path)
		if open {
			s.world.Overlay[path] = kept
		}
		s.stale()
	}()
	return s.look(path)
}

// keep stores a diagnostic of a module that was checked because another module imports it.
func (s *Service) keep(path string, d *diag.Diagnostic) {
	if s.docs[path] == nil {
		return
	}
	v := s.units[path]
	if v == nil {
		var none diag.List
		v = s.viewOf(path, &none)
		s.units[path] = v
	}
	v.found = append(v.found, d)
}

// Diagnostics returns the diagnostics of a document itself, in order.
func (s *Service) Diagnostics(path string) []*diag.Diagnostic {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.look(path)
	if v == nil {
		return nil
	}
	var own []*diag.Diagnostic
	for _, d := range v.found {
		if d.Span.Known() && d.Span.File == v.unit.File || !d.Span.Known() {
			own = append(own, d)
		}
	}
	return own
}
