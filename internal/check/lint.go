package check

import (
	"slices"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// lintUnused remembers a local that nothing uses.
func (c *checker) lintUnused(l *Local) {
	if !isPrivate(l.Name) && len(c.unused) < diag.MaxReported {
		c.unused = append(c.unused, l)
	}
}

// lintLocals warns about unused locals, unless there are errors. Errors matter more, and may be
// the reason that a local is unused.
func (c *checker) lintLocals() {
	if c.sink.Failed() {
		return
	}
	for _, l := range c.unused {
		c.report(diag.Warningf(diag.UnusedName, l.At, "nothing uses `%s`", l.Name).
			WithHint("if that is meant, call it `_%s`", l.Name).WithFix(l.At, "_"+l.Name))
	}
}

// lintImports warns about unused imports.
func (c *checker) lintImports() {
	if c.sink.Failed() {
		return
	}
	for _, imp := range c.info.Module.Imports {
		if m := c.modules[imp.Alias.Name]; m != nil && m.decl == imp && !m.used &&
			!isPrivate(imp.Alias.Name) {
			c.report(diag.Warningf(diag.UnusedImport, imp.At, "nothing uses the import `%s`",
				imp.Alias.Name).WithRemoval(imp.At))
			continue
		}
		for _, id := range imp.Names {
			if l := c.listed[id.Name]; l != nil && !l.used && l.at == id.At {
				c.report(diag.Warningf(diag.UnusedImport, id.At,
					"nothing uses `%s`, which this import lists", id.Name))
			}
		}
	}
}

// lintShadow warns about a let that hides a name of the same chain of lets, unless the name
// starts with an underscore.
func (c *checker) lintShadow(p *syntax.PVar) {
	before := c.names.lookup(p.Name)
	if before == nil || before.chain == 0 || before.chain != c.chain || isPrivate(p.Name) {
		return
	}
	if l, ok := before.object.(*Local); ok {
		c.report(diag.Warningf(diag.ShadowedName, p.At, "this `%s` hides another of the same block",
			p.Name).
			WithRelated(l.At, "the one it hides").
			WithHint("give one of the two another name"))
	}
}

// lintTypeVariable warns about a type variable that looks like a type: `real` in an annotation
// means any type.
func (c *checker) lintTypeVariable(t *syntax.TVar) {
	name := strings.ToUpper(t.Name[:1]) + t.Name[1:]
	meant := typesElsewhere[name]
	if basicType(name) != nil {
		meant = name
	}
	said := func(v typeVar) bool { return v.name == t.Name && v.t != nil }
	if meant == "" || slices.ContainsFunc(c.vars, said) {
		return
	}
	c.report(diag.Warningf(diag.TypeLikeName, t.At, "`%s` is a variable, which stands for any type",
		t.Name).
		WithHint("names of types start with a capital: `%s`", meant))
}

// lintResult warns about a program whose result is a call that lacks arguments, or an array of
// such. It is seldom meant, and cannot be printed.
func (c *checker) lintResult(e syntax.Expr, t types.Type) {
	call, ok := unparen(e).(*syntax.Apply)
	if !ok || c.sink.Failed() {
		return
	}
	says := "the result is a function, which still lacks %s"
	if array, ok := types.Resolve(t).(*types.Array); ok {
		says = "the result is an array of functions, each of which still lacks %s"
		t = array.Elem
	}
	missing, _ := types.Arity(t, 100)
	if missing == 0 {
		return
	}
	d := diag.Warningf(diag.PartialResult, call.At, says, count(missing, "argument"))
	name := nameOf(call.Fun)
	if tuple, ok := call.Args[0].(*syntax.Tuple); ok && len(call.Args) == 1 && len(tuple.Elems) ==
		missing+1 && name != "" {
		d.WithHint("%s takes its arguments one after the other: write `%s`", describe(call.Fun),
			rewritten(name, tuple.Elems, " ")).
			WithFix(call.At, written(name, tuple.Elems, " "))
	}
	for _, arg := range call.Args {
		if f, ok := unparen(arg).(*syntax.Fun); ok && len(f.Params) == missing+1 {
			d.WithHint("a function of several values at once takes a tuple: `fun (x, y) => …`")
		}
	}
	c.showType(d, call.Fun)
	c.report(d)
}
