package syntax

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

// expr parses an expression, extending as far right as possible.
func (p *parser) expr() Expr { return p.infix(precPipe) }

// infix parses operands joined by operators that bind at least as tightly as prec, by precedence
// climbing.
func (p *parser) infix(prec int8) Expr {
	outer := p.height
	p.height = 0
	e := p.operation(prec)
	p.height = max(p.height, outer)
	return e
}

func (p *parser) operation(prec int8) Expr {
	start := p.tok.start
	left := p.prefix()
	for {
		op := p.tok
		in := infix[p.kind]
		if in.prec == precNone {
			if p.kind == kEqual && prec <= precCompare && p.equalSign(left) {
				in.prec, in.op = precCompare, OpEq
			} else {
				return left
			}
		}
		if in.prec < prec || in.prec == precPow || p.endsSection() {
			return left
		}
		if p.kind == kMinus {
			p.lintMinus()
		} else if p.kind == kTimes {
			p.report(diag.Errorf(diag.UnexpectedToken, p.here(), "`×` is for types").WithHint(
				"numbers are multiplied by `*`"))
		}
		p.advance()
		right := p.infix(in.prec + 1)
		p.taller()
		left = p.binary(start, op, in.op, left, right)
		if in.prec == precCompare && infix[p.kind].prec == precCompare {
			p.report(p.complainChain(left.(*Binary)))
		}
	}
}

func (p *parser) binary(start int32, op token, which Op, left, right Expr) Expr {
	b := p.nodes.binary.get()
	*b = Binary{Loc: p.loc(start), Op: which, OpAt: p.tokSpan(op), L: left, R: right}
	return b
}

// prefix parses an operand with the minus signs before it and the powers after it: `-x^2` is
// -(x^2), and `2^-x` needs no parentheses.
func (p *parser) prefix() Expr {
	start := p.tok.start
	if p.kind == kMinus {
		outer, ok := p.push()
		defer p.pop(outer)
		if !ok {
			return p.bad()
		}
		p.advance()
		x := p.prefix()
		return &Neg{Loc: p.loc(start), X: x}
	}
	base := p.application()
	if p.kind != kCaret && p.kind != kStarStar || p.endsSection() {
		return base
	}
	outer, ok := p.push()
	defer p.pop(outer)
	if !ok {
		return base
	}
	op := p.tok
	p.advance()
	exponent := p.prefix()
	return p.binary(start, op, infix[op.kind].op, base, exponent)
}

// application reads a function and its arguments, or an operand alone.
func (p *parser) application() Expr {
	start := p.tok.start
	if startsOpen[p.kind] {
		return p.open()
	}
	head := p.postfix()
	mark := len(p.exprs)
	for startsArgument[p.kind] && !p.atCondition() {
		if startsOpen[p.kind] {
			p.exprs = append(p.exprs, p.open())
			break
		}
		if p.kind == kElif && p.thens > 0 {
			break
		}
		p.exprs = append(p.exprs, p.postfix())
	}
	args := p.takeExprs(mark)
	if len(args) == 0 {
		return head
	}
	p.taller()
	a := p.applies.get()
	*a = Apply{Loc: p.loc(start), Fun: head, Args: args}
	return a
}

// startsOpen marks the words that start an expression which extends as far right as possible.
var startsOpen = kinds(kFun, kIf, kMatch, kLet, kLoop)

// startsArgument marks the tokens that can follow a function as its argument.
var startsArgument = kinds(kIdent, kUpper, kWild, kNumber, kString, kTextOpen, kTrue, kFalse, kElif,
	kBad, kLParen, kLBrack, kLBrace,
	kFun, kIf, kMatch, kLet, kLoop)

func kinds(list ...kind) (t [numKinds]bool) {
	for _, k := range list {
		t[k] = true
	}
	return t
}

// postfix reads an operand with its fields and indices.
func (p *parser) postfix() Expr {
	start := p.tok.start
	outer := p.height
	p.height = 0
	e := p.operand()
	for ok := true; ok; {
		switch {
		case p.kind == kLBrack && !p.tok.is(spaceBefore):
			e = p.index(start, e)
			p.taller()
		case p.kind == kDot:
			e, ok = p.field(start, e)
			p.taller()
		default:
			ok = false
		}
	}
	p.height = max(p.height, outer)
	return e
}

