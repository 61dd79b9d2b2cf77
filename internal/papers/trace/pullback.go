package trace

import (
	"math/big"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/opt"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/rules"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Reverse derivatives of the programs of operations, as programs. Those of rows of numbers are
// straight-line code with choices.

// pullback differentiates fun, whose arguments and result are numbers and tuples of them. The
// result is a function of the same arguments and of a cotangent, and gives cotangents of the
// arguments, unit for one without reals.
func pullback(fun *core.Lambda) *core.Lambda {
	fun = core.NewCopier(nil).Lambda(fun)
	r := &transposer{of: map[*core.Var]*cotangent{}}
	w := core.NewVar("w", fun.Body.Result.Type())
	seed := r.given(w)
	r.run(fun.Body, seed)
	parts := make([]core.Atom, len(fun.Params))
	for i, p := range fun.Params {
		parts[i] = r.value(r.of[p], p.Ty)
	}
	body := r.Block(together(&r.Builder, parts))
	const name = "pullback"
	both := &core.Lambda{Params: append(fun.Params, w), Body: body}
	program := &core.Program{Defs: []*core.Def{core.FunDef(name, nil, both, diag.Span{})}}
	return opt.Simplify(program, opt.Options{Roots: []string{name}}).Defs[0].Function()
}

// cotangent is one of a number, or of a tuple, whose parts are nil where there is none.
type cotangent struct {
	leaf  core.Atom
	parts []*cotangent
}

// transposer builds the reverse derivative of a block.
type transposer struct {
	core.Builder
	of map[*core.Var]*cotangent
}

// given is a cotangent that is an argument, taken apart.
func (r *transposer) given(w core.Atom) *cotangent {
	t, ok := types.Resolve(w.Type()).(*types.Tuple)
	if !ok {
		return &cotangent{leaf: w}
	}
	c := &cotangent{parts: make([]*cotangent, len(t.Elems))}
	for i, part := range t.Elems {
		if types.HasReals(part) {
			c.parts[i] = r.given(r.Emit("w", &core.Proj{Of: w, Index: i}, diag.Span{}))
		}
	}
	return c
}

// value is a cotangent of a type as an atom.
func (r *transposer) value(c *cotangent, t types.Type) core.Atom {
	tuple, ok := types.Resolve(t).(*types.Tuple)
	switch {
	case !types.HasReals(t):
		return core.UnitLit()
	case !ok && c == nil:
		return core.RealLit(new(big.Rat))
	case !ok:
		return c.leaf
	}
	parts := make([]core.Atom, len(tuple.Elems))
	for i, part := range tuple.Elems {
		var of *cotangent
		if c != nil {
			of = c.parts[i]
		}
		parts[i] = r.value(of, part)
	}
	return r.Emit("t", &core.Tuple{Elems: parts}, diag.Span{})
}

// contribute adds a cotangent to that of an atom.
func (r *transposer) contribute(a core.Atom, c *cotangent) {
	if v, ok := a.(*core.Var); ok && types.HasReals(v.Ty) {
		r.of[v] = r.sum(r.of[v], c)
	}
}

func (r *transposer) sum(x, y *cotangent) *cotangent {
	switch {
	case x == nil:
		return y
	case y == nil:
		return x
	case x.leaf != nil:
		return &cotangent{leaf: r.row(prim.Add, x.leaf, y.leaf)}
	}
	both := &cotangent{parts: make([]*cotangent, len(x.parts))}
	for i := range x.parts {
		both.parts[i] = r.sum(x.parts[i], y.parts[i])
	}
	return both
}

func (r *transposer) row(row prim.ID, args ...core.Atom) core.Atom {
	op := &core.Prim{Prim: row.Row(), Inst: []types.Type{types.Real}, Args: args}
	return r.Let("t", types.Real, op, diag.Span{})
}

// run appends a block, and its derivative for a cotangent of its result.
func (r *transposer) run(b *core.Block, w *cotangent) {
	r.Add(b.Stmts...)
	r.contribute(b.Result, w)
	for k := len(b.Stmts) - 1; k >= 0; k-- {
		let := b.Stmts[k].(*core.Let)
		c := r.of[let.Var]
		if c == nil {
			continue
		}
		switch op := let.Op.(type) {
		case *core.Prim:
			args := append(op.Args[:len(op.Args):len(op.Args)], let.Var)
			for i, x := range op.Args {
				rule := rules.Partial(op.Prim, i)
				if v, ok := x.(*core.Var); ok && rule != nil && types.HasReals(v.Ty) {
					r.contribute(x, r.scaled(c.leaf, rule, args))
				}
			}
		case *core.Tuple:
			for i, x := range op.Elems {
				r.contribute(x, c.parts[i])
			}
		case *core.Proj:
			parts := make([]*cotangent, len(types.Parts(op.Of.Type())))
			parts[op.Index] = c
			r.contribute(op.Of, &cotangent{parts: parts})
		case *core.If:
			r.choice(op, c)
		default:
			panic("trace: a rule of the table of primitives is not made of numbers")
		}
	}
}

// choice is the derivative of an If: an If, in which the side that runs is computed again.
func (r *transposer) choice(op *core.If, c *cotangent) {
	var free []*core.Var
	for _, v := range core.OpFreeVars(op) {
		if types.Resolve(v.Ty) == types.Type(types.Real) {
			free = append(free, v)
		}
	}
	if len(free) == 0 {
		return
	}
	side := func(b *core.Block) *core.Block {
		s := &transposer{of: map[*core.Var]*cotangent{}}
		s.run(core.NewCopier(nil).Block(b), c)
		parts := make([]core.Atom, len(free))
		for i, v := range free {
			parts[i] = s.value(s.of[v], v.Ty)
		}
		return s.Block(together(&s.Builder, parts))
	}
	sides := &core.If{Cond: op.Cond, Then: side(op.Then), Else: side(op.Else)}
	both := r.Emit("t", sides, diag.Span{})
	for i, v := range free {
		part := core.Atom(both)
		if len(free) > 1 {
			part = r.Emit("t", &core.Proj{Of: both, Index: i}, diag.Span{})
		}
		r.contribute(v, &cotangent{leaf: part})
	}
}

// scaled multiplies a cotangent by a partial derivative at arguments; nil if that is 0.
func (r *transposer) scaled(w core.Atom, rule *core.Lambda, args []core.Atom) *cotangent {
	c := placeless()
	for i, p := range rule.Params {
		c.Subst[p] = args[i]
	}
	if l, ok := rule.Body.Result.(*core.Lit); ok && l.Real.Sign() == 0 {
		return nil
	}
	return &cotangent{leaf: r.scaledBy(w, rule, rule.Body, c)}
}

// scaledBy multiplies by a block that ends the rule: by each side of the choices that end it, so
// that a side that is 0 is not multiplied.
func (r *transposer) scaledBy(
	w core.Atom, rule *core.Lambda, by *core.Block, c *core.Copier,
) core.Atom {
	emit := func(stmts []core.Stmt) {
		for _, s := range stmts {
			let := s.(*core.Let)
			op := c.Op(let.Op)
			r.Bind(c.Bind(let.Var), op, diag.Span{})
		}
	}
	if n := len(by.Stmts); n > 0 {
		last := by.Stmts[n-1].(*core.Let)
		if choice, ok := last.Op.(*core.If); ok && by.Result == core.Atom(last.Var) {
			emit(by.Stmts[:n-1])
			side := func(s *core.Block) *core.Block {
				inner := &transposer{}
				return inner.Block(inner.scaledBy(w, rule, s, c))
			}
			cond := c.Atom(choice.Cond)
			op := &core.If{Cond: cond, Then: side(choice.Then), Else: side(choice.Else)}
			return r.Let("t", types.Real, op, diag.Span{})
		}
	}
	if rest, over, by, negative, ok := rules.Quotient(rule, by); ok {
		emit(rest)
		x := r.row(prim.Mul, r.row(prim.Quo, w, c.Atom(over)), c.Atom(by))
		if negative {
			x = r.row(prim.Neg, x)
		}
		return x
	}
	emit(by.Stmts)
	slope := c.Atom(by.Result)
	if l, ok := slope.(*core.Lit); ok {
		switch {
		case l.Real.Sign() == 0:
			return slope
		case l.Real.Cmp(big.NewRat(1, 1)) == 0:
			return w
		}
	}
	return r.row(prim.Mul, w, slope)
}

// placeless copies statements without their places, so that explanations do not show how an
// operation is evaluated.
func placeless() *core.Copier {
	c := core.NewCopier(map[*core.Var]core.Atom{})
	c.At = func(diag.Span) diag.Span { return diag.Span{} }
	return c
}

// together is one value of several: a tuple, or the only one.
func together(b *core.Builder, parts []core.Atom) core.Atom {
	if len(parts) == 1 {
		return parts[0]
	}
	return b.Emit("t", &core.Tuple{Elems: parts}, diag.Span{})
}

// arrayProgram is op_r of a row of one array: its rule in the table.
func arrayProgram(row *prim.Prim) *core.Lambda {
	fun := rowProgram(row)
	var b core.Builder
	r := b.Splice(fun.Body)
	w := core.NewVar("w", r.Type())
	rule, c := rules.RowPullback(row, 0), placeless()
	for i, a := range []core.Atom{fun.Params[0], r, w} {
		c.Subst[rule.Params[i]] = a
	}
	return &core.Lambda{Params: append(fun.Params, w), Body: b.Block(b.Splice(c.Block(rule.Body)))}
}

// reversed is W.rd_V of a program of several arguments that are all differentiated.
func reversed(fun *core.Lambda) *core.Lambda {
	params, atoms := make([]*core.Var, len(fun.Params)), make([]core.Atom, len(fun.Params))
	for i, p := range fun.Params {
		params[i] = core.NewVar(p.Name, p.Ty)
		atoms[i] = params[i]
	}
	var b, inner core.Builder
	point := together(&b, atoms)
	x := core.NewVar("x", point.Type())
	subst := map[*core.Var]core.Atom{}
	for i, p := range fun.Params {
		subst[p] = inner.Emit("x", &core.Proj{Of: x, Index: i}, diag.Span{})
	}
	result := inner.Splice(core.NewCopier(subst).Block(fun.Body))
	f := b.Emit("f", &core.Lambda{Params: []*core.Var{x}, Body: inner.Block(result)}, diag.Span{})
	w := core.NewVar("w", result.Type())
	op := &core.Prim{Prim: prim.Reverse.Row(), Inst: []types.Type{x.Ty, w.Ty},
		Args: []core.Atom{f, point, w}}
	both := b.Emit("both", op, diag.Span{})
	cotangents := b.Emit("d", &core.Proj{Of: both, Index: 1}, diag.Span{})
	return &core.Lambda{Params: append(params, w), Body: b.Block(cotangents)}
}
