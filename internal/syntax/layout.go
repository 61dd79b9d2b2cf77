package syntax

// Note [The offside rule]
//
// Indentation ends things, and nothing else: it never inserts a token. At any
// time one context is open, with a column:
//
//   - a `let` (top-level or local), at the column of the word `let`, while its
//     bindings are read;
//   - a match arm whose `|` starts a line, at the column of the `|`;
//   - a block: the expression after `=`, `in`, `=>`, `->`, `then`, `else` or `do`
//     if it starts on a line of its own, at the column of its first token.
//
// A token that starts a line at or left of the column of the innermost open
// context ends it: to every parsing function it reads as kEnd, and since no
// function can consume a kEnd, each returns, until the context is closed and the
// token is looked at again against the next one. Tokens that cannot start an
// expression, but can continue one, are exempt:
//
//	then else in and with do | ) ] } ,  and the infix operators other than `-`
//
// so they may stand at the column of what they continue. `-` is not, because it
// also starts an expression:
//
//	let t = firstRoot f
//	-t
//
// After the bindings of a local `let`, a token at the very column of the `let`
// starts the body; it opens a block there, which by the rule ends at the next
// line of that column, or further left.
//
// Brackets do not suspend the rule. A line inside brackets that is offside is an
// error (E0116), after which the rule is suspended up to the closing bracket, so
// that it is reported once.
//
// The parser keeps the current token in p.tok and what it reads as in p.kind. The
// end of the file, and every token while the parser is recovering from an error
// (recover.go), read as kEnd too, which is why neither needs checks of its own.

// context is what the offside rule looks at.
type context struct {
	col   int32 // tokens that start a line at or left of it end the context; 0: none do
	start int32 // except the token at this offset, the first of a block
	open  int32 // where the context was opened, to show it
	what  kind  // kLet, kBar, or kEnd for a block
}

// exempt are the tokens that continue what is above them at any column.
var exempt = func() (t [numKinds]bool) {
	for k := range infix {
		t[k] = infix[k].prec != precNone && kind(k) != kMinus
	}
	for _, k := range []kind{kThen, kElse, kIn, kAnd, kWith, kDo, kBar, kRParen, kRBrack, kRBrace, kComma} {
		t[k] = true
	}
	return t
}()

// settle decides what the current token reads as. It must be called whenever the
// token or the context changes.
func (p *parser) settle() {
	t := &p.tok
	if p.misnamed[t.kind] && !p.atDeclaration() {
		t.kind = kIdent // that it cannot be one was said where it was defined
	}
	p.kind = t.kind
	if t.flags&startsLine != 0 && t.col <= p.ctx.col && t.start != p.ctx.start && !exempt[t.kind] &&
		!(t.kind == kElif && p.thens > 0) {
		p.kind = kEnd
	}
	if p.panicking || t.kind == kEOF || p.suspended && p.atDeclaration() {
		p.kind = kEnd
	}
}

// enter opens a context and gives the one to return to.
func (p *parser) enter(c context) (outer context) {
	outer = p.ctx
	p.ctx = c
	p.settle()
	return outer
}

// leave returns to an outer context.
func (p *parser) leave(outer context) {
	p.ctx = outer
	p.settle()
}

// offside reports whether the current token reads as kEnd because of its column
// alone.
func (p *parser) offside() bool {
	return p.kind == kEnd && !p.panicking && p.tok.kind != kEOF
}

// atDeclaration reports whether the current token looks like the start of a
// top-level declaration, where reading can always be resumed.
func (p *parser) atDeclaration() bool {
	switch p.tok.kind {
	case kLet, kType, kData, kImport:
		return p.tok.is(startsLine) && p.tok.col <= p.declCol
	}
	return false
}

// block reads the expression after `=`, `->` and so on: one that starts a line
// opens a context. what names it in messages.
func (p *parser) block(what string) Expr {
	if p.kind == kEnd || !p.tok.is(startsLine) {
		return p.bodyExpr(what)
	}
	return p.blockAt(what)
}

// blockAt reads an expression that starts with the current token, whatever its
// column, as a block.
func (p *parser) blockAt(what string) Expr {
	col := p.tok.col
	outer := p.enter(context{col: col, start: p.tok.start, open: p.tok.start, what: kEnd})
	e := p.bodyExpr(what)
	ended := p.offside()
	p.leave(outer)
	if ended && p.kind != kEnd {
		p.complainBlock(e, col)
	}
	return e
}

// bodyExpr reads an expression that must be there.
func (p *parser) bodyExpr(what string) Expr {
	if p.kind == kEnd {
		return p.missing(what)
	}
	return p.expr()
}
