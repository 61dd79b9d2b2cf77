package object

import "github.com/fluxion-lang/fluxion/internal/interp/layout"

// Slots is the slots of values, by kind, each kind in the order of the layouts. Values are written
// by appending to them, and read from the front.
type Slots struct {
	F []float64
	I []int64
	P []Ref
}

// Add appends the slots of other values.
func (s *Slots) Add(more Slots) {
	s.F, s.I, s.P = append(s.F, more.F...), append(s.I, more.I...), append(s.P, more.P...)
}

// With is the slots of two values, the second after the first.
func (s Slots) With(w Slots) (both Slots) {
	both.Add(s)
	both.Add(w)
	return both
}

// Take splits the first slots off. What is appended to them does not overwrite the others.
func (s *Slots) Take(n layout.Shape) Slots {
	first := Slots{s.F[:n.F:n.F], s.I[:n.I:n.I], s.P[:n.P:n.P]}
	s.F, s.I, s.P = s.F[n.F:], s.I[n.I:], s.P[n.P:]
	return first
}

// Real reads a double.
func (s *Slots) Real() float64 {
	x := s.F[0]
	s.F = s.F[1:]
	return x
}

// Int reads an integer.
func (s *Slots) Int() int64 {
	n := s.I[0]
	s.I = s.I[1:]
	return n
}

// Ref reads a reference.
func (s *Slots) Ref() Ref {
	r := s.P[0]
	s.P = s.P[1:]
	return r
}

// Truth is a Bool as its slot holds it.
func Truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
