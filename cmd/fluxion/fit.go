package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/fit"
)

func fitCommand() *command {
	var budget budgetFlags
	o := fit.Options{Kind: fit.Prediction, Level: 0.95, Seed: 1, Chains: 4, Draws: 1000}
	checkpoint := fit.Checkpoint{Every: time.Second}
	certify, out := false, ""
	return &command{
		name:    "fit",
		args:    "FILE --fn MODEL --data FILE -y COLUMN [--start EXPR]",
		summary: "fit the parameters of a model to data",
		help: `Estimates the parameters of a model from data. The model is a function of the
program. Its first argument is the parameters, of any structure. Its other arguments are columns
of the data, by their names. The model is one of

  a prediction       of the column that -y names; the fit minimises the squared errors
  a loss             of a row, with --loss; the fit minimises it
  a log-likelihood   of a row, with --log-likelihood; the fit maximises it

If an argument is an array, it receives the whole column, and the model describes all rows at
once. With --per-row, an array is the cell of one row. If an argument is a record, it receives
the columns that are its fields. --set gives a value to an argument that is not a column.

The fit starts at --start, or at the definition ` + "`start`" + ` of the program. --method chooses how the
fit searches: lm (Levenberg–Marquardt), newton (with a trust region), lbfgs, adam or sgd (with
--batch). Without --method, the command chooses one that suits the model. --method nuts draws
from the posterior density instead (--chains, --draws, --warmup), and reports R-hat and
effective sample sizes.

--bound b1=0:10 and --positive b1 keep parameters within bounds. --prior 'b1=normal 0 10' adds
a prior density. --robust huber|soft-l1|cauchy|welsch|tukey bounds the influence of outliers.
--starts N tries N starting points.

The report has estimates, standard errors and confidence intervals from the exact Hessian,
profiles (--profile b1, or all), diagnostics of the residuals, and warnings for parameters that
the data does not determine. Ctrl-C ends the fit and reports the best parameters so far.
--checkpoint FILE keeps the state of the fit in a file. With --resume, the next run continues
from that file, bit for bit.

--out fit.svg draws the data, the fit with its band, the residuals and the loss.

--certify proves by interval arithmetic (Krawczyk's method) that there is exactly one minimum
near the estimate, and prints the certain digits of all estimates and standard errors. With
--global, it also proves which minimum is the least in a box, --box b1=0..10 for each parameter,
by branch and bound. If the fit ended at another one, the least one is the estimate. Parameters
in which a prediction is linear cost nothing: they are eliminated. Ctrl-C or --timeout ends the
search with what is proved by then.

Examples:
  fluxion fit misra.flx --fn model --data misra.csv -y y --start '{b1 = 500, b2 = 0.0001}'
  fluxion fit growth.flx --fn size --data growth.csv -y size --positive rate --json`,
		flags: func(flags *flag.FlagSet) {
			fitFlags(flags, &o)
			flags.BoolVar(&certify, "certify", false,
				"prove that there is one minimum near the estimate, and print its certain digits")
			flags.Func("out", "draw the fit in `FILE`, which ends in .svg or .png",
				pictureName(&out))
			flags.StringVar(&checkpoint.Path, "checkpoint", "",
				"write the state of the fit to `FILE` while it runs")
			flags.BoolVar(&checkpoint.Resume, "resume", false,
				"continue from the file of --checkpoint, if it exists")
			flags.DurationVar(&checkpoint.Every, "checkpoint-every", time.Second,
				"write the checkpoint every `TIME`, such as 500ms or 5m")
			flags.BoolVar(&o.Global, "global", false,
				"prove as well which minimum is the least in the box of --box and --bound")
			budget.registerLimits(flags)
			budget.registerEngine(flags)
			budget.access.register(flags)
		},
		run: func(ctx context.Context, c *call) int {
			if len(c.args) != 1 || o.Function == "" {
				return c.usage(errors.New("give a file and --fn"))
			}
			if checkpoint.Resume && checkpoint.Path == "" {
				return c.usage(errors.New("--resume needs --checkpoint"))
			}
			if o.Global && !certify {
				return c.usage(errors.New("--global needs --certify"))
			}
			if len(o.Box) > 0 && !o.Global {
				return c.usage(errors.New("--box needs --certify --global"))
			}
			if certify && o.Method == "nuts" {
				return c.usage(
					errors.New("--certify proves a minimum, and nuts draws from a posterior"))
			}
			if d := writable(out); d != nil {
				return c.fail(d)
			}
			return c.fit(ctx, c.args[0], o, certify, out, &budget, &checkpoint)
		},
	}
}

