package check

import (
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// array infers [a, b, c]. The empty array has an unknown size, so that it can stand beside arrays
// of any size; see Note [Sizes].
func (c *checker) array(e *syntax.Array) types.Type {
	if len(e.Elems) == 0 {
		return &types.Array{Size: types.AnySize, Elem: c.u.Fresh()}
	}
	size := types.ConstSize(int64(len(e.Elems)))
	size.Origin = sizeOrigin{e.At, false}
	j := joined{c: c, t: c.infer(e.Elems[0]), first: e.Elems[0]}
	for i, x := range e.Elems[1:] {
		j.add(x, why{kind: whyElement, n: i + 2, at: e.Elems[0].Span()})
	}
	return &types.Array{Size: size, Elem: j.t}
}

// comprehension infers [e for i < n, x in xs], in which the first clause is the outermost, or a
// flat comprehension.
func (c *checker) comprehension(e *syntax.Comp) types.Type {
	mark := c.names.mark()
	sizes := make([]*types.Size, len(e.Clauses))
	for i := range e.Clauses {
		sizes[i] = c.clause(&e.Clauses[i])
		if cond := e.Clauses[i].If; cond != nil {
			c.check(cond, types.Bool, why{kind: whyFilter})
		}
	}
	t := c.infer(e.Body)
	c.leave(mark)
	if e.Flat {
		return &types.Array{Size: types.AnySize, Elem: t}
	}
	for i := len(sizes) - 1; i >= 0; i-- {
		t = &types.Array{Size: sizes[i], Elem: t}
	}
	return t
}

// clause brings the variables of a clause into scope and returns the number of its steps.
func (c *checker) clause(clause *syntax.Clause) *types.Size {
	if clause.In {
		size, elem := c.arrayOf(clause)
		c.pattern(clause.Pat, elem, why{kind: whyElementPattern, at: clause.X.Span()})
		return size
	}
	c.check(clause.X, types.Int, why{kind: whyBound})
	c.pattern(clause.Pat, types.Int, why{kind: whyBound})
	if v, ok := clause.Pat.(*syntax.PVar); ok {
		// Repeating something n times without using the variable needs no warning.
		c.info.Defs[v.ID].(*Local).Used = true
	}
	return c.boundSize(clause.X)
}

// arrayOf infers the expression that a clause runs over, which must be an array.
func (c *checker) arrayOf(clause *syntax.Clause) (*types.Size, types.Type) {
	t := c.infer(clause.X)
	if a, ok := types.Resolve(t).(*types.Array); ok {
		return a.Size, a.Elem
	}
	size, elem := c.u.FreshSize(), c.u.Fresh()
	array := &types.Array{Size: size, Elem: elem}
	c.expect(clause.X, array, t, why{kind: whySource, at: clause.Pat.Span()})
	return size, elem
}

// boundSize returns the size of an array made by `i < n`. It is known if the bound n is a
// literal, a size variable, `length xs`, or a sum or product of these.
func (c *checker) boundSize(e syntax.Expr) *types.Size {
	size := types.AnySize
	switch e := e.(type) {
	case *syntax.Paren:
		return c.boundSize(e.X)
	case *syntax.Number:
		if n, ok := syntax.Integer(e.Text); ok {
			size = types.ConstSize(n)
		}
	case *syntax.Var:
		if use := c.info.Uses[e.ID]; use != nil {
			if local, ok := use.Object.(*Local); ok && local.Size != nil {
				return local.Size
			}
		}
	case *syntax.Apply:
		v, ok := e.Fun.(*syntax.Var)
		if !ok || v.Name != "length" || len(e.Args) != 1 || c.bindsValue(v.Name) {
			break
		}
		if a, ok := types.Resolve(c.info.Types[e.Args[0].Num()]).(*types.Array); ok {
			return a.Size
		}
	case *syntax.Binary:
		l, r := c.boundSize(e.L), c.boundSize(e.R)
		switch e.Op {
		case syntax.OpAdd:
			size = types.AddSizes(l, r)
		case syntax.OpSub:
			size = types.SubSizes(l, r)
		case syntax.OpMul:
			size = types.MulSizes(l, r)
		}
	}
	if size.Kind == types.SizeConst || size.Kind == types.SizeSum {
		size.Origin = sizeOrigin{e.Span(), false}
	}
	return size
}

// index infers m[i, j].
func (c *checker) index(e *syntax.Index) types.Type {
	t := c.infer(e.X)
	for i, x := range e.Indices {
		if lit, ok := x.(*syntax.Number); ok {
			if n, ok := syntax.Integer(lit.Text); ok {
				c.record(lit, types.Int)
				t = c.projectionType(&deferral{kind: waitIndex, node: e, whole: e, at: i,
					subject: t, index: n})
				continue
			}
		}
		c.check(x, types.Int, why{kind: whyIndex, node: e})
		t = c.elementType(e, i, t)
	}
	return t
}

// elementType returns the type of x[i] for an index i that is not a literal, so x must be an
// array.
func (c *checker) elementType(e *syntax.Index, i int, t types.Type) types.Type {
	switch t := types.Resolve(t).(type) {
	case *types.Array:
		return t.Elem
	case *types.Meta:
		if t.Poisoned {
			return t
		}
		elem := c.u.Fresh()
		c.expect(e.X, &types.Array{Size: c.u.FreshSize(), Elem: elem}, t, why{kind: whyIndexed})
		return elem
	}
	c.notIndexable(e, i, t, false)
	return c.bad()
}

// slice infers xs[a:b]. Literal ends determine the size.
func (c *checker) slice(e *syntax.Slice) types.Type {
	t := c.infer(e.X)
	for _, end := range []syntax.Expr{e.Lo, e.Hi} {
		if end != nil {
			c.check(end, types.Int, why{kind: whyIndex})
		}
	}
	var of *types.Array
	switch t := types.Resolve(t).(type) {
	case *types.Array:
		of = t
	case *types.Meta:
		if t.Poisoned {
			return t
		}
		of = &types.Array{Size: c.u.FreshSize(), Elem: c.u.Fresh()}
		c.expect(e.X, of, t, why{kind: whyIndexed})
	default:
		c.notSliceable(e, t)
		return c.bad()
	}
	elem := of.Elem
	if e.Rest != nil {
		mark := c.names.mark()
		c.pattern(e.Row, elem, why{kind: whyPattern})
		elem = c.infer(e.Rest)
		c.leave(mark)
	}
	return &types.Array{Size: c.sliceSize(e, of.Size), Elem: elem}
}

// sliceSize returns the size of a slice of an array whose size is of.
func (c *checker) sliceSize(e *syntax.Slice, of *types.Size) *types.Size {
	if e.Lo == nil && e.Hi == nil {
		return of
	}
	lo, hi := types.ConstSize(0), of
	if e.Lo != nil {
		lo = c.boundSize(e.Lo)
	}
	if e.Hi != nil {
		hi = c.boundSize(e.Hi)
	}
	size := types.SubSizes(hi, lo)
	if size.Kind == types.SizeConst || size.Kind == types.SizeSum {
		size.Origin = sizeOrigin{e.At, false}
	}
	return size
}

// loop infers `loop p = init HEAD do e`. The type of the body is that of the next state.
func (c *checker) loop(e *syntax.Loop) types.Type {
	initial := c.infer(e.Init)
	state := initial
	if types.HasArray(initial) {
		// The size of the state may change from step to step; see Note [Sizes].
		state = c.u.WithFreshSizes(initial)
		first := len(c.equations)
		c.expect(e.Init, state, initial, why{kind: whyLoopState, at: e.Init.Span()})
		defer c.holdEquations(first)()
	}
	mark := c.names.mark()
	if e.Clause != nil {
		c.clause(e.Clause)
	}
	c.pattern(e.State, state, why{kind: whyPattern, at: e.Init.Span()})
	if e.While != nil {
		c.check(e.While, types.Bool, why{kind: whyWhile})
	}
	c.check(e.Body, state, why{kind: whyLoopBody, at: e.Init.Span()})
	c.leave(mark)
	return state
}
