package region

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/lower"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// apart takes fields out of an operation that loops: fields of values from around it that are not
// data, because there are functions in them, like `solution.steps` in
//
//	[ode.at solution t for t in times]
//
// The fields that are data are bound before the operation, so that it can be a region, whose
// arguments are data.
func apart(let *core.Let) (before []core.Stmt, without *core.Let) {
	type part struct {
		of    core.Atom
		index int
	}
	outside := map[core.Atom]bool{}
	some := false
	see := func(a core.Atom, t types.Type) {
		switch types.Resolve(t).(type) {
		case *types.Tuple, *types.Record:
			outside[a] = lower.DataShapeOf(t) == nil
			some = some || outside[a]
		}
	}
	for _, v := range core.OpFreeVars(let.Op) {
		see(v, v.Ty)
	}
	core.OpAtoms(let.Op, func(a core.Atom) {
		if g, ok := a.(*core.Global); ok {
			see(g, g.Type())
		}
	})
	if !some {
		return nil, let
	}
	parts, subst := map[part]*core.Var{}, map[core.Atom]core.Atom{}
	take := func(s *core.Let) bool {
		var p part
		switch op := s.Op.(type) {
		case *core.Field:
			p = part{op.Of, op.Index}
		case *core.Proj:
			p = part{op.Of, op.Index}
		default:
			return false
		}
		if !outside[p.of] || lower.DataShapeOf(s.Var.Ty) == nil {
			return false
		}
		if parts[p] == nil {
			parts[p] = core.NewVar(s.Var.Name, s.Var.Ty)
			before = append(before, &core.Let{Var: parts[p], Op: s.Op, At: s.At})
		}
		subst[s.Var] = parts[p]
		return true
	}
	var m core.Mapper
	m.Atom = func(a core.Atom) core.Atom {
		if by := subst[a]; by != nil {
			return by
		}
		return a
	}
	m.Block = func(b *core.Block) *core.Block {
		out := &core.Block{}
		for _, s := range b.Stmts {
			switch stmt := s.(type) {
			case *core.Let:
				if take(stmt) {
					continue
				}
				s = &core.Let{Var: stmt.Var, Op: m.Op(stmt.Op), At: stmt.At}
			case *core.LetRec:
				rec := &core.LetRec{Vars: stmt.Vars, At: stmt.At}
				for _, fun := range stmt.Funs {
					rec.Funs = append(rec.Funs, m.Lambda(fun))
				}
				s = rec
			}
			out.Stmts = append(out.Stmts, s)
		}
		out.Result = m.Atom(b.Result)
		return out
	}
	op := m.Op(let.Op)
	if len(before) == 0 {
		return nil, let
	}
	return before, &core.Let{Var: let.Var, Op: op, At: let.At}
}
