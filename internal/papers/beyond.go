package papers

import (
	"slices"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

// Beyond looks for a primitive that the function of a problem can reach, that is not a function
// of data, and that no paper has a rule for, such as an integral. It refuses the program at that
// place, or where the program calls the library function that uses the primitive. has lists
// primitives that the strategy does have a rule for.
func Beyond(p *Problem, strategy string, has ...prim.ID) *diag.Diagnostic {
	defs := map[string]*core.Def{}
	for _, d := range p.Program.Defs {
		defs[d.Name] = d
	}
	seen := map[string]bool{}
	var visit func(d *core.Def, from diag.Span) *diag.Diagnostic
	visit = func(d *core.Def, from diag.Span) (found *diag.Diagnostic) {
		if seen[d.Name] {
			return nil
		}
		seen[d.Name] = true
		place := func(at diag.Span) diag.Span {
			if InLibrary(at) && from.Known() {
				return from
			}
			return at
		}
		core.Walk(d.Body, func(s core.Stmt) {
			let, ok := s.(*core.Let)
			if !ok || found != nil {
				return
			}
			if op, ok := let.Op.(*core.Prim); ok && !ofData(op.Prim) && !slices.Contains(
				has, op.Prim.ID) {
				found = NotCovered(place(let.At), "%s has no rule for %s", strategy,
					called(op.Prim))
				return
			}
			parts := core.Parts{Atom: func(a core.Atom) {
				if g, ok := a.(*core.Global); ok && found == nil && defs[g.Name] != nil {
					found = visit(defs[g.Name], place(let.At))
				}
			}}
			parts.Visit(let.Op)
		})
		core.Atoms(d.Body, func(a core.Atom) { // the results of blocks too
			if g, ok := a.(*core.Global); ok && found == nil && defs[g.Name] != nil {
				found = visit(defs[g.Name], place(d.At))
			}
		})
		return found
	}
	return visit(p.Fun, p.Fun.At)
}

// InLibrary reports whether a place is in the library, or unknown.
func InLibrary(at diag.Span) bool {
	return at.File == nil || strings.HasPrefix(at.File.Name, "lib/")
}

// ofData reports whether a row is a function of data only, which is what the papers call a
// primitive, or moves data about.
func ofData(row *prim.Prim) bool {
	if _, whole := row.Float.(prim.Whole); whole {
		return false
	}
	if row.Float != nil || row.Int != nil || row.Text != nil && row.ID != prim.ParseReal {
		return true
	}
	return row.Order != 0 || row.Kind == prim.Data || row.Kind == prim.Update
}

// called returns the name by which programs call a primitive, or a description of their functions
// of it.
func called(row *prim.Prim) string {
	if row.Kind == prim.Derivation {
		return "derivatives inside a program"
	}
	return "`" + row.Name + "`"
}
