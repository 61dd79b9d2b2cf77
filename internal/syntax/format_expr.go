package syntax

import (
	"strings"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/notation"
)

// tail says what may follow an expression before its enclosing construct ends.
type tail uint8

const (
	atEnd tail = 1 << iota // nothing follows: `fun` and similar expressions may stand here
	noBar                  // a `|` follows, so a match may not stand here
)

// bodyKind says what a body belongs to.
type bodyKind uint8

const (
	inBinding bodyKind = iota
	inArm
	inOther // the branches of if, the body of a loop
	inFun
)

func isOpen(e Expr) bool {
	switch e.(type) {
	case *Fun, *If, *Match, *Let, *Loop:
		return true
	}
	return false
}

func exprPrec(e Expr) int8 {
	switch e := e.(type) {
	case *Binary:
		return opPrec[e.Op]
	case *Neg:
		return precNeg
	case *Apply:
		return precApply
	}
	return precPostfix
}

// expr prints an expression that must bind at least as tightly as need.
func (f *formatter) expr(e Expr, need int8, t tail) *doc {
	lead := f.leadNode(e)
	if exprPrec(e) < need || isOpen(e) && !mayStand(e, t) {
		return concat(lead, parens(e, f.bare(e, atEnd), empty))
	}
	return concat(lead, f.bare(e, t))
}

// mayStand reports whether an open expression needs no parentheses.
func mayStand(e Expr, t tail) bool {
	_, isMatch := e.(*Match)
	return t&atEnd != 0 && !(isMatch && t&noBar != 0)
}

// any prints an expression between delimiters.
func (f *formatter) any(e Expr) *doc { return f.expr(e, 0, atEnd) }

// block prints an expression that starts a line if its group is broken. There a `let` needs no
// `in`.
func (f *formatter) block(e Expr, k bodyKind, t tail) *doc {
	if m, ok := e.(*Match); ok && t&noBar == 0 {
		sep := hard
		if k >= inOther {
			sep = line
		}
		return concat(f.leadNode(e), f.match(m, t, sep))
	}
	let, ok := e.(*Let)
	if !ok {
		return f.expr(e, 0, t|atEnd)
	}
	lead := f.leadNode(e)
	bindings := f.bindings(let.Rec, let.Bindings)
	trail := f.trail(let.Body)
	sep := hard
	switch {
	case f.gapBetween(let):
		sep = blank
	case k == inFun:
		sep = ifFlat(text(" in "), hard)
	}
	return concat(lead, bindings, trail, sep, f.block(let.Body, k, t))
}

// gapBetween reports whether an empty line follows the bindings of a let.
func (f *formatter) gapBetween(e *Let) bool {
	if !e.Span().Known() {
		return false
	}
	next := e.Body.Span().Start
	if f.pending(e.Body) {
		return false // the comment brings its own empty line
	}
	return f.gapBefore(next)
}

// body prints the expression after `=`, `=>`, `->`, `then` and so on. If it does not fit, it goes
// on a line of its own.
func (f *formatter) body(e Expr, k bodyKind) *doc { return f.bodyTail(e, k, 0) }

func (f *formatter) bodyTail(e Expr, k bodyKind, t tail) *doc {
	trail := f.trail(e)
	if trail.hard {
		return concat(trail, nest(2, hard, f.block(e, k, t)))
	}
	if trail != empty {
		return concat(trail, group(nest(2, line, f.block(e, k, t))))
	}
	if !f.pending(e) && hugs(e) {
		return hug(f.expr(e, 0, t|atEnd))
	}
	d := f.block(e, k, t)
	return group(nest(2, line, d))
}

// hugs reports whether an expression should start on the line of the construct that it belongs
// to, because it breaks inside its brackets.
func hugs(e Expr) bool {
	switch e := e.(type) {
	case *Array:
		return len(e.Elems) > 0
	case *Tuple:
		return len(e.Elems) > 0
	case *Record, *Update, *Comp, *Fun:
		return true
	}
	return false
}

