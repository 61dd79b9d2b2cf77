package grad

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/facts"
)

// Note [Steady states]
//
// A state that is a buffer is *steady* if it has the same length in all turns of its loop. That is
// found by numbering: integers with the same number are equal, and the number of a buffer is that
// of its length. At first each state is taken to have the number that it starts with. If a turn may
// yield another, the state changes, and all is numbered again. The numbers are facts.Numbers; here they
// are of lengths for buffers, and two that are learnt to be equal are one.
//
// What is checked is known from there to the end of the block:
//
//	check (eq.i m n); ys = alloc m    ys is as long as n says
//
// Of a check that was moved out of a loop of k turns, check (or (le.i k 0) (eq.i m n)), the second
// part is known in the loop.

// steady finds out which states have the same length in all turns, and which integers stay the
// same.
type steady struct {
	facts.Numbers
	changes map[*loop.Var]bool // states that may change
	equal   map[int32]int32    // a smaller number that is the same as a number
	conds   map[*loop.Var]*loop.Let
	turned  []guarded // what holds in loops
	counts  []int32   // of the loops around
	undo    []func()  // what was learnt in the blocks around, from the outermost on
	again   bool
}

// guarded is a condition that holds if a count is positive.
type guarded struct {
	count loop.Atom
	cond  loop.Atom
}

// mostNumberings is how often a function may be numbered before all states are taken to change.
const mostNumberings = 20

// changing gives the states of a function's loops whose lengths may change.
func changing(f *loop.Func) (changes func(state *loop.Var) bool) {
	s := &steady{changes: map[*loop.Var]bool{}, equal: map[int32]int32{}}
	for range mostNumberings {
		s.Clear()
		clear(s.equal)
		s.conds, s.again = map[*loop.Var]*loop.Let{}, false
		s.block(f.Body)
		if !s.again {
			return func(state *loop.Var) bool { return s.changes[state] }
		}
	}
	return func(*loop.Var) bool { return true }
}

// number is that of an integer or of the length of a buffer.
func (s *steady) number(a loop.Atom) int32 {
	v, ok := a.(*loop.Var)
	if !ok {
		return s.root(s.Atom(a))
	}
	n := s.place(v)
	if *n == 0 {
		*n = s.Fresh()
	}
	return s.root(*n)
}

// place is where the number of a variable is kept.
func (s *steady) place(v *loop.Var) *int32 {
	if v.Kind.IsBuffer() {
		return s.Lens.At(v)
	}
	return s.Of.At(v)
}

// bind gives a variable the number of an atom.
func (s *steady) bind(v *loop.Var, a loop.Atom) { *s.place(v) = s.number(a) }

// root is the number that stands for all that are the same as a number.
func (s *steady) root(n int32) int32 {
	for s.equal[n] != 0 {
		n = s.equal[n]
	}
	return n
}

// same tells whether two numbers are the same, or are computed from the same ones, in so many steps
// at most. What was learnt after they were computed counts.
func (s *steady) same(m, n int32, steps int) bool {
	if m, n = s.root(m), s.root(n); m == n {
		return true
	}
	a, ok := s.Application(m)
	b, is := s.Application(n)
	if !ok || !is || a.Op != b.Op || steps == 0 {
		return false
	}
	return s.same(a.X, b.X, steps-1) && s.same(a.Y, b.Y, steps-1) ||
		a.Commutes && s.same(a.X, b.Y, steps-1) && s.same(a.Y, b.X, steps-1)
}

// mostSteps bounds how far same looks.
const mostSteps = 5

func numbered(k loop.Kind) bool { return k == loop.I64 || k.IsBuffer() }

// block numbers what a block binds.
func (s *steady) block(b *loop.Block) {
	for _, x := range b.Stmts {
		s.stmt(x)
	}
}

// inside does something of which no more is known afterwards than before.
func (s *steady) inside(do func()) {
	first := len(s.undo)
	do()
	for _, f := range slices.Backward(s.undo[first:]) {
		f()
	}
	s.undo = s.undo[:first]
}

