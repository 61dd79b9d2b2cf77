package interp

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// derivation is what an instruction that differentiates needs to know.
type derivation struct {
	name     string // of the primitive
	from, to types.Type
	call     *callInfo
	args     shape // of the point
	weights  shape // of the tangent or cotangent
	result   shape // of the function
	known    *staticForward
}

// derive compiles an application of reverse, forward or jacobian.
func (c *funCompiler) derive(s *core.Let, op *core.Prim) []slot {
	fun := types.Resolve(op.Args[0].Type()).(*types.Fun)
	d := &derivation{name: op.Prim.Name, from: fun.Param, to: fun.Result}
	d.args, d.result = c.of(fun.Param).shape(), c.of(fun.Result).shape()
	d.call = &callInfo{args: 1, params: []shape{{}, d.args}, result: c.of(fun.Result)}
	if len(op.Args) > 2 {
		d.weights = c.of(op.Args[2].Type()).shape()
	}
	if plainTypes(d.from, d.to) {
		d.known = c.static(op)
	}
	args := c.list(c.atoms(op.Args))
	regs := c.targets(s, c.of(s.Var.Ty), true)
	c.emit(instr{op: opDerive, b: args, c: c.list(regs), k: int64(add(&c.lib.derivations, d))})
	return regs
}

// values are the slots of a value that is held outside of the registers.
func (m *Machine) operandValues(list []operand) slotSource {
	var s slotSource
	for _, o := range list {
		switch o.kind {
		case kF:
			s.f = append(s.f, m.f[m.fb+int(o.reg)])
		case kI:
			s.i = append(s.i, m.i[m.ib+int(o.reg)])
		case kP:
			s.p = append(s.p, m.p[m.pb+int(o.reg)])
		}
	}
	return s
}

// setOperands writes results to registers.
func (m *Machine) setOperands(list []operand, s slotSink) {
	var at shape
	for _, o := range list {
		switch k := at.next(o.kind); o.kind {
		case kF:
			m.f[m.fb+int(o.reg)] = s.f[k]
		case kI:
			m.i[m.ib+int(o.reg)] = s.i[k]
		case kP:
			m.p[m.pb+int(o.reg)] = s.p[k]
		}
	}
}

// take splits the first slots off.
func (s *slotSource) take(n shape) slotSource {
	first := slotSource{s.f[:n.f], s.i[:n.i], s.p[:n.p]}
	s.f, s.i, s.p = s.f[n.f:], s.i[n.i:], s.p[n.p:]
	return first
}

// maxCallbacks bounds how deeply functions that primitives call may nest,
// each of which takes a part of the Go stack.
const maxCallbacks = 10_000

// callback calls a function in the middle of an instruction of the current
// one and gives the slots of its result. The stacks may have moved when it
// returns.
func (m *Machine) callback(fun ref, info *callInfo, arg slotSink, result shape) (slotSource, *diag.Diagnostic) {
	caller, d := m.startCallback(info.params[info.args])
	if d != nil {
		return slotSource{}, d
	}
	copy(m.f[m.fb:], arg.f)
	copy(m.i[m.ib:], arg.i)
	copy(m.p[m.pb:], arg.p)
	m.p[m.pb+len(arg.p)] = fun
	if d := m.finishCallback(info); d != nil {
		m.endCallback(caller)
		return slotSource{}, d
	}
	out := slotSource{
		f: append([]float64(nil), m.f[m.fb:m.fb+result.f]...),
		i: append([]int64(nil), m.i[m.ib:m.ib+result.i]...),
		p: append([]ref(nil), m.p[m.pb:m.pb+result.p]...),
	}
	m.endCallback(caller)
	return out, nil
}

// caller is where a function stands that calls another in the middle of an
// instruction.
type caller struct {
	fn         *function
	pc         int
	fb, ib, pb int
	frames     int
}

// startCallback makes room above the current function for the arguments of a
// call, which go to the start of the windows, and the closure after them.
func (m *Machine) startCallback(args shape) (caller, *diag.Diagnostic) {
	from := caller{m.fn, m.pc, m.fb, m.ib, m.pb, len(m.frames)}
	if m.callbacks++; m.callbacks > maxCallbacks {
		return from, diag.Errorf(diag.DepthLimit, diag.Span{},
			"derivatives, integrals, roots and optima are nested more than %d deep", maxCallbacks)
	}
	fn := m.fn
	m.frames = append(m.frames, frame{fn, m.pc}) // for the places of errors
	m.fb += fn.frame.f + fn.out.f
	m.ib += fn.frame.i + fn.out.i
	m.pb += fn.frame.p + fn.out.p + 1
	m.fn, m.pc = m.code.halt, 1
	return from, m.room(args)
}