// bare prints an expression without regard to its context.
func (f *formatter) bare(e Expr, t tail) *doc {
	switch e := e.(type) {
	case *Var:
		return text(f.name(e.Name))
	case *Con:
		return text(e.Name)
	case *Number:
		return text(e.Text)
	case *String:
		return text(notation.Quote(e.Value))
	case *Text:
		return f.interpolation(e)
	case *Bool:
		if e.Value {
			return text("true")
		}
		return text("false")
	case *Paren:
		return f.paren(e)
	case *Annot:
		return concat(text("("), nest(2, f.annotation(e)), f.closing(e), text(")"))
	case *Tuple:
		return f.bracketed(e, "(", ")", len(e.Elems), func(i int) *doc {
			if a, ok := e.Elems[i].(*Annot); ok {
				return concat(f.leadNode(a), f.annotation(a))
			}
			return f.any(e.Elems[i])
		}, func(i int) Node { return e.Elems[i] })
	case *Array:
		return f.array(e)
	case *Comp:
		return f.comprehension(e)
	case *Record:
		return f.bracketed(e, "{", "}", len(e.Fields), f.fieldInit(e.Fields),
			f.fieldPlace(e.Fields))
	case *Update:
		open := "{"
		if startsWithMinus(e.X) {
			open = "{ " // {- would start a comment
		}
		x := f.any(e.X)
		return f.bracketed(e, open, "}", len(e.Fields), func(i int) *doc {
			d := f.fieldInit(e.Fields)(i)
			if i == 0 {
				return concat(x, text(" with "), d)
			}
			return d
		}, func(i int) Node {
			if i == 0 {
				return e.X
			}
			return f.fieldPlace(e.Fields)(i)
		})
	case *Field:
		return concat(f.head(e.X), text("."+notation.Field(e.Name.Name)))
	case *Index:
		x := f.expr(e.X, precPostfix, 0)
		return concat(x, f.bracketed(e, "[", "]", len(e.Indices), func(i int) *doc {
			return f.any(e.Indices[i])
		},
			func(i int) Node { return e.Indices[i] }))
	case *Slice:
		return f.slice(e)
	case *Apply:
		return f.apply(e, t)
	case *Binary:
		return f.binary(e, t)
	case *Neg:
		minus := "-"
		if _, ok := e.X.(*Neg); ok {
			minus = "- " // -- would start a comment
		}
		return concat(text(minus), f.expr(e.X, precNeg, t))
	case *OpFun:
		return text("(" + e.Op.String() + ")")
	case *Section:
		return f.section(e)
	case *Fun:
		return f.function(e, t)
	case *If:
		return group(f.conditional("if ", e, t))
	case *Match:
		return group(f.match(e, t, line))
	case *Let:
		return f.inlineLet(e, t)
	case *Loop:
		return f.loop(e, t)
	}
	return text("_")
}

// interpolation prints a text with expressions in it, on one line.
func (f *formatter) interpolation(e *Text) *doc {
	inside := func(s string) string {
		q := notation.Quote(s)
		return q[1 : len(q)-1]
	}
	all := `"` + inside(e.Strings[0])
	for i, x := range e.Holes {
		shown := layout(group(f.any(x)), 1<<30)
		if strings.Contains(shown, "\n") && x.Span().Known() {
			// an expression that would need several lines is printed as written
			shown = x.Span().Text()
		}
		if strings.HasPrefix(shown, "{") || startsWithMinus(x) {
			shown = " " + shown // {{ would be a brace, and {- a comment
		}
		if strings.HasSuffix(shown, "}") {
			shown += " "
		}
		all += "{" + shown + "}" + inside(e.Strings[i+1])
	}
	return text(all + `"`)
}

// head prints the expression before a field. A number gets parentheses, because the field's point
// would look like the number's.
func (f *formatter) head(e Expr) *doc {
	if n, ok := e.(*Number); ok {
		return concat(f.leadNode(e), text("("+n.Text+")"))
	}
	return f.expr(e, precPostfix, 0)
}

// section prints `(+ 1)` or `(2 *)`.
func (f *formatter) section(e *Section) *doc {
	b := e.Body
	prec := opPrec[b.Op]
	op := f.op(b.Op)
	if IsHole(b.R) {
		if prec == precCompare || prec == precPow {
			prec++
		}
		left := f.expr(b.L, prec, 0)
		return concat(text("("), nest(2, left, text(" "+op)), f.closing(e), text(")"))
	}
	right := prec + 1
	if prec == precPow {
		right = precNeg
	}
	return concat(text("("+op+" "), nest(2, f.expr(b.R, right, 0)), f.closing(e), text(")"))
}

