package ball

import (
	"math/big"
	"sync"
	"sync/atomic"
)

// Note [Expressions]
//
// Problem: enclosures of √2 and of 2 cannot show that √2² - 2 is 0, and an enclosure of π/2
// cannot show that cos (π/2) is 0. Integrals need to know: log (cos t) exists for all t < π/2,
// but not beyond. And if numbers vary, as b does in a derivative by b, integrals need to know
// whether a difference is 0 for all b, as b² - b·b is, or only at the current value, as b² - 1 is
// for b = 1.
//
// Idea: a ball may carry an expression. This is a polynomial with rational coefficients in π, in
// square roots of integers, and in symbols. A symbol stands for an arbitrary real; each variable
// of a derivative is a new one. The rules of arithmetic compute expressions of results. A
// polynomial without terms is 0 for all values of its symbols, and an expression that is a
// rational equals that number. No other conclusion is drawn from expressions.
//
// An expression that becomes long is dropped.

// Expr is an exact expression for a number.
type Expr struct{ terms map[monomial]*big.Rat }

// monomial is π^pi √root Π symbol^power, where root is square-free.
type monomial struct {
	pi      int8
	root    int64
	symbols [4]symbolPower // by their numbers; unused ones are at the end
}

// symbolPower is a power of a symbol; the number of a symbol is not 0.
type symbolPower struct {
	symbol int64
	power  int8
}

const (
	mostTerms = 12      // of an expression
	mostBits  = 256     // of a coefficient
	mostPower = 24      // of π or of a symbol
	mostRoot  = 1 << 31 // under a square root
)

// one is the monomial without factors.
var one = monomial{root: 1}

// Named attaches an expression to x, which may be nil, and returns x. x must not be used as a
// receiver afterwards.
func (x *Ball) Named(f *Expr) *Ball {
	x.expr = f
	return x
}

// Expr returns the expression of x, or nil if there is none.
func (x *Ball) Expr() *Expr { return x.expr }

// Vanishes reports whether x is 0 by its expression, for all values of the symbols in it.
func (x *Ball) Vanishes() bool { return x.expr != nil && len(x.expr.terms) == 0 }

var symbols atomic.Int64

// Symbol returns an expression for an arbitrary number.
func Symbol() *Expr {
	m := one
	m.symbols[0] = symbolPower{symbols.Add(1), 1}
	return &Expr{map[monomial]*big.Rat{m: big.NewRat(1, 1)}}
}

// Rational returns the expression of a rational.
func Rational(q *big.Rat) *Expr {
	f := &Expr{map[monomial]*big.Rat{}}
	f.add(one, q)
	return f.checked()
}

// smallExprs holds the expressions of small integers, from -smallest on.
var smallExprs = sync.OnceValue(func() *[2*smallest + 1]*Expr {
	var expressions [2*smallest + 1]*Expr
	for k := range expressions {
		expressions[k] = Rational(big.NewRat(int64(k-smallest), 1))
	}
	return &expressions
})

const smallest = 64

// Whole returns the expression of an integer.
func Whole(n int64) *Expr {
	if -smallest <= n && n <= smallest {
		return smallExprs()[n+smallest]
	}
	return Rational(big.NewRat(n, 1))
}

// PiExpr returns the expression of π.
func PiExpr() *Expr {
	m := one
	m.pi = 1
	return &Expr{map[monomial]*big.Rat{m: big.NewRat(1, 1)}}
}

// Point returns the expression of an exact ball that does not vary, or nil if it is not exact or
// is too long.
func Point(x *Ball) *Expr {
	man, exp := x.Dyadic()
	if !x.IsExact() || man.BitLen() > mostBits || exp < -mostBits || exp > mostBits {
		return nil
	}
	q := new(big.Rat).SetInt(man)
	two := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(max(exp, -exp))))
	if exp < 0 {
		q.Quo(q, two)
	} else {
		q.Mul(q, two)
	}
	return Rational(q)
}

// Constant reports whether an expression has no symbols, so that the number does not vary.
func (f *Expr) Constant() bool {
	if f == nil {
		return false
	}
	for m := range f.terms {
		if m.has(0) {
			return false
		}
	}
	return true
}

// Mentions reports whether a symbol occurs in f.
func (f *Expr) Mentions(symbol *Expr) bool {
	for s := range symbol.terms {
		for m := range f.terms {
			for _, power := range m.symbols {
				if power.symbol == s.symbols[0].symbol {
					return true
				}
			}
		}
	}
	return false
}

// add adds a term.
func (f *Expr) add(m monomial, q *big.Rat) {
	sum := new(big.Rat).Set(q)
	if old := f.terms[m]; old != nil {
		sum.Add(sum, old)
	}
	if delete(f.terms, m); sum.Sign() != 0 {
		f.terms[m] = sum
	}
}

// checked returns f, or nil if it is too long.
func (f *Expr) checked() *Expr {
	if len(f.terms) > mostTerms {
		return nil
	}
	for _, q := range f.terms {
		if q.Num().BitLen() > mostBits || q.Denom().BitLen() > mostBits {
			return nil
		}
	}
	return f
}

// Neg returns -f. Here and below, a nil expression gives nil.
func (f *Expr) Neg() *Expr { return f.Mul(Whole(-1)) }

// Sub returns f - g.
func (f *Expr) Sub(g *Expr) *Expr {
	if f == nil {
		return nil
	}
	return f.Add(g.Neg())
}

