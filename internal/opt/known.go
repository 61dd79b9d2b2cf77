package opt

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// evaluate returns the value of an operation whose parts are known, or nil. The parts have been
// rewritten.
func (s *simplifier) evaluate(op core.Op) core.Atom {
	switch op := op.(type) {
	case *core.Proj:
		if t, ok := s.bound(op.Of).(*core.Tuple); ok {
			return t.Elems[op.Index]
		}
	case *core.Field:
		if r, ok := s.bound(op.Of).(*core.Record); ok {
			return r.Elems[op.Index]
		}
	case *core.Tuple:
		return s.rebuilt(len(op.Elems), op.Elems, func(o core.Op) (core.Atom, int) {
			if p, ok := o.(*core.Proj); ok {
				return p.Of, p.Index
			}
			return nil, 0
		})
	case *core.Record:
		return s.rebuilt(len(op.Elems), op.Elems, func(o core.Op) (core.Atom, int) {
			if f, ok := o.(*core.Field); ok {
				return f.Of, f.Index
			}
			return nil, 0
		})
	case *core.Index:
		a, ok := s.bound(op.Of).(*core.Array)
		if i, isLit := op.At.(*core.Lit); ok && isLit && 0 <= i.Int && i.Int < int64(len(a.Elems)) {
			return a.Elems[i.Int]
		}
	case *core.Map:
		if len(op.Params) == 1 && len(op.Body.Stmts) == 0 && op.Body.Result == core.Atom(
			op.Params[0]) {
			return op.Arrays[0]
		}
	case *core.Loop:
		if r, ok := op.Head.(*core.Range); ok {
			if n, ok := r.Bound.(*core.Lit); ok && n.Int <= 0 {
				return op.Init
			}
		}
	case *core.CheckSize:
		if s.sizesAgree(op) {
			return core.UnitLit()
		}
	case *core.Lambda:
		return s.etaReduced(op)
	case *core.Prim:
		return s.evaluatePrim(op)
	}
	return nil
}

// bound returns the operation whose result an atom is, if it was remembered.
func (s *simplifier) bound(a core.Atom) core.Op {
	if v, ok := a.(*core.Var); ok {
		return s.known.Get(v)
	}
	return nil
}

// rebuilt recognises a tuple or record that is assembled from all the components of another one
// of the same size, in order, and returns that one.
func (s *simplifier) rebuilt(n int, elems []core.Atom,
	part func(core.Op) (of core.Atom, index int)) core.Atom {
	var whole core.Atom
	for i, e := range elems {
		of, index := part(s.bound(e))
		if of == nil || index != i || whole != nil && !sameAtom(of, whole) {
			return nil
		}
		whole = of
	}
	switch t := typeOf(whole).(type) {
	case *types.Tuple:
		if len(t.Elems) == n {
			return whole
		}
	case *types.Record:
		if len(t.Fields) == n {
			return whole
		}
	}
	return nil
}

func typeOf(a core.Atom) types.Type {
	if a == nil {
		return nil
	}
	return a.Type()
}

// sizesAgree reports whether a size check is certain to pass.
func (s *simplifier) sizesAgree(op *core.CheckSize) bool {
	if l, ok := op.Got.(*core.Lit); ok && l.Int < 0 {
		return true
	}
	if l, ok := op.Want.(*core.Lit); ok && l.Int < 0 && op.Of == core.SizeLength {
		return true
	}
	return sameAtom(s.size(op.Got), s.size(op.Want))
}

// size returns an atom that represents a size. For the length of an updated array it refers to
// the array before all updates.
func (s *simplifier) size(a core.Atom) core.Atom {
	p, ok := s.bound(a).(*core.Prim)
	if !ok || p.Prim.ID != prim.Length {
		return a
	}
	array := p.Args[0]
	for {
		update, ok := s.bound(array).(*core.Prim)
		if !ok || update.Prim.ID != prim.Scatter && update.Prim.ID != prim.Accumulate {
			return array
		}
		array = update.Args[0]
	}
}

