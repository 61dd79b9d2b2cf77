package soak

import (
	"math/rand/v2"

	"github.com/fluxion-lang/fluxion/internal/interval"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
	"github.com/fluxion-lang/fluxion/internal/interval/family"
	"github.com/fluxion-lang/fluxion/internal/interval/kernel"
)

// Op is an operation in all its forms.
type Op struct {
	Name  string
	Arity int
	Slack float64 // doubles that an end may be away from tightest
	On    func(x, y, z interval.Interval) interval.Interval
	Val   func(x, y float64) kernel.Val // nil if there is no kernel
	Ref   func(z, x, y, w *ball.Ball, prec uint) *ball.Ball
	Draw  func(r *rand.Rand) [3]float64
}

type (
	iv  = interval.Interval
	ref = *ball.Ball
)

// Ops lists the operations of the double tier that the multi-precision tier
// has too.
func Ops() []Op { return append(append(arithmetic(), elementary()...), special()...) }

func unary(name string, slack float64, draw func(*rand.Rand) float64, on func(iv) iv,
	val func(float64) kernel.Val, rf func(z, x ref, prec uint) ref) Op {
	op := Op{
		Name: name, Arity: 1, Slack: slack,
		On:   func(x, _, _ iv) iv { return on(x) },
		Ref:  func(z, x, _, _ ref, prec uint) ref { return rf(z, x, prec) },
		Draw: func(r *rand.Rand) [3]float64 { return [3]float64{draw(r)} },
	}
	if val != nil {
		op.Val = func(x, _ float64) kernel.Val { return val(x) }
	}
	return op
}

func binary(name string, slack float64, draw func(*rand.Rand) [3]float64, on func(x, y iv) iv,
	val func(x, y float64) kernel.Val, rf func(z, x, y ref, prec uint) ref) Op {
	return Op{
		Name: name, Arity: 2, Slack: slack,
		On:   func(x, y, _ iv) iv { return on(x, y) },
		Val:  val,
		Ref:  func(z, x, y, _ ref, prec uint) ref { return rf(z, x, y, prec) },
		Draw: draw,
	}
}

func arithmetic() []Op {
	ops := []Op{
		binary("add", 0, drawPair, interval.Add, nil, (ref).Add),
		binary("sub", 0, drawPair, interval.Sub, nil, (ref).Sub),
		binary("mul", 0, drawPair, interval.Mul, nil, (ref).Mul),
		binary("div", 0, drawPair, interval.Div, nil, (ref).Quo),
		{Name: "fma", Arity: 3, On: interval.FMA, Ref: (ref).FMA, Draw: drawTriple},
		unary("sqr", 0, drawAny, interval.Sqr, nil, (ref).Sqr),
		unary("sqrt", 0, drawPositive, interval.Sqrt, nil, (ref).Sqrt),
		unary("recip", 0, drawAny, interval.Recip, nil, (ref).Recip),
		unary("abs", 0, drawAny, interval.Abs, nil, func(z, x ref, _ uint) ref { return z.Abs(x) }),
		binary("min", 0, drawPair, interval.Min, nil, (ref).Min),
		binary("max", 0, drawPair, interval.Max, nil, (ref).Max),
		unary("floor", 0, drawAny, interval.Floor, nil, wideEnough((ref).Floor)),
		unary("ceil", 0, drawAny, interval.Ceil, nil, wideEnough((ref).Ceil)),
		unary("round", 0, drawAny, interval.RoundToEven, nil, wideEnough((ref).Round)),
	}
	for _, n := range []int{2, 3, 5, 8, 13, 100, -1, -2, -7} {
		ops = append(ops, unary("pown"+itoa(n), 0, drawPowered(n),
			func(x iv) iv { return interval.Pown(x, n) },
			func(x float64) kernel.Val { return kernel.PownVal(x, n) },
			func(z, x ref, prec uint) ref { return z.PowInt(x, int64(n), prec) }))
	}
	return ops
}

func itoa(n int) string {
	if n < 0 {
		return "m" + itoa(-n)
	}
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + itoa(n%10)
}

// wideEnough lets rounding functions return every bit of an integer.
func wideEnough(f func(z, x ref, prec uint) ref) func(z, x ref, prec uint) ref {
	return func(z, x ref, _ uint) ref { return f(z, x, 1100) }
}

