package opt

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// block rewrites a block from front to back, in place.
func (s *simplifier) block(b *core.Block) *core.Block {
	var out *core.Builder
	if last := len(s.builders) - 1; last >= 0 {
		out, s.builders = s.builders[last], s.builders[:last]
	} else {
		out = &core.Builder{}
	}
	s.stmts(b.Stmts, out)
	b.Result = s.atom(b.Result)
	out.Refill(b)
	s.builders = append(s.builders, out)
	return b
}

// splice rewrites a block into the one being made and returns its result.
func (s *simplifier) splice(b *core.Block, out *core.Builder) core.Atom {
	s.changed = true
	s.stmts(b.Stmts, out)
	result := s.atom(b.Result)
	s.recount(result, -1)
	return result
}

func (s *simplifier) stmts(stmts []core.Stmt, out *core.Builder) {
	for _, stmt := range stmts {
		s.opts.Watch.Step()
		switch stmt := stmt.(type) {
		case *core.Let:
			s.let(out, stmt)
		case *core.LetRec:
			s.letRec(out, stmt)
		}
	}
}

// atom returns the replacement of an atom.
func (s *simplifier) atom(a core.Atom) core.Atom {
	switch v := a.(type) {
	case *core.Var:
		if by := s.subst.Get(v); by != nil {
			return by
		}
	case *core.Global:
		if f := s.defs[v.Name]; f != nil && f.alias != nil {
			s.changed = true
			s.recount(a, -1)
			s.count(f.alias)
			return f.alias
		}
	}
	return a
}

// become replaces a variable by another atom, which takes over its uses.
func (s *simplifier) become(v *core.Var, a core.Atom) {
	s.subst.Set(v, a)
	s.changed = true
	s.recount(a, s.occ.Get(v))
}

// let rewrites one binding. A rule that fires either replaces the variable by another atom or
// continues with a simpler operation.
func (s *simplifier) let(out *core.Builder, let *core.Let) {
	switch op := let.Op.(type) {
	case *core.If:
		s.ifThenElse(out, let, op)
		return
	case *core.Case:
		s.caseOf(out, let, op)
		return
	}
	s.parts.Update(let.Op)
	switch op := let.Op.(type) {
	case *core.Apply:
		s.apply(out, let, op)
		return
	case *core.Prim:
		for i := range op.Args {
			s.etaExpand(out, &op.Args[i], let.At)
		}
	}
	if a := s.evaluate(let.Op); a != nil {
		core.OpAtoms(let.Op, func(used core.Atom) { s.recount(used, -1) })
		s.become(let.Var, a)
		return
	}
	let.Op = s.improve(let.Op)
	s.emit(out, let)
}

// emit appends a binding, and remembers it if a rule looks for operations of its kind.
func (s *simplifier) emit(out *core.Builder, let *core.Let) {
	switch let.Op.(type) {
	case *core.Lambda, *core.Tuple, *core.Record, *core.Construct, *core.Proj, *core.Field,
		*core.Array,
		*core.Build, *core.Map, *core.Scan, *core.Prim:
		s.known.Set(let.Var, let.Op)
	}
	out.Add(let)
}

func (s *simplifier) letRec(out *core.Builder, rec *core.LetRec) {
	if len(rec.Vars) == 1 && !mentions(rec.Funs[0], rec.Vars[0]) {
		s.changed = true
		s.let(out, &core.Let{Var: rec.Vars[0], Op: rec.Funs[0], At: rec.At})
		return
	}
	for i, v := range rec.Vars {
		s.arity.Set(v, len(rec.Funs[i].Params))
	}
	for _, fun := range rec.Funs {
		s.parts.Update(fun)
	}
	out.Add(rec)
}

func mentions(op core.Op, v *core.Var) bool {
	found := false
	core.OpAtoms(op, func(a core.Atom) { found = found || a == core.Atom(v) })
	return found
}

// ---- choices

