// Package diag holds source files, spans of them, and diagnostics: what went
// wrong, where, why, and what to do about it. Every other package reports
// through it; it knows nothing of the language itself.
package diag

import (
	"sort"
	"unicode/utf8"
)

// File is a source text with a name to print. It is immutable.
type File struct {
	Name  string
	Text  string
	lines []int32 // byte offset at which each line starts
}

// NewFile indexes the lines of text, which must be shorter than 2 GiB.
func NewFile(name, text string) *File {
	f := &File{Name: name, Text: text, lines: []int32{0}}
	for i := 0; i < len(text); i++ {
		if text[i] == '\n' {
			f.lines = append(f.lines, int32(i+1))
		}
	}
	return f
}

// Position gives the 1-based line and column, in characters, of a byte offset.
func (f *File) Position(offset int32) (line, column int) {
	offset = min(max(offset, 0), int32(len(f.Text)))
	line = sort.Search(len(f.lines), func(i int) bool { return f.lines[i] > offset })
	start := f.lines[line-1]
	return line, utf8.RuneCountInString(f.Text[start:offset]) + 1
}

// Lines is the number of lines, at least 1.
func (f *File) Lines() int { return len(f.lines) }

// LineStart is the byte offset at which a 1-based line starts.
func (f *File) LineStart(line int) int32 { return f.lines[line-1] }

// Line is the text of a 1-based line without its end.
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

// Span is a range of bytes of a file. The zero Span is "no place".
type Span struct {
	File       *File
	Start, End int32
}

// Known tells whether the span is a place at all.
func (s Span) Known() bool { return s.File != nil }

// Text is the source that the span covers.
func (s Span) Text() string {
	if !s.Known() {
		return ""
	}
	return s.File.Text[s.Start:s.End]
}

// To extends s to the end of t, which must be in the same file; an unknown
// side is ignored.
func (s Span) To(t Span) Span {
	if !s.Known() {
		return t
	}
	if !t.Known() {
		return s
	}
	return Span{s.File, min(s.Start, t.Start), max(s.End, t.End)}
}

// String is "file:line:column" of the span's start.
func (s Span) String() string {
	if !s.Known() {
		return "?"
	}
	line, column := s.File.Position(s.Start)
	return s.File.Name + ":" + itoa(line) + ":" + itoa(column)
}
