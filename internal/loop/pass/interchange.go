package pass

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Interchange]
//
// A recurrence on arrays often treats each element by itself:
//
//	for t < n, s : f64s = s0 {
//	  r = alloc f64s m
//	  for j < m parallel { x = s[j]; y = …; r[j] = y }
//	  yield r
//	} gives last
//
// A turn reads just the element of the state that the same turn of the inner loop stores. So the
// elements do not wait for each other, and the loops may change places. Then a state is a number
// that stays in a register, what depends on j alone is computed once, and what each turn adds at an
// index that does not depend on t is a total:
//
//	if 0 < n {
//	  last = alloc f64s m
//	  for j < m parallel { x0 = s0[j]; for t < n, x = x0 { y = …; yield y } gives z; last[j] = z }
//	  yield last
//	} else { yield s0 }
//
// s0 has m elements if there is a turn, which reads them; else nothing is known of its length.
//
// If a turn reads or writes a row of its own of other arrays, as a tape, the rows are no longer
// passed through one after the other. So the loops change places only where rows are not long; else
// the loop runs as it was.
//
// Sums over rows are done in the same way, though nothing is handed on:
//
//	for t < n parallel { for j < m parallel { sums[j] += … } }
//
// As it stands, each turn reads what the one before has just written. But the outer loop is also
// one that several threads can share, so if there are many elements it stays. So does one around an
// inner loop of a known count, which may be unrolled.

// longRow is the number of elements from which on rows are long, and manyElements that of sums over
// rows.
const longRow, manyElements = 4096, 1 << 16

// Interchange puts parallel loops outside of recurrences whose elements do not meet: Note
// [Interchange]. It is for a target: the derivative of a recurrence keeps states on a tape, that of
// a parallel loop would run it again.
func Interchange(f *loop.Func) { f.Body = interchangeBlock(f.Body) }

func interchangeBlock(b *loop.Block) *loop.Block {
	out := loop.Rebuild(b)
	for i := out.Nested(b, 0); i < len(b.Stmts); i = out.Nested(b, i+1) {
		s := b.Stmts[i]
		if x, ok := s.(*loop.For); ok {
			if e := elementwise(x); e != nil {
				e.emit(out)
				continue
			}
		}
		out.Add(loop.MapBlocks(s, interchangeBlock))
	}
	return out.Rebuilt(b, b.Yield)
}

// recurrence is a loop whose states are arrays, and whose elements do not meet.
type recurrence struct {
	*loop.For
	before []loop.Stmt             // what a turn computes in front of the inner loop
	inner  *loop.For               // over the elements
	state  map[*loop.Var]int       // which state a variable is
	next   map[*loop.Var]loop.Atom // the element that a turn stores to each of the buffers that it makes
}

// elementwise is a loop as a recurrence of that kind, or nil.
func elementwise(s *loop.For) *recurrence {
	if len(s.Reds) > 0 || len(s.States) == 0 && !s.Parallel {
		return nil
	}
	e := &recurrence{For: s, state: map[*loop.Var]int{}, next: map[*loop.Var]loop.Atom{}}
	for i, st := range s.States {
		if st.Var.Kind != loop.F64s {
			return nil
		}
		e.state[st.Var] = i
	}
	var made []*loop.Alloc
	for _, x := range s.Body.Stmts {
		switch x := x.(type) {
		case *loop.Let:
			e.before = append(e.before, x)
		case *loop.Alloc:
			made = append(made, x)
		case *loop.For:
			if e.inner != nil || !x.Parallel || len(x.Reds) > 0 {
				return nil
			}
			e.inner = x
		default:
			return nil
		}
	}
	if e.inner == nil || e.bound(e.inner.Count) || !e.stores(made) || !e.alone() || !straight(e.inner.Body) {
		return nil
	}
	if len(s.States) == 0 && !e.sums() {
		return nil
	}
	return e
}

// sums tells whether the turns of a loop add to elements that do not depend on the turn, as many as
// the program says.
func (e *recurrence) sums() bool {
	if _, known := e.inner.Count.(*loop.Const); known {
		return false
	}
	varies := loop.Varying(e.For)
	defer varies.Release()
	return slices.ContainsFunc(e.inner.Body.Stmts, func(s loop.Stmt) bool {
		x, ok := s.(*loop.Accum)
		if !ok {
			return false
		}
		at, ok := x.At.(*loop.Var)
		return ok && !varies.Has(at)
	})
}

// straight tells whether the turns of a loop with a body can run in lanes, whatever varies.
func straight(b *loop.Block) bool {
	good := true
	loop.Walk(b, func(s loop.Stmt) {
		switch s.(type) {
		case *loop.Let, *loop.Load, *loop.Store, *loop.Accum:
		default:
			good = false
		}
	})
	return good
}

// bound tells whether the recurrence itself binds an atom.
func (e *recurrence) bound(a loop.Atom) bool {
	v, ok := a.(*loop.Var)
	found := ok && v == e.Index
	for _, x := range e.before {
		found = found || ok && x.(*loop.Let).Var == v
	}
	return found
}

// stores finds what each turn stores, and tells whether it stores all elements of the buffers that
// it makes and these are the next states.
func (e *recurrence) stores(made []*loop.Alloc) bool {
	for _, x := range e.inner.Body.Stmts {
		if st, ok := x.(*loop.Store); ok && st.At == loop.Atom(e.inner.Index) {
			e.next[st.Buf] = st.Value
		}
	}
	mine := map[*loop.Var]loop.Atom{}
	for _, a := range made {
		if !same(a.Len, e.inner.Count) || a.Zero || e.next[a.Var] == nil {
			return false
		}
		mine[a.Var] = e.next[a.Var]
	}
	e.next = mine
	for _, y := range e.Body.Yield {
		if v, ok := y.(*loop.Var); !ok || mine[v] == nil {
			return false
		}
	}
	return true
}

