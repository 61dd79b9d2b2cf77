package kernel

import "math"

// Val encloses the value of a function at a point: it lies within E of H+L,
// times 2^K. See Note [Budgets].
type Val struct {
	H, L, E float64
	K       int
}

// Note [Budgets]
//
// A kernel that returns Val promises that the doubles L-E and L+E, rounded to
// nearest as they stand, still satisfy
//
//	(H + (L-E))·2^K ≤ f(x) ≤ (H + (L+E))·2^K.
//
// Kernels meet it in one of two ways. Most argue an error of at most E/2 and
// have |L| ≤ 2^51·E, so that rounding L±E costs less than E/2; the tests assert
// |H+L-f(x)| ≤ E/2, the stated budget. Where the side is known (exact results,
// f(x) just above x) L±E is itself exact, and they return the enclosure
// directly; the tests then assert the displayed inequality.
//
// Taking ends from a Val with a directed sum therefore costs at most one unit
// in the last place over tightest, and that only when f(x) lies within 2E of a
// double: for E = 2^-63·|H| once in 2^9 cases.

// exactly returns the Val of a value known without error.
func exactly(x float64) Val { return Val{H: x} }

// budget makes a Val of a double-double with relative error bound rel, twice
// the argued one.
func (a dd) budget(rel float64) Val { return Val{H: a.h, L: a.l, E: math.Abs(a.h) * rel} }

// Nearest rounds v to a double.
func (v Val) Nearest() float64 {
	if v.K != 0 {
		return math.Ldexp(v.H+v.L, v.K)
	}
	return v.H + v.L
}

// neg returns the Val of the negated value.
func (v Val) neg() Val { return Val{-v.H, -v.L, v.E, v.K} }

// mirrored evaluates an odd function from its values at positive arguments.
func mirrored(x float64, f func(float64) Val) Val {
	if x < 0 {
		return f(-x).neg()
	}
	return f(x)
}

// aboveOrBelow returns the Val of a function whose value differs from x by less
// than 2^-56·|x|, upwards when dir is +1 and downwards when it is -1. The
// scaling keeps the margin from underflowing; ends are then tightest.
func aboveOrBelow(x, dir float64) Val {
	if x == 0 {
		return Val{H: x}
	}
	k := 0
	if math.Abs(x) < 0x1p-900 {
		x *= 0x1p150
		k = -150
	}
	d := math.Abs(x) * 0x1p-57
	return Val{x, dir * d, d, k}
}

// nearIdentity is aboveOrBelow for odd functions, by magnitude. grows says whether |f(x)| > |x|.
// It is for |x| < tinyOdd and functions with |f(x)-x| ≤ |x|³/2.
func nearIdentity(x float64, grows bool) Val {
	if grows == (x > 0) {
		return aboveOrBelow(x, 1)
	}
	return aboveOrBelow(x, -1)
}

const (
	tinyOdd  = 0x1p-28 // x³/2 ≤ 2^-57·x below
	tinyEven = 0x1p-56 // x² ≤ 2^-56·x below
)
