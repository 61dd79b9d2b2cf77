package opt_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/core/coretest"
	"github.com/fluxion-lang/fluxion/internal/opt"
)

var update = flag.Bool("update", false, "write what the passes give into the cases")

// TestGolden: each case has core text (in), what Prepare makes of it (out), the roots to keep
// besides main (roots) and what main comes to (value).
func TestGolden(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal("no cases", err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) { golden(t, name) })
	}
}

func golden(t *testing.T, name string) {
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	part := sections(string(text))
	p, d := core.Parse(name, part["in"])
	if d != nil {
		t.Fatal(d)
	}
	if err := core.Verify(p, core.Poly); err != nil {
		t.Fatal(err)
	}
	opts := opt.Options{Roots: strings.Fields(part["roots"]), Verify: true}
	mono, d := opt.Mono(p, opts)
	if d != nil {
		t.Fatal(d)
	}
	plain := coretest.Outcome(coretest.Eval(mono))
	q, d := opt.Prepare(p, opts)
	if d != nil {
		t.Fatal(d)
	}
	value := coretest.Outcome(coretest.Eval(q))
	if value != plain {
		t.Errorf("main comes to %s before and %s after Simplify", plain, value)
	}
	if want := strings.TrimSpace(part["value"]); value != want && !*update {
		t.Errorf("main comes to %s, want %s", value, want)
	}
	out := core.Print(q)
	if out == part["out"] {
		return
	}
	if !*update {
		t.Errorf("became\n%s", out)
		return
	}
	var b strings.Builder
	b.WriteString(part[""] + "-- in --\n" + part["in"])
	if part["roots"] != "" {
		b.WriteString("-- roots --\n" + part["roots"])
	}
	b.WriteString("-- value --\n" + value + "\n-- out --\n" + out)
	if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// sections splits a case at its lines of the form "-- name --"; what stands
// before the first is section "".
func sections(text string) map[string]string {
	parts, name := map[string]string{}, ""
	for line := range strings.Lines(text) {
		if inner, ok := strings.CutPrefix(line, "-- "); ok {
			if inner, ok := strings.CutSuffix(inner, " --\n"); ok {
				name = inner
				continue
			}
		}
		parts[name] += line
	}
	return parts
}
