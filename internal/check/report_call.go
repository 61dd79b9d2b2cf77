package check

import (
	"strings"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// tooManyArguments reports a call in which argument number taken (from 0) has no parameter.
func (c *checker) tooManyArguments(call *syntax.Apply, whole types.Type, taken int) {
	if taken == 0 {
		c.notAFunction(call.Fun, whole)
		return
	}
	if params, _ := types.Splay(whole, 1); taken == 1 {
		if tuple, ok := types.Resolve(params[0]).(*types.Tuple); ok && len(tuple.Elems) == len(
			call.Args) {
			d := diag.Errorf(diag.TooManyArguments, call.At, "%s takes one tuple, but this gives "+
				"it %s", describe(call.Fun), count(len(call.Args), "argument"))
			if name := nameOf(call.Fun); name != "" {
				d.WithHint("write `%s`", rewritten(name, call.Args, ", ")).WithFix(
					call.At, written(name, call.Args, ", "))
			}
			c.showType(d, call.Fun)
			c.report(d)
			return
		}
	}
	code := diag.TooManyArguments
	if isConstructor(call.Fun) {
		code = diag.ConstructorArity
	}
	at := call.Args[taken].Span().To(call.Args[len(call.Args)-1].Span())
	d := diag.Errorf(code, at, "%s takes %s, and this gives it %d", describe(call.Fun),
		count(taken, "argument"), len(call.Args))
	c.showType(d, call.Fun)
	switch arg := call.Args[taken-1].(type) {
	case *syntax.Var, *syntax.Con:
		if isFun(c.info.Types[arg.Num()]) {
			d.WithHint("if `%s` is to be applied to what follows it, put the two in parentheses",
				nameOf(arg))
		}
	}
	c.report(d)
}

func isConstructor(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.Con:
		return true
	case *syntax.Field:
		return isUpper(e.Name.Name)
	}
	return false
}

// foreignAfter reports whether a word of another language follows a value, as in `a or b`. That
// word has a diagnostic of its own, which is enough.
func (c *checker) foreignAfter(fun syntax.Expr) bool {
	rest := strings.TrimLeft(fun.Span().File.Text[fun.Span().End:], " ")
	word := rest[:len(rest)-len(strings.TrimLeft(rest, "abcdefghijklmnopqrstuvwxyz"))]
	return syntax.ForeignWord(word) != "" && c.find(word) == nil
}

// notAFunction reports an application of what is not a function.
func (c *checker) notAFunction(fun syntax.Expr, t types.Type) {
	if isBad(t) {
		return
	}
	if c.foreignAfter(fun) {
		return
	}
	p := c.info.Printer()
	what := "this"
	if name := nameOf(fun); name != "" {
		what = "`" + name + "`"
	}
	d := diag.Errorf(diag.NotAFunction, fun.Span(),
		"%s is applied to an argument, but it is not a function", what)
	if intLike(t) && isUnknown(t) {
		d.WithLabel("this is a number")
	} else {
		d.WithLabel("this is %s", p.Type(t))
	}
	switch types.Resolve(t).(type) {
	case *types.Array:
		d.WithHint("to index it, write `[` without a space before it: `xs[i]`")
		space := diag.Span{File: d.Span.File, Start: d.Span.End, End: d.Span.End}
		for rest := space.File.Text[space.Start:]; strings.HasPrefix(rest, " "); rest = rest[1:] {
			space.End++
		}
		if strings.HasPrefix(space.File.Text[space.End:], "[") {
			d.WithEdit("Remove the space", space, "")
		}
	case *types.Basic, *types.Meta:
		d.WithHint("is an operator missing, as in `a * b`, or a comma, as in `[a, b]`? two " +
			"things side by side mean that the first is applied to the second")
	default:
		d.WithHint("two things side by side mean that the first is applied to the second; is an " +
			"operator or a comma missing?")
	}
	c.report(d)
}

