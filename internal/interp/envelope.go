package interp

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/solve"
)

// envelopeNode is the maximum of f, inside its range at x: its derivative is
// that of f at the maximiser (Danskin), which only second derivatives move.
//
// Note [A maximum at a kink]
//
// Where f is largest at a kink, as `min (c + x) (1 - 2 * x)` is, the maximum
// moves along with the kink: it is where two functions f1 and f2 of x and of
// what is captured, with the slopes s1 >= 0 >= s2 in x, are equal. From
// dv = s1 dx + p1 = s2 dx + p2 follows dv = w p1 + (1 - w) p2 with the weight w
// for which w s1 + (1 - w) s2 = 0: the element of Clarke's derivative that is
// stationary in x. So f is linearized beside x on either side. Where it is
// smooth both slopes are next to 0, both parts nearly equal, and any weights
// are good.
type envelopeNode struct {
	f           realFunction
	x           float64
	left, right float64 // beside x, as near as x is known
}

func newEnvelope(f realFunction, best solve.Optimum, a, b float64) *envelopeNode {
	within := func(x float64) float64 { return math.Max(a, math.Min(x, b)) }
	x := best.X
	near := math.Max(best.XError, 4*(math.Nextafter(math.Abs(x), math.Inf(1))-math.Abs(x)))
	return &envelopeNode{f, x, within(x - near), within(x + near)}
}

func (c *envelopeNode) parents(func(float64)) {}

// at is the derivative of the maximum; its slope is of no meaning.
func (c *envelopeNode) at(s *sweep) (linear, bool) {
	l, d := c.linearize(s)
	if d != nil {
		s.t.fail(d)
	}
	return l, d == nil
}

func (c *envelopeNode) linearize(s *sweep) (linear, *diag.Diagnostic) {
	m := s.t.m
	if s.record {
		x, d := m.implicit(m.derivative(c.f), c.x)
		if d != nil {
			return linear{}, d
		}
		return m.linearize(c.f, x, true)
	}
	if m.slopes == m.tape.depth { // a part of the slope that a search takes
		m.slopes++
		defer func() { m.slopes-- }()
	}
	l, d := m.linearize(c.f, c.left, false)
	if d != nil {
		return l, d
	}
	r, d := m.linearize(c.f, c.right, false)
	if d != nil {
		return r, d
	}
	rise, fall := present(l.slope), present(r.slope)
	w := fall / (fall - rise)
	switch {
	case math.IsNaN(w):
		w = 0.5
	case w <= 0:
		return r, nil
	case w >= 1:
		return l, nil
	}
	var both linear
	for _, p := range l.captured {
		both.captured = append(both.captured, partialOf{p.of, s.product(w, p.d)})
	}
	for _, p := range r.captured {
		both.captured = append(both.captured, partialOf{p.of, s.product(1-w, p.d)})
	}
	return both, nil
}

func (c *envelopeNode) pull(s *sweep, _ handle, w float64) {
	if l, ok := c.at(s); ok {
		for _, p := range l.captured {
			s.contribute(p.of, s.product(w, p.d))
		}
	}
}

func (c *envelopeNode) push(s *sweep, _ handle) float64 {
	if l, ok := c.at(s); ok {
		return s.along(l.captured)
	}
	return absent
}
