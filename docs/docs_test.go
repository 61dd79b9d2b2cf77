package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestEveryCodeHasAPage compares the table of codes with the index: each code
// has one page, in order, and there is no page for anything else.
func TestEveryCodeHasAPage(t *testing.T) {
	table, err := os.ReadFile("../internal/diag/codes.go")
	if err != nil {
		t.Fatal(err)
	}
	codes := find(`Code = "([EW]\d+)"`, string(table))
	pages := find(`(?m)^## ([EW]\d+): `, ErrorIndex())
	for _, code := range codes {
		if !slices.Contains(pages, code) {
			t.Errorf("%s has no page", code)
		}
	}
	for _, page := range pages {
		if !slices.Contains(codes, page) {
			t.Errorf("there is a page for %s, which is no code", page)
		}
		if ErrorPage(page) == "" {
			t.Errorf("the page of %s is not found", page)
		}
	}
	if len(slices.Compact(slices.Sorted(slices.Values(pages)))) != len(pages) {
		t.Error("a code has two pages")
	}
}

// TestNamedTestsExist: a document that names a test, as `TestName` (package),
// names one that there is.
func TestNamedTestsExist(t *testing.T) {
	text, err := os.ReadFile("papers.md")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`(Test\\w+)`\\s\\((internal/[\\w/]+)\\)").FindAllStringSubmatch(string(text), -1)
	if len(named) < 100 {
		t.Errorf("only %d tests are named", len(named))
	}
	if all := strings.Count(string(text), "`Test"); all != len(named) {
		t.Errorf("%d of %d tests are named without their package", all-len(named), all)
	}
	for _, match := range named {
		files, err := filepath.Glob(filepath.Join("..", match[2], "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, file := range files {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			found = found || strings.Contains(string(source), "func "+match[1]+"(t *testing.T)")
		}
		if !found {
			t.Errorf("%s has no %s", match[2], match[1])
		}
	}
}

func find(pattern, text string) []string {
	var found []string
	for _, match := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		found = append(found, match[1])
	}
	return found
}
