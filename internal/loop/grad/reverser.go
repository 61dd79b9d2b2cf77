package grad

import (
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// reverser is the state of one reversal. Variables of the function that is differentiated are
// old, those of the derivative new.
type reverser struct {
	d   *derivatives
	act *activity

	b     *loop.Builder
	env   *loop.Copier // what old variables are
	views map[*loop.Var]view
	local map[*loop.Var]bool // old buffers that are written; nil for all
	quiet bool               // whether checks are left out

	cots    map[*loop.Var]loop.Atom // cotangents of old scalars, so far
	bufs    map[*loop.Var]*loop.Var // of old buffers
	borrows map[*loop.Var]bool      // old buffers whose cotangent is handed to them as a whole
	tied    loop.Atom

	tapes   map[*loop.For]*tape
	saved   map[*loop.Var]save // of old scalars
	slopes  map[slope]save
	factors map[slope]factor
	pushed  map[*loop.For]*pushed
	saving  *loop.For // the loop that writes to its tape
	counted map[*loop.While]*loop.For
	chains  chains
	reads   map[*loop.Var]int       // how often an old buffer is read
	handed  map[*loop.Var]bool      // old buffers that the block which binds them hands on
	firsts  map[loop.Stmt]loop.Stmt // the first runs of old statements with calls
	totals  map[*loop.Var]*totalUse // how totals are used: Note [Idle loops]

	recordedCalls map[*loop.Call]callTape // the tapes of old calls: Note [Recursion]

	fun      *loop.Func                 // the function that is differentiated
	unsteady func(state *loop.Var) bool // Note [Steady states]; nil until it is asked for
}

// save is the place on the tape of an old scalar, or of a slope: a buffer, with an element for each
// turn of the loops around it.
type save struct {
	buf  *loop.Var
	nest []*loop.For // old; the first is the loop with states
	lens []loop.Atom // new counts of the loops, not negative
}

// slope is a partial derivative of an old operation.
type slope struct {
	of  *loop.Let
	arg int
}

// factor is a slope times the other factor of the product that has the operation's result as one,
// on the tape.
type factor struct {
	slope
	save
}

// tape is where the states of a loop are kept, each in a buffer.
type tape struct {
	bufs  []*loop.Var
	lens  []loop.Atom // of the states that are buffers and steady
	parts []*places   // of the others that are buffers
	count loop.Atom   // of turns, not negative
	nest  []*loop.For // old; the outermost writes the tape, the last is the loop
	sizes []loop.Atom // new: of the nest, in turns on the tape
	block *loop.Block // where the loop stands, if it is an inner one
}

// inner tells whether a tape belongs to a loop in the loop that writes it.
func (t *tape) inner() bool { return len(t.nest) > 1 }

// view says where the elements of an old buffer are: in a part of a new one.
type view struct {
	buf        *loop.Var
	start, len loop.Atom
}

// places says where a state is on the tape whose length may change.
type places struct {
	starts, lens *loop.Var // for each turn
	room         loop.Atom // the length of the tape
	start        loop.State
}

// pushed is what has come of a loop that carries tangents.
type pushed struct {
	sources  []*loop.Var                   // the old scalars that flow into it
	tangents map[*loop.Var][]loop.Atom     // of the old states and totals in the end, by each of them
	of       func(a loop.Atom) []loop.Atom // of an old atom in the body; nil if it is a structural zero
}

// chain is a buffer that a loop updates in place.
type chain struct {
	state   *loop.Var // the old state of the loop where the chain begins
	result  *loop.Var // the old result of that
	loop    loop.Stmt // that loop
	trouble bool      // whether it cannot be reversed
	now     *loop.Var // the new cotangent, while the loop is reversed; else nil
	gone    bool      // whether the chain is not there, in a reversal
	len     loop.Atom // the new length
	bounds  *bounds   // of the loop; nil until it is asked for
}

// chains are those that old buffers are of.
type chains map[*loop.Var]*chain

// totalUse is how a total is used: the buffers that it is stored in, and whether it is used in
// another way.
type totalUse struct {
	into []*loop.Var
	read bool
}

// reads counts the uses of each buffer that hand on its elements.
func reads(b *loop.Block) map[*loop.Var]int {
	n := map[*loop.Var]int{}
	loop.AllUses(b, func(a loop.Atom) {
		if v, ok := a.(*loop.Var); ok && v.Kind.IsBuffer() {
			n[v]++
		}
	})
	loop.Walk(b, func(s loop.Stmt) {
		switch s := s.(type) {
		case *loop.Length:
			n[s.Buf]--
		case *loop.Store:
			n[s.Buf]--
		case *loop.Accum:
			n[s.Buf]--
		}
	})
	return n
}

// handOn finds the buffers that the block which binds them hands on.
func (r *reverser) handOn(b *loop.Block) {
	bound := map[*loop.Var]bool{}
	for _, s := range b.Stmts {
		loop.Defs(s, func(v *loop.Var) { bound[v] = true })
		loop.Blocks(s, r.handOn)
	}
	for _, a := range b.Yield {
		if v, ok := a.(*loop.Var); ok && bound[v] {
			r.handed[v] = true
		}
	}
}

func (r *reverser) atoms(as []loop.Atom) []loop.Atom {
	out := make([]loop.Atom, len(as), len(as)+4)
	for i, a := range as {
		out[i] = r.env.Atom(a)
	}
	return out
}

// zeros makes the cotangent of an old buffer.
func (r *reverser) zeros(old *loop.Var) *loop.Var {
	return r.b.Alloc(old.Name+"'", loop.F64s, r.length(old), true)
}

// length is the length of an old buffer.
func (r *reverser) length(old *loop.Var) loop.Atom { return r.lengthIn(r.b, old) }

func (r *reverser) lengthIn(b *loop.Builder, old *loop.Var) loop.Atom {
	if c := r.gone(old); c != nil {
		return c.len
	}
	if v, ok := r.views[old]; ok {
		return v.len
	}
	return b.Length(r.env.Atom(old).(*loop.Var))
}

// give adds to the cotangent of an old variable: a scalar, or all of a buffer.
func (r *reverser) give(to, cot loop.Atom) {
	v, ok := to.(*loop.Var)
	switch {
	case !ok || cot == nil || !r.act.active(v) || r.gone(v) != nil:
	case v.Kind == loop.F64:
		r.cots[v] = plus(r.b, r.cots[v], cot)
	case r.borrows[v]:
		r.bufs[v] = cot.(*loop.Var)
	default:
		from, into := cot.(*loop.Var), r.bufs[v]
		r.b.Parallel("i", r.b.Length(into), func(b *loop.Builder, i *loop.Var) {
			b.Accum(into, i, b.Load("d", from, i))
		})
	}
}

// open prepares the cotangent of an old buffer of the block at hand. If the buffer is read just
// once, and by what is after the block, it has the cotangent that it is given.
func (r *reverser) open(v *loop.Var) {
	delete(r.cots, v)
	delete(r.bufs, v)
	if v.Kind == loop.F64s && r.act.active(v) && r.chains[v] == nil {
		if r.borrows[v] = r.reads[v] == 1 && r.handed[v]; !r.borrows[v] {
			r.bufs[v] = r.zeros(v)
		}
	}
}

// gone tells whether an old buffer is of a chain that is not there.
func (r *reverser) gone(v *loop.Var) *chain {
	if c := r.chains[v]; c != nil && c.gone {
		return c
	}
	return nil
}

// index is where a turn's value is.
func (r *reverser) index(b *loop.Builder, nest []*loop.For, lens []loop.Atom) loop.Atom {
	at := r.env.Atom(nest[0].Index)
	for i, inner := range nest[1:] {
		at = b.Let("at", loop.MulI, at, lens[i+1])
		at = b.Let("at", loop.AddI, at, r.env.Atom(inner.Index))
	}
	return at
}

// require appends a check of a condition on integers.
func (r *reverser) require(b *loop.Builder, op *loop.Op, is bool, x, y loop.Atom) {
	cond := b.Let("ok", op, x, y)
	if !is {
		cond = b.Let("ok", loop.Not, cond)
	}
	if k, ok := cond.(*loop.Const); !ok || k.I == 0 {
		b.Check(cond, diag.Span{})
	}
}

// newState makes a state.
func newState(name string, k loop.Kind, init loop.Atom) loop.State {
	return loop.State{Var: loop.NewVar(name, k), Init: init, Result: loop.NewVar(name, k)}
}

// allocated gives the buffers that are made in a block.
func allocated(stmts []loop.Stmt) map[*loop.Var]bool {
	out := map[*loop.Var]bool{}
	loop.Walk(&loop.Block{Stmts: stmts}, func(s loop.Stmt) {
		if s, ok := s.(*loop.Alloc); ok {
			out[s.Var] = true
		}
	})
	return out
}

func isFalse(a loop.Atom) bool {
	k, ok := a.(*loop.Const)
	return ok && k.I == 0
}
