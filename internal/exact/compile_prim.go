package exact

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/interval/tier"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/rules"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// prim compiles the application of a row of the table.
func (c *compiler) prim(s *core.Let, op *core.Prim, want *place) place {
	row := op.Prim
	if len(op.Args) == 0 {
		return c.constantRow(row)
	}
	if row.Float == nil && row.Int == nil {
		return c.structural(s, op, want)
	}
	switch types.Resolve(op.Args[0].Type()) {
	case types.String:
		return c.compareStrings(s, op, want)
	case types.Int, types.Bool:
		if at := c.onInts(s, op, want); at != nil {
			return *at
		}
	}
	return c.onReals(s, op, want)
}

// constantRow is pi, e, or the zero of Real.
func (c *program) constantRow(row *prim.Prim) place {
	m := c.m
	if f, ok := row.Interval.(tier.Fun0); ok && !c.rounded {
		return c.constR(func() jet.Jet { return m.Const(m.N.Apply0(f)) })
	}
	x := row.Float.(prim.Constant)
	return c.constR(func() jet.Jet { return m.double(x) })
}

// ---- integers, truth values, texts

// onInts compiles a row at Int or Bool; nil if it is about reals too.
func (c *compiler) onInts(s *core.Let, op *core.Prim, want *place) *place {
	row, at := op.Prim, s.At
	evaluator := row.Int
	if evaluator == nil {
		evaluator = row.Float
	}
	result := func() (place, int) {
		into := c.into(want, shape{i: 1})
		return into, into.i[0].n
	}
	switch eval := evaluator.(type) {
	case prim.Int1:
		x := c.int(op.Args[0])
		into, d := result()
		c.emit(func(f *regs) error {
			a := f.i[x.part][x.n]
			r, code := eval(a)
			if code != "" {
				return row.Failure(at, code, a)
			}
			f.i[local][d] = r
			return nil
		})
		return &into
	case prim.Int2:
		x, y := c.int(op.Args[0]), c.int(op.Args[1])
		into, d := result()
		c.emit(func(f *regs) error {
			a, b := f.i[x.part][x.n], f.i[y.part][y.n]
			r, code := eval(a, b)
			if code != "" {
				return row.Failure(at, code, a, b)
			}
			f.i[local][d] = r
			return nil
		})
		return &into
	case prim.IntCompare:
		x, y := c.int(op.Args[0]), c.int(op.Args[1])
		into, d := result()
		c.emit(func(f *regs) error {
			f.i[local][d] = truth(eval(f.i[x.part][x.n], f.i[y.part][y.n]))
			return nil
		})
		return &into
	case prim.Bool1:
		x := c.int(op.Args[0])
		into, d := result()
		c.emit(func(f *regs) error {
			f.i[local][d] = truth(eval(f.i[x.part][x.n] != 0))
			return nil
		})
		return &into
	}
	return nil
}

func (c *compiler) compareStrings(s *core.Let, op *core.Prim, want *place) place {
	x, y := c.ref(op.Args[0]), c.ref(op.Args[1])
	holds := op.Prim.Int.(prim.IntCompare)
	into := c.into(want, shape{i: 1})
	d := into.i[0].n
	c.emit(func(f *regs) error {
		order := strings.Compare(f.p[x.part][x.n].(string), f.p[y.part][y.n].(string))
		f.i[local][d] = truth(holds(int64(order), 0))
		return nil
	})
	return into
}

// ---- reals

