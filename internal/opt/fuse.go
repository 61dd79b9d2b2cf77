package opt

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Fused reductions]
//
// If one operation makes an array, and only one other operation reads it, element by element, the
// array need not exist. Map after Map or Build becomes one operation, and Reduce, Scan and Loop
// absorb a Map before them. The body of a fused Reduce is `acc ⊕ f x`. It still runs from the
// left, but it is no longer the associative ⊕ itself, and the element may have another type than
// the accumulator. A Reduce over a Build becomes a Loop.
//
// Fusion interleaves the two bodies, so at most one of them may be able to fail. It also moves
// the first operation to the place of the second, so if the first may fail, everything between
// them must be total. The length check of a Map of several arrays and the size check of a Build
// happen before their bodies run in either form. The fused operation has the place (At) of the
// one that checks, and at most one of the two does.

// fuse joins array operations in a block and in the blocks nested in it, in place. It reports
// whether it found any.
func (s *simplifier) fuse(b *core.Block) bool {
	s.uses.Clear()
	f := &fuser{s: s}
	core.Atoms(b, func(a core.Atom) {
		if v, ok := a.(*core.Var); ok {
			*s.uses.At(v)++
		}
	})
	f.block(b)
	return f.fused
}

type fuser struct {
	s     *simplifier
	fused bool

	out   []core.Stmt       // the block so far; nil where a producer was removed
	where map[*core.Var]int // the producers in it
}

func (f *fuser) block(b *core.Block) {
	out, where := f.out, f.where
	f.out, f.where = make([]core.Stmt, 0, len(b.Stmts)), nil
	nested := core.Parts{Block: f.block}
	for _, stmt := range b.Stmts {
		let, ok := stmt.(*core.Let)
		if !ok {
			for _, fun := range stmt.(*core.LetRec).Funs {
				nested.Visit(fun)
			}
			f.out = append(f.out, stmt)
			continue
		}
		nested.Visit(let.Op)
		let = f.consumer(let)
		switch let.Op.(type) {
		case *core.Map, *core.Build:
			if f.s.uses.Get(let.Var) == 1 {
				if f.where == nil {
					f.where = map[*core.Var]int{}
				}
				f.where[let.Var] = len(f.out)
			}
		}
		f.out = append(f.out, let)
	}
	b.Stmts = slices.DeleteFunc(f.out, func(stmt core.Stmt) bool { return stmt == nil })
	f.out, f.where = out, where
}

// consumer joins an operation with the producers of its arrays, as far as possible.
func (f *fuser) consumer(let *core.Let) *core.Let {
	switch op := let.Op.(type) {
	case *core.Map:
		if len(op.Arrays) > 1 {
			return f.mapOfSeveral(let, op)
		}
		return f.mapOfOne(let, op)
	case *core.Reduce:
		if x, body := f.throughMap(op.Array, op.Elem, op.Body); x != nil {
			return f.join(let, &core.Reduce{Acc: op.Acc, Elem: x.param, Init: op.Init,
				Array: x.array, Body: body}, let.At)
		}
		if build, body := f.throughBuild(op.Array, op.Elem, op.Body); build != nil {
			return f.join(let, &core.Loop{State: op.Acc, Init: op.Init,
				Head: &core.Range{Index: build.Index, Bound: build.Size}, Body: body}, let.At)
		}
	case *core.Scan:
		if x, body := f.throughMap(op.Array, op.Elem, op.Body); x != nil {
			return f.join(let, &core.Scan{Acc: op.Acc, Elem: x.param, Init: op.Init, Array: x.array,
				Body: body}, let.At)
		}
	case *core.Loop:
		each, ok := op.Head.(*core.Each)
		if !ok {
			return let
		}
		if x, body := f.throughMap(each.Array, each.Elem, op.Body); x != nil {
			return f.join(let, &core.Loop{State: op.State, Init: op.Init,
				Head: &core.Each{Elem: x.param, Array: x.array}, Body: body}, let.At)
		}
		if build, body := f.throughBuild(each.Array, each.Elem, op.Body); build != nil {
			return f.join(let, &core.Loop{State: op.State, Init: op.Init,
				Head: &core.Range{Index: build.Index, Bound: build.Size}, Body: body}, let.At)
		}
	}
	return let
}

// join returns the statement of a fused operation, which may absorb another producer.
func (f *fuser) join(let *core.Let, op core.Op, at diag.Span) *core.Let {
	f.fused = true
	return f.consumer(&core.Let{Var: let.Var, Op: op, At: at})
}

