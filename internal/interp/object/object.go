// Package object has what the slots of values hold (package layout says which there are): doubles,
// integers, and references to arrays, texts and data. It makes values of package value from them,
// and back, finds the reals in a value, and copies values. Functions are objects of the machine's
// own.
//
// Nothing in it limits a run. Where it makes much, a Meter pays before.
package object

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/interp/layout"
)

// Ref is what a reference slot holds: *Reals, *Ints, *Refs, *Table, *Text,
// *Cell, *Node, or a function, of which there are two types. The static type of the slot decides
// which, up to those two, so that instructions assert and never
// switch. Everything referred to is immutable once its construction is over, but
// for arrays that nothing else refers to: Note [Updates in place].
type Ref any

// An array is a structure of columns, one for each slot of its element type.
// The three commonest layouts, of one slot, are their column; slices and zips
// share columns.
type (
	// Reals is an array of doubles.
	Reals struct {
		V    []float64
		own  bool // Note [Updates in place], here and below
		flat FlatCache
	}
	// Ints is an array of integers.
	Ints struct {
		V   []int64
		own bool
	}
	// Refs is an array of references.
	Refs struct {
		V    []Ref
		own  bool
		Mine []bool // the rows that nothing else refers to: Note [Updates of rows]
		flat FlatCache
	}
	// Table is an array whose elements have no slot, or several.
	Table struct {
		N int
		F [][]float64
		I [][]int64
		P [][]Ref

		own  bool
		Mine [][]bool // by the columns of P
		flat FlatCache
	}
)

// Text is a string.
type Text struct{ S string }

// spill holds what does not fit the inline part of an object.
type spill struct {
	w []uint64
	p []Ref
}

// Payload is the slots of a data value or of a closure: plain ones (doubles
// as their bits) and references, in the order of the layout.
type Payload struct {
	w    [2]uint64
	p    [2]Ref
	more *spill
}

// Real is the plain slot k, a double.
func (o *Payload) Real(k int) float64 { return math.Float64frombits(uint64(o.Word(k))) }

// Word is the plain slot k, an integer.
func (o *Payload) Word(k int) int64 {
	if k < len(o.w) {
		return int64(o.w[k])
	}
	return int64(o.more.w[k-len(o.w)])
}

// Ref is the reference k.
func (o *Payload) Ref(k int) Ref {
	if k < len(o.p) {
		return o.p[k]
	}
	return o.more.p[k-len(o.p)]
}

// SetWord sets the plain slot k.
func (o *Payload) SetWord(k int, w uint64) {
	if k < len(o.w) {
		o.w[k] = w
	} else {
		o.more.w[k-len(o.w)] = w
	}
}

// SetRef sets the reference k.
func (o *Payload) SetRef(k int, r Ref) {
	if k < len(o.p) {
		o.p[k] = r
	} else {
		o.more.p[k-len(o.p)] = r
	}
}

// Grow makes room for the given numbers of slots.
func (o *Payload) Grow(words, pointers int) {
	words, pointers = max(words-len(o.w), 0), max(pointers-len(o.p), 0)
	if words+pointers > 0 {
		o.more = &spill{w: make([]uint64, words), p: make([]Ref, pointers)}
	}
}

// The sizes that objects are charged with.
const (
	CellBytes   = 32
	NodeBytes   = 64
	HeaderBytes = 32  // of a one-column array
	TableBytes  = 112 // of any other, less its lists of columns
	TextBytes   = 16
)

// PayloadBytes is what a payload takes beyond its inline part.
func PayloadBytes(words, pointers int) int64 {
	if words <= 2 && pointers <= 2 {
		return 0
	}
	return int64(48 + 8*max(words-2, 0) + layout.RefBytes*max(pointers-2, 0))
}

type (
	// Cell is a data value with at most one plain and one reference slot.
	Cell struct {
		Tag int
		W   uint64
		P   Ref
	}
	// Node is any other data value.
	Node struct {
		Tag int
		Payload
	}
)
