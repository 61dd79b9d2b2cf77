package grad

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// A cotangent or tangent of a scalar is an atom, or nil if it is zero whatever
// the program computes. Such a structural zero takes part in no operation.

// known is what is known of an operation, or nil.
func (d *derivatives) known(op *loop.Op) *Rule {
	switch op {
	case loop.EqF, loop.NeF, loop.LtF, loop.LeF:
		if r := d.rules(op); r != nil {
			return r
		}
		return &comparison
	case loop.SelF:
		return &selection
	case loop.Bits:
		return &none
	case loop.Toward:
		return &toward
	case loop.Deviation:
		return &deviation
	}
	return d.rules(op)
}

// rule is what is known of an operation; it gives up on one of which nothing is.
func (d *derivatives) rule(op *loop.Op) *Rule {
	if r := d.known(op); r != nil {
		return r
	}
	panic(notCovered("the derivative of " + op.Name + " is not known"))
}

// The bits of a double have no derivative; so bits and frombits make a constant of it.
var comparison, selection, none, toward, deviation Rule

func init() {
	x, y, r := loop.NewVar("x", loop.F64), loop.NewVar("y", loop.F64), loop.NewVar("r", loop.Bool)
	both := &loop.Block{Yield: []loop.Atom{x, y}}
	comparison.Kink = &loop.Func{Name: "kink", Params: []*loop.Var{x, y, r}, Body: both}
	comparison.Partials = []*loop.Func{nil, nil}
	none.Partials = []*loop.Func{nil}
	zeros := &loop.Block{Yield: []loop.Atom{loop.Real(0), loop.Real(0)}} // it is always at its kink
	toward.Kink = &loop.Func{Name: "kink", Params: []*loop.Var{x, y}, Body: zeros}
	toward.Partials = []*loop.Func{nil}
	deviation.Partials = []*loop.Func{nil, nil, nil}

	selection.Partials = []*loop.Func{nil, chosen(1, 0), chosen(0, 1)}
}

// chosen is the partial derivative of a selection that is one thing or another.
func chosen(then, otherwise float64) *loop.Func {
	c, x := loop.NewVar("c", loop.Bool), loop.NewVar("x", loop.F64)
	y, r := loop.NewVar("y", loop.F64), loop.NewVar("r", loop.F64)
	var b loop.Builder
	one := b.Let("d", loop.SelF, c, loop.Real(then), loop.Real(otherwise))
	return &loop.Func{Name: "partial", Params: []*loop.Var{c, x, y, r}, Body: b.Block(one)}
}

// Decided returns rules by which a comparison or a rounding is never tied: a derivative is that of
// the branch that is taken, and 0 of what a rounding gives. Kinks are tied as before.
func Decided(rules Rules) Rules {
	return func(op *loop.Op) *Rule {
		switch op {
		case loop.EqF, loop.NeF, loop.LtF, loop.LeF:
			return &decided
		}
		r := rules(op)
		if r != nil && r.jumps() {
			return &Rule{Partials: r.Partials}
		}
		return r
	}
}

var decided = Rule{Partials: []*loop.Func{nil, nil}}

// jumps tells whether a rule says that the result is constant but for jumps.
func (r *Rule) jumps() bool {
	for _, p := range r.Partials {
		if p != nil {
			return false
		}
	}
	return r.Kink != nil
}

// emit appends a statement; operations on literals are evaluated.
func emit(b *loop.Builder, c *loop.Copier, s loop.Stmt) {
	if let, ok := s.(*loop.Let); ok {
		args := make([]loop.Atom, len(let.Args))
		for i, a := range let.Args {
			args[i] = c.Atom(a)
		}
		c.Set(let.Var, b.Let(let.Var.Name, let.Op, args...))
		return
	}
	b.Add(c.Stmt(s))
}

// inline appends a rule and gives its results.
func inline(b *loop.Builder, f *loop.Func, args []loop.Atom) []loop.Atom {
	c := bindArgs(f, args)
	for _, s := range f.Body.Stmts {
		emit(b, c, s)
	}
	out := make([]loop.Atom, len(f.Body.Yield))
	for i, a := range f.Body.Yield {
		out[i] = c.Atom(a)
	}
	c.Release()
	return out
}

