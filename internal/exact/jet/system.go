package jet

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/linalg"
)

// Note [Verified systems]
//
// Problem: elimination on sets of reals widens them from pivot to pivot, and must stop where it
// does not know that a pivot is not 0, although the solution depends on the pivots not at all.
//
// Idea (Krawczyk, Rump): a solution that was found somehow is verified. Let R be a matrix of
// points near the inverse of A, and let the norm c of C = I - R A be at most 1/2: that proves that
// every matrix in A is regular. For any point y, x - y = (I - C)⁻¹ R (b - A y), so that with
// d = R (b - A y)
//
//	x - y ∈ d + C (x - y)        |x - y| ≤ |d| / (1 - c) ≤ 2 |d|
//
// and x is in y + d ± 2 c |d|, in the norm of the largest element. R comes from doubles, and where
// the condition of A is beyond them from elimination on points of the working precision; y is
// refined by y + R (b - A y), which gains the factor c each time. Nothing in it has to be decided.
//
// Jets: let A = A0 + N, where the constant coefficients of N are 0, and V enclose the inverse of
// A0. Then X = V B - V N X, and since N is nilpotent, this becomes true for all coefficients after
// as many repetitions as N has degrees. Only products with the sets in V occur, so that
// coefficients may be forms.

// Sizes: rows and columns of A may be of very different sizes, as those of a Hessian by parameters in
// different units are. The norm would be that of the largest alone, so a system is solved for
// unknowns and equations that are scaled by powers of 2.

// System is a square matrix of sets, scaled, together with an approximate inverse.
type System struct {
	n             Number
	a, r          [][]Set
	rows, columns []Set // the scales
	contract      Mag   // the norm of I - r a, at most 1/2
}

// NewSystem finds an approximate inverse of a matrix, and tells whether it proves that the matrix
// is regular.
func NewSystem(n Number, a [][]Set) (*System, bool) {
	for _, row := range a {
		for _, x := range row {
			if !n.Bounded(x) {
				return nil, false
			}
		}
	}
	s := balanced(n, a, func(x Set) Set { return x })
	if len(a) == 0 {
		return s, true
	}
	if s.r = doubleInverse(n, s.a); s.r != nil && s.contracts() {
		return s, true
	}
	if n.Bits() == 53 {
		return nil, false
	}
	s.r = pointInverse(n, s.a)
	return s, s.r != nil && s.contracts()
}

// NearInverse is a matrix of points near the inverse of the middles of a, of any quality; nil if
// none is found.
func NearInverse(n Number, a [][]Set) [][]Set {
	for _, row := range a {
		for _, x := range row {
			if !n.Bounded(x) {
				return nil
			}
		}
	}
	s := balanced(n, a, n.Mid)
	s.r = doubleInverse(n, s.a)
	if n.Bits() > 53 && (s.r == nil || !s.contracts()) {
		s.r = pointInverse(n, s.a)
	}
	for i := range s.r {
		for j, x := range s.r[i] {
			s.r[i][j] = n.Mid(n.Mul(x, n.Mul(s.columns[i], s.rows[j])))
		}
	}
	return s.r
}

// balanced is a system with what is made of the elements of a, scaled, and without an inverse.
func balanced(n Number, a [][]Set, of func(Set) Set) *System {
	s := &System{n: n, a: make([][]Set, len(a))}
	s.rows, s.columns = balance(n, a)
	for i, row := range a {
		s.a[i] = make([]Set, len(row))
		for j, x := range row {
			s.a[i][j] = n.Mul(of(x), n.Mul(s.rows[i], s.columns[j]))
		}
	}
	return s
}

// balance gives powers of 2 that make the largest element of each row, and then of each column, of
// the size of 1.
func balance(n Number, a [][]Set) (rows, columns []Set) {
	rows, columns = make([]Set, len(a)), make([]Set, len(a))
	inverse := func(size Mag) Set {
		if e := size.Exp(); !size.IsZero() && -1000 < e && e < 1000 {
			return n.Float(math.Ldexp(1, int(-e)))
		}
		return n.Float(1)
	}
	for i, row := range a {
		size := Mag{}
		for _, x := range row {
			size = size.Max(n.Mag(n.Mid(x)))
		}
		rows[i] = inverse(size)
	}
	for j := range columns {
		size := Mag{}
		for i, row := range a {
			size = size.Max(n.Mag(n.Mul(n.Mid(row[j]), rows[i])))
		}
		columns[j] = inverse(size)
	}
	return rows, columns
}

