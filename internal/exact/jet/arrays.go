package jet

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/interval/tier"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

var (
	normSet      = prim.Norm.Row().Interval.(tier.FunFold)
	logsumexpSet = prim.Logsumexp.Row().Interval.(tier.FunFold)
)

// The rows over arrays. Their values are those of the table, which are tighter
// than what the formulas for the derivatives would give.

// Norm is the Euclidean length; kink tells that the vector may be 0 and
// depends on a variable.
func (a *Algebra) Norm(xs []Jet) (norm Jet, kink bool) {
	sum, sets, bad := a.Float(0), make([]Set, len(xs)), false
	for i, x := range xs {
		sum = a.Add(sum, a.Sqr(x))
		sets[i], bad = x.Val(), bad || x.kind() == unknown
	}
	if bad {
		return a.Unknown(), false
	}
	val := a.N.ApplyFold(normSet, sets)
	if sum.tail != nil && a.sign(sum.Val()) <= 0 {
		live := make([]Jet, len(xs))
		for i, x := range xs {
			live[i] = a.live(x)
		}
		return a.clarkeNorm(val, live), true
	}
	return a.rootOfSum(val, sum), false
}

// LogSumExp is log Σ exp x_i, of at least one jet.
func (a *Algebra) LogSumExp(xs []Jet) Jet {
	if len(xs) == 0 {
		return a.Unknown()
	}
	sets := make([]Set, len(xs))
	for i, x := range xs {
		if x.kind() == unknown {
			return x
		}
		sets[i] = x.Val()
	}
	val := a.N.ApplyFold(logsumexpSet, sets)
	// Around any point c, it is c + log Σ exp (x_i - c): with c near the result
	// nothing overflows.
	center := a.Const(val)
	if a.N.Bounded(val) {
		center = a.Const(a.N.Mid(val))
	}
	sum := a.Zero()
	for _, x := range xs {
		sum = a.Add(sum, a.Exp(a.Sub(x, center)))
	}
	r := a.Log(sum)
	if r.kind() == unknown {
		return r
	}
	r = r.WithVal(val)
	return r
}

// Softmax is the exponentials divided by their sum: 1 / (1 + o_i exp (c - x_i)), where o_i is the
// sum of all other exp (x_j - c), from the left and from the right, so that each x occurs once.
// Around a point c near the largest nothing that matters overflows.
func (a *Algebra) Softmax(xs []Jet) []Jet {
	center, largest := a.Float(0), math.Inf(-1)
	for _, x := range xs {
		if a.N.Bounded(x.Val()) && a.N.Float64(x.Val()) > largest {
			center, largest = a.Const(a.N.Mid(x.Val())), a.N.Float64(x.Val())
		}
	}
	powers, right := make([]Jet, len(xs)), make([]Jet, len(xs)+1)
	right[len(xs)] = a.Zero()
	for i := len(xs) - 1; i >= 0; i-- {
		powers[i] = a.Exp(a.Sub(xs[i], center))
		right[i] = a.Add(powers[i], right[i+1])
	}
	shares, left := make([]Jet, len(xs)), a.Zero()
	for i, x := range xs {
		others := a.Mul(a.Add(left, right[i+1]), a.Exp(a.Sub(center, x)))
		shares[i] = a.Quo(a.One(), a.Add(a.One(), others))
		left = a.Add(left, powers[i])
	}
	return shares
}
