package check

import (
	"fmt"
	"math"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// source is the type of the point of a derivative, at the use of a name that takes one.
type source struct {
	use syntax.Node
	t   types.Type
}

// noteSources remembers the types of the points at which a use differentiates. The scheme shows
// them: they are variables of class Diff in the parameter of a function that is itself a
// parameter, as in `grad : Diff s => (s -> Real) -> s -> s`. The same holds for every function
// that passes its own parameters on to such a function, for example `optim.minimize`.
func (c *checker) noteSources(use syntax.Node, scheme *types.Scheme, inst []types.Type) {
	params, _ := types.Splay(scheme.Type, math.MaxInt)
	for i, v := range scheme.Params {
		if v.Classes&types.Diff == 0 {
			continue
		}
		for _, p := range params {
			if f, ok := types.Resolve(p).(*types.Fun); ok && mentions(f.Param, v) {
				c.sources = append(c.sources, source{use, inst[i]})
				break
			}
		}
	}
}

func mentions(t types.Type, v *types.Param) bool {
	for _, p := range types.Params(t) {
		if p == v {
			return true
		}
	}
	return false
}

// lintSources warns about derivatives at points without reals. They have no components, and the
// point is returned unchanged.
func (c *checker) lintSources() {
	if c.sink.Failed() {
		return
	}
	for _, s := range c.sources {
		if types.Contains(s.t, mayBeReal) {
			continue
		}
		leaves := leavesOf{seen: map[*types.DataDecl]bool{}}
		leaves.find(s.t, "")
		if len(leaves.all) == 0 {
			continue
		}
		p := c.info.Printer()
		c.report(diag.Warningf(diag.NothingReal, s.use.Span(), "this is a derivative with "+
			"respect to the reals in %s, which contains none", p.Type(s.t)).
			WithHint("%s, which a derivative leaves as it is", strings.Join(leaves.all, " and ")))
	}
}

// mayBeReal reports whether a type is Real, or a variable that could be.
func mayBeReal(t types.Type) bool {
	switch t.(type) {
	case *types.Param, *types.Meta:
		return true
	}
	return t == types.Type(types.Real)
}

// leavesOf collects the leaves of a type that are not reals.
type leavesOf struct {
	all  []string // the path and the type of each
	seen map[*types.DataDecl]bool
}

func (l *leavesOf) find(t types.Type, at string) {
	switch t := types.Resolve(t).(type) {
	case *types.Basic:
		place := "the point"
		if at != "" {
			place = "its `" + at + "`"
		}
		l.all = append(l.all, fmt.Sprintf("%s is of type %s", place, types.Show(t)))
	case *types.Tuple:
		for i, e := range t.Elems {
			l.find(e, fmt.Sprintf("%s[%d]", at, i))
		}
	case *types.Record:
		for _, f := range t.Fields {
			l.find(f.Type, at+"."+f.Name)
		}
	case *types.Array:
		l.find(t.Elem, at+"[_]")
	case *types.Data:
		if l.seen[t.Decl] {
			return
		}
		l.seen[t.Decl] = true
		for _, con := range t.Decl.Cons {
			for _, f := range con.FieldTypes(t) {
				l.find(f, strings.TrimSpace(at+" "+con.Name))
			}
		}
	}
}
