package driver

import (
	"strings"

	"github.com/fluxion-lang/fluxion/internal/check"
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
)

// approximates starts a line of a function's documentation. Exact evaluation encloses what a
// program computes. A library function may compute an approximation of what its name promises:
// `ode.solve` takes steps, and its enclosure is that of the result of these steps, not of the
// solution. The documentation of such a function has a line that begins with approximates, and
// exact runs repeat it.
const approximates = "Approximation: "

// approximations returns a warning for each function of a linked program that approximates, at
// its first use.
func approximations(u *Unit, linked *core.Program) []*diag.Diagnostic {
	modules := map[string]*check.Interface{}
	for _, u := range u.withImports() {
		modules[u.Info.Name] = u.Info.Interface
	}
	// what a function's documentation says about its approximation
	says := func(name string) (string, bool) {
		module, short, _ := strings.Cut(name, ".")
		if face := modules[module]; face != nil && face.Value(short) != nil {
			for line := range strings.Lines(face.Value(short).Doc) {
				if text, ok := strings.CutPrefix(line, approximates); ok {
					return strings.TrimSuffix(text, "\n"), true
				}
			}
		}
		return "", false
	}

	defs := map[string]*core.Def{}
	for _, def := range linked.Defs {
		defs[def.Name] = def
	}
	var all []*diag.Diagnostic
	reached := map[string]bool{}
	var visit func(*core.Def)
	visit = func(def *core.Def) {
		use := func(a core.Atom, at diag.Span) {
			global, ok := a.(*core.Global)
			if !ok || reached[global.Name] {
				return
			}
			reached[global.Name] = true
			if text, ok := says(global.Name); ok {
				all = append(all, diag.Warningf(diag.Approximates, at,
					"the enclosure is one of what `%s` computes, which is an approximation",
					global.Name).WithHint("%s", strings.TrimSuffix(text, ".")))
				return
			}
			visit(defs[global.Name])
		}
		core.Walk(def.Body, func(s core.Stmt) {
			if let, ok := s.(*core.Let); ok {
				(&core.Parts{Atom: func(a core.Atom) { use(a, let.At) }}).Visit(let.Op)
			}
		})
		core.Atoms(def.Body, func(a core.Atom) { use(a, def.At) })
	}
	visit(linked.Main)
	return all
}
