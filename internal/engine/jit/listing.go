package jit

import (
	"fmt"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// listing collects instructions as text, below the statements that they come from.
type listing struct {
	stmts []loop.Stmt // of the function being emitted
	lines []line
	text  []byte // the machine code
}

// line is an instruction at an offset of the code, or else a statement or label.
type line struct {
	at   int
	code bool
	text string
}

func (ls *listing) stmt(as *assembler, i int) {
	f := &loop.Func{Body: &loop.Block{Stmts: ls.stmts[i : i+1]}}
	_, text, _ := strings.Cut(f.String(), "\n")
	text, _, _ = strings.Cut(text, "\n")
	ls.note(as, "; "+strings.TrimSpace(strings.ReplaceAll(text, "?", "")))
}

// note adds a line that is not an instruction.
func (ls *listing) note(as *assembler, text string) {
	ls.lines = append(ls.lines, line{at: len(as.buf), text: text})
}

// add adds an instruction.
func (ls *listing) add(as *assembler, text string) {
	ls.lines = append(ls.lines, line{len(as.buf), true, text})
}

// Listing is the machine code as text, beside the statements of the loop form, if it was asked for.
func (c *Code) Listing() string {
	if c.listing == nil {
		return ""
	}
	var b strings.Builder
	for i, l := range c.listing.lines {
		switch {
		case !l.code && l.text != "":
			fmt.Fprintln(&b, l.text)
		case l.code:
			end := l.at
			if i+1 < len(c.listing.lines) {
				end = c.listing.lines[i+1].at
			}
			fmt.Fprintf(&b, "%6x  %-22x  %s\n", l.at, c.listing.text[l.at:end], l.text)
		}
	}
	return b.String()
}
