package interp

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/solve"
)

// Note [Roundoff]
//
// The derivative of an integrand may be a sum of terms that cancel: that of the
// variance of a distribution which is only moved, for example, is 0 at every
// point but for roundoff. No quadrature can make sense of the values, and
// nothing in them says that they are as good as 0. What tells is to compute
// them again with a random error, as large as that of rounding, in every
// contribution to a derivative, and to see how far they are then off (stochastic
// arithmetic: Vignes, 1993). A function that is merely rough is hardly off.
//
// The same holds of the values of an integrand, such as (sin x)^2 + (cos x)^2 - 1.
// There the errors are those of every operation, and they are followed through
// arithmetic only: sin (1e17 * x) is not roundoff, though that of its argument
// makes it anything.

const epsilon = 0x1p-52

// arithmetic are the rows that roundoff is followed through.
var arithmetic = map[string]bool{"+": true, "-": true, "*": true, "/": true, "neg": true, "^": true}

// roundoff is a source of errors, the same ones in every run.
type roundoff struct{ drawn int }

// within is a random number in [-size, size].
func (r *roundoff) within(size float64) float64 {
	r.drawn++
	return size * (2*direction(r.drawn) - 3)
}

// noiseOf is how far roundoff puts a function off which can be computed with
// more of it.
func noiseOf(f func(x float64, off *roundoff) ([]float64, error)) solve.VectorFunc {
	off := &roundoff{}
	return func(x float64) ([]float64, error) {
		v, err := f(x, nil)
		if err != nil {
			return nil, err
		}
		noise := append([]float64(nil), v...)
		if v, err = f(x, off); err != nil {
			return nil, err
		}
		for k := range noise { // components are only ever added
			noise[k] = math.Abs(v[k] - noise[k])
		}
		return noise, nil
	}
}

// noise is how far roundoff puts the integrand off.
func (g *integration) noise(x float64) ([]float64, error) {
	y, _, r, d := g.record(x)
	if d != nil {
		return nil, d
	}
	t := g.m.tape
	defer t.end(r, false)
	s, ok := t.newSweep(r, false)
	if !ok {
		return nil, t.failed()
	}
	for h := s.node; h < s.end; h++ {
		n := t.node(h)
		size := math.Abs(n.v) * epsilon
		switch {
		case n.op == nodeLeaf || n.op == nodeWhole:
			continue
		case n.op == nodeCustom:
			if c, ok := t.custom(n).(*integralNode); ok {
				size = max(size, c.uncertainty)
			}
		case arithmetic[t.rows[n.op&^formMask].prim.Name]:
			s.pushRow(h, n)
		}
		s.contribute(h, g.roundoff.within(size))
	}
	noise := math.Abs(present(s.get(y)))
	return []float64{noise}, nil
}
