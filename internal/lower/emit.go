package lower

import (
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/facts"
	"github.com/fluxion-lang/fluxion/internal/stop"
)

// Note [Placing integers]
//
// Lengths and addresses must be known where buffers are made, outside of the loops that
// fill them. So an operation on integers or truth values, which is cheap and cannot fail,
// is emitted in the outermost block where its operands are known, and only once there: for
// `[[f x y for y in ys] for x in xs]` the length of a row is the length of ys, whichever way it
// is computed in the body. Two lengths that are equal by construction are then the same
// variable.
//
// A comparison of reals is not moved out of a branch. Its operands may be equal, and then there is
// no derivative, which matters only where the program compares them.
//
// Of every integer an enclosure is kept, and of every open block the conditions that hold
// in it. So most checks of indices, lengths and overflow are never emitted.

// Most bounds the lengths of arrays, and with them the indices of loops. So the product of two has
// no overflow to be checked. Functions are not called with longer arrays, and give up where they
// would make one.
const Most = 1 << 30

// natural encloses lengths, and indices of loops.
var natural = facts.Span{Lo: 0, Hi: Most}

// scope is a block being emitted.
type scope struct {
	loop.Builder
	depth int
	side  bool                    // it is a side of a branch
	ints  map[intOp]loop.Atom     // what operations on integers have given here
	known map[intOp]bool          // conditions that are known here, and what they are
	equal map[loop.Atom]loop.Atom // integers that are equal here
	// functions that were lowered on their own: Note [Derivatives in several places]
	apart []*separate
	// a check here is known not to hold, so that nothing after it is reached
	fails bool
}

// intOp is an operation on integers and its arguments.
type intOp struct {
	op   *loop.Op
	args [3]operand
}

// operand is a variable or a literal's word.
type operand struct {
	v *loop.Var
	w uint64
}

// emitter has the blocks that are open, from the outside to the inside.
type emitter struct {
	open   []*scope
	depths loop.VarMap[int32] // of the block that binds a variable, plus one
	*intFacts
	sizes   map[*loop.Var]loop.Atom // of buffers, where known
	made    map[*loop.Var]bool      // buffers of an Alloc
	below   map[*loop.Var]loop.Atom // of indices: what they are less than
	given   map[*loop.Var]bool      // indices and states, which a block starts with
	joined  map[*loop.Var]bool      // lengths that are results of branches
	emitted int
	loops   bool
	until   *stop.Watch
}

// intFacts is what is known of integers and truth values. Functions that are lowered inside another
// share it with that.
type intFacts struct {
	defs  loop.VarMap[*loop.Let] // the operations that give them
	spans loop.VarMap[*facts.Span]
}

// maxStmts bounds the statements of a function: beyond it, calls lowered where they
// stand have grown out of hand.
const maxStmts = 40_000

func newEmitter(w *stop.Watch) *emitter {
	e := &emitter{until: w, intFacts: &intFacts{},
		sizes: map[*loop.Var]loop.Atom{}, below: map[*loop.Var]loop.Atom{},
		made: map[*loop.Var]bool{}, given: map[*loop.Var]bool{}, joined: map[*loop.Var]bool{}}
	e.push()
	return e
}

func (e *emitter) scope() *scope { return e.open[len(e.open)-1] }

// push opens a block.
func (e *emitter) push() *scope {
	s := &scope{depth: len(e.open), ints: map[intOp]loop.Atom{}, known: map[intOp]bool{},
		equal: map[loop.Atom]loop.Atom{}}
	e.open = append(e.open, s)
	return s
}

// pop closes the innermost block.
func (e *emitter) pop() { e.open = e.open[:len(e.open)-1] }

// within emits at the end of a block that is open, or that was closed and whose outer blocks
// are open.
func (e *emitter) within(s *scope, f func()) {
	before := e.open
	e.open = append(before[:s.depth:s.depth], s)
	f()
	e.open = before
}

func (e *emitter) add(s loop.Stmt) {
	e.until.Poll()
	if e.emitted++; e.emitted > maxStmts {
		panic(&NotCovered{What: "a function of this size"})
	}
	e.scope().Add(s)
}

// bindAt takes note of the depth of the block that binds a variable, and depth gives it: 0 if it is
// not known.
func (e *emitter) bindAt(v *loop.Var, depth int) { e.depths.Set(v, int32(depth)+1) }

