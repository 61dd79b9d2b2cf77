package tape

import "github.com/fluxion-lang/fluxion/internal/rules"

// Note [Watched errors]
//
// A program that approximates chooses its steps by the size of errors (prim.Deviation). In what is
// differentiated the tangents of the errors must be small too, along a generic direction of the
// variables: package grad, Note [Watched errors]. On the tape each derivative in progress has a
// watcher, a sweep forwards over its part that goes on where it ended each time that an error is
// looked at. The watcher of a derivative inside another records, so that the one around it finds
// the tangents of the tangents. What watchers record is not swept by their own derivative: each of
// them goes on behind all of that.

//
// A checkpoint runs again when some derivatives are not in progress any more, and must take the
// same steps: so it keeps the errors that its function looks at, in order, and the function gets
// those.

// errorList are the errors that the function of a checkpoint looks at.
type errorList struct {
	list   []float64
	again  bool // the function runs again, and gets those of the list, from next on
	next   int
	around *errorList // of the checkpoint around, in its first run
}

// KeepErrors runs a function and gives the errors that it looks at.
func (t *Tape) KeepErrors(run func()) []float64 {
	kept := &errorList{around: t.errors}
	t.errors = kept
	defer func() { t.errors = kept.around }()
	run()
	return kept.list
}

// WithErrors runs a function again, which gets the errors that it has looked at before.
func (t *Tape) WithErrors(list []float64, run func()) {
	around := t.errors
	t.errors = &errorList{list: list, again: true}
	defer func() { t.errors = around }()
	run()
}

// KeepsErrors tells whether all errors that are looked at go through LookedAt.
func (t *Tape) KeepsErrors() bool { return t.errors != nil }

// LookedAt is an error, which look gives unless it has been looked at before.
func (t *Tape) LookedAt(look func() (float64, bool)) (x float64, ok bool) {
	from := t.errors
	for from != nil && !from.again {
		from = from.around
	}
	if from == nil {
		x, ok = look()
	} else if from.next < len(from.list) {
		x, ok = from.list[from.next], true
		from.next++
	} else {
		panic("tape: a checkpoint took other steps when it ran again")
	}
	for e := t.errors; ok && e != from; e = e.around {
		e.list = append(e.list, x)
	}
	return x, ok
}

// watcher has the tangents of one derivative in progress along Direction, so far.
type watcher struct {
	region Region
	leaves func(visit func(h Handle)) // its variables, in order; nil if they are not known
	sweep  *Sweep                     // nil until an error is looked at
	from   Handle                     // where the sweep goes on
}

// Variables says what the variables of the newest derivative are.
func (t *Tape) Variables(leaves func(visit func(h Handle))) {
	t.watchers[len(t.watchers)-1].leaves = leaves
}

// Jets gives the values of reals, and their tangents by each derivative in progress, and by several
// of them at once, along fixed generic directions. It is false after a failure.
func (t *Tape) Jets(xs []float64) (all [][]float64, ok bool) {
	all = [][]float64{xs}
	swept := false
	for k := len(t.watchers) - 1; k >= 0; k-- {
		var mask Levels
		for _, list := range all {
			for _, x := range list {
				mask |= t.Mask(x)
			}
		}
		own := t.watchers[k].region.SelfMask
		if mask&own&t.Live == 0 || t.watchers[k].leaves == nil {
			continue
		}
		s, ok := t.watched(k, mask&t.watchers[k].region.Outside&t.Live != 0)
		if !ok {
			return nil, false
		}
		swept = true
		for _, list := range all[:len(all):len(all)] {
			tangents := make([]float64, len(list))
			for n, x := range list {
				tangents[n] = Present(s.Get(x))
			}
			all = append(all, tangents)
		}
	}
	if swept {
		for k := range t.watchers {
			t.watchers[k].from = Handle(t.count)
		}
	}
	for k, list := range all {
		all[k] = t.Plain(list)
	}
	return all, true
}

// watched is the sweep of a watcher, up to the end of the tape.
func (t *Tape) watched(k int, record bool) (*Sweep, bool) {
	w := &t.watchers[k]
	s, first := w.sweep, w.sweep == nil
	if first {
		r := w.region
		s = &Sweep{Tape: t, Outside: r.Outside, Resolve: true, Watches: true, node: r.node,
			stop: r.node, Wholes: r.wholes}
		w.sweep, w.from = s, r.node
	}
	s.Record = record
	more, wholes := t.count-int(s.node)-len(s.nodes), len(t.wholes)-s.Wholes-len(s.Columns)
	if d := t.Host.Charge(int64(more+4*wholes) * 8); d != nil {
		t.Fail(d)
		return nil, false
	}
	for range more {
		s.nodes = append(s.nodes, Absent)
	}
	s.Columns = append(s.Columns, make([]Column, wholes)...)
	from := w.from
	s.end = Handle(t.count)
	w.from = s.end // what runs meanwhile may look at errors, too
	if first {
		n := 0
		w.leaves(func(h Handle) {
			*s.Place(h) = rules.Direction(n)
			n++
		})
	}
	return s, s.forward(from)
}

// forget drops what watchers have for a part of the tape that is taken off.
func (t *Tape) forget(r Region) {
	for k := range t.watchers {
		w := &t.watchers[k]
		s := w.sweep
		if s == nil || r.node < s.node {
			continue
		}
		w.from = min(w.from, r.node)
		if s.end > r.node {
			s.end = r.node
			s.nodes = s.nodes[:r.node-s.node]
		}
		if n := r.wholes - s.Wholes; n < len(s.Columns) {
			clear(s.Columns[n:])
			s.Columns = s.Columns[:n]
		}
	}
}