// finishCallback runs the call; its results are at the start of the windows.
func (m *Machine) finishCallback(info *callInfo) *diag.Diagnostic {
	if d := m.callClosure(info, 0); d != nil {
		return d
	}
	return m.exec()
}

// endCallback goes back to where the call came from, also after a failure.
func (m *Machine) endCallback(to caller) {
	m.fn, m.pc, m.fb, m.ib, m.pb = to.fn, to.pc, to.fb, to.ib, to.pb
	m.frames = m.frames[:to.frames]
	m.callbacks--
}

// deriveOp executes an instruction that differentiates.
func (m *Machine) deriveOp(in *instr, fn *function) *diag.Diagnostic {
	d := m.lib.derivations[in.k]
	args := m.operandValues(fn.lists[in.b])
	j := &differentiation{m: m, t: m.tape, derivation: d, fun: args.p[0]}
	args.p = args.p[1:]
	j.point, j.weights = args.take(d.args), args.take(d.weights)
	var result slotSink
	var failure *diag.Diagnostic
	switch d.name {
	case "reverse":
		result, failure = j.reverse()
	case "forward":
		result, failure = j.forward()
	case "jacobian":
		result, failure = j.jacobian()
	}
	if failure != nil {
		return failure
	}
	m.setOperands(fn.lists[in.c], result)
	return nil
}

// differentiation is a derivative being computed.
type differentiation struct {
	m *Machine
	t *tape
	*derivation
	fun     ref
	point   slotSource
	weights slotSource

	region region
	leaves []leafRange
	count  int // of the reals of the point
	value  slotSource
	out    leafList // the reals of the value
	record bool
}

// leafRange is a variable of the derivative, or an array of them.
type leafRange struct {
	first handle
	n     int // elements of an array; -1 for a node
}

// run evaluates the function on fresh leaves.
func (j *differentiation) run() *diag.Diagnostic {
	t := j.t
	j.region = t.begin()
	j.leaves, j.count = j.leaves[:0], 0
	v := leafVisitor{m: j.m,
		one: func(x float64) float64 {
			boxed := t.leaf(x, j.region.selfMask)
			j.leaves = append(j.leaves, leafRange{unbox(boxed), -1})
			j.count++
			return boxed
		},
		many: func(xs []float64) []float64 {
			w, boxes, ok := t.leafColumn(xs, j.region.selfMask)
			if ok {
				j.leaves = append(j.leaves, leafRange{elementBit | w.base, len(xs)})
				j.count += len(xs)
			}
			return boxes
		},
	}
	arg, d := v.visit(j.from, j.point)
	if d != nil {
		return d
	}
	if d := t.failed(); d != nil {
		return d
	}
	if j.value, d = j.m.callback(j.fun, j.call, arg, j.result); d != nil {
		return d
	}
	j.out, d = j.m.leavesOf(j.to, j.value)
	return d
}

// weightLeaves are the reals of the tangent or cotangent, which must have the
// shape of what it belongs to.
func (j *differentiation) weightLeaves(t types.Type, like leafList, what, of string) ([]float64, *diag.Diagnostic) {
	w, d := j.m.leavesOf(t, j.weights)
	if d != nil {
		return nil, d
	}
	for k := 0; k < max(len(w.shape), len(like.shape)); k++ {
		if len(w.shape) != len(like.shape) || w.shape[k] != like.shape[k] {
			return nil, diag.Errorf(diag.ShapesDiffer, diag.Span{}, "the %s has another shape than the %s that it belongs to", what, of).
				WithHint("it must have the same constructors and the same lengths of arrays")
		}
	}
	return w.reals, nil
}

// needsRecord tells whether the sweep must itself be on the tape: if what it
// computes depends on a variable of a derivative around it.
func (j *differentiation) needsRecord(weights []float64) bool {
	mask := j.t.seen
	for _, w := range weights {
		mask |= j.t.mask(w)
	}
	return mask&j.region.outside != 0
}

// seed is a given tangent or cotangent: a plain zero is no direction at all.
func seed(x float64) float64 {
	if x == 0 {
		return absent
	}
	return x
}

// resolutions calls f once, or, if there are kinks, once for each of the two
// resolutions of them, and gives how often.
func (j *differentiation) resolutions(f func() bool) (times int, ok bool) {
	if len(j.t.ties) == j.region.ties {
		return 1, f()
	}
	for _, sign := range []float64{1, -1} {
		s, ok := j.t.newSweep(j.region, false)
		if !ok {
			return 0, false
		}
		s.resolve = true
		k := 0
		j.eachLeaf(func(h handle) {
			*s.place(h) = sign * direction(k)
			k++
		})
		if !s.forward() || !f() {
			return 0, false
		}
	}
	return 2, true
}

