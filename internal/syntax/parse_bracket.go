package syntax

import "github.com/fluxion-lang/fluxion/internal/diag"

// This file parses expressions between brackets. All share one loop over the elements, which is
// where an error inside brackets ends.

// openBracket passes over ( [ or {.
func (p *parser) openBracket() token {
	t := p.tok
	p.brackets = append(p.brackets, bracket{tok: t, ctx: p.ctx, suspended: p.suspended})
	p.matches = append(p.matches, -1) // a bar inside belongs to no match outside
	p.advance()
	return t
}

// closeBracket passes over the bracket that closes b, or complains about b.
func (p *parser) closeBracket(b token, closer kind) {
	if p.kind != closer && !p.panicking {
		p.complainUnclosed(b, closer)
	}
	if p.panicking {
		p.skip(func() bool { return false })
		if p.tok.kind == closer {
			p.calm()
			p.shadow = p.next.start
		}
	}
	if p.kind == closer {
		p.advance()
	}
	last := len(p.brackets) - 1
	top := p.brackets[last]
	p.brackets = p.brackets[:last]
	for p.matches[len(p.matches)-1] >= 0 {
		p.matches = p.matches[:len(p.matches)-1]
	}
	p.matches = p.matches[:len(p.matches)-1]
	p.suspended = top.suspended
	p.leave(top.ctx)
}

// list parses elements separated by commas, up to closer, which it does not consume. A comma may
// follow the last element if closer starts a line, unless `(x,)` would look like a tuple of one.
// A panic inside an element ends at the next comma.
func (p *parser) list(closer kind, element func()) {
	if p.inBracketOffside(); p.kind == closer {
		return
	}
	for n := 1; ; n++ {
		p.inBracketOffside()
		element()
		p.semicolon(closer)
		if p.offside() && p.ctx.what == kLet && p.tok.col == p.ctx.col {
			return // this is more likely the next line after unclosed brackets
		}
		if p.inBracketOffside() && p.kind != kComma && p.kind != closer {
			p.panicking = true // the complaint about the line is enough
			p.settle()
		}
		if p.panicking {
			p.skip(func() bool { return p.tok.kind == kComma })
			if p.tok.kind != kComma || p.aborted {
				return
			}
			p.calm()
		}
		if p.kind != kComma {
			return
		}
		comma := p.tok
		p.advance()
		if p.kind == closer {
			if !p.tok.is(startsLine) || closer == kRParen && n == 1 {
				hint := "commas stand between elements: leave it out"
				if closer == kRBrack {
					hint += "; a row of a matrix is `m[i]`, a column `m[:, j]`"
				}
				p.report(diag.Errorf(diag.UnexpectedToken, p.tokSpan(comma),
					"nothing follows this comma").
					WithHint("%s", hint))
			}
			return
		}
	}
}

// semicolon complains about `;` between elements, once per pair of brackets, and treats it as a
// comma.
func (p *parser) semicolon(closer kind) {
	if p.kind != kSemi {
		return
	}
	open := &p.brackets[len(p.brackets)-1]
	if !open.semicolon {
		d := diag.Errorf(diag.UnexpectedToken, p.here(),
			"commas separate what stands in brackets, not `;`")
		if closer == kRBrack {
			d.WithHint("a matrix is an array of rows: `[[1, 2], [3, 4]]`")
		}
		list := map[kind]string{kRBrack: "[a, b, c]", kRParen: "(a, b, c)",
			kRBrace: "{x = a, y = b}"}[closer]
		p.report(d.WithHint("write `%s`", list).WithFix(p.here(), ","))
	}
	open.semicolon = true
	p.tok.kind = kComma
	p.settle()
}

// inBracketOffside reports a line inside the innermost brackets that is offside, and suspends the
// rule for the rest of them. It returns whether there was one.
func (p *parser) inBracketOffside() bool {
	if !p.offside() || p.atDeclaration() || len(p.brackets) == 0 ||
		p.ctx != p.brackets[len(p.brackets)-1].ctx {
		return false
	}
	p.report(p.complainOffside())
	p.suspended = true
	p.ctx = context{}
	p.settle()
	return true
}

// element reads an expression inside brackets.
func (p *parser) element(what string) Expr {
	if p.kind == kEnd {
		return p.missing(what)
	}
	return p.expr()
}

// paren reads what starts with `(`.
func (p *parser) paren() Expr {
	outer, ok := p.push()
	defer p.pop(outer)
	if !ok {
		return p.bad()
	}
	b := p.openBracket()
	if in := infix[p.kind]; in.prec != precNone {
		if p.next.kind == kRParen {
			p.advance()
			p.closeBracket(b, kRParen)
			return &OpFun{Loc: p.loc(b.start), Op: in.op}
		}
		if p.kind != kMinus { // (- 1) is a number
			return p.rightSection(b)
		}
	}
	mark := len(p.exprs)
	var annot *Annot // the last element, if it is annotated
	p.list(kRParen, func() {
		start := p.tok.start
		x := p.element("an expression")
		annot = nil
		if p.kind == kColon && p.next.kind == kNumber {
			p.fail(p.complainRange())
		}
		if p.kind == kColon {
			p.advance()
			sig := p.signature()
			annot = &Annot{Loc: p.loc(start), X: x, Type: sig}
			x = annot
		}
		p.exprs = append(p.exprs, x)
	})
	elems := p.takeExprs(mark)
	if infix[p.kind].prec != precNone && p.next.kind == kRParen {
		if len(elems) == 1 && annot == nil {
			return p.leftSection(b, elems[0])
		}
		p.advance()
		p.missing("an expression")
	}
	p.closeBracket(b, kRParen)
	if len(elems) != 1 {
		return &Tuple{Loc: p.loc(b.start), Elems: elems}
	}
	if annot != nil {
		annot.At = p.from(b.start) // these parentheses are part of it
		return annot
	}
	e := p.parens.get()
	*e = Paren{Loc: p.loc(b.start), X: elems[0]}
	return e
}

