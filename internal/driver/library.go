package driver

import (
	"io/fs"
	"strings"
	"sync"

	"github.com/fluxion-lang/fluxion/internal/check"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/lib"
)

// Note [The library]
//
// A module of the standard library is the same in every world, so a process loads it once, when a program first imports
// it, and worlds share the unit, which is immutable. A goroutine for each module parses and checks it, while the program
// that imports it is parsed and other modules are: a module waits only for the interfaces of those that it imports
// itself. Elaboration comes after that, beside the check of the program. The qualified names of the library's
// modules are taken in every world, so that they do not depend on the program.

// libraryModule is a module of the library that is being loaded.
type libraryModule struct {
	unit     *Unit
	checked  chan struct{}    // closed when all of the following and of the unit is set but what elaborate sets
	imports  []*libraryModule // those that it imports, the prelude included
	findings diag.List        // what is wrong with it; the library has tests
	core     sync.Once        // sets the unit's Core, and late
	late     diag.List        // what elaboration finds
}

var (
	libraryMu      sync.Mutex
	libraryModules = map[string]*libraryModule{}
)

// LibraryNames lists the modules of the standard library.
var LibraryNames = sync.OnceValue(func() []string {
	files, err := fs.Glob(lib.FS, "*.flx")
	if err != nil {
		panic("driver: " + err.Error())
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(f, ".flx")
	}
	return files
})

// startLibrary begins to load a module of the library unless that was done before. It is nil if there is none of that
// name.
func startLibrary(name string) *libraryModule {
	libraryMu.Lock()
	defer libraryMu.Unlock()
	if m := libraryModules[name]; m != nil {
		return m
	}
	text, err := fs.ReadFile(lib.FS, name+".flx")
	if err != nil {
		return nil
	}
	file := diag.NewFile("lib/"+name+".flx", string(text))
	file.Library = true
	m := &libraryModule{unit: &Unit{Key: libraryPrefix + name, File: file, modules: map[string]*check.Interface{}}, checked: make(chan struct{})}
	libraryModules[name] = m
	go m.load(name)
	return m
}

// load parses and checks the module.
func (m *libraryModule) load(name string) {
	defer close(m.checked)
	unit := m.unit
	unit.AST = syntax.Parse(unit.File, &m.findings)
	options := check.Options{Name: name, Imports: map[*syntax.Import]*check.Interface{}, Modules: map[string]*check.Interface{}, Library: true}
	started := map[*syntax.Import]*libraryModule{}
	for _, imp := range unit.AST.Imports {
		if imp.Path != builtin {
			started[imp] = startLibrary(imp.Path)
		}
	}
	if name != prelude {
		first := startLibrary(prelude)
		m.add(first)
		options.Open = []*check.Interface{first.unit.Info.Interface}
	}
	for _, imp := range unit.AST.Imports {
		if imported := started[imp]; imported != nil {
			m.add(imported)
			options.Imports[imp] = imported.unit.Info.Interface
			unit.modules[imp.Alias.Name] = imported.unit.Info.Interface
		} else if imp.Path != builtin {
			m.findings.Add(diag.Errorf(diag.UnknownModule, imp.At, "there is no module `%s` in the standard library", imp.Path))
		}
	}
	unit.Info = check.Check(unit.AST, options, &m.findings)
	if !m.findings.Failed() {
		check.Patterns(unit.Info, &m.findings)
	}
}

// add waits for a module that this one imports.
func (m *libraryModule) add(imported *libraryModule) {
	<-imported.checked
	m.imports = append(m.imports, imported)
	m.unit.Imports = append(m.unit.Imports, imported.unit)
}

// elaborate sees to it that the module and all that it imports have their core.
func (m *libraryModule) elaborate() {
	<-m.checked
	m.core.Do(func() {
		if m.findings.Failed() {
			return
		}
		if program := check.Elaborate(m.unit.Info, &m.late); !m.late.Failed() {
			m.unit.Core = program
		}
	})
	for _, imported := range m.imports {
		imported.elaborate()
	}
}

// Library loads a module of the standard library, or gives nil if there is none of that name.
func (w *World) Library(name string, sink *diag.List) *Unit {
	unit := w.library(name, sink)
	w.elaborated(sink)
	return unit
}

// library is Library without waiting for the module's core.
func (w *World) library(name string, sink *diag.List) *Unit {
	m := startLibrary(name)
	if m == nil {
		return nil
	}
	w.adopt(m, sink)
	return m.unit
}

// adopt makes a module of the library, and what it imports, one of the world.
func (w *World) adopt(m *libraryModule, sink *diag.List) {
	if w.units[m.unit.Key] != nil {
		return
	}
	<-m.checked
	w.units[m.unit.Key] = m.unit
	for _, imported := range m.imports {
		w.adopt(imported, sink)
	}
	sink.Append(&m.findings)
	if !w.OnlyCheck {
		w.pending = append(w.pending, m)
		go m.elaborate()
	}
}

// elaborated waits for the core of the library's modules.
func (w *World) elaborated(sink *diag.List) {
	for _, m := range w.pending {
		m.elaborate()
		sink.Append(&m.late)
	}
	w.pending = nil
}

// libraries gives the interfaces of the whole library, for suggestions.
func (w *World) libraries() map[string]*check.Interface {
	faces := map[string]*check.Interface{}
	for _, name := range LibraryNames() {
		startLibrary(name)
	}
	for _, name := range LibraryNames() {
		m := startLibrary(name)
		<-m.checked
		faces[name] = m.unit.Info.Interface
	}
	return faces
}
