package data

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/notation"
)

// jsonReader reads JSON tokens. For messages it keeps the path to the current value.
type jsonReader struct {
	*source
	path  []step
	depth int
	clean []byte // the text of a string
}

// step is a field, or an index if the name is empty.
type step struct {
	name  string
	index int
}

// where describes the place of the current value, for a message.
func (j *jsonReader) where() string {
	if len(j.path) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(", in ")
	for k, s := range j.path {
		switch {
		case k > 20:
			return b.String() + "…"
		case s.name == "":
			fmt.Fprintf(&b, "[%d]", s.index)
		case k == 0:
			b.WriteString(notation.Field(s.name))
		default:
			b.WriteString("." + notation.Field(s.name))
		}
	}
	return b.String()
}

// complain reports an error in the token.
func (j *jsonReader) complain(p *complaint) *diag.Diagnostic {
	d := j.errorf(p.code, "`%s` %s%s", shorten(j.buf[j.tok:j.pos]), p.message, j.where())
	if p.hint != "" {
		d.WithHint("%s", p.hint)
	}
	return d
}

// unexpected reports that the next token is not what is wanted.
func (j *jsonReader) unexpected(want string) *diag.Diagnostic {
	c, d := j.peekToken()
	if d != nil {
		return d
	}
	there, hint := "", ""
	switch {
	case c == 0:
		return j.errorf(diag.BadData, "the file ends where %s is expected%s", want, j.where())
	case c == '"':
		if _, d := j.text(""); d != nil {
			return d
		}
		return j.textInstead(want)
	case c == '{':
		j.pos++
		there = "an object"
	case c == '[':
		j.pos++
		there = "an array"
	case c == '-' || '0' <= c && c <= '9':
		if _, d := j.number(""); d != nil {
			return d
		}
		there = "a number"
	default:
		word := j.letters()
		switch word {
		case "null":
			hint = "write Option if values may be missing"
			there = "null"
		case "true", "false":
			there = "a truth value"
		default:
			if word == "" {
				_, size := utf8.DecodeRune(j.buf[j.pos:j.end])
				j.pos += size
			}
			return j.errorf(diag.BadData, "%s is expected here%s", want, j.where())
		}
	}
	d = j.errorf(diag.WrongData, "%s is expected, but there is %s%s", want, there, j.where())
	if hint != "" {
		d.WithHint("%s", hint)
	}
	return d
}

// textInstead reports that a text was read where something else is wanted.
func (j *jsonReader) textInstead(want string) *diag.Diagnostic {
	d := j.errorf(diag.WrongData, "%s is expected, but there is a text%s", want, j.where())
	switch _, v := parseNumber(j.clean); {
	case v == notFinite && strings.HasSuffix(want, "Real"):
		d.WithHint(`numbers that are not finite are "nan", "inf" and "-inf"`)
	case v == isNumber:
		d.WithHint("numbers are written without quotes")
	}
	return d
}

// peekToken skips to the next token and returns its first byte, or 0 at the end.
func (j *jsonReader) peekToken() (byte, *diag.Diagnostic) {
	for {
		for j.pos < j.end {
			switch c := j.buf[j.pos]; c {
			case ' ', '\t', '\r':
				j.pos++
			case '\n':
				j.pos++
				j.newLine()
			case 0:
				j.begin()
				j.pos++
				return 0, j.errorf(diag.BadData, "a byte that is not text")
			default:
				j.begin()
				return c, nil
			}
		}
		j.begin()
		if !j.more() {
			return 0, j.failed()
		}
	}
}

// startsWith reports whether the input continues with a text, up to spaces.
func (j *jsonReader) startsWith(text string) bool {
	return strings.HasPrefix(strings.Join(strings.Fields(string(j.peek(200))), ""), text)
}

// open reads an opening bracket. want describes what is expected, for a message.
func (j *jsonReader) open(bracket byte, want string) *diag.Diagnostic {
	c, d := j.peekToken()
	if d != nil {
		return d
	}
	if c != bracket {
		return j.unexpected(want)
	}
	j.pos++
	if j.depth++; j.depth > maxDepth {
		return j.errorf(diag.DataLimit, "values are nested more than %d deep", maxDepth)
	}
	return nil
}

// enter reads {.
func (j *jsonReader) enter() *diag.Diagnostic { return j.open('{', "an object") }

// next moves to the next element of an array or object, and reports whether there is one. If
// there is none, it has read the closing bracket.
func (j *jsonReader) next(first bool, closing byte) (bool, *diag.Diagnostic) {
	c, d := j.peekToken()
	switch {
	case d != nil:
		return false, d
	case c == closing:
		j.pos++
		j.depth--
		return false, nil
	case first && c != 0:
		return true, nil
	case c == ',':
		j.pos++
		c, d := j.peekToken()
		if d == nil && c == closing {
			j.pos++
			d = j.errorf(diag.BadData, "a comma needs another value after it")
		}
		return true, d
	}
	return false, j.unexpected(fmt.Sprintf("`,` or `%c`", closing))
}

// field moves to the next field of an object.
func (j *jsonReader) field(first bool) (name string, more bool, d *diag.Diagnostic) {
	if more, d = j.next(first, '}'); d != nil || !more {
		return "", false, d
	}
	text, d := j.text("the name of a field, in quotes")
	if d != nil {
		return "", false, d
	}
	name = string(text)
	c, d := j.peekToken()
	if d != nil {
		return "", false, d
	}
	if c != ':' {
		return "", false, j.unexpected("`:`")
	}
	j.pos++
	return name, true, nil
}

