package region

import (
	"math/big"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/machine"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
	"github.com/fluxion-lang/fluxion/internal/interp/tape"
	"github.com/fluxion-lang/fluxion/internal/lower"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Regions on the tape]
//
// A function that is not compiled as a whole, because of one operation that is not, is differentiated by the tape. The rest of it need
// not be recorded operation by operation. In
//
//	let loss p = sum [(model p x - y)^2 for (x, y) in data] + gammaP 2 (norm p)
//
// the sum is a region. If what it is given is boxed, it runs on the values, and is one entry of the tape. The derivatives
// of the entry are regions again, which are made from the block of the first by the primitives that differentiate:
//
//   - if the result is a real, its value and its gradient are computed at once, and the sweep multiplies;
//   - otherwise the sweep runs the derivative, forwards or backwards.
//
// A derivative that is given up, at a tie or for a slope that is not finite, needs the operations themselves on the tape. The first kind
// finds out in time, and leaves the region to the interpreter. The second makes the whole derivative run once more, with
// regions that have derivatives left to the interpreter (tape.Mode.Apart).
//
// This is done for first derivatives that no other is around. Those of higher order record the sweep.

// the derivatives of a region
const (
	gradient = 'g' // value and gradient
	pullback = 'b'
	pushed   = 'f'
)

// record runs the region on the values of what it is given, of which some is boxed, and puts it on the tape. Its arguments have about n
// elements.
func (r *Region) record(m *machine.Machine, given object.Slots, n int) (out object.Slots, how outcome, d *diag.Diagnostic) {
	t := m.Tape()
	if t == nil {
		return out, left, nil
	}
	e := &machine.Entry{}
	wanted := make([]bool, len(r.Args))
	var plain object.Slots
	for k, v := range r.Args {
		arg := given.Take(m.Layouts().Of(v.Ty).Shape())
		if machine.Numeric(v.Ty) {
			mask := machine.SlotsMask(t, arg)
			if wanted[k] = mask&t.Live != 0; wanted[k] {
				e.Args = append(e.Args, arg)
			}
			e.Mask |= mask
			arg = machine.PlainSlots(t, arg)
		}
		plain.Add(arg)
	}
	switch {
	case e.Mask == 0:
		return out, left, nil
	case e.Mask&t.Live == 0: // of derivatives that a search has frozen
		return r.run(m, plain)
	case t.Depth != 1 || t.Mode != (tape.Mode{}) || !r.trusted && r.source.HasRules() || !machine.Numeric(r.Result):
		return out, left, nil
	}
	if types.Resolve(r.Result) == types.Real {
		g := r.derivative(gradient, wanted)
		if g == nil || g.tired() || !m.Options().Eager && !g.isDue(m, n) {
			return out, left, nil
		}
		if out, how, d = g.run(m, plain); how != done {
			return out, how, d
		}
		value := out.Take(layout.Shape{F: 1})
		e.Gradient = out
		out, d = m.Record(e, value)
		return out, done, d
	}
	if !m.Layouts().HasReals(r.Result) {
		return out, left, nil // a tie in it would go unnoticed
	}
	pull := r.derivative(pullback, wanted)
	if pull == nil || pull.tired() || !m.Options().Eager && !pull.isDue(m, n) || !pull.makes(m) {
		return out, left, nil
	}
	e.Pull = func(bt object.Slots) (object.Slots, bool, *diag.Diagnostic) {
		args := plain.With(bt)
		out, how, d := pull.run(m, args)
		return out, how == done, d
	}
	e.Push = func(dx object.Slots) (object.Slots, bool, *diag.Diagnostic) {
		push := r.derivative(pushed, wanted)
		if push == nil {
			return object.Slots{}, false, nil
		}
		out, how, d := push.run(m, plain.With(dx))
		if !push.makes(m) {
			pull.gaveUp(true)
		}
		return out, how == done, d
	}
	if out, how, d = r.run(m, plain); how == done {
		out, d = m.Record(e, out)
	}
	return out, how, d
}

// makes tells whether the region can be compiled, and sees to it that it is.
func (r *Region) makes(m *machine.Machine) bool {
	r.once.Do(func() {
		r.prepare()
		m.RegionWork().CompiledAt = m.Work()
	})
	return r.code != nil
}

// derivative is the region of a derivative by those arguments that are wanted, which are made of numbers and arrays; nil if there is
// none.
func (r *Region) derivative(kind byte, wanted []bool) *Region {
	key := []byte{kind}
	for _, yes := range wanted {
		key = append(key, byte(object.Truth(yes)))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	d, known := r.derived[string(key)]
	if !known {
		d = r.derive(kind, wanted)
		if r.derived == nil {
			r.derived = map[string]*Region{}
		}
		r.derived[string(key)] = d
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
	f := outer.Emit("f", &core.Lambda{Params: []*core.Var{x}, Body: inner.Block(result)}, diag.Span{})
	// Its derivative.
	args, row, weights, second := r.Args, prim.Reverse, core.Atom(core.RealLit(big.NewRat(1, 1))), x.Ty
	switch kind {
	case pullback:
		v := core.NewVar("bt", r.Result)
		args, weights = append(args[:len(args):len(args)], v), v
	case pushed:
		v := core.NewVar("dx", x.Ty)
		args, weights, row, second = append(args[:len(args):len(args)], v), v, prim.Forward, r.Result
	}
	pair := &types.Tuple{Elems: []types.Type{r.Result, second}}
	derivative := &core.Prim{Prim: row.Row(), Inst: []types.Type{x.Ty, r.Result}, Args: []core.Atom{f, point, weights}}
	v := outer.Let("derivative", pair, derivative, diag.Span{})
	if kind != gradient {
		v = outer.Let("second", second, &core.Proj{Of: v, Index: 1}, diag.Span{})
	}
	block := outer.Block(v)
	d := &Region{name: r.name, block: block, Args: args, Result: v.Ty, weight: weight{loops: true, deep: true, nest: r.weight.nest + 1},
		taped: true, entry: true, extent: r.extent, source: r.source, engine: r.engine, trusted: r.trusted, value: lower.ResultShapeOf(v.Ty)}
	for _, v := range args {
		d.params = append(d.params, lower.DataShapeOf(v.Ty))
	}
	var covered bool
	if covered, d.size = r.source.Covers(block); !covered || d.value == nil {
		return nil
	}
	return d
}
