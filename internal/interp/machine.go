package interp

import (
	"context"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/marshal"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
	"github.com/fluxion-lang/fluxion/internal/interp/tape"
	"github.com/fluxion-lang/fluxion/internal/interp/vector"
	"github.com/fluxion-lang/fluxion/internal/search"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Machine is the state of runs of a Code: its stacks, and the constants that
// have been evaluated, which later runs find. It serves one goroutine at a
// time.
type Machine struct {
	code    *Code
	lib     *library
	layouts *layout.Layouts

	f      []float64
	i      []int64
	p      []object.Ref
	frames []frame

	outermost outermost

	fn         *function
	pc         int
	fb, ib, pb int // where the current function's windows start
	args       int // P registers from pb on that a call in progress may have filled

	globals []globalValue
	derived map[*Code][]globalValue // the constants of derived code
	stats   Stats
	budget
	strips       vector.Strips
	tape         *tape.Tape // of a program with derivatives
	callbacks    int        // functions that primitives are calling
	rulesChecked map[ruleKey]bool
	searcher     *search.Searcher // nil until the run searches
	translated   arrayCache       // for it
	kept         marshal.Tables
}

// globalValue is a constant of the program, once it is evaluated.
type globalValue struct {
	done bool
	object.Slots
}

func (g *globalValue) set(s layout.Shape, f *windowF, i *windowI, p []object.Ref) {
	g.F, g.I, g.P = slices.Clone(f[:s.F]), slices.Clone(i[:s.I]), slices.Clone(p[:s.P])
	object.ShareAll(g.P)
	g.done = true
}

func (g *globalValue) copyTo(list []operand, f *windowF, i *windowI, p []object.Ref) {
	var at layout.Shape
	for _, o := range list {
		switch k := at.Next(o.kind); o.kind {
		case layout.F:
			f[o.reg] = g.F[k]
		case layout.I:
			i[o.reg] = g.I[k]
		case layout.P:
			p[o.reg] = g.P[k]
		}
	}
}

// NewMachine makes a machine; Release gives its memory back for reuse.
func (c *Code) NewMachine() *Machine {
	m, _ := c.pool.Get().(*Machine)
	if m == nil {
		m = &Machine{code: c, lib: c.lib, layouts: layout.New(),
			f: make([]float64, windowSize+1024), i: make([]int64, windowSize+1024), p: make([]object.Ref, 64)}
	}
	m.globals = make([]globalValue, len(c.globals))
	return m
}

// Release ends the use of a machine.
func (m *Machine) Release() {
	const keep = 4 * windowSize // stacks beyond it are not worth keeping
	if len(m.f) > keep || len(m.i) > keep || len(m.p) > keep || cap(m.frames) > keep {
		return
	}
	clear(m.p)
	m.globals, m.derived, m.fn = nil, nil, nil
	m.tape = nil
	m.budget = budget{}
	m.code.pool.Put(m)
}

// Stats says what the last run has done.
func (m *Machine) Stats() Stats { return m.stats }

// start puts the machine before its first call.
func (m *Machine) start(ctx context.Context, lim Limits) {
	m.startBudget(ctx, lim)
	m.frames = m.frames[:0]
	m.fb, m.ib, m.pb = 0, 0, 0
	m.fn, m.pc = m.code.halt, 1
	m.callbacks, m.searcher, m.translated = 0, nil, nil
	if m.code.taped {
		if m.tape == nil {
			m.tape = &tape.Tape{}
		}
		m.tape.Reset((*tapeHost)(m), &m.fuel, &m.stats.Counts, m.code.opts.IEEETies)
	}
}

// Run evaluates the program's constants, in their order, and then its Main:
// the first that fails is the program's failure, whether Main needs it or not.
func (m *Machine) Run(ctx context.Context, lim Limits) (value.Value, *diag.Diagnostic) {
	return m.run(ctx, lim, nil)
}

// run is Run with the constants of earlier runs, or nil.
func (m *Machine) run(ctx context.Context, lim Limits, kept *Constants) (value.Value, *diag.Diagnostic) {
	main := m.code.main
	if main == nil {
		return nil, diag.Errorf(diag.NothingToRun, diag.Span{}, "the program has no final expression")
	}
	m.start(ctx, lim)
	if d := m.tick(); d != nil { // a context that is over before the run
		d.Span = main.at
		return nil, d
	}
	for _, g := range m.code.globals {
		if g == main {
			continue
		}
		known, d := kept.recall(m, g)
		if d != nil {
			d.Span = g.at
			return nil, d
		}
		if known {
			continue
		}
		if _, d := m.definition(g); d != nil {
			return nil, d
		}
		kept.keep(m, g)
	}
	v, d := m.definition(main)
	if d != nil {
		return nil, d
	}
	return m.result(main, main.ty, v)
}

// result converts what a definition, or a call of it, gave.
func (m *Machine) result(g *global, t types.Type, from *object.Slots) (value.Value, *diag.Diagnostic) {
	v, d := m.toValue(t, from)
	if d != nil {
		d.Span = g.at
		return nil, d
	}
	return v, nil
}

// definition is the value of a definition, evaluated if need be.
func (m *Machine) definition(g *global) (*object.Slots, *diag.Diagnostic) {
	if g.index < 0 {
		return &object.Slots{P: []object.Ref{g.fun.static}}, nil
	}
	v := &m.globals[g.index]
	if !v.done {
		if d := m.push(m.code.halt, 1); d != nil {
			return nil, d
		}
		if d := m.enter(g.fun); d != nil {
			return nil, d
		}
		m.fn, m.pc = g.fun, 0
		if d := m.exec(); d != nil {
			return nil, d
		}
		m.fn, m.pc = m.code.halt, 1
	}
	value := v.Slots
	return &value, nil
}
