package pass

import (
	"math"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/facts"
)

// Note [Checks]
//
// Of every integer an enclosure is kept, and a polynomial in other integers where the operations
// that made it cannot wrap around. An index of a loop is at least 0 and less than the count; what
// has been checked, and the condition of a branch, hold from there on. A comparison that follows
// is replaced by its truth value, and a check of it goes away.
//
// A check that stays leaves the loops around it, if each turn makes it and it either does not
// depend on the turn or is a comparison that is affine in the index: then the first turn
// or the last decides. So an inner loop has no checks of indices:
//
//	for i < n { check (lt.i i m); … }      →      check (or (le.i n 0) (lt.i n-1 m)); for i < n { … }
//
// In a loop of n turns, n > 0, so that n - 1 < m is known there.
//
// To fail too early is always allowed: the caller then computes in another way.

// Checks removes checks that hold, and moves others out of loops: Note [Checks].
func Checks(f *loop.Func) { checksWith(f, nil) }

func checksWith(f *loop.Func, k *known) {
	before := f.Body
	p := prove(f, k)
	k.keepProver(p, before, f.Body)
}

func (p *prover) block(b *loop.Block) *loop.Block {
	out, mark := loop.Rebuild(b), len(p.trail)
	for _, s := range b.Stmts {
		p.stmt(out, s)
	}
	yield := p.atoms(b.Yield)
	p.undo(mark)
	return out.Rebuilt(b, yield)
}

// stmt appends what a statement becomes. Only integers and truth values are replaced, so that much
// of a statement about doubles and buffers stays.
func (p *prover) stmt(out *loop.Builder, s loop.Stmt) {
	switch s := s.(type) {
	case *loop.Let:
		p.operation(out, s)
	case *loop.Load:
		if s.Buf.Kind != loop.F64s {
			p.add(s.Var)
		}
		if at := p.instead(s.At); at != nil {
			s = &loop.Load{Var: s.Var, Buf: s.Buf, At: at}
		}
		out.Add(s)
	case *loop.Store:
		if p.instead(s.At) != nil || s.Buf.Kind != loop.F64s && p.instead(s.Value) != nil {
			s = &loop.Store{Buf: s.Buf, At: p.atom(s.At), Value: p.atom(s.Value)}
		}
		out.Add(s)
	case *loop.Accum:
		if at := p.instead(s.At); at != nil {
			s = &loop.Accum{Buf: s.Buf, At: at, Value: s.Value}
		}
		out.Add(s)
	case *loop.Alloc:
		p.add(s.Var)
		if n := p.instead(s.Len); n != nil {
			s = &loop.Alloc{Var: s.Var, Len: n, Zero: s.Zero}
		}
		out.Add(s)
	case *loop.Length:
		p.add(s.Var).Span = facts.Span{Lo: 0, Hi: longest}
		out.Add(s)
	case *loop.Check:
		if cond := p.atom(s.Cond); !p.holds(cond) {
			if cond != s.Cond {
				s = &loop.Check{Cond: cond, At: s.At}
			}
			out.Add(s)
			p.assume(cond, true)
		}
	case *loop.If:
		loop.Defs(s, p.binds)
		cond, mark := p.atom(s.Cond), len(p.trail)
		side := func(b *loop.Block, holds bool) *loop.Block {
			p.assume(cond, holds)
			b = p.block(b)
			p.undo(mark)
			return b
		}
		then, otherwise := side(s.Then, true), side(s.Else, false)
		if cond != s.Cond || then != s.Then || otherwise != s.Else {
			s = &loop.If{Cond: cond, Results: s.Results, Then: then, Else: otherwise}
		}
		p.branched(s)
		out.Add(s)
	case *loop.For:
		loop.Defs(s, p.binds)
		p.loop(out, s)
	default:
		loop.Defs(s, p.binds)
		loop.Params(s, p.binds)
		out.Add(p.m.Stmt(s))
	}
}

