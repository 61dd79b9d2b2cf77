// Package notation says how names and texts are written in a program. Everything that reads or
// writes them asks here: the lexer, the formatter, and the printers of types and values.
package notation

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// StartsName tells whether a character can be the first of a name. λ is not a letter of names: it
// means `fun`. ℝ and ℜ mean Real.
func StartsName(r rune) bool {
	return r == '_' || unicode.IsLetter(r) && r != 'λ' && r != 'ℝ' && r != 'ℜ'
}

// ContinuesName tells whether a character can follow the first one of a name.
func ContinuesName(r rune) bool {
	return StartsName(r) || unicode.Is(unicode.Nd, r) || unicode.Is(unicode.Mn, r) ||
		'₀' <= r && r <= '₉'
}

// isWord tells whether a text is a name or a keyword, and not `_`. Primes may end it.
func isWord(text string) bool {
	text = strings.TrimRight(text, "'")
	for i, r := range text {
		if !ContinuesName(r) || i == 0 && !StartsName(r) {
			return false
		}
	}
	return text != "" && text != "_"
}

// Field is the name of a field of a record as programs write it: as it is if it is a word, and
// otherwise in quotes.
func Field(name string) string {
	if isWord(name) {
		return name
	}
	return Quote(name)
}

// Quote is a text as programs write it.
func Quote(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 2)
	b.WriteByte('"')
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029':
			fmt.Fprintf(&b, `\u{%x}`, r)
		default:
			b.WriteString(s[:size])
		}
		s = s[size:]
	}
	b.WriteByte('"')
	return b.String()
}
