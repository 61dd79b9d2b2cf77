package syntax

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

var update = flag.Bool("update", false, "rewrite the expectations of testdata/syntax")

// TestCases runs testdata/syntax: in.flx is a program, `diagnostics` what is said
// about it, `fmt` its layout if nothing is wrong, `unicode` the other spelling of
// that, if the case is about it.
func TestCases(t *testing.T) {
	names, err := filepath.Glob("../../testdata/syntax/*.txtar")
	if err != nil || len(names) < 100 {
		t.Fatal(len(names), err)
	}
	codes := map[diag.Code]bool{}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) { runCase(t, name, codes) })
	}
	for _, code := range []diag.Code{
		diag.NotUTF8, diag.BadCharacter, diag.UnclosedComment, diag.UnclosedString, diag.BadEscape, diag.BadNumber,
		diag.Tab, diag.UnexpectedToken, diag.Unclosed, diag.UnmatchedClose, diag.MissingBody, diag.MisplacedDecl,
		diag.DuplicateBinding, diag.NonAssociative, diag.Offside, diag.MinusArgument, diag.MisleadingBar,
	} {
		if !codes[code] && !t.Failed() {
			t.Errorf("no case gives %s", code)
		}
	}
}

func runCase(t *testing.T, name string, codes map[diag.Code]bool) {
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for _, f := range archive.Files {
		want[f.Name] = string(f.Data)
	}
	source := strings.NewReplacer("<TAB>", "\t", "<FF>", "\xff", "<ESC>", "\x1b", "<CR>", "\r").Replace(want["in.flx"])
	var list diag.List
	m := Parse(diag.NewFile("in.flx", source), &list)
	checkTree(t, m, !list.Failed())
	var out strings.Builder
	diag.RenderAll(&out, &list, diag.Options{})
	got := map[string]string{"in.flx": want["in.flx"], "diagnostics": out.String()}
	for _, d := range list.Sorted() {
		codes[d.Code] = true
	}
	if !list.Failed() {
		checkFormat(t.Fatalf, m, FormatOptions{})
		checkFormat(t.Fatalf, m, FormatOptions{Width: 30})
		got["fmt"] = Format(m, FormatOptions{})
		if _, ok := want["unicode"]; ok {
			got["unicode"] = Format(m, FormatOptions{Unicode: true})
		}
	}
	if *update {
		if want["fmt"] != "" && got["fmt"] == "" {
			t.Fatal("refusing to turn a program into an error")
		}
		archive.Files = nil
		for _, section := range []string{"in.flx", "diagnostics", "fmt", "unicode"} {
			if got[section] != "" {
				archive.Files = append(archive.Files, txtar.File{Name: section, Data: []byte(got[section])})
			}
		}
		if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, section := range []string{"diagnostics", "fmt", "unicode"} {
		if got[section] != want[section] {
			t.Errorf("%s is\n%s\nnot\n%s", section, got[section], want[section])
		}
	}
}
