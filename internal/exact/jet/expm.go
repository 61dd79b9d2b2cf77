package jet

// Note [Exponential of a matrix]
//
// With X = A / 2^s, where the norm x of the constant coefficient of X is at most 1/2, the
// exponential is (exp X)^(2^s). Let y be a jet that majorises X: its constant coefficient is x, and
// its others, whose sum is ν, are norms of those of X. Then the terms of the series from
// X^(k+1)/(k+1)! on are majorised by
//
//	Σ_(i>k) (x + ν)^i / i! = Σ_j ν^j/j! Σ_(i>k-j) x^i / i!
//
// where the inner sum is at most twice its first term, and ν^j is 0 beyond the sum of all degrees.

// Expm encloses the exponential of a matrix; ok is false if it is not bounded.
func (a *Algebra) Expm(m [][]Jet) (e [][]Jet, ok bool) {
	n, size := a.N, len(m)
	values, _, ok := a.values(m)
	if !ok {
		return nil, false
	}
	var norm Mag
	for _, row := range values {
		var sum Mag
		for _, y := range row {
			if !n.Bounded(y) {
				return nil, false
			}
			sum = sum.Add(n.Mag(y))
		}
		norm = norm.Max(sum)
	}
	squarings := 0
	scale := n.Float(1)
	for ; MagOf(0.5).Less(norm); squarings++ {
		if squarings > 60 {
			return nil, false
		}
		norm, scale = norm.MulFloat(0.5), n.Mul(scale, n.Float(0.5))
	}
	x := make([][]Jet, size)
	nu := a.Zero()
	for i, row := range m {
		for _, y := range row {
			y = a.Scale(y, scale)
			x[i] = append(x[i], y)
			nu = a.Add(nu, a.Map(a.moving(y), func(c Set, known bool) (Set, bool) {
				return n.Widen(a.zero, n.Mag(c)), known
			}))
		}
	}
	_, rounds := a.nilpotent(x)
	total, term := a.plusIdentity(a.nothing(size)), a.plusIdentity(a.nothing(size))
	rests := []Mag{MagOf(1)} // x^i / i!, at least
	enough := Exp2(-int64(n.Bits()) - 8)
	for k := 1; k <= rounds+1 || enough.Less(rests[k-1-rounds]); k++ {
		term = a.times(term, x)
		for i := range term {
			for j := range term {
				term[i][j] = a.DivInt(term[i][j], k)
				total[i][j] = a.Add(total[i][j], term[i][j])
			}
		}
		rests = append(rests, rests[k-1].Mul(norm).MulFloat(1/float64(k)*(1+0x1p-50)))
	}
	k := len(rests) - 1
	next := rests[k].Mul(norm) // more than x^(k+1) / (k+1)!
	rest, power := a.Const(n.Widen(a.zero, next.MulFloat(2))), a.One()
	for j := 1; j <= rounds; j++ {
		power = a.DivInt(a.Mul(power, nu), j)
		rest = a.Add(rest, a.Scale(power, n.Widen(a.zero, rests[k-j+1].MulFloat(2))))
	}
	for i := range total {
		for j := range total {
			total[i][j] = a.Add(total[i][j], rest)
		}
	}
	for range squarings {
		total = a.times(total, total)
	}
	return total, true
}

// nothing is a square matrix of structural zeros.
func (a *Algebra) nothing(size int) [][]Jet {
	m := make([][]Jet, size)
	for i := range m {
		m[i] = make([]Jet, size)
		for j := range m[i] {
			m[i][j] = a.Zero()
		}
	}
	return m
}
