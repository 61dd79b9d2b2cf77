package exact

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/linalg"
)

// The boxes of Note [Flows], and small matrices of jets.

// frame is an orthogonal matrix, nearly, in whose coordinates the image of the box r by a matrix is
// narrow: the first of its columns are along the longest edges of the image. It comes with its
// inverse.
func (q *flow) frame(by [][]jet.Jet, r []jet.Jet) (a, inverse [][]jet.Jet) {
	m, size := q.m, len(r)
	column := make([]int, size)
	length := make([]float64, size)
	for j := range column {
		column[j] = j
		for i := range by {
			length[j] = math.Hypot(length[j], m.N.Float64(by[i][j].Val()))
		}
		length[j] = math.Log2(length[j]) + float64(m.N.Width(r[j].Val()).Exp())
	}
	slices.SortStableFunc(column, func(i, j int) int { return cmp.Compare(length[j], length[i]) })
	middle := linalg.Array{Rank: 2, Rows: make([][]float64, size)}
	for i := range by {
		for _, j := range column {
			middle.Rows[i] = append(middle.Rows[i], m.N.Float64(by[i][j].Val()))
		}
	}
	factors, failed := linalg.Qr(linalg.Unlimited, []linalg.Array{middle})
	if failed != nil {
		return q.identity(size), q.identity(size)
	}
	points := make([][]jet.Set, size)
	for i := range points {
		points[i] = make([]jet.Set, size)
		for j, x := range factors.Rows[i] {
			if math.IsNaN(x) {
				return q.identity(size), q.identity(size)
			}
			points[i][j] = m.N.Float(x)
		}
	}
	system, ok := jet.NewSystem(m.N, points)
	if !ok {
		return q.identity(size), q.identity(size)
	}
	return q.constants(points), q.constants(system.Inverse())
}

func (q *flow) constants(points [][]jet.Set) [][]jet.Jet {
	all := make([][]jet.Jet, len(points))
	for i, row := range points {
		for _, x := range row {
			all[i] = append(all[i], q.m.Const(x))
		}
	}
	return all
}

func (q *flow) identity(size int) [][]jet.Jet {
	unit := make([][]jet.Jet, size)
	for i := range unit {
		unit[i] = slices.Repeat([]jet.Jet{q.m.Zero()}, size)
		unit[i][i] = q.m.One()
	}
	return unit
}

func (q *flow) product(x, y [][]jet.Jet) [][]jet.Jet {
	z := make([][]jet.Jet, len(x))
	for i := range z {
		z[i] = make([]jet.Jet, len(y))
		for j := range z[i] {
			z[i][j] = q.m.Zero()
			for k := range y {
				z[i][j] = q.m.Add(z[i][j], q.m.Mul(x[i][k], y[k][j]))
			}
		}
	}
	return z
}

func (q *flow) apply(x [][]jet.Jet, y []jet.Jet) []jet.Jet {
	z := make([]jet.Jet, len(x))
	for i := range z {
		z[i] = q.m.Zero()
		for k := range y {
			z[i] = q.m.Add(z[i], q.m.Mul(x[i][k], y[k]))
		}
	}
	return z
}

// middle is the middle of each coefficient.
func (q *flow) middle(xs []jet.Jet) []jet.Jet {
	points := make([]jet.Jet, len(xs))
	for i, x := range xs {
		points[i] = q.m.Map(x, func(c jet.Set, known bool) (jet.Set, bool) {
			if !q.m.N.Bounded(c) {
				return c, known
			}
			return q.m.N.Mid(c), known
		})
	}
	return points
}

// within tells whether each coefficient of x lies in that of y.
func (q *flow) within(xs, ys []jet.Jet) bool {
	all := true
	for i, x := range xs {
		all = all && q.m.Complete(x) && q.m.Complete(ys[i])
		q.m.Zip(x, ys[i], func(c, d jet.Set) (jet.Set, bool) {
			all = all && q.m.N.Within(c, d)
			return c, true
		})
	}
	return all
}

// mag is the largest absolute value of a coefficient.
func (q *flow) mag(xs ...jet.Jet) jet.Mag {
	most := jet.Mag{}
	for _, x := range xs {
		q.m.Each(x, func(_ int, c jet.Set, known bool) bool {
			most = most.Max(q.m.N.Mag(c))
			return known
		})
	}
	return most
}

// width is that of the widest coefficient.
func (q *flow) width(xs ...jet.Jet) jet.Mag {
	most := jet.Mag{}
	for _, x := range xs {
		most = most.Max(q.m.Width(x))
	}
	return most
}

func (q *flow) known(xs ...jet.Jet) bool {
	return !slices.ContainsFunc(xs, func(x jet.Jet) bool { return !x.Known() || !q.m.N.Bounded(x.Val()) })
}

// coarsely makes the algebra compute with fewer bits, and gives what ends that.
func (q *flow) coarsely() (restore func()) {
	if _, plain := balls(q.m.N); !plain || q.m.N.Bits() <= coarseBits {
		return func() {}
	}
	return q.m.Over(jet.NewBalls(coarseBits))
}

// stop records why there is no step at a place, with the time there, unless that is known better.
func (q *flow) stop(at float64, why string) {
	if q.stopped.code != "" || q.partial {
		return
	}
	time := q.m.N.Float64(q.a.Val()) + at*q.m.N.Float64(q.w.Val())
	q.stopped = trouble{code: diag.EffortSpent, at: q.at, what: fmt.Sprintf(why, time)}
}
