// Package driver joins the stages into pipelines. It finds and loads modules, checks each once,
// links what a program reaches, and runs it within limits. The command and the REPL use it. It
// prints nothing.
package driver

import (
	"context"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fluxion-lang/fluxion/internal/check"
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/data"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/suggest"
	"github.com/fluxion-lang/fluxion/internal/syntax"
)

// World is a set of modules, each checked at most once. It is safe for concurrent use once its
// exported fields are set: a load waits for the one before it. The Units that it returns are
// immutable. Until makes other Worlds with the same modules.
type World struct {
	// OnlyCheck skips elaboration, so that units have no Core. The only error that elaboration
	// could still report is that a program is too large to specialise.
	OnlyCheck bool
	// Data says which data files programs may read, and how.
	Data DataAccess
	// Overlay, if not nil, maps cleaned paths to the texts of files that are being edited. These
	// texts replace what is on disk.
	Overlay map[string]string
	// Store holds what differentiation strategies keep about modules.
	Store *sync.Map

	watch  *stop.Watch           // ends loading when a context is over
	host   *Unit                 // the module of the host's functions, or nil
	rows   map[string]*prim.Prim // the primitives of the host
	onDisk bool                  // whether files are those of the file system
	read   func(path string) (string, error)
	*modules
}

// modules holds the modules of a World, which Worlds made by Until share.
type modules struct {
	turn      chan struct{}    // holds a token while somebody uses the other fields
	dataBytes int64            // bytes of the data that was read
	units     map[string]*Unit // by key: "lib:list", or the cleaned path of a file
	texts     int              // number of texts that were loaded, for their keys
	// the qualified names of modules that are taken, each with the last number that was appended
	// to it
	names  map[string]int
	stack  []*Unit       // the modules being loaded, outermost first
	stacks interp.Stacks // the stacks of the machines that evaluate its units
}

// enter waits for the turn to use the modules. The caller calls leave when it is done.
func (m *modules) enter() (leave func()) {
	m.turn <- struct{}{}
	return func() { <-m.turn }
}

// Unit is a loaded module. A library module among the Imports of another unit has no definitions,
// except in its Interface: see Note [The library].
type Unit struct {
	Key     string // the key by which World finds it
	File    *diag.File
	AST     *syntax.Module
	Info    *check.Info
	Core    *core.Program // nil if the module has errors
	Imports []*Unit       // the units that it refers to directly, including the prelude
	Result  string        // the name given to its final expression, or ""

	// the interfaces of its imports, by the names it uses for them
	modules map[string]*check.Interface
	library *libraryModule // the library module that this unit is, or nil
	data    int64          // bytes of data that its world had read when it was loaded
	stacks  *interp.Stacks // the stacks of its world
	hosted  bool           // whether it may mention primitives of the host
}

// ReadsData reports whether the unit itself names data files, which may change.
func (u *Unit) ReadsData() bool { return len(u.Info.Files) > 0 }

// Module returns the module that the unit imports under a name, as a whole, or nil.
func (u *Unit) Module(name string) *Unit {
	if face := u.modules[name]; face != nil {
		for _, imported := range u.Imports {
			if imported.Info.Interface == face {
				if imported.library != nil {
					imported, _ = imported.library.whole()
				}
				return imported
			}
		}
	}
	return nil
}

// HideResult removes the name of the final expression, which has no value.
func (u *Unit) HideResult() {
	u.Info.Interface.Hide(u.Result)
	u.Result = ""
}

// NewWorld makes an empty world that reads files with read. A nil read means the file system,
// with ReadSource's limits.
func NewWorld(read func(path string) (string, error)) *World {
	onDisk := read == nil
	if onDisk {
		read = ReadSource
	}
	access := DataAccess{Options: data.Options{Exact: true, Memory: interp.DefaultLimits().Memory}}
	w := &World{Data: access, onDisk: onDisk, read: read, Store: &sync.Map{}, modules: &modules{
		turn: make(chan struct{}, 1), units: map[string]*Unit{}, names: map[string]int{},
	}}
	for _, name := range LibraryNames() {
		w.names[name] = 1
	}
	return w
}

