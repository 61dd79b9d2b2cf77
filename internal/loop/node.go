package loop

import (
	"sync"
	"sync/atomic"
)

// Note [Nodes]
//
// Passes traverse a function many times, and mostly wait for memory. So a statement that binds a
// variable is allocated together with the variable and with room for its arguments. One
// allocation takes a third of the time of three, and code that reads the statement has the rest
// in the cache. Nodes are also allocated several at a time.
//
// Functions are compiled in parallel. Each processor has a maker of its own, with nodes and with
// numbers for variables, so that processors do not wait for each other, and the numbers of a
// function lie close together (package numbered). A goroutine may continue with another maker at
// any time, so the numbers say nothing about the order in which variables were made.

// maker holds preallocated nodes and numbers.
type maker struct {
	next, last uint64 // the last number given, and the last one available
	lets       supply[struct {
		Let
		args [2]Atom
	}]
	lets3 supply[struct {
		Let
		args [3]Atom
	}]
	fresh supply[struct {
		Let
		v    Var
		args [2]Atom
	}]
	fresh3 supply[struct {
		Let
		v    Var
		args [3]Atom
	}]
	loads supply[struct {
		Load
		v Var
	}]
}

var makers = sync.Pool{New: func() any { return &maker{} }}

const (
	numbersAtOnce = 256
	nodesAtOnce   = 16 // as long as one of them is in use, all are kept
)

// variables counts the numbers that makers have.
var variables atomic.Uint64

// number returns a number for a variable, from 1 on.
func (m *maker) number() uint64 {
	if m.next == m.last {
		m.last = variables.Add(numbersAtOnce)
		m.next = m.last - numbersAtOnce
	}
	m.next++
	return m.next
}

// supply is a store of zero values.
type supply[T any] struct{ rest []T }

func (s *supply[T]) take() *T {
	if len(s.rest) == 0 {
		s.rest = make([]T, nodesAtOnce)
	}
	x := &s.rest[0]
	s.rest = s.rest[1:]
	return x
}

// NewLet makes an operation that binds a variable.
func NewLet(v *Var, op *Op, args ...Atom) *Let {
	m := makers.Get().(*maker)
	defer makers.Put(m)
	if len(args) > 2 {
		n := m.lets3.take()
		n.Let = Let{Var: v, Op: op, Args: n.args[:copy(n.args[:], args)]}
		return &n.Let
	}
	n := m.lets.take()
	n.Let = Let{Var: v, Op: op, Args: n.args[:copy(n.args[:], args)]}
	return &n.Let
}

// FreshLet makes an operation that binds a variable of its own: Note [Nodes].
func FreshLet(name string, op *Op, args ...Atom) *Let {
	m := makers.Get().(*maker)
	defer makers.Put(m)
	if len(args) > 2 {
		n := m.fresh3.take()
		n.v = Var{name, op.Result, m.number()}
		n.Let = Let{Var: &n.v, Op: op, Args: n.args[:copy(n.args[:], args)]}
		return &n.Let
	}
	n := m.fresh.take()
	n.v = Var{name, op.Result, m.number()}
	n.Let = Let{Var: &n.v, Op: op, Args: n.args[:copy(n.args[:], args)]}
	return &n.Let
}

// FreshLoad makes a read that binds a variable of its own.
func FreshLoad(name string, buf *Var, at Atom) *Load {
	m := makers.Get().(*maker)
	defer makers.Put(m)
	n := m.loads.take()
	n.v = Var{name, buf.Kind.Elem(), m.number()}
	n.Load = Load{Var: &n.v, Buf: buf, At: at}
	return &n.Load
}
