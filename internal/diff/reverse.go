package diff

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// reverser transposes the derivative of one block. The block runs before, in
// the same scope; the reverser goes through its statements from the last to
// the first and hands the cotangent of each on to what it is made of.
type reverser struct {
	e *emitter
	// adj is what has been found of the cotangents of variables. After the
	// block, what is left are those that the block does not bind.
	adj    map[*core.Var]*adjoint
	varied *activity
	// home has the variables bound in the same turn of the same loop: an array
	// of zeros of their shape costs no more than they did.
	home map[*core.Var]bool
}

func newReverser(e *emitter, varied *activity) *reverser {
	return &reverser{e: e, adj: map[*core.Var]*adjoint{}, varied: varied, home: map[*core.Var]bool{}}
}

// reverse appends the derivative of a block that has been appended, whose
// result has the given cotangent.
func (r *reverser) reverse(b *core.Block, seed *adjoint) {
	for _, s := range b.Stmts {
		if let, ok := s.(*core.Let); ok {
			r.home[let.Var] = true
		}
	}
	r.contribute(b.Result, seed)
	for i := len(b.Stmts) - 1; i >= 0; i-- {
		let, ok := b.Stmts[i].(*core.Let)
		if !ok {
			continue // functions have no cotangents; a call of one is not covered
		}
		if a := r.take(let.Var); a != nil {
			r.e.at = let.At
			r.op(let, a)
		}
	}
}

// contribute adds to the cotangent of an atom.
func (r *reverser) contribute(to core.Atom, a *adjoint) {
	v, ok := to.(*core.Var)
	if !ok || a == nil || !r.varied.has[v] {
		return
	}
	r.adj[v] = r.e.sum(r.adj[v], a, v.Ty)
}

// take gives the cotangent of a variable, to which nothing will be added.
func (r *reverser) take(v *core.Var) *adjoint {
	a := r.adj[v]
	delete(r.adj, v)
	return a
}

func (r *reverser) op(let *core.Let, a *adjoint) {
	e := r.e
	switch op := let.Op.(type) {
	case *core.Prim:
		r.prim(let.Var, op, a)
	case *core.Tuple:
		for i, part := range e.split(a, let.Var.Ty) {
			r.contribute(op.Elems[i], part)
		}
	case *core.Record:
		for i, part := range e.split(a, let.Var.Ty) {
			r.contribute(op.Elems[i], part)
		}
	case *core.Proj:
		r.component(op.Of, op.Index, a)
	case *core.Field:
		r.component(op.Of, op.Index, a)
	case *core.If:
		r.choice(op, a)
	case *core.Array:
		r.array(op, let.Var, a)
	case *core.Index:
		r.contribute(op.Of, r.indexed(op.At, let.Var, a))
	case *core.Slice:
		r.contribute(op.Of, r.sliced(op.Lo, let.Var, a))
	case *core.Map:
		r.mapped(op, let.Var, a)
	case *core.Build:
		r.built(op, let.Var, a)
	case *core.Reduce:
		r.folded(let, &fold{state: op.Acc, init: op.Init, params: []*core.Var{op.Elem}, arrays: []core.Atom{op.Array}, body: op.Body}, a)
	case *core.Loop:
		switch head := op.Head.(type) {
		case *core.Each:
			r.folded(let, &fold{state: op.State, init: op.Init, params: []*core.Var{head.Elem}, arrays: []core.Atom{head.Array}, body: op.Body}, a)
		case *core.Range:
			r.folded(let, &fold{state: op.State, init: op.Init, index: head.Index, bound: head.Bound, body: op.Body}, a)
		default:
			panic(notCovered{let.At, "a loop without a fixed number of turns"})
		}
	case *core.Scan:
		r.scanned(op, let.Var, a)
	case *core.Apply:
		panic(notCovered{let.At, "a call of a function"})
	default: // Construct, Case
		panic(notCovered{let.At, "a data type"})
	}
}

// component handles x = of.i.
func (r *reverser) component(of core.Atom, i int, a *adjoint) {
	parts := make([]*adjoint, len(types.Parts(of.Type())))
	parts[i] = a
	r.contribute(of, joined(parts))
}

// prim handles a primitive. Rows that give arrays are in reverse_array.go.
func (r *reverser) prim(v *core.Var, op *core.Prim, a *adjoint) {
	row := op.Prim
	if row.Pullback != nil {
		r.arrayRow(v, op, a)
		return
	}
	if len(row.Partials) == 0 {
		r.structural(v, op, a)
		return
	}
	args := append(append([]core.Atom(nil), op.Args...), v)
	for i, x := range op.Args {
		y, ok := x.(*core.Var)
		if !ok || !r.varied.has[y] {
			continue
		}
		if rule := Partial(row, i); rule != nil {
			r.contribute(x, r.e.scaled(a, rule, args))
		}
	}
}

// ---- choices

// choice handles an If: the derivative is an If, in which the side that runs
// is computed again and then reversed.
func (r *reverser) choice(op *core.If, a *adjoint) {
	if sure := surely(op); sure != nil {
		r.reverse(r.e.forward(core.Clone(sure, nil), r.varied), a)
		return
	}
	then, otherwise := r.side(op.Then, a), r.side(op.Else, a)
	m := &merger{cond: op.Cond, then: then.e, otherwise: otherwise.e, e: r.e}
	free := core.OpFreeVars(op)
	merged := make([]*adjoint, len(free))
	for i, v := range free {
		merged[i] = m.merge(then.adj[v], otherwise.adj[v], v, v.Ty)
	}
	m.emit()
	for i, v := range free {
		r.contribute(v, merged[i])
	}
}

// surely is the side of an If whose other side stops the program: it is the
// one that ran, since the function has a value.
func surely(op *core.If) *core.Block {
	switch {
	case stops(op.Then):
		return op.Else
	case stops(op.Else):
		return op.Then
	}
	return nil
}

func stops(b *core.Block) bool {
	for _, s := range b.Stmts {
		if let, ok := s.(*core.Let); ok {
			if p, ok := let.Op.(*core.Prim); ok && p.Prim.ID == prim.Fail {
				return true
			}
		}
	}
	return false
}

func (r *reverser) side(b *core.Block, a *adjoint) *reverser {
	side := newReverser(r.e.nested(), r.varied)
	side.home = r.home // it runs at most as often
	copied := side.e.forward(core.Clone(b, nil), r.varied)
	side.reverse(copied, a)
	return side
}

// forward appends the statements of a block, which must not be used elsewhere.
func (e *emitter) forward(b *core.Block, varied *activity) *core.Block {
	varied.block(b, e.defs)
	e.Add(b.Stmts...)
	return b
}
