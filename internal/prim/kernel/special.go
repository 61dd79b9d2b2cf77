package kernel

import "math"

// Erf is the error function.
func Erf(x float64) float64 { return math.Erf(x) }

// Erfc is 1 - Erf without cancellation.
func Erfc(x float64) float64 { return math.Erfc(x) }
