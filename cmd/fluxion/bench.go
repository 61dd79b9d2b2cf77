package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fluxion-lang/fluxion/bench"
	"github.com/fluxion-lang/fluxion/bench/suite"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/lab"
	"github.com/fluxion-lang/fluxion/internal/stop"
)

func benchCommand() *command {
	var b benchFlags
	return &command{
		name: "bench",
		args: "FILE --fn NAME --at VALUE [--grad] [--cotangent VALUE] | suite [--only GLOB] " +
			"[--data DIR] [--peers SYSTEMS]",
		summary: "measure a function and its gradient",
		help: `Measures the function NAME of FILE at a point, on every engine or on the one that
--engine names. It prints the shortest time of many runs, the primitive operations that one run
executes, and the memory that it allocates. The interpreter counts operations and memory. With
--grad, it prints the same for the gradient, and the ratios. Times do not include compiling.

The arguments of a curried function are one tuple. If the function does not return a Real,
--cotangent gives the value that its derivative is multiplied with.

` + "`fluxion bench suite`" + ` measures the programs of the project's own benchmarks. If a C compiler is
installed (gcc, or the one that CC names), it measures the same functions and gradients in C
and compares the gradients: max_rel_err is the largest |Δ| / (|ref| + 1e-6 max |ref|). Some
programs take inputs from ADBench's files if --data names their folder, and otherwise made-up
inputs of the same shapes. --peers jax,torch measures the same programs in JAX and PyTorch.
--peers gcc prints the loop form that machine code is made from as C, and compiles it with gcc.

Examples:
  fluxion bench examples/descent.flx --fn loss --at 2 --grad
  fluxion bench suite --only 'gmm_*'
  fluxion bench suite --engine jit --peers gcc
  fluxion bench suite --json > table.json`,
		words: []string{"suite"},
		flags: b.register,
		run: func(ctx context.Context, c *call) int {
			if len(c.args) != 1 {
				return c.usage(errors.New("give a file, --fn and --at, or `suite`"))
			}
			ctx, stop := b.budget.within(ctx)
			defer stop()
			if c.args[0] == "suite" {
				return b.suite(ctx, c)
			}
			if b.e.Fun == "" || b.e.At == "" {
				return c.usage(errors.New("give a file, --fn and --at"))
			}
			return b.function(ctx, c)
		},
	}
}

// benchFlags holds the flags of `fluxion bench`.
type benchFlags struct {
	e      lab.Experiment
	grad   bool
	engine string
	time   time.Duration
	budget budgetFlags

	only, data, peers, python string // for the suite
}

func (b *benchFlags) register(flags *flag.FlagSet) {
	flags.StringVar(&b.e.Fun, "fn", "", "measure the function `NAME` of FILE")
	flags.StringVar(&b.e.At, "at", "", "evaluate at the point `VALUE`, any expression")
	flags.StringVar(&b.e.Cotangent, "cotangent", "",
		"multiply the derivative with `VALUE` (default 1, if the function returns a Real)")
	flags.BoolVar(&b.grad, "grad", false, "measure the gradient too")
	flags.StringVar(&b.engine, "engine", "",
		"measure the engine `NAME` alone (default every engine)")
	flags.DurationVar(&b.time, "time", time.Second, "measure each engine for about `TIME`")
	flags.StringVar(&b.only, "only", "",
		"measure only those instances of the suite whose names match `GLOB`")
	flags.StringVar(&b.peers, "peers", "",
		"measure the suite in these `SYSTEMS` too: one or more of "+
			strings.Join(suite.Peers, ", ")+", separated by commas")
	flags.StringVar(&b.python, "python", "python3",
		"run the peers that are written in Python with `PROGRAM`")
	flags.StringVar(&b.data, "data", "",
		"read inputs of the suite from ADBench's files in `DIR` (default made-up inputs)")
	b.budget.register(flags)
	b.budget.oneThread(flags)
}