func (e *emitter) depth(v *loop.Var) int { return int(max(e.depths.Get(v), 1)) - 1 }

// fresh makes a variable of the innermost block.
func (e *emitter) fresh(name string, k loop.Kind) *loop.Var {
	v := loop.NewVar(name, k)
	e.bindAt(v, len(e.open)-1)
	return v
}

// natural makes an integer variable that is a length or an index.
func (e *emitter) natural(name string) *loop.Var {
	v := e.fresh(name, loop.I64)
	e.spans.Set(v, &natural)
	return v
}

// depthOf is that of the block that binds an atom.
func (e *emitter) depthOf(a loop.Atom) int {
	if v, ok := a.(*loop.Var); ok {
		return e.depth(v)
	}
	return 0
}

// let emits an operation: Note [Placing integers].
func (e *emitter) let(name string, op *loop.Op, args ...loop.Atom) loop.Atom {
	if a := e.simple(op, args); a != nil {
		return a
	}
	if op.Result == loop.F64 {
		s := loop.FreshLet(name, op, args...)
		e.bindAt(s.Var, len(e.open)-1)
		e.add(s)
		return s.Var
	}
	key := keyOf(op, args)
	deepest := 0
	for _, a := range args {
		deepest = max(deepest, e.depthOf(a))
	}
	for _, s := range e.open[deepest:] {
		if a, ok := s.ints[key]; ok {
			return a
		}
	}
	if op.Result == loop.Bool && args[0].AtomKind() == loop.F64 {
		for k := len(e.open) - 1; k > deepest; k-- {
			if e.open[k].side {
				deepest = k // which ends the loop
			}
		}
	}
	home, let := e.open[deepest], loop.FreshLet(name, op, args...)
	v := let.Var
	e.bindAt(v, deepest)
	e.defs.Set(v, let)
	e.emitted++
	home.Add(let)
	home.ints[key] = v
	if s := e.spanOf(op, args); s != facts.Anywhere {
		e.spans.Set(v, &s)
	}
	return v
}

func keyOf(op *loop.Op, args []loop.Atom) intOp {
	key := intOp{op: op}
	for i, a := range args {
		if v, ok := a.(*loop.Var); ok {
			key.args[i].v = v
		} else {
			key.args[i].w = a.(*loop.Const).Word()
		}
	}
	return key
}

func isInt(a loop.Atom, n int64) bool {
	c, ok := a.(*loop.Const)
	return ok && c.Kind == loop.I64 && c.I == n
}

// simple is what an operation gives where nothing needs to be computed, else nil.
func (e *emitter) simple(op *loop.Op, args []loop.Atom) loop.Atom {
	if c := loop.Fold(op, args); c != nil {
		return c
	}
	switch op {
	case loop.AddI:
		if isInt(args[0], 0) {
			return args[1]
		} else if isInt(args[1], 0) {
			return args[0]
		}
	case loop.SubI:
		if isInt(args[1], 0) {
			return args[0]
		} else if args[0] == args[1] {
			return loop.Int(0)
		}
	case loop.MulI:
		if isInt(args[0], 0) || isInt(args[1], 0) {
			return loop.Int(0)
		} else if isInt(args[0], 1) {
			return args[1]
		} else if isInt(args[1], 1) {
			return args[0]
		}
	case loop.Not:
		if def := e.def(args[0]); def != nil && def.Op == loop.Not {
			return def.Args[0]
		}
	case loop.EqI, loop.LeI:
		if e.same(args[0], args[1]) {
			return loop.Truth(true)
		}
		if op == loop.LeI && e.less(args[0], args[1], 8) {
			return loop.Truth(true)
		}
	case loop.NeI, loop.LtI:
		if e.same(args[0], args[1]) {
			return loop.Truth(false)
		}
		if e.less(args[0], args[1], 8) {
			return loop.Truth(true)
		}
	case loop.And, loop.Or:
		for i, a := range args {
			if c, ok := a.(*loop.Const); ok {
				if (c.I != 0) == (op == loop.And) {
					return args[1-i]
				}
				return c
			}
		}
		if args[0] == args[1] {
			return args[0]
		}
	case loop.SelF, loop.SelI, loop.SelB:
		if c, ok := args[0].(*loop.Const); ok {
			return args[2-c.I]
		} else if sameAtom(args[1], args[2]) {
			return args[1]
		}
	}
	if op.Result == loop.Bool {
		key := keyOf(op, args)
		for _, s := range e.open {
			if truth, ok := s.known[key]; ok {
				return loop.Truth(truth)
			}
		}
		if len(args) == 2 {
			if known, truth := facts.Decided(op, e.span(args[0]), e.span(args[1])); known {
				return loop.Truth(truth)
			}
		}
	}
	return nil
}