// Add returns f + g.
func (f *Expr) Add(g *Expr) *Expr {
	if f == nil || g == nil {
		return nil
	}
	sum := &Expr{map[monomial]*big.Rat{}}
	for m, q := range f.terms {
		sum.add(m, q)
	}
	for m, q := range g.terms {
		sum.add(m, q)
	}
	return sum.checked()
}

// Mul returns f g.
func (f *Expr) Mul(g *Expr) *Expr {
	if f == nil || g == nil {
		return nil
	}
	product := &Expr{map[monomial]*big.Rat{}}
	for m, p := range f.terms {
		for n, q := range g.terms {
			mn, factor, ok := m.times(n)
			if !ok {
				return nil
			}
			factor.Mul(factor, p)
			product.add(mn, factor.Mul(factor, q))
		}
	}
	return product.checked()
}

// Quo returns f / g for g ≠ 0, if g has a single term.
func (f *Expr) Quo(g *Expr) *Expr {
	if f == nil || g == nil || len(g.terms) != 1 {
		return nil
	}
	for m, q := range g.terms {
		inverse := m
		inverse.pi = -m.pi
		for i := range m.symbols {
			inverse.symbols[i].power = -m.symbols[i].power
		}
		// 1/√n = √n / n
		factor := new(big.Rat).Inv(q)
		factor.Quo(factor, new(big.Rat).SetInt64(m.root))
		return f.Mul(&Expr{map[monomial]*big.Rat{inverse: factor}})
	}
	return nil
}

// PowInt returns f^n, for a moderate n ≥ 0.
func (f *Expr) PowInt(n int64) *Expr {
	if f == nil || n < 0 || n > mostPower {
		return nil
	}
	power := Whole(1)
	for range n {
		power = power.Mul(f)
	}
	return power
}

// Rat returns the rational that f equals, if there is one.
func (f *Expr) Rat() (q *big.Rat, ok bool) { return f.rational(one) }

// rational returns the rational q with f = q m, for a monomial m.
func (f *Expr) rational(m monomial) (q *big.Rat, ok bool) {
	switch {
	case f == nil:
		return nil, false
	case len(f.terms) == 0:
		return new(big.Rat), true
	}
	q, ok = f.terms[m]
	return q, ok && len(f.terms) == 1
}

// Sqrt returns √f, if f is a rational that is not negative.
func (f *Expr) Sqrt() *Expr {
	q, ok := f.Rat()
	if !ok || q.Sign() < 0 {
		return nil
	}
	// √(a/b) = √(a b) / b
	n := new(big.Int).Mul(q.Num(), q.Denom())
	if !n.IsInt64() || n.Int64() >= mostRoot {
		return nil
	}
	square, rest := squares(n.Int64())
	root := &Expr{map[monomial]*big.Rat{}}
	m := one
	if m.root = rest; rest == 0 {
		return root
	}
	factor := new(big.Rat).SetInt64(square)
	root.add(m, factor.Quo(factor, new(big.Rat).SetInt(q.Denom())))
	return root
}

// squares writes n as a square times a square-free number.
func squares(n int64) (root, rest int64) {
	root, rest = 1, n
	for d := int64(2); d*d <= rest; d++ {
		for rest%(d*d) == 0 {
			root, rest = root*d, rest/(d*d)
		}
	}
	return root, rest
}

// Sin returns sin f, if f is a multiple of π/2.
func (f *Expr) Sin() *Expr {
	m := one
	m.pi = 1
	q, ok := f.rational(m)
	if !ok {
		return nil
	}
	q = new(big.Rat).Mul(q, big.NewRat(2, 1))
	if !q.IsInt() {
		return nil
	}
	quarter := new(big.Int).Mod(q.Num(), big.NewInt(4)).Int64()
	return Whole([]int64{0, 1, 0, -1}[quarter])
}

// Cos returns cos f, if f is a multiple of π/2.
func (f *Expr) Cos() *Expr {
	return f.Add(PiExpr().Mul(Rational(big.NewRat(1, 2)))).Sin()
}

// times returns the product of m and n as a monomial and a factor.
func (m monomial) times(n monomial) (product monomial, factor *big.Rat, ok bool) {
	square := new(big.Int).GCD(nil, nil, big.NewInt(m.root), big.NewInt(n.root)).Int64()
	root := m.root / square * (n.root / square)
	product = monomial{pi: m.pi + n.pi, root: root}
	ok = -mostPower <= product.pi && product.pi <= mostPower && root < mostRoot
	all := product.symbols[:0]
	i, j := 0, 0
	for ok && (m.has(i) || n.has(j)) {
		var next symbolPower
		switch {
		case !n.has(j) || m.has(i) && m.symbols[i].symbol < n.symbols[j].symbol:
			next, i = m.symbols[i], i+1
		case !m.has(i) || n.symbols[j].symbol < m.symbols[i].symbol:
			next, j = n.symbols[j], j+1
		default:
			next = symbolPower{m.symbols[i].symbol, m.symbols[i].power + n.symbols[j].power}
			i, j = i+1, j+1
		}
		if next.power != 0 {
			ok = len(all) < len(product.symbols) && -mostPower <= next.power &&
				next.power <= mostPower
			if ok {
				all = append(all, next)
			}
		}
	}
	return product, new(big.Rat).SetInt64(square), ok
}

// has reports whether a monomial has an i-th symbol.
func (m monomial) has(i int) bool { return i < len(m.symbols) && m.symbols[i].symbol != 0 }
