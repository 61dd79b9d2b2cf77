package exact

import (
	"math"
	"math/big"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Note [Enclosures of a program's own]
//
// `withEnclosure f g x` is f x, where the program says what f is on a box: for all points x between
// lo and hi, real by real, f x lies between the two values of `g (lo, hi)`. Here lo and hi are the
// ends of the set that encloses x, and points. The reals of g's result are sets again; the
// enclosure is from the least point of the lower one to the greatest of the upper one, which rounds
// outwards.
//
// The promise is about values. If variables are open, f runs on jets as well: its coefficients say
// how the value moves, with what f captures too, and g makes the value narrower. Where f decides
// nothing, as a loop that ends when two reals are close may, the coefficients are unknown and the
// value is still known. f runs in a frame of its own, because it does not run in each evaluation
// and the sites of the frame around it must not depend on that.
//
// A rule of `withDerivative` or `withPullback` for a function with an enclosure is used instead of
// f's coefficients, so that f may be anything, but not everywhere: Note [Slopes that are told]. A rule for a function without one is not: f is
// differentiated.
//
// Where g has no value on a box, f is all that there is; likewise on the complex sets and the germs
// of integrals, of which g says nothing.
//
// The promise is compared with f when it is first used, as rules are on doubles: at the point, and
// on a box around it, at whose corners and middle f has to meet what g says of the whole box. Where
// f has no value nothing can be said.

// enclosedSite is an application of withEnclosure.
type enclosedSite struct {
	m        *machine
	at       diag.Span
	from, to types.Type
	f, g     *closure
	x        slots
}

// enclosed compiles it.
func (c *compiler) enclosed(s *core.Let, op *core.Prim, want *place) place {
	m, into := c.m, c.into(want, shapeOf(s.Var.Ty))
	from, to := op.Args[2].Type(), s.Var.Ty
	f, g, x := c.ref(op.Args[0]), c.ref(op.Args[1]), c.atom(op.Args[2])
	size := x.shape()
	c.emit(func(r *regs) error {
		site := &enclosedSite{m: m, at: s.At, from: from, to: to, x: makeSlots(size),
			f: r.p[f.part][f.n].(*closure), g: r.p[g.part][g.n].(*closure)}
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

// value is the function at the argument.
func (s *enclosedSite) value() (slots, error) {
	m := s.m
	if m.proof && !m.believed(s.g) {
		return s.apart(s.f, s.x, shapeOf(s.from), shapeOf(s.to))
	}
	promised, ok, err := s.promise(s.x)
	if err != nil {
		return promised, err
	}
	if !ok {
		return s.apart(s.f, s.x, shapeOf(s.from), shapeOf(s.to))
	}
	if err := s.check(promised); err != nil {
		return promised, err
	}
	if m.order() == 0 {
		return promised, nil
	}
	own, ok, err := s.own(s.x)
	if err != nil {
		return own, err
	}
	if !ok {
		return m.leaves(s.at, s.to, []slots{promised}, func(ys []jet.Jet) jet.Jet {
			return m.withoutDerivatives(ys[0], 1, m.Unknown())
		})
	}
	return m.leaves(s.at, s.to, []slots{own, promised}, func(ys []jet.Jet) jet.Jet {
		if !ys[0].Known() {
			return m.withoutDerivatives(ys[1], 1, ys[0])
		}
		if both := m.N.Intersect(ys[0].Val(), ys[1].Val()); !m.N.IsEmpty(both) {
			return ys[0].WithVal(both)
		}
		return ys[0].WithVal(ys[1].Val())
	})
}

// own is the function itself at a point; ok is false where it has no value.
func (s *enclosedSite) own(x slots) (y slots, ok bool, err error) {
	y, err = s.apart(s.f, x, shapeOf(s.from), shapeOf(s.to))
	return y, err == nil, fatalOnly(err)
}

// promise is what g says of the function on the box of a point; ok is false if it says nothing.
func (s *enclosedSite) promise(x slots) (y slots, ok bool, err error) {
	m := s.m
	if !programNumber(m.N) {
		return y, false, nil
	}
	ends := [2]slots{}
	bounded := true
	for k, end := range [2]func(jet.Set) jet.Set{m.N.Lower, m.N.Upper} {
		ends[k], _ = m.leaves(s.at, s.from, []slots{x}, func(xs []jet.Jet) jet.Jet {
			if bounded = bounded && xs[0].Known() && m.N.Bounded(xs[0].Val()); !bounded {
				return xs[0]
			}
			return m.Const(end(xs[0].Val()))
		})
	}
	if !bounded {
		return y, false, nil
	}
	// The ends are numbers, whatever the open variables do.
	defer m.restore(m.Floor)
	m.Floor = 0
	size := shapeOf(s.to)
	argument, result := shapeOf(s.from), size.plus(size)
	both, err := s.apart(s.g, join(ends[0], ends[1]), argument.plus(argument), result)
	if err != nil {
		return y, false, fatalOnly(err)
	}
	backwards, known := false, true
	pair := []slots{both.part(shape{}, size), both.part(size, size)}
	y, err = m.leaves(s.at, s.to, pair, func(ys []jet.Jet) jet.Jet {
		lo, hi := ys[0], ys[1]
		if !lo.Known() || !hi.Known() {
			known = false
			return lo
		}
		backwards = backwards || m.Less(hi.Val(), lo.Val())
		return m.Const(m.N.Span(lo.Val(), hi.Val()))
	})
	switch {
	case err != nil:
		return y, false, err
	case backwards:
		return y, false, s.wrong("the lower end of this enclosure is above the upper one", x,
			"its lower end is", pair[0], "its upper end is", pair[1])
	}
	return y, known, nil
}

// apart calls a function in a frame of its own.
func (s *enclosedSite) apart(f *closure, x slots, from, to shape) (y slots, err error) {
	m := s.m
	outer := m.frame
	inner := frame{watch: -1, fixed: outer.fixed, text: outer.text}
	m.frame = &inner
	y = makeSlots(to)
	m.used += searchBytes
	err = m.call(f, x, []shape{from}, y)
	m.used -= searchBytes
	m.frame = outer
	m.inherit(inner)
	if err == errUndecided {
		m.report(trouble{code: diag.Undecided, at: inner.first.at, what: "these reals may be equal, and then this has no value"})
	}
	return y, err
}

// besideBy is how far from the point, relative to it, the corners of the box are.
const besideBy = 0x1p-10

// check compares what g promises with the function, unless that has been done.
func (s *enclosedSite) check(promised slots) error {
	m := s.m
	key := enclosureKey{s.f.code, s.g.code, m.OnBalls()}
	if m.trustRules || m.enclosuresChecked[key] {
		return nil
	}
	if m.enclosuresChecked == nil {
		m.enclosuresChecked = map[enclosureKey]bool{}
	}
	m.enclosuresChecked[key] = true
	plain, _ := m.leaves(s.at, s.from, []slots{s.x}, func(xs []jet.Jet) jet.Jet {
		return m.Const(xs[0].Val())
	})
	if err := s.compare(plain, plain, promised); err != nil {
		return err
	}
	box := s.moved(plain, func(mid, by jet.Set) jet.Set { return m.N.Hull(m.N.Sub(mid, by), m.N.Add(mid, by)) })
	around, ok, err := s.promise(box)
	if err != nil || !ok {
		return err
	}
	for _, corner := range []func(mid, by jet.Set) jet.Set{m.N.Sub, m.N.Add, func(mid, _ jet.Set) jet.Set { return mid }} {
		if err := s.compare(s.moved(plain, corner), box, around); err != nil {
			return err
		}
	}
	if m.ruleCompared != nil {
		m.ruleCompared(core.Agreement{At: s.g.code.at})
	}
	return nil
}

// enclosureKey is a function and its enclosure, whatever they have captured, on one of the two
// kinds of sets.
type enclosureKey struct {
	f, g  *code
	balls bool
}

// moved is the middle of a point with each real moved by a little.
func (s *enclosedSite) moved(x slots, move func(mid, by jet.Set) jet.Set) slots {
	m := s.m
	y, _ := m.leaves(s.at, s.from, []slots{x}, func(xs []jet.Jet) jet.Jet {
		mid := m.N.Mid(xs[0].Val())
		by := besideBy * math.Max(1, math.Abs(m.N.Float64(mid)))
		return m.Const(move(mid, m.N.Float(by)))
	})
	return y
}

// compare is an error if the function at x does not meet what is promised of a box around it.
func (s *enclosedSite) compare(x, box, promised slots) error {
	m := s.m
	own, ok, err := s.own(x)
	if err != nil || !ok {
		return err
	}
	apart := false
	_, err = m.leaves(s.at, s.to, []slots{own, promised}, func(ys []jet.Jet) jet.Jet {
		apart = apart || ys[0].Known() && m.N.IsEmpty(m.N.Intersect(ys[0].Val(), ys[1].Val()))
		return ys[0]
	})
	if err != nil || !apart {
		return err
	}
	return s.wrong("this enclosure does not contain the value of its function", box,
		"the enclosure is  ", promised, "its function gives", own)
}

// wrong says that g breaks its promise on a box, and shows two values there.
func (s *enclosedSite) wrong(what string, box slots, name string, y slots, of string, z slots) error {
	show := func(t types.Type, v slots) string {
		return value.ShowAtMost(s.m.export(t, v, func(x jet.Jet) value.Value {
			lo, hi := Ends(x.Val())
			return Enclosure{lo, hi, shownEps}
		}), 6)
	}
	return diag.Errorf(diag.WrongRule, s.g.code.at, "%s", what).WithRelated(s.f.code.at, "the function").
		WithHint("for x in %s\n%s %s\n%s %s", show(s.from, box), name, show(s.to, y), of, show(s.to, z)).
		WithHint("`g (lo, hi)` should be a pair: a lower and an upper bound of the function between lo and hi")
}

// shownEps is to how many digits a broken promise is shown.
var shownEps = big.NewRat(1, 1e9)
