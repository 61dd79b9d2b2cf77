package core

import (
	"strings"
	"unicode/utf8"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

type tokenKind uint8

const (
	endToken tokenKind = iota
	nameToken
	numberToken
	stringToken
	globalToken // @: its name is the next token
	primToken   // %operator, %name or %"name"
	punctToken
	badToken
)

type token struct {
	kind       tokenKind
	text       string
	start, end int32
}

// lexer cuts core text into tokens.
type lexer struct {
	text string
	at   int
}

func (l *lexer) next() token {
	l.skip()
	start := l.at
	tok := func(kind tokenKind) token {
		return token{kind, l.text[start:l.at], int32(start), int32(l.at)}
	}
	if start >= len(l.text) {
		return tok(endToken)
	}
	r, width := utf8.DecodeRuneInString(l.text[start:])
	switch {
	case isNameStart(r):
		l.name()
		return tok(nameToken)
	case isDigit(r), r == '-' && start+1 < len(l.text) && isDigit(rune(l.text[start+1])):
		l.number()
		return tok(numberToken)
	case r == '"':
		if l.quoted() {
			return tok(stringToken)
		}
		return tok(badToken)
	case r == '@':
		l.at++
		return tok(globalToken)
	case r == '%':
		l.at++
		if l.prim() {
			return tok(primToken)
		}
		return tok(badToken)
	case strings.HasPrefix(l.text[start:], "->"):
		l.at += 2
		return tok(punctToken)
	case strings.ContainsRune("()[]{},:=|<", r):
		l.at++
		return tok(punctToken)
	}
	l.at += width
	return tok(badToken)
}

// skip skips white space and comments.
func (l *lexer) skip() {
	for l.at < len(l.text) {
		switch {
		case strings.HasPrefix(l.text[l.at:], "--"):
			if end := strings.IndexByte(l.text[l.at:], '\n'); end >= 0 {
				l.at += end
			} else {
				l.at = len(l.text)
			}
		case strings.IndexByte(" \t\r\n", l.text[l.at]) >= 0:
			l.at++
		default:
			return
		}
	}
}

// name passes over identifiers with dots between them.
func (l *lexer) name() {
	l.while(isNameRune)
	for l.at < len(l.text) && l.text[l.at] == '.' {
		r, _ := utf8.DecodeRuneInString(l.text[l.at+1:])
		if !isNameRune(r) {
			return
		}
		l.at++
		l.while(isNameRune)
	}
}

// number passes over an integer, a decimal or a fraction.
func (l *lexer) number() {
	l.at++ // a digit or the sign
	l.while(isDigit)
	if l.followed("/") {
		l.at++
		l.while(isDigit)
		return
	}
	if l.followed(".") {
		l.at++
		l.while(isDigit)
	}
	for _, exponent := range []string{"e-", "e+", "e"} {
		if l.followed(exponent) {
			l.at += len(exponent)
			l.while(isDigit)
			return
		}
	}
}

// followed reports whether mark stands here, followed by a digit.
func (l *lexer) followed(mark string) bool {
	rest, ok := strings.CutPrefix(l.text[l.at:], mark)
	return ok && rest != "" && isDigit(rune(rest[0]))
}

// quoted skips a string; strconv checks its escapes later.
func (l *lexer) quoted() bool {
	for l.at++; l.at < len(l.text); l.at++ {
		switch l.text[l.at] {
		case '\\':
			l.at++
		case '"':
			l.at++
			return true
		case '\n':
			return false
		}
	}
	l.at = len(l.text)
	return false
}

func (l *lexer) prim() bool {
	if l.at < len(l.text) && l.text[l.at] == '"' {
		return l.quoted()
	}
	start := l.at
	if r, _ := utf8.DecodeRuneInString(l.text[l.at:]); isNameStart(r) {
		l.name()
	} else {
		l.while(func(r rune) bool { return strings.ContainsRune(operatorChars, r) })
	}
	return l.at > start
}

func (l *lexer) while(ok func(rune) bool) {
	for l.at < len(l.text) {
		r, width := utf8.DecodeRuneInString(l.text[l.at:])
		if !ok(r) {
			return
		}
		l.at += width
	}
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

// lex cuts a whole file into tokens. The last token marks the end.
func lex(file *diag.File) []token {
	l := lexer{text: file.Text}
	var tokens []token
	for {
		t := l.next()
		tokens = append(tokens, t)
		if t.kind == endToken {
			return tokens
		}
	}
}
