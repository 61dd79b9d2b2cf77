package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
)

func docCommand() *command {
	return &command{
		name:    "doc",
		args:    "[NAME | FILE [NAME]]",
		summary: "describe the library, a name, a file or an error code",
		help: `Prints the documentation of NAME: a module, a function, a type, a class, a keyword,
an operator, or the code of a diagnostic. FILE.flx stands for a module of your own, and a NAME
after it for one of its definitions. Without NAME, prints an overview.

Examples:
  fluxion doc
  fluxion doc array
  fluxion doc linalg.solve
  fluxion doc loop
  fluxion doc Vec
  fluxion doc '|>'
  fluxion doc examples/descent.flx
  fluxion doc E0312`,
		run: func(_ context.Context, c *call) int {
			if len(c.args) > 0 && strings.HasSuffix(c.args[0], ".flx") {
				return c.describeFile()
			}
			if len(c.args) > 1 {
				return c.usage(errors.New("give at most one name"))
			}
			name := ""
			if len(c.args) == 1 {
				name = c.args[0]
			}
			w := world()
			text, ok := w.Describe(name)
			entries := w.Entries(name)
			if name == "" {
				entries = w.AllEntries()
			}
			return c.describe(text, entries, ok)
		},
	}
}

// describeFile documents a module outside the library, or one of its definitions.
func (c *call) describeFile() int {
	if len(c.args) > 2 {
		return c.usage(errors.New("give a file and at most one name"))
	}
	var list diag.List
	unit := world().LoadFile(c.args[0], &list)
	if unit == nil || list.Failed() {
		return c.report(&list)
	}
	entries := driver.EntriesOf(unit)
	if len(c.args) == 1 {
		return c.describe(driver.DescribeUnit(c.args[0], "", unit), entries, true)
	}
	for _, e := range entries {
		if e.Name == c.args[1] {
			return c.describe(e.String(), []driver.Entry{e}, true)
		}
	}
	return c.describe(fmt.Sprintf("%s defines nothing called `%s`\n", c.args[0], c.args[1]),
		nil, false)
}

// describe prints documentation, or says that there is none.
func (c *call) describe(text string, entries []driver.Entry, ok bool) int {
	switch {
	case c.json:
		c.printJSON(map[string]any{"text": text, "entries": nonNil(entries)})
	case ok:
		fmt.Fprint(c.out, text)
	default:
		fmt.Fprint(c.err, "fluxion doc: "+text)
	}
	if !ok {
		return exitFailed
	}
	return exitOK
}
