package exact

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/interval/tier"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

// The rows that decide by the sign of a real: see Note [Frames].

// Note [Equal constants]. A comparison of equal reals has no value where they vary: the value
// on one side of the tie differs from that on the other. If neither varies, and both are known
// exactly, there is only the tie itself, and the comparison is what it is of integers: `1 < 1`
// is false, as on doubles, and `quadratic 1 2 1` has a value. The same goes for `sign`, for the
// rows that round, and for an exponent of `**` that is whole. Known exactly are points, and for
// rows that round also what has an expression in the second tier (package ball, Note [Expressions]):
// `floor (0.3 / 0.1)` is 3. A comparison of computed reals that are equal stays without a value, as
// that of any equal reals does.
//
// A jet without variables does not vary, unless older variables are ignored. They are lost
// then, as those of y + 0 while the search for the maximum looks for its place in
//
//	deriv (fun y => maxOver 0 1 (fun x => if x < 1/2 then (if y + 0 < 2 then 5 else 0) else x)) 2
//
// and the derivative is taken at x = 1, where nothing compares y with 2. In such a search only
// constants of the program are known not to vary.

// settled tells whether a real does not vary with anything, given from where it was read.
func (c *ctx) settled(from operand, x jet.Jet) bool {
	return x.Newest() == 0 && (from.part == constant || c.Floor <= 1)
}

// same tells whether two reals are known to be the same number.
func (c *ctx) same(x, y jet.Jet) bool {
	return x.Known() && y.Known() && c.N.IsPoint(x.Val()) && c.N.IsPoint(y.Val()) && c.N.Within(x.Val(), y.Val())
}

// isNull tells whether a real is 0 whatever moves: package ball, Note [Expressions].
func (c *ctx) isNull(x jet.Jet) bool {
	b := x.Val().Ball
	return b != nil && x.Known() && b.Vanishes()
}

func (c *ctx) max(at diag.Span, x, y jet.Jet) jet.Jet {
	switch c.side(at, x, y, false) {
	case 1:
		return c.chosen(x, y, 1)
	case -1:
		return c.chosen(y, x, -1)
	}
	return c.Max(x, y)
}

func (c *ctx) min(at diag.Span, x, y jet.Jet) jet.Jet {
	switch c.side(at, x, y, false) {
	case 1:
		return c.chosen(y, x, -1)
	case -1:
		return c.chosen(x, y, 1)
	}
	return c.Min(x, y)
}

func (c *ctx) abs(at diag.Span, x jet.Jet) jet.Jet {
	switch c.side(at, x, c.Zero(), false) {
	case 1:
		return c.chosen(x, c.Zero(), 1)
	case -1:
		return c.Neg(c.chosen(x, c.Zero(), 1))
	}
	return c.Abs(x)
}

func (c *ctx) sign(at diag.Span, x jet.Jet, settled bool) (jet.Jet, error) {
	if settled && c.same(x, c.Zero()) {
		c.frame.sites++
		return c.Float(0), nil
	}
	side := c.side(at, x, c.Zero(), true)
	if side == 0 {
		return x, errUndecided
	}
	return c.Float(float64(side)), nil
}

func (c *ctx) hypot(at diag.Span, x, y jet.Jet) jet.Jet {
	r, kink := c.Hypot(x, y)
	return c.length(at, r, kink, x, y)
}

// length is the length r of a vector, which may have a kink at the origin.
func (c *ctx) length(at diag.Span, r jet.Jet, kink bool, xs ...jet.Jet) jet.Jet {
	if !kink {
		return r
	}
	if y, ok := c.leaningLength(xs); ok {
		return y
	}
	c.kink(at)
	return r
}

// tan is the tangent, a quotient whose divisor integrals locate: at a pole a function of it may
// have a value on both sides, as atan has.
func (c *ctx) tan(at diag.Span, x jet.Jet) jet.Jet {
	f := c.frame
	if f.watch != f.sites && len(f.zeros) == 0 {
		if y := c.Tan(x); c.Complete(y) || !c.poleInside(x) {
			f.sites++
			return y
		}
	}
	return c.Quo(c.Sin(x), c.edge(at, c.Cos(x)))
}

// poleInside tells whether the cosine changes its sign within a set, not next to its ends: there
// the pole may be beside the set, which balls represent up to some bits.
func (c *ctx) poleInside(x jet.Jet) bool {
	n, set := c.N, x.Val()
	if _, germinal := germinal(n); germinal || !x.Known() || !n.Bounded(set) {
		return false
	}
	margin := n.Mul(n.Sub(n.Upper(set), n.Lower(set)), n.Float(0x1p-20))
	cos := func(x jet.Set) int { return n.Sign(c.Cos(c.Const(x)).Val()) }
	return cos(n.Add(n.Lower(set), margin))*cos(n.Sub(n.Upper(set), margin)) < 0
}