// onReals compiles a row that takes or gives reals.
func (c *compiler) onReals(s *core.Let, op *core.Prim, want *place) place {
	m, row, at := c.m, op.Prim, s.At
	switch row.Float.(type) {
	case prim.Compare:
		return c.compareReals(s, op, want)
	case prim.ToInt:
		return c.rounding(s, op, want)
	case prim.Fold, prim.MapArray:
		return c.arrayRow(s, op, want)
	case prim.Whole:
		return c.wholeRow(s, op, want)
	}
	c.noteForm(s.Var, op)
	if at, ok := c.shared(op, want); ok {
		return at
	}
	into := c.into(want, shape{r: 1})
	d := into.r[0].n
	if row.ID == prim.Pow {
		c.power(row, at, op.Args, d)
		return into
	}
	if binary := m.Binary(row.ID); binary != nil && len(op.Args) == 2 {
		x, y := c.real(op.Args[0]), c.real(op.Args[1])
		c.emit(c.binaryStep(row, at, binary, d, x, y))
		return into
	}
	if unary := m.Unary(row.ID); unary != nil && len(op.Args) == 1 {
		x := c.real(op.Args[0])
		edge := row.Singular == row.Params[0]
		closed := row.Closed() && !c.neverNegative(op.Args[0])
		if row.ID == prim.Tan {
			unary = func(x jet.Jet) jet.Jet { return m.tan(at, x) }
		}
		c.emit(func(f *regs) error {
			v := f.r[x.part][x.n]
			if edge {
				v = m.edge(at, v)
			}
			if closed {
				m.touch(at, v)
			}
			r := unary(v)
			if !r.Known() || m.explaining {
				m.explain(at, row, r, v)
			}
			f.r[local][d] = r
			return nil
		})
		return into
	}
	switch row.ID {
	case prim.Real:
		n := c.int(op.Args[0])
		c.emit(func(f *regs) error {
			f.r[local][d] = m.Const(m.N.Int(f.i[n.part][n.n]))
			return nil
		})
	case prim.PowInt:
		x, n := c.real(op.Args[0]), c.int(op.Args[1])
		c.emit(func(f *regs) error {
			v := f.r[x.part][x.n]
			if f.i[n.part][n.n] < 0 {
				v = m.edge(at, v)
			}
			r := m.PowInt(v, f.i[n.part][n.n])
			if !r.Known() || m.explaining {
				m.explain(at, row, r, v)
			}
			f.r[local][d] = r
			return nil
		})
	case prim.ZeroLike:
		c.emit(func(f *regs) error {
			f.r[local][d] = m.Float(0)
			return nil
		})
	case prim.Abs:
		x := c.real(op.Args[0])
		c.emit(func(f *regs) error {
			f.r[local][d] = m.abs(at, f.r[x.part][x.n])
			return nil
		})
	case prim.Sign:
		x := c.real(op.Args[0])
		c.emit(func(f *regs) (err error) {
			v := f.r[x.part][x.n]
			f.r[local][d], err = m.sign(at, v, m.settled(x, v))
			return err
		})
	case prim.Max, prim.Min, prim.Hypot:
		x, y := c.real(op.Args[0]), c.real(op.Args[1])
		decide := map[prim.ID]func(diag.Span, jet.Jet, jet.Jet) jet.Jet{prim.Max: m.max, prim.Min: m.min, prim.Hypot: m.hypot}[row.ID]
		c.emit(func(f *regs) error {
			f.r[local][d] = decide(at, f.r[x.part][x.n], f.r[y.part][y.n])
			return nil
		})
	case prim.Logaddexp:
		x, y := c.real(op.Args[0]), c.real(op.Args[1])
		c.emit(func(f *regs) error {
			f.r[local][d] = m.LogSumExp([]jet.Jet{f.r[x.part][x.n], f.r[y.part][y.n]})
			return nil
		})
	default:
		c.emit(c.tableStep(s, op, d))
	}
	return into
}

// binaryStep is arithmetic on two reals; the one that is not always defined is division.
func (c *compiler) binaryStep(row *prim.Prim, at diag.Span, binary func(x, y jet.Jet) jet.Jet, d int, x, y operand) step {
	m := c.m
	if row.Singular == "" { // arithmetic that is always defined
		return func(f *regs) error {
			f.r[local][d] = binary(f.r[x.part][x.n], f.r[y.part][y.n])
			return nil
		}
	}
	return func(f *regs) error {
		v, w := f.r[x.part][x.n], m.edge(at, f.r[y.part][y.n])
		r := binary(v, w)
		if !r.Known() || m.explaining {
			m.explain(at, row, r, v, w)
		}
		f.r[local][d] = r
		return nil
	}
}

