package exact

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
)

// bumpy is a random function on [0, 1]: a polynomial, waves and kinks. Coefficients are
// few and round, so that ties, touches and roots at ends are frequent.
type bumpy struct {
	poly        []float64
	wave, speed float64
	kink, at    float64
}

func newBumpy(r *rand.Rand) bumpy {
	b := bumpy{speed: float64(r.IntN(20)), at: float64(r.IntN(9)) / 8}
	for range 1 + r.IntN(5) {
		b.poly = append(b.poly, float64(r.IntN(9)-4)/4)
	}
	if r.IntN(2) == 0 {
		b.wave = float64(r.IntN(5)-2) / 2
	}
	if r.IntN(2) == 0 {
		b.kink = float64(r.IntN(9)-4) / 2
	}
	return b
}

func (b bumpy) float(x float64) float64 {
	y := 0.0
	for i := len(b.poly) - 1; i >= 0; i-- {
		y = y*x + b.poly[i]
	}
	return y + b.wave*math.Sin(b.speed*x) + b.kink*math.Abs(x-b.at)
}

// steepest is at least every slope of b.
func (b bumpy) steepest() float64 {
	s := math.Abs(b.wave*b.speed) + math.Abs(b.kink)
	for i, c := range b.poly {
		s += float64(i) * math.Abs(c)
	}
	return s
}

func (b bumpy) exact(c *ctx) function {
	return func(x jet.Jet) (jet.Jet, error) {
		y := c.Float(0)
		for i := len(b.poly) - 1; i >= 0; i-- {
			y = c.Add(c.Mul(y, x), c.Float(b.poly[i]))
		}
		y = c.Add(y, c.Mul(c.Float(b.wave), c.Sin(c.Mul(c.Float(b.speed), x))))
		if b.kink != 0 {
			y = c.Add(y, c.Mul(c.Float(b.kink), c.absolute(c.Sub(x, c.Float(b.at)))))
		}
		return y, c.count(diag.Span{})
	}
}

// TestRandomFunctions compares optima and first roots of random functions with what a
// fine grid of points shows: it cannot show more than there is.
func TestRandomFunctions(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 5))
	const points = 4096
	narrow, found := 0, 0
	for range 600 {
		b := newBumpy(random)
		c := newCtx(jet.Number(jet.Double{}), effort{bits: 53, tol: jet.MagOf(1e-8), cells: 4096, calls: 1 << 20}, func(diag.Span) error { return nil })
		largest, place, change := math.Inf(-1), 0.0, math.NaN()
		sign := 0.0
		for i := range points + 1 {
			x := float64(i) / points
			y := b.float(x)
			if y > largest {
				largest, place = y, x
			}
			if math.Abs(y) > 1e-12 {
				if s := math.Copysign(1, y); sign == -s && math.IsNaN(change) {
					change = x
				} else {
					sign = s
				}
			}
		}
		slack := b.steepest()/points + 1e-12

		m, err := c.maxOver(nowhere, c.Float(0), c.Float(1), b.exact(c))
		if err != nil || !m.Known() || m.Val().Interval.Sup() < largest-1e-12 || m.Val().Interval.Inf() > largest+slack {
			t.Errorf("maximum of %+v: %v, %v; on the grid %v", b, m.Val(), err, largest)
		}
		if m.Val().Interval.Width() < 1e-7 {
			narrow++
		}
		at, err := c.argmaxOver(nowhere, c.Float(0), c.Float(1), b.exact(c))
		if err != nil || !at.Known() {
			t.Errorf("argmax of %+v: %v", b, err)
		} else if best := b.float(at.Val().Interval.Mid()); at.Val().Interval.Width() < 1e-6 && best < largest-slack {
			t.Errorf("argmax of %+v: %v, where it is %v; on the grid %v, at %v", b, at.Val(), best, largest, place)
		}

		r, err := c.firstRoot(nowhere, b.exact(c), nil)
		var d *diag.Diagnostic
		switch {
		case err != nil && !errors.As(err, &d):
			t.Errorf("first root of %+v: %v", b, err)
		case err != nil: // there is none
			if !math.IsNaN(change) {
				t.Errorf("first root of %+v: none; on the grid there is one up to %v", b, change)
			}
		case r.Known():
			found++
			if r.Val().Interval.Inf() > change { // NaN: the grid missed it
				t.Errorf("first root of %+v: %v; on the grid there is one up to %v", b, r.Val(), change)
			}
			if before := r.Val().Interval.Inf() - 1e-9; before > 0 && r.Val().Interval.Width() < 1e-7 && b.float(0)*b.float(before) < 0 && math.Abs(b.float(0)) > 1e-9 {
				t.Errorf("first root of %+v: %v, but the sign has changed before", b, r.Val())
			}
		}
		if c.calls > 60_000 {
			t.Errorf("%+v: %d calls", b, c.calls)
		}
	}
	if narrow < 590 || found < 150 {
		t.Errorf("only %d maxima are narrow, and %d first roots known", narrow, found)
	}
}
