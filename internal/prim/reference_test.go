package prim_test

import (
	"math"
	"math/big"

	"github.com/fluxion-lang/fluxion/internal/prim/reference"
)

// A check says how the values of a row are tested: against what, within how
// many ulp, or else within an absolute error near zeros.
type check struct {
	exact    func(x []*big.Float) *big.Float // nil outside of the domain
	ulp      float64
	absolute float64
	// span restricts random arguments to those for which the reference is
	// quick; nil means all doubles.
	span func(x []float64) bool
}

func one(f func(x *big.Float) *big.Float) func([]*big.Float) *big.Float {
	return func(x []*big.Float) *big.Float { return f(x[0]) }
}

func two(f func(x, y *big.Float) *big.Float) func([]*big.Float) *big.Float {
	return func(x []*big.Float) *big.Float { return f(x[0], x[1]) }
}

func within(limit float64) func([]float64) bool {
	return func(xs []float64) bool { return math.Abs(xs[len(xs)-1]) <= limit }
}

func newFloat() *big.Float { return new(big.Float).SetPrec(reference.Prec) }

var (
	product = two(func(x, y *big.Float) *big.Float { return newFloat().Mul(x, y) })
	zero    = func([]*big.Float) *big.Float { return newFloat() }
)

// checks has an entry for every row with a real result; the test fails for a
// row without one. The bounds are a little above what was measured.
var checks = map[string]check{
	"+":         {exact: two(func(x, y *big.Float) *big.Float { return newFloat().Add(x, y) }), ulp: 0.5},
	"-":         {exact: two(func(x, y *big.Float) *big.Float { return newFloat().Sub(x, y) }), ulp: 0.5},
	"neg":       {exact: one(func(x *big.Float) *big.Float { return newFloat().Neg(x) })},
	"*":         {exact: product, ulp: 0.5},
	"scale":     {exact: product, ulp: 0.5},
	"inner":     {exact: product, ulp: 0.5},
	"zeroLike":  {exact: zero},
	"/":         {exact: two(divide), ulp: 0.5},
	"^":         {exact: func(x []*big.Float) *big.Float { n, _ := x[1].Int64(); return reference.PowInt(x[0], n) }, ulp: 1, span: within(1e4)},
	"abs":       {exact: one(func(x *big.Float) *big.Float { return newFloat().Abs(x) })},
	"max":       {exact: two(func(x, y *big.Float) *big.Float { return pick(x, y, x.Cmp(y) > 0) })},
	"min":       {exact: two(func(x, y *big.Float) *big.Float { return pick(x, y, x.Cmp(y) < 0) })},
	"sign":      {exact: one(func(x *big.Float) *big.Float { return newFloat().SetInt64(int64(x.Sign())) })},
	"sqrt":      {exact: one(reference.Sqrt), ulp: 0.5},
	"cbrt":      {exact: one(reference.Cbrt), ulp: 1},
	"**":        {exact: two(reference.Pow), ulp: 1},
	"exp":       {exact: one(reference.Exp), ulp: 2},
	"expm1":     {exact: one(reference.Expm1), ulp: 2},
	"exp2":      {exact: one(func(x *big.Float) *big.Float { return reference.Exp(newFloat().Mul(x, reference.Ln2())) }), ulp: 1},
	"log":       {exact: one(reference.Log), ulp: 1},
	"log1p":     {exact: one(reference.Log1p), ulp: 2},
	"log2":      {exact: one(func(x *big.Float) *big.Float { return divide(reference.Log(x), reference.Ln2()) }), ulp: 1},
	"log10":     {exact: one(func(x *big.Float) *big.Float { return divide(reference.Log(x), reference.Log(reference.New(10))) }), ulp: 1},
	"sin":       {exact: one(reference.Sin), ulp: 1},
	"cos":       {exact: one(reference.Cos), ulp: 1},
	"tan":       {exact: one(reference.Tan), ulp: 3},
	"asin":      {exact: one(reference.Asin), ulp: 3},
	"acos":      {exact: one(reference.Acos), ulp: 3},
	"atan":      {exact: one(reference.Atan), ulp: 2},
	"atan2":     {exact: two(reference.Atan2), ulp: 2},
	"sinh":      {exact: one(reference.Sinh), ulp: 3},
	"cosh":      {exact: one(reference.Cosh), ulp: 3},
	"tanh":      {exact: one(reference.Tanh), ulp: 2},
	"asinh":     {exact: one(reference.Asinh), ulp: 3},
	"acosh":     {exact: one(reference.Acosh), ulp: 3},
	"atanh":     {exact: one(reference.Atanh), ulp: 3},
	"erf":       {exact: one(reference.Erf), ulp: 2},
	"erfc":      {exact: one(reference.Erfc), ulp: 4},
	"lgamma":    {exact: one(reference.Lgamma), ulp: 2, absolute: 1e-15},
	"digamma":   {exact: one(reference.Digamma), ulp: 2, absolute: 1e-15},
	"polygamma": {exact: polygamma, ulp: 2, span: func(x []float64) bool { return x[0] >= 0 && x[0] < 60 && x[1] > -40 }},
	"sigmoid":   {exact: one(reference.Sigmoid), ulp: 4},
	"softplus":  {exact: one(reference.Softplus), ulp: 4},
	"logaddexp": {exact: two(func(x, y *big.Float) *big.Float { return reference.LogSumExp(x, y) }), ulp: 4, absolute: 1e-15},
	"hypot":     {exact: two(reference.Hypot), ulp: 2},
	"logsumexp": {exact: func(xs []*big.Float) *big.Float { return reference.LogSumExp(xs...) }, ulp: 4, absolute: 1e-15},
	"norm": {exact: func(xs []*big.Float) *big.Float {
		sum := newFloat()
		for _, x := range xs {
			sum.Add(sum, newFloat().Mul(x, x))
		}
		return reference.Sqrt(sum)
	}, ulp: 1},
}

func divide(x, y *big.Float) *big.Float {
	if x == nil || y.Sign() == 0 {
		return nil
	}
	return newFloat().Quo(x, y)
}

func pick(x, y *big.Float, first bool) *big.Float {
	if first {
		return x
	}
	return y
}

func polygamma(x []*big.Float) *big.Float {
	n, _ := x[0].Int64()
	if n == 0 {
		return reference.Digamma(x[1])
	}
	return reference.Polygamma(n, x[1])
}

// softmax gives component i of the softmax of xs.
func softmax(xs []*big.Float, i int) *big.Float {
	t := reference.Exp(newFloat().Sub(xs[i], reference.LogSumExp(xs...)))
	if t == nil {
		return newFloat()
	}
	return t
}

// ulps is the distance of a double from the true value in units of the last
// place of the latter; it is 0 for an infinity that is the rounded true value.
func ulps(got float64, want *big.Float) float64 {
	if nearest, _ := want.Float64(); got == nearest {
		// At most half an ulp, and right for an infinity and for a zero.
		if math.IsInf(got, 0) || got == 0 {
			return 0
		}
	}
	if math.IsNaN(got) || math.IsInf(got, 0) {
		return math.Inf(1)
	}
	exponent := -1074
	if want.Sign() != 0 {
		exponent = max(want.MantExp(nil)-53, -1074)
	}
	e, _ := new(big.Float).SetMantExp(distance(got, want), -exponent).Float64()
	return e
}

func distance(got float64, want *big.Float) *big.Float {
	d := newFloat().Sub(reference.New(got), want)
	return d.Abs(d)
}