// operation appends an operation, unless its result is known.
func (p *prover) operation(out *loop.Builder, s *loop.Let) {
	if s.Op.OfReals { // nothing is known of doubles
		if s.Op.Result != loop.F64 {
			p.add(s.Var).let = s
		}
		out.Add(s)
		return
	}
	args := p.atoms(s.Args)
	if s.Op.Result == loop.F64 {
		if changed(args, s.Args) {
			s = loop.NewLet(s.Var, s.Op, args...)
		}
		out.Add(s)
		return
	}
	v := p.add(s.Var)
	if s.Op.Result == loop.Bool {
		if value, known := p.truth(s.Op, args); known {
			v.to = truth(value)
			return
		}
	}
	if s.Op == loop.MinI || s.Op == loop.MaxI {
		if first, known := p.truth(loop.LeI, args); known { // which is the smaller one
			v.to = args[1]
			if first == (s.Op == loop.MinI) {
				v.to = args[0]
			}
			return
		}
	}
	if changed(args, s.Args) {
		s = loop.NewLet(s.Var, s.Op, args...)
	}
	if v.let = s; s.Op.Result == loop.I64 {
		p.integer(v, s)
	}
	out.Add(s)
}

// changed tells whether atoms are not the same slice.
func changed(now, was []loop.Atom) bool { return len(now) > 0 && &now[0] != &was[0] }

// loop does the body of a loop, and takes checks out of it.
func (p *prover) loop(out *loop.Builder, s *loop.For) {
	count := p.smaller(p.atom(s.Count))
	if count != s.Count {
		y := *s
		y.Count, s = count, &y
	}
	if p.span(count).Hi > mostTurns && checking(s.Body) {
		few := loop.NewVar("few", loop.Bool)
		p.stmt(out, &loop.Let{Var: few, Op: loop.LeI, Args: []loop.Atom{count, loop.Int(mostTurns)}})
		p.stmt(out, &loop.Check{Cond: few})
	}
	mark := len(p.trail)
	loop.Params(s, p.binds)
	i := p.variable(s.Index)
	i.Span, i.upper = facts.Span{Lo: 0, Hi: max(p.span(count).Hi, 1) - 1}, p.before(count)
	if n, ok := count.(*loop.Var); ok {
		p.narrow(p.number(n), facts.Span{Lo: 1, Hi: math.MaxInt64})
		p.turns(n)
		p.decide(n)
	}
	var leaving []loop.Stmt
	m := p.m
	m.Block = func(b *loop.Block) *loop.Block {
		b, leaving = p.leave(s, count, p.block(b))
		return b
	}
	y := m.Stmt(s)
	p.undo(mark)
	for _, x := range leaving {
		p.stmt(out, x)
	}
	out.Add(y)
}

// smaller returns the argument of a minimum that is known to be the smaller one, and other atoms as
// they are.
func (p *prover) smaller(a loop.Atom) loop.Atom {
	if let := p.let(a); let != nil && let.Op == loop.MinI {
		if first, known := p.truth(loop.LeI, let.Args); known && first {
			return p.atom(let.Args[0])
		} else if known {
			return p.atom(let.Args[1])
		}
	}
	return a
}

// turns takes note of what follows from a count being positive: where it is the larger one of an
// integer and 0, it is that integer, and where it is the smaller one of two, both are positive.
func (p *prover) turns(count *loop.Var) {
	let := p.let(count)
	switch {
	case let == nil:
	case let.Op == loop.MaxI && isInt(let.Args[1], 0):
		p.fact(p.difference(let.Args[0], count))
	case let.Op == loop.MinI:
		for _, a := range let.Args {
			if v, ok := a.(*loop.Var); ok {
				p.narrow(p.number(v), facts.Span{Lo: 1, Hi: math.MaxInt64})
				p.turns(v)
			}
		}
	}
}

// checking tells whether there are checks in a block.
func checking(b *loop.Block) bool { return loop.Any(b, isCheck) }

func isCheck(s loop.Stmt) bool {
	_, ok := s.(*loop.Check)
	return ok
}

