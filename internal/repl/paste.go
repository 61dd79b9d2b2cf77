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
// If asked to (pasteOn), a terminal marks pasted text, so that a program can tell it from typed
// text. The line editor does not know about these marks. It would end an input at each line end
// of a pasted text, but two definitions that are pasted together are one input, as in a file. So
// the editor reads through a filter. The filter turns the line ends in a pasted text into
// newLineMark, which the editor shows like any character. When the input is complete, the marks
// are turned back into line ends. The last line ends are dropped, so that the user can look at
// the text before it is evaluated.

const (
	pasteOn    = "\x1b[?2004h"
	pasteOff   = "\x1b[?2004l"
	pasteStart = "\x1b[200~"
	pasteEnd   = "\x1b[201~"

	newLineMark = "⏎"
)

// newEditor starts a line editor on the terminal. It also returns the function that ends it.
func newEditor(out io.Writer) (editor *liner.State, stop func()) {
	if runtime.GOOS == "windows" { // where the editor reads events, not text
		editor = liner.NewLiner()
		return editor, func() { editor.Close() }
	}
	terminal := os.Stdin
	read, write, err := os.Pipe()
	if err != nil {
		editor = liner.NewLiner()
		return editor, func() { editor.Close() }
	}
	os.Stdin = read // the editor reads text from there; it sets the mode of the terminal itself
	editor = liner.NewLiner()
	os.Stdin = terminal
	go func() { // as long as the process: it waits for the terminal
		defer write.Close() // ends the session
		defer func() {
			if r := recover(); r != nil {
				fmt.Fprintf(out, "a bug in Fluxion, while it read the terminal: %v\n", r)
			}
		}()
		filterPastes(write, terminal)
	}()
	fmt.Fprint(out, pasteOn)
	return editor, func() {
		fmt.Fprint(out, pasteOff)
		editor.Close()
	}
}

// filterPastes copies a stream, and turns each pasted text into one line.
func filterPastes(to io.Writer, from io.Reader) {
	var filter pasteFilter
	buffer := make([]byte, 4096)
	for {
		n, err := from.Read(buffer)
		if _, failed := io.WriteString(to, filter.next(string(buffer[:n]))); failed != nil ||
			err != nil {
			return
		}
	}
}

// pasteFilter turns each pasted text of a stream into one line.
type pasteFilter struct {
	pasting bool
	// text that has arrived but was not passed on: a pasted text, or the start of a mark
	held string
}

// next takes more text and returns what can be passed on.
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

// oneLine replaces the line ends in a pasted text by marks, and drops the last ones. It replaces
// tabs, because a tab would ask the editor to complete a name.
func oneLine(pasted string) string {
	lines := strings.NewReplacer("\r\n", "\n", "\r", "\n", "\t", "  ").Replace(pasted)
	return strings.ReplaceAll(strings.TrimRight(lines, "\n"), "\n", newLineMark)
}

// startOfMark returns the offset at which a text ends in an initial part of pasteStart, or the
// length of the text. A lone escape character is a key.
func startOfMark(text string) int {
	for n := len(pasteStart) - 1; n >= 2; n-- {
		if strings.HasSuffix(text, pasteStart[:n]) {
			return len(text) - n
		}
	}
	return len(text)
}
