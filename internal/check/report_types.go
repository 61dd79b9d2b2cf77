package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/suggest"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// mismatch reports that a node has the type got where want is required, for the reason w.
func (c *checker) mismatch(n syntax.Node, want, got types.Type, w why, fail *types.Failure) {
	m := &mismatched{c: c, node: n, want: types.Resolve(want), got: types.Resolve(got), why: w,
		fail: fail, printer: c.info.Printer()}
	if fail.Kind == types.TooLarge {
		c.typeTooLarge(n)
		return
	}
	if call, ok := w.node.(*syntax.Apply); ok && w.kind == whyArgument && call == c.wrongArity {
		return
	}
	if d := m.arity(); d != nil {
		c.report(d)
		return
	}
	if d := m.order(); d != nil {
		c.reportArgument(m, d)
		return
	}
	switch fail.Kind {
	case types.Infinite:
		c.report(m.infinite())
	case types.Rigid, types.Escape:
		c.report(m.rigid())
	case types.Lacking:
		if !m.isSwapped() {
			c.reportArgument(m, m.habits(m.lacking()))
		}
	default:
		if !m.isSwapped() {
			c.reportArgument(m, m.habits(m.clash()))
		}
	}
}

// mismatched is a mismatch that is being put into words.
type mismatched struct {
	c         *checker
	node      syntax.Node
	want, got types.Type
	why       why
	fail      *types.Failure
	printer   *types.Printer
}

// finish adds the comparison of the types, and the reason.
func (m *mismatched) finish(d *diag.Diagnostic) *diag.Diagnostic {
	if !isAtom(m.want) || !isAtom(m.got) || m.printer.Type(m.want) == m.printer.Type(m.got) {
		d.WithHint("%s", m.comparison())
	}
	m.why.explain(d, m.c)
	return d
}

// comparison shows the two types one above the other, with their differences marked.
func (m *mismatched) comparison() string {
	cmp := m.printer.Compare(m.want, m.got)
	lines := []string{"expected  " + cmp.A}
	if cmp.MarkA != "" {
		lines = append(lines, "          "+cmp.MarkA)
	}
	lines = append(lines, "   found  "+cmp.B)
	if cmp.MarkB != "" {
		lines = append(lines, "          "+cmp.MarkB)
	}
	return strings.Join(lines, "\n")
}

func isAtom(t types.Type) bool {
	switch t := types.Resolve(t).(type) {
	case *types.Basic, *types.Param:
		return true
	case *types.Tuple:
		return len(t.Elems) == 0
	case *types.Data:
		return len(t.Args) == 0
	}
	return false
}

// article returns a type with its article if it is short enough for a sentence, and otherwise a
// word for its kind.
func (m *mismatched) article(t types.Type) string {
	switch t := types.Resolve(t).(type) {
	case *types.Basic:
		if t == types.Int {
			return "an Int"
		}
		return "a " + t.Name
	case *types.Tuple:
		if len(t.Elems) == 0 {
			return "()"
		}
		return fmt.Sprintf("a tuple of %d", len(t.Elems))
	case *types.Record:
		return "a record"
	case *types.Array:
		return "an array"
	case *types.Fun:
		return "a function"
	case *types.Meta:
		if t.Classes&types.Scalar != 0 {
			return "a number"
		}
		return "unknown"
	}
	text := m.printer.Type(t)
	if len(text) > 30 {
		text = text[:27] + "…"
	}
	return "`" + text + "`"
}

