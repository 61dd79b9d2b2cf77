package loop

import (
	"sync"

	"github.com/fluxion-lang/fluxion/internal/numbered"
)

// VarMap maps variables to values. The zero value means that there is none. The zero VarMap is
// empty.
type VarMap[T any] struct{ of numbered.Map[T] }

// Get returns the value of a variable.
func (m *VarMap[T]) Get(v *Var) T { return m.of.Get(v.number) }

// Set gives a variable a value.
func (m *VarMap[T]) Set(v *Var, x T) { *m.of.At(v.number) = x }

// At returns a pointer to the value of a variable.
func (m *VarMap[T]) At(v *Var) *T { return m.of.At(v.number) }

// Clear removes all values. The map keeps its memory.
func (m *VarMap[T]) Clear() { m.of.Clear() }

// VarSet is a set of variables. The zero VarSet is empty, and a nil one too.
type VarSet struct{ of numbered.Set }

var varSets = sync.Pool{New: func() any { return &VarSet{} }}

// NewVarSet makes an empty set.
func NewVarSet() *VarSet { return varSets.Get().(*VarSet) }

// Release returns the memory of a set that is no longer used, for others.
func (s *VarSet) Release() {
	s.Clear()
	varSets.Put(s)
}

// Has reports whether a variable is in the set.
func (s *VarSet) Has(v *Var) bool { return s != nil && s.of.Has(v.number) }

// HasAtom reports whether an atom is a variable of the set.
func (s *VarSet) HasAtom(a Atom) bool {
	v, ok := a.(*Var)
	return ok && s.Has(v)
}

// Add adds a variable.
func (s *VarSet) Add(v *Var) { s.of.Add(v.number) }

// Remove removes a variable.
func (s *VarSet) Remove(v *Var) { s.of.Remove(v.number) }

// Clear removes all variables. The set keeps its memory.
func (s *VarSet) Clear() { s.of.Clear() }

// Unused reports whether no variable was added since the set was made or cleared.
func (s *VarSet) Unused() bool { return s.of.Unused() }

// Len returns the number of variables in the set, which it counts.
func (s *VarSet) Len() int {
	if s == nil {
		return 0
	}
	return s.of.Len()
}
