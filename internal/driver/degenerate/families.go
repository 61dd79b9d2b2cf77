package degenerate

import "math/big"

// families are the kinds of cases.
var families = []struct {
	name string
	draw func(*generator) *Expr
}{
	{"bounds", (*generator).movingBounds},
	{"jumps", (*generator).jumps},
	{"kinks", (*generator).kinks},
	{"still", (*generator).still},
	{"features", (*generator).features},
	{"narrow", (*generator).narrow},
	{"double", (*generator).double},
	{"maximum", (*generator).maximum},
	{"argmax", (*generator).argmax},
	{"root", (*generator).root},
	{"firstRoot", (*generator).firstRoot},
	{"optimum in integral", (*generator).optimumInside},
	{"root in integral", (*generator).rootInside},
	{"integral in optimum", (*generator).integralInOptimum},
	{"integral in root", (*generator).integralInRoot},
	{"optimum in optimum", (*generator).optimumInOptimum},
	{"weighted", (*generator).weighted},
	{"infinite", (*generator).infinite},
	{"hit", (*generator).hit},
	{"derivative inside", (*generator).derivativeInside},
	{"composed", (*generator).composed},
	{"combined", (*generator).combined},
}

// movingBounds: the ends of a range move, often through each other.
func (g *generator) movingBounds() *Expr {
	x := ref("x")
	low, high := g.bounds(2)
	f := g.polynomial(x, false)
	if g.oneIn(2) {
		f = g.integrand(x, low, high)
	}
	return search("integral", "x", f, g.meets(low), g.meets(high))
}

// weighted: as features or bounds, with integrands that are not polynomials.
func (g *generator) weighted() *Expr {
	low, high := g.bounds(3)
	k := []int{1, -1, 2}[g.r.IntN(3)]
	f := g.integrand(ref("x"), low, high)
	if low.Cmp(high) == 0 || g.oneIn(3) {
		return weighted(k, "x", f, g.meets(low), g.meets(high))
	}
	return weighted(k, "x", f, num(low), num(high))
}

// infinite: functions that become zero, on infinite ranges.
func (g *generator) infinite() *Expr {
	x := ref("x")
	low, high := g.bounds(3)
	p := g.meets(high)
	var f *Expr
	switch g.r.IntN(3) {
	case 0:
		f = ifLess(x, p, g.polynomial(x, true), rat(0, 1))
	case 1:
		f = call("max", rat(0, 1), sub(p, x))
	default:
		f = call("max", rat(0, 1), sub(g.meets(g.number(0, 2)), call("abs", sub(x, p))))
	}
	return search("integralFrom", "x", f, g.meets(low))
}

// hit: a root that may not exist.
func (g *generator) hit() *Expr {
	s := g.firstRoot()
	return search("hit", s.name, s.args[0], num(g.number(0, 4)))
}

func (g *generator) jumps() *Expr {
	low, high := g.bounds(0)
	return search("integral", "x", g.jumping(ref("x"), low, high), num(low), num(high))
}

func (g *generator) kinks() *Expr {
	low, high := g.bounds(0)
	return search("integral", "x", g.kinked(ref("x"), low, high), num(low), num(high))
}

// still: kinks that do not move with the argument of the integrand, and tie all along the range.
func (g *generator) still() *Expr {
	low, high := g.bounds(1)
	side := func() *Expr { return mul(g.factor(), g.shift()) }
	var kink *Expr
	switch g.r.IntN(4) {
	case 0:
		kink = call("abs", side())
	case 1:
		kink = call("min", side(), side())
	case 2:
		kink = mul(side(), call("abs", side()))
	default:
		k := g.number(0, 4)
		kink = call("max", num(k), g.meets(k))
	}
	f := g.polynomial(ref("x"), true)
	if g.oneIn(3) {
		f = g.kinked(ref("x"), low, high)
	}
	if g.oneIn(2) {
		f = mul(f, kink)
	} else {
		f = add(f, kink)
	}
	if g.oneIn(2) {
		return weighted(1-2*g.r.IntN(2), "x", f, num(low), num(high))
	}
	return search("integral", "x", f, num(low), num(high))
}

func (g *generator) features() *Expr {
	low, high := g.bounds(0)
	return search("integral", "x", g.integrand(ref("x"), low, high), num(low), num(high))
}

