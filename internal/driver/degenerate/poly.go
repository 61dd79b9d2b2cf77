package degenerate

import "math/big"

// maxDepth bounds how deep ranges are nested in one another.
const maxDepth = 4

// A monomial holds the exponents of ε, at 0, and of the variables δ₁, δ₂, … of the ranges that
// enclose an expression.
type monomial [1 + maxDepth]uint8

// A poly is a polynomial in ε, δ₁, δ₂, …: the coefficients that are not 0.
type poly map[monomial]*big.Rat

func constant(q *big.Rat) poly {
	if q.Sign() == 0 {
		return poly{}
	}
	return poly{monomial{}: q}
}

// variable returns the polynomial δₙ, and ε for n = 0.
func variable(n int) poly {
	var m monomial
	m[n] = 1
	return poly{m: big.NewRat(1, 1)}
}

func (p poly) zero() bool { return len(p) == 0 }

// plus returns p + s*q.
func (p poly) plus(s int64, q poly) poly {
	sum := make(poly, len(p)+len(q))
	for m, c := range p {
		sum[m] = c
	}
	for m, c := range q {
		t := new(big.Rat).Mul(big.NewRat(s, 1), c)
		if old := sum[m]; old != nil {
			t.Add(t, old)
		}
		if t.Sign() == 0 {
			delete(sum, m)
		} else {
			sum[m] = t
		}
	}
	return sum
}

func (p poly) times(q poly) poly {
	product := make(poly, len(p)*len(q))
	for m, c := range p {
		for k, d := range q {
			e := m
			for i := range e {
				e[i] += k[i]
			}
			t := new(big.Rat).Mul(c, d)
			if old := product[e]; old != nil {
				t.Add(t, old)
			}
			product[e] = t
		}
	}
	for m, c := range product {
		if c.Sign() == 0 {
			delete(product, m)
		}
	}
	return product
}

func (p poly) scale(q *big.Rat) poly { return p.times(constant(q)) }

// coefficients returns the coefficients of the powers of one variable.
func (p poly) coefficients(n int) []poly {
	var list []poly
	for m, c := range p {
		k := int(m[n])
		for len(list) <= k {
			list = append(list, poly{})
		}
		m[n] = 0
		list[k][m] = c
	}
	return list
}

// only reports whether p is a polynomial in ε alone.
func (p poly) only() bool {
	for m := range p {
		m[0] = 0
		if m != (monomial{}) {
			return false
		}
	}
	return true
}

// less orders monomials by their size: δₙ is smaller than every power of δₙ₋₁, and δ₁ than
// every power of ε, so that a monomial is larger if its exponent of the last variable is
// lower.
func (m monomial) less(k monomial) bool {
	for i := len(m) - 1; i >= 0; i-- {
		if m[i] != k[i] {
			return m[i] > k[i]
		}
	}
	return false
}

// lead returns the largest monomial.
func (p poly) lead() monomial {
	var lead monomial
	first := true
	for m := range p {
		if first || lead.less(m) {
			lead, first = m, false
		}
	}
	return lead
}

// over divides m by k, if it is a multiple.
func (m monomial) over(k monomial) (monomial, bool) {
	for i := range m {
		if m[i] < k[i] {
			return m, false
		}
		m[i] -= k[i]
	}
	return m, true
}

// divide returns p/q if q divides p: the largest monomials decide, one by one.
func (p poly) divide(q poly) (poly, bool) {
	lead := q.lead()
	quotient := poly{}
	for range 100 {
		if p.zero() {
			return quotient, true
		}
		top := p.lead()
		m, ok := top.over(lead)
		if !ok {
			return nil, false
		}
		term := poly{m: new(big.Rat).Quo(p[top], q[lead])}
		quotient = quotient.plus(1, term)
		p = p.plus(-1, q.times(term))
	}
	return nil, false
}

// sqrt returns the square root of p with a positive leading coefficient, if p is a square.
func (p poly) sqrt() (poly, bool) {
	if p.zero() {
		return p, true
	}
	top := p.lead()
	for i := range top {
		if top[i]%2 != 0 {
			return nil, false
		}
		top[i] /= 2
	}
	c, ok := ratSqrt(p[p.lead()])
	if !ok {
		return nil, false
	}
	root := poly{top: c}
	twice := new(big.Rat).Add(c, c)
	for range 50 {
		rest := p.plus(-1, root.times(root))
		if rest.zero() {
			return root, true
		}
		lead := rest.lead()
		m, ok := lead.over(top)
		if !ok {
			return nil, false
		}
		root = root.plus(1, poly{m: new(big.Rat).Quo(rest[lead], twice)})
	}
	return nil, false
}

func ratSqrt(q *big.Rat) (*big.Rat, bool) {
	if q.Sign() < 0 {
		return nil, false
	}
	a, b := new(big.Int).Sqrt(q.Num()), new(big.Int).Sqrt(q.Denom())
	root := new(big.Rat).SetFrac(a, b)
	return root, new(big.Rat).Mul(root, root).Cmp(q) == 0
}
