package exact

import (
	"math/big"

	"github.com/fluxion-lang/fluxion/internal/exact/jet"
)

// Note [Ladder]. Effort grows on a fixed ladder: doubles first, unless the tolerance is out of
// their reach, then balls whose precision doubles from rung to rung, starting from what the
// tolerance needs. Before it there are previews, so that soon something is known that can be shown,
// and handed out if the run is interrupted. Doubles are tried again with a finer tolerance if they
// came near: a sum of a thousand integrals is a thousand times as wide as one. Each rung evaluates
// a part of the result (Note [Parts]) again; since the cost of a rung is at least twice that of the
// one before, all of them together cost little more than the last. The climb of a part ends
//
//   - when every real in it is narrow enough;
//   - when the program fails, whatever the precision: an index out of range;
//   - when it stays as wide as it is because of a kink that sits exactly where a
//     derivative was asked for (E0901);
//   - when searches are involved and the last maxIdle rungs have gained so little that
//     at that rate the rest of the ladder does not lead there, or when there
//     were maxCalls: a program without searches may need any precision and is cheap to
//     run again, but a search whose subdivision is exhausted only gets slower;
//   - when something is unknown, rather than wide, with unknownBits: that is not for want of
//     precision, and special functions take minutes beyond;
//   - on the last rung.

const (
	maxBits    = 1 << 16 // of the last rung, if the tolerance does not ask for more
	doubleBits = 53
	guardBits  = 30

	beyondDoubles = 60 // bits behind the point that a tolerance may need to be within their reach

	nearby = 1 << 12 // how many times too wide a result may be for doubles to be tried again

	unknownBits = 1 << 12
	maxIdle     = 2
	maxCalls    = 1 << 21 // of functions by searches, beyond which no further rung is begun
)

// previews are the efforts that come before the ladder, unless wider tolerances came before it,
// or the tolerance is wide and there are no parts to tell apart by their cost. They are cheap:
// they use doubles, and cut little.
func (r *runner) previews() []effort {
	need := -magOf(r.options.Eps).Exp()
	if r.options.Stream || need < 20 && len(r.parts) == 1 {
		return nil
	}
	all := []effort{{bits: doubleBits, tol: jet.Exp2(-10), cells: 8, calls: 1 << 16, preview: true}}
	if len(r.parts) > 1 {
		all = append([]effort{{bits: doubleBits, tol: jet.Exp2(-10), cells: 8, calls: 1 << 10, preview: true}}, all...)
	}
	if need >= beyondDoubles {
		all = append(all, effort{bits: doubleBits, tol: jet.Exp2(-30), cells: 1 << 10, calls: 1 << 17, preview: true})
	}
	return all
}

// firstMultiBits is the precision of the first rung above doubles.
func firstMultiBits(eps *big.Rat) uint {
	need := max(0, eps.Denom().BitLen()-eps.Num().BitLen()) + 1 + guardBits
	return uint(max(128, (need+63)/64*64))
}

// rungs is the ladder for a tolerance.
func rungs(eps *big.Rat) []effort {
	tol := magOf(eps)
	var ladder []effort
	add := func(bits uint, tol jet.Mag) {
		n := len(ladder)
		if n > 0 && ladder[0].bits == doubleBits {
			n-- // there are two efforts with doubles
		}
		calls := int64(1) << min(18+n, 40)
		if bits == doubleBits {
			calls = 1 << 20 // they are ten times faster, at least
		}
		ladder = append(ladder, effort{rung: n, bits: bits, tol: tol, cells: 1 << min(12+n, 20), calls: calls})
	}
	quarter := tol.MulFloat(0.25)
	if tol.Exp() > -beyondDoubles {
		add(doubleBits, quarter)
		finer := ladder[0]
		finer.tol, finer.finer = quarter.MulFloat(1.0/nearby), true
		ladder = append(ladder, finer)
	}
	first := firstMultiBits(eps)
	for bits := first; bits <= max(maxBits, 8*first); bits *= 2 {
		add(bits, quarter)
		quarter = quarter.MulFloat(1.0 / 64)
	}
	return ladder
}

// magOf is a rational as a magnitude, rounded down by at most a factor of two.
func magOf(q *big.Rat) jet.Mag {
	f, _ := new(big.Float).SetPrec(53).SetRat(q).Float64()
	if f > 1e-300 && f < 1e300 {
		return jet.MagOf(f).MulFloat(0.999)
	}
	return jet.Exp2(int64(q.Num().BitLen() - q.Denom().BitLen() - 1))
}
