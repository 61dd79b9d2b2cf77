// Package numbered has maps and sets whose keys are numbers given in order of creation, such as
// those of variables. Things that are looked up together were mostly made together. So values are
// found by number in a table of pages, without hashing.
package numbered

import (
	"math/bits"
	"slices"
)

// Map maps numbers to values. The zero value means that there is none. The zero Map is empty.
type Map[T any] struct {
	first uint64                  // the number of the table's first page
	pages []*[pageSize]T          // the table
	far   map[uint64]*[pageSize]T // pages too far away for the table
	spare []*[pageSize]T          // zeroed pages for reuse
}

const (
	pageSize = 64
	// bounds the pages of a table, because a process that runs for days numbers very many things
	widest = 1 << 13
)

// Get returns the value of a number.
func (m *Map[T]) Get(n uint64) (x T) {
	if k := n/pageSize - m.first; k < uint64(len(m.pages)) && m.pages[k] != nil {
		return m.pages[k][n%pageSize]
	}
	if m.far != nil {
		return m.getFar(n)
	}
	return x
}

func (m *Map[T]) getFar(n uint64) (x T) {
	if p := m.far[n/pageSize]; p != nil {
		return p[n%pageSize]
	}
	return x
}

// At returns a pointer to the value of a number.
func (m *Map[T]) At(n uint64) *T {
	if k := n/pageSize - m.first; k < uint64(len(m.pages)) && m.pages[k] != nil {
		return &m.pages[k][n%pageSize]
	}
	return m.room(n)
}

// room makes room for a value, and returns a pointer to it.
func (m *Map[T]) room(n uint64) *T {
	page := n / pageSize
	if p := m.far[page]; p != nil { // the table may have grown since the page was made
		return &p[n%pageSize]
	}
	p := m.page()
	if at := reach(&m.pages, &m.first, page); at != nil {
		*at = p
		return &p[n%pageSize]
	}
	if m.far == nil {
		m.far = map[uint64]*[pageSize]T{}
	}
	m.far[page] = p
	return &p[n%pageSize]
}

// reach returns the entry of a table for a place. The table begins with the place first, and
// grows as needed. If it would grow too wide, reach returns nil.
func reach[E any](table *[]E, first *uint64, place uint64) *E {
	size := uint64(len(*table))
	switch {
	case size == 0:
		*first = place
	case place < *first:
		more := *first - place
		if size+more > widest {
			return nil
		}
		more = min(*first, max(more, size)) // doubles the table, so that this happens rarely
		*table = slices.Grow(*table, int(more))[:size+more]
		copy((*table)[more:], *table)
		clear((*table)[:more])
		*first -= more
	case place-*first >= widest:
		return nil
	}
	k := place - *first
	if size = uint64(len(*table)); k >= size {
		*table = append(*table, make([]E, k+1-size)...)
	}
	return &(*table)[k]
}

func (m *Map[T]) page() *[pageSize]T {
	last := len(m.spare) - 1
	if last < 0 {
		return new([pageSize]T)
	}
	p := m.spare[last]
	m.spare = m.spare[:last]
	return p
}

// Clear removes all values. The map keeps its memory.
func (m *Map[T]) Clear() {
	for k, p := range m.pages {
		if p != nil {
			clear(p[:])
			m.spare = append(m.spare, p)
			m.pages[k] = nil
		}
	}
	m.pages, m.far = m.pages[:0], nil
}

// Set is a set of numbers, with a bit for each. The zero Set is empty.
type Set struct {
	first uint64            // the index of the table's first word
	words []uint64          // the table
	far   map[uint64]uint64 // words too far away for the table
}

// Has reports whether a number is in the set.
func (s *Set) Has(n uint64) bool {
	k := n/64 - s.first
	return k < uint64(len(s.words)) && s.words[k]>>(n%64)&1 != 0 ||
		s.far != nil && s.far[n/64]>>(n%64)&1 != 0
}

// Add adds a number.
func (s *Set) Add(n uint64) {
	if k := n/64 - s.first; k < uint64(len(s.words)) {
		s.words[k] |= 1 << (n % 64)
	} else {
		s.grow(n)
	}
}

// grow adds a number that has no word in the table.
func (s *Set) grow(n uint64) {
	if at := reach(&s.words, &s.first, n/64); at != nil {
		*at |= 1 << (n % 64)
		return
	}
	if s.far == nil {
		s.far = map[uint64]uint64{}
	}
	s.far[n/64] |= 1 << (n % 64)
}

// Remove removes a number.
func (s *Set) Remove(n uint64) {
	if k := n/64 - s.first; k < uint64(len(s.words)) {
		s.words[k] &^= 1 << (n % 64)
	}
	if s.far != nil {
		s.far[n/64] &^= 1 << (n % 64)
	}
}

// Clear removes all numbers. The set keeps its memory.
func (s *Set) Clear() { s.words, s.far = s.words[:0], nil }

// Len returns the size of the set, by counting.
func (s *Set) Len() int {
	size := 0
	for _, w := range s.words {
		size += bits.OnesCount64(w)
	}
	for place, w := range s.far {
		if k := place - s.first; k < uint64(len(s.words)) { // the table may have grown since
			w &^= s.words[k]
		}
		size += bits.OnesCount64(w)
	}
	return size
}

// Unused reports whether no number was added since the set was made or cleared.
func (s *Set) Unused() bool { return len(s.words) == 0 && s.far == nil }
