package region

import (
	"errors"
	"math/big"
	"sync"
	"sync/atomic"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/machine"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
	"github.com/fluxion-lang/fluxion/internal/interp/tape"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Regions on the tape]
//
// A function that is not compiled as a whole, because of one operation that is not, is
// differentiated by the tape. The rest of it need not be recorded operation by operation. In
//
//	let loss p = sum [(model p x - y)^2 for (x, y) in data] + gammaP 2 (norm p)
//
// the sum is a region. If what it is given is boxed, it runs on the values, and is one entry of the
// tape. The derivatives of the entry are regions again, which are made from the block of the first
// by the primitives that differentiate:
//
//   - if the result is a real, its value and its gradient are computed at once, and the sweep
//     multiplies;
//   - otherwise the sweep runs the derivative, forwards or backwards.
//
// A derivative that is given up, at a tie or for a slope that is not finite, needs the operations
// themselves on the tape. The first kind finds out in time, and leaves the region to the
// interpreter. The second makes the whole derivative run once more, with regions that have
// derivatives left to the interpreter (tape.Mode.Apart).
//
// What chooses its steps by errors that are watched needs to know the derivatives around it, and is
// left to the interpreter.
//
// A sweep that records, for a derivative of a derivative, puts the derivatives of an entry on the
// tape in turn. That takes more code with each order, and is done if that pays.

// the derivatives of a region
const (
	gradient = 'g' // value and gradient
	pullback = 'b'
	pushed   = 'f'
)

var derivativeNames = map[byte]string{
	gradient: "gradient", pullback: "reverse derivative", pushed: "forward derivative",
}

// derived are the regions of the derivatives of an entry.
type derived struct {
	mu sync.Mutex
	// by their kinds and the arguments that are wanted; nil if there is none
	by   map[string]*Region
	flat atomic.Bool // a derivative of them cannot be made
}

// record runs the region on the values of what it is given, of which some is boxed, and puts it on
// the tape. Its arguments have about n elements.
func (r *Region) record(m *machine.Machine, given object.Slots, n int) (
	out object.Slots, how outcome, d *diag.Diagnostic,
) {
	at := r.recording(m, given)
	if at == nil {
		return out, left, nil
	}
	t := m.Tape()
	switch {
	case at.entry.Mask&t.Live == 0: // of derivatives that a search has frozen
		return r.run(m, at.plain)
	case t.Mode != (tape.Mode{}) || r.steps || !r.trusted && r.source.HasRules(),
		!machine.Numeric(r.Result()),
		!m.Layouts().HasReals(r.Result()), // a tie would go unnoticed
		t.Depth > 1 && r.derived.flat.Load():
		return out, left, nil
	}
	first := r.derivative(at.first(), at.wanted)
	if first == nil || first.demand.tired() {
		return out, left, nil
	}
	if !m.Options().Eager && !first.isDueFor(m, n, t.Depth) || first.takenBy(m) == nil {
		return out, left, nil
	}
	return at.put(m)
}

// recording is a region that is to be put on the tape.
type recording struct {
	*Region
	given, plain object.Slots // the arguments, and their values
	wanted       []bool       // those that it is differentiated by
	entry        *machine.Entry
}

// recording prepares a region for the tape; nil if none of its arguments has a box that can be
// found.
func (r *Region) recording(m *machine.Machine, given object.Slots) *recording {
	t := m.Tape()
	if t == nil {
		return nil
	}
	at := &recording{Region: r, given: given, wanted: make([]bool, len(r.Args)),
		entry: &machine.Entry{}}
	for k, v := range r.Args {
		arg := given.Take(m.Layouts().Of(v.Ty).Shape())
		if machine.Numeric(v.Ty) {
			mask := machine.SlotsMask(t, arg)
			if at.wanted[k] = mask&t.Live != 0; at.wanted[k] {
				at.entry.Args = append(at.entry.Args, arg)
			}
			at.entry.Mask |= mask
			arg = machine.PlainSlots(t, arg)
		}
		at.plain.Add(arg)
	}
	if at.entry.Mask == 0 {
		return nil
	}
	return at
}

// first is the derivative that is needed first.
func (at *recording) first() byte {
	if types.Resolve(at.Result()) == types.Real {
		return gradient
	}
	return pullback
}

// put runs the region and puts it on the tape.
func (at *recording) put(m *machine.Machine) (out object.Slots, how outcome, d *diag.Diagnostic) {
	e := at.entry
	sweep := func(kind byte) machine.EntrySweep {
		return func(d object.Slots, record bool) (object.Slots, bool, *diag.Diagnostic) {
			return at.derive(m, kind, d, record)
		}
	}
	e.Pull, e.Push = sweep(pullback), sweep(pushed)
	value := out
	if at.first() == gradient {
		if out, how, d = at.derivative(gradient, at.wanted).run(m, at.plain); how == done {
			value, e.Gradient = out.Take(layout.Shape{F: 1}), out
		}
	} else {
		value, how, d = at.run(m, at.plain)
	}
	if how == done {
		out, d = m.Record(e, value)
	}
	return out, how, d
}

