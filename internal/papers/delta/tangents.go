package delta

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// The three plain translations differ in what a real is paired with.

// newForward returns 𝒟→: a real, the tangent itself. Delta Fig. 3.
//
//	𝒟{r} = (r, 0)
//	𝒟{×} = λ((x, dx), (y, dy)). (x × y, y × dx + x × dy)
func newForward(p *core.Program) *plain {
	t := newPlain(p, types.Real)
	t.zero = func() core.Atom { return realLit(0) }
	t.combine = t.sum(
		func(c, dx core.Atom) core.Atom { return t.real(prim.Mul, c, dx) },
		func(x, y core.Atom) core.Atom { return t.real(prim.Add, x, y) })
	return t
}

// newReverse1 returns 𝒟←1: a whole gradient, an array of the n reals of S. Delta Fig. 5.
//
//	𝒟{r} = (r, zero_S)
//	𝒟{×} = λ((x, ds1), (y, ds2)). (x × y, (y ⊗ ds1) ⊕ (x ⊗ ds2))
func newReverse1(p *core.Program, n int) *plain {
	t := newPlain(p, array(types.Real))
	t.zero = func() core.Atom {
		return call(t.out, "ds", lib("zeros").Use(), core.IntLit(int64(n)))
	}
	t.combine = t.sum(
		func(c, ds core.Atom) core.Atom { return call(t.out, "ds", lib("times").Use(), c, ds) },
		func(x, y core.Atom) core.Atom { return call(t.out, "ds", lib("plus").Use(), x, y) })
	return t
}

// newReverse2 returns 𝒟←2: a symbolic gradient. Delta Fig. 7.
//
//	𝒟{r} = (r, Zero)
//	𝒟{×} = λ((x, u1), (y, u2)). (x × y, Add (Scale y u1) (Scale x u2))
func newReverse2(p *core.Program) *plain {
	delta := data("Delta2")
	t := newPlain(p, delta)
	t.zero = func() core.Atom { return construct(t.out, delta, "Zero2") }
	t.combine = t.sum(
		func(c, u core.Atom) core.Atom { return construct(t.out, delta, "Scale2", c, u) },
		func(x, y core.Atom) core.Atom { return construct(t.out, delta, "Add2", x, y) })
	return t
}

// sum returns a function that emits Σ partial × tangent with the two operations. A partial
// derivative that is the literal 1, as those of +, needs no product.
func (t *dual) sum(scale, add func(x, y core.Atom) core.Atom) func([]term) core.Atom {
	return func(terms []term) core.Atom {
		var total core.Atom
		for _, term := range terms {
			x := term.tangent
			if !isReal(term.partial, 1) {
				x = scale(term.partial, x)
			}
			if total == nil {
				total = x
			} else {
				total = add(total, x)
			}
		}
		return total
	}
}

// real applies a primitive to reals.
func (t *dual) real(row prim.ID, args ...core.Atom) core.Atom {
	op := &core.Prim{Prim: row.Row(), Inst: []types.Type{types.Real}, Args: args}
	return t.out.Emit("d", op, diag.Span{})
}
