package diag

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
)

// This file decides how source text looks on a terminal: the width of characters, and the
// replacements for those that must not be sent to a terminal.

const tabStop = 4

// cells measures the width of characters independently of the locale, so that the caret does not
// move with the environment.
var cells = &runewidth.Condition{StrictEmojiNeutral: true}

// show returns the text for a character at a column, and its width. Control characters, and those
// that change the direction of text, are spelled out, because a file must not be able to move the
// cursor or to hide its content.
func show(r rune, size, column int) (text string, width int) {
	switch {
	case r == '\t':
		n := tabStop - column%tabStop
		return strings.Repeat(" ", n), n
	case r == utf8.RuneError && size == 1:
		return "\uFFFD", 1
	case r >= ' ' && r < 0x7F:
		return "", 1
	case unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029':
		s := fmt.Sprintf("\\u{%x}", r)
		return s, len(s)
	case unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Me, r):
		return "", 0
	}
	return "", cells.RuneWidth(r)
}

// clean returns a text as one line that is safe for a terminal.
func clean(s string) string { return strings.ReplaceAll(cleanLines(s), "\n", " ") }

// maxText bounds how much of a message is printed. A name can have a million letters.
const maxText = 5000

// cleanLines returns a text that is safe for a terminal, with its line ends.
func cleanLines(s string) string {
	if len(s) > maxText {
		cut := maxText
		for cut > 0 && !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut] + "…"
	}
	safe := true
	for i := 0; i < len(s) && safe; i++ {
		safe = s[i] >= ' ' && s[i] < 0x7F || s[i] == '\n'
	}
	if safe {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if text, _ := show(r, size, 0); r != '\n' && text != "" {
			b.WriteString(text)
		} else {
			b.WriteString(s[i : i+size])
		}
		i += size
	}
	return b.String()
}

// window returns the part of a line around the bytes from..to that fits into width columns, with
// cut ends marked by …. It also returns the columns before the marked part and the columns of the
// marked part. It looks only at the text near the mark, because a line may have fifty million
// characters.
func window(line string, from, to, width int) (shown string, before, marked int) {
	var b strings.Builder
	lo := 0
	if from > width/2 { // start further right if the rest would not fit
		lo = backUp(line, from, width/3)
		if lo > 0 && from <= 8*width && fits(line, width) {
			lo = 0
		}
	}
	column := 0
	if lo > 0 {
		b.WriteString("…")
		column = 1
	}
	before, after := -1, -1
	i := lo
	for i < len(line) {
		if i >= from && before < 0 {
			before = column
		}
		if i >= to && after < 0 {
			after = column
		}
		r, size := utf8.DecodeRuneInString(line[i:])
		text, w := show(r, size, column)
		if column+w > width && i+size < len(line) || column+w > width+1 {
			b.WriteString("…")
			column++
			break
		}
		if text == "" {
			text = line[i : i+size]
		}
		b.WriteString(text)
		column += w
		i += size
	}
	if before < 0 {
		before = column
	}
	if after < 0 {
		after = column
	}
	return strings.TrimRight(b.String(), " "), before, after - before
}

// backUp returns the offset n characters before an offset.
func backUp(line string, at, n int) int {
	for ; at > 0 && n > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(line[:at])
		at -= size
	}
	return at
}

// fits reports whether a line needs at most width columns.
func fits(line string, width int) bool {
	column := 0
	for _, r := range line {
		_, w := show(r, utf8.RuneLen(r), column)
		if column += w; column > width {
			return false
		}
	}
	return true
}

// Shorten shortens a text for quoting it in a message.
func Shorten(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:57]) + "…"
	}
	return s
}