// field reads `.x`.
func (p *parser) field(start int32, e Expr) (Expr, bool) {
	dot := p.tok
	if !p.isLabel(p.next.kind, p.next) || p.next.is(spaceBefore) || dot.is(spaceBefore) {
		p.fail(p.complainDot())
		return e, false
	}
	if n, isNumber := e.(*Number); isNumber {
		p.report(diag.Errorf(diag.BadNumber, n.At.To(p.tokSpan(dot)), "a number has no fields").
			WithHint("a decimal has a digit after its point, a product its `*`"))
	}
	p.advance()
	f := p.fields.get()
	name := p.label()
	*f = Field{Loc: p.loc(start), X: e, Name: name}
	return f, true
}

// index reads `[i, j]` or `[a:b]` after an operand.
func (p *parser) index(start int32, e Expr) Expr {
	outer, ok := p.push()
	defer p.pop(outer)
	if !ok {
		return e
	}
	b := p.openBracket()
	var dims []dimension
	p.list(kRBrack, func() {
		d := dimension{at: p.tok.start}
		if p.kind != kColon {
			d.lo = p.element("an index")
		}
		if p.kind == kColon {
			d.slice = true
			p.advance()
			if p.kind != kRBrack && p.kind != kComma {
				d.hi = p.element("the end of the slice")
			}
			if p.kind == kColon {
				p.fail(diag.Errorf(diag.UnexpectedToken, p.here(), "a slice has no step").
					WithHint("write `[xs[2 * i] for i < n]` for every second element, " +
						"`array.reverse xs` for the other order"))
			}
		}
		dims = append(dims, d)
	})
	if len(dims) == 0 {
		p.report(diag.Errorf(diag.UnexpectedToken, p.from(b.start),
			"these brackets have no index in them").
			WithHint(
				"write `xs[i]`; an empty array as an argument needs a space before it: `f []`").
			WithEdit("Put a space before it", p.span(b.start, b.start), " "))
		dims = []dimension{{lo: &Bad{Loc: p.loc(b.start)}}}
	}
	p.closeBracket(b, kRBrack)
	return p.dimensions(start, e, dims)
}

// dimension is the index of one dimension: `lo`, or the slice `lo:hi`.
type dimension struct {
	lo, hi Expr
	slice  bool
	at     int32
}

// dimensions applies indices and slices to e, the first to its outermost dimension.
func (p *parser) dimensions(start int32, e Expr, dims []dimension) Expr {
	mark := len(p.exprs)
	for len(dims) > 0 && !dims[0].slice {
		p.exprs = append(p.exprs, dims[0].lo)
		dims = dims[1:]
	}
	indices := p.takeExprs(mark)
	if len(indices) > 0 {
		x := p.indices.get()
		*x = Index{Loc: p.loc(start), X: e, Indices: indices}
		e = x
	}
	if len(dims) == 0 {
		return e
	}
	p.taller()
	s := &Slice{Loc: p.loc(start), X: e, Lo: dims[0].lo, Hi: dims[0].hi, Joined: len(indices) > 0}
	if dims = dims[1:]; len(dims) > 0 {
		row, use := p.hole(dims[0].at)
		s.Row, s.Rest = row, p.dimensions(start, use, dims)
	}
	return s
}

// operand parses an expression that never needs parentheses.
func (p *parser) operand() Expr {
	t := p.tok
	switch p.kind {
	case kIdent, kElif:
		p.advance()
		v := p.vars.get()
		*v = Var{Loc: p.loc(t.start), Name: p.name(t)}
		return v
	case kUpper:
		p.advance()
		c := p.cons.get()
		*c = Con{Loc: p.loc(t.start), Name: p.name(t)}
		return c
	case kNumber:
		p.advance()
		n := p.numbers.get()
		*n = Number{Loc: p.loc(t.start), Text: p.numberText(t)}
		return n
	case kString:
		p.advance()
		return &String{Loc: p.loc(t.start), Value: p.stringValue(t)}
	case kTextOpen:
		return p.interpolation()
	case kTrue, kFalse:
		p.advance()
		return &Bool{Loc: p.loc(t.start), Value: t.kind == kTrue}
	case kBad:
		p.advance()
		return &Bad{Loc: p.loc(t.start)}
	case kLParen:
		return p.paren()
	case kLBrack:
		return p.array()
	case kLBrace:
		return p.record()
	case kWild:
		p.report(diag.Errorf(diag.UnexpectedToken, p.here(),
			"`_` is a pattern that names nothing, so it has no value").
			WithHint("give the value a name where it is bound"))
		p.advance()
		return &Bad{Loc: p.loc(t.start)}
	}
	if startsOpen[p.kind] { // after a `-`
		return p.open()
	}
	return p.missing("an expression")
}

