package service

import (
	"strings"
	"unicode/utf8"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

// Position is a place as editors count: a line from 0, and a column in UTF-16 code units from 0.
type Position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// Range is the text between two positions.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Offset returns the byte offset of a position. A column beyond the end of its line means the end
// of the line. A column inside a character of two units means the start of the character. A line
// beyond the text means the end of the text.
func Offset(text string, p Position) int {
	at := 0
	for range p.Line {
		next := strings.IndexByte(text[at:], '\n')
		if next < 0 {
			return len(text)
		}
		at += next + 1
	}
	for units := 0; at < len(text) && text[at] != '\n' && text[at] != '\r'; {
		r, size := utf8.DecodeRuneInString(text[at:])
		units += width(r)
		if units > p.Character {
			break
		}
		at += size
	}
	return at
}

// width returns the number of UTF-16 units of a character.
func width(r rune) int {
	if r > 0xffff {
		return 2
	}
	return 1
}

// PositionOf returns the position of a byte offset in a file.
func PositionOf(f *diag.File, offset int32) Position {
	line := f.LineOf(offset)
	start := f.LineStart(line)
	units := 0
	for _, r := range f.Text[start:max(start, min(offset, int32(len(f.Text))))] {
		units += width(r)
	}
	return Position{Line: line - 1, Character: units}
}

// RangeOf returns the range of a span.
func RangeOf(s diag.Span) Range {
	if !s.Known() {
		return Range{}
	}
	return Range{PositionOf(s.File, s.Start), PositionOf(s.File, s.End)}
}
