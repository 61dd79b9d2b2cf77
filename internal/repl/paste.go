package repl

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/peterh/liner"
)

// Note [Pasting]
//
// A terminal that is asked to (pasteOn) marks text that is pasted, so that a program can tell it
// from what is typed. The line editor knows nothing of that and would end an input at each line
// end of the text; but two definitions that are pasted together are one input, as in a file. So
// the editor reads through a filter: the line ends in a pasted text become newLineMark, which the
// editor shows like any character, and which turns back into a line end when the input is
// complete. The last ones are dropped, so that the user looks at the text before it is evaluated.

const (
	pasteOn    = "\x1b[?2004h"
	pasteOff   = "\x1b[?2004l"
	pasteStart = "\x1b[200~"
	pasteEnd   = "\x1b[201~"

	newLineMark = "⏎"
)

// newEditor starts a line editor on the terminal, and gives what ends it.
func newEditor(out io.Writer) (editor *liner.State, stop func()) {
	if runtime.GOOS == "windows" { // whose editor reads events, not text
		editor = liner.NewLiner()
		return editor, func() { editor.Close() }
	}
	terminal := os.Stdin
	read, write, err := os.Pipe()
	if err != nil {
		editor = liner.NewLiner()
		return editor, func() { editor.Close() }
	}
	os.Stdin = read // which is where the editor looks for text; it sets the mode of the terminal itself
	editor = liner.NewLiner()
	os.Stdin = terminal
	go func() {
		filterPastes(write, terminal)
		write.Close()
	}()
	fmt.Fprint(out, pasteOn)
	return editor, func() {
		fmt.Fprint(out, pasteOff)
		editor.Close()
	}
}

// filterPastes copies a stream with pasted texts made one line each.
func filterPastes(to io.Writer, from io.Reader) {
	var filter pasteFilter
	buffer := make([]byte, 4096)
	for {
		n, err := from.Read(buffer)
		if _, failed := io.WriteString(to, filter.next(string(buffer[:n]))); failed != nil || err != nil {
			return
		}
	}
}

// pasteFilter makes each pasted text of a stream one line.
type pasteFilter struct {
	pasting bool
	held    string // what has come and was not passed on: a pasted text, or the start of a mark
}

// next returns what can be passed on after more text has come.
func (f *pasteFilter) next(more string) (done string) {
	text := f.held + more
	for {
		if f.pasting {
			pasted, after, complete := strings.Cut(text, pasteEnd)
			if !complete {
				f.held = text
				return done
			}
			done += oneLine(pasted)
			f.pasting, text = false, after
			continue
		}
		typed, after, found := strings.Cut(text, pasteStart)
		if !found {
			rest := startOfMark(text)
			f.held = text[rest:]
			return done + text[:rest]
		}
		done += typed
		f.pasting, text = true, after
	}
}

// oneLine marks the line ends in a pasted text, but for the last ones. A tab would ask the editor
// to complete a name.
func oneLine(pasted string) string {
	lines := strings.NewReplacer("\r\n", "\n", "\r", "\n", "\t", "  ").Replace(pasted)
	return strings.ReplaceAll(strings.TrimRight(lines, "\n"), "\n", newLineMark)
}

// startOfMark returns where the start of pasteStart begins at the end of a text, or its length. An
// escape character alone is a key.
func startOfMark(text string) int {
	for n := len(pasteStart) - 1; n >= 2; n-- {
		if strings.HasSuffix(text, pasteStart[:n]) {
			return len(text) - n
		}
	}
	return len(text)
}
