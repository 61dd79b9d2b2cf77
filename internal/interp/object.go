package interp

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/interp/layout"
)

// ref is what a reference slot holds: *reals, *ints, *refs, *table, *text,
// *cell, *node, *closure or *partial. The static type of the slot decides
// which, up to *closure and *partial, so that instructions assert and never
// switch. Everything referred to is immutable once its construction is over, but
// for arrays that nothing else refers to: Note [Updates in place].
type ref any

// An array is a structure of columns, one for each slot of its element type.
// The three commonest layouts, of one slot, are their column; slices and zips
// share columns.
type (
	reals struct {
		v    []float64
		own  bool // Note [Updates in place], here and below
		flat flatCache
	}
	ints struct {
		v   []int64
		own bool
	}
	refs struct {
		v    []ref
		own  bool
		mine []bool // the rows that nothing else refers to: Note [Updates of rows]
		flat flatCache
	}
	// table is an array whose elements have no slot, or several.
	table struct {
		n int
		f [][]float64
		i [][]int64
		p [][]ref

		own  bool
		mine [][]bool // by the columns of p
		flat flatCache
	}
)

// text is a string.
type text struct{ s string }

// spill holds what does not fit the inline part of an object.
type spill struct {
	w []uint64
	p []ref
}

// payload is the slots of a data value or of a closure: plain ones (doubles
// as their bits) and references, in the order of the layout.
type payload struct {
	w    [2]uint64
	p    [2]ref
	more *spill
}

func (o *payload) real(k int) float64 { return math.Float64frombits(uint64(o.word(k))) }

func (o *payload) word(k int) int64 {
	if k < len(o.w) {
		return int64(o.w[k])
	}
	return int64(o.more.w[k-len(o.w)])
}

func (o *payload) ref(k int) ref {
	if k < len(o.p) {
		return o.p[k]
	}
	return o.more.p[k-len(o.p)]
}

func (o *payload) setWord(k int, w uint64) {
	if k < len(o.w) {
		o.w[k] = w
	} else {
		o.more.w[k-len(o.w)] = w
	}
}

func (o *payload) setRef(k int, r ref) {
	if k < len(o.p) {
		o.p[k] = r
	} else {
		o.more.p[k-len(o.p)] = r
	}
}

// grow makes room for the given numbers of slots.
func (o *payload) grow(words, pointers int) {
	words, pointers = max(words-len(o.w), 0), max(pointers-len(o.p), 0)
	if words+pointers > 0 {
		o.more = &spill{w: make([]uint64, words), p: make([]ref, pointers)}
	}
}

// The sizes that objects are charged with.
const (
	cellBytes   = 32
	nodeBytes   = 64
	headerBytes = 32  // of a one-column array
	tableBytes  = 112 // of any other, less its lists of columns
	textBytes   = 16
)

// payloadBytes is what a payload takes beyond its inline part.
func payloadBytes(words, pointers int) int64 {
	if words <= 2 && pointers <= 2 {
		return 0
	}
	return int64(48 + 8*max(words-2, 0) + layout.RefBytes*max(pointers-2, 0))
}

type (
	// cell is a data value with at most one plain and one reference slot.
	cell struct {
		tag int
		w   uint64
		p   ref
	}
	// node is any other data value.
	node struct {
		tag int
		payload
	}
)
