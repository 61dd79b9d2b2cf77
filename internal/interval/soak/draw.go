package soak

import (
	"math"
	"math/rand/v2"

	"github.com/fluxion-lang/fluxion/internal/interval/kernel"
)

// The distributions below cover every magnitude, and favour places where functions are hard:
// neighbours of powers of two, of small integers and of multiples of π/2, and the ends of
// domains.

// logUniform draws a number with a uniformly distributed exponent in [lo, hi).
func logUniform(r *rand.Rand, lo, hi int) float64 {
	return math.Ldexp(1+r.Float64(), lo+r.IntN(hi-lo))
}

func signed(r *rand.Rand, x float64) float64 {
	if r.IntN(2) == 0 {
		return -x
	}
	return x
}

// near draws x or a double up to eight away.
func near(r *rand.Rand, x float64) float64 {
	return math.Float64frombits(math.Float64bits(x) + uint64(r.IntN(17)) - 8)
}

func drawAny(r *rand.Rand) float64 {
	switch r.IntN(8) {
	case 0:
		return float64(r.IntN(41) - 20)
	case 1:
		return signed(r, near(r, math.Ldexp(1, r.IntN(2040)-1020)))
	case 2:
		return signed(r, math.Float64frombits(r.Uint64N(1<<53))) // tiny
	case 3:
		return r.NormFloat64()
	}
	return signed(r, logUniform(r, -1074, 1024))
}

func drawPositive(r *rand.Rand) float64 { return math.Abs(drawAny(r)) }

// drawMedium draws a number at which exp and similar functions are neither 1 nor out of range.
func drawMedium(r *rand.Rand) float64 {
	switch r.IntN(8) {
	case 0:
		return drawAny(r)
	case 1:
		return signed(r, r.Float64()*760)
	case 2:
		return signed(r, near(r, float64(1+r.IntN(100))/4))
	}
	return signed(r, logUniform(r, -60, 10))
}

// drawPolygamma draws a number that is often left of 0, and there near a pole or near the middle
// between two, where even orders have zeros and odd ones minima.
func drawPolygamma(r *rand.Rand) float64 {
	switch r.IntN(8) {
	case 0, 1:
		return r.Float64() * 30
	case 2, 3:
		return logUniform(r, -100, 100)
	case 4:
		return -r.Float64() * 30
	case 5:
		return -logUniform(r, -100, 50)
	}
	return (signed(r, logUniform(r, -54, -1)) - float64(1+r.IntN(60))) / 2
}

func drawLog(r *rand.Rand) float64 {
	if r.IntN(4) == 0 {
		return 1 + signed(r, logUniform(r, -53, -1))
	}
	return drawPositive(r)
}

func drawLog1p(r *rand.Rand) float64 {
	if r.IntN(4) == 0 {
		return r.Float64()*2 - 1
	}
	return signed(r, logUniform(r, -70, 1)) * 0.999
}

func drawAngle(r *rand.Rand) float64 {
	switch r.IntN(4) {
	case 0:
		return drawAny(r)
	case 1:
		return near(r, math.Pi/2*float64(r.IntN(1<<r.IntN(30))))
	case 2:
		return near(r, math.Pi/128*float64(1+r.IntN(4000)))
	}
	return signed(r, logUniform(r, -40, 60))
}

func drawUnit(r *rand.Rand) float64 {
	switch r.IntN(4) {
	case 0:
		return signed(r, 1-logUniform(r, -54, -1))
	case 1:
		return signed(r, logUniform(r, -1074, -1))
	}
	return r.Float64()*2 - 1
}

func drawAboveOne(r *rand.Rand) float64 {
	if r.IntN(2) == 0 {
		return 1 + logUniform(r, -52, 4)
	}
	return logUniform(r, 0, 1024)
}

func drawErfc(r *rand.Rand) float64 {
	switch r.IntN(4) {
	case 0:
		return drawMedium(r)
	case 1:
		return signed(r, logUniform(r, -3, 3))
	}
	return r.Float64()*35 - 7
}

func drawGamma(r *rand.Rand) float64 {
	switch r.IntN(8) {
	case 0:
		return -r.Float64() * 20
	case 1:
		return logUniform(r, -200, 1000)
	case 2:
		return near(r, float64(1+r.IntN(20)))
	case 3:
		return 1 + signed(r, logUniform(r, -52, -1))
	case 4:
		return 2 + signed(r, logUniform(r, -51, -1))
	}
	return r.Float64() * 20
}

// drawDigamma adds the zeros of ψ far to the left, where
// ψ(a) = ψ(1-a) - π·cot πa.
func drawDigamma(r *rand.Rand) float64 {
	switch r.IntN(4) {
	case 0:
		return -logUniform(r, -200, 50)
	case 1:
		g := -math.Floor(logUniform(r, 0, 40))
		a := g + 0.5
		for range 6 {
			a = g + math.Atan2(math.Pi, kernel.Digamma(1-a))/math.Pi
		}
		return near(r, a)
	}
	return drawGamma(r)
}

func drawPair(r *rand.Rand) [3]float64 {
	x := drawAny(r)
	switch r.IntN(4) {
	case 0: // of like size, so that sums cancel and quotients are moderate
		y := x * (1 + signed(r, logUniform(r, -55, 3)))
		if y-y == 0 {
			return [3]float64{x, -y}
		}
	case 1: // products near the ends of the range
		y := math.Ldexp(1+r.Float64(), []int{1023, -1022, -1074, -969}[r.IntN(4)]-math.Ilogb(x))
		if y-y == 0 {
			return [3]float64{x, signed(r, y)}
		}
	}
	return [3]float64{x, drawAny(r)}
}

func drawTriple(r *rand.Rand) [3]float64 {
	p := drawPair(r)
	p[2] = drawAny(r)
	if q := -p[0] * p[1]; r.IntN(2) == 0 && q-q == 0 { // cancel the product
		p[2] = near(r, q)
		if p[2]-p[2] != 0 {
			p[2] = q
		}
	}
	return p
}

func drawPowered(n int) func(r *rand.Rand) float64 {
	return func(r *rand.Rand) float64 {
		if r.IntN(4) == 0 {
			if x := drawAny(r); x != 0 {
				return x
			}
		}
		e := 1074/max(n, -n) + 1
		return signed(r, logUniform(r, -e, e))
	}
}

func drawPow(r *rand.Rand) [3]float64 {
	x := drawPositive(r)
	switch r.IntN(4) {
	case 0:
		x = 1 + signed(r, logUniform(r, -53, -1))
	case 1:
		return [3]float64{float64(r.IntN(50)), float64(r.IntN(81)-40) / 4}
	}
	if l := math.Log(x); l-l == 0 && l != 0 {
		return [3]float64{x, signed(r, r.Float64()*750) / l}
	}
	return [3]float64{x, drawMedium(r)}
}

func drawAddends(r *rand.Rand) [3]float64 {
	x := drawMedium(r)
	switch r.IntN(5) {
	case 0, 1:
		return [3]float64{x, x + drawMedium(r)}
	case 2: // exp x + exp y near 1, so that the logarithm vanishes
		x = -logUniform(r, -1074, 7)
		return [3]float64{x, near(r, math.Log(-math.Expm1(x)))}
	case 3: // and farther from it
		x = -logUniform(r, -1074, 7)
		return [3]float64{x, math.Log(-math.Expm1(x)) * (1 + signed(r, logUniform(r, -50, -2)))}
	}
	return [3]float64{x, drawMedium(r)}
}
