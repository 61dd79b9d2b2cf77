package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/big"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// exactFlags holds the flags for exact evaluation.
type exactFlags struct {
	eps     *big.Rat // the tolerance; nil for doubles
	stream  bool
	certify bool
}

// defaultEps returns the tolerance that --exact stands for.
func defaultEps() *big.Rat { return big.NewRat(1, 1e10) }

func (e *exactFlags) register(flags *flag.FlagSet) {
	tolerance(flags, &e.eps,
		"evaluate exactly: enclose every real in an interval at most `E` wide, such as 1e-10",
		"evaluate exactly, with `N` digits after the point; the same as --eps 1e-N")
	flags.BoolFunc("exact",
		"evaluate exactly, to --eps 1e-10 unless --eps or --digits says otherwise",
		func(text string) error {
			if text == "true" && e.eps == nil {
				e.eps = defaultEps()
			}
			return nil
		})
	flags.BoolVar(&e.certify, "certify", false,
		"evaluate on doubles, then enclose the result and say how many digits are certain")
	flags.BoolVar(&e.stream, "stream", false,
		"print each enclosure when it is reached; needs --exact, --eps or --digits")
}

// tolerance registers the flags that say how wide the intervals of an answer may be.
func tolerance(flags *flag.FlagSet, eps **big.Rat, usageEps, usageDigits string) {
	flags.Func("eps", usageEps, func(text string) (err error) {
		*eps, err = driver.ParseEps(text)
		return err
	})
	flags.Func("digits", usageDigits, func(text string) (err error) {
		*eps, err = driver.ParseDigits(text)
		return err
	})
}

// wanted reports whether exact evaluation was asked for.
func (e *exactFlags) wanted() bool { return e.eps != nil || e.certify }

// evaluateExactly runs a loaded unit and prints the enclosures of its value. If the run fails, it
// prints the best enclosures that were reached.
func (c *call) evaluateExactly(ctx context.Context, unit *driver.Unit, list *diag.List,
	budget *budgetFlags, e *exactFlags) int {
	if unit == nil || list.Failed() {
		return c.report(list)
	}
	watch, done := c.progress(false)
	settings := budget.settings()
	settings.Debug = c.debugLine
	last := ""
	partial(ctx)
	var boxes *exact.BoxWatch
	if watch != nil {
		boxes = &exact.BoxWatch{Tell: func(b exact.BoxSearch) { watch(b.Progress()) }}
	}
	result, d := driver.RunExact(ctx, unit, settings, driver.Exactly{Eps: e.eps, Stream: e.stream,
		Boxes: boxes,
		Watch: func(p exact.Progress) {
			if p.Value == nil || watch == nil && !e.stream {
				return
			}
			text := value.Show(p.Value)
			if watch != nil {
				watch(fmt.Sprintf("%d bits: %s", p.Bits, text))
			}
			if e.stream && !c.json && text != last {
				fmt.Fprintln(c.out, text)
			}
			last = text
		}})
	done()
	for _, warning := range result.Warnings {
		list.Add(warning)
	}
	list.Add(d)
	status := exitOK
	if list.Failed() {
		status = exitFailed
	}
	whole(ctx)
	if c.json {
		answer := map[string]any{"type": result.Type, "eps": e.eps.RatString(),
			"diagnostics": nonNil(list.Sorted())}
		if result.Value != nil {
			answer["value"], answer["text"] = value.JSON(result.Value), value.Show(result.Value)
		}
		c.printJSON(answer)
		return status
	}
	if result.Value != nil && d == nil && len(budget.outputs) > 0 {
		if failed := c.write(budget.outputs, result); failed != exitOK {
			return failed
		}
	} else if result.Value != nil && (!e.stream || value.Show(result.Value) != last) {
		fmt.Fprintln(c.out, value.Show(result.Value))
	}
	c.report(list)
	return status
}

// evaluateCertified runs a loaded unit on doubles. It prints the value, an enclosure of the true
// value, and how many digits are certain.
func (c *call) evaluateCertified(ctx context.Context, unit *driver.Unit, list *diag.List,
	budget *budgetFlags) int {
	if unit == nil || list.Failed() {
		return c.report(list)
	}
	settings := budget.settings()
	var done func()
	settings.Watch, done = c.progress(budget.progress)
	settings.Debug = c.debugLine
	partial(ctx)
	result, d := driver.RunCertified(ctx, unit, settings)
	done()
	for _, warning := range result.Warnings {
		list.Add(warning)
	}
	list.Add(d)
	status := exitOK
	if list.Failed() {
		status = exitFailed
	}
	whole(ctx)
	if c.json {
		answer := map[string]any{"type": result.Type, "diagnostics": nonNil(list.Sorted())}
		if result.Value != nil {
			answer["value"], answer["text"] = value.JSON(result.Value), value.Show(result.Value)
		}
		if result.Enclosed != nil {
			answer["enclosed"], answer["digits"], answer["outside"] = value.JSON(result.Enclosed),
				nonNil(result.Digits), result.Outside
		}
		c.printJSON(answer)
		return status
	}
	if result.Value != nil {
		fmt.Fprintln(c.out, value.Show(result.Value))
	}
	if result.Enclosed != nil {
		fmt.Fprintf(c.out, "%s\n%s\n", value.Show(result.Enclosed), result)
	}
	c.report(list)
	return status
}

var errStream = errors.New("--stream needs --exact, --eps or --digits")
