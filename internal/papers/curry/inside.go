package curry

import (
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [vjp inside programs]
//
// §6.1: rep-functions are ordinary functions that return linear maps, and
//
//	vjp f x gb = snd (f x) gb
//
// is an ordinary function of a rep-function, which λ∂ cannot type, since it has
// no ordinary arrows. To run it is easy: f is at hand as a rep-function. But in
// a program that is differentiated it must be one itself, with a pullback, and
// the pullback of f is a Go function, of which we have none.
//
// What the run of vjp f x gb does to reals is all primitives, though, and those
// come with rep-functions. So it runs on Nodes: reals that remember the step
// that made them, a primitive with its pullback. As a rep-function, vjp is the
// composition of its steps, and its pullback runs those of the steps from the
// last to the first. Its input is x and gb and, with f, all that f captured: f
// is run with Nodes for that too, and the tangent of f is made of theirs, as in
// Fig. 5. (In Fig. 3 see Note [Uses that are not calls].)
//
// The steps of a derivative inside this one have Nodes of this one for reals;
// so derivatives nest.

// Node is a real inside a derivative.
type Node struct {
	value Value // a float64, or a Node of the enclosing derivative
	of    *history
	index int
}

// history records what one derivative does to reals.
type history struct {
	depth int // of the derivative: 1 for an outermost one
	nodes int
	steps []step
}

// step is a primitive that was applied to some Nodes of its history.
type step struct {
	args     Product
	result   Value
	pullback Pullback
}

// within runs f with a history of its own.
func (m *machine) within(f func(h *history)) {
	m.inside++
	defer func() { m.inside-- }()
	f(&history{depth: m.inside})
}

// ---- values with Nodes

// mapReals returns a value with its reals mapped, including those that functions captured.
func mapReals(v Value, f func(Value) Value) Value {
	switch v := v.(type) {
	case float64, *Node:
		return f(v)
	case Product:
		return productOf(len(v), func(i int) Value { return mapReals(v[i], f) })
	case *Data:
		return &Data{v.Con, mapReals(v.Fields, f).(Product)}
	case *Fun:
		if len(v.captured) > 0 {
			return v.again(mapReals(v.captured, f).(Product))
		}
	}
	return v
}

// lift turns all reals into Nodes.
func (h *history) lift(v Value) Value {
	return mapReals(v, func(x Value) Value {
		h.nodes++
		return &Node{x, h, h.nodes - 1}
	})
}

// lower returns the inverse of lift.
func (h *history) lower(v Value) Value {
	return mapReals(v, func(x Value) Value {
		if node, ok := x.(*Node); ok && node.of == h {
			return node.value
		}
		return x
	})
}

// plain replaces all Nodes by doubles.
func plain(v Value) Value {
	return mapReals(v, func(x Value) Value {
		for {
			node, ok := x.(*Node)
			if !ok {
				return x
			}
			x = node.value
		}
	})
}

// deepest returns the innermost history that a value has Nodes of, or nil. It does
// not look into functions.
func deepest(v Value) *history {
	var found *history
	switch v := v.(type) {
	case *Node:
		found = v.of
	case Product:
		for _, part := range v {
			if h := deepest(part); h != nil && (found == nil || h.depth > found.depth) {
				found = h
			}
		}
	}
	return found
}

// onNodes applies a primitive to arguments with Nodes, if there are any. If it returns reals it
// becomes a step. A primitive that only moves its arguments treats Nodes like other values.
func (p *Prim) onNodes(m *machine, args Product) (Value, Pullback, bool) {
	h := deepest(args)
	if h == nil || p.moves() {
		return nil, nil, false
	}
	r, pullback := p.run(m, h.lower(args).(Product))
	if !hasReals(r) {
		return r, discard, true
	}
	y := h.lift(r)
	h.steps = append(h.steps, step{args, y, pullback})
	if p.Row.Pullback != nil {
		return y, p.arrayPullback(m, args, y), true
	}
	return y, p.realPullback(m, args, y), true
}

// hasReals reports whether a result is a real, or an array of reals.
func hasReals(v Value) bool {
	switch v := v.(type) {
	case float64, *Node:
		return true
	case Product:
		return len(v) > 0 && hasReals(v[0])
	}
	return false
}

// moves reports whether a primitive returns what it is given, in another place.
func (p *Prim) moves() bool {
	switch p.Row.ID {
	case prim.Append, prim.Flatten, prim.Scatter, prim.Accumulate, prim.Length, prim.RowSize,
		prim.Note, prim.Inspect:
		return true
	}
	return false
}

// arithmetic returns a primitive of two reals that a pullback needs.
func (m *machine) arithmetic(row prim.ID, a, b Value) Value {
	x, isPlain := a.(float64)
	y, both := b.(float64)
	if isPlain && both {
		m.count(1)
		if row == prim.Add {
			return x + y
		}
		return x * y
	}
	r, _ := (&Prim{Row: row.Row(), Inst: []types.Type{types.Real}}).run(m, Product{a, b})
	return r
}

// ---- tangents of values with Nodes

// cotangents holds the tangents of the Nodes of a history.
type cotangents []Tangent

func (h *history) cotangents() cotangents { return cotangents(zeros(h.nodes)) }

// add adds the tangent of a value to those of its Nodes.
func (gs cotangents) add(m *machine, h *history, v Value, g Tangent) {
	if isZero(g) {
		return
	}
	switch v := v.(type) {
	case *Node:
		if v.of == h {
			gs[v.index] = m.add(gs[v.index], g)
		}
	case Product:
		for i, part := range m.components(g, len(v)) {
			gs.add(m, h, v[i], part)
		}
	case *Data:
		gs.add(m, h, v.Fields, g.(*DataTangent).Fields)
	}
}

// of returns the tangent of a value.
func (gs cotangents) of(h *history, v Value) Tangent {
	all := func(p Product) Tangents {
		ts := make(Tangents, len(p))
		for i, part := range p {
			ts[i] = gs.of(h, part)
		}
		return ts
	}
	switch v := v.(type) {
	case *Node:
		if v.of == h {
			return gs[v.index]
		}
	case Product:
		return tangents(all(v))
	case *Data:
		return dataTangent(v.Con, all(v.Fields))
	case *Fun:
		if len(v.captured) > 0 {
			return v.owed(all(v.captured))
		}
	}
	return Zero{}
}

// sweep runs the pullbacks of all steps, from the last to the first.
func (gs cotangents) sweep(m *machine, h *history) {
	for i := len(h.steps) - 1; i >= 0; i-- {
		s := h.steps[i]
		if g := gs.of(h, s.result); !isZero(g) {
			gs.add(m, h, s.args, s.pullback(g))
		}
	}
}

// cotangent returns the tangent that a value of the language stands for.
func cotangent(v Value) Tangent {
	switch v := v.(type) {
	case float64, *Node:
		return v
	case Product:
		return tangents(cotangentAll(v))
	case *Data:
		return dataTangent(v.Con, cotangentAll(v.Fields))
	}
	return Zero{}
}

func cotangentAll(p Product) Tangents {
	ts := make(Tangents, len(p))
	for i, part := range p {
		ts[i] = cotangent(part)
	}
	return ts
}

// ---- the derivatives

// derive computes reverse f x gb, forward f x dx or jacobian f x.
func (p *Prim) derive(m *machine, args Product) (result Value, pullback Pullback) {
	m.within(func(h *history) {
		lifted := h.lift(args).(Product)
		f, x := lifted[0].(*Fun), lifted[1]
		y, pb := (&Eval{p.At}).apply(m, f, Product{x})
		vjp := func(g Tangent) Value { return m.spread(m.components(pb(g), 2)[1], x) }
		var made Value
		switch p.Row.ID {
		case prim.Reverse:
			p.sameForm(lifted[2], y, "cotangent", "value")
			made = Product{y, vjp(cotangent(lifted[2]))}
		case prim.Forward:
			p.sameForm(lifted[2], x, "tangent", "point")
			made = Product{y, m.transposed(y, vjp, lifted[2])}
		default:
			n := len(y.(Product))
			made = productOf(n, func(i int) Value { return vjp(oneHot(n, i, 1.0)) })
		}
		result = h.lower(made)
		pullback = func(g Tangent) Tangent {
			gs := h.cotangents()
			gs.add(m, h, made, g)
			gs.sweep(m, h)
			return gs.of(h, lifted)
		}
	})
	return result, pullback
}

// sameForm refuses a tangent whose constructors or lengths differ from those of the value that it
// belongs to.
func (p *Prim) sameForm(g, v Value, what, of string) {
	same := true
	var compare func(g, v Value)
	all := func(gs, vs Product) {
		if same = same && len(gs) == len(vs); same {
			for i := range gs {
				compare(gs[i], vs[i])
			}
		}
	}
	compare = func(g, v Value) {
		switch v := v.(type) {
		case Product:
			all(g.(Product), v)
		case *Data:
			if same = same && g.(*Data).Con == v.Con; same {
				all(g.(*Data).Fields, v.Fields)
			}
		}
	}
	if compare(g, v); !same {
		fail(diag.Errorf(diag.ShapesDiffer, p.At,
			"the %s has another shape than the %s that it belongs to", what, of))
	}
}

// transposed returns the derivative along dx, of a function whose value is y: vjp is
// linear, and its own pullback, at any point, is its transpose. (A–P has this as
// its eq. 6.)
func (m *machine) transposed(y Value, vjp func(Tangent) Value, dx Value) (dy Value) {
	m.within(func(h *history) {
		w := h.lift(mapReals(y, func(Value) Value { return 0.0 }))
		made := vjp(cotangent(w))
		gs := h.cotangents()
		gs.add(m, h, made, cotangent(dx))
		gs.sweep(m, h)
		dy = m.spread(gs.of(h, w), y)
	})
	return dy
}
