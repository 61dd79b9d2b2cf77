package interp

import (
	"sync"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/diff"
	"github.com/fluxion-lang/fluxion/internal/opt"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Operations on whole arrays have derivatives that are programs, on whole
// arrays again: package diff and the table of primitives give them as core.
// They are compiled when they are first needed, as programs of their own that
// run on the tape of the machine that needs them; so a derivative of a
// derivative of an array operation is compiled when the first is swept by a
// recording sweep, and there is no end to it.

// derivedCode compiles a function once.
type derivedCode struct {
	once sync.Once
	code *Code
	err  error
}

const derivedName = "derivative"

// get gives the code of a function that derive makes, or an error where there
// is none.
func (d *derivedCode) get(opts Options, derive func() (*core.Lambda, error)) (*Code, error) {
	d.once.Do(func() {
		fun, err := derive()
		if err != nil {
			d.err = err
			return
		}
		d.code, d.err = compileDerived(fun, opts)
	})
	return d.code, d.err
}

// getProgram is get for a program of several definitions, none of whose reals
// is ever boxed.
func (d *derivedCode) getProgram(opts Options, derive func() (*core.Program, error)) (*Code, error) {
	d.once.Do(func() {
		program, err := derive()
		if err != nil {
			d.err = err
			return
		}
		code, failure := compileWith(program, opts, false, true)
		if failure != nil {
			d.err = failure
			return
		}
		d.code = code
	})
	return d.code, d.err
}

func compileDerived(fun *core.Lambda, opts Options) (*Code, error) {
	v := &core.Var{Name: "f", Ty: core.TypeOf(fun)}
	def := &core.Def{Name: derivedName, Type: v.Ty, Body: &core.Block{Stmts: []core.Stmt{&core.Let{Var: v, Op: fun}}, Result: v}}
	program := opt.Simplify(&core.Program{Defs: []*core.Def{def}}, opt.Options{Roots: []string{derivedName}})
	code, d := compileTaped(program, opts)
	if d != nil {
		return nil, d
	}
	return code, nil
}

// runDerived calls derived code with the slots of its arguments. The reals
// among them may be boxed, and then so are those of the result.
func (m *Machine) runDerived(code *Code, name string, args slotSink, result shape) (slotSource, *diag.Diagnostic) {
	if m.derived == nil {
		m.derived = map[*Code][]globalValue{}
	}
	sub := code.NewMachine()
	sub.globals, sub.derived = m.constantsOf(code), m.derived
	sub.budget, sub.tape = m.budget, m.tape
	sub.frames = sub.frames[:0]
	sub.fb, sub.ib, sub.pb = 0, 0, 0
	sub.fn, sub.pc = code.halt, 1
	sub.callbacks = m.callbacks + 1
	fun := code.defs[name].fun
	out, d := sub.callback(fun.static, &callInfo{args: fun.arity, params: fun.params}, args, result)
	m.fuel, m.burnt, m.used = sub.fuel, sub.burnt, sub.used
	m.stats.Prims += sub.stats.Prims
	m.stats.Swept += sub.stats.Swept
	m.stats.Calls += sub.stats.Calls
	m.stats.Allocations += sub.stats.Allocations
	m.stats.Bytes += sub.stats.Bytes
	sub.stats = Stats{}
	sub.tape = nil
	sub.Release()
	return out, d
}

// constantsOf are the constants of derived code. Those of the program itself have
// been evaluated, or else are by the first call: a derivative may be taken a million
// times. Functions belong to the code that made them.
func (m *Machine) constantsOf(code *Code) []globalValue {
	if len(code.globals) == 0 {
		return nil
	}
	values := m.derived[code]
	if values == nil {
		values = make([]globalValue, len(code.globals))
		for k, g := range code.globals {
			if own := m.code.defs[g.name]; own != nil && own.index >= 0 && types.Member(g.ty, types.Diff) == nil {
				values[k] = m.globals[own.index]
			}
		}
		m.derived[code] = values
	}
	return values
}

// arrayRow is a row of the table over an array of reals.
type arrayRow struct {
	prim       *prim.Prim
	pull, push derivedCode
}

func (l *library) arrayRow(row *prim.Prim) int64 {
	for k, r := range l.arrayRows {
		if r.prim == row {
			return int64(k)
		}
	}
	return int64(add(&l.arrayRows, &arrayRow{prim: row}))
}

func (r *arrayRow) pullCode(opts Options) *Code {
	return r.code(&r.pull, opts, func() (*core.Lambda, error) { return diff.RowPullback(r.prim, 0), nil })
}

func (r *arrayRow) pushCode(opts Options) *Code {
	return r.code(&r.push, opts, func() (*core.Lambda, error) { return diff.RowPushforward(r.prim, 0), nil })
}

// code compiles a rule of the table; that it can be is tested row by row.
func (r *arrayRow) code(d *derivedCode, opts Options, derive func() (*core.Lambda, error)) *Code {
	code, err := d.get(opts, derive)
	if err != nil {
		panic("interp: the rule of " + r.prim.Name + " does not compile: " + err.Error())
	}
	return code
}

// plain gives a column without boxes.
func (t *tape) plain(xs []float64) []float64 {
	if w, from := t.columnOf(xs); w != nil {
		return w.values[from : from+len(xs) : from+len(xs)]
	}
	if !anyBox(xs) {
		return xs
	}
	values := make([]float64, len(xs))
	for k, x := range xs {
		values[k] = t.value(x)
	}
	return values
}

func (t *tape) columnMask(xs []float64) levels {
	if w, _ := t.columnOf(xs); w != nil {
		return w.mask
	}
	var mask levels
	var last *whole
	for _, x := range xs {
		if x == x || !isBox(x) {
			continue
		}
		if h := unbox(x); h&elementBit != 0 {
			if w := t.wholeOf(h); w != last {
				mask, last = mask|w.mask, w
			}
			continue
		}
		mask |= t.mask(x)
	}
	return mask
}

// tapedFold applies a row from an array to a real.
func (m *Machine) tapedFold(row *arrayRow, xs []float64) float64 {
	t := m.tape
	v := row.prim.Float.(prim.Fold)(t.plain(xs))
	if t.columnMask(xs)&t.live == 0 {
		return v
	}
	if row.prim.Kink != "" && v == 0 {
		boxed := t.addCustom(v, &normTie{row: row, xs: xs, at: t.here()})
		t.ties = append(t.ties, unbox(boxed))
		return boxed
	}
	return t.addCustom(v, &foldNode{row: row, xs: xs})
}

// tapedMap applies a row from an array to an array.
func (m *Machine) tapedMap(row *arrayRow, xs []float64) (ref, *diag.Diagnostic) {
	t := m.tape
	out, d := m.allocArray(shape{f: 1}, int64(len(xs)))
	if d != nil {
		return nil, d
	}
	values := out.(*reals).v
	row.prim.Float.(prim.MapArray)(values, t.plain(xs))
	mask := t.columnMask(xs)
	if mask&t.live == 0 {
		return out, nil
	}
	w, boxes, ok := t.addWhole(values, mask)
	if !ok {
		return nil, t.failed()
	}
	t.addNode(nodeWhole, &mapNode{row: row, xs: xs, w: w}, mask)
	return &reals{v: boxes}, nil
}

// foldNode is a row from an array to a real.
type foldNode struct {
	row *arrayRow
	xs  []float64
}

func (c *foldNode) parents(visit func(float64)) { each(c.xs, visit) }

func each(xs []float64, visit func(float64)) {
	for _, x := range xs {
		visit(x)
	}
}

func (c *foldNode) pull(s *sweep, at handle, w float64) {
	args := slotSink{f: []float64{s.result(at), w}, p: []ref{&reals{v: s.seen(c.xs)}}}
	s.contributeAll(c.xs, s.call(c.row.pullCode(s.t.m.code.opts), args, shape{p: 1}).p)
}

func (c *foldNode) push(s *sweep, at handle) float64 {
	dxs, some := s.tangents(c.xs)
	if !some {
		return absent
	}
	args := slotSink{f: []float64{s.result(at)}, p: []ref{&reals{v: s.seen(c.xs)}, &reals{v: dxs}}}
	out := s.call(c.row.pushCode(s.t.m.code.opts), args, shape{f: 1})
	if len(out.f) == 0 {
		return absent
	}
	return out.f[0]
}

// mapNode is a row from an array to an array.
type mapNode struct {
	row *arrayRow
	xs  []float64
	w   *whole
}

func (c *mapNode) parents(visit func(float64)) { each(c.xs, visit) }

func (c *mapNode) pull(s *sweep, _ handle, _ float64) {
	bt, some, _ := s.cotangentsOf(c.w)
	if !some {
		return
	}
	args := slotSink{p: []ref{&reals{v: s.seen(c.xs)}, &reals{v: s.elements(c.w)}, &reals{v: bt}}}
	s.contributeAll(c.xs, s.call(c.row.pullCode(s.t.m.code.opts), args, shape{p: 1}).p)
}

func (c *mapNode) push(s *sweep, _ handle) float64 {
	dxs, some := s.tangents(c.xs)
	if !some {
		return absent
	}
	args := slotSink{p: []ref{&reals{v: s.seen(c.xs)}, &reals{v: s.elements(c.w)}, &reals{v: dxs}}}
	if out := s.call(c.row.pushCode(s.t.m.code.opts), args, shape{p: 1}); len(out.p) == 1 {
		s.setElements(c.w, out.p[0].(*reals).v)
	}
	return absent
}

// normTie is norm at the zero vector, where it has a kink: along a direction
// it is the length of the step.
type normTie struct {
	row *arrayRow
	xs  []float64
	px  []float64
	at  diag.Span
}

func (c *normTie) parents(visit func(float64)) { each(c.xs, visit) }

func (c *normTie) pull(s *sweep, _ handle, w float64) {
	if s.secondOrder(c.row.prim.Name, c.at, c.xs...) {
		return
	}
	for k, p := range c.px {
		s.to(c.xs[k], s.product(w, p))
	}
}

func (c *normTie) push(s *sweep, _ handle) float64 {
	dxs, some := s.tangents(c.xs)
	if s.resolve {
		length := c.row.prim.Float.(prim.Fold)(dxs)
		c.px = nil
		if length > 0 {
			c.px = make([]float64, len(dxs))
			for k, dx := range dxs {
				c.px[k] = dx / length
			}
		}
	}
	// Flat along the direction, as norm [x^2] is at 0, it may still be curved.
	if !some || s.secondOrder(c.row.prim.Name, c.at, c.xs...) || c.px == nil {
		return absent
	}
	sum := 0.0
	for k, p := range c.px {
		sum = s.sum(sum, s.product(dxs[k], p))
	}
	return sum
}

// ---- columns in sweeps

// seen is what a sweep computes with for reals: their boxes if it records.
func (s *sweep) seen(xs []float64) []float64 {
	if s.record {
		return xs
	}
	return s.t.plain(xs)
}

// elements is the same for those of a whole.
func (s *sweep) elements(w *whole) []float64 {
	if !s.record {
		return w.values
	}
	boxes := make([]float64, len(w.values))
	for k := range boxes {
		boxes[k] = box(elementBit | (w.base + handle(k)))
	}
	return boxes
}

// tangents are those of reals, 0 where there is none.
func (s *sweep) tangents(xs []float64) (dxs []float64, some bool) {
	dxs = make([]float64, len(xs))
	if len(xs) > 0 && xs[0] == xs[0] && !anyBox(xs) {
		return dxs, false
	}
	for k, x := range xs {
		if dx := s.get(x); !isAbsent(dx) {
			dxs[k], some = dx, true
		}
	}
	return dxs, some
}

func (s *sweep) setElements(w *whole, dxs []float64) {
	if len(dxs) == 0 {
		return
	}
	k, _ := s.t.find(elementBit | w.base)
	s.columns[k-s.wholes] = sweepColumn{v: dxs, shared: true}
}

// contributeAll adds an array of contributions.
func (s *sweep) contributeAll(xs []float64, column []ref) {
	if len(column) == 0 {
		return
	}
	for k, b := range column[0].(*reals).v {
		s.to(xs[k], b)
	}
}

// call runs derived code; a failure ends the sweep.
func (s *sweep) call(code *Code, args slotSink, result shape) slotSource {
	around := s.t.derived
	s.t.derived = true
	out, d := s.t.m.runDerived(code, derivedName, args, result)
	s.t.derived = around
	if d != nil {
		s.t.fail(d)
		return slotSource{}
	}
	return out
}
