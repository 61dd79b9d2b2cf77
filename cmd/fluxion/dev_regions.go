package main

import (
	"context"
	"fmt"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp"
)

// showRegions runs a file, or compiles its definitions if it has nothing to run, and tells which
// parts of it are compiled.
func (c *call) showRegions(ctx context.Context, path string, budget *budgetFlags) int {
	var list diag.List
	unit := budget.world(ctx, c, false).LoadFile(path, &list)
	if unit == nil || list.Failed() {
		return c.report(&list)
	}
	settings := budget.settings()
	if why := settings.Options().Uncompiled(); why != "" {
		if c.json {
			c.printJSON(map[string]any{"nothingCompiled": why, "parts": []devPart{},
				"diagnostics": nonNil(list.Sorted())})
		} else {
			fmt.Fprintf(c.out, "nothing is compiled: %s\n", why)
		}
		return exitOK
	}
	var parts []interp.Part
	settings.Compile.Parts = func(p interp.Part) { parts = append(parts, p) }
	if d := unit.Exercise(ctx, settings); d != nil {
		list.Add(d)
	}
	shown := map[devPart]bool{}
	told := []devPart{}
	for _, p := range parts {
		part := devPart{Definition: p.Definition, What: p.What, State: p.State()}
		if p.At.Known() {
			part.At = p.At.String()
		}
		if !shown[part] {
			shown[part] = true
			told = append(told, part)
		}
	}
	if c.json {
		c.printJSON(map[string]any{"parts": told, "diagnostics": nonNil(list.Sorted())})
		if list.Failed() {
			return exitFailed
		}
		return exitOK
	}
	for _, part := range told {
		fmt.Fprintln(c.out, part)
	}
	return c.report(&list)
}

// devPart says which part of a definition can be compiled, and whether it was.
type devPart struct {
	Definition string `json:"definition"`
	What       string `json:"what"`
	At         string `json:"at,omitempty"` // the place of its first operation
	State      string `json:"state"`
}

// String returns the line that `dev regions` prints.
func (p devPart) String() string {
	where := p.What
	if p.At != "" {
		where += " at " + p.At
	}
	return fmt.Sprintf("%s, %s: %s", p.Definition, where, p.State)
}
