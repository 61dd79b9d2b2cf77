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
		fmt.Fprintf(c.out, "nothing is compiled: %s\n", why)
		return exitOK
	}
	var parts []interp.Part
	settings.Compile.Parts = func(p interp.Part) { parts = append(parts, p) }
	if d := unit.Exercise(ctx, settings); d != nil {
		list.Add(d)
	}
	shown := map[string]bool{}
	for _, p := range parts {
		where := p.What
		if p.At.Known() {
			where += " at " + p.At.String()
		}
		line := fmt.Sprintf("%s, %s: %s", p.Definition, where, p.State())
		if !shown[line] {
			shown[line] = true
			fmt.Fprintln(c.out, line)
		}
	}
	return c.report(&list)
}
