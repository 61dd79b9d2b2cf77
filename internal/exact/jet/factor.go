package jet

// Note [Verified factors]
//
// Factors are verified as solutions are (Note [Verified systems]): a factor of points is found
// somehow, and what it leaves of the matrix is nearly the identity, whose factors are known.
//
// Cholesky: let P be lower triangular, V its inverse, and V A Vᵀ = I + E with the Frobenius norm
// ε of E at most 0.4. The factor of A is P (I + F), where I + F is that of I + E:
//
//	F = half(E - F Fᵀ)        half(S) is the lower triangle of S with half its diagonal
//
// For symmetric S the norm of half(S) is at most |S|/√2. So the right side maps the ball |F| ≤ ε
// into itself, since (ε + ε²)/√2 ≤ ε, and contracts it, since √2 ε < 1: there is a solution in it,
// its diagonal is above -1, and no element of F Fᵀ is larger than ε².
//
// Determinants: let L and U be triangular, of points, and P a permutation, with L⁻¹ P A U⁻¹ = I +
// E. The eigenvalues of E are at most its norm δ. With n δ ≤ 1/2,
//
//	|det(I + E) - 1 - tr E| ≤ Σ_(k≥2) C(n, k) δ^k ≤ (n δ)²
//
// Orthogonal factors: R is the transpose of the Cholesky factor of AᵀA, and Q is A R⁻¹.
//
// Jets: let A = A0 + N, where the constant coefficients of N are 0. With the factor L0 of A0 and W
// = L0⁻¹ N L0⁻ᵀ the factor of A is L0 (I + G) for G = half(W - G Gᵀ), which becomes true for all
// coefficients after as many repetitions as there are degrees. With X = A0⁻¹ N the determinant is
// that of A0 times exp(tr X - tr X²/2 + tr X³/3 - …), a sum that ends.

// Cholesky is the lower triangular L with L Lᵀ the symmetric matrix that has the lower triangle of
// m; ok is false if that is not proved to be positive definite.
func (a *Algebra) Cholesky(m [][]Jet) (l [][]Jet, ok bool) {
	size := len(m)
	full := make([][]Jet, size)
	for i := range full {
		full[i] = make([]Jet, size)
		for j := range full[i] {
			full[i][j] = m[max(i, j)][min(i, j)]
		}
	}
	values, moves, ok := a.values(full)
	if !ok {
		return nil, false
	}
	p := a.pointCholesky(values)
	v, ok := a.lowerInverse(p)
	if !ok {
		return nil, false
	}
	e := a.minusIdentity(a.times(v, a.times(a.constants(values), turned(v))))
	norm, fine := a.frobenius(e)
	if !fine || MagOf(0.4).Less(norm) {
		return nil, false
	}
	l = a.times(p, a.plusIdentity(a.half(e, norm.Mul(norm))))
	if !moves {
		return l, true
	}
	if v, ok = a.lowerInverse(l); !ok {
		return nil, false
	}
	moving, rounds := a.nilpotent(full)
	w := a.times(v, a.times(moving, turned(v)))
	g := a.half(w, Mag{})
	for range rounds - 1 {
		g = a.half(a.minus(w, a.times(g, turned(g))), Mag{})
	}
	return a.times(l, a.plusIdentity(g)), true
}