// less tells whether an index is known to be less than another integer, by at most so many steps.
func (e *emitter) less(a, b loop.Atom, steps int) bool {
	v, ok := a.(*loop.Var)
	if !ok || steps == 0 {
		return false
	}
	bound, ok := e.below[v]
	if !ok {
		return false
	}
	// The bound may be another length less something.
	for {
		if e.same(bound, b) || e.less(bound, b, steps-1) {
			return true
		}
		def := e.def(bound)
		switch {
		case def == nil:
			return false
		case def.Op == loop.SubI && e.span(def.Args[1]).Lo >= 0:
		case def.Op == loop.MaxI && isInt(def.Args[1], 0): // indices are not negative
		case def.Op == loop.MinI:
		default:
			return false
		}
		bound = def.Args[0]
	}
}

func sameAtom(a, b loop.Atom) bool {
	if a == b {
		return true
	}
	x, ok := a.(*loop.Const)
	y, okay := b.(*loop.Const)
	return ok && okay && x.Kind == y.Kind && x.Word() == y.Word()
}

// span is the enclosure of an integer.
func (e *emitter) span(a loop.Atom) facts.Span {
	if c, ok := a.(*loop.Const); ok {
		return facts.Span{Lo: c.I, Hi: c.I}
	}
	if s := e.spans.Get(a.(*loop.Var)); s != nil {
		return *s
	}
	return facts.Anywhere
}

// def is the operation that gives an integer or a truth value, nil if it is not known.
func (e *emitter) def(a loop.Atom) *loop.Let {
	if v, ok := a.(*loop.Var); ok {
		return e.defs.Get(v)
	}
	return nil
}

// condition is the operation that a truth value is known as.
func (e *emitter) condition(v *loop.Var) intOp {
	if def := e.defs.Get(v); def != nil {
		return keyOf(def.Op, def.Args)
	}
	return intOp{args: [3]operand{{v: v}}}
}

// spanOf returns the enclosure of what an operation gives.
func (e *emitter) spanOf(op *loop.Op, args []loop.Atom) facts.Span {
	if op.Result != loop.I64 || len(args) < 2 {
		return facts.Anywhere
	}
	x, y := e.span(args[len(args)-2]), e.span(args[len(args)-1])
	if (op == loop.DivI || op == loop.ModI) && y.Lo == 0 {
		y.Lo = 1 // a check that it is not 0 stands before
	}
	return facts.Result(op, x, y)
}

// assume notes that a condition is true, or false, from here to the end of the block.
func (e *emitter) assume(cond loop.Atom, truth bool) {
	if v, ok := cond.(*loop.Var); ok {
		e.note(e.condition(v), truth)
	}
}

// note is assume for the operation that the condition is.
func (e *emitter) note(key intOp, truth bool) {
	s := e.scope()
	s.known[key] = truth
	a, b := key.args[0], key.args[1]
	swapped := [3]operand{b, a}
	switch key.op {
	case loop.Not:
		e.assume(a.v, !truth)
	case loop.And:
		if truth {
			e.assume(a.v, true)
			e.assume(b.v, true)
		}
	case loop.Or:
		if !truth {
			e.assume(a.v, false)
			e.assume(b.v, false)
		}
	case loop.LtI:
		s.known[intOp{loop.LeI, swapped}] = !truth
		if truth {
			s.known[intOp{loop.LeI, key.args}] = true
		}
	case loop.LeI:
		s.known[intOp{loop.LtI, swapped}] = !truth
	case loop.EqI:
		if !truth {
			s.known[intOp{loop.NeI, key.args}] = true
			return
		}
		x, y := a.atom(), b.atom()
		if e.depthOf(x) < e.depthOf(y) || isConst(x) {
			x, y = y, x
		}
		if v, ok := e.root(x).(*loop.Var); ok && !e.same(x, y) {
			s.equal[v] = y
		}
	}
}