// Until returns a World with the same modules that loads until a context ends. If the context ends
// while a module is loaded, the module fails with a diagnostic that says why.
func (w *World) Until(ctx context.Context) *World {
	timed := *w
	timed.watch = stop.Of(ctx)
	timed.Data.Stop = timed.watch.Now // between two calls a lot is read
	return &timed
}

// begin waits for the turn to load a module. If the watch ends first, begin reports why to sink,
// and ok is false.
func (w *World) begin(sink *diag.List) (leave func(), ok bool) {
	leave = func() { <-w.turn }
	tick := time.NewTicker(waiting)
	defer tick.Stop()
	for {
		if d := w.watch.Now(); d != nil {
			sink.Add(d)
			return nil, false
		}
		select {
		case w.turn <- struct{}{}:
			return leave, true
		case <-tick.C:
		}
	}
}

// waiting is the time between two looks at the clock by a load that waits for its turn.
const waiting = 2 * time.Millisecond

// LoadFile loads a file and its imports. Diagnostics of all of them go to sink. The unit is nil
// if the file cannot be read.
func (w *World) LoadFile(path string, sink *diag.List) *Unit {
	key := filepath.Clean(path)
	leave, ok := w.begin(sink)
	if !ok {
		return w.empty(key, diag.NewFile(path, ""))
	}
	defer leave()
	if unit, ok := w.units[key]; ok {
		return unit
	}
	text, err := w.source(path)
	if err != nil {
		sink.Add(CannotRead(diag.Span{}, path, err))
		return nil
	}
	return w.load(key, moduleName(path), diag.NewFile(path, text), "", nil, w.openBelow, sink)
}

// source returns the text of a source file.
func (w *World) source(path string) (string, error) {
	if text, ok := w.Overlay[filepath.Clean(path)]; ok {
		return text, nil
	}
	return w.read(path)
}

// LoadText loads an input of a session from memory. Imports are relative to the folder of name.
// The input sees the units of open and what they import, later ones first, before the prelude. It
// sees the library without importing it.
func (w *World) LoadText(name, text string, open []*Unit, sink *diag.List) *Unit {
	return w.LoadInput(name, text, "", open, sink)
}

// LoadInput loads an input like LoadText. Later inputs call its value by the name result.
func (w *World) LoadInput(name, text, result string, open []*Unit, sink *diag.List) *Unit {
	return w.loadText(name, text, result, open, w.openBelow, sink)
}

// LoadGiven loads a text that a command makes from its arguments, like LoadText. The data files
// that it names are those that the user names, wherever they are.
func (w *World) LoadGiven(name, text string, open []*Unit, sink *diag.List) *Unit {
	return w.loadText(name, text, "", open, w.openGiven, sink)
}

// loadText loads an input under a key of its own.
func (w *World) loadText(
	name, text, result string, open []*Unit, files opener, sink *diag.List,
) *Unit {
	file := diag.NewFile(name, text)
	leave, ok := w.begin(sink)
	if !ok {
		return w.empty(textPrefix+name, file)
	}
	defer leave()
	w.texts++
	key := fmt.Sprintf("%s%d:%s", textPrefix, w.texts, name)
	return w.load(key, moduleName(name), file, result, open, files, sink)
}

// Forget drops all files but the library, so that they are read again. Their names stay taken,
// because units that are still in use are linked under them.
func (w *World) Forget() {
	defer w.enter()()
	maps.DeleteFunc(w.units, func(key string, _ *Unit) bool { return !isLibrary(key) })
	w.dataBytes = 0
}

// Discard drops a unit that no other unit refers to, so that a world that evaluates many texts
// does not grow. The unit itself remains usable.
func (w *World) Discard(u *Unit) {
	defer w.enter()()
	if w.units[u.Key] != u {
		return
	}
	delete(w.units, u.Key)
	if u.Info != nil {
		delete(w.names, u.Info.Name)
	}
}

const (
	libraryPrefix = "lib:"
	textPrefix    = "text:"
	prelude       = "prelude"
	builtin       = "builtin" // the hidden rows of the table of primitives
)

