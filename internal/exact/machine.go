package exact

import (
	"errors"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/task"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// machine runs compiled code. The code refers to it: it is made once, and turned to each rung of
// the ladder, with whose numbers it computes.
type machine struct {
	*ctx
	budget
	consts slots    // literals, constants of the table, definitions that are not functions
	fill   []func() // computes the literals and the constants of the table
	values map[string]*definition
	rungs  map[*effort]*rung
	at     *effort // the rung of which consts are
	stack  stack
	single *code              // an activation with one reference, which is its result
	mode   Mode               // of reverse derivatives
	term   func(form jet.Jet) // Options.Term, nil for none

	useRules          bool                  // Options.Rules
	proof             bool                  // Options.Proof
	trustRules        bool                  // Options.TrustRules
	ruleCompared      func(core.Agreement)  // Options.RuleCompared, nil for none
	enclosuresChecked map[enclosureKey]bool // Note [Enclosures of a program's own]

	rulesUsed map[enclosureKey]int // how often: Note [Slopes that are told]

	// For Note [Debug]: what the definition being evaluated has shown, the run's record, and how a
	// real is shown there, which is nil if nothing is to be shown.
	shown   []inspected
	record  *inspections
	enclose func(x jet.Jet) value.Value

	tedious map[*code]trouble // right-hand sides of equations that take too many steps

	// A call in tail position ends its function with errTail and leaves here
	// what is to be called, and with what.
	next       *closure
	nextArgs   slots
	nextShapes []shape
}

// code is a compiled function, of at least one parameter; or the value of a definition, of
// none.
type code struct {
	name   string
	at     diag.Span
	params []shape // of each parameter
	args   shape   // of all parameters
	result shape
	frame  shape // all slots: those of the result first, then those of the arguments
	need   int   // of Go's stack in bytes, at most: Note [Depth]
	body   []step

	enclosed bool // it is the function `fun x => withEnclosure f g x`
}

// definition is a definition that is not a function.
type definition struct {
	code *code
	at   place // of its value, among the constants
}

// rung is what has been computed on a rung so far.
type rung struct {
	consts slots
	done   map[*definition]outside
}

// outside is what came of an evaluation outside of all searches.
type outside struct {
	err     error
	first   decision // a kink or comparison that was not decided
	trouble trouble
	calls   int64 // of functions by searches
}

// turnTo prepares a machine for a rung. The literals are computed at once, and the
// definitions when they are needed.
func (m *machine) turnTo(e *effort) {
	m.turnWith(numberOf(e.bits), e)
}

// turnWith is turnTo for a number of the caller's.
func (m *machine) turnWith(n jet.Number, e *effort) {
	if m.at == e {
		return
	}
	m.Reset(n)
	m.at, m.effort, m.tol = e, *e, e.tol
	if r, ok := m.rungs[e]; ok {
		m.consts = r.consts
		return
	}
	m.consts = slots{slices.Clone(m.consts.r), slices.Clone(m.consts.i), slices.Clone(m.consts.p)}
	for _, fill := range m.fill {
		fill()
	}
	m.rungs[e] = &rung{m.consts, map[*definition]outside{}}
}

// define computes a definition, unless the rung has done so.
func (m *machine) define(d *definition) (o outside, fresh bool) {
	done := m.rungs[m.at].done
	if o, ok := done[d]; ok {
		return o, false
	}
	into := makeSlots(d.code.result)
	m.shown = nil
	o = m.outside(func() error {
		f, err := m.enter(d.code, slots{})
		if err != nil {
			return err
		}
		return m.evaluate(d.code, f, into)
	})
	into.copyTo(m.constants(d.at))
	if m.enclose != nil {
		m.record.keep(d.code.name, m.shown)
	}
	done[d] = o
	return o, true
}

// constants is the slots of a definition, which lie side by side.
func (m *machine) constants(at place) slots {
	var off shape
	if len(at.r) > 0 {
		off.r = at.r[0].n
	}
	if len(at.i) > 0 {
		off.i = at.i[0].n
	}
	if len(at.p) > 0 {
		off.p = at.p[0].n
	}
	return m.consts.part(off, at.shape())
}

// outside evaluates outside of all searches and calls.
func (m *machine) outside(evaluate func() error) (o outside) {
	m.Floor, m.degrees, m.ranging, m.derives = 0, m.degrees[:0], m.ranging[:0], m.derives[:0]
	m.within, m.inside = 0, 0
	m.calls, m.work, m.polled = 0, 0, 0
	m.frame = &frame{watch: -1}
	m.depth, m.used = 0, 0
	o.err = evaluate()
	o.first, o.trouble, o.calls = m.frame.first, m.frame.trouble, m.calls
	if !o.first.met {
		o.first = m.frame.tie
	}
	return o
}

// step is one operation: it computes from registers and stores into them.
type step func(f *regs) error

// regs are the slots that an activation of a function sees. Each bank has three
// parts: the activation's own slots, what the function captures, and the
// constants of the program.
type regs struct {
	r [3][]jet.Jet
	i [3][]int64
	p [3][]any

	before marks // of the stack
	need   int32 // of Go's stack
}

// The parts of a bank.
const (
	local = iota
	captured
	constant
)

// errTail asks the caller of a function to go on with machine.next.
var errTail = errors.New("tail call")

// run executes the steps of a block.
func run(steps []step, f *regs) error {
	for _, s := range steps {
		if err := s(f); err != nil {
			return err
		}
	}
	return nil
}

// enter makes an activation of a function.
func (m *machine) enter(fn *code, captures slots) (*regs, error) {
	if m.depth >= m.maxDepth || m.used+fn.need > m.maxUsed {
		return nil, m.tooDeep(fn.at)
	}
	m.depth++
	m.used += fn.need
	f := m.stack.push(fn.frame)
	f.need = int32(fn.need)
	f.r[captured], f.i[captured], f.p[captured] = captures.r, captures.i, captures.p
	f.r[constant], f.i[constant], f.p[constant] = m.consts.r, m.consts.i, m.consts.p
	return f, nil
}

// leave drops the newest activation.
func (m *machine) leave() {
	m.depth--
	m.used -= m.stack.pop()
}

// own is the activation's slots from off on, of the given shape.
func (f *regs) own(off, s shape) slots {
	return slots{f.r[local], f.i[local], f.p[local]}.part(off, s)
}

// Note [Depth]. Calls of the program are calls of Go functions, and Go ends a
// process whose stack has grown too large. So each function has an upper
// bound of what an activation of it takes: finish and the step that calls, and a
// step for each block that a call may be nested in. A search or a derivative takes more while it
// calls its function. The sum is held to maxStack. What is rare or bulky is kept
// out of the frames that recursion repeats (noinline). TestStack measures them.
//
// Go copies a stack that is full, and stops a goroutine while it scans its stack. With hundreds of
// megabytes either takes tenths of a second, in which nothing can be interrupted. So a deep
// recursion goes on in a new goroutine after every oneStack bytes.

// finish runs the newest activation, which has its arguments, and whatever it
// calls in tail position. The activation that it gives has the result, and is for the
// caller to leave.
func (m *machine) finish(fn *code, f *regs) (*regs, error) {
	if m.used > m.changeAt {
		return m.onFreshStack(fn, f)
	}
	for {
		err := m.tick(fn.at)
		if err == nil {
			err = run(fn.body, f)
		}
		if err == nil {
			return f, nil
		}
		if fn, f, err = m.proceed(err); fn == nil {
			return f, err
		}
	}
}

// onFreshStack is finish in a new goroutine: Note [Depth].
//
//go:noinline
func (m *machine) onFreshStack(fn *code, f *regs) (result *regs, err error) {
	defer func(at int) { m.changeAt = at }(m.changeAt)
	m.changeAt = m.used + oneStack
	var thrown any
	var further task.Group
	further.Go(func() {
		defer func() { thrown = task.Thrown(recover()) }()
		result, err = m.finish(fn, f)
	})
	further.Wait()
	if thrown != nil {
		panic(thrown)
	}
	return result, err
}

// proceed leaves an activation that ended with err, and enters the function that was called in tail
// position, if one was. If it is given another number of arguments than it has
// parameters there is no code to go on with: the result is there.
//
//go:noinline
func (m *machine) proceed(err error) (*code, *regs, error) {
	m.leave()
	if err != errTail {
		return nil, nil, err
	}
	cl := m.next
	fn := cl.code
	if len(m.nextShapes) == len(fn.params)-cl.given {
		f, err := m.enter(fn, cl.slots)
		if err != nil {
			return nil, nil, err
		}
		cl.pass(f.own(fn.result, fn.args), m.nextArgs)
		return fn, f, nil
	}
	args := makeSlots(shape{len(m.nextArgs.r), len(m.nextArgs.i), len(m.nextArgs.p)})
	m.nextArgs.copyTo(args)
	_, f, err := m.apply(cl, args, m.nextShapes)
	return nil, f, err
}

// pass puts the arguments that a closure has and those that it is given where
// its code finds them.
func (cl *closure) pass(to, args slots) {
	have := cl.args
	have.copyTo(to)
	args.copyTo(slots{to.r[len(have.r):], to.i[len(have.i):], to.p[len(have.p):]})
}

// apply applies a function to any number of arguments, given by their shapes. The
// result is at the start of the activation that it gives, which the caller leaves.
func (m *machine) apply(cl *closure, args slots, shapes []shape) (*code, *regs, error) {
	fn := cl.code
	switch need := len(fn.params) - cl.given; {
	case len(shapes) < need:
		partial := &closure{code: fn, slots: cl.slots, given: cl.given + len(shapes)}
		partial.args = makeSlots(shape{len(cl.args.r) + len(args.r), len(cl.args.i) + len(args.i), len(cl.args.p) + len(args.p)})
		cl.pass(partial.args, args)
		f, err := m.enter(m.single, slots{})
		if err == nil {
			f.p[local][0] = partial
		}
		return m.single, f, err
	case len(shapes) > need:
		var first shape
		for _, s := range shapes[:need] {
			first = first.plus(s)
		}
		_, f, err := m.apply(cl, args.part(shape{}, first), shapes[:need])
		if err != nil {
			return nil, nil, err
		}
		function := f.p[local][0].(*closure)
		m.leave()
		return m.apply(function, slots{args.r[first.r:], args.i[first.i:], args.p[first.p:]}, shapes[need:])
	}
	f, err := m.enter(fn, cl.slots)
	if err != nil {
		return nil, nil, err
	}
	cl.pass(f.own(fn.result, fn.args), args)
	m.used += applyBytes
	f, err = m.finish(fn, f)
	m.used -= applyBytes
	return fn, f, err
}

// call is apply with the result copied.
func (m *machine) call(cl *closure, args slots, shapes []shape, into slots) error {
	_, f, err := m.apply(cl, args, shapes)
	if err != nil {
		return err
	}
	f.deliver(into)
	m.leave()
	return nil
}

// evaluate runs code that takes no arguments, or has them already.
func (m *machine) evaluate(fn *code, f *regs, into slots) error {
	f, err := m.finish(fn, f)
	if err != nil {
		return err
	}
	f.deliver(into)
	m.leave()
	return nil
}

// deliver copies the result of an activation.
//
//go:noinline
func (f *regs) deliver(into slots) {
	copy(into.r, f.r[local])
	copy(into.i, f.i[local])
	copy(into.p, f.p[local])
}

// function is a closure of type Real -> Real as primitives take it.
func (m *machine) function(cl *closure) function {
	shapes := []shape{{r: 1}}
	return func(x jet.Jet) (jet.Jet, error) {
		if err := m.count(cl.code.at); err != nil {
			return x, err
		}
		if m.nested() > maxNested {
			return x, m.tooNested(cl.code.at)
		}
		m.used += searchBytes
		defer func() { m.used -= searchBytes }()
		if cl.given != 0 || len(cl.code.params) != 1 {
			y := makeSlots(shape{r: 1})
			err := m.call(cl, slots{r: []jet.Jet{x}}, shapes, y)
			return y.r[0], err
		}
		f, err := m.enter(cl.code, cl.slots)
		if err != nil {
			return x, err
		}
		f.r[local][1] = x // after the result
		if f, err = m.finish(cl.code, f); err != nil {
			return x, err
		}
		y := f.r[local][0]
		m.leave()
		return y, nil
	}
}

// ---- the stack of activations

// stack holds the slots of activations in chunks that never move, so that steps
// may keep slices of them.
type stack struct {
	frames [][]regs // in chunks as well
	n      int
	r      bank[jet.Jet]
	i      bank[int64]
	p      bank[any]
}

type marks struct{ r, i, p mark }

func (s *stack) push(size shape) *regs {
	if s.n == len(s.frames)*frameChunk {
		s.frames = append(s.frames, make([]regs, frameChunk))
	}
	f := &s.frames[s.n/frameChunk][s.n%frameChunk]
	s.n++
	f.before = marks{s.r.mark, s.i.mark, s.p.mark}
	f.r[local], f.i[local], f.p[local] = s.r.take(size.r), s.i.take(size.i), s.p.take(size.p)
	return f
}

// pop drops the newest activation and gives what it needs of Go's stack.
func (s *stack) pop() int {
	s.n--
	f := &s.frames[s.n/frameChunk][s.n%frameChunk]
	clear(f.p[local]) // what they refer to may be large
	s.r.mark, s.i.mark, s.p.mark = f.before.r, f.before.i, f.before.p
	return int(f.need)
}

// release ends all activations. The stack is kept for what runs next unless it is large, or what
// its slots refer to may be: forms refer to all that was computed.
func (s *stack) release(forms bool) {
	if forms || len(s.frames) > 1 || len(s.r.chunks) > 1 || len(s.i.chunks) > 1 || len(s.p.chunks) > 1 {
		*s = stack{}
		return
	}
	for s.n > 0 {
		s.pop()
	}
	for _, chunk := range s.frames {
		clear(chunk) // they refer to captures
	}
}

// bank is the slots of one kind.
type bank[E any] struct {
	chunks [][]E
	mark
}

// mark is a position in a bank.
type mark struct{ chunk, used int32 }

const (
	chunkSize  = 1 << 10
	frameChunk = 1 << 5
)

func (b *bank[E]) take(n int) []E {
	if n == 0 {
		return nil
	}
	for {
		if int(b.chunk) == len(b.chunks) {
			b.chunks = append(b.chunks, make([]E, max(n, chunkSize)))
		}
		c := b.chunks[b.chunk]
		if end := int(b.used) + n; end <= len(c) {
			b.used = int32(end)
			return c[end-n : end : end]
		}
		b.mark = mark{b.chunk + 1, 0}
		if int(b.chunk) < len(b.chunks) && len(b.chunks[b.chunk]) < n { // too small for this frame
			b.chunks[b.chunk] = make([]E, n)
		}
	}
}
