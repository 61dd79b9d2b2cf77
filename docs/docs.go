// Package docs embeds the pages that the command prints.
package docs

import (
	_ "embed"
	"strings"
)

//go:embed errors.md
var errorIndex string

// ErrorIndex is the index of errors: a page for each code, which starts with a
// heading "## CODE: title".
func ErrorIndex() string { return errorIndex }

// ErrorPage is the page of one code, or "" if there is none.
func ErrorPage(code string) string {
	_, page, found := strings.Cut("\n"+errorIndex, "\n## "+code+":")
	if !found {
		return ""
	}
	page, _, _ = strings.Cut(page, "\n## ")
	return "## " + code + ":" + strings.TrimRight(page, "\n") + "\n"
}