// leave separates the checks that can be made in front of a loop from what its body has become.
func (p *prover) leave(s *loop.For, count loop.Atom, body *loop.Block) (*loop.Block, []loop.Stmt) {
	if !slices.ContainsFunc(body.Stmts, isCheck) {
		return body, nil
	}
	in := &inside{p: p, loop: s, body: body, first: p.number(s.Index)}
	stays, out := loop.Rebuild(body), &loop.Builder{}
	for _, x := range body.Stmts {
		c, ok := x.(*loop.Check)
		if !ok {
			stays.Add(x)
			continue
		}
		turn := in.decisive(out, count, c.Cond)
		if turn == nil {
			stays.Add(x)
			continue
		}
		copier := loop.NewCopier()
		copier.Set(s.Index, turn)
		cond := in.copy(out, copier, c.Cond)
		copier.Release()
		if k, ok := count.(*loop.Const); !ok || k.I < 1 {
			none := out.Let("none", loop.LeI, count, loop.Int(0))
			cond = out.Let("ok", loop.Or, none, cond)
		}
		out.Check(cond, c.At)
	}
	return stays.Rebuilt(body, body.Yield), out.Stmts
}

// inside knows what a loop binds, for its checks.
type inside struct {
	p     *prover
	loop  *loop.For
	body  *loop.Block            // what the body has become
	first int32                  // the number of the index, which is bound first
	reals loop.VarMap[loop.Stmt] // what binds doubles, once one has been asked for
	asked bool
}

// binds tells whether the loop binds an atom, and by which operation if it is one.
func (in *inside) binds(a loop.Atom) (let *loop.Let, yes bool) {
	v, ok := a.(*loop.Var)
	switch {
	case !ok:
		return nil, false
	case v.Kind != loop.F64:
		n := in.p.number(v)
		return in.p.vars[n].let, n >= in.first
	case !in.asked:
		in.asked = true
		loop.Params(in.loop, func(v *loop.Var) { in.reals.Set(v, in.loop) })
		for _, s := range in.body.Stmts {
			loop.Defs(s, func(v *loop.Var) { in.reals.Set(v, s) })
		}
	}
	s := in.reals.Get(v)
	let, _ = s.(*loop.Let)
	return let, s != nil
}

// decisive is a turn of the loop whose check decides for all, or nil.
func (in *inside) decisive(out *loop.Builder, count, cond loop.Atom) loop.Atom {
	p, i := in.p, in.loop.Index
	varies, copyable := false, true
	var seen loop.VarSet
	var visit func(a loop.Atom)
	visit = func(a loop.Atom) {
		let, here := in.binds(a)
		if !here || seen.Has(a.(*loop.Var)) {
			return
		}
		seen.Add(a.(*loop.Var))
		switch {
		case a == loop.Atom(i):
			varies = true
		case let == nil:
			copyable = false
		default:
			for _, x := range let.Args {
				visit(x)
			}
		}
	}
	visit(cond)
	switch {
	case !copyable:
		return nil
	case !varies:
		return loop.Int(0)
	}
	let := p.let(cond)
	if let == nil || let.Op != loop.LtI && let.Op != loop.LeI {
		return nil
	}
	e := p.difference(let.Args[1], let.Args[0])
	sign := int64(0)
	for _, t := range e {
		for m := t.M; m != 0; m = m.Rest() {
			if m.Last() > in.first {
				return nil // what it is in another turn is not known
			}
		}
		if !t.M.Has(in.first) {
			continue
		}
		rest, once := t.M.Without(in.first)
		if !once || !p.natural(rest) || sign*t.C < 0 {
			return nil
		}
		sign = t.C
	}
	if e == nil || sign == 0 {
		return nil
	}
	if sign > 0 {
		return loop.Int(0)
	}
	return out.Let("last", loop.AddI, count, loop.Int(-1))
}

// copy copies the operations of the body that an atom is made by.
func (in *inside) copy(out *loop.Builder, c *loop.Copier, a loop.Atom) loop.Atom {
	let, here := in.binds(a)
	if !here {
		return a
	}
	if to := c.Atom(a); to != a {
		return to
	}
	var room [3]loop.Atom
	args := room[:len(let.Args)]
	for i, x := range let.Args {
		args[i] = in.copy(out, c, x)
	}
	to := out.Let(let.Var.Name, let.Op, args...)
	c.Set(let.Var, to)
	return to
}
