package opt

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// block rewrites a block from front to back.
func (s *simplifier) block(b *core.Block) *core.Block {
	var out core.Builder
	out.Grow(len(b.Stmts))
	s.stmts(b.Stmts, &out)
	return out.Block(s.atom(b.Result))
}

// splice rewrites a block into the one being made and gives its result.
func (s *simplifier) splice(b *core.Block, out *core.Builder) core.Atom {
	s.changed = true
	s.stmts(b.Stmts, out)
	result := s.atom(b.Result)
	s.recount(result, -1)
	return result
}

func (s *simplifier) stmts(stmts []core.Stmt, out *core.Builder) {
	for _, stmt := range stmts {
		switch stmt := stmt.(type) {
		case *core.Let:
			s.let(out, stmt.Var, stmt.Op, stmt.At)
		case *core.LetRec:
			s.letRec(out, stmt)
		}
	}
}

// atom is what an atom has become.
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

func (s *simplifier) atoms(as []core.Atom) []core.Atom {
	mapped := make([]core.Atom, len(as))
	for i, a := range as {
		mapped[i] = s.atom(a)
	}
	return mapped
}

// become makes a variable another atom, which gets its uses.
func (s *simplifier) become(v *core.Var, a core.Atom) {
	s.subst.Set(v, a)
	s.changed = true
	s.recount(a, s.occ.Get(v))
}

// let rewrites one binding. A rule that fires either makes the variable
// another atom or goes on with a simpler operation.
func (s *simplifier) let(out *core.Builder, v *core.Var, op core.Op, at diag.Span) {
	switch op := op.(type) {
	case *core.If:
		s.ifThenElse(out, v, op, at)
		return
	case *core.Case:
		s.caseOf(out, v, op, at)
		return
	case *core.Apply:
		s.apply(out, v, s.atom(op.Fun), s.atoms(op.Args), at)
		return
	}
	m := core.Mapper{Atom: s.atom, Block: s.block}
	op = m.Op(op)
	if p, ok := op.(*core.Prim); ok {
		for i := range p.Args {
			s.etaExpand(out, &p.Args[i], at)
		}
	}
	if a := s.evaluate(op); a != nil {
		core.OpAtoms(op, func(used core.Atom) { s.recount(used, -1) })
		s.become(v, a)
		return
	}
	s.emit(out, v, s.improve(op), at)
}

// emit appends a binding and remembers it if a rule looks for its kind.
func (s *simplifier) emit(out *core.Builder, v *core.Var, op core.Op, at diag.Span) {
	switch op.(type) {
	case *core.Lambda, *core.Tuple, *core.Record, *core.Construct, *core.Proj, *core.Field, *core.Array,
		*core.Build, *core.Map, *core.Scan, *core.Prim:
		s.known.Set(v, op)
	}
	out.Bind(v, op, at)
}

func (s *simplifier) letRec(out *core.Builder, rec *core.LetRec) {
	if len(rec.Vars) == 1 && !mentions(rec.Funs[0], rec.Vars[0]) {
		s.changed = true
		s.let(out, rec.Vars[0], rec.Funs[0], rec.At)
		return
	}
	for i, v := range rec.Vars {
		s.arity.Set(v, len(rec.Funs[i].Params))
	}
	m := core.Mapper{Atom: s.atom, Block: s.block}
	funs := make([]*core.Lambda, len(rec.Funs))
	for i, fun := range rec.Funs {
		funs[i] = m.Lambda(fun)
	}
	out.LetRec(rec.Vars, funs, rec.At)
}

func mentions(op core.Op, v *core.Var) bool {
	found := false
	core.OpAtoms(op, func(a core.Atom) { found = found || a == core.Atom(v) })
	return found
}

// ---- choices

func (s *simplifier) ifThenElse(out *core.Builder, v *core.Var, op *core.If, at diag.Span) {
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
		s.become(v, s.splice(taken, out))
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
		s.become(v, a)
		return
	}
	s.emit(out, v, &core.If{Cond: cond, Then: then, Else: otherwise}, at)
}

// sameResult is the value of a choice between two atoms, if that needs no
// choice.
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

// forget takes back the uses of a block that is dropped.
func (s *simplifier) forget(b *core.Block) {
	core.Atoms(b, func(a core.Atom) { s.recount(a, -1) })
}

func (s *simplifier) caseOf(out *core.Builder, v *core.Var, op *core.Case, at diag.Span) {
	of := s.atom(op.Of)
	x, isVar := of.(*core.Var)
	var before core.Op
	if isVar {
		before = s.known.Get(x)
		if con, ok := before.(*core.Construct); ok {
			s.recount(of, -1)
			s.become(v, s.knownCase(out, op, con))
			return
		}
	}
	c := &core.Case{Of: of, Arms: make([]core.Arm, len(op.Arms))}
	for i, arm := range op.Arms {
		// Within an arm the scrutinee is known.
		if data, ok := of.Type().(*types.Data); isVar && ok {
			fields := make([]core.Atom, len(arm.Vars))
			for k, field := range arm.Vars {
				fields[k] = field
			}
			s.known.Set(x, &core.Construct{Con: arm.Con, Ty: data, Args: fields})
		}
		c.Arms[i] = core.Arm{Con: arm.Con, Vars: arm.Vars, Body: s.block(arm.Body)}
	}
	if isVar {
		s.known.Set(x, before)
	}
	if op.Default != nil {
		c.Default = s.block(op.Default)
	}
	s.emit(out, v, c, at)
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