// habits adds what someone who knows another language may have meant.
func (m *mismatched) habits(d *diag.Diagnostic) *diag.Diagnostic {
	_, array := m.got.(*types.Array)
	switch {
	case m.why.kind == whyIndexed:
		d.WithHint("an array has an index for each dimension: `xs[i]`, and `m[i, j]` for an " +
			"array of rows")
	case m.why.kind == whyOperand && array && m.want == types.Type(types.Bool):
		d.WithHint("Booleans are combined one by one: `[a && b for (a, b) in zip xs ys]`")
	case m.why.kind == whyOperand && array && m.why.node.(*syntax.Binary).Op == syntax.OpScale:
		d.WithHint("`c .* v` scales a vector by a number; `xs * ys` multiplies arrays element by " +
			"element")
	case m.why.kind == whyOperand && array && m.why.node.(*syntax.Binary).Op == syntax.OpPowR:
		m.power(d, m.why.node.(*syntax.Binary))
	case m.why.kind == whyIndex && array:
		m.gathered(d)
	case m.why.kind == whySource && intLike(m.got) && m.got != types.Type(types.Real):
		if number, ok := m.node.(syntax.Expr); ok {
			counted := m.why.at.Text() + " < "
			at := m.why.at
			at.End = number.Span().End
			d.WithHint("for a range write `%s`", counted+brief(number, "n")).
				WithFix(at, counted+number.Span().Text())
		}
	case m.why.kind == whyIndex && m.got == types.Type(types.Bool):
		d.WithHint("the elements that satisfy a condition are `[x for x in xs if x > 1]`")
	case m.why.kind == whyElse && isOption(m.want) != isOption(m.got):
		d.WithHint("a value beside `None` is written `Some x`")
	}
	return d
}

// power adds advice about `**` with an array as an operand.
func (m *mismatched) power(d *diag.Diagnostic, e *syntax.Binary) {
	array, other := e.L, e.R
	if m.why.n == 2 {
		array, other = e.R, e.L
	}
	if t := m.c.info.Types[other.Num()]; t != nil && isArray(t) {
		d.WithHint("`**` has reals as operands: `[x ** y for (x, y) in zip xs ys]`")
	} else {
		m.scalarHint(d, e, array, other)
	}
	if array == e.L {
		d.WithHint("`xs^2` has an Int exponent")
	}
}

// gathered adds advice about an array as an index.
func (m *mismatched) gathered(d *diag.Diagnostic) {
	e, ok := m.why.node.(*syntax.Index)
	if !ok || len(e.Indices) > 1 {
		d.WithHint("the elements at several places are `[xs[i] for i in is]`, or `array.gather " +
			"xs is`")
		return
	}
	xs, places := e.X, e.Indices[0]
	d.WithHint("for the elements at several places write `[%s[i] for i in %s]`; `array.gather xs "+
		"is` has them too",
		operandText(xs, "xs"), brief(places, "is")).
		WithFix(e.At, "["+operand(xs)+"[i] for i in "+places.Span().Text()+"]")
}

func isOption(t types.Type) bool {
	data, ok := t.(*types.Data)
	return ok && data.Decl.Name == "Option"
}

// clash returns the diagnostic for two types with different heads somewhere inside.
func (m *mismatched) clash() *diag.Diagnostic {
	if d := m.arguments(); d != nil {
		return d
	}
	if intReal(m.fail.A, m.fail.B) {
		return m.intReal()
	}
	if m.why.kind == whyOperands {
		return m.operands()
	}
	code := diag.Mismatch
	switch m.why.kind {
	case whyElse, whyArm:
		code = diag.BranchMismatch
	}
	d := m.headline(code)
	return m.finish(m.hints(d))
}

// says returns a sentence that states the type of an operand.
func (m *mismatched) says(t types.Type) string {
	if meta, ok := types.Resolve(t).(*types.Meta); ok && meta.Classes&types.Scalar != 0 {
		return "this is a number"
	}
	return "this has type " + m.printer.Type(t)
}

// headline returns the diagnostic that states which type is required and which one was found.
func (m *mismatched) headline(code diag.Code) *diag.Diagnostic {
	want, got := m.article(m.want), m.article(m.got)
	var d *diag.Diagnostic
	switch {
	case m.why.kind == whyApplied:
		d = diag.Errorf(code, m.node.Span(), "this is applied as a function of another type")
	case want == got:
		d = diag.Errorf(code, m.node.Span(), "%s has the wrong type", m.why.subject())
	case m.why.kind == whyElse || m.why.kind == whyArm:
		d = diag.Errorf(code, m.node.Span(), "%s is %s, but the first is %s", m.why.subject(),
			got, want)
		if m.why.kind == whyElse {
			d.Message = fmt.Sprintf("the `then` branch is %s, but the `else` branch is %s",
				want, got)
		}
	default:
		d = diag.Errorf(code, m.node.Span(), "%s should be %s, but this is %s", m.why.subject(),
			want, got)
	}
	if isAtom(m.got) {
		d.WithLabel("this is %s", m.printer.Type(m.got))
	}
	return d
}

