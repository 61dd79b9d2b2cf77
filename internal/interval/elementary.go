package interval

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/interval/kernel"
)

// Exp encloses {exp a}.
func Exp(x Interval) Interval {
	if x.Lo > -640 && x.Hi < 640 { // the common case: no scale, no limits
		a, b := kernel.ExpVal(x.Lo), kernel.ExpVal(x.Hi)
		return Interval{addDn(a.H, a.L-a.E), addUp(b.H, b.L+b.E)}
	}
	return rangeOf(&kernel.Exp, x)
}

// Expm1 encloses {exp(a)-1}.
func Expm1(x Interval) Interval { return rangeOf(&kernel.Expm1, x) }

// Exp2 encloses {2^a}; integers have exact powers.
func Exp2(x Interval) Interval { return rangeOf(&kernel.Exp2, x) }

// Exp10 encloses {10^a}; 0, 1, …, 22 have exact powers.
func Exp10(x Interval) Interval { return rangeOf(&kernel.Exp10, x) }

// Log encloses {log a : a > 0}.
func Log(x Interval) Interval {
	if x.Lo > 0 && x.Hi <= math.MaxFloat64 {
		a, b := kernel.LogVal(x.Lo), kernel.LogVal(x.Hi) // unscaled
		return Interval{addDn(a.H, a.L-a.E), addUp(b.H, b.L+b.E)}
	}
	return rangeOf(&kernel.Log, x)
}

// Log1p encloses {log(1+a) : a > -1}.
func Log1p(x Interval) Interval { return rangeOf(&kernel.Log1p, x) }

// Log2 encloses {log₂ a : a > 0}; powers of two are exact.
func Log2(x Interval) Interval { return rangeOf(&kernel.Log2, x) }

// Log10 encloses {log₁₀ a : a > 0}; 1, 10, …, 10^22 are exact.
func Log10(x Interval) Interval { return rangeOf(&kernel.Log10, x) }

// Asin encloses {asin a : |a| ≤ 1}.
func Asin(x Interval) Interval { return rangeOf(&kernel.Asin, x) }

// Acos encloses {acos a : |a| ≤ 1}.
func Acos(x Interval) Interval { return rangeOf(&kernel.Acos, x) }

// Atan encloses {atan a}.
func Atan(x Interval) Interval { return rangeOf(&kernel.Atan, x) }

// Sinh encloses {sinh a}.
func Sinh(x Interval) Interval { return rangeOf(&kernel.Sinh, x) }

// Cosh encloses {cosh a}.
func Cosh(x Interval) Interval { return rangeOf(&kernel.HalfCosh, Abs(x)) }

// Tanh encloses {tanh a}.
func Tanh(x Interval) Interval { return rangeOf(&kernel.Tanh, x) }

// Asinh encloses {asinh a}.
func Asinh(x Interval) Interval { return rangeOf(&kernel.Asinh, x) }

// Acosh encloses {acosh a : a ≥ 1}.
func Acosh(x Interval) Interval { return rangeOf(&kernel.Acosh, x) }

// Atanh encloses {atanh a : |a| < 1}.
func Atanh(x Interval) Interval { return rangeOf(&kernel.Atanh, x) }

// Cbrt encloses {∛a}.
func Cbrt(x Interval) Interval { return rangeOf(&kernel.Cbrt, x) }

// Sigmoid encloses {1/(1+exp(-a))}.
func Sigmoid(x Interval) Interval { return rangeOf(&kernel.Sigmoid, x) }

// Softplus encloses {log(1+exp a)}.
func Softplus(x Interval) Interval { return rangeOf(&kernel.Softplus, x) }