// etaReduced returns f for `fun x -> f x`. If there are several parameters, f must be known to
// take them all before it does anything, because the lambda does nothing before it has them.
func (s *simplifier) etaReduced(fun *core.Lambda) core.Atom {
	if len(fun.Body.Stmts) != 1 {
		return nil
	}
	let, ok := fun.Body.Stmts[0].(*core.Let)
	if !ok || fun.Body.Result != core.Atom(let.Var) {
		return nil
	}
	call, ok := let.Op.(*core.Apply)
	if !ok || len(call.Args) != len(fun.Params) || !s.totalAtom(call.Fun) {
		return nil
	}
	for i, p := range fun.Params {
		if call.Args[i] != core.Atom(p) || call.Fun == core.Atom(p) {
			return nil
		}
	}
	if len(fun.Params) > 1 && s.arityOf(call.Fun) < len(fun.Params) {
		return nil
	}
	if g, ok := call.Fun.(*core.Global); ok && s.defs[g.Name] != nil && s.defs[g.Name].recursive {
		return nil // otherwise `f x = f x`, which never ends, would become the meaningless `f = f`
	}
	return call.Fun
}

// evaluatePrim folds integers and truth values, which mean the same everywhere. An operation that
// fails is kept.
func (s *simplifier) evaluatePrim(op *core.Prim) core.Atom {
	if op.Prim.ID == prim.Length {
		return s.lengthOf(op.Args[0])
	}
	if op.Prim.ID == prim.Not {
		if l, ok := op.Args[0].(*core.Lit); ok {
			return core.BoolLit(!l.Bool)
		}
		return nil
	}
	if len(op.Args) == 0 || op.Args[0].Type() != types.Type(types.Int) || op.Prim.Int == nil {
		return nil
	}
	lits := make([]*core.Lit, len(op.Args))
	for i, a := range op.Args {
		l, ok := a.(*core.Lit)
		if !ok {
			return core.Unchanged(op.Prim, op.Args...)
		}
		lits[i] = l
	}
	switch f := op.Prim.Int.(type) {
	case prim.Int1:
		if n, code := f(lits[0].Int); code == "" {
			return core.IntLit(n)
		}
	case prim.Int2:
		if n, code := f(lits[0].Int, lits[1].Int); code == "" {
			return core.IntLit(n)
		}
	case prim.IntCompare:
		return core.BoolLit(f(lits[0].Int, lits[1].Int))
	}
	return nil
}

// lengthOf returns the length of an array if the operation that made it determines it, or nil.
func (s *simplifier) lengthOf(array core.Atom) core.Atom {
	switch a := s.bound(array).(type) {
	case *core.Array:
		return core.IntLit(int64(len(a.Elems)))
	case *core.Build:
		return a.Size
	}
	return nil
}

// improve returns a simpler operation with the same value.
func (s *simplifier) improve(op core.Op) core.Op {
	switch op := op.(type) {
	case *core.Map:
		return s.distinctArrays(op)
	case *core.Prim:
		if op.Prim.ID == prim.Length {
			return s.improveLength(op)
		}
	}
	return op
}

// improveLength takes the length of an array from the array that it was made from. Then the array
// need not be kept for its length.
func (s *simplifier) improveLength(p *core.Prim) core.Op {
	for {
		of := p.Args[0]
		switch a := s.bound(of).(type) {
		case *core.Map:
			of = a.Arrays[0]
		case *core.Scan:
			of = a.Array
		default:
			return p
		}
		s.changed = true
		s.recount(p.Args[0], -1)
		s.count(of)
		elem := of.Type().(*types.Array).Elem
		p = &core.Prim{Prim: p.Prim, Inst: []types.Type{elem}, Args: []core.Atom{of}}
	}
}

// distinctArrays makes a Map take each array once.
func (s *simplifier) distinctArrays(op *core.Map) *core.Map {
	kept := &core.Map{Body: op.Body}
	again := map[*core.Var]core.Atom{} // parameters that equal another one
	for i, array := range op.Arrays {
		k := slices.IndexFunc(kept.Arrays, func(a core.Atom) bool { return sameAtom(a, array) })
		if k >= 0 {
			again[op.Params[i]] = kept.Params[k]
			continue
		}
		kept.Arrays, kept.Params = append(kept.Arrays, array), append(kept.Params, op.Params[i])
	}
	if len(again) == 0 {
		return op
	}
	s.changed = true
	kept.Body = core.Clone(op.Body, again)
	return kept
}
