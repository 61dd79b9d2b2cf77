package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/data"
	"github.com/fluxion-lang/fluxion/internal/notation"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

func dataCommand() *command {
	var budget budgetFlags
	rows := positive(5)
	return &command{
		name:    "data",
		args:    "FILE",
		summary: "look at a data file",
		help: `Prints the type of a data file, ready to paste into a program, then a summary of its
columns and its first rows. A FILE of - is standard input.

Examples:
  fluxion data examples/data/people.csv
  fluxion data --rows 20 measurements.parquet`,
		flags: func(flags *flag.FlagSet) {
			budget.registerMemory(flags)
			budget.registerTimeout(flags)
			flags.Var(&rows, "rows", "print the first `N` rows")
		},
		run: func(ctx context.Context, c *call) int {
			if len(c.args) != 1 {
				return c.usage(errors.New("name one file"))
			}
			ctx, stop := budget.within(ctx)
			defer stop()
			w := budget.world(ctx, c, false)
			var unread []string
			w.Data.Unread = func(column, ty string) { unread = append(unread, column+" ("+ty+")") }
			t, v, d := w.Look(c.args[0])
			if d != nil {
				return c.fail(d)
			}
			summary := data.Summarise(t, v)
			show := types.Printer{}
			if c.json {
				c.printJSON(map[string]any{"type": show.Type(t), "columns": nonNil(summary),
					"unread": nonNil(unread)})
				return exitOK
			}
			fmt.Fprintf(c.out, "let rows : %s = file %s\n", show.Type(t), notation.Quote(c.args[0]))
			if len(summary) > 0 {
				fmt.Fprintf(c.out, "\n%s", summaryTable(summary))
			}
			if len(unread) > 0 {
				fmt.Fprintf(c.out, "\ncolumns of types that are not read: %s\n",
					strings.Join(unread, ", "))
			}
			fmt.Fprintf(c.out, "\n%s", firstRows(v, int(rows)))
			return exitOK
		},
	}
}

// firstRows returns the first elements of an array as text. Any other value is shown whole.
func firstRows(v value.Value, most int) string {
	n, ok := value.Len(v)
	if !ok {
		return value.ShowAtMost(value.Plain(v), most) + "\n"
	}
	var b strings.Builder
	for i := range min(n, most) {
		b.WriteString(value.ShowAtMost(value.Plain(value.At(v, i)), 10) + "\n")
	}
	if n > most {
		fmt.Fprintf(&b, "… %d more\n", n-most)
	}
	return b.String()
}

// summaryTable lays out the summaries.
func summaryTable(all []data.Summary) string {
	lines := [][]string{{"column", "type", "count", "missing", "min", "mean", "max", "distinct"}}
	number := func(v value.Value) string {
		x, ok := v.(value.Real)
		if !ok {
			return ""
		}
		return strconv.FormatFloat(float64(x), 'g', 6, 64)
	}
	for _, s := range all {
		distinct := ""
		if s.Distinct > 0 {
			distinct = strconv.Itoa(s.Distinct)
		}
		lines = append(lines, []string{s.Name, s.Type, strconv.Itoa(s.Count),
			strconv.Itoa(s.Missing),
			number(s.Min), number(s.Mean), number(s.Max), distinct})
	}
	return alignColumns(lines)
}

// alignColumns pads cells so that columns line up.
func alignColumns(lines [][]string) string {
	widths := make([]int, len(lines[0]))
	for _, line := range lines {
		for k, cell := range line {
			widths[k] = max(widths[k], len([]rune(cell)))
		}
	}
	var b strings.Builder
	for _, line := range lines {
		var row strings.Builder
		for k, cell := range line {
			fmt.Fprintf(&row, "%-*s  ", widths[k], cell)
		}
		b.WriteString(strings.TrimRight(row.String(), " ") + "\n")
	}
	return b.String()
}
