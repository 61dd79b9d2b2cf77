package check

import (
	"fmt"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Sizes]
//
// Types unify ignoring sizes. Where two array types meet, the pair of their sizes becomes an
// equation. The equations of a binding are solved together when it is generalised: first those
// between unknowns, then those that say "any size" ([]), then constants, then size variables.
// This order makes the outcome independent of the order of inference:
//
//   - `[]` absorbs: an unknown that meets it may have any size, so nothing that meets it later is
//     wrong.
//   - Two sizes that cannot be equal, such as different constants, or n and n + 1, are an error.
//   - Whatever else may fail (for example a size variable of an annotation against a constant)
//     cannot be decided here; the elaborated program checks it at run time.
//
// Unification shares sizes: a Meta that is bound to an array type has the very size object of
// that type. So where a value of one size is joined with others (branches, array elements, the
// state of a loop, operands), the result gets a size of its own with an equation to each of them;
// see joined.
//
// The sizes in a recursive call are independent of the sizes of the function's own parameters.
// The function's type is taken with fresh sizes, and arrays in a result that no annotation
// declares have any size.
//
// Sums and products (types, Note [Size arithmetic]) come last. Each equation that mentions one is
// solved for an unknown, as long as it determines one. A state that grows gives an equation in
// which an unknown depends on itself:
//
//	loop xs = [0] for i < 9 do concat xs [i]      -- n = n + 1
//
// Such an unknown has no single size, so it is `[]`. This must be noticed before the unknown gets
// the size of the initial state, so the equations of the initial state wait for those of the body
// (loop).
//
// Sizes find errors early. What they leave open is checked at run time. Only `zero`, at an array
// type, requires that a size is known.

// sizeOrigin says where a size comes from: an annotation or an array.
type sizeOrigin struct {
	at        diag.Span
	annotated bool
}

// equation says that two sizes must be equal, and why.
type equation struct {
	a, b *types.Size
	why  why
	at   syntax.Node
}

// meet records the equation between two sizes that unification found.
func (c *checker) meet(a, b *types.Size) {
	if a, b = a.Find(), b.Find(); a != b {
		c.equations = append(c.equations, equation{a, b, c.reason, c.reasonAt})
	}
}

// holdEquations removes the equations from index first on, except those with `[]`, until release
// puts them back.
func (c *checker) holdEquations(first int) (release func()) {
	isAny := func(s *types.Size) bool { return s.Find().Kind == types.SizeUnknown }
	var held []equation
	rest := slices.DeleteFunc(c.equations[first:], func(eq equation) bool {
		hold := !isAny(eq.a) && !isAny(eq.b)
		if hold {
			held = append(held, eq)
		}
		return hold
	})
	c.equations = c.equations[:first+len(rest)]
	return func() {
		c.equations = slices.Insert(c.equations, min(first, len(c.equations)), held...)
	}
}

// hasSum reports whether the equation mentions a sum.
func (eq *equation) hasSum() bool {
	return eq.a.Find().Kind == types.SizeSum || eq.b.Find().Kind == types.SizeSum
}

// solveSizes solves the equations collected so far.
func (c *checker) solveSizes() {
	if len(c.equations) == 0 {
		return
	}
	eqs := c.equations
	c.equations = c.equations[:0]
	each := func(do func(meta, other *types.Size)) {
		for i := range eqs {
			a, b := eqs[i].a.Find(), eqs[i].b.Find()
			if a.Kind != types.SizeMeta {
				a, b = b, a
			}
			if a.Kind == types.SizeMeta && a != b {
				do(a, b)
			}
		}
	}
	each(func(meta, other *types.Size) {
		if other.Kind == types.SizeMeta {
			other.Level = min(other.Level, meta.Level)
			meta.Link = other
		}
	})
	each(func(meta, other *types.Size) {
		if other.Kind == types.SizeUnknown {
			meta.Link = other
		}
	})
	sums := slices.DeleteFunc(slices.Clone(eqs), func(eq equation) bool { return !eq.hasSum() })
	absorbSums(sums)
	each(func(meta, other *types.Size) {
		if other.Kind == types.SizeConst {
			meta.Link = other
		}
	})
	each(func(meta, other *types.Size) {
		if other.Kind == types.SizeParam {
			meta.Link = other
		}
	})
	solveSums(sums)
	for i := range eqs {
		a, b := eqs[i].a.Find(), eqs[i].b.Find()
		if a != b && types.Apart(a, b) {
			c.sizeMismatch(&eqs[i], a, b)
		}
	}
}

// absorbSums makes `[]` of the unknowns that depend on themselves, and of those that meet `[]` in
// a sum.
func absorbSums(sums []equation) {
	if len(sums) == 0 {
		return
	}
	g := newSizeGraph(sums)
	for _, meta := range g.metas {
		g.visit(meta)
	}
	for changed := true; changed; {
		changed = false
		for i := range sums {
			a, b := sums[i].a.Find(), sums[i].b.Find()
			if a.Kind != types.SizeUnknown {
				a, b = b, a
			}
			if meta := onlyUnknown(b); a.Kind == types.SizeUnknown && meta != nil {
				meta.Link, changed = types.AnySize, true
			}
		}
	}
}

// onlyUnknown returns the only variable of a size if it is an unknown, or nil.
func onlyUnknown(size *types.Size) (only *types.Size) {
	several := false
	size.Variables(func(v *types.Size) {
		several = several || only != nil && only != v || v.Kind != types.SizeMeta
		only = v
	})
	if several {
		return nil
	}
	return only
}

