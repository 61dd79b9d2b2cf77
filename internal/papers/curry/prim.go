package curry

import (
	"fmt"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/rules"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Primitives "come with rep-function implementations" (Curry §3.1): here the
// value is the table's, and the pullback what the table's partial derivatives
// make of it, as in Fig. 2's
//
//	mult (x1, x2) = (x1 * x2, λg. (x2 * g, x1 * g))
//
// The partial derivatives are programs, and become combinators themselves.

// derivative is what the table says about the derivative of a row: partials
// (of the arguments and the result), one for each argument, nil where there is
// none; or the pullback of a row over arrays (of those and of the tangent).
type derivative struct {
	partials []Term
	pullback Term
}

func (m *machine) derivative(row *prim.Prim) *derivative {
	d := m.derived[row]
	if d == nil {
		d = &derivative{partials: make([]Term, row.Arity())}
		for i := range d.partials {
			if rule := rules.Partial(row, i); rule != nil {
				d.partials[i] = translateFun(rule).Body
			}
		}
		if rule := rules.RowPullback(row, 0); rule != nil {
			d.pullback = translateFun(rule).Body
		}
		m.derived[row] = d
	}
	return d
}

func (p *Prim) run(m *machine, x Value) (Value, Pullback) {
	args := x.(Product)
	switch {
	case p.Row.Kind == prim.Derivation:
		return p.derive(m, args)
	case p.Row.ID == prim.WithPullback:
		return p.ruled(m, args)
	}
	if m.inside > 0 {
		if y, pullback, done := p.onNodes(m, args); done {
			return y, pullback
		}
	}
	if p.Row.Float == nil && p.Row.Int == nil || p.isAbout(types.String) || p.isAbout(types.Bool) {
		return p.structural(m, args)
	}
	if p.isInt() {
		m.count(1)
		return p.onInts(args), discard
	}
	switch f := p.Row.Float.(type) {
	case prim.Fold:
		m.count(int64(len(args[0].(Product))))
		r := f(floats(args[0]))
		return r, p.arrayPullback(m, args, r)
	case prim.MapArray:
		m.count(int64(len(args[0].(Product))))
		xs := floats(args[0])
		f(xs, xs)
		r := productOf(len(xs), func(i int) Value { return xs[i] })
		return r, p.arrayPullback(m, args, r)
	}
	m.count(1)
	r := p.onReals(args)
	if _, smooth := r.(float64); !smooth {
		return r, discard
	}
	return r, p.realPullback(m, args, r)
}

// realPullback returns λg. (∂1 * g, ∂2 * g, …).
func (p *Prim) realPullback(m *machine, args Product, r Value) Pullback {
	return func(g Tangent) Tangent {
		if isZero(g) {
			return g
		}
		gs := zeros(len(args))
		at := concat(args, Product{r})
		for i, partial := range m.derivative(p.Row).partials {
			if partial != nil {
				gs[i] = m.scale(partial, at, g)
			}
		}
		return tangents(gs)
	}
}

// scale returns ∂ * g. A partial derivative that is written 1 or 0, as those of (+) are, needs no
// multiplication: λg. (g, g).
func (m *machine) scale(partial Term, at Product, g Tangent) Tangent {
	if c, ok := partial.(*Const); ok {
		switch c.Value {
		case 1.0:
			return g
		case 0.0:
			return Zero{}
		}
	}
	d, _ := partial.run(m, at)
	return m.arithmetic(prim.Mul, d, g)
}

func (p *Prim) arrayPullback(m *machine, args Product, r Value) Pullback {
	return func(g Tangent) Tangent {
		if isZero(g) {
			return g
		}
		gx, _ := m.derivative(p.Row).pullback.run(m, Product{args[0], r, m.spread(g, r)})
		gs := zeros(len(gx.(Product)))
		for i, d := range gx.(Product) {
			gs[i] = d
		}
		return tangents(Tangents{tangents(gs)})
	}
}

func floats(xs Value) []float64 {
	out := make([]float64, len(xs.(Product)))
	for i, x := range xs.(Product) {
		out[i] = x.(float64)
	}
	return out
}

// isAbout reports whether an overloaded row is used at a basic type.
func (p *Prim) isAbout(t *types.Basic) bool {
	return len(p.Inst) > 0 && types.Resolve(p.Inst[0]) == types.Type(t)
}

// isInt reports whether an overloaded row is used at Int.
func (p *Prim) isInt() bool { return p.isAbout(types.Int) && p.Row.Int != nil }

// onInts evaluates an overloaded row at Int.
func (p *Prim) onInts(args Product) Value {
	a := args[0].(int64)
	switch f := p.Row.Int.(type) {
	case prim.Int1:
		r, code := f(a)
		p.check(code, args)
		return r
	case prim.Int2:
		r, code := f(a, args[1].(int64))
		p.check(code, args)
		return r
	case prim.IntCompare:
		return f(a, args[1].(int64))
	}
	panic(fmt.Sprintf("curry: %s at Int", p.Row.Name))
}

// onReals evaluates a row by its Float column.
func (p *Prim) onReals(args Product) Value {
	x := func(i int) float64 { return args[i].(float64) }
	n := func(i int) int64 { return args[i].(int64) }
	switch f := p.Row.Float.(type) {
	case prim.Constant:
		return f
	case prim.Real1:
		return f(x(0))
	case prim.Real2:
		return f(x(0), x(1))
	case prim.Family:
		var ints []int64
		var xs []float64
		for i, a := range args {
			if _, ok := a.(int64); ok {
				ints = append(ints, n(i))
			} else {
				xs = append(xs, x(i))
			}
		}
		return f(ints, xs)
	case prim.IntReal:
		return f(n(0), x(1))
	case prim.RealInt:
		return f(x(0), n(1))
	case prim.FromInt:
		return f(n(0))
	case prim.Compare:
		return f(x(0), x(1))
	case prim.IntCompare:
		return f(n(0), n(1))
	case prim.Bool1:
		return f(args[0].(bool))
	case prim.ToInt:
		r, code := f(x(0))
		p.check(code, args)
		return r
	case prim.Int1:
		r, code := f(n(0))
		p.check(code, args)
		return r
	case prim.Int2:
		r, code := f(n(0), n(1))
		p.check(code, args)
		return r
	}
	panic(fmt.Sprintf("curry: %s has an evaluator of an unknown type", p.Row.Name))
}

func (p *Prim) check(code diag.Code, args Product) {
	if code == "" {
		return
	}
	what := "it has no value"
	switch code {
	case diag.DivisionByZero:
		what = "division by zero"
	case diag.IntOverflow:
		what = "the result is beyond the 64 bits of an Int"
	case diag.NegativeExponent:
		what = "an Int has no negative power"
	case diag.NoInt:
		what = "no Int holds the result"
	}
	fail(diag.Errorf(code, p.At, "%s: (%s) %s", what, p.Row.Name, showArgs(args)))
}

func compareValues(a, b Value) int {
	switch a := a.(type) {
	case string:
		return strings.Compare(a, b.(string))
	case bool:
		switch {
		case a == b.(bool):
			return 0
		case a:
			return 1
		}
		return -1
	case int64:
		switch {
		case a == b.(int64):
			return 0
		case a > b.(int64):
			return 1
		}
		return -1
	case float64:
		switch x := b.(float64); {
		case a < x || a == a && x != x: // NaN comes last
			return -1
		case a > x || a != a && x == x:
			return 1
		}
		return 0
	}
	panic(fmt.Sprintf("curry: %T has no order", a))
}
