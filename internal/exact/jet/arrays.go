package jet

import (
	"github.com/fluxion-lang/fluxion/internal/interval/tier"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

var (
	normSet      = prim.Lookup("norm").Interval.(tier.FunFold)
	logsumexpSet = prim.Lookup("logsumexp").Interval.(tier.FunFold)
)

// The rows over arrays. Their values are those of the table, which are tighter
// than what the formulas for the derivatives would give.

// Norm is the Euclidean length; kink tells that the vector may be 0 and
// depends on a variable.
func (a *Algebra[T]) Norm(xs []Jet[T]) (norm Jet[T], kink bool) {
	sum, sets, bad := a.Float(0), make([]T, len(xs)), false
	for i, x := range xs {
		sum = a.Add(sum, a.Sqr(x))
		sets[i], bad = x.val, bad || x.kind == unknown
	}
	if bad {
		return a.Unknown(), false
	}
	val := a.N.ApplyFold(normSet, sets)
	if sum.tail != nil && a.sign(sum.val) <= 0 {
		live := make([]Jet[T], len(xs))
		for i, x := range xs {
			live[i] = a.live(x)
		}
		return a.clarkeNorm(val, live), true
	}
	return a.rootOfSum(val, sum), false
}

// LogSumExp is log Σ exp x_i, of at least one jet.
func (a *Algebra[T]) LogSumExp(xs []Jet[T]) Jet[T] {
	if len(xs) == 0 {
		return a.Unknown()
	}
	sets := make([]T, len(xs))
	for i, x := range xs {
		if x.kind == unknown {
			return x
		}
		sets[i] = x.val
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
	if r.kind == unknown {
		return r
	}
	r.val, r.kind = val, known
	return r
}

// Softmax is the exponentials divided by their sum.
func (a *Algebra[T]) Softmax(xs []Jet[T]) []Jet[T] {
	shares := make([]Jet[T], len(xs))
	for i, x := range xs {
		sum := a.One()
		for j, y := range xs {
			if j != i {
				sum = a.Add(sum, a.Exp(a.Sub(y, x)))
			}
		}
		shares[i] = a.Quo(a.One(), sum)
	}
	return shares
}
