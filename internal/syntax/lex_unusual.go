package syntax

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/notation"
)

// This file handles characters outside ASCII, and spellings of other languages. Each mistake is
// reported once, here, and then treated as what was meant, so that the parser has nothing to add.

// unusual lexes a token that starts with a character of no other class. ok is false if the
// character was skipped.
func (l *lexer) unusual() (k kind, ok bool) {
	start := l.pos
	r, size := utf8.DecodeRuneInString(l.text[start:])
	take := func(k kind) (kind, bool) {
		l.pos += int32(size)
		l.extra += int32(size) - 1
		return k, true
	}
	switch r {
	case 'λ':
		return take(kFun)
	case '⇒':
		return take(kFatArrow)
	case '→':
		return take(kThinArrow)
	case 'ℝ', 'ℜ':
		return take(kUpper)
	case '∇':
		return take(kIdent)
	case '×':
		return take(kTimes)
	case '≤':
		return take(kLessEq)
	case '≥':
		return take(kGreaterEq)
	case '≠':
		return take(kNotEq)
	}
	if notation.StartsName(r) {
		l.nameTail()
		return nameKind(l.text[start:l.pos]), true
	}

	take(kBad)
	d := diag.Errorf(diag.BadCharacter, l.span(start, l.pos), "%s starts nothing in Fluxion",
		describeRune(r))
	switch r {
	case '#':
		d.WithHint("comments start with `--`")
		l.restOfLine()
		l.report(d)
		return 0, false
	case '\r':
		d.Message = "a carriage return without a line feed"
		d.WithHint("save the file with ordinary line ends")
		if !l.crSeen {
			l.crSeen = true
			l.report(d)
		}
		l.newLine(l.pos) // as the author meant it
		return 0, false
	case '\'', '‘', '’':
		l.charLiteral(d, r)
	case '“', '”', '„', '«', '»':
		d.Message = "curly quotes do not delimit strings"
		d.WithHint("strings are written with straight quotes: `\"…\"`")
		l.closeCurly()
		d.Span.End = l.pos
	case '\u2212', '–', '—', '‐', '‑':
		d.WithHint("write `-` for minus").WithFix(d.Span, "-")
		l.report(d)
		return kMinus, true
	case '·', '∗', '⋅':
		d.WithHint("write `*` to multiply").WithFix(d.Span, "*")
		l.report(d)
		return kStar, true
	case '÷':
		d.WithHint("write `/` to divide").WithFix(d.Span, "/")
		l.report(d)
		return kSlash, true
	case '²', '³', '¹':
		d.WithHint("write powers with `^`: `x^2`")
		l.report(d)
		return 0, false
	case '%':
		if i := strings.IndexByte(l.near(8), '%'); i >= 0 && i < 3 {
			l.passOver(int32(i) + 1)
			op := l.text[start:l.pos]
			d.Message = "there is no operator `" + op + "`"
			d.Span.End = l.pos
			d.WithHint("%s", cmp.Or(map[string]string{
				"%*%": "a matrix product is `linalg.matMul a b`",
				"%%":  "the remainder of a division of integers is `mod a b`",
				"%/%": "the quotient of two integers is `div a b`",
				"%>%": "a value goes through functions by `x |> f |> g`",
			}[op], "operators cannot be defined: write a function before its arguments"))
			l.report(d)
			return kStar, true
		}
		d.WithHint("the remainder of a division of integers is `mod a b`")
		l.report(d)
		return kStar, true
	case '$':
		if start > 0 && classes[l.text[start-1]] == cLetter && classes[l.peek(0)] == cLetter {
			d.WithHint("write `.` before a field: `p.x`; a column of rows is `[r.x for r in "+
				"rows]`").WithFix(d.Span, ".")
			break
		}
		d.WithHint("write `f (g x)`, or `x |> g |> f`; a field is `p.x`, and a column of rows " +
			"`[r.x for r in rows]`")
	case '@':
		d.WithHint("a matrix product is `linalg.matMul a b`; a pattern gets a name by `p as x`; " +
			"there are no decorators")
	case '~':
		d.WithHint("write `not` for the negation of a Boolean, `-` for that of a number")
	case '?':
		d.WithHint("write `if c then a else b`")
	case '`':
		if i := strings.IndexByte(l.near(40), '`'); i >= 0 {
			l.passOver(int32(i) + 1)
			d.Span.End = l.pos
		}
		d.WithHint("an operator is written between its operands, a function before its arguments")
	case '√':
		d.WithHint("write `sqrt x`").WithFix(d.Span, "sqrt ")
	case '∞':
		d.WithHint("infinite ranges have functions of their own, such as `integralLine`")
	case '∂':
		d.WithHint("write `deriv f x`, or `∇ f x`").WithFix(d.Span, "deriv ")
	case '∫':
		d.WithHint("write `integral a b (fun x => …)`")
	case '∑':
		d.WithHint("write `sum [… for i < n]`")
	case '←', '≔':
		d.WithHint("names are defined by `let x = …`")
	case '…':
		d.WithHint("arrays of numbers are written `iota n` or `[… for i < n]`")
	default:
		if unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) || unicode.IsControl(r) {
			d.Message = describeRune(r) + " does not belong in a program"
			d.WithHint("replace it by an ordinary space; it may have come along with pasted text")
			l.report(d)
			return 0, false
		}
	}
	l.report(d)
	return kBad, true
}

