package degenerate

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
)

// A Case is a program with the correct answer.
type Case struct {
	Family string
	Body   *Expr    // of the function of c
	Point  *big.Rat // where it is differentiated
	Order  int      // how often
	Dyadic bool     // all its numbers are doubles, so that ties on doubles are ties
	Truth  Truth
}

// Text returns the program.
func (c *Case) Text() string {
	return strings.Repeat("deriv (", c.Order) + "fun c => " + strip(c.Body.String()) +
		strings.Repeat(")", c.Order)
}

// strip removes the parentheses around a text.
func strip(text string) string {
	if strings.HasPrefix(text, "(") && strings.HasSuffix(text, ")") {
		return text[1 : len(text)-1]
	}
	return text
}

// Source applies the function to the point.
func (c *Case) Source() string {
	return fmt.Sprintf("(%s) %s", c.Text(), num(c.Point))
}

// Generate draws the case of a seed. Draws that the oracle cannot judge are repeated.
func Generate(seed uint64) *Case {
	g := &generator{r: rand.New(rand.NewPCG(seed, 10))}
	for {
		f := families[g.r.IntN(len(families))]
		g.unit = big.NewRat(1, 4)
		if g.oneIn(6) {
			g.unit = big.NewRat(1, 10)
		}
		g.c0 = g.number(0, 4)
		c := &Case{Family: f.name, Point: g.c0, Order: g.order(),
			Dyadic: g.unit.Denom().Int64() == 4}
		c.Body = g.wrapped(f.draw(g))
		if !c.Body.mentions("c") {
			continue
		}
		truth, err := truthOf(c.Body, c.Point, c.Order)
		if err != nil || truth.Kind >= Edge && c.Body.op == "max" {
			continue // max may hide what is undefined: what it does not choose contributes nothing
		}
		c.Truth = truth
		return c
	}
}

type generator struct {
	r    *rand.Rand
	c0   *big.Rat
	unit *big.Rat // the numbers are multiples of it
}

func (g *generator) oneIn(n int) bool { return g.r.IntN(n) == 0 }

func (g *generator) order() int { return []int{0, 1, 1, 1, 1, 2, 2, 2, 3, 3}[g.r.IntN(10)] }

// number draws a multiple of the unit.
func (g *generator) number(low, high int) *big.Rat {
	n := int64(low + g.r.IntN(high-low+1))
	return new(big.Rat).Mul(g.unit, big.NewRat(n, 1))
}

// times returns a multiple of the unit.
func (g *generator) times(n int64) *big.Rat { return new(big.Rat).Mul(g.unit, big.NewRat(n, 1)) }

// factor draws a coefficient.
func (g *generator) factor() *Expr {
	list := []*Expr{rat(1, 2), rat(1, 1), rat(2, 1), rat(3, 1), rat(-1, 1), rat(-2, 1), rat(-1, 2)}
	return list[g.r.IntN(len(list))]
}

// shift returns c - c₀.
func (g *generator) shift() *Expr { return plusNumber(ref("c"), new(big.Rat).Neg(g.c0)) }

// plusNumber returns e + q, in its shortest form.
func plusNumber(e *Expr, q *big.Rat) *Expr {
	switch q.Sign() {
	case 0:
		return e
	case 1:
		return add(e, num(q))
	}
	return sub(e, num(new(big.Rat).Neg(q)))
}

// meets draws an expression of c whose value at c₀ is t.
func (g *generator) meets(t *big.Rat) *Expr {
	d := g.shift()
	switch g.r.IntN(14) {
	case 0, 1:
		return num(t)
	case 2, 3, 4:
		return plusNumber(ref("c"), new(big.Rat).Sub(t, g.c0))
	case 5, 6:
		return sub(num(new(big.Rat).Add(t, g.c0)), ref("c"))
	case 7, 8:
		return plusNumber(mul(g.factor(), d), t)
	case 9:
		return plusNumber(pow(d, 2), t)
	case 10:
		return plusNumber(mul(ref("c"), d), t)
	case 11:
		if g.c0.Sign() != 0 {
			if q := new(big.Rat).Quo(t, g.c0); isDecimal(q) {
				return mul(num(q), ref("c"))
			}
		}
		return plusNumber(neg(pow(d, 2)), t)
	case 12:
		return plusNumber(pow(d, 3), t)
	}
	return plusNumber(call("abs", d), t)
}

