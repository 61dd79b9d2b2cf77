package syntax

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/notation"
	"github.com/fluxion-lang/fluxion/internal/stop"
)

// lexer makes tokens from the text of a file, which must be UTF-8. It collects comments
// separately. The zero pos is the start of the text.
type lexer struct {
	watch    *stop.Watch
	file     *diag.File
	text     string
	sink     *diag.List
	pos      int32
	lineAt   int32 // where the line of pos starts
	extra    int32 // bytes of that line that do not start a character, or that stand for columns
	first    bool  // whether only blanks and comments precede pos on its line
	tabAt    int32 // the offset of a tab in the indentation of this line, or -1
	tabSeen  bool  // whether tabs were reported
	unclosed bool  // whether an unclosed comment that swallows the rest of the text was reported
	comments []Comment
	holes    []hole   // the open `{` of texts, the outermost first
	last     kind     // of the last token
	tokens   int      // the number of tokens made; tests bound work by it
	wrong    [4]int32 // the offsets of the last complaints, plus one
	wrongs   int
	crSeen   bool // whether carriage returns were reported
}

// tabWidth is the column that a tab in the indentation is taken to reach, so that a file indented
// by tabs still nests as its author sees it.
const tabWidth = 8

func newLexer(w *stop.Watch, file *diag.File, sink *diag.List) *lexer {
	l := &lexer{watch: w, file: file, text: file.Text, sink: sink, first: true, tabAt: -1}
	if strings.HasPrefix(l.text, "\uFEFF") {
		l.pos, l.lineAt = 3, 3 // a byte order mark is not a character of the program
	}
	return l
}

// class says which tokens a byte can start.
type class uint8

const (
	cOther class = iota
	cBlank
	cLetter
	cDigit
	cSymbol
)

var classes = func() (t [256]class) {
	for c := 'a'; c <= 'z'; c++ {
		t[c], t[c-'a'+'A'] = cLetter, cLetter
	}
	for c := '0'; c <= '9'; c++ {
		t[c] = cDigit
	}
	t['_'] = cLetter
	for _, c := range " \t\r\n" {
		t[c] = cBlank
	}
	for _, c := range "()[]{},:.;=<>+-*/^|&!\"\\" {
		t[c] = cSymbol
	}
	return t
}()

// next makes the next token.
func (l *lexer) next() token {
	l.tokens++
	l.watch.Step()
	before := l.pos
	for {
		l.blanks()
		if l.pos >= int32(len(l.text)) || l.wrongs > maxErrors {
			l.closeHoles()
			return token{start: l.pos, end: l.pos, col: l.column(), kind: kEOF,
				flags: startsLine | spaceBefore}
		}
		t := token{start: l.pos, col: l.column()}
		c := l.text[l.pos]
		switch classes[c] {
		case cLetter:
			t.kind = l.word()
		case cDigit:
			t.kind = l.number()
		case cSymbol:
			var ok bool
			if t.kind, ok = l.symbol(&t); !ok {
				continue // a comment, or something that was skipped
			}
		default:
			var ok bool
			if t.kind, ok = l.unusual(); !ok {
				continue
			}
		}
		t.end = l.pos
		l.last = t.kind
		if t.start > before || t.start == 0 {
			t.flags |= spaceBefore
		}
		if l.first {
			t.flags |= startsLine
			l.first = false
			if l.tabAt >= 0 {
				l.complainTab()
			}
		}
		return t
	}
}

func (l *lexer) column() int32 { return l.pos - l.lineAt - l.extra + 1 }

// blanks skips white space.
func (l *lexer) blanks() {
	text, i := l.text, l.pos
	for i < int32(len(text)) {
		switch text[i] {
		case ' ':
			i++
		case '\n':
			l.closeHoles()
			i++
			l.newLine(i)
		case '\t':
			if l.first {
				if l.tabAt < 0 {
					l.tabAt = i
				}
				column := i - l.lineAt - l.extra
				l.extra -= tabWidth - 1 - column%tabWidth
			}
			i++
		case '\r':
			if i+1 < int32(len(text)) && text[i+1] != '\n' {
				l.pos = i
				return // a stray one, which unusual reports
			}
			i++
		default:
			l.pos = i
			return
		}
	}
	l.pos = i
}

// newLine records that a line starts at an offset.
func (l *lexer) newLine(at int32) {
	l.watch.Step()
	l.lineAt, l.extra, l.first, l.tabAt = at, 0, true, -1
}

// peek returns the byte at pos + n, or 0 beyond the end.
func (l *lexer) peek(n int32) byte {
	if i := l.pos + n; i < int32(len(l.text)) {
		return l.text[i]
	}
	return 0
}

// word lexes a name or keyword that starts with an ASCII letter or _.
func (l *lexer) word() kind {
	start := l.pos
	l.nameTail()
	word := l.text[start:l.pos]
	switch c := word[0]; {
	case c >= 'a':
		if len(word) >= 2 && len(word) <= 6 {
			return keyword(word)
		}
		return kIdent
	case c == '_':
		if len(word) == 1 {
			return kWild
		}
		return nameKind(word)
	}
	return kUpper
}

