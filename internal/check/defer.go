package check

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Deferred constraints]
//
// The type of `p.x` depends on that of p in a way that unification cannot
// express, and so does `x[0]`, which projects a tuple or indexes an array. If
// the type of p is not known yet, the result gets an unknown type and a
// deferral waits for p: it is attached to the Meta of p and wakes when that
// Meta is solved, so nothing is ever searched or retried in vain.
//
// A deferral keeps its types from being generalised: when a local let is
// generalised they are lowered to the level outside of it (postpone), so uses
// of the let can still decide them. At the end of the top-level definition
// nothing can decide them any more (settle): x[0] then indexes an array, the
// record patterns on one type name the fields that it has, all of them, and p.x
// asks for an annotation.

type waitKind uint8

const (
	waitField   waitKind = iota // p.x
	waitUpdate                  // {p with x = e}
	waitPattern                 // {x = p}
	waitIndex                   // x[0]
)

// deferral is a field or projection of a subject whose type is not known yet.
type deferral struct {
	kind    waitKind
	node    syntax.Node // the subject; for waitIndex the *syntax.Index
	whole   syntax.Node // what has the type of the field or component
	at      int         // waitIndex: which of its indices
	subject types.Type
	name    syntax.Ident
	index   int64
	result  types.Type // set when the deferral waits
	done    bool
}

// fieldType is the type of a field of the subject, now or later.
func (c *checker) fieldType(d *deferral) types.Type {
	if t, known := c.tryField(d); known {
		return t
	}
	return c.wait(d)
}

// projectionType is the type of subject[literal], now or later.
func (c *checker) projectionType(d *deferral) types.Type {
	if t, known := c.tryIndex(d); known {
		return t
	}
	return c.wait(d)
}

// wait attaches a deferral to the unknown that it waits for.
func (c *checker) wait(d *deferral) types.Type {
	m := types.Resolve(d.subject).(*types.Meta)
	// The same question about the same subject has the same answer.
	for w := m.Waits; w != nil; w = w.Next {
		if o := w.For.(*deferral); (o.kind == waitIndex) == (d.kind == waitIndex) && o.name.Name == d.name.Name && o.index == d.index {
			if d.kind == waitPattern {
				o.kind = waitPattern
			}
			return o.result
		}
	}
	d.result = c.u.Fresh()
	m.Waits = &types.Waiter{For: d, Next: m.Waits}
	c.deferred = append(c.deferred, d)
	return d.result
}

// wake continues what waited for types that are known now.
func (c *checker) wake() {
	for len(c.u.Woken) > 0 {
		last := len(c.u.Woken) - 1
		d := c.u.Woken[last].For.(*deferral)
		c.u.Woken = c.u.Woken[:last]
		c.retry(d)
	}
}

func (c *checker) retry(d *deferral) {
	if d.done {
		return
	}
	var t types.Type
	var known bool
	if d.kind == waitIndex {
		t, known = c.tryIndex(d)
	} else {
		t, known = c.tryField(d)
	}
	if !known {
		return
	}
	d.done = true
	// What was used with the result so far decided what type it should have.
	c.expect(d.whole, d.result, t, why{kind: whyDeferred, at: d.name.At})
}

// tryField gives the type of a field if that of the subject is known.
func (c *checker) tryField(d *deferral) (types.Type, bool) {
	switch t := types.Resolve(d.subject).(type) {
	case *types.Meta:
		if t.Poisoned {
			return t, true
		}
		return nil, false
	case *types.Record:
		if i := t.Index(d.name.Name); i >= 0 {
			return t.Fields[i].Type, true
		}
		c.noField(d, t)
	default:
		c.notARecord(d, t)
	}
	return c.bad(), true
}

// tryIndex gives the type of a component if that of the subject is known.
func (c *checker) tryIndex(d *deferral) (types.Type, bool) {
	switch t := types.Resolve(d.subject).(type) {
	case *types.Meta:
		if t.Poisoned {
			return t, true
		}
		return nil, false
	case *types.Array:
		return t.Elem, true
	case *types.Tuple:
		if d.index < int64(len(t.Elems)) {
			return t.Elems[d.index], true
		}
		c.tupleIndex(d, t)
	default:
		c.notIndexable(d.node.(*syntax.Index), d.at, t, true)
	}
	return c.bad(), true
}

// postpone keeps what the pending deferrals mention from being generalised
// above level.
func (c *checker) postpone(level int32) {
	pending := c.deferred[:0]
	for _, d := range c.deferred {
		if d.done {
			continue
		}
		c.u.Lower(d.subject, level)
		c.u.Lower(d.result, level)
		pending = append(pending, d)
	}
	c.deferred = pending
}

// settle decides the deferrals of a top-level definition that are still open,
// before it is generalised.
func (c *checker) settle() {
	if len(c.deferred) == 0 {
		return
	}
	c.u.Level++ // what is made here still belongs to the definition
	defer func() { c.u.Level-- }()
	for i := 0; i < len(c.deferred); i++ { // deciding one may decide others
		if d := c.deferred[i]; !d.done && d.kind == waitIndex {
			subject := d.node
			if d.at == 0 {
				subject = d.node.(*syntax.Index).X
			}
			c.expect(subject, &types.Array{Size: c.u.FreshSize(), Elem: d.result}, d.subject, why{kind: whyIndexed})
			d.done = true
		}
	}
	for i := 0; i < len(c.deferred); i++ {
		if d := c.deferred[i]; !d.done && d.kind == waitPattern {
			if t := patternRecord(d.subject); t != nil {
				c.expect(d.node, d.subject, t, why{kind: whyPattern})
			}
		}
	}
	for i := 0; i < len(c.deferred); i++ {
		if d := c.deferred[i]; !d.done {
			d.done = true
			c.ambiguousField(d)
			c.u.Poison(d.subject)
			c.u.Poison(d.result)
			c.wake()
		}
	}
	c.deferred = c.deferred[:0]
}

// patternRecord is the record with the fields that the patterns on an unknown
// type name, or nil if something else is asked of it as well.
func patternRecord(subject types.Type) types.Type {
	waits := types.Resolve(subject).(*types.Meta).Waits
	t := &types.Record{}
	for w := waits; w != nil; w = w.Next {
		if d := w.For.(*deferral); d.kind == waitPattern {
			t.Fields = append(t.Fields, types.Field{Name: d.name.Name, Type: d.result})
		}
	}
	sortFields(t.Fields)
	// Two may name one field, if their subjects turned out to be one.
	t.Fields = slices.CompactFunc(t.Fields, func(a, b types.Field) bool { return a.Name == b.Name })
	for w := waits; w != nil; w = w.Next {
		if d := w.For.(*deferral); d.kind == waitIndex || t.Index(d.name.Name) < 0 {
			return nil
		}
	}
	return t
}
