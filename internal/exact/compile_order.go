package exact

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

// Note [Oldest first]. In
//
//	integral01 (fun x => integral01 (fun y => integral01 (fun z => max x (max y z))))
//
// the first decision of the innermost integrand is between y and z, and the second compares x with
// the larger of them. Over a cell of x and y the crossing z = y is followed by one at z = x if x >
// y, and by none if x < y: it leaves at a place that is not an end of the range, which Note
// [Thresholds] does not cover. In `max (max x y) z` the first decision does not depend on z, so
// that the integral over y takes it, and there is one crossing. Maxima and minima are associative
// and commutative, at ties too, so what does not depend on the parameters of a function is compared
// first.

// oldestFirst is the statements of a block with nested maxima and minima put in that order.
func (c *compiler) oldestFirst(b *core.Block) (out []core.Stmt) {
	uses := map[*core.Var]int{}
	core.Atoms(b, func(a core.Atom) {
		if v, ok := a.(*core.Var); ok {
			uses[v]++
		}
	})
	old := map[*core.Var]bool{} // those that are computed here, but from what is older
	young := func(a core.Atom) bool {
		v, ok := a.(*core.Var)
		if !ok || old[v] {
			return false
		}
		at, ok := c.env[v]
		return !ok || len(at.r) != 1 || at.r[0].part == local
	}
	add := func(s core.Stmt) {
		out = append(out, s)
		if let, ok := s.(*core.Let); ok {
			if op, ok := let.Op.(*core.Prim); ok {
				older := true
				core.OpAtoms(op, func(a core.Atom) { older = older && !young(a) })
				old[let.Var] = older
			}
		}
	}
	for _, s := range b.Stmts {
		outer, op := extremum(s)
		if op == nil {
			add(s)
			continue
		}
		first, second := (*core.Let)(nil), outer
		for k, a := range op.Args {
			i := slices.IndexFunc(out, func(s core.Stmt) bool {
				inner, of := extremum(s)
				return of != nil && core.Atom(inner.Var) == a && of.Prim == op.Prim && uses[inner.Var] == 1
			})
			if i < 0 || young(op.Args[1-k]) {
				continue
			}
			inner, of := extremum(out[i])
			for j, newer := range of.Args {
				if older := of.Args[1-j]; first == nil && young(newer) && !young(older) {
					of, op := *of, *op
					of.Args, op.Args = []core.Atom{op.Args[1-k], older}, []core.Atom{inner.Var, newer}
					first = &core.Let{Var: inner.Var, Op: &of, At: outer.At}
					second = &core.Let{Var: outer.Var, Op: &op, At: inner.At}
					out = slices.Delete(out, i, i+1)
				}
			}
		}
		if first != nil {
			add(first)
		}
		add(second)
	}
	return out
}

// extremum is a statement that computes a maximum or a minimum of two reals, or nil.
func extremum(s core.Stmt) (*core.Let, *core.Prim) {
	if let, ok := s.(*core.Let); ok {
		if op, ok := let.Op.(*core.Prim); ok && (op.Prim.KinkKind == prim.MaxKink || op.Prim.KinkKind == prim.MinKink) && shapeOf(let.Var.Ty).r == 1 {
			return let, op
		}
	}
	return nil, nil
}
