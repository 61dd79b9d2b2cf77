package types

import (
	"math/bits"
	"slices"
)

// Size is the length of an array dimension as far as it is known statically.
// Types unify ignoring sizes; package check solves the equations between
// sizes in a second pass, by linking metas.
type Size struct {
	Kind  SizeKind
	N     int64      // SizeConst; SizeSum: the constant added to the terms
	Name  string     // SizeParam; SizeMeta: the name of the parameter it is an instance of, if any
	Link  *Size      // SizeMeta: its solution, or nil
	Terms []SizeTerm // SizeSum

	Level  int32 // SizeMeta: as in a Meta
	Origin any   // for diagnostics: where the size comes from; owned by package check
}

// SizeTerm is a product of sizes with an integer.
type SizeTerm struct {
	Coef int64
	Of   []*Size
}

// SizeKind distinguishes the kinds of size.
type SizeKind uint8

// The kinds of size.
const (
	SizeUnknown SizeKind = iota // []a
	SizeConst                   // [3]a
	SizeParam                   // [n]a
	SizeMeta                    // to be solved; after inference, the same as SizeUnknown
	SizeSum                     // [n * m + 1]a
)

// AnySize is the size of []a.
var AnySize = &Size{Kind: SizeUnknown}

// ConstSize returns the size of [n]a.
func ConstSize(n int64) *Size { return &Size{Kind: SizeConst, N: n} }

// Note [Size arithmetic]
//
// A size is a polynomial with integer coefficients in size variables. Its normal form is a list
// of terms, one for each product of variables, in the order in which they were met. Find returns
// it: a number, a variable, or a sum whose variables are not linked.
//
// Variables are lengths, so they are not negative. So two sizes cannot be equal if their
// difference has no zero in the natural numbers. Apart decides two cases of that: all terms of
// the difference have the sign of its constant (n + 1 and n), or their coefficients have a common
// divisor that does not divide the constant (2 * n and 2 * m + 1). The rest is left to the
// running program.
//
// A sum with more than maxTerms terms, or a number beyond an int64, is an unknown size, so that
// programs cannot make the checker work for long.

const (
	maxTerms     = 24 // of a sum
	maxFactors   = 6  // of a term
	maxSizeSteps = 2000
)

// AddSizes returns the size a + b.
func AddSizes(a, b *Size) *Size {
	return (&Size{Kind: SizeSum, Terms: []SizeTerm{{1, []*Size{a}}, {1, []*Size{b}}}}).Find()
}

// SubSizes returns the size a - b.
func SubSizes(a, b *Size) *Size {
	return (&Size{Kind: SizeSum, Terms: []SizeTerm{{1, []*Size{a}}, {-1, []*Size{b}}}}).Find()
}

// MulSizes returns the size a * b.
func MulSizes(a, b *Size) *Size {
	return (&Size{Kind: SizeSum, Terms: []SizeTerm{{1, []*Size{a, b}}}}).Find()
}

// Find follows the links of a size, and returns its normal form.
func (s *Size) Find() *Size {
	for s.Link != nil {
		s = s.Link
	}
	if s.Kind != SizeSum || s.isNormal() {
		return s
	}
	steps := maxSizeSteps
	p, ok := s.polynomial(&steps)
	if !ok {
		return AnySize
	}
	found := p.size()
	if found.Kind == SizeConst || found.Kind == SizeSum {
		found.Origin = s.Origin
	}
	return found
}

// isNormal reports whether a sum is in the form that polynomial.size gives it.
func (s *Size) isNormal() bool {
	if !s.normal() {
		return false
	}
	for _, t := range s.Terms {
		for _, v := range t.Of {
			if v.Link != nil || v.Kind != SizeParam && v.Kind != SizeMeta {
				return false
			}
		}
	}
	return true
}

// Variables calls do for each occurrence of a parameter or unknown in a size.
func (s *Size) Variables(do func(*Size)) {
	switch s = s.Find(); s.Kind {
	case SizeParam, SizeMeta:
		do(s)
	case SizeSum:
		for _, t := range s.Terms {
			for _, v := range t.Of {
				do(v)
			}
		}
	}
}

