package jet

import "github.com/fluxion-lang/fluxion/internal/interval"

// Neg is -x.
func (a *Algebra) Neg(x Jet) Jet {
	if x.tail == nil {
		if x.kind() == known {
			return x.WithVal(a.neg(x.Val()))
		}
		return x
	}
	return a.scaled(x, a.Float(-1), a.neg)
}

// Add is x + y.
func (a *Algebra) Add(x, y Jet) Jet {
	if x.tail == nil && y.tail == nil {
		return a.addBase(x, y)
	}
	x, y = a.live(x), a.live(y)
	switch {
	case x.term() != nil || y.term() != nil:
		return a.addForms(x, y)
	case x.kind() == unknown || y.IsZero():
		return x
	case y.kind() == unknown || x.IsZero():
		return y
	case x.tail == nil && y.tail == nil:
		return a.addBase(x, y)
	case y.tail == nil || x.tail != nil && x.tail.tag > y.tail.tag:
		return a.shift(x, a.Add(x.constant(), y))
	case x.tail == nil || x.tail.tag < y.tail.tag:
		return a.shift(y, a.Add(x, y.constant()))
	}
	xc, yc := x.tail.c, y.tail.c
	t := a.series(x.tail.tag, x.tail.deg, max(len(xc), len(yc)))
	for i := range t.c {
		switch {
		case i >= len(yc):
			t.c[i] = xc[i]
		case i >= len(xc):
			t.c[i] = yc[i]
		default:
			t.c[i] = a.Add(xc[i], yc[i])
		}
	}
	return a.with(t, a.Add(x.constant(), y.constant()))
}

// shift is x with another constant coefficient.
func (a *Algebra) shift(x, low Jet) Jet {
	if low.kind() == unknown {
		return low
	}
	t := *x.tail
	t.low = low.tail
	low.tail = &t
	return low
}

func (a *Algebra) addBase(x, y Jet) Jet {
	switch {
	case x.kind() == unknown || y.kind() == zero:
		return x
	case y.kind() == unknown || x.kind() == zero:
		return y
	}
	if a.double {
		return Jet{interval: interval.Add(x.interval, y.interval)}
	}
	return a.Const(a.N.Add(x.Val(), y.Val()))
}

// Sub is x - y.
func (a *Algebra) Sub(x, y Jet) Jet {
	if x.tail == nil && y.tail == nil && x.kind() == known && y.kind() == known {
		return a.subBase(x, y)
	}
	x, y = a.live(x), a.live(y)
	switch {
	case x.term() != nil || y.term() != nil:
		return a.subForms(x, y)
	case x.kind() == unknown || y.IsZero():
		return x
	case y.kind() == unknown:
		return y
	case x.IsZero():
		return a.Neg(y)
	case x.tail == nil && y.tail == nil:
		return a.subBase(x, y)
	case y.tail == nil || x.tail != nil && x.tail.tag > y.tail.tag:
		return a.shift(x, a.Sub(x.constant(), y))
	case x.tail == nil || x.tail.tag < y.tail.tag:
		t := a.series(y.tail.tag, y.tail.deg, len(y.tail.c))
		for i, c := range y.tail.c {
			t.c[i] = a.Neg(c)
		}
		return a.with(t, a.Sub(x, y.constant()))
	}
	xc, yc := x.tail.c, y.tail.c
	t := a.series(x.tail.tag, x.tail.deg, max(len(xc), len(yc)))
	for i := range t.c {
		switch {
		case i >= len(yc):
			t.c[i] = xc[i]
		case i >= len(xc):
			t.c[i] = a.Neg(yc[i])
		default:
			t.c[i] = a.Sub(xc[i], yc[i])
		}
	}
	return a.with(t, a.Sub(x.constant(), y.constant()))
}

// subBase is x - y, without variables.
func (a *Algebra) subBase(x, y Jet) Jet {
	if a.double {
		return Jet{interval: interval.Sub(x.interval, y.interval)}
	}
	return a.Const(a.N.Sub(x.Val(), y.Val()))
}

// Mul is x y.
func (a *Algebra) Mul(x, y Jet) Jet {
	if x.tail == nil && y.tail == nil {
		return a.mulBase(x, y)
	}
	x, y = a.live(x), a.live(y)
	switch {
	case x.IsZero():
		return x
	case y.IsZero():
		return y
	case x.term() != nil:
		return a.timesForm(x, y)
	case y.term() != nil:
		return a.timesForm(y, x)
	case x.kind() == unknown:
		return x
	case y.kind() == unknown:
		return y
	case x.tail == nil && y.tail == nil:
		return a.mulBase(x, y)
	case y.tail == nil || x.tail != nil && x.tail.tag > y.tail.tag:
		return a.scale(x, y)
	case x.tail == nil || x.tail.tag < y.tail.tag:
		return a.scale(y, x)
	}
	tag, deg := x.tail.tag, x.tail.deg
	n := min(len(x.tail.c)+len(y.tail.c), int(deg))
	t := a.series(tag, deg, n)
	for k := 1; k <= n; k++ {
		t.c[k-1] = a.convolve(x, y, k)
	}
	return a.with(t, a.Mul(x.constant(), y.constant()))
}