func (j *differentiation) eachLeaf(f func(h handle)) {
	for _, l := range j.leaves {
		if l.n < 0 {
			f(l.first)
		}
		for k := range l.n {
			f(l.first + handle(k))
		}
	}
}

// average divides by the number of resolutions.
func (j *differentiation) average(xs []float64, times int) {
	if times == 1 {
		return
	}
	s := &sweep{t: j.t, record: j.record}
	for k, x := range xs {
		if !isAbsent(x) {
			xs[k] = s.product(x, 0.5)
		}
	}
}

// reverse gives the value and the cotangent of the point.
func (j *differentiation) reverse() (slotSink, *diag.Diagnostic) {
	if d := j.run(); d != nil {
		return slotSink{}, d
	}
	weights, d := j.weightLeaves(j.to, j.out, "cotangent", "value")
	if d != nil {
		return slotSink{}, d
	}
	j.record = j.needsRecord(weights)
	var gradient []float64
	times, ok := j.resolutions(func() bool { return j.pullBack(j.out.reals, weights, &gradient) })
	if !ok {
		return slotSink{}, j.t.failed()
	}
	j.average(gradient, times)
	if d := j.checkFinite(gradient, func(s *sweep) bool {
		for k, x := range j.out.reals {
			if w := seed(weights[k]); !isAbsent(w) {
				s.to(x, j.t.value(w))
			}
		}
		return s.backward()
	}); d != nil {
		return slotSink{}, d
	}
	return j.results(gradient, nil)
}

// pullBack sweeps backwards from the given cotangents of reals, and adds to
// the gradient.
func (j *differentiation) pullBack(reals, weights []float64, gradient *[]float64) bool {
	s, ok := j.t.newSweep(j.region, j.record)
	if !ok {
		return false
	}
	for k, x := range reals {
		if w := seed(weights[k]); !isAbsent(w) {
			s.to(x, w)
		}
	}
	if !s.backward() {
		return false
	}
	if *gradient == nil {
		*gradient = j.collect(s)
		return true
	}
	at := 0
	j.eachLeaf(func(h handle) {
		if x := *s.place(h); !isAbsent(x) {
			(*gradient)[at] = s.sum(present((*gradient)[at]), x)
		}
		at++
	})
	return true
}

// collect gives what a sweep has for the leaves, in order. An array that is
// the only variable is not copied: it may be large.
func (j *differentiation) collect(s *sweep) []float64 {
	if len(j.leaves) == 1 && j.leaves[0].n > 0 {
		w := j.t.wholeOf(j.leaves[0].first)
		k, _ := j.t.find(j.leaves[0].first)
		if c := s.columns[k-s.wholes]; c.shared && !s.record {
			return c.v // numbers, none of which is absent: nothing will change them
		}
		return s.column(k-s.wholes, w)
	}
	list := make([]float64, 0, j.count)
	j.eachLeaf(func(h handle) { list = append(list, *s.place(h)) })
	return list
}

// results leaves the derivative with its value and either the cotangent of
// the point or the tangent of the value.
func (j *differentiation) results(gradient, tangent []float64) (slotSink, *diag.Diagnostic) {
	t := j.t
	keep := false
	leave := func(x float64) float64 {
		x = t.leave(j.region, present(x))
		keep = keep || x != x && isBox(x)
		return x
	}
	primal := leafVisitor{m: j.m, one: leave, many: func(xs []float64) []float64 {
		out := make([]float64, len(xs))
		for k, x := range xs {
			out[k] = leave(x)
		}
		return out
	}}
	out, d := primal.visit(j.to, j.value)
	if d != nil {
		return slotSink{}, d
	}
	ty, like, leaves := j.from, j.point, gradient
	if gradient == nil {
		ty, like, leaves = j.to, j.value, tangent
	}
	for k, x := range leaves {
		if x != x {
			leaves[k] = leave(x)
		}
	}
	part, d := j.m.withLeaves(ty, like, leaves)
	if d == nil {
		d = t.failed()
	}
	if d != nil {
		return slotSink{}, d
	}
	t.end(j.region, keep)
	out.f, out.i, out.p = append(out.f, part.f...), append(out.i, part.i...), append(out.p, part.p...)
	return out, nil
}