func bindArgs(f *loop.Func, args []loop.Atom) *loop.Copier {
	c := loop.NewCopier()
	for i, p := range f.Params {
		c.Set(p, args[i])
	}
	return c
}

// scaled is x times a partial derivative.
func scaled(b *loop.Builder, x loop.Atom, partial *loop.Func, args []loop.Atom) loop.Atom {
	c := bindArgs(partial, args)
	out := scaledBy(b, x, partial, partial.Body, c)
	c.Release()
	return out
}

// scaledBy is x times what a block yields: times each side of a choice that ends it,
// so that a side that is 0 by the rule gives 0 even if x is not finite.
func scaledBy(b *loop.Builder, x loop.Atom, rule *loop.Func, by *loop.Block, c *loop.Copier) loop.Atom {
	n := len(by.Stmts)
	if n > 0 {
		switch last := by.Stmts[n-1].(type) {
		case *loop.If:
			if len(last.Results) != 1 || by.Yield[0] != loop.Atom(last.Results[0]) {
				break
			}
			for _, s := range by.Stmts[:n-1] {
				emit(b, c, s)
			}
			cond := c.Atom(last.Cond)
			if k, ok := cond.(*loop.Const); ok {
				if k.I != 0 {
					return scaledBy(b, x, rule, last.Then, c)
				}
				return scaledBy(b, x, rule, last.Else, c)
			}
			var then, otherwise loop.Builder
			t, e := scaledBy(&then, x, rule, last.Then, c), scaledBy(&otherwise, x, rule, last.Else, c)
			return choose(b, cond, &then, &otherwise, t, e)
		case *loop.Let:
			if last.Op != loop.SelF || by.Yield[0] != loop.Atom(last.Var) {
				break
			}
			for _, s := range by.Stmts[:n-1] {
				emit(b, c, s)
			}
			t, e := times(b, x, rule, by.Stmts, last.Args[1], c), times(b, x, rule, by.Stmts, last.Args[2], c)
			return choose(b, c.Atom(last.Args[0]), &loop.Builder{}, &loop.Builder{}, t, e)
		}
	}
	for _, s := range by.Stmts {
		emit(b, c, s)
	}
	return times(b, x, rule, by.Stmts, by.Yield[0], c)
}

// choose is t, which then makes, or e, which otherwise makes. What rules compute cannot fail, so
// that a target may compute both.
func choose(b *loop.Builder, cond loop.Atom, then, otherwise *loop.Builder, t, e loop.Atom) loop.Atom {
	if t == nil && e == nil {
		return nil
	}
	t, e = orZero(t), orZero(e)
	if cost(then.Stmts)+cost(otherwise.Stmts) <= cheap {
		b.Add(then.Stmts...)
		b.Add(otherwise.Stmts...)
		if t == e {
			return t
		}
		return b.Let("d", loop.SelF, cond, t, e)
	}
	v := loop.NewVar("d", loop.F64)
	b.Add(&loop.If{Results: []*loop.Var{v}, Cond: cond, Then: then.Block(t), Else: otherwise.Block(e)})
	return v
}

// cheap is the cost up to which both sides of a choice are computed.
const cheap = 12

func cost(stmts []loop.Stmt) int {
	total := 0
	loop.Walk(&loop.Block{Stmts: stmts}, func(s loop.Stmt) {
		if let, ok := s.(*loop.Let); ok {
			total += let.Op.Cost
		} else {
			total += cheap
		}
	})
	return total
}

func orZero(a loop.Atom) loop.Atom {
	if a == nil {
		return loop.Real(0)
	}
	return a
}

