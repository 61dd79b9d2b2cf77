package loop

import "cmp"

// VarMap maps variables to values, where the zero value stands for none. Variables are numbered in the order in
// which they are made, and those of a function are made together: so a page of values is found by the number, and
// neither reading nor writing hashes. The zero VarMap is empty.
type VarMap[T any] struct {
	first uint64 // the number of the first page
	pages []*[pageSize]T
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
	page := v.number / pageSize
	switch {
	case len(m.pages) == 0:
		m.first = page
		m.pages = make([]*[pageSize]T, 1, 8)
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
		m.pages[k] = new([pageSize]T)
	}
	return &m.pages[k][v.number%pageSize]
}

// CompareVars orders variables as they were made.
func CompareVars(a, b *Var) int { return cmp.Compare(a.number, b.number) }
