package syntax

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/notation"
)

// This file lexes the tokens with an inside: comments, strings and numbers.

// lineComment skips `-- …`.
func (l *lexer) lineComment() {
	start := l.pos
	if i := strings.IndexByte(l.text[start:], '\n'); i >= 0 {
		l.pos = start + int32(i)
	} else {
		l.pos = int32(len(l.text))
	}
	end := start + int32(len(strings.TrimRight(l.text[start:l.pos], " \t\r")))
	l.comments = append(l.comments, Comment{At: l.span(start, end), Text: l.text[start:end]})
}

// blockComment skips `{- … -}`, which nests.
func (l *lexer) blockComment() {
	start, depth := l.pos, 0
	text, i := l.text, l.pos
	for i < int32(len(text)) {
		l.within(i)
		switch c := text[i]; {
		case c == '{' && i+1 < int32(len(text)) && text[i+1] == '-':
			depth++
			i += 2
			continue
		case c == '-' && i+1 < int32(len(text)) && text[i+1] == '}':
			depth--
			i += 2
			if depth == 0 {
				l.pos = i
				l.comments = append(l.comments, Comment{At: l.span(start, i), Text: text[start:i]})
				return
			}
			continue
		case c == '\n':
			l.newLine(i + 1)
		case c >= utf8.RuneSelf && !utf8.RuneStart(c):
			l.extra++
		}
		i++
	}
	l.pos = i
	l.unclosed = true
	l.report(diag.Errorf(diag.UnclosedComment, l.span(start, start+2),
		"this comment is never closed").
		WithHint("comments nest: every `{-` needs its own `-}`"))
}

// within polls the watch now and then inside a token that may be as long as the file.
func (l *lexer) within(i int32) {
	if i&0xffff == 0 {
		l.watch.Poll()
	}
}

// hole is a `{` inside a text, which starts an embedded expression.
type hole struct {
	at     int32
	braces int // how many { are open inside it
}

// closeHoles complains about a `{` inside a text that is not closed on its line.
func (l *lexer) closeHoles() {
	if len(l.holes) == 0 {
		return
	}
	at := l.holes[0].at
	l.holes = nil
	l.report(diag.Errorf(diag.UnclosedString, l.span(at, at+1),
		"this `{` in a text has no `}` on its line").
		WithHint("`\"x = {x}\"` contains the value of `x`; a brace itself is written twice: `{{`"))
}

// str lexes a piece of a string with its delimiters. The piece ends at the `{` of an embedded
// expression, and then has kind open, or at the closing quote, and then has kind closed. str only
// records whether there are escapes; unquote computes the value.
func (l *lexer) str(t *token, open, closed kind) kind {
	start := l.pos
	text, i := l.text, l.pos+1
	for i < int32(len(text)) {
		l.within(i)
		switch c := text[i]; {
		case c == '"':
			l.pos = i + 1
			return closed
		case c == '{' || c == '}':
			if i+1 < int32(len(text)) && text[i+1] == c {
				t.flags |= hasEscape
				i += 2
				continue
			}
			if c == '{' {
				l.holes = append(l.holes, hole{at: i})
				l.pos = i + 1
				return open
			}
			l.report(diag.Errorf(diag.BadEscape, l.span(i, i+1), "this `}` closes nothing").
				WithHint("a brace in a text is written twice: `}}`"))
		case c == '\n':
			l.pos = i
			l.unclosedString(start)
			return kBad
		case c == '\\':
			t.flags |= hasEscape
			_, size, problem := escape(text[i:])
			if problem != "" {
				l.report(diag.Errorf(diag.BadEscape, l.span(i, i+int32(size)), "%s", problem).
					WithHint("strings know `\\n`, `\\t`, `\\\"`, `\\\\` and `\\u{…}` with the " +
						"number of a character in hexadecimal"))
			}
			i += int32(size)
			continue
		case c >= utf8.RuneSelf && !utf8.RuneStart(c):
			l.extra++
		}
		i++
	}
	l.pos = i
	l.unclosedString(start)
	return kBad
}

