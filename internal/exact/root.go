package exact

import (
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
)

// The roots. What they may assume and must do:
//
//   - a, b and what f captures may depend on any open variable, and may be wide: the result
//     encloses the root for every point of them, and its derivatives in all open
//     variables (implicit function theorem; c.order() says how far, jet.Part
//     takes a jet apart by total degree);
//   - a search along the argument ignores outer variables (ignoreOuter) and opens one of
//     its own for the slope; each evaluation runs in a frame of its own (observe);
//   - where existence is not proved yet and more effort may prove it the result is
//     unknown, with the reason blamed; where it is disproved for every point a
//     *diag.Diagnostic says so;
//   - c.tol is the width to reach in every coefficient, c.effort.cells the number of cells.

// root is where f, whose signs at a and b differ, crosses zero.
func (c *ctx[T]) root(at diag.Span, a, b jet.Jet[T], f function[T]) (jet.Jet[T], error) {
	return c.Unknown(), notCovered(at, "root")
}

// cutRoot is where f, positive to the left and negative to the right, crosses
// zero on the whole line.
func (c *ctx[T]) cutRoot(at diag.Span, f function[T]) (jet.Jet[T], error) {
	return c.Unknown(), notCovered(at, "cutRoot")
}

// firstRoot is the first sign change of f on [0, 1].
func (c *ctx[T]) firstRoot(at diag.Span, f function[T]) (jet.Jet[T], error) {
	return c.Unknown(), notCovered(at, "firstRoot")
}

// crosses tells whether f changes its sign on [0, 1]; errUndecided if that is not
// known, with the reason blamed.
func (c *ctx[T]) crosses(at diag.Span, f function[T]) (bool, error) {
	return false, notCovered(at, "crosses")
}

// crossing encloses the one zero of d within the cell x, and its derivatives in all open
// variables. The caller has proved that d is strictly monotone over the cell
// and has strictly opposite signs at its ends, for every point of what is captured. Integrals cut
// cells there; ok is false if it cannot be separated from the ends.
func (c *ctx[T]) crossing(x T, d function[T]) (r jet.Jet[T], ok bool, err error) {
	return c.Unknown(), false, nil
}