// charLiteral skips 'a'.
func (l *lexer) charLiteral(d *diag.Diagnostic, open rune) {
	d.Message = "single quotes do not delimit anything"
	d.WithHint("strings are written `\"…\"`; a prime may only end a name")
	rest := l.near(40)
	closers := "'"
	if open != '\'' {
		closers = "’‘"
	}
	if i := strings.IndexAny(rest, closers); i >= 0 {
		_, size := utf8.DecodeRuneInString(rest[i:])
		l.passOver(int32(i + size))
		d.Span.End = l.pos
	}
}

// closeCurly skips the rest of a string in curly quotes, if it ends on its line.
func (l *lexer) closeCurly() {
	rest := l.near(1000)
	if i := strings.IndexAny(rest, "“”„«»\""); i >= 0 {
		_, size := utf8.DecodeRuneInString(rest[i:])
		l.passOver(int32(i + size))
	}
}

// near returns at most the next n bytes of the line. Looking further at each of many errors would
// not be linear.
func (l *lexer) near(n int) string {
	rest := l.text[l.pos:min(len(l.text), int(l.pos)+n)]
	if i := strings.IndexByte(rest, '\n'); i >= 0 {
		rest = rest[:i]
	}
	return rest
}

// passOver skips n bytes of the same line, keeping the column.
func (l *lexer) passOver(n int32) {
	l.extra += n - int32(utf8.RuneCountInString(l.text[l.pos:l.pos+n]))
	l.pos += n
}

func (l *lexer) restOfLine() {
	if i := strings.IndexByte(l.text[l.pos:], '\n'); i >= 0 {
		l.pos += int32(i)
	} else {
		l.pos = int32(len(l.text))
	}
}

// slashComment lexes `//`, which is neither a comment nor an operator.
func (l *lexer) slashComment() (kind, bool) {
	l.report(diag.Errorf(diag.BadCharacter, l.span(l.pos, l.pos+2),
		"`//` starts nothing in Fluxion").
		WithHint("comments start with `--`; the quotient of two integers is `div a b`"))
	l.restOfLine()
	return 0, false
}

// starComment skips a comment of C.
func (l *lexer) starComment() (kind, bool) {
	start := l.pos
	l.report(diag.Errorf(diag.BadCharacter, l.span(start, start+2),
		"`/*` starts nothing in Fluxion").
		WithHint("comments are written `{- … -}`, or `-- …` to the end of the line"))
	end := int32(len(l.text))
	if i := strings.Index(l.text[start+2:], "*/"); i >= 0 {
		end = start + 2 + int32(i) + 2
	}
	if i := strings.LastIndexByte(l.text[start:end], '\n'); i >= 0 {
		l.newLine(start + int32(i) + 1)
		l.pos = l.lineAt
	}
	l.passOver(end - l.pos)
	return 0, false
}

