package interp

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/interp/layout"
)

// copySlots copies a value without functions, and counts the bytes of the copy; it
// stops beyond most. What is shared in the value is shared in the copy.
func copySlots(v Slots, most int64) (Slots, int64) {
	c := copier{done: map[any]ref{}}
	c.bytes = int64(8 * (len(v.f) + len(v.i)))
	v.p = c.refs(v.p)
	for len(c.todo) > 0 && c.bytes <= most {
		last := c.todo[len(c.todo)-1]
		c.todo = c.todo[:len(c.todo)-1]
		*last = c.copy(*last)
	}
	return v, c.bytes
}

// copier copies objects one after the other, since lists are as deep as they are long.
type copier struct {
	bytes int64
	done  map[any]ref // the copy of each object
	todo  []*ref      // places of copies that still hold originals
}

func (c *copier) copy(r ref) ref {
	if r == nil {
		return nil
	}
	if known := c.done[r]; known != nil {
		return known
	}
	var made ref
	switch r := r.(type) {
	case *reals:
		c.bytes += headerBytes
		made = &reals{v: plain(c, r.v)}
	case *ints:
		c.bytes += headerBytes
		made = &ints{v: plain(c, r.v)}
	case *refs:
		c.bytes += headerBytes
		made = &refs{v: c.refs(r.v)}
	case *table:
		c.bytes += tableBytes
		t := &table{n: r.n}
		for _, col := range r.f {
			t.f = append(t.f, plain(c, col))
		}
		for _, col := range r.i {
			t.i = append(t.i, plain(c, col))
		}
		for _, col := range r.p {
			t.p = append(t.p, c.refs(col))
		}
		made = t
	case *text:
		c.bytes += textBytes + int64(len(r.s))
		made = &text{r.s}
	case *cell:
		c.bytes += cellBytes
		o := *r
		c.todo = append(c.todo, &o.p)
		made = &o
	case *node:
		c.bytes += nodeBytes
		o := *r
		c.todo = append(c.todo, &o.p[0], &o.p[1])
		if r.more != nil {
			c.bytes += payloadBytes(2+len(r.more.w), 2+len(r.more.p))
			o.more = &spill{w: plain(c, r.more.w), p: c.refs(r.more.p)}
		}
		made = &o
	default:
		panic("interp: a constant without functions holds one")
	}
	c.done[r] = made
	return made
}

// plain copies a column of numbers.
func plain[T float64 | int64 | uint64](c *copier, column []T) []T {
	c.bytes += 8 * int64(len(column))
	return slices.Clone(column)
}

// refs copies a column of references, whose objects are then to be copied.
func (c *copier) refs(column []ref) []ref {
	c.bytes += layout.RefBytes * int64(len(column))
	made := slices.Clone(column)
	for i := range made {
		c.todo = append(c.todo, &made[i])
	}
	return made
}