// contracts computes the norm of I - R A.
func (s *System) contracts() bool {
	n := s.n
	s.contract = Mag{}
	for i, row := range s.r {
		sum := Mag{}
		for j := range s.a {
			e := n.Float(0)
			if i == j {
				e = n.Float(1)
			}
			for k, x := range row {
				e = n.Sub(e, n.Mul(x, s.a[k][j]))
			}
			sum = sum.Add(n.Mag(e))
		}
		s.contract = s.contract.Max(sum)
	}
	return !MagOf(0.5).Less(s.contract)
}

// doubleInverse is the inverse of the midpoints as doubles have it, or nil.
func doubleInverse(n Number, a [][]Set) [][]Set {
	mid := linalg.Array{Rank: 2, Rows: make([][]float64, len(a))}
	unit := linalg.Array{Rank: 2, Rows: make([][]float64, len(a))}
	for i, row := range a {
		mid.Rows[i], unit.Rows[i] = make([]float64, len(row)), make([]float64, len(row))
		unit.Rows[i][i] = 1
		for j, x := range row {
			mid.Rows[i][j] = n.Float64(x)
		}
	}
	inverse, d := linalg.Solve(linalg.Unlimited, []linalg.Array{mid, unit})
	if d != nil {
		return nil
	}
	r := make([][]Set, len(a))
	for i, row := range inverse.Rows {
		r[i] = make([]Set, len(row))
		for j, x := range row {
			if math.IsNaN(x - x) {
				return nil
			}
			r[i][j] = n.Float(x)
		}
	}
	return r
}

// pointInverse is an approximation of the inverse of the midpoints, by Gauss and Jordan's
// elimination on points; nil if a pivot is 0.
func pointInverse(n Number, a [][]Set) [][]Set {
	size := len(a)
	w := make([][]Set, size) // the matrix, and beside it the identity
	for i, row := range a {
		w[i] = make([]Set, 2*size)
		for j, x := range row {
			w[i][j], w[i][size+j] = n.Mid(x), n.Float(0)
		}
		w[i][size+i] = n.Float(1)
	}
	for k := range w {
		best := k
		for i := k + 1; i < size; i++ {
			if n.Mag(w[best][k]).Less(n.Mag(w[i][k])) {
				best = i
			}
		}
		w[k], w[best] = w[best], w[k]
		pivot := w[k][k]
		if n.Sign(pivot) == 0 {
			return nil
		}
		for j := k; j < 2*size; j++ {
			w[k][j] = n.Mid(n.Quo(w[k][j], pivot))
		}
		for i := range w {
			factor := w[i][k]
			if i == k || n.Mag(factor).IsZero() {
				continue
			}
			for j := k; j < 2*size; j++ {
				w[i][j] = n.Mid(n.Sub(w[i][j], n.Mul(factor, w[k][j])))
			}
		}
	}
	for i := range w {
		w[i] = w[i][size:]
	}
	return w
}

// Solve encloses the x for which the matrix of the system gives b.
func (s *System) Solve(b []Set) []Set {
	n := s.n
	y, right := make([]Set, len(b)), b
	b = make([]Set, len(b))
	for i := range y {
		y[i], b[i] = n.Float(0), n.Mul(s.rows[i], right[i])
	}
	last := InfMag()
	for {
		d := s.correction(b, y)
		size := maxMag(n, d)
		next := make([]Set, len(b))
		fine := maxMag(n, y).Mul(Exp2(-int64(n.Bits())))
		if !size.MulFloat(2).Less(last) || !fine.Less(size) { // it does not get better, or need not
			for i := range next {
				y := n.Widen(n.Add(y[i], d[i]), s.contract.Mul(size).MulFloat(2))
				next[i] = n.Mul(s.columns[i], y)
			}
			return next
		}
		for i := range next {
			if next[i] = n.Add(y[i], d[i]); n.Bounded(next[i]) {
				next[i] = n.Mid(next[i])
			}
		}
		y, last = next, size
	}
}

// correction is R (b - A y), in scaled terms.
func (s *System) correction(b, y []Set) []Set {
	n := s.n
	rest := make([]Set, len(b))
	for i, row := range s.a {
		rest[i] = b[i]
		for j, x := range row {
			rest[i] = n.Sub(rest[i], n.Mul(x, y[j]))
		}
	}
	d := make([]Set, len(b))
	for i, row := range s.r {
		d[i] = n.Float(0)
		for j, x := range row {
			d[i] = n.Add(d[i], n.Mul(x, rest[j]))
		}
	}
	return d
}