// engines returns the engines to measure.
func (b *benchFlags) engines() ([]string, error) {
	all := driver.Engines()
	if b.engine == "" {
		return all, nil
	}
	if !slices.Contains(all, b.engine) {
		return nil, fmt.Errorf("there is no engine `%s`; there are %s", b.engine,
			strings.Join(all, ", "))
	}
	return []string{b.engine}, nil
}

// benchRow is the measurement of a function on one engine.
type benchRow struct {
	Engine string     `json:"engine"`
	Primal benchCost  `json:"primal"`
	Grad   *benchCost `json:"grad,omitempty"`
	Ratio  float64    `json:"ratio,omitempty"` // of the gradient's time to the value's
}

// benchCost is the cost of one run.
type benchCost struct {
	Milliseconds float64 `json:"ms"`
	Operations   int64   `json:"operations"`
	Bytes        int64   `json:"bytes"`
}

// function measures a function of a file.
func (b *benchFlags) function(ctx context.Context, c *call) int {
	engines, err := b.engines()
	if err != nil {
		return c.usage(err)
	}
	var list diag.List
	w := b.budget.world(ctx, c, false)
	if b.e.Unit = w.LoadFile(c.args[0], &list); b.e.Unit == nil || list.Failed() {
		return c.report(&list)
	}
	var rows []benchRow
	for _, engine := range engines {
		row := b.measure(ctx, w, engine, &list)
		if list.Failed() {
			return c.report(&list)
		}
		rows = append(rows, row)
	}
	if c.json {
		c.printJSON(rows)
		return exitOK
	}
	fmt.Fprint(c.out, benchTable(rows))
	return exitOK
}

// measure measures the function on one engine. Operations are counted in separate runs.
func (b *benchFlags) measure(ctx context.Context, w *driver.World, engine string,
	sink *diag.List) benchRow {
	e := b.e
	e.Settings = b.budget.settings()
	e.Settings.Engine = engine
	names := []string{lab.SubjectValue}
	if b.grad {
		names = append(names, lab.SubjectGradient)
	}
	subject := lab.NewSubject(ctx, w, e, b.grad, sink)
	if subject == nil {
		return benchRow{}
	}
	e.Settings.Engine, e.Settings.Compile.Count = "interp", true
	counted := lab.NewSubject(ctx, w, e, b.grad, sink)
	var runs []func() (time.Duration, *diag.Diagnostic)
	costs := make([]benchCost, len(names))
	for k, name := range names {
		for range 2 { // the first run evaluates the constants of the program
			if _, d := counted.Run(ctx, name); d != nil {
				sink.Add(d)
				return benchRow{}
			}
		}
		stats := counted.Stats()
		costs[k].Operations, costs[k].Bytes = stats.Prims+stats.Swept, stats.Bytes
		runs = append(runs, func() (time.Duration, *diag.Diagnostic) {
			start := time.Now()
			_, d := subject.Run(ctx, name)
			return time.Since(start), d
		})
	}
	times, d := bench.Measure(b.time, runs...)
	if d != nil {
		sink.Add(d)
		return benchRow{}
	}
	for k, t := range times {
		costs[k].Milliseconds = bench.Milliseconds(t)
	}
	row := benchRow{Engine: engine, Primal: costs[0]}
	if b.grad {
		row.Grad, row.Ratio = &costs[1], costs[1].Milliseconds/costs[0].Milliseconds
	}
	return row
}

// benchTable lays out what was measured.
func benchTable(rows []benchRow) string {
	lines := [][]string{{"engine", "", "time", "operations", "memory"}}
	for _, r := range rows {
		line := func(what string, c benchCost) {
			lines = append(lines, []string{r.Engine, what, milliseconds(c.Milliseconds),
				strconv.FormatInt(c.Operations, 10), formatBytes(c.Bytes)})
		}
		line("value", r.Primal)
		if r.Grad != nil {
			line("gradient", *r.Grad)
			quotient := float64(r.Grad.Operations) / float64(max(r.Primal.Operations, 1))
			lines = append(lines, []string{r.Engine, "ratio", fmt.Sprintf("%.2f", r.Ratio),
				fmt.Sprintf("%.2f", quotient), ""})
		}
	}
	return alignColumns(lines)
}

