package curry

// Sums and choice, in the way of Curry §6.2: combinators whose pullback is that
// of the branch that ran. Recursion is Fix, and Global for definitions.

// run constructs a data value. Its tangent is that of its fields, under its constructor.
func (i *Inject) run(_ *machine, x Value) (Value, Pullback) {
	fields := x.(Product)
	return &Data{i.Con, fields}, func(g Tangent) Tangent {
		if isZero(g) {
			return g
		}
		d := g.(*DataTangent)
		if d.Con != i.Con {
			panic("curry: the tangent of another constructor")
		}
		return tangents(d.Fields)
	}
}

func (c *Case) run(m *machine, x Value) (Value, Pullback) {
	delta, of := lastOf(x)
	data := of.(*Data)
	for _, arm := range c.Arms {
		if arm.Con == data.Con {
			y, pullback := arm.Body.run(m, concat(delta, data.Fields))
			return y, func(g Tangent) Tangent {
				gd, fields := m.split(pullback(g), len(delta), len(delta)+len(data.Fields))
				return tangents(append(gd, dataTangent(data.Con, fields)))
			}
		}
	}
	y, pullback := c.Default.run(m, delta)
	return y, func(g Tangent) Tangent { return m.inContext(pullback(g), len(delta)) }
}

func (i *If) run(m *machine, x Value) (Value, Pullback) {
	delta, cond := lastOf(x)
	branch := i.Else
	if cond.(bool) {
		branch = i.Then
	}
	y, pullback := branch.run(m, delta)
	return y, func(g Tangent) Tangent { return m.inContext(pullback(g), len(delta)) }
}

// lastOf takes a context and one operand apart.
func lastOf(x Value) (delta Product, operand Value) {
	p := x.(Product)
	n := len(p) - 1
	return p[:n:n], p[n]
}

// inContext returns the tangent of (Δ, v) where v has only Unit for tangents, given
// that of Δ, which has n components.
func (m *machine) inContext(g Tangent, n int) Tangent {
	if isZero(g) {
		return g
	}
	return append(m.components(g, n)[:n:n], Zero{})
}
