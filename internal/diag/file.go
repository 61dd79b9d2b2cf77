// Package diag holds source files, spans of them, and diagnostics: what went wrong, where, why,
// and what to do about it. Every other package reports through it. It knows nothing of the
// language itself.
package diag

import (
	"sort"
	"strings"
	"sync"
	"unicode/utf8"
)

// File is a source text with a name to print. It is immutable.
type File struct {
	Name    string
	Text    string
	Library bool // whether it belongs to the standard library

	before place // the lines before Text, and the characters before it in its first line

	once   sync.Once
	counts []counts // what precedes each multiple of blockSize, after index
}

// counts is what a part of a text holds.
type counts struct {
	lines int32 // ends of lines
	runes int32 // bytes that start a character
}

// blockSize is the distance between the cached counts. They make positions cheap to compute, even
// in a text of many megabytes that is one line, or nothing but ends of lines.
const blockSize = 1 << 14

// NewFile returns a file with a text, which must be shorter than 2 GiB. It does not read the text:
// that is done when a position is first asked for.
func NewFile(name, text string) *File { return &File{Name: name, Text: text} }

// index counts the lines and the characters of the text, the first time that it is called.
func (f *File) index() []counts {
	f.once.Do(func() {
		f.counts = make([]counts, 0, len(f.Text)/blockSize+1)
		var c counts
		for at := 0; at <= len(f.Text); at += blockSize {
			f.counts = append(f.counts, c)
			block := f.Text[at:min(at+blockSize, len(f.Text))]
			c.lines += int32(strings.Count(block, "\n"))
			c.runes += runeStarts(block)
		}
	})
	return f.counts
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
	block := offset / blockSize
	return f.index()[block].runes + runeStarts(f.Text[block*blockSize:offset])
}

// Position returns the 1-based line and column, in characters, of a byte offset. A
// byte order mark is not a character.
func (f *File) Position(offset int32) (line, column int) {
	offset = min(max(offset, 0), int32(len(f.Text)))
	line = f.LineOf(offset)
	start := f.LineStart(line)
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
	block := offset / blockSize
	before := f.Text[block*blockSize : offset]
	return int(f.index()[block].lines) + strings.Count(before, "\n") + 1
}

// Lines returns the number of lines, at least 1.
func (f *File) Lines() int { return f.LineOf(int32(len(f.Text))) }

// LineStart returns the byte offset at which a 1-based line starts.
func (f *File) LineStart(line int) int32 {
	counts, before := f.index(), int32(line-1) // the start follows so many ends of lines
	if before == 0 {
		return 0
	}
	block := sort.Search(len(counts), func(i int) bool { return counts[i].lines >= before }) - 1
	at := block * blockSize
	for range before - counts[block].lines {
		at += strings.IndexByte(f.Text[at:], '\n') + 1
	}
	return int32(at)
}

// Line returns the text of a 1-based line without its end.
func (f *File) Line(line int) string {
	text := f.Text[f.LineStart(line):]
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		text = text[:i]
	}
	return strings.TrimSuffix(text, "\r")
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
