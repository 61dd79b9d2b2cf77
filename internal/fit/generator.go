package fit

import "math/rand/v2"

// generator is a source of random numbers whose state can be saved. The whole state is that of
// PCG, which MarshalBinary writes. All random numbers of this package come from generators.
type generator struct {
	*rand.Rand // has no state of its own: it asks source
	source     rand.PCG
}

// newGenerator returns the generator of one stream of a seed.
func newGenerator(seed, stream uint64) *generator {
	g := &generator{}
	g.source.Seed(seed, stream)
	g.Rand = rand.New(&g.source)
	return g
}

// clone returns a generator that will produce the same numbers.
func (g *generator) clone() *generator {
	c := newGenerator(0, 0)
	c.source = g.source
	return c
}

// MarshalBinary writes the state.
func (g *generator) MarshalBinary() ([]byte, error) { return g.source.MarshalBinary() }

// UnmarshalBinary restores the state.
func (g *generator) UnmarshalBinary(state []byte) error {
	g.Rand = rand.New(&g.source)
	return g.source.UnmarshalBinary(state)
}
