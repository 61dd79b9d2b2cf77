package rules

import "math"

// Note [The direction at a tie]
//
// At a tie, kinks are resolved along one fixed direction of the inputs, then along the opposite
// one, and the two derivatives are averaged. The tape and compiled code take the same direction, so
// that they have the same derivatives. Its components lie between 1 and 2 and have 52 bits of a
// hash, so that no combination of a few of them with simple coefficients is zero. (The multiples of
// an irrational would not do: any three of those are linearly dependent.)

// Direction returns the k-th component of the direction.
func Direction(k int) float64 {
	return math.Float64frombits(DirectionBits(uint64(k)+1, goWords{}))
}

// Words computes with words of 64 bits: in Go, or as statements of the loop form.
type Words[W any] interface {
	Times(x W, by uint64) W // modulo 2^64
	Fold(x W, by uint) W    // x ^ x >> by
	Double(x W) W           // as bits, the double of [1, 2) whose fraction is the upper 52 of x
}

// DirectionBits returns the bits of the component before next: those of SplitMix64.
func DirectionBits[W any](next W, on Words[W]) W {
	h := on.Times(next, 0x9E3779B97F4A7C15)
	h = on.Times(on.Fold(h, 30), 0xBF58476D1CE4E5B9)
	h = on.Times(on.Fold(h, 27), 0x94D049BB133111EB)
	return on.Double(on.Fold(h, 31))
}

type goWords struct{}

func (goWords) Times(x, by uint64) uint64     { return x * by }
func (goWords) Fold(x uint64, by uint) uint64 { return x ^ x>>by }
func (goWords) Double(x uint64) uint64        { return 0x3FF<<52 | x>>12 }
