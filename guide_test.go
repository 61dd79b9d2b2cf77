package fluxion_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGuide: every block of Go in the guide is part of a file that tests run.
func TestGuide(t *testing.T) {
	guide, err := os.ReadFile("docs/go.md")
	if err != nil {
		t.Fatal(err)
	}
	var sources []string
	for _, pattern := range []string{"example_test.go", "gonumflux/*_test.go", "examples/*/*.go"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			sources = append(sources, unindented(string(text)))
		}
	}
	blocks := strings.Split(string(guide), "```go\n")[1:]
	if len(blocks) < 10 {
		t.Errorf("only %d blocks", len(blocks))
	}
	for _, block := range blocks {
		block, _, _ = strings.Cut(block, "```")
		found := false
		for _, source := range sources {
			found = found || strings.Contains(source, unindented(block))
		}
		if !found {
			t.Errorf("no example has this block:\n%s", block)
		}
	}
}

// unindented returns a text without the blanks at the starts of its lines.
func unindented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimLeft(line, " \t"))
	}
	return b.String()
}
