package driver

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestHabits runs testdata/habits: programs as users of NumPy, Julia and R write them. Each gets
// one complaint, or two, which says what to write in Fluxion.
func TestHabits(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("../../testdata/habits/*.txtar")
	if err != nil || len(paths) < 50 {
		t.Fatalf("%d cases: %v", len(paths), err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got, diagnostics := runCase(archive)
			complaints := strings.Count(diagnostics, "in.flx:")
			hints := strings.Count(diagnostics, "\n  = ") - strings.Count(diagnostics, "\n  = see `fluxion doc")
			if complaints == 0 || complaints > 2 || hints == 0 {
				t.Errorf("%d complaints with %d hints:\n%s", complaints, hints, diagnostics)
			}
			if *update {
				rewrite(t, path, archive, got, diagnostics)
				return
			}
			if want := section(archive, "diagnostics"); diagnostics != want {
				t.Errorf("diagnostics\n%s\nwant\n%s", diagnostics, want)
			}
		})
	}
}