// forward gives the value and its tangent.
func (j *differentiation) forward() (slotSink, *diag.Diagnostic) {
	if out, ok := j.forwardStatic(); ok {
		return out, nil
	}
	like, d := j.m.leavesOf(j.from, j.point)
	if d != nil {
		return slotSink{}, d
	}
	weights, d := j.weightLeaves(j.from, like, "tangent", "point")
	if d != nil {
		return slotSink{}, d
	}
	if d := j.run(); d != nil {
		return slotSink{}, d
	}
	j.record = j.needsRecord(weights)
	tangent := make([]float64, len(j.out.reals))
	fill(tangent, absent)
	times, ok := j.resolutions(func() bool { return j.pushForward(weights, tangent) })
	if !ok {
		return slotSink{}, j.t.failed()
	}
	j.average(tangent, times)
	if d := j.checkFinite(tangent, func(s *sweep) bool {
		j.setTangents(s, weights)
		return s.forward()
	}); d != nil {
		return slotSink{}, d
	}
	return j.results(nil, tangent)
}

func (j *differentiation) setTangents(s *sweep, weights []float64) {
	k := 0
	j.eachLeaf(func(h handle) {
		w := weights[k]
		if !s.record {
			w = s.t.value(w)
		}
		*s.place(h) = seed(w)
		k++
	})
}

// pushForward sweeps forwards and adds the tangents of the value's reals.
func (j *differentiation) pushForward(weights, tangent []float64) bool {
	s, ok := j.t.newSweep(j.region, j.record)
	if !ok {
		return false
	}
	j.setTangents(s, weights)
	if !s.forward() {
		return false
	}
	for k, x := range j.out.reals {
		if dx := s.get(x); !isAbsent(dx) {
			if isAbsent(tangent[k]) {
				tangent[k] = dx
			} else {
				tangent[k] = s.sum(tangent[k], dx)
			}
		}
	}
	return true
}

// jacobian runs the function once and sweeps for each variable, or for each
// result if there are fewer of them.
func (j *differentiation) jacobian() (slotSink, *diag.Diagnostic) {
	if d := j.run(); d != nil {
		return slotSink{}, d
	}
	rows, cols := len(j.out.reals), j.count
	j.record = j.needsRecord(nil)
	matrix := make([][]float64, rows)
	if d := j.m.charge(int64(rows) * (int64(cols)*8 + refBytes + headerBytes)); d != nil {
		return slotSink{}, d
	}
	for r := range matrix {
		matrix[r] = make([]float64, cols)
		fill(matrix[r], absent)
	}
	times, ok := j.resolutions(func() bool {
		if cols <= rows {
			return j.columns(matrix)
		}
		return j.rows(matrix)
	})
	if !ok {
		return slotSink{}, j.t.failed()
	}
	keep := false
	table := make([]ref, rows)
	for r, row := range matrix {
		j.average(row, times)
		if d := j.checkFinite(row, func(s *sweep) bool {
			s.to(j.out.reals[r], 1)
			return s.backward()
		}); d != nil {
			return slotSink{}, d
		}
		for c, x := range row {
			row[c] = j.t.leave(j.region, present(x))
			keep = keep || isBox(row[c])
		}
		table[r] = &reals{row}
	}
	if d := j.t.failed(); d != nil {
		return slotSink{}, d
	}
	j.t.end(j.region, keep)
	return slotSink{p: []ref{&refs{table}}}, nil
}

// columns is forward mode: a sweep for each variable.
func (j *differentiation) columns(matrix [][]float64) bool {
	unit := make([]float64, j.count)
	column := make([]float64, len(matrix))
	for c := range unit {
		unit[c] = 1
		fill(column, absent)
		if !j.pushForward(unit, column) {
			return false
		}
		unit[c] = 0
		j.addTo(func(r int) *float64 { return &matrix[r][c] }, column)
	}
	return true
}

// rows is reverse mode: a sweep for each result.
func (j *differentiation) rows(matrix [][]float64) bool {
	for r, x := range j.out.reals {
		var gradient []float64
		if !j.pullBack([]float64{x}, []float64{1}, &gradient) {
			return false
		}
		j.addTo(func(c int) *float64 { return &matrix[r][c] }, gradient)
	}
	return true
}

func (j *differentiation) addTo(entry func(k int) *float64, list []float64) {
	s := &sweep{t: j.t, record: j.record}
	for k, x := range list {
		if e := entry(k); isAbsent(*e) {
			*e = x
		} else if !isAbsent(x) {
			*e = s.sum(*e, x)
		}
	}
}

// calling executes an instruction that calls functions of the program.
func (m *Machine) calling(in *instr, fn *function) *diag.Diagnostic {
	var d *diag.Diagnostic
	switch in.op {
	case opDerive:
		d = m.deriveOp(in, fn)
	case opLeaves:
		d = m.leavesOp(in, fn)
	case opSearch:
		d = m.searchOp(in, fn)
	}
	// What arose in a function that was called has its place already.
	if d != nil && !d.Span.Known() {
		return m.place(d, fn, m.pc)
	}
	return d
}