func (s *simplifier) ifThenElse(out *core.Builder, let *core.Let, op *core.If) {
	cond, then, otherwise := s.atom(op.Cond), op.Then, op.Else
	if c, ok := cond.(*core.Var); ok {
		if p, ok := s.known.Get(c).(*core.Prim); ok && p.Prim.ID == prim.Not {
			s.changed = true
			s.recount(cond, -1)
			cond, then, otherwise = p.Args[0], otherwise, then
			s.count(cond)
		}
	}
	switch c := cond.(type) {
	case *core.Lit:
		taken, dropped := then, otherwise
		if !c.Bool {
			taken, dropped = otherwise, then
		}
		s.forget(dropped)
		s.become(let.Var, s.splice(taken, out))
		return
	case *core.Var:
		// Within a branch the condition is known.
		s.subst.Set(c, core.BoolLit(true))
		then = s.block(then)
		s.subst.Set(c, core.BoolLit(false))
		otherwise = s.block(otherwise)
		s.subst.Set(c, nil)
	default:
		then, otherwise = s.block(then), s.block(otherwise)
	}
	if a := sameResult(cond, then, otherwise); a != nil {
		s.become(let.Var, a)
		return
	}
	op.Cond, op.Then, op.Else = cond, then, otherwise
	s.emit(out, let)
}

// sameResult returns the value of a choice between two atoms, if it needs no choice.
func sameResult(cond core.Atom, then, otherwise *core.Block) core.Atom {
	if len(then.Stmts) > 0 || len(otherwise.Stmts) > 0 {
		return nil
	}
	if sameAtom(then.Result, otherwise.Result) {
		return then.Result
	}
	a, ok := then.Result.(*core.Lit)
	b, ok2 := otherwise.Result.(*core.Lit)
	if ok && ok2 && a.Ty == types.Type(types.Bool) && a.Bool && !b.Bool {
		return cond
	}
	return nil
}

func sameAtom(a, b core.Atom) bool {
	switch a := a.(type) {
	case *core.Lit:
		b, ok := b.(*core.Lit)
		return ok && core.SameLit(a, b)
	case *core.Global:
		b, ok := b.(*core.Global)
		return ok && a.Name == b.Name
	}
	return a == b
}

// forget subtracts the uses in a block that is dropped.
func (s *simplifier) forget(b *core.Block) {
	core.Atoms(b, func(a core.Atom) { s.recount(a, -1) })
}

func (s *simplifier) caseOf(out *core.Builder, let *core.Let, op *core.Case) {
	op.Of = s.atom(op.Of)
	x, isVar := op.Of.(*core.Var)
	var before core.Op
	if isVar {
		before = s.known.Get(x)
		if con, ok := before.(*core.Construct); ok {
			s.recount(op.Of, -1)
			s.become(let.Var, s.knownCase(out, op, con))
			return
		}
	}
	for _, arm := range op.Arms {
		// Within an arm the scrutinee is known.
		if data, ok := op.Of.Type().(*types.Data); isVar && ok {
			fields := make([]core.Atom, len(arm.Vars))
			for k, field := range arm.Vars {
				fields[k] = field
			}
			s.known.Set(x, &core.Construct{Con: arm.Con, Ty: data, Args: fields})
		}
		s.block(arm.Body)
	}
	if isVar {
		s.known.Set(x, before)
	}
	if op.Default != nil {
		s.block(op.Default)
	}
	s.emit(out, let)
}

// knownCase takes the arm of a constructor.
func (s *simplifier) knownCase(out *core.Builder, op *core.Case, con *core.Construct) core.Atom {
	taken := op.Default
	for _, arm := range op.Arms {
		if arm.Con != con.Con {
			s.forget(arm.Body)
			continue
		}
		taken = arm.Body
		for i, field := range arm.Vars {
			s.become(field, con.Args[i])
		}
	}
	if op.Default != nil && taken != op.Default {
		s.forget(op.Default)
	}
	return s.splice(taken, out)
}
