package prim_test

import (
	"math"
	"math/big"

	"github.com/fluxion-lang/fluxion/internal/interval/ball"
	"github.com/fluxion-lang/fluxion/internal/interval/tier"
	"github.com/fluxion-lang/fluxion/internal/prim"
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

// inRange keeps x^n, and its powers on the way, from leaving the range of
// big.Float.
func inRange(x []float64) bool { return math.Abs(x[1]*math.Log2(math.Abs(x[0]))) < 1e6 }

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
	"^":         {exact: func(x []*big.Float) *big.Float { n, _ := x[1].Int64(); return reference.PowInt(x[0], n) }, ulp: 1.6, span: inRange},
	"abs":       {exact: one(func(x *big.Float) *big.Float { return newFloat().Abs(x) })},
	"max":       {exact: two(func(x, y *big.Float) *big.Float { return pick(x, y, x.Cmp(y) > 0) })},
	"min":       {exact: two(func(x, y *big.Float) *big.Float { return pick(x, y, x.Cmp(y) < 0) })},
	"sign":      {exact: one(func(x *big.Float) *big.Float { return newFloat().SetInt64(int64(x.Sign())) })},
	"sqrt":      {exact: one(reference.Sqrt), ulp: 0.5},
	"cbrt":      {exact: one(reference.Cbrt), ulp: 0.52},
	"**":        {exact: two(reference.Pow), ulp: 0.52},
	"exp":       {exact: one(reference.Exp), ulp: 0.52},
	"expm1":     {exact: one(reference.Expm1), ulp: 0.52},
	"exp2":      {exact: one(func(x *big.Float) *big.Float { return reference.Exp(newFloat().Mul(x, reference.Ln2())) }), ulp: 0.52},
	"log":       {exact: one(reference.Log), ulp: 0.52},
	"log1p":     {exact: one(reference.Log1p), ulp: 0.52},
	"log2":      {exact: one(func(x *big.Float) *big.Float { return divide(reference.Log(x), reference.Ln2()) }), ulp: 0.52},
	"log10":     {exact: one(func(x *big.Float) *big.Float { return divide(reference.Log(x), reference.Log(reference.New(10))) }), ulp: 0.52},
	"sin":       {exact: one(reference.Sin), ulp: 0.52},
	"cos":       {exact: one(reference.Cos), ulp: 0.52},
	"tan":       {exact: one(reference.Tan), ulp: 0.52},
	"asin":      {exact: one(reference.Asin), ulp: 0.52},
	"acos":      {exact: one(reference.Acos), ulp: 0.52},
	"atan":      {exact: one(reference.Atan), ulp: 0.52},
	"atan2":     {exact: two(reference.Atan2), ulp: 0.52},
	"sinh":      {exact: one(reference.Sinh), ulp: 0.52},
	"cosh":      {exact: one(reference.Cosh), ulp: 0.52},
	"tanh":      {exact: one(reference.Tanh), ulp: 0.52},
	"asinh":     {exact: one(reference.Asinh), ulp: 0.52},
	"acosh":     {exact: one(reference.Acosh), ulp: 0.52},
	"atanh":     {exact: one(reference.Atanh), ulp: 0.52},
	"erf":       {exact: one(reference.Erf), ulp: 0.52},
	"erfc":      {exact: one(reference.Erfc), ulp: 0.52},
	"erfcx":     {exact: one(reference.Erfcx), ulp: 0.52},
	"lgamma":    {exact: one(reference.Lgamma), ulp: 0.52, absolute: 1e-15},
	"digamma":   {exact: one(reference.Digamma), ulp: 0.52},
	"polygamma": {exact: polygamma, ulp: 0.52, span: func(x []float64) bool { return x[0] >= 0 && x[0] < 60 && x[1] > -40 }},
	"gammaP":    {exact: familyOf("gammaP"), ulp: 0.52, span: everyday},
	"gammaQ":    {exact: familyOf("gammaQ"), ulp: 0.52, span: everyday},
	"betaI":     {exact: familyOf("betaI"), ulp: 0.52, span: everyday},
	"besselJ":   {exact: familyOf("besselJ"), ulp: 0.52, span: everyday},
	"besselY":   {exact: familyOf("besselY"), ulp: 0.52, span: everyday},
	"besselI":   {exact: familyOf("besselI"), ulp: 0.52, span: everyday},
	"besselK":   {exact: familyOf("besselK"), ulp: 0.52, span: everyday},
	"sigmoid":   {exact: one(reference.Sigmoid), ulp: 0.55},
	"softplus":  {exact: one(reference.Softplus), ulp: 0.55},
	"logaddexp": {exact: two(func(x, y *big.Float) *big.Float { return reference.LogSumExp(x, y) }), ulp: 0.55},
	"hypot":     {exact: two(reference.Hypot), ulp: 0.52},
	"logsumexp": {exact: func(xs []*big.Float) *big.Float { return reference.LogSumExp(xs...) }, ulp: 4, absolute: 1e-15},
	"norm": {exact: func(xs []*big.Float) *big.Float {
		sum := newFloat()
		for _, x := range xs {
			sum.Add(sum, newFloat().Mul(x, x))
		}
		return reference.Sqrt(sum)
	}, ulp: 1},
	"erfcxDerivative": {exact: func(x []*big.Float) *big.Float {
		n, _ := x[0].Int64()
		return reference.ErfcxDerivative(n, x[1])
	}, ulp: 1, span: func(x []float64) bool { return x[0] >= 0 && x[0] < 9 && x[1] > -26 }},
}

// familyOf returns a row's own evaluator with more bits. Package family compares its values with
// those of another program; here it gives the slopes that Partials must agree with.
func familyOf(name string) func([]*big.Float) *big.Float {
	return func(x []*big.Float) *big.Float {
		row := prim.Lookup(name)
		var ints []int64
		var xs []*ball.Ball
		for i, v := range x {
			if i < len(x)-len(row.Partials) {
				n, _ := v.Int64()
				ints = append(ints, n)
			} else {
				xs = append(xs, ball.New().SetFloat(v))
			}
		}
		y := row.Interval.(tier.FunFamily).Multi(ints, xs, reference.Prec+16)
		if !y.IsFinite() {
			return nil
		}
		man, exp := y.Dyadic()
		return newFloat().SetMantExp(newFloat().SetInt(man), int(exp))
	}
}

// everyday keeps orders and arguments small.
func everyday(x []float64) bool {
	for _, v := range x {
		if math.Abs(v) > 30 || v != 0 && math.Abs(v) < 1e-3 {
			return false
		}
	}
	return x[0] < 3 && x[1] < 3
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

// softmax returns component i of the softmax of xs.
func softmax(xs []*big.Float, i int) *big.Float {
	t := reference.Exp(newFloat().Sub(xs[i], reference.LogSumExp(xs...)))
	if t == nil {
		return newFloat()
	}
	return t
}

// ulps returns the distance of a double from the true value in units of the last
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
