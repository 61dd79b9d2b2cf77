// Package diag holds source files, spans of them, and diagnostics: what went wrong, where, why,
// and what to do about it. Every other package reports through it. It knows nothing of the
// language itself.
package diag

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// File is a source text with a name to print. It is immutable.
type File struct {
	Name    string
	Text    string
	Library bool // whether it belongs to the standard library

	// the lines of the file before Text, and the characters before it in its first line
	before place
	lines  []int32 // byte offset at which each line starts
	runes  []int32 // if not all ASCII: how many characters start before each multiple of runeBlock
}

// runeBlock is the distance between the cached counts of characters. They make columns cheap to
// compute, even on a line of many megabytes.
const runeBlock = 1 << 14

// NewFile indexes the lines of text, which must be shorter than 2 GiB.
func NewFile(name, text string) *File {
	f := &File{Name: name, Text: text, lines: make([]int32, 1, 1+strings.Count(text, "\n"))}
	for at := 0; ; {
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			break
		}
		at += i + 1
		f.lines = append(f.lines, int32(at))
	}
	if utf8.RuneCountInString(text) != len(text) {
		count := int32(0)
		for at := 0; at <= len(text); at += runeBlock {
			f.runes = append(f.runes, count)
			count += runeStarts(text[at:min(at+runeBlock, len(text))])
		}
	}
	return f
}

// NewExcerpt returns a file of which only a part is available: text, which begins at a 1-based
// line and column.
func NewExcerpt(name, text string, line, column int) *File {
	f := NewFile(name, text)
	f.before = place{line - 1, column - 1}
	return f
}

// place is a line and a column, or a difference of both.
type place struct{ line, column int }

// runeStarts counts the bytes that start a character.
func runeStarts(s string) (n int32) {
	for i := 0; i < len(s); i++ {
		if utf8.RuneStart(s[i]) {
			n++
		}
	}
	return n
}

// charsBefore counts the characters that start before an offset.
func (f *File) charsBefore(offset int32) int32 {
	if f.runes == nil {
		return offset
	}
	block := offset / runeBlock
	return f.runes[block] + runeStarts(f.Text[block*runeBlock:offset])
}

// Position returns the 1-based line and column, in characters, of a byte offset. A
// byte order mark is not a character.
func (f *File) Position(offset int32) (line, column int) {
	offset = min(max(offset, 0), int32(len(f.Text)))
	line = f.LineOf(offset)
	start := f.lines[line-1]
	if line == 1 && strings.HasPrefix(f.Text, "\uFEFF") {
		start = min(3, offset)
	}
	column = int(f.charsBefore(offset)-f.charsBefore(start)) + 1
	if line == 1 {
		column += f.before.column
	}
	return line + f.before.line, column
}

// LineOf returns the 1-based line of Text at a byte offset.
func (f *File) LineOf(offset int32) int {
	return sort.Search(len(f.lines), func(i int) bool { return f.lines[i] > offset })
}

// Lines returns the number of lines, at least 1.
func (f *File) Lines() int { return len(f.lines) }

// LineStart returns the byte offset at which a 1-based line starts.
func (f *File) LineStart(line int) int32 { return f.lines[line-1] }

// Line returns the text of a 1-based line without its end.
func (f *File) Line(line int) string {
	start, end := f.lines[line-1], int32(len(f.Text))
	if line < len(f.lines) {
		end = f.lines[line] - 1
	}
	if end > start && f.Text[end-1] == '\r' {
		end--
	}
	return f.Text[start:end]
}

// Span is a range of bytes of a file. The zero Span is no place.
type Span struct {
	File       *File
	Start, End int32
}

// Known reports whether the span is a place.
func (s Span) Known() bool { return s.File != nil }

// Text returns the source that the span covers.
func (s Span) Text() string {
	if !s.Known() {
		return ""
	}
	return s.File.Text[s.Start:s.End]
}

// To returns s extended to the end of t, which must be in the same file. If one of the two is
// unknown, To returns the other.
func (s Span) To(t Span) Span {
	if !s.Known() {
		return t
	}
	if !t.Known() {
		return s
	}
	return Span{s.File, min(s.Start, t.Start), max(s.End, t.End)}
}

// String returns "file:line:column" of the span's start.
func (s Span) String() string {
	if !s.Known() {
		return "?"
	}
	line, column := s.File.Position(s.Start)
	return s.File.Name + ":" + itoa(line) + ":" + itoa(column)
}
