package core_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/core"
)

func files(t *testing.T, pattern string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("testdata", pattern))
	if err != nil || len(names) == 0 {
		t.Fatalf("no files %s: %v", pattern, err)
	}
	return names
}

// TestTextRoundTrip: the cases are written as the printer writes.
func TestTextRoundTrip(t *testing.T) {
	for _, name := range files(t, "poly/*.core") {
		t.Run(filepath.Base(name), func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			p, d := core.Parse(name, string(text))
			if d != nil {
				t.Fatal(d)
			}
			printed := core.Print(p)
			if printed != string(text) {
				t.Errorf("printed differently:\n%s", printed)
			}
			q, d := core.Parse(name, printed)
			if d != nil {
				t.Fatal(d)
			}
			if !core.Equal(p, q) {
				t.Error("the program read back is another one")
			}
		})
	}
}