// arguments returns a diagnostic for a mismatch that comes from the number or the form of
// arguments, or nil.
func (m *mismatched) arguments() *diag.Diagnostic {
	if d := m.missing(); d != nil {
		return d
	}
	if m.why.kind != whyArgument {
		return nil
	}
	call := m.why.node.(*syntax.Apply)
	params, _ := types.Splay(m.why.whole, 100)
	name := nameOf(call.Fun)
	// f (a, b) for a curried f.
	if tuple, ok := m.node.(*syntax.Tuple); ok && len(call.Args) == 1 && len(tuple.Elems) > 1 &&
		len(tuple.Elems) <= len(params) {
		d := diag.Errorf(diag.Mismatch, m.node.Span(), "%s takes its arguments one after the "+
			"other, but this gives it a tuple", describe(call.Fun))
		if name != "" {
			d.WithHint("write `%s`", rewritten(name, tuple.Elems, " ")).WithFix(
				call.At, written(name, tuple.Elems, " "))
		}
		m.why.explain(d, m.c)
		return d
	}
	return nil
}

// swapped holds the last argument that was reported, and its diagnostic.
type swapped struct {
	call *syntax.Apply
	n    int
	got  types.Type
	said *diag.Diagnostic
}

// reportArgument reports a mismatch. If it is of an argument it remembers it.
func (c *checker) reportArgument(m *mismatched, d *diag.Diagnostic) {
	if m.why.kind == whyArgument {
		c.swap = swapped{m.why.node.(*syntax.Apply), m.why.n, m.got, d}
	}
	c.report(d)
}

// isSwapped reports whether a mismatch is the second of two arguments that would fit in the other
// order. If so, it corrects the diagnostic of the first.
func (m *mismatched) isSwapped() bool {
	first := &m.c.swap
	if m.why.kind != whyArgument || first.call != m.why.node || first.n == m.why.n {
		return false
	}
	params, _ := types.Splay(m.why.whole, max(first.n, m.why.n))
	if len(params) < max(first.n, m.why.n) || !similar(params[first.n-1], m.got) ||
		!similar(params[m.why.n-1], first.got) {
		return false
	}
	*first.said = *m.c.wrongOrder(first.said.Code, first.call, first.n, m.why.n)
	return true
}

// showType adds the type of a function that a name refers to.
func (c *checker) showType(d *diag.Diagnostic, fun syntax.Expr) {
	for {
		paren, ok := fun.(*syntax.Paren)
		if !ok {
			break
		}
		fun = paren.X
	}
	name, use := nameOf(fun), c.info.Uses[fun.Num()]
	if name == "" || use == nil {
		return
	}
	p := c.info.Printer()
	var scheme *types.Scheme
	switch o := use.Object.(type) {
	case *Local:
		scheme = o.Scheme
	case *Global:
		scheme = o.Scheme
	case *Primitive:
		scheme = o.Prim.Scheme
	case *Constructor:
		scheme = c.conInfo(o.Con).scheme
	}
	// a member of the recursive group that is being inferred
	if scheme == nil || scheme.Type == nil {
		d.WithHint("%s : %s", name, p.Type(c.info.Types[fun.Num()]))
		return
	}
	d.WithHint("%s : %s", name, p.Scheme(scheme))
}

// explainOneType adds why the uses of a function cannot have different types, if they cannot.
func (c *checker) explainOneType(d *diag.Diagnostic, fun syntax.Expr) {
	name, use := nameOf(fun), c.info.Uses[unparen(fun).Num()]
	if use == nil {
		return
	}
	var why oneType
	var at diag.Span
	switch o := use.Object.(type) {
	case *Local:
		why, at = o.oneType, o.At
	case *Global:
		why, at = o.oneType, o.At
	}
	switch why {
	case isParameter:
		d.WithRelated(at, "`%s` is bound here, and has one type wherever it is used", name)
	case noParameters:
		d.WithHint("`%s` is defined without parameters, so its uses decide the one type that it "+
			"has; "+
			"a function defined as `let %s x = …` works at each type", name, name)
	case takesFields:
		d.WithRelated(at, "`%s` takes fields of a record, and its uses decide which record", name)
	}
}

// ofWhole maps functions of two numbers to the functions of an array that do the same.
var ofWhole = map[string]string{"max": "maximum", "min": "minimum"}