// times is x times a slope that statements of a rule compute. A 0 in the rule is a structural
// zero; the 0 that a variable of the rule stands for, as in x * 0, is a slope like others. A
// quotient is applied in two steps, as prim.Prim.Partials says.
func times(
	b *loop.Builder, x loop.Atom, rule *loop.Func, stmts []loop.Stmt, by loop.Atom, c *loop.Copier,
) loop.Atom {
	if k, ok := by.(*loop.Const); ok && k.F == 0 {
		return nil
	}
	if over, of, negative := quotient(rule, stmts, by); over != nil {
		x = product(b, x, b.Let("over", loop.DivF, loop.Real(1), c.Atom(over)))
		if x = product(b, x, c.Atom(of)); negative {
			x = b.Let("d", loop.NegF, x)
		}
		return x
	}
	return product(b, x, c.Atom(by))
}

// quotient finds the quotient of / over that a slope is, maybe with its sign changed, if it is to
// be applied in two steps; else over is nil. It is rules.Quotient for the loop form.
func quotient(rule *loop.Func, stmts []loop.Stmt, by loop.Atom) (over, of loop.Atom, negative bool) {
	arguments := rule.Params[:len(rule.Params)-1]
	for n := len(stmts) - 1; n >= 0; n-- {
		let, ok := stmts[n].(*loop.Let)
		if !ok || loop.Atom(let.Var) != by {
			continue
		}
		switch let.Op {
		case loop.NegF:
			by, negative = let.Args[0], !negative
		case loop.DivF:
			if v, ok := let.Args[0].(*loop.Var); ok && !slices.Contains(arguments, v) {
				return let.Args[1], v, negative
			}
		}
	}
	return nil, nil, false
}

// product is x times a slope.
func product(b *loop.Builder, x, slope loop.Atom) loop.Atom {
	if k, ok := slope.(*loop.Const); ok {
		switch k.F {
		case 1:
			return x
		case -1:
			return b.Let("d", loop.NegF, x)
		}
	}
	if k, ok := x.(*loop.Const); ok && k.F == 1 {
		return slope
	}
	return b.Let("d", loop.MulF, x, slope)
}

// plus is a sum.
func plus(b *loop.Builder, x, y loop.Atom) loop.Atom {
	switch {
	case x == nil:
		return y
	case y == nil:
		return x
	}
	return b.Let("d", loop.AddF, x, y)
}

// either is a disjunction.
func either(b *loop.Builder, x, y loop.Atom) loop.Atom {
	if k, ok := x.(*loop.Const); ok {
		if k.I != 0 {
			return x
		}
		return y
	}
	if k, ok := y.(*loop.Const); ok && k.I == 0 {
		return x
	}
	return b.Let("tied", loop.Or, x, y)
}

// undecided tells whether two doubles are equal, or not comparable.
func undecided(b *loop.Builder, x, y loop.Atom) loop.Atom {
	apart := b.Let("apart", loop.Or, b.Let("less", loop.LtF, x, y), b.Let("more", loop.LtF, y, x))
	return b.Let("tie", loop.Not, apart)
}

// atKink tells whether an operation is at its kink.
func atKink(b *loop.Builder, r *Rule, args []loop.Atom) loop.Atom {
	sides := inline(b, r.Kink, args)
	return undecided(b, sides[0], sides[1])
}

// matters tells whether one of some cotangents or tangents is not zero.
func matters(b *loop.Builder, ds ...loop.Atom) loop.Atom {
	any := loop.Atom(loop.Truth(false))
	for _, d := range ds {
		if d != nil {
			any = either(b, any, b.Let("matters", loop.NeF, d, loop.Real(0)))
		}
	}
	return any
}

// Rules gives what is known of the derivative of an operation, nil if that is nothing.
// Selections need no rules, and comparisons are tied where there is none.
type Rules func(op *loop.Op) *Rule

// Rule is the derivative of an operation.
type Rule struct {
	// Partials has for each argument the partial derivative by it: a function of
	// the arguments and the result. It is nil where the derivative is zero wherever
	// there is one, and for an argument that is not a double.
	Partials []*loop.Func
	// Kink is a function of the arguments and the result that gives two doubles, which are equal
	// where the value or its derivative jumps; nil if that is nowhere.
	Kink *loop.Func
}
