package check

import (
	"fmt"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Sizes]
//
// Types unify ignoring sizes. Where two array types meet, the pair of their
// sizes becomes an equation, and the equations of a binding are solved together
// when it is generalised: first those between unknowns, then those that say
// "any size" ([]), then constants, then size variables. The order makes the
// outcome independent of the order of inference:
//
//   - `[]` absorbs: an unknown that meets it may have any size, so nothing
//     that meets it later is wrong.
//   - Two constants that differ are an error.
//   - A size variable of an annotation against anything else cannot be decided
//     here; the elaborated program checks it when it runs.
//
// Unifying shares: a Meta that is bound to an array type has the very size of
// that type. Where a value of one size is joined with others (branches, array
// elements, the state of a loop, operands), the result therefore gets a size
// of its own with an equation to each of them; see joined.
//
// A recursive call has nothing to do with the sizes of the function's own
// parameters: its type is taken with fresh ones.
//
// Sizes find errors early; what they leave open is checked when the program
// runs. Only `zero` needs one, at an array type, to be known.

// sizeOrigin is where a size comes from: an annotation or an array.
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

// meet is told by unification that two sizes must be equal.
func (c *checker) meet(a, b *types.Size) {
	if a, b = a.Find(), b.Find(); a != b {
		c.equations = append(c.equations, equation{a, b, c.reason, c.reasonAt})
	}
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
	for i := range eqs {
		a, b := eqs[i].a.Find(), eqs[i].b.Find()
		switch {
		case a.Kind == types.SizeConst && b.Kind == types.SizeConst:
			if a.N != b.N {
				c.sizeMismatch(&eqs[i], a, b)
			}
		case a.Kind == types.SizeConst && b.Kind == types.SizeMeta:
			b.Link = a
		case a.Kind == types.SizeMeta && b.Kind == types.SizeConst:
			a.Link = b
		}
	}
	each(func(meta, other *types.Size) {
		if other.Kind == types.SizeParam {
			meta.Link = other
		}
	})
}

// sizeMismatch reports two constants that should be equal.
func (c *checker) sizeMismatch(eq *equation, want, got *types.Size) {
	at := eq.at.Span()
	stated, _ := want.Origin.(sizeOrigin)
	if origin, ok := got.Origin.(sizeOrigin); ok && origin.annotated && !stated.annotated {
		want, got = got, want
		stated = origin
	}
	d := diag.Errorf(diag.SizeMismatch, at, "%s: one has %s, the other %s", eq.why.sizes(), elements(want.N), elements(got.N))
	if stated.annotated {
		d.Message = fmt.Sprintf("%s should have %s, but this has %s", eq.why.subject(), elements(want.N), elements(got.N))
	}
	for _, s := range []*types.Size{want, got} {
		if origin, ok := s.Origin.(sizeOrigin); ok && origin.at != at {
			says := "this has " + elements(s.N)
			if origin.annotated {
				says = fmt.Sprintf("the annotation says %d", s.N)
			}
			d.WithRelated(origin.at, "%s", says)
		}
	}
	switch eq.why.kind {
	case whyElse, whyArm, whyElement, whyLoopBody:
		d.WithHint("if the sizes may differ, annotate one of them: `(e : []T)` is an array of any size")
	case whyArgument:
		c.showType(d, eq.why.node.(*syntax.Apply).Fun)
	}
	c.report(d)
}

func elements(n int64) string {
	if n == 1 {
		return "1 element"
	}
	return fmt.Sprintf("%d elements", n)
}

// joined is the common type of several expressions of which any may be the
// value: branches, arms, elements.
type joined struct {
	c     *checker
	t     types.Type
	first syntax.Expr
	fresh bool // whether the sizes of t belong to it alone
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
