package main

import (
	"context"
	"errors"
	"flag"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/data"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/value"
)

func evalCommand() *command {
	var file string
	var budget budgetFlags
	var exactly exactFlags
	return &command{
		name:    "eval",
		args:    "[-f FILE] EXPR",
		summary: "evaluate an expression",
		help: `Evaluates EXPR and prints its value as Fluxion would write it. Reals are doubles.
Each is printed with the fewest digits that read back to the same double. With --eps, --digits
or --exact, reals are real numbers. Each is printed as an interval that certainly contains it.

With --certify, EXPR is evaluated on doubles first and then over intervals. The command prints
the value, an interval that contains the exact result, and the number of digits that are certain.

With -f, EXPR can use what FILE defines and imports. The modules of the library need no import
here.

Examples:
  fluxion eval '1/3 + 0.5'
  fluxion eval 'sum [real i ^ 2 for i < 10]'
  fluxion eval 'linalg.solve [[2, 1], [1, 3]] [3, 5]'
  fluxion eval --eps 1e-30 'deriv (fun x => x ** x) 2'
  fluxion eval -f examples/descent.flx 'loss 2'
  fluxion eval --timeout 2s --memory 1GiB 'sum (iota 1000000)'`,
		flags: func(flags *flag.FlagSet) {
			flags.StringVar(&file, "f", "",
				"evaluate EXPR with the definitions and imports of `FILE`")
			budget.register(flags)
			exactly.register(flags)
		},
		run: func(ctx context.Context, c *call) int {
			if len(c.args) != 1 {
				return c.usage(errors.New("give one expression, in quotes"))
			}
			ctx, stop := budget.within(ctx)
			defer stop()
			var list diag.List
			w := budget.world(ctx, c, exactly.wanted())
			var open []*driver.Unit
			if file != "" {
				unit := w.LoadFile(file, &list)
				if unit == nil || unit.Core == nil {
					return c.report(&list)
				}
				open = append(open, unit)
			}
			unit := w.LoadText("<expression>", c.args[0], open, &list)
			return c.evaluate(ctx, unit, &list, &budget, &exactly)
		},
	}
}

func runCommand() *command {
	var budget budgetFlags
	var given givenFlags
	var exactly exactFlags
	return &command{
		name:    "run",
		args:    "FILE",
		summary: "run a file",
		help: `Evaluates the expression that FILE ends with and prints the value. If FILE ends with a
definition, its ` + "`main`" + ` is evaluated. A FILE of - is standard input.

If ` + "`main`" + ` has parameters, flags give them by name. --data rows=people.csv reads the parameter
rows from a data file, by its type. --set rate=0.1 gives the parameter rate the value of an
expression. The extension of a data file names its format: CSV, TSV, JSON, JSON lines, NumPy or
Parquet, also compressed (.gz, .zst). ` + "`fluxion data FILE`" + ` shows the type of a file. --out
writes the result to a file, in the same formats or as a picture.

Examples:
  fluxion run examples/descent.flx
  fluxion run --json examples/descent.flx
  fluxion run --digits 20 examples/descent.flx
  fluxion run --certify examples/descent.flx
  fluxion run --out picture.png examples/render.flx
  fluxion run --data rows=people.csv --set rate=0.1 model.flx
  fluxion run --out weights=w.npy --out losses=losses.csv model.flx
  echo 'sqrt 2' | fluxion run -`,
		flags: func(flags *flag.FlagSet) {
			given.register(flags, "main")
			budget.register(flags)
			exactly.register(flags)
		},
		run: func(ctx context.Context, c *call) int {
			if len(c.args) != 1 {
				return c.usage(errors.New("give one file"))
			}
			ctx, stop := budget.within(ctx)
			defer stop()
			var list diag.List
			w := budget.world(ctx, c, exactly.wanted())
			unit := w.LoadFile(c.args[0], &list)
			if unit != nil && !list.Failed() {
				unit = w.Apply(unit, given.arguments, &list)
			}
			return c.evaluate(ctx, unit, &list, &budget, &exactly)
		},
	}
}

// evaluate runs a loaded unit and prints its value or its errors.
func (c *call) evaluate(ctx context.Context, unit *driver.Unit, list *diag.List,
	budget *budgetFlags, exactly *exactFlags) int {
	pictures := slices.ContainsFunc(budget.outputs, func(o output) bool {
		return !data.Writable(o.file)
	})
	switch {
	case exactly.certify && (exactly.eps != nil || len(budget.outputs) > 0):
		return c.usage(
			errors.New("--certify is about doubles: leave --eps, --digits, --exact and --out out"))
	case exactly.eps != nil && pictures:
		return c.usage(
			errors.New("pictures are drawn of doubles: leave --eps, --digits and --exact out"))
	case exactly.eps != nil:
		return c.evaluateExactly(ctx, unit, list, budget, exactly)
	case exactly.stream:
		return c.usage(errStream)
	case exactly.certify:
		return c.evaluateCertified(ctx, unit, list, budget)
	}
	if unit == nil || list.Failed() {
		return c.report(list)
	}
	settings := budget.settings()
	var done func()
	settings.Watch, done = c.progress(budget.progress)
	settings.Debug = c.debugLine
	result, d := driver.Run(ctx, unit, settings)
	done()
	if d != nil {
		list.Add(d)
		return c.report(list)
	}
	if status := c.write(budget.outputs, result); status != exitOK {
		return status
	}
	if c.json {
		c.printJSON(map[string]any{
			"value": value.JSON(result.Value), "text": value.Show(result.Value),
			"type":        result.Type,
			"diagnostics": nonNil(list.Sorted()),
		})
		return exitOK
	}
	c.report(list) // warnings
	if err := c.show(result, budget.outputs); err != nil {
		return c.fail(diag.Errorf(diag.CannotWrite, diag.Span{}, "%v", err))
	}
	return exitOK
}
