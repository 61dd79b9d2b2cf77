package prim

import (
	"github.com/fluxion-lang/fluxion/internal/interval"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
	"github.com/fluxion-lang/fluxion/internal/interval/rectangle"
	"github.com/fluxion-lang/fluxion/internal/interval/tier"
)

// This file has the interval evaluators that the two tiers lack.

// exactly converts a function that does not round to the signature of those that do.
func exactly(f func(z, x *ball.Ball) *ball.Ball) func(z, x *ball.Ball, prec uint) *ball.Ball {
	return func(z, x *ball.Ball, _ uint) *ball.Ball { return f(z, x) }
}

func powInterval(x interval.Interval, n int64) interval.Interval { return interval.Pown(x, int(n)) }

// polygamma has no value at a negative order.

func polygammaInterval(x interval.Interval, n int64) interval.Interval {
	if n < 0 {
		return interval.Empty()
	}
	return interval.Polygamma(int(n), x)
}

func polygammaBall(z, x *ball.Ball, n int64, prec uint) *ball.Ball {
	if n < 0 {
		return z.SetEmpty()
	}
	return z.Polygamma(n, x, prec)
}

// The rows over arrays are written once for both tiers. In each formula every element occurs once
// in each result, or the results are monotone in it. So nothing is lost to dependency, except in
// softmax's sum.

func logsumexpSet[T any](t tier.Tier[T], xs []T) T {
	if len(xs) == 0 {
		return t.Apply1(logFun, t.Float(0)) // empty, like the logarithm of 0
	}
	sum := xs[0]
	for _, x := range xs[1:] {
		sum = t.Apply2(logAddExpFun, sum, x)
	}
	return sum
}

func normSet[T any](t tier.Tier[T], xs []T) T {
	sum := t.Float(0)
	for _, x := range xs {
		sum = t.Add(sum, t.ApplyInt(powFun, x, 2))
	}
	return t.Apply1(sqrtFun, sum)
}

// softmaxSet uses 1 / (1 + Σ exp (x_j - x_i)), which cannot overflow to inf / inf.
func softmaxSet[T any](t tier.Tier[T], xs []T) []T {
	one := t.Float(1)
	shares := make([]T, len(xs))
	for i, x := range xs {
		sum := one
		for j, y := range xs {
			if j != i {
				sum = t.Add(sum, t.Apply1(expFun, t.Sub(y, x)))
			}
		}
		shares[i] = t.Quo(one, sum)
	}
	return shares
}

var (
	expFun  = tier.Fun1{Double: interval.Exp, Multi: (*ball.Ball).Exp, Complex: rectangle.Exp}
	logFun  = tier.Fun1{Double: interval.Log, Multi: (*ball.Ball).Log, Complex: rectangle.Log}
	sqrtFun = tier.Fun1{Double: interval.Sqrt, Multi: (*ball.Ball).Sqrt,
		Complex: rectangle.Sqrt}
	powFun = tier.FunInt{Double: powInterval, Multi: (*ball.Ball).PowInt,
		Complex: rectangle.PowInt}
	logAddExpFun = tier.Fun2{Double: interval.LogAddExp, Multi: (*ball.Ball).LogAddExp}
)

var (
	logsumexpFun = tier.FunFold{
		Double: func(xs []interval.Interval) interval.Interval {
			return logsumexpSet(tier.Double{}, xs)
		},
		Multi: func(xs []*ball.Ball, prec uint) *ball.Ball {
			return logsumexpSet(tier.Multi{Prec: prec}, xs)
		},
	}
	normFun = tier.FunFold{
		Double: func(xs []interval.Interval) interval.Interval {
			return normSet(tier.Double{}, xs)
		},
		Multi: func(xs []*ball.Ball, prec uint) *ball.Ball {
			return normSet(tier.Multi{Prec: prec}, xs)
		},
	}
	softmaxFun = tier.FunMap{
		Double: func(xs []interval.Interval) []interval.Interval {
			return softmaxSet(tier.Double{}, xs)
		},
		Multi: func(xs []*ball.Ball, prec uint) []*ball.Ball {
			return softmaxSet(tier.Multi{Prec: prec}, xs)
		},
	}
)
