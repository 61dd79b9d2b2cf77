package syntax

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

// This file has the messages of the parser. A message says what is wrong in the words of someone
// who writes programs, not of someone who writes parsers. A hint shows how to write it.

// notUTF8 returns the complaint that the text is not UTF-8, at its first invalid byte.
func notUTF8(file *diag.File) *diag.Diagnostic {
	text, at := file.Text, 0
	for at < len(text) {
		r, size := utf8.DecodeRuneInString(text[at:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	d := diag.Errorf(diag.NotUTF8, diag.Span{File: file, Start: int32(at),
		End: int32(min(at+1, len(text)))},
		"this file is not UTF-8: byte %#02x at offset %d", text[at], at)
	switch {
	case strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff"):
		return d.WithHint("it looks like UTF-16; save it as UTF-8")
	case strings.Contains(text[:min(len(text), 4096)], "\x00"):
		return d.WithHint("it does not look like text at all")
	}
	return d.WithHint(
		"save it as UTF-8; the byte may be an accented letter of an older encoding such as Latin-1")
}

// found describes the current token, for a message.
func (p *parser) found() string {
	switch p.tok.kind {
	case kEOF:
		return "the file ends"
	case kString, kTextOpen:
		return "there is a string"
	case kTextPart, kTextClose:
		return "there is `}`"
	case kNumber:
		return "there is the number " + quote(p.text(p.tok))
	case kFun:
		if word := p.text(p.tok); word != spelling[kFun] {
			return fmt.Sprintf("there is `%s`, another way to write `%s`", word, spelling[kFun])
		}
	}
	return "there is " + quote(p.text(p.tok))
}

// complainExpected returns the general complaint: what is expected here, and what was found.
func (p *parser) complainExpected(what, hint string) *diag.Diagnostic {
	d := diag.Errorf(diag.UnexpectedToken, p.here(), "expected %s, but %s", what, p.found())
	if p.offside() {
		d = diag.Errorf(diag.UnexpectedToken, p.span(p.prevEnd, p.prevEnd),
			"expected %s after this", what)
	}
	if p.kind == kAnd {
		hint = "write `&&` for \"and\""
	}
	if hint != "" {
		d.WithHint("%s", hint)
	}
	if p.kind == kAnd {
		d.WithFix(p.tokSpan(p.tok), "&&")
	}
	return p.orForeign(d)
}

// complainMissing returns the complaint that an operand, a body or a type should start here.
func (p *parser) complainMissing(what string) *diag.Diagnostic {
	if v, ok := p.defining.(*PVar); ok && what == theValue {
		what = "the value of " + quote(v.Name)
	}
	switch {
	case p.offside() && !p.atDeclaration():
		return p.complainOffside()
	case p.kind == kEnd:
		at := p.span(p.prevEnd, p.prevEnd)
		if p.tok.kind == kEOF {
			return p.orForeign(diag.Errorf(diag.UnexpectedToken, at,
				"the file ends where %s should be", what))
		}
		return p.orForeign(diag.Errorf(diag.UnexpectedToken, at, "%s is missing", what))
	}
	d := diag.Errorf(diag.UnexpectedToken, p.here(), "expected %s, but %s", what, p.found())
	switch k := p.kind; {
	case k == kRParen || k == kRBrack || k == kRBrace:
		if len(p.brackets) == 0 {
			return p.complainClose()
		}
	case k == kType || k == kData || k == kImport:
		d = diag.Errorf(diag.MisplacedDecl, p.here(),
			"`%s` stands only at the top of a file, outside any expression", spelling[k])
	case infix[k].prec != precNone:
		d.Message = "the operator " + quote(p.text(p.tok)) + " has nothing on its left"
	case k == kSemi:
		d.Message = "there is no `;` in Fluxion"
		d.WithHint("a block is a series of `let`s, one a line, and then one expression")
	case k == kThinArrow || k == kFatArrow:
		d.WithHint("a function is written `fun x => e`, an arm of a match `| p -> e`")
	case k == kEqual:
		d.WithHint("a definition is written `let x = e`")
	case k == kDotDot:
		d.WithHint("`..rest` stands in patterns; `array.concat xs ys` joins two arrays")
	case k == kBar:
		d.WithHint("an arm needs its `match e with` in front; the absolute value is `abs x`")
	case k == kFor || k == kWhile || k == kUntil:
		d = diag.Errorf(diag.UnexpectedToken, p.here(), "this `%s` belongs to no `loop`",
			spelling[k]).WithHint("%s", loopHint)
	case IsKeyword(p.text(p.tok)):
		d.WithLabel("`%s` is a word of the language", p.text(p.tok))
	}
	return p.orForeign(d)
}

// loopHint is the hint for someone who looks for a loop statement.
const loopHint = "a loop is an expression, whose value is its last state: `loop acc = init for i " +
	"< n do e`, or `loop acc = init while c do e`"

// complainUnexpected returns the complaint about a token that follows something complete.
func (p *parser) complainUnexpected() *diag.Diagnostic {
	d := diag.Errorf(diag.UnexpectedToken, p.here(), "nothing can be made of %s here",
		quote(p.text(p.tok)))
	switch k := p.kind; k {
	case kRParen, kRBrack, kRBrace:
		return p.complainClose()
	case kBar:
		d.Message = "this `|` belongs to no `match`"
		if n := len(p.brackets); n > 0 && p.brackets[n-1].tok.kind == kLBrack {
			d.WithHint("a comprehension is written `[e for x in xs]`; \"or\" is `||`")
			break
		}
		d.WithHint("write `||` for \"or\"; an arm needs its `match e with` in front").WithFix(
			d.Span, "||")
	case kColon:
		if p.next.kind == kNumber {
			return p.complainRange()
		}
		d.Message = "a type stands here without parentheses"
		d.WithHint("an annotated expression is written `(e : T)`; a definition `let f (x : Real) " +
			": Real = e`")
	case kComma:
		d.Message = "this `,` is not inside any brackets"
		d.WithHint("a tuple is written `(a, b)`, an array `[a, b]`")
	case kSemi:
		d.Message = "there is no `;` in Fluxion"
		d.WithHint("a block is a series of `let`s, one a line, and then one expression")
	case kThinArrow, kFatArrow:
		d.Message = "this " + quote(p.text(p.tok)) + " belongs to no function and no match"
		d.WithHint("a function is written `fun x => e`, an arm of a match `| p -> e`")
	case kThen, kElse:
		d.Message = "this `" + spelling[k] + "` belongs to no `if`"
		d.WithHint("a choice is written `if c then a else b`")
	case kIn:
		d.Message = "this `in` belongs to no `let`"
		d.WithHint("whether an array has an element is `array.any (fun x => x == y) xs`")
	case kAnd:
		d.Message = "this `and` belongs to no `let rec`"
		d.WithHint("write `&&` for the conjunction of two Booleans").WithFix(d.Span, "&&")
	case kWith:
		d.Message = "this `with` belongs to no `match`"
	case kFor:
		if n := len(p.brackets); n > 0 {
			if p.brackets[n-1].tok.kind != kLBrack {
				d.Message = "a comprehension stands in brackets `[ ]`"
				d.WithHint("write `sum [e for x in xs]`")
				if at, ok := p.brackets[n-1].whole(p); ok {
					written := at.Text()
					d.WithFix(at, p.apart(at)+"["+written[1:len(written)-1]+"]")
				}
			}
			break
		}
		fallthrough
	case kDo, kWhile, kUntil:
		d.Message = "this `" + spelling[k] + "` belongs to no `loop`"
		d.WithHint("%s", loopHint)
	case kDot:
		return p.complainDot()
	case kElif:
		d.WithHint("a choice is written `if c then a else if d then b else c`")
	case kUpper, kIdent, kWild, kNumber, kString, kTrue, kFalse:
		if p.next.kind == kThinArrow {
			d.Message = "an arm without its `|`"
			d.WithHint("every arm starts with `|`: `| p -> e`")
		}
	case kType, kData, kImport:
		d = diag.Errorf(diag.MisplacedDecl, p.here(),
			"`%s` stands only at the top of a file, on a line of its own", spelling[k])
	}
	return p.orForeign(d)
}

// complainRange returns the complaint about 1:10.
func (p *parser) complainRange() *diag.Diagnostic {
	d := diag.Errorf(diag.UnexpectedToken, p.here(), "`:` does not make a range of numbers")
	before, after := p.lex.text[:p.prevEnd], p.lex.text[p.next.end:]
	number := before[len(strings.TrimRight(before, "0123456789")):]
	before = strings.TrimRight(strings.TrimSuffix(before, number), " ")
	after = strings.TrimLeft(after, " ")
	alone := (before == "" || strings.ContainsRune("\n=([,", rune(before[len(before)-1]))) &&
		(after == "" || strings.ContainsRune("\n)],", rune(after[0])))
	from, known := Integer(number)
	to, ok := Integer(p.text(p.next))
	if !alone || !known || !ok || from > to || to-from >= math.MaxInt32 {
		return d.WithHint(
			"`iota n` is [0, …, n-1], and `[i + 1 for i < 10]` has the numbers from 1 to 10")
	}
	written := fmt.Sprintf("[i + %d for i < %d]", from, to-from+1)
	return d.WithHint("write `%s`; `iota n` is [0, …, n-1]", written).
		WithFix(p.span(p.prevEnd-int32(len(number)), p.next.end), written)
}

// whole returns the place of a bracket with its content, if the bracket is closed soon after the
// current token, on the same line, without a string in between.
func (b *bracket) whole(p *parser) (at diag.Span, ok bool) {
	depth, end := 1, min(int32(len(p.lex.text)), p.tok.start+100)
	for i := p.tok.start; i < end; i++ {
		switch p.lex.text[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return p.span(b.tok.start, i+1), true
			}
		case '"', '\n':
			return at, false
		}
	}
	return at, false
}

func (p *parser) complainClose() *diag.Diagnostic {
	return diag.Errorf(diag.UnmatchedClose, p.here(), "this %s closes nothing",
		quote(p.text(p.tok)))
}

func (p *parser) complainDot() *diag.Diagnostic {
	if infix[p.next.kind].prec != precNone && !p.next.is(spaceBefore) {
		return diag.Errorf(diag.UnexpectedToken, p.here(), "an operator has no point before it").
			WithHint("`xs + ys`, `xs * ys`, `xs / ys` and `xs^2` work element by element; a " +
				"function is applied to each by `map f xs`")
	}
	d := diag.Errorf(diag.UnexpectedToken, p.here(),
		"a point must stand between a record and the name of a field, without spaces")
	if p.next.kind == kLParen && !p.next.is(spaceBefore) {
		return d.WithHint("a function is applied to each element of an array by `map f xs`")
	}
	if p.next.is(spaceBefore) {
		return d.WithHint("a field is `p.x`; functions are composed by `fun x => f (g x)`")
	}
	return d.WithHint("write `p.x`").WithEdit("Remove the space", p.span(p.prevEnd, p.tok.start),
		"")
}

// complainOffside returns the complaint about a line that continues something but is not indented
// more than it.
func (p *parser) complainOffside() *diag.Diagnostic {
	what := map[kind]string{kLet: "`let`", kBar: "arm", kEnd: "block"}[p.ctx.what]
	return diag.Errorf(diag.Offside, p.here(),
		"this line is not indented more than the %s that it continues", what).
		WithRelated(p.span(p.ctx.open, p.ctx.open+1), "which starts at this column").
		WithHint("indent it by at least one more space")
}

// complainBlock complains about a line after a complete block of column col.
func (p *parser) complainBlock(e Expr, col int32) {
	if _, isBad := e.(*Bad); isBad || p.panicking || !startsExpr[p.kind] {
		return // already reported, or the caller knows better what is wrong
	}
	if p.tok.col < col {
		p.fail(diag.Errorf(diag.Offside, p.here(), "this line is indented less than the block "+
			"above it, but more than what is around that").
			WithRelated(p.span(e.Span().Start, e.Span().Start+1),
				"the block starts at this column").
			WithHint("indent it as the line that it belongs to"))
		return
	}
	d := diag.Errorf(diag.UnexpectedToken, p.here(), "a second expression in this block")
	d.WithRelated(e.Span(), "the block is complete with this")
	if p.kind == kMinus {
		d.WithHint("to subtract, indent the line more, or end the line above with `-`")
	} else {
		d.WithHint("a block is a series of `let`s and then one expression; a line that continues " +
			"it is indented more")
	}
	p.fail(p.orForeign(d))
}

// complainUnclosed complains about a bracket that is not closed here.
func (p *parser) complainUnclosed(b token, closer kind) {
	opener := p.tokSpan(b)
	switch k := p.tok.kind; {
	case k == kEOF || p.atDeclaration() && p.kind == kEnd || p.offside():
		if k == kEOF {
			p.fail(diag.Errorf(diag.Unclosed, opener, "this %s is never closed", quote(p.text(b))))
			return
		}
		p.fail(diag.Errorf(diag.Unclosed, opener,
			"this %s is not closed before the next line that is not part of it", quote(p.text(b))).
			WithRelated(p.here(), "which is here").
			WithHint("add `%s`", spelling[closer]))
	case k == kRParen || k == kRBrack || k == kRBrace:
		d := diag.Errorf(diag.Unclosed, p.here(), "expected `%s`, but there is %s",
			spelling[closer], quote(p.text(p.tok)))
		p.report(d.WithRelated(opener, "to close this %s", quote(p.text(b))))
		if !p.wanted(k) {
			p.advance() // it was meant as the closer
		}
	case closer == kTextClose && k == kColon:
		p.fail(formatFirst(p.here()))
	case closer == kTextClose:
		p.fail(diag.Errorf(diag.UnexpectedToken, p.here(), "expected `}`, but %s", p.found()).
			WithRelated(p.span(b.end-1, b.end), "to close this `{`").
			WithHint("a text contains the values of expressions: `\"x = {x}\"`; a brace itself " +
				"is written twice: `{{`"))
	default:
		d := p.complainUnexpected()
		if startsExpr[p.kind] {
			d.Message = "expected `" + spelling[closer] + "` or `,`, but " + p.found()
		}
		p.fail(d.WithRelated(opener, "inside this %s", quote(p.text(b))))
	}
}

// wanted reports whether k closes an outer bracket.
func (p *parser) wanted(k kind) bool {
	for _, b := range p.brackets[:len(p.brackets)-1] {
		if b.tok.kind+1 == k {
			return true
		}
	}
	return false
}

func (p *parser) complainThen(start token) *diag.Diagnostic {
	hint := "a choice is written `if c then a else b`"
	switch p.kind {
	case kBar:
		hint = "write `||` for \"or\""
	case kElse:
		hint = "the condition comes first: `if c then a else b`"
	}
	d := p.complainExpected("`then`", hint)
	if p.kind == kBar && d.Span == p.here() {
		d.WithFix(d.Span, "||")
	}
	if !p.offside() || p.tok.kind == kEOF {
		return d.WithRelated(p.tokSpan(start), "for this `if`")
	}
	return d
}

func (p *parser) complainElse(start token) *diag.Diagnostic {
	d := p.complainExpected("`else`",
		"an `if` is an expression, so it has a value in both cases: `if c then a else b`")
	return d.WithRelated(p.tokSpan(start), "for this `if`")
}

// equalSign complains about `=` after an expression, and reports whether `==` was meant.
func (p *parser) equalSign(left Expr) bool {
	if n := len(p.brackets); n > 0 && p.brackets[n-1].tok.kind == kLBrace {
		p.fail(p.complainWith())
		return false
	}
	if _, ok := p.foreign(); ok {
		p.fail(p.orForeign(nil))
		return false
	}
	if p.ctx.what == kEnd && p.ctx.start == left.Span().Start && looksLikeHead(left) {
		p.fail(diag.Errorf(diag.UnexpectedToken, p.here(), "a definition starts with `let`").
			WithHint("write `let %s = …`; to compare, write `==`", clip(left.Span().Text())).
			WithFix(p.span(left.Span().Start, left.Span().Start), "let "))
		return false
	}
	d := diag.Errorf(diag.UnexpectedToken, p.here(), "`=` defines a name").
		WithHint("to compare, write `==`").WithFix(p.here(), "==")
	if n := len(p.brackets); n > 0 && p.brackets[n-1].tok.kind == kLParen {
		d.WithHint("arguments have no names: a function is applied as `f a b`")
	}
	p.report(d)
	return true
}

// looksLikeHead reports whether an expression could be the left side of a
// definition.
func looksLikeHead(e Expr) bool {
	switch e := e.(type) {
	case *Var, *Tuple:
		return true
	case *Apply:
		_, ok := e.Fun.(*Var)
		return ok
	}
	return false
}

func (p *parser) complainWith() *diag.Diagnostic {
	d := p.complainExpected("`with`",
		"a record is written `{x = 1, y = 2}`, a changed one `{p with x = 3}`")
	if p.kind == kComma && d.Span == p.here() {
		d.WithHint("a tuple is written `(a, b)`, an array `[a, b]`")
	}
	if p.kind == kRBrace && d.Span == p.here() {
		d.WithHint("braces are for records: a block is marked by its indentation alone, and `( " +
			")` group")
	}
	return d
}

func (p *parser) complainChain(left *Binary) *diag.Diagnostic {
	between := p.here()
	between.End = between.Start
	return p.orForeign(diag.Errorf(diag.NonAssociative, p.here(), "comparisons cannot be chained").
		WithRelated(left.OpAt, "the first one is here").
		WithHint("write `a < b && b < c`").WithFix(between, "&& "+left.R.Span().Text()+" "))
}

func (p *parser) complainPattern() *diag.Diagnostic {
	if p.kind == kEnd {
		return p.complainMissing("a pattern")
	}
	d := diag.Errorf(diag.UnexpectedToken, p.here(), "expected a name or a pattern, but %s",
		p.found())
	switch {
	case p.tok.kind == kTextOpen:
		d.Message = "a pattern matches a text as it is, without expressions in it"
		d.WithHint("a brace in a text is written twice: `{{`")
	case p.tok.kind == kRec:
		d.WithHint("`rec` follows `let`: `let rec f x = …`")
	case IsKeyword(p.text(p.tok)):
		d.Message = quote(p.text(p.tok)) + " is a word of the language, so it cannot be a name"
		d.WithHint("add a prime or an underscore to make it one: `%s'`", p.text(p.tok))
	case infix[p.kind].prec != precNone:
		d.WithHint("operators cannot be defined; they already work componentwise")
	}
	return p.orForeign(d)
}

// misplaced complains, once per file, about an expression that is not the last thing in it.
func (p *parser) misplaced(e Expr) {
	if _, isBad := e.(*Bad); isBad || p.misplacedSeen || p.finalWrong {
		return
	}
	p.misplacedSeen = true
	if word := firstWord(e.Span().Text()); foreignWords[word] != "" {
		at := e.Span()
		at.End = at.Start + int32(len(word))
		p.report(diag.Errorf(diag.UnexpectedToken, at, "%s is not a word of Fluxion",
			quote(word)).WithHint("%s", foreignWords[word]))
		return
	}
	d := diag.Errorf(diag.MisplacedDecl, e.Span(),
		"only the last thing in a file can be an expression").
		WithRelated(p.span(p.itemStart, p.itemStart), "but this follows it").
		WithHint("give it a name with `let`, or put several results in a tuple `(a, b)` at the " +
			"end").
		WithHint("a line that continues the one above must be indented")
	p.report(d)
}

// firstWord returns the letters that a text starts with.
func firstWord(text string) string {
	return text[:len(text)-len(strings.TrimLeft(text, "abcdefghijklmnopqrstuvwxyz"))]
}

// complainForgottenBar complains if an arm continues into what looks like another arm, as in `A
// -> 1 B -> 2`.
func (p *parser) complainForgottenBar(e *Match) {
	if p.kind == kThinArrow && len(e.Arms) > 0 {
		p.fail(diag.Errorf(diag.UnexpectedToken, p.here(), "a second `->` in one arm").
			WithHint("every arm starts with `|`: `| p -> e | q -> f`"))
	}
}

// apart returns the space that an edit needs before a place, so that the inserted text is an
// argument of its own.
func (p *parser) apart(at diag.Span) string {
	if at.Start == 0 || strings.ContainsRune(" ([{,\n", rune(p.lex.text[at.Start-1])) {
		return ""
	}
	return " "
}

// spaced returns the text that an edit writes for the current token, with a space before it.
func (p *parser) spaced(text string) string {
	if p.tok.is(spaceBefore) {
		return text
	}
	return " " + text
}

// lintMinus warns about `f -x`.
func (p *parser) lintMinus() {
	t := p.tok
	if !t.is(spaceBefore) || p.next.is(spaceBefore) || p.next.kind == kEOF {
		return
	}
	p.report(diag.Warningf(diag.MinusArgument, p.tokSpan(t),
		"this `-` subtracts: it does not make the argument negative").
		WithHint("write `a - b` with spaces on both sides, or `f (-x)` to pass a negative "+
			"argument").
		WithFix(p.tokSpan(t), "- "))
}

// lintBar warns about a `|` in the column of an outer match's arms that belongs to an inner
// match.
func (p *parser) lintBar(t token) {
	if !t.is(startsLine) {
		return
	}
	inner := p.matches[len(p.matches)-1]
	if inner == t.col {
		return
	}
	for i := len(p.matches) - 2; i >= 0 && p.matches[i] >= 0; i-- {
		if p.matches[i] == t.col {
			p.report(diag.Warningf(diag.MisleadingBar, p.tokSpan(t), "this arm belongs to the "+
				"inner `match`, though it stands below an arm of the outer one").
				WithHint("put the inner `match` in parentheses"))
			return
		}
	}
}

// missingBody complains about a local `let` without a body.
func (p *parser) missingBody(t token, list []*Binding) Expr {
	if p.kind != kEnd && startsExpr[p.kind] {
		p.fail(p.complainUnexpected())
		return p.bad()
	}
	what := "this `let` has no body"
	if len(list) > 0 && list[0].Name() != "" {
		what += ", so nothing can use " + quote(list[0].Name())
	}
	d := diag.Errorf(diag.MissingBody, p.tokSpan(t), "%s", what).
		WithHint("put the result on a line of its own below, at the column of the `let`, or " +
			"write `let x = e in body`")
	if at, ok := p.deeperLine(list); ok {
		d.WithRelated(at, "this line is indented more than the `let`, so it continues the value")
	} else if p.tok.is(startsLine) && p.tok.kind != kEOF && p.tok.col < t.col &&
		!p.atDeclaration() && p.kind != kEnd {
		d.WithRelated(p.here(), "this line is further left than the `let`")
	}
	p.report(d)
	return p.bad()
}

// deeperLine returns the start of the last line of a binding of several lines. If nothing
// follows, that line was probably meant to be the body.
func (p *parser) deeperLine(list []*Binding) (at diag.Span, ok bool) {
	if len(list) == 0 {
		return at, false
	}
	body, file := list[len(list)-1].Body.Span(), p.lex.file
	last := file.LineOf(max(body.Start, body.End-1))
	if last == file.LineOf(body.Start) {
		return at, false
	}
	start := file.LineStart(last)
	for start < body.End && p.lex.text[start] == ' ' {
		start++
	}
	return p.span(start, start+1), true
}
