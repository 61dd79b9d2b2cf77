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
	"github.com/fluxion-lang/fluxion/internal/value"
)

// plotSamples is at how many points a function is drawn.
const plotSamples = 1201

func plotCommand() *command {
	var from, to float64 = 0, 1
	var out, file string
	var slope bool
	return &command{
		name:    "plot",
		args:    "EXPR",
		summary: "draw a function of a real",
		help: `Draws a function of a real and its derivative. Jumps are not joined by a line, kinks are
marked by a dot, and poles do not spoil the scale. Without --out the terminal shows it
as text. It looks at 1201 points: what is narrower than their distance may be missed.

Examples:
  fluxion plot 'fun x => sin x / x' --from -10 --to 10
  fluxion plot 'fun x => max (sin x) 0.3' --from 0 --to 6 --out figure.svg`,
		flags: func(flags *flag.FlagSet) {
			flags.Float64Var(&from, "from", 0, "start at this `NUMBER`")
			flags.Float64Var(&to, "to", 1, "end at this `NUMBER`")
			flags.StringVar(&out, "out", "", "draw to `FILE`, .svg or .png")
			flags.StringVar(&file, "f", "", "evaluate among the definitions of `FILE`")
			flags.BoolVar(&slope, "deriv", true, "draw the derivative too")
		},
		run: func(ctx context.Context, c *call) int {
			ext := strings.ToLower(filepath.Ext(out))
			switch {
			case len(c.args) != 1:
				return c.usage(errors.New("give one function, in quotes"))
			case !(from < to) || math.IsInf(to-from, 0):
				return c.usage(fmt.Errorf("there is nothing from %v to %v: --from is the smaller number", from, to))
			case out != "" && ext != ".svg" && ext != ".png":
				return c.usage(fmt.Errorf("`%s` is neither .svg nor .png", out))
			}
			var list diag.List
			w := world()
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
			ctx, stop := driver.Interruptible(ctx)
			defer stop()
			xs := make([]float64, plotSamples)
			for k := range xs {
				xs[k] = from + (to-from)*float64(k)/(plotSamples-1)
			}
			sample := func(of string) ([]float64, *diag.Diagnostic) {
				text := fmt.Sprintf("[%s it (%s + %s * real i / %d) for i < %d]", of, decimal(from), decimal(to-from), plotSamples-1, plotSamples)
				unit := w.LoadText("<plot>", text, append(open, definition), &list)
				if list.Failed() {
					return nil, list.Sorted()[0]
				}
				s := driver.Settings{Limits: interp.DefaultLimits(), Compile: interp.Options{IEEETies: true, AllowInfinite: true}}
				result, d := driver.Run(ctx, unit, s)
				if d != nil {
					return nil, d
				}
				ys, _ := result.Value.(value.Reals)
				return ys, nil
			}
			ys, d := sample("")
			if d != nil {
				return c.fail(d)
			}
			slopes, d := sample("deriv")
			slope = slope && d == nil
			figure, err := plot.Graph(xs, ys, slopes, slope && out != "")
			if err == nil && out == "" && slope { // text has no colours: one below the other
				figure.Title = "f"
				if below, err := plot.Graph(xs, slopes, nil, false); err == nil {
					below.Title = "f'"
					figure = &plot.Figure{Columns: 1, Facets: []*plot.Figure{figure, below}}
				}
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

// decimal writes a number as an expression.
func decimal(x float64) string { return "(" + value.Decimal(x) + ")" }
