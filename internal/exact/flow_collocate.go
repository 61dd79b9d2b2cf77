package exact

import (
	"math"
	"math/big"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/linalg"
)

// The polynomial of Note [Stiff flows]. Nothing here has to be right: its defect is enclosed later.

// bridge is the part [mid - half, mid + half] of a leg. σ goes from -1 to 1 along it.
type bridge struct{ mid, half float64 }

func (x bridge) start() float64 { return x.mid - x.half }
func (x bridge) end() float64   { return x.mid + x.half }

const (
	mostUnknowns    = 600 // coefficients of a polynomial that is solved for
	mostCorrections = 12  // of it, besides those that more digits need
)

// collocation is a polynomial in σ for each real of a state, and the equations that it satisfies
// nearly: u(-1) = p, and u' = G in the nodes. It is corrected by Newton's method. The corrections
// are combinations of T_k(σ) - T_k(-1) for k > 0, where T_k is Chebyshev's polynomial.
type collocation struct {
	q       *flow
	x       bridge
	u       [][]jet.Jet // the coefficients of each real
	nodes   []float64   // the last one is 1
	value   [][]float64 // of the basis in the nodes, by node and k-1
	slope   [][]float64 // its derivatives
	inverse [][]jet.Jet // of Newton's matrix, nearly
}

// collocate is the polynomial of a degree for a bridge that the solution enters at p; nil if none
// is found.
func (q *flow) collocate(p []jet.Jet, x bridge, degree int) ([][]jet.Jet, error) {
	m := q.m
	if len(p)*degree > mostUnknowns {
		return nil, nil
	}
	c := &collocation{q: q, x: x}
	for _, y := range p {
		series := []jet.Jet{y}
		for range degree {
			series = append(series, m.Const(m.N.Float(0)))
		}
		c.u = append(c.u, series)
	}
	for i := degree - 1; i >= 0; i-- {
		angle := 2 * math.Pi * float64(i) / float64(2*degree-1)
		value, slope := make([]float64, degree), make([]float64, degree)
		for k := range degree {
			n := float64(k + 1)
			value[k] = math.Cos(n*angle) - math.Cos(n*math.Pi)
			if slope[k] = n * n; i > 0 {
				slope[k] = n * math.Sin(n*angle) / math.Sin(angle)
			}
		}
		c.nodes = append(c.nodes, math.Cos(angle))
		c.value, c.slope = append(c.value, value), append(c.slope, slope)
	}
	last := jet.InfMag()
	for range mostCorrections + int(q.bits/16) {
		by, ok, err := c.correct()
		if !ok || err != nil {
			return nil, err
		}
		size := q.mag(p...).Max(jet.Exp2(-1))
		switch rounding := size.Mul(jet.Exp2(2 - int64(q.bits))); {
		case by.IsInf() || size.MulFloat(1e6).Less(by):
			return nil, nil
		case by.Less(rounding), !by.Less(last.MulFloat(0.5)) && by.Less(size.MulFloat(1e-6)):
			return c.u, nil
		case by.Less(size.MulFloat(1e-3)) && by.Less(last):
		default:
			c.inverse = nil
		}
		last = by
	}
	return nil, nil
}

// correct makes a step of Newton's method, and returns its size.
func (c *collocation) correct() (by jet.Mag, ok bool, err error) {
	m, q, degree := c.q.m, c.q, len(c.nodes)
	if c.inverse == nil {
		if ok, err := c.linearise(); !ok || err != nil {
			return by, false, err
		}
	}
	var residual []jet.Jet
	for _, node := range c.nodes {
		y, dy := c.at(node)
		rates, _, ok, err := q.rates(c.place(node), y)
		if !ok || err != nil {
			return by, false, err
		}
		for i := range rates {
			rate := m.Sub(m.Scale(rates[i], m.N.Float(c.x.half)), dy[i])
			if !m.Complete(rate) {
				return by, false, nil
			}
			residual = append(residual, rate)
		}
	}
	change := q.middle(q.apply(c.inverse, residual))
	for i := range c.u {
		terms := change[i*degree : (i+1)*degree]
		by = by.Max(q.mag(terms...))
		for j, x := range q.combine(terms) {
			c.u[i][j] = q.middle([]jet.Jet{m.Add(c.u[i][j], x)})[0]
		}
	}
	return by, true, nil
}

