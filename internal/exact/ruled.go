package exact

import (
	"math"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
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
type ruledSite struct {
	m        *machine
	at       diag.Span
	from, to types.Type
	forward  bool // the rule is of tangents
	f, rule  *closure
	x        slots
	like     slots // a value of f
}

// ruled compiles it.
func (c *compiler) ruled(s *core.Let, op *core.Prim, want *place) place {
	m, into := c.m, c.into(want, shapeOf(s.Var.Ty))
	at := ruledSite{m: m, at: s.At, from: op.Args[2].Type(), to: s.Var.Ty, forward: op.Prim.ID == prim.WithDerivative}
	f, rule, x := c.ref(op.Args[0]), c.ref(op.Args[1]), c.atom(op.Args[2])
	size := x.shape()
	c.emit(func(r *regs) error {
		site := at
		site.x = makeSlots(size)
		site.f, site.rule = r.p[f.part][f.n].(*closure), r.p[rule.part][rule.n].(*closure)
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

// Note [Slopes that are told]
//
// A search concludes from derivatives how its function moves: Newton's method excludes boxes, and
// the rest of a Taylor series bounds an integral. If the function has an enclosure and a rule, which
// are promises of the program, the derivative is the rule's, and a wrong one would make the search
// miss the truth. So a rule is held against the function's values wherever a search uses it: by the
// mean value theorem the set that the rule gives on a box for the tangent from its lower end to its
// upper one contains, in each component, what the function increases by. A rule that is right is
// never refused, and one that is wrong is found out where boxes are small enough for it to matter.
// Where nothing is searched a rule is compared in the same way at some points: the first, the
// second, the fourth call and so on. Rules of the library are proved where they stand, and
// --trust-rules trusts the others.
//
// A proof (Options.Proof) is more than a search: it uses no promise of the program at all, neither
// rules nor enclosures, and refuses slopes that are stopped. The rows are those that prim.Slope
// marks.

// believed tells whether what the program says, by a row that the table marks as told, is proved or
// trusted.
func (m *machine) believed(told *closure) bool {
	return told.code.at.File != nil && told.code.at.File.Library || m.trustRules && !m.proof
}

// value is the function at the argument: by its enclosure and the rule if it has one, unless
// something that it captures moves, or nothing may be taken from promises.
func (s *ruledSite) value() (slots, error) {
	m := s.m
	if !(s.f.code.enclosed || m.useRules) || m.order() == 0 || m.moves(s.f) || m.moves(s.rule) ||
		m.proof && !m.believed(s.rule) {
		return s.call(s.x)
	}
	args := m.collect(s.from, s.x)
	if s.f.code.enclosed && !m.believed(s.rule) {
		if err := s.check(args); err != nil {
			return s.x, err
		}
	}
	reals, err := m.LiftAlong(args, s.plain, s.tangent)
	if err != nil {
		return s.x, err
	}
	return m.replace(s.to, s.like, reals), nil
}

// searched tells whether one of some reals moves with a variable that is not of a derivative of the
// program.
func (m *machine) searched(xs []jet.Jet) bool {
	for k, derives := range m.derives {
		tag := jet.Tag(k + 1)
		if tag >= m.Floor && !derives && slices.ContainsFunc(xs, func(x jet.Jet) bool { return x.Has(tag) }) {
			return true
		}
	}
	return false
}

// check is an error if the rule contradicts the function's values: Note [Slopes that are told].
func (s *ruledSite) check(args []jet.Jet) error {
	m := s.m
	if !programNumber(m.N) {
		return nil
	}
	if !slices.ContainsFunc(args, m.Moves) {
		return nil
	}
	if m.rulesUsed == nil {
		m.rulesUsed = map[enclosureKey]int{}
	}
	key := enclosureKey{s.f.code, s.rule.code, m.OnBalls()}
	m.rulesUsed[key]++
	if n := m.rulesUsed[key]; n&(n-1) != 0 && !m.searched(args) {
		return nil
	}
	n := len(args)
	lower, box, upper, along := make([]jet.Jet, n), make([]jet.Jet, n), make([]jet.Jet, n), make([]jet.Jet, n)
	for k, x := range args {
		if !x.Known() || !m.N.Bounded(x.Val()) {
			return nil
		}
		at := x.Val()
		if lo, hi := m.N.Lower(at), m.N.Upper(at); !m.N.Less(lo, hi) {
			mid := m.N.Mid(at)
			by := m.N.Float(besideBy * math.Max(1, math.Abs(m.N.Float64(mid))))
			at = m.N.Hull(m.N.Sub(mid, by), m.N.Add(mid, by))
		}
		box[k], lower[k], upper[k] = m.Const(at), m.Const(m.N.Lower(at)), m.Const(m.N.Upper(at))
		along[k] = m.Sub(upper[k], lower[k])
	}
	outer := m.frame
	m.frame = &frame{watch: -1, fixed: outer.fixed}
	defer func() { m.frame = outer }()
	first, err := s.plain(lower)
	if err != nil {
		return fatalOnly(err)
	}
	first = slices.Clone(first)
	last, err := s.plain(upper)
	if err != nil || len(first) != len(last) {
		return fatalOnly(err)
	}
	slopes, err := s.tangent(box, along)
	if err != nil {
		return fatalOnly(err)
	}
	for k, dy := range slopes {
		by := m.Sub(last[k], first[k])
		if by.Known() && dy.Known() && m.N.IsEmpty(m.N.Intersect(by.Val(), dy.Val())) {
			return s.wrong(lower, upper, by, dy)
		}
	}
	if m.ruleCompared != nil {
		m.ruleCompared(core.Agreement{At: s.rule.code.at, Order: 1})
	}
	return nil
}

// wrong says that the rule contradicts how the function increases between two points.
func (s *ruledSite) wrong(lower, upper []jet.Jet, by, slope jet.Jet) error {
	m := s.m
	enclosed := func(x jet.Jet) value.Value {
		lo, hi := Ends(x.Val())
		return Enclosure{lo, hi, shownEps}
	}
	point := func(xs []jet.Jet) string {
		return value.ShowAtMost(m.export(s.from, m.replace(s.from, s.x, xs), enclosed), 6)
	}
	return diag.Errorf(diag.WrongRule, s.rule.code.at, "this rule is not the derivative of its function").
		WithRelated(s.f.code.at, "the function").
		WithHint("between x = %s and x = %s\nthe rule says that it increases by %s\nits values increase by              %s",
			point(lower), point(upper), value.Show(enclosed(slope)), value.Show(enclosed(by))).
		WithHint("to replace a derivative on purpose, write `stopGradient`, or trust all rules by --trust-rules")
}

func (s *ruledSite) call(x slots) (slots, error) {
	y := makeSlots(shapeOf(s.to))
	s.m.used += searchBytes
	err := s.m.call(s.f, x, []shape{shapeOf(s.from)}, y)
	s.m.used -= searchBytes
	return y, err
}

// plain is the function where nothing moves.
func (s *ruledSite) plain(reals []jet.Jet) (_ []jet.Jet, err error) {
	m := s.m
	defer m.restore(m.ignoreOuter())
	s.like, err = s.call(m.replace(s.from, s.x, reals))
	return m.collect(s.to, s.like), err
}

// tangent is the rule; unknown if it has no value.
func (s *ruledSite) tangent(reals, along []jet.Jet) (slopes []jet.Jet, err error) {
	m := s.m
	outer := m.frame
	inner := frame{watch: -1, fixed: outer.fixed}
	m.frame = &inner
	m.used += searchBytes
	defer func() { m.used -= searchBytes }()
	x, dx := m.replace(s.from, s.x, reals), m.replace(s.from, s.x, along)
	if s.forward {
		size := shapeOf(s.from)
		dy := makeSlots(shapeOf(s.to))
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
		return slices.Repeat([]jet.Jet{m.Unknown()}, n), nil
	}
	return slopes, err
}

// transposed is the tangent by the transpose of a rule of cotangents, which is linear.
func (s *ruledSite) transposed(x, dx slots) ([]jet.Jet, error) {
	m := s.m
	pullback := makeSlots(shape{p: 1})
	if err := m.call(s.rule, x, []shape{shapeOf(s.from)}, pullback); err != nil {
		return nil, err
	}
	d := &derivation{m: m, at: s.at, from: s.to, to: s.from, shapes: []shape{shapeOf(s.to)}, fun: pullback.p[0].(*closure)}
	zero, _ := m.leaves(s.at, s.to, []slots{s.like}, func([]jet.Jet) jet.Jet { return m.Float(0) })
	both, err := d.reverse(join(zero, dx))
	if err != nil {
		return nil, err
	}
	return m.collect(s.to, both.part(shapeOf(s.from), shapeOf(s.to))), nil
}

// moves tells whether a function captures a real that an open variable moves.
func (m *machine) moves(f *closure) bool {
	return m.anyMoves(slots{p: []any{f}}, map[any]bool{})
}

// anyMoves looks into all that is not in seen.
func (m *machine) anyMoves(v slots, seen map[any]bool) bool {
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
		var inside []slots
		switch p := p.(type) {
		case *closure:
			inside = []slots{p.slots, p.args}
		case *array:
			inside = []slots{p.slots}
		case *data:
			inside = []slots{p.slots}
		}
		for _, v := range inside {
			if m.anyMoves(v, seen) {
				return true
			}
		}
	}
	return false
}
