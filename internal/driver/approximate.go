package driver

import (
	"strings"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
)

// Exact evaluation encloses what a program computes. A function of the library may compute an
// approximation of what its name promises: `ode.solve` takes steps, and its enclosure is one of
// what the steps give, not of the solution. The documentation of such a function has a line
// that begins with approximates, and exact runs repeat it.
const approximates = "Approximation: "

// approximations warns of each function of a linked program that approximates, where it is
// first used.
func approximations(u *Unit, linked *core.Program) []*diag.Diagnostic {
	says := map[string]string{} // of the functions that approximate
	seen := map[*Unit]bool{}
	var read func(*Unit)
	read = func(u *Unit) {
		if seen[u] {
			return
		}
		seen[u] = true
		for _, imported := range u.Imports {
			read(imported)
		}
		for name, global := range u.Info.Interface.Values {
			for _, line := range strings.Split(global.Doc, "\n") {
				if text, ok := strings.CutPrefix(line, approximates); ok {
					says[u.Info.Name+"."+name] = text
				}
			}
		}
	}
	read(u)

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
			if text, ok := says[global.Name]; ok {
				all = append(all, diag.Warningf(diag.Approximates, at,
					"the enclosure is one of what `%s` computes, which is an approximation", global.Name).WithHint("%s", strings.TrimSuffix(text, ".")))
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
