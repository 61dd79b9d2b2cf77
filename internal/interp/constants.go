package interp

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Constants keeps the values of constants from one run to the next, for a session
// whose programs share definitions. They are known by their names, so that what is
// defined anew needs a name of its own, and all runs must have the same options.
// The zero Constants is empty; it is not safe for concurrent use.
//
// Values are immutable and refer to nothing of the program that made them, except
// functions: what may contain one is not kept. Kept ones are copies, because a
// slice of an array would keep all of that alive.
type Constants struct {
	values map[string]keptValue
	bytes  int64 // of all of them
}

type keptValue struct {
	value globalValue
	bytes int64
}

// keptShare is the part of a run's limit of memory that kept values may take.
const keptShare = 16

// recall gives the machine a constant that was kept, and tells whether there is
// one. The run pays for its memory, as it would if it made it.
func (k *Constants) recall(m *Machine, g *global) (known bool, d *diag.Diagnostic) {
	if k == nil {
		return false, nil
	}
	kept, known := k.values[g.name]
	if known {
		m.globals[g.index] = kept.value
		d = m.charge(kept.bytes)
	}
	return known, d
}

// keep notes a constant that the machine has evaluated. If there is no room for it,
// all others give way.
func (k *Constants) keep(m *Machine, g *global) {
	if k == nil || types.Member(g.ty, types.Diff) != nil {
		return
	}
	room := m.memory / keptShare
	value, bytes := copyValue(m.globals[g.index], room)
	if bytes > room {
		return
	}
	if k.values == nil || k.bytes+bytes > room {
		k.values, k.bytes = map[string]keptValue{}, 0
	}
	k.values[g.name] = keptValue{value, bytes}
	k.bytes += bytes
}

// copyValue copies a value without functions, and counts the bytes of the copy; it
// stops beyond most. What is shared in the value is shared in the copy.
func copyValue(v globalValue, most int64) (globalValue, int64) {
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
	c.bytes += refBytes * int64(len(column))
	made := slices.Clone(column)
	for i := range made {
		c.todo = append(c.todo, &made[i])
	}
	return made
}
