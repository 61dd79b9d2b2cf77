package machine

import (
	"slices"
	"sync"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
	"github.com/fluxion-lang/fluxion/internal/interp/tape"
	"github.com/fluxion-lang/fluxion/internal/opt"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/rules"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Rows over arrays have derivatives that are programs, on arrays again: the table of primitives
// gives them as core. They are compiled when they are first needed, as programs of their own that
// run on the tape of the machine that needs them; so a derivative of a derivative of such a row is
// compiled when the first is swept by a recording sweep, and there is no end to it.

// Derived is a rule of the table as a program, made once. It is compiled for reals that are not boxed, with the
// regions of an engine, and if need be for others too: Note [Plain and taped].
type Derived struct {
	once    sync.Once
	program *core.Program
	plain   *Code

	boxed sync.Once
	taped *Code
}

const derivedName = "derivative"

// of compiles a function that is a rule of the table. That it can be is tested row by row.
func (d *Derived) of(opts Options, rule func() *core.Lambda) *Derived {
	d.once.Do(func() {
		program := &core.Program{Defs: []*core.Def{core.FunDef(derivedName, nil, rule(), diag.Span{})}}
		d.program = opt.Simplify(program, opt.Options{Roots: []string{derivedName}})
		code, failure := opts.Compile(d.program, opts, false, true)
		if failure != nil {
			panic("machine: a rule that does not compile: " + failure.Message)
		}
		d.plain = code
	})
	return d
}

// code is that of a function that was derived, for reals that may be boxed or not.
func (d *Derived) code(opts Options, boxed bool) *Code {
	if !boxed {
		return d.plain
	}
	d.boxed.Do(func() {
		code, failure := opts.Compile(d.program, opts, true, false)
		if failure != nil { // then there would be no plain code either
			panic("machine: derived code that does not compile: " + failure.Message)
		}
		d.taped = code
	})
	return d.taped
}

// RunDerived calls derived code with the slots of its arguments. The reals
// among them may be boxed, and then so are those of the result.
func (m *Machine) RunDerived(code *Code, name string, args object.Slots, result layout.Shape) (object.Slots, *diag.Diagnostic) {
	if m.derived == nil {
		m.derived = map[*Code][]globalValue{}
	}
	sub := code.NewMachine()
	sub.globals, sub.derived = m.constantsOf(code), m.derived
	sub.budget, sub.tape = m.budget, m.tape
	sub.begin()
	sub.callbacks = m.callbacks + 1
	fun := code.Defs[name].Fun
	out, d := sub.Callback(fun.Static, &CallInfo{args: fun.Arity, params: fun.Params}, args, result)
	m.fuel, m.burnt, m.used, m.regions = sub.fuel, sub.burnt, sub.used, sub.regions
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
	if len(code.Globals) == 0 {
		return nil
	}
	values := m.derived[code]
	if values == nil {
		values = make([]globalValue, len(code.Globals))
		for k, g := range code.Globals {
			if own := m.code.Defs[g.Name]; own != nil && own.Index >= 0 && types.Member(g.Type, types.Diff) == nil {
				values[k] = m.globals[own.Index]
			}
		}
		m.derived[code] = values
	}
	return values
}

// arrayRow is a row of the table over arrays, with the code of its rules by its arguments.
type arrayRow struct {
	prim         *prim.Prim
	pulls, pushs []Derived
}

// ArrayRow gives the number of a row over an array of reals.
func (l *Library) ArrayRow(row *prim.Prim) int64 {
	known := l.rulesOf(row)
	if k := slices.Index(l.arrayRows, known); k >= 0 {
		return int64(k)
	}
	return int64(add(&l.arrayRows, known))
}

// rulesOf is a row over arrays, whose rules are compiled once for all the functions of a program.
func (l *Library) rulesOf(row *prim.Prim) *arrayRow {
	known := l.shared.arrayRows[row]
	if known == nil {
		known = &arrayRow{prim: row, pulls: make([]Derived, len(row.Pullback)), pushs: make([]Derived, len(row.Pushforward))}
		l.shared.arrayRows[row] = known
	}
	return known
}

// pullCode is the rule for the cotangent of an argument.
func (r *arrayRow) pullCode(opts Options, arg int) *Derived {
	return r.pulls[arg].of(opts, func() *core.Lambda { return rules.RowPullback(r.prim, arg) })
}

// pushCode is the rule for the tangent that one of an argument contributes.
func (r *arrayRow) pushCode(opts Options, arg int) *Derived {
	return r.pushs[arg].of(opts, func() *core.Lambda { return rules.RowPushforward(r.prim, arg) })
}

// tapedFold applies a row from an array to a real.
func (m *Machine) tapedFold(row *arrayRow, xs []float64) float64 {
	t := m.tape
	v := row.prim.Float.(prim.Fold)(t.Plain(xs))
	if t.ColumnMask(xs)&t.Live == 0 {
		return v
	}
	if row.prim.Kink != "" && v == 0 {
		boxed := t.AddCustom(v, &normTie{row: row, xs: xs, at: t.Here()})
		t.Ties = append(t.Ties, tape.Unbox(boxed))
		return boxed
	}
	return t.AddCustom(v, &foldNode{row: row, xs: xs})
}

// tapedMap applies a row from an array to an array.
func (m *Machine) tapedMap(row *arrayRow, xs []float64) (object.Ref, *diag.Diagnostic) {
	t := m.tape
	out, d := m.allocArray(layout.Shape{F: 1}, int64(len(xs)))
	if d != nil {
		return nil, d
	}
	values := out.(*object.Reals).V
	row.prim.Float.(prim.MapArray)(values, t.Plain(xs))
	mask := t.ColumnMask(xs)
	if mask&t.Live == 0 {
		return out, nil
	}
	w, boxes, ok := t.AddWhole(values, mask)
	if !ok {
		return nil, t.Failed()
	}
	t.AddNode(tape.WholeNode, &mapNode{row: row, xs: xs, w: w}, mask)
	return &object.Reals{V: boxes}, nil
}

// foldNode is a row from an array to a real.
type foldNode struct {
	row *arrayRow
	xs  []float64
}

func (c *foldNode) Parents(visit func(float64)) { each(c.xs, visit) }

func (c *foldNode) Name() string { return c.row.prim.Name }

func each(xs []float64, visit func(float64)) {
	for _, x := range xs {
		visit(x)
	}
}

func (c *foldNode) Pull(s *tape.Sweep, at tape.Handle, w float64) {
	args := object.Slots{F: []float64{s.Result(at), w}, P: []object.Ref{&object.Reals{V: s.Seen(c.xs)}}}
	contributeAll(s, c.xs, callDerived(s, c.row.pullCode(Of(s.Tape).code.opts, 0), args, layout.Shape{P: 1}).P)
}

func (c *foldNode) Push(s *tape.Sweep, at tape.Handle) float64 {
	dxs, some := s.Tangents(c.xs)
	if !some {
		return tape.Absent
	}
	args := object.Slots{F: []float64{s.Result(at)}, P: []object.Ref{&object.Reals{V: s.Seen(c.xs)}, &object.Reals{V: dxs}}}
	out := callDerived(s, c.row.pushCode(Of(s.Tape).code.opts, 0), args, layout.Shape{F: 1})
	if len(out.F) == 0 {
		return tape.Absent
	}
	return out.F[0]
}

// mapNode is a row from an array to an array.
type mapNode struct {
	row *arrayRow
	xs  []float64
	w   *tape.Whole
}

func (c *mapNode) Parents(visit func(float64)) { each(c.xs, visit) }

func (c *mapNode) Name() string { return c.row.prim.Name }

func (c *mapNode) Pull(s *tape.Sweep, _ tape.Handle, _ float64) {
	bt, some := s.CotangentsOf(c.w)
	if !some {
		return
	}
	args := object.Slots{P: []object.Ref{&object.Reals{V: s.Seen(c.xs)}, &object.Reals{V: s.Elements(c.w)}, &object.Reals{V: bt}}}
	contributeAll(s, c.xs, callDerived(s, c.row.pullCode(Of(s.Tape).code.opts, 0), args, layout.Shape{P: 1}).P)
}

func (c *mapNode) Push(s *tape.Sweep, _ tape.Handle) float64 {
	dxs, some := s.Tangents(c.xs)
	if !some {
		return tape.Absent
	}
	args := object.Slots{P: []object.Ref{&object.Reals{V: s.Seen(c.xs)}, &object.Reals{V: s.Elements(c.w)}, &object.Reals{V: dxs}}}
	if out := callDerived(s, c.row.pushCode(Of(s.Tape).code.opts, 0), args, layout.Shape{P: 1}); len(out.P) == 1 {
		s.SetElements(c.w, out.P[0].(*object.Reals).V)
	}
	return tape.Absent
}

// normTie is norm at the zero vector, where it has a kink: along a direction
// it is the length of the step.
type normTie struct {
	row *arrayRow
	xs  []float64
	px  []float64
	at  diag.Span
}

func (c *normTie) Parents(visit func(float64)) { each(c.xs, visit) }

func (c *normTie) Pull(s *tape.Sweep, at tape.Handle, w float64) {
	if s.SecondOrder(at, c.row.prim.Name, c.at, c.xs...) {
		return
	}
	for k, p := range c.px {
		if !tape.IsAbsent(p) {
			s.To(c.xs[k], s.Product(w, p))
		}
	}
}

func (c *normTie) Push(s *tape.Sweep, at tape.Handle) float64 {
	dxs, some := s.Tangents(c.xs)
	if s.Resolve {
		length := c.row.prim.Float.(prim.Fold)(dxs)
		c.px = make([]float64, len(dxs))
		for k, dx := range dxs {
			c.px[k] = rules.Unit(dx, length, tape.Absent, rules.Doubles{})
		}
	}
	// Flat along the direction, as norm [x^2] is at 0, it may still be curved.
	if !some || s.SecondOrder(at, c.row.prim.Name, c.at, c.xs...) {
		return tape.Absent
	}
	sum := tape.Absent
	for k, p := range c.px {
		if !tape.IsAbsent(p) {
			sum = s.Sum(tape.Present(sum), s.Product(dxs[k], p))
		}
	}
	return sum
}

// contributeAll adds an array of contributions.
func contributeAll(s *tape.Sweep, xs []float64, column []object.Ref) {
	if len(column) == 0 {
		return
	}
	for k, b := range column[0].(*object.Reals).V {
		s.To(xs[k], b)
	}
}

// callDerived runs a rule on what the sweep sees: boxes, if it records. A failure ends the sweep.
func callDerived(s *tape.Sweep, d *Derived, args object.Slots, result layout.Shape) object.Slots {
	code := d.code(Of(s.Tape).code.opts, s.Record)
	mode := s.Tape.Mode
	mode.Derived = true
	var out object.Slots
	var failed *diag.Diagnostic
	s.Tape.Within(mode, func() { out, failed = Of(s.Tape).RunDerived(code, derivedName, args, result) })
	if failed != nil {
		s.Tape.Fail(failed)
		return object.Slots{}
	}
	return out
}