// missing returns a diagnostic for a function that stands where its result was meant, or nil.
func (m *mismatched) missing() *diag.Diagnostic {
	fun, ok := m.got.(*types.Fun)
	if !ok || isFun(m.want) || isUnknown(m.want) && !intLike(m.want) {
		return nil
	}
	if _, lambda := m.node.(*syntax.Fun); lambda {
		return nil
	}
	params, result := types.Splay(fun, 100)
	if !similar(m.want, result) {
		return nil
	}
	subject := "this"
	e, _ := m.node.(syntax.Expr)
	if m.why.kind == whyOperands {
		e = m.why.node.(*syntax.Binary).R
	}
	switch e := e.(type) {
	case *syntax.Var, *syntax.Con, *syntax.Field:
		subject = describe(e)
	case *syntax.Apply:
		subject = describe(e.Fun)
	}
	at := m.node.Span()
	if e != nil {
		at = e.Span()
	}
	d := diag.Errorf(diag.MissingArguments, at, "%s still lacks %s", subject,
		count(len(params), "argument")).
		WithLabel("this is %s", m.printer.Type(fun))
	if call, ok := e.(*syntax.Apply); ok {
		t := m.c.info.Types[call.Fun.Num()]
		all, _ := types.Splay(t, 100)
		d.WithHint("%s takes %s, and this gives it %d", describe(call.Fun),
			count(len(all), "argument"), len(call.Args))
		m.c.showType(d, call.Fun)
		if whole := ofWhole[nameOf(call.Fun)]; whole != "" &&
			isArray(m.c.info.Types[call.Args[0].Num()]) {
			d.WithHint("that of all elements of an array is `%s %s`", whole,
				operandText(call.Args[0], "xs"))
		}
	}
	if op, ok := m.why.node.(*syntax.Binary); ok && op.Op == syntax.OpSub && m.why.n == 1 &&
		op.R.Span().Start == op.OpAt.End {
		d.WithHint("to pass a negative argument, write `%s (-%s)`", brief(op.L, "f"),
			brief(op.R, "x")).
			WithFix(op.At, op.L.Span().Text()+" (-"+op.R.Span().Text()+")")
	} else {
		d.WithHint("%s should be %s", m.why.subject(), m.article(m.want))
	}
	m.why.explain(d, m.c)
	return d
}

// similar reports whether two types could be the same, as far as they are known.
func similar(a, b types.Type) bool {
	a, b = types.Resolve(a), types.Resolve(b)
	switch a := a.(type) {
	case *types.Basic:
		if m, ok := b.(*types.Meta); ok {
			return types.Member(a, m.Classes) == nil
		}
		return a == b
	case *types.Meta:
		return types.Member(b, a.Classes) == nil
	case *types.Tuple:
		b, ok := b.(*types.Tuple)
		return ok && len(a.Elems) == len(b.Elems)
	case *types.Record:
		_, ok := b.(*types.Record)
		return ok
	case *types.Array:
		_, ok := b.(*types.Array)
		return ok
	case *types.Fun:
		_, ok := b.(*types.Fun)
		return ok
	case *types.Data:
		b, ok := b.(*types.Data)
		return ok && a.Decl == b.Decl
	}
	if m, ok := b.(*types.Meta); ok {
		return m.Classes == 0
	}
	return a == b
}

// constructorArity reports a constructor pattern with the wrong number of
// arguments.
func (c *checker) constructorArity(p *syntax.PCon, con *types.Con) {
	show := c.info.Printer()
	d := diag.Errorf(diag.ConstructorArity, p.At, "the constructor `%s` has %s, and this pattern "+
		"has %d", con.Name, count(len(con.Fields), "field"), len(p.Args))
	usage := con.Name
	for range con.Fields {
		usage += " _"
	}
	d.WithHint("%s : %s", con.Name, show.Type(c.conInfo(con).scheme.Type))
	if len(p.Args) < len(con.Fields) {
		d.WithHint("a pattern names every field: `%s`", usage)
	}
	if len(p.Args) == 1 {
		if tuple, ok := p.Args[0].(*syntax.PTuple); ok && len(tuple.Elems) == len(con.Fields) {
			d.WithHint("the fields stand one after the other, without a tuple: `%s`", usage)
		}
	}
	if at := c.conAt[con]; at.Known() {
		d.WithRelated(at, "declared here")
	}
	c.report(d)
}