func (f *fuser) mapOfOne(let *core.Let, op *core.Map) *core.Let {
	producer, i := f.producer(op.Arrays[0])
	if producer == nil {
		return let
	}
	switch p := producer.Op.(type) {
	case *core.Map:
		if !f.mayJoin(i, p, p.Body, op.Body) {
			return let
		}
		f.out[i] = nil
		at := let.At
		if len(p.Arrays) > 1 {
			at = producer.At
		}
		return f.join(let, &core.Map{Params: p.Params, Arrays: p.Arrays,
			Body: compose(p.Body, op.Params[0], op.Body)}, at)
	case *core.Build:
		if !f.mayJoin(i, p, p.Body, op.Body) {
			return let
		}
		f.out[i] = nil
		return f.join(let, &core.Build{Size: p.Size, Index: p.Index,
			Body: compose(p.Body, op.Params[0], op.Body)}, producer.At)
	}
	return let
}

// mapOfSeveral joins a Map of several arrays with a producer that cannot fail, because the check
// of the lengths now comes before it.
func (f *fuser) mapOfSeveral(let *core.Let, op *core.Map) *core.Let {
	for k, array := range op.Arrays {
		producer, i := f.producer(array)
		if producer == nil {
			continue
		}
		p, ok := producer.Op.(*core.Map)
		if !ok || len(p.Arrays) > 1 || !f.s.total(p) {
			continue
		}
		f.out[i] = nil
		fused := &core.Map{Params: append([]*core.Var(nil), op.Params...),
			Arrays: append([]core.Atom(nil), op.Arrays...),
			Body:   compose(p.Body, op.Params[k], op.Body)}
		fused.Params[k], fused.Arrays[k] = p.Params[0], p.Arrays[0]
		return f.join(let, fused, let.At)
	}
	return let
}

type element struct {
	param *core.Var
	array core.Atom
}

// throughMap looks for a Map of one array that makes the elements of a fold. It removes the Map
// and composes the bodies.
func (f *fuser) throughMap(array core.Atom, elem *core.Var, body *core.Block) (
	*element, *core.Block) {
	producer, i := f.producer(array)
	if producer == nil {
		return nil, nil
	}
	p, ok := producer.Op.(*core.Map)
	if !ok || len(p.Arrays) > 1 || !f.mayJoin(i, p, p.Body, body) {
		return nil, nil
	}
	f.out[i] = nil
	return &element{p.Params[0], p.Arrays[0]}, compose(p.Body, elem, body)
}

// throughBuild looks for a Build that makes the elements of a fold. It removes the Build and
// composes the bodies; the check of its size remains.
func (f *fuser) throughBuild(array core.Atom, elem *core.Var, body *core.Block) (
	*core.Build, *core.Block) {
	producer, i := f.producer(array)
	if producer == nil {
		return nil, nil
	}
	p, ok := producer.Op.(*core.Build)
	if !ok || !f.mayJoin(i, p, p.Body, body) {
		return nil, nil
	}
	f.out[i] = nil
	if !f.s.notNegative(p.Size) {
		f.checkNegative(p.Size, producer.At)
	}
	return p, compose(p.Body, elem, body)
}

// checkNegative emits a failure equal to that of building an array of negative size. Only if the
// size is negative does it build an array, without content.
func (f *fuser) checkNegative(size core.Atom, at diag.Span) {
	var b core.Builder
	negative := b.Let("negative", types.Bool, &core.Prim{Prim: prim.Lt.Row(),
		Inst: []types.Type{types.Int}, Args: []core.Atom{size, core.IntLit(0)}}, at)
	var fail core.Builder
	fail.Emit("none", &core.Build{Size: size, Index: core.NewVar("i", types.Int),
		Body: core.Ret(core.UnitLit())}, at)
	b.Let("checked", types.Unit, &core.If{Cond: negative, Then: fail.Block(core.UnitLit()),
		Else: core.Ret(core.UnitLit())}, at)
	f.out = append(f.out, b.Block(core.UnitLit()).Stmts...)
}

// producer returns the statement of this block that makes an array with a single use, and its
// index.
func (f *fuser) producer(array core.Atom) (*core.Let, int) {
	v, ok := array.(*core.Var)
	if !ok {
		return nil, 0
	}
	i, ok := f.where[v]
	if !ok || f.out[i] == nil {
		return nil, 0
	}
	return f.out[i].(*core.Let), i
}

// mayJoin reports whether producer i, with body first, may move to the end of the block and run
// together with second: Note [Fused reductions].
func (f *fuser) mayJoin(i int, op core.Op, first, second *core.Block) bool {
	if !f.s.totalBlock(first) && !f.s.totalBlock(second) {
		return false
	}
	if f.s.total(op) {
		return true
	}
	for _, stmt := range f.out[i+1:] {
		if let, ok := stmt.(*core.Let); ok && !f.s.total(let.Op) {
			return false
		}
	}
	return true
}

// compose returns a block that runs first and then second, with elem standing for first's result.
func compose(first *core.Block, elem *core.Var, second *core.Block) *core.Block {
	rest := core.Clone(second, map[*core.Var]core.Atom{elem: first.Result})
	stmts := append(first.Stmts[:len(first.Stmts):len(first.Stmts)], rest.Stmts...)
	return &core.Block{Stmts: stmts, Result: rest.Result}
}
