package machine

import (
	"slices"
	"sync"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diff"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
	"github.com/fluxion-lang/fluxion/internal/interp/tape"
	"github.com/fluxion-lang/fluxion/internal/interp/vector"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Wholes]
//
// A kernel (Note [Vector code]) whose reals are boxed runs on their values,
// and is one entry of the tape: the operation with what it was given. Its
// derivative is a program on whole arrays that package diff derives from the
// operation's core. Where a comparison, maximum or rounding in it is at a tie,
// or where diff does not cover it, nothing is done here, and the scalar loop
// records the operation element by element.

// Whole is an array operation that a kernel runs, as a function of its free
// variables.
type Whole struct {
	Fun    *core.Lambda
	Params []WholeParam
	Result types.Type
	Reals  bool // whether the result has any: otherwise nothing depends on it
	Row    bool // it is a row of the table, which has no elements to record

	mu    sync.Mutex
	Pulls map[string]*Derived // by the parameters that are on the tape
	push  Derived
	each  Derived // the operation itself, element by element
}

// WholeParam is a free variable with where it is in the frame.
type WholeParam struct {
	Type  types.Type
	Slots []Slot
	Shape layout.Shape
}

// minWhole is the length below which entries for the elements are cheaper.
const minWhole = 64

func (o *Options) wholeFrom() int64 {
	if o.WholeFrom > 0 {
		return int64(o.WholeFrom)
	}
	return minWhole
}

// Numeric tells whether a type is made of numbers, truth values and arrays.
func Numeric(t types.Type) bool {
	t = types.Resolve(t)
	switch t.(type) {
	case *types.Fun, *types.Data:
		return false
	}
	if t == types.String {
		return false
	}
	ok := true
	types.Map(t, func(part types.Type) types.Type {
		ok = ok && Numeric(part)
		return part
	})
	return ok
}

// pullCode is the code of the pullback with respect to the wanted parameters.
func (w *Whole) pullCode(opts Options, wanted []bool) (*Derived, error) {
	key := make([]byte, len(wanted))
	for k, yes := range wanted {
		key[k] = byte(object.Truth(yes))
	}
	w.mu.Lock()
	d := w.Pulls[string(key)]
	if d == nil {
		d = &Derived{}
		w.Pulls[string(key)] = d
	}
	w.mu.Unlock()
	return d.get(opts, func() (*core.Lambda, error) { return diff.PullbackFor(w.Fun, wanted) })
}

func (w *Whole) pushCode(opts Options) (*Derived, error) {
	return w.push.get(opts, func() (*core.Lambda, error) { return diff.Pushforward(w.Fun) })
}

// eachCode is the operation without kernels, which goes on the tape element by
// element.
func (w *Whole) eachCode(opts Options) (*Code, error) {
	opts.NoVector = true
	d, err := w.each.get(opts, func() (*core.Lambda, error) { return core.NewCopier(nil).Lambda(w.Fun), nil })
	if err != nil {
		return nil, err
	}
	return d.code(opts, true), nil
}

// vectorWhole runs a kernel some of whose reals are boxed, and puts it on the
// tape; it tells whether it did.
func (m *Machine) vectorWhole(k *Kernel, f *windowF, i *windowI, p []object.Ref) bool {
	t, w := m.tape, k.Whole
	if w == nil || t.Mode.Each || i[k.Index] != 0 || i[k.Bound] < m.code.opts.wholeFrom() {
		return false
	}
	node := newWholeNode(w, f, i, p)
	if !node.look(t) {
		return false
	}
	record := node.record(t)
	if record {
		if _, err := w.pullCode(m.code.opts, node.wanted); err != nil {
			return false
		}
	}
	plains := make([]object.Slots, len(w.Params))
	for n := range w.Params {
		plains[n] = PlainSlots(t, node.args[n])
	}
	// An accumulator may be a parameter too: what it starts from.
	start := k.accumulators(f, i)
	restore := make([]object.Slots, len(w.Params))
	for n := range w.Params {
		restore[n] = w.Params[n].read(f, i, p)
		w.Params[n].write(plains[n], f, i, p)
	}
	for n, fd := range k.Folds {
		if acc := k.Accs[n]; fd.Kind == vector.F {
			f[acc] = t.Value(f[acc])
		}
	}
	d := m.runKernel(k, f, i, p, true)
	end := k.accumulators(f, i)
	for n := range w.Params {
		w.Params[n].write(restore[n], f, i, p)
	}
	if d != nil || i[k.Index] != i[k.Bound] {
		i[k.Index] = 0
		k.setAccumulators(start, f, i)
		if d != nil {
			t.Fail(d)
		}
		return d != nil
	}
	k.setAccumulators(end, f, i)
	if !record {
		return true
	}
	// The results become boxes.
	if len(k.Folds) > 0 {
		if boxed, ok := putWhole(t, node, end); ok {
			k.setAccumulators(boxed, f, i)
		}
		return true
	}
	array := k.Outs[0].Array
	if boxed, ok := putWhole(t, node, object.Slots{P: []object.Ref{p[array]}}); ok {
		p[array] = boxed.P[0]
	}
	return true
}