// tableStep is a row without a recurrence of its own: its value is the interval
// column of the table, its derivatives are the partial derivatives written
// there.
func (c *compiler) tableStep(s *core.Let, op *core.Prim, d int) step {
	m, row, at := c.m, op.Prim, s.At
	args := c.atoms(op.Args)
	rule := &jet.Rule{}
	var ints []int64 // the integer arguments, of rows that have some
	rule.Base = func(xs []jet.Jet) jet.Jet {
		sets := make([]jet.Set, len(xs))
		for k, x := range xs {
			sets[k] = x.Val()
		}
		switch f := row.Interval.(type) {
		case tier.Fun1:
			return m.Const(m.N.Apply1(f, sets[0]))
		case tier.Fun2:
			return m.Const(m.N.Apply2(f, sets[0], sets[1]))
		case tier.FunInt:
			return m.Const(m.N.ApplyInt(f, sets[0], ints[0]))
		case tier.FunFamily:
			return m.Const(m.N.ApplyFamily(f, ints, sets))
		}
		return m.Unknown()
	}
	partials := make([]*code, 0, len(op.Args))
	for k, a := range op.Args {
		if types.Resolve(a.Type()) == types.Real {
			fn, needsResult := c.rule(row, k)
			partials = append(partials, fn)
			rule.NeedsResult = rule.NeedsResult || needsResult
		}
	}
	rule.Partial = func(i int, xs []jet.Jet, r jet.Jet) (jet.Jet, error) {
		fn := partials[i]
		f, err := m.enter(fn, slots{})
		if err != nil {
			return r, err
		}
		given := f.own(fn.result, fn.args)
		copy(given.r, xs)
		given.r[len(xs)] = r
		copy(given.i, ints)
		// A rule decides nothing, and how often it is needed depends on the degree: its
		// sites must not be counted.
		outer := m.frame
		m.frame = &frame{watch: -1, text: aRule}
		var y [1]jet.Jet
		err = m.evaluate(fn, f, slots{r: y[:]})
		seen := m.frame
		m.frame = outer
		m.inherit(*seen)
		return y[0], err
	}
	inside := c.domain(row, at)
	lift := func(xs []jet.Jet) (jet.Jet, error) {
		if !inside(xs, ints) {
			return m.Unknown(), nil
		}
		return m.Lift(rule, xs)
	}
	if _, ok := row.Interval.(tier.Fun1); ok {
		m.lifts[row.ID] = func(x jet.Jet) (jet.Jet, error) { return lift([]jet.Jet{x}) }
	}
	_, family := row.Interval.(tier.FunFamily)
	return func(f *regs) error {
		if family { // one evaluation may take as long as a thousand calls
			place := at
			if m.frame.text != noText {
				place = diag.Span{}
			}
			if err := m.check(place); err != nil {
				return err
			}
		}
		xs := make([]jet.Jet, len(args.r))
		for k, o := range args.r {
			xs[k] = f.r[o.part][o.n]
		}
		// The rule may apply the row again, by this very step and at another order:
		// that of the application around this one comes back afterwards.
		outer := ints
		ints = make([]int64, len(args.i))
		for k, o := range args.i {
			ints[k] = f.i[o.part][o.n]
		}
		r, err := lift(xs)
		ints = outer
		if err != nil {
			return err
		}
		if !r.Known() || m.explaining {
			m.explain(at, row, r, xs...)
		}
		f.r[local][d] = r
		return nil
	}
}

// rule compiles a partial derivative of the table, once.
func (c *program) rule(row *prim.Prim, arg int) (fn *code, needsResult bool) {
	lambda := rules.Partial(row, arg)
	if lambda == nil {
		panic("exact: no derivative of " + row.Name)
	}
	result := lambda.Params[len(row.Params)]
	core.Atoms(lambda.Body, func(a core.Atom) { needsResult = needsResult || a == core.Atom(result) })
	return c.text(fmt.Sprint(row.Name, arg), lambda), needsResult
}

// text compiles a text of the table, once.
func (c *program) text(key string, lambda *core.Lambda) *code {
	fn := c.rules[key]
	if fn == nil {
		fn = newCode("a rule", diag.Span{}, lambda)
		c.rules[key] = fn // before its body, which may mention the row itself
		c.function(fn, lambda, nil)
	}
	return fn
}