// IsHole reports whether an expression is the missing operand of a section, or another variable
// without a name in the program.
func IsHole(e Expr) bool {
	v, ok := e.(*Var)
	return ok && v.Name == holeName
}

func (f *formatter) annotation(e *Annot) *doc {
	return concat(f.any(e.X), text(" : "), f.signature(e.Type))
}

func (f *formatter) paren(e *Paren) *doc {
	inner := f.any(e.X)
	return parens(e.X, inner, f.closing(e))
}

// parens puts parentheses around the document of e. Expressions with a body already indent it.
func parens(e Expr, inner, closing *doc) *doc {
	switch e.(type) {
	case *Fun, *Loop:
		return concat(text("("), inner, closing, text(")"))
	}
	return concat(text("("), nest(2, inner, closing), text(")"))
}

// bracketed prints n things between brackets, on one line or one per line.
func (f *formatter) bracketed(n Node, open, close string, count int, elem func(int) *doc,
	at func(int) Node) *doc {
	if count == 0 {
		if c := f.closing(n); c != empty {
			return concat(text(open), nest(2, c), text(close))
		}
		return text(open + close)
	}
	parts := []*doc{soft}
	for i := range count {
		parts = append(parts, elem(i))
		if i < count-1 {
			parts = append(parts, text(","), f.trail(at(i+1)), line)
		}
	}
	return group(text(open), nest(2, append(parts, f.closing(n))...), soft, text(close))
}

// array prints `[a, b, c]`; short elements share lines.
func (f *formatter) array(e *Array) *doc {
	for _, x := range e.Elems {
		if !isShort(x) {
			return f.bracketed(e, "[", "]", len(e.Elems), func(i int) *doc {
				return f.any(e.Elems[i])
			},
				func(i int) Node { return e.Elems[i] })
		}
	}
	if len(e.Elems) == 0 {
		return f.bracketed(e, "[", "]", 0, nil, nil)
	}
	parts := []*doc{soft, f.any(e.Elems[0])}
	for _, x := range e.Elems[1:] {
		parts = append(parts, text(","), f.trail(x), group(line, f.any(x)))
	}
	return group(text("["), nest(2, append(parts, f.closing(e))...), soft, text("]"))
}

func isShort(e Expr) bool {
	switch e := e.(type) {
	case *Number, *Bool, *Var, *Con:
		return true
	case *Neg:
		return isShort(e.X)
	}
	return false
}

func (f *formatter) comprehension(e *Comp) *doc {
	body := f.any(e.Body)
	var clauses []*doc
	for i, c := range e.Clauses {
		switch {
		case i == 0:
			body = concat(body, f.next(c.Pat, line, "for "))
		case e.Flat:
			clauses = append(clauses, f.next(c.Pat, line, "for "))
		default:
			clauses = append(clauses, text(","), f.trail(c.Pat), line)
		}
		clauses = append(clauses, f.clause(c, e.Flat))
		if c.If != nil {
			clauses = append(clauses, f.next(c.If, line, "if "), f.expr(c.If, 0, 0))
		}
	}
	return group(text("["), nest(2, soft, body, group(nest(2, clauses...)), f.closing(e)), soft,
		text("]"))
}

// clause prints a clause; in a flat comprehension an `if` may follow it.
func (f *formatter) clause(c Clause, flat bool) *doc {
	word := " < "
	if c.In {
		word = " in "
	}
	t := atEnd
	if flat {
		t = 0
	}
	return concat(f.pattern(c.Pat, false), text(word), f.expr(c.X, 0, t))
}

func (f *formatter) fieldInit(list []FieldInit) func(int) *doc {
	return func(i int) *doc {
		x := list[i]
		lead := f.leadNode(x.place())
		if v, ok := x.Value.(*Var); ok && x.Index == nil && v.Name == x.Name.Name {
			return concat(lead, text(notation.Field(x.Name.Name)))
		}
		parts := []*doc{lead}
		for first := true; ; first = false {
			switch {
			case x.Index != nil:
				parts = append(parts, text("["), f.any(x.Index))
				for x.Old != nil && x.next().Index != nil {
					x = x.next()
					parts = append(parts, text(", "), f.any(x.Index))
				}
				parts = append(parts, text("]"))
			case first:
				parts = append(parts, text(notation.Field(x.Name.Name)))
			default:
				parts = append(parts, text("."+notation.Field(x.Name.Name)))
			}
			if x.Old == nil {
				break
			}
			x = x.next()
		}
		return concat(append(parts, text(" = "), nest(2, f.any(x.Value)))...)
	}
}