// hints adds advice for particular pairs of types.
func (m *mismatched) hints(d *diag.Diagnostic) *diag.Diagnostic {
	want, got := m.want, m.got
	switch {
	case isFun(got) && !isFun(want) && !isUnknown(want):
		if _, isLambda := m.node.(*syntax.Fun); isLambda {
			break
		}
		params, _ := types.Splay(got, 100)
		d.WithHint("this is a function that still waits for %s", count(len(params), "argument"))
	case isFun(want) && !isFun(got) && m.why.kind == whyAnnotation && m.why.n > 0:
		d.WithHint("the type after the parameters is that of the result: `let f (x : Real) : " +
			"Real = …`")
	case want == types.Type(types.Bool) && m.why.kind == whyCondition:
		if intLike(got) {
			d.WithHint("there is no truth of numbers: compare, as in `x > 0`")
		}
	case isString(want) && !isString(got):
		d.WithHint("`show x` gives a value as text")
	}
	m.elementHint(d)
	if isTuple(want) && isArray(got) || isArray(want) && isTuple(got) {
		d.WithHint("%s", bracketsHint)
	}
	if w, ok := want.(*types.Record); ok {
		if g, ok := got.(*types.Record); ok {
			m.recordHints(d, w, g)
		}
	}
	return d
}

// elementHint is the hint for applying a function of numbers to an array.
func (m *mismatched) elementHint(d *diag.Diagnostic) {
	if m.why.kind != whyArgument {
		return
	}
	call := m.why.node.(*syntax.Apply)
	name, array := nameOf(call.Fun), -1
	if params, _ := types.Arity(m.why.whole, len(call.Args)+1); name == "" ||
		params != len(call.Args) {
		return
	}
	switch got, want := asArray(m.got), asArray(m.want); {
	case got != nil && (intLike(m.want) || isAtom(m.want)) && similar(m.want, got.Elem):
		array = m.why.n - 1
	case want != nil && intLike(m.got): // max xs 0: the array came before
		array = slices.IndexFunc(call.Args, func(arg syntax.Expr) bool {
			return isArray(m.c.info.Types[arg.Num()])
		})
	}
	switch {
	case array < 0:
	case len(call.Args) == 1:
		d.WithHint("to apply it to each element, write `map %s %s`", name,
			operandText(call.Args[array], "xs")).
			WithFix(call.At, "map "+name+" "+operand(call.Args[array]))
	default:
		texts, all := []string{name}, []string{name}
		for i, arg := range call.Args {
			if i == array {
				texts, all = append(texts, "x"), append(all, "x")
			} else {
				texts, all = append(texts, operandText(arg, "…")), append(all, operand(arg))
			}
		}
		d.WithHint("to apply it to each element, write `[%s for x in %s]`",
			strings.Join(texts, " "), brief(call.Args[array], "xs")).
			WithFix(call.At, "["+strings.Join(all, " ")+" for x in "+call.Args[array].Span().Text()+
				"]")
	}
}

// asArray returns a type as an array type, or nil.
func asArray(t types.Type) *types.Array {
	a, _ := types.Resolve(t).(*types.Array)
	return a
}

func (m *mismatched) recordHints(d *diag.Diagnostic, want, got *types.Record) {
	var missing, extra []string
	for _, f := range want.Fields {
		if got.Index(f.Name) < 0 {
			missing = append(missing, f.Name)
		}
	}
	for _, f := range got.Fields {
		if want.Index(f.Name) < 0 {
			extra = append(extra, f.Name)
		}
	}
	switch {
	case len(missing) == 1 && len(extra) == 1 && suggest.Nearest(extra[0], missing) != "":
		d.WithHint("the field `%s` is called `%s`", extra[0], missing[0])
	case len(missing) > 0:
		d.WithHint("missing: %s", quoteAll(missing))
	}
	if len(extra) > 0 && len(missing) == 0 {
		d.WithHint("not expected: %s", quoteAll(extra))
	}
}

// bracketsHint is the hint for mistaking a tuple for an array, or the reverse.
const bracketsHint = "arrays are written with brackets `[a, b]`, tuples with parentheses `(a, b)`"

// isTuple reports whether a type is a tuple with components.
func isTuple(t types.Type) bool {
	tuple, ok := types.Resolve(t).(*types.Tuple)
	return ok && len(tuple.Elems) > 0
}