func elementary() []Op {
	return []Op{
		unary("exp", 1, drawMedium, interval.Exp, kernel.ExpVal, (ref).Exp),
		unary("expm1", 1, drawMedium, interval.Expm1, kernel.Expm1Val, (ref).Expm1),
		unary("exp2", 1, drawMedium, interval.Exp2, kernel.Exp2Val, (ref).Exp2),
		unary("exp10", 1, drawMedium, interval.Exp10, kernel.Exp10Val, (ref).Exp10),
		unary("log", 1, drawLog, interval.Log, kernel.LogVal, (ref).Log),
		unary("log1p", 1, drawLog1p, interval.Log1p, kernel.Log1pVal, (ref).Log1p),
		unary("log2", 1, drawLog, interval.Log2, kernel.Log2Val, (ref).Log2),
		unary("log10", 1, drawLog, interval.Log10, kernel.Log10Val, (ref).Log10),
		unary("sin", 1, drawAngle, interval.Sin, kernel.SinVal, (ref).Sin),
		unary("cos", 1, drawAngle, interval.Cos, kernel.CosVal, (ref).Cos),
		unary("tan", 1, drawAngle, interval.Tan, kernel.TanVal, (ref).Tan),
		unary("asin", 1, drawUnit, interval.Asin, kernel.AsinVal, (ref).Asin),
		unary("acos", 1, drawUnit, interval.Acos, kernel.AcosVal, (ref).Acos),
		unary("atan", 1, drawAny, interval.Atan, kernel.AtanVal, (ref).Atan),
		unary("sinh", 1, drawMedium, interval.Sinh, kernel.SinhVal, (ref).Sinh),
		unary("cosh", 1, drawMedium, interval.Cosh, kernel.CoshVal, (ref).Cosh),
		unary("tanh", 1, drawMedium, interval.Tanh, kernel.TanhVal, (ref).Tanh),
		unary("asinh", 1, drawAny, interval.Asinh, kernel.AsinhVal, (ref).Asinh),
		unary("acosh", 1, drawAboveOne, interval.Acosh, kernel.AcoshVal, (ref).Acosh),
		unary("atanh", 1, drawUnit, interval.Atanh, kernel.AtanhVal, (ref).Atanh),
		unary("cbrt", 1, drawAny, interval.Cbrt, kernel.CbrtVal, (ref).Cbrt),
		binary("pow", 1, drawPow, interval.Pow, powVal, (ref).Pow),
		binary("atan2", 1, drawPair, interval.Atan2, kernel.Atan2Val, (ref).Atan2),
		binary("hypot", 1, drawPair, interval.Hypot, kernel.HypotVal, (ref).Hypot),
		unary("sigmoid", 1, drawMedium, interval.Sigmoid, kernel.SigmoidVal, (ref).Sigmoid),
		unary("softplus", 1, drawMedium, interval.Softplus, kernel.SoftplusVal, (ref).Softplus),
		binary("logaddexp", 1, drawAddends, interval.LogAddExp, kernel.LogAddExpVal,
			(ref).LogAddExp),
	}
}

// powVal returns PowVal, or a value out of range where PowVal has none.
func powVal(x, y float64) kernel.Val {
	if x == 0 {
		return kernel.Val{K: 2000}
	}
	return kernel.PowVal(x, y)
}

func special() []Op {
	return []Op{
		unary("erf", 2, drawMedium, interval.Erf, kernel.ErfVal, (ref).Erf),
		unary("erfc", 2, drawErfc, interval.Erfc, kernel.ErfcVal, (ref).Erfc),
		unary("erfcx", 2, drawErfc, interval.Erfcx, kernel.ErfcxVal, erfcx),
		unary("lgamma", 2, drawGamma, interval.Lgamma, kernel.LgammaVal, (ref).Lgamma),
		unary("digamma", 2, drawDigamma, interval.Digamma, kernel.DigammaVal, (ref).Digamma),
		polygamma(1), polygamma(2), polygamma(3), polygamma(4), polygamma(20),
	}
}

// erfcx is a family, which has derivatives too.
func erfcx(z, x ref, prec uint) ref {
	return z.Set(family.Erfcx.Multi([]int64{0}, []ref{x}, prec))
}

func polygamma(n int) Op {
	return unary("polygamma"+itoa(n), 2, drawPolygamma,
		func(x iv) iv { return interval.Polygamma(n, x) },
		func(x float64) kernel.Val { return kernel.PolygammaVal(n, x) },
		func(z, x ref, prec uint) ref { return z.Polygamma(int64(n), x, prec) })
}
