package facts

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Numbers gives value numbers to variables: those with the same number have the same value. What is
// made in a way has the number of that way and of the numbers of its parts. Who walks a function
// says which variable is made how. Numbers are dense, from 1 on; small literals have the first
// ones. A variable without a number has 0. The zero Numbers is empty.
type Numbers struct {
	Of   loop.VarMap[int32]
	Lens loop.VarMap[int32] // of the lengths of buffers
	ids  interned
}

// How says in which way a value is made of others.
type How uint8

// The ways that Numbers knows. Others begin at OtherWays.
const (
	byOp        How = iota
	byCommuting     // an operation whose first two arguments may be exchanged
	byLength
	byLiteral
	byStart // the first parts of something that has more than three
	OtherWays
)

// Clear forgets all variables and all ways. The memory is kept.
func (n *Numbers) Clear() {
	n.Of.Clear()
	n.Lens.Clear()
	n.ClearWays()
}

// ClearWays forgets the ways in which values were made. The numbers that variables have had may
// stay where each variable is bound before it is used.
func (n *Numbers) ClearWays() { n.ids.clear() }

// Fresh returns the number of something that is equal to nothing else.
func (n *Numbers) Fresh() int32 { return n.ids.fresh() }

// Next returns the number after the last one that was given.
func (n *Numbers) Next() int32 { return n.ids.next() }

// ID returns the number of what is made in some way of at most three parts.
func (n *Numbers) ID(how How, parts ...int32) int32 {
	var p [3]int32
	copy(p[:], parts)
	return n.ids.number(madeBy(how, 0, p[0], p[1], p[2]))
}

// Several returns the number of what is made in some way of any number of parts, which it
// overwrites.
func (n *Numbers) Several(how How, parts []int32) int32 {
	for len(parts) > 3 {
		parts[2] = n.ID(byStart, parts[0], parts[1], parts[2])
		parts = parts[2:]
	}
	return n.ID(how, parts...)
}

// Applied returns the number of an operation on parts with numbers.
func (n *Numbers) Applied(op *loop.Op, p [3]int32) int32 {
	how := byOp
	if op.Commutes {
		how = byCommuting
		p[0], p[1] = min(p[0], p[1]), max(p[0], p[1])
	}
	return n.ids.number(madeBy(how, op.Number+1, p[0], p[1], p[2]))
}

// Way is ID with an operation: 0, or its number plus one.
func (n *Numbers) Way(how How, op int, a, b, c int32) int32 {
	return n.ids.number(madeBy(how, op, a, b, c))
}

// Application says which operation, on which first two parts, gives what has a number.
type Application struct {
	Op       int // its number plus one
	X, Y     int32
	Commutes bool
}

// Application returns the operation that gives what has a number, if one does.
func (n *Numbers) Application(id int32) (a Application, ok bool) {
	if id < firstNumber {
		return a, false
	}
	m := n.ids.all[id-firstNumber]
	how := How(m.rest >> 56)
	a = Application{Op: int(m.rest >> 32 & 0xFFFFFF), X: int32(uint32(m.parts)),
		Y: int32(m.parts >> 32), Commutes: how == byCommuting}
	return a, m != (made{}) && (how == byOp || how == byCommuting)
}

// Bind gives a variable a number. The length of a buffer has one that is made of it.
func (n *Numbers) Bind(v *loop.Var, id int32) {
	n.Of.Set(v, id)
	if v.Kind.IsBuffer() {
		n.Lens.Set(v, n.ID(byLength, id))
	}
}

// BindSized is Bind for a buffer with a length that has a number.
func (n *Numbers) BindSized(v *loop.Var, id, length int32) {
	n.Of.Set(v, id)
	n.Lens.Set(v, length)
}

// Atom returns the number of a variable or a literal.
func (n *Numbers) Atom(a loop.Atom) int32 {
	switch a := a.(type) {
	case *loop.Var:
		return n.Of.Get(a)
	case *loop.Const:
		return n.Literal(a)
	}
	return n.ids.fresh()
}

// Small whole numbers have numbers of their own as literals, which need not be looked up.
const (
	lowLiteral = -64
	literals   = 256 // so many of a kind
)

// Literal returns the number of a literal.
func (n *Numbers) Literal(c *loop.Const) int32 {
	k := c.I - lowLiteral
	if c.Kind == loop.F64 {
		k = int64(c.F) - lowLiteral
		if math.Float64bits(c.F) != math.Float64bits(float64(k+lowLiteral)) {
			k = -1
		}
	}
	if uint64(k) < literals {
		return 1 + int32(c.Kind)*literals + int32(k)
	}
	w := c.Word()
	return n.ids.number(madeBy(byLiteral, 0, int32(c.Kind), int32(w), int32(w>>32)))
}