func isRecord(t types.Type) bool {
	_, ok := types.Resolve(t).(*types.Record)
	return ok
}

func isArray(t types.Type) bool { return asArray(t) != nil }

func quoteAll(names []string) string { return "`" + strings.Join(names, "`, `") + "`" }

func isFun(t types.Type) bool {
	_, ok := types.Resolve(t).(*types.Fun)
	return ok
}

func isString(t types.Type) bool { return types.Resolve(t) == types.Type(types.String) }

func intLike(t types.Type) bool {
	switch t := types.Resolve(t).(type) {
	case *types.Basic:
		return t == types.Int || t == types.Real
	case *types.Meta:
		return t.Classes&types.Scalar != 0
	}
	return false
}

func intReal(a, b types.Type) bool {
	a, b = types.Resolve(a), types.Resolve(b)
	return a == types.Type(types.Int) && b == types.Type(types.Real) ||
		a == types.Type(types.Real) && b == types.Type(types.Int)
}

// operands reports an operator between two different types.
func (m *mismatched) operands() *diag.Diagnostic {
	e := m.why.node.(*syntax.Binary)
	left, right := m.c.info.Types[e.L.Num()], m.c.info.Types[e.R.Num()]
	if d := m.functionOperand(e, left, right); d != nil {
		return d
	}
	d := diag.Errorf(diag.Mismatch, e.OpAt, "the two sides of `%s` have different types: %s and %s",
		e.Op, m.article(left), m.article(right)).
		WithRelated(e.L.Span(), "%s", m.says(left)).
		WithRelated(e.R.Span(), "%s", m.says(right))
	switch {
	case isString(left) || isString(right):
		if e.Op == syntax.OpAdd {
			d.WithHint("%s", joinHint)
		}
	case isArray(left) && intLike(right):
		return m.scalarHint(d, e, e.L, e.R)
	case isArray(right) && intLike(left):
		return m.scalarHint(d, e, e.R, e.L)
	case e.Op == syntax.OpMul:
		d.WithHint("`*` multiplies numbers of one type; to scale a vector write `c .* v`")
	case isFun(left) != isFun(right):
		d.WithHint("one side is a function: does it lack an argument?")
	}
	return d
}

// functionOperand returns a diagnostic for an operand that lacks arguments, or nil.
func (m *mismatched) functionOperand(e *syntax.Binary, left, right types.Type) *diag.Diagnostic {
	side := *m
	switch {
	case isFun(left) && !isFun(right):
		side.node, side.got, side.want = e.L, types.Resolve(left), types.Resolve(right)
		side.why = why{kind: whyOperand, n: 1, node: e}
	case isFun(right) && !isFun(left):
		side.node, side.got, side.want = e.R, types.Resolve(right), types.Resolve(left)
		side.why = why{kind: whyOperand, n: 2, node: e}
	default:
		return nil
	}
	return side.missing()
}

// scalarHint adds advice about an operator between an array and a number.
func (m *mismatched) scalarHint(d *diag.Diagnostic, e *syntax.Binary, array,
	number syntax.Expr) *diag.Diagnostic {
	elem := m.c.info.Types[array.Num()]
	for isArray(elem) {
		elem = asArray(elem).Elem
	}
	if e.Op == syntax.OpMul && types.Resolve(elem) != types.Type(types.Int) {
		return d.WithHint("to multiply each element by a number, write `%s .* %s`",
			operandText(number, "c"), operandText(array, "xs")).
			WithFix(e.At, operand(number)+" .* "+operand(array))
	}
	left, right := "x", operandText(number, "c")
	all := fmt.Sprintf("[x %s %s for x in %s]", e.Op, operand(number), array.Span().Text())
	if e.L == number {
		left, right = right, left
		all = fmt.Sprintf("[%s %s x for x in %s]", operand(number), e.Op, array.Span().Text())
	}
	return d.WithHint("a number is not combined with each element by itself: write `[%s %s %s "+
		"for x in %s]`", left, e.Op, right, brief(array, "xs")).
		WithFix(e.At, all)
}

