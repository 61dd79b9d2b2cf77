package grad

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Steady states]
//
// A state that is a buffer is *steady* if it has the same length in all turns of its loop. That is
// found by numbering: integers with the same number are equal, and the number of a buffer is that
// of its length. At first each state is taken to have the number that it starts with. If a turn may
// yield another, the state changes, and all is numbered again.
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
	changes map[*loop.Var]bool // states that may change
	numbers map[*loop.Var]int
	literal map[int64]int
	results map[operation]int // of operations on integers
	equal   []int             // a number that is the same as this one, or itself
	made    map[int]operation // by which a number was computed
	conds   map[*loop.Var]*loop.Let
	turned  []guarded // what holds in loops
	counts  []int     // of the loops around
	undo    []func()  // what was learnt in the blocks around, from the outermost on
	again   bool
}

// operation is an operation on numbered integers.
type operation struct {
	op   *loop.Op
	x, y int
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
	s := &steady{changes: map[*loop.Var]bool{}}
	for range mostNumberings {
		s.numbers, s.literal, s.results = map[*loop.Var]int{}, map[int64]int{}, map[operation]int{}
		s.made = map[int]operation{}
		s.conds, s.equal, s.again = map[*loop.Var]*loop.Let{}, s.equal[:0], false
		s.block(f.Body)
		if !s.again {
			return func(state *loop.Var) bool { return s.changes[state] }
		}
	}
	return func(*loop.Var) bool { return true }
}

func (s *steady) fresh() int {
	s.equal = append(s.equal, len(s.equal))
	return len(s.equal) - 1
}

// number is that of an integer or of a buffer.
func (s *steady) number(a loop.Atom) int {
	var n int
	var ok bool
	switch a := a.(type) {
	case *loop.Const:
		if n, ok = s.literal[a.I]; !ok {
			n = s.fresh()
			s.literal[a.I] = n
		}
	case *loop.Var:
		if n, ok = s.numbers[a]; !ok {
			n = s.fresh()
			s.numbers[a] = n
		}
	}
	return s.root(n)
}

// root is the number that stands for all that are the same as a number.
func (s *steady) root(n int) int {
	for s.equal[n] != n {
		n = s.equal[n]
	}
	return n
}

// same tells whether two numbers are the same, or are computed from the same ones, in so many steps
// at most. What was learnt after they were computed counts.
func (s *steady) same(m, n, steps int) bool {
	if m, n = s.root(m), s.root(n); m == n {
		return true
	}
	x, ok := s.made[m]
	y, is := s.made[n]
	if !ok || !is || x.op != y.op || steps == 0 {
		return false
	}
	return s.same(x.x, y.x, steps-1) && s.same(x.y, y.y, steps-1) ||
		commutes(x.op) && s.same(x.x, y.y, steps-1) && s.same(x.y, y.x, steps-1)
}

// mostSteps bounds how far same looks.
const mostSteps = 5

func commutes(op *loop.Op) bool {
	return op == loop.AddI || op == loop.MulI || op == loop.MinI || op == loop.MaxI
}

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
		s.numbers[x.Var] = s.number(x.Len)
	case *loop.Length:
		s.numbers[x.Var] = s.number(x.Buf)
	case *loop.Copy:
		s.numbers[x.Var] = s.number(x.Buf)
	case *loop.Update:
		s.numbers[x.Var] = s.number(x.Buf)
	case *loop.Check:
		s.holds(x.Cond)
	case *loop.If:
		yields := [2][]int{make([]int, len(x.Results)), make([]int, len(x.Results))}
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
				s.numbers[v] = yields[0][i]
			}
		}
	case *loop.For:
		s.turns(x.Count, x.States, x.Body.Yield, x.Body)
	case *loop.While:
		s.turns(nil, x.States, x.Body.Yield, x.Cond, x.Body)
	}
}

// turns numbers what a loop binds, which has the given count, if that is known, states and blocks.
func (s *steady) turns(count loop.Atom, states []loop.State, yield []loop.Atom, blocks ...*loop.Block) {
	stays := func(st loop.State) bool { return numbered(st.Var.Kind) && !s.changes[st.Var] }
	for _, st := range states {
		if stays(st) {
			s.numbers[st.Var] = s.number(st.Init)
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
			s.numbers[st.Result] = s.number(st.Init)
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
	if len(x.Args) != 2 || x.Args[0].AtomKind() != loop.I64 || x.Args[1].AtomKind() != loop.I64 {
		return
	}
	at := s.applied(x.Op, x.Args[0], x.Args[1])
	n, ok := s.results[at]
	if !ok {
		n = s.number(x.Var)
		s.made[n] = at
		s.learn(at, n)
	}
	s.numbers[x.Var] = n
}

// applied is an operation on two integers.
func (s *steady) applied(op *loop.Op, x, y loop.Atom) operation {
	m, n := s.number(x), s.number(y)
	if commutes(op) {
		m, n = min(m, n), max(m, n)
	}
	return operation{op, m, n}
}

// learn notes the result of an operation, in the block at hand.
func (s *steady) learn(at operation, n int) {
	if _, ok := s.results[at]; !ok {
		s.results[at] = n
		s.undo = append(s.undo, func() { delete(s.results, at) })
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
		m, n := s.number(x.Args[0]), s.number(x.Args[1])
		if m != n {
			m, n = min(m, n), max(m, n)
			s.equal[n] = m
			s.undo = append(s.undo, func() { s.equal[n] = n })
		}
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
func (s *steady) enter(count int) {
	n := len(s.counts)
	s.counts = append(s.counts, count)
	s.undo = append(s.undo, func() { s.counts = s.counts[:n] })
	for i := range s.turned {
		if s.number(s.turned[i].count) == count {
			s.holds(s.turned[i].cond)
		}
	}
}