func (l *lexer) unclosedString(start int32) {
	if len(l.holes) > 0 {
		l.closeHoles()
		return
	}
	end := start + int32(len(strings.TrimRight(l.text[start:l.pos], " \t\r")))
	l.report(diag.Errorf(diag.UnclosedString, l.span(start, end),
		"this string has no closing `\"` on its line").
		WithHint("write `\\n` for a new line inside a string, `\\\"` for a quote"))
}

// escape decodes the escape at the start of s. size is the length of its text. problem says what
// is wrong with it, or is "".
func escape(s string) (r rune, size int, problem string) {
	if len(s) < 2 || s[1] == '\n' || s[1] == '\r' {
		return 0, 1, "a `\\` must be followed by what it escapes"
	}
	switch s[1] {
	case 'n':
		return '\n', 2, ""
	case 't':
		return '\t', 2, ""
	case '"':
		return '"', 2, ""
	case '\\':
		return '\\', 2, ""
	case 'u':
		if len(s) < 3 || s[2] != '{' {
			return 0, 2, "`\\u` must be followed by a number in braces, as in `\\u{3b1}`"
		}
		var code rune
		for i := 3; i < len(s) && i < 12; i++ {
			d := hexDigit(s[i])
			switch {
			case s[i] == '}' && i > 3:
				if code > utf8.MaxRune || 0xD800 <= code && code < 0xE000 {
					return 0, i + 1, "there is no character with this number"
				}
				return code, i + 1, ""
			case s[i] == '}':
				return 0, i + 1, "`\\u{…}` takes one to six hexadecimal digits"
			case d < 0 || i > 8:
				return 0, i, "`\\u{…}` takes one to six hexadecimal digits"
			}
			code = code<<4 | rune(d)
		}
		return 0, 3, "`\\u{…}` takes one to six hexadecimal digits"
	}
	r, n := utf8.DecodeRuneInString(s[1:])
	return 0, 1 + n, "strings have no escape " + quote("\\"+string(r))
}

func hexDigit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// unquote returns the value of a string token with escapes. It skips bad escapes, which were
// already reported.
func unquote(s string) string {
	var b strings.Builder
	s = s[1 : len(s)-1]
	for len(s) > 0 {
		if i := strings.IndexAny(s, `\{}`); i != 0 {
			if i < 0 {
				i = len(s)
			}
			b.WriteString(s[:i])
			s = s[i:]
			continue
		}
		if s[0] != '\\' {
			b.WriteByte(s[0])
			s = s[min(2, len(s)):] // {{ or }}
			continue
		}
		r, size, problem := escape(s)
		if problem == "" {
			b.WriteRune(r)
		}
		s = s[size:]
	}
	return b.String()
}

// maxDigits and maxExponent bound a literal, which is kept exactly: the rational of 1e999999999
// would fill the memory.
const (
	maxDigits   = 10_000
	maxExponent = 10_000
)

// number lexes 2, 0.1, 1e-3, 0x1F, 1_000.
func (l *lexer) number() kind {
	start := l.pos
	if l.text[start] == '0' && (l.peek(1)|0x20) == 'x' {
		l.pos += 2
		ok := l.digits(func(c byte) bool { return hexDigit(c) >= 0 })
		return l.endNumber(start, ok)
	}
	ok := l.digits(isDigit)
	if l.peek(0) == '.' && classes[l.peek(1)] == cDigit {
		l.pos++
		ok = l.digits(isDigit) && ok
	}
	if c := l.peek(0) | 0x20; c == 'e' {
		n := int32(1)
		if s := l.peek(1); s == '+' || s == '-' {
			n = 2
		}
		if classes[l.peek(n)] == cDigit {
			l.pos += n
			at := l.pos
			ok = l.digits(isDigit) && ok
			if ok && exponent(l.text[at:l.pos]) > maxExponent {
				l.report(diag.Errorf(diag.BadNumber, l.span(start, l.pos),
					"this number is beyond what Fluxion keeps").
					WithHint("exponents go up to %d", maxExponent))
				return kBad
			}
		} else if n == 2 {
			l.pos += 2
			l.report(diag.Errorf(diag.BadNumber, l.span(start, l.pos),
				"the exponent of this number has no digits").
				WithHint("write it as in `1e-3`"))
			return kBad
		}
	}
	return l.endNumber(start, ok)
}