// linearise computes the inverse of Newton's matrix.
func (c *collocation) linearise() (bool, error) {
	q, size, degree := c.q, len(c.u), len(c.nodes)
	n := size * degree
	a := make([]float64, n*n)
	for node, at := range c.nodes {
		y, _ := c.at(at)
		slopes, ok, err := q.gradients(c.place(at), y)
		if !ok || err != nil {
			return false, err
		}
		for i := range size {
			row := a[(node*size+i)*n:][:n]
			for j := range size {
				by := c.x.half * q.m.N.Float64(slopes[i][j].Val())
				for k := range degree {
					row[j*degree+k] = -by * c.value[node][k]
				}
			}
			for k := range degree {
				row[i*degree+k] += c.slope[node][k]
			}
		}
	}
	unit := make([]float64, n*n)
	for i := range n {
		unit[i*n+i] = 1
	}
	inverse, failed := linalg.Solve(linalg.Unlimited,
		[]linalg.Array{linalg.Matrix(n, a), linalg.Matrix(n, unit)})
	if failed != nil || !finite(inverse.Rows) {
		return false, nil
	}
	c.inverse = q.points(inverse.Rows)
	return true, nil
}

// at is the polynomials and their derivatives in a node.
func (c *collocation) at(node float64) (y, dy []jet.Jet) {
	m, x := c.q.m, c.q.m.N.Float(node)
	for _, u := range c.u {
		value, slope := m.Zero(), m.Zero()
		for k := len(u) - 1; k >= 0; k-- {
			if value = m.Add(m.Scale(value, x), u[k]); k > 0 {
				slope = m.Add(m.Scale(slope, x), m.Scale(u[k], m.N.Int(int64(k))))
			}
		}
		y, dy = append(y, value), append(dy, slope)
	}
	return y, dy
}

// place is a node as a time of the leg.
func (c *collocation) place(node float64) jet.Jet {
	m := c.q.m
	return m.Add(m.Float(c.x.mid), m.Scale(m.Float(node), m.N.Float(c.x.half)))
}

// combine is the coefficients of Σ_k c_k (T_(k+1)(σ) - T_(k+1)(-1)).
func (q *flow) combine(c []jet.Jet) []jet.Jet {
	m := q.m
	sum := slices.Repeat([]jet.Jet{m.Zero()}, len(c)+1)
	for k, x := range c {
		if k == len(q.chebyshev) {
			q.chebyshev = append(q.chebyshev, q.polynomial(k+1))
		}
		for i, by := range q.chebyshev[k] {
			if (k+1-i)%2 == 0 || i == 0 {
				sum[i] = m.Add(sum[i], m.Scale(x, by))
			}
		}
	}
	return sum
}

// polynomial is the coefficients of T_n(σ) - T_n(-1), for n > 0.
func (q *flow) polynomial(n int) []jet.Set {
	before, now := []*big.Int{big.NewInt(1)}, []*big.Int{new(big.Int), big.NewInt(1)}
	for range n - 1 {
		next := make([]*big.Int, len(now)+1)
		for i := range next {
			next[i] = new(big.Int)
			if i > 0 {
				next[i].Lsh(now[i-1], 1)
			}
			if i < len(before) {
				next[i].Sub(next[i], before[i])
			}
		}
		before, now = now, next
	}
	now[0].Sub(now[0], big.NewInt(int64(1-2*(n%2))))
	sets := make([]jet.Set, len(now))
	for i, c := range now {
		sets[i] = q.m.N.Rat(new(big.Rat).SetInt(c))
	}
	return sets
}

// gradients is the values of ∂F/∂y at a time and a state, by row and column.
func (q *flow) gradients(s jet.Jet, y []jet.Jet) ([][]jet.Jet, bool, error) {
	m := q.m
	defer m.restore(m.ignoreOuter())
	return q.slopesOver(s, y)
}

// slopesOver is ∂F/∂y at times and states; ok is false where F may have a kink.
func (q *flow) slopesOver(s jet.Jet, y []jet.Jet) (slopes [][]jet.Jet, ok bool, err error) {
	m, size := q.m, len(y)
	slopes = make([][]jet.Jet, size)
	for i := range slopes {
		slopes[i] = make([]jet.Jet, size)
	}
	tag := m.open(1)
	defer m.close(tag)
	s, y = q.moving(tag, s, y, nil)
	for j := range size {
		unit := m.open(1)
		moved := append(append(append([]jet.Jet{}, y[:j]...), m.Var(unit, 1, y[j], m.One())), y[j+1:]...)
		rates, seen, ok, err := q.rates(s, moved)
		m.close(unit)
		if !ok || err != nil || seen.kinked {
			return nil, false, err
		}
		for i := range size {
			x := m.Coeff(m.Coeff(rates[i], unit, 1), tag, 0)
			if !m.Complete(x) {
				return nil, false, nil
			}
			slopes[i][j] = x
		}
	}
	return slopes, true, nil
}

// points is a matrix of doubles as jets.
func (q *flow) points(rows [][]float64) [][]jet.Jet {
	all := make([][]jet.Jet, len(rows))
	for i, row := range rows {
		for _, x := range row {
			all[i] = append(all[i], q.m.Float(x))
		}
	}
	return all
}

func finite(rows [][]float64) bool {
	for _, row := range rows {
		for _, x := range row {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return false
			}
		}
	}
	return true
}
