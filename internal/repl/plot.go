package repl

import (
	"context"
	"fmt"
	"strconv"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/picture"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// plotting is what `:plot` applies to its arguments, so that they are parsed,
// checked and complained about as those of any function.
var plotting = `let plot (f : Real -> Real) (from : Real) (to : Real) =
  (from, to, [f (from + (to - from) * real i / ` + strconv.Itoa(picture.Samples-1) + `) for i < ` + strconv.Itoa(picture.Samples) + `])
`

// plot draws a function of a real, on doubles. What is not finite is a gap.
func (s *Session) plot(ctx context.Context, arguments string) bool {
	var list diag.List
	plotter := s.world.LoadText("<plot>", plotting, nil, &list)
	unit := s.world.LoadText("<input>", "plot "+arguments, append(s.open[:len(s.open):len(s.open)], plotter), &list)
	diag.RenderAll(s.Err, &list, diag.Options{Color: s.Color})
	if list.Failed() {
		return false
	}
	ctx, stop := driver.Interruptible(ctx)
	defer stop()
	settings := s.Settings
	settings.Constants = &s.constants
	settings.Compile.AllowInfinite = true
	result, d := driver.Run(ctx, unit, settings)
	if d != nil {
		diag.Render(s.Err, d, diag.Options{Color: s.Color})
		return false
	}
	drawn, ok := result.Value.(value.Tuple)
	if !ok { // a function that waits for the rest of its arguments
		fmt.Fprintln(s.Err, "give a function and the range to draw it on, as in `:plot sin 0 6.3`")
		return false
	}
	from, to := float64(drawn[0].(value.Real)), float64(drawn[1].(value.Real))
	if !(from < to) {
		fmt.Fprintf(s.Err, "there is nothing between %s and %s: the range goes from the smaller number to the larger\n", value.Decimal(from), value.Decimal(to))
		return false
	}
	if !picture.Curve(s.Out, from, to, drawn[2].(value.Reals)) {
		fmt.Fprintf(s.Err, "the function has no value from %s to %s\n", value.Decimal(from), value.Decimal(to))
	}
	return false
}
