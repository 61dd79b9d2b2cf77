package exact

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

// Note [Scales]. The integral of sin over a period is 0, and no enclosure of it is narrow beside that.
// A certificate may compare it with the integral of |sin| instead, but only with a number that this
// certainly reaches: an estimate would make the certificate an estimate. A sum of the widths of pieces
// of the range, each times the least |f| on the piece, is one. More pieces make it larger, until it is
// enough for the enclosure to be judged. For the largest value it is the largest of the |f| at the
// ends of the pieces.

// mostPieces is how many pieces of a range Scale looks at.
const mostPieces = 1 << 10

func (c *certifier) Scale(
	row prim.ID, at diag.Span, bounds Slots, fun any, enough float64, e Effort,
) (least float64, o Outcome) {
	var ends [2]float64
	for k, x := range slotsOf(bounds).r {
		if ends[k] = math.NaN(); x.Known() {
			ends[k] = c.m.N.Float64(x.Val())
		}
	}
	o = c.attempt(at, e, func() error {
		f := c.m.function(fun.(*closure))
		for n := 16; n <= mostPieces && least < enough; n *= 4 {
			sum, err := c.m.scale(row, ends[0], ends[1], f, n)
			if least = math.Max(least, sum); err != nil {
				return err
			}
		}
		return nil
	})
	return least, o
}

// scale is a lower bound of the size of what a search's value is made of, by n pieces of its range.
func (c *ctx) scale(row prim.ID, a, b float64, f function, n int) (sum float64, err error) {
	place := func(k int) float64 {
		t := float64(k) / float64(n)
		if row == prim.IntegralFrom {
			return a + math.Max(1, math.Abs(a))*t/(1-t)
		}
		return a + (b-a)*t
	}
	for k := range n {
		lo, hi := place(k), place(k+1)
		if math.IsNaN(lo) || math.IsInf(hi-lo, 0) || row == prim.MaxOver {
			hi = lo
		}
		x := c.N.Span(c.N.Float(math.Min(lo, hi)), c.N.Float(math.Max(lo, hi)))
		y, _, err := c.observe(f, c.Const(x), nil, -1)
		switch {
		case err != nil && fatal(err):
			return sum, err
		case err != nil || !y.Known():
		case row == prim.MaxOver:
			sum = math.Max(sum, c.below(y))
		default:
			sum += c.below(y) * math.Abs(hi-lo)
		}
	}
	return sum, nil
}

// below is a little less than the least |y|.
func (c *ctx) below(y jet.Jet) float64 {
	size := c.N.Mig(y.Val()).Float() * (1 - 0x1p-30)
	if !(size < math.MaxFloat64) {
		return 0
	}
	return size
}
