package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// block: every code block of the documents is run:
//
//	```flx         a module. Where its last line ends in a comment `-- VALUE`,
//	               its expression must have that value.
//	```flx E0301   a module that gives that code, and nothing worse. `\xNN` in a
//	               block marked `bytes` stands for a byte, and the text of one
//	               marked `repeat=N` is repeated.
//	```console     commands after `$ `, run in the project's folder, and what
//	               each prints. A line of `…` stands for any lines.
//	```go ```text  not run: Go is compiled where it is quoted from, text is text.
type block struct {
	file string
	line int
	info []string
	text string
}

func (b block) String() string { return fmt.Sprintf("%s:%d", b.file, b.line) }

// blocks finds the fenced blocks of a Markdown text.
func blocks(file, text string) []block {
	var found []block
	var current *block
	for i, line := range strings.Split(text, "\n") {
		fence := strings.HasPrefix(line, "```")
		switch {
		case fence && current == nil:
			current = &block{file: file, line: i + 1, info: strings.Fields(strings.TrimPrefix(line, "```"))}
		case fence:
			found = append(found, *current)
			current = nil
		case current != nil:
			current.text += line + "\n"
		}
	}
	return found
}

func TestDocuments(t *testing.T) {
	t.Chdir("../..")
	var files []string
	for _, pattern := range []string{"*.md", "docs/*.md"} {
		matches, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, matches...)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range blocks(file, string(text)) {
			t.Run(b.String(), func(t *testing.T) { b.run(t) })
		}
	}
}

func (b block) run(t *testing.T) {
	if len(b.info) == 0 {
		t.Fatal("the block does not say what it is: flx, console, go or text")
	}
	switch b.info[0] {
	case "flx":
		b.runModule(t)
	case "console":
		b.runConsole(t)
	case "go", "text", "sh", "json":
	default:
		t.Errorf("there is no kind of block `%s`", b.info[0])
	}
}

func (b block) runModule(t *testing.T) {
	text, wanted := b.text, ""
	for _, word := range b.info[1:] {
		if n, ok := strings.CutPrefix(word, "repeat="); ok {
			times, err := strconv.Atoi(n)
			if err != nil {
				t.Fatal(err)
			}
			text = strings.Repeat(strings.TrimSuffix(text, "\n"), times)
		} else if word == "bytes" {
			unquoted, err := strconv.Unquote(`"` + strings.NewReplacer("\n", `\n`, `"`, `\"`).Replace(text) + `"`)
			if err != nil {
				t.Fatal(err)
			}
			text = unquoted
		} else {
			wanted = word
		}
	}
	var list diag.List
	w := driver.NewWorld(func(path string) (string, error) {
		if path == b.String() {
			return text, nil
		}
		data, err := os.ReadFile(path) // whose path is relative to the document
		return string(data), err
	})
	unit := w.LoadFile(b.origin(t), &list)
	var printed string
	if unit.Core != nil && unit.AST.Final != nil {
		var flags budgetFlags
		flags.register((&call{command: versionCommand()}).flagSet())
		result, d := driver.Run(context.Background(), unit, flags.settings())
		list.Add(d)
		if d == nil {
			printed = value.Show(result.Value)
		}
	}
	if wanted == "" && list.Failed() || wanted != "" && !gives(&list, diag.Code(wanted)) {
		var rendered bytes.Buffer
		diag.RenderAll(&rendered, &list, diag.Options{})
		t.Fatalf("expected %q, got:\n%s", wanted, rendered.String())
	}
	if expected := trailingComment(text); wanted == "" && expected != "" && printed != expected {
		t.Errorf("the value is %s, the document says %s", printed, expected)
	}
}

// origin returns the name of a module for its relative paths: the example that a block quotes, if
// its first line is `-- examples/NAME.flx`. Then all lines are in that file, in this order.
func (b block) origin(t *testing.T) string {
	lines := strings.Split(strings.TrimSpace(b.text), "\n")
	file, ok := strings.CutPrefix(lines[0], "-- ")
	if !ok || !strings.HasPrefix(file, "examples/") || !strings.HasSuffix(file, ".flx") {
		return b.String()
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	rest := strings.Split(string(text), "\n")
	for _, line := range lines[1:] {
		at := slices.Index(rest, line)
		if at < 0 {
			t.Errorf("%s does not have the line %q there", file, line)
			break
		}
		rest = rest[at+1:]
	}
	return file
}

// gives reports whether the code is among the diagnostics, and all errors have it.
func gives(list *diag.List, code diag.Code) bool {
	found := false
	for _, d := range list.Sorted() {
		if d.Code == code {
			found = true
		} else if d.Severity == diag.Error {
			return false
		}
	}
	return found
}

// trailingComment returns the value that the last line promises, or "".
func trailingComment(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	_, comment, found := strings.Cut(lines[len(lines)-1], " -- ")
	if !found {
		return ""
	}
	return strings.TrimSpace(comment)
}

func (b block) runConsole(t *testing.T) {
	parts := strings.Split("\n"+b.text, "\n$ ")
	for _, part := range parts[1:] {
		command, expected, _ := strings.Cut(part, "\n")
		words, err := shellWords(command)
		if err != nil {
			t.Fatal(err)
		}
		if words[0] == "go" { // go run ./cmd/fluxion …; go test ./... is this test
			if len(words) < 4 || words[1] != "run" {
				continue
			}
			words = words[2:]
		}
		var out bytes.Buffer
		dispatch(context.Background(), words[1:], terminal{in: strings.NewReader(""), out: &out, err: &out})
		if got, want := strings.TrimSpace(out.String()), strings.TrimSpace(expected); !matches(got, want) {
			t.Errorf("$ %s\nprints\n%s\nthe document says\n%s", command, got, want)
		}
	}
}

// matches compares line by line; … in want stands for any lines.
func matches(got, want string) bool {
	pieces := strings.Split(want, "…")
	if len(pieces) == 1 {
		return got == want
	}
	for i, piece := range pieces {
		piece = strings.TrimSpace(piece)
		at := strings.Index(got, piece)
		if at < 0 || i == 0 && at > 0 {
			return false
		}
		got = got[at+len(piece):]
	}
	return true
}

// shellWords splits a command as a shell does, for the quoting that documents
// use.
func shellWords(command string) ([]string, error) {
	var words []string
	var word strings.Builder
	inWord := false
	quote := rune(0)
	for _, r := range command {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, inWord = r, true
		case quote == 0 && r == ' ':
			if inWord {
				words = append(words, word.String())
				word.Reset()
				inWord = false
			}
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("unclosed quote in %s", command)
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}
