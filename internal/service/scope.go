package service

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/check"
	"github.com/fluxion-lang/fluxion/internal/syntax"
)

// locals returns the variables in scope at an offset, the innermost first, each name once.
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
	for _, n := range v.path(v.before(offset)) {
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

// before returns the last place, up to an offset, that a declaration covers. A declaration that
// is unfinished at the offset may not be in the tree.
func (v *view) before(offset int) int {
	found := offset
	for _, d := range v.unit.AST.Decls {
		if int(d.Span().Start) > offset {
			break
		}
		found = min(offset, int(d.Span().End))
	}
	if final := v.unit.AST.Final; final != nil && int(final.Span().Start) <= offset &&
		covers(final.Span(), offset) {
		return offset
	}
	return found
}