// Note [Rounding]. A row that rounds is a search for its result among its jumps, away from 0 by
// steps that double and then by halves. Each comparison of the search is a site of its own, and
// which of them comes next is told by those before, as frames want it. So integrals find the
// jumps one after the other, and a decision that is forced is about one jump.

// toInt is a row that rounds: decided where the result is one integer, or where the frame says
// on which sides of the jumps x lies. At a jump itself it has a value if x is free, which means
// that it does not vary.
func (c *ctx) toInt(at diag.Span, row *prim.Prim, fun tier.Fun1, x jet.Jet, free bool) (int64, error) {
	jump := func(n int64) jet.Jet { // to n
		early := new(big.Rat).SetFloat64(row.Early(n))
		return c.Const(c.N.Rat(early.Sub(new(big.Rat).SetInt64(n), early)))
	}
	if !x.Known() {
		c.side(at, x, jump(0), true)
		return 0, errUndecided
	}
	if b := x.Val().Ball; b != nil && free {
		if q, ok := b.Expr().Rat(); ok {
			x = x.WithVal(c.N.Rat(q)) // a point if q is whole
		}
	}
	rounded := c.N.Apply1(fun, x.Val())
	lo, hi := c.N.Ends(rounded)
	if !(-0x1p63 <= lo && hi < 0x1p63) {
		if hi < -0x1p63 || lo >= 0x1p63 {
			return 0, diag.Errorf(diag.NoInt, at, "no Int holds the real %s", c.N.String(x.Val()))
		}
		c.side(at, x, jump(0), true)
		return 0, errUndecided
	}
	if n := int64(lo); lo == hi && (free || c.Less(jump(n).Val(), x.Val()) && c.Less(x.Val(), jump(n+1).Val())) {
		steps := 0
		searchInt(func(k int64) int {
			steps++
			if k <= n {
				return 1
			}
			return -1
		})
		if !c.frame.concerns(c.frame.sites, steps) {
			c.frame.sites += steps
			return n, nil
		}
	}
	n, ok := searchInt(func(k int64) int {
		if free && !c.frame.concerns(c.frame.sites, 1) {
			half := c.Sub(c.Const(c.N.Int(k)), c.Float(0.5)).Val()
			switch {
			case c.Less(half, rounded):
				c.frame.sites++
				return 1
			case c.Less(rounded, half):
				c.frame.sites++
				return -1
			}
		}
		return c.side(at, x, jump(k), true)
	})
	if !ok {
		return 0, errUndecided
	}
	return n, nil
}

// concerns tells whether the frame says or asks something about one of the sites from the given
// one.
func (f *frame) concerns(from, count int) bool {
	within := func(site int) bool { return from <= site && site < from+count }
	return within(f.watch) || slices.ContainsFunc(f.forced, func(d forced) bool { return within(d.site) })
}

// searchInt finds an integer by asking whether it is at least k: 1 for yes, -1 for no, 0 if that
// is not known and the search fails.
func searchInt(atLeast func(k int64) int) (n int64, ok bool) {
	sign := atLeast(0)
	if sign == 0 {
		return 0, false // and asks no more: the next site depends on it
	}
	reach := int64(1)
	for ; reach < 1<<62; reach *= 2 {
		answer := atLeast(int64(sign) * reach)
		if answer == 0 {
			return 0, false
		}
		if answer != sign {
			break
		}
	}
	n, gap := reach/2, reach-reach/2 // it is from n up to n + gap, or on the other side of 0
	if reach == 1<<62 {
		gap = 3 << 61 // all the rest
	}
	if sign < 0 {
		n = -n - gap
	}
	for gap > 1 {
		half := gap / 2
		switch atLeast(n + half) {
		case 1:
			n, gap = n+half, gap-half
		case -1:
			gap = half
		default:
			return 0, false
		}
	}
	return n, true
}

// explain records that a row is the first whose result is unknown: it may be applied outside
// its domain, or where it has no derivative.
func (c *ctx) explain(at diag.Span, row *prim.Prim, r jet.Jet, xs ...jet.Jet) {
	if c.frame.trouble.code != "" || c.Complete(r) {
		return
	}
	reason := trouble{code: diag.Undefined, at: at, what: "`" + row.Name + "` may be undefined here"}
	if r.Known() {
		reason = trouble{code: diag.EffortSpent, at: at, what: "the derivative of `" + row.Name + "` may not exist here"}
	}
	reals := row.Params[len(row.Params)-len(xs):]
	if _, last := row.Float.(prim.RealInt); last { // the integer comes last
		reals = row.Params
	}
	for k, x := range xs {
		if !c.Complete(x) {
			return
		}
		reason.what += fmt.Sprintf(", %s = %s", reals[k], c.N.String(x.Val()))
	}
	c.report(reason)
}
