package exact

import (
	"maps"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
)

// boxMaximum is the largest value of f in a box, with its derivatives: Note [Envelope], where the
// peaks are the summits; at a kink it is smooth on the way that the peak goes: Note [Ridges in boxes].
func (c *ctx) boxMaximum(at diag.Span, a, b []jet.Jet, f field) ([][]jet.Jet, error) {
	s, err := c.spaceOf(at, a, b, f, diag.NoOptimum)
	if err != nil || s == nil {
		return nil, err
	}
	if len(a) == 0 {
		y, err := f(nil)
		return [][]jet.Jet{y}, err
	}
	p, err := s.peaksOf(c.order() > 0)
	if err != nil {
		return nil, err
	}
	set, ok := p.value()
	if !ok {
		p.refuse()
		return nil, nil
	}
	if c.order() == 0 {
		return [][]jet.Jet{{c.Const(set)}}, nil
	}
	if k := p.only(); k != nil && k.firm {
		y, err := p.atPeak(k, set)
		return [][]jet.Jet{{y}}, err
	}
	y, err := p.danskin(set)
	return [][]jet.Jet{{y}}, err
}

// boxArgmax is the place in a box where f is largest, with its derivatives.
func (c *ctx) boxArgmax(at diag.Span, a, b []jet.Jet, f field) ([][]jet.Jet, error) {
	s, err := c.spaceOf(at, a, b, f, diag.NoOptimum)
	if err != nil || s == nil {
		return nil, err
	}
	if len(a) == 0 {
		return [][]jet.Jet{{}}, nil
	}
	p, err := s.peaksOf(true)
	if err != nil {
		return nil, err
	}
	return p.theOne(s.f, severalPlaces)
}

const severalPlaces = "the optimum may be reached at several places"

// theOne is the one place where f is largest, with its derivatives, if there is only one. Otherwise
// it is the hull of the places, whose derivatives are unknown by what the results of all depend on;
// why says why there may be several.
func (p *peaksSearch) theOne(all field, why string) ([][]jet.Jet, error) {
	c, s := p.c, p.space
	if _, ok := p.value(); !ok {
		p.refuse()
		return nil, nil
	}
	k := p.only()
	if k != nil && (k.firm || c.order() == 0) {
		x, err := k.lift(p)
		return [][]jet.Jet{s.place(x)}, err
	}
	if k != nil {
		why = "the optimum is at an end of the range, which it may leave"
	}
	c.report(trouble{code: diag.NoOptimum, at: p.at, what: why, hints: c.hints(p)})
	place := s.place(c.consts(p.hull()))
	y, _, err := c.observed(all, c.consts(p.hull()), nil)
	if err != nil || len(y) == 0 {
		if err = fatalOnly(err); err != nil {
			return nil, err
		}
		y = []jet.Jet{c.Unknown()}
	}
	for i := range place {
		place[i] = c.withoutDerivatives(place[i], 1, y...)
	}
	return [][]jet.Jet{place}, nil
}

// refuse reports why there is no largest value.
func (p *peaksSearch) refuse() {
	p.c.report(p.trouble)
	p.c.report(trouble{code: diag.NoOptimum, at: p.at, what: mayJump, hints: p.c.hints(p)})
}

// only is the one place where f can be largest, nil if there may be others.
func (p *peaksSearch) only() *peak {
	if len(p.rest()) > 0 || len(p.peaks) != 1 {
		return nil
	}
	return p.peaks[0]
}

// lift is the place of a peak as a power series.
func (k *peak) lift(p *peaksSearch) ([]jet.Jet, error) {
	if k.e == nil {
		return p.c.consts(k.x), nil
	}
	return k.e.lift(k.x)
}

// atPeak is f at its only peak, where its value lies in y: the first derivatives are those of f with
// the place held, for along the free coordinates f has no slope.
func (p *peaksSearch) atPeak(k *peak, y jet.Set) (jet.Jet, error) {
	c := p.c
	var first jet.Jet
	var err error
	if k.f == nil {
		first, err = p.valued(p.f, y, c.consts(k.x))
		if err != nil || c.order() == 1 || !c.varies(first) {
			return first, err
		}
	}
	t, err := k.lift(p)
	if err != nil {
		return c.Unknown(), err
	}
	if k.f != nil {
		return p.valued(k.f, y, t)
	}
	m, err := p.valued(p.f, y, t)
	if err != nil {
		return m, err
	}
	first, _ = c.Split(first, c.reverse)
	m, forms := c.Split(m, c.reverse)
	return c.Add(c.Add(c.degreesOf(first, 0, 1), c.degreesOf(m, 2, c.order())), forms), nil
}