// solveSums solves the equations with sums for unknowns, until no equation determines one.
func solveSums(sums []equation) {
	for changed := true; changed; {
		changed = false
		for i := range sums {
			if meta, value := types.SolveSizes(sums[i].a, sums[i].b); meta != nil {
				value.Lower(meta.Level)
				meta.Link, changed = value, true
			}
		}
	}
}

// sizeGraph has an edge from an unknown to each unknown of a sum that it equals. visit finds its
// strongly connected components (Tarjan 1972).
type sizeGraph struct {
	edges map[*types.Size][]*types.Size
	metas []*types.Size // in the order of the equations
	index map[*types.Size]int
	low   map[*types.Size]int
	stack []*types.Size
}

func newSizeGraph(sums []equation) *sizeGraph {
	g := &sizeGraph{
		edges: map[*types.Size][]*types.Size{},
		index: map[*types.Size]int{}, low: map[*types.Size]int{},
	}
	for i := range sums {
		meta, sum := sums[i].a.Find(), sums[i].b.Find()
		if meta.Kind != types.SizeMeta {
			meta, sum = sum, meta
		}
		if meta.Kind != types.SizeMeta || sum.Kind != types.SizeSum {
			continue
		}
		g.metas = append(g.metas, meta)
		sum.Variables(func(v *types.Size) {
			if v.Kind == types.SizeMeta {
				g.edges[meta] = append(g.edges[meta], v)
			}
		})
	}
	return g
}

// visit makes `[]` of the unknowns on cycles that can be reached from v.
func (g *sizeGraph) visit(v *types.Size) {
	if g.index[v] != 0 {
		return
	}
	g.index[v] = len(g.index) + 1
	g.low[v] = g.index[v]
	g.stack = append(g.stack, v)
	itself := false
	for _, w := range g.edges[v] {
		itself = itself || w == v
		g.visit(w)
		if low, onStack := g.low[w]; onStack {
			g.low[v] = min(g.low[v], low)
		}
	}
	if g.low[v] != g.index[v] {
		return
	}
	at := slices.Index(g.stack, v)
	component := g.stack[at:]
	g.stack = g.stack[:at]
	for _, w := range component {
		delete(g.low, w)
		if len(component) > 1 || itself {
			w.Link = types.AnySize
		}
	}
}

// sizeMismatch reports two sizes that should be equal but cannot be.
func (c *checker) sizeMismatch(eq *equation, want, got *types.Size) {
	at := eq.at.Span()
	if says := eq.sumMismatch(want, got); says != "" {
		d := diag.Errorf(diag.SizeMismatch, at, "%s", says)
		if eq.why.kind == whyArgument {
			c.showType(d, eq.why.node.(*syntax.Apply).Fun)
		}
		c.report(d)
		return
	}
	stated, _ := want.Origin.(sizeOrigin)
	if origin, ok := got.Origin.(sizeOrigin); ok && origin.annotated && !stated.annotated {
		want, got = got, want
		stated = origin
	}
	d := diag.Errorf(diag.SizeMismatch, at, "%s: one has %s, the other %s", eq.why.sizes(),
		elements(want), elements(got))
	if stated.annotated {
		d.Message = fmt.Sprintf("%s should have %s, but this has %s", eq.why.subject(),
			elements(want), elements(got))
	}
	for _, s := range []*types.Size{want, got} {
		if origin, ok := s.Origin.(sizeOrigin); ok && origin.at != at {
			says := "this has " + elements(s)
			if origin.annotated {
				says = "the annotation says " + s.String()
			}
			d.WithRelated(origin.at, "%s", says)
		}
	}
	switch eq.why.kind {
	case whyElse, whyArm, whyElement, whyLoopBody:
		d.WithHint("if the sizes may differ, annotate one of them: `(e : []T)` is an array of " +
			"any size")
	case whyArgument:
		c.showType(d, eq.why.node.(*syntax.Apply).Fun)
	}
	c.report(d)
}

// sumMismatch returns what is wrong where a sum is expected whose variables are determined by
// other sizes, or by none. It returns "" elsewhere.
func (eq *equation) sumMismatch(want, got *types.Size) string {
	for _, pair := range [...][2]*types.Size{{want, got}, {got, want}} {
		if sum := pair[0]; sum.Kind == types.SizeSum && sum.String() == "" { // 2 * n, for any n
			return fmt.Sprintf("%s has %s, which the size %s cannot be", eq.why.subject(),
				elements(pair[1]), sum.Sum())
		}
	}
	if eq.a.Kind == types.SizeSum && want.Kind == types.SizeConst {
		return fmt.Sprintf("%s has %s where the size %s is %d", eq.why.subject(), elements(got),
			eq.a.Sum(), want.N)
	}
	return ""
}

func elements(s *types.Size) string {
	switch {
	case s.Kind == types.SizeConst && s.N == 1:
		return "1 element"
	case s.Kind == types.SizeSum:
		return s.Sum() + " elements"
	}
	return s.String() + " elements"
}

// joined is the common type of several expressions of which any may be the value: branches, arms,
// elements.
type joined struct {
	c     *checker
	t     types.Type
	first syntax.Expr
	fresh bool // whether no other type shares the sizes of t
}

// add makes another expression agree with the others.
func (j *joined) add(e syntax.Expr, w why) {
	t := j.c.infer(e)
	if !j.fresh && types.HasArray(j.t) {
		j.fresh = true
		own := j.c.u.WithFreshSizes(j.t)
		j.c.expect(j.first, own, j.t, w)
		j.t = own
	}
	j.c.expect(e, j.t, t, w)
}