// Digits returns the digits of a literal, without its prefix and its separators, and its base.
func Digits(text string) (digits string, base int) {
	text = strings.ReplaceAll(text, "_", "")
	if len(text) > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') {
		return text[2:], 16
	}
	return text, 10
}

// Integer returns the value of a literal, which may have a sign, if it can be an Int: 2, 007,
// 0x1F and 1_000, but not 2.0.
func Integer(text string) (n int64, ok bool) {
	unsigned, negative := strings.CutPrefix(text, "-")
	digits, base := Digits(unsigned)
	if negative {
		digits = "-" + digits
	}
	n, err := strconv.ParseInt(digits, base, 64)
	return n, err == nil
}

func isDigit(c byte) bool { return classes[c] == cDigit }

// digits skips digits with single _ between them, and reports whether they are well formed.
func (l *lexer) digits(digit func(byte) bool) bool {
	ok, last := true, byte('_')
	for {
		c := l.peek(0)
		if c != '_' && !digit(c) {
			return ok && last != '_'
		}
		if c == '_' && last == '_' {
			ok = false
		}
		last = c
		l.pos++
	}
}

func exponent(digits string) (n int) {
	for i := 0; i < len(digits) && n <= maxExponent; i++ {
		if digits[i] != '_' {
			n = n*10 + int(digits[i]-'0')
		}
	}
	return n
}

// endNumber checks what follows a number, which may not run into a name.
func (l *lexer) endNumber(start int32, ok bool) kind {
	end := l.pos
	c := l.peek(0)
	r, _ := utf8.DecodeRuneInString(l.text[end:])
	switch {
	case classes[c] == cLetter || c >= utf8.RuneSelf && notation.StartsName(r):
		l.nameTail()
		number, name := l.text[start:end], l.text[end:l.pos]
		if len(l.holes) > 0 && l.last == kColon { // {x:8.3f}
			d := formatFirst(l.span(start-1, l.pos)).WithHint(
				"`string.padLeft 8 s` makes a text `s` of at least 8 characters")
			_, format, _ := strings.Cut(l.text[start:l.pos], ".")
			l.fixedFirst(d, format)
			l.report(d)
			return kBad
		}
		d := diag.Errorf(diag.BadNumber, l.span(start, l.pos), "a number cannot run into a name")
		switch {
		case strings.EqualFold(number, "0x"):
			d.Message = "a hexadecimal number needs hexadecimal digits"
		case number == "0" && (strings.HasPrefix(name, "b") || strings.HasPrefix(name, "o")):
			d.WithHint("numbers are decimal, or hexadecimal as in `0x1F`")
		case strings.Trim(name, "eE") == "":
			d.Message = "the exponent of this number has no digits"
			d.WithHint("write it as in `1e-3`")
		case strings.HasPrefix(name, "_"):
			d.Message = "this is neither a number nor a name"
			d.WithHint("a `_` in a number stands between two digits, as in `1_000`; a name does " +
				"not start with a digit")
		default:
			d.WithHint("to multiply, write `%s * %s`", clip(number), clip(name)).WithFix(
				d.Span, number+" * "+name)
		}
		l.report(d)
		return kBad
	case !ok:
		d := diag.Errorf(diag.BadNumber, l.span(start, end), "this number is malformed")
		if strings.Contains(l.text[start:end], "_") {
			d.WithHint("a `_` in a number stands between two digits, as in `1_000`")
		} else {
			d.WithHint("a hexadecimal number needs digits, as in `0x1F`")
		}
		l.report(d)
		return kBad
	case c == '.' && l.peek(1) != '*' && l.peek(1) != '.':
		if classes[l.peek(1)] == cLetter {
			return kNumber // 1.x: the parser complains about it
		}
		l.pos++
		text := clip(l.text[start:end])
		d := diag.Errorf(diag.BadNumber, l.span(start, l.pos), "a number does not end in a point")
		if _, base := Digits(text); base != 10 {
			d.WithHint("a hexadecimal number has no fraction")
		} else {
			d.WithHint("write `%s.0`, or just `%s`", text, text).WithFix(
				d.Span, l.text[start:end]+".0").WithFix(d.Span, l.text[start:end])
		}
		l.report(d)
		return kNumber
	case end-start > maxDigits:
		l.report(diag.Errorf(diag.BadNumber, l.span(start, end),
			"this number has more than %d digits", maxDigits))
		return kBad
	}
	return kNumber
}

