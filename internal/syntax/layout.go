package syntax

// Note [The offside rule]
//
// Indentation ends constructs, and does nothing else: it never inserts a token. At any time one
// context is open, with a column:
//
//   - a `let` (top-level or local), at the column of the word `let`, while its bindings are parsed;
//   - a match arm whose `|` starts a line, at the column of the `|`;
//   - a block: the expression after `=`, `in`, `=>`, `->`, `then`, `else` or `do` if it starts on
//     a line of its own, at the column of its first token.
//
// A token that starts a line at or left of the column of the innermost open context ends it:
// every parsing function sees the token as kEnd. No function can consume a kEnd, so each returns,
// until the context is closed and the token is compared with the next context. Tokens that cannot
// start an expression but can continue one are exempt:
//
//	then else in and with do | ) ] } ,  and the infix operators other than `-`
//
// They may stand at the column of what they continue. `-` is not exempt, because it also starts
// an expression:
//
//	let t = firstRoot f
//	-t
//
// After the bindings of a local `let`, a token at exactly the column of the `let` starts the
// body. It opens a block there, which ends by the rule at the next line at that column or further
// left.
//
// Brackets do not suspend the rule. A line inside brackets that is offside is an error (E0116).
// After it the rule is suspended up to the closing bracket, so that it is reported once.
//
// The parser keeps the current token in p.tok, and what it is seen as in p.kind. The end of the
// file, and every token while the parser recovers from an error (recover.go), are seen as kEnd
// too, so neither needs checks of its own.

// context is the state of the offside rule.
type context struct {
	// a token that starts a line at or left of col ends the context; with 0 no token does
	col   int32
	start int32 // the token at this offset, the first of a block, does not end it
	open  int32 // where the context was opened, for messages
	what  kind  // kLet, kBar, or kEnd for a block
}

// exempt marks the tokens that continue a construct at any column.
var exempt = func() (t [numKinds]bool) {
	for k := range infix {
		t[k] = infix[k].prec != precNone && kind(k) != kMinus
	}
	for _, k := range []kind{kThen, kElse, kIn, kAnd, kWith, kDo, kBar, kRParen, kRBrack,
		kRBrace, kComma} {
		t[k] = true
	}
	return t
}()

// settle computes p.kind. It must be called whenever the token or the context changes.
func (p *parser) settle() {
	t := &p.tok
	if p.misnamed[t.kind] && !p.atDeclaration() {
		t.kind = kIdent // the error was reported where the word was defined
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

// enter opens a context and returns the outer one.
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

// offside reports whether the current token is seen as kEnd only because of its column.
func (p *parser) offside() bool {
	return p.kind == kEnd && !p.panicking && p.tok.kind != kEOF
}

// atDeclaration reports whether the current token looks like the start of a top-level
// declaration, where parsing can always resume.
func (p *parser) atDeclaration() bool {
	switch p.tok.kind {
	case kLet, kType, kData, kImport:
		return p.tok.is(startsLine) && p.tok.col <= p.declCol
	}
	return false
}

// block parses the expression after `=`, `->` and so on. If it starts a line it opens a context.
// what names it in messages.
func (p *parser) block(what string) Expr {
	if p.kind == kEnd || !p.tok.is(startsLine) {
		return p.bodyExpr(what)
	}
	return p.blockAt(what)
}

// blockAt parses an expression that starts at the current token as a block, whatever its column.
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

// bodyExpr parses an expression, which is mandatory.
func (p *parser) bodyExpr(what string) Expr {
	if p.kind == kEnd {
		return p.missing(what)
	}
	return p.expr()
}