func isConst(a loop.Atom) bool {
	_, ok := a.(*loop.Const)
	return ok
}

func (o operand) atom() loop.Atom {
	if o.v != nil {
		return o.v
	}
	return loop.Int(int64(o.w))
}

// decides tells whether a truth value is known here.
func (e *emitter) decides(cond loop.Atom) (truth, known bool) {
	v, ok := cond.(*loop.Var)
	if !ok {
		return cond.(*loop.Const).I != 0, true
	}
	key := e.condition(v)
	for _, s := range e.open {
		if truth, ok := s.known[key]; ok {
			return truth, true
		}
	}
	return false, false
}

// root is the representative of the integers that are known to be equal to one.
func (e *emitter) root(a loop.Atom) loop.Atom {
	for range 100 {
		next := loop.Atom(nil)
		for _, s := range e.open {
			if b, ok := s.equal[a]; ok {
				next = b
			}
		}
		if next == nil {
			return a
		}
		a = next
	}
	return a
}

// same tells whether two integers are known to be equal.
func (e *emitter) same(a, b loop.Atom) bool {
	return sameAtom(a, b) || sameAtom(e.root(a), e.root(b))
}

// check emits a condition that must hold.
func (e *emitter) check(cond loop.Atom, at diag.Span) {
	truth, known := e.decides(cond)
	if known && truth {
		return
	}
	e.add(&loop.Check{Cond: cond, At: at})
	if known {
		e.scope().fails = true
		return
	}
	e.assume(cond, true)
}

// plus, minus and times compute integers that cannot overflow, such as addresses.
func (e *emitter) plus(a, b loop.Atom) loop.Atom  { return e.let("a", loop.AddI, a, b) }
func (e *emitter) minus(a, b loop.Atom) loop.Atom { return e.let("a", loop.SubI, a, b) }
func (e *emitter) times(a, b loop.Atom) loop.Atom { return e.let("a", loop.MulI, a, b) }

// size is a product of lengths.
func (e *emitter) size(lengths []loop.Atom) loop.Atom {
	n := loop.Atom(loop.Int(1))
	for _, m := range lengths {
		n = e.times(n, m)
	}
	return n
}

func (e *emitter) not(a loop.Atom) loop.Atom { return e.let("not", loop.Not, a) }

// alloc emits the making of a buffer.
func (e *emitter) alloc(name string, elem loop.Kind, n loop.Atom, zero bool) *loop.Var {
	k := loop.I64s
	if elem == loop.F64 {
		k = loop.F64s
	}
	v := e.fresh(name, k)
	e.sizes[v] = n
	e.made[v] = true
	e.add(&loop.Alloc{Var: v, Len: n, Zero: zero})
	return v
}

// load reads an element of a kind.
func (e *emitter) load(kind loop.Kind, buf *loop.Var, at loop.Atom) loop.Atom {
	v := e.fresh("x", buf.Kind.Elem())
	e.add(&loop.Load{Var: v, Buf: buf, At: at})
	if kind == loop.Bool {
		return e.let("b", loop.NeI, v, loop.Int(0))
	}
	return v
}

// word is a scalar as an element of a buffer.
func (e *emitter) word(a loop.Atom) loop.Atom {
	if a.AtomKind() == loop.Bool {
		return e.let("w", loop.ToWord, a)
	}
	return a
}

// parallel emits a parallel loop.
func (e *emitter) parallel(count loop.Atom, body func(i *loop.Var)) {
	e.loops = true
	s := e.push()
	i := e.index(count)
	body(i)
	e.pop()
	e.add(&loop.For{Index: i, Count: count, Parallel: true, Body: s.Block()})
}

// index makes the index of a loop in the innermost block, which is its body.
func (e *emitter) index(count loop.Atom) *loop.Var {
	i := e.natural("i")
	e.given[i] = true
	if s := e.span(count); s.Hi < Most {
		e.spans.Set(i, &facts.Span{Lo: 0, Hi: max(s.Hi-1, 0)})
	}
	e.below[i] = count
	return i
}
