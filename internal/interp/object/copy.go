package object

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/interp/layout"
)

// CopySlots copies a value without functions, and counts the bytes of the copy; it
// stops beyond most. What is shared in the value is shared in the copy.
func CopySlots(v Slots, most int64) (Slots, int64) {
	c := copier{done: map[any]Ref{}}
	c.bytes = int64(8 * (len(v.F) + len(v.I)))
	v.P = c.refs(v.P)
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
	done  map[any]Ref // the copy of each object
	todo  []*Ref      // places of copies that still hold originals
}

func (c *copier) copy(r Ref) Ref {
	if r == nil {
		return nil
	}
	if known := c.done[r]; known != nil {
		return known
	}
	var made Ref
	switch r := r.(type) {
	case *Reals:
		c.bytes += HeaderBytes
		made = &Reals{V: plain(c, r.V)}
	case *Ints:
		c.bytes += HeaderBytes
		made = &Ints{V: plain(c, r.V)}
	case *Refs:
		c.bytes += HeaderBytes
		made = &Refs{V: c.refs(r.V)}
	case *Table:
		c.bytes += TableBytes
		t := &Table{N: r.N}
		for _, col := range r.F {
			t.F = append(t.F, plain(c, col))
		}
		for _, col := range r.I {
			t.I = append(t.I, plain(c, col))
		}
		for _, col := range r.P {
			t.P = append(t.P, c.refs(col))
		}
		made = t
	case *Text:
		c.bytes += TextBytes + int64(len(r.S))
		made = &Text{r.S}
	case *Cell:
		c.bytes += CellBytes
		o := *r
		c.todo = append(c.todo, &o.P)
		made = &o
	case *Node:
		c.bytes += NodeBytes
		o := *r
		c.todo = append(c.todo, &o.p[0], &o.p[1])
		if r.more != nil {
			c.bytes += PayloadBytes(2+len(r.more.w), 2+len(r.more.p))
			o.more = &spill{w: plain(c, r.more.w), p: c.refs(r.more.p)}
		}
		made = &o
	default:
		panic("object: a constant without functions holds one")
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
func (c *copier) refs(column []Ref) []Ref {
	c.bytes += layout.RefBytes * int64(len(column))
	made := slices.Clone(column)
	for i := range made {
		c.todo = append(c.todo, &made[i])
	}
	return made
}