// Lower lowers the unknowns of a size to a level.
func (s *Size) Lower(level int32) {
	s.Variables(func(v *Size) {
		if v.Kind == SizeMeta && v.Level > level {
			v.Level = level
		}
	})
}

// with returns the size with f applied to its variables.
func (s *Size) with(f func(*Size) *Size) *Size {
	found := s.Find()
	switch found.Kind {
	case SizeParam, SizeMeta:
		if to := f(found); to != found {
			return to
		}
		return s
	case SizeSum:
		sum := &Size{Kind: SizeSum, N: found.N, Terms: make([]SizeTerm, len(found.Terms))}
		for i, t := range found.Terms {
			sum.Terms[i] = SizeTerm{t.Coef, mapEach(t.Of, f)}
		}
		return sum
	}
	return s
}

func mapEach(of []*Size, f func(*Size) *Size) []*Size {
	mapped := make([]*Size, len(of))
	for i, v := range of {
		mapped[i] = f(v)
	}
	return mapped
}

// SameSize reports whether two sizes have the same normal form.
func SameSize(a, b *Size) bool {
	a, b = a.Find(), b.Find()
	if a == b {
		return true
	}
	d, ok := difference(a, b)
	return ok && len(d.terms) == 0 && d.n == 0
}

// Apart reports whether two sizes cannot be equal; see Note [Size arithmetic].
func Apart(a, b *Size) bool {
	d, ok := difference(a, b)
	if !ok || d.n == 0 {
		return false
	}
	sameSign, divisor := true, int64(0)
	for _, t := range d.terms {
		sameSign = sameSign && (t.Coef > 0) == (d.n > 0)
		divisor = gcd(divisor, t.Coef)
	}
	return sameSign || d.n%divisor != 0
}

// SolveSizes returns an unknown that the equation a = b determines, and its value, or nil. Of
// several unknowns it prefers one whose value has no minus sign.
func SolveSizes(a, b *Size) (unknown, value *Size) {
	d, ok := difference(a, b)
	if !ok {
		return nil, nil
	}
	unknowns := 0
	for _, v := range d.variables() {
		if v.Kind == SizeMeta {
			unknowns++
		}
	}
	for i, t := range d.terms {
		if len(t.Of) != 1 || t.Of[0].Kind != SizeMeta || d.count(t.Of[0]) != 1 {
			continue
		}
		rest := polynomial{n: d.n, terms: slices.Delete(slices.Clone(d.terms), i, i+1)}
		value, ok := rest.over(-t.Coef)
		if ok && (value.isNatural() || unknowns == 1 && len(value.terms) > 0) {
			return t.Of[0], value.size()
		}
	}
	return nil, nil
}

// ---- polynomials

// polynomial is n plus the terms. No two terms have the same variables, and no coefficient is 0.
type polynomial struct {
	n     int64
	terms []SizeTerm
}

// normal reports whether a sum is more than a single number or variable.
func (s *Size) normal() bool {
	return len(s.Terms) > 1 || len(s.Terms) == 1 && (s.N != 0 || s.Terms[0].Coef != 1 ||
		len(s.Terms[0].Of) > 1)
}

// size returns the size that a polynomial stands for. A negative number is not a size.
func (p polynomial) size() *Size {
	s := &Size{Kind: SizeSum, N: p.n, Terms: p.terms}
	switch {
	case s.normal():
		return s
	case len(p.terms) == 1:
		return p.terms[0].Of[0]
	case p.n < 0:
		return AnySize
	}
	return ConstSize(p.n)
}

// polynomial returns the normal form of a size. ok is false if it has none.
func (s *Size) polynomial(steps *int) (p polynomial, ok bool) {
	for s.Link != nil {
		s = s.Link
	}
	if *steps--; *steps < 0 {
		return p, false
	}
	switch s.Kind {
	case SizeUnknown:
		return p, false
	case SizeConst:
		return polynomial{n: s.N}, true
	case SizeParam, SizeMeta:
		return polynomial{terms: []SizeTerm{{1, []*Size{s}}}}, true
	}
	p.n = s.N
	for _, t := range s.Terms {
		product := polynomial{n: t.Coef}
		for _, v := range t.Of {
			factor, ok := v.polynomial(steps)
			if ok {
				product, ok = product.times(factor)
			}
			if !ok {
				return p, false
			}
		}
		if p, ok = p.plus(product); !ok {
			return p, false
		}
	}
	return p, true
}

