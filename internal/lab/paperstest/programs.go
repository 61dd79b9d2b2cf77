// Package paperstest has the programs on which the published algorithms are
// compared, with one another and with a reference that knows no derivative:
// central differences in several hundred bits.
//
// The programs are the functions of the modules in testdata/lab whose
// comments say at which point to differentiate them:
//
//	--| A closure over a real, applied to the real itself.
//	-- at 2
//	-- gradient 7
//	let closure (x : Real) : Real = …
//
// Arguments of a curried function are one tuple. A result that is not a Real
// has a line `-- cotangent VALUE` too. The gradient is that of the reference,
// rounded; `go test ./internal/lab/paperstest -gradients` writes it.
// Where a component is the difference of larger contributions of several
// paths, `-- paths VALUE` gives the sums of their absolute values, to which
// the last digits of that component are relative.
package paperstest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Program is a function to differentiate at a point where it is smooth.
type Program struct {
	Name      string // of the module and the function: "functions.closure"
	Source    string // the module
	Fn        string // one of its functions
	At        string // an expression for its argument
	Cotangent string // an expression, or "" for 1
	Gradient  string // the gradient that the comment states
	Paths     string // the same, or ""
	File      string // the path of the module, if it has one
}

// Programs reads the programs of testdata/lab. They are small, and together they use all of the
// language. A strategy that does not cover one refuses it.
func Programs(t testing.TB) []Program {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root(t), "testdata", "lab", "*.flx"))
	if err != nil {
		t.Fatal(err)
	}
	var all []Program
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, parse(file, string(text))...)
	}
	return all
}

// root returns the folder of the module.
func root(t testing.TB) string {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the test")
		}
		dir = filepath.Dir(dir)
	}
}

// parse finds the programs of a module.
func parse(file, text string) []Program {
	module := strings.TrimSuffix(filepath.Base(file), ".flx")
	var found []Program
	says := map[string]string{}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if comment, ok := strings.CutPrefix(line, "-- "); ok {
			key, value, _ := strings.Cut(comment, " ")
			says[key] = value
			continue
		}
		if rest, ok := strings.CutPrefix(line, "let "); ok && says["at"] != "" {
			name, _, _ := strings.Cut(strings.TrimPrefix(rest, "rec "), " ")
			found = append(found, Program{
				Name: module + "." + name, Source: text, File: file, Fn: name, At: says["at"],
				Cotangent: says["cotangent"], Gradient: says["gradient"], Paths: says["paths"],
			})
		}
		if !strings.HasPrefix(line, "--") {
			clear(says)
		}
	}
	return found
}

// Rewrite puts a gradient into the comment of a program's function.
func Rewrite(t testing.TB, p Program, gradient string) {
	t.Helper()
	text, err := os.ReadFile(p.File)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	for i, line := range lines {
		rest, isLet := strings.CutPrefix(line, "let ")
		if name, _, _ := strings.Cut(strings.TrimPrefix(rest, "rec "), " "); !isLet ||
			name != p.Fn {
			continue
		}
		at := i
		for k := i - 1; strings.HasPrefix(lines[k], "--"); k-- {
			if strings.HasPrefix(lines[k], "-- gradient ") {
				lines = append(lines[:k], lines[k+1:]...)
				at--
				break
			}
		}
		lines = append(lines[:at], append([]string{"-- gradient " + gradient}, lines[at:]...)...)
		break
	}
	if err := os.WriteFile(p.File, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
}
