package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/boxes"
	"github.com/fluxion-lang/fluxion/internal/diag"
)

func solveCommand() *command {
	var budget budgetFlags
	var given givenFlags
	var o boxes.Options
	out := ""
	return &command{
		name:    "solve",
		args:    "FILE --fn NAME --box NAME=LO..HI… [--roots|--root|--min|--max]",
		summary: "find all roots, or the optimum, of a function in a box",
		help: `Searches a box for the roots of the function NAME of FILE, or for its least or
greatest value, and proves that there are no others.

The unknowns are the reals that the function takes: its parameters, and the fields, components
and elements of these. Each has a range. --box x=-1..1 is that of the parameter or field x, or of
all reals in it. --box 'x=[0, 1]..[2, 3]' has an end for each. Other arguments have values, by
--set rate=0.1 or --data rows=FILE.

  --roots   all places where the function is zero. It returns as many reals as there are unknowns
  --root    the only such place
  --min     the least value of a function that returns a Real, and the place where it is reached
  --max     the greatest one
  --where g the optimum of those points where no real of what g gives is negative. It is a
            function of FILE that takes what NAME takes

Without these, --roots is meant. Every number is printed as an interval that certainly contains
it. A root on the edge of the box, a double root, or an optimum that is reached at several places
is an error, which says what was found.

The search ends at --timeout or Ctrl-C with what is proved by then: the roots, bounds of the
optimum, and where others may be. The exit status is 1. With --unproved that is an answer: the
command warns that it is not proved.

--out boxes.svg draws the boxes of a search for two unknowns: what is excluded, not decided,
and found.

Examples:
  fluxion solve circle.flx --fn f --box x=-2..2 --box y=-2..2
  fluxion solve camel.flx --fn f --min --box p=-3..3 --digits 20 --out camel.svg
  fluxion solve plan.flx --fn cost --min --where limits --box x=0..9
  fluxion solve model.flx --fn loss --min --box rate=0..1 --set depth=3 --timeout 1m`,
		flags: func(flags *flag.FlagSet) {
			flags.StringVar(&o.Function, "fn", "", "search the function `NAME` of FILE")
			flags.Func("box", "search between two numbers, by `NAME=LO..HI`; may be repeated",
				func(text string) error {
					name, ends, ok := strings.Cut(text, "=")
					if !ok || name == "" || !strings.Contains(ends, "..") {
						return fmt.Errorf("`%s` is not a range; write --box x=-1..1", text)
					}
					o.Ranges = append(o.Ranges,
						boxes.Given{Name: strings.TrimSpace(name), Text: ends})
					return nil
				})
			for _, q := range []struct {
				is    boxes.Question
				usage string
			}{
				{boxes.All, "find all roots"}, {boxes.One, "find the only root"},
				{boxes.Least, "find the least value"}, {boxes.Greatest, "find the greatest value"},
			} {
				name := map[boxes.Question]string{boxes.All: "roots", boxes.One: "root",
					boxes.Least: "min", boxes.Greatest: "max"}[q.is]
				flags.BoolFunc(name, q.usage, func(string) error {
					if o.Question != boxes.Unasked && o.Question != q.is {
						return errors.New("ask for one of --roots, --root, --min and --max")
					}
					o.Question = q.is
					return nil
				})
			}
			flags.StringVar(&o.Where, "where", "",
				"seek the optimum where no real that the function `NAME` gives is negative")
			given.register(flags, "the function")
			o.Eps = defaultEps()
			tolerance(flags, &o.Eps,
				"enclose every number in an interval at most `E` wide (default 1e-10)",
				"find `N` digits after the point; the same as --eps 1e-N")
			flags.BoolVar(&o.Unproved, "unproved", false,
				"accept the best that is found in the time, with a warning")
			flags.Func("out", "draw the boxes in `FILE`, which ends in .svg or .png",
				pictureName(&out))
			budget.registerLimits(flags)
			budget.access.register(flags)
		},
		run: func(ctx context.Context, c *call) int {
			switch {
			case len(c.args) != 1 || o.Function == "":
				return c.usage(errors.New("give a file and --fn"))
			case len(o.Ranges) == 0:
				return c.usage(errors.New("give the range of each unknown: --box x=-1..1"))
			}
			if d := writable(out); d != nil {
				return c.fail(d)
			}
			o.Set, o.Picture = given.arguments, out != ""
			return c.solve(ctx, c.args[0], o, out, &budget)
		},
	}
}

// solve searches and prints the report.
func (c *call) solve(
	ctx context.Context, file string, o boxes.Options, out string, budget *budgetFlags,
) int {
	ctx, stop := budget.within(ctx)
	defer stop()
	var list diag.List
	w := budget.world(ctx, c, true)
	unit := w.LoadFile(file, &list)
	if unit == nil || list.Failed() {
		return c.report(&list)
	}
	var done func()
	o.Watch, done = c.progress(false)
	partial(ctx)
	result := boxes.Solve(ctx, w, unit, o, budget.settings(), &list)
	done()
	whole(ctx)
	if result == nil {
		return c.report(&list)
	}
	if out != "" {
		list.Add(drawTo(out, result.Figure()))
	}
	if c.json {
		answer := result.JSON()
		answer["diagnostics"] = nonNil(list.Sorted())
		c.printJSON(answer)
	} else {
		result.Write(c.out)
		c.report(&list)
	}
	if list.Failed() {
		return exitFailed
	}
	return exitOK
}
