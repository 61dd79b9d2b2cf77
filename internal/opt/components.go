package opt

import "github.com/fluxion-lang/fluxion/internal/core"

// componentsFirst takes tuples and records apart as soon as they exist. That costs nothing, and a
// component that is no longer used is not kept alive by the rest of its tuple. In
//
//	let xs = field a s; let ys = scatter xs …; let k = field k s
//
// scatter is the last use of xs, but not of s. If k is taken first, scatter may change the array
// in place.
func componentsFirst(p *core.Program) {
	p.EachDef(func(d *core.Def) { componentsOf(d.Body) })
}

func componentsOf(b *core.Block) {
	some := false
	nested := core.Parts{Block: componentsOf}
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *core.LetRec:
			for _, fun := range s.Funs {
				componentsOf(fun.Body)
			}
		case *core.Let:
			switch s.Op.(type) {
			case *core.Proj, *core.Field:
				some = true
			}
			nested.Visit(s.Op)
		}
	}
	if !some {
		return
	}
	var bound core.VarSet
	components := map[core.Atom][]core.Stmt{} // of a tuple or record, in order
	// components of values that the block does not bind; the rest
	var outside, others []core.Stmt
	for _, s := range b.Stmts {
		let, ok := s.(*core.Let)
		if !ok {
			for _, v := range s.(*core.LetRec).Vars {
				bound.Add(v)
			}
			others = append(others, s)
			continue
		}
		bound.Add(let.Var)
		var of core.Atom
		switch op := let.Op.(type) {
		case *core.Proj:
			of = op.Of
		case *core.Field:
			of = op.Of
		default:
			others = append(others, s)
			continue
		}
		if v, ok := of.(*core.Var); ok && bound.Has(v) {
			components[of] = append(components[of], s)
		} else {
			outside = append(outside, s)
		}
	}
	stmts := make([]core.Stmt, 0, len(b.Stmts))
	var add func(list []core.Stmt)
	add = func(list []core.Stmt) {
		for _, s := range list {
			stmts = append(stmts, s)
			if let, ok := s.(*core.Let); ok {
				add(components[let.Var])
			}
		}
	}
	add(outside)
	add(others)
	b.Stmts = stmts
}