// next returns the next step in the path of an update.
func (x FieldInit) next() FieldInit { return x.Value.(*Update).Fields[0] }

// place returns the place of the step's field name or index.
func (x FieldInit) place() Node {
	if x.Index != nil {
		return x.Index
	}
	return place{x.Name}
}

func (f *formatter) fieldPlace(list []FieldInit) func(int) Node {
	return func(i int) Node { return list[i].place() }
}

// slice prints `m[i, a:b, j]`.
func (f *formatter) slice(e *Slice) *doc {
	base, whole := e.X, e
	if e.Joined {
		base = e.X.(*Index).X
	}
	parts := []*doc{f.expr(base, precPostfix, 0), text("[")}
	add := func(separate bool, d *doc) {
		if separate {
			parts = append(parts, text(", "))
		}
		parts = append(parts, d)
	}
	for {
		begun := e != whole
		if e.Joined {
			for _, x := range e.X.(*Index).Indices {
				add(begun, f.any(x))
				begun = true
			}
		}
		add(begun, concat())
		if e.Lo != nil {
			parts = append(parts, f.any(e.Lo))
		}
		parts = append(parts, text(":"))
		if e.Hi != nil {
			parts = append(parts, f.any(e.Hi))
		}
		if index, ok := e.Rest.(*Index); ok {
			for _, x := range index.Indices {
				add(true, f.any(x))
			}
		}
		next, ok := e.Rest.(*Slice)
		if !ok {
			break
		}
		e = next
	}
	return concat(append(parts, f.closing(whole), text("]"))...)
}

// place is a Node made from a name.
type place struct{ id Ident }

func (p place) Span() diag.Span { return p.id.At }
func (p place) Num() int32      { return -1 }

// startsWithMinus reports whether the text of an expression starts with a minus.
func startsWithMinus(e Expr) bool {
	for {
		switch x := e.(type) {
		case *Neg:
			return true
		case *Binary:
			e = x.L
		default:
			return false
		}
	}
}

func (f *formatter) apply(e *Apply, t tail) *doc {
	fun := f.expr(e.Fun, precPostfix, 0)
	last := len(e.Args) - 1
	var parts []*doc
	for _, a := range e.Args[:last] {
		parts = append(parts, f.trail(a), line, f.expr(a, precPostfix, 0))
	}
	x := e.Args[last]
	if !f.pending(x) && (isOpen(x) && mayStand(x, t) || hugsAsArgument(x)) {
		return concat(group(nest(2, append([]*doc{fun}, parts...)...)), text(" "),
			f.expr(x, precPostfix, t))
	}
	parts = append(parts, f.trail(x), line, f.expr(x, precPostfix, t))
	return group(nest(2, append([]*doc{fun}, parts...)...))
}

func hugsAsArgument(e Expr) bool {
	if p, ok := e.(*Paren); ok {
		e = p.X
		if !isOpen(e) {
			return false
		}
	}
	switch e.(type) {
	case *Fun, *Match, *Loop, *Array, *Record, *Update, *Comp:
		return true
	}
	return false
}

// binary prints a chain of operators of the same precedence. If the operands do not fit on a
// line, each gets its own.
func (f *formatter) binary(e *Binary, t tail) *doc {
	prec := opPrec[e.Op]
	if prec == precPow {
		return f.powerExpr(e, t)
	}
	indent := 2
	if prec == precPipe {
		indent = 0
	}
	chain := []*Binary{e} // the rightmost first
	for {
		l, ok := chain[len(chain)-1].L.(*Binary)
		if !ok || opPrec[l.Op] != prec || prec == precCompare {
			break
		}
		chain = append(chain, l)
	}
	need := prec
	if prec == precCompare {
		need++
	}
	first := f.expr(chain[len(chain)-1].L, need, 0)
	var parts []*doc
	for i := len(chain) - 1; i >= 0; i-- {
		b := chain[i]
		right := tail(0)
		if i == 0 {
			right = t
		}
		parts = append(parts, f.trail(b.R), line)
		if b.OpAt.Known() {
			parts = append(parts, f.lead(b.OpAt.Start))
		}
		parts = append(parts, text(f.op(b.Op)+" "), f.expr(b.R, prec+1, right))
	}
	return group(append([]*doc{first}, nest(indent, parts...))...)
}