func isDecimal(q *big.Rat) bool {
	_, exact := q.FloatPrec()
	return exact
}

// level draws a coefficient that may depend on c.
func (g *generator) level() *Expr {
	if g.oneIn(3) {
		return g.meets(g.number(-4, 8))
	}
	return num(g.number(-4, 8))
}

// polynomial draws a polynomial in x, linear at most if flat.
func (g *generator) polynomial(x *Expr, flat bool) *Expr {
	switch g.r.IntN(6) {
	case 0, 1:
		return g.level()
	case 2:
		return x
	case 3:
		return mul(g.level(), x)
	case 4:
		return add(mul(g.factor(), x), g.level())
	}
	if flat {
		return sub(g.level(), x)
	}
	return pow(x, 2)
}

// place draws where something happens on a range: often at an end of it.
func (g *generator) place(low, high *big.Rat) *big.Rat {
	switch g.r.IntN(5) {
	case 0, 1:
		return low
	case 2, 3:
		return high
	}
	return new(big.Rat).Add(low, g.number(0, 4))
}

// feature draws a function of x with jumps or kinks on a range.
func (g *generator) feature(x *Expr, low, high *big.Rat) *Expr {
	if g.oneIn(2) {
		return g.kinked(x, low, high)
	}
	return g.jumping(x, low, high)
}

func (g *generator) jumping(x *Expr, low, high *big.Rat) *Expr {
	p := g.meets(g.place(low, high))
	switch g.r.IntN(8) {
	case 0, 1, 2:
		return ifLess(x, p, g.polynomial(x, false), g.polynomial(x, false))
	case 3:
		return ifLess(p, mul(g.factor(), x), g.polynomial(x, false), g.polynomial(x, false))
	case 4: // a strip whose width may vanish
		w := g.meets(g.number(0, 1))
		return ifLess(call("abs", sub(x, p)), w, g.polynomial(x, false), g.polynomial(x, false))
	case 5: // two jumps that may coincide
		q := g.meets(g.place(low, high))
		return ifLess(mul(sub(x, p), sub(x, q)), rat(0, 1),
			g.polynomial(x, false), g.polynomial(x, false))
	}
	op := []string{"floor", "ceil", "round"}[g.r.IntN(3)]
	arg := sub(x, p)
	if op == "round" {
		arg = plusNumber(arg, big.NewRat(1, 2))
	}
	if g.oneIn(3) {
		arg = mul(g.factor(), arg)
	}
	return call(op, arg)
}

func (g *generator) kinked(x *Expr, low, high *big.Rat) *Expr {
	p := g.meets(g.place(low, high))
	switch g.r.IntN(6) {
	case 0, 1:
		return call("abs", sub(x, p))
	case 2:
		return call("max", x, p)
	case 3:
		return call("min", mul(g.factor(), x), p)
	case 4:
		return call("max", rat(0, 1), sub(p, x))
	}
	return call("min", call("abs", sub(x, p)), g.meets(g.number(0, 2)))
}

// integrand draws an integrand on a range.
func (g *generator) integrand(x *Expr, low, high *big.Rat) *Expr {
	f := g.feature(x, low, high)
	switch g.r.IntN(6) {
	case 0:
		return add(f, g.polynomial(x, false))
	case 1:
		return mul(f, g.polynomial(x, false))
	case 2:
		return add(f, g.feature(x, low, high))
	case 3:
		return mul(f, g.feature(x, low, high))
	}
	return f
}

// bounds draws a range that has length 0 at c₀ one time in n.
func (g *generator) bounds(n int) (low, high *big.Rat) {
	low = g.number(-4, 2)
	if n > 0 && g.oneIn(n) {
		return low, low
	}
	return low, new(big.Rat).Add(low, g.number(1, 8))
}

// wrapped puts S in a larger expression, sometimes.
func (g *generator) wrapped(s *Expr) *Expr {
	switch g.r.IntN(24) {
	case 0:
		return mul(ref("c"), s)
	case 1:
		return pow(s, 2)
	case 2:
		return add(s, call("abs", g.shift()))
	case 3:
		return mul(g.shift(), s)
	case 4:
		return call("max", s, num(g.number(0, 4)))
	case 5:
		return add(s, mul(g.shift(), call("abs", g.shift())))
	}
	return s
}
