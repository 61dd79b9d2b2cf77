package curry

import "github.com/fluxion-lang/fluxion/internal/diag"

// An array is a product whose width is known only when it is made. So build
// and map are prod of as many parts as there are elements, each part the body
// after an extension of the context; index and slice are projections.

func (b *Build) run(m *machine, x Value) (Value, Pullback) {
	delta, size := lastOf(x)
	n := size.(int64)
	if n < 0 {
		fail(diag.Errorf(diag.NegativeSize, b.At, "an array cannot have the size %d", n))
	}
	made, pullbacks := m.elements(b.Body, delta, n, b.At, func(i int) Product {
		return Product{int64(i)}
	})
	return made, func(g Tangent) Tangent {
		var context Tangent = Zero{}
		gs := m.components(g, len(pullbacks))
		for i, pullback := range pullbacks {
			gd, _ := m.split(pullback(gs[i]), len(delta), len(delta)+1)
			context = m.add(context, tangents(gd))
		}
		return m.inContext(context, len(delta))
	}
}

func (p *Map) run(m *machine, x Value) (Value, Pullback) {
	all := x.(Product)
	k := len(p.Params)
	delta, arrays := all[:len(all)-k:len(all)-k], all[len(all)-k:]
	n := len(arrays[0].(Product))
	for _, a := range arrays {
		if l := len(a.(Product)); l != n {
			fail(diag.Errorf(diag.SizesDiffer, p.At,
				"arrays of lengths %d and %d are combined element by element", n, l))
		}
	}
	made, pullbacks := m.elements(p.Body, delta, int64(n), p.At, func(i int) Product {
		return productOf(k, func(j int) Value { return arrays[j].(Product)[i] })
	})
	return made, func(g Tangent) Tangent {
		var context Tangent = Zero{}
		gs := m.components(g, n)
		columns := make([]Tangents, k)
		for j := range columns {
			columns[j] = zeros(n)
		}
		for i, pullback := range pullbacks {
			gd, ge := m.split(pullback(gs[i]), len(delta), len(all))
			context = m.add(context, tangents(gd))
			for j := range columns {
				columns[j][i] = ge[j]
			}
		}
		out := m.components(context, len(delta))[:len(delta):len(delta)]
		for _, column := range columns {
			out = append(out, tangents(column))
		}
		return tangents(out)
	}
}

// elements runs a body n times in a context.
func (m *machine) elements(body Term, delta Product, n int64, at diag.Span,
	operands func(i int) Product) (Product, []Pullback) {
	var made Product
	var pullbacks []Pullback
	for i := int64(0); i < n; i++ {
		m.enter(at)
		y, pullback := body.run(m, concat(delta, operands(int(i))))
		made, pullbacks = append(made, y), append(pullbacks, pullback)
	}
	if made == nil {
		made = Product{}
	}
	return made, pullbacks
}

func (ix *Index) run(_ *machine, x Value) (Value, Pullback) {
	of, at := x.(Product)[0].(Product), x.(Product)[1].(int64)
	n := len(of)
	if uint64(at) >= uint64(n) {
		fail(diag.Errorf(diag.IndexOutOfRange, ix.At, "index %d is outside an array of length %d",
			at, n))
	}
	return of[at], func(g Tangent) Tangent {
		return tangents(Tangents{sparse(n, int(at), g), Zero{}})
	}
}

func (s *Slice) run(m *machine, x Value) (Value, Pullback) {
	p := x.(Product)
	of, lo, hi := p[0].(Product), p[1].(int64), p[2].(int64)
	n := len(of)
	if lo < 0 || hi < lo || hi > int64(n) {
		fail(diag.Errorf(diag.BadSlice, s.At,
			"the slice [%d:%d] is not within an array of length %d", lo, hi, n))
	}
	return of[lo:hi:hi], func(g Tangent) Tangent {
		if isZero(g) {
			return g
		}
		all := zeros(n)
		copy(all[lo:], m.components(g, int(hi-lo)))
		return Tangents{all, Zero{}, Zero{}}
	}
}