// numberText returns a literal as written, without a trailing point, which a number may not have.
func (p *parser) numberText(t token) string {
	s := p.text(t)
	if s[len(s)-1] == '.' {
		s = s[:len(s)-1]
	}
	return s
}

func (p *parser) stringValue(t token) string {
	s := p.text(t)
	if t.is(hasEscape) {
		return unquote(s)
	}
	return s[1 : len(s)-1]
}

// interpolation reads a text with expressions in it.
func (p *parser) interpolation() Expr {
	outer, ok := p.push()
	defer p.pop(outer)
	if !ok {
		return p.bad()
	}
	b := p.openBracket()
	e := &Text{Strings: []string{p.stringValue(b)}}
	for {
		e.Holes = append(e.Holes, p.element("an expression"))
		p.panicking = p.panicking || p.lex.complainedSince(b.start) && p.kind != kTextPart &&
			p.kind != kTextClose
		p.settle()
		if p.kind != kTextPart {
			break
		}
		e.Strings = append(e.Strings, p.stringValue(p.tok))
		p.advance()
	}
	if p.kind == kTextClose {
		e.Strings = append(e.Strings, p.stringValue(p.tok))
	} else {
		e.Strings = append(e.Strings, "")
	}
	p.closeBracket(b, kTextClose)
	e.Loc = p.loc(b.start)
	return e
}

// bad returns a node for an expression that could not be parsed, at the current token.
func (p *parser) bad() Expr {
	return &Bad{Loc: Loc{At: p.here(), ID: p.loc(p.prevEnd).ID}}
}

// missing complains that something is missing here, and returns a node for it.
func (p *parser) missing(what string) Expr {
	p.fail(p.complainMissing(what))
	return p.bad()
}

// open parses an expression that extends as far right as possible.
func (p *parser) open() Expr {
	outer, ok := p.push()
	defer p.pop(outer)
	if !ok {
		return p.bad()
	}
	switch p.kind {
	case kFun:
		return p.function()
	case kIf:
		return p.conditional()
	case kMatch:
		return p.match()
	case kLoop:
		return p.loop()
	default:
		return p.let()
	}
}

// function reads `fun x y => e`.
func (p *parser) function() Expr {
	start := p.tok.start
	p.advance()
	params := p.params()
	switch {
	case len(params) == 0:
		p.fail(p.complainExpected("a parameter", "a function is written `fun x => e`"))
	case p.kind == kColon && len(params) == 1:
		if v, isVar := params[0].(*PVar); isVar && p.next.kind != kEOF {
			params[0] = p.annotatedParam(v)
		}
	}
	p.functionArrow(start)
	body := p.block("the body of this function")
	p.checkDistinct(params...)
	f := p.funs.get()
	*f = Fun{Loc: p.loc(start), Params: params, Body: body}
	return f
}

// annotatedParam parses the type in `fun x : Real => e`, which has no constraints.
func (p *parser) annotatedParam(v *PVar) Pattern {
	p.advance()
	start := p.tok.start
	t := p.typ()
	sig := &Signature{Loc: p.unnumbered(start), Type: t}
	return &PAnnot{Loc: p.loc(v.At.Start), X: v, Type: sig}
}

func (p *parser) functionArrow(start int32) {
	switch p.kind {
	case kThinArrow, kEqual, kColon:
		p.report(diag.Errorf(diag.UnexpectedToken, p.here(), "a function has `=>` before its body").
			WithHint("write `fun x => e`; `%s` has another meaning", spelling[p.kind]).
			WithFix(p.here(), p.spaced("=>")))
		p.advance()
	case kComma:
		p.fail(diag.Errorf(diag.UnexpectedToken, p.here(),
			"the parameters of a function stand one after the other, without commas").
			WithHint("write `fun x y => e`, or `fun (x, y) => e` for a function of a tuple").
			WithEdit("Remove the comma", p.here(), ""))
	default:
		p.expect(kFatArrow, func() *diag.Diagnostic {
			d := p.complainExpected("`=>`", "a function is written `fun x => e`")
			if p.lex.text[start] == '\\' {
				d.WithHint("`\\` means `fun`; a linear system is solved by `linalg.solve a b`")
			}
			return d
		})
	}
}

