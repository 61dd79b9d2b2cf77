package exact

import "github.com/fluxion-lang/fluxion/internal/exact/jet"

// Note [Stopped gradients]
//
// stopGradient x is x without its coefficients in the variables of derivatives. Those in the
// variables of a search stay: they say how the function that is searched moves, and the search
// concludes from them where it is 0 or largest.
//
// Inside of the function of a search there is a difficulty with the variables of derivatives around
// it. The argument of the function may move with them, as the root of x - c does with c, and that
// movement is not to be stopped: the root of stopGradient x - c is c. But the jet of x does not say
// which part of it is due to the argument. So the coefficients in older variables are unknown
// there. A program that stops the gradient outside of the search has no such difficulty.

// searches begins a search and gives what ends it.
func (c *ctx) searches() (done func()) {
	around, inside := c.within, c.inside
	c.within = jet.Tag(len(c.degrees) + 1)
	if inside == 0 {
		c.inside = c.within
	}
	return func() { c.within, c.inside = around, inside }
}

// stopped is x as a constant of derivatives.
func (c *ctx) stopped(x jet.Jet) jet.Jet {
	tag := x.Newest()
	if tag == 0 {
		return x
	}
	low := c.stopped(c.Coeff(x, tag, 0))
	switch {
	case tag < c.within:
		return c.withoutDerivatives(c.Const(x.Val()), 1, x)
	case c.derives[tag-1]:
		return low
	}
	series := []jet.Jet{low}
	for k := range x.Degree(tag) {
		series = append(series, c.stopped(c.Coeff(x, tag, k+1)))
	}
	return c.Series(tag, c.degrees[tag-1], series)
}
