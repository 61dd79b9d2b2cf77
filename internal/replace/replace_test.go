package replace_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/replace"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

// TestFile: a failure leaves the file as it was, with nothing beside it.
func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.txt")
	for _, durable := range []bool{false, true} {
		if err := replace.File(path, durable, text("old")); err != nil {
			t.Fatal(err)
		}
		fails := errors.New("no")
		if err := replace.File(path, durable, func(w io.Writer) error {
			_, _ = io.WriteString(w, "half")
			return fails
		}); !errors.Is(err, fails) {
			t.Errorf("the error is %v", err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "old" {
		t.Errorf("%q, %v", got, err)
	}
	if list, _ := os.ReadDir(filepath.Dir(path)); len(list) != 1 {
		t.Errorf("there are %v", list)
	}
}

// TestRemovedEarly: a temporary file that vanishes is written once more.
func TestRemovedEarly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.txt")
	times := 0
	err := replace.File(path, false, func(w io.Writer) error {
		if times++; times == 1 {
			_ = os.Remove(w.(*os.File).Name())
		}
		return text("new")(w)
	})
	if got, _ := os.ReadFile(path); err != nil || string(got) != "new" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestClean removes what a process that has ended has left for the file, and nothing else.
func TestClean(t *testing.T) {
	folder := t.TempDir()
	ended := exec.Command(os.Args[0], "-test.run=^$")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	dead, alive := ended.Process.Pid, os.Getpid()
	stays := []string{
		fmt.Sprintf(".fluxion-a.txt-%d-123", alive),
		fmt.Sprintf(".fluxion-b.txt-%d-123", dead),
		fmt.Sprintf(".fluxion-a.txt-%d-mine", dead),
		"a.txt", ".fluxion-a.txt-", ".fluxion-123",
	}
	for _, name := range append(stays, fmt.Sprintf(".fluxion-a.txt-%d-123", dead)) {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	replace.Clean(filepath.Join(folder, "a.txt"))
	list, err := os.ReadDir(folder)
	if err != nil || len(list) != len(stays) {
		t.Errorf("there are %v: %v", list, err)
	}
	for _, e := range list {
		if strings.HasPrefix(e.Name(), fmt.Sprintf(".fluxion-a.txt-%d-1", dead)) {
			t.Errorf("%s is left", e.Name())
		}
	}
}
