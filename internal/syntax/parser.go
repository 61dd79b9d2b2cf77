package syntax

import (
	"unicode/utf8"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/stop"
)

// Limits that keep a hostile file from exhausting the machine. They are far beyond what anyone
// writes by hand.
const (
	// MaxFileSize is the largest file, in bytes.
	MaxFileSize = 64 << 20
	// MaxDepth bounds the height of the tree, so that every later stage may
	// recurse over it. A chain `a + b + c …` is as high as it is long.
	MaxDepth = 10_000
	// MaxNodes bounds the expressions and patterns of a module.
	MaxNodes = 1 << 22
	// maxErrors is the number of errors at which parsing stops, far beyond what is shown.
	maxErrors = 10 * diag.MaxReported
)

// Parse parses a module. It never fails completely: errors go to sink, and the module has Bad
// nodes in their places.
func Parse(file *diag.File, sink *diag.List) *Module { return ParseUntil(nil, file, sink) }

// ParseUntil parses a module like Parse, until the watch ends the work. Then it panics as Poll
// does.
func ParseUntil(w *stop.Watch, file *diag.File, sink *diag.List) *Module {
	p := newParser(w, file, sink)
	p.module()
	return p.mod
}

// Incomplete reports whether text is the beginning of a program but not a complete one, so that a
// prompt should ask for another line. That is so if the first error is that the text ends.
func Incomplete(text string) bool {
	sink := new(diag.List)
	p := newParser(nil, diag.NewFile("", text), sink)
	p.module()
	for _, d := range sink.Sorted() {
		if d.Code == diag.UnclosedComment {
			return true
		}
	}
	return p.cutShort
}

// parser parses one file. See Note [The offside rule] for tok and kind, and Note [Recovery] for
// panicking.
type parser struct {
	lex  *lexer
	sink *diag.List
	mod  *Module

	tok     token // the current token
	next    token // the one after it
	kind    kind  // what tok is seen as
	prevEnd int32 // where the token before tok ended

	ctx       context
	defining  Pattern // the pattern before the last `=`
	itemStart int32   // where the current top-level item starts
	declCol   int32   // the column of the current top-level item
	// whether the offside rule is suspended, in a bracket that had an offside line
	suspended bool
	brackets  []bracket // the open brackets, the outermost first
	// for each open match of this bracket, the column of its arms, or 0 if they do not start
	// lines
	matches []int32
	thens   int // how many branches after `then` are open

	panicking bool
	aborted   bool  // whether a limit was exceeded, so that nothing more is parsed or reported
	errors    int   // errors reported by this parser
	cutShort  bool  // whether the first error was the end of the text
	lastError int32 // where the last error was reported
	// the token after brackets that contain an error: if it is unexpected, that error may be the
	// cause
	shadow int32
	badAt  int32 // the last text that is not a token, which was already reported, or -1

	misnamed [numKinds]bool // the reserved words that were defined as names

	// whether there was an error in the final expression, which may then be missing
	finalWrong    bool
	misplacedSeen bool // whether an expression that is not last was reported

	depth  int32 // of calls
	height int32 // of the tree that the current call has parsed; see Note [Height]
	ids    int32

	nodes
}

// bracket is an open ( [ or {.
type bracket struct {
	tok       token
	ctx       context // around it
	suspended bool    // around it
	semicolon bool    // whether a `;` in it was reported
	clause    bool    // whether a clause of a comprehension is being parsed, which an `if` ends
}

func newParser(w *stop.Watch, file *diag.File, sink *diag.List) *parser {
	p := &parser{lex: newLexer(w, file, sink), sink: sink, mod: &Module{File: file}, lastError: -1,
		shadow: -1, badAt: -1}
	text := file.Text
	w.Poll() // reading the text may have taken long
	switch {
	case len(text) > MaxFileSize:
		p.abort(diag.Errorf(diag.TooLarge, p.lex.span(0, 0),
			"this file has %d MB; the limit is %d MB",
			len(text)/1_000_000, MaxFileSize/1_000_000).
			WithHint("split the program into modules; data belongs in files of its own"))
	case !utf8.ValidString(text):
		p.abort(notUTF8(file))
	}
	p.start()
	return p
}

