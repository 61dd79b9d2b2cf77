package curry

// ruled computes f x with the pullback that the program gives it, `withPullback f bf x`: the
// rep-function of a primitive is what it is said to be (§3.1),
//
//	x ↦ (f x, λg. bf x g)
//
// The values that f captures get their tangents from the rep-function of f.
func (p *Prim) ruled(m *machine, args Product) (Value, Pullback) {
	f, bf, x := args[0].(*Fun), args[1].(*Fun), args[2]
	pulled := func(y Value, g Tangent) Tangent {
		gx, _ := (&Eval{p.At}).apply(m, bf, Product{x, m.spread(g, y)})
		p.sameForm(gx, x, "cotangent of the rule", "argument")
		return cotangent(gx)
	}
	if h := historyOf(x); h != nil { // a step of the enclosing derivative
		y, pullback := p.ruled(m, h.lower(args).(Product))
		made := h.lift(y)
		h.steps = append(h.steps, step{args, made, pullback})
		return made, func(g Tangent) Tangent {
			return tangents(Tangents{Zero{}, Zero{}, pulled(made, g)})
		}
	}
	y, own := (&Eval{p.At}).apply(m, f, Product{x})
	return y, func(g Tangent) Tangent {
		if isZero(g) {
			return g
		}
		gs := Tangents{Zero{}, Zero{}, pulled(y, g)}
		if len(f.captured) > 0 {
			gs[0] = m.components(own(g), 2)[0]
		}
		return tangents(gs)
	}
}

// historyOf returns the innermost history whose Nodes are reals of a value without functions, or
// nil.
func historyOf(v Value) (found *history) {
	mapReals(v, func(x Value) Value {
		if node, ok := x.(*Node); ok && (found == nil || node.of.depth > found.depth) {
			found = node.of
		}
		return x
	})
	return found
}
