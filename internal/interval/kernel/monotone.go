package kernel

// Monotone is a function that rises or falls on the whole of its domain. Its value rounded to
// nearest and its ranges on intervals follow from its values at points and from its limits.
type Monotone struct {
	Val    func(x float64) Val // at the finite points of the domain
	Lo, Hi float64             // the ends of the domain

	// AtLo and AtHi hold the limits there. A finite end with a finite limit belongs to the domain.
	AtLo, AtHi Val
}

// The limits of the arctangent and the arccosine.
var (
	quarterTurn = halfPi.budget(0x1p-100)
	halfTurn    = halfPi.scale(2).budget(0x1p-100)
)

// At encloses the function at x, a point of the domain or an end of it.
func (f *Monotone) At(x float64) Val {
	switch x {
	case f.Lo:
		return f.AtLo
	case f.Hi:
		return f.AtHi
	}
	return f.Val(x)
}

// Nearest rounds the function at x to a double, within the bound of the package's functions. It
// returns NaN outside the domain, and the limits at its ends.
func (f *Monotone) Nearest(x float64) float64 {
	if !(x >= f.Lo && x <= f.Hi) {
		return nan
	}
	return keepZero(x, f.At(x).Nearest())
}

// keepZero returns y, the value at x of a function with f(-0) = -0 if f(0) = 0: sums may lose the
// sign of a zero.
func keepZero(x, y float64) float64 {
	if x == 0 && y == 0 {
		return x
	}
	return y
}