// array reads `[a, b]` or `[e for i < n]`.
func (p *parser) array() Expr {
	outer, ok := p.push()
	defer p.pop(outer)
	if !ok {
		return p.bad()
	}
	b := p.openBracket()
	mark := len(p.exprs)
	p.list(kRBrack, func() { p.exprs = append(p.exprs, p.element("an element")) })
	elems := p.takeExprs(mark)
	if p.kind == kFor && len(elems) == 1 {
		return p.comprehension(b, elems[0])
	}
	p.closeBracket(b, kRBrack)
	return &Array{Loc: p.loc(b.start), Elems: elems}
}

// record reads `{x = 1, y}` or `{p with x = 1}`.
func (p *parser) record() Expr {
	outer, ok := p.push()
	defer p.pop(outer)
	if !ok {
		return p.bad()
	}
	b := p.openBracket()
	p.inBracketOffside()
	if p.kind == kRBrace || p.kind == kIdent && followsVariable[p.next.kind] ||
		p.isLabel(p.kind, p.tok) && followsLabel[p.next.kind] {
		fields := p.fieldInits()
		p.closeBracket(b, kRBrace)
		return &Record{Loc: p.loc(b.start), Fields: fields}
	}
	u := &Update{X: p.element("a record")}
	p.expect(kWith, p.complainWith)
	if p.panicking {
		p.closeBracket(b, kRBrace)
		return &Bad{Loc: p.loc(b.start)}
	}
	u.Fields = p.updates()
	if len(u.Fields) == 0 {
		p.report(diag.Errorf(diag.UnexpectedToken, p.here(), "nothing follows `with`").
			WithHint("a changed record is written `{p with x = 3}`, a changed array `{xs with " +
				"[i] = 3}`"))
	}
	p.closeBracket(b, kRBrace)
	u.Loc = p.loc(b.start)
	return u
}

// followsLabel marks the tokens that show that the word before them names the first field of a
// record. After a name of a variable, which may stand alone, there are more such tokens.
var (
	followsLabel    = kinds(kEqual, kColon, kComma)
	followsVariable = kinds(kEqual, kColon, kComma, kRBrace, kEOF)
)

// isLabel reports whether a token seen as k can name a field. Any word can, including keywords
// and capitals, and so can any text in quotes.
func (p *parser) isLabel(k kind, t token) bool {
	switch {
	case k == kIdent || k == kUpper || k == kElif || k == kString:
		return true
	case k == kFun:
		return p.text(t) == spelling[kFun] // the word fun, not λ
	}
	return kLet <= k && k <= kFalse
}

// label passes over the name of a field.
func (p *parser) label() Ident {
	t := p.tok
	p.advance()
	if t.kind == kString {
		return Ident{Name: p.stringValue(t), At: p.tokSpan(t)}
	}
	return p.ident(t)
}

// needsVariable complains about a field written alone, as in `{x}` for `{x = x}`, if its name
// cannot be a variable's.
func (p *parser) needsVariable(label token) {
	if label.kind != kIdent && label.kind != kElif {
		text := clip(p.text(label))
		p.report(diag.Errorf(diag.UnexpectedToken, p.tokSpan(label),
			"the field `%s` has no value here", text).
			WithHint("write `%s = …`: only a field with the name of a variable can stand alone",
				text))
	}
}

// fieldInits reads `x = 1, y`.
func (p *parser) fieldInits() []FieldInit {
	var fields []FieldInit
	p.list(kRBrace, func() {
		t := p.tok
		if !p.isLabel(p.kind, t) {
			p.fail(p.complainExpected("the name of a field",
				"a record is written `{x = 1, y = 2}`"))
			return
		}
		fields = append(fields, p.fieldInit(t, p.label()))
	})
	p.distinctFields(fields)
	return fields
}

// fieldInit reads `= 1` after the name of a field, or nothing.
func (p *parser) fieldInit(t token, name Ident) FieldInit {
	f := FieldInit{Name: name}
	switch p.kind {
	case kColon, kEqEq, kFatArrow, kThinArrow:
		p.report(diag.Errorf(diag.UnexpectedToken, p.here(), "a field gets its value by `=`").
			WithHint("write `%s = …`; `:` gives its type, in a type", clip(f.Name.Name)).
			WithFix(p.here(), p.spaced("=")))
		p.advance()
		f.Value = p.element("the value of this field")
	case kEqual:
		p.advance()
		f.Value = p.element("the value of this field")
	default:
		p.needsVariable(t)
		f.Value = &Var{Loc: p.loc(t.start), Name: f.Name.Name}
	}
	return f
}

// distinctFields complains about fields that get two values.
func (p *parser) distinctFields(fields []FieldInit) {
	if len(fields) > 1 {
		d := p.distinct("a record has a field once")
		for _, f := range fields {
			if f.Index == nil && f.Old == nil {
				d.add(f.Name)
			}
		}
	}
}
