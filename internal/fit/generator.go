package fit

import "math/rand/v2"

// generator is a source of random numbers that is saved with what it drives: its whole state is
// that of PCG, of which MarshalBinary tells. All random numbers of this package come from one.
type generator struct {
	*rand.Rand // without a state of its own: it asks source
	source     rand.PCG
}

// newGenerator makes the generator of a stream of a seed.
func newGenerator(seed, stream uint64) *generator {
	g := &generator{}
	g.source.Seed(seed, stream)
	g.Rand = rand.New(&g.source)
	return g
}

// clone returns a generator that will give the same numbers.
func (g *generator) clone() *generator {
	c := newGenerator(0, 0)
	c.source = g.source
	return c
}

// MarshalBinary writes the state.
func (g *generator) MarshalBinary() ([]byte, error) { return g.source.MarshalBinary() }

// UnmarshalBinary reads it back.
func (g *generator) UnmarshalBinary(state []byte) error {
	g.Rand = rand.New(&g.source)
	return g.source.UnmarshalBinary(state)
}
