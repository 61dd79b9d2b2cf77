package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/papers"
	"github.com/fluxion-lang/fluxion/internal/value"
)

func diffCommand() *command {
	var e driver.Experiment
	var strategy string
	var budget budgetFlags
	return &command{
		name:    "diff",
		args:    "FILE --fn NAME --at VALUE [--cotangent VALUE] [--strategy NAME|all] [--explain]",
		summary: "differentiate a function by published algorithms",
		help: `Differentiates the function NAME of FILE at a point by the algorithms of the
papers, each as published, and prints the result of each, the primitive operations
that it executed (of the function alone, forward, backward), the objects that it
allocated, its time, and whether all agree. The algorithm tower gives a set for each
component, and agrees with a gradient that lies in them. Arguments of a curried
function are given, and differentiated, as one tuple. Where the result is not a
Real, --cotangent says what to multiply its derivative with.

` + strategyList() + `
An algorithm that does not cover the program says so. --explain prints what the
algorithm makes of it: the trace, the translated program, the Delta, the
combinator term or the derivative tower.

Examples:
  fluxion diff examples/quaternion.flx --fn rotateX \
    --at '({x = 1.1, y = 2.2, z = 3.3, w = 4.4}, {x = 5.5, y = 6.6, z = 7.7})'
  fluxion diff program.flx --fn loss --at '[1, 2]' --strategy delta --explain`,
		flags: func(flags *flag.FlagSet) {
			flags.StringVar(&e.Fun, "fn", "", "differentiate the function `NAME`")
			flags.StringVar(&e.At, "at", "", "at this `VALUE`, any expression")
			flags.StringVar(&e.Cotangent, "cotangent", "", "`VALUE` to multiply the derivative with (1 for a Real)")
			flags.StringVar(&strategy, "strategy", "all", "by the algorithm `NAME`, or by all")
			flags.BoolVar(&e.Explain, "explain", false, "print what the algorithm makes of the function")
			flags.Int64Var(&e.MaxOps, "ops", 10_000_000, "stop an algorithm after `N` operations")
			budget.register(flags)
		},
		run: func(ctx context.Context, c *call) int {
			if len(c.args) != 1 || e.Fun == "" || e.At == "" {
				return c.usage(errors.New("give a file, --fn and --at"))
			}
			strategies, err := chooseStrategies(strategy)
			if err != nil {
				return c.usage(err)
			}
			var list diag.List
			w := world()
			if e.Unit = w.LoadFile(c.args[0], &list); e.Unit == nil || list.Failed() {
				return c.report(&list)
			}
			e.Settings = budget.settings()
			ctx, stop := driver.Interruptible(ctx)
			defer stop()
			_, done := c.progress(false)
			outcomes := w.Differentiate(ctx, e, strategies, &list)
			done()
			if list.Failed() {
				return c.report(&list)
			}
			if failure := noAnswer(outcomes); failure != nil {
				return c.fail(failure)
			}
			if c.json {
				c.printJSON(outcomesJSON(outcomes))
			} else {
				c.showOutcomes(outcomes)
			}
			if !agree(outcomes) {
				return exitFailed
			}
			return exitOK
		},
	}
}

// noAnswer is the failure of all outcomes, if none has an answer: that of one
// asked for by name, or of the program itself, which is the same by all.
func noAnswer(outcomes []driver.Outcome) *diag.Diagnostic {
	for _, o := range outcomes {
		if o.Answer != nil {
			return nil
		}
	}
	return outcomes[len(outcomes)-1].Failure
}

// strategyList lists the algorithms for the manual.
func strategyList() string {
	var b strings.Builder
	for _, s := range driver.Strategies() {
		fmt.Fprintf(&b, "  %-12s %s\n", s.Name, s.Paper)
	}
	return b.String()
}

func chooseStrategies(name string) ([]papers.Strategy, error) {
	all := driver.Strategies()
	if name == "all" {
		return all, nil
	}
	var names []string
	for _, s := range all {
		if s.Name == name {
			return []papers.Strategy{s}, nil
		}
		names = append(names, s.Name)
	}
	return nil, fmt.Errorf("there is no strategy `%s`; there are %s and all", name, strings.Join(names, ", "))
}

// tolerance is how far gradients may be apart and still agree: they differ in
// the order of their sums.
const tolerance = 1e-11

func agree(outcomes []driver.Outcome) bool { return driver.Agreement(outcomes) <= tolerance }

// showOutcomes prints a row a strategy, then explanations.
func (c *call) showOutcomes(outcomes []driver.Outcome) {
	showTable(c.out, outcomes)
	for _, o := range outcomes {
		if o.Answer != nil && o.Answer.Explanation != "" {
			fmt.Fprintf(c.out, "\n── %s: %s ──\n\n%s\n", o.Strategy.Name, o.Strategy.Paper, strings.TrimRight(o.Answer.Explanation, "\n"))
		}
	}
}

// showTable prints a row a strategy, and whether they agree.
func showTable(out io.Writer, outcomes []driver.Outcome) {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "strategy\tgradient\tprimal\tforward\tbackward\tallocations\ttime")
	answered := 0
	for _, o := range outcomes {
		if o.Failure != nil {
			continue
		}
		answered++
		a := o.Answer
		gradient, counts := a.Gradient, fmt.Sprintf("%d\t%d\t%d", a.Ops.Primal, a.Ops.Forward, a.Ops.Backward)
		if a.Enclosed != nil {
			gradient = a.Enclosed
		}
		if a.Ops.Uncounted {
			counts = fmt.Sprintf("%d\t–\t–", a.Ops.Primal)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%v\n", o.Strategy.Name, value.ShowAtMost(gradient, 20), counts, o.Allocations, o.Time.Round(10*time.Microsecond))
	}
	table.Flush()
	for _, o := range outcomes {
		if o.Failure != nil {
			fmt.Fprintf(out, "%s does not answer: %s (%s)\n", o.Strategy.Name, o.Failure.Message, o.Failure.Span)
		}
	}
	if answered > 1 {
		switch worst := driver.Agreement(outcomes); {
		case worst == 0:
			fmt.Fprintf(out, "all %d agree exactly\n", answered)
		case worst <= tolerance:
			fmt.Fprintf(out, "all %d agree to %.1g\n", answered, worst)
		case math.IsNaN(worst):
			fmt.Fprintln(out, "they DISAGREE")
		default:
			fmt.Fprintf(out, "they DISAGREE by %.1g\n", worst)
		}
	}
}

func outcomesJSON(outcomes []driver.Outcome) any {
	rows := []any{}
	for _, o := range outcomes {
		row := map[string]any{"strategy": o.Strategy.Name, "paper": o.Strategy.Paper, "seconds": o.Time.Seconds(), "allocations": o.Allocations}
		if o.Failure != nil {
			row["failure"] = o.Failure
		} else {
			a := o.Answer
			row["value"], row["gradient"] = value.JSON(a.Value), value.JSON(a.Gradient)
			if a.Enclosed != nil {
				row["enclosed"] = value.JSON(a.Enclosed)
			}
			counts := map[string]int64{"primal": a.Ops.Primal}
			if !a.Ops.Uncounted {
				counts["forward"], counts["backward"] = a.Ops.Forward, a.Ops.Backward
			}
			row["operations"] = counts
			if a.Explanation != "" {
				row["explanation"] = a.Explanation
			}
		}
		rows = append(rows, row)
	}
	return map[string]any{"strategies": rows, "agree": agree(outcomes)}
}