// narrow: features of a width down to 2^-20, on a range of length 1 or more.
func (g *generator) narrow() *Expr {
	x := ref("x")
	low, high := g.bounds(0)
	w := new(big.Rat).SetFrac64(1, 1<<(6+g.r.IntN(15)))
	where := new(big.Rat).Add(g.place(low, high),
		new(big.Rat).SetFrac64(int64(g.r.IntN(3)-1), 1<<10))
	near := call("abs", sub(x, g.meets(where)))
	width := num(w)
	if g.oneIn(2) {
		width = g.meets(w)
	}
	switch g.r.IntN(4) {
	case 0:
		return search("integral", "x", ifLess(near, width, g.polynomial(x, true), rat(0, 1)),
			num(low), num(high))
	case 1:
		return search("integral", "x", call("max", rat(0, 1), sub(width, near)), num(low),
			num(high))
	case 2:
		hat := call("max", rat(0, 1), sub(rat(1, 1), mul(num(new(big.Rat).Inv(w)), near)))
		return search("maxOver", "x", add(hat, mul(g.meets(g.number(0, 1)), x)), num(low),
			num(high))
	}
	dip := call("min", sub(near, width), g.meets(g.number(1, 3)))
	return search("firstRoot", "x", dip)
}

// double: a region with a boundary that moves over a rectangle or a triangle.
func (g *generator) double() *Expr {
	x, y := ref("x"), ref("y")
	one, zero := rat(1, 1), rat(0, 1)
	side := add(mul(g.factor(), x), mul(g.factor(), y))
	p := g.meets(g.number(-4, 8))
	var f *Expr
	switch g.r.IntN(6) {
	case 0, 1:
		f = ifLess(side, p, g.polynomial(y, true), g.level())
	case 2:
		f = call("max", side, p)
	case 3:
		f = call("abs", sub(side, p))
	case 4:
		f = call("floor", sub(side, p))
	default:
		f = call("max", x, call("max", y, p))
	}
	low, high := zero, one
	switch g.r.IntN(5) {
	case 0:
		high = x
	case 1:
		high = g.meets(g.number(0, 4))
	case 2:
		low = call("min", x, g.meets(g.number(0, 4)))
	}
	to := one
	if g.oneIn(4) {
		to = g.meets(g.number(0, 4))
	}
	return search("integral", "x", search("integral", "y", f, low, high), zero, to)
}

// hill draws a continuous function with summits on a range: linear or concave pieces.
func (g *generator) hill(x *Expr, low, high *big.Rat) *Expr {
	p := g.meets(g.place(low, high))
	q := g.meets(g.place(low, high))
	switch g.r.IntN(9) {
	case 0:
		return neg(pow(sub(x, p), 2))
	case 1:
		return neg(call("abs", sub(x, p)))
	case 2:
		return call("min", add(g.meets(g.number(0, 2)), x),
			sub(g.meets(g.number(0, 4)), mul(rat(2, 1), x)))
	case 3:
		return mul(sub(p, g.meets(g.number(0, 4))), x)
	case 4: // two summits, often of one height
		h := num(g.number(0, 2))
		return call("max", neg(call("abs", sub(x, p))),
			sub(g.meets(g.number(-1, 1)), mul(h, call("abs", sub(x, q)))))
	case 5:
		return pow(sub(x, p), 2)
	case 6:
		return sub(mul(g.level(), x), pow(x, 2))
	case 7:
		return sub(neg(call("abs", sub(x, p))), pow(sub(x, q), 2))
	}
	return sub(mul(g.level(), x), call("abs", sub(x, p)))
}

func (g *generator) optimum(ops ...string) *Expr {
	x := ref("x")
	low, high := g.bounds(8)
	f := g.hill(x, low, high)
	if g.oneIn(4) {
		f = add(f, mul(g.level(), x))
	}
	a, b := num(low), num(high)
	if g.oneIn(3) {
		a = g.meets(low)
	}
	if g.oneIn(3) {
		b = g.meets(high)
	}
	return search(ops[g.r.IntN(len(ops))], "x", f, a, b)
}

func (g *generator) maximum() *Expr { return g.optimum("maxOver", "minOver") }

func (g *generator) argmax() *Expr { return g.optimum("argmaxOver", "argminOver") }

// rising draws an increasing function of x that is zero at a place next to c₀ and has a kink or a
// jump of its slope there.
func (g *generator) rising(x *Expr, zero *big.Rat) *Expr {
	u := sub(x, g.meets(zero))
	switch g.r.IntN(6) {
	case 0:
		return u
	case 1:
		return add(u, mul(rat(1, 2), call("abs", sub(x, g.meets(zero)))))
	case 2:
		return call("max", u, mul(rat(2, 1), sub(x, g.meets(zero))))
	case 3:
		return call("min", u, mul(rat(1, 2), sub(x, g.meets(zero))))
	case 4:
		return ifLess(x, g.meets(zero), u, mul(rat(2, 1), u))
	}
	return add(mul(g.meets(big.NewRat(2, 1)), x),
		g.meets(new(big.Rat).Mul(big.NewRat(-2, 1), zero)))
}