// iteration is a state that a body changes again and again, in a context: the
// composition of as many copies of ⟨Δ, body⟩ as it runs. It keeps the
// pullbacks and not a nest of them, so that a long loop takes no stack.
type iteration struct {
	m         *machine
	body      Term
	delta     Product
	extra     int // operands of the body after the state
	pullbacks []Pullback
}

func (it *iteration) step(state Value, operands ...Value) Value {
	it.m.enter(it.m.at)
	x := append(append(make(Product, 0, len(it.delta)+1+len(operands)), it.delta...), state)
	y, pullback := it.body.run(it.m, append(x, operands...))
	it.pullbacks = append(it.pullbacks, pullback)
	return y
}

// back pulls the tangent of the last state back to the first. along, if not nil, is the tangent
// of the states after each step, as for scan. operand receives the tangent of each step's
// operand.
func (it *iteration) back(state Tangent, along Tangents, operand func(i int, g Tangent)) (
	context, first Tangent) {
	context = Zero{}
	n := len(it.delta)
	for i := len(it.pullbacks) - 1; i >= 0; i-- {
		if along != nil {
			state = it.m.add(state, along[i])
		}
		gd, rest := it.m.split(it.pullbacks[i](state), n, n+1+it.extra)
		context = it.m.add(context, tangents(gd))
		state = rest[0]
		if operand != nil {
			operand(i, rest[1])
		}
	}
	return context, state
}

// tangent returns the tangent of (Δ, init, last).
func (it *iteration) tangent(context, first, last Tangent) Tangent {
	n := len(it.delta)
	return tangents(append(it.m.components(context, n)[:n:n], first, last))
}

func (f *Fold) run(m *machine, x Value) (Value, Pullback) {
	rest, array := lastOf(x)
	delta, state := lastOf(rest)
	it := &iteration{m: m, body: f.Body, delta: delta, extra: 1}
	states := Product{}
	for _, elem := range array.(Product) {
		state = it.step(state, elem)
		if f.All {
			states = append(states, state)
		}
	}
	n := len(array.(Product))
	pull := func(last Tangent, along Tangents) Tangent {
		elems := zeros(n)
		context, first := it.back(last, along, func(i int, g Tangent) { elems[i] = g })
		return it.tangent(context, first, tangents(elems))
	}
	if f.All {
		return states, func(g Tangent) Tangent { return pull(Zero{}, m.components(g, n)) }
	}
	return state, func(g Tangent) Tangent { return pull(g, nil) }
}

func (f *For) run(m *machine, x Value) (Value, Pullback) {
	rest, count := lastOf(x)
	delta, state := lastOf(rest)
	it := &iteration{m: m, body: f.Body, delta: delta, extra: 1}
	for i := int64(0); i < count.(int64); i++ {
		state = it.step(state, i)
	}
	return state, func(g Tangent) Tangent {
		context, first := it.back(g, nil, nil)
		return it.tangent(context, first, Zero{})
	}
}

func (w *While) run(m *machine, x Value) (Value, Pullback) {
	delta, state := lastOf(x)
	it := &iteration{m: m, body: w.Body, delta: delta}
	for {
		more, _ := w.Cond.run(m, concat(delta, Product{state}))
		if !more.(bool) {
			break
		}
		state = it.step(state)
	}
	return state, func(g Tangent) Tangent {
		context, first := it.back(g, nil, nil)
		n := len(delta)
		return tangents(append(m.components(context, n)[:n:n], first))
	}
}

func (c *CheckSize) run(_ *machine, x Value) (Value, Pullback) {
	if d := c.Check.Failure(c.At, x.(Product)[0].(int64), x.(Product)[1].(int64)); d != nil {
		fail(d)
	}
	return Product{}, discard
}
