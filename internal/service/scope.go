package service

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/check"
	"github.com/fluxion-lang/fluxion/internal/syntax"
)

// locals gives the variables that can be named at an offset, the innermost first, each name once.
func (v *view) locals(offset int) []*check.Local {
	var found []*check.Local
	bind := func(patterns ...syntax.Pattern) {
		for _, p := range patterns {
			syntax.Inspect(p, func(n syntax.Node) bool {
				if b, ok := n.(*syntax.PVar); ok {
					if l, ok := v.unit.Info.Defs[b.Num()].(*check.Local); ok && l.Name != "" {
						found = append(found, l)
					}
				}
				return true
			})
		}
	}
	// What follows a name that it binds is where it can be used: bodies mostly go on to the end of what is around
	// them, and an unfinished one may not be in the tree.
	for _, n := range v.path(offset) {
		switch n := n.(type) {
		case *syntax.Binding:
			bind(n.Params...)
		case *syntax.Let:
			for _, b := range n.Bindings {
				if n.Rec || int(b.At.End) <= offset {
					bind(b.Pat)
				}
			}
		case *syntax.Fun:
			bind(n.Params...)
		case *syntax.Arm:
			bind(n.Pat)
		case *syntax.Loop:
			bind(n.State)
			if n.Clause != nil {
				bind(n.Clause.Pat)
			}
		case *syntax.Comp:
			for _, c := range n.Clauses {
				bind(c.Pat)
			}
		}
	}
	slices.Reverse(found)
	seen := map[string]bool{}
	return slices.DeleteFunc(found, func(l *check.Local) bool {
		dead := seen[l.Name]
		seen[l.Name] = true
		return dead
	})
}