// intReal reports an Int where a Real is meant, or the reverse.
func (m *mismatched) intReal() *diag.Diagnostic {
	if m.why.kind == whyOperands {
		return m.intRealOperands()
	}
	if d := m.divided(); d != nil {
		return d
	}
	wantReal := types.Resolve(m.fail.A) == types.Type(types.Real)
	var d *diag.Diagnostic
	if isAtom(m.want) && isAtom(m.got) {
		wantReal = m.want == types.Type(types.Real)
		d = diag.Errorf(diag.IntReal, m.node.Span(), "%s should be %s, but this is %s",
			m.why.subject(), m.article(m.want), m.article(m.got))
		d.WithLabel("this is %s", m.printer.Type(m.got))
		if m.why.kind == whyElse {
			d.Message = fmt.Sprintf("the `then` branch is %s, but the `else` branch is %s",
				m.article(m.want), m.article(m.got))
		}
	} else {
		d = diag.Errorf(diag.IntReal, m.node.Span(),
			"%s has the wrong type: Int and Real are different", m.why.subject())
	}
	if m.why.kind == whyOperand && m.why.n == 2 && m.why.node.(*syntax.Binary).Op == syntax.OpPow {
		d.WithHint("`^` takes an Int exponent; for a Real one write `x ** y`").
			WithFix(m.why.node.(*syntax.Binary).OpAt, "**")
	} else if isAtom(m.want) && isAtom(m.got) {
		m.convert(d, m.node, wantReal)
	} else {
		d.WithHint("`real n` converts an Int, `floor x` and `round x` convert a Real; there are " +
			"no implicit conversions")
	}
	m.because(d, m.node)
	if op := m.why; op.kind == whyOperand {
		switch e := op.node.(*syntax.Binary); e.Op {
		case syntax.OpDiv:
			d.WithHint("`/` divides reals; the quotient of integers is `div a b`")
		case syntax.OpPowR:
			d.WithHint("for an Int exponent write `x ^ n`")
		}
	}
	return m.finish(d)
}

// convert adds advice on converting an expression to a Real or an Int.
func (m *mismatched) convert(d *diag.Diagnostic, n syntax.Node, toReal bool) {
	e, ok := n.(syntax.Expr)
	if !ok {
		return // a pattern cannot convert
	}
	if lit, ok := e.(*syntax.Number); ok {
		if toReal {
			d.WithHint("write `%s.0`", lit.Text).WithFix(lit.At, lit.Text+".0")
		} else {
			d.WithHint("write it without a fraction, or convert with `floor`, `round` or `trunc`")
		}
		return
	}
	text := operandText(e, "x")
	if toReal {
		d.WithHint("write `real %s`: there are no implicit conversions", text)
	} else {
		d.WithHint("write `floor %s` or `round %s`: there are no implicit conversions", text, text)
	}
	written := e.Span().Text()
	if !isOperand(e) {
		written = "(" + written + ")"
	}
	if !toReal {
		d.WithFix(e.Span(), "floor "+written).WithFix(e.Span(), "round "+written)
		return
	}
	d.WithFix(e.Span(), "real "+written)
}

func isOperand(e syntax.Expr) bool {
	switch e.(type) {
	case *syntax.Var, *syntax.Con, *syntax.Number, *syntax.String, *syntax.Bool, *syntax.Paren,
		*syntax.Field, *syntax.Index,
		*syntax.Slice, *syntax.Annot, *syntax.Tuple, *syntax.Array, *syntax.Comp, *syntax.Record,
		*syntax.Update, *syntax.OpFun:
		return true
	}
	return false
}

// intRealOperands reports n + x.
func (m *mismatched) intRealOperands() *diag.Diagnostic {
	e := m.why.node.(*syntax.Binary)
	left, right := m.c.info.Types[e.L.Num()], m.c.info.Types[e.R.Num()]
	d := diag.Errorf(diag.IntReal, e.OpAt, "the two sides of `%s` have different types: %s and %s",
		e.Op, m.article(left), m.article(right)).
		WithRelated(e.L.Span(), "this has type %s", m.printer.Type(left)).
		WithRelated(e.R.Span(), "this has type %s", m.printer.Type(right))
	m.because(d, e.L)
	m.because(d, e.R)
	switch {
	case types.Resolve(left) == types.Type(types.Int):
		m.convert(d, e.L, true)
	case types.Resolve(right) == types.Type(types.Int):
		m.convert(d, e.R, true)
	default:
		d.WithHint("`real n` converts an Int, `floor x` and `round x` convert a Real; there are " +
			"no implicit conversions")
	}
	return d
}

