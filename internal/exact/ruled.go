package exact

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// isEnclosed tells whether a function only applies a function with an enclosure to its argument.
func isEnclosed(fun *core.Lambda) bool {
	if len(fun.Params) != 1 || len(fun.Body.Stmts) != 1 {
		return false
	}
	let, ok := fun.Body.Stmts[0].(*core.Let)
	if !ok || fun.Body.Result != core.Atom(let.Var) {
		return false
	}
	op, ok := let.Op.(*core.Prim)
	return ok && op.Prim.ID == prim.WithEnclosure && op.Args[2] == core.Atom(fun.Params[0])
}

// ruledSite is an application of withDerivative or withPullback.
type ruledSite[T any] struct {
	m        *machine[T]
	at       diag.Span
	from, to types.Type
	forward  bool // the rule is of tangents
	f, rule  *closure[T]
	x        slots[T]
	like     slots[T] // a value of f
}

// ruled compiles it.
func (c *compiler[T]) ruled(s *core.Let, op *core.Prim, want *place) place {
	m, into := c.m, c.into(want, shapeOf(s.Var.Ty))
	at := ruledSite[T]{m: m, at: s.At, from: op.Args[2].Type(), to: s.Var.Ty, forward: op.Prim.ID == prim.WithDerivative}
	f, rule, x := c.ref(op.Args[0]), c.ref(op.Args[1]), c.atom(op.Args[2])
	size := x.shape()
	c.emit(func(r *regs[T]) error {
		site := at
		site.x = makeSlots[T](size)
		site.f, site.rule = r.p[f.part][f.n].(*closure[T]), r.p[rule.part][rule.n].(*closure[T])
		r.gather(x, site.x)
		y, err := site.value()
		if err != nil {
			return err
		}
		r.scatter(into, y)
		return nil
	})
	return into
}

// value is the function at the argument: by its enclosure and the rule if it has one, unless
// something that it captures moves.
func (s *ruledSite[T]) value() (slots[T], error) {
	m := s.m
	if !(s.f.code.enclosed || m.useRules) || m.order() == 0 || m.moves(s.f) || m.moves(s.rule) {
		return s.call(s.x)
	}
	reals, err := m.LiftAlong(m.collect(s.from, s.x), s.plain, s.tangent)
	if err != nil {
		return s.x, err
	}
	return m.replace(s.to, s.like, reals), nil
}

func (s *ruledSite[T]) call(x slots[T]) (slots[T], error) {
	y := makeSlots[T](shapeOf(s.to))
	s.m.used += searchBytes
	err := s.m.call(s.f, x, []shape{shapeOf(s.from)}, y)
	s.m.used -= searchBytes
	return y, err
}

// plain is the function where nothing moves.
func (s *ruledSite[T]) plain(reals []jet.Jet[T]) (_ []jet.Jet[T], err error) {
	m := s.m
	defer m.restore(m.ignoreOuter())
	s.like, err = s.call(m.replace(s.from, s.x, reals))
	return m.collect(s.to, s.like), err
}

// tangent is the rule; unknown if it has no value.
func (s *ruledSite[T]) tangent(reals, along []jet.Jet[T]) (slopes []jet.Jet[T], err error) {
	m := s.m
	outer := m.frame
	inner := frame[T]{watch: -1, fixed: outer.fixed}
	m.frame = &inner
	m.used += searchBytes
	defer func() { m.used -= searchBytes }()
	x, dx := m.replace(s.from, s.x, reals), m.replace(s.from, s.x, along)
	if s.forward {
		size := shapeOf(s.from)
		dy := makeSlots[T](shapeOf(s.to))
		err = m.call(s.rule, join(x, dx), []shape{size, size}, dy)
		if err == nil {
			slopes = m.collect(s.to, dy)
		}
	} else {
		slopes, err = s.transposed(x, dx)
	}
	m.frame = outer
	m.inherit(inner)
	n := len(m.collect(s.to, s.like))
	if err == nil && len(slopes) != n {
		return nil, diag.Errorf(diag.ShapesDiffer, s.rule.code.at, "the result of the rule has another shape than its function's value").
			WithHint("it must have the same constructors and the same lengths of arrays")
	}
	if err != nil && !fatal(err) {
		return slices.Repeat([]jet.Jet[T]{m.Unknown()}, n), nil
	}
	return slopes, err
}

// transposed is the tangent by the transpose of a rule of cotangents, which is linear.
func (s *ruledSite[T]) transposed(x, dx slots[T]) ([]jet.Jet[T], error) {
	m := s.m
	pullback := makeSlots[T](shape{p: 1})
	if err := m.call(s.rule, x, []shape{shapeOf(s.from)}, pullback); err != nil {
		return nil, err
	}
	d := &derivation[T]{m: m, at: s.at, from: s.to, to: s.from, shapes: []shape{shapeOf(s.to)}, fun: pullback.p[0].(*closure[T])}
	zero, _ := m.leaves(s.at, s.to, []slots[T]{s.like}, func([]jet.Jet[T]) jet.Jet[T] { return m.Float(0) })
	both, err := d.reverse(join(zero, dx))
	if err != nil {
		return nil, err
	}
	return m.collect(s.to, both.part(shapeOf(s.from), shapeOf(s.to))), nil
}

// moves tells whether a function captures a real that an open variable moves.
func (m *machine[T]) moves(f *closure[T]) bool {
	return m.anyMoves(slots[T]{p: []any{f}}, map[any]bool{})
}

// anyMoves looks into all that is not in seen.
func (m *machine[T]) anyMoves(v slots[T], seen map[any]bool) bool {
	for _, x := range v.r {
		if !x.Known() || m.Moves(x) {
			return true
		}
	}
	for _, p := range v.p {
		if seen[p] {
			continue
		}
		seen[p] = true
		var inside []slots[T]
		switch p := p.(type) {
		case *closure[T]:
			inside = []slots[T]{p.slots, p.args}
		case *array[T]:
			inside = []slots[T]{p.slots}
		case *data[T]:
			inside = []slots[T]{p.slots}
		}
		for _, v := range inside {
			if m.anyMoves(v, seen) {
				return true
			}
		}
	}
	return false
}