func (f *formatter) op(op Op) string {
	if f.unicode {
		switch op {
		case OpLe:
			return "≤"
		case OpGe:
			return "≥"
		case OpNe:
			return "≠"
		}
	}
	return op.String()
}

// powerExpr prints `x^2`. It prints `f x ^ 2` with spaces, so that it does not look like `f
// (x^2)`.
func (f *formatter) powerExpr(e *Binary, t tail) *doc {
	op := e.Op.String()
	_, applied := e.L.(*Apply)
	if right := exprPrec(e.R); applied || e.Op == OpPowR || right == precNeg || right == precApply {
		op = " " + op + " "
	}
	return concat(f.expr(e.L, precApply, 0), text(op), f.expr(e.R, precNeg, t))
}

func (f *formatter) function(e *Fun, t tail) *doc {
	word, arrow := "fun", " =>"
	params := f.params(e.Params, text(" "))
	if f.unicode {
		word, arrow = "λ", " ⇒"
		params.kids = dropSpace(params.kids)
	}
	return concat(text(word), params, text(arrow), f.bodyTail(e.Body, inFun, t))
}

// dropSpace removes the blank before the first parameter: λx.
func dropSpace(list []*doc) []*doc {
	for i, d := range list {
		if d.kind == docText && d.text == " " {
			return append(append([]*doc{}, list[:i]...), list[i+1:]...)
		}
	}
	return list
}

// conditional prints an if, and the ifs in its else, as one chain.
func (f *formatter) conditional(word string, e *If, t tail) *doc {
	cond := nest(4, f.any(e.Cond))
	then := text(" then")
	trail := f.trail(e.Then)
	if trail.hard {
		then = concat(hard, text("then"))
	}
	parts := []*doc{text(word), cond, trail, then}
	parts = append(parts, nest(2, line, f.block(e.Then, inOther, 0)), f.trail(e.Else), line)
	if next, ok := e.Else.(*If); ok && !f.pending(next) {
		return concat(append(parts, f.conditional("else if ", next, t))...)
	}
	return concat(append(parts, text("else"), nest(2, line, f.block(e.Else, inOther, t)))...)
}

// match prints a match, with its arms after sep.
func (f *formatter) match(e *Match, t tail, sep *doc) *doc {
	parts := []*doc{text("match "), nest(4, f.any(e.X)), text(" with")}
	for i, a := range e.Arms {
		rest := t
		if i < len(e.Arms)-1 {
			rest = noBar
		}
		parts = append(parts, f.trail(a), sep, f.leadNode(a), text("| "),
			nest(2, f.pattern(a.Pat, false)))
		if a.Guard != nil {
			parts = append(parts, nest(4, f.next(a.Guard, text(" "), "if "), f.expr(a.Guard, 0, 0)))
		}
		parts = append(parts, text(f.spell(" ->", " →")), f.bodyTail(a.Body, inArm, rest))
	}
	return concat(parts...)
}

// inlineLet prints a let that does not start a line. Its bindings are aligned at its column, so
// that column becomes the indentation.
func (f *formatter) inlineLet(e *Let, t tail) *doc {
	bindings := f.bindings(e.Rec, e.Bindings)
	trail := f.trail(e.Body)
	return align(group(bindings, text(" in"), trail, line, f.expr(e.Body, 0, t|atEnd)))
}

func (f *formatter) loop(e *Loop, t tail) *doc {
	parts := []*doc{text("loop "), f.pattern(e.State, false), text(" = "), nest(2, f.any(e.Init))}
	if e.Clause != nil {
		parts = append(parts, nest(2, f.next(e.Clause.Pat, line, "for "),
			f.clause(*e.Clause, false)))
	}
	if e.While != nil {
		word := "while "
		if e.Until {
			word = "until "
		}
		parts = append(parts, nest(2, f.next(e.While, line, word), f.any(e.While)))
	}
	return concat(group(append(parts, text(" do"))...), f.bodyTail(e.Body, inOther, t))
}
