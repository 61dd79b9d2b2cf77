package driver

import (
	"io/fs"
	"strings"
	"sync"

	"github.com/fluxion-lang/fluxion/internal/check"
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/opt"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/lib"
)

// Note [The library]
//
// A module of the standard library is the same in every world. So a process loads it once, and
// worlds share it. A program uses few of its definitions. Therefore work is done in three steps,
// each on demand:
//
//   - When a module is first imported, its outline is read. The imports and the declarations of
//     types are parsed and checked; of the definitions only the names are found
//     (syntax.ReadOutline). This gives the module's Interface.
//   - When a definition is first looked up in the Interface, it is parsed and checked, as a
//     module of its own that sees the definitions above it. It looks up the definitions that it
//     mentions. They are above it, or in modules that its module imports, so no definition waits
//     for itself.
//   - When a program is linked, the definitions that it reaches are elaborated.
//
// The first to need a result does the work, and others wait (sync.Once). An error in a definition
// is a bug in Fluxion, which the tests of the library find.
//
// Editors and documentation need whole modules. Library returns a unit that was parsed, checked
// and elaborated like that of a program, but has the types of the Interface that programs see. A
// test checks that both ways give the same core.
//
// The qualified names of the library's modules are reserved in every world, so that they do not
// depend on the program.

// libraryModule is a module of the library.
type libraryModule struct {
	unit        *Unit // what programs import: the module without its definitions
	read        sync.Once
	options     check.Options // for checking its definitions
	definitions []*libraryDefinition
	named       map[string]*libraryDefinition
	// loads the whole module, and returns its diagnostics too
	whole func() (*Unit, *diag.List)
}