// milliseconds writes a time with three digits.
func milliseconds(ms float64) string { return fmt.Sprintf("%.3g ms", ms) }

// suite measures the instances of the suite and prints each as soon as it is measured.
func (b *benchFlags) suite(ctx context.Context, c *call) int {
	engines, err := b.engines()
	if err != nil {
		return c.usage(err)
	}
	names, err := suite.Match(b.only)
	switch {
	case err != nil:
		return c.usage(fmt.Errorf("--only `%s`: %w", b.only, err))
	case len(names) == 0:
		return c.usage(fmt.Errorf("no instance matches `%s`", b.only))
	case b.e.Fun != "" || b.e.At != "" || b.grad || b.e.Cotangent != "":
		return c.usage(errors.New(
			"the suite has its own functions: leave --fn, --at, --grad and --cotangent out"))
	}
	runner := suite.Runner{Settings: b.budget.settings(), Data: b.data, Time: b.time}
	defer runner.Close()
	if b.peers != "" {
		systems := strings.Split(b.peers, ",")
		for _, s := range systems {
			if !slices.Contains(suite.Peers, s) {
				return c.usage(fmt.Errorf("--peers: there is no `%s`; there are %s", s,
					strings.Join(suite.Peers, ", ")))
			}
		}
		if err := runner.Compare(ctx, b.python, systems); err != nil {
			return c.usage(fmt.Errorf("--peers: %w", err))
		}
	}
	all := []suite.Row{}
	if !c.json {
		fmt.Fprintf(c.out, suiteLine, "instance", "engine", "value", "gradient", "ratio", "C",
			"C gradient", "÷ C", "error")
	}
	for _, name := range names {
		rows, err := runner.Run(ctx, name, engines)
		switch {
		case ctx.Err() != nil:
			return c.fail(stop.Why(ctx))
		case err != nil:
			return c.fail(diag.Errorf(diag.CannotRead, diag.Span{}, "%s: %v", name, err))
		}
		all = append(all, rows...)
		for _, r := range rows {
			if !c.json {
				fmt.Fprint(c.out, suiteRow(r))
			}
		}
	}
	if c.json {
		c.printJSON(all)
	} else if q, some := suite.Quotients(all, "jit", suite.Printed); some {
		fmt.Fprintf(c.out, "jit ÷ %s: %.2f in geometric mean, at most %.2f (%s)\n", suite.Printed,
			q.Mean, q.Largest, q.Instance)
	}
	for _, r := range all {
		if r.Failure != "" || r.Error != nil && *r.Error > suite.Tolerance {
			return exitFailed
		}
	}
	return exitOK
}

const suiteLine = "%-18s %-9s %9s %9s %6s %9s %10s %7s %8s\n"

// suiteRow returns a line of the table. Times are in milliseconds.
func suiteRow(r suite.Row) string {
	number := func(x *float64, format string) string {
		if x == nil {
			return "–"
		}
		return fmt.Sprintf(format, *x)
	}
	quotient := func(x, y *float64) *float64 {
		if x == nil || y == nil {
			return nil
		}
		return new(*x / *y)
	}
	line := fmt.Sprintf(suiteLine, r.Instance, r.Engine, number(r.Primal, "%.4g"),
		number(r.Grad, "%.4g"),
		number(quotient(r.Grad, r.Primal), "%.1f"), number(r.CPrimal, "%.4g"),
		number(r.CGrad, "%.4g"),
		number(quotient(r.Grad, r.CGrad), "%.3g"), number(r.Error, "%.1e"))
	if r.Failure != "" {
		line += "  " + r.Failure + "\n"
	}
	return line
}
