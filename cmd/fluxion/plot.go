package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/plot"
)

func plotCommand() *command {
	var budget budgetFlags
	var from, to float64 = 0, 1
	var out, file string
	var slope bool
	return &command{
		name:    "plot",
		args:    "EXPR",
		summary: "draw a function of a real",
		help: `Draws a function of a real and its derivative. Jumps are not joined by a line, kinks
are marked by a dot, and poles do not set the scale. Where the function fails, the curve has a
gap and a line below it. Without --out, the terminal shows the figure as text.

The command evaluates the function at 401 points, and at more where the curve bends, jumps or
breaks off. A feature that lies between two neighbours of the 401 points may be missed.

Examples:
  fluxion plot 'fun x => sin x / x' --from -10 --to 10
  fluxion plot 'fun x => max (sin x) 0.3' --from 0 --to 6 --out figure.svg`,
		flags: func(flags *flag.FlagSet) {
			flags.Float64Var(&from, "from", 0, "start the horizontal axis at `NUMBER` (default 0)")
			flags.Float64Var(&to, "to", 1, "end the horizontal axis at `NUMBER`")
			flags.StringVar(&out, "out", "",
				"draw the figure in `FILE`, which ends in .svg or .png")
			flags.StringVar(&file, "f", "",
				"evaluate EXPR with the definitions and imports of `FILE`")
			flags.BoolVar(&slope, "deriv", true,
				"draw the derivative too; --deriv=false leaves it out")
			budget.registerTimeout(flags)
			budget.registerMemory(flags)
		},
		run: func(ctx context.Context, c *call) int {
			ext := strings.ToLower(filepath.Ext(out))
			switch {
			case len(c.args) != 1:
				return c.usage(errors.New("give one function, in quotes"))
			case !(from < to) || math.IsInf(to-from, 0):
				return c.usage(fmt.Errorf(
					"there is nothing from %v to %v: --from is the smaller number", from, to))
			case out != "" && ext != ".svg" && ext != ".png":
				return c.usage(fmt.Errorf("`%s` is neither .svg nor .png", out))
			}
			ctx, stop := budget.within(ctx)
			defer stop()
			var list diag.List
			w := world().Until(ctx)
			w.Data.Memory = int64(budget.memory)
			var open []*driver.Unit
			if file != "" {
				unit := w.LoadFile(file, &list)
				if unit == nil || unit.Core == nil {
					return c.report(&list)
				}
				open = append(open, unit)
			}
			// The function stands alone in its text, so that errors show it as it was typed.
			definition := w.LoadInput("<expression>", c.args[0], "it", open, &list)
			if list.Failed() {
				return c.report(&list)
			}
			settings := driver.Settings{Limits: interp.DefaultLimits()}
			settings.Limits.Memory = int64(budget.memory)
			sampler := w.Sampler(ctx, "it", append(open, definition), settings, &list)
			if sampler == nil {
				return c.report(&list)
			}
			sampled := plot.Sample(from, to, sampler.At)
			if sampler.Stopped != nil {
				return c.fail(sampler.Stopped)
			}
			figure, err := sampled.Graph(slope && out != "")
			if err != nil && sampler.Failure != nil {
				return c.fail(sampler.Failure)
			}
			// a text has no colours, so the two curves go one below the other
			if err == nil && out == "" && slope {
				figure.Title = "f"
				if below, err := sampled.Slopes(); err == nil {
					below.Title = "f'"
					figure = &plot.Figure{Columns: 1, Facets: []*plot.Figure{figure, below}}
				}
			}
			if err == nil && sampler.Failure != nil {
				fmt.Fprintf(c.err, "the function has no value at some points: %s\n",
					sampler.Failure.Message)
			}
			if err == nil && out == "" {
				err = figure.Text(c.out)
			} else if err == nil {
				var about string
				err = replaceFile(out, func(w io.Writer) (err error) {
					about, err = figure.Write(w, ext)
					return err
				})
				if err == nil {
					fmt.Fprintf(c.out, "%s: %s\n", out, about)
				}
			}
			if err != nil {
				return c.fail(diag.Errorf(diag.CannotWrite, diag.Span{}, "%v", err))
			}
			return exitOK
		},
	}
}
