package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
)

func tourCommand() *command {
	return &command{
		name:    "tour",
		args:    "",
		summary: "run examples of the papers, and show why their algorithms differ",
		help: `Differentiates examples of the papers by every published algorithm, and then counts what
the algorithms execute on programs that grow: on a chain of shared results, on a vector, on functions inside one
another.`,
		run: func(ctx context.Context, c *call) int {
			if len(c.args) > 0 {
				return c.usage(errors.New("it takes no arguments"))
			}
			ctx, stop := driver.Interruptible(ctx)
			defer stop()
			var list diag.List
			settings := driver.Settings{Limits: interp.DefaultLimits()}
			settings.Limits.Timeout = 5 * time.Second
			if c.json {
				c.printJSON(tourJSON(ctx, settings, &list))
			} else {
				c.showTour(ctx, settings, &list)
			}
			if list.Failed() {
				return c.report(&list)
			}
			return exitOK
		},
	}
}

func (c *call) showTour(ctx context.Context, settings driver.Settings, list *diag.List) {
	for _, s := range driver.Stops() {
		fmt.Fprintf(c.out, "%s (%s)\n  %s\n\n%s\n", s.Title, s.Paper, s.Point, indent(s.Source))
		c.showOutcomes(s.Visit(ctx, settings, list))
		fmt.Fprintln(c.out)
	}
	for _, f := range driver.Families() {
		fmt.Fprintf(c.out, "%s: operations, forward and backward\n  %s\n\n", f.Title, f.Point)
		table := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
		fmt.Fprintf(table, "  n\t%s\n", strings.Join(f.Strategies, "\t"))
		for _, n := range f.Sizes {
			fmt.Fprintf(table, "  %d", n)
			for _, ops := range f.Grow(ctx, n, settings, list) {
				if ops < 0 {
					fmt.Fprintf(table, "\tover %d", driver.MaxTourOps)
				} else {
					fmt.Fprintf(table, "\t%d", ops)
				}
			}
			fmt.Fprintln(table)
		}
		table.Flush()
		fmt.Fprintln(c.out)
	}
}

func tourJSON(ctx context.Context, settings driver.Settings, list *diag.List) any {
	var stops, families []any
	for _, s := range driver.Stops() {
		stops = append(stops, map[string]any{
			"title": s.Title, "paper": s.Paper, "point": s.Point, "source": s.Source,
			"outcomes": outcomesJSON(s.Visit(ctx, settings, list)),
		})
	}
	for _, f := range driver.Families() {
		rows := map[string][]int64{}
		for _, n := range f.Sizes {
			rows[strconv.Itoa(n)] = f.Grow(ctx, n, settings, list)
		}
		families = append(families, map[string]any{"title": f.Title, "point": f.Point, "strategies": f.Strategies, "operations": rows})
	}
	return map[string]any{"examples": stops, "growth": families}
}

func indent(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ") + "\n"
}
