package diff

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Additive loops]
//
// A loop is additive if each turn only adds to its state, as in
//
//	loop (s, t) = init for x in xs do (s + f x, t - g x)
//
// The cotangent of the state is then the same in every turn, and the state
// itself is needed in none. The analysis below decides this before the body is
// differentiated, so that a body is differentiated once: if it were
// differentiated to find out, nested loops would take exponential time.
//
// Each variable of the body has an offset: nil, if it does not depend on the
// state; that of a part of the state, if it is that part plus something that
// does not depend on the state; or mixed. The loop is additive if the offset
// of each real of the body's result is that of the same real of the state.
//
// Nothing that reverses the body of an additive loop reads the state: a sum's
// partial derivatives are constants, and the operands with offset nil do not
// depend on it. Only the shape of the state may be read, which is that of the
// initial one.

// offset says how a value depends on the state of a loop.
type offset struct {
	parts []*offset // of a tuple or record
	elem  *offset   // of an array: that of its elements
}

var mixed = &offset{}

// stateOffset is the offset of a state of the given type.
func stateOffset(t types.Type) *offset {
	s := &offset{}
	if a, ok := types.Resolve(t).(*types.Array); ok {
		s.elem = stateOffset(a.Elem)
	}
	for _, part := range types.Parts(t) {
		s.parts = append(s.parts, stateOffset(part))
	}
	return s
}

// component is the offset of a component of a value with this offset.
func (s *offset) component(i int) *offset {
	if s == nil || s.parts == nil {
		return s // mixed, or independent
	}
	return s.parts[i]
}

// equal tells whether the reals of two values of type t have the same offsets.
func (s *offset) equal(other *offset, t types.Type) bool {
	if s == other || !types.HasReals(t) {
		return true
	}
	ts := types.Parts(t)
	for i, part := range ts {
		if !s.component(i).equal(other.component(i), part) {
			return false
		}
	}
	return ts != nil
}

// OnlyAdds tells whether each turn of a Reduce, or of a Loop with a fixed number
// of turns, only adds to its state: Note [Additive loops].
func OnlyAdds(op core.Op) bool {
	switch op := op.(type) {
	case *core.Reduce:
		return offsets{}.keeps(op.Acc, op.Body)
	case *core.Loop:
		_, while := op.Head.(*core.While)
		return !while && offsets{}.keeps(op.State, op.Body)
	}
	return false
}

// additive tells whether the turns of a loop only add to its state.
func (l *fold) additive() bool {
	return offsets{}.keeps(l.state, l.body)
}

// offsets has the offsets of the variables that depend on a state.
type offsets map[*core.Var]*offset

func (o offsets) atom(a core.Atom) *offset {
	if v, ok := a.(*core.Var); ok {
		return o[v]
	}
	return nil
}

func (o offsets) set(v *core.Var, s *offset) {
	if s != nil {
		o[v] = s
	}
}

// keeps tells whether a block only adds to the state that it is given.
func (o offsets) keeps(state *core.Var, body *core.Block) bool {
	s := stateOffset(state.Ty)
	o.set(state, s)
	return s.equal(o.block(body), state.Ty)
}

// block is the offset of a block's result.
func (o offsets) block(b *core.Block) *offset {
	for _, s := range b.Stmts {
		if let, ok := s.(*core.Let); ok {
			o.set(let.Var, o.op(let.Op))
		}
	}
	return o.atom(b.Result)
}

// op is the offset of an operation's result.
func (o offsets) op(op core.Op) *offset {
	switch op := op.(type) {
	case *core.Tuple:
		return o.join(op.Elems)
	case *core.Record:
		return o.join(op.Elems)
	case *core.Proj:
		return o.atom(op.Of).component(op.Index)
	case *core.Field:
		return o.atom(op.Of).component(op.Index)
	}
	if !o.mentioned(op) {
		return nil
	}
	switch op := op.(type) {
	case *core.Prim:
		return o.prim(op)
	case *core.If:
		if sure := surely(op); sure != nil {
			return o.block(sure)
		}
		then, otherwise := o.block(op.Then), o.block(op.Else)
		if o.atom(op.Cond) == nil && then.equal(otherwise, op.Then.Result.Type()) {
			return then
		}
	case *core.Map:
		return o.mapped(op)
	case *core.Reduce:
		if o.atom(op.Array) == nil && o.keeps(op.Acc, op.Body) {
			return o.atom(op.Init)
		}
	case *core.Loop:
		if o.fixed(op.Head) && o.keeps(op.State, op.Body) {
			return o.atom(op.Init)
		}
	}
	return mixed
}

// mentioned tells whether an operation, or a block in it, reads what depends
// on the state.
func (o offsets) mentioned(op core.Op) bool {
	found := false
	core.OpAtoms(op, func(a core.Atom) { found = found || o.atom(a) != nil })
	return found
}

func (o offsets) join(elems []core.Atom) *offset {
	parts := make([]*offset, len(elems))
	for i, x := range elems {
		parts[i] = o.atom(x)
	}
	if slices.ContainsFunc(parts, func(p *offset) bool { return p != nil }) {
		return &offset{parts: parts}
	}
	return nil
}

func (o offsets) prim(op *core.Prim) *offset {
	others := func(k int) bool {
		rest := slices.Delete(slices.Clone(op.Args), k, k+1)
		return !slices.ContainsFunc(rest, func(a core.Atom) bool { return o.atom(a) != nil })
	}
	switch op.Prim.ID {
	case prim.Add:
		if others(1) {
			return o.atom(op.Args[1])
		}
		fallthrough
	case prim.Sub, prim.Accumulate:
		if others(0) {
			return o.atom(op.Args[0])
		}
	}
	return mixed
}

// mapped recognises the addition of an array to one of the state.
func (o offsets) mapped(op *core.Map) *offset {
	k := slices.IndexFunc(op.Arrays, func(a core.Atom) bool { return o.atom(a) != nil })
	if k < 0 || o.atom(op.Arrays[k]).elem == nil {
		return mixed
	}
	for i, array := range op.Arrays {
		if s := o.atom(array); s != nil {
			if i != k {
				return mixed
			}
			o.set(op.Params[i], s.elem)
		}
	}
	array := o.atom(op.Arrays[k])
	if array.elem.equal(o.block(op.Body), op.Params[k].Ty) {
		return array
	}
	return mixed
}

// fixed tells whether the number of turns is independent of the state, and
// what they run over too.
func (o offsets) fixed(head core.Head) bool {
	switch head := head.(type) {
	case *core.Range:
		return o.atom(head.Bound) == nil
	case *core.Each:
		return o.atom(head.Array) == nil
	}
	return false
}