// Det is the determinant; ok is false if the matrix is not proved to be regular.
func (a *Algebra) Det(m [][]Jet) (det Jet, ok bool) {
	n, size := a.N, len(m)
	values, moves, ok := a.values(m)
	if !ok {
		return det, false
	}
	l, u, rows, even := a.pointFactors(values)
	left, ok := a.lowerInverse(l)
	right, regular := a.lowerInverse(turned(u))
	if !ok || !regular {
		return det, false
	}
	e := a.minusIdentity(a.times(left, a.times(a.constants(rows), turned(right))))
	var norm Mag
	det, trace := a.One(), a.One()
	for i, row := range e {
		var sum Mag
		for _, x := range row {
			if !x.Known() {
				return det, false
			}
			sum = sum.Add(n.Mag(x.Val()))
		}
		norm = norm.Max(sum)
		det, trace = a.Mul(det, u[i][i]), a.Add(trace, row[i])
	}
	if norm = norm.MulFloat(float64(size)); MagOf(0.5).Less(norm) {
		return det, false
	}
	if !even {
		det = a.Neg(det)
	}
	det = a.Mul(det, a.Const(n.Widen(trace.Val(), norm.Mul(norm))))
	if !moves {
		return det, true
	}
	s, ok := NewSystem(n, values)
	if !ok {
		return det, false
	}
	inverse := a.constants(s.Inverse())
	moving, rounds := a.nilpotent(m)
	sum := a.Zero()
	for i := range size { // the trace of X
		for j := range size {
			if !moving[j][i].IsZero() {
				sum = a.Add(sum, a.Mul(inverse[i][j], moving[j][i]))
			}
		}
	}
	if rounds > 1 {
		x := a.times(inverse, moving)
		power := x
		for k := 2; k <= rounds; k++ {
			power = a.times(power, x)
			for i := range size {
				term := a.DivInt(power[i][i], k)
				if k%2 == 0 {
					term = a.Neg(term)
				}
				sum = a.Add(sum, term)
			}
		}
	}
	return a.Mul(det, a.Exp(a.Plain(sum))), true
}

// Qr is the rows of Q and of R; ok is false if the columns are not proved to be independent.
func (a *Algebra) Qr(m [][]Jet) (q, r [][]Jet, ok bool) {
	if len(m) == 0 || len(m[0]) == 0 {
		return m, nil, true
	}
	l, ok := a.Cholesky(a.times(turned(m), m))
	if !ok {
		return nil, nil, false
	}
	v, ok := a.lowerInverse(l)
	if !ok {
		return nil, nil, false
	}
	return a.times(m, turned(v)), turned(l), true
}

// ---- points

// pointCholesky approximates the Cholesky factor of the midpoints; nil if a pivot is not positive.
func (a *Algebra) pointCholesky(values [][]Set) [][]Jet {
	n := a.N
	l := make([][]Set, len(values))
	for i, row := range values {
		l[i] = make([]Set, len(values))
		for j := range row {
			l[i][j] = n.Float(0)
			if j > i {
				continue
			}
			if !n.Bounded(row[j]) {
				return nil
			}
			rest := n.Mid(row[j])
			for k := range j {
				rest = n.Sub(rest, n.Mul(l[i][k], l[j][k]))
			}
			switch {
			case j < i:
				l[i][j] = n.Mid(n.Quo(n.Mid(rest), l[j][j]))
			case n.Sign(n.Mid(rest)) <= 0:
				return nil
			default:
				l[i][j] = n.Mid(n.Apply1(sqrtFun, n.Mid(rest)))
			}
		}
	}
	return a.constants(l)
}

// pointFactors approximates the triangular factors of the midpoints with their rows in another
// order, and gives the matrix with its rows in that order, and whether it is an even permutation.
// The factors are nil if a pivot is 0.
func (a *Algebra) pointFactors(values [][]Set) (l, u [][]Jet, rows [][]Set, even bool) {
	n, size := a.N, len(values)
	w, low := make([][]Set, size), make([][]Set, size)
	rows, even = make([][]Set, size), true
	for i, row := range values {
		rows[i] = row
		w[i], low[i] = make([]Set, size), make([]Set, size)
		for j, x := range row {
			if !n.Bounded(x) {
				return nil, nil, rows, even
			}
			w[i][j], low[i][j] = n.Mid(x), n.Float(0)
		}
		low[i][i] = n.Float(1)
	}
	for k := range size {
		best := k
		for i := k + 1; i < size; i++ {
			if n.Mag(w[best][k]).Less(n.Mag(w[i][k])) {
				best = i
			}
		}
		if n.Sign(w[best][k]) == 0 {
			return nil, nil, rows, even
		}
		if best != k {
			w[k], w[best], rows[k], rows[best] = w[best], w[k], rows[best], rows[k]
			for j := range k {
				low[k][j], low[best][j] = low[best][j], low[k][j]
			}
			even = !even
		}
		for i := k + 1; i < size; i++ {
			factor := n.Mid(n.Quo(w[i][k], w[k][k]))
			low[i][k], w[i][k] = factor, n.Float(0)
			for j := k + 1; j < size; j++ {
				w[i][j] = n.Mid(n.Sub(w[i][j], n.Mul(factor, w[k][j])))
			}
		}
	}
	return a.constants(low), a.constants(w), rows, even
}

