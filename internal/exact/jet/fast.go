package jet

import "github.com/fluxion-lang/fluxion/internal/interval"

// Note [Double tier]. Jets over doubles are where almost all of the time goes. Calls through the
// interface Number cost more there than the arithmetic itself, so the operations that matter go to
// package interval directly when the number is Double. The algebra decides that once for a number.

// isDouble tells whether n is Double.
func isDouble(n Number) bool {
	_, ok := n.(Double)
	return ok
}

func (a *Algebra) quo(x, y Set) Set {
	if a.double {
		return OfInterval(interval.Div(x.Interval, y.Interval))
	}
	return a.N.Quo(x, y)
}

func (a *Algebra) neg(x Set) Set {
	if a.double {
		return OfInterval(interval.Neg(x.Interval))
	}
	return a.N.Neg(x)
}

// powInt is x^n.
func (a *Algebra) powInt(x Set, n int64) Set {
	if a.double && n == 2 {
		return OfInterval(interval.Sqr(x.Interval))
	}
	return a.N.ApplyInt(powIntFun, x, n)
}

// sign is 1 or -1 if all of x is positive or negative, else 0.
func (a *Algebra) sign(x Set) int {
	if a.double {
		switch z := x.Interval; {
		case z.Lo > 0:
			return 1
		case z.Hi < 0:
			return -1
		}
		return 0
	}
	return a.N.Sign(x)
}

// Less tells whether every point of x is less than every point of y.
func (a *Algebra) Less(x, y Set) bool {
	if a.double {
		return x.Interval.Hi < y.Interval.Lo
	}
	return a.N.Less(x, y)
}
