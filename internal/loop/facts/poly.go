package facts

import (
	"cmp"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Poly is a polynomial in integer variables with integer coefficients: a sum of terms, by
// decreasing monomials. It stands for an integer without wrapping around. nil stands for one of
// which nothing is known.
//
// Methods with a parameter out write to the memory of out, which is empty, so that provers need not
// allocate.
type Poly []Term

// Term is a monomial and its coefficient.
type Term struct {
	M Mono
	C int64
}

// Mono is a product of at most three variables: their numbers of 21 bits each, the largest in the
// highest bits, and then zeros. Who numbers variables gives larger numbers to those that are bound
// later, so that the terms with the variable that was bound last come first.
type Mono uint64

// MostNumber is the largest number of a variable that can be part of a polynomial. Numbers begin
// at 1.
const MostNumber = 1<<numberBits - 1

const numberBits = 21

// Polynomials are bounded: beyond MostTerms terms, coefficients of mostCoefficient, or factors of
// coefficients of MostFactor, nothing is known.
const (
	MostTerms       = 24
	MostFactor      = 1 << 25
	mostCoefficient = 1 << 50
)

// Last returns the number of the factor that was bound last, 0 if there is none.
func (m Mono) Last() int32 { return int32(m >> (2 * numberBits)) }

// Rest returns the product of the factors but the last one.
func (m Mono) Rest() Mono { return m << numberBits & (1<<(3*numberBits) - 1) }

// OfVariable returns the product of one variable.
func OfVariable(number int32) Mono { return Mono(number) << (2 * numberBits) }

// Has reports whether a variable is a factor.
func (m Mono) Has(v int32) bool {
	for ; m != 0; m = m.Rest() {
		if m.Last() == v {
			return true
		}
	}
	return false
}

// Times returns the product of two monomials, and whether it has at most three factors.
func (m Mono) Times(o Mono) (Mono, bool) {
	out := Mono(0)
	for shift := 2 * numberBits; shift >= 0; shift -= numberBits { // the largest that is left
		if m < o {
			m, o = o, m
		}
		out |= Mono(m.Last()) << shift
		m = m.Rest()
	}
	return out, m == 0 && o == 0
}

// Without returns a monomial with one factor v less, which it has, and whether it had just one.
func (m Mono) Without(v int32) (Mono, bool) {
	shift := 2 * numberBits
	for int32(m>>shift&MostNumber) != v {
		shift -= numberBits
	}
	low := m & (1<<shift - 1)
	m = m>>(shift+numberBits)<<(shift+numberBits) | low<<numberBits
	return m, !m.Has(v)
}

// Const returns a constant as a polynomial, nil if it is too large.
func Const(out Poly, n int64) Poly {
	if Abs(n) > mostCoefficient {
		return nil
	}
	return constant(out, n)
}

// constant adds a term without variables to a polynomial that has none.
func constant(out Poly, n int64) Poly {
	if n == 0 {
		return out
	}
	return append(out, Term{C: n})
}

// Constant returns the term without variables.
func (a Poly) Constant() int64 {
	if n := len(a); n > 0 && a[n-1].M == 0 {
		return a[n-1].C
	}
	return 0
}

// Plus returns a + k b for k = ±1, nil if that is too large.
func (a Poly) Plus(out, b Poly, k int64) Poly {
	if a == nil || b == nil {
		return nil
	}
	i := 0
	for j := range b {
		t := Term{b[j].M, k * b[j].C}
		for i < len(a) && a[i].M > t.M {
			out = append(out, a[i])
			i++
		}
		if i < len(a) && a[i].M == t.M {
			t.C += a[i].C
			i++
		}
		if Abs(t.C) > mostCoefficient {
			return nil
		}
		if t.C != 0 {
			out = append(out, t)
		}
	}
	if out = append(out, a[i:]...); len(out) > MostTerms {
		return nil
	}
	return out
}

// Along returns k a + n for k = ±1, nil if that is too large.
func (a Poly) Along(out Poly, k, n int64) Poly {
	if a == nil {
		return nil
	}
	if last := len(a) - 1; last >= 0 && a[last].M == 0 {
		n += k * a[last].C
		a = a[:last]
	}
	for _, t := range a {
		out = append(out, Term{t.M, k * t.C})
	}
	if out = constant(out, n); Abs(n) > mostCoefficient || len(out) > MostTerms {
		return nil
	}
	return out
}

// Scaled returns a term times b, nil if that is too large.
func (b Poly) Scaled(out Poly, x Term) Poly {
	if b == nil {
		return nil
	}
	for _, y := range b {
		m, ok := x.M.Times(y.M)
		if !ok || Abs(x.C) > MostFactor || Abs(y.C) > MostFactor {
			return nil
		}
		out = append(out, Term{m, x.C * y.C})
	}
	if x.M != 0 {
		slices.SortFunc(out, func(s, t Term) int { return cmp.Compare(t.M, s.M) })
	}
	return out
}

// Times returns a b, nil if that is too large. It takes turns between two rooms for what it adds
// up, and has terms of the product in a third one.
func (a Poly) Times(rooms [2]Poly, product, b Poly) Poly {
	if a == nil || b == nil || len(a)*len(b) > MostTerms {
		return nil
	}
	out := rooms[0][:0]
	for i, x := range a {
		out = out.Plus(rooms[(i+1)%2][:0], b.Scaled(product[:0], x), 1)
	}
	return out
}

// Variables is a set of variables: a bit for all whose numbers have the same last six bits.
type Variables uint64

// SetOf returns the set of one variable.
func SetOf(number int32) Variables { return 1 << (number % 64) }

// Variables returns the variables of a polynomial.
func (a Poly) Variables() Variables {
	out := Variables(0)
	for _, t := range a {
		for m := t.M; m != 0; m = m.Rest() {
			out |= SetOf(m.Last())
		}
	}
	return out
}

// Related reports whether two polynomials have a variable in common.
func Related(a, b Poly) bool {
	for _, s := range a {
		for m := s.M; m != 0; m = m.Rest() {
			for _, t := range b {
				if t.M.Has(m.Last()) {
					return true
				}
			}
		}
	}
	return false
}

// Forms writes integers as polynomials in variables that are not themselves sums, differences or
// products. Arithmetic may wrap around: a polynomial equals its integer modulo 2⁶⁴.
type Forms struct {
	Def     func(v *loop.Var) *loop.Let // the operation that gives an integer, or nil
	Most    int                         // how many definitions are followed, one inside the other
	numbers loop.VarMap[int32]
	vars    []*loop.Var // by their numbers less 1
}

// Of returns an integer as a polynomial. A product that is too large counts as a variable.
func (f *Forms) Of(a loop.Atom) Poly { return f.form(a, f.Most) }

func (f *Forms) form(a loop.Atom, steps int) Poly {
	v, ok := a.(*loop.Var)
	if !ok {
		return Const(Poly{}, a.(*loop.Const).I)
	}
	def := f.Def(v)
	if def == nil || steps == 0 {
		return f.itself(v)
	}
	switch def.Op {
	case loop.AddI, loop.SubI, loop.MulI:
	default:
		return f.itself(v)
	}
	x, y := f.form(def.Args[0], steps-1), f.form(def.Args[1], steps-1)
	switch def.Op {
	case loop.AddI:
		return x.Plus(Poly{}, y, 1)
	case loop.SubI:
		return x.Plus(Poly{}, y, -1)
	}
	if product := x.Times([2]Poly{{}, {}}, Poly{}, y); product != nil {
		return product
	}
	return f.itself(v)
}

// itself returns a variable as a polynomial.
func (f *Forms) itself(v *loop.Var) Poly {
	n := f.numbers.Get(v)
	if n == 0 {
		if len(f.vars) == MostNumber {
			return nil
		}
		f.vars = append(f.vars, v)
		n = int32(len(f.vars))
		f.numbers.Set(v, n)
	}
	return Poly{{OfVariable(n), 1}}
}

// Factors returns the variables of a monomial.
func (f *Forms) Factors(m Mono) (vars []*loop.Var) {
	for ; m != 0; m = m.Rest() {
		vars = append(vars, f.vars[m.Last()-1])
	}
	return vars
}