// start reads the first tokens.
func (p *parser) start() {
	p.tok = p.lex.next()
	p.next = p.lex.next()
	p.settle()
}

// advance moves to the next token.
func (p *parser) advance() {
	p.prevEnd = p.tok.end
	if p.tok.kind == kBad {
		p.badAt = p.tok.start
	}
	p.tok = p.next
	if p.tok.kind != kEOF {
		p.next = p.lex.next()
	}
	p.settle()
}

// got consumes the current token if it is seen as k, and reports whether it did.
func (p *parser) got(k kind) bool {
	if p.kind == k {
		p.advance()
		return true
	}
	return false
}

// text returns the source of a token.
func (p *parser) text(t token) string { return p.lex.text[t.start:t.end] }

// name returns the name that a token denotes: ∇ is grad, and ℝ is Real.
func (p *parser) name(t token) string {
	s := p.text(t)
	if s[0] == 0xE2 { // the first byte of ∇ ℝ ℜ
		switch s {
		case "∇":
			return "grad"
		case "ℝ", "ℜ":
			return "Real"
		}
	}
	return s
}

func (p *parser) span(start, end int32) diag.Span { return p.lex.span(start, end) }

// from returns the place from an offset to the last consumed token.
func (p *parser) from(start int32) diag.Span {
	return diag.Span{File: p.lex.file, Start: start, End: max(start, p.prevEnd)}
}

// tokSpan returns the place of a token.
func (p *parser) tokSpan(t token) diag.Span { return p.span(t.start, t.end) }

// here returns the place of the current token, or of the end of the text before it.
func (p *parser) here() diag.Span {
	if p.tok.kind == kEOF {
		return p.span(p.prevEnd, p.prevEnd)
	}
	return p.tokSpan(p.tok)
}

func (p *parser) ident(t token) Ident { return Ident{Name: p.name(t), At: p.tokSpan(t)} }

// loc numbers an expression or pattern that extends from start to the last consumed token.
func (p *parser) loc(start int32) Loc {
	id := p.ids
	p.ids++
	if p.ids > MaxNodes && !p.aborted {
		p.abort(diag.Errorf(diag.TooLarge, p.span(start, start),
			"this program has more than %d expressions", MaxNodes).
			WithHint("split it into modules; data belongs in files of its own"))
	}
	return Loc{At: p.from(start), ID: id}
}

// unnumbered returns the Loc of a node that has no number.
func (p *parser) unnumbered(start int32) Loc { return Loc{At: p.from(start), ID: -1} }

// Note [Height]
//
// Later stages recurse over the tree, so its height must be bounded. The tree is as high as
// brackets nest, and the recursion of the parser sees that. But it is also as high as `a + b + c
// …` or `x.a.b.c …` is long, which the parser reads in a loop. So p.height is the height of what
// the current call has parsed so far. push starts a call at 0. pop adds one for the node that the
// call made, and returns to the caller's height. Each iteration of a loop that nests to the left
// adds one. What is parsed beside it (another operand, element or arm) starts again at 0, and the
// higher of the two counts. The bound holds for the whole tree, because every node's height
// passes through pop.

// push starts a call that makes a node around others. It fails beyond MaxDepth.
func (p *parser) push() (outer int32, ok bool) {
	p.depth++
	outer, p.height = p.height, 0
	if p.depth > MaxDepth {
		p.tooDeep()
		return outer, false
	}
	return outer, true
}

func (p *parser) pop(outer int32) {
	p.depth--
	p.taller()
	p.height = max(p.height, outer)
}

// taller records that a node was put around what was parsed.
func (p *parser) taller() {
	p.height++
	if p.height > MaxDepth {
		p.tooDeep()
	}
}

func (p *parser) tooDeep() {
	p.abort(diag.Errorf(diag.TooDeep, p.here(), "this is nested more than %d deep", MaxDepth).
		WithHint("name the parts with `let`, or put the data in an array"))
}