func (g *generator) root() *Expr {
	low, high := g.bounds(0)
	at := new(big.Rat).Add(low, high)
	at.Mul(at, big.NewRat(1, 2))
	if g.oneIn(4) {
		at = g.place(low, high)
	}
	a, b := num(low), num(high)
	if g.oneIn(4) {
		a = g.meets(low)
	}
	if g.oneIn(5) {
		return search("cutRoot", "x", neg(g.rising(ref("x"), at)))
	}
	return search("root", "x", g.rising(ref("x"), at), a, b)
}

func (g *generator) firstRoot() *Expr {
	x := ref("x")
	at := g.number(0, 4)
	switch g.r.IntN(4) {
	case 0:
		return search("firstRoot", "x", mul(sub(x, g.meets(at)), sub(x, g.meets(g.number(0, 4)))))
	case 1:
		return search("firstRoot", "x", sub(call("abs", sub(x, g.meets(at))),
			g.meets(g.number(0, 1))))
	}
	f := g.rising(x, at)
	if g.oneIn(2) {
		f = call("min", f, sub(g.meets(g.number(3, 6)), x))
	}
	return search("firstRoot", "x", f)
}

func (g *generator) optimumInside() *Expr {
	x, y := ref("x"), ref("y")
	p := g.meets(g.number(0, 4))
	var f *Expr
	switch g.r.IntN(6) {
	case 0:
		f = mul(sub(x, p), y)
	case 1:
		f = neg(call("abs", sub(y, add(x, p))))
	case 2:
		f = call("min", sub(y, p), sub(x, y))
	case 3:
		f = neg(pow(sub(y, sub(x, p)), 2))
	case 4:
		f = call("max", sub(p, y), sub(y, x))
	default:
		f = add(pow(sub(y, rat(1, 2)), 2), mul(sub(x, p), y))
	}
	op := []string{"maxOver", "minOver", "argmaxOver", "argminOver"}[g.r.IntN(4)]
	inner := search(op, "y", f, rat(0, 1), rat(1, 1))
	if g.oneIn(4) {
		inner = mul(inner, x)
	}
	return search("integral", "x", inner, rat(0, 1), g.meets(g.number(4, 4)))
}

func (g *generator) rootInside() *Expr {
	x, y := ref("x"), ref("y")
	p := g.meets(g.number(0, 4))
	var f *Expr
	switch g.r.IntN(5) {
	case 0:
		f = ifLess(x, p, sub(y, rat(1, 1)), sub(y, rat(3, 2)))
	case 1:
		f = sub(y, call("abs", sub(x, p)))
	case 2:
		f = add(sub(y, call("max", x, p)), mul(rat(1, 2), call("abs", sub(y, p))))
	case 3:
		f = ifLess(x, p, sub(y, rat(1, 1)), sub(mul(rat(2, 1), y), rat(1, 1)))
	default:
		f = sub(y, add(x, p))
	}
	inner := search("root", "y", f, rat(-1, 1), rat(4, 1))
	switch g.r.IntN(4) {
	case 0:
		inner = add(inner, mul(rat(1_000_000, 1), x))
	case 1:
		inner = mul(inner, x)
	}
	return search("integral", "x", inner, rat(0, 1), rat(1, 1))
}

// step draws a function of y that is an integral up to y, piecewise linear.
func (g *generator) step(y *Expr, below, above *Expr) *Expr {
	jump := ifLess(ref("x"), g.meets(g.number(0, 4)), below, above)
	return search("integral", "x", jump, rat(0, 1), y)
}

func (g *generator) integralInOptimum() *Expr {
	op := []string{"maxOver", "argmaxOver"}[g.r.IntN(2)]
	f := g.step(ref("y"), g.level(), g.level())
	if g.oneIn(3) {
		f = add(f, g.step(ref("y"), g.level(), g.level()))
	}
	return search(op, "y", f, rat(0, 1), g.meets(g.number(4, 4)))
}

func (g *generator) integralInRoot() *Expr {
	f := sub(g.step(ref("y"), rat(1, 1), rat(2, 1)), g.meets(g.number(0, 4)))
	return search("root", "y", f, rat(0, 1), rat(2, 1))
}

