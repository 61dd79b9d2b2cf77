package exact

import (
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
)

// The integrals. What they may assume and must do:
//
//   - a, b and what f captures may depend on any open variable; the result's
//     coefficients in all of them are enclosed at once (Leibniz, bounds included),
//     for every point of a, b and of what is captured, which may be wide;
//   - f may be called with any jet within the range whose variables are open;
//     each evaluation runs in a frame of its own (observe), and a kink that the
//     integral smooths does not reach the frame around it;
//   - c.tol is the width to reach in every coefficient, c.effort.cells the number of cells;
//   - the place at is that of the call in the program, for diagnostics.

// integral is the integral of f from a to b.
func (c *ctx[T]) integral(at diag.Span, a, b jet.Jet[T], f function[T]) (jet.Jet[T], error) {
	return c.Unknown(), notCovered(at, "integral")
}

// integralFrom is the integral of f from a to infinity.
func (c *ctx[T]) integralFrom(at diag.Span, a jet.Jet[T], f function[T]) (jet.Jet[T], error) {
	return c.Unknown(), notCovered(at, "integralFrom")
}
