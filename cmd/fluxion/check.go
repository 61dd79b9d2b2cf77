package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"time"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
)

func checkCommand() *command {
	var budget budgetFlags
	var rules bool
	var access accessFlags
	return &command{
		name:    "check",
		args:    "FILE…",
		summary: "report errors and suspicious code",
		help: `Checks syntax, names, types, array sizes and patterns of each FILE and of what it
imports, and prints every error and every lint. The exit status is 1 if there is an error. Lints
alone do not change it.

With --rules, the command also tests each definition of a FILE that uses a rule of
` + "`withDerivative`" + `, ` + "`withPullback`" + `, ` + "`fromDerivatives`" + ` or ` + "`withEnclosure`" + `. It differentiates the
definition up to the third order and compares the rule with its function. The points are usual
numbers, numbers between 1e-8 and 1e8 of either sign, special numbers such as 0 and 1, and
arrays of up to 100 elements. For each order it prints the number of comparisons and the
largest difference. A wrong rule is an error.

Examples:
  fluxion check examples/*.flx
  fluxion check --rules program.flx
  fluxion check --json program.flx`,
		flags: func(flags *flag.FlagSet) {
			budget.registerTimeout(flags)
			budget.registerMemory(flags)
			access.register(flags)
			flags.BoolVar(&rules, "rules", false,
				"compare rules for derivatives and enclosures with their functions")
		},
		run: func(ctx context.Context, c *call) int {
			if len(c.args) == 0 {
				return c.usage(errors.New("give at least one file"))
			}
			ctx, stop := budget.within(ctx)
			defer stop()
			var list diag.List
			w := world().Until(ctx)
			w.Data.Memory = int64(budget.memory)
			w.Data.Folders = access.folders
			w.OnlyCheck = !rules
			settings := driver.Settings{Limits: interp.DefaultLimits()}
			settings.Limits.Memory = int64(budget.memory)
			settings.Timeout = pointTimeout
			var compared []driver.Ruled
			partial(ctx)
			for _, file := range c.args {
				unit := w.LoadFile(file, &list)
				if rules && unit != nil && unit.Core != nil {
					compared = append(compared, w.CheckRules(ctx, unit, settings, &list)...)
				}
			}
			whole(ctx)
			if !c.json {
				c.showRules(compared)
			}
			status := c.report(&list)
			if !c.json && status == exitFailed {
				fmt.Fprintln(c.err, count(list.Errors(), "error"))
			}
			return status
		},
	}
}

// pointTimeout bounds the time for the derivative at one point.
const pointTimeout = 10 * time.Second

// showRules prints what the comparison found out about the rules that each definition uses.
func (c *call) showRules(list []driver.Ruled) {
	for _, r := range list {
		if r.Wrong {
			fmt.Fprintf(c.out, "%s: a rule is wrong\n", r.Name)
			continue
		}
		if r.Points == 0 {
			fmt.Fprintf(c.out, "%s: no rule was compared: %s\n", r.Name, r.Because)
			continue
		}
		fmt.Fprintf(c.out, "%s: %s compared at %s\n", r.Name, count(r.Rules, "rule"),
			count(r.Points, "point"))
		if r.Values > 0 {
			fmt.Fprintf(c.out, "  values: %s with an enclosure\n", count(r.Values, "comparison"))
		}
		for k, o := range r.Orders {
			fmt.Fprintf(c.out, "  order %d: %s, apart by at most %.1g of the largest component\n",
				k+1, count(o.Times, "comparison"), o.Off)
		}
		if r.Longer > 0 {
			fmt.Fprintf(c.out, "  numbers of sizes %.1g to %.1g, arguments of %d to %d reals\n",
				r.Least, r.Largest, r.Shorter, r.Longer)
		}
	}
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
