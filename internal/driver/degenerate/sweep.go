package degenerate

import "math/big"

// An oracle evaluates an expression on germs.
type oracle struct {
	env map[string]germ

	// ends holds, for each range that is being swept, up to which value of its δ all
	// comparisons so far are decided as they are next to 0.
	ends []germ

	work int // evaluations left
}

// sign returns the sign of a, which holds for every point of the present piece of each range.
func (o *oracle) sign(a germ) int { return o.signOf(a.num, len(o.ends)) }

func (o *oracle) less(a, b germ) bool { return o.sign(a.plus(-1, b)) < 0 }

// signOf decides the sign of a polynomial in ε, δ₁, …, δₙ, and ends the piece of range n where
// the sign changes.
func (o *oracle) signOf(p poly, n int) int {
	if p.zero() {
		return 0
	}
	if n == 0 {
		return p[p.lead()].Sign()
	}
	list := p.coefficients(n)
	for list[0].zero() {
		list = list[1:]
	}
	s := o.signOf(list[0], n-1)
	if r, ok := o.firstZero(list, s, n-1); ok {
		if o.signOf(o.ends[n-1].plus(-1, r).num, n-1) > 0 {
			o.ends[n-1] = r
		}
	}
	return s
}

// firstZero returns the smallest positive zero of a polynomial with these coefficients, of which
// the first has the sign s; all depend on the variables up to n.
func (o *oracle) firstZero(list []poly, s, n int) (germ, bool) {
	same := true
	for _, c := range list[1:] {
		same = same && o.signOf(c, n) != -s
	}
	if same {
		return germ{}, false
	}
	at := func(k int) germ { return germ{list[k], one} }
	switch len(list) {
	case 2:
		return at(0).negated().over(at(1)), true
	case 3:
		// c + b δ + a δ²
		d := at(1).times(at(1)).plus(-4, at(0).times(at(2)))
		if o.signOf(d.num, n) < 0 {
			return germ{}, false
		}
		root, ok := d.num.sqrt()
		if !ok {
			panic(errUnsupported)
		}
		if o.signOf(root, n) < 0 {
			root = poly{}.plus(-1, root)
		}
		// the smaller of the zeros that are positive
		var best germ
		found := false
		for _, r := range []int64{-1, 1} {
			x := at(1).negated().plus(r, germ{root, one}).half().over(at(2))
			if o.signOf(x.num, n) > 0 && (!found || o.signOf(best.plus(-1, x).num, n) > 0) {
				best, found = x, true
			}
		}
		return best, found
	}
	panic(errUnsupported)
}

// A piece is a stretch of a range on which a function is a polynomial in δ, the distance from
// its start.
type piece struct {
	start, length germ
	value         germ
}

// coefficients returns the coefficients of the powers of the δ of range n.
func (p piece) coefficients(n int) []germ {
	var list []germ
	for _, c := range p.value.num.coefficients(n) {
		list = append(list, reduced(c, p.value.den))
	}
	return list
}

// sweep cuts the range from a to b, where a < b, into pieces.
func (o *oracle) sweep(a, b germ, name string, body *Expr) []piece {
	n := len(o.ends) + 1
	if n > maxDepth {
		panic(errUnsupported)
	}
	var list []piece
	for len(list) < 64 {
		o.ends = append(o.ends, b.plus(-1, a))
		v := o.with(name, a.plus(1, germ{variable(n), one}), body)
		length := o.ends[n-1]
		o.ends = o.ends[:n-1]
		list = append(list, piece{start: a, length: length, value: v})
		if a = a.plus(1, length); o.sign(a.plus(-1, b)) >= 0 {
			return list
		}
	}
	panic(errUnsupported)
}

// along returns the value of a piece where δ is d.
func (p piece) along(n int, d germ) germ { return horner(p.coefficients(n), d) }

// horner evaluates a polynomial.
func horner(list []germ, d germ) germ {
	sum := integer(0)
	for i := len(list) - 1; i >= 0; i-- {
		sum = sum.times(d).plus(1, list[i])
	}
	return sum
}

// integral returns the integral of a function, as Leibniz defines it: the ends may be in any
// order.
func (o *oracle) integral(a, b germ, name string, body *Expr) germ {
	switch o.sign(b.plus(-1, a)) {
	case 0:
		return integer(0)
	case -1:
		return o.integral(b, a, name, body).negated()
	}
	n := len(o.ends) + 1
	sum := integer(0)
	for _, p := range o.sweep(a, b, name, body) {
		power := p.length
		for k, c := range p.coefficients(n) {
			sum = sum.plus(1, c.times(power).times(number(big.NewRat(1, int64(k+1)))))
			power = power.times(p.length)
		}
	}
	return sum
}

