package driver

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// TestLibraryIsClean keeps the library free of errors and lints.
func TestLibraryIsClean(t *testing.T) {
	w := NewWorld(nil)
	var list diag.List
	for _, name := range LibraryNames() {
		w.Library(name, &list)
	}
	if found := list.Sorted(); len(found) > 0 {
		var b bytes.Buffer
		diag.RenderAll(&b, &list, diag.Options{})
		t.Error(b.String())
	}
}

// TestDocumentation holds every public name to a documentation with an
// example, and every example to its value: a line `> EXPR -- VALUE`.
func TestDocumentation(t *testing.T) {
	t.Parallel()
	w := NewWorld(nil)
	for _, entry := range w.AllEntries() {
		t.Run(entry.Name, func(t *testing.T) {
			if entry.Doc == "" {
				t.Fatal("has no documentation")
			}
			examples := 0
			for line := range strings.Lines(entry.Doc) {
				example, ok := strings.CutPrefix(strings.TrimSpace(line), "> ")
				if !ok {
					continue
				}
				examples++
				expr, want, ok := strings.Cut(example, " -- ")
				if !ok {
					t.Fatalf("%s has no value", example)
				}
				if got := evaluate(t, w, expr); got != strings.TrimSpace(want) {
					t.Errorf("%s is %s, the documentation says %s", expr, got, want)
				}
			}
			isType := strings.HasPrefix(entry.Type, "type ") || strings.HasPrefix(entry.Type, "data ")
			if examples == 0 && !isType {
				t.Error("has no example")
			}
			if strings.HasPrefix(entry.Name, "array.") && !strings.Contains(entry.Doc, "Cost: ") {
				t.Error("does not say what it costs")
			}
		})
	}
}

// evaluate gives the value of an expression that may use any module of the
// library, or the first line of what is wrong with it.
func evaluate(t *testing.T, w *World, expr string) string {
	t.Helper()
	var list diag.List
	unit := w.LoadText("../../testdata/data/example", expr, nil, &list)
	if list.Failed() {
		return list.Sorted()[0].Error()
	}
	result, d := Run(context.Background(), unit, Settings{Limits: interp.DefaultLimits(), Verify: true})
	if d != nil {
		return "error " + string(d.Code)
	}
	return value.Show(result.Value)
}
