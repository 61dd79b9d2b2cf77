package diff

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// loop translates the operations with bodies that run again and again. What
// is left is the check of a size, which is without reals.
func (f *frame) loop(let *core.Let) *rep {
	switch op := let.Op.(type) {
	case *core.Map:
		dual := &core.Map{}
		body := f.turn()
		for i, p := range op.Params {
			array := f.of(op.Arrays[i])
			dual.Params = append(dual.Params, body.bindElement(array, p))
			dual.Arrays = append(dual.Arrays, array.atom)
		}
		dual.Body = body.row(op.Body)
		return f.rows(f.e.let("xs", dual), op.Body)
	case *core.Build:
		body := f.turn()
		dual := &core.Build{Size: f.of(op.Size).atom, Index: body.bind(op.Index)}
		dual.Body = body.row(op.Body)
		return f.rows(f.e.let("xs", dual), op.Body)
	case *core.Reduce:
		body := f.nested()
		ties := f.mayTie(op.Body)
		start, acc := f.state(op.Acc, op.Init, body, ties)
		array := f.of(op.Array)
		dual := &core.Reduce{Acc: acc, Elem: body.bindElement(array, op.Elem), Init: start, Array: array.atom}
		dual.Body = body.next(op.Body, ties)
		return f.after(f.e.let("t", dual), op.Acc.Ty, ties)
	case *core.Scan:
		return f.scan(op)
	case *core.Loop:
		return f.repeat(op)
	}
	panic("diff: an operation without a translation")
}

// bind makes the variable of the translation for one that a loop binds.
func (f *frame) bind(x *core.Var) *core.Var {
	v := core.NewVar(x.Name, f.d.ty(x.Ty))
	f.env[x] = f.unpack(v, x.Ty)
	return v
}

// bindElement is bind for a variable that stands for a part of a value.
func (f *frame) bindElement(of *rep, x *core.Var) *core.Var {
	if !of.plain {
		return f.bind(x)
	}
	v := core.NewVar(x.Name, unsized(x.Ty))
	f.env[x] = f.fixed(v, x.Ty)
	return v
}

// turn is a frame for a turn that does not depend on those before.
func (f *frame) turn() *frame {
	body := f.nested()
	body.tied = core.BoolLit(false)
	return body
}

// mayTie tells whether anything in a block may be at a tie, as local functions that it calls may
// be.
func (f *frame) mayTie(b *core.Block) bool {
	if !f.d.ties {
		return false
	}
	local := false
	core.Atoms(b, func(a core.Atom) {
		if v, ok := a.(*core.Var); ok {
			_, fun := types.Resolve(v.Ty).(*types.Fun)
			local = local || fun
		}
	})
	return local || f.d.reachesTies(b, map[string]bool{})
}

// row is the body of a Map or Build: an element, and whether there was a tie,
// if there may be one.
func (f *frame) row(b *core.Block) *core.Block {
	value := f.pack(f.block(b), b.Result.Type())
	if f.mayTie(b) {
		value = f.e.tuple([]core.Atom{value, f.tied})
	}
	return f.e.Block(value)
}

// rows takes the array apart that bodies made by row give.
func (f *frame) rows(array core.Atom, b *core.Block) *rep {
	if !f.mayTie(b) {
		return &rep{atom: array}
	}
	acc, row := core.NewVar("acc", types.Bool), core.NewVar("row", elemType(array.Type()))
	inner := f.e.nested()
	next := inner.either(acc, inner.component(row, 1))
	f.tied = f.e.let("tied", &core.Reduce{Acc: acc, Elem: row, Init: f.tied, Array: array, Body: inner.Block(next)})
	return &rep{atom: f.e.mapOne(array, func(e *emitter, x core.Atom) core.Atom { return e.component(x, 0) })}
}

// state is the first state of a loop, and the variable for it in the body:
// the translated state, and whether there was a tie if there may be one.
func (f *frame) state(x *core.Var, init core.Atom, body *frame, ties bool) (core.Atom, *core.Var) {
	start := f.ending(f.of(init), init.Type(), ties)
	v := core.NewVar(x.Name, unsized(start.Type()))
	f.env[x] = body.after(v, x.Ty, ties)
	return start, v
}

// next is the body of a loop with a state.
func (f *frame) next(b *core.Block, ties bool) *core.Block {
	return f.e.Block(f.ending(f.block(b), b.Result.Type(), ties))
}

func (f *frame) scan(op *core.Scan) *rep {
	body, ties := f.nested(), f.mayTie(op.Body)
	start, acc := f.state(op.Acc, op.Init, body, ties)
	array := f.of(op.Array)
	dual := &core.Scan{Acc: acc, Elem: body.bindElement(array, op.Elem), Init: start, Array: array.atom}
	dual.Body = body.next(op.Body, ties)
	states := f.e.let("states", dual)
	if !ties {
		return &rep{atom: states}
	}
	last, row := core.NewVar("last", types.Bool), core.NewVar("row", elemType(states.Type()))
	inner := f.e.nested()
	next := inner.component(row, 1)
	f.tied = f.e.let("tied", &core.Reduce{Acc: last, Elem: row, Init: f.tied, Array: states, Body: inner.Block(next)})
	return &rep{atom: f.e.mapOne(states, func(e *emitter, x core.Atom) core.Atom { return e.component(x, 0) })}
}

func (f *frame) repeat(op *core.Loop) *rep {
	body, ties := f.nested(), f.mayTie(op.Body)
	head, isWhile := op.Head.(*core.While)
	asks := isWhile && f.mayTie(head.Cond)
	ties = ties || asks
	start, state := f.state(op.State, op.Init, body, ties)
	dual := &core.Loop{State: state, Init: start}
	switch head := op.Head.(type) {
	case *core.Range:
		dual.Head = &core.Range{Index: body.bind(head.Index), Bound: f.of(head.Bound).atom}
	case *core.Each:
		array := f.of(head.Array)
		dual.Head = &core.Each{Elem: body.bindElement(array, head.Elem), Array: array.atom}
	case *core.While:
		cond := f.nested()
		f.env[op.State] = cond.after(state, op.State.Ty, ties)
		more := cond.block(core.Clone(head.Cond, nil)).atom
		dual.Head = &core.While{Cond: cond.e.Block(more)}
		f.env[op.State] = body.after(state, op.State.Ty, ties)
	}
	// Each turn asks again whether the condition that let it run was at a tie,
	// and that which ended the loop is asked after it.
	if asks {
		body.block(core.Clone(head.Cond, nil))
	}
	dual.Body = body.next(op.Body, ties)
	end := f.after(f.e.let("t", dual), op.State.Ty, ties)
	if asks {
		f.env[op.State] = end
		f.block(core.Clone(head.Cond, nil))
	}
	return end
}
