package kernel

import "math"

func PowInt(x float64, n int64) float64    { return math.Pow(x, float64(n)) }
func Polygamma(n int64, x float64) float64 { return 0 }
func Exp(x float64) float64                { return math.Exp(x) }
func Abs(x float64) float64                { return math.Abs(x) }
func Acos(x float64) float64               { return math.Acos(x) }
func Acosh(x float64) float64              { return math.Acosh(x) }
func Asin(x float64) float64               { return math.Asin(x) }
func Asinh(x float64) float64              { return math.Asinh(x) }
func Atan(x float64) float64               { return math.Atan(x) }
func Atan2(x, y float64) float64           { return math.Atan2(x, y) }
func Atanh(x float64) float64              { return math.Atanh(x) }
func Cbrt(x float64) float64               { return math.Cbrt(x) }
func Cos(x float64) float64                { return math.Cos(x) }
func Cosh(x float64) float64               { return math.Cosh(x) }
func Digamma(x float64) float64            { return 0 }
func Erf(x float64) float64                { return math.Erf(x) }
func Erfc(x float64) float64               { return math.Erfc(x) }
func Exp2(x float64) float64               { return math.Exp2(x) }
func Expm1(x float64) float64              { return math.Expm1(x) }
func Hypot(x, y float64) float64           { return math.Hypot(x, y) }
func Lgamma(x float64) float64             { y, _ := math.Lgamma(x); return y }
func Log(x float64) float64                { return math.Log(x) }
func Log10(x float64) float64              { return math.Log10(x) }
func Log1p(x float64) float64              { return math.Log1p(x) }
func Log2(x float64) float64               { return math.Log2(x) }
func LogAddExp(x, y float64) float64       { return 0 }
func Pow(x, y float64) float64             { return math.Pow(x, y) }
func Sigmoid(x float64) float64            { return 0 }
func Sin(x float64) float64                { return math.Sin(x) }
func Sinh(x float64) float64               { return math.Sinh(x) }
func Softplus(x float64) float64           { return 0 }
func Tan(x float64) float64                { return math.Tan(x) }
func Tanh(x float64) float64               { return math.Tanh(x) }
func LogSumExp(xs []float64) float64       { return 0 }
func Norm(xs []float64) float64            { return 0 }
func Softmax(into, xs []float64)           {}
