package jet

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/linalg"
)

// Note [Verified eigenvalues]
//
// Let X be a matrix of points whose columns are nearly orthonormal, |I - XᵀX| ≤ δ < 1, and nearly
// the eigenvectors of the symmetric matrix A, so that B = XᵀAX is nearly diagonal. Then
//
//   - the k-th eigenvalue of B, in ascending order, differs from the k-th smallest element of its
//     diagonal by at most the norm of the rest of B (Weyl);
//   - it is the k-th eigenvalue of A times a number in [1-δ, 1+δ] (Ostrowski).
//
// That holds for multiple eigenvalues too. For a point x of length 1 and a number λ, the angle θ
// between x and the eigenvector of an eigenvalue whose distance from all others is at least g has
// sin θ ≤ |Ax - λx| / g, where g is measured from λ (Davis and Kahan); the eigenvector of length 1
// on the side of x is within √2 sin θ of it.
//
// X comes from doubles, is made orthonormal by X (3I - XᵀX)/2, and its columns become eigenvectors
// of the midpoints by Jacobi's rotations, all on points of the working precision.
//
// Jets: (λ0 + μ, v0 + w) is an eigenpair of A0 + N with the length 1 if and only if
//
//	(A0 - λ0) w - μ v0 = -N (v0 + w) + μ w        v0ᵀ w = -wᵀw/2
//
// The left side is a matrix that is regular if λ0 is simple, and each coefficient of the right side
// depends on coefficients of lower degree alone. So it is repeated as in Note [Verified systems].

// EigSym encloses the eigenvalues of the symmetric matrix that has the lower triangle of m, in
// ascending order, and its eigenvectors, a row each. Vectors of eigenvalues that are not proved to
// be simple are unknown, and so is everything if the matrix moves.
func (a *Algebra) EigSym(m [][]Jet) (values []Jet, vectors [][]Jet, simple, ok bool) {
	n, size := a.N, len(m)
	full := make([][]Jet, size)
	for i := range full {
		full[i] = make([]Jet, size)
		for j := range full[i] {
			full[i][j] = m[max(i, j)][min(i, j)]
		}
	}
	sets, moves, ok := a.values(full)
	if !ok {
		return nil, nil, false, false
	}
	x := eigenvectors(n, sets)
	if x == nil {
		return nil, nil, false, false
	}
	lambda, ok := eigenvalues(n, sets, x)
	if !ok {
		return nil, nil, false, false
	}
	simple = true
	values, vectors = make([]Jet, size), make([][]Jet, size)
	for k := range size {
		values[k], vectors[k] = a.Const(lambda[k]), make([]Jet, size)
		v := eigenvector(n, sets, x, lambda, k)
		if v == nil {
			simple = false
			for i := range vectors[k] {
				vectors[k][i] = a.Unknown()
			}
			continue
		}
		for i := range v {
			vectors[k][i] = a.Const(v[i])
		}
	}
	if !moves {
		return values, vectors, simple, true
	}
	for k := range size {
		if !simple || !a.moveEigen(full, sets, &values[k], vectors[k]) {
			return nil, nil, false, true
		}
	}
	return values, vectors, true, true
}

// moveEigen gives an eigenvalue and its vector their further coefficients.
func (a *Algebra) moveEigen(full [][]Jet, sets [][]Set, value *Jet, vector []Jet) bool {
	n, size := a.N, len(sets)
	border := make([][]Set, size+1)
	for i := range border {
		border[i] = make([]Set, size+1)
		for j := range border[i] {
			switch {
			case i < size && j < size:
				border[i][j] = sets[i][j]
				if i == j {
					border[i][j] = n.Sub(sets[i][j], value.Val())
				}
			case i < size:
				border[i][j] = n.Neg(vector[i].Val())
			case j < size:
				border[i][j] = vector[j].Val()
			default:
				border[i][j] = n.Float(0)
			}
		}
	}
	s, ok := NewSystem(n, border)
	if !ok {
		return false
	}
	inverse := make([][]Jet, size+1)
	for i, row := range s.Inverse() {
		for _, x := range row {
			inverse[i] = append(inverse[i], a.Const(x))
		}
	}
	degrees := map[Tag]int{}
	moving := make([][]Jet, size)
	for i, row := range full {
		for _, x := range row {
			moving[i] = append(moving[i], a.moving(x))
			a.degrees(x, degrees)
		}
	}
	w := make([][]Jet, size+1) // and then μ, as a column
	for i := range w {
		w[i] = []Jet{a.Zero()}
	}
	rounds := 0
	for _, d := range degrees {
		rounds += d
	}
	for range rounds {
		right := make([][]Jet, size+1)
		mu := w[size][0]
		square := a.Zero()
		for i := range size {
			sum := a.Mul(mu, w[i][0])
			for j := range size {
				if !moving[i][j].IsZero() {
					sum = a.Sub(sum, a.Mul(moving[i][j], a.Add(vector[j], w[j][0])))
				}
			}
			right[i] = []Jet{a.moving(sum)}
			square = a.Add(square, a.Mul(w[i][0], w[i][0]))
		}
		right[size] = []Jet{a.moving(a.Mul(square, a.Float(-0.5)))}
		w = a.times(inverse, right)
		for i := range w {
			w[i][0] = a.moving(w[i][0])
		}
	}
	set := func(x *Jet, by Jet) { x.tail = by.tail }
	set(value, w[size][0])
	for i := range vector {
		set(&vector[i], w[i][0])
	}
	return true
}

