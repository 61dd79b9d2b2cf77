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

// modules keeps what 𝒟← makes of definitions, for every program that uses them:
// Delta §7.5. A function f = e of a library becomes f_rev = 𝒟{e} once, and 𝒟{f}
// is f_rev from then on. That can be, since 𝒟{e} mentions Delta and not S.
//
// A definition is known by its text, as monomorphic core, and by the data types
// that it mentions. What it calls is called by name, and is looked up in turn.
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

// modulesOf returns what earlier problems have left. A program that is the result of
// a translation has none: its names are those that translations make.
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

// generated tells the definitions that translations make, 𝒟{f}, from those of
// programs, f<types>.
func generated(d *core.Def) bool {
	name, _, _ := strings.Cut(d.Name, "<")
	return strings.Contains(name, "{")
}

// text returns what a definition is known by, besides its data types. The types of
// what it calls are in it.
func text(d *core.Def) string { return core.Print(&core.Program{Defs: []*core.Def{d}}) }

// reuse takes the translation of a definition from what was kept, if it is
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

// hasAll reports whether data types are those of the program to translate.
func (t *monad) hasAll(datas map[*types.DataDecl]bool) bool {
	for d := range datas {
		if !t.known[d] {
			return false
		}
	}
	return true
}

// keep keeps the translation of a definition; not that of an objective, which
// is a definition of the problem and of no module.
func (t *monad) keep(d, made *core.Def) {
	if t.err != nil || generated(d) {
		return
	}
	t.modules.translated++
	t.modules.kept[d.Name] = &translation{text(d), t.mentioned, t.calls, made}
}
