package syntax

import (
	"unicode"
	"unicode/utf8"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

// let reads a local `let`, whose body follows `in` or starts a line at its column.
func (p *parser) let() Expr {
	t := p.tok
	outer := p.enter(context{col: t.col, start: t.start, open: t.start, what: kLet})
	p.advance()
	e := p.lets.get()
	e.Rec, e.Bindings = p.bindings()
	p.recoverLine(t.col)
	hasIn := p.kind == kIn
	if hasIn {
		p.advance()
	}
	below := p.kind == kEnd && p.tok.is(startsLine) && p.tok.col == t.col && startsExpr[p.tok.kind]
	p.ctx = outer
	switch {
	case below:
		p.calm()
		e.Body = p.blockAt("the body of this `let`")
	case hasIn:
		p.settle()
		e.Body = p.block("the body of this `let`")
	default:
		p.settle()
		e.Body = p.missingBody(t, e.Bindings)
	}
	e.Loc = p.loc(t.start)
	return e
}

// startsExpr marks the tokens that start an expression.
var startsExpr = func() [numKinds]bool {
	t := startsArgument
	t[kMinus] = true
	return t
}()

// bindings parses the bindings after `let`.
func (p *parser) bindings() (rec bool, list []*Binding) {
	col := p.ctx.col
	start := p.span(p.tok.start, p.tok.start)
	rec = p.got(kRec)
	for {
		if b := p.binding(); list == nil {
			list = p.single(b)
		} else {
			list = append(list, b)
		}
		if p.panicking {
			p.skip(func() bool {
				return p.tok.is(startsLine) && p.tok.col <= col &&
					(p.tok.kind == kAnd || !exempt[p.tok.kind])
			})
			if p.tok.kind == kAnd && p.tok.is(startsLine) && p.tok.col == col {
				p.calm()
			}
		}
		if p.kind != kAnd {
			break
		}
		if !rec && !p.tok.is(startsLine) {
			p.fail(diag.Errorf(diag.UnexpectedToken, p.here(),
				"that two conditions hold is written `&&`").
				WithHint("`and` joins the definitions of a `let rec`"))
			break
		}
		if !rec {
			p.report(diag.Errorf(diag.UnexpectedToken, p.here(),
				"`and` joins the definitions of a `let rec`").
				WithHint(
					"write `let rec … and …` if they use one another, and a second `let` if not").
				WithFix(start, "rec ").WithFix(p.here(), "let"))
		}
		p.advance()
	}
	if len(list) > 1 {
		names := p.distinct("one `let rec` defines a name once")
		for _, b := range list {
			if v, ok := b.Pat.(*PVar); ok {
				names.add(Ident{v.Name, v.At})
			}
		}
	}
	return rec, list
}

// binding reads `f x y : T = e` or `p = e`.
func (p *parser) binding() *Binding {
	start := p.tok.start
	b := p.binds.get()
	if (p.kind == kIdent || p.kind == kElif) && p.next.kind != kDot {
		name := p.tok
		b.Pat = p.pvar()
		if p.kind == kLBrack && !p.tok.is(spaceBefore) {
			p.fail(diag.Errorf(diag.UnexpectedToken, p.here(), "there is no assignment").
				WithHint("an array with another element is a new one: `let ys = {%s with [i] = v}`",
					clip(p.text(name))))
		}
		b.Params = p.params()
	} else {
		b.Pat = p.pattern()
	}
	if p.kind == kColon {
		p.advance()
		b.Result = p.signature()
	}
	hint := "a definition is written `let x = e`, or `let f x y = e` for a function"
	if b.Result != nil && p.kind == kEnd {
		hint = "a type and its value stand in one definition: `let f (x : Real) : Real = e`"
	}
	p.equals(hint)
	p.defining = b.Pat
	b.Body = p.block(theValue)
	if len(b.Params) > 0 {
		p.checkDistinct(b.Params...)
	} else {
		p.checkDistinct(b.Pat)
	}
	b.Loc = p.unnumbered(start)
	return b
}

// theValue names the expression after the `=` of a definition. Complaints replace it by the name
// that is being defined.
const theValue = "the value"

// equals consumes the `=` of a definition.
func (p *parser) equals(hint string) {
	switch p.kind {
	case kEqEq, kFatArrow, kThinArrow:
		p.report(diag.Errorf(diag.UnexpectedToken, p.here(),
			"a definition has a single `=` before its value").
			WithHint("%s", hint))
		p.advance()
	default:
		p.expect(kEqual, func() *diag.Diagnostic { return p.complainExpected("`=`", hint) })
	}
}

// match reads `match e with | p -> e …`.
func (p *parser) match() Expr {
	start := p.tok
	p.advance()
	e := p.matchNodes.get()
	e.X = p.bodyExpr("the value to match")
	p.expect(kWith, func() *diag.Diagnostic {
		return p.complainExpected("`with`", "a match is written `match e with | p -> … | q -> …`")
	})
	p.matches = append(p.matches, 0)
	depth := len(p.matches)
	for p.kind == kBar || len(e.Arms) == 0 {
		if p.kind == kEnd {
			d := p.complainMissing("an arm `| p -> e`")
			if p.offside() && startsPattern[p.tok.kind] {
				d.Hints = []string{"every arm starts with `|`: `| p -> e`"}
			}
			p.fail(d)
			break
		}
		e.Arms = append(e.Arms, p.arm(depth))
	}
	p.matches = p.matches[:depth-1]
	p.complainForgottenBar(e)
	e.Loc = p.loc(start.start)
	return e
}

// arm parses `| p -> e`. The first may lack its `|`.
func (p *parser) arm(depth int) *Arm {
	t := p.tok
	col := int32(0)
	outer := p.ctx
	if t.is(startsLine) {
		col = t.col
		p.enter(context{col: col, start: t.start, open: t.start, what: kBar})
	}
	if p.kind == kBar {
		p.lintBar(t)
		p.matches[depth-1] = col
		p.advance()
	}
	a := p.arms.get()
	a.Pat = p.pattern()
	if p.kind == kIf {
		p.advance()
		a.Guard = p.bodyExpr("the condition of this arm")
	}
	p.armArrow(a.Pat)
	a.Body = p.block("what follows `->`")
	p.checkDistinct(a.Pat)
	a.Loc = p.unnumbered(t.start)
	if p.panicking && col > 0 {
		p.skip(func() bool {
			return p.tok.is(startsLine) && p.tok.col <= col &&
				(p.tok.kind == kBar || !exempt[p.tok.kind])
		})
		if p.tok.kind == kBar && p.tok.col == col {
			p.calm()
		}
	}
	p.leave(outer)
	return a
}

func (p *parser) armArrow(pat Pattern) {
	if v, ok := pat.(*PVar); ok && startsPattern[p.kind] && p.kind != kBad {
		if _, foreign := p.foreign(); !foreign {
			p.fail(diag.Errorf(diag.UnexpectedToken, v.At,
				"%s is a name that takes the whole value, so nothing can follow it", quote(v.Name)).
				WithHint("constructors start with a capital: `| %s x -> e`", clip(capital(v.Name))))
			return
		}
	}
	switch p.kind {
	case kFatArrow, kEqual, kColon:
		p.report(diag.Errorf(diag.UnexpectedToken, p.here(), "an arm has `->` after its pattern").
			WithHint("write `| p -> e`; `%s` has another meaning", spelling[p.kind]).
			WithFix(p.here(), p.spaced("->")))
		p.advance()
	case kThen:
		p.fail(diag.Errorf(diag.UnexpectedToken, p.here(), "an arm has `->` after its condition").
			WithHint("write `| p if c -> e`"))
	default:
		p.expect(kThinArrow, func() *diag.Diagnostic {
			return p.complainExpected("`->`", "an arm is written `| p -> e`")
		})
	}
}

// capital returns a word with a capital first letter.
func capital(word string) string {
	r, size := utf8.DecodeRuneInString(word)
	return string(unicode.ToUpper(r)) + word[size:]
}