func maxMag(n Number, xs []Set) Mag {
	var most Mag
	for _, x := range xs {
		most = most.Max(n.Mag(x))
	}
	return most
}

// Inverse encloses the inverse of the matrix.
func (s *System) Inverse() [][]Set {
	size := len(s.a)
	v := make([][]Set, size)
	for i := range v {
		v[i] = make([]Set, size)
	}
	for j := range size {
		unit := make([]Set, size)
		for i := range unit {
			unit[i] = s.n.Float(0)
		}
		unit[j] = s.n.Float(1)
		for i, x := range s.Solve(unit) {
			v[i][j] = x
		}
	}
	return v
}

// Solve is the X with A X = B; ok is false if the matrix is not proved to be regular.
func (a *Algebra) Solve(m, b [][]Jet) (x [][]Jet, ok bool) {
	values, moves, fine := a.values(m)
	right, movesToo, fineToo := a.values(b)
	if !fine || !fineToo {
		return nil, false
	}
	s, ok := NewSystem(a.N, values)
	if !ok {
		return nil, false
	}
	x = make([][]Jet, len(b))
	for i := range x {
		x[i] = make([]Jet, len(b[i]))
	}
	if moves || movesToo {
		a.neumann(s.Inverse(), m, b, x)
	}
	for j := 0; len(b) > 0 && j < len(b[0]); j++ {
		column := make([]Set, len(b))
		for i := range b {
			column[i] = right[i][j]
		}
		for i, v := range s.Solve(column) {
			x[i][j] = x[i][j].WithVal(v)
		}
	}
	return x, true
}

// neumann computes X = V B - V N X until its coefficients are all there.
func (a *Algebra) neumann(v [][]Set, m, b, x [][]Jet) {
	inverse := make([][]Jet, len(v))
	moving := make([][]Jet, len(v))
	degrees := map[Tag]int{}
	for i, row := range v {
		inverse[i], moving[i] = make([]Jet, len(row)), make([]Jet, len(row))
		for j, y := range row {
			inverse[i][j], moving[i][j] = a.Const(y), a.moving(m[i][j])
			a.degrees(moving[i][j], degrees)
		}
	}
	start := a.times(inverse, b)
	rounds := 0
	for _, d := range degrees {
		rounds += d
	}
	current := start
	for range rounds {
		change := a.times(inverse, a.times(moving, current))
		next := make([][]Jet, len(start))
		for i, row := range start {
			next[i] = make([]Jet, len(row))
			for j, y := range row {
				next[i][j] = a.Sub(y, change[i][j])
			}
		}
		current = next
	}
	for i := range x {
		copy(x[i], current[i])
	}
}

// times is the product of two matrices.
func (a *Algebra) times(x, y [][]Jet) [][]Jet {
	z := make([][]Jet, len(x))
	for i, row := range x {
		z[i] = make([]Jet, len(y[0]))
		for j := range z[i] {
			sum := a.Zero()
			for k, f := range row {
				if !f.IsZero() && !y[k][j].IsZero() {
					sum = a.Add(sum, a.Mul(f, y[k][j]))
				}
			}
			z[i][j] = sum
		}
	}
	return z
}

// moving is x without its constant coefficient.
func (a *Algebra) moving(x Jet) Jet {
	x = a.live(x)
	return x.as(a.zero, zero)
}

// degrees collects the degrees of the variables in x.
func (a *Algebra) degrees(x Jet, into map[Tag]int) {
	for t := a.live(x).tail; t != nil && t.tag >= a.Floor; t = t.low {
		if t.form == nil {
			into[t.tag] = int(t.deg)
		}
		for _, c := range t.c {
			a.degrees(c, into)
		}
	}
}

// values are the sets of the constant coefficients of a matrix.
func (a *Algebra) values(m [][]Jet) (values [][]Set, moves, ok bool) {
	values = make([][]Set, len(m))
	for i, row := range m {
		values[i] = make([]Set, len(row))
		for j, x := range row {
			if x.kind() == unknown {
				return nil, false, false
			}
			values[i][j] = x.Val()
			moves = moves || a.Moves(x)
		}
	}
	return values, moves, true
}