func isLibrary(key string) bool { return strings.HasPrefix(key, libraryPrefix) }
func isText(key string) bool    { return strings.HasPrefix(key, textPrefix) }

// load parses a module, resolves its imports, checks and elaborates it. Its final expression gets
// the name result, unless that is "". files opens the data files that it names.
func (w *World) load(key, name string, file *diag.File, result string, open []*Unit, files opener,
	sink *diag.List) (unit *Unit) {
	unit = &Unit{Key: key, File: file, stacks: &w.stacks, hosted: w.host != nil,
		modules: map[string]*check.Interface{}}
	w.units[key] = unit
	w.stack = append(w.stack, unit)
	defer func() { w.stack = w.stack[:len(w.stack)-1] }()

	// the diagnostics of this module alone: errors of others must not stop its elaboration
	var own diag.List
	defer func() { w.stopped(unit, recover(), sink) }()
	unit.AST = syntax.ParseUntil(w.watch, file, &own)
	if result != "" && unit.AST.BindResult(result) {
		unit.Result = result
	}
	options := check.Options{
		Name:    w.uniqueName(name),
		Imports: map[*syntax.Import]*check.Interface{},
		Modules: map[string]*check.Interface{},
		Session: isText(key),

		Rows:      w.rowsFor(key),
		Libraries: libraryFaces,
		Library:   isLibrary(key),
		Watch:     w.watch,
	}
	first := []*Unit{libraryNamed(prelude).unit}
	if w.host != nil && !isLibrary(key) {
		first = append(first, w.host)
	}
	open = append(first, open...)
	for _, o := range open {
		if o.library != nil {
			o = o.library.unit
		}
		options.Open = append(options.Open, o.Info.Interface)
		unit.Imports = append(unit.Imports, o)
		if !isLibrary(o.Key) {
			options.Open = append(options.Open, o.Info.Opened)
			maps.Copy(options.Modules, o.modules)
		}
	}
	if options.Session { // imports what the input plainly means, so that the user need not
		for _, name := range LibraryNames() {
			if strings.Contains(file.Text, name+".") {
				module := libraryNamed(name).unit
				options.Modules[name] = module.Info.Interface
				unit.Imports = append(unit.Imports, module)
			}
		}
	}
	for _, imp := range unit.AST.Imports {
		if options.Library && imp.Path == builtin && !imp.Quoted {
			continue
		}
		options.Imports[imp] = nil
		if imported := w.resolve(unit, imp, &own, sink); imported != nil {
			options.Imports[imp] = imported.Info.Interface
			unit.Imports = append(unit.Imports, imported)
			unit.modules[imp.Alias.Name] = imported.Info.Interface
		}
	}
	// If a module does not parse, it is checked only for its interface. Its type errors would be
	// about what the parser made up.
	findings := &own
	if own.Failed() {
		findings = &diag.List{}
	}
	unit.Info = check.Check(unit.AST, options, findings)
	if !own.Failed() {
		check.Patterns(w.watch, unit.Info, &own)
	}
	if !own.Failed() {
		w.readFiles(unit, files, &own)
	}
	unit.data = w.dataBytes
	if !own.Failed() && !w.OnlyCheck {
		unit.Core = check.Elaborate(w.watch, unit.Info, &own)
	}
	if own.Failed() {
		unit.Core = nil
	}
	sink.Append(&own)
	return unit
}

// stopped empties a unit whose loading ended by a panic of the world's watch, and reports why.
// Units that import it end too.
func (w *World) stopped(unit *Unit, panicked any, sink *diag.List) {
	if panicked == nil {
		return
	}
	why, ok := panicked.(*stop.Reached)
	if !ok || len(w.stack) > 1 {
		delete(w.units, unit.Key)
		panic(panicked)
	}
	delete(w.units, unit.Key)
	*unit = *w.empty(unit.Key, unit.File)
	sink.Add(why.Why)
}