// domain tells whether a row is certain to be defined on all of its arguments, and touches the
// edges of its domain.
func (c *program) domain(row *prim.Prim, at diag.Span) func(xs []jet.Jet, ints []int64) bool {
	m, lambda := c.m, rules.Domain(row)
	if lambda == nil {
		return func([]jet.Jet, []int64) bool { return true }
	}
	fn := c.text("domain of "+row.Name, lambda)
	return func(xs []jet.Jet, ints []int64) bool {
		if slices.ContainsFunc(xs, func(x jet.Jet) bool { return !x.Known() }) {
			return true // which says nothing
		}
		f, err := m.enter(fn, slots{})
		if err != nil {
			return false
		}
		given := f.own(fn.result, fn.args)
		copy(given.r, xs)
		copy(given.i, ints)
		outer := m.frame
		m.frame = &frame{watch: -1, text: aDomain}
		var holds [1]int64
		err = m.evaluate(fn, f, slots{i: holds[:]})
		edges := m.frame.edges
		m.frame = outer
		for _, e := range edges {
			m.touch(at, e)
		}
		return err == nil && holds[0] != 0
	}
}

// compareReals is a comparison, which is undefined at a tie; but a condition of a rule of the table
// holds or is known not to hold, which counts as false.
func (c *compiler) compareReals(s *core.Let, op *core.Prim, want *place) place {
	m, at := c.m, s.At
	x, y := c.real(op.Args[0]), c.real(op.Args[1])
	order := op.Prim.Order
	into := c.into(want, shape{i: 1})
	d := into.i[0].n
	c.emit(func(f *regs) error {
		v, w := f.r[x.part][x.n], f.r[y.part][y.n]
		if m.frame.text != noText {
			if order.Holds(1) {
				v, w = w, v
			}
			holds := m.Less(v.Val(), w.Val())
			if m.frame.text == aDomain && order.Holds(0) { // an edge
				distance := m.Sub(w, v)
				m.frame.edges = append(m.frame.edges, distance)
				holds = m.NonNegative(distance.Val())
			}
			f.i[local][d] = truth(holds)
			return nil
		}
		if m.settled(x, v) && m.settled(y, w) && m.same(v, w) {
			m.frame.sites++
			f.i[local][d] = truth(order.Holds(0))
			return nil
		}
		side := m.side(at, v, w, true)
		if side == 0 {
			return errUndecided
		}
		f.i[local][d] = truth(order.Holds(side))
		return nil
	})
	return into
}

func (c *compiler) rounding(s *core.Let, op *core.Prim, want *place) place {
	m, row, at := c.m, op.Prim, s.At
	x := c.real(op.Args[0])
	fun := row.Interval.(tier.Fun1)
	into := c.into(want, shape{i: 1})
	d := into.i[0].n
	c.emit(func(f *regs) error {
		v := f.r[x.part][x.n]
		n, err := m.toInt(at, row, fun, v, m.settled(x, v))
		f.i[local][d] = n
		return err
	})
	return into
}

// arrayRow is a row over an array of reals.
func (c *compiler) arrayRow(s *core.Let, op *core.Prim, want *place) place {
	m, row, at := c.m, op.Prim, s.At
	xs := c.ref(op.Args[0])
	into := c.into(want, shapeOf(s.Var.Ty))
	if row.ID == prim.Softmax {
		d := into.p[0].n
		c.emit(func(f *regs) error {
			xs := f.arrayAt(xs)
			f.p[local][d] = &array{xs.n, slots{r: m.Softmax(xs.r)}}
			return nil
		})
		return into
	}
	d := into.r[0].n
	c.emit(func(f *regs) error {
		xs := f.arrayAt(xs)
		switch row.ID {
		case prim.Norm:
			norm, kink := m.Norm(xs.r)
			f.r[local][d] = m.length(at, norm, kink, xs.r...)
		case prim.Logsumexp:
			f.r[local][d] = m.LogSumExp(xs.r)
			if xs.n == 0 {
				m.explain(at, row, f.r[local][d])
			}
		default:
			panic("exact: no evaluator of the row " + row.Name)
		}
		return nil
	})
	return into
}
