package interp

import (
	"sync"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diff"
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

	mu    sync.Mutex
	pulls map[string]*derivedCode // by the parameters that are on the tape
	push  derivedCode
	each  derivedCode // the operation itself, element by element
}

// wholeParam is a free variable with where it is in the frame.
type wholeParam struct {
	ty    types.Type
	slots []slot
	shape shape
}

// minWhole is the length below which entries for the elements are cheaper.
const minWhole = 24

// whole describes an operation; nil if it depends on more than numbers and
// arrays of them. An accumulator starts from init, whose value acc holds.
func (c *funCompiler) whole(op core.Op, init core.Atom, acc []slot) *wholeOp {
	if !c.code.taped {
		return nil
	}
	global := false
	result := core.NewVar("r", core.TypeOf(op))
	body := &core.Block{Stmts: []core.Stmt{&core.Let{Var: result, Op: op, At: c.at}}, Result: result}
	core.Atoms(body, func(a core.Atom) {
		if _, ok := a.(*core.Global); ok {
			global = true
		}
	})
	if global {
		return nil
	}
	w := &wholeOp{result: result.Ty, reals: c.layouts.reals(result.Ty, nil), pulls: map[string]*derivedCode{}}
	free := core.OpFreeVars(op)
	for _, v := range free {
		if !numeric(v.Ty) {
			return nil
		}
		p := wholeParam{ty: v.Ty, slots: c.env[v].slots, shape: c.of(v.Ty).shape()}
		if core.Atom(v) == init {
			p.slots = acc
		}
		w.params = append(w.params, p)
	}
	w.fun = &core.Lambda{Params: free, Body: body}
	if len(free) == 0 || !numeric(w.result) {
		return nil
	}
	return w
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
		key[k] = byte(truth(yes))
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
func (m *Machine) vectorWhole(k *kernel, f *windowF, i *windowI, p []ref) bool {
	t, w := m.tape, k.whole
	if w == nil || t.each || i[k.index] != 0 || i[k.bound] < minWhole {
		return false
	}
	node := &wholeNode{op: w, args: make([]slotSource, len(w.params)), wanted: make([]bool, len(w.params))}
	var mask levels
	plains := make([]slotSource, len(w.params))
	for n := range w.params {
		node.args[n] = w.params[n].read(f, i, p)
		here := t.slotsMask(node.args[n])
		node.wanted[n] = here&t.live != 0
		mask |= here
		plains[n] = t.plainSlots(node.args[n])
	}
	// Everything boxed may belong to derivatives that a search has frozen.
	record := mask&t.live != 0 && w.reals
	if record {
		if _, err := w.pullCode(m.code.opts, node.wanted); err != nil {
			return false
		}
	}
	// An accumulator may be a parameter too: what it starts from.
	start := k.accumulators(f, i)
	restore := make([]slotSource, len(w.params))
	for n := range w.params {
		restore[n] = w.params[n].read(f, i, p)
		w.params[n].write(plains[n], f, i, p)
	}
	for _, fd := range k.folds {
		if fd.kind == kF {
			f[fd.acc] = t.value(f[fd.acc])
		}
	}
	m.strips.ties = true
	d := m.runKernel(k, f, i, p)
	m.strips.ties = false
	end := k.accumulators(f, i)
	for n := range w.params {
		w.params[n].write(restore[n], f, i, p)
	}
	if d != nil || i[k.index] != i[k.bound] {
		i[k.index] = 0
		k.setAccumulators(start, f, i)
		if d != nil {
			t.fail(d)
		}
		return d != nil
	}
	k.setAccumulators(end, f, i)
	if !record {
		return true
	}
	// The results become boxes. Accumulators are an array of the tape too.
	if len(k.folds) > 0 {
		var values []float64
		for _, fd := range k.folds {
			if fd.kind == kF {
				values = append(values, f[fd.acc])
			}
		}
		out, boxes, ok := t.addWhole(values, mask)
		if !ok {
			return true
		}
		node.outs = []*whole{out}
		for _, fd := range k.folds {
			if fd.kind == kF {
				f[fd.acc], boxes = boxes[0], boxes[1:]
			}
		}
	} else {
		array := k.outs[0].array
		fs, is, ps := columns(p[array])
		boxed := make([][]float64, len(fs))
		for c, values := range fs {
			out, boxes, ok := t.addWhole(values, mask)
			if !ok {
				return true
			}
			boxed[c] = boxes
			node.outs = append(node.outs, out)
		}
		p[array] = fromColumns(arrayLen(p[array]), boxed, is, ps)
	}
	t.addNode(nodeWhole, node, mask)
	return true
}

// accumulators are what the folds of a kernel have reached.
func (k *kernel) accumulators(f *windowF, i *windowI) (s slotSource) {
	for _, fd := range k.folds {
		if fd.kind == kF {
			s.f = append(s.f, f[fd.acc])
		} else {
			s.i = append(s.i, i[fd.acc])
		}
	}
	return s
}

func (k *kernel) setAccumulators(s slotSource, f *windowF, i *windowI) {
	for _, fd := range k.folds {
		if fd.kind == kF {
			f[fd.acc] = s.real()
		} else {
			i[fd.acc] = s.int()
		}
	}
}

// read gives the slots of a parameter.
func (p *wholeParam) read(f *windowF, i *windowI, refs []ref) slotSource {
	var s slotSource
	for _, at := range p.slots {
		switch {
		case at.kind == kF && at.isConst:
			s.f = append(s.f, at.f)
		case at.kind == kF:
			s.f = append(s.f, f[at.reg])
		case at.kind == kI && at.isConst:
			s.i = append(s.i, at.i)
		case at.kind == kI:
			s.i = append(s.i, i[at.reg])
		case at.isConst:
			s.p = append(s.p, at.p)
		default:
			s.p = append(s.p, refs[at.reg])
		}
	}
	return s
}

// write puts slots where a parameter is.
func (p *wholeParam) write(s slotSource, f *windowF, i *windowI, refs []ref) {
	var n shape
	for _, at := range p.slots {
		switch k := n.next(at.kind); {
		case at.isConst:
		case at.kind == kF:
			f[at.reg] = s.f[k]
		case at.kind == kP:
			refs[at.reg] = s.p[k]
		}
	}
}

// slotsMask is what the reals in slots depend on.
func (t *tape) slotsMask(s slotSource) levels {
	mask := t.columnMask(s.f)
	for _, r := range s.p {
		f, _, p := columns(r)
		for _, c := range f {
			mask |= t.columnMask(c)
		}
		for _, c := range p {
			mask |= t.slotsMask(slotSource{p: c})
		}
	}
	return mask
}

// plainSlots is a value without boxes; arrays without any are shared.
func (t *tape) plainSlots(s slotSource) slotSource {
	out := slotSource{f: t.plain(s.f), i: s.i, p: make([]ref, len(s.p))}
	for k, r := range s.p {
		out.p[k] = t.plainArray(r)
	}
	return out
}

func (t *tape) plainArray(r ref) ref {
	f, i, p := columns(r)
	if t.slotsMask(slotSource{p: []ref{r}}) == 0 {
		return r
	}
	plain := make([][]float64, len(f))
	for c, col := range f {
		plain[c] = t.plain(col)
	}
	rows := make([][]ref, len(p))
	for c, col := range p {
		rows[c] = make([]ref, len(col))
		for k, row := range col {
			rows[c][k] = t.plainArray(row)
		}
	}
	return fromColumns(arrayLen(r), plain, i, rows)
}

// wholeNode is an array operation on the tape.
type wholeNode struct {
	op     *wholeOp
	args   []slotSource
	wanted []bool
	outs   []*whole
}

func (c *wholeNode) parents(func(float64)) {}

// arguments are what derived code is given for the operation's arguments.
func (c *wholeNode) arguments(s *sweep) (args slotSink) {
	for _, a := range c.args {
		if !s.record {
			a = s.t.plainSlots(a)
		}
		args.f, args.i, args.p = append(args.f, a.f...), append(args.i, a.i...), append(args.p, a.p...)
	}
	return args
}

func (c *wholeNode) pull(s *sweep, _ handle, _ float64) {
	var bt slotSink
	some, all := false, true
	isArray := false
	if _, isArray = types.Resolve(c.op.result).(*types.Array); isArray {
		cols := make([][]float64, len(c.outs))
		for k, w := range c.outs {
			var any, every bool
			cols[k], any, every = s.cotangentsOf(w)
			some, all = some || any, all && every
		}
		bt.p = []ref{c.arrayOf(s.t.m, cols)}
	} else {
		var any, every bool
		bt.f, any, every = s.cotangentsOf(c.outs[0])
		bt.i = make([]int64, s.t.m.layouts.of(c.op.result).shape().i)
		some, all = any, every
	}
	if !some {
		return
	}
	opts := s.t.m.code.opts
	code, err := c.op.pullCode(opts, c.wanted)
	if err != nil {
		panic("interp: a whole that cannot be differentiated: " + err.Error())
	}
	args := c.arguments(s)
	args.f, args.i, args.p = append(args.f, bt.f...), append(args.i, bt.i...), append(args.p, bt.p...)
	var result shape
	for n, p := range c.op.params {
		if c.wanted[n] {
			result = shape{result.f + p.shape.f, result.i + p.shape.i, result.p + p.shape.p}
		}
	}
	out := s.call(code, args, result)
	if s.t.failure != nil {
		return
	}
	if !all && s.t.hasNaN(out) {
		// Where nothing contributed, a 0 may have met an infinite slope.
		c.pullEach(s)
		return
	}
	for n, p := range c.op.params {
		if c.wanted[n] {
			s.contributeSlots(c.args[n], out.take(p.shape))
		}
	}
}

// arrayOf makes a value of the result's type of its columns of reals.
func (c *wholeNode) arrayOf(m *Machine, cols [][]float64) ref {
	elemShape := m.layouts.of(elem(c.op.result)).shape()
	n := len(cols[0])
	is := make([][]int64, elemShape.i)
	for k := range is {
		is[k] = make([]int64, n)
	}
	return fromColumns(n, cols, is, nil)
}

// hasNaN looks for a real that is not a number, boxed or not.
func (t *tape) hasNaN(s slotSource) bool {
	for _, x := range t.plain(s.f) {
		if x != x {
			return true
		}
	}
	for _, r := range s.p {
		f, _, p := columns(r)
		for _, col := range f {
			if t.hasNaN(slotSource{f: col}) {
				return true
			}
		}
		for _, col := range p {
			if t.hasNaN(slotSource{p: col}) {
				return true
			}
		}
	}
	return false
}

func (c *wholeNode) push(s *sweep, _ handle) float64 {
	code, err := c.op.pushCode(s.t.m.code.opts)
	if err != nil {
		c.pushEach(s) // package diff covers it backwards only
		return absent
	}
	args := c.arguments(s)
	some := false
	for n, a := range c.args {
		if !s.t.m.layouts.reals(c.op.params[n].ty, nil) {
			continue // its tangent is unit
		}
		d, any := s.tangentSlots(a)
		some = some || any
		args.f, args.i, args.p = append(args.f, d.f...), append(args.i, d.i...), append(args.p, d.p...)
	}
	if !some {
		return absent
	}
	out := s.call(code, args, s.t.m.layouts.of(c.op.result).shape())
	if s.t.failure != nil {
		return absent
	}
	if s.t.hasNaN(out) {
		// Where there is no tangent, a 0 may have met an infinite slope.
		c.pushEach(s)
		return absent
	}
	fs := realColumns(out)
	for k, w := range c.outs {
		s.setElements(w, fs[k])
	}
	return absent
}

// cotangentsOf are those of a whole, 0 where there is none; some and all tell
// whether there are any, and whether none is missing.
func (s *sweep) cotangentsOf(w *whole) (bt []float64, some, all bool) {
	column := s.columnOf(w)
	if column == nil {
		return make([]float64, len(w.values)), false, len(w.values) == 0
	}
	all = true
	for _, b := range column {
		if isAbsent(b) {
			all = false
		} else {
			some = true
		}
	}
	if all || !some {
		return column, some, all
	}
	bt = make([]float64, len(column))
	for k, b := range column {
		bt[k] = present(b)
	}
	return bt, some, all
}

// contributeSlots adds contributions to the reals of a value.
func (s *sweep) contributeSlots(to, from slotSource) {
	s.contributeColumn(to.f, from.f)
	for k, r := range to.p {
		tf, _, tp := columns(r)
		ff, _, fp := columns(from.p[k])
		for c := range tf {
			s.contributeColumn(tf[c], ff[c])
		}
		for c := range tp {
			s.contributeSlots(slotSource{p: tp[c]}, slotSource{p: fp[c]})
		}
	}
}

func (s *sweep) contributeColumn(to, from []float64) {
	if w, at := s.t.columnOf(to); w != nil {
		k, _ := s.t.find(elementBit | w.base)
		if k -= s.wholes; k >= 0 && k < len(s.columns) {
			if c := &s.columns[k]; c.v == nil && len(to) == len(w.values) {
				*c = sweepColumn{v: from, shared: true}
				return
			}
			if !s.record {
				addColumn(s.column(k, w)[at:at+len(to)], from)
				return
			}
		}
	}
	for k, x := range to {
		if x != x && isBox(x) {
			s.contribute(unbox(x), from[k])
		}
	}
}

func addColumn(to, from []float64) {
	for k, x := range from {
		if isAbsent(to[k]) {
			to[k] = x
		} else {
			to[k] += x
		}
	}
}

// tangentSlots is the tangent of a value, 0 where there is none.
func (s *sweep) tangentSlots(a slotSource) (d slotSource, some bool) {
	d.f, some = s.tangents(a.f)
	d.i = a.i
	for _, r := range a.p {
		f, i, p := columns(r)
		fs := make([][]float64, len(f))
		for c, col := range f {
			var any bool
			fs[c], any = s.tangents(col)
			some = some || any
		}
		ps := make([][]ref, len(p))
		for c, col := range p {
			rows, any := s.tangentSlots(slotSource{p: col})
			ps[c], some = rows.p, some || any
		}
		d.p = append(d.p, fromColumns(arrayLen(r), fs, i, ps))
	}
	return d, some
}
