// Package machine runs register bytecode on doubles. It is given Code, which package interp
// compiles from core, and hands back values of package value, or diagnostics. The compiler makes
// instructions and functions, and fills in the tables that they refer to. Operations (package
// derive) and regions (package region) are interfaces here; for them the machine calls functions,
// and lends its tape and its budget.
//
// The instructions and what executes them are one package, since an instruction may be an
// operation, and an operation is given the machine.
//
//	code.go       compiled programs, and the options and limits of runs
//	function.go   functions and closures
//	instr.go      the instructions; library.go what they refer to by number; disasm.go their listing
//	later.go      functions that are compiled when they are entered
//	vm.go         the machine; frames.go, call.go, arrays.go, structural.go its longer steps
//	own_rows.go   arrays of arrays that are updated in place
//	tape*.go      operations on reals that may be on a tape; package tape has the tape and its sweeps
//	derived.go    code that is derived while other code runs
//	callback.go   functions that instructions call: operations
//	region.go     parts that run as compiled code
//	budget.go     time, memory, depth and cancellation
//	watch.go      how far a run is
//	errors.go     diagnostics of failing runs
//	apply.go      calls from outside; values.go values in and out; constants.go constants that sessions keep
package machine

import (
	"context"
	"iter"
	"slices"
	"sync"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/marshal"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
	"github.com/fluxion-lang/fluxion/internal/interp/tape"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Machine is the state of runs of a Code: its stacks, and the constants that
// have been evaluated, which later runs find. It serves one goroutine at a
// time.
type Machine struct {
	code    *Code
	layouts *layout.Layouts

	f      []float64
	i      []int64
	p      []object.Ref
	frames frames

	outermost Outermost

	fn         *Function
	pc         int
	fb, ib, pb int // where the current function's windows start
	args       int // P registers from pb on that a call in progress may have filled

	globals []globalValue
	derived map[*Code][]globalValue // the constants of derived code
	stats   Stats
	budget
	tape       *tape.Tape // of a program with derivatives
	callbacks  int        // functions that primitives are calling
	Operations OperationState
	compared   map[core.Rule]bool
	ruleUses   map[ruleAt]*loop.Schedule
	comparing  int // rules that are being compared
	kept       marshal.Tables
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

func (g *globalValue) copyTo(list []Register, f *windowF, i *windowI, p []object.Ref) {
	var at layout.Shape
	for _, o := range list {
		switch k := at.Next(o.Kind); o.Kind {
		case layout.F:
			f[o.Reg] = g.F[k]
		case layout.I:
			i[o.Reg] = g.I[k]
		case layout.P:
			p[o.Reg] = g.P[k]
		}
	}
}

// NewMachine makes a machine; Release gives its memory back for reuse.
func (c *Code) NewMachine() *Machine {
	m, _ := c.pool.Get().(*Machine)
	if m == nil {
		m = &Machine{code: c, layouts: layout.New()}
	}
	m.globals = make([]globalValue, len(c.Globals))
	return m
}

// Release ends the use of a machine.
func (m *Machine) Release() {
	if !m.stacksWorthKeeping() {
		return
	}
	clear(m.p)
	m.globals, m.derived, m.fn = nil, nil, nil
	m.tape = nil
	m.budget = budget{}
	m.code.pool.Put(m)
}

// stacksWorthKeeping reports whether the stacks are small enough to wait for another run.
func (m *Machine) stacksWorthKeeping() bool {
	const keep = 4 * WindowSize
	return len(m.f) <= keep && len(m.i) <= keep && len(m.p) <= keep &&
		m.frames.below == 0 && m.frames.spare == nil
}

// Stacks keeps the stacks, and the tapes, of machines whose runs are over, for machines of other programs: the
// first ones of a run take a megabyte. The zero Stacks is empty. It is safe for concurrent use.
type Stacks struct{ pool sync.Pool } // of *stacks

type stacks struct {
	f      []float64
	i      []int64
	p      []object.Ref
	frames []frame
	tape   *tape.Tape
}

// borrow gives a machine without stacks some that were kept, and returns what gives them back.
func (k *Stacks) borrow(m *Machine) (giveBack func()) {
	if k == nil || m.f != nil {
		return func() {}
	}
	s, _ := k.pool.Get().(*stacks)
	if s == nil {
		s = &stacks{}
	}
	m.f, m.i, m.p, m.frames.now = s.f, s.i, s.p, s.frames
	if m.code.taped { // what is not must see none
		m.tape = s.tape
	}
	return func() {
		if m.stacksWorthKeeping() {
			clear(m.p)
			clear(m.frames.now[:cap(m.frames.now)])
			if m.tape != nil {
				m.tape.Clear()
			}
			if m.tape != nil {
				s.tape = m.tape
			}
			*s = stacks{m.f, m.i, m.p, m.frames.now, s.tape}
			k.pool.Put(s)
		}
		m.f, m.i, m.p, m.frames, m.tape = nil, nil, nil, frames{}, nil
	}
}

// Stats says what the last run has done.
func (m *Machine) Stats() Stats {
	s := m.stats
	s.Work = m.Work()
	return s
}

// Tape is what the derivatives in progress have recorded; nil in a program without any.
func (m *Machine) Tape() *tape.Tape { return m.tape }

// Layouts are those of the types of values.
func (m *Machine) Layouts() *layout.Layouts { return m.layouts }

// Options are those that the program was compiled with.
func (m *Machine) Options() *Options { return &m.code.opts }

// Program is what was compiled.
func (m *Machine) Program() *core.Program { return m.code.program }

// NoteCertified says how much work the searches of the run have taken so far.
func (m *Machine) NoteCertified(work int64) { m.stats.Certified = work }

// begin puts the machine before its first call. Its first stacks are its own expense, and not that
// of the run.
func (m *Machine) begin() {
	if m.f == nil {
		m.f, m.i, m.p = make([]float64, WindowSize+1024), make([]int64, WindowSize+1024), make([]object.Ref, 64)
	}
	m.frames.cut(0)
	m.fb, m.ib, m.pb = 0, 0, 0
	m.fn, m.pc = m.code.halt, 1
}

// start begins a run.
func (m *Machine) start(ctx context.Context, lim Limits) {
	m.begin()
	m.startBudget(ctx, lim)
	m.callbacks = 0
	if m.Operations != nil {
		m.Operations.Start()
	}
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
	main := m.code.Entry
	if main == nil {
		return nil, diag.Errorf(diag.NothingToRun, diag.Span{}, "the program has no final expression")
	}
	m.start(ctx, lim)
	if d := m.Tick(); d != nil { // a context that is over before the run
		d.Span = main.At
		return nil, d
	}
	for _, g := range m.code.Globals {
		if g == main {
			continue
		}
		known, d := kept.recall(m, g)
		if d != nil {
			d.Span = g.At
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
	return m.result(main, main.Type, v)
}

// result converts what a definition, or a call of it, gave.
func (m *Machine) result(g *Global, t types.Type, from *object.Slots) (value.Value, *diag.Diagnostic) {
	v, d := m.ToValue(t, from)
	if d != nil {
		d.Span = g.At
		return nil, d
	}
	return v, nil
}

// definition is the value of a definition, evaluated if need be.
func (m *Machine) definition(g *Global) (*object.Slots, *diag.Diagnostic) {
	if g.Index < 0 {
		return &object.Slots{P: []object.Ref{g.Fun.Static}}, nil
	}
	v := &m.globals[g.Index]
	if !v.done {
		d := m.push(m.code.halt, 1)
		if d == nil {
			d = m.enter(g.Fun)
		}
		if d != nil {
			d.Span = g.At
			return nil, d
		}
		if d := m.exec(); d != nil {
			return nil, d
		}
		m.fn, m.pc = m.code.halt, 1
	}
	value := v.Slots
	return &value, nil
}

// Constant is a value with its type.
type Constant struct {
	Type types.Type
	object.Slots
}

// Constants are the constants that have been evaluated, with their names.
func (m *Machine) Constants() iter.Seq2[string, Constant] {
	return func(yield func(string, Constant) bool) {
		for k := range m.globals {
			v, g := &m.globals[k], m.code.Globals[k]
			if v.done && !yield(g.Name, Constant{g.Type, v.Slots}) {
				return
			}
		}
	}
}