// slope returns the derivative of a function, which must be the same on both sides of a place.
func (o *oracle) slope(at germ, name string, body *Expr) germ {
	n := len(o.ends) + 1
	if n > maxDepth {
		panic(errUnsupported)
	}
	var value, slope [2]germ
	for i, s := range []int64{-1, 1} {
		o.ends = append(o.ends, integer(far))
		v := o.with(name, at.plus(s, germ{variable(n), one}), body)
		o.ends = o.ends[:n-1]
		c := append(piece{value: v}.coefficients(n), integer(0), integer(0))
		value[i], slope[i] = c[0], c[1].times(integer(s))
	}
	if o.sign(value[0].plus(-1, value[1])) != 0 || o.sign(slope[0].plus(-1, slope[1])) != 0 {
		panic(errUnsupported)
	}
	return slope[0]
}

// far stands for infinity: nothing happens beyond it.
const far = 1 << 20

// integralFrom returns the integral of a function that becomes zero.
func (o *oracle) integralFrom(a germ, name string, body *Expr) germ {
	pieces := o.sweep(a, integer(far), name, body)
	if !pieces[len(pieces)-1].value.zero() {
		panic(errUnsupported)
	}
	return o.integral(a, integer(far), name, body)
}

// maximum returns where a function is largest, and its value there. The place is undefined if
// there are several.
func (o *oracle) maximum(a, b germ, name string, body *Expr) (place, value germ, unique bool) {
	n := len(o.ends) + 1
	switch o.sign(b.plus(-1, a)) {
	case -1:
		panic(errUndefined) // not a range
	case 0:
		return a, o.with(name, a, body), true
	}
	first := true
	consider := func(x, y germ) {
		s := 1
		if !first {
			s = o.sign(y.plus(-1, value))
		}
		if s > 0 {
			place, value, unique, first = x, y, true, false
		} else if s == 0 && o.sign(x.plus(-1, place)) != 0 {
			unique = false
		}
	}
	pieces := o.sweep(a, b, name, body)
	for i, p := range pieces {
		list := p.coefficients(n)
		end := p.start.plus(1, p.length)
		if i > 0 && o.sign(pieces[i-1].along(n, pieces[i-1].length).plus(
			-1, p.along(n, integer(0)))) != 0 {
			panic(errUnsupported) // a jump: the supremum may not be reached
		}
		consider(p.start, p.along(n, integer(0)))
		consider(end, p.along(n, p.length))
		switch len(list) {
		case 0, 1, 2:
		case 3:
			if o.sign(list[2]) < 0 {
				d := list[1].negated().half().over(list[2])
				if o.sign(d) > 0 && o.less(d, p.length) {
					consider(p.start.plus(1, d), p.along(n, d))
				}
			}
		default:
			panic(errUnsupported)
		}
	}
	return place, value, unique
}

// with evaluates a body where a name has a value.
func (o *oracle) with(name string, x germ, body *Expr) germ {
	old, shadowed := o.env[name]
	o.env[name] = x
	v := o.eval(body)
	if shadowed {
		o.env[name] = old
	} else {
		delete(o.env, name)
	}
	return v
}

// firstRoot returns where a function first changes its sign. If it is zero at a, that is a. The
// result is undefined if the function touches zero before, and b if it reaches zero only there.
func (o *oracle) firstRoot(a, b germ, name string, body *Expr) (at germ, found bool) {
	n := len(o.ends) + 1
	start := o.sign(o.with(name, a, body))
	before := start
	for i, p := range o.sweep(a, b, name, call("sign", body)) {
		s := 0
		if list := p.coefficients(n); len(list) > 0 {
			s = o.sign(list[0])
		}
		switch {
		case s == 0:
			panic(errUndefined) // zero along a stretch
		case start == 0:
			return a, true
		case s != before:
			return p.start, true
		case i > 0 && o.sign(o.with(name, p.start, body)) == 0:
			panic(errUndefined) // a touch
		}
		before = s
	}
	return b, o.sign(o.with(name, b, body)) == 0
}

// root returns the zero of a function that has no other zero, and that changes its sign there or
// is zero at an end.
func (o *oracle) root(a, b germ, name string, body *Expr) germ {
	switch o.sign(b.plus(-1, a)) {
	case -1:
		a, b = b, a
	case 0:
		panic(errUnsupported)
	}
	s, t := o.sign(o.with(name, a, body)), o.sign(o.with(name, b, body))
	if s*t > 0 {
		panic(errUndefined)
	}
	at, _ := o.firstRoot(a, b, name, body)
	if s == 0 && t == 0 || o.less(at, b) && o.again(at, b, t, name, body) {
		panic(errUnsupported) // several: which of them is meant is not said
	}
	return at
}

// again reports whether a function has a sign other than s after a place.
func (o *oracle) again(a, b germ, s int, name string, body *Expr) bool {
	n := len(o.ends) + 1
	for _, p := range o.sweep(a, b, name, call("sign", body)) {
		if list := p.coefficients(n); len(list) == 0 || o.sign(list[0]) != s {
			return true
		}
	}
	return false
}
