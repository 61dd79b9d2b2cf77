package interp

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

// Note [Searches remembered]
//
// A function that is integrated or maximised often contains a search that does
// not depend on its variable, such as `fit lam` in `fun x => (fit lam * x - sin x)^2`,
// and runs it again for every point. So each instruction remembers its last
// search: the function with what it captured, and the plain numbers that were
// found. Programs are pure, so that the same function gives the same numbers;
// captured reals count by their values, references by identity.

// searchSite is an instruction that searches, with what it is given.
type searchSite struct {
	number int64
	fun    ref
	bounds []float64
}

// searchMemo is the last search of an instruction.
type searchMemo struct {
	fun   *closure
	words []uint64 // captured words and bounds, without boxes
	found any
}

// searchKey is what a search depends on, or false if the function is of a
// kind that is not remembered.
func (m *Machine) searchKey(fun ref, bounds []float64) (*closure, []uint64, bool) {
	c, ok := fun.(*closure)
	if !ok {
		return nil, nil, false
	}
	words := make([]uint64, 0, c.fn.words+len(bounds))
	for _, b := range bounds {
		words = append(words, math.Float64bits(m.tape.value(b)))
	}
	for k, kind := range c.fn.wordKinds {
		w := uint64(c.word(k))
		if kind == kF {
			w = math.Float64bits(m.tape.value(c.real(k)))
		}
		words = append(words, w)
	}
	return c, words, true
}

// remembered looks a search up, or runs it and remembers what it found.
func remembered[T any](m *Machine, at *searchSite, search func() (T, *diag.Diagnostic)) (T, *diag.Diagnostic) {
	c, words, ok := m.searchKey(at.fun, at.bounds)
	if !ok {
		return search()
	}
	site := at.number
	if memo := m.memos[site]; memo != nil && sameSearch(memo, c, words) {
		return memo.found.(T), nil
	}
	found, d := search()
	if d == nil {
		if m.memos == nil {
			m.memos = map[int64]*searchMemo{}
		}
		m.memos[site] = &searchMemo{c, words, found}
	}
	return found, d
}

func sameSearch(memo *searchMemo, c *closure, words []uint64) bool {
	if memo.fun.fn != c.fn || len(memo.words) != len(words) {
		return false
	}
	for k, w := range words {
		if memo.words[k] != w {
			return false
		}
	}
	for k := range c.fn.ptrs {
		if memo.fun.ref(k) != c.ref(k) {
			return false
		}
	}
	return true
}
