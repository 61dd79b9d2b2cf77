package delta

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/papers"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// modules keeps what 𝒟← makes of definitions, for every program that uses them: Delta §7.5. A
// function f = e of a library becomes f_rev = 𝒟{e} once, and 𝒟{f} is f_rev from then on. That is
// possible because 𝒟{e} mentions Delta and not S.
//
// A definition is identified by its text, as monomorphic core, and by the data types that it
// mentions. The definitions that it calls are called by name, and are looked up in turn.
type modules struct {
	sync.Mutex
	*shapes
	kept       map[string]*translation // by the names of the sources
	translated int                     // how many definitions were translated, for tests
}

type translation struct {
	text      string // of the source
	mentioned map[*types.DataDecl]bool
	calls     map[string]bool // the sources whose translations it uses
	def       *core.Def       // 𝒟{source}
}

func newModules() *modules { return &modules{shapes: newShapes(), kept: map[string]*translation{}} }

// modulesOf returns what earlier problems left. A program that is the result of a translation has
// none, because its names are those that translations make.
func modulesOf(p *papers.Problem) *modules {
	for _, d := range p.Program.Defs {
		if generated(d) {
			return newModules()
		}
	}
	if p.Store == nil {
		return newModules()
	}
	kept, _ := p.Store.LoadOrStore("delta", newModules())
	return kept.(*modules)
}

// generated reports whether a translation made a definition, 𝒟{f}, rather than a program,
// f<types>.
func generated(d *core.Def) bool {
	name, _, _ := strings.Cut(d.Name, "<")
	return strings.Contains(name, "{")
}

// text returns the text that identifies a definition, besides its data types. It includes the
// types of what the definition calls.
func text(d *core.Def) string { return core.Print(&core.Program{Defs: []*core.Def{d}}) }

// reuse takes the translation of a definition from what was kept, and reports whether it was
// there.
func (t *monad) reuse(d *core.Def) bool {
	kept := t.modules.kept[d.Name]
	if kept == nil || kept.text != text(d) || !t.hasAll(kept.mentioned) {
		return false
	}
	*t.made[d.Name] = *kept.def
	for _, name := range slices.Sorted(maps.Keys(kept.calls)) {
		t.global(t.source[name])
	}
	return true
}

// hasAll reports whether data types belong to the program to translate.
func (t *monad) hasAll(datas map[*types.DataDecl]bool) bool {
	for d := range datas {
		if !t.known[d] {
			return false
		}
	}
	return true
}

// keep keeps the translation of a definition, unless it is an objective, which belongs to the
// problem and to no module.
func (t *monad) keep(d, made *core.Def) {
	if t.err != nil || generated(d) {
		return
	}
	t.modules.translated++
	t.modules.kept[d.Name] = &translation{text(d), t.mentioned, t.calls, made}
}
