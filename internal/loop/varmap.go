package loop

import "cmp"

// VarMap maps variables to values, where the zero value stands for none. Variables are numbered in the order in
// which they are made, and those of a function are made together: so a page of values is found by the number, and
// neither reading nor writing hashes. The zero VarMap is empty.
type VarMap[T any] struct {
	first uint64 // the number of the first page
	pages []*[pageSize]T
	spare []*[pageSize]T // of zeros
}

const pageSize = 64

// Get is the value of a variable.
func (m *VarMap[T]) Get(v *Var) T {
	if k := v.number/pageSize - m.first; k < uint64(len(m.pages)) && m.pages[k] != nil {
		return m.pages[k][v.number%pageSize]
	}
	var none T
	return none
}

// Set gives a variable a value.
func (m *VarMap[T]) Set(v *Var, x T) { *m.At(v) = x }

// At is where the value of a variable is kept.
func (m *VarMap[T]) At(v *Var) *T {
	if k := v.number/pageSize - m.first; k < uint64(len(m.pages)) && m.pages[k] != nil {
		return &m.pages[k][v.number%pageSize]
	}
	return m.room(v)
}

// room makes room for a value.
func (m *VarMap[T]) room(v *Var) *T {
	page := v.number / pageSize
	switch {
	case len(m.pages) == 0:
		m.first = page
		m.pages = append(m.pages, nil)
	case page < m.first:
		more := min(m.first, max(m.first-page, uint64(len(m.pages)))) // as many again, so that this is rare
		m.pages = append(make([]*[pageSize]T, more, more+uint64(len(m.pages))), m.pages...)
		m.first -= more
	}
	k := page - m.first
	for uint64(len(m.pages)) <= k {
		m.pages = append(m.pages, nil)
	}
	if m.pages[k] == nil {
		m.pages[k] = m.page()
	}
	return &m.pages[k][v.number%pageSize]
}

func (m *VarMap[T]) page() *[pageSize]T {
	last := len(m.spare) - 1
	if last < 0 {
		return new([pageSize]T)
	}
	p := m.spare[last]
	m.spare = m.spare[:last]
	return p
}

// Clear removes all values. The map keeps its memory.
func (m *VarMap[T]) Clear() {
	for k, p := range m.pages {
		if p != nil {
			clear(p[:])
			m.spare = append(m.spare, p)
			m.pages[k] = nil
		}
	}
	m.pages = m.pages[:0]
}

// CompareVars orders variables as they were made.
func CompareVars(a, b *Var) int { return cmp.Compare(a.number, b.number) }

// VarSet is a set of variables: a bit for each, by its number. The zero VarSet is empty, and a nil one too.
type VarSet struct {
	first uint64 // the number of the first word
	words []uint64
	size  int
}

// Has tells whether a variable is in the set.
func (s *VarSet) Has(v *Var) bool {
	if s == nil {
		return false
	}
	k := v.number/64 - s.first
	return k < uint64(len(s.words)) && s.words[k]>>(v.number%64)&1 != 0
}

// HasAtom tells whether an atom is a variable of the set.
func (s *VarSet) HasAtom(a Atom) bool {
	v, ok := a.(*Var)
	return ok && s.Has(v)
}

// Add adds a variable.
func (s *VarSet) Add(v *Var) {
	if k := v.number/64 - s.first; k < uint64(len(s.words)) {
		s.size += int(^s.words[k] >> (v.number % 64) & 1)
		s.words[k] |= 1 << (v.number % 64)
		return
	}
	s.grow(v)
}

// grow adds a variable that there is no word for.
func (s *VarSet) grow(v *Var) {
	word := v.number / 64
	switch {
	case len(s.words) == 0:
		s.first = word
		s.words = append(s.words, 0)
	case word < s.first:
		more := min(s.first, max(s.first-word, uint64(len(s.words)))) // as many again, so that this is rare
		s.words = append(make([]uint64, more, more+uint64(len(s.words))), s.words...)
		s.first -= more
	}
	k := word - s.first
	if n := uint64(len(s.words)); k >= n {
		s.words = append(s.words, make([]uint64, k+1-n)...)
	}
	s.words[k] |= 1 << (v.number % 64)
	s.size++
}

// Remove takes a variable out.
func (s *VarSet) Remove(v *Var) {
	if s.Has(v) {
		s.words[v.number/64-s.first] &^= 1 << (v.number % 64)
		s.size--
	}
}

// Clear removes all variables. The set keeps its memory.
func (s *VarSet) Clear() { s.words, s.size = s.words[:0], 0 }

// Len is the number of variables in the set.
func (s *VarSet) Len() int {
	if s == nil {
		return 0
	}
	return s.size
}
