package check

import (
	"cmp"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// undecided lists the variables of a size for which known is false.
func undecided(size *types.Size, known func(*types.Size) bool) (vs []*types.Size) {
	size.Variables(func(v *types.Size) {
		if !known(v) && !slices.Contains(vs, v) {
			vs = append(vs, v)
		}
	})
	return vs
}

// decidedBy returns the variable that an array of a size determines, given the known ones. That
// is the only unknown one, if the size is linear in it; otherwise nil.
func decidedBy(size *types.Size, known func(*types.Size) bool) *types.Size {
	vs := undecided(size, known)
	if len(vs) != 1 {
		return nil
	}
	for _, t := range size.Find().Terms {
		if i := slices.Index(t.Of, vs[0]); i >= 0 && slices.Contains(t.Of[i+1:], vs[0]) {
			return nil // such as n * n
		}
	}
	return vs[0]
}

// declareSum checks a dimension that is declared as a sum, or determines a variable by it, or
// defers it; see Note [Declared sizes].
func (e *elaborator) declareSum(b *core.Builder, s waitingSum) {
	known := func(v *types.Size) bool {
		_, ok := e.facts.variables[v]
		return ok
	}
	vs := undecided(s.size, known)
	if len(vs) == 0 {
		e.checkDimension(b, core.SizeSum, s.size, s.dimension, e.sumValue(b, s.size.N, s.size.Terms,
			s.want), s.got, s.want)
		return
	}
	v := decidedBy(s.size, known)
	if v == nil {
		e.facts.wait(append(slices.Clip(e.facts.waiting), s))
		return
	}
	// The length is base + divisor * v, or base - divisor * v.
	var with, without []types.SizeTerm
	sign := int64(0)
	for _, t := range s.size.Terms {
		i := slices.Index(t.Of, v)
		if i < 0 {
			without = append(without, t)
			continue
		}
		if sign == 0 {
			sign = int64(cmp.Compare(t.Coef, 0))
		}
		with = append(with, types.SizeTerm{Coef: sign * t.Coef,
			Of: slices.Delete(slices.Clone(t.Of), i, i+1)})
	}
	a := arithmetic{b, s.want}
	length := e.length(b, s.of, s.dim, s.got)
	divisor := e.sumValue(b, 0, with, s.want)
	base := e.sumValue(b, s.size.N, without, s.want)
	var value, nearest core.Atom
	if sign > 0 {
		value = a.quotient(a.op(prim.Sub, length, base), divisor)
		nearest = a.op(prim.Add, base, a.op(prim.Mul, divisor, value))
	} else {
		value = a.quotient(a.op(prim.Sub, base, length), divisor)
		nearest = a.op(prim.Sub, base, a.op(prim.Mul, divisor, value))
	}
	e.checkDimension(b, core.SizeSolution, s.size, s.dimension, nearest, s.got, s.want)
	e.decide(b, v, sizeVariable{s.dimension, value, s.want})
}

// sumValue computes n plus the terms.
func (e *elaborator) sumValue(b *core.Builder, n int64, terms []types.SizeTerm,
	at diag.Span) core.Atom {
	a := arithmetic{b, at}
	var sum core.Atom = core.IntLit(n)
	for _, t := range terms {
		var product core.Atom = core.IntLit(t.Coef)
		for _, v := range t.Of {
			product = a.op(prim.Mul, product, e.sizeValue(b, v, at))
		}
		sum = a.op(prim.Add, sum, product)
	}
	return sum
}

// arithmetic emits operations on integers.
type arithmetic struct {
	b  *core.Builder
	at diag.Span
}

// op returns an operation of the table at Int, simplifying 0 + x, x - 0 and 1 * x.
func (a arithmetic) op(id prim.ID, x, y core.Atom) core.Atom {
	row := id.Row()
	if a := core.Unchanged(row, x, y); a != nil {
		return a
	}
	op := &core.Prim{Prim: row, Args: []core.Atom{x, y}}
	if len(row.Scheme.Params) > 0 {
		op.Inst = []types.Type{types.Int}
	}
	return a.b.Let("n", types.Int, op, a.at)
}

// quotient returns x divided by y as a size. It is never negative. If y is 0, nothing depends on
// the result, which is then x.
func (a arithmetic) quotient(x, y core.Atom) core.Atom {
	if l, ok := y.(*core.Lit); !ok || l.Int != 1 {
		x = a.op(prim.Div, x, a.op(prim.Max, core.IntLit(1), y))
	}
	return a.op(prim.Max, core.IntLit(0), x)
}
