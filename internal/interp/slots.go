package interp

import "github.com/fluxion-lang/fluxion/internal/interp/layout"

// Slots is the slots of values, by kind, each kind in the order of the layouts. Values are written by
// appending to them, and read from the front.
type Slots struct {
	f []float64
	i []int64
	p []ref
}

// add appends the slots of other values.
func (s *Slots) add(more Slots) {
	s.f, s.i, s.p = append(s.f, more.f...), append(s.i, more.i...), append(s.p, more.p...)
}

// with is the slots of two values, the second after the first.
func (s Slots) with(w Slots) (both Slots) {
	both.add(s)
	both.add(w)
	return both
}

// take splits the first slots off. What is appended to them does not overwrite the others.
func (s *Slots) take(n layout.Shape) Slots {
	first := Slots{s.f[:n.F:n.F], s.i[:n.I:n.I], s.p[:n.P:n.P]}
	s.f, s.i, s.p = s.f[n.F:], s.i[n.I:], s.p[n.P:]
	return first
}

// real reads a double.
func (s *Slots) real() float64 {
	x := s.f[0]
	s.f = s.f[1:]
	return x
}

// int reads an integer.
func (s *Slots) int() int64 {
	n := s.i[0]
	s.i = s.i[1:]
	return n
}

// ref reads a reference.
func (s *Slots) ref() ref {
	r := s.p[0]
	s.p = s.p[1:]
	return r
}

// truth is a Bool as its slot holds it.
func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
