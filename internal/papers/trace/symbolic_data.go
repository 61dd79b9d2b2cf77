package trace

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/papers"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Symbolic evaluation of data and operations: the rules of Fig. 4 that look
// at no other term.

func vals(syms []sym) []value.Value {
	vs := make([]value.Value, len(syms))
	for i, x := range syms {
		vs[i] = x.val
	}
	return vs
}

// component implements fst and snd on values.
func (x sym) component(i int) sym {
	return sym{val: children(x.val)[i], term: component(x.term, i)}
}

func (x sym) components() []sym {
	cs := make([]sym, len(children(x.val)))
	for i := range cs {
		cs[i] = x.component(i)
	}
	return cs
}

// aggregate returns the tuple of what a value with the given components is made of.
func aggregate(v value.Value, parts []sym) sym {
	terms := make([]Term, len(parts))
	for i, p := range parts {
		terms[i] = p.term
	}
	return sym{val: v, term: tuple(terms...)}
}

func arrayOf(elems []sym) sym {
	return aggregate(value.Array(vals(elems)), elems)
}

// constructSym builds data or takes it apart.
func constructSym(op core.Op, args []sym, at diag.Span) sym {
	v := construct(op, vals(args), at)
	switch op := op.(type) {
	case *core.Proj:
		return args[0].component(op.Index)
	case *core.Field:
		return args[0].component(op.Index)
	case *core.Index:
		return args[0].component(int(args[1].val.(value.Int)))
	case *core.Slice:
		lo, hi := args[1].val.(value.Int), args[2].val.(value.Int)
		return aggregate(v, args[0].components()[lo:hi])
	case *core.CheckSize:
		return sym{val: v, term: star}
	}
	return aggregate(v, args)
}

// ---- operations

// prim computes φ | ρ ⊢ V + W ⇝ V + W and φ | ρ ⊢ op(V) ⇝ op(V).
func (s *symbolic) prim(name string, op *core.Prim, args []sym, at diag.Span) sym {
	row := op.Prim
	s.defined(row, args, at)
	switch row.ID { // what only moves reals about
	case prim.Append:
		return arrayOf(slices.Concat(args[0].components(), args[1].components()))
	case prim.Flatten:
		var all []sym
		for _, row := range args[0].components() {
			all = append(all, row.components()...)
		}
		return arrayOf(all)
	case prim.Scatter, prim.Accumulate:
		xs, ys := args[0].components(), args[2].components()
		for j, k := range targets(vals(args), at) {
			y := ys[j]
			if row.ID == prim.Accumulate {
				y = s.prim(name, &core.Prim{Prim: prim.Add.Row()}, []sym{xs[k], y}, at)
			}
			xs[k] = y
		}
		return arrayOf(xs)
	}
	v := s.machine.prim(op, vals(args), at)
	if isUnit(shape(v)) {
		return sym{val: v, term: star}
	}
	if row.ID == prim.Add {
		return s.emit(name, &Add{args[0].term, args[1].term}, v, at)
	}
	if row.Pullback == nil && len(row.Partials) == 0 {
		return s.lift(v) // a constant, or `real n`
	}
	var operands []Term
	for _, a := range args {
		if !isUnit(typeOf(a.term)) {
			operands = append(operands, a.term)
		}
	}
	arg := operands[0]
	if len(operands) > 1 {
		arg = tuple(operands...)
	}
	return s.emit(name, &Apply{RowOp(row, vals(args)), arg}, v, at)
}

// defined refuses a comparison or a rounding at a point where it jumps: A–P's
// predicates are continuous where they are defined.
func (s *symbolic) defined(row *prim.Prim, args []sym, at diag.Span) {
	if !slices.ContainsFunc(args, func(a sym) bool { return moves(a.term) }) {
		return
	}
	x, ok := args[0].val.(value.Real)
	if !ok {
		return
	}
	switch row.KinkKind {
	case prim.TieKink:
		if x == args[1].val.(value.Real) {
			fail(papers.NotCovered(at, "the comparison `%s` is undefined here: both sides are %s",
				row.Name, value.Show(x)).
				WithHint("max, min and abs have derivatives at ties"))
		}
	case prim.JumpKink:
		if row.JumpsAt(float64(x)) {
			refuse(at, "`%s` jumps here, at %s", row.Name, value.Show(x))
		}
	}
}
