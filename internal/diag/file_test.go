package diag

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestPositions: the lines and columns of texts of many blocks are those that counting gives.
func TestPositions(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"\n", "\n\n\n", "let", " ", "é", "∇", "\r\n", strings.Repeat("x", 3000)}
	texts := []string{"", "\n", "x", "x\n", strings.Repeat("\n", 3*blockSize), strings.Repeat("é", blockSize)}
	for range 20 {
		var b strings.Builder
		for n := rng.IntN(4 * blockSize); b.Len() < n; {
			b.WriteString(pieces[rng.IntN(len(pieces))])
		}
		texts = append(texts, b.String())
	}
	for _, text := range texts {
		f := NewFile("t", text)
		lines := strings.Split(text, "\n")
		if f.Lines() != len(lines) {
			t.Fatalf("%d lines, want %d", f.Lines(), len(lines))
		}
		for range 50 {
			at := rng.IntN(len(text) + 1)
			for at < len(text) && !utf8.RuneStart(text[at]) {
				at++
			}
			before := text[:at]
			start := strings.LastIndexByte(before, '\n') + 1
			line, column := f.Position(int32(at))
			if want := strings.Count(before, "\n") + 1; line != want || f.LineOf(int32(at)) != want {
				t.Fatalf("offset %d of %d: line %d, want %d", at, len(text), line, want)
			}
			if want := utf8.RuneCountInString(before[start:]) + 1; column != want {
				t.Fatalf("offset %d of %d: column %d, want %d", at, len(text), column, want)
			}
			if f.LineStart(line) != int32(start) {
				t.Fatalf("line %d starts at %d, want %d", line, f.LineStart(line), start)
			}
			if want := strings.TrimSuffix(lines[line-1], "\r"); f.Line(line) != want {
				t.Fatalf("line %d is %q, want %q", line, f.Line(line), want)
			}
		}
	}
}
