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
		help: `Differentiates the function NAME of FILE at a point by the algorithms of the papers,
each as published. For each algorithm it prints the result, the primitive operations that were
executed (of the function alone, forward, backward), the objects that were allocated, and the
time. At the end it says whether all results agree. The algorithms tower and certified give a
set for each component. They agree with a gradient that lies in these sets.

The arguments of a curried function are one tuple, in --at and in the result. If the function
does not return a Real, --cotangent gives the value that its derivative is multiplied with.

` + strategyList() + `
An algorithm that does not cover the program, or that reaches a limit, says so, and the others
still answer. The limits --ops, --timeout (default ` + lab.DefaultTime.String() + `) and --memory hold for each
algorithm by itself. --explain prints what the algorithm makes of the program: the evaluation
by A–P's rules, the translated program, the Delta, the combinator term, the derivative tower,
or the term over enclosures.

Examples:
  fluxion diff examples/quaternion.flx --fn rotateX \
    --at '({x = 1.1, y = 2.2, z = 3.3, w = 4.4}, {x = 5.5, y = 6.6, z = 7.7})'
  fluxion diff program.flx --fn loss --at '[1, 2]' --strategy delta --explain`,
		flags: func(flags *flag.FlagSet) {
			flags.StringVar(&e.Fun, "fn", "", "differentiate the function `NAME` of FILE")
			flags.StringVar(&e.At, "at", "", "differentiate at the point `VALUE`, any expression")
			flags.StringVar(&e.Cotangent, "cotangent", "",
				"multiply the derivative with `VALUE` (default 1, if the function returns a Real)")
			flags.StringVar(&strategy, "strategy", "all",
				"differentiate by the algorithm `NAME`, or by all of them")
			flags.BoolVar(&e.Explain, "explain", false,
				"print what each algorithm makes of the function")
			flags.Int64Var(&e.MaxOps, "ops", lab.DefaultOps,
				"stop an algorithm after `N` primitive operations")
			budget.register(flags)
			flags.Lookup("timeout").DefValue = lab.DefaultTime.String() + " for each algorithm"
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
