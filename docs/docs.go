// Package docs embeds the pages that the command prints.
package docs

import (
	"embed"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:embed errors.md
var errorIndex string

//go:embed reference.md
var reference string

//go:embed tour.md
var tour string

//go:embed guide.md
var guide string

// Data has the files that the programs of the pages read, below data.
//
//go:embed data
var Data embed.FS

// Page returns a chapter for readers, in Markdown, such as the tour of the language or the guide.
// It returns "" for other names.
func Page(name string) string {
	return map[string]string{"tour": tour, "guide": guide, "errors": errorIndex,
		"reference": reference}[name]
}

// ErrorIndex returns the index of errors: a page for each code, which starts with a
// heading "## CODE: title".
func ErrorIndex() string { return errorIndex }

// ErrorPage returns the page of one code, or "" if there is none.
func ErrorPage(code string) string {
	_, page, found := strings.Cut("\n"+errorIndex, "\n## "+code+":")
	if !found {
		return ""
	}
	page, _, _ = strings.Cut(page, "\n## ")
	return "## " + code + ":" + strings.TrimRight(page, "\n") + "\n"
}

// Row is a row of a table of the language reference.
type Row struct {
	Heads, Cells []string // the titles of the columns, and what stands in them
}

// ReferenceRows returns the rows that explain a word or sign: those whose first column shows it
// among its code.
func ReferenceRows(word string) []Row {
	var found []Row
	var heads []string
	for line := range strings.Lines(reference) {
		cells := tableCells(line)
		switch {
		case cells == nil:
			heads = nil
		case heads == nil:
			heads = cells
		case explained[heads[0]] && slices.Contains(signs(cells[0]), word):
			found = append(found, Row{heads, cells})
		}
	}
	return found
}

// explained are the first columns of the tables that say what code means.
var explained = map[string]bool{"declaration": true, "operators": true, "form": true, "type": true,
	"class": true}

// tableCells returns the cells of a line of a table, or nil if it is not one.
func tableCells(line string) []string {
	line = strings.TrimSpace(line)
	if !strings.HasPrefix(line, "| ") {
		return nil
	}
	const bar = "\x00" // stands for a bar that is not a border
	cells := strings.Split(strings.ReplaceAll(strings.Trim(line, "|"), `\|`, bar), "|")
	for i, cell := range cells {
		cells[i] = strings.TrimSpace(strings.ReplaceAll(cell, bar, "|"))
	}
	return cells
}

// signs lists the words and signs of the code in a cell.
func signs(cell string) []string {
	var found []string
	for i, part := range strings.Split(cell, "`") {
		if i%2 == 1 {
			found = append(found, strings.Fields(separate().ReplaceAllString(part, " $0 "))...)
		}
	}
	return found
}

// separate matches a name, a bracket or a comma, so that what is left are operators.
var separate = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[\pL_][\pL\d_']*|\(\)|[()\[\]{},]`)
})