// formatFirst returns the complaint about a number format after a value, as in `{x:.3f}` and
// `{x:8.3f}`.
func formatFirst(at diag.Span) *diag.Diagnostic {
	return diag.Errorf(diag.UnexpectedToken, at, "the format of a number is a function").
		WithHint("write `{fixed 3 x}` for three digits after the point, `{scientific 3 x}` with " +
			"a power of ten")
}

// fixedFirst adds the edit that replaces `{x:.3f}` or `{x:.3e}` by `{fixed 3 x}` or `{scientific
// 3 x}`, if x is a name.
func (l *lexer) fixedFirst(d *diag.Diagnostic, format string) {
	digits := strings.TrimRight(format, "ef")
	function := map[string]string{"f": "fixed", "e": "scientific"}[format[len(digits):]]
	_, number := Integer(digits)
	before := l.text[max(0, d.Span.Start-80):d.Span.Start]
	name := before[strings.LastIndexByte(before, '{')+1:]
	if function != "" && number && name != "" && len(name) < len(before) && isIdentifier(name) {
		start := d.Span.Start - int32(len(name))
		d.WithFix(l.span(start, l.pos), function+" "+digits+" "+name)
	}
}

// leadingDot lexes `.5`, which is not a number.
func (l *lexer) leadingDot() kind {
	start := l.pos
	l.pos++
	l.digits(isDigit)
	if len(l.holes) > 0 && l.last == kColon { // {x:.3f}
		l.nameTail()
		d := formatFirst(l.span(start-1, l.pos))
		l.fixedFirst(d, l.text[start+1:l.pos])
		l.report(d)
		return kBad
	}
	text := l.text[start:l.pos]
	d := diag.Errorf(diag.BadNumber, l.span(start, l.pos), "a number starts with a digit").
		WithHint("write `0%s`", clip(text)).WithFix(l.span(start, l.pos), "0"+text)
	if start > 0 && (classes[l.text[start-1]] == cLetter || l.text[start-1] == ')' ||
		l.text[start-1] == ']') {
		d.Message = "a component of a tuple is taken with brackets"
		d.Hints, d.Fixes = nil, nil
		d.WithHint("write `[%s]`", clip(text[1:])).WithFix(d.Span, "["+text[1:]+"]")
	}
	l.report(d)
	return kBad
}

// span returns a place in the file.
func (l *lexer) span(start, end int32) diag.Span {
	return diag.Span{File: l.file, Start: start, End: end}
}

func (l *lexer) report(d *diag.Diagnostic) {
	l.wrong[l.wrongs%len(l.wrong)] = d.Span.Start + 1
	l.wrongs++
	l.sink.Add(d)
}

// complained reports whether there was a complaint about the text at an offset near pos.
func (l *lexer) complained(at int32) bool { return slices.Contains(l.wrong[:], at+1) }

// complainedSince reports whether there was a complaint at or after an offset near pos. The
// parser looks one token ahead, so the lexer may have complained before the parser arrives there.
func (l *lexer) complainedSince(at int32) bool { return slices.Max(l.wrong[:]) > at }