// valued is f at x, where its value is known to lie in y too. A jump that is not decided there may
// move with what is captured.
func (p *peaksSearch) valued(f field, y jet.Set, x []jet.Jet) (jet.Jet, error) {
	c := p.c
	ys, seen, err := c.observed(f, x, nil)
	if err != nil {
		if err := fatalOnly(err); err != nil {
			return c.Unknown(), err
		}
		c.report(trouble{code: diag.NoOptimum, at: p.at, what: "the function may jump where it is largest"})
		return c.withoutDerivatives(c.Const(y), 1, c.Unknown()), nil
	}
	c.inherit(seen)
	if !ys[0].Known() {
		return c.withoutDerivatives(c.Const(y), 1, ys[0]), nil
	}
	if both := c.N.Intersect(y, ys[0].Val()); !c.N.IsEmpty(both) {
		y = both
	}
	return ys[0].WithVal(y), nil
}

// danskin is the largest value, which lies in y, with the hull of the first derivatives of f at
// every place where it may be reached.
func (p *peaksSearch) danskin(y jet.Set) (jet.Jet, error) {
	c := p.c
	var hull jet.Jet
	some := false
	join := func(x cuboid) error {
		z, err := p.valued(p.f, c.N.Whole(), c.consts(x))
		if some {
			z = c.Hull(hull, z)
		}
		hull, some = z, true
		return err
	}
	for _, x := range p.rest() {
		if err := join(x.x); err != nil {
			return c.Unknown(), err
		}
	}
	for _, k := range p.peaks {
		if err := join(k.x); err != nil {
			return c.Unknown(), err
		}
	}
	if !some || !hull.Known() {
		return c.withoutDerivatives(c.Const(y), 1, c.Unknown()), nil
	}
	if c.varies(hull) {
		c.kink(p.at)
	}
	return c.withoutDerivatives(hull.WithVal(y), 2, hull), nil
}

// steadyAll takes the derivatives from what was found in a box if they are by variables that move an
// edge of the domain of f: Note [Moving edges].
func (c *ctx) steadyAll(at diag.Span, found [][]jet.Jet, a, b []jet.Jet, f field) error {
	if c.order() == 0 {
		return nil
	}
	s, err := c.spaceOf(at, a, b, f, diag.NoRoot)
	if err != nil {
		return err
	}
	moves := map[jet.Tag]bool{}
	if s == nil {
		for i := range c.degrees {
			moves[jet.Tag(i+1)] = true
		}
	} else if err := s.edges(s.whole(), mostEdgeCuts, moves); err != nil {
		return err
	}
	if c.watch != nil {
		c.edgeMoves(at, func(tag jet.Tag) bool { return moves[tag] })
	}
	lost := c.termsOf(c.Unknown(), func(tag jet.Tag) jet.Jet {
		if moves[tag] {
			return c.Unknown()
		}
		return c.Zero()
	})
	for _, place := range found {
		for i := range place {
			place[i] = c.Add(place[i], lost)
		}
	}
	return nil
}

// edges finds the variables that move an edge of the domain of f in a part of the range.
func (s *space) edges(x cuboid, cuts int, moves map[jet.Tag]bool) error {
	c := s.c
	w := &edgeWatch{moves: map[jet.Tag]bool{}}
	var ys []jet.Jet
	var seen frame
	_, err := c.watching(w, func() (err error) {
		ys, seen, err = c.observed(s.f, c.consts(x), nil)
		if err != nil && !fatal(err) {
			ys, err = []jet.Jet{c.Unknown()}, nil
		}
		if err == nil && !allKnown(ys) {
			c.edgeMoves(s.at, func(jet.Tag) bool { return true })
		}
		return err
	})
	if err != nil {
		return err
	}
	maps.DeleteFunc(w.moves, func(tag jet.Tag, _ bool) bool { return moves[tag] })
	if len(w.moves) == 0 {
		return nil
	}
	if i := s.longest(x, nil); i >= 0 && cuts > 0 {
		if left, right, ok := c.halves(x, i); ok {
			if err := s.edges(left, cuts-1, moves); err != nil {
				return err
			}
			return s.edges(right, cuts-1, moves)
		}
	}
	c.report(seen.trouble)
	maps.Copy(moves, w.moves)
	return nil
}
