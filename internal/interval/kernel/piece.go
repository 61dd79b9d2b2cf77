package kernel

import "math"

// Note [Pieces]
//
// A smooth function on [2^a, 2^b) is cut into 16 pieces per binade. On each it is approximated by
// its Taylor polynomial of degree 14 at the centre c, with four coefficients in double-double.
// The generator checks in big arithmetic, for every piece, with m the least magnitude of the
// function on it, that the sum of the terms from degree 4 on stays below 2^-17·m and that the
// omitted terms stay below 2^-70·m (the next eight terms, doubled: successive terms shrink at
// least eightfold, as the nearest singularity is at least 16 half-widths away). By Note [Mixed
// Horner] the relative error is below 2^-68 + 2^-70 + 2^-99 < 2^-67.

type piece struct {
	c    float64
	head [4]dd
	tail [11]float64
}

// at evaluates the piece that x.h falls into. The table starts at 2^from. A low word of x that
// crosses into the next piece does no harm at 2^-53.
func at(table []piece, from int, x dd) dd {
	i := int(math.Float64bits(x.h)>>48) - (from+1023)<<4
	p := &table[i]
	t := x.addF(-p.c)
	s := p.tail[len(p.tail)-1]
	for i := len(p.tail) - 2; i >= 0; i-- {
		s = math.FMA(s, t.h, p.tail[i])
	}
	return hornerDD(t, p.head[:], s)
}

// Note [Zeros]
//
// Near a zero z a value must be accurate relative to itself, far beyond what
// a difference of double-doubles gives. There the function is (x-z)·Q(x-z), with
// z in three doubles (so that x-z, whose leading subtraction is exact, has
// relative error below 2^-100) and Q a piece about z, within 1/32 of the
// distance to the nearest pole, and checked by the generator like every other.

type zeroPiece struct {
	z    [3]float64
	r    float64 // half-width
	head [4]dd
	tail [11]float64
}

// nearZero evaluates the function at x if x is within reach of a zero.
func nearZero(table []zeroPiece, x float64) (dd, bool) {
	for i := range table {
		p := &table[i]
		if math.Abs(x-p.z[0]) < p.r {
			t := minusParts(dd{x, 0}, p.z[0], p.z[1], p.z[2])
			s := p.tail[len(p.tail)-1]
			for i := len(p.tail) - 2; i >= 0; i-- {
				s = math.FMA(s, t.h, p.tail[i])
			}
			return hornerDD(t, p.head[:], s).mul(t), true
		}
	}
	return dd{}, false
}

// minusParts returns x-(a+b+c) for a constant in three parts.
func minusParts(x dd, a, b, c float64) dd {
	s := twoSum(x.h, -a)
	return s.addF(x.l).addF(-b).addF(-c)
}
