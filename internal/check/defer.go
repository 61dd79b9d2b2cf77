package check

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Deferred constraints]
//
// The type of `p.x` depends on the type of p in a way that unification cannot express. The same
// holds for `x[0]`, which projects a tuple or indexes an array. If the type of p is not known
// yet, the result gets an unknown type, and a deferral waits for p. It is attached to the Meta of
// p and wakes when that Meta is solved, so nothing is searched or retried in vain.
//
// A deferral keeps its types from being generalised. When a local let is generalised, they are
// lowered to the level outside of it (postpone), so uses of the let can still decide them. At the
// end of the top-level definition an undecided x[0] indexes an array, and the record patterns on
// an undecided type name all of its fields (settle). Fields taken by p.x stay open, so that the
// uses of the definition in the module decide them:
//
//	let norm2 p = sqrt (p.x^2 + p.y^2)
//	let n = norm2 {x = 3, y = 4, label = "a"}
//
// A type that the whole module leaves open has the fields that were taken and no others
// (closeRecords). If the type of one of these is not known either, an annotation is required.

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
	whole   syntax.Node // the node that has the type of the field or component
	at      int         // waitIndex: the position among its indices
	subject types.Type
	name    syntax.Ident
	index   int64
	result  types.Type // set when the deferral waits
	done    bool
	open    bool        // whether its top-level definition was left without deciding it
	by      syntax.Node // the use that decided it after that
}

// fieldType returns the type of a field of the subject, or an unknown that is decided later.
func (c *checker) fieldType(d *deferral) types.Type {
	if t, known := c.tryField(d); known {
		return t
	}
	return c.wait(d)
}

// projectionType returns the type of subject[literal], or an unknown that is decided later.
func (c *checker) projectionType(d *deferral) types.Type {
	if t, known := c.tryIndex(d); known {
		return t
	}
	return c.wait(d)
}

// wait attaches a deferral to the unknown that it waits for.
func (c *checker) wait(d *deferral) types.Type {
	m := types.Resolve(d.subject).(*types.Meta)
	// Two equal questions about the same subject share an answer.
	for w := m.Waits; w != nil; w = w.Next {
		if o, ok := w.For.(*deferral); ok && (o.kind == waitIndex) == (d.kind == waitIndex) &&
			o.name.Name == d.name.Name && o.index == d.index {
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

// wake continues the work that waited for types that are now known.
func (c *checker) wake() {
	if c.waker == nil {
		c.waker = c.reasonAt
		defer func() { c.waker = nil }()
	}
	for len(c.u.Woken) > 0 {
		last := len(c.u.Woken) - 1
		woken := c.u.Woken[last].For
		c.u.Woken = c.u.Woken[:last]
		switch d := woken.(type) {
		case *deferral:
			c.retry(d)
		case *jacobian:
			c.solveJacobian(d)
		}
	}
}

func (c *checker) retry(d *deferral) {
	if d.done {
		return
	}
	if d.open {
		d.by = c.waker
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
	// The earlier uses of the result decide which type is expected.
	c.expect(d.whole, d.result, t, why{kind: whyDeferred, at: d.name.At, node: d.by})
}

// tryField returns the type of a field if the type of the subject is known.
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
		if d.by == nil || d.by != c.notRecord { // one report per use is enough
			c.notARecord(d, t)
		}
		c.notRecord = d.by
	}
	return c.bad(), true
}

// tryIndex returns the type of a component if the type of the subject is known.
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

// postpone prevents the types in pending deferrals from being generalised above level.
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

// settle decides the deferrals of a top-level definition before it is generalised. Undecided
// fields are left to the rest of the module.
func (c *checker) settle() {
	if len(c.deferred) == 0 {
		return
	}
	c.u.Level++ // unknowns made here still belong to the definition
	defer func() { c.u.Level-- }()
	for i := 0; i < len(c.deferred); i++ { // deciding one may decide others
		if d := c.deferred[i]; !d.done && d.kind == waitIndex {
			subject := d.node
			if d.at == 0 {
				subject = d.node.(*syntax.Index).X
			}
			c.expect(subject, &types.Array{Size: c.u.FreshSize(), Elem: d.result}, d.subject,
				why{kind: whyIndexed})
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
	for _, d := range c.deferred {
		if !d.done {
			d.open = true
			c.u.Lower(d.subject, 0)
			c.u.Lower(d.result, 0)
			c.open = append(c.open, d)
		}
	}
	c.deferred = c.deferred[:0]
}

// closeRecords decides the fields that the whole module left open.
func (c *checker) closeRecords() {
	for _, d := range c.open {
		if d.done {
			continue
		}
		m := types.Resolve(d.subject).(*types.Meta)
		t := recordOf(m, func(*deferral) bool { return true })
		if slices.ContainsFunc(t.Fields, func(f types.Field) bool { return isOpen(f.Type) }) {
			c.ambiguousField(d)
			for w := m.Waits; w != nil; w = w.Next {
				if d, ok := w.For.(*deferral); ok {
					d.done = true
				}
			}
			c.u.Poison(m)
			c.u.Poison(t)
			continue
		}
		c.expect(d.node, m, t, why{kind: whyTaken, at: d.name.At})
	}
}

// isOpen reports whether nothing at all is known about a type.
func isOpen(t types.Type) bool {
	m, ok := types.Resolve(t).(*types.Meta)
	return ok && m.Classes == 0 && m.Waits == nil && !m.Poisoned
}

// patternRecord returns the record with the fields that the patterns on an unknown type name. It
// returns nil if anything else is required of the type.
func patternRecord(subject types.Type) types.Type {
	m := types.Resolve(subject).(*types.Meta)
	t := recordOf(m, func(d *deferral) bool { return d.kind == waitPattern })
	for w := m.Waits; w != nil; w = w.Next {
		if d, ok := w.For.(*deferral); ok && (d.kind == waitIndex || t.Index(d.name.Name) < 0) {
			return nil
		}
	}
	return t
}

// recordOf returns the record with the fields that are taken of an unknown, restricted by counts.
func recordOf(m *types.Meta, counts func(*deferral) bool) *types.Record {
	t := &types.Record{}
	for w := m.Waits; w != nil; w = w.Next {
		if d, ok := w.For.(*deferral); ok && counts(d) {
			t.Fields = append(t.Fields, types.Field{Name: d.name.Name, Type: d.result})
		}
	}
	sortFields(t.Fields)
	// Two deferrals may name the same field, if their subjects turned out to be equal.
	t.Fields = slices.CompactFunc(t.Fields, func(a, b types.Field) bool { return a.Name == b.Name })
	return t
}
