package pass

import (
	"math"
	"slices"
	"sync"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Simplify evaluates operations on literals, applies the algebra of zeros, ones, signs and truth
// values, decides branches and loops whose condition or count is known, and removes states and
// totals that do not change.
//
// x * 0 stays, since x may not be finite, and so does x + 0, if x may be -0.
//
// An operation that was met before and has stayed as it was stays again, unless something has
// changed that it is made of. So Optimize keeps what one run has found for the next one.
func Simplify(f *loop.Func) { simplifyWith(f, nil) }

func simplifyWith(f *loop.Func, k *known) {
	s := k.takeSimplifier()
	f.Body = s.block(f.Body)
	s.subst.Clear()
	s.lens.Clear()
	s.lengths.Clear()
	s.changed.Clear()
	k.keepSimplifier(s)
}

var simplifiers = sync.Pool{New: func() any {
	s := &simplifier{}
	s.rewriter = newRewriter(s.block)
	return s
}}

type simplifier struct {
	*rewriter
	lens    loop.VarMap[loop.Atom] // the lengths of buffers, where known
	lengths loop.VarMap[bool]      // variables that are the length of a buffer
	facts   []*loop.Var            // those that stand for others by a check
	changed loop.VarSet            // variables that are replaced, or are not what they were in the last run

	// What is kept for the next run.
	defs     loop.VarMap[*loop.Let] // the operations bound so far
	settled  loop.VarSet            // variables whose operations have stayed as they were
	positive loop.VarSet            // reals that have no sign: see unsigned
}

// release gives the memory back, for others.
func (s *simplifier) release() {
	s.defs.Clear()
	s.settled.Clear()
	s.positive.Clear()
	simplifiers.Put(s)
}

// replace makes an atom stand for a variable.
func (s *simplifier) replace(v *loop.Var, by loop.Atom) {
	s.subst.Set(v, by)
	s.changed.Add(v)
}

// stays tells whether an operation was met before, and what it is made of is what it was.
func (s *simplifier) stays(x *loop.Let) bool {
	if s.defs.Get(x.Var) != x || !s.settled.Has(x.Var) {
		return false
	}
	for _, a := range x.Args {
		if s.changed.HasAtom(a) {
			return false
		}
	}
	return true
}

// define takes note of what an operation has become.
func (s *simplifier) define(was, now *loop.Let) {
	v := now.Var
	positive := s.positive.Has(v)
	if s.sign(now) {
		s.positive.Add(v)
	} else {
		s.positive.Remove(v)
	}
	if s.defs.Get(v) != now || positive != s.positive.Has(v) {
		s.defs.Set(v, now)
		s.changed.Add(v)
	}
	if was == now {
		s.settled.Add(v)
	} else {
		s.settled.Remove(v)
	}
}

// bound takes note of a variable that is not bound by an operation. It may have been in the last
// run.
func (s *simplifier) bound(v *loop.Var) {
	if s.defs.Get(v) != nil {
		s.defs.Set(v, nil)
		s.positive.Remove(v)
		s.changed.Add(v)
	}
}

func (s *simplifier) block(b *loop.Block) *loop.Block {
	out := loop.Rebuild(b)
	facts := len(s.facts)
	yield := b.Yield
	for i, x := range b.Stmts {
		s.stmt(out, x)
		if c, ok := x.(*loop.Check); ok && isFalse(s.atom(c.Cond)) && slices.ContainsFunc(b.Stmts[i+1:], isSome) {
			yield = unreached(out, b.Stmts[i+1:], b.Yield)
			break
		}
	}
	yield = s.atoms(yield)
	for _, v := range s.facts[facts:] {
		s.subst.Set(v, nil)
	}
	s.facts = s.facts[:facts]
	return out.Rebuilt(b, yield)
}

// unreached is what a block yields of which some statements never run, since a check before them
// fails: zeroes, and buffers without elements, stand for what they would bind.
func unreached(out *loop.Builder, stmts []loop.Stmt, yield []loop.Atom) []loop.Atom {
	var bound loop.VarSet
	for _, s := range stmts {
		loop.Defs(s, bound.Add)
	}
	yield = slices.Clone(yield)
	for i, a := range yield {
		switch k := a.AtomKind(); {
		case !bound.HasAtom(a):
		case k.IsBuffer():
			yield[i] = out.Alloc("none", k, loop.Int(0), true)
		default:
			yield[i] = loop.Literal(k, 0)
		}
	}
	return yield
}

// isSome tells whether a statement is not one that unreached makes.
func isSome(s loop.Stmt) bool {
	a, ok := s.(*loop.Alloc)
	return !ok || !isConst(a.Len, func(k *loop.Const) bool { return k.I == 0 })
}

// fact takes note of two integers that a check has found to be equal. After it, one stands for
// both.
func (s *simplifier) fact(cond loop.Atom) {
	eq := s.by(loop.EqI, cond)
	if eq == nil {
		return
	}
	a, b := s.atom(eq[0]), s.atom(eq[1])
	v, ok := a.(*loop.Var)
	if same(a, b) || !ok {
		return
	}
	if w, ok := b.(*loop.Var); ok && s.lengths.Get(w) && !s.lengths.Get(v) {
		v, b = w, a // a size is better than the length of a buffer
	}
	s.replace(v, b)
	s.facts = append(s.facts, v)
}

func (s *simplifier) stmt(out *loop.Builder, x loop.Stmt) {
	switch x := x.(type) {
	case *loop.Let:
		if s.stays(x) {
			out.Add(x)
		} else {
			s.let(out, x)
		}
		return
	case *loop.Load:
		s.bound(x.Var)
		if !s.changed.Has(x.Buf) && !s.changed.HasAtom(x.At) {
			out.Add(x)
			return
		}
	case *loop.Store:
		if !s.changed.Has(x.Buf) && !s.changed.HasAtom(x.At) && !s.changed.HasAtom(x.Value) {
			out.Add(x)
			return
		}
	case *loop.Accum:
		if !s.changed.Has(x.Buf) && !s.changed.HasAtom(x.At) && !s.changed.HasAtom(x.Value) {
			out.Add(x)
			return
		}
	case *loop.Length:
		s.bound(x.Var)
		if n := s.lens.Get(s.atom(x.Buf).(*loop.Var)); n != nil {
			s.replace(x.Var, n)
			return
		}
		s.lengths.Set(x.Var, true)
	case *loop.Check:
		cond := s.atom(x.Cond)
		if isTrue(cond) {
			return
		}
		out.Add(s.m.Stmt(x))
		s.fact(cond)
		return
	case *loop.If:
		loop.Defs(x, s.bound)
		s.branch(out, x)
		return
	case *loop.For:
		loop.Defs(x, s.bound)
		loop.Params(x, s.bound)
		s.loop(out, x)
		return
	case *loop.While, *loop.Call:
		loop.Defs(x, s.bound)
		loop.Params(x, s.bound)
	}
	y := s.m.Stmt(x)
	switch y := y.(type) {
	case *loop.Alloc:
		s.lens.Set(y.Var, y.Len)
	case *loop.Copy:
		s.sameLength(y.Var, y.Buf)
	case *loop.Update:
		s.sameLength(y.Var, y.Buf)
	}
	out.Add(y)
}

func (s *simplifier) sameLength(v, like *loop.Var) {
	if n := s.lens.Get(like); n != nil {
		s.lens.Set(v, n)
	}
}

func isTrue(a loop.Atom) bool  { return isConst(a, func(k *loop.Const) bool { return k.I != 0 }) }
func isFalse(a loop.Atom) bool { return isConst(a, func(k *loop.Const) bool { return k.I == 0 }) }

func isConst(a loop.Atom, is func(*loop.Const) bool) bool {
	k, ok := a.(*loop.Const)
	return ok && is(k)
}

func isReal(a loop.Atom, x float64) bool {
	return isConst(a, func(k *loop.Const) bool { return k.Kind == loop.F64 && math.Float64bits(k.F) == math.Float64bits(x) })
}

func isInt(a loop.Atom, n int64) bool {
	return isConst(a, func(k *loop.Const) bool { return k.Kind != loop.F64 && k.I == n })
}

func (s *simplifier) let(out *loop.Builder, x *loop.Let) {
	args := s.atoms(x.Args)
	if c := loop.Fold(x.Op, args); c != nil {
		s.replace(x.Var, c)
		return
	}
	op, args := s.canonical(x.Op, args)
	if op == loop.PowI && (isInt(args[1], 3) || isInt(args[1], 4)) {
		square := out.Let("t", loop.MulF, args[0], args[0])
		if op = loop.MulF; isInt(args[1], 3) {
			args = []loop.Atom{square, args[0]}
		} else {
			args = []loop.Atom{square, square}
		}
	}
	if op == loop.DivF && isReal(args[0], 0.5) && s.by(loop.Sqrt, args[1]) != nil {
		// The slope of a root. Its inverse is often needed too, and half of that is exact: neither
		// is near the ends of the doubles.
		op, args = loop.MulF, []loop.Atom{out.Let("t", loop.DivF, loop.Real(1), args[1]), args[0]}
	}
	if op == loop.SelB {
		switch {
		case isFalse(args[1]):
			op, args = loop.And, []loop.Atom{out.Let("t", loop.Not, args[0]), args[2]}
		case isTrue(args[2]):
			op, args = loop.Or, []loop.Atom{out.Let("t", loop.Not, args[0]), args[1]}
		}
	}
	if a := s.identity(op, args); a != nil {
		s.replace(x.Var, a)
		return
	}
	if c := loop.Fold(op, args); c != nil {
		s.replace(x.Var, c)
		return
	}
	y := x
	if op != x.Op || len(args) > 0 && &args[0] != &x.Args[0] {
		y = loop.NewLet(x.Var, op, args...)
	}
	s.define(x, y)
	out.Add(y)
}

// branch chooses a block whose condition is known, and drops results that are the same in both.
func (s *simplifier) branch(out *loop.Builder, x *loop.If) {
	cond := s.atom(x.Cond)
	if _, ok := cond.(*loop.Const); ok {
		b := x.Else
		if isTrue(cond) {
			b = x.Then
		}
		for _, y := range b.Stmts {
			s.stmt(out, y)
		}
		for i, v := range x.Results {
			s.replace(v, s.atom(b.Yield[i]))
		}
		return
	}
	then, otherwise := s.block(x.Then), s.block(x.Else)
	dropped := make([]bool, len(x.Results))
	for i, v := range x.Results {
		switch a, b := then.Yield[i], otherwise.Yield[i]; {
		case same(a, b):
			s.replace(v, a)
			dropped[i] = true
		case v.Kind == loop.Bool && isTrue(a) && isFalse(b):
			s.replace(v, cond)
			dropped[i] = true
		}
	}
	results := without(x.Results, dropped)
	then, otherwise = yielding(then, without(then.Yield, dropped)), yielding(otherwise, without(otherwise.Yield, dropped))
	if cond != x.Cond || then != x.Then || otherwise != x.Else || len(results) != len(x.Results) {
		x = &loop.If{Results: results, Cond: cond, Then: then, Else: otherwise}
	}
	out.Add(x)
}

// loop removes a loop that has no turn or just one, states that stay the same, and totals to
// which nothing is added.
func (s *simplifier) loop(out *loop.Builder, x *loop.For) {
	count := s.atom(x.Count)
	if k, ok := count.(*loop.Const); ok && (k.I <= 0 || k.I == 1 && !updates(x)) { // only states are updated
		s.fewTurns(out, x, k.I)
		return
	}
	// A state that stays the same is found before the body is rewritten.
	dropped := make([]bool, len(x.Body.Yield))
	for i, st := range x.States {
		init := s.atom(st.Init)
		if y := x.Body.Yield[i]; y == loop.Atom(st.Var) || same(s.atom(y), init) {
			s.replace(st.Var, init)
			s.replace(st.Result, init)
			dropped[i] = true
			continue
		}
		if st.Var.Kind.IsBuffer() {
			st.Init = init
			n := s.stateLength(st, x.Body, x.Body.Yield[i])
			s.lens.Set(st.Var, n)
			s.lens.Set(st.Result, n)
		}
	}
	m := s.m
	m.Block = func(b *loop.Block) *loop.Block {
		b = s.block(b)
		for i, r := range x.Reds {
			n := len(x.States) + i
			if init := s.atom(r.Init); adds(r.Op, init, b.Yield[n]) {
				s.replace(r.Result, init)
				dropped[n] = true
			}
		}
		return b
	}
	y := m.Stmt(x).(*loop.For)
	states, reds := without(y.States, dropped), without(y.Reds, dropped[len(x.States):])
	body := yielding(y.Body, without(y.Body.Yield, dropped))
	parallel := y.Parallel || len(states) == 0 && independent(body)
	if body != y.Body || len(states) != len(y.States) || len(reds) != len(y.Reds) || parallel != y.Parallel {
		y = &loop.For{Index: y.Index, Count: y.Count, Parallel: parallel, Lanes: y.Lanes, States: states, Reds: reds, Body: body,
			Thrifty: y.Thrifty && !parallel}
	}
	out.Add(y)
}

// stateLength is the length of a state that is a buffer, if it is known to be the same in all
// turns, else nil.
func (s *simplifier) stateLength(st loop.State, body *loop.Block, next loop.Atom) loop.Atom {
	n := s.lens.Get(st.Init.(*loop.Var))
	if n == nil {
		return nil
	}
	for _, x := range body.Stmts {
		if a, ok := x.(*loop.Alloc); ok && loop.Atom(a.Var) == next && same(s.atom(a.Len), n) {
			return n
		}
	}
	return nil
}

// independent tells whether the turns of a loop without states, with a body, may run in any order.
func independent(body *loop.Block) bool { return !loop.Any(body, isUpdate) }

func isUpdate(s loop.Stmt) bool {
	_, ok := s.(*loop.Update)
	return ok
}

// adds tells whether adding part to a total that starts with init any number of times leaves it.
func adds(op *loop.Op, init, part loop.Atom) bool {
	switch op {
	case loop.AddF:
		k, ok := init.(*loop.Const)
		return isReal(part, 0) && ok && !(k.F == 0 && math.Signbit(k.F)) || isReal(part, math.Copysign(0, -1))
	case loop.AddI:
		return isInt(part, 0)
	case loop.Or:
		return isFalse(part)
	case loop.And:
		return isTrue(part)
	case loop.MulF:
		return isReal(part, 1)
	}
	return false
}

// fewTurns unrolls a loop of no turn or one.
func (s *simplifier) fewTurns(out *loop.Builder, x *loop.For, turns int64) {
	last := make([]loop.Atom, 0, len(x.Body.Yield))
	for _, st := range x.States {
		last = append(last, s.atom(st.Init))
	}
	for _, r := range x.Reds {
		last = append(last, s.atom(r.Init))
	}
	if turns == 1 {
		s.replace(x.Index, loop.Int(0))
		for i, st := range x.States {
			s.replace(st.Var, last[i])
		}
		for _, y := range x.Body.Stmts {
			s.stmt(out, y)
		}
		yield := s.atoms(x.Body.Yield)
		copy(last, yield[:len(x.States)])
		for i, r := range x.Reds {
			n := len(x.States) + i
			last[n] = s.fresh(out, r.Result.Name, r.Op, last[n], yield[n])
		}
	}
	for i, st := range x.States {
		s.replace(st.Result, last[i])
	}
	for i, r := range x.Reds {
		s.replace(r.Result, last[len(x.States)+i])
	}
}

// fresh appends an operation, simplified.
func (s *simplifier) fresh(out *loop.Builder, name string, op *loop.Op, args ...loop.Atom) loop.Atom {
	let := loop.FreshLet(name, op, args...)
	s.let(out, let)
	return s.atom(let.Var)
}
