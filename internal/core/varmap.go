package core

import (
	"sync/atomic"

	"github.com/fluxion-lang/fluxion/internal/numbered"
)

// variables counts the variables made so far.
var variables atomic.Uint64

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

// VarSet is a set of variables. The zero VarSet is empty.
type VarSet struct{ of numbered.Set }

// Has reports whether a variable is in the set.
func (s *VarSet) Has(v *Var) bool { return s.of.Has(v.number) }

// Add adds a variable.
func (s *VarSet) Add(v *Var) { s.of.Add(v.number) }

// Remove removes a variable.
func (s *VarSet) Remove(v *Var) { s.of.Remove(v.number) }

// Clear removes all variables. The set keeps its memory.
func (s *VarSet) Clear() { s.of.Clear() }
