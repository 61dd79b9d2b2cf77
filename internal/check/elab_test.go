package check_test

import (
	"flag"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/check"
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

var update = flag.Bool("update", false, "write what the cases print into their files")

// front checks and elaborates one module that stands alone, as a module of the
// library, so that it may import builtin. The program is nil if it has errors.
func front(text string) (*check.Info, *core.Program, *diag.List) {
	var sink diag.List
	file := diag.NewFile("in.flx", text)
	module := syntax.Parse(file, &sink)
	info := check.Check(module, check.Options{Name: "in", Imports: map[*syntax.Import]*check.Interface{}, Library: true}, &sink)
	if sink.Failed() {
		return info, nil, &sink
	}
	check.Patterns(nil, info, &sink)
	if sink.Failed() {
		return info, nil, &sink
	}
	program := check.Elaborate(nil, info, &sink)
	if sink.Failed() {
		return info, nil, &sink
	}
	return info, program, &sink
}

// rendered returns the diagnostics as a user sees them.
func rendered(sink *diag.List) string {
	var out strings.Builder
	diag.RenderAll(&out, sink, diag.Options{})
	return out.String()
}

// cases runs f on the program of each case of a folder and compares what it
// prints with the section of the case.
func cases(t *testing.T, folder, section string, f func(t *testing.T, text string) string) {
	files, err := filepath.Glob(filepath.Join("../../testdata", folder, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases in %s: %v", folder, err)
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			comment, in, want := split(t, string(data), section)
			got := f(t, in)
			if got == want || t.Failed() {
				return
			}
			if !*update {
				t.Fatalf("got\n%s\nwant\n%s", got, want)
			}
			text := comment + "-- in.flx --\n" + in + "-- " + section + " --\n" + got
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// split takes a case in the txtar format apart: its comment, the program, and
// what is expected, which is empty in a new case.
func split(t *testing.T, text, section string) (comment, in, want string) {
	comment, rest, ok := strings.Cut(text, "-- in.flx --\n")
	if !ok {
		t.Fatal("the case has no program")
	}
	in, want, _ = strings.Cut(rest, "-- "+section+" --\n")
	return comment, in, want
}

// TestElaborate compares the core of programs with what they should become.
func TestElaborate(t *testing.T) {
	cases(t, "elab", "core", func(t *testing.T, text string) string {
		_, program, sink := front(text)
		if program == nil {
			t.Fatalf("not elaborated:\n%s", rendered(sink))
		}
		if err := core.Verify(program, core.Poly); err != nil {
			t.Errorf("the core is not well formed: %v\n%s", err, core.Print(program))
		}
		return core.Print(program)
	})
}

// TestPatterns compares the diagnostics of programs with what they should be.
func TestPatterns(t *testing.T) {
	cases(t, "patterns", "diagnostics", func(t *testing.T, text string) string {
		_, _, sink := front(text)
		var ours diag.List
		for _, d := range sink.Sorted() {
			if !strings.HasPrefix(string(d.Code), "W01") { // lints have cases of their own
				ours.Add(d)
			}
		}
		return rendered(&ours)
	})
}

// TestOverloadedLiteral: a literal whose type only a use decides carries both
// readings. Note [Overloaded literals]
func TestOverloadedLiteral(t *testing.T) {
	_, program, sink := front("let twice x = 2 * x\n(twice 3, twice (4 : Int))\n")
	if program == nil {
		t.Fatal(rendered(sink))
	}
	var found *core.Lit
	core.Atoms(program.Defs[0].Body, func(a core.Atom) {
		if lit, ok := a.(*core.Lit); ok {
			found = lit
		}
	})
	if found == nil {
		t.Fatal("twice has no literal")
	}
	if _, ok := found.Ty.(*types.Param); !ok {
		t.Errorf("the literal has type %s, want a parameter", types.Show(found.Ty))
	}
	if found.Int != 2 || found.Real == nil || found.Real.Cmp(big.NewRat(2, 1)) != 0 {
		t.Errorf("the literal is %d and %v, want 2 and 2", found.Int, found.Real)
	}
}