// accumulators are what the folds of a kernel have reached.
func (k *Kernel) accumulators(f *windowF, i *windowI) (s object.Slots) {
	for n, fd := range k.Folds {
		if fd.Kind == vector.F {
			s.F = append(s.F, f[k.Accs[n]])
		} else {
			s.I = append(s.I, i[k.Accs[n]])
		}
	}
	return s
}

func (k *Kernel) setAccumulators(s object.Slots, f *windowF, i *windowI) {
	for n, fd := range k.Folds {
		if fd.Kind == vector.F {
			f[k.Accs[n]] = s.Real()
		} else {
			i[k.Accs[n]] = s.Int()
		}
	}
}

// read gives the slots of a parameter.
func (p *WholeParam) read(f *windowF, i *windowI, refs []object.Ref) object.Slots {
	var s object.Slots
	for _, at := range p.Slots {
		switch {
		case at.Kind == layout.F && at.IsConst:
			s.F = append(s.F, at.F)
		case at.Kind == layout.F:
			s.F = append(s.F, f[at.Reg])
		case at.Kind == layout.I && at.IsConst:
			s.I = append(s.I, at.I)
		case at.Kind == layout.I:
			s.I = append(s.I, i[at.Reg])
		case at.IsConst:
			s.P = append(s.P, at.P)
		default:
			s.P = append(s.P, refs[at.Reg])
		}
	}
	return s
}

// write puts slots where a parameter is.
func (p *WholeParam) write(s object.Slots, f *windowF, i *windowI, refs []object.Ref) {
	var n layout.Shape
	for _, at := range p.Slots {
		switch k := n.Next(at.Kind); {
		case at.IsConst:
		case at.Kind == layout.F:
			f[at.Reg] = s.F[k]
		case at.Kind == layout.P:
			refs[at.Reg] = s.P[k]
		}
	}
}

// SlotsMask is what the reals in slots depend on.
func SlotsMask(t *tape.Tape, s object.Slots) tape.Levels {
	mask := t.ColumnMask(s.F)
	for _, r := range s.P {
		if !object.IsArray(r) {
			continue
		}
		f, _, p := object.Columns(r)
		for _, c := range f {
			mask |= t.ColumnMask(c)
		}
		for _, c := range p {
			mask |= SlotsMask(t, object.Slots{P: c})
		}
	}
	return mask
}

// PlainSlots is a value without boxes; arrays without any are shared. Texts,
// data and functions are kept: the caller knows that they have no boxes in them.
func PlainSlots(t *tape.Tape, s object.Slots) object.Slots {
	out := object.Slots{F: t.Plain(s.F), I: s.I, P: make([]object.Ref, len(s.P))}
	for k, r := range s.P {
		out.P[k] = r
		if object.IsArray(r) {
			out.P[k] = plainArray(t, r)
		}
	}
	return out
}

func plainArray(t *tape.Tape, r object.Ref) object.Ref {
	f, i, p := object.Columns(r)
	changed := false
	plain := make([][]float64, len(f))
	for c, col := range f {
		plain[c] = t.Plain(col)
		changed = changed || len(col) > 0 && &plain[c][0] != &col[0]
	}
	rows := make([][]object.Ref, len(p))
	for c, col := range p {
		rows[c] = PlainSlots(t, object.Slots{P: col}).P
		changed = changed || !slices.Equal(rows[c], col)
	}
	if !changed {
		return r
	}
	return object.FromColumns(object.Len(r), plain, i, rows)
}
