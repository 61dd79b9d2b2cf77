package interval

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/interval/kernel"
)

// The increasing functions: evaluator, domain, range, and whether finite ends of the domain are
// excluded.
var (
	expFn      = rising{kernel.ExpVal, line, halfLine, false}
	expm1Fn    = rising{kernel.Expm1Val, line, Interval{-1, infinity}, false}
	exp2Fn     = rising{kernel.Exp2Val, line, halfLine, false}
	exp10Fn    = rising{kernel.Exp10Val, line, halfLine, false}
	logFn      = rising{kernel.LogVal, halfLine, line, true}
	log1pFn    = rising{kernel.Log1pVal, Interval{-1, infinity}, line, true}
	log2Fn     = rising{kernel.Log2Val, halfLine, line, true}
	log10Fn    = rising{kernel.Log10Val, halfLine, line, true}
	asinFn     = rising{kernel.AsinVal, unit, Interval{-halfPi.Hi, halfPi.Hi}, false}
	atanFn     = rising{kernel.AtanVal, line, Interval{-halfPi.Hi, halfPi.Hi}, false}
	sinhFn     = rising{kernel.SinhVal, line, line, false}
	coshFn     = rising{kernel.CoshVal, halfLine, Interval{1, infinity}, false}
	tanhFn     = rising{kernel.TanhVal, line, unit, false}
	asinhFn    = rising{kernel.AsinhVal, line, line, false}
	acoshFn    = rising{kernel.AcoshVal, Interval{1, infinity}, halfLine, false}
	atanhFn    = rising{kernel.AtanhVal, unit, line, true}
	cbrtFn     = rising{kernel.CbrtVal, line, line, false}
	erfFn      = rising{kernel.ErfVal, line, unit, false}
	sigmoidFn  = rising{kernel.SigmoidVal, line, Interval{0, 1}, false}
	softplusFn = rising{kernel.SoftplusVal, line, halfLine, false}
)

// Exp encloses {exp a}.
func Exp(x Interval) Interval {
	if x.Lo > -640 && x.Hi < 640 { // the common case: no scale, no limits
		a, b := kernel.ExpVal(x.Lo), kernel.ExpVal(x.Hi)
		return Interval{addDn(a.H, a.L-a.E), addUp(b.H, b.L+b.E)}
	}
	return expFn.on(x)
}

// Expm1 encloses {exp(a)-1}.
func Expm1(x Interval) Interval { return expm1Fn.on(x) }

// Exp2 encloses {2^a}; integers have exact powers.
func Exp2(x Interval) Interval { return exp2Fn.on(x) }

// Exp10 encloses {10^a}; 0, 1, …, 22 have exact powers.
func Exp10(x Interval) Interval { return exp10Fn.on(x) }

// Log encloses {log a : a > 0}.
func Log(x Interval) Interval {
	if x.Lo > 0 && x.Hi <= math.MaxFloat64 {
		a, b := kernel.LogVal(x.Lo), kernel.LogVal(x.Hi) // unscaled
		return Interval{addDn(a.H, a.L-a.E), addUp(b.H, b.L+b.E)}
	}
	return logFn.on(x)
}

// Log1p encloses {log(1+a) : a > -1}.
func Log1p(x Interval) Interval { return log1pFn.on(x) }

// Log2 encloses {log₂ a : a > 0}; powers of two are exact.
func Log2(x Interval) Interval { return log2Fn.on(x) }

// Log10 encloses {log₁₀ a : a > 0}; 1, 10, …, 10^22 are exact.
func Log10(x Interval) Interval { return log10Fn.on(x) }

// Asin encloses {asin a : |a| ≤ 1}.
func Asin(x Interval) Interval { return asinFn.on(x) }

// Acos encloses {acos a : |a| ≤ 1}.
func Acos(x Interval) Interval {
	x = Intersect(x, unit)
	if x.IsEmpty() {
		return x
	}
	return Interval{math.Max(0, lower(kernel.AcosVal(x.Hi))), upper(kernel.AcosVal(x.Lo))}
}

// Atan encloses {atan a}.
func Atan(x Interval) Interval { return atanFn.on(x) }

// Sinh encloses {sinh a}.
func Sinh(x Interval) Interval { return sinhFn.on(x) }

// Cosh encloses {cosh a}.
func Cosh(x Interval) Interval { return coshFn.on(Abs(x)) }

// Tanh encloses {tanh a}.
func Tanh(x Interval) Interval { return tanhFn.on(x) }

// Asinh encloses {asinh a}.
func Asinh(x Interval) Interval { return asinhFn.on(x) }

// Acosh encloses {acosh a : a ≥ 1}.
func Acosh(x Interval) Interval { return acoshFn.on(x) }

// Atanh encloses {atanh a : |a| < 1}.
func Atanh(x Interval) Interval { return atanhFn.on(x) }

// Cbrt encloses {∛a}.
func Cbrt(x Interval) Interval { return cbrtFn.on(x) }

// Sigmoid encloses {1/(1+exp(-a))}.
func Sigmoid(x Interval) Interval { return sigmoidFn.on(x) }

// Softplus encloses {log(1+exp a)}.
func Softplus(x Interval) Interval { return softplusFn.on(x) }
