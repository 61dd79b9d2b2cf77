package syntax

import (
	"unicode/utf8"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/stop"
)

// Limits that keep a hostile file from using up the machine. They are far beyond
// what anyone writes by hand.
const (
	// MaxFileSize is the largest file, in bytes.
	MaxFileSize = 64 << 20
	// MaxDepth bounds the height of the tree, so that every later stage may
	// recurse over it. A chain `a + b + c …` is as high as it is long.
	MaxDepth = 10_000
	// MaxNodes bounds the expressions and patterns of a module.
	MaxNodes = 1 << 22
	// maxErrors is where reading stops, far beyond what is shown.
	maxErrors = 10 * diag.MaxReported
)

// Parse reads a module. It never fails altogether: what is wrong goes to sink,
// and the module has Bad nodes in its place.
func Parse(file *diag.File, sink *diag.List) *Module { return ParseUntil(nil, file, sink) }

// ParseUntil is Parse as long as a watch allows: beyond that, it panics as Poll of the watch does.
func ParseUntil(w *stop.Watch, file *diag.File, sink *diag.List) *Module {
	p := newParser(w, file, sink)
	p.module()
	return p.mod
}

// Incomplete reports whether text is the beginning of a program but not one yet, so
// that a prompt should ask for another line: the first thing wrong with it is
// that it ends.
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

// parser reads one file. See Note [The offside rule] for tok and kind, and Note
// [Recovery] for panicking.
type parser struct {
	lex  *lexer
	sink *diag.List
	mod  *Module

	tok     token // the current token
	next    token // the one after it
	kind    kind  // what tok reads as
	prevEnd int32 // where the token before tok ended

	ctx       context
	defining  Pattern   // what the last `=` defines
	itemStart int32     // where the top-level declaration or expression being read starts
	declCol   int32     // its column
	suspended bool      // inside a bracket that had a line offside
	brackets  []bracket // the open ones, outermost first
	matches   []int32   // of each open match of this bracket, the column of its arms, 0 if they start no line
	thens     int       // how many branches after `then` are open

	panicking bool
	aborted   bool  // a limit was exceeded: nothing more is read or reported
	errors    int   // how many were reported here
	cutShort  bool  // the first error was the end of the text
	lastError int32 // where the last error was reported
	shadow    int32 // the token after brackets with an error in them: what it does not fit to may be that error
	badAt     int32 // the last text that is not a token, already complained about, or -1

	misnamed [numKinds]bool // the words of the language that were defined as names

	finalWrong    bool // there was an error in the final expression, which may be none
	misplacedSeen bool // complained about an expression that is not last

	depth  int32 // of calls
	height int32 // of the tree read by the current call; see Note [Height]
	ids    int32

	nodes
}

// bracket is an open ( [ or {.
type bracket struct {
	tok       token
	ctx       context // around it
	suspended bool    // around it
	semicolon bool    // complained about a `;` in it
	clause    bool    // reading a clause of a comprehension, which an `if` ends
}

func newParser(w *stop.Watch, file *diag.File, sink *diag.List) *parser {
	p := &parser{lex: newLexer(w, file, sink), sink: sink, mod: &Module{File: file}, lastError: -1, shadow: -1, badAt: -1}
	text := file.Text
	switch {
	case len(text) > MaxFileSize:
		p.abort(diag.Errorf(diag.TooLarge, p.lex.span(0, 0), "this file has %d MB; the limit is %d MB",
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

// got passes over the current token if it reads as k.
func (p *parser) got(k kind) bool {
	if p.kind == k {
		p.advance()
		return true
	}
	return false
}

// text returns the source of a token.
func (p *parser) text(t token) string { return p.lex.text[t.start:t.end] }

// name returns what a name token means: ∇ is grad, and ℝ is Real.
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

// from returns the place from an offset to the last token passed over.
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

// loc numbers an expression or pattern that reaches from start to here.
func (p *parser) loc(start int32) Loc {
	id := p.ids
	p.ids++
	if p.ids > MaxNodes && !p.aborted {
		p.abort(diag.Errorf(diag.TooLarge, p.span(start, start), "this program has more than %d expressions", MaxNodes).
			WithHint("split it into modules; data belongs in files of its own"))
	}
	return Loc{At: p.from(start), ID: id}
}

// unnumbered returns the place of a node that has no number.
func (p *parser) unnumbered(start int32) Loc { return Loc{At: p.from(start), ID: -1} }

// Note [Height]
//
// A tree is as deep as brackets nest, which the recursion of the parser sees, but also as long
// as `a + b + c …` or `x.a.b.c …`, which is read by a loop, and later stages recurse over both.
// So p.height is the height of what the current call has read so far: push starts a call at 0,
// pop adds one for the node it made and returns to the caller's, and each turn of a loop that
// nests to the left adds one; what is read beside it (another operand, element or arm) starts
// again at 0, and the higher of the two counts. The bound is on the height of the whole tree,
// because every node's height passes through pop.

// push notes a call that makes a node around others. It fails beyond MaxDepth.
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

// taller notes that a node was put around what was read.
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