// fitFlags registers the flags that say what is fitted, and how.
func fitFlags(flags *flag.FlagSet, o *fit.Options) {
	named := func(list *[]fit.Given, example string) func(string) error {
		return func(text string) error {
			name, value, ok := strings.Cut(text, "=")
			if !ok || name == "" || strings.TrimSpace(value) == "" {
				return fmt.Errorf("`%s` should be NAME=…, such as %s", text, example)
			}
			*list = append(*list, fit.Given{Name: strings.TrimSpace(name), Text: value})
			return nil
		}
	}
	words := func(list *[]string) func(string) error {
		return func(text string) error {
			for word := range strings.SplitSeq(text, ",") {
				*list = append(*list, strings.TrimSpace(word))
			}
			return nil
		}
	}
	oneOf := func(to *string, what string, names []string) func(string) error {
		return func(text string) error {
			if !slices.Contains(names, text) {
				return fmt.Errorf("`%s` is not %s; there are %s", text, what,
					strings.Join(names, ", "))
			}
			*to = text
			return nil
		}
	}
	kind := func(k fit.Kind) func(string) error {
		return func(string) error { o.Kind = k; return nil }
	}
	flags.StringVar(&o.Function, "fn", "", "fit the function `NAME` of the program")
	flags.Func("data",
		"read the data from `FILE`, or from standard input if it is -; repeated, join the rows "+
			"of all",
		func(path string) error {
			o.Data = append(o.Data, path)
			return nil
		})
	flags.Func("y",
		"predict the column `COLUMN`; a model that returns a tuple predicts several, as a,b",
		words(&o.Response))
	flags.BoolFunc("loss", "minimise what the model returns, which is a loss", kind(fit.Loss))
	flags.BoolFunc("log-likelihood",
		"maximise what the model returns, which is a log-likelihood", kind(fit.LogLikelihood))
	flags.StringVar(&o.Start, "start", "",
		"start at the parameters `EXPR` (default start, a definition of the program)")
	flags.Func("set",
		"give an argument of the model the value of an expression, by `NAME=EXPR`; may be repeated",
		named(&o.Set, "rate=0.1"))
	flags.BoolVar(&o.PerRow, "per-row", false,
		"give the model one row at a time, where an array is a cell")
	flags.StringVar(&o.Weight, "weight", "", "weight each row by the number in the column `COLUMN`")
	flags.StringVar(&o.Sigma, "sigma", "",
		"take the standard deviations of the response from `COLUMN`, or use a number for all rows")
	flags.Func("robust",
		"bound the influence of outliers by `LOSS`: "+strings.Join(fit.RobustNames(), ", "),
		oneOf(&o.Robust, "a robust loss", fit.RobustNames()))
	flags.Func("scale",
		"treat residuals above `SIZE` as outliers (default estimated)",
		positiveNumber(&o.Scale))
	flags.Func("bound", "keep a parameter within bounds, by `NAME=LO:HI`, NAME=LO: or NAME=:HI",
		named(&o.Bounds, "b1=0:10"))
	flags.Func("positive", "keep the parameters `NAME,…` positive", func(text string) error {
		for name := range strings.SplitSeq(text, ",") {
			o.Bounds = append(o.Bounds, fit.Given{Name: strings.TrimSpace(name), Text: "0:"})
		}
		return nil
	})
	flags.Func("box",
		"seek the least minimum between numbers, by `NAME=LO..HI` (default those of --bound)",
		named(&o.Box, "b1=0..10"))
	flags.Func("prior",
		"give a parameter a prior density, by `NAME=DISTRIBUTION`, such as b1=normal 0 10",
		named(&o.Priors, "'b1=normal 0 10'"))
	flags.Func("hold", "keep the parameters `NAME,…` at their starting values", words(&o.Hold))
	flags.Func("method", "fit by the method `NAME`: "+strings.Join(fit.MethodNames(), ", ")+
		" (default one that suits the model)",
		oneOf(&o.Method, "a method", fit.MethodNames()))
	flags.Var((*positive)(&o.Iterations), "iterations",
		"stop after `N` iterations (default depends on the method)")
	flags.Func("rate", "start adam and sgd with steps of `SIZE`", positiveNumber(&o.Rate))
	flags.Var((*positive)(&o.Batch), "batch",
		"use `N` rows for each step of adam and sgd (default all rows)")
	flags.Var((*positive)(&o.Starts), "starts",
		"try `N` starting points: the given one, and random ones")
	flags.Uint64Var(&o.Seed, "seed", 1,
		"seed random numbers with `N`, so that a run can be repeated")
	flags.Func("level",
		"compute confidence intervals of the level `P`, between 0 and 1 (default 0.95)",
		func(text string) (err error) {
			if o.Level, err = strconv.ParseFloat(text, 64); err != nil ||
				!(o.Level > 0 && o.Level < 1) {
				return fmt.Errorf("`%s` is not between 0 and 1", text)
			}
			return nil
		})
	flags.Var((*positive)(&o.Chains), "chains", "run `N` chains of nuts")
	flags.Var((*positive)(&o.Draws), "draws", "keep `N` draws of each chain of nuts")
	flags.Var((*positive)(&o.Warmup), "warmup",
		"adapt nuts in `N` draws of each chain before those that are kept (default as many)")
	flags.Func("profile",
		"compute profile likelihoods of the parameters `NAME,…`; all stands for every one",
		words(&o.Profile))
}