// derive runs a derivative for a sweep, which may record.
func (at *recording) derive(m *machine.Machine, kind byte, d object.Slots, record bool) (
	_ object.Slots, _ bool, failed *diag.Diagnostic,
) {
	defer stop.Catch(&failed)
	r := at.derivative(kind, at.wanted)
	if r == nil || r.takenBy(m) == nil {
		at.derived.flat.Store(true)
		at.derivative(at.first(), at.wanted).demand.gaveUp(errNoDerivative)
		return object.Slots{}, false, nil
	}
	if record {
		next := r.recording(m, at.given.With(d))
		if next != nil && next.entry.Mask&m.Tape().Live != 0 {
			if f := r.derivative(next.first(), next.wanted); f == nil || f.takenBy(m) == nil {
				at.derived.flat.Store(true)
				return object.Slots{}, false, nil
			}
			out, how, failed := next.put(m)
			return out, how == done, failed
		}
		d = machine.PlainSlots(m.Tape(), d)
	}
	out, how, failed := r.run(m, at.plain.With(d))
	return out, how == done, failed
}

// isDueFor is isDue for a derivative of an entry in so many derivatives around each other.
func (r *Region) isDueFor(m *machine.Machine, n, depth int) bool {
	if depth > mostOrders {
		return false
	}
	for range depth - 1 {
		n /= orderWork
	}
	return r.isDue(m, n)
}

// What each order of derivatives multiplies the code of an entry with, and how many there may be.
const (
	orderWork  = 6
	mostOrders = 3
)

var errNoDerivative = errors.New("a derivative that a sweep needs is not compiled")

// derivative is the region of a derivative by those arguments that are wanted, which are made of
// numbers and arrays; nil if there is none.
func (r *Region) derivative(kind byte, wanted []bool) *Region {
	key := []byte{kind}
	for _, yes := range wanted {
		key = append(key, byte(object.Truth(yes)))
	}
	r.derived.mu.Lock()
	defer r.derived.mu.Unlock()
	d, known := r.derived.by[string(key)]
	if !known {
		d = r.derive(kind, wanted)
		if r.derived.by == nil {
			r.derived.by = map[string]*Region{}
		}
		r.derived.by[string(key)] = d
	}
	return d
}

func (r *Region) derive(kind byte, wanted []bool) *Region {
	var vars []*core.Var
	for k, v := range r.Args {
		if wanted[k] {
			vars = append(vars, v)
		}
	}
	// The function, of a point that is made of the wanted arguments.
	var outer, inner core.Builder
	point := core.Atom(vars[0])
	if len(vars) > 1 {
		atoms := make([]core.Atom, len(vars))
		for k, v := range vars {
			atoms[k] = v
		}
		point = outer.Emit("point", &core.Tuple{Elems: atoms}, diag.Span{})
	}
	x := core.NewVar("x", point.Type())
	subst := map[*core.Var]core.Atom{vars[0]: x}
	if len(vars) > 1 {
		for k, v := range vars {
			subst[v] = inner.Let(v.Name, v.Ty, &core.Proj{Of: x, Index: k}, diag.Span{})
		}
	}
	result := inner.Splice(core.NewCopier(subst).Block(r.block))
	f := outer.Emit("f", &core.Lambda{Params: []*core.Var{x}, Body: inner.Block(result)},
		diag.Span{})
	// Its derivative.
	args, row, weights, second := r.Args, prim.Reverse, core.Atom(core.RealLit(big.NewRat(1, 1))),
		x.Ty
	switch kind {
	case pullback:
		v := core.NewVar("bt", r.Result())
		args, weights = append(args[:len(args):len(args)], v), v
	case pushed:
		v := core.NewVar("dx", x.Ty)
		args, weights, row, second = append(args[:len(args):len(args)], v), v, prim.Forward,
			r.Result()
	}
	pair := &types.Tuple{Elems: []types.Type{r.Result(), second}}
	op := &core.Prim{Prim: row.Row(), Inst: []types.Type{x.Ty, r.Result()},
		Args: []core.Atom{f, point, weights}}
	v := outer.Let("derivative", pair, op, diag.Span{})
	if kind != gradient {
		v = outer.Let("second", second, &core.Proj{Of: v, Index: 1}, diag.Span{})
	}
	block := outer.Block(v)
	covered, size := r.source.Covers(block)
	d := &Region{unit: r.unit, name: r.name, role: derivative, block: block, Args: args,
		taped: true, shapes: shapesOf(args, v.Ty),
		effort: effort{weight{loops: true, deep: true, nest: r.nest}, size, r.extent}}
	if !covered || d.value == nil {
		return nil
	}
	return d
}
