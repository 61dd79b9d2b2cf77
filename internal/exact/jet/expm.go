package jet

// Expm encloses the exponential of a matrix; ok is false if it moves, or is not bounded. With
// X = A / 2^s and |X| ≤ 1/2 it is (exp X)^(2^s), and the terms of the series after X^k / k! are
// together at most twice the next one.
func (a *Algebra[T]) Expm(m [][]Jet[T]) (e [][]Jet[T], ok bool) {
	n, size := a.N, len(m)
	x, moves, ok := a.values(m)
	if !ok || moves {
		return nil, false
	}
	var norm Mag
	for _, row := range x {
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
	total, term := make([][]T, size), make([][]T, size)
	for i, row := range x {
		total[i], term[i] = make([]T, size), make([]T, size)
		for j, y := range row {
			row[j] = n.Mul(scale, y)
			total[i][j], term[i][j] = n.Float(0), n.Float(0)
		}
		total[i][i], term[i][i] = n.Float(1), n.Float(1)
	}
	rest := MagOf(1) // at least the norm of the term
	enough := Exp2(-int64(n.Bits()) - 8)
	for k := 1; enough.Less(rest); k++ {
		term = product(n, term, x)
		for i := range term {
			for j := range term {
				term[i][j] = n.Quo(term[i][j], n.Int(int64(k)))
				total[i][j] = n.Add(total[i][j], term[i][j])
			}
		}
		rest = rest.Mul(norm).MulFloat(1 / float64(k) * (1 + 0x1p-50))
	}
	for i := range total {
		for j := range total {
			total[i][j] = n.Widen(total[i][j], rest)
		}
	}
	for range squarings {
		total = product(n, total, total)
	}
	e = make([][]Jet[T], size)
	for i, row := range total {
		for _, y := range row {
			e[i] = append(e[i], a.Const(y))
		}
	}
	return e, true
}