// conditional reads `if c then a else b`.
func (p *parser) conditional() Expr {
	start := p.tok
	p.advance()
	e := p.ifs.get()
	e.Cond = p.bodyExpr("the condition of this `if`")
	p.expect(kThen, func() *diag.Diagnostic { return p.complainThen(start) })
	p.thens++
	e.Then = p.block("what follows `then`")
	elif := p.kind == kElif
	p.thens--
	if elif {
		p.report(diag.Errorf(diag.UnexpectedToken, p.here(), "`%s` is not a word of Fluxion",
			p.text(p.tok)).
			WithHint("write `else if`").WithFix(p.here(), "else if"))
		p.tok.kind = kIf
		p.settle()
		e.Else = p.bodyExpr("what follows `else`")
	} else {
		p.expect(kElse, func() *diag.Diagnostic { return p.complainElse(start) })
		e.Else = p.block("what follows `else`")
	}
	e.Loc = p.loc(start.start)
	return e
}

// loop reads `loop p = init for i < n do e`, `loop p = init while c do e` and so on.
func (p *parser) loop() Expr {
	start := p.tok.start
	p.advance()
	e := &Loop{State: p.pattern()}
	p.equals("the state of a loop starts somewhere: `loop acc = init for i < n do e`")
	e.Init = p.bodyExpr("the initial state of this loop")
	p.loopWord(kFor, kWhile, kUntil)
	if p.got(kFor) {
		c := p.clause()
		e.Clause = &c
		p.loopWord(kWhile, kUntil)
	}
	if e.Until = p.kind == kUntil; e.Until || p.kind == kWhile {
		p.advance()
		e.While = p.bodyExpr("the condition of this loop")
	}
	if e.Clause == nil && e.While == nil {
		p.fail(p.complainExpected("`for`, `while` or `until`",
			"a loop is written `loop acc = init for i < n do e`, "+
				"`… for x in xs do e`, `… while c do e` or `… until c do e`"))
		e.Clause = &Clause{Pat: &PBad{Loc: p.loc(p.prevEnd)}, X: p.bad()}
	}
	p.expect(kDo, func() *diag.Diagnostic {
		return p.complainExpected("`do`",
			"the body of a loop follows `do`; its value is the next state")
	})
	e.Body = p.block("the body of this loop")
	p.checkDistinct(e.State)
	e.Loc = p.loc(start)
	return e
}

// loopWord accepts one of the words of a loop even if it is offside, with a complaint.
func (p *parser) loopWord(words ...kind) {
	if p.offside() && slices.Contains(words, p.tok.kind) {
		p.report(p.complainOffside())
		p.kind = p.tok.kind
	}
}

// clause reads `i < n` or `x in xs`.
func (p *parser) clause() Clause {
	c := Clause{Pat: p.pattern()}
	switch p.kind {
	case kIn:
		p.advance()
		c.In = true
	case kLess:
		p.advance()
		switch c.Pat.(type) {
		case *PVar, *PWild, *PBad:
		default:
			p.report(diag.Errorf(diag.UnexpectedToken, c.Pat.Span(),
				"what counts up to a bound is a single name").
				WithHint("write `for i < n`"))
		}
	case kLessEq:
		return p.inclusiveClause(c)
	default:
		p.fail(p.complainExpected("`<` or `in`",
			"write `for i < n` to count from 0, or `for x in xs` for the elements of an array"))
	}
	c.X = p.bodyExpr("what the loop runs over")
	return c
}

// inclusiveClause parses the rest of `i <= n`, which was meant as `i < n + 1`.
func (p *parser) inclusiveClause(c Clause) Clause {
	at := p.here()
	d := diag.Errorf(diag.UnexpectedToken, at,
		"a loop counts from 0 up to, but not including, its bound")
	p.report(d)
	p.advance()
	c.X = p.bodyExpr("what the loop runs over")
	at.End = c.X.Span().End
	bound := c.X.Span().Text()
	switch c.X.(type) {
	case *Bad:
		d.WithHint("`i < n + 1` counts up to `n`")
		return c
	case *Var, *Number, *Paren, *Apply, *Field, *Index:
	default:
		bound = "(" + bound + ")"
	}
	d.WithHint("write `for %s < %s + 1`", oneLine(c.Pat.Span().Text()), oneLine(bound)).
		WithFix(at, "< "+bound+" + 1")
	return c
}