// ---- matrices

// lowerInverse is the inverse of a lower triangular matrix; ok is false if there is none, or no
// matrix.
func (a *Algebra) lowerInverse(l [][]Jet) (v [][]Jet, ok bool) {
	if l == nil {
		return nil, false
	}
	v = make([][]Jet, len(l))
	for i, row := range l {
		v[i] = make([]Jet, len(l))
		for j := range v[i] {
			switch {
			case j > i:
				v[i][j] = a.Zero()
				continue
			case j == i:
				v[i][j] = a.Quo(a.One(), row[i])
			default:
				sum := a.Zero()
				for k := j; k < i; k++ {
					sum = a.Add(sum, a.Mul(row[k], v[k][j]))
				}
				v[i][j] = a.Quo(a.Neg(sum), row[i])
			}
			if !v[i][j].Known() {
				return nil, false
			}
		}
	}
	return v, true
}

// half is the lower triangle of a symmetric matrix with half its diagonal, each element ± by.
func (a *Algebra) half(s [][]Jet, by Mag) [][]Jet {
	h := make([][]Jet, len(s))
	for i, row := range s {
		h[i] = make([]Jet, len(s))
		for j, x := range row {
			switch {
			case j > i:
				h[i][j] = a.Zero()
				continue
			case j == i:
				x = a.Mul(x, a.Float(0.5))
			}
			if !by.IsZero() {
				x = a.Add(x, a.Const(a.N.Widen(a.zero, by)))
			}
			h[i][j] = x
		}
	}
	return h
}

// frobenius is at least the norm of a matrix of constants; ok is false if something is not known.
func (a *Algebra) frobenius(m [][]Jet) (norm Mag, ok bool) {
	sum := a.zero
	for _, row := range m {
		for _, x := range row {
			if !x.Known() || !a.N.Bounded(x.Val()) {
				return norm, false
			}
			sum = a.N.Add(sum, a.N.Mul(x.Val(), x.Val()))
		}
	}
	return a.N.Mag(a.N.Apply1(sqrtFun, a.N.Upper(sum))), true
}

func (a *Algebra) constants(m [][]Set) [][]Jet {
	c := make([][]Jet, len(m))
	for i, row := range m {
		for _, x := range row {
			c[i] = append(c[i], a.Const(x))
		}
	}
	return c
}

func (a *Algebra) minus(x, y [][]Jet) [][]Jet {
	z := make([][]Jet, len(x))
	for i, row := range x {
		for j := range row {
			z[i] = append(z[i], a.Sub(row[j], y[i][j]))
		}
	}
	return z
}

// minusIdentity and plusIdentity change m.
func (a *Algebra) minusIdentity(m [][]Jet) [][]Jet {
	for i := range m {
		m[i][i] = a.Sub(m[i][i], a.One())
	}
	return m
}

func (a *Algebra) plusIdentity(m [][]Jet) [][]Jet {
	for i := range m {
		m[i][i] = a.Add(m[i][i], a.One())
	}
	return m
}

// nilpotent is a matrix without its constant coefficients, and the number of factors of which every
// product is 0, less one.
func (a *Algebra) nilpotent(m [][]Jet) (moving [][]Jet, rounds int) {
	degrees := map[Tag]int{}
	moving = make([][]Jet, len(m))
	for i, row := range m {
		for _, x := range row {
			moving[i] = append(moving[i], a.moving(x))
			a.degrees(x, degrees)
		}
	}
	for _, d := range degrees {
		rounds += d
	}
	return moving, rounds
}

// turned is the transpose of a matrix with rows.
func turned[E any](x [][]E) [][]E {
	y := make([][]E, 0)
	if len(x) == 0 {
		return y
	}
	for j := range x[0] {
		var column []E
		for _, row := range x {
			column = append(column, row[j])
		}
		y = append(y, column)
	}
	return y
}
