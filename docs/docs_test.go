package docs

import (
	"os"
	"regexp"
	"slices"
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

func find(pattern, text string) []string {
	var found []string
	for _, match := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		found = append(found, match[1])
	}
	return found
}
