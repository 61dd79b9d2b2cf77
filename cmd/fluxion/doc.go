package main

import (
	"context"
	"errors"
	"fmt"
)

func docCommand() *command {
	return &command{
		name:    "doc",
		args:    "[NAME]",
		summary: "describe the library, a name or an error code",
		help: `Prints the documentation of NAME: a module, a function, a type, a primitive, or
the code of a diagnostic. Without NAME, an overview.

Examples:
  fluxion doc
  fluxion doc array
  fluxion doc linalg.solve
  fluxion doc E0312`,
		run: func(_ context.Context, c *call) int {
			if len(c.args) > 1 {
				return c.usage(errors.New("give at most one name"))
			}
			name := ""
			if len(c.args) == 1 {
				name = c.args[0]
			}
			w := world()
			text, ok := w.Describe(name)
			if c.json {
				entries := w.Entries(name)
				if name == "" {
					entries = w.AllEntries()
				}
				c.printJSON(map[string]any{"text": text, "entries": nonNil(entries)})
			} else if ok {
				fmt.Fprint(c.out, text)
			} else {
				fmt.Fprint(c.err, "fluxion doc: "+text)
			}
			if !ok {
				return exitFailed
			}
			return exitOK
		},
	}
}
