package interp

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

// wholeOp is an array operation that a kernel runs, as a function of its free
// variables.
type wholeOp struct {
	fun    *core.Lambda
	params []wholeParam
	result types.Type
	reals  bool // whether the result has any: otherwise nothing depends on it
	row    bool // it is a row of the table, which has no elements to record

	mu    sync.Mutex
	pulls map[string]*derivedCode // by the parameters that are on the tape
	push  derivedCode
	each  derivedCode // the operation itself, element by element
}

// wholeParam is a free variable with where it is in the frame.
type wholeParam struct {
	ty    types.Type
	slots []slot
	shape layout.Shape
}

// minWhole is the length below which entries for the elements are cheaper.
const minWhole = 64

func (o *Options) wholeFrom() int64 {
	if o.WholeFrom > 0 {
		return int64(o.WholeFrom)
	}
	return minWhole
}

// numeric tells whether a type is made of numbers, truth values and arrays.
func numeric(t types.Type) bool {
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
		ok = ok && numeric(part)
		return part
	})
	return ok
}

// pullCode is the code of the pullback with respect to the wanted parameters.
func (w *wholeOp) pullCode(opts Options, wanted []bool) (*Code, error) {
	key := make([]byte, len(wanted))
	for k, yes := range wanted {
		key[k] = byte(object.Truth(yes))
	}
	w.mu.Lock()
	d := w.pulls[string(key)]
	if d == nil {
		d = &derivedCode{}
		w.pulls[string(key)] = d
	}
	w.mu.Unlock()
	return d.get(opts, func() (*core.Lambda, error) { return diff.PullbackFor(w.fun, wanted) })
}

func (w *wholeOp) pushCode(opts Options) (*Code, error) {
	return w.push.get(opts, func() (*core.Lambda, error) { return diff.Pushforward(w.fun) })
}

// eachCode is the operation without kernels, which goes on the tape element by
// element.
func (w *wholeOp) eachCode(opts Options) (*Code, error) {
	opts.NoVector = true
	return w.each.get(opts, func() (*core.Lambda, error) { return core.NewCopier(nil).Lambda(w.fun), nil })
}

// vectorWhole runs a kernel some of whose reals are boxed, and puts it on the
// tape; it tells whether it did.
func (m *Machine) vectorWhole(k *kernel, f *windowF, i *windowI, p []object.Ref) bool {
	t, w := m.tape, k.whole
	if w == nil || t.Mode.Each || i[k.index] != 0 || i[k.bound] < m.code.opts.wholeFrom() {
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
	plains := make([]object.Slots, len(w.params))
	for n := range w.params {
		plains[n] = plainSlots(t, node.args[n])
	}
	// An accumulator may be a parameter too: what it starts from.
	start := k.accumulators(f, i)
	restore := make([]object.Slots, len(w.params))
	for n := range w.params {
		restore[n] = w.params[n].read(f, i, p)
		w.params[n].write(plains[n], f, i, p)
	}
	for n, fd := range k.Folds {
		if acc := k.accs[n]; fd.Kind == vector.F {
			f[acc] = t.Value(f[acc])
		}
	}
	d := m.runKernel(k, f, i, p, true)
	end := k.accumulators(f, i)
	for n := range w.params {
		w.params[n].write(restore[n], f, i, p)
	}
	if d != nil || i[k.index] != i[k.bound] {
		i[k.index] = 0
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
	array := k.outs[0].array
	if boxed, ok := putWhole(t, node, object.Slots{P: []object.Ref{p[array]}}); ok {
		p[array] = boxed.P[0]
	}
	return true
}

// accumulators are what the folds of a kernel have reached.
func (k *kernel) accumulators(f *windowF, i *windowI) (s object.Slots) {
	for n, fd := range k.Folds {
		if fd.Kind == vector.F {
			s.F = append(s.F, f[k.accs[n]])
		} else {
			s.I = append(s.I, i[k.accs[n]])
		}
	}
	return s
}

func (k *kernel) setAccumulators(s object.Slots, f *windowF, i *windowI) {
	for n, fd := range k.Folds {
		if fd.Kind == vector.F {
			f[k.accs[n]] = s.Real()
		} else {
			i[k.accs[n]] = s.Int()
		}
	}
}

// read gives the slots of a parameter.
func (p *wholeParam) read(f *windowF, i *windowI, refs []object.Ref) object.Slots {
	var s object.Slots
	for _, at := range p.slots {
		switch {
		case at.kind == layout.F && at.isConst:
			s.F = append(s.F, at.f)
		case at.kind == layout.F:
			s.F = append(s.F, f[at.reg])
		case at.kind == layout.I && at.isConst:
			s.I = append(s.I, at.i)
		case at.kind == layout.I:
			s.I = append(s.I, i[at.reg])
		case at.isConst:
			s.P = append(s.P, at.p)
		default:
			s.P = append(s.P, refs[at.reg])
		}
	}
	return s
}

// write puts slots where a parameter is.
func (p *wholeParam) write(s object.Slots, f *windowF, i *windowI, refs []object.Ref) {
	var n layout.Shape
	for _, at := range p.slots {
		switch k := n.Next(at.kind); {
		case at.isConst:
		case at.kind == layout.F:
			f[at.reg] = s.F[k]
		case at.kind == layout.P:
			refs[at.reg] = s.P[k]
		}
	}
}

// slotsMask is what the reals in slots depend on.
func slotsMask(t *tape.Tape, s object.Slots) tape.Levels {
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
			mask |= slotsMask(t, object.Slots{P: c})
		}
	}
	return mask
}

// plainSlots is a value without boxes; arrays without any are shared. Texts,
// data and functions are kept: the caller knows that they have no boxes in them.
func plainSlots(t *tape.Tape, s object.Slots) object.Slots {
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
		rows[c] = plainSlots(t, object.Slots{P: col}).P
		changed = changed || !slices.Equal(rows[c], col)
	}
	if !changed {
		return r
	}
	return object.FromColumns(object.Len(r), plain, i, rows)
}