// positiveNumber returns the parser of a flag whose value is a positive number.
func positiveNumber(to *float64) func(string) error {
	return func(text string) (err error) {
		if *to, err = strconv.ParseFloat(text, 64); err != nil || !(*to > 0) || math.IsInf(*to, 1) {
			return fmt.Errorf("`%s` is not a positive number", text)
		}
		return nil
	}
}

// fit fits a model and prints the report.
func (c *call) fit(ctx context.Context, file string, o fit.Options, certify bool, out string,
	budget *budgetFlags, checkpoint *fit.Checkpoint) int {
	ctx, stop := budget.within(ctx)
	defer stop()
	var list diag.List
	w := budget.world(ctx, c, true)
	unit := w.LoadFile(file, &list)
	if unit == nil || list.Failed() {
		return c.report(&list)
	}
	settings := budget.settings()
	control := fit.Control{}
	if checkpoint.Path != "" {
		control.Checkpoint = checkpoint
	}
	watch, done := c.fitProgress()
	control.Watch = watch
	partial(ctx)
	result := fit.Fit(ctx, w, unit, o, settings, control, &list)
	done()
	if result == nil {
		return c.report(&list)
	}
	if o.Global && ctx.Err() == nil {
		watch, done := c.searchProgress()
		list.Add(result.Globally(ctx, watch))
		done()
	}
	if certify && ctx.Err() == nil && !list.Failed() {
		unproved := result.Certify(ctx)
		if unproved == nil {
			for _, warning := range result.Certificate.Warnings {
				list.Add(warning)
			}
		}
		list.Add(unproved)
	}
	whole(ctx)
	if out != "" {
		list.Add(drawTo(out, result.Figure(ctx)))
	}
	if c.json {
		answer := result.JSON()
		answer["diagnostics"] = nonNil(list.Sorted())
		c.printJSON(answer)
	} else {
		result.Write(c.out)
	}
	if len(list.Sorted()) > 0 && !c.json {
		c.report(&list)
	}
	if !result.Ended() || list.Failed() {
		return exitFailed
	}
	return exitOK
}

// searchProgress shows on a terminal how far a search for the least minimum has come.
func (c *call) searchProgress() (func(*exact.Least), func()) {
	if !c.errTTY {
		return nil, func() {}
	}
	return func(l *exact.Least) {
			fmt.Fprintf(c.err, "\r\x1b[K%d boxes searched, %d left: the least value is in "+
				"[%s, %s] (Ctrl-C ends it)", l.Boxes, len(l.Open), l.Value.Lo.Text('g', 8),
				l.Value.Hi.Text('g', 8))
		}, func() {
			fmt.Fprint(c.err, "\r\x1b[K")
		}
}

// fitProgress shows on a terminal how far a fit has come.
func (c *call) fitProgress() (func(fit.Progress), func()) {
	if !c.errTTY {
		return nil, func() {}
	}
	var last atomic.Int64
	shown := false
	began := time.Now()
	return func(p fit.Progress) {
			now := time.Since(began).Milliseconds()
			if now < 300 || now-last.Load() < 100 {
				return
			}
			last.Store(now)
			shown = true
			start := ""
			if p.Starts > 1 {
				start = fmt.Sprintf("start %d of %d, ", p.Start, p.Starts)
			}
			last := ""
			if p.Last > 0 {
				last = fmt.Sprintf(" of %d", p.Last)
			}
			fmt.Fprintf(c.err,
				"\r\x1b[K%siteration %d%s: loss %.8g, gradient %.2e, %.0f iterations/s (Ctrl-C "+
					"ends it)",
				start, p.Iteration, last, p.Loss, p.Gradient, p.Rate)
		}, func() {
			if shown {
				fmt.Fprint(c.err, "\r\x1b[K")
			}
		}
}