// alone tells whether the states and what is made are used in no other way than by reading and
// storing the element of the turn, and each state is read: one that is not may be shorter when the
// loop begins.
func (e *recurrence) alone() bool {
	uses, read := 0, map[*loop.Var]bool{}
	loop.AllUses(e.inner.Body, func(a loop.Atom) {
		if v, ok := a.(*loop.Var); ok {
			if _, is := e.state[v]; is || e.next[v] != nil {
				uses++
			}
		}
	})
	loop.Walk(e.inner.Body, func(x loop.Stmt) {
		if l, ok := x.(*loop.Load); ok && l.At == loop.Atom(e.inner.Index) {
			if _, is := e.state[l.Buf]; is {
				uses--
				read[l.Buf] = true
			}
		}
	})
	return uses == len(e.next) && len(read) == len(e.state) // the uses that are left are the stores
}

// emit appends the loops in the other order.
func (e *recurrence) emit(out *loop.Builder) {
	var then, body, turn loop.Builder
	j, m := e.inner.Index, e.inner.Count
	inner := &loop.For{Index: e.Index, Count: e.Count}
	r := newRewriter(nil)
	for _, st := range e.States {
		x := loop.State{Var: loop.NewVar(st.Var.Name, loop.F64), Result: loop.NewVar(st.Result.Name, loop.F64)}
		x.Init = body.Load(st.Var.Name, st.Init.(*loop.Var), j)
		inner.States = append(inner.States, x)
	}
	r.m.Block = func(b *loop.Block) *loop.Block {
		out := &loop.Block{}
		for _, s := range b.Stmts {
			switch s := s.(type) {
			case *loop.Load:
				if i, is := e.state[s.Buf]; is {
					r.subst.Set(s.Var, inner.States[i].Var)
					continue
				}
			case *loop.Store:
				if e.next[s.Buf] != nil {
					continue
				}
			}
			out.Stmts = append(out.Stmts, r.m.Stmt(s))
		}
		out.Yield = r.atoms(b.Yield)
		return out
	}
	turn.Add(e.before...)
	turn.Add(r.m.Block(e.inner.Body).Stmts...)
	var yield []loop.Atom
	for _, y := range e.Body.Yield {
		yield = append(yield, r.atom(e.next[y.(*loop.Var)]))
	}
	inner.Body = turn.Block(yield...)
	after, rows := settle(&body, inner)
	body.Add(inner)
	body.Add(after...)
	choice := &loop.If{Cond: out.Let("some", loop.LtI, loop.Int(0), e.Count)}
	var last, otherwise []loop.Atom
	var as loop.Builder // it was
	if rows {
		choice.Cond = out.Let("some", loop.And, choice.Cond, out.Let("short", loop.LtI, m, loop.Int(longRow)))
		if len(e.States) == 0 {
			elements := out.Let("elements", loop.MulI, e.Count, m)
			choice.Cond = out.Let("some", loop.And, choice.Cond, out.Let("few", loop.LtI, elements, loop.Int(manyElements)))
		}
		old := loop.NewCopier().Stmt(e.For).(*loop.For)
		as.Add(old)
		for _, st := range old.States {
			otherwise = append(otherwise, st.Result)
		}
	}
	for i, st := range e.States {
		v := then.Alloc(st.Result.Name, loop.F64s, m, false)
		body.Store(v, j, inner.States[i].Result)
		choice.Results = append(choice.Results, st.Result)
		last = append(last, v)
		if !rows {
			otherwise = append(otherwise, st.Init)
		}
	}
	then.Add(&loop.For{Index: j, Count: m, Parallel: true, Body: body.Block()})
	choice.Then, choice.Else = then.Block(last...), as.Block(otherwise...)
	out.Add(choice)
}

// settle moves what does not change from turn to turn of a loop in front of it, and makes totals of
// what it adds at an index that does not change; it gives the statements that add these in the end,
// and tells whether turns use elements of their own of other buffers. The loop has a turn and no
// checks.
func settle(out *loop.Builder, s *loop.For) (after []loop.Stmt, rows bool) {
	varies, written := loop.Varying(s), map[*loop.Var]bool{}
	for _, v := range outer(s) {
		written[v] = true
	}
	is := func(a loop.Atom) bool { v, ok := a.(*loop.Var); return ok && varies.Has(v) }
	var stays loop.Builder
	yield := s.Body.Yield
	for _, x := range s.Body.Stmts {
		switch x := x.(type) {
		case *loop.Let:
			if !varies.Has(x.Var) {
				out.Add(x)
				continue
			}
		case *loop.Load:
			if !varies.Has(x.Var) && !written[x.Buf] {
				out.Add(x)
				continue
			}
			rows = true
		case *loop.Store:
			rows = true
		case *loop.Accum:
			if !is(x.At) {
				total := loop.NewVar("total", loop.F64)
				s.Reds = append(s.Reds, loop.Red{Op: loop.AddF, Init: loop.Real(0), Result: total})
				yield = append(yield, x.Value)
				after = append(after, &loop.Accum{Buf: x.Buf, At: x.At, Value: total})
				continue
			}
			rows = true
		}
		stays.Add(x)
	}
	s.Body = stays.Block(yield...)
	return after, rows
}