// eigenvectors are approximations, as the columns of a matrix of points; nil if there are none.
func eigenvectors(n Number, sets [][]Set) [][]Set {
	size := len(sets)
	mid := linalg.Array{Rank: 2, Rows: make([][]float64, size)}
	for i, row := range sets {
		mid.Rows[i] = make([]float64, size)
		for j, x := range row {
			if !n.Bounded(x) {
				return nil
			}
			mid.Rows[i][j] = n.Float64(x)
		}
	}
	e, d := linalg.EigSym(linalg.Unlimited, []linalg.Array{mid})
	if d != nil {
		return nil
	}
	x := make([][]Set, size)
	for i := range x {
		x[i] = make([]Set, size)
		for k := range size {
			x[i][k] = n.Float(e.Rows[k+1][i])
		}
	}
	if n.Bits() == 53 {
		return x
	}
	for bits := uint(40); bits < n.Bits(); bits *= 2 {
		x = orthonormal(n, x)
	}
	points := make([][]Set, size)
	for i, row := range sets {
		points[i] = make([]Set, size)
		for j, y := range row {
			points[i][j] = n.Mid(y)
		}
	}
	jacobi(n, midpoints(n, congruent(n, points, x)), x)
	return x
}

// orthonormal is a step of Newton's and Schulz's iteration, x (3 - xᵀx) / 2.
func orthonormal(n Number, x [][]Set) [][]Set {
	g := product(n, transpose(x), x)
	for i := range g {
		for j := range g {
			g[i][j] = n.Mul(n.Float(-0.5), g[i][j])
		}
		g[i][i] = n.Add(n.Float(1.5), g[i][i])
	}
	return midpoints(n, product(n, x, midpoints(n, g)))
}

// jacobi rotates the columns of x until b = xᵀAx is as diagonal as the precision allows.
func jacobi(n Number, b, x [][]Set) {
	size := len(b)
	rotate := func(p, q *Set, c, s Set) {
		*p, *q = n.Mid(n.Sub(n.Mul(c, *p), n.Mul(s, *q))), n.Mid(n.Add(n.Mul(s, *p), n.Mul(c, *q)))
	}
	small := Exp2(-2 * int64(n.Bits()))
	for range 12 {
		var most, rest Mag
		for i := range size {
			most = most.Max(n.Mag(b[i][i]))
			for j := range i {
				rest = rest.Max(n.Mag(b[i][j]))
			}
		}
		if !most.Mul(Exp2(-int64(n.Bits()))).Less(rest) {
			return
		}
		for p := range size {
			for q := range p {
				if !most.Mul(small).Less(n.Mag(b[p][q])) {
					continue
				}
				c, s := rotation(n, b[p][p], b[q][q], b[p][q])
				for k := range size {
					rotate(&b[p][k], &b[q][k], c, s)
				}
				for k := range size {
					rotate(&b[k][p], &b[k][q], c, s)
					rotate(&x[k][p], &x[k][q], c, s)
				}
			}
		}
	}
}

// rotation is the cosine and the sine of the angle that makes the element off the diagonal 0.
func rotation(n Number, pp, qq, pq Set) (c, s Set) {
	one := n.Float(1)
	tau := n.Mid(n.Quo(n.Sub(qq, pp), n.Mul(n.Float(2), pq)))
	root := n.Mid(n.Apply1(sqrtFun, n.Add(one, n.Mul(tau, tau))))
	t := n.Mid(n.Quo(one, n.Add(tau, root)))
	if n.Sign(tau) < 0 {
		t = n.Mid(n.Quo(one, n.Sub(tau, root)))
	}
	c = n.Mid(n.Quo(one, n.Mid(n.Apply1(sqrtFun, n.Add(one, n.Mul(t, t))))))
	return c, n.Mid(n.Mul(t, c))
}