// number reads a number as text.
func (j *jsonReader) number(want string) ([]byte, *diag.Diagnostic) {
	c, d := j.peekToken()
	if d != nil {
		return nil, d
	}
	if c != '-' && (c < '0' || c > '9') {
		return nil, j.unexpected(want)
	}
	for {
		for j.pos < j.end {
			switch c := j.buf[j.pos]; {
			case '0' <= c && c <= '9', c == '-', c == '+', c == '.', c == 'e', c == 'E':
				j.pos++
				continue
			}
			return j.buf[j.tok:j.pos], nil
		}
		if j.pos-j.tok > maxToken {
			return nil, j.errorf(diag.DataLimit, "a number of more than %d bytes", maxToken)
		}
		if !j.more() {
			return j.buf[j.tok:j.pos], j.failed()
		}
	}
}

// letters reads lower-case letters.
func (j *jsonReader) letters() string {
	for j.pos-j.tok < 10 && (j.pos < j.end || j.more()) && 'a' <= j.buf[j.pos] &&
		j.buf[j.pos] <= 'z' {
		j.pos++
	}
	return string(j.buf[j.tok:j.pos])
}

// word reads null, true or false.
func (j *jsonReader) word(want string) (string, *diag.Diagnostic) {
	if _, d := j.peekToken(); d != nil {
		return "", d
	}
	word := j.letters()
	if word != "null" && word != "true" && word != "false" {
		j.pos = j.tok
		return "", j.unexpected(want)
	}
	return word, nil
}

// text reads a string. The result is valid until the next call.
func (j *jsonReader) text(want string) ([]byte, *diag.Diagnostic) {
	c, d := j.peekToken()
	if d != nil {
		return nil, d
	}
	if c != '"' {
		return nil, j.unexpected(want)
	}
	j.pos++
	j.clean = j.clean[:0]
	for {
		if j.pos == j.end && !j.more() {
			if d := j.failed(); d != nil {
				return nil, d
			}
			return nil, j.errorf(diag.BadData, "this text is never closed")
		}
		c := j.buf[j.pos]
		j.pos++
		switch {
		case c == '"':
			return j.clean, nil
		case c == '\\':
			if d := j.escape(); d != nil {
				return nil, d
			}
		case c < ' ':
			j.pos--
			j.begin()
			j.pos++
			return nil, j.errorf(
				diag.BadData,
				"a text ends in its line, and control characters in it are escaped",
			)
		default:
			j.clean = append(j.clean, c)
		}
		if len(j.clean) > maxToken {
			return nil, j.errorf(diag.DataLimit, "a text of more than %d bytes", maxToken)
		}
	}
}

// escapes maps the character after a backslash to its meaning.
var escapes = map[byte]byte{
	'"':  '"',
	'\\': '\\',
	'/':  '/',
	'b':  '\b',
	'f':  '\f',
	'n':  '\n',
	'r':  '\r',
	't':  '\t',
}

// escape reads the characters after a backslash.
func (j *jsonReader) escape() *diag.Diagnostic {
	head := j.peek(5)
	if len(head) > 0 {
		if c, ok := escapes[head[0]]; ok {
			j.pos++
			j.clean = append(j.clean, c)
			return nil
		}
	}
	r, ok := hexRune(head)
	if !ok {
		return j.errorf(diag.BadData, "a text has an escape that JSON does not know")
	}
	j.pos += 5
	if utf16.IsSurrogate(r) {
		second := rune(utf8.RuneError)
		if tail := j.peek(6); len(tail) == 6 && tail[0] == '\\' {
			if low, ok := hexRune(tail[1:]); ok {
				second = low
			}
		}
		if r = utf16.DecodeRune(r, second); r != utf8.RuneError {
			j.pos += 6
		}
	}
	j.clean = utf8.AppendRune(j.clean, r)
	return nil
}

// hexRune parses u1234.
func hexRune(text []byte) (rune, bool) {
	if len(text) < 5 || text[0] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(text[1:5]), 16, 16)
	return rune(n), err == nil
}

// skip skips a value.
func (j *jsonReader) skip() *diag.Diagnostic {
	bottom := j.depth
	var closing []byte // the closing brackets of what is open
	first := true
	for {
		if len(closing) > 0 {
			top := closing[len(closing)-1]
			var more bool
			var d *diag.Diagnostic
			if top == '}' {
				_, more, d = j.field(first)
			} else {
				more, d = j.next(first, top)
			}
			if d != nil {
				return d
			}
			if !more {
				closing, first = closing[:len(closing)-1], false
				if j.depth == bottom {
					return nil
				}
				continue
			}
		}
		c, d := j.peekToken()
		if d != nil {
			return d
		}
		first = false
		switch {
		case c == '{' || c == '[':
			if d := j.open(c, ""); d != nil {
				return d
			}
			closing, first = append(closing, c+2), true // in ASCII, ] and } come two after [ and {
			continue
		case c == '"':
			_, d = j.text("")
		case c == 'n' || c == 't' || c == 'f':
			_, d = j.word("a value")
		default:
			_, d = j.number("a value")
		}
		if d != nil || len(closing) == 0 {
			return d
		}
	}
}
