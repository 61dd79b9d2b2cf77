package repl

import (
	"context"
	"fmt"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/plot"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// plotting is what `:plot` applies to its arguments, so that they are parsed,
// checked and complained about as those of any function.
const plotting = "let plot (f : Real -> Real) (from : Real) (to : Real) = {f, from, to}\n"

// plot draws a function of a real, on doubles. Where it has no value there is a gap.
func (s *Session) plot(ctx context.Context, arguments string) bool {
	var list diag.List
	plotter := s.world.LoadText("<plot>", plotting, nil, &list)
	open := append(s.open[:len(s.open):len(s.open)], plotter)
	input := s.world.LoadInput("<input>", "plot "+arguments, "it", open, &list)
	diag.RenderAll(s.Err, &list, diag.Options{Color: s.Color})
	if list.Failed() {
		return false
	}
	if _, waits := types.Resolve(input.Info.Interface.Values["it"].Scheme.Type).(*types.Fun); waits {
		fmt.Fprintln(s.Err, "give a function and the range to draw it on, as in `:plot sin 0 6.3`")
		return false
	}
	ctx, stop := driver.Interruptible(ctx)
	defer stop()
	settings := s.Settings
	settings.Constants = &s.constants
	fail := func(d *diag.Diagnostic) bool {
		diag.Render(s.Err, d, diag.Options{Color: s.Color})
		return false
	}
	open = append(open, input)
	result, d := driver.Run(ctx, s.world.LoadText("<plot>", "(it.from, it.to)", open, &list), settings)
	if d != nil {
		return fail(d)
	}
	ends := result.Value.(value.Tuple)
	from, to := float64(ends[0].(value.Real)), float64(ends[1].(value.Real))
	if !(from < to) {
		fmt.Fprintf(s.Err, "there is nothing between %s and %s: the range goes from the smaller number to the larger\n", value.Decimal(from), value.Decimal(to))
		return false
	}
	sampler := s.world.Sampler(ctx, "it.f", open, settings, &list)
	if sampler == nil {
		diag.RenderAll(s.Err, &list, diag.Options{Color: s.Color})
		return false
	}
	figure, err := plot.Sample(from, to, sampler.At).Graph(false)
	switch {
	case sampler.Stopped != nil:
		return fail(sampler.Stopped)
	case err != nil:
		fmt.Fprintf(s.Err, "the function has no value from %s to %s\n", value.Decimal(from), value.Decimal(to))
	default:
		if err := figure.Text(s.Out); err != nil {
			fmt.Fprintln(s.Err, err)
		}
	}
	return false
}