// empty returns a unit without definitions, for a file that was not loaded.
func (w *World) empty(key string, file *diag.File) *Unit {
	ast := syntax.Parse(diag.NewFile(file.Name, ""), &diag.List{})
	info := check.Check(ast, check.Options{Name: key}, &diag.List{})
	hosted := w.host != nil
	return &Unit{Key: key, File: file, AST: ast, Info: info, stacks: &w.stacks, hosted: hosted}
}

// packages maps well-known packages of other languages to the modules that have their contents.
var packages = map[string]string{
	"numpy": "arrays and mathematics need no import: `sin x`, `[1, 2, 3]`, `sum xs`; more " +
		"is in `array` and `linalg`",
	"math": "mathematics needs no import: write `sin x`, `sqrt x`, `pi`",
	"torch": "derivatives need no import: `grad f x`; layers and losses are in `nn`, " +
		"descent in `optim`",
	"jax": "derivatives need no import: `grad f x`, `jvp f x dx`, `vjp f x bt`",
	"scipy": "see `linalg`, `optim`, `ode`, `stats` and `dist`; special functions need no " +
		"import",
	"pandas":     "data comes in by its type: `let rows : []{x : Real} = file \"points.csv\"`",
	"statistics": "it is called `stats`",
}

// resolve returns the module that an import names, or reports why there is none.
func (w *World) resolve(from *Unit, imp *syntax.Import, own, sink *diag.List) *Unit {
	var imported *Unit
	if !imp.Quoted {
		m := libraryNamed(imp.Path)
		if m == nil {
			d := diag.Errorf(diag.UnknownModule, imp.At,
				"there is no module `%s` in the standard library", imp.Path)
			if near := suggest.Nearest(imp.Path, LibraryNames()); near != "" {
				d.WithHint("did you mean `%s`?", near)
			}
			if hint := packages[imp.Path]; hint != "" {
				d.WithHint("%s", hint)
			}
			d.WithHint("the library has %s", strings.Join(LibraryNames(), ", "))
			d.WithHint("to import a file, quote its path: import \"./%s.flx\"", imp.Path)
			own.Add(d)
			return nil
		}
		return m.unit
	} else {
		target := imp.Path
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(from.File.Name), target)
		}
		key := filepath.Clean(target)
		if imported = w.units[key]; imported == nil {
			text, err := w.source(target)
			if err != nil {
				own.Add(CannotRead(imp.At, target, err))
				return nil
			}
			if len(w.stack) > maxImportDepth {
				own.Add(diag.Errorf(diag.TooDeep, imp.At, "imports are nested more than %d deep",
					maxImportDepth))
				return nil
			}
			imported = w.load(key, moduleName(target), diag.NewFile(target, text), "", nil,
				w.openBelow, sink)
		}
	}
	if i := slices.Index(w.stack, imported); i >= 0 {
		own.Add(cycle(w.stack[i:], imported, imp))
		return nil
	}
	return imported
}

const maxImportDepth = 500

// cycle returns the diagnostic for modules that import one another in a cycle.
func cycle(path []*Unit, back *Unit, imp *syntax.Import) *diag.Diagnostic {
	var names []string
	for _, u := range path {
		names = append(names, u.File.Name)
	}
	names = append(names, back.File.Name)
	d := diag.Errorf(diag.ImportCycle, imp.At, "these modules import one another: %s",
		strings.Join(names, " → "))
	return d.WithHint("move what they share into a module that both import")
}

// moduleName returns the name by which a file's definitions are qualified.
func moduleName(file string) string {
	base := strings.TrimSuffix(path.Base(filepath.ToSlash(file)), ".flx")
	clean := strings.Map(func(r rune) rune {
		if r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '_'
	}, base)
	if clean == "" || '0' <= clean[0] && clean[0] <= '9' {
		clean = "m" + clean
	}
	return clean
}

// uniqueName returns a qualified name for a module that differs from all others.
func (w *World) uniqueName(name string) string {
	unique := name
	for w.names[unique] > 0 {
		w.names[name]++
		unique = fmt.Sprintf("%s%d", name, w.names[name])
	}
	w.names[unique] = 1
	return unique
}