// eigenvalues encloses the eigenvalues of every matrix in a, in ascending order.
func eigenvalues(n Number, a, x [][]Set) ([]Set, bool) {
	size := len(a)
	gram := product(n, transpose(x), x)
	b := congruent(n, a, x)
	var defect, rest Mag // norms of I - xᵀx, and of b off its diagonal
	diagonal := make([]Set, size)
	for i := range size {
		var d, r Mag
		for j := range size {
			e := gram[i][j]
			if i == j {
				e = n.Sub(e, n.Float(1))
				diagonal[i] = b[i][i]
			} else {
				r = r.Add(n.Mag(b[i][j]))
			}
			d = d.Add(n.Mag(e))
		}
		defect, rest = defect.Max(d), rest.Max(r)
	}
	if !defect.Less(MagOf(0.5)) {
		return nil, false
	}
	// The k-th smallest number of a set of intervals lies between the k-th smallest of their lower
	// ends and that of their upper ends.
	lower, upper := make([]Set, size), make([]Set, size)
	for i, x := range diagonal {
		lower[i], upper[i] = n.Lower(x), n.Upper(x)
	}
	order := func(x, y Set) int {
		switch {
		case n.Less(x, y):
			return -1
		case n.Less(y, x):
			return 1
		}
		return 0
	}
	slices.SortFunc(lower, order)
	slices.SortFunc(upper, order)
	factor := n.Widen(n.Float(1), defect)
	lambda := make([]Set, size)
	for k := range lambda {
		lambda[k] = n.Quo(n.Widen(n.Span(lower[k], upper[k]), rest), factor)
	}
	return lambda, true
}

// eigenvector encloses the unit eigenvector of the k-th eigenvalue; nil if that is not known to be
// simple.
func eigenvector(n Number, a, x [][]Set, lambda []Set, k int) []Set {
	size := len(a)
	center := n.Mid(lambda[k])
	var gap Set // the square of the distance to the nearest other eigenvalue, at least
	found := false
	for j, other := range lambda {
		if j == k {
			continue
		}
		d := n.Sub(other, center)
		if n.Sign(n.Sub(other, lambda[k])) == 0 || n.Sign(d) == 0 {
			return nil
		}
		if d = n.Lower(n.Mul(d, d)); !found || n.Less(d, gap) {
			gap, found = d, true
		}
	}
	// The column that is nearest to the eigenvector.
	best, least := -1, InfMag()
	var square, length Set
	for c := range size {
		sum, own := n.Float(0), n.Float(0)
		for i := range size {
			e := n.Neg(n.Mul(center, x[i][c]))
			for j := range size {
				e = n.Add(e, n.Mul(a[i][j], x[j][c]))
			}
			sum = n.Add(sum, n.Mul(e, e))
			own = n.Add(own, n.Mul(x[i][c], x[i][c]))
		}
		if s := n.Mag(sum); best < 0 || s.Less(least) {
			best, least, square, length = c, s, sum, own
		}
	}
	if n.Sign(length) <= 0 {
		return nil
	}
	length = n.Apply1(sqrtFun, length)
	v := make([]Set, size)
	for i := range v {
		v[i] = n.Quo(x[i][best], length)
	}
	if found {
		// 2 |Ax - λx|² / (g |x|)², and its root.
		sine := n.Quo(n.Mul(n.Float(2), n.Upper(square)), n.Mul(gap, n.Mul(length, length)))
		if !n.Bounded(sine) || n.Sign(gap) <= 0 {
			return nil
		}
		far := n.Mag(n.Apply1(sqrtFun, n.Upper(sine)))
		for i := range v {
			v[i] = n.Widen(v[i], far)
		}
	}
	lead := linalg.Leading(func(i int) float64 { return n.Mag(v[i]).Float() }, size)
	switch n.Sign(v[lead]) {
	case 0:
		return nil
	case -1:
		for i := range v {
			v[i] = n.Neg(v[i])
		}
	}
	return v
}

func transpose(x [][]Set) [][]Set {
	y := make([][]Set, len(x))
	for i := range y {
		for _, row := range x {
			y[i] = append(y[i], row[i])
		}
	}
	return y
}

func product(n Number, x, y [][]Set) [][]Set {
	z := make([][]Set, len(x))
	for i, row := range x {
		z[i] = make([]Set, len(y[0]))
		for j := range z[i] {
			sum := n.Float(0)
			for k, f := range row {
				sum = n.Add(sum, n.Mul(f, y[k][j]))
			}
			z[i][j] = sum
		}
	}
	return z
}

// congruent is xᵀ a x.
func congruent(n Number, a, x [][]Set) [][]Set {
	return product(n, transpose(x), product(n, a, x))
}

func midpoints(n Number, x [][]Set) [][]Set {
	for _, row := range x {
		for j, y := range row {
			row[j] = n.Mid(y)
		}
	}
	return x
}