// convolve is the coefficient of the k-th power in the product of two series in
// one variable.
func (a *Algebra) convolve(x, y Jet, k int) Jet {
	xc, yc := x.tail.c, y.tail.c
	sum := a.Zero()
	if k <= len(yc) {
		sum = a.Mul(x.constant(), yc[k-1])
	}
	for i := max(1, k-len(yc)); i < k && i <= len(xc); i++ {
		sum = a.Add(sum, a.Mul(xc[i-1], yc[k-i-1]))
	}
	if k <= len(xc) {
		sum = a.Add(sum, a.Mul(xc[k-1], y.constant()))
	}
	return sum
}

// scale is x y where y does not depend on x's newest variable.
func (a *Algebra) scale(x, y Jet) Jet {
	if a.ZeroIsConstant && y.tail == nil && a.N.IsPoint(y.Val()) && a.N.Mag(y.Val()).IsZero() && a.Complete(x) {
		return y
	}
	t := a.series(x.tail.tag, x.tail.deg, len(x.tail.c))
	for i, c := range x.tail.c {
		t.c[i] = a.Mul(c, y)
	}
	return a.with(t, a.Mul(x.constant(), y))
}

func (a *Algebra) mulBase(x, y Jet) Jet {
	switch {
	case x.kind() == zero:
		return x
	case y.kind() == zero:
		return y
	case x.kind() == unknown:
		return x
	case y.kind() == unknown:
		return y
	}
	if a.double {
		return Jet{interval: interval.Mul(x.interval, y.interval)}
	}
	return a.Const(a.N.Mul(x.Val(), y.Val()))
}

// Scale is x c, for a set c.
func (a *Algebra) Scale(x Jet, c Set) Jet { return a.Mul(x, a.Const(c)) }

// DivInt is x / n, for n > 0.
func (a *Algebra) DivInt(x Jet, n int) Jet {
	if n == 1 {
		return x
	}
	d := a.N.Int(int64(n))
	if x.tail == nil {
		if x.kind() == known {
			return x.WithVal(a.quo(x.Val(), d))
		}
		return x
	}
	return a.scaled(x, a.Const(a.quo(a.one, d)), func(c Set) Set { return a.quo(c, d) })
}

// MulInt is x n.
func (a *Algebra) MulInt(x Jet, n int) Jet {
	if n == 1 {
		return x
	}
	return a.Mul(x, a.Const(a.N.Int(int64(n))))
}

// Quo is x / y. It is unknown if y may be 0, even where x is a computed zero.
func (a *Algebra) Quo(x, y Jet) Jet {
	x, y = a.live(x), a.live(y)
	switch {
	case x.term() != nil:
		return a.linear(x, a.Quo(x.guide(), y), a.Quo(a.One(), y))
	case x.kind() == unknown:
		return x
	case y.kind() == unknown:
		return y
	case a.sign(y.Val()) == 0:
		return a.Unknown()
	case x.IsZero():
		return x
	case y.tail == nil:
		if x.tail == nil {
			return x.WithVal(a.quo(x.Val(), y.Val()))
		}
		return a.scaled(x, a.Quo(a.One(), y), func(c Set) Set { return a.quo(c, y.Val()) })
	}
	tag, deg := newer(x, y)
	if y.tail.tag != tag {
		t := a.series(tag, x.tail.deg, len(x.tail.c))
		for i, c := range x.tail.c {
			t.c[i] = a.Quo(c, y)
		}
		return a.with(t, a.Quo(x.constant(), y))
	}
	// q y = x, so that q_k = (x_k - Σ_{j>=1} y_j q_(k-j)) / y_0.
	q := make([]Jet, deg+1)
	y0 := y.constant()
	q[0] = a.Quo(a.Coeff(x, tag, 0), y0)
	for k := 1; k <= deg; k++ {
		q[k] = a.Quo(a.Sub(a.Coeff(x, tag, k), a.dot(y.tail.c, q, k)), y0)
	}
	return a.Series(tag, deg, q)
}

// dot is Σ c_j q_(k-j) over j >= 1, where c starts with c_1 and q with q_0.
func (a *Algebra) dot(c, q []Jet, k int) Jet {
	sum := a.Zero()
	for j := 1; j <= k && j <= len(c); j++ {
		sum = a.Add(sum, a.Mul(c[j-1], q[k-j]))
	}
	return sum
}

// ---- making results

// series makes room for a series with n coefficients beyond the constant one.
// A single one lies beside its tail.
func (a *Algebra) series(tag Tag, deg int32, n int) *tail {
	if n == 1 {
		short := &struct {
			tail tail
			c    [1]Jet
		}{}
		short.tail = tail{tag: tag, deg: deg, c: short.c[:]}
		return &short.tail
	}
	return &tail{tag: tag, deg: deg, c: make([]Jet, n)}
}

// with completes a series: low is its constant coefficient.
func (a *Algebra) with(t *tail, low Jet) Jet {
	if low.kind() == unknown {
		return low
	}
	for len(t.c) > 0 && t.c[len(t.c)-1].IsZero() {
		t.c = t.c[:len(t.c)-1]
	}
	if len(t.c) == 0 {
		return low
	}
	t.low = low.tail
	low.tail = t
	return low
}
