package exact

import (
	"fmt"
	"math"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/linalg"
)

// A solution that takes too many steps is refused, with what is known of the reason.

// mostSteps bounds the steps of a leg.
const mostSteps = 1 << 13

// tires tells whether a leg that has taken so many steps, and calls for them, should take no more.
func (q *flow) tires(steps int, calls int64) bool {
	left := q.m.effort.calls - q.m.calls
	return steps >= mostSteps || steps >= 64 && 4*calls/int64(steps) > left
}

// tire ends a leg at a state, where the steps have a length, and says why it takes so many. Another
// effort would end in the same way, and is not made.
func (q *flow) tire(y []jet.Jet, at, step float64, steps int) error {
	m := q.m
	from, whole := m.N.Float64(q.a.Val()), m.N.Float64(q.w.Val())
	why := fmt.Sprintf("the solution is followed to the time %.6g in %d steps, and the rest would "+
		"take too many", from+at*whole, steps)
	slopes, ok, err := q.gradients(q.place(at), q.values(y))
	if err != nil {
		return err
	}
	if ok {
		why += fastest(m.ctx, slopes, math.Abs(whole), step)
	}
	q.stopped = trouble{code: diag.EffortSpent, at: q.at, what: why + ": ask for a shorter time"}
	if !q.inner && !m.effort.preview {
		if m.tedious == nil {
			m.tedious = map[*code]trouble{}
		}
		m.tedious[q.fun.code] = q.stopped
	}
	return nil
}

// fastest says what the largest eigenvalue of a matrix does to a solution, if that is why steps have
// their length. The matrix is in units of a length of time.
func fastest(m *ctx, slopes [][]jet.Jet, length, step float64) string {
	rows := make([][]float64, len(slopes))
	for i, row := range slopes {
		for _, x := range row {
			rows[i] = append(rows[i], m.N.Float64(x.Val())/length)
		}
	}
	re, im, _, ok := linalg.EigenBasis(rows)
	if !ok {
		return ""
	}
	k := 0
	for i := range re {
		if math.Hypot(re[i], im[i]) > math.Hypot(re[k], im[k]) {
			k = i
		}
	}
	switch {
	case math.Hypot(re[k], im[k])*length*step < 0.1:
		return "; it, or its equation, varies fast there"
	case math.Abs(im[k]) > math.Abs(re[k]):
		return fmt.Sprintf("; it oscillates with the angular frequency %.2g", math.Abs(im[k]))
	case re[k] < 0:
		return fmt.Sprintf("; the equation is stiff: what deviates from the solution decays at the "+
			"rate %.2g", -re[k])
	}
	return fmt.Sprintf("; what deviates from the solution grows at the rate %.2g", re[k])
}

// values is the states without what they depend on.
func (q *flow) values(y []jet.Jet) []jet.Jet {
	all := make([]jet.Jet, len(y))
	for i, x := range y {
		all[i] = q.m.Const(x.Val())
	}
	return all
}
