package exact

import (
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Slots]. Types are concrete, so tuples and records do not exist at run
// time: a value is a number of slots of three kinds, wherever it is: reals
// (jets), integers (Int and Bool), and references (arrays, functions, data,
// texts). Within a value the slots of one kind are in the order of the type.

// shape counts the slots of a value by kind.
type shape struct{ r, i, p int }

func (s shape) plus(t shape) shape { return shape{s.r + t.r, s.i + t.i, s.p + t.p} }

func (s shape) size() int { return s.r + s.i + s.p }

// shapeOf is the shape of the values of a type.
func shapeOf(t types.Type) shape {
	switch t := types.Resolve(t).(type) {
	case *types.Basic:
		switch t {
		case types.Real:
			return shape{r: 1}
		case types.String:
			return shape{p: 1}
		}
		return shape{i: 1}
	case *types.Tuple, *types.Record:
		return shapesOf(types.Parts(t))
	}
	return shape{p: 1} // function, array or data
}

// shapesOf is the shape of several values together.
func shapesOf(ts []types.Type) shape {
	var s shape
	for _, t := range ts {
		s = s.plus(shapeOf(t))
	}
	return s
}

// slots holds a value: in an array several of one type, one after the other.
type slots struct {
	r []jet.Jet
	i []int64
	p []any
}

func makeSlots(s shape) slots {
	var v slots
	if s.r > 0 {
		v.r = make([]jet.Jet, s.r)
	}
	if s.i > 0 {
		v.i = make([]int64, s.i)
	}
	if s.p > 0 {
		v.p = make([]any, s.p)
	}
	return v
}

// array is the representation of an array; a reference slot holds a pointer to
// one.
type array struct {
	n int
	slots
}

func makeArray(n int, elem shape) *array {
	return &array{n, makeSlots(shape{n * elem.r, n * elem.i, n * elem.p})}
}

// at is element k, which shares storage with the array.
func (a *array) at(k int, elem shape) slots {
	return slots{
		a.r[k*elem.r : (k+1)*elem.r : (k+1)*elem.r],
		a.i[k*elem.i : (k+1)*elem.i : (k+1)*elem.i],
		a.p[k*elem.p : (k+1)*elem.p : (k+1)*elem.p],
	}
}

// data is the representation of a data value: the position of its
// constructor, and the slots of its fields.
type data struct {
	con int
	slots
}

// closure is the representation of a function: its code, what it captures, and
// the arguments that it has been given so far.
type closure struct {
	code  *code
	slots slots
	given int   // how many arguments
	args  slots // and which
}

// copyTo copies all slots.
func (v slots) copyTo(w slots) {
	copy(w.r, v.r)
	copy(w.i, v.i)
	copy(w.p, v.p)
}

// part is the slots of a component: off before it, of the given shape.
func (v slots) part(off, s shape) slots {
	return slots{v.r[off.r : off.r+s.r], v.i[off.i : off.i+s.i], v.p[off.p : off.p+s.p]}
}