// semicolon lexes `;`. At the end of a line it is skipped.
func (l *lexer) semicolon() (kind, bool) {
	start := l.pos
	l.pos++
	if rest := strings.TrimLeft(l.near(200), " \t\r"); rest != "" && !strings.HasPrefix(
		rest, "--") {
		return kSemi, true
	}
	l.report(diag.Errorf(diag.UnexpectedToken, l.span(start, start+1), "lines do not end in `;`").
		WithHint("leave it out"))
	return 0, false
}

// misspelling completes the complaint about an operator of another language.
type misspelling func(d *diag.Diagnostic)

// misspelt reports the n bytes at pos and returns the token kind k that was meant.
func (l *lexer) misspelt(n int32, k kind, explain misspelling) kind {
	start := l.pos
	l.pos += n
	d := diag.Errorf(diag.UnexpectedToken, l.span(start, l.pos), "there is no operator `%s`",
		l.text[start:l.pos])
	explain(d)
	l.report(d)
	return k
}

func useInstead(op string) misspelling {
	return func(d *diag.Diagnostic) { d.WithHint("write `%s`", op).WithFix(d.Span, op) }
}

func assignment(d *diag.Diagnostic) {
	d.Message = "there is no assignment"
	d.WithHint("a name keeps its value; define a new one with `let x = …`, or carry state " +
		"through a `loop`")
}

func concatenation(d *diag.Diagnostic) {
	d.WithHint("`join s t` joins two texts, `array.concat xs ys` two arrays; there is no increment")
}

func bang(d *diag.Diagnostic) {
	d.Message = "`!` starts nothing in Fluxion"
	d.WithHint("write `not b` for the negation of a Boolean, `!=` for different").WithFix(
		d.Span, "not ")
}

func cons(d *diag.Diagnostic) {
	d.WithHint("lists are built and matched by `Cons x xs`; a type follows a single `:`")
}

func composition(d *diag.Diagnostic) {
	d.WithHint("functions are composed by `fun x => g (f x)`, and a value goes through them by " +
		"`x |> f |> g`")
}

func dots(d *diag.Diagnostic) {
	d.WithHint("arrays of numbers are written `iota n` or `[… for i < n]`")
}

func (l *lexer) complainTab() {
	if !l.tabSeen {
		l.tabSeen = true
		l.report(diag.Errorf(diag.Tab, l.span(l.tabAt, l.tabAt+1),
			"this line is indented by a tab").
			WithHint(
				"indentation has a meaning here, and a tab has no fixed width: indent by spaces"))
	}
}

// describeRune names a character so that it can be recognised even if it is invisible.
func describeRune(r rune) string {
	if r == utf8.RuneError {
		return "the replacement character U+FFFD"
	}
	if r == '`' {
		return "a backtick"
	}
	if unicode.IsGraphic(r) && !unicode.IsSpace(r) && !unicode.Is(unicode.Mn, r) {
		if r < utf8.RuneSelf {
			return quote(string(r))
		}
		return fmt.Sprintf("`%c` (U+%04X)", r, r)
	}
	names := map[rune]string{
		0: "a zero byte", 0xA0: "a no-break space", 0x200B: "a zero-width space",
		0xFEFF: "a byte order mark",
		0x3000: "an ideographic space", 0x2028: "a line separator",
	}
	if name, ok := names[r]; ok {
		return fmt.Sprintf("%s (U+%04X)", name, r)
	}
	return fmt.Sprintf("the character U+%04X", r)
}

// quote puts text between the marks that messages use for code.
func quote(text string) string { return "`" + clip(text) + "`" }

// oneLine returns clip of a text with several lines.
func oneLine(text string) string { return clip(strings.Join(strings.Fields(text), " ")) }

// clip shortens text that a message quotes, because a name may be a megabyte long.
func clip(text string) string {
	const most = 40
	if len(text) <= most {
		return text
	}
	end := most
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}
