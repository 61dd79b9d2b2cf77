package opt

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/fluxion-lang/fluxion/internal/core"
)

//go:embed templates.core
var templateText string

// templates holds the polymorphic definitions by which Mono expresses primitives at structured
// types. Their names start with "opt.", which no module has as a name. They are parsed when a
// program first needs one, which few do.
var templates = sync.OnceValue(func() map[string]*source {
	p, err := core.Parse("templates.core", templateText)
	if err != nil {
		panic("opt: " + err.Error())
	}
	sources := map[string]*source{}
	for i, d := range p.Defs {
		sources[d.Name] = &source{def: d, index: i - len(p.Defs)} // before those of programs
	}
	return sources
})

// isTemplate reports whether a definition is a template.
func isTemplate(name string) bool { return strings.HasPrefix(name, "opt.") }

// template returns a template as if it were a definition of the program, or nil.
func (m *mono) template(name string) *source {
	if !isTemplate(name) {
		return nil
	}
	known := templates()[name]
	if known == nil {
		return nil
	}
	own := *known
	m.defs[name] = &own
	return &own
}