func (g *generator) optimumInOptimum() *Expr {
	x, y := ref("x"), ref("y")
	p := g.meets(g.number(0, 4))
	var f *Expr
	switch g.r.IntN(4) {
	case 0:
		f = call("abs", sub(y, x))
	case 1:
		f = sub(call("abs", sub(y, x)), mul(p, y))
	case 2:
		f = mul(sub(x, p), y)
	default:
		f = neg(call("abs", sub(sub(y, x), p)))
	}
	inner := search([]string{"maxOver", "argmaxOver"}[g.r.IntN(2)], "y", f,
		rat(0, 1), g.meets(g.number(4, 4)))
	if g.oneIn(2) {
		inner = sub(inner, call("abs", sub(x, g.meets(g.number(0, 4)))))
	}
	op := []string{"minOver", "maxOver", "argminOver"}[g.r.IntN(3)]
	return search(op, "x", inner, rat(0, 1), rat(1, 1))
}

// derivativeInside: the slope of a function with kinks, which jumps, inside an integral or as
// what an optimum compares.
func (g *generator) derivativeInside() *Expr {
	x, y := ref("x"), ref("y")
	low, high := g.bounds(4)
	f := g.kinked(y, low, high)
	if g.oneIn(2) {
		f = mul(f, g.polynomial(y, true))
	}
	slope := derivative("y", f, x)
	if g.oneIn(3) {
		slope = mul(slope, g.polynomial(x, true))
	}
	return search("integral", "x", slope, g.meets(low), g.meets(high))
}

// composed: what one search finds is the bound of another, or where its function bends.
func (g *generator) composed() *Expr {
	x := ref("x")
	t := g.number(0, 4)
	inner := search("root", "z", g.rising(ref("z"), t), rat(-2, 1), rat(3, 1))
	switch g.r.IntN(4) {
	case 0:
		inner = search("argmaxOver", "z", neg(call("abs", sub(ref("z"), g.meets(t)))),
			rat(-1, 1), rat(2, 1))
	case 1:
		inner = search("integral", "z", ifLess(ref("z"), g.meets(t), rat(1, 1), rat(0, 1)),
			rat(0, 1), rat(2, 1))
	}
	switch g.r.IntN(4) {
	case 0:
		return search("integral", "x", g.integrand(x, t, new(big.Rat).Add(t, g.times(2))),
			inner, num(new(big.Rat).Add(t, g.times(2))))
	case 1:
		return search("integral", "x", ifLess(x, inner, g.polynomial(x, false), g.level()),
			num(t), num(new(big.Rat).Add(t, g.times(3))))
	case 2:
		return search("integral", "x", call("abs", sub(x, inner)), rat(0, 1), num(t))
	}
	return search("maxOver", "x", g.hill(x, new(big.Rat), t), rat(-1, 1), inner)
}

// bend draws a search that has a kink at c₀, where it is 0.
func (g *generator) bend() *Expr {
	x, d := ref("x"), g.shift()
	switch g.r.IntN(7) {
	case 0: // |d|
		return search("maxOver", "x", mul(d, x), rat(-1, 1), rat(1, 1))
	case 1: // min 0 d
		return search("minOver", "x", mul(d, x), rat(0, 1), rat(1, 1))
	case 2:
		return search("integral", "x", rat(1, 1), rat(0, 1), call("abs", d))
	case 3: // max 0 d
		return search("integral", "x", ifLess(x, d, rat(1, 1), rat(0, 1)), rat(0, 1), rat(1, 1))
	case 4:
		return search("root", "x", sub(x, call("max", d, mul(g.factor(), d))), rat(-1, 1),
			rat(1, 1))
	case 5:
		return search("maxOver", "x", neg(call("abs", sub(x, d))), rat(-1, 1), rat(0, 1))
	}
	return search("argmaxOver", "x", neg(call("abs", sub(x, d))), rat(-1, 1), rat(0, 1))
}

// combined: kinks at one point that may cancel each other.
func (g *generator) combined() *Expr {
	s, d := g.bend(), g.shift()
	lines := []*Expr{d, neg(d), mul(rat(2, 1), d), rat(0, 1), call("abs", d), g.bend()}
	l := lines[g.r.IntN(len(lines))]
	switch g.r.IntN(6) {
	case 0:
		return sub(call("max", s, l), s)
	case 1:
		return sub(call("abs", s), g.bend())
	case 2:
		return add(call("max", s, l), call("min", g.bend(), l))
	case 3:
		return sub(s, g.bend())
	case 4:
		return mul(s, l)
	}
	return call("max", call("min", s, l), g.bend())
}