func (s *steady) stmt(x loop.Stmt) {
	switch x := x.(type) {
	case *loop.Let:
		s.let(x)
	case *loop.Alloc:
		s.bind(x.Var, x.Len)
	case *loop.Length:
		s.bind(x.Var, x.Buf)
	case *loop.Copy:
		s.bind(x.Var, x.Buf)
	case *loop.Update:
		s.bind(x.Var, x.Buf)
	case *loop.Check:
		s.holds(x.Cond)
	case *loop.If:
		yields := [2][]int32{make([]int32, len(x.Results)), make([]int32, len(x.Results))}
		for k, b := range []*loop.Block{x.Then, x.Else} {
			s.inside(func() {
				if k == 0 {
					s.holds(x.Cond)
				}
				s.block(b)
				for i, v := range x.Results {
					if numbered(v.Kind) {
						yields[k][i] = s.number(b.Yield[i])
					}
				}
			})
		}
		for i, v := range x.Results {
			if numbered(v.Kind) && yields[0][i] == yields[1][i] {
				*s.place(v) = yields[0][i]
			}
		}
	case *loop.For:
		s.turns(x.Count, x.States, x.Body.Yield, x.Body)
	case *loop.While:
		s.turns(nil, x.States, x.Body.Yield, x.Cond, x.Body)
	}
}

// turns numbers what a loop binds, which has the given count, if that is known, states and blocks.
func (s *steady) turns(
	count loop.Atom, states []loop.State, yield []loop.Atom, blocks ...*loop.Block,
) {
	stays := func(st loop.State) bool { return numbered(st.Var.Kind) && !s.changes[st.Var] }
	for _, st := range states {
		if stays(st) {
			s.bind(st.Var, st.Init)
		}
	}
	s.inside(func() {
		if count != nil {
			s.enter(s.number(count))
		}
		for _, b := range blocks {
			s.block(b)
		}
		for i, st := range states {
			if stays(st) && !s.same(s.number(yield[i]), s.number(st.Init), mostSteps) {
				s.changes[st.Var], s.again = true, true
			}
		}
	})
	for _, st := range states {
		if stays(st) {
			s.bind(st.Result, st.Init)
		}
	}
}

func (s *steady) let(x *loop.Let) {
	switch x.Op.Result {
	case loop.Bool:
		s.conds[x.Var] = x
		return
	case loop.F64:
		return
	}
	if len(x.Args) == 2 && x.Args[0].AtomKind() == loop.I64 && x.Args[1].AtomKind() == loop.I64 {
		*s.place(x.Var) = s.applied(x.Op, x.Args[0], x.Args[1])
	}
}

// applied is the number of an operation on two integers.
func (s *steady) applied(op *loop.Op, x, y loop.Atom) int32 {
	return s.root(s.Applied(op, [3]int32{s.number(x), s.number(y)}))
}

// learn notes that two numbers are the same, in the block at hand.
func (s *steady) learn(m, n int32) {
	if m, n = s.root(m), s.root(n); m != n {
		m, n = min(m, n), max(m, n)
		s.equal[n] = m
		s.undo = append(s.undo, func() { delete(s.equal, n) })
	}
}

// holds learns from a condition that holds in the block at hand.
func (s *steady) holds(cond loop.Atom) {
	v, ok := cond.(*loop.Var)
	if !ok || s.conds[v] == nil {
		return
	}
	x := s.conds[v]
	switch x.Op {
	case loop.And:
		s.holds(x.Args[0])
		s.holds(x.Args[1])
	case loop.Or:
		s.either(x.Args[0], x.Args[1])
		s.either(x.Args[1], x.Args[0])
	case loop.EqI:
		s.learn(s.number(x.Args[0]), s.number(x.Args[1]))
	case loop.LeI:
		s.learn(s.applied(loop.MinI, x.Args[0], x.Args[1]), s.number(x.Args[0]))
		s.learn(s.applied(loop.MaxI, x.Args[0], x.Args[1]), s.number(x.Args[1]))
	}
}

// either learns that one of two conditions holds. If the first is that a count is not positive, the
// second holds in the turns.
func (s *steady) either(none, cond loop.Atom) {
	v, ok := none.(*loop.Var)
	if !ok || s.conds[v] == nil || s.conds[v].Op != loop.LeI {
		return
	}
	x := s.conds[v]
	if k, ok := x.Args[1].(*loop.Const); !ok || k.I != 0 {
		return
	}
	if slices.Contains(s.counts, s.number(x.Args[0])) {
		s.holds(cond)
		return
	}
	n := len(s.turned)
	s.turned = append(s.turned, guarded{x.Args[0], cond})
	s.undo = append(s.undo, func() { s.turned = s.turned[:n] })
}

// enter learns that a count is positive, in the block at hand.
func (s *steady) enter(count int32) {
	n := len(s.counts)
	s.counts = append(s.counts, count)
	s.undo = append(s.undo, func() { s.counts = s.counts[:n] })
	for i := range s.turned {
		if s.number(s.turned[i].count) == count {
			s.holds(s.turned[i].cond)
		}
	}
}