func difference(a, b *Size) (polynomial, bool) {
	steps := maxSizeSteps
	p, ok := a.polynomial(&steps)
	if !ok {
		return p, false
	}
	q, ok := b.polynomial(&steps)
	if ok {
		q, ok = q.times(polynomial{n: -1})
	}
	if !ok {
		return p, false
	}
	return p.plus(q)
}

func (p polynomial) plus(q polynomial) (polynomial, bool) {
	n, ok := addInts(p.n, q.n)
	sum := polynomial{n, slices.Clone(p.terms)}
	for _, t := range q.terms {
		if !ok {
			break
		}
		ok = sum.add(t)
	}
	return sum, ok
}

func (p polynomial) times(q polynomial) (polynomial, bool) {
	var product polynomial
	for i := -1; i < len(p.terms); i++ {
		for j := -1; j < len(q.terms); j++ {
			a, b := p.term(i), q.term(j)
			coef, ok := mulInts(a.Coef, b.Coef)
			if !ok || len(a.Of)+len(b.Of) > maxFactors {
				return product, false
			}
			if !product.add(SizeTerm{coef, slices.Concat(a.Of, b.Of)}) {
				return product, false
			}
		}
	}
	return product, true
}

// term returns a term. The term at -1 is the constant.
func (p polynomial) term(i int) SizeTerm {
	if i < 0 {
		return SizeTerm{Coef: p.n}
	}
	return p.terms[i]
}

// add adds a term. It returns false if the result is too large.
func (p *polynomial) add(t SizeTerm) (ok bool) {
	if t.Coef == 0 {
		return true
	}
	if len(t.Of) == 0 {
		p.n, ok = addInts(p.n, t.Coef)
		return ok
	}
	for i := range p.terms {
		if !sameFactors(p.terms[i].Of, t.Of) {
			continue
		}
		if p.terms[i].Coef, ok = addInts(p.terms[i].Coef, t.Coef); p.terms[i].Coef == 0 {
			p.terms = slices.Delete(p.terms, i, i+1)
		}
		return ok
	}
	p.terms = append(p.terms, t)
	return len(p.terms) <= maxTerms
}

// over returns the polynomial divided by d. It returns false if there is a remainder.
func (p polynomial) over(d int64) (polynomial, bool) {
	if p.n%d != 0 {
		return p, false
	}
	quotient := polynomial{p.n / d, slices.Clone(p.terms)}
	for i := range quotient.terms {
		t := &quotient.terms[i]
		if t.Coef%d != 0 {
			return p, false
		}
		t.Coef /= d
	}
	return quotient, true
}

// isNatural reports whether no coefficient is negative.
func (p polynomial) isNatural() bool {
	return p.n >= 0 && !slices.ContainsFunc(p.terms, func(t SizeTerm) bool { return t.Coef < 0 })
}

// variables lists the variables, each once.
func (p polynomial) variables() (vs []*Size) {
	for _, t := range p.terms {
		for _, v := range t.Of {
			if !slices.Contains(vs, v) {
				vs = append(vs, v)
			}
		}
	}
	return vs
}

// count returns the number of terms that a variable occurs in.
func (p polynomial) count(v *Size) (n int) {
	for _, t := range p.terms {
		if slices.Contains(t.Of, v) {
			n++
		}
	}
	return n
}

// sameFactors reports whether two products are equal up to order.
func sameFactors(a, b []*Size) bool {
	if len(a) != len(b) {
		return false
	}
	rest := slices.Clone(b)
	for _, v := range a {
		i := slices.Index(rest, v)
		if i < 0 {
			return false
		}
		rest = slices.Delete(rest, i, i+1)
	}
	return true
}

func addInts(a, b int64) (int64, bool) {
	sum := a + b
	return sum, (sum > a) == (b > 0)
}

func mulInts(a, b int64) (int64, bool) {
	hi, lo := bits.Mul64(magnitude(a), magnitude(b))
	return a * b, hi == 0 && lo < 1<<62
}

func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