// infinite reports a type that would contain itself.
func (m *mismatched) infinite() *diag.Diagnostic {
	d := diag.Errorf(diag.InfiniteType, m.node.Span(), "this would have an infinite type").
		WithHint("%s", m.comparison())
	a := m.printer.Type(m.fail.A)
	d.WithHint("`%s` would have to be equal to `%s`, which contains it", a,
		m.printer.Type(infiniteWhole(m)))
	switch m.why.kind {
	case whyApplied, whyArgument:
		d.WithHint("is something applied to itself, or an argument left out or added in a " +
			"recursive call?")
	}
	m.why.explain(d, m.c)
	return d
}

// infiniteWhole returns the type that contains the unknown.
func infiniteWhole(m *mismatched) types.Type {
	if types.Resolve(m.want) == types.Resolve(m.fail.A) {
		return m.got
	}
	return m.want
}

// rigid reports that a type variable of an annotation is not as general as the annotation says.
func (m *mismatched) rigid() *diag.Diagnostic {
	p := m.fail.A.(*types.Param)
	if m.fail.Kind == types.Escape {
		return diag.Errorf(diag.TooGeneral, m.node.Span(),
			"the type variable `%s` would leave the definition that it belongs to", p.Name).
			WithHint("something from outside of the definition would need the type `%s`, which "+
				"is a different one at each use", p.Name)
	}
	d := diag.Errorf(diag.TooGeneral, m.node.Span(), "")
	if q, ok := types.Resolve(m.fail.B).(*types.Param); ok {
		d.Message = fmt.Sprintf("the annotation allows `%s` and `%s` to be different types, but "+
			"here they must be the same", p.Name, q.Name)
		d.WithHint("use one variable for both")
	} else {
		other := m.printer.Type(m.fail.B)
		d.Message = fmt.Sprintf("the annotation says that this works for every type `%s`, but "+
			"here `%s` must be %s", p.Name, p.Name, other)
		if isAtom(m.fail.B) {
			d.WithHint("write `%s` in place of `%s` in the annotation", other, p.Name)
			m.c.replaceVariable(d, p.Name, other)
		}
	}
	return m.finish(d)
}

// lacking reports a type that lacks an operation used on it.
func (m *mismatched) lacking() *diag.Diagnostic {
	lack := m.fail.Lack
	if by, ok := m.fail.By.(*syntax.Number); ok && lack.Class == types.Scalar {
		return m.literal(by)
	}
	by, ok := m.fail.By.(syntax.Expr)
	if !ok {
		return m.finish(m.c.describeLack(m.node.Span(), lack, nil))
	}
	switch by.(type) {
	case *syntax.Binary, *syntax.Neg:
		// The operator is at fault. Where its operand's type became known matters little.
		return m.c.describeLack(by.Span(), lack, by)
	}
	if d := m.arguments(); d != nil {
		return d
	}
	d := m.c.describeLack(m.node.Span(), lack, by)
	if by.Span() != m.node.Span() {
		d.WithRelated(by.Span(), "used here")
	}
	return d
}

// literal reports a number literal where another type is required.
func (m *mismatched) literal(lit *syntax.Number) *diag.Diagnostic {
	if m.why.kind == whyOperands {
		return m.operands()
	}
	code := diag.Mismatch
	if m.why.kind == whyElse || m.why.kind == whyArm {
		code = diag.BranchMismatch
	}
	d := m.hints(m.headline(code))
	if at := m.node.Span(); lit.At != at && lit.At != m.why.at {
		d.WithRelated(lit.At, "this is a number")
	}
	if !isUnknown(m.want) && !isUnknown(m.got) {
		d.WithHint("%s", m.comparison())
	}
	m.why.explain(d, m.c)
	return d
}

func (c *checker) typeTooLarge(n syntax.Node) {
	if c.saidTooLarge {
		return
	}
	c.saidTooLarge = true
	c.report(diag.Errorf(diag.TypeTooLarge, n.Span(), "the type of this has more than %d parts",
		types.MaxTypeSize).
		WithHint("declare a `data` type to give parts of it a name"))
}

func count(n int, what string) string {
	switch n {
	case 0:
		return "no " + what + "s"
	case 1:
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