// libraryDefinition is a definition of a module of the library.
type libraryDefinition struct {
	module *libraryModule
	place  int // its index among the definitions of the module
	text   *syntax.Definition

	check  sync.Once // guards the following fields
	info   *check.Info
	global *check.Global

	elaborate sync.Once // guards the following fields
	core      []*core.Def
	uses      []*libraryDefinition // the library definitions that its core mentions
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

// libraryNamed returns a module of the library, with its outline, or nil if there is none of that
// name.
func libraryNamed(name string) *libraryModule {
	libraryMu.Lock()
	m := libraryModules[name]
	if m == nil {
		text, err := fs.ReadFile(lib.FS, name+".flx")
		if err != nil {
			libraryMu.Unlock()
			return nil
		}
		file := diag.NewFile("lib/"+name+".flx", string(text))
		file.Library = true
		m = &libraryModule{unit: &Unit{Key: libraryPrefix + name, File: file,
			modules: map[string]*check.Interface{}}}
		m.unit.library = m
		m.whole = sync.OnceValues(m.load)
		libraryModules[name] = m
	}
	libraryMu.Unlock()
	m.read.Do(func() { m.outline(name) })
	return m
}

// outline reads the module without the definitions, and the names of the definitions.
func (m *libraryModule) outline(name string) {
	var sink diag.List
	unit := m.unit
	outline := syntax.ReadOutline(unit.File, &sink)
	unit.AST = outline.Head
	m.options = m.optionsFor(name, unit)
	unit.Info = check.Check(unit.AST, m.options, &sink)
	unit.Core = check.Elaborate(nil, unit.Info, &sink)
	sound(&sink)
	m.options.Declared = unit.Info.Interface
	m.named = make(map[string]*libraryDefinition, len(outline.Definitions))
	m.definitions = make([]*libraryDefinition, len(outline.Definitions))
	names := make([]string, len(outline.Definitions))
	for i, text := range outline.Definitions {
		d := &libraryDefinition{module: m, place: i, text: text}
		m.definitions[i], m.named[text.Name], names[i] = d, d, text.Name
	}
	unit.Info.Interface.Promise(names, func(name string) *check.Global {
		if d := m.named[name]; d != nil {
			return d.checked()
		}
		return nil
	})
}

// optionsFor resolves the imports of a unit of the library.
func (m *libraryModule) optionsFor(name string, unit *Unit) check.Options {
	options := check.Options{Name: name, Imports: map[*syntax.Import]*check.Interface{},
		Library: true}
	if name != prelude {
		first := libraryNamed(prelude).unit
		unit.Imports = append(unit.Imports, first)
		options.Open = []*check.Interface{first.Info.Interface}
	}
	for _, imp := range unit.AST.Imports {
		if imp.Path == builtin {
			continue
		}
		if imported := libraryNamed(imp.Path); imported != nil {
			face := imported.unit.Info.Interface
			unit.Imports = append(unit.Imports, imported.unit)
			unit.modules[imp.Alias.Name], options.Imports[imp] = face, face
		}
	}
	return options
}

// load loads the whole module as a unit.
func (m *libraryModule) load() (*Unit, *diag.List) {
	sink := &diag.List{}
	light := m.unit
	unit := &Unit{Key: light.Key, File: light.File, library: m,
		modules: map[string]*check.Interface{}}
	unit.AST = syntax.Parse(unit.File, sink)
	options := m.optionsFor(light.Info.Name, unit)
	options.Declared = light.Info.Interface
	unit.Info = check.Check(unit.AST, options, sink)
	if !sink.Failed() {
		check.Patterns(nil, unit.Info, sink)
	}
	if !sink.Failed() {
		unit.Core = check.Elaborate(nil, unit.Info, sink)
	}
	return unit, sink
}

// checked checks the definition, once, and returns it.
func (d *libraryDefinition) checked() *check.Global {
	d.check.Do(func() {
		var sink diag.List
		module := d.text.Read(&sink)
		module.Imports = d.module.unit.AST.Imports
		options := d.module.options
		options.Before = func(name string) *check.Global {
			if other := d.module.named[name]; other != nil && other.place < d.place {
				return other.checked()
			}
			return nil
		}
		d.info = check.Check(module, options, &sink)
		check.Patterns(nil, d.info, &sink)
		sound(&sink)
		d.global = d.info.Interface.Value(d.text.Name)
	})
	return d.global
}

// elaborated elaborates the definition, once, and returns its core.
func (d *libraryDefinition) elaborated() []*core.Def {
	d.elaborate.Do(func() {
		d.checked()
		var sink diag.List
		program := check.Elaborate(nil, d.info, &sink)
		sound(&sink)
		d.core, d.uses = program.Defs, libraryUses(program)
	})
	return d.core
}

// libraryUses returns the library definitions that a program mentions, and those that opt needs
// because of the program's types.
func libraryUses(p *core.Program) []*libraryDefinition {
	var uses []*libraryDefinition
	seen := map[string]bool{}
	use := func(name string) {
		if seen[name] {
			return
		}
		seen[name] = true
		module, short, _ := strings.Cut(name, ".")
		if m := libraryNamed(module); m != nil && m.named[short] != nil {
			uses = append(uses, m.named[short])
		}
	}
	for _, data := range p.Datas {
		use(opt.ContentName(data))
	}
	p.EachDef(func(def *core.Def) {
		core.Atoms(def.Body, func(a core.Atom) {
			if global, ok := a.(*core.Global); ok {
				use(global.Name)
			}
		})
	})
	return uses
}

// reach adds library definitions to reached, with all that they need.
func reach(uses []*libraryDefinition, reached map[*libraryDefinition]bool) {
	for _, d := range uses {
		if !reached[d] {
			reached[d] = true
			d.elaborated()
			reach(d.uses, reached)
		}
	}
}

// sound panics if a part of the library has an error.
func sound(sink *diag.List) {
	if sink.Failed() {
		panic("driver: bug in the library: " + sink.Sorted()[0].Error())
	}
}

// Library returns a whole module of the standard library, or nil if there is none of that name.
func (w *World) Library(name string, sink *diag.List) *Unit {
	m := libraryNamed(name)
	if m == nil {
		return nil
	}
	unit, findings := m.whole()
	sink.Append(findings)
	return unit
}

// libraryFaces returns the interfaces of the whole library, for suggestions.
func libraryFaces() map[string]*check.Interface {
	faces := map[string]*check.Interface{}
	for _, name := range LibraryNames() {
		faces[name] = libraryNamed(name).unit.Info.Interface
	}
	return faces
}
