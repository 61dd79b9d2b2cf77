package repl

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/peterh/liner"

	"github.com/fluxion-lang/fluxion/internal/syntax"
)

// The prompts.
const (
	prompt       = "> "
	continuation = ". "
)

// lineReader reads the lines that a user types.
type lineReader interface {
	// Line shows a prompt and reads a line. It returns io.EOF at the end, and errAborted when the
	// user gave the line up.
	Line(prompt string) (string, error)
	// Remember adds an input to the history.
	Remember(input string)
}

var errAborted = errors.New("aborted")

// Run answers inputs from a terminal, with history and completion, until the
// user leaves.
func (s *Session) Run(ctx context.Context) error {
	editor, closeEditor := newEditor(s.Out)
	defer closeEditor()
	editor.SetCtrlCAborts(true)
	editor.SetTabCompletionStyle(liner.TabPrints)
	editor.SetWordCompleter(func(line string, pos int) (string, []string, string) {
		// liner counts in runes
		runes := []rune(line)
		return s.Complete(line, len(string(runes[:pos])))
	})
	path := historyPath()
	if file, err := os.Open(path); err == nil {
		editor.ReadHistory(file)
		file.Close()
	}
	defer saveHistory(editor, path)
	s.loop(ctx, terminalReader{editor})
	return nil
}

// RunPlain answers inputs from a stream that is not a terminal: a file or a pipe.
func (s *Session) RunPlain(ctx context.Context, in io.Reader) error {
	scanner := bufio.NewScanner(in)
	scanner.Buffer(nil, maxLine)
	s.loop(ctx, streamReader{scanner})
	if err := scanner.Err(); err != nil {
		return fmt.Errorf("reading the input: %w", err)
	}
	return nil
}

const maxLine = 1 << 20

func (s *Session) loop(ctx context.Context, lines lineReader) {
	for ctx.Err() == nil {
		input, err := readInput(lines, s.prompt())
		if errors.Is(err, errAborted) {
			continue
		}
		if strings.TrimSpace(input) != "" {
			lines.Remember(strings.TrimRight(input, "\n"))
			if s.answer(ctx, input) {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// answer handles an input. With JSON it writes everything the input prints as one line.
func (s *Session) answer(ctx context.Context, input string) (quit bool) {
	if !s.JSON {
		return s.Handle(ctx, input)
	}
	out, err := s.Out, s.Err
	var said, complained strings.Builder
	s.Out, s.Err = &said, &complained
	quit = s.Handle(ctx, input)
	s.Out, s.Err = out, err
	encoder := json.NewEncoder(s.Out)
	encoder.SetEscapeHTML(false)
	encoder.Encode(map[string]string{"input": input, "output": said.String(),
		"errors": complained.String()})
	return quit
}

// readInput reads an input. If one line is not a complete input, the input extends to the next
// empty line. (A match is complete after each of its arms, so an input of several lines cannot
// end as soon as it is complete.)
func readInput(lines lineReader, prompt string) (string, error) {
	input, err := lines.Line(prompt)
	if err != nil || strings.HasPrefix(strings.TrimSpace(input), ":") || !syntax.Incomplete(input) {
		return input, err
	}
	for {
		line, err := lines.Line(continuation)
		if err != nil || strings.TrimSpace(line) == "" {
			return input, err
		}
		input += "\n" + line
	}
}

// terminalReader reads with a line editor.
type terminalReader struct{ editor *liner.State }

func (t terminalReader) Line(prompt string) (string, error) {
	line, err := t.editor.Prompt(prompt)
	line = strings.ReplaceAll(line, newLineMark, "\n")
	switch {
	case errors.Is(err, liner.ErrPromptAborted):
		return "", errAborted
	case errors.Is(err, io.EOF):
		fmt.Println()
	}
	return line, err
}

// Remember keeps an input of several lines as one entry, as if pasted.
func (t terminalReader) Remember(input string) {
	t.editor.AppendHistory(strings.ReplaceAll(input, "\n", newLineMark))
}

// streamReader reads lines without prompts.
type streamReader struct{ scanner *bufio.Scanner }

func (r streamReader) Line(string) (string, error) {
	if !r.scanner.Scan() {
		return "", io.EOF
	}
	return r.scanner.Text(), nil
}

func (streamReader) Remember(string) {}

// historyPath returns the path of the history: $FLUXION_HISTORY, or a file in the user's state
// folder. It returns "" if there is none.
func historyPath() string {
	if path, set := os.LookupEnv("FLUXION_HISTORY"); set {
		return path
	}
	state := os.Getenv("XDG_STATE_HOME")
	if state == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		state = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(state, "fluxion", "history")
}

// saveHistory saves the history for the next session. It reports no error, since the user is
// leaving.
func saveHistory(editor *liner.State, path string) {
	if path == "" || os.MkdirAll(filepath.Dir(path), 0o700) != nil {
		return
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return
	}
	defer file.Close()
	editor.WriteHistory(file)
}
