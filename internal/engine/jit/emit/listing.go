package emit

import (
	"fmt"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Listing collects instructions as text, below the statements that they come from.
type Listing struct {
	Stmts []loop.Stmt // of the function being emitted
	Lines []line
	Text  []byte // the machine code
}

// line is an instruction at an offset of the code, or else a statement or label.
type line struct {
	At   int
	Code bool
	Text string
}

// Stmt adds a statement as a line of its own.
func (ls *Listing) Stmt(as *Assembler, i int) {
	f := &loop.Func{Body: &loop.Block{Stmts: ls.Stmts[i : i+1]}}
	_, text, _ := strings.Cut(f.String(), "\n")
	text, _, _ = strings.Cut(text, "\n")
	ls.Note(as, "; "+strings.TrimSpace(strings.ReplaceAll(text, "?", "")))
}

// Note adds a line that is not an instruction.
func (ls *Listing) Note(as *Assembler, text string) {
	ls.Lines = append(ls.Lines, line{At: len(as.Buf), Text: text})
}

// Add adds an instruction.
func (ls *Listing) Add(as *Assembler, text string) {
	ls.Lines = append(ls.Lines, line{At: len(as.Buf), Code: true, Text: text})
}

// String is the code as text, beside the statements of the loop form.
func (ls *Listing) String() string {
	var b strings.Builder
	for i, l := range ls.Lines {
		switch {
		case !l.Code && l.Text != "":
			fmt.Fprintln(&b, l.Text)
		case l.Code:
			end := l.At
			if i+1 < len(ls.Lines) {
				end = ls.Lines[i+1].At
			}
			fmt.Fprintf(&b, "%6x  %-22x  %s\n", l.At, ls.Text[l.At:end], l.Text)
		}
	}
	return b.String()
}
