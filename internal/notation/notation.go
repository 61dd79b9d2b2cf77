// Package notation defines how names and texts are written in a program. The lexer, the
// formatter, and the printers of types and values all use it.
package notation

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// StartsName reports whether a character can start a name. λ cannot, because it means `fun`;
// neither can ℝ and ℜ, which mean Real.
func StartsName(r rune) bool {
	return r == '_' || unicode.IsLetter(r) && r != 'λ' && r != 'ℝ' && r != 'ℜ'
}

// ContinuesName reports whether a character can follow the first one of a name.
func ContinuesName(r rune) bool {
	return StartsName(r) || unicode.Is(unicode.Nd, r) || unicode.Is(unicode.Mn, r) ||
		'₀' <= r && r <= '₉'
}

// isWord reports whether a text is a name or a keyword, other than `_`. It may end in primes.
func isWord(text string) bool {
	text = strings.TrimRight(text, "'")
	for i, r := range text {
		if !ContinuesName(r) || i == 0 && !StartsName(r) {
			return false
		}
	}
	return text != "" && text != "_"
}

// Field returns the name of a record field as programs write it: unchanged if it is a word, and
// otherwise in quotes.
func Field(name string) string {
	if isWord(name) {
		return name
	}
	return Quote(name)
}

// Quote returns a text as a string literal.
func Quote(s string) string {
	var b strings.Builder
	b.Grow(QuotedLength(s))
	WriteQuoted(&b, s)
	return b.String()
}

// WriteQuoted writes Quote(s).
func WriteQuoted(b *strings.Builder, s string) {
	b.WriteByte('"')
	from := 0 // the start of the part that needs no escapes
	for at := 0; at < len(s); {
		if s[at] < utf8.RuneSelf && escapes[s[at]] == "" {
			at++
			continue
		}
		by, size := escape(s[at:])
		if by != "" {
			b.WriteString(s[from:at])
			b.WriteString(by)
			from = at + size
		}
		at += size
	}
	b.WriteString(s[from:])
	b.WriteByte('"')
}

// QuotedLength returns the length of Quote(s).
func QuotedLength(s string) int {
	n := len(s) + 2
	for at := 0; at < len(s); {
		if s[at] < utf8.RuneSelf {
			n += max(len(escapes[s[at]])-1, 0)
			at++
			continue
		}
		by, size := escape(s[at:])
		if by != "" {
			n += len(by) - size
		}
		at += size
	}
	return n
}

// escape returns the escape for the first character of s, or "" if it needs none, and the size of
// the character.
func escape(s string) (by string, size int) {
	if s[0] < utf8.RuneSelf {
		return escapes[s[0]], 1
	}
	r, size := utf8.DecodeRuneInString(s)
	if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029' {
		by = fmt.Sprintf(`\u{%x}`, r)
	}
	return by, size
}

// escapes holds the escapes of ASCII characters.
var escapes = func() (all [utf8.RuneSelf]string) {
	for r := range all {
		if unicode.IsControl(rune(r)) {
			all[r] = fmt.Sprintf(`\u{%x}`, r)
		}
	}
	all['\n'], all['\t'], all['"'], all['\\'] = `\n`, `\t`, `\"`, `\\`
	all['{'], all['}'] = `{{`, `}}`
	return all
}()
