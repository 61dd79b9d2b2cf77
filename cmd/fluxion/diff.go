package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/lab"
	"github.com/fluxion-lang/fluxion/internal/value"
)

func diffCommand() *command {
	var e lab.Experiment
	var strategy string
	var budget budgetFlags
	return &command{
		name:    "diff",
		args:    "FILE --fn NAME --at VALUE [--cotangent VALUE] [--strategy NAME|all] [--explain]",
		summary: "differentiate a function by published algorithms",
		help: `Differentiates the function NAME of FILE at a point by the algorithms of the
papers, each as published, and prints the result of each, the primitive operations
that it executed (of the function alone, forward, backward), the objects that it
allocated, its time, and whether all agree. The algorithms tower and certified give a
set for each component, and agree with a gradient that lies in them. Arguments of a curried
function are given, and differentiated, as one tuple. Where the result is not a
Real, --cotangent says what to multiply its derivative with.

` + strategyList() + `
An algorithm that does not cover the program, or that reaches a limit, says so; the
others still answer. The limits --ops, --timeout (` + lab.DefaultTime.String() + ` unless given) and --memory hold
for each algorithm by itself. --explain prints what the algorithm makes of the
program: the evaluation by A–P's rules, the translated program, the Delta, the
combinator term, the derivative tower or the term over enclosures.

Examples:
  fluxion diff examples/quaternion.flx --fn rotateX \
    --at '({x = 1.1, y = 2.2, z = 3.3, w = 4.4}, {x = 5.5, y = 6.6, z = 7.7})'
  fluxion diff program.flx --fn loss --at '[1, 2]' --strategy delta --explain`,
		flags: func(flags *flag.FlagSet) {
			flags.StringVar(&e.Fun, "fn", "", "differentiate the function `NAME`")
			flags.StringVar(&e.At, "at", "", "at this `VALUE`, any expression")
			flags.StringVar(&e.Cotangent, "cotangent", "",
				"`VALUE` to multiply the derivative with (1 for a Real)")
			flags.StringVar(&strategy, "strategy", "all", "by the algorithm `NAME`, or by all")
			flags.BoolVar(&e.Explain, "explain", false,
				"print what the algorithm makes of the function")
			flags.Int64Var(&e.MaxOps, "ops", lab.DefaultOps,
				"stop an algorithm after `N` operations")
			budget.register(flags)
		},
		run: func(ctx context.Context, c *call) int {
			if len(c.args) != 1 || e.Fun == "" || e.At == "" {
				return c.usage(errors.New("give a file, --fn and --at"))
			}
			strategies, err := lab.ChooseStrategies(strategy)
			if err != nil {
				return c.usage(err)
			}
			ctx, stop := budget.within(ctx)
			defer stop()
			var list diag.List
			w := budget.world(ctx, c, true)
			if e.Unit = w.LoadFile(c.args[0], &list); e.Unit == nil || list.Failed() {
				return c.report(&list)
			}
			e.Settings = budget.settings()
			e.Settings.Alone = true
			_, done := c.progress(false)
			if len(strategies) > 1 {
				partial(ctx)
			}
			outcomes := lab.Differentiate(ctx, w, e, strategies, &list)
			whole(ctx)
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
				lab.ShowOutcomes(c.out, outcomes)
			}
			if !lab.Agree(outcomes) {
				return exitFailed
			}
			return exitOK
		},
	}
}

// noAnswer returns a failure if no outcome has an answer. It is the failure of a strategy that
// was asked for by name, or the program's own, which is the same for all strategies.
func noAnswer(outcomes []lab.Outcome) *diag.Diagnostic {
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
	for _, s := range lab.NamedStrategies() {
		fmt.Fprintf(&b, "  %-12s %s\n", s.Name, s.Paper)
	}
	return b.String()
}

func outcomesJSON(outcomes []lab.Outcome) any {
	rows := []any{}
	for _, o := range outcomes {
		row := map[string]any{"strategy": o.Strategy.Name, "paper": o.Strategy.Paper,
			"seconds": o.Time.Seconds(), "allocations": o.Allocations}
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
			if a.Cells > 0 {
				row["cells"] = a.Cells
			}
			if a.Explanation != "" {
				row["explanation"] = a.Explanation
			}
		}
		rows = append(rows, row)
	}
	return map[string]any{"strategies": rows, "agree": lab.Agree(outcomes)}
}
