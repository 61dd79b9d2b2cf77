package exact

import (
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
)

// The optima. What they may assume and must do is what root.go says, and:
//
//   - the maximum's first derivatives are Danskin's hull over the maximisers; where
//     there may be several, c.kink says so;
//   - the argmax at ties is the hull of the maximisers (λS §5.2.3), its derivatives then
//     unknown.

// maxOver is the largest value of f between a and b.
func (c *ctx[T]) maxOver(at diag.Span, a, b jet.Jet[T], f function[T]) (jet.Jet[T], error) {
	return c.Unknown(), notCovered(at, "maxOver")
}

// argmaxOver is where f is largest between a and b.
func (c *ctx[T]) argmaxOver(at diag.Span, a, b jet.Jet[T], f function[T]) (jet.Jet[T], error) {
	return c.Unknown(), notCovered(at, "argmaxOver")
}
