package solve

import "math"

// cut looks for a bracket, to the right of 0 if f is positive there, and to the left if it is
// negative. The strides grow, first by doubling and then by squaring. Then it finds the root. On
// the other side it takes one more look for a sign that should not be there.
func (r *rootFinder) cut() (float64, error) {
	f0, err := r.f.at(0)
	if err != nil {
		return math.NaN(), err
	}
	right, err := r.f.at(1)
	if err != nil {
		return math.NaN(), err
	}
	left, err := r.f.at(-1)
	if err != nil {
		return math.NaN(), err
	}
	if right > 0 && left < 0 || f0 > 0 && left < 0 || f0 < 0 && right > 0 || f0 == 0 &&
		(left <= 0 || right >= 0) {
		return math.NaN(), &WrongSigns{Left: -1, Right: 1, LeftSign: sign(left),
			RightSign: sign(right)}
	}
	if f0 == 0 {
		return 0, nil
	}
	// Seen from the side where the root is, towards infinity.
	direction, near, fnear := 1.0, 0.0, f0
	next := right
	if f0 < 0 {
		direction, next = -1, left
	}
	for exponent := 0.0; ; exponent = math.Max(exponent+1, exponent*1.5) {
		far := direction * math.Exp2(math.Min(math.Floor(exponent), 1023))
		if exponent > 0 {
			if next, err = r.f.at(far); err != nil {
				return math.NaN(), err
			}
		}
		if next == 0 || math.Signbit(next) != math.Signbit(f0) {
			if direction > 0 {
				return r.between(near, fnear, far, next)
			}
			return r.between(far, next, near, fnear)
		}
		near, fnear = far, next
		if exponent >= 1023 {
			break
		}
	}
	e := &WrongSigns{Left: -1, Right: near, LeftSign: sign(left), RightSign: sign(fnear)}
	if direction < 0 {
		e = &WrongSigns{Left: near, Right: 1, LeftSign: sign(fnear), RightSign: sign(right)}
	}
	return math.NaN(), e
}

func sign(y float64) int {
	switch {
	case y > 0:
		return 1
	case y < 0:
		return -1
	}
	return 0
}
