package exact

import (
	"fmt"
	"math"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/interval/tier"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

// The rows that decide by the sign of a real: see Note [Frames].

func (c *ctx[T]) max(at diag.Span, x, y jet.Jet[T]) jet.Jet[T] {
	switch c.side(at, x, y, false) {
	case 1:
		return c.chosen(x, y, 1)
	case -1:
		return c.chosen(y, x, -1)
	}
	return c.Max(x, y)
}

func (c *ctx[T]) min(at diag.Span, x, y jet.Jet[T]) jet.Jet[T] {
	switch c.side(at, x, y, false) {
	case 1:
		return c.chosen(y, x, -1)
	case -1:
		return c.chosen(x, y, 1)
	}
	return c.Min(x, y)
}

func (c *ctx[T]) abs(at diag.Span, x jet.Jet[T]) (jet.Jet[T], error) {
	switch c.side(at, x, c.Zero(), false) {
	case 1:
		return c.chosen(x, c.Zero(), 1), nil
	case -1:
		return c.Neg(c.chosen(x, c.Zero(), 1)), nil
	}
	return c.Abs(x), nil
}

func (c *ctx[T]) sign(at diag.Span, x jet.Jet[T]) (jet.Jet[T], error) {
	side := c.side(at, x, c.Zero(), true)
	if side == 0 {
		return x, errUndecided
	}
	return c.Float(float64(side)), nil
}

func (c *ctx[T]) hypot(at diag.Span, x, y jet.Jet[T]) jet.Jet[T] {
	r, kink := c.Hypot(x, y)
	if kink {
		c.kink(at)
	}
	return r
}

// toInt is a row that rounds: decided where the result is one integer, or where the
// frame says on which side of a jump x lies. At a jump itself it has no value if x
// depends on a variable, since its derivative has none.
func (c *ctx[T]) toInt(at diag.Span, row *prim.Prim, fun tier.Fun1, x jet.Jet[T]) (int64, error) {
	if !x.Known() {
		c.side(at, x, c.Zero(), true)
		return 0, errUndecided
	}
	rounded := c.N.Apply1(fun, x.Val())
	lo, hi := c.N.Ends(rounded)
	if !(-0x1p63 <= lo && hi < 0x1p63) {
		if hi < -0x1p63 || lo >= 0x1p63 {
			return 0, diag.Errorf(diag.NoInt, at, "no Int holds the real %s", c.N.String(x.Val()))
		}
		c.side(at, x, c.Zero(), true)
		return 0, errUndecided
	}
	below := func(n float64) jet.Jet[T] { return c.Sub(c.Float(n), c.Float(beforeJump(row.Name, n))) } // the jump to n
	if lo == hi {
		free := x.Newest() == 0 // then a jump at x itself does no harm
		above := c.N.Less(below(lo).Val(), x.Val())
		switch {
		case free || above && c.N.Less(x.Val(), below(lo+1).Val()):
			c.frame.sites++ // decided
			return int64(lo), nil
		case above:
			hi = lo + 1
		default:
			lo = hi - 1
		}
	}
	if hi > lo+1 { // somewhere among several jumps
		c.side(at, x, below(math.Floor(lo/2+hi/2)), true)
		return 0, errUndecided
	}
	switch c.side(at, x, below(hi), true) {
	case 1:
		return int64(hi), nil
	case -1:
		return int64(lo), nil
	}
	return 0, errUndecided
}

// beforeJump is how far before n a row that rounds jumps from n - 1 to n.
func beforeJump(name string, n float64) float64 {
	switch {
	case name == "round":
		return 0.5
	case name == "ceil", name == "trunc" && n <= 0: // trunc is 0 from -1 to 1
		return 1
	}
	return 0
}

// explain records that a row is the first whose result is unknown: it may be applied outside
// its domain, or where it has no derivative.
func (c *ctx[T]) explain(at diag.Span, row *prim.Prim, r jet.Jet[T], xs ...jet.Jet[T]) {
	if c.frame.trouble.code != "" || c.Complete(r) {
		return
	}
	reason := trouble{code: diag.Undefined, at: at, what: "`" + row.Name + "` may be undefined here"}
	if r.Known() {
		reason = trouble{code: diag.EffortSpent, at: at, what: "the derivative of `" + row.Name + "` may not exist here"}
	}
	for k, x := range xs {
		if !c.Complete(x) {
			return
		}
		reason.what += fmt.Sprintf(", %s = %s", row.Params[len(row.Params)-len(xs)+k], c.N.String(x.Val()))
	}
	c.blame(reason)
}
