package opt

import "github.com/fluxion-lang/fluxion/internal/core"

// sinkUpdates moves the operations that compute a loop's next state to the end of the body, if
// they do not read the old state. Then everything that reads the old state has run before them,
// so a back end can write the new state over the old without a copy. In
//
//	loop (x, v) … do (let y = a * b; let w = f x; (y, w))
//
// y may take the place of x only after w has read x. Only total operations move, so that no
// failure comes earlier than before.
func (s *simplifier) sinkUpdates(p *core.Program) {
	p.EachDef(func(d *core.Def) {
		core.Walk(d.Body, func(stmt core.Stmt) {
			if let, ok := stmt.(*core.Let); ok {
				if loop, ok := let.Op.(*core.Loop); ok {
					s.sinkUpdate(loop)
				}
			}
		})
	})
}

func (s *simplifier) sinkUpdate(loop *core.Loop) {
	b := loop.Body
	next := updates(b)
	if next == nil {
		return
	}
	uses := map[core.Atom]int{}
	core.Atoms(b, func(a core.Atom) { uses[a]++ })
	old := map[core.Atom]bool{loop.State: true}
	var first, last []core.Stmt
	var partner core.Stmt // of the last update that was moved
	for i, stmt := range b.Stmts[:len(b.Stmts)-1] {
		let, ok := stmt.(*core.Let)
		if ok {
			if proj, isProj := let.Op.(*core.Proj); isProj && old[proj.Of] {
				old[let.Var] = true
			}
		}
		if ok && next[let.Var] && uses[let.Var] == 1 && s.sinkable(let.Op, old) {
			last, partner = append(last, stmt), nil
			if i > 0 && s.feedsOnly(b.Stmts[i-1], let.Op, uses) {
				partner = b.Stmts[i-1]
			}
		} else {
			first = append(first, stmt)
		}
	}
	if len(last) == 0 {
		return
	}
	stmts := make([]core.Stmt, 0, len(b.Stmts))
	for _, stmt := range first {
		if stmt != partner {
			stmts = append(stmts, stmt)
		}
	}
	stmts = append(stmts, last[:len(last)-1]...)
	if partner != nil {
		stmts = append(stmts, partner)
	}
	stmts = append(stmts, last[len(last)-1], b.Stmts[len(b.Stmts)-1])
	loop.Body = &core.Block{Stmts: stmts, Result: b.Result}
}

// feedsOnly reports whether a statement is a total primitive whose only use is op. The two may
// become one instruction. So the very last update, after which nothing reads the old state, takes
// such a partner along.
func (s *simplifier) feedsOnly(stmt core.Stmt, op core.Op, uses map[core.Atom]int) bool {
	let, ok := stmt.(*core.Let)
	if !ok || uses[let.Var] != 1 || !s.total(let.Op) {
		return false
	}
	if _, ok := let.Op.(*core.Prim); !ok {
		return false
	}
	fed := false
	core.OpAtoms(op, func(a core.Atom) { fed = fed || a == core.Atom(let.Var) })
	return fed
}

// updates returns the variables that form a body's next state, if that is a tuple.
func updates(b *core.Block) map[*core.Var]bool {
	if len(b.Stmts) == 0 {
		return nil
	}
	let, ok := b.Stmts[len(b.Stmts)-1].(*core.Let)
	if !ok || b.Result != core.Atom(let.Var) {
		return nil
	}
	tuple, ok := let.Op.(*core.Tuple)
	if !ok {
		return nil
	}
	next := map[*core.Var]bool{}
	for _, e := range tuple.Elems {
		if v, ok := e.(*core.Var); ok {
			next[v] = true
		}
	}
	return next
}

// sinkable reports whether an operation is a total primitive that does not read the old state.
func (s *simplifier) sinkable(op core.Op, old map[core.Atom]bool) bool {
	p, ok := op.(*core.Prim)
	if !ok || !s.total(op) {
		return false
	}
	for _, a := range p.Args {
		if old[a] {
			return false
		}
	}
	return true
}
