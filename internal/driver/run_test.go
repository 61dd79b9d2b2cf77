package driver

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/value"
)

var update = flag.Bool("update", false, "rewrite the expectations of testdata/run; never turns a value into an error")

// TestRun runs every program of testdata/run: in.flx, with the other .flx
// files as modules beside it. The section `value` is what it must print,
// `diagnostics` what it must report; the archive's comment names the code of
// the error, which -update does not touch. What is charged to a run may include what other tests
// allocate meanwhile, so that the cases about memory come before there are any.
func TestRun(t *testing.T) {
	paths, err := filepath.Glob("../../testdata/run/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	aboutMemory := func(path string) bool { return strings.Contains(path, "err-memory") }
	slices.SortStableFunc(paths, func(p, q string) int {
		return cmp.Compare(btoi(aboutMemory(q)), btoi(aboutMemory(p)))
	})
	parallel := false
	for _, path := range paths {
		if !parallel && !aboutMemory(path) {
			t.Parallel()
			parallel = true
		}
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got, diagnostics := runCase(archive)
			if code := strings.TrimSpace(string(archive.Comment)); code != "" && !strings.Contains(diagnostics, "error["+code+"]") {
				t.Fatalf("expected error %s, got value %q and\n%s", code, got, diagnostics)
			}
			if *update {
				rewrite(t, path, archive, got, diagnostics)
				return
			}
			if want := section(archive, "value"); got != want {
				t.Errorf("value\n%s\nwant\n%s", got, want)
			}
			if want := section(archive, "diagnostics"); diagnostics != want {
				t.Errorf("diagnostics\n%s\nwant\n%s", diagnostics, want)
			}
		})
	}
}

func btoi(is bool) int {
	if is {
		return 1
	}
	return 0
}

// runCase returns the value and the rendered diagnostics of an archive.
func runCase(archive *txtar.Archive) (printed, diagnostics string) {
	w := NewWorld(archiveReader(archive))
	var list diag.List
	unit := w.LoadFile("in.flx", &list)
	if unit != nil && !list.Failed() {
		limits := interp.DefaultLimits()
		limits.Memory, limits.Depth = 64<<20, 100_000
		result, d := Run(context.Background(), unit, Settings{Limits: limits, Verify: true})
		list.Add(d)
		if d == nil {
			printed = value.Show(result.Value) + "\n"
		}
	}
	var b bytes.Buffer
	diag.RenderAll(&b, &list, diag.Options{})
	return printed, b.String()
}

// archiveReader reads the files of an archive.
func archiveReader(archive *txtar.Archive) func(path string) (string, error) {
	return func(path string) (string, error) {
		for _, f := range archive.Files {
			if f.Name == filepath.Clean(path) {
				return string(f.Data), nil
			}
		}
		return "", &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
}

func section(archive *txtar.Archive, name string) string {
	for _, f := range archive.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

func rewrite(t *testing.T, path string, archive *txtar.Archive, printed, diagnostics string) {
	if section(archive, "value") != "" && printed == "" {
		t.Errorf("%s had a value and now has none:\n%s", path, diagnostics)
		return
	}
	var kept []txtar.File
	for _, f := range archive.Files {
		if strings.HasSuffix(f.Name, ".flx") {
			kept = append(kept, f)
		}
	}
	if printed != "" {
		kept = append(kept, txtar.File{Name: "value", Data: []byte(printed)})
	}
	if diagnostics != "" {
		kept = append(kept, txtar.File{Name: "diagnostics", Data: []byte(diagnostics)})
	}
	archive.Files = kept
	if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
		t.Fatal(err)
	}
}