// nameTail skips the rest of a name, with its primes.
func (l *lexer) nameTail() {
	text, i := l.text, l.pos
	for i < int32(len(text)) {
		c := text[i]
		if k := classes[c]; k == cLetter || k == cDigit {
			i++
			continue
		}
		if c < utf8.RuneSelf {
			break
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if !notation.ContinuesName(r) {
			break
		}
		l.extra += int32(size) - 1
		i += int32(size)
	}
	for i < int32(len(text)) && text[i] == '\'' {
		i++
	}
	l.pos = i
}

// nameKind distinguishes names of types, constructors and modules from other names: their first
// letter is a capital that is not Greek. Mathematicians call matrices and differences Σ and Δ, so
// these are ordinary names.
func nameKind(word string) kind {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(word, "_"))
	if unicode.IsUpper(r) && !unicode.Is(unicode.Greek, r) {
		return kUpper
	}
	return kIdent
}

// symbol lexes a token that starts with punctuation. ok is false for a comment and for text that
// is skipped.
func (l *lexer) symbol(t *token) (k kind, ok bool) {
	c, d := l.text[l.pos], l.peek(1)
	switch c {
	case '(':
		return l.take(1, kLParen), true
	case ')':
		return l.take(1, kRParen), true
	case '[':
		return l.take(1, kLBrack), true
	case ']':
		return l.take(1, kRBrack), true
	case '{':
		if d == '-' {
			l.blockComment()
			return 0, false
		}
		if n := len(l.holes); n > 0 {
			l.holes[n-1].braces++
		}
		return l.take(1, kLBrace), true
	case '}':
		if n := len(l.holes); n > 0 {
			if l.holes[n-1].braces == 0 {
				l.holes = l.holes[:n-1]
				return l.str(t, kTextPart, kTextClose), true
			}
			l.holes[n-1].braces--
		}
		return l.take(1, kRBrace), true
	case ',':
		return l.take(1, kComma), true
	case '"':
		return l.str(t, kTextOpen, kString), true
	case '\\':
		return l.take(1, kFun), true
	case '^':
		return l.take(1, kCaret), true
	case '-':
		switch d {
		case '-':
			l.lineComment()
			return 0, false
		case '>':
			return l.take(2, kThinArrow), true
		case '=':
			return l.misspelt(2, kEqual, assignment), true
		}
		return l.take(1, kMinus), true
	case '+':
		switch d {
		case '+':
			return l.misspelt(2, kPlus, concatenation), true
		case '=':
			return l.misspelt(2, kEqual, assignment), true
		}
		return l.take(1, kPlus), true
	case '*':
		switch d {
		case '*':
			return l.take(2, kStarStar), true
		case '=':
			return l.misspelt(2, kEqual, assignment), true
		}
		return l.take(1, kStar), true
	case '/':
		switch d {
		case '/':
			return l.slashComment()
		case '*':
			return l.starComment()
		case '=':
			return l.misspelt(2, kNotEq, useInstead("!=")), true
		}
		return l.take(1, kSlash), true
	case '=':
		switch d {
		case '=':
			if l.peek(2) == '=' {
				return l.misspelt(3, kEqEq, useInstead("==")), true
			}
			return l.take(2, kEqEq), true
		case '>':
			return l.take(2, kFatArrow), true
		case '<':
			return l.misspelt(2, kLessEq, useInstead("<=")), true
		case '/':
			if l.peek(2) == '=' {
				return l.misspelt(3, kNotEq, useInstead("!=")), true
			}
		}
		return l.take(1, kEqual), true
	case '<':
		switch d {
		case '=':
			return l.take(2, kLessEq), true
		case '>':
			return l.misspelt(2, kNotEq, useInstead("!=")), true
		case '<':
			return l.misspelt(2, kBad, composition), true
		}
		return l.take(1, kLess), true
	case '>':
		switch d {
		case '=':
			return l.take(2, kGreaterEq), true
		case '>':
			return l.misspelt(2, kBad, composition), true
		}
		return l.take(1, kGreater), true
	case '!':
		if d == '=' {
			if l.peek(2) == '=' {
				return l.misspelt(3, kNotEq, useInstead("!=")), true
			}
			return l.take(2, kNotEq), true
		}
		return l.misspelt(1, kBad, bang), true
	case '&':
		if d == '&' {
			return l.take(2, kAndAnd), true
		}
		return l.misspelt(1, kAndAnd, useInstead("&&")), true
	case '|':
		switch d {
		case '|':
			return l.take(2, kOrOr), true
		case '>':
			return l.take(2, kPipe), true
		}
		return l.take(1, kBar), true
	case ':':
		switch d {
		case '=':
			return l.misspelt(2, kEqual, assignment), true
		case ':':
			return l.misspelt(2, kBad, cons), true
		}
		return l.take(1, kColon), true
	case '.':
		switch {
		case d == '*':
			return l.take(2, kDotStar), true
		case d == '.' && l.startsRest():
			return l.take(2, kDotDot), true
		case d == '.':
			n := int32(2)
			if l.peek(2) == '.' {
				n = 3
			}
			return l.misspelt(n, kBad, dots), true
		case classes[d] == cDigit:
			return l.leadingDot(), true
		}
		return l.take(1, kDot), true
	}
	return l.semicolon()
}

// startsRest reports whether the `..` at pos can be the one in `[p, ..rest]`.
func (l *lexer) startsRest() bool {
	c := l.peek(2)
	return (l.last == kLBrack || l.last == kComma) && c != '.' && classes[c] != cDigit
}

func (l *lexer) take(n int32, k kind) kind {
	l.pos += n
	return k
}
