package lower

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Polygamma]
//
// The n-th derivative of digamma, for n > 0, is a sum of powers, whose tail is an asymptotic
// series:
//
//	(-1)^(n+1)·ψₙ(x) = n!·(x^-(n+1) + … + (y-1)^-(n+1)) + (n-1)!/yⁿ + n!/(2yⁿ⁺¹)
//	                   + Σ B₂ⱼ·(2j+n-1)!/(2j)!·y^-(2j+n),  y = x + 16
//
// For x > 0 no terms cancel. For x ≤ 0, where there are poles, the run is given up. What is emitted
// is differentiated as it is; that the number of terms does not depend on x leaves no ties.

// The number of powers, Bernoulli's numbers for the tail, and the largest n that they are enough
// for.
const (
	polygammaPowers = 16
	mostPolygamma   = 3
)

var bernoulli = [...]float64{1. / 6, -1. / 30, 1. / 42, -1. / 30, 5. / 66, -691. / 2730, 7. / 6,
	-3617. / 510, 43867. / 798, -174611. / 330}

func polygamma(l *lowerer, _ *core.Let, op *core.Prim, env *env) value {
	x := l.scalar(op.Args[1], env)
	c, ok := l.scalar(op.Args[0], env).(*loop.Const)
	if !ok || c.I < 0 || c.I > mostPolygamma {
		l.fail("polygamma of a high order")
	}
	if c.I == 0 {
		return &scalar{l.let("psi", loop.Lookup("digamma"), x)}
	}
	n := int(c.I)
	mul := func(x, y loop.Atom) loop.Atom { return l.let("x", loop.MulF, x, y) }
	add := func(x, y loop.Atom) loop.Atom { return l.let("x", loop.AddF, x, y) }
	power := func(x loop.Atom, n int) loop.Atom {
		p := x
		for range n - 1 {
			p = mul(p, x)
		}
		return p
	}
	factorial := func(n int) float64 { return math.Gamma(float64(n + 1)) }
	right := l.let("right", loop.LtF, loop.Real(0), x)
	if !l.rule {
		l.check(right, l.at)
	}
	inverse := func(k int) loop.Atom {
		return l.let("inverse", loop.DivF, loop.Real(1), add(x, loop.Real(float64(k))))
	}

	// The smallest terms first.
	y := inverse(polygammaPowers)
	z := mul(y, y)
	series := loop.Atom(loop.Real(0))
	for j := len(bernoulli); j > 0; j-- {
		series = mul(z, add(series, loop.Real(bernoulli[j-1]*factorial(2*j+n-1)/factorial(2*j))))
	}
	series = add(series, mul(y, loop.Real(factorial(n)/2)))
	sum := mul(power(y, n), add(series, loop.Real(factorial(n-1))))
	powers := loop.Atom(loop.Real(0))
	for k := polygammaPowers - 1; k >= 0; k-- {
		powers = add(powers, power(inverse(k), n+1))
	}
	sum = add(sum, mul(powers, loop.Real(factorial(n))))
	if n%2 == 0 {
		sum = l.let("x", loop.NegF, sum)
	}
	if l.rule {
		sum = l.let("x", loop.SelF, right, sum, loop.Real(math.NaN()))
	}
	return &scalar{sum}
}
